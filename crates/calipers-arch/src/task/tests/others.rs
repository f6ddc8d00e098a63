//! Networks that take tokens, rows, bytes and graphs.

use calipers_report::Confidence::{High, Medium};
use calipers_report::Task;
use calipers_samples::{Attribute, DataType};

use super::{Draft, summary};

/// Looks tokens up and ends with a convolution over them.
fn spoken(upsampled: bool, end: &str, name: &str) -> Task {
    let mut draft = Draft::new();
    draft.model.input("ids", DataType::I64, &["1", "t"]);
    let table = draft.weight(&[60, 16]);
    let rows = draft.op("Gather", &[&table, "ids"], &[]);
    let turned = draft.op("Transpose", &[&rows], &[Attribute::ints("perm", &[0, 2, 1])]);
    let grown = if upsampled {
        let weight = draft.weight(&[16, 16, 4]);
        let with = [Attribute::ints("strides", &[4])];
        draft.op("ConvTranspose", &[&turned, &weight], &with)
    } else {
        turned
    };
    let wave = draft.conv1d(&grown, [16, 1], 1);
    let wave = draft.op(end, &[&wave], &[]);
    draft.ends_named(&[(&wave, name)])
}

#[test]
fn tokens_that_become_a_waveform_are_spoken() {
    assert_eq!(summary(&spoken(true, "Tanh", "y")), ("text-to-speech", High));
    assert_eq!(summary(&spoken(true, "Exp", "audio")), ("text-to-speech", High));
    // As many numbers as tokens, and a map without the end of a signal.
    assert_ne!(spoken(false, "Tanh", "y").kind.id(), "text-to-speech");
    assert_ne!(spoken(true, "Relu", "y").kind.id(), "text-to-speech");
}

/// A vector for a text, from the mean of its tokens.
fn text(width: i64, end: Option<&str>) -> Task {
    let mut draft = Draft::new();
    draft.model.input("ids", DataType::I64, &["n", "t"]);
    let table = draft.weight(&[9000, 16]);
    let rows = draft.op("Gather", &[&table, "ids"], &[]);
    let with = [Attribute::ints("axes", &[1]), Attribute::int("keepdims", 0)];
    let mean = draft.op("ReduceMean", &[&rows], &with);
    let weight = draft.weight(&[16, width]);
    let mut made = draft.op("MatMul", &[&mean, &weight], &[]);
    if let Some(op) = end {
        made = draft.op(op, &[&made], &[]);
    }
    draft.ends(&made)
}

#[test]
fn a_vector_of_a_text_is_scores_or_an_embedding() {
    assert_eq!(summary(&text(7, Some("Softmax"))), ("text-classification", High));
    assert_eq!(summary(&text(64, Some("LpNormalization"))), ("text-embedding", High));
    assert_eq!(text(64, None).kind.id(), "unknown");
    // As many as there are tokens: one of them comes next.
    assert_ne!(text(9000, Some("Softmax")).kind.id(), "text-classification");
}

#[test]
fn tokens_may_be_declared_as_floats() {
    let tagged = |shape: &[&str]| {
        let mut draft = Draft::over("x", shape);
        let whole = draft.op("Cast", &["x"], &[Attribute::int("to", 7)]);
        let table = draft.weight(&[100, 16]);
        let rows = draft.op("Gather", &[&table, &whole], &[]);
        let scores = draft.linear(&rows, [16, 3]);
        let shares = draft.op("Softmax", &[&scores], &[Attribute::int("axis", -1)]);
        draft.ends(&shares)
    };
    assert_eq!(summary(&tagged(&["n", "t"])), ("token-classification", Medium));
    assert_eq!(tagged(&["n", "t", "4"]).kind.id(), "unknown");
}

/// A perceptron over a row.
fn row(name: &str, width: i64, classes: i64, end: Option<&str>) -> Task {
    let mut draft = Draft::over(name, &["n", &width.to_string()]);
    let hidden = draft.linear(name, [width, 16]);
    let hidden = draft.op("Relu", &[&hidden], &[]);
    let mut made = draft.linear(&hidden, [16, classes]);
    if let Some(op) = end {
        made = draft.op(op, &[&made], &[]);
    }
    draft.ends(&made)
}

#[test]
fn narrow_rows_are_tables() {
    assert_eq!(summary(&row("x", 20, 3, Some("Softmax"))), ("tabular-classification", Medium));
    assert_eq!(summary(&row("x", 20, 1, None)), ("tabular-regression", Medium));
    // What another network computed.
    assert_eq!(row("x", 1536, 3, Some("Softmax")).kind.id(), "unknown");
    assert_eq!(row("x", 20, 64, None).kind.id(), "unknown");
}

#[test]
fn bytes_are_those_of_files() {
    let task = row("bytes", 1536, 113, Some("Softmax"));
    assert_eq!(summary(&task), ("file-type-classification", Medium));
    assert_eq!(task.classes, Some(113));
    assert_eq!(row("bytes", 1536, 1, Some("Sigmoid")).kind.id(), "unknown");
}

/// Messages along the edges of a graph.
fn graph(nodes: bool, softmax: bool) -> Task {
    let mut draft = Draft::over("x", &["nodes", "8"]);
    draft.model.input("edge_index", DataType::I64, &["2", "edges"]);
    let zero = draft.ints(&[0]);
    let from = draft.op("Gather", &["edge_index", &zero], &[Attribute::int("axis", 0)]);
    let from = draft.op("Flatten", &[&from], &[Attribute::int("axis", 0)]);
    let minus = draft.ints(&[-1]);
    let from = draft.op("Reshape", &[&from, &minus], &[]);
    let sent = draft.op("Gather", &["x", &from], &[]);
    let (to, updates) = (draft.reshape(&from, &[-1, 1]), sent);
    let with = [Attribute::string("reduction", "add")];
    let summed = draft.op("ScatterND", &["x", &to, &updates], &with);
    let mut scores = draft.linear(&summed, [8, 7]);
    if !nodes {
        let with = [Attribute::ints("axes", &[0]), Attribute::int("keepdims", 1)];
        scores = draft.op("ReduceMean", &[&scores], &with);
    }
    if softmax {
        scores = draft.op("LogSoftmax", &[&scores], &[Attribute::int("axis", 1)]);
    }
    draft.ends(&scores)
}

#[test]
fn scores_of_nodes_and_of_graphs() {
    assert_eq!(summary(&graph(true, true)), ("node-classification", High));
    assert_eq!(summary(&graph(true, false)), ("node-classification", Medium));
    assert_eq!(summary(&graph(false, true)), ("graph-classification", Medium));
    assert_eq!(graph(false, false).kind.id(), "unknown");
}
