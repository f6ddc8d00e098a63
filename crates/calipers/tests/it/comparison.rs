//! Comparisons against edits that are known, and against what must hold for every pair of models.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use calipers::report::{Comparison, Difference, OperatorCount};
use calipers::{Model, Options, compare};
use calipers_testkit::{Corpus, Edit, Ignored, Outcome, Tiny, known_edits, score};
use serde_json::Value;

use crate::support;

calipers_testkit::tests! {
    each_corpus: [a_model_equals_itself];
    extended: [listed_pairs_are_right];
    test: [
        known_edits_are_found,
        comparisons_mirror_and_add_up,
        repeated_fusions_are_counted,
        a_freed_dimension_breaks_no_caller,
    ];
}

/// Larger files are left out, so that the suite ends within a minute.
const MAX_BYTES: u64 = 1 << 20;

fn compared(a: &Model, b: &Model) -> Comparison {
    compare(a.into(), b.into(), &Options::new().weights(true)).unwrap()
}

/// The samples, and networks of the repository that are small.
fn originals(max_bytes: u64) -> Vec<(String, Vec<u8>)> {
    let samples = calipers_samples::SAMPLES;
    let mut models: Vec<(String, Vec<u8>)> =
        samples.iter().map(|sample| (sample.name.to_owned(), (sample.model)())).collect();
    for path in Corpus::repository().models() {
        let bytes = std::fs::read(&path).unwrap();
        if bytes.len() as u64 <= max_bytes {
            models.push((path.file_stem().unwrap().to_string_lossy().into_owned(), bytes));
        }
    }
    models
}

/// Names of added, removed and changed nodes, the latter by their names in the first model.
fn names(comparison: &Comparison) -> [BTreeSet<String>; 3] {
    let graph = comparison.graph.as_ref().unwrap();
    [
        graph.added.iter().map(|node| node.b.clone()).collect(),
        graph.removed.iter().map(|node| node.a.clone()).collect(),
        graph.changed.iter().map(|node| node.a.clone()).collect(),
    ]
}

/// Matrix products with a residual connection and a norm each, which reads the norm before it.
fn residual_chain(is_fused: bool) -> Model {
    let mut tiny = Tiny::new();
    let mut x = tiny.input(&["batch", "16", "8"]);
    for _ in 0..3 {
        let (matrix, gain) = (tiny.weight(&[8, 8]), tiny.weight(&[8]));
        let y = tiny.op("MatMul", &[&x, &matrix]);
        x = if is_fused {
            tiny.contrib("SkipSimplifiedLayerNormalization", &[&y, &x, &gain])
        } else {
            let sum = tiny.op("Add", &[&y, &x]);
            tiny.op("RMSNormalization", &[&sum, &gain])
        };
    }
    Model::read(tiny.build(&x), "chain.onnx").unwrap()
}

/// All fused nodes are neighbors, since each reads the one before it: one region, three fusions.
fn repeated_fusions_are_counted() {
    let texts = |a: bool, b: bool| -> Vec<String> {
        let comparison = compared(&residual_chain(a), &residual_chain(b));
        comparison.graph.unwrap().groups.into_iter().map(|group| group.text).collect()
    };
    let fused = "SkipSimplifiedLayerNormalization";
    assert_eq!(
        texts(false, true),
        [format!("Add and RMSNormalization fused into {fused}, 3 times")]
    );
    assert_eq!(
        texts(true, false),
        [format!("{fused} expanded into Add and RMSNormalization, 3 times")]
    );
}

fn known_edits_are_found() {
    let (mut edits, mut by_edit) = (0, BTreeMap::<&str, u32>::new());
    let mut wrong = Vec::new();
    let models = originals(60_000);
    for (name, bytes) in &models {
        let original = Model::read(bytes.clone(), name).unwrap();
        for Edit { name: edit, model, expected } in known_edits(bytes) {
            edits += 1;
            *by_edit.entry(edit).or_default() += 1;
            let edited = Model::read(model, "edited").unwrap();
            let comparison = compared(&original, &edited);
            let found = names(&comparison);
            let wanted = [expected.added, expected.removed, expected.changed];
            let is_compatible = comparison.interface.compatible;
            if found != wanted || is_compatible == expected.breaking {
                wrong.push(format!(
                    "{name}, {edit}: wanted {wanted:?}, breaking {}, found {found:?}, {:?}",
                    expected.breaking, comparison.interface.changes
                ));
            }
        }
    }
    let right = edits - wrong.len();
    score(format!("known edits: {right} of {edits} in {} models", models.len()));
    assert!(edits >= 150 && by_edit.len() == 16, "{edits} edits: {by_edit:?}");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// Whoever fed the one size that a model took feeds it to a model that takes every size.
fn a_freed_dimension_breaks_no_caller() {
    let mut models = 0;
    for (name, bytes) in originals(60_000) {
        let edits = known_edits(&bytes);
        let Some(edit) = edits.into_iter().find(|edit| edit.name == "dimension fixed") else {
            continue;
        };
        models += 1;
        let fixed = Model::read(edit.model, "fixed").unwrap();
        let free = Model::read(bytes, &name).unwrap();
        let interface = compared(&fixed, &free).interface;
        assert!(interface.compatible, "{name}: {:?}", interface.changes);
    }
    assert!(models >= 10, "only {models} models have a free dimension");
}

fn is_small(path: &Path) -> bool {
    std::fs::metadata(path).is_ok_and(|file| file.len() <= MAX_BYTES)
}

fn a_model_equals_itself(corpus: &Corpus) -> Outcome {
    let mut models = 0;
    for path in corpus.models().into_iter().filter(|path| is_small(path)) {
        let Ok(model) = Model::open(&path) else { continue };
        models += 1;
        let comparison = compared(&model, &model);
        let place = path.display();
        assert!(comparison.verdict.drop_in, "{place}");
        assert_eq!(comparison.interface.changes, [], "{place}");
        let graph = comparison.graph.as_ref().unwrap();
        assert!(graph.is_empty() && graph.groups.is_empty(), "{place}: {graph:?}");
        assert_eq!((graph.renamed, graph.moved), (0, 0), "{place}");
        assert_eq!(graph.unchanged, comparison.a.nodes, "{place}");
        let findings = &comparison.findings;
        assert!(findings.new.is_empty() && findings.resolved.is_empty(), "{place}: {findings:?}");
        for figure in &comparison.figures {
            assert_eq!(figure.a, figure.b, "{place}: {}", figure.name);
            let is_zero = match figure.delta {
                None | Some(Difference::Integer(0)) => true,
                Some(Difference::Number(number)) => number == 0.0,
                Some(_) => false,
            };
            assert!(is_zero, "{place}: {figure:?}");
        }
        assert!(
            comparison.weights.as_ref().is_none_or(|weights| weights.different == 0),
            "{place}"
        );
    }
    score(format!("equal to itself, {}: {models} models", corpus.name()));
    assert!(models >= 15, "only {models} models found");
    Ok(())
}

/// Operators with how often they occur.
fn operators(counts: &[OperatorCount]) -> BTreeMap<String, i64> {
    let mut operators = BTreeMap::new();
    for count in counts {
        *operators.entry(count.op.clone()).or_default() += i64::try_from(count.count).unwrap();
    }
    operators
}

/// Applies the changes to the operators of the first model.
fn applied(mut operators: BTreeMap<String, i64>, comparison: &Comparison) -> BTreeMap<String, i64> {
    let graph = comparison.graph.as_ref().unwrap();
    let mut add = |op: &str, count: i64| *operators.entry(op.to_owned()).or_default() += count;
    graph.added.iter().for_each(|node| add(&node.op, 1));
    graph.removed.iter().for_each(|node| add(&node.op, -1));
    for node in &graph.changed {
        if let Some(op_b) = &node.op_b {
            add(&node.op, -1);
            add(op_b, 1);
        }
    }
    operators.retain(|_, count| *count != 0);
    operators
}

/// Checks what must hold for any two models, in both directions.
fn check_pair(place: &str, a: &Model, b: &Model, is_edit: bool) {
    let (there, back) = (compared(a, b), compared(b, a));
    for (comparison, from, to) in [(&there, a, b), (&back, b, a)] {
        let graph = comparison.graph.as_ref().unwrap();
        let count = |length: usize| u64::try_from(length).unwrap();
        let pairs = graph.unchanged + count(graph.changed.len());
        assert_eq!(pairs + count(graph.removed.len()), comparison.a.nodes, "{place}");
        assert_eq!(pairs + count(graph.added.len()), comparison.b.nodes, "{place}");
        let operators = |model: &Model| operators(&support::analyze(model).graph.operators_total);
        assert_eq!(applied(operators(from), comparison), operators(to), "{place}");
    }
    // Of models with little in common, several edits are equally small.
    if !is_edit {
        return;
    }
    let (forth, mirrored) = (there.graph.as_ref().unwrap(), back.graph.as_ref().unwrap());
    let sorted = |names: Vec<(&str, &str)>| {
        let mut names: Vec<(String, String)> =
            names.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
        names.sort();
        names
    };
    assert_eq!(
        sorted(forth.added.iter().map(|node| (&*node.b, &*node.op)).collect()),
        sorted(mirrored.removed.iter().map(|node| (&*node.a, &*node.op)).collect()),
        "{place}: added and removed"
    );
    assert_eq!(
        sorted(forth.removed.iter().map(|node| (&*node.a, &*node.op)).collect()),
        sorted(mirrored.added.iter().map(|node| (&*node.b, &*node.op)).collect()),
        "{place}: removed and added"
    );
    assert_eq!(
        sorted(forth.changed.iter().map(|node| (&*node.a, &*node.b)).collect()),
        sorted(mirrored.changed.iter().map(|node| (&*node.b, &*node.a)).collect()),
        "{place}: changed"
    );
}

fn comparisons_mirror_and_add_up() {
    let mut pairs = 0;
    let models = originals(40_000);
    for (name, bytes) in &models {
        let original = Model::read(bytes.clone(), name).unwrap();
        for edit in known_edits(bytes) {
            // Names and places of ports do not change nodes.
            if edit.expected.breaking {
                continue;
            }
            pairs += 1;
            let edited = Model::read(edit.model, "edited").unwrap();
            check_pair(&format!("{name}, {}", edit.name), &original, &edited, true);
        }
    }
    // Models that have little in common.
    for pair in models.windows(2) {
        let [(name_a, a), (name_b, b)] = pair else { unreachable!("windows of two") };
        let (a, b) = (Model::read(a.clone(), name_a), Model::read(b.clone(), name_b));
        check_pair(&format!("{name_a} and {name_b}"), &a.unwrap(), &b.unwrap(), false);
        pairs += 1;
    }
    score(format!("mirrored comparisons: {pairs} pairs"));
    assert!(pairs >= 80, "only {pairs} pairs");
}

/// Pairs of the extended corpus whose differences are listed.
fn listed_pairs_are_right(corpus: &Corpus) -> Outcome {
    let folder = corpus.file("compare");
    let Ok(text) = std::fs::read(folder.join("expected.json")) else {
        return Err(Ignored("the extended corpus has no pairs to compare".to_owned()));
    };
    let listed: Value = serde_json::from_slice(&text).unwrap();
    let listed = listed.as_object().unwrap();
    let (mut exact, mut interface) = (0, 0);
    let (mut right, mut extra, mut missed) = (0, 0, 0);
    let mut wrong = Vec::new();
    for (name, truth) in listed {
        let a = corpus.file("models/zoo").join(truth["a"].as_str().unwrap());
        let (a, b) = (Model::open(a), Model::open(folder.join(format!("{name}.onnx"))));
        let comparison = compared(&a.unwrap(), &b.unwrap());
        let set = |key: &str, field: Option<&str>| -> BTreeSet<String> {
            let entries = truth[key].as_array().unwrap().iter();
            entries
                .map(|entry| {
                    field.map_or(entry, |field| &entry[field]).as_str().unwrap().to_owned()
                })
                .collect()
        };
        let wanted = [set("added", None), set("removed", None), set("changed", Some("node"))];
        let found = names(&comparison);
        for (wanted, found) in wanted.iter().zip(&found) {
            right += wanted.intersection(found).count();
            extra += found.difference(wanted).count();
            missed += wanted.difference(found).count();
        }
        let is_right = comparison.interface.compatible != truth["breaking"].as_bool().unwrap();
        interface += usize::from(is_right);
        if found == wanted && is_right {
            exact += 1;
        } else {
            wrong.push(format!("{name}: wanted {wanted:?}, found {found:?}, interface {is_right}"));
        }
    }
    let pairs = listed.len();
    score(format!(
        "listed pairs: {exact} of {pairs} exact, interface {interface} of {pairs}, nodes: {right} right, {extra} extra, {missed} missed"
    ));
    let wrong = wrong.join("\n");
    assert_eq!(interface, pairs, "{wrong}");
    assert!(exact * 100 >= pairs * 95, "{wrong}");
    assert!(right * 100 >= (right + extra) * 98 && right * 100 >= (right + missed) * 98, "{wrong}");
    Ok(())
}
