//! Mutants of small models, by structure: every one gives a report or an error, whatever was
//! duplicated, deleted, swapped or resized.
//!
//! The seeds are fixed, so a failure repeats: `mutant(model, seed)` is named in the message.
//! `CALIPERS_MUTANTS` runs another number of them.

use std::panic::{AssertUnwindSafe, catch_unwind};

use calipers::{GraphView, Model, Options, Report};
use calipers_render::chart::{Theme, charts};
use calipers_render::{CardOptions, Style, csv, graph, jsonl, page, sections, tables, terminal};
use calipers_testkit::{Corpus, mutant, score};
use serde_json::Value;

calipers_testkit::tests! {
    test: [every_mutant_gives_a_report_or_an_error];
}

/// Mutants of all models together.
fn count() -> u64 {
    std::env::var("CALIPERS_MUTANTS").map_or(2_000, |count| count.parse().unwrap())
}

/// Models of more bytes take too long in a test build.
const SMALL: usize = 16 * 1024;

/// One report in this many is rendered in all formats; the others as JSON and as the overview.
const SAMPLE: u64 = 8;

fn every_mutant_gives_a_report_or_an_error() {
    let (models, count) = (small_models(), count());
    assert!(models.len() > 20, "{} models", models.len());
    let next = std::sync::atomic::AtomicU64::new(0);
    let run = || {
        let (mut reports, mut errors) = (0, 0);
        loop {
            let seed = next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
            if seed >= count {
                return (reports, errors);
            }
            let at = usize::try_from(seed).unwrap() % models.len();
            let (name, bytes) = &models[at];
            let mutant = mutant(bytes, seed, 4 * SMALL);
            match catch_unwind(AssertUnwindSafe(|| check(mutant, seed))) {
                Ok(true) => reports += 1,
                Ok(false) => errors += 1,
                Err(_) => panic!("mutant({name}, {seed}) fails, see above"),
            }
        }
    };
    let totals: Vec<(u64, u64)> = std::thread::scope(|scope| {
        let threads: Vec<_> = (0..2).map(|_| scope.spawn(run)).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    let reports: u64 = totals.iter().map(|(reports, _)| reports).sum();
    let errors: u64 = totals.iter().map(|(_, errors)| errors).sum();
    assert_eq!(reports + errors, count);
    // A mutator that breaks every file would test the first lines of the reader alone.
    assert!(reports > count / 2, "only {reports} mutants are models");
    score(format!(
        "mutants: {count} of {} models, {reports} reports, {errors} errors, 0 failures",
        models.len()
    ));
}

/// The small fixtures and samples, by name.
fn small_models() -> Vec<(String, Vec<u8>)> {
    let corpus = Corpus::repository();
    let mut models: Vec<(String, Vec<u8>)> = calipers_samples::SAMPLES
        .iter()
        .map(|sample| (sample.name.to_owned(), (sample.model)()))
        .collect();
    for path in corpus.models().into_iter().chain(corpus.hostile()) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        models.push((name, std::fs::read(&path).unwrap()));
    }
    models.retain(|(_, bytes)| (1..=SMALL).contains(&bytes.len()));
    models
}

/// Checks one mutant, and returns whether there is a report on it.
fn check(bytes: Vec<u8>, seed: u64) -> bool {
    let model = match Model::read(bytes, "mutant.onnx") {
        Ok(model) => model,
        Err(error) => {
            check_screen(&calipers_render::text::whole(&error.to_string()));
            return false;
        }
    };
    let options = Options::new().weights(true);
    if !seed.is_multiple_of(SAMPLE) {
        let Ok(report) = model.analyze(&options) else { return false };
        check_report(&report);
        return true;
    }
    let Ok((report, view)) = model.explore(&options.clone().fingerprints(true)) else {
        return false;
    };
    check_report(&report);
    check_documents(&report, &view);
    if let Ok(layers) = model.layers(&options, &calipers::LayerQuery::default()) {
        check_document(&csv::table(&tables::layers(&layers)));
        jsonl::table(&tables::layers(&layers)).lines().for_each(|line| _ = json(line));
    }
    true
}

fn check_report(report: &Report) {
    check_figures("report", &json(&calipers_render::json::to_string(report)));
    check_screen(&terminal::report(report, &Style::plain(80)));
}

fn check_documents(report: &Report, view: &GraphView) {
    check_screen(&terminal::document(&sections::screen(report), &Style::plain(40)));
    check_document(&calipers_render::markdown::card(report, &CardOptions::default()));
    check_document(&page::html(report, view));
    check_document(&graph::svg(view, 2));
    check_document(&graph::dot(view, 2));
    json(&calipers_render::json::to_string(view));
    let table = calipers::finding_table(report);
    json(&calipers_render::sarif::findings(&table, &calipers::rules(), "mutant.onnx"));
    for chart in charts(report, Theme::Dark) {
        check_document(&chart.svg);
    }
}

fn json(text: &str) -> Value {
    check_document(text);
    serde_json::from_str(text).expect("valid JSON")
}

fn check_document(text: &str) {
    let at = text.find(|c: char| c.is_control() && c != '\n');
    assert!(at.is_none(), "a control character at byte {at:?}");
}

fn check_screen(text: &str) {
    let at = text.find(|c: char| calipers_render::text::is_hidden(c) && c != '\n');
    assert!(at.is_none(), "a hidden character at byte {at:?}");
}

/// Fields that repeat what the file says, which may be negative.
const SIGNED: &[&str] =
    &["min", "max", "mean", "shape", "ir_version", "version", "model_version", "opsets"];

/// Panics if a figure is negative.
fn check_figures(field: &str, value: &Value) {
    match value {
        Value::Number(number) => {
            let negative = number.as_f64().is_some_and(|number| number < 0.0);
            assert!(!negative, "{field} is {number}");
        }
        Value::Array(items) => items.iter().for_each(|item| check_figures(field, item)),
        Value::Object(fields) => {
            let figures = fields.iter().filter(|(name, _)| !SIGNED.contains(&name.as_str()));
            figures.for_each(|(name, value)| check_figures(name, value));
        }
        _ => {}
    }
}
