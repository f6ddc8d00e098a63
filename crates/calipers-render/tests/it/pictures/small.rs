//! A few small pictures, whole.

use calipers_render::picture::{Theme, pictures};

calipers_testkit::tests! {
    test: [
        pictures_of_the_digits,
        what_pictures_say,
    ];
}

fn pictures_of_the_digits() {
    let model = calipers::Model::read(calipers_samples::digits(), "digits").unwrap();
    let report = model.analyze(&calipers::Options::new()).unwrap();
    for (theme, word) in [(Theme::Light, "light"), (Theme::Dark, "dark")] {
        for picture in pictures(&report, theme) {
            let wanted = match theme {
                Theme::Light => ["overview", "operators", "parameters", "memory"].as_slice(),
                Theme::Dark => &["flops", "depth"],
            };
            if wanted.contains(&picture.name) {
                insta::assert_snapshot!(format!("{}_{word}", picture.name), picture.svg);
            }
        }
    }
}

fn what_pictures_say() {
    let model = calipers::Model::read(calipers_samples::encoder(), "encoder").unwrap();
    let device = Some(calipers::devices::find("h200-sxm").unwrap().clone());
    let question = calipers::Question { device, ..Default::default() };
    let report = model.analyze(&calipers::Options::new().hardware(question.clone())).unwrap();
    let said: Vec<String> = pictures(&report, Theme::Light)
        .into_iter()
        .map(|picture| format!("{} | {} | {}", picture.name, picture.title, picture.alt))
        .collect();
    insta::assert_snapshot!(said.join("\n"));
}
