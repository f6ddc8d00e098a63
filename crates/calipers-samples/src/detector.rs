//! A small detector of objects, after YOLOv8: no anchors, three scales, boxes decoded in the graph.
//!
//! An image of 128×128 has 16² + 8² + 4² = 336 boxes, each of four numbers and three scores.
//! A convolution has `in·out·k² + out` parameters. C2f halves its channels, runs one bottleneck of
//! two 3×3 convolutions over one half, and joins three halves.
//!
//! | part | parameters |
//! |---|---|
//! | Conv 3 → 8, 8 → 16 | 224 + 1,168 |
//! | C2f 16 → 16 | 272 + 2·584 + 400 = 1,840 |
//! | Conv 16 → 16, C2f 16 → 16 | 2,320 + 1,840 |
//! | Conv 16 → 32, C2f 32 → 32 | 4,640 + (1,056 + 2·2,320 + 1,568 = 7,264) |
//! | Conv 32 → 32, SPPF | 9,248 + (528 + 2,080 = 2,608) |
//! | backbone | 31,152 |
//! | C2f 64 → 32 | 2,080 + 4,640 + 1,568 = 8,288 |
//! | C2f 48 → 16 | 784 + 1,168 + 400 = 2,352 |
//! | Conv 16 → 16, C2f 48 → 32 | 2,320 + (1,568 + 4,640 + 1,568 = 7,776) |
//! | Conv 32 → 32, C2f 64 → 32 | 9,248 + 8,288 |
//! | neck | 38,272 |
//! | head of 16 channels | 2,320 + 1,088 + 2,320 + 51 = 5,779 |
//! | two heads of 32 channels | 2·(4,624 + 1,088 + 4,624 + 51) = 20,774 |
//! | expectation over 16 bins | 16 |
//! | **sum** | 31,152 + 38,272 + 5,779 + 20,774 + 16 = **95,993** |
//!
//! No parameters are the 2·336 anchor points, the 336 strides, shapes, sizes and scales.

use crate::net::{Conv, Network};
use crate::{Attribute, DataType, ModelBuilder, Sample, Tensor};

/// Learned elements, with the 16 fixed ones of the expectation.
pub const PARAMETERS: u64 = 95_993;

const CLASSES: u16 = 3;
const BINS: u16 = 16;
const SIDES: [u16; 3] = [16, 8, 4];
const STRIDES: [f32; 3] = [8.0, 16.0, 32.0];
const BOXES: i64 = 16 * 16 + 8 * 8 + 4 * 4;

/// The model with its figures.
///
/// Nodes, a Conv with its activation being 3, C2f 15 and SPPF 10: backbone 5·3 + 3·15 + 10 = 70;
/// neck 4·15 + 2·3, four Concat and two Resize = 72; heads 3·9 = 27; decoding 20.
/// Initializers: two to each of 19 + 18 + 12 convolutions (backbone, neck, heads), one of the
/// expectation, and 9 constants.
pub const SAMPLE: Sample = Sample {
    name: "detector",
    model,
    parameters: PARAMETERS,
    nodes: 189,
    nodes_total: 189,
    initializers: 108,
};

/// The file's bytes: input `images`, `float32[batch, 3, 128, 128]`; output `boxes`,
/// `float32[batch, 7, 336]`, rows being center x, center y, width, height, and three scores.
pub fn model() -> Vec<u8> {
    let mut net = Network::new("detector", 640);
    net.graph.input("images", DataType::F32, &["batch", "3", "128", "128"]);
    net.graph.output("boxes", DataType::F32, &["batch", "7", "336"]);
    net.graph.initializer(&Tensor::f32("twice", &[4], &[1.0, 1.0, 2.0, 2.0]));

    let backbone = backbone(&mut net);
    let necks = neck(&mut net, &backbone);
    let heads = [
        head(&mut net, "head.0", &necks[0], 16),
        head(&mut net, "head.1", &necks[1], 32),
        head(&mut net, "head.2", &necks[2], 32),
    ];
    decode(&mut net, &heads);

    ModelBuilder::new(17)
        .doc("Detects objects in an image. The weights are random.")
        .metadata("task", "detect")
        .metadata("stride", "32")
        .metadata("names", "{0: 'person', 1: 'bicycle', 2: 'car'}")
        .graph(net.graph)
        .build()
}

/// Features at strides 8, 16 and 32, of 16, 32 and 32 channels.
fn backbone(net: &mut Network) -> [String; 3] {
    let x = silu(net, "backbone.0", "images", Conv::new(3, 8, 3, 2));
    let x = silu(net, "backbone.1", &x, Conv::new(8, 16, 3, 2));
    let x = c2f(net, "backbone.2", &x, 16, 16);
    let x = silu(net, "backbone.3", &x, Conv::new(16, 16, 3, 2));
    let fine = c2f(net, "backbone.4", &x, 16, 16);
    let x = silu(net, "backbone.5", &fine, Conv::new(16, 32, 3, 2));
    let middle = c2f(net, "backbone.6", &x, 32, 32);
    let x = silu(net, "backbone.7", &middle, Conv::new(32, 32, 3, 2));
    let coarse = sppf(net, "backbone.8", &x, 32);
    [fine, middle, coarse]
}

/// Carries coarse features down to the fine ones, and the result up again.
fn neck(net: &mut Network, [fine, middle, coarse]: &[String; 3]) -> [String; 3] {
    let up = upsample(net, "neck.0", coarse);
    let x = concat(net, "neck.1", &[&up, middle], 1);
    let between = c2f(net, "neck.2", &x, 64, 32);
    let up = upsample(net, "neck.3", &between);
    let x = concat(net, "neck.4", &[&up, fine], 1);
    let small = c2f(net, "neck.5", &x, 48, 16);
    let down = silu(net, "neck.6", &small, Conv::new(16, 16, 3, 2));
    let x = concat(net, "neck.7", &[&down, &between], 1);
    let medium = c2f(net, "neck.8", &x, 48, 32);
    let down = silu(net, "neck.9", &medium, Conv::new(32, 32, 3, 2));
    let x = concat(net, "neck.10", &[&down, coarse], 1);
    let large = c2f(net, "neck.11", &x, 64, 32);
    [small, medium, large]
}

/// Bins of the four sides and scores of the classes, `[batch, 64 + 3, side, side]`.
fn head(net: &mut Network, name: &str, x: &str, channels: u16) -> String {
    let sides = silu(net, &format!("{name}.box.0"), x, Conv::new(channels, 16, 3, 1));
    let sides = net.conv(&format!("{name}.box.1"), &sides, Conv::new(16, 4 * BINS, 1, 1));
    let scores = silu(net, &format!("{name}.class.0"), x, Conv::new(channels, 16, 3, 1));
    let scores = net.conv(&format!("{name}.class.1"), &scores, Conv::new(16, CLASSES, 1, 1));
    concat(net, name, &[&sides, &scores], 1)
}

/// Turns bins into distances, distances into boxes in pixels, and scores into probabilities.
fn decode(net: &mut Network, heads: &[String; 3]) {
    let [bins, classes] = [4 * BINS, CLASSES].map(i64::from);
    net.ints("flat_shape", &[0, bins + classes, -1]);
    let mut flat = Vec::new();
    for (index, head) in heads.iter().enumerate() {
        let name = format!("head.{index}/Reshape");
        flat.push(net.op(&name, "Reshape", &[head, "flat_shape"], &[]));
    }
    let all = concat(net, "decode", &[&flat[0], &flat[1], &flat[2]], 2);
    net.ints("parts", &[bins, classes]);
    let axis = Attribute::int("axis", 1);
    let parts = ["decode/sides", "decode/scores"];
    net.op_to("decode/Split", "Split", &[&all, "parts"], &parts, std::slice::from_ref(&axis));

    let distances = expectation(net, "decode/sides");
    net.ints("corners", &[2, 2]);
    let corners = ["decode/near", "decode/far"];
    net.op_to("decode/Split_1", "Split", &[&distances, "corners"], &corners, &[axis]);
    anchors(net);
    net.scalar("two", 2.0);
    let low = net.op("decode/Sub", "Sub", &["anchors", "decode/near"], &[]);
    let high = net.op("decode/Add", "Add", &["anchors", "decode/far"], &[]);
    let sum = net.op("decode/Add_1", "Add", &[&low, &high], &[]);
    let center = net.op("decode/Div", "Div", &[&sum, "two"], &[]);
    let size = net.op("decode/Sub_1", "Sub", &[&high, &low], &[]);
    let cells = concat(net, "decode/boxes", &[&center, &size], 1);
    let pixels = net.op("decode/Mul", "Mul", &[&cells, "strides"], &[]);
    let scores = net.op("decode/Sigmoid", "Sigmoid", &["decode/scores"], &[]);
    let axis = Attribute::int("axis", 1);
    net.op_to("decode/Concat_1", "Concat", &[&pixels, &scores], &["boxes"], &[axis]);
}

/// The mean of each side's distribution over its bins, by a convolution with 0, 1, … 15.
fn expectation(net: &mut Network, sides: &str) -> String {
    let bins = i64::from(BINS);
    net.ints("bins_shape", &[0, 4, bins, BOXES]);
    net.ints("sides_shape", &[0, 4, BOXES]);
    let numbers: Vec<f32> = (0..BINS).map(f32::from).collect();
    net.graph.initializer(&Tensor::f32("decode.expectation.weight", &[1, bins, 1, 1], &numbers));

    let x = net.op("decode/Reshape", "Reshape", &[sides, "bins_shape"], &[]);
    let perm = Attribute::ints("perm", &[0, 2, 1, 3]);
    let x = net.op("decode/Transpose", "Transpose", &[&x], &[perm]);
    let x = net.op("decode/Softmax", "Softmax", &[&x], &[Attribute::int("axis", 1)]);
    let kernel = Attribute::ints("kernel_shape", &[1, 1]);
    let x = net.op("decode/Conv", "Conv", &[&x, "decode.expectation.weight"], &[kernel]);
    net.op("decode/Reshape_1", "Reshape", &[&x, "sides_shape"], &[])
}

/// Stores the middle of every cell, in cells, and every cell's side, in pixels.
fn anchors(net: &mut Network) {
    let (mut across, mut down, mut strides) = (Vec::new(), Vec::new(), Vec::new());
    for (side, stride) in SIDES.into_iter().zip(STRIDES) {
        for cell in 0..side * side {
            across.push(f32::from(cell % side) + 0.5);
            down.push(f32::from(cell / side) + 0.5);
            strides.push(stride);
        }
    }
    across.extend(down);
    net.graph.initializer(&Tensor::f32("anchors", &[1, 2, BOXES], &across));
    net.graph.initializer(&Tensor::f32("strides", &[1, BOXES], &strides));
}

/// A convolution and x·sigmoid(x): three nodes.
fn silu(net: &mut Network, name: &str, x: &str, shape: Conv) -> String {
    let x = net.conv(name, x, shape);
    let gate = net.op(&format!("{name}/Sigmoid"), "Sigmoid", &[&x], &[]);
    net.op(&format!("{name}/Mul"), "Mul", &[&x, &gate], &[])
}

fn c2f(net: &mut Network, name: &str, x: &str, inputs: u16, outputs: u16) -> String {
    let half = outputs / 2;
    let x = silu(net, &format!("{name}.in"), x, Conv::new(inputs, outputs, 1, 1));
    let [left, right] = ["left", "right"].map(|part| format!("{name}/{part}"));
    let axis = Attribute::int("axis", 1);
    net.op_to(&format!("{name}/Split"), "Split", &[&x], &[&left, &right], &[axis]);
    let y = silu(net, &format!("{name}.inner.0"), &right, Conv::new(half, half, 3, 1));
    let y = silu(net, &format!("{name}.inner.1"), &y, Conv::new(half, half, 3, 1));
    let y = net.op(&format!("{name}/Add"), "Add", &[&right, &y], &[]);
    let joined = concat(net, name, &[&left, &right, &y], 1);
    silu(net, &format!("{name}.out"), &joined, Conv::new(3 * half, outputs, 1, 1))
}

/// Three poolings of 5×5 in a row, joined: the view widens to 13×13.
fn sppf(net: &mut Network, name: &str, x: &str, channels: u16) -> String {
    let half = channels / 2;
    let mut views = vec![silu(net, &format!("{name}.in"), x, Conv::new(channels, half, 1, 1))];
    for index in 0..3 {
        let attributes = [
            Attribute::ints("kernel_shape", &[5, 5]),
            Attribute::ints("pads", &[2; 4]),
            Attribute::ints("strides", &[1, 1]),
        ];
        let pool = format!("{name}/MaxPool_{index}");
        views.push(net.op(&pool, "MaxPool", &[&views[index]], &attributes));
    }
    let views: Vec<&str> = views.iter().map(String::as_str).collect();
    let joined = concat(net, name, &views, 1);
    silu(net, &format!("{name}.out"), &joined, Conv::new(4 * half, channels, 1, 1))
}

fn upsample(net: &mut Network, name: &str, x: &str) -> String {
    let attributes = [
        Attribute::string("coordinate_transformation_mode", "asymmetric"),
        Attribute::string("mode", "nearest"),
        Attribute::string("nearest_mode", "floor"),
    ];
    net.op(&format!("{name}/Resize"), "Resize", &[x, "", "twice"], &attributes)
}

fn concat(net: &mut Network, name: &str, parts: &[&str], axis: i64) -> String {
    net.op(&format!("{name}/Concat"), "Concat", parts, &[Attribute::int("axis", axis)])
}
