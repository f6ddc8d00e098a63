//! Charts of real models: the samples, the networks and the hostile files of each corpus.

use std::path::PathBuf;

use calipers::HardwareQuery;
use calipers_render::chart::{Theme, charts};
use calipers_report::Report;
use calipers_testkit::{Corpus, Outcome};

use super::layout::check;

calipers_testkit::tests! {
    test: [
        samples,
    ];
    each_corpus: [networks, hostile_files];
}

/// A report with an answer about this device, where the file is a model at all.
fn report(model: &calipers::Model, device: &str) -> Report {
    let device = Some(calipers::devices::find(device).unwrap().clone());
    let question = HardwareQuery { device, ..HardwareQuery::default() };
    model.analyze(&calipers::Options::new().hardware(question)).unwrap()
}

/// Checks every chart of every model that opens; returns the number of charts.
fn check_all(files: Vec<PathBuf>, device: &str) -> usize {
    let mut count = 0;
    for file in files {
        let Ok(model) = calipers::Model::open(&file) else { continue };
        let report = report(&model, device);
        for theme in [Theme::Light, Theme::Dark] {
            for chart in charts(&report, theme) {
                let labels = check(&chart, &file.display().to_string());
                assert!(labels.len() >= 2, "a title, and something to read");
                assert!(chart.alt.ends_with('.') && chart.alt.len() > 10, "{}", chart.alt);
                count += 1;
            }
        }
    }
    count
}

fn samples() {
    for sample in calipers_samples::SAMPLES {
        let model = calipers::Model::read((sample.model)(), sample.name).unwrap();
        let charts = charts(&report(&model, "h200-sxm"), Theme::Light);
        for chart in &charts {
            check(chart, sample.name);
        }
        let names: Vec<&str> = charts.iter().map(|chart| chart.name).collect();
        assert_eq!(names[..2], ["overview", "operators"], "{}", sample.name);
        assert!(names.contains(&"flops") && names.contains(&"depth"), "{names:?}");
    }
}

fn networks(corpus: &Corpus) -> Outcome {
    let device = if corpus.name() == "extended" { "rtx-4050-mobile" } else { "rpi5" };
    assert!(check_all(corpus.models(), device) > 100);
    Ok(())
}

fn hostile_files(corpus: &Corpus) -> Outcome {
    assert!(check_all(corpus.hostile(), "l4") > 10);
    Ok(())
}
