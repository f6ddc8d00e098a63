//! What inputs are given.

use calipers_report::Task;
use calipers_samples::{Attribute, DataType};

use super::Draft;

/// What the evidence calls the input of a network of one convolution.
fn convolved(name: &str, shape: &[&str], channels: i64) -> String {
    let mut draft = Draft::over(name, shape);
    let map = draft.conv(name, [channels, 6], 1);
    // Nothing shows a task.
    let end = draft.op("Softplus", &[&map], &[]);
    let task = draft.ends(&end);
    task.evidence[0].split(" input").next().unwrap_or_default().to_owned()
}

#[test]
fn images_and_spectrograms_differ_in_their_sides() {
    let of = |shape: &[&str], channels: i64| convolved("x", shape, channels);
    assert_eq!(of(&["1", "3", "64", "64"], 3), "image");
    assert_eq!(of(&["1", "1", "28", "28"], 1), "image");
    assert_eq!(of(&["1", "1", "h1", "w1"], 1), "image");
    // A line of text, and an image of text.
    assert_eq!(of(&["1", "1", "64", "w1"], 1), "image");
    assert_eq!(of(&["1", "1", "50", "160"], 1), "image");
    // 12 bands of a satellite.
    assert_eq!(of(&["1", "12", "128", "128"], 12), "image");
    // Bands along one side and frames along the other.
    assert_eq!(of(&["1", "1", "t1", "80"], 1), "spectrogram");
    assert_eq!(of(&["1", "1", "80", "t1"], 1), "spectrogram");
    assert_eq!(of(&["1", "1", "40", "101"], 1), "spectrogram");
    // Electrodes along one side; feature maps.
    assert!(of(&["1", "1", "22", "1125"], 1).starts_with("input"));
    assert!(of(&["1", "256", "64", "64"], 256).starts_with("input"));
    assert!(of(&["1", "3", "41", "t1"], 3).starts_with("input"));
}

#[test]
fn names_choose_where_both_fit() {
    assert_eq!(convolved("mel_spec", &["1", "1", "64", "64"], 1), "spectrogram");
    assert_eq!(convolved("image", &["1", "1", "40", "101"], 1), "image");
    assert_eq!(convolved("eeg", &["1", "1", "64", "64"], 1), "sequence");
}

#[test]
fn a_row_of_pixels_is_not_a_sound() {
    let row = |dims: &[i64]| {
        let mut draft = Draft::over("x", &["1", "24576"]);
        let image = draft.reshape("x", dims);
        let map = draft.conv(&image, [dims[1], 6], 1);
        let end = draft.op("Softplus", &[&map], &[]);
        draft.ends(&end).evidence[0].clone()
    };
    assert!(row(&[1, 3, 64, 128]).starts_with("input `x`"));
    assert!(row(&[1, 1, 2, 12288]).starts_with("waveform input `x`"));
}

#[test]
fn coordinates_are_not_tokens() {
    let looked_up = |shape: &[&str]| {
        let mut draft = Draft::new();
        draft.model.input("x", DataType::I64, shape);
        let table = draft.weight(&[100, 16]);
        let rows = draft.op("Gather", &[&table, "x"], &[]);
        let end = draft.op("Softplus", &[&rows], &[]);
        draft.ends(&end).evidence[0].clone()
    };
    assert!(looked_up(&["n", "t"]).starts_with("token input"));
    assert!(looked_up(&["n", "t", "4"]).starts_with("box input"));
}

#[test]
fn the_start_of_a_recurrence_is_a_state() {
    let mut draft = Draft::over("x", &["t", "1", "8"]);
    draft.model.input("before", DataType::F32, &["1", "1", "8"]);
    let (w, r) = (draft.weight(&[1, 24, 8]), draft.weight(&[1, 24, 8]));
    let names = [draft.name(), draft.name()];
    let outputs: Vec<&str> = names.iter().map(String::as_str).collect();
    let with = [Attribute::int("hidden_size", 8)];
    draft.model.node("GRU", &["x", &w, &r, "", "", "before"], &outputs, &with);
    let task = draft.ends_named(&[(&names[0], "y"), (&names[1], "after")]);
    assert!(task.evidence[0].contains("state input `before`"), "{:?}", task.evidence);
    assert!(task.evidence[0].starts_with("sequence input `x`"), "{:?}", task.evidence);
}

/// A convolution over one row of a signal, written as one over two axes, and scores of classes.
fn one_row(shape: &[&str], classes: i64) -> Task {
    let mut draft = Draft::over("x", shape);
    let row = draft.reshape("x", &[-1, 1, 1, 460]);
    let weight = draft.weight(&[8, 1, 1, 5]);
    let map = draft.op("Conv", &[&row, &weight], &[]);
    let map = draft.op("Relu", &[&map], &[]);
    let flat = draft.pooled(&map);
    let scores = draft.linear(&flat, [8, classes]);
    draft.ends(&scores)
}

#[test]
fn a_spectrum_is_not_an_image() {
    assert_eq!(one_row(&["n", "460", "1"], 4).kind.id(), "unknown");
    assert_eq!(one_row(&["n", "460"], 4).kind.id(), "unknown");
}

#[test]
fn frames_are_those_of_a_sound_where_there_are_bands() {
    let scored = |bands: i64| {
        let mut draft = Draft::over("x", &["batch", "time", &bands.to_string()]);
        let turned = draft.op("Transpose", &["x"], &[Attribute::ints("perm", &[0, 2, 1])]);
        let map = draft.conv1d(&turned, [bands, 8], 1);
        let map = draft.op("Relu", &[&map], &[]);
        let flat = draft.pooled(&map);
        let scores = draft.linear(&flat, [8, 9]);
        draft.ends_named(&[(&scores, "logits")])
    };
    assert_eq!(scored(80).kind.id(), "audio-classification");
    // Joints of a hand over time.
    assert_ne!(scored(44).kind.id(), "audio-classification");
}

#[test]
fn an_index_is_not_a_text() {
    let indexed = |shape: &[&str]| {
        let mut draft = Draft::over("step", shape);
        let whole = draft.op("Cast", &["step"], &[Attribute::int("to", 7)]);
        let table = draft.weight(&[100, 16]);
        let rows = draft.op("Gather", &[&table, &whole], &[]);
        let rows = draft.op(
            "ReduceMean",
            &[&rows],
            &[Attribute::ints("axes", &[1]), Attribute::int("keepdims", 0)],
        );
        let scores = draft.linear(&rows, [16, 3]);
        let shares = draft.op("Softmax", &[&scores], &[]);
        draft.ends(&shares)
    };
    assert_eq!(indexed(&["n", "t"]).kind.id(), "text-classification");
    assert_ne!(indexed(&["n", "1"]).kind.id(), "text-classification");
}

#[test]
fn several_scores_of_a_map_are_not_those_of_a_sound() {
    // 40 bands by 110 frames, or an image of four characters.
    let heads = |count: usize| {
        let mut draft = Draft::over("x", &["1", "1", "40", "110"]);
        let map = draft.conv("x", [1, 8], 2);
        let map = draft.op("Relu", &[&map], &[]);
        let flat = draft.pooled(&map);
        let made: Vec<String> = (0..count).map(|_| draft.linear(&flat, [8, 26])).collect();
        let named: Vec<(&str, &str)> = made.iter().map(|it| (it.as_str(), it.as_str())).collect();
        draft.ends_named(&named)
    };
    assert_eq!(heads(1).kind.id(), "audio-classification");
    assert_eq!(heads(4).kind.id(), "unknown");
}

/// Rows of a table that a number picks, perhaps next to a column of floats.
fn category(floats: Option<&[&str]>, compared: bool) -> Task {
    let mut draft = Draft::new();
    draft.model.input("kind", DataType::I64, &["n"]);
    let table = draft.weight(&[12, 3]);
    let mut index = "kind".to_owned();
    if compared {
        let limits = draft.ints(&[4]);
        let above = draft.op("Less", &["kind", &limits], &[]);
        index = draft.op("Cast", &[&above], &[Attribute::int("to", 7)]);
    }
    let mut scores = draft.op("Gather", &[&table, &index], &[]);
    scores = draft.linear(&scores, [3, 3]);
    if let Some(shape) = floats {
        draft.model.input("age", DataType::F32, shape);
        let column = draft.reshape("age", &[-1, 1]);
        scores = draft.op("Mul", &[&scores, &column], &[]);
    }
    let shares = draft.op("Softmax", &[&scores], &[Attribute::int("axis", -1)]);
    draft.ends(&shares)
}

#[test]
fn categories_of_a_table_are_not_a_text() {
    assert_eq!(category(None, false).kind.id(), "text-classification");
    assert_ne!(category(Some(&["n"]), false).kind.id(), "text-classification");
    // A comparison with a threshold does not carry the number.
    assert_ne!(category(None, true).kind.id(), "text-classification");
}
