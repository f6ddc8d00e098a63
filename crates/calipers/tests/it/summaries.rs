//! The built-in summary: read for a dozen kinds of models, and held to the report for all.
use std::collections::BTreeSet;
use std::path::PathBuf;

use calipers::{Bindings, HardwareQuery};
use calipers_summary::check::Checker;
use calipers_summary::{Audience, described_as, summarize_for};
use calipers_testkit::{Corpus, Outcome, fixture, score};

use crate::support;
use crate::support::analyze_for;

calipers_testkit::tests! {
    test: [hostile_names_are_not_repeated];
    each_corpus: [
        summaries_are_reviewed,
        every_claim_of_every_summary_is_in_the_report,
        claims_hold_on_devices_too,
    ];
}

/// One model of each kind. The texts were read as an engineer reads them; a change here is a claim
/// about a model, and has to be checked as one.
const READ: &[&str] = &[
    "yolov8l-nc1",
    "all-minilm-l6-v2",
    "bert-squad-torch",
    "mnist-8",
    "llama_tiny_gqa_kv_op17",
    "llama_tiny_int4_matmulnbits",
    "mobilenet_v2_qdq_s8_perchannel",
    "clip_tiny_op17",
    "lstm_bi2_op17",
    "rf_cls",
    "logreg",
    "swin_t",
    "bert_base",
    "gpt2",
    "detr_tiny_op17",
    "isoforest",
    "t5_tiny_encdec_op17",
    "unet_c16_op17",
    "whisper_tiny_encoder_op17",
    "mlp",
    "tfidf_logreg",
    "yolov8n_80",
    "script_loop_if_op17",
];

fn summaries_are_reviewed(corpus: &Corpus) -> Outcome {
    let mut text = String::new();
    let mut kinds = BTreeSet::new();
    for name in READ {
        let models = corpus.models();
        let Some(path) = models.iter().find(|path| path.file_stem().unwrap() == *name) else {
            continue;
        };
        let report = support::report(path).unwrap();
        let summary = report.summary.clone().unwrap();
        kinds.insert(described_as(&report));
        text +=
            &format!("{name}: {}\n{}\n{}\n\n", described_as(&report), summary.title, summary.text);
    }
    assert!(kinds.len() >= 4, "{kinds:?}");
    insta::assert_snapshot!(corpus.name(), text);
    Ok(())
}

fn models(corpus: &Corpus) -> Vec<PathBuf> {
    corpus.models().into_iter().chain(corpus.hostile()).collect()
}

/// Words of a summary without a device: one short paragraph.
const MAX_WORDS: usize = 90;

/// Every number, unit, family and operator of the built-in text is found in the report.
fn every_claim_of_every_summary_is_in_the_report(corpus: &Corpus) -> Outcome {
    let mut wrong = String::new();
    let (mut texts, mut claims) = (0, 0);
    for path in models(corpus) {
        let Ok(report) = support::report(&path) else { continue };
        let checker = Checker::new(&report);
        for audience in [Audience::Engineer, Audience::Manager] {
            let summary = summarize_for(&report, audience);
            let words = summary.text.split_whitespace().count();
            if words > MAX_WORDS || summary.text.contains('\n') {
                wrong += &format!("{}: {words} words\n", path.display());
            }
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
    score(format!("summaries, {}: {claims} claims in {texts} texts", corpus.name()));
    assert!(texts >= 100, "only {texts} texts");
    assert!(wrong.is_empty(), "{wrong}");
    Ok(())
}

/// The same holds with a device asked for, and with sizes bound.
fn claims_hold_on_devices_too(corpus: &Corpus) -> Outcome {
    let catalog = calipers_perf::devices::builtin();
    let mut wrong = String::new();
    for (i, path) in models(corpus).iter().enumerate() {
        let Ok(model) = calipers::Model::open(path) else { continue };
        let ids = ["rtx-4090", "rpi5", "i9-13900k"];
        let device = catalog.find(ids[i % ids.len()]).unwrap().clone();
        let question = HardwareQuery { device: Some(device), ..HardwareQuery::default() };
        let Ok(report) = analyze_for(&model, &Bindings::default(), &question) else { continue };
        let text = report.summary.clone().unwrap().text;
        for sentence in Checker::new(&report).check(&text).faulty() {
            wrong += &format!("{}: {sentence:?}\n", path.display());
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    Ok(())
}

/// A file writes no word of the summary: hostile names stay out of it.
fn hostile_names_are_not_repeated() {
    let report = support::report(&fixture("hostile/injection_names.onnx")).unwrap();
    let text = report.summary.unwrap().text;
    for mark in ['<', '>', '`', '|', '[', '\u{1b}', '"', '\u{202e}'] {
        assert!(!text.contains(mark), "{text:?}");
    }
}
