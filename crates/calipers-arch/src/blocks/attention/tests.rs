//! Each form of attention, and what only looks like it.

use calipers_report::NormPosition;
use calipers_samples::{Attribute, DataType, Tensor};
use calipers_testkit::{FOUR, Heads};

use crate::blocks::testing::{Inspect as _, Seen, Tiny};
use crate::network::{Attention, AttentionScope, BlockKind};

const X: &[&str] = &["2", "6", "32"];

/// The figures of the only attention.
fn figures(seen: &Seen) -> [Option<i64>; 4] {
    assert_eq!(seen.count(BlockKind::Attention), 1);
    let found = found(seen);
    [found.heads, found.kv_heads, found.head_dim, found.width]
}

/// The first attention.
fn found(seen: &Seen) -> Attention {
    seen.first(BlockKind::Attention, |_, unit| unit.attention().unwrap().clone()).unwrap()
}

fn over(seen: &Seen) -> AttentionScope {
    found(seen).over
}

fn same(_: &mut Tiny, scores: String) -> String {
    scores
}

const PLAIN: [Option<i64>; 4] = [Some(4), Some(4), Some(8), Some(32)];

#[test]
fn written_out_with_its_projections() {
    let mut t = Tiny::new();
    let x = t.input(X);
    let y = t.attend(&x, &x, &FOUR, same);
    let seen = t.output(&y);
    assert_eq!(figures(&seen), PLAIN);
    assert_eq!(over(&seen), AttentionScope::Own);
    assert_eq!(seen.kinds(), ["Attention"], "projections are inside");
    assert!(seen.takes_the_input(BlockKind::Attention));
    let Attention { causal, windowed, relative, rotary, .. } = found(&seen);
    assert!(!(causal || windowed || relative || rotary));
}

#[test]
fn another_sequence_is_attended_to() {
    let mut t = Tiny::new();
    let (x, memory) = (t.input(X), t.input(&["2", "9", "32"]));
    let y = t.attend(&x, &memory, &FOUR, same);
    let seen = t.output(&y);
    assert_eq!((figures(&seen), over(&seen)), (PLAIN, AttentionScope::Cross));
}

#[test]
fn keys_are_shared_by_groups() {
    for (kv_heads, wanted) in [(2, 2), (1, 1)] {
        let mut t = Tiny::new();
        let x = t.input(X);
        let y = t.attend(&x, &x, &Heads { heads: 4, kv_heads, dim: 8 }, same);
        assert_eq!(figures(&t.output(&y)), [Some(4), Some(wanted), Some(8), Some(32)]);
    }
}

/// What changes scores.
type Mask<'a> = &'a dyn Fn(&mut Tiny, String) -> String;

/// The elements of a mask of six rows, which hides what `hides` says of a row and a column.
fn mask(hides: impl Fn(usize, usize) -> bool) -> Vec<f32> {
    let places = (0..36).map(|at| (at / 6, at % 6));
    places.map(|(row, column)| if hides(row, column) { f32::MIN } else { 0.0 }).collect()
}

/// A triangle of six rows, as a tensor that is added.
fn triangle(t: &mut Tiny) -> String {
    t.stored(&[1, 1, 6, 6], &mask(|row, column| column > row))
}

/// The same mask, held by a `Constant` node: as bytes, or as a list of floats.
fn constant(t: &mut Tiny, values: &[f32], as_bytes: bool) -> String {
    let bytes: Vec<u8> = values.iter().flat_map(|value| value.to_le_bytes()).collect();
    let tensor = match as_bytes {
        true => Tensor::raw("", DataType::F32, &[1, 1, 6, 6], &bytes),
        false => Tensor::float_data("", &[1, 1, 6, 6], values),
    };
    t.op_with("Constant", &[], &[Attribute::tensor("value", &tensor)])
}

#[test]
fn a_triangle_in_a_constant_node_is_causal() {
    let triangle = mask(|row, column| column > row);
    // A band hides what is far on both sides, so a position sees later ones.
    let band = mask(|row, column| row.abs_diff(column) > 2);
    for (values, causal) in [(triangle, true), (band, false)] {
        for as_bytes in [true, false] {
            let mut t = Tiny::new();
            let x = t.input(X);
            let y = t.attend(&x, &x, &FOUR, |t, scores| {
                let mask = constant(t, &values, as_bytes);
                t.op("Add", &[&scores, &mask])
            });
            assert_eq!(found(&t.output(&y)).causal, causal, "bytes: {as_bytes}");
        }
    }
}

#[test]
fn a_triangle_is_causal_and_a_padding_mask_is_not() {
    let stored = |t: &mut Tiny, scores: String| {
        let mask = triangle(t);
        t.op("Add", &[&scores, &mask])
    };
    let computed = |t: &mut Tiny, scores: String| {
        let ones = t.weight(&[6, 6]);
        let mask = t.op_with("Trilu", &[&ones], &[Attribute::int("upper", 1)]);
        t.op("Add", &[&scores, &mask])
    };
    let compared = |t: &mut Tiny, scores: String| {
        let (row, column) = (t.ints(&[0, 1, 2, 3, 4, 5]), t.ints(&[0, 1, 2, 3, 4, 5]));
        let column = t.reshape(&column, &[6, 1]);
        let seen = t.op("LessOrEqual", &[&row, &column]);
        let least = t.scalar(-1e9);
        t.op("Where", &[&seen, &scores, &least])
    };
    let padding = |t: &mut Tiny, scores: String| {
        let mask = t.input(&["2", "1", "1", "6"]);
        t.op("Add", &[&scores, &mask])
    };
    let masks: [(Mask<'_>, bool); 4] =
        [(&stored, true), (&computed, true), (&compared, true), (&padding, false)];
    for (at, (mask, causal)) in masks.into_iter().enumerate() {
        let mut t = Tiny::new();
        let x = t.input(X);
        let y = t.attend(&x, &x, &FOUR, |t, scores| mask(t, scores));
        let seen = t.output(&y);
        assert_eq!(figures(&seen), PLAIN);
        assert_eq!((found(&seen).causal, found(&seen).relative), (causal, false), "mask {at}");
    }
}

#[test]
fn a_bias_for_each_head_is_relative() {
    let mut t = Tiny::new();
    let x = t.input(X);
    let y = t.attend(&x, &x, &FOUR, |t, scores| {
        let bias = t.weight(&[1, 4, 6, 6]);
        t.op("Add", &[&scores, &bias])
    });
    let seen = t.output(&y);
    assert!(found(&seen).relative && !found(&seen).causal);
}

#[test]
fn a_triangle_of_indices_is_not_causal() {
    // Two buckets of relative positions: earlier ones, and later ones.
    let later = |at: usize| i64::from(at % 6 > at / 6);
    let buckets: Vec<u8> = (0..36).flat_map(|at| later(at).to_le_bytes()).collect();
    for is_mask in [false, true] {
        let mut t = Tiny::new();
        let x = t.input(X);
        let y = t.attend(&x, &x, &FOUR, |t, scores| {
            let indices = t.raw(DataType::I64, &[6, 6], &buckets);
            let table = t.weight(&[2, 4]);
            let bias = t.op("Gather", &[&table, &indices]);
            let bias = t.transpose(&bias, &[2, 0, 1]);
            // Rows of a mask are a mask.
            let (triangle, row) = (triangle(t), t.ints(&[0]));
            let mask = t.op("Gather", &[&triangle, &row]);
            t.op("Add", &[&scores, if is_mask { &mask } else { &bias }])
        });
        let seen = t.output(&y);
        assert_eq!((found(&seen).causal, found(&seen).relative), (is_mask, !is_mask));
    }
}

#[test]
fn as_pytorch_scales_and_guards_it() {
    let mut t = Tiny::new();
    let x = t.input(X);
    let [query, key, value] = [(); 3].map(|()| t.heads(&x, 32, 4, 8));
    let turned = t.transpose(&key, &[0, 1, 3, 2]);
    let (query, key) = (t.with("Mul", &query, 0.59), t.with("Mul", &turned, 0.59));
    let scores = t.op("MatMul", &[&query, &key]);
    let half = t.cast(&scores, 10);
    let weights = t.softmax(&half);
    let weights = t.cast(&weights, 1);
    let (test, zero) = (t.op("IsNaN", &[&weights]), t.scalar(0.0));
    let weights = t.op("Where", &[&test, &zero, &weights]);
    let sum = t.op("MatMul", &[&weights, &value]);
    let y = t.joined(&sum, &FOUR, 32);
    let seen = t.output(&y);
    assert_eq!(figures(&seen), PLAIN);
    assert_eq!(seen.kinds(), ["Attention"]);
}

#[test]
fn heads_in_the_batch() {
    let mut t = Tiny::new();
    let x = t.input(X);
    let [query, key, value] = [(); 3].map(|()| {
        let heads = t.heads(&x, 32, 4, 8);
        t.reshape(&heads, &[8, 6, 8])
    });
    let key = t.transpose(&key, &[0, 2, 1]);
    let scores = t.op("MatMul", &[&query, &key]);
    let apart = t.reshape(&scores, &[2, 4, 6, 6]);
    let mask = t.input(&["2", "1", "6", "6"]);
    let masked = t.op("Add", &[&apart, &mask]);
    let together = t.reshape(&masked, &[8, 6, 6]);
    let weights = t.softmax(&together);
    let sum = t.op("MatMul", &[&weights, &value]);
    let sum = t.reshape(&sum, &[2, 4, 6, 8]);
    let y = t.joined(&sum, &FOUR, 32);
    assert_eq!(figures(&t.output(&y)), PLAIN);
}

/// Attention over `[B·H, S, D]`, with the heads laid side by side afterwards by `joined`.
fn over_batch(
    t: &mut Tiny,
    [query, key, value]: [String; 3],
    joined: impl FnOnce(&mut Tiny, &str) -> String,
) -> String {
    let key = t.transpose(&key, &[0, 2, 1]);
    let scores = t.op("MatMul", &[&query, &key]);
    let weights = t.softmax(&scores);
    let sum = t.op("MatMul", &[&weights, &value]);
    joined(t, &sum)
}

/// As tf2onnx writes Keras' `abc,cde->abde` and `aecd,abcd->acbe`: a product with a matrix of all
/// heads, and views with an axis for every letter.
#[test]
fn letters_of_keras_written_as_products() {
    let mut t = Tiny::new();
    let x = t.input(X);
    let streams = [(); 3].map(|()| {
        let flat = t.reshape(&x, &[12, 32]);
        let projected = t.linear(&flat, 32, 32);
        let apart = t.reshape(&projected, &[2, 6, 4, 8]);
        let lettered = t.reshape(&apart, &[2, 1, 6, 4, 8]);
        let turned = t.transpose(&lettered, &[0, 1, 3, 2, 4]);
        t.reshape(&turned, &[8, 6, 8])
    });
    let y = over_batch(&mut t, streams, |t, sum| {
        let apart = t.reshape(sum, &[2, 1, 4, 6, 8]);
        let turned = t.transpose(&apart, &[0, 1, 3, 2, 4]);
        let flat = t.reshape(&turned, &[12, 32]);
        t.linear(&flat, 32, 32)
    });
    let [heads, kv_heads, head_dim, _] = figures(&t.output(&y));
    assert_eq!([heads, kv_heads, head_dim], [Some(4), Some(4), Some(8)]);
}

/// As early TensorFlow code has it: `concat(split(q, heads, axis=2), axis=0)`.
#[test]
fn heads_are_split_and_joined_along_the_batch() {
    let joined_after = |joined: bool| {
        let mut t = Tiny::new();
        let x = t.input(X);
        let streams = [(); 3].map(|()| {
            let projected = t.linear(&x, 32, 32);
            let parts = t.many(
                "Split",
                &[&projected],
                4,
                &[Attribute::int("axis", 2), Attribute::int("num_outputs", 4)],
            );
            let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
            t.concat(&parts, 0)
        });
        let y = over_batch(&mut t, streams, |t, sum| {
            if !joined {
                return t.op("Relu", &[sum]);
            }
            let parts = t.many(
                "Split",
                &[sum],
                4,
                &[Attribute::int("axis", 0), Attribute::int("num_outputs", 4)],
            );
            let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
            t.concat(&parts, 2)
        });
        found(&t.output(&y)).heads
    };
    assert_eq!([joined_after(true), joined_after(false)], [Some(4), Some(4)]);
}

#[test]
fn a_matrix_for_each_head() {
    let heads = |heads: i64| {
        let mut t = Tiny::new();
        let x = t.input(&["6", "32"]);
        let streams = [(); 3].map(|()| {
            let matrices = t.weight(&[heads, 32, 8]);
            t.op("MatMul", &[&x, &matrices])
        });
        let y = over_batch(&mut t, streams, |t, sum| t.op("Relu", &[sum]));
        found(&t.output(&y)).heads
    };
    assert_eq!([heads(4), heads(1)], [Some(4), Some(1)]);
}

/// A single head stays one, whatever is done with the result.
#[test]
fn one_head_that_is_flattened() {
    let mut t = Tiny::new();
    let x = t.input(X);
    let streams = [(); 3].map(|()| t.linear(&x, 32, 32));
    let y = over_batch(&mut t, streams, |t, sum| {
        let flat = t.reshape(sum, &[2, 192]);
        t.linear(&flat, 192, 10)
    });
    assert_eq!(found(&t.output(&y)).heads, Some(1));
}

#[test]
fn written_by_letters_and_exponents() {
    let mut t = Tiny::new();
    let x = t.input(X);
    let [query, key, value] = [(); 3].map(|()| {
        let projected = t.linear(&x, 32, 32);
        t.reshape(&projected, &[2, 6, 4, 8])
    });
    let letters = |text| [Attribute::string("equation", text)];
    let scores = t.op_with("Einsum", &[&query, &key], &letters("bqhd,bkhd->bhqk"));
    let keep = [Attribute::int("keepdims", 1)];
    let most = t.op_with("ReduceMax", &[&scores], &keep);
    let less = t.op("Sub", &[&scores, &most]);
    let exponents = t.op("Exp", &[&less]);
    let all = t.op_with("ReduceSum", &[&exponents], &keep);
    let weights = t.op("Div", &[&exponents, &all]);
    let sum = t.op_with("Einsum", &[&weights, &value], &letters("bhqk,bkhd->bqhd"));
    let joined = t.reshape(&sum, &[2, 6, 32]);
    let y = t.linear(&joined, 32, 32);
    assert_eq!(figures(&t.output(&y)), PLAIN);
}

#[test]
fn earlier_keys_are_joined() {
    let mut t = Tiny::new();
    let x = t.input(&["2", "1", "32"]);
    let query = t.heads(&x, 32, 4, 8);
    let [key, value] = [(); 2].map(|()| {
        let past = t.input(&["2", "4", "5", "8"]);
        let new = t.heads(&x, 32, 4, 8);
        t.concat(&[&past, &new], 2)
    });
    let scores = t.scores(&query, &key);
    let weights = t.softmax(&scores);
    let sum = t.op("MatMul", &[&weights, &value]);
    let y = t.joined(&sum, &FOUR, 32);
    let seen = t.output(&y);
    assert_eq!(over(&seen), AttentionScope::Own);
    assert!(found(&seen).causal, "what is kept cannot have seen what came later");
}

#[test]
fn quantized_in_qdq() {
    let mut t = Tiny::new();
    let x = t.input(X);
    let [query, key, value] = [(); 3].map(|()| {
        let heads = t.heads(&x, 32, 4, 8);
        t.quantized(&heads)
    });
    let scores = t.scores(&query, &key);
    let scores = t.quantized(&scores);
    let weights = t.softmax(&scores);
    let weights = t.quantized(&weights);
    let sum = t.op("MatMul", &[&weights, &value]);
    let sum = t.quantized(&sum);
    let y = t.joined(&sum, &FOUR, 32);
    assert_eq!(figures(&t.output(&y)), PLAIN);
}

#[test]
fn one_operator_of_the_standard() {
    let mut t = Tiny::new();
    let x = t.input(X);
    let query = t.linear(&x, 32, 32);
    let [key, value] = [(); 2].map(|()| t.linear(&x, 32, 16));
    let attributes = [
        Attribute::int("q_num_heads", 4),
        Attribute::int("kv_num_heads", 2),
        Attribute::int("is_causal", 1),
    ];
    let sum = t.op_with("Attention", &[&query, &key, &value], &attributes);
    let y = t.linear(&sum, 32, 32);
    let seen = t.output(&y);
    assert_eq!(figures(&seen), [Some(4), Some(2), Some(8), Some(32)]);
    assert!(found(&seen).causal);
    assert_eq!((over(&seen), seen.kinds()), (AttentionScope::Own, vec!["Attention"]));
}

#[test]
fn operators_of_onnx_runtime() {
    let mut t = Tiny::new();
    let x = t.input(X);
    let (weight, bias) = (t.weight(&[32, 96]), t.weight(&[96]));
    let attributes = [Attribute::int("num_heads", 4), Attribute::int("unidirectional", 1)];
    let y = t.contrib_with("Attention", &[&x, &weight, &bias], &attributes);
    let seen = t.output(&y);
    assert_eq!(figures(&seen), PLAIN);
    assert!(found(&seen).causal && seen.kinds() == ["Attention"]);

    let mut t = Tiny::new();
    let (x, memory) = (t.input(X), t.input(&["2", "9", "32"]));
    let query = t.linear(&x, 32, 32);
    let [key, value] = [(); 2].map(|()| t.linear(&memory, 32, 32));
    let heads = [Attribute::int("num_heads", 4)];
    let y = t.contrib_with("MultiHeadAttention", &[&query, &key, &value], &heads);
    let seen = t.output(&y);
    assert_eq!((figures(&seen), over(&seen)), (PLAIN, AttentionScope::Cross));

    let mut t = Tiny::new();
    let x = t.input(X);
    let packed = t.linear(&x, 32, 64);
    let attributes = [
        Attribute::int("num_heads", 4),
        Attribute::int("kv_num_heads", 2),
        Attribute::int("do_rotary", 1),
        Attribute::int("local_window_size", 3),
    ];
    let [past_key, past_value] = [(); 2].map(|()| t.input(&["2", "2", "5", "8"]));
    let lengths = t.input_of(DataType::I32, &["2"]);
    let all = t.input_of(DataType::I32, &[]);
    let inputs = [packed.as_str(), "", "", &past_key, &past_value, &lengths, &all];
    let y = t.contrib_with("GroupQueryAttention", &inputs, &attributes);
    let seen = t.output(&y);
    assert_eq!(figures(&seen), [Some(4), Some(2), Some(8), Some(32)]);
    let Attention { causal, windowed, rotary, .. } = found(&seen);
    assert!(causal && rotary && windowed);
}

#[test]
fn windows_of_an_image() {
    let mut t = Tiny::new();
    let x = t.input(&["1", "8", "8", "32"]);
    let normed = t.layer_norm(&x, 32);
    let parted = t.reshape(&normed, &[1, 2, 4, 2, 4, 32]);
    let turned = t.transpose(&parted, &[0, 1, 3, 2, 4, 5]);
    let windows = t.reshape(&turned, &[4, 16, 32]);
    let projected = t.linear(&windows, 32, 96);
    let apart = t.reshape(&projected, &[4, 16, 3, 4, 8]);
    let apart = t.transpose(&apart, &[2, 0, 3, 1, 4]);
    let [query, key, value] = [0, 1, 2].map(|at| {
        let (one, axis) = (t.slice(&apart, at, at + 1, 0, 1), t.ints(&[0]));
        t.op("Squeeze", &[&one, &axis])
    });
    let scores = t.scores(&query, &key);
    let weights = t.softmax(&scores);
    let sum = t.op("MatMul", &[&weights, &value]);
    let turned = t.transpose(&sum, &[0, 2, 1, 3]);
    let joined = t.reshape(&turned, &[4, 16, 32]);
    let projected = t.linear(&joined, 32, 32);
    let y = t.reshape(&projected, &[1, 8, 8, 32]);
    let y = t.op("Add", &[&x, &y]);
    let seen = t.output(&y);
    assert_eq!(figures(&seen), PLAIN);
    assert!(found(&seen).windowed);
    assert_eq!(found(&seen).norm, Some(NormPosition::Pre));
}

#[test]
fn none_of_these_is_attention() {
    // A softmax over bins, as box heads have it.
    let mut t = Tiny::new();
    let x = t.input(&["1", "16", "4", "50"]);
    let bins = t.op_with("Softmax", &[&x], &[Attribute::int("axis", 1)]);
    let weight = t.weight(&[1, 16, 1, 1]);
    let y = t.op("Conv", &[&bins, &weight]);
    assert_eq!(t.output(&y).count(BlockKind::Attention), 0);

    // Pooling by learned scores.
    let mut t = Tiny::new();
    let x = t.input(X);
    let scores = t.linear(&x, 32, 4);
    let turned = t.transpose(&scores, &[0, 2, 1]);
    let weights = t.softmax(&turned);
    let y = t.op("MatMul", &[&weights, &x]);
    assert_eq!(t.output(&y).count(BlockKind::Attention), 0);

    // Products of activations without weights between them.
    let mut t = Tiny::new();
    let x = t.input(X);
    let turned = t.transpose(&x, &[0, 2, 1]);
    let gram = t.op("MatMul", &[&x, &turned]);
    let y = t.op("MatMul", &[&gram, &x]);
    assert_eq!(t.output(&y).count(BlockKind::Attention), 0);

    // An expectation of fixed places.
    let mut t = Tiny::new();
    let (x, other) = (t.input(X), t.input(X));
    let turned = t.transpose(&other, &[0, 2, 1]);
    let match_ = t.op("MatMul", &[&x, &turned]);
    let weights = t.softmax(&match_);
    let places = t.weight(&[6, 2]);
    let y = t.op("MatMul", &[&weights, &places]);
    assert_eq!(t.output(&y).count(BlockKind::Attention), 0);
}
