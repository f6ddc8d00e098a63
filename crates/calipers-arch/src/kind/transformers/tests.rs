//! Families of networks of one or two layers.

use calipers_report::Confidence::{self, High, Medium};
use calipers_report::{Family, Style};
use calipers_samples::{Attribute, DataType};
use calipers_testkit::{FOUR, Heads};

use crate::blocks::testing::Tiny;

type Recognition = (Option<Style>, Option<Family>, Confidence);

fn reported(tiny: Tiny, output: &str) -> Recognition {
    let architecture = {
        let model = calipers_formats::read(tiny.build(output), "tiny.onnx").unwrap();
        crate::testing::report(&model).architecture
    };
    (architecture.style, architecture.family, architecture.confidence)
}

fn family(tiny: Tiny, output: &str) -> Option<Family> {
    reported(tiny, output).1
}

/// Rows of a table of words.
fn token_embeddings(t: &mut Tiny) -> String {
    let (ids, table) = (t.input_of(DataType::I64, &["2", "6"]), t.weight(&[90, 32]));
    t.op("Gather", &[&table, &ids])
}

fn with_positions(t: &mut Tiny, x: &str, places: i64) -> String {
    let places = t.weight(&[1, places, 32]);
    t.op("Add", &[x, &places])
}

fn feed_forward(t: &mut Tiny, x: &str) -> String {
    let y = t.linear(x, 32, 64);
    let y = t.op("Gelu", &[&y]);
    t.linear(&y, 64, 32)
}

/// Parts of a layer with their norm before or after them.
fn part(t: &mut Tiny, x: &str, pre: bool, of: impl FnOnce(&mut Tiny, &str) -> String) -> String {
    let read = if pre { t.layer_norm(x, 32) } else { x.to_owned() };
    let y = of(t, &read);
    let y = t.op("Add", &[x, &y]);
    if pre { y } else { t.layer_norm(&y, 32) }
}

fn own(t: &mut Tiny, x: &str) -> String {
    t.attend(x, x, &FOUR, |_, scores| scores)
}

/// No place sees later ones.
fn causal(t: &mut Tiny, scores: &str) -> String {
    let mask = t.weight(&[6, 6]);
    let mask = t.op("Trilu", &[&mask]);
    t.op("Add", &[scores, &mask])
}

/// An encoder and a decoder of a layer each.
fn translator(pre: bool, after_tables: bool) -> Option<Family> {
    let mut t = Tiny::new();
    let [mut x, mut y] = [token_embeddings(&mut t), token_embeddings(&mut t)];
    if after_tables {
        [x, y] = [x, y].map(|it| t.layer_norm(&it, 32));
    }
    x = part(&mut t, &x, pre, own);
    x = part(&mut t, &x, pre, feed_forward);
    if pre {
        x = t.layer_norm(&x, 32);
    }
    y = part(&mut t, &y, pre, own);
    y = part(&mut t, &y, pre, |t, y| t.attend(y, &x, &FOUR, |_, scores| scores));
    y = part(&mut t, &y, pre, feed_forward);
    if pre {
        y = t.layer_norm(&y, 32);
    }
    family(t, &y)
}

#[test]
fn encoders_and_decoders_are_reported_by_their_norms() {
    assert_eq!(translator(false, true), Some(Family::Bart));
    assert_eq!(translator(false, false), Some(Family::Marian));
    assert_eq!(translator(true, true), Some(Family::Mbart));
    assert_eq!(translator(true, false), None, "several are built so");
}

#[test]
fn bert_has_a_table_of_positions_or_types() {
    let encoder = |positions: bool| {
        let mut t = Tiny::new();
        let mut x = token_embeddings(&mut t);
        if positions {
            x = with_positions(&mut t, &x, 6);
        }
        x = t.layer_norm(&x, 32);
        for _ in 0..2 {
            x = part(&mut t, &x, false, own);
            x = part(&mut t, &x, false, feed_forward);
        }
        family(t, &x)
    };
    assert_eq!(encoder(true), Some(Family::Bert));
    assert_eq!(encoder(false), None);
}

#[test]
fn positions_and_relative_ones() {
    let encoder = |relative: bool| {
        let mut t = Tiny::new();
        let x = token_embeddings(&mut t);
        let x = with_positions(&mut t, &x, 6);
        let mut x = t.layer_norm(&x, 32);
        for _ in 0..2 {
            let bias = t.weight(&[1, 4, 6, 6]);
            x = part(&mut t, &x, false, |t, x| {
                let bias = |t: &mut Tiny, scores: String| t.op("Add", &[&scores, &bias]);
                if relative { t.attend(x, x, &FOUR, bias) } else { own(t, x) }
            });
            x = part(&mut t, &x, false, feed_forward);
        }
        family(t, &x)
    };
    assert_eq!(encoder(true), Some(Family::Mpnet));
    assert_eq!(encoder(false), Some(Family::Bert));
}

#[test]
fn narrow_tables_make_bert_less_sure() {
    for (width, sure) in [(32, High), (16, Medium)] {
        let mut t = Tiny::new();
        let [ids, kinds] = [0, 1].map(|_| t.input_of(DataType::I64, &["2", "6"]));
        let (table, few) = (t.weight(&[90, width]), t.weight(&[2, width]));
        let (word, kind) = (t.op("Gather", &[&table, &ids]), t.op("Gather", &[&few, &kinds]));
        let x = t.op("Add", &[&word, &kind]);
        let mut x = t.layer_norm(&x, width);
        if width < 32 {
            x = t.linear(&x, width, 32);
        }
        for _ in 0..2 {
            x = part(&mut t, &x, false, own);
            x = part(&mut t, &x, false, feed_forward);
        }
        let (_, family, confidence) = reported(t, &x);
        assert_eq!((family, confidence), (Some(Family::Bert), sure), "{width}");
    }
}

/// A decoder of two layers with positions; queries, keys and values with biases or without.
fn decoder(biased: bool) -> Recognition {
    let mut t = Tiny::new();
    let x = token_embeddings(&mut t);
    let mut x = with_positions(&mut t, &x, 6);
    for _ in 0..2 {
        x = part(&mut t, &x, true, |t, x| {
            if biased { t.attend(x, x, &FOUR, |t, scores| causal(t, &scores)) } else { bare(t, x) }
        });
        x = part(&mut t, &x, true, feed_forward);
    }
    let y = t.layer_norm(&x, 32);
    reported(t, &y)
}

/// Attention whose queries, keys and values have no biases.
fn bare(t: &mut Tiny, x: &str) -> String {
    let Heads { heads, dim, .. } = FOUR;
    let [query, key, value] = [0; 3].map(|_| {
        let weight = t.weight(&[32, heads * dim]);
        let projected = t.op("MatMul", &[x, &weight]);
        let parted = t.reshape(&projected, &[2, -1, heads, dim]);
        t.transpose(&parted, &[0, 2, 1, 3])
    });
    let scores = t.scores(&query, &key);
    let scores = causal(t, &scores);
    let weights = t.softmax(&scores);
    let sum = t.op("MatMul", &[&weights, &value]);
    t.joined(&sum, &FOUR, 32)
}

#[test]
fn decoders_are_reported_by_their_biases() {
    let named = |family: Family| (Some(Style::Decoder), Some(family));
    let (style, family, sure) = decoder(true);
    assert_eq!(((style, family), sure), (named(Family::Gpt2), High));
    let (style, family, sure) = decoder(false);
    assert_eq!(((style, family), sure), (named(Family::GptNeo), Medium));
}

#[test]
fn built_as_llama_without_positions_in_sight() {
    let mut t = Tiny::new();
    let mut x = token_embeddings(&mut t);
    for _ in 0..2 {
        let scale = t.weight(&[32]);
        let read = t.op("RMSNormalization", &[&x, &scale]);
        let y = t.attend(&read, &read, &FOUR, |t, scores| causal(t, &scores));
        x = t.op("Add", &[&x, &y]);
        let read = t.op("RMSNormalization", &[&x, &scale]);
        let [gate, up] = [0, 1].map(|_| t.linear(&read, 32, 64));
        let activation = t.op("Sigmoid", &[&gate]);
        let activation = t.op("Mul", &[&gate, &activation]);
        let y = t.op("Mul", &[&activation, &up]);
        let y = t.linear(&y, 64, 32);
        x = t.op("Add", &[&x, &y]);
    }
    let scale = t.weight(&[32]);
    let y = t.op("RMSNormalization", &[&x, &scale]);
    let (style, family, sure) = reported(t, &y);
    assert_eq!((style, family, sure), (Some(Style::Decoder), Some(Family::Llama), Medium));
}

/// An image in sixteen pieces, and two layers.
fn pieces(before: bool, scaled: bool) -> (Option<Family>, Confidence) {
    let mut t = Tiny::new();
    let image = t.input(&["2", "3", "64", "64"]);
    let (weight, bias) = (t.weight(&[32, 3, 16, 16]), t.weight(&[32]));
    let strides = [Attribute::ints("strides", &[16, 16])];
    let x = t.op_with("Conv", &[&image, &weight, &bias], &strides);
    let x = t.reshape(&x, &[2, 32, 16]);
    let x = t.transpose(&x, &[0, 2, 1]);
    let mut x = with_positions(&mut t, &x, 16);
    if before {
        x = t.layer_norm(&x, 32);
    }
    let scale = |t: &mut Tiny, y: String| {
        let weight = t.weight(&[32]);
        if scaled { t.op("Mul", &[&y, &weight]) } else { y }
    };
    for _ in 0..2 {
        x = part(&mut t, &x, true, |t, x| {
            let y = own(t, x);
            scale(t, y)
        });
        x = part(&mut t, &x, true, |t, x| {
            let y = feed_forward(t, x);
            scale(t, y)
        });
    }
    let y = t.layer_norm(&x, 32);
    let (_, family, sure) = reported(t, &y);
    (family, sure)
}

#[test]
fn images_in_pieces() {
    assert_eq!(pieces(false, false), (Some(Family::Vit), High));
    assert_eq!(pieces(false, true), (Some(Family::Vit), Medium), "others scale their paths");
    assert_eq!(pieces(true, false), (Some(Family::Clip), Medium));
}
