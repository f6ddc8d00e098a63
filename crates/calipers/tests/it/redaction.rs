//! `--redact-names`: no name stays, and no figure changes.
use std::collections::BTreeSet;
use std::path::PathBuf;

use calipers::{LayerOrder, LayerQuery, Model, Options, Report};
use calipers_ops::{canonical_domain, find, is_known_domain};
use calipers_samples::{DataType, ModelBuilder, Node};
use calipers_testkit::{Corpus, Outcome, Place, marked, rewrite_strings, score};
use serde_json::Value;

calipers_testkit::tests! {
    test: [
        a_name_like_an_operator_does_not_rename_the_operator,
        different_secrets_of_dimensions_stay_different,
        words_are_stable_and_hints_keep_the_task,
    ];
    each_corpus: [
        reports_keep_their_figures_and_lose_their_names,
        tables_keep_their_figures_and_lose_their_names,
        marked_words_of_models_are_in_no_output,
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
        assert_eq!(redacted.task.kind, named.task.kind, "{}", path.display());
        let ids = |report: &Report| -> Vec<String> {
            report.findings.iter().map(|finding| finding.id.clone()).collect()
        };
        assert_eq!(ids(&redacted), ids(&named), "{}", path.display());
        holds_no_name(&after, &distinctive(model.ir()), &path);
        seen += 1;
    }
    score(format!("redaction, {}: {seen} models", corpus.name()));
    assert!(seen >= 20, "only {seen} models");
    Ok(())
}

fn tables_keep_their_figures_and_lose_their_names(corpus: &Corpus) -> Outcome {
    let query = LayerQuery { order: LayerOrder::Execution, top: None, tree: Some(3) };
    let (plain, redact) = (Options::new(), Options::new().redact_names(true));
    for path in models(corpus) {
        let Ok(model) = Model::open(&path) else { continue };
        let names = distinctive(model.ir());
        let before = serde_json::to_value(model.layers(&plain, &query).unwrap()).unwrap();
        let after = serde_json::to_value(model.layers(&redact, &query).unwrap()).unwrap();
        assert_eq!(numbers(&before), numbers(&after), "{}", path.display());
        holds_no_name(&after, &names, &path);

        let count = model.shapes(&plain).unwrap().values.len();
        let table = model.shapes(&redact).unwrap();
        assert_eq!(table.values.len(), count, "{}", path.display());
        holds_no_name(&serde_json::to_value(&table).unwrap(), &names, &path);
    }
    Ok(())
}

/// A node, its output and its dimension are called as operators are.
fn a_name_like_an_operator_does_not_rename_the_operator() {
    let mut model = ModelBuilder::new(17);
    model.input("x", DataType::F32, &["Relu", "4"]).output("Add", DataType::F32, &["Relu", "4"]);
    model.push(&Node::new("Relu", &["x"], &["Abs"], &[]).named("Relu"));
    model.push(&Node::new("Add", &["Abs", "Abs"], &["Add"], &[]).named("Abs"));
    let model = Model::read(model.build(), "Relu").unwrap();
    let query = LayerQuery { order: LayerOrder::Execution, top: None, tree: None };
    let table = model.layers(&Options::new().redact_names(true), &query).unwrap();
    let rows: Vec<_> =
        table.layers.iter().map(|row| (row.node.as_str(), row.op.as_str())).collect();
    assert_eq!(rows, [("node-0", "Relu"), ("node-1", "Add")]);
    let json = serde_json::to_string(&table).unwrap();
    assert!(json.contains("tensor-") && json.contains("dim_1"), "{json}");
    assert!(!json.contains("Abs"), "{json}");
}

/// Two tokens of one length would otherwise be one dimension, and costs would be wrong.
fn different_secrets_of_dimensions_stay_different() {
    let tokens = ["a1", "b2"].map(|part| format!("{}{}", "ghp_", part.repeat(18)));
    let [one, two] = tokens.each_ref().map(String::as_str);
    let mut model = ModelBuilder::new(17);
    model.input("x", DataType::F32, &[one, two]).output("y", DataType::F32, &[two, one]);
    model.node("Transpose", &["x"], &["y"], &[]);
    let model = Model::read(model.build(), "m.onnx").unwrap();
    let shapes = |options: Options| {
        let table = model.shapes(&options).unwrap();
        serde_json::to_value(table.values.iter().collect::<Vec<_>>()).unwrap().to_string()
    };
    let masked = shapes(Options::new());
    assert!(masked.contains("ghp_…(36 characters)"), "{masked}");
    assert!(masked.contains("ghp_…(36 characters, #2)"), "{masked}");
    assert!(!masked.contains("a1a1") && !masked.contains("b2b2"), "{masked}");
    let bound = shapes(Options::new().dim(two, 3));
    assert!(bound.contains('3') && !bound.contains("#2"), "{bound}");
    assert!(shapes(Options::new().show_secrets(true)).contains(one));
}

/// `pixel_values` and `logits` say what they hold, also where they are not shown.
fn words_are_stable_and_hints_keep_the_task() {
    let path = Corpus::repository().model("vit_hf_tiny_op17").unwrap();
    let model = Model::open(path).unwrap();
    let plain = model.analyze(&Options::new()).unwrap();
    let redacted = model.analyze(&Options::new().redact_names(true)).unwrap();
    assert_eq!(plain.task.kind, redacted.task.kind);
    assert_eq!(plain.findings.len(), redacted.findings.len());
    let again = model.analyze(&Options::new().redact_names(true)).unwrap();
    assert_eq!(redacted, again);
    assert_eq!(redacted.model.file, "file");
    assert_eq!(redacted.model.producer, plain.model.producer);
}

/// A mark that no text of Calipers has.
const MARK: &str = "zqx";

/// Models whose every word is marked.
const MARKED: usize = 60;

/// Keys under which exporters write scopes: without them, none would be read.
const SCOPES: [&str; 3] =
    ["namespace", "pkg.torch.onnx.class_hierarchy", "pkg.torch.onnx.name_scopes"];

/// The model with a mark on every word of its names, dimensions, documentation and metadata, but for
/// what standards define.
fn with_marks(model: &[u8]) -> Vec<u8> {
    rewrite_strings(model, &mut |place, text| {
        let is_public = match place {
            Place::Operator(domain) => find(domain, text).is_some(),
            Place::Domain => is_known_domain(canonical_domain(text)),
            Place::Key => SCOPES.contains(&text),
            // Settings of operators are data, and the exporter's name and version stay.
            Place::Attribute | Place::AttributeText | Place::Producer => true,
            _ => false,
        };
        (!is_public).then(|| marked(text, MARK))
    })
}

fn marked_words_of_models_are_in_no_output(corpus: &Corpus) -> Outcome {
    let query = LayerQuery { order: LayerOrder::Execution, top: None, tree: Some(9) };
    let redact = Options::new().redact_names(true);
    let (mut seen, mut outputs) = (0, 0);
    let mut marks = Vec::new();
    // The largest that do not take long: they have the most names.
    let mut models = models(corpus);
    models.sort_by_key(|path| std::cmp::Reverse(path.metadata().unwrap().len()));
    for path in models.into_iter().take(MARKED) {
        let bytes = with_marks(&std::fs::read(&path).unwrap());
        let Ok(model) = Model::read(bytes, "zqxfile.onnx") else { continue };
        let (report, view) = model.explore(&redact).unwrap();
        let texts = [
            serde_json::to_string(&report).unwrap(),
            serde_json::to_string(&view).unwrap(),
            serde_json::to_string(&model.layers(&redact, &query).unwrap()).unwrap(),
            serde_json::to_string(&model.shapes(&redact).unwrap()).unwrap(),
            rendered(&report),
        ];
        for text in texts {
            outputs += 1;
            let text = text.to_lowercase();
            if let Some(at) = text.find(MARK) {
                let start = text.floor_char_boundary(at.saturating_sub(80));
                let end = text.ceil_char_boundary(at + 80);
                marks.push(format!("{}: {}", path.display(), &text[start..end]));
            }
        }
        seen += 1;
    }
    let name = corpus.name();
    let found = marks.len();
    score(format!("marked words, {name}: {seen} models, {outputs} outputs, {found} with a mark"));
    assert!(marks.is_empty(), "{marks:#?}");
    assert!(seen >= 20, "only {seen} models");
    Ok(())
}

/// The card of a report.
fn rendered(report: &Report) -> String {
    let mut text = Vec::new();
    calipers::render::markdown(report, &mut text).unwrap();
    String::from_utf8(text).unwrap()
}
