//! The built-in summary: read for a dozen kinds of models, and held to the report for all.
#![allow(clippy::unwrap_used, reason = "a test may stop where its own tools fail")]

mod common;

use std::collections::BTreeSet;
use std::path::PathBuf;

use calipers_analyze::summary::check::Checker;
use calipers_analyze::summary::{Audience, summarize_for, told_as};
use calipers_analyze::{Bindings, Question, analyze_for};

/// One model of each kind. The texts were read as an engineer reads them; a change here is a claim
/// about a model, and has to be checked as one.
const READ: &[&str] = &[
    "seeds/yolov8l-nc1.onnx",
    "seeds/all-minilm-l6-v2.onnx",
    "seeds/bert-squad-torch.onnx",
    "seeds/mnist-8.onnx",
    "zoo/llama_tiny_gqa_kv_op17.onnx",
    "zoo/llama_tiny_int4_matmulnbits.onnx",
    "zoo/mobilenet_v2_qdq_s8_perchannel.onnx",
    "zoo/clip_tiny_op17.onnx",
    "zoo/lstm_bi2_op17.onnx",
    "zoo/rf_cls.onnx",
    "zoo/logreg.onnx",
    "zoo/swin_t_op17.onnx",
    "zoo/t5_tiny_encdec_op17.onnx",
    "zoo/unet_c16_op17.onnx",
    "zoo/whisper_tiny_encoder_op17.onnx",
    "zoo/mlp.onnx",
    "zoo/tfidf_logreg.onnx",
    "zoo/yolov8n_80.onnx",
    "zoo/script_loop_if_op17.onnx",
];

#[test]
fn the_summaries_of_many_kinds_are_reviewed() {
    let mut text = String::new();
    let mut kinds = BTreeSet::new();
    for name in READ {
        let Some(path) = common::find(name) else { continue };
        let report = common::report(&path).unwrap();
        let summary = report.summary.clone().unwrap();
        kinds.insert(told_as(&report));
        text += &format!("{name}: {}\n{}\n{}\n\n", told_as(&report), summary.title, summary.text);
    }
    if common::shared().is_none() {
        return;
    }
    assert!(kinds.len() >= 10, "{kinds:?}");
    insta::assert_snapshot!("summaries", text);
}

fn models() -> Vec<PathBuf> {
    let mut models: Vec<PathBuf> =
        common::model_folders().iter().flat_map(|folder| common::files(folder, ".onnx")).collect();
    let hostile = common::shared().map(|shared| common::files(&shared.join("hostile"), ".onnx"));
    models.extend(hostile.into_iter().flatten());
    models
}

/// Every number, unit, family and operator of the built-in text is found in the report.
#[test]
fn every_claim_of_every_summary_is_in_the_report() {
    let mut wrong = String::new();
    let (mut texts, mut claims) = (0, 0);
    for path in models() {
        let Ok(report) = common::report(&path) else { continue };
        let checker = Checker::new(&report);
        for audience in [Audience::Engineer, Audience::Manager] {
            let summary = summarize_for(&report, audience);
            for text in [&summary.title, &summary.text] {
                let verdict = checker.check(text);
                texts += 1;
                claims += verdict.claims();
                for sentence in verdict.faulty() {
                    wrong += &format!("{}: {sentence:?}\n", path.display());
                }
            }
        }
    }
    println!("summaries: {claims} claims of {texts} texts found in the reports");
    assert!(texts >= 100, "only {texts} texts");
    assert!(wrong.is_empty(), "{wrong}");
}

/// The same holds with a device asked for, and with sizes bound.
#[test]
fn claims_hold_on_devices_too() {
    let catalog = calipers_devices::builtin();
    let mut wrong = String::new();
    for (i, path) in models().iter().enumerate() {
        let Ok(model) = calipers_formats::open(path) else { continue };
        let ids = ["rtx-4090", "rpi5", "i9-13900k"];
        let device = catalog.find(ids[i % ids.len()]).unwrap().clone();
        let question = Question { device: Some(device), ..Question::default() };
        let Ok(report) = analyze_for(&model, &Bindings::default(), &question) else { continue };
        let text = report.summary.clone().unwrap().text;
        for sentence in Checker::new(&report).check(&text).faulty() {
            wrong += &format!("{}: {sentence:?}\n", path.display());
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

/// A file writes no word of the summary: hostile names stay out of it.
#[test]
fn hostile_names_are_not_repeated() {
    let Some(path) = common::shared().map(|shared| shared.join("hostile/injection_names.onnx"))
    else {
        return;
    };
    let report = common::report(&path).unwrap();
    let text = report.summary.unwrap().text;
    for mark in ['<', '>', '`', '|', '[', '\u{1b}', '"', '\u{202e}'] {
        assert!(!text.contains(mark), "{text:?}");
    }
}
