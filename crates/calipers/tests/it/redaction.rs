//! `--redact-names`: no name stays, and no figure changes.
use std::collections::BTreeSet;
use std::path::PathBuf;

use calipers::{Bindings, LayerOrder, LayerQuery, Model, Options};
use calipers_infer::{infer, infer_shapes};
use calipers_measure::{layers, shapes};
use calipers_summary::Redactor;
use calipers_testkit::{Corpus, Outcome, score};
use serde_json::Value;

calipers_testkit::tests! {
    each_corpus: [
        reports_keep_their_figures_and_lose_their_names,
        tables_keep_their_figures_and_lose_their_names,
    ];
}

/// Networks and hostile files. Files above 2 MB have the same kinds of names, only more of them.
fn models(corpus: &Corpus) -> Vec<PathBuf> {
    let mut models = corpus.models();
    models.extend(corpus.hostile());
    models.retain(|path| path.metadata().unwrap().len() < 2_000_000);
    models
}

/// Names that say something: those with marks, capitals or several words in them.
fn distinctive(model: &calipers_ir::Model) -> BTreeSet<String> {
    let nodes = model.nodes().map(|(_, node)| node.name);
    let values = model.values().map(|(_, value)| value.name);
    let names = nodes.chain(values).map(|name| model.name(name).to_owned());
    let is_distinctive = |name: &String| name.len() > 5 && name.contains(['/', '_', '.', ':']);
    names.filter(is_distinctive).filter(|name| name.contains(char::is_alphabetic)).collect()
}

/// Every text of a value, keys of objects among them.
fn texts(value: &Value, into: &mut Vec<String>) {
    match value {
        Value::String(text) => into.push(text.clone()),
        Value::Array(items) => items.iter().for_each(|item| texts(item, into)),
        Value::Object(map) => {
            for (key, value) in map {
                into.push(key.clone());
                texts(value, into);
            }
        }
        _ => {}
    }
}

/// Every number of a value. Maps may change their order with their keys, so they are sorted.
fn numbers(value: &Value) -> Vec<String> {
    fn walk(value: &Value, into: &mut Vec<String>) {
        match value {
            Value::Number(number) => into.push(number.to_string()),
            Value::Array(items) => items.iter().for_each(|item| walk(item, into)),
            Value::Object(map) => map.values().for_each(|value| walk(value, into)),
            _ => {}
        }
    }
    let mut numbers = Vec::new();
    walk(value, &mut numbers);
    numbers.sort_unstable();
    numbers
}

#[track_caller]
fn holds_no_name(json: &Value, names: &BTreeSet<String>, path: &std::path::Path) {
    let mut all = Vec::new();
    texts(json, &mut all);
    for text in all {
        // Whole words: `data/basis` contains `a/b`.
        for (at, _) in text.char_indices() {
            let before = text[..at].chars().next_back();
            if before.is_some_and(|c| c.is_alphanumeric() || c == '_') {
                continue;
            }
            let rest = &text[at..];
            let found = names.range(..=rest.to_owned()).next_back();
            let found = found.filter(|name| rest.starts_with(name.as_str()));
            assert!(found.is_none(), "{}: {found:?} in {text:?}", path.display());
        }
    }
}

fn reports_keep_their_figures_and_lose_their_names(corpus: &Corpus) -> Outcome {
    let mut seen = 0;
    for path in models(corpus) {
        let Ok(model) = Model::open(&path) else { continue };
        let named = model.analyze(&Options::new()).unwrap();
        let redacted = model.analyze(&Options::new().redact_names(true)).unwrap();
        let before = serde_json::to_value(&named).unwrap();
        let after = serde_json::to_value(&redacted).unwrap();
        assert_eq!(numbers(&before), numbers(&after), "{}", path.display());
        assert_eq!(redacted.architecture.family, named.architecture.family);
        holds_no_name(&after, &distinctive(model.ir()), &path);
        seen += 1;
    }
    score(format!("redaction, {}: {seen} models", corpus.name()));
    assert!(seen >= 20, "only {seen} models");
    Ok(())
}

fn tables_keep_their_figures_and_lose_their_names(corpus: &Corpus) -> Outcome {
    for path in models(corpus) {
        let Ok(model) = calipers_formats::open(&path) else { continue };
        let bindings = Bindings::default();
        let names = distinctive(&model);
        let redactor = Redactor::new(&model);
        let query = LayerQuery { order: LayerOrder::Execution, top: None, tree: Some(3) };
        let mut table = layers(&model, &infer(&model, &bindings).unwrap(), &bindings, &query);
        let before = serde_json::to_value(&table).unwrap();
        redactor.layers(&mut table).unwrap();
        let after = serde_json::to_value(&table).unwrap();
        assert_eq!(numbers(&before), numbers(&after), "{}", path.display());
        holds_no_name(&after, &names, &path);

        let typed = infer_shapes(&model, &bindings).unwrap();
        let mut table = shapes(&model, &typed, &bindings);
        let count = table.values.len();
        redactor.shapes(&mut table).unwrap();
        assert_eq!(table.values.len(), count, "{}", path.display());
        holds_no_name(&serde_json::to_value(&table).unwrap(), &names, &path);
    }
    Ok(())
}
