//! Kinds of inputs.

use calipers_infer::inputs::{AxisRole, InputKind, layout};
use calipers_ir::DType;
use calipers_samples::DataType::{F32, I64};
use calipers_samples::{Attribute, DataType, ModelBuilder, Tensor};

use crate::read;

/// The kind and the roles of an input named `name`, which `build` gives readers.
fn found(
    name: &str,
    dtype: DataType,
    shape: &[&str],
    build: impl FnOnce(&mut ModelBuilder, &str),
) -> (InputKind, Vec<Option<&'static str>>) {
    let mut model = ModelBuilder::new(17);
    model.input(name, dtype, shape);
    build(&mut model, name);
    let model = read(&model);
    let sizes: Vec<Option<i64>> = shape.iter().map(|dim| dim.parse().ok()).collect();
    let dtype = if dtype == F32 { DType::Float32 } else { DType::Int64 };
    let layout = layout(&model, model.required_inputs()[0], dtype, &sizes);
    (layout.kind, layout.axes.iter().map(|role| role.map(AxisRole::name)).collect())
}

fn plain(model: &mut ModelBuilder, input: &str) {
    model.node("Relu", &[input], &["y"], &[]).output("y", F32, &[]);
}

/// A convolution with weights of this shape.
fn conv(weights: &'static [i64]) -> impl FnOnce(&mut ModelBuilder, &str) {
    move |model, input| {
        let count = usize::try_from(weights.iter().product::<i64>()).unwrap();
        model.initializer(&Tensor::f32("w", weights, &vec![0.0; count]));
        model.node("Cast", &[input], &["c"], &[Attribute::int("to", 1)]);
        model.node("Conv", &["c", "w"], &["y"], &[]).output("y", F32, &[]);
    }
}

#[test]
fn images_and_lines_of_text() {
    let image = |shape: &[&str]| found("x", F32, shape, plain);
    let first = vec![Some("batch"), Some("channels"), Some("height"), Some("width")];
    assert_eq!(image(&["N", "3", "H", "W"]), (InputKind::Image, first.clone()));
    assert_eq!(image(&["N", "3", "48", "W"]), (InputKind::TextLine, first.clone()));
    assert_eq!(image(&["N", "3", "480", "W"]).0, InputKind::Image);
    let last = vec![Some("batch"), Some("height"), Some("width"), Some("channels")];
    assert_eq!(image(&["N", "H", "W", "3"]), (InputKind::Image, last));
    // Nothing shows what 64 maps are, unless a convolution reads them.
    assert_eq!(image(&["N", "64", "H", "W"]).0, InputKind::Other);
    assert_eq!(
        found("x", F32, &["N", "64", "H", "W"], conv(&[2, 64, 1, 1])),
        (InputKind::FeatureMap, first)
    );
}

#[test]
fn one_channel_is_a_spectrogram_where_the_other_side_counts_bands() {
    let one = |name: &str, shape: &[&str]| found(name, F32, shape, plain).0;
    assert_eq!(one("x", &["N", "1", "80", "T"]), InputKind::Spectrogram);
    assert_eq!(one("x", &["N", "1", "T", "40"]), InputKind::Spectrogram);
    assert_eq!(one("x", &["N", "1", "64", "T"]), InputKind::TextLine);
    assert_eq!(one("mel", &["N", "1", "64", "T"]), InputKind::Spectrogram);
    assert_eq!(one("image", &["N", "1", "80", "T"]), InputKind::Image);
}

#[test]
fn videos_have_frames_before_or_after_the_channels() {
    let video = |shape: &[&str]| found("x", F32, shape, plain);
    let roles = |text: &'static str| text.split(' ').map(Some).collect::<Vec<_>>();
    assert_eq!(video(&["N", "3", "T", "H", "W"]).1, roles("batch channels frames height width"));
    assert_eq!(video(&["N", "T", "3", "H", "W"]).1, roles("batch frames channels height width"));
    assert_eq!(video(&["N", "T", "H", "W", "3"]).1, roles("batch frames height width channels"));
    assert_eq!(video(&["2", "N", "12", "T", "64"]).0, InputKind::Other);
}

#[test]
fn sounds_are_what_1d_convolutions_and_fourier_transforms_read() {
    let samples = (InputKind::Waveform, vec![Some("batch"), Some("channels"), Some("samples")]);
    assert_eq!(found("x", F32, &["N", "1", "S"], conv(&[4, 1, 16])), samples);
    assert_eq!(found("audio", F32, &["N", "1", "S"], plain), samples);
    assert_eq!(found("x", F32, &["N", "S"], conv(&[4, 1, 16])).0, InputKind::Waveform);
    assert_eq!(found("x", F32, &["N", "S"], plain).0, InputKind::Other);
    let bands = (InputKind::Spectrogram, vec![Some("batch"), Some("features"), Some("frames")]);
    assert_eq!(found("x", F32, &["N", "80", "T"], conv(&[4, 80, 3])), bands);
}

#[test]
fn sequences_of_vectors_and_of_tokens() {
    let vectors = |build: fn(&mut ModelBuilder, &str)| found("x", F32, &["N", "S", "28"], build);
    let roles = |text: &'static str| text.split(' ').map(Some).collect::<Vec<_>>();
    assert_eq!(vectors(plain), (InputKind::FeatureSequence, roles("batch sequence features")));
    let recurrent = |model: &mut ModelBuilder, input: &str| {
        model.initializer(&Tensor::f32("w", &[1, 4, 28], &[0.0; 112]));
        model.initializer(&Tensor::f32("r", &[1, 4, 1], &[0.0; 4]));
        let hidden = [Attribute::int("hidden_size", 1)];
        model.node("LSTM", &[input, "w", "r"], &["y"], &hidden).output("y", F32, &[]);
    };
    assert_eq!(vectors(recurrent).1, roles("sequence batch features"));
    let looked_up = |model: &mut ModelBuilder, input: &str| {
        model.initializer(&Tensor::f32("table", &[20, 4], &[0.0; 80]));
        model.node("Gather", &["table", input], &["y"], &[]).output("y", F32, &[]);
    };
    assert_eq!(
        found("ids", I64, &["N", "S"], looked_up),
        (InputKind::Tokens, roles("batch sequence"))
    );
    let compared = |model: &mut ModelBuilder, input: &str| {
        model.node("Neg", &[input], &["y"], &[]).output("y", I64, &[]);
    };
    assert_eq!(found("mask", I64, &["N", "S"], compared).0, InputKind::Other);
}

#[test]
fn weights_show_how_many_features_they_read() {
    let mut model = ModelBuilder::new(17);
    model.input("x", F32, &["N", "S", "D"]);
    model.initializer(&Tensor::f32("w", &[6, 2], &[0.0; 12]));
    model.node("MatMul", &["x", "w"], &["y"], &[]).output("y", F32, &[]);
    let model = read(&model);
    let layout = layout(&model, model.required_inputs()[0], DType::Float32, &[None; 3]);
    assert_eq!(layout.features, Some(6));
}
