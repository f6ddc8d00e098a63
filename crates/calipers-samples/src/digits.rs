//! A small convolutional network that classifies handwritten digits, after LeNet.
//!
//! The weights are random: it has the shape of a classifier, not its skill.
//!
//! | layer | output | parameters | multiply-accumulates |
//! |---|---|---|---|
//! | Conv 5×5, 1 → 8 | 8×28×28 | 8·1·25 + 8 = 208 | 28·28·8·25 = 156,800 |
//! | BatchNormalization | | 4·8 = 32, including 16 running statistics | |
//! | Relu, MaxPool 2×2 | 8×14×14 | | |
//! | Conv 5×5, 8 → 16 | 16×14×14 | 16·8·25 + 16 = 3,216 | 14·14·16·200 = 627,200 |
//! | BatchNormalization | | 4·16 = 64, including 32 running statistics | |
//! | Relu, MaxPool 2×2 | 16×7×7 | | |
//! | Flatten, Gemm 784 → 10 | 10 | 784·10 + 10 = 7,850 | 7,840 |
//! | **sum** | | **11,370**, 11,322 trainable | **791,840** for each image |

use crate::net::{Conv, Network};
use crate::{Attribute, DataType, ModelBuilder, Sample};

/// Learned elements: 208 + 32 + 3,216 + 64 + 7,850.
pub const PARAMETERS: u64 = 11_370;

/// Of those, the ones that training changes by gradient: all but 2·8 + 2·16 running statistics.
pub const TRAINABLE: u64 = 11_322;

/// Multiply-accumulates for one image: 156,800 + 627,200 + 7,840.
pub const MACS_PER_IMAGE: u64 = 791_840;

/// The model with its figures. Nodes: four to each of two stages, Flatten, Gemm. Initializers: two
/// to a Conv, four to a BatchNormalization, two to the Gemm.
pub const SAMPLE: Sample = Sample {
    name: "digits",
    model,
    parameters: PARAMETERS,
    nodes: 10,
    nodes_total: 10,
    initializers: 14,
};

/// The file's bytes: input `image`, `float32[batch, 1, 28, 28]`; output `scores`,
/// `float32[batch, 10]`.
pub fn model() -> Vec<u8> {
    let mut net = Network::new("digits", 28);
    net.graph.input("image", DataType::F32, &["batch", "1", "28", "28"]);
    net.graph.output("scores", DataType::F32, &["batch", "10"]);

    let first = stage(&mut net, "stage1", "image", Conv::new(1, 8, 5, 1));
    let second = stage(&mut net, "stage2", &first, Conv::new(8, 16, 5, 1));
    let flat = net.op("classifier/Flatten", "Flatten", &[&second], &[Attribute::int("axis", 1)]);
    let weight = net.weight("classifier.weight", &[10, 784], 784);
    let bias = net.weight("classifier.bias", &[10], 784);
    let attributes = [
        Attribute::float("alpha", 1.0),
        Attribute::float("beta", 1.0),
        Attribute::int("transB", 1),
    ];
    let inputs = [&*flat, &weight, &bias];
    net.op_to("classifier/Gemm", "Gemm", &inputs, &["scores"], &attributes);

    ModelBuilder::new(17)
        .doc("Classifies handwritten digits. The weights are random.")
        .metadata("classes", "0,1,2,3,4,5,6,7,8,9")
        .graph(net.graph)
        .build()
}

fn stage(net: &mut Network, name: &str, x: &str, shape: Conv) -> String {
    let features = net.conv(&format!("{name}.conv"), x, shape);
    let norm = |part: &str| format!("{name}.norm.{part}");
    let scale = net.fill(&norm("scale"), shape.outputs, 1.0);
    let bias = net.fill(&norm("bias"), shape.outputs, 0.0);
    let mean = net.fill(&norm("running_mean"), shape.outputs, 0.0);
    let variance = net.fill(&norm("running_var"), shape.outputs, 1.0);
    let normal = net.op(
        &format!("{name}/BatchNormalization"),
        "BatchNormalization",
        &[&features, &scale, &bias, &mean, &variance],
        &[Attribute::float("epsilon", 1e-5), Attribute::float("momentum", 0.9)],
    );
    let active = net.op(&format!("{name}/Relu"), "Relu", &[&normal], &[]);
    let pool = [Attribute::ints("kernel_shape", &[2, 2]), Attribute::ints("strides", &[2, 2])];
    net.op(&format!("{name}/MaxPool"), "MaxPool", &[&active], &pool)
}
