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

/// Best classes of the tokens, from an encoder of one layer.
fn picked(vocabulary: i64, classes: i64, encoder: bool) -> Task {
    let mut t = crate::blocks::testing::Tiny::new();
    let ids = t.input_of(DataType::I64, &["2", "6"]);
    let table = t.weight(&[vocabulary, 32]);
    let mut x = t.op("Gather", &[&table, &ids]);
    if encoder {
        let y = t.attend(&x, &x, &calipers_testkit::FOUR, |_, scores| scores);
        let y = t.op("Add", &[&x, &y]);
        x = t.layer_norm(&y, 32);
    }
    let scores = t.linear(&x, 32, classes);
    let with = [Attribute::int("axis", -1), Attribute::int("keepdims", 0)];
    let best = t.op_with("ArgMax", &[&scores], &with);
    let model = calipers_formats::read(t.build(&best), "tiny.onnx").unwrap();
    crate::testing::report(&model).task
}

#[test]
fn the_best_class_of_every_token() {
    let task = picked(90, 9, true);
    assert_eq!((summary(&task), task.classes), (("token-classification", Medium), Some(9)));
    // As many classes as tokens: what was masked.
    assert_ne!(picked(90, 90, true).kind.id(), "token-classification");
    assert_ne!(picked(90, 9, false).kind.id(), "token-classification");
}

#[test]
fn scores_of_rows_are_named() {
    let scored = |name: &str| {
        let mut draft = Draft::over("x", &["n", "20"]);
        let hidden = draft.linear("x", [20, 16]);
        let hidden = draft.op("Relu", &[&hidden], &[]);
        let made = draft.linear(&hidden, [16, 3]);
        draft.ends_named(&[(&made, name)])
    };
    assert_eq!(summary(&scored("logits")), ("tabular-classification", Medium));
    assert_eq!(scored("y").kind.id(), "tabular-regression");
}

#[test]
fn a_probability_of_each_step_is_not_that_of_a_class() {
    assert_eq!(steps("y"), "unknown");
    assert_eq!(steps("logits"), "text-classification");
}

/// Several steps that each give the probability of their best token.
fn steps(name: &str) -> &'static str {
    let mut draft = Draft::new();
    draft.model.input("ids", DataType::I64, &["1", "6"]);
    let table = draft.weight(&[60, 16]);
    let mut steps = Vec::new();
    for _ in 0..3 {
        let rows = draft.op("Gather", &[&table, "ids"], &[]);
        let with = [Attribute::ints("axes", &[1]), Attribute::int("keepdims", 0)];
        let mean = draft.op("ReduceMean", &[&rows], &with);
        let scores = draft.linear(&mean, [16, 40]);
        let shares = draft.op("Softmax", &[&scores], &[Attribute::int("axis", -1)]);
        let best = Attribute::ints("axes", &[1]);
        steps.push(draft.op("ReduceMax", &[&shares], &[best, Attribute::int("keepdims", 1)]));
    }
    let steps: Vec<&str> = steps.iter().map(String::as_str).collect();
    let joined = draft.op("Concat", &steps, &[Attribute::int("axis", 1)]);
    draft.ends_named(&[(&joined, name)]).kind.id()
}

#[test]
fn scores_of_every_token_have_a_row_each() {
    // Without a batch, and from a convolution that reads one token at a time.
    let rows = |shape: &[&str], mean: bool| {
        let mut draft = Draft::new();
        draft.model.input("ids", DataType::I64, shape);
        let table = draft.weight(&[60, 16]);
        let mut rows = draft.op("Gather", &[&table, "ids"], &[]);
        if mean {
            let with = [Attribute::ints("axes", &[1]), Attribute::int("keepdims", 0)];
            rows = draft.op("ReduceMean", &[&rows], &with);
        }
        let scores = draft.linear(&rows, [16, 5]);
        draft.ends_named(&[(&scores, "logits")])
    };
    assert_eq!(rows(&["t"], false).kind.id(), "token-classification");
    assert_eq!(rows(&["n", "t"], true).kind.id(), "text-classification");
    let convolved = |kernel: i64| {
        let mut draft = Draft::new();
        draft.model.input("ids", DataType::I64, &["n", "64"]);
        let table = draft.weight(&[60, 16]);
        let rows = draft.op("Gather", &[&table, "ids"], &[]);
        let turned = draft.op("Transpose", &[&rows], &[Attribute::ints("perm", &[0, 2, 1])]);
        let map = draft.conv1d(&turned, [16, 16], 1);
        let weight = draft.weight(&[35, 16, kernel]);
        let scores = draft.op("Conv", &[&map, &weight], &[]);
        let turned = draft.op("Transpose", &[&scores], &[Attribute::ints("perm", &[0, 2, 1])]);
        draft.ends(&turned)
    };
    let task = convolved(1);
    assert_eq!((task.kind.id(), task.classes), ("token-classification", Some(35)));
    assert_eq!(convolved(5).kind.id(), "unknown");
}

#[test]
fn vectors_of_other_networks_are_not_rows_of_a_table() {
    let joined = |widths: [i64; 2]| {
        let mut draft = Draft::new();
        for (name, width) in ["a", "b"].iter().zip(widths) {
            draft.model.input(name, DataType::F32, &["n", &width.to_string()]);
        }
        let both = draft.op("Concat", &["a", "b"], &[Attribute::int("axis", 1)]);
        let hidden = draft.linear(&both, [widths[0] + widths[1], 16]);
        let hidden = draft.op("Tanh", &[&hidden], &[]);
        let scores = draft.linear(&hidden, [16, 5]);
        draft.ends_named(&[(&scores, "logit")])
    };
    assert_eq!(joined([320, 8]).kind.id(), "tabular-classification");
    assert_eq!(joined([320, 320]).kind.id(), "unknown");
}

#[test]
fn round_widths_of_texts_are_vectors() {
    let made = |width: i64, name: &str| {
        let mut draft = Draft::new();
        draft.model.input("ids", DataType::I64, &["n", "2"]);
        let table = draft.weight(&[500, 16]);
        let rows = draft.op("Gather", &[&table, "ids"], &[]);
        let with = [Attribute::ints("axes", &[1]), Attribute::int("keepdims", 0)];
        let mean = draft.op("ReduceMean", &[&rows], &with);
        let made = draft.linear(&mean, [16, width]);
        draft.ends_named(&[(&made, name)])
    };
    assert_eq!(made(7, "y").kind.id(), "text-classification");
    assert_eq!(made(320, "logits").kind.id(), "text-classification");
    assert_eq!(made(320, "decoder_out").kind.id(), "unknown");
}
