//! Costs against figures that others published or that torch counts, and against arithmetic.
#![allow(clippy::unwrap_used, clippy::print_stdout, reason = "a suite tells its score")]

mod common;

use std::collections::BTreeMap;
use std::path::Path;

use calipers_analyze::{Bindings, analyze_bound, infer};
use calipers_report::Report;

/// A shape as the tables write it: `1x3x224x224`.
fn shape(text: &str) -> Vec<i64> {
    text.split('x').map(|size| size.parse().unwrap()).collect()
}

fn bindings(spec: &str) -> Bindings {
    let inputs = spec.split_whitespace().map(|input| {
        let (name, dims) = input.split_once('=').unwrap();
        (name.to_owned(), shape(dims))
    });
    Bindings { inputs: inputs.collect(), ..Bindings::default() }
}

fn report(path: &Path, bindings: &Bindings) -> Report {
    analyze_bound(&calipers_formats::open(path).unwrap(), bindings).unwrap()
}

#[test]
fn macs_are_those_of_the_published_table() {
    let Some(shared) = common::shared() else { return };
    let table = std::fs::read_to_string(shared.join("reference/flops.tsv")).unwrap();
    let (mut rows, mut wrong) = (0, Vec::new());
    for line in table.lines().filter(|line| !line.starts_with('#') && !line.is_empty()) {
        let columns: Vec<_> = line.split('\t').collect();
        let [graph, input, gmacs, ..] = columns[..] else { panic!("{line}") };
        let tolerance = if line.contains("within 1 %") { 0.01 } else { 0.001 };
        let wanted: f64 = gmacs.parse().unwrap();
        let cost = report(&shared.join(graph), &bindings(input)).cost;
        rows += 1;
        let told = cost.macs.map(|macs| macs as f64 / 1e9);
        if told.is_none_or(|told| (told - wanted).abs() > wanted * tolerance) || cost.lower_bound {
            wrong.push(format!("{graph} at {input}: {wanted}, told {told:?}, {:?}", cost.unknown));
        }
    }
    println!("macs: {} of {rows} rows right", rows - wrong.len());
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Networks of the collection whose figures torchvision publishes, at one image of 224 by 224.
#[test]
fn macs_are_those_that_torchvision_publishes() {
    let Some(shared) = common::shared() else { return };
    let table = std::fs::read_to_string(shared.join("reference/torchvision.tsv")).unwrap();
    let (mut rows, mut wrong) = (0, Vec::new());
    for line in table.lines() {
        let columns: Vec<_> = line.split('\t').collect();
        let [_, class, "IMAGENET1K_V1", _, gmacs] = columns[..] else { continue };
        let name = class.trim_end_matches("_Weights").to_lowercase();
        let places = [format!("latency/{name}.onnx"), format!("zoo/{name}_op17.onnx")];
        let Some(path) = places.iter().find_map(|place| common::find(place)) else { continue };
        let wanted: f64 = gmacs.parse().unwrap();
        let told = report(&path, &bindings("input=1x3x224x224")).cost.macs.unwrap() as f64 / 1e9;
        rows += 1;
        // The table has three decimals.
        if (told - wanted).abs() > 0.000_6 {
            wrong.push(format!("{name}: {wanted}, told {told}"));
        }
    }
    println!("torchvision: {} of {rows} networks right", rows - wrong.len());
    assert!(rows >= 10, "only {rows} networks found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn the_seeds_cost_what_they_cost() {
    // 28·28·8·25 + 14·14·16·8·25 + 256·10
    let mnist = 156_800 + 627_200 + 2_560;
    let truth = [
        ("seeds/mnist-8.onnx", "", mnist as f64 / 1e9, 0.0),
        (
            "seeds/bert-squad-tf2onnx.onnx",
            "unique_ids_raw_output___9:0=1 segment_ids:0=1x256 input_mask:0=1x256 input_ids:0=1x256",
            22.95,
            0.001,
        ),
        (
            "seeds/bert-squad-torch.onnx",
            "unique_ids_raw_output=1 segment_ids=1x256 input_mask=1x256 input_ids=1x256",
            22.95,
            0.001,
        ),
        ("seeds/yolov8l-nc1.onnx", "", 82.405, 0.0001),
    ];
    for (name, input, gmacs, tolerance) in truth {
        let Some(path) = common::find(name) else { continue };
        let cost = report(&path, &bindings(input)).cost;
        let told = cost.macs.unwrap() as f64 / 1e9;
        assert!((told - gmacs).abs() <= gmacs * tolerance, "{name}: {gmacs}, told {told}");
        assert_eq!(cost.flops, cost.macs.map(|macs| 2 * macs));
    }
}

/// A total's formula, evaluated where its dimensions are bound, is the bound total.
#[test]
fn formulas_and_figures_agree() {
    let mut compared = 0;
    for path in common::files(&common::fixtures().join("zoo"), ".onnx") {
        let model = calipers_formats::open(&path).unwrap();
        let free = infer(&model, &Bindings::default()).unwrap();
        let names: Vec<String> = calipers_analyze::analyze(&model).bindings.into_keys().collect();
        for first in [2_i64, 5] {
            let dims: BTreeMap<String, i64> = names.iter().cloned().zip(first..).collect();
            let bound = Bindings { dims: dims.clone(), ..Bindings::default() };
            let bound = infer(&model, &bound).unwrap();
            let pairs = [
                (&free.total.macs, &bound.total.macs),
                (&free.total.other_flops, &bound.total.other_flops),
                (&free.total.bytes_moved, &bound.total.bytes_moved),
            ];
            for (formula, figure) in pairs {
                let told = formula.evaluate_wide(|name| dims.get(name).copied());
                let (Ok(told), Some(figure)) = (told, figure.as_wide_const()) else { continue };
                compared += 1;
                assert_eq!(told, figure, "{}: {formula}", path.display());
            }
        }
    }
    println!("formulas: {compared} totals compared");
    assert!(compared > 60, "only {compared} totals compared");
}
