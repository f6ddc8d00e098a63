//! Pictures of real models: the samples, the fixtures, and the collection beside the checkout.

use std::path::{Path, PathBuf};

use calipers_analyze::{Bindings, Question, analyze_for};
use calipers_render::picture::{Theme, pictures};
use calipers_report::Report;

use crate::layout::check;

/// A report with an answer about this device, where the file is a model at all.
fn report(model: &calipers_ir::Model, device: &str) -> Report {
    let device = Some(calipers_devices::find(device).unwrap().clone());
    let question = Question { device, ..Question::default() };
    analyze_for(model, &Bindings::default(), &question).unwrap()
}

fn models(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = std::fs::read_dir(folder) else { return vec![] };
    let mut files: Vec<PathBuf> = entries
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| path.extension().is_some_and(|end| end == "onnx"))
        .collect();
    files.sort();
    files
}

/// Checks every picture of every model that opens; gives how many pictures there were.
fn check_all(folder: &Path, device: &str) -> usize {
    let mut count = 0;
    for file in models(folder) {
        let Ok(model) = calipers_formats::open(&file) else { continue };
        let report = report(&model, device);
        for theme in [Theme::Light, Theme::Dark] {
            for picture in pictures(&report, theme) {
                let labels = check(&picture, &file.display().to_string());
                assert!(labels.len() >= 2, "a title, and something to read");
                assert!(picture.alt.ends_with('.') && picture.alt.len() > 20, "{}", picture.alt);
                count += 1;
            }
        }
    }
    count
}

#[test]
fn samples() {
    for sample in calipers_samples::SAMPLES {
        let model = calipers_formats::read((sample.model)(), sample.name).unwrap();
        let pictures = pictures(&report(&model, "h200-sxm"), Theme::Light);
        for picture in &pictures {
            check(picture, sample.name);
        }
        let names: Vec<&str> = pictures.iter().map(|picture| picture.name).collect();
        assert_eq!(names[..2], ["overview", "operators"], "{}", sample.name);
        assert!(names.contains(&"flops") && names.contains(&"depth"), "{names:?}");
    }
}

#[test]
fn fixtures() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures");
    assert!(check_all(&folder.join("zoo"), "rpi5") > 100);
    assert!(check_all(&folder.join("seeds"), "h200-sxm") > 10);
    assert!(check_all(&folder.join("hostile"), "h200-sxm") > 10);
}

#[test]
fn models_beside_the_checkout() {
    let beside = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../../shared");
    let shared = std::env::var_os("CALIPERS_SHARED").map_or(beside, PathBuf::from);
    if !shared.join("models").is_dir() {
        return;
    }
    assert!(check_all(&shared.join("models/seeds"), "rtx-4050-mobile") > 50);
    assert!(check_all(&shared.join("models/latency"), "h200-sxm") > 100);
    assert!(check_all(&shared.join("hostile"), "l4") > 10);
}
