//! The built-in summary: read for a dozen kinds of models, and held to the report for all.
use std::collections::BTreeSet;
use std::path::PathBuf;

use calipers::{Bindings, HardwareQuery};
use calipers_report::Report;
use calipers_summary::{Audience, check, described_as, facts, summarize_for};
use calipers_testkit::{Corpus, Outcome, fixture, score};

use crate::support;
use crate::support::analyze_for;

calipers_testkit::tests! {
    test: [hostile_names_are_not_repeated];
    each_corpus: [
        summaries_are_reviewed,
        every_figure_of_every_summary_is_a_fact,
        figures_are_facts_on_devices_too,
        facts_of_every_model_make_sentences,
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

/// Figures of a text, each with the word behind it: `22.6 million`, `12 layers`, `384`.
fn figures(text: &str) -> Vec<String> {
    // A parenthesis and a dash end a phrase as a comma does.
    let text = text.replace(['(', ')', '–'], ", ");
    let words: Vec<&str> = text.split_whitespace().collect();
    let trimmed = |word: &str| word.trim_matches(['.', ',', ';', ':', '"']).to_owned();
    let is_figure = |word: &str| word.starts_with(|c: char| c.is_ascii_digit());
    let figures = words.iter().enumerate().filter(|(_, word)| is_figure(word));
    figures
        .map(|(i, word)| match words.get(i + 1) {
            // A mark behind the figure ends its phrase.
            Some(next) if word.ends_with(|c: char| c.is_ascii_alphanumeric() || c == '%') => {
                format!("{} {}", trimmed(word), trimmed(next))
            }
            _ => trimmed(word),
        })
        .collect()
}

/// Figures of a text that no fact holds with the same word behind them.
fn unknown_figures(report: &Report, text: &str) -> Vec<String> {
    let facts: Vec<String> =
        facts::from_report(report).iter().flat_map(|fact| figures(&fact.text)).collect();
    let is_known = |figure: &String| {
        let number = figure.split(' ').next().unwrap_or_default();
        let is_alone = number == figure;
        facts
            .iter()
            .any(|known| known == figure || is_alone && known.split(' ').next() == Some(number))
    };
    figures(text).into_iter().filter(|figure| !is_known(figure)).collect()
}

/// Every figure of the built-in text is that of a fact, so that a language model may state it too.
fn every_figure_of_every_summary_is_a_fact(corpus: &Corpus) -> Outcome {
    let mut wrong = String::new();
    let (mut texts, mut count) = (0, 0);
    for path in models(corpus) {
        let Ok(report) = support::report(&path) else { continue };
        for audience in [Audience::Engineer, Audience::Manager] {
            let summary = summarize_for(&report, audience);
            let words = summary.text.split_whitespace().count();
            if words > MAX_WORDS || summary.text.contains('\n') {
                wrong += &format!("{}: {words} words\n", path.display());
            }
            for text in [&summary.title, &summary.text] {
                texts += 1;
                count += figures(text).len();
                for figure in unknown_figures(&report, text) {
                    wrong += &format!("{}: {figure:?} in {text}\n", path.display());
                }
            }
        }
    }
    score(format!("summaries, {}: {count} figures in {texts} texts", corpus.name()));
    assert!(texts >= 100, "only {texts} texts");
    assert!(wrong.is_empty(), "{wrong}");
    Ok(())
}

/// The same holds with a device asked for, and with sizes bound.
fn figures_are_facts_on_devices_too(corpus: &Corpus) -> Outcome {
    let catalog = calipers_perf::devices::builtin();
    let mut wrong = String::new();
    for (i, path) in models(corpus).iter().enumerate() {
        let Ok(model) = calipers::Model::open(path) else { continue };
        let ids = ["rtx-4090", "rpi5", "i9-13900k"];
        let device = catalog.find(ids[i % ids.len()]).unwrap().clone();
        let question = HardwareQuery { device: Some(device), ..HardwareQuery::default() };
        let Ok(report) = analyze_for(&model, &Bindings::default(), &question) else { continue };
        let text = report.summary.clone().unwrap().text;
        for figure in unknown_figures(&report, &text) {
            wrong += &format!("{}: {figure:?} in {text}\n", path.display());
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
    Ok(())
}

/// The example of a prompt makes a summary of every model that can be read, and says nothing false
/// by its form: no sentence of it is struck, and no fact is empty or ends as a sentence does.
fn facts_of_every_model_make_sentences(corpus: &Corpus) -> Outcome {
    for path in models(corpus) {
        let Ok(report) = support::report(&path) else { continue };
        for audience in [Audience::Engineer, Audience::Manager] {
            let facts = facts::listed(&report, audience);
            for fact in &facts {
                let ends = fact.text.ends_with(['.', ',', ' ']) || fact.text.is_empty();
                assert!(!ends && !fact.text.contains(['\n', '{', '}']), "{fact:?}");
                let is_sentence = fact.text.starts_with(char::is_uppercase);
                assert_eq!(is_sentence, fact.role == facts::Role::Statement, "{fact:?}");
            }
            let checked = check::read(&check::example(&facts).to_string(), &facts).unwrap();
            assert_eq!(checked.struck().next(), None, "{}", path.display());
        }
    }
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
