//! A small text encoder, after BERT: two layers, attention written out in `MatMul` and `Softmax`.
//!
//! 512 words, 64 positions, 2 segments; 32 wide, 4 heads of 8, a feed-forward of 128.
//!
//! | part | parameters |
//! |---|---|
//! | embeddings of words, positions, segments | 512·32 + 64·32 + 2·32 = 18,496 |
//! | their LayerNormalization | 2·32 = 64 |
//! | query, key, value and output of a layer | 4·(32·32 + 32) = 4,224 |
//! | feed-forward of a layer | 32·128 + 128 + 128·32 + 32 = 8,352 |
//! | two LayerNormalizations of a layer | 2·64 = 128 |
//! | a layer | 12,704 |
//! | **sum** | 18,496 + 64 + 2·12,704 = **43,968** |
//!
//! No parameters are the 64 position indices, the shapes of `Reshape`, the axes, and the scalars
//! of the mask, of the attention's scale and of the activation.

use crate::net::Network;
use crate::{Attribute, DataType, ModelBuilder, Sample, Tensor};

/// Learned elements: 18,496 + 64 + 2·12,704.
pub const PARAMETERS: u64 = 43_968;

const WIDTH: u16 = 32;
const INNER: u16 = 128;
const HEADS: i64 = 4;
const WORDS: i64 = 512;
const POSITIONS: i64 = 64;

/// The model with its figures.
///
/// Nodes: 10 for the embeddings and 4 for the mask; to each layer 12 for query, key and value, 9 for
/// the attention, 9 for the feed-forward, and twice Add and LayerNormalization: 14 + 2·34.
/// Initializers: 12 constants, 5 of the embeddings, 16 to each layer.
pub const SAMPLE: Sample = Sample {
    name: "encoder",
    model,
    parameters: PARAMETERS,
    nodes: 82,
    nodes_total: 82,
    initializers: 49,
};

/// The file's bytes: inputs `input_ids`, `attention_mask` and `token_type_ids`, all
/// `int64[batch, sequence]`; output `last_hidden_state`, `float32[batch, sequence, 32]`.
pub fn model() -> Vec<u8> {
    let mut net = Network::new("encoder", 512);
    for input in ["input_ids", "attention_mask", "token_type_ids"] {
        net.graph.input(input, DataType::I64, &["batch", "sequence"]);
    }
    net.graph.output("last_hidden_state", DataType::F32, &["batch", "sequence", "32"]);
    constants(&mut net);

    let mask = mask(&mut net);
    let embedded = embed(&mut net);
    let first = layer(&mut net, "layer.0", &embedded, &mask, "layer.0/output");
    layer(&mut net, "layer.1", &first, &mask, "last_hidden_state");

    ModelBuilder::new(17)
        .doc("Turns a text into one vector for each of its words. The weights are random.")
        .graph(net.graph)
        .build()
}

/// Numbers that belong to the arithmetic, shared by all layers.
fn constants(net: &mut Network) {
    let positions: Vec<i64> = (0..POSITIONS).collect();
    net.graph.initializer(&Tensor::i64("position_ids", &[1, POSITIONS], &positions));
    net.graph.initializer(&Tensor::i64("sequence_axis", &[], &[1]));
    net.ints("zero", &[0]);
    net.ints("one", &[1]);
    net.ints("mask_axes", &[1, 2]);
    net.ints("split_heads", &[0, 0, HEADS, i64::from(WIDTH) / HEADS]);
    net.ints("join_heads", &[0, 0, i64::from(WIDTH)]);
    net.scalar("unit", 1.0);
    net.scalar("masked", -10_000.0);
    net.scalar("half", 0.5);
    // √2 for the activation and √8, the root of a head's width, for the attention.
    net.scalar("root_two", std::f32::consts::SQRT_2);
    net.scalar("root_head", 8f32.sqrt());
}

/// 0 where the mask is 1, -10,000 where it is 0, as `float32[batch, 1, 1, sequence]`.
fn mask(net: &mut Network) -> String {
    let wide = net.op("mask/Unsqueeze", "Unsqueeze", &["attention_mask", "mask_axes"], &[]);
    let to = Attribute::int("to", DataType::F32.code());
    let real = net.op("mask/Cast", "Cast", &[&wide], &[to]);
    let hidden = net.op("mask/Sub", "Sub", &["unit", &real], &[]);
    net.op("mask/Mul", "Mul", &[&hidden, "masked"], &[])
}

fn embed(net: &mut Network) -> String {
    let width = i64::from(WIDTH);
    let words = net.weight("embeddings.word.weight", &[WORDS, width], WIDTH);
    let places = net.weight("embeddings.position.weight", &[POSITIONS, width], WIDTH);
    let segments = net.weight("embeddings.segment.weight", &[2, width], WIDTH);

    let shape = net.op("embeddings/Shape", "Shape", &["input_ids"], &[]);
    let length = net.op("embeddings/Gather", "Gather", &[&shape, "sequence_axis"], &[]);
    let end = net.op("embeddings/Unsqueeze", "Unsqueeze", &[&length, "zero"], &[]);
    let slice = ["position_ids", "zero", &end, "one", "one"];
    let position = net.op("embeddings/Slice", "Slice", &slice, &[]);

    let word = net.op("embeddings/word/Gather", "Gather", &[&words, "input_ids"], &[]);
    let segment =
        net.op("embeddings/segment/Gather", "Gather", &[&segments, "token_type_ids"], &[]);
    let place = net.op("embeddings/position/Gather", "Gather", &[&places, &position], &[]);
    let sum = net.op("embeddings/Add", "Add", &[&word, &segment], &[]);
    let sum = net.op("embeddings/Add_1", "Add", &[&sum, &place], &[]);
    norm(net, "embeddings", &sum, "embeddings/output")
}

fn layer(net: &mut Network, name: &str, x: &str, mask: &str, output: &str) -> String {
    let attended = attend(net, &format!("{name}/attention"), x, mask);
    let sum = net.op(&format!("{name}/attention/residual/Add"), "Add", &[&attended, x], &[]);
    let normal = format!("{name}/attention/normal");
    norm(net, &format!("{name}/attention"), &sum, &normal);

    let inner = linear(net, &format!("{name}/intermediate"), &normal, WIDTH, INNER);
    let active = gelu(net, &format!("{name}/intermediate"), &inner);
    let outer = linear(net, &format!("{name}/output"), &active, INNER, WIDTH);
    let sum = net.op(&format!("{name}/output/residual/Add"), "Add", &[&outer, &normal], &[]);
    norm(net, &format!("{name}/output"), &sum, output)
}

/// softmax(q·kᵀ / √8 + mask)·v, then the output projection.
fn attend(net: &mut Network, name: &str, x: &str, mask: &str) -> String {
    let query = head(net, &format!("{name}/query"), x, &[0, 2, 1, 3]);
    let key = head(net, &format!("{name}/key"), x, &[0, 2, 3, 1]);
    let value = head(net, &format!("{name}/value"), x, &[0, 2, 1, 3]);

    let scores = net.op(&format!("{name}/MatMul"), "MatMul", &[&query, &key], &[]);
    let scaled = net.op(&format!("{name}/Div"), "Div", &[&scores, "root_head"], &[]);
    let masked = net.op(&format!("{name}/Add"), "Add", &[&scaled, mask], &[]);
    let axis = Attribute::int("axis", -1);
    let weights = net.op(&format!("{name}/Softmax"), "Softmax", &[&masked], &[axis]);
    let mixed = net.op(&format!("{name}/MatMul_1"), "MatMul", &[&weights, &value], &[]);
    let perm = Attribute::ints("perm", &[0, 2, 1, 3]);
    let turned = net.op(&format!("{name}/Transpose"), "Transpose", &[&mixed], &[perm]);
    let joined = net.op(&format!("{name}/Reshape"), "Reshape", &[&turned, "join_heads"], &[]);
    linear(net, &format!("{name}/dense"), &joined, WIDTH, WIDTH)
}

/// A projection, split into heads and turned by `perm`.
fn head(net: &mut Network, name: &str, x: &str, perm: &[i64]) -> String {
    let projected = linear(net, name, x, WIDTH, WIDTH);
    let split = net.op(&format!("{name}/Reshape"), "Reshape", &[&projected, "split_heads"], &[]);
    let perm = Attribute::ints("perm", perm);
    net.op(&format!("{name}/Transpose"), "Transpose", &[&split], &[perm])
}

/// x·W + b, with `inputs × outputs + outputs` parameters.
fn linear(net: &mut Network, name: &str, x: &str, inputs: u16, outputs: u16) -> String {
    let dims = [i64::from(inputs), i64::from(outputs)];
    let weight = net.weight(&format!("{name}.weight"), &dims, inputs);
    let bias = net.weight(&format!("{name}.bias"), &dims[1..], inputs);
    let product = net.op(&format!("{name}/MatMul"), "MatMul", &[x, &weight], &[]);
    net.op(&format!("{name}/Add"), "Add", &[&bias, &product], &[])
}

/// x / 2 · (1 + erf(x / √2)).
fn gelu(net: &mut Network, name: &str, x: &str) -> String {
    let scaled = net.op(&format!("{name}/gelu/Div"), "Div", &[x, "root_two"], &[]);
    let erf = net.op(&format!("{name}/gelu/Erf"), "Erf", &[&scaled], &[]);
    let shifted = net.op(&format!("{name}/gelu/Add"), "Add", &[&erf, "unit"], &[]);
    let product = net.op(&format!("{name}/gelu/Mul"), "Mul", &[x, &shifted], &[]);
    net.op(&format!("{name}/gelu/Mul_1"), "Mul", &[&product, "half"], &[])
}

fn norm(net: &mut Network, name: &str, x: &str, output: &str) -> String {
    let scale = net.fill(&format!("{name}.norm.weight"), WIDTH, 1.0);
    let bias = net.fill(&format!("{name}.norm.bias"), WIDTH, 0.0);
    let attributes = [Attribute::int("axis", -1), Attribute::float("epsilon", 1e-12)];
    let node = format!("{name}/LayerNormalization");
    net.op_to(&node, "LayerNormalization", &[x, &scale, &bias], &[output], &attributes);
    output.to_owned()
}
