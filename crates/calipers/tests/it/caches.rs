//! Caches of keys and values in the forms in which models carry them; figures by hand.
use calipers::{Bindings, Sweep};
use calipers_measure::sweep;
use calipers_report::{KvCache, Report};
use calipers_samples::DataType::{F16, F32, I32, I64};
use calipers_samples::{Attribute, ModelBuilder, Node, Tensor};

use crate::support::analyze_bound;

calipers_testkit::tests! {
    test: [
        keys_and_values_apart,
        keys_and_values_stacked,
        fewer_heads_of_keys_than_of_queries,
        a_window_needs_less_than_is_kept,
        attention_of_the_standard,
        buffers_that_are_written_into,
        a_buffer_written_with_constants_is_no_cache,
        one_step_is_assumed_of_a_decoder,
        a_sweep_reports_the_cache_of_the_whole_batch,
    ];
}

const OPEN: [&str; 4] = ["?", "?", "?", "?"];

fn report(builder: &ModelBuilder, dims: &[(&str, i64)]) -> Report {
    let dims = dims.iter().map(|(name, size)| ((*name).to_owned(), *size)).collect();
    let model = calipers::Model::read(builder.build(), "test.onnx").unwrap();
    analyze_bound(&model, &Bindings { dims, ..Bindings::default() }).unwrap()
}

fn cache(builder: &ModelBuilder, dims: &[(&str, i64)]) -> Option<KvCache> {
    report(builder, dims).memory.kv_cache
}

/// A node of ONNX Runtime's domain.
fn runtime(op: &str, inputs: &[&str], outputs: &[&str], attributes: &[(&str, i64)]) -> Node {
    let attributes: Vec<Attribute> =
        attributes.iter().map(|(name, value)| Attribute::int(name, *value)).collect();
    Node::new(op, inputs, outputs, &attributes).in_domain("com.microsoft")
}

/// A model of one node whose caches are `past` and `past2`, with queries, keys and values of
/// `[batch, new, ..]`.
fn attention(node: &Node, past: &[&str], width: [&str; 2]) -> ModelBuilder {
    let mut model = ModelBuilder::new(17);
    model.opset("com.microsoft", 1);
    model
        .input("q", F16, &["batch", "new", width[0]])
        .input("k", F16, &["batch", "new", width[1]])
        .input("v", F16, &["batch", "new", width[1]])
        .input("past", F16, past)
        .input("past2", F16, past)
        .push(node)
        .output("y", F16, &["?", "?", "?"])
        .output("all", F16, &vec!["?"; past.len()]);
    model
}

/// The figures that every form gives.
type Figures = (u64, Option<u64>, Option<u64>, Option<u64>, Option<u64>, Option<u64>);

fn figures(found: &KvCache) -> Figures {
    let KvCache { layers, kv_heads, head_dim, bytes_per_token, context, bytes_at_context, .. } =
        found;
    (*layers, *kv_heads, *head_dim, *bytes_per_token, *context, *bytes_at_context)
}

/// Keys and values of 4 heads of 8 halves: 2 × 4 × 8 × 2 = 128 bytes a token. 9 tokens before and 3
/// new ones are 12, with 12 × 128 = 1,536 bytes.
const HAND: Figures = (1, Some(4), Some(8), Some(128), Some(12), Some(1_536));
const STEP: [(&str, i64); 3] = [("batch", 2), ("past", 9), ("new", 3)];
const PAST: [&str; 4] = ["batch", "4", "past", "8"];

fn keys_and_values_apart() {
    let inputs = ["q", "k", "v", "", "", "", "past", "past2"];
    let node = runtime("MultiHeadAttention", &inputs, &["y", "all", "all2"], &[("num_heads", 4)]);
    let mut model = attention(&node, &PAST, ["32", "32"]);
    model.output("all2", F16, &OPEN);
    let found = cache(&model, &STEP).unwrap();
    assert_eq!(figures(&found), HAND);
    assert_eq!(found.sequences, Some(2));

    let inputs = ["q", "k", "v", "", "", "past", "past2"];
    let node = runtime(
        "DecoderMaskedMultiHeadAttention",
        &inputs,
        &["y", "all", "all2"],
        &[("num_heads", 4)],
    );
    let mut model = attention(&node, &PAST, ["32", "32"]);
    model.output("all2", F16, &OPEN);
    assert_eq!(figures(&cache(&model, &STEP).unwrap()), HAND);
}

fn keys_and_values_stacked() {
    let mut model = ModelBuilder::new(17);
    model.opset("com.microsoft", 1);
    let inputs = ["x", "w", "b", "", "past"];
    model
        .input("x", F16, &["batch", "new", "32"])
        .input("past", F16, &["2", "batch", "4", "past", "8"])
        .initializer(&Tensor::raw("w", F16, &[32, 96], &[0; 32 * 96 * 2]))
        .initializer(&Tensor::raw("b", F16, &[96], &[0; 96 * 2]))
        .push(&runtime("Attention", &inputs, &["y", "all"], &[("num_heads", 4)]))
        .output("y", F16, &["?", "?", "?"])
        .output("all", F16, &["?", "?", "?", "?", "?"]);
    assert_eq!(figures(&cache(&model, &STEP).unwrap()), HAND);
}

/// Grouped queries, 8 heads over 4, whose count of what was seen is an input's length.
fn grouped(attributes: &[(&str, i64)], past: &[&str]) -> ModelBuilder {
    let inputs = ["q", "k", "v", "past", "past2", "seen", "total"];
    let attributes = [&[("num_heads", 8), ("kv_num_heads", 4)], attributes].concat();
    let node = runtime("GroupQueryAttention", &inputs, &["y", "all", "all2"], &attributes);
    let mut model = ModelBuilder::new(17);
    model
        .input("mask", I64, &["batch", "total"])
        .input("seen", I32, &["batch"])
        .node("Shape", &["mask"], &["shape"], &[Attribute::int("start", 1)])
        .node("Cast", &["shape"], &["total"], &[Attribute::int("to", 6)])
        .opset("com.microsoft", 1)
        .input("q", F16, &["batch", "new", "64"])
        .input("k", F16, &["batch", "new", "32"])
        .input("v", F16, &["batch", "new", "32"])
        .input("past", F16, past)
        .input("past2", F16, past)
        .push(&node)
        .output("y", F16, &["?", "?", "?"])
        .output("all", F16, &OPEN)
        .output("all2", F16, &OPEN);
    model
}

fn fewer_heads_of_keys_than_of_queries() {
    let dims = [&STEP[..], &[("total", 12)]].concat();
    assert_eq!(figures(&cache(&grouped(&[], &PAST), &dims).unwrap()), HAND);
    // A buffer of 20 tokens stays one of 20: 20 × 128.
    let shared = cache(&grouped(&[], &["batch", "4", "20", "8"]), &[("total", 12)]).unwrap();
    assert_eq!((shared.context, shared.bytes_at_context), (Some(20), Some(2_560)));
    assert_eq!((shared.window, shared.windowed_layers, shared.bytes_in_window), (None, 0, None));
}

fn a_window_needs_less_than_is_kept() {
    let dims = [&STEP[..], &[("total", 12)]].concat();
    let found = cache(&grouped(&[("local_window_size", 5)], &PAST), &dims).unwrap();
    // All 12 tokens are kept; 5 are looked at, of 128 bytes each.
    assert_eq!(figures(&found), HAND);
    assert_eq!((found.window, found.windowed_layers), (Some(5), 1));
    assert_eq!(found.bytes_in_window, Some(640));
    // Wider than the context, it limits nothing; -1 represents no window.
    let wide = cache(&grouped(&[("local_window_size", 50)], &PAST), &dims).unwrap();
    assert_eq!(wide.bytes_in_window, Some(1_536));
    let none = cache(&grouped(&[("local_window_size", -1)], &PAST), &dims).unwrap();
    assert_eq!((none.window, none.bytes_in_window), (None, None));
    // A buffer that slides keeps its length: 5 × 128.
    let sliding = [("local_window_size", 5), ("sliding_window_cache", 1)];
    let found = cache(&grouped(&sliding, &["batch", "4", "5", "8"]), &[("total", 12)]).unwrap();
    assert_eq!((found.context, found.bytes_at_context), (Some(5), Some(640)));
}

fn attention_of_the_standard() {
    let mut model = ModelBuilder::new(23);
    model
        .input("q", F16, &["batch", "8", "new", "8"])
        .input("k", F16, &["batch", "4", "new", "8"])
        .input("past", F16, &PAST)
        .input("past2", F16, &PAST)
        .node("Attention", &["q", "k", "k", "", "past", "past2"], &["y", "all", "all2"], &[])
        .output("y", F16, &OPEN)
        .output("all", F16, &OPEN)
        .output("all2", F16, &OPEN);
    assert_eq!(figures(&cache(&model, &STEP).unwrap()), HAND);
}

/// How new elements get into a buffer of fixed length.
enum Write {
    Elements,
    /// Indices of this many axes, after a transposition that brings the length to the front.
    Nd,
    Tensor,
}

/// A step over buffers of 16 tokens, whose scores go through `activation`.
fn fixed(write: &Write, activation: &str) -> ModelBuilder {
    let mut model = ModelBuilder::new(24);
    let buffer = ["batch", "4", "16", "8"];
    model.input("q", F16, &["batch", "4", "1", "8"]).input("at", I64, &["1"]).input(
        "places",
        I64,
        &["batch", "4", "1", "8"],
    );
    for name in ["keys", "values"] {
        let [new, out] = [format!("{name}_new"), format!("{name}_out")];
        let [turned, set, back] =
            [format!("{name}_turned"), format!("{name}_set"), format!("{name}_back")];
        model.input(name, F16, &buffer).node("Exp", &["q"], &[&new], &[]);
        match write {
            Write::Elements => {
                let axis = [Attribute::int("axis", 2)];
                model.node("ScatterElements", &[name, "places", &new], &[&out], &axis);
            }
            Write::Nd => {
                let front = [Attribute::ints("perm", &[2, 0, 1, 3])];
                model
                    .node("Transpose", &[name], &[&turned], &front)
                    .node("Transpose", &[&new], &[&back], &front)
                    .initializer(&Tensor::i64(&format!("{name}_index"), &[1, 1], &[3]))
                    .node("ScatterND", &[&turned, &format!("{name}_index"), &back], &[&set], &[])
                    .node("Transpose", &[&set], &[&out], &[Attribute::ints("perm", &[1, 2, 0, 3])]);
            }
            Write::Tensor => {
                model.node("TensorScatter", &[name, &new], &[&out], &[]);
            }
        }
        model.output(&out, F16, &OPEN);
    }
    model
        .node("Transpose", &["keys_out"], &["t"], &[Attribute::ints("perm", &[0, 1, 3, 2])])
        .node("MatMul", &["q", "t"], &["scores"], &[])
        .node(activation, &["scores"], &["shares"], &[])
        .node("MatMul", &["shares", "values_out"], &["y"], &[])
        .output("y", F16, &OPEN);
    model
}

fn buffers_that_are_written_into() {
    for write in [Write::Elements, Write::Nd, Write::Tensor] {
        let found = cache(&fixed(&write, "Softmax"), &[]).unwrap();
        // 128 bytes per token as above, 16 tokens.
        let hand = (1, Some(4), Some(8), Some(128), Some(16), Some(2_048));
        assert_eq!(figures(&found), hand, "{:?}", found.evidence);
        assert!(found.evidence[0].contains("updated in place"), "{:?}", found.evidence);
        // Without a softmax it is some other buffer.
        assert_eq!(cache(&fixed(&write, "Tanh"), &[]), None);
    }
}

fn a_buffer_written_with_constants_is_no_cache() {
    let mut model = ModelBuilder::new(17);
    model
        .input("x", F32, &["1", "4", "16", "8"])
        .initializer(&Tensor::i64("index", &[1, 1], &[0]))
        .initializer(&Tensor::f32("zeros", &[1, 4, 16, 8], &[0.0; 512]))
        .node("ScatterND", &["x", "index", "zeros"], &["set"], &[])
        .node("Transpose", &["set"], &["t"], &[Attribute::ints("perm", &[0, 1, 3, 2])])
        .node("MatMul", &["x", "t"], &["scores"], &[])
        .node("Softmax", &["scores"], &["y"], &[])
        .output("y", F32, &OPEN)
        .output("set", F32, &OPEN);
    assert_eq!(cache(&model, &[]), None);
}

/// What is assumed of a dimension.
fn assumed(report: &Report, name: &str) -> Option<String> {
    let what = format!("dimension {name}");
    report.assumptions.iter().find(|a| a.what == what).map(|a| a.value.clone())
}

fn one_step_is_assumed_of_a_decoder() {
    let inputs = ["q", "k", "v", "", "", "", "past", "past2"];
    let node = runtime("MultiHeadAttention", &inputs, &["y", "all", "all2"], &[("num_heads", 4)]);
    let mut model = attention(&node, &PAST, ["32", "32"]);
    model.output("all2", F16, &OPEN);
    // One token after 127: 128 tokens of 128 bytes.
    let free = report(&model, &[]);
    assert_eq!(
        ["past", "new", "batch"].map(|name| assumed(&free, name).unwrap()),
        ["127", "1", "1"]
    );
    let found = free.memory.kv_cache.unwrap();
    assert_eq!((found.context, found.bytes_at_context), (Some(128), Some(16_384)));
    // 4 heads, one query over 128 keys of 8, and as much for the values.
    assert_eq!(free.cost.macs, Some(2 * 4 * 128 * 8));
    // The past stays what it was, whatever is bound for the new tokens.
    let prompt = report(&model, &[("new", 7)]);
    assert_eq!(
        (assumed(&prompt, "past").unwrap().as_str(), assumed(&prompt, "new")),
        ("127", None)
    );
    assert_eq!(prompt.memory.kv_cache.unwrap().context, Some(134));
}

fn a_sweep_reports_the_cache_of_the_whole_batch() {
    let inputs = ["q", "k", "v", "", "", "", "past", "past2"];
    let node = runtime("MultiHeadAttention", &inputs, &["y", "all", "all2"], &[("num_heads", 4)]);
    let mut model = attention(&node, &PAST, ["32", "32"]);
    model.output("all2", F16, &OPEN);
    let model = calipers::Model::read(model.build(), "test.onnx").unwrap();
    let dims = [("batch", vec![1, 8]), ("past", vec![9, 99]), ("new", vec![1])];
    let dims = dims.map(|(name, sizes)| (name.to_owned(), sizes)).to_vec();
    let table = sweep(model.ir(), &Sweep { dims, ..Sweep::default() }).unwrap();
    let points: Vec<_> = table
        .points
        .iter()
        .map(|p| {
            [p.kv_cache_bytes_per_token, p.kv_cache_context, p.kv_cache_bytes].map(Option::unwrap)
        })
        .collect();
    // 128 bytes a token and sequence; 10 or 100 tokens; 1 or 8 sequences.
    let wanted = [[128, 10, 1_280], [128, 100, 12_800], [128, 10, 10_240], [128, 100, 102_400]];
    assert_eq!(points, wanted);
}
