//! Exported mixtures of experts.

use calipers_infer::{Bindings, infer};
use calipers_report::{Cost, Memory};
use calipers_samples::Attribute;
use calipers_testkit::Tiny;

/// Width of a token, width inside an expert, experts, and experts that each token goes to.
const HIDDEN: i64 = 8;
const INNER: i64 = 16;
const EXPERTS: i64 = 4;
const K: i64 = 2;
const TOKENS: i64 = 10;

/// How the tokens of an expert are found.
#[derive(Clone, Copy)]
enum Mask {
    /// `OneHot`, `Transpose`, `Gather`.
    OneHot,
    /// `Equal` with all numbers, `Cast`, `Transpose`, `Slice`.
    Decomposed,
    /// `Equal` with the number of the expert.
    Compared,
}

fn outputs(t: &mut Tiny, op: &str, inputs: &[&str]) -> [String; 2] {
    t.many(op, inputs, 2, &[]).try_into().unwrap()
}

/// `[choices, tokens]`: whether a choice of a token is this expert.
fn mask_of_expert(t: &mut Tiny, mask: Mask, chosen: &str, expert: i64) -> String {
    match mask {
        Mask::Compared => {
            let number = t.index(expert);
            t.op("Equal", &[chosen, &number])
        }
        Mask::OneHot => {
            let (depth, values) = (t.index(EXPERTS), t.ints(&[0, 1]));
            let hot = t.op("OneHot", &[chosen, &depth, &values]);
            let hot = t.transpose(&hot, &[2, 1, 0]);
            let at = t.index(expert);
            t.op_with("Gather", &[&hot, &at], &[Attribute::int("axis", 0)])
        }
        Mask::Decomposed => {
            let axis = t.ints(&[-1]);
            let chosen = t.op("Unsqueeze", &[chosen, &axis]);
            let numbers: Vec<i64> = (0..EXPERTS).collect();
            let numbers = t.ints(&numbers);
            let hot = t.op("Equal", &[&chosen, &numbers]);
            let hot = t.cast(&hot, 7);
            let hot = t.transpose(&hot, &[2, 1, 0]);
            let one = t.slice(&hot, expert, expert + 1, 0, 1);
            let first = t.ints(&[0]);
            t.op("Squeeze", &[&one, &first])
        }
    }
}

/// A layer as PyTorch exports Mixtral: a router, and each expert over the tokens that it gets.
fn layer(mask: Mask, widths: &[i64]) -> Vec<u8> {
    let mut t = Tiny::of_opset(18);
    let x = t.input(&["tokens", "8"]);
    let router = t.weight(&[HIDDEN, EXPERTS]);
    let scores = t.op("MatMul", &[&x, &router]);
    let scores = t.softmax(&scores);
    let k = t.ints(&[K]);
    let [_, chosen] = outputs(&mut t, "TopK", &[&scores, &k]);
    let mut y = t.with("Mul", &x, 0.0);
    for (expert, width) in (0..).zip(widths) {
        let of_expert = mask_of_expert(&mut t, mask, &chosen, expert);
        let places = t.op("NonZero", &[&of_expert]);
        let first = t.ints(&[0]);
        let rows = outputs(&mut t, "Split", &[&places]);
        let rows = rows.map(|row| t.op("Squeeze", &[&row, &first]));
        // The mask is `[tokens, choices]`, or the other way round.
        let token = &rows[usize::from(!matches!(mask, Mask::Compared))];
        let taken = t.op_with("Gather", &[&x, token], &[Attribute::int("axis", 0)]);
        let (gate, up, down) =
            (t.weight(&[HIDDEN, *width]), t.weight(&[HIDDEN, *width]), t.weight(&[*width, HIDDEN]));
        let gate = t.op("MatMul", &[&taken, &gate]);
        let gate = t.op("Sigmoid", &[&gate]);
        let up = t.op("MatMul", &[&taken, &up]);
        let inner = t.op("Mul", &[&gate, &up]);
        let out = t.op("MatMul", &[&inner, &down]);
        let last = t.ints(&[-1]);
        let at = t.op("Unsqueeze", &[token, &last]);
        let add = [Attribute::string("reduction", "add")];
        y = t.op_with("ScatterND", &[&y, &at, &out], &add);
    }
    t.build(&y)
}

fn measured(bytes: Vec<u8>) -> (Cost, Memory) {
    let model = calipers_formats::read(bytes, "tiny.onnx").unwrap();
    let mut bindings = Bindings::default();
    bindings.dims.insert("tokens".to_owned(), TOKENS);
    let typed = infer(&model, &bindings).unwrap();
    let measured = crate::measure(&model, &typed, &bindings, None).unwrap();
    (measured.cost, measured.memory)
}

/// The router over every token, and three products for each of `K` choices of a token.
const MACS: i64 = TOKENS * HIDDEN * EXPERTS + K * TOKENS * 3 * HIDDEN * INNER;

#[test]
fn experts_together_get_each_token_k_times() {
    for mask in [Mask::OneHot, Mask::Decomposed, Mask::Compared] {
        let (cost, _) = measured(layer(mask, &[INNER; 4]));
        assert_eq!(cost.work.macs, u64::try_from(MACS).ok());
        assert!(cost.work.other_flops.is_some() && cost.work.bytes_moved.is_some());
        let products = cost.by_op.iter().find(|row| row.op == "MatMul").unwrap();
        assert_eq!(products.work.macs, u64::try_from(MACS).ok());
        assert!(!cost.lower_bound);
    }
}

#[test]
fn the_cost_is_unknown_where_the_router_decides_it() {
    // Tokens of the fourth expert go nowhere, or cost more than others.
    for widths in [&[INNER; 3][..], &[INNER, INNER, INNER, 2 * INNER]] {
        let (cost, _) = measured(layer(Mask::OneHot, widths));
        assert_eq!(cost.work.macs, None);
    }
}

#[test]
fn the_peak_has_bounds() {
    let (_, memory) = measured(layer(Mask::Compared, &[INNER; 4]));
    assert_eq!(memory.peak_activation_bytes, None);
    let [floats, indices] = [4, 8];
    // The input, the choices, and the result before and after an expert adds to it.
    let kept = TOKENS * HIDDEN * floats * 2 + TOKENS * K * indices;
    let least = kept + TOKENS * HIDDEN * floats;
    assert_eq!(memory.peak_activation_lower_bound_bytes, u64::try_from(least).ok());
    // With every token at one expert: its places, the gate, the other factor and their product.
    let most = kept + TOKENS * indices + 3 * TOKENS * INNER * floats;
    assert_eq!(memory.peak_activation_upper_bound_bytes, u64::try_from(most).ok());
}

#[test]
fn a_peak_that_is_known_has_no_bounds() {
    let mut t = Tiny::new();
    let x = t.input(&["tokens", "8"]);
    let y = t.op("Relu", &[&x]);
    let (_, memory) = measured(t.build(&y));
    // The input and the output.
    assert_eq!(memory.peak_activation_bytes, u64::try_from(2 * TOKENS * HIDDEN * 4).ok());
    assert_eq!(memory.peak_activation_lower_bound_bytes, None);
    assert_eq!(memory.peak_activation_upper_bound_bytes, None);
}

#[test]
fn sizes_that_the_data_decides_elsewhere_have_a_lower_bound_alone() {
    let mut t = Tiny::new();
    let x = t.input(&["tokens", "8"]);
    let positive = t.with("Greater", &x, 0.0);
    let places = t.op("NonZero", &[&positive]);
    let (_, memory) = measured(t.build(&places));
    // The input and a mask of one byte for each element.
    let least = TOKENS * HIDDEN * (4 + 1);
    assert_eq!(memory.peak_activation_lower_bound_bytes, u64::try_from(least).ok());
    assert_eq!(memory.peak_activation_upper_bound_bytes, None);
}

#[test]
fn a_cost_without_known_parts_is_unknown() {
    let mut t = Tiny::new();
    let x = t.input(&["tokens", "8"]);
    let y = t.contrib("NoSuchOperator", &[&x]);
    let (cost, _) = measured(t.build(&y));
    assert_eq!((cost.work.macs, cost.work.other_flops, cost.lower_bound), (None, None, true));
    // Where every cost is known, 0 is a figure.
    let mut t = Tiny::new();
    let x = t.input(&["tokens", "8"]);
    let y = t.op("Relu", &[&x]);
    let (cost, _) = measured(t.build(&y));
    assert_eq!((cost.work.macs, cost.lower_bound), (Some(0), false));
}
