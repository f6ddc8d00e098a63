//! Costs against figures that others published or that torch counts, and against arithmetic.
use std::collections::BTreeMap;
use std::path::Path;

use calipers::Bindings;
use calipers_infer::{free_names, infer};
use calipers_report::Report;
use calipers_testkit::{Corpus, Outcome, score};

use crate::support::analyze_bound;

calipers_testkit::tests! {
    test: [formulas_and_figures_agree];
    each_corpus: [published_macs_are_right, torchvision_macs_are_right];
    extended: [documented_macs_are_right];
}

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
    analyze_bound(&calipers::Model::open(path).unwrap(), bindings).unwrap()
}

fn published_macs_are_right(corpus: &Corpus) -> Outcome {
    let rows = corpus.published_macs();
    let mut wrong = Vec::new();
    for row in &rows {
        let cost = report(&row.model, &bindings(&row.input)).cost;
        let found = cost.macs.map(|macs| macs as f64 / 1e9);
        let off = |found: f64| (found - row.gmacs).abs() > row.gmacs * row.tolerance;
        if found.is_none_or(off) || cost.lower_bound {
            wrong.push(format!("{row:?}: found {found:?}, {:?}", cost.unknown));
        }
    }
    let right = rows.len() - wrong.len();
    score(format!("published MACs, {}: {right} of {} rows", corpus.name(), rows.len()));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

/// Networks whose figures torchvision publishes, at one image of 224 by 224.
fn torchvision_macs_are_right(corpus: &Corpus) -> Outcome {
    let rows = corpus.torchvision_macs();
    let mut wrong = Vec::new();
    for row in &rows {
        let macs = report(&row.model, &bindings("input=1x3x224x224")).cost.macs;
        let found = macs.unwrap() as f64 / 1e9;
        // The table has three decimals.
        if (found - row.gmacs).abs() > 0.000_6 {
            wrong.push(format!("{row:?}: found {found}"));
        }
    }
    let right = rows.len() - wrong.len();
    score(format!("torchvision MACs, {}: {right} of {} networks", corpus.name(), rows.len()));
    assert!(!rows.is_empty(), "no network of the table is in the corpus");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

fn documented_macs_are_right(corpus: &Corpus) -> Outcome {
    // 28·28·8·25 + 14·14·16·8·25 + 256·10
    let mnist = 156_800 + 627_200 + 2_560;
    let truth = [
        ("mnist-8", "", mnist as f64 / 1e9, 0.0),
        (
            "bert-squad-tf2onnx",
            "unique_ids_raw_output___9:0=1 segment_ids:0=1x256 input_mask:0=1x256 input_ids:0=1x256",
            22.95,
            0.001,
        ),
        (
            "bert-squad-torch",
            "unique_ids_raw_output=1 segment_ids=1x256 input_mask=1x256 input_ids=1x256",
            22.95,
            0.001,
        ),
        ("yolov8l-nc1", "", 82.405, 0.0001),
    ];
    for (name, input, gmacs, tolerance) in truth {
        let cost = report(&corpus.model(name).unwrap(), &bindings(input)).cost;
        let found = cost.macs.unwrap() as f64 / 1e9;
        assert!((found - gmacs).abs() <= gmacs * tolerance, "{name}: {gmacs}, found {found}");
        assert_eq!(cost.flops(), cost.macs.map(|macs| 2 * macs));
    }
    Ok(())
}

/// A total's formula, evaluated where its dimensions are bound, is the bound total.
fn formulas_and_figures_agree() {
    let mut compared = 0;
    for path in Corpus::repository().models() {
        let model = calipers::Model::open(&path).unwrap();
        let free = infer(model.ir(), &Bindings::default()).unwrap();
        let names: Vec<String> = crate::support::analyze(&model).bindings.into_keys().collect();
        for first in [2_i64, 5] {
            let dims: BTreeMap<String, i64> = names.iter().cloned().zip(first..).collect();
            let of_inputs = free_names(model.ir());
            let (bound_dims, values): (BTreeMap<_, _>, BTreeMap<_, _>) =
                dims.clone().into_iter().partition(|(name, _)| of_inputs.contains(name));
            let values = values.into_iter().map(|(name, value)| (name, vec![value])).collect();
            let bound = Bindings { dims: bound_dims, values, ..Bindings::default() };
            let bound = infer(model.ir(), &bound).unwrap();
            let pairs = [
                (&free.total.macs, &bound.total.macs),
                (&free.total.other_flops, &bound.total.other_flops),
                (&free.total.bytes_moved, &bound.total.bytes_moved),
            ];
            for (formula, figure) in pairs {
                let value = formula.evaluate_wide(|name| dims.get(name).copied());
                let (Ok(value), Some(figure)) = (value, figure.as_wide_const()) else { continue };
                compared += 1;
                assert_eq!(value, figure, "{}: {formula}", path.display());
            }
        }
    }
    score(format!("formulas: {compared} totals agree with their figures"));
    assert!(compared > 60, "only {compared} totals compared");
}
