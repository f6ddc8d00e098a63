//! A few small charts, whole.

use calipers_render::chart::{Theme, charts};

calipers_testkit::tests! {
    test: [
        charts_of_the_digits,
        what_charts_say,
    ];
}

fn charts_of_the_digits() {
    let model = calipers::Model::read(calipers_samples::digits(), "digits").unwrap();
    let report = model.analyze(&calipers::Options::new()).unwrap();
    for (theme, word) in [(Theme::Light, "light"), (Theme::Dark, "dark")] {
        for chart in charts(&report, theme) {
            let wanted = match theme {
                Theme::Light => ["overview", "operators", "parameters", "memory"].as_slice(),
                Theme::Dark => &["flops", "depth"],
            };
            if wanted.contains(&chart.name) {
                insta::assert_snapshot!(format!("{}_{word}", chart.name), chart.svg);
            }
        }
    }
}

fn what_charts_say() {
    let model = calipers::Model::read(calipers_samples::encoder(), "encoder").unwrap();
    let device = Some(calipers::devices::find("h200-sxm").unwrap().clone());
    let question = calipers::HardwareQuery { device, ..Default::default() };
    let report = model.analyze(&calipers::Options::new().hardware(question.clone())).unwrap();
    let said: Vec<String> = charts(&report, Theme::Light)
        .into_iter()
        .map(|chart| format!("{} | {} | {}", chart.name, chart.title, chart.alt))
        .collect();
    insta::assert_snapshot!(said.join("\n"));
}
