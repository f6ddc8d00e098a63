//! Networks that take sounds.

use calipers_report::Confidence::{High, Medium};
use calipers_report::Task;
use calipers_samples::{Attribute, DataType};

use super::{Draft, summary};

/// A recurrent network over features, with or without a state that is kept.
fn chunk(state: bool, end: &[&str]) -> Task {
    let mut draft = Draft::over("x", &["1", "40", "t"]);
    let features = draft.conv1d("x", [40, 8], 2);
    let first = draft.op("Transpose", &[&features], &[Attribute::ints("perm", &[2, 0, 1])]);
    let (w, r) = (draft.weight(&[1, 32, 8]), draft.weight(&[1, 32, 8]));
    let mut inputs = vec![first.as_str(), &w, &r, "", ""];
    if state {
        draft.model.input("h", DataType::F32, &["1", "1", "8"]);
        draft.model.input("c", DataType::F32, &["1", "1", "8"]);
        inputs.extend(["h", "c"]);
    }
    let names = [draft.name(), draft.name(), draft.name()];
    let outputs: Vec<&str> = names.iter().map(String::as_str).collect();
    draft.model.node("LSTM", &inputs, &outputs, &[Attribute::int("hidden_size", 8)]);
    let last = draft.reshape(&names[1], &[1, 8]);
    let mut score = draft.linear(&last, [8, 1]);
    for op in end {
        score = match *op {
            "Scale" => {
                let four = draft.weight(&[1]);
                let scaled = draft.op("Mul", &[&score, &four], &[]);
                draft.op("Add", &[&scaled, &four], &[])
            }
            op => draft.op(op, &[&score], &[]),
        };
    }
    let mut outputs = vec![(score.as_str(), "y")];
    if state {
        outputs.extend([(names[1].as_str(), "hn"), (names[2].as_str(), "cn")]);
    }
    draft.ends_named(&outputs)
}

#[test]
fn a_probability_with_a_state_is_voice_activity() {
    assert_eq!(summary(&chunk(true, &["Sigmoid"])), ("voice-activity-detection", Medium));
    assert_eq!(summary(&chunk(false, &["Sigmoid"])), ("audio-classification", Medium));
    // A sigmoid that is scaled and shifted is a grade.
    assert_eq!(chunk(true, &["Sigmoid", "Scale"]).kind.id(), "unknown");
    assert_eq!(chunk(true, &[]).kind.id(), "unknown");
}

/// Vectors or scores for every frame.
fn frames(width: i64, softmax: bool) -> Task {
    deep_frames(width, softmax, 20)
}

/// The same behind a number of convolutions.
fn deep_frames(width: i64, softmax: bool, depth: usize) -> Task {
    let mut draft = Draft::over("mel", &["n", "80", "t"]);
    let mut features = draft.conv1d("mel", [80, 8], 2);
    for _ in 1..depth {
        features = draft.conv1d(&features, [8, 8], 1);
    }
    let turned = draft.op("Transpose", &[&features], &[Attribute::ints("perm", &[0, 2, 1])]);
    let mut scores = draft.linear(&turned, [8, width]);
    if softmax {
        scores = draft.op("LogSoftmax", &[&scores], &[Attribute::int("axis", -1)]);
    }
    draft.ends(&scores)
}

#[test]
fn scores_for_every_frame_are_letters() {
    assert_eq!(summary(&frames(30, true)), ("speech-recognition", High));
    assert_eq!(summary(&frames(30, false)), ("speech-recognition", Medium));
    assert_eq!(summary(&frames(2, true)), ("voice-activity-detection", Medium));
    assert_eq!(frames(6, true).kind.id(), "unknown");
    // One layer does not see a word.
    assert_eq!(deep_frames(30, true, 1).kind.id(), "unknown");
}

/// One vector for a sound.
fn vector(width: i64, end: Option<&str>, name: &str) -> Task {
    let mut draft = Draft::over("wave", &["n", "1", "t"]);
    let features = draft.conv1d("wave", [1, 8], 4);
    let features = draft.op("Relu", &[&features], &[]);
    let flat = draft.pooled(&features);
    let mut made = draft.linear(&flat, [8, width]);
    if let Some(op) = end {
        made = draft.op(op, &[&made], &[]);
    }
    draft.ends_named(&[(&made, name)])
}

#[test]
fn one_vector_is_scores_or_an_embedding() {
    assert_eq!(summary(&vector(12, Some("Softmax"), "y")), ("audio-classification", High));
    assert_eq!(summary(&vector(12, Some("Softmax"), "keyword")), ("keyword-spotting", High));
    assert_eq!(summary(&vector(12, None, "y")), ("audio-classification", Medium));
    assert_eq!(summary(&vector(192, Some("LpNormalization"), "y")), ("audio-embedding", High));
    // Three numbers without a name may be grades of the sound.
    assert_eq!(vector(3, None, "y").kind.id(), "unknown");
    assert_eq!(summary(&vector(3, None, "logits")), ("audio-classification", Medium));
}

#[test]
fn a_wide_vector_without_a_head_is_an_embedding() {
    let made = |width: i64| {
        let mut draft = Draft::over("fbank", &["n", "1", "t", "80"]);
        let map = draft.conv("fbank", [1, width], 2);
        let flat = draft.pooled(&map);
        draft.ends(&flat)
    };
    assert_eq!(summary(&made(192)), ("audio-embedding", Medium));
    assert_eq!(made(36).kind.id(), "unknown");
}

#[test]
fn a_waveform_of_the_same_length_is_audio() {
    let filtered = |stride: i64, channels: i64| {
        let mut draft = Draft::over("wave", &["n", "1", "t"]);
        let features = draft.conv1d("wave", [1, 8], stride);
        let made = draft.conv1d(&features, [8, channels], 1);
        draft.ends(&made)
    };
    assert_eq!(summary(&filtered(1, 1)), ("audio-to-audio", Medium));
    assert_eq!(filtered(1, 8).kind.id(), "unknown");
}

#[test]
fn frames_that_are_far_apart_are_not_audio() {
    // A value for each 256 samples, as pitch is measured, with one value for each sample next to it.
    let measured = |stride: i64| {
        let mut draft = Draft::over("audio", &["1", "1", "samples"]);
        let frames = draft.conv1d("audio", [1, 1], stride);
        draft.ends(&frames)
    };
    assert_eq!(summary(&measured(1)), ("audio-to-audio", Medium));
    assert_eq!(measured(256).kind.id(), "unknown");
}

#[test]
fn names_and_round_widths_are_those_of_embeddings() {
    assert_eq!(summary(&vector(256, None, "embedding")), ("audio-embedding", High));
    assert_eq!(summary(&vector(256, None, "y")), ("audio-embedding", Medium));
    assert_eq!(summary(&vector(256, None, "logits")), ("audio-classification", Medium));
}

#[test]
fn a_cache_that_comes_back_is_a_state() {
    // The cache is as large as a spectrogram; what is returned for it does not decide the task.
    let stream = |input: &str, output: &str| {
        let mut draft = Draft::over("audio", &["1", "1", "t"]);
        draft.model.input(input, DataType::F32, &["1", "8", "16"]);
        let features = draft.conv1d("audio", [1, 8], 1);
        let joined = draft.op("Concat", &[input, &features], &[Attribute::int("axis", 2)]);
        let (starts, ends, axes) = (draft.ints(&[-16]), draft.ints(&[1 << 40]), draft.ints(&[2]));
        let kept = draft.op("Slice", &[&joined, &starts, &ends, &axes], &[]);
        let flat = draft.pooled(&features);
        let made = draft.linear(&flat, [8, 1]);
        let made = draft.op("Sigmoid", &[&made], &[]);
        draft.ends_named(&[(&made, "y"), (&kept, output)])
    };
    assert_eq!(stream("conv_cache", "conv_cache_out").kind.id(), "voice-activity-detection");
    assert_eq!(stream("in_cache0", "out_cache0").kind.id(), "voice-activity-detection");
    assert_eq!(stream("other", "conv_cache_out").kind.id(), "audio-classification");
    assert_eq!(stream("conv_cache", "features").kind.id(), "audio-classification");
}
