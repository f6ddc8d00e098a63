//! Tasks of networks of a few layers. Each rule has a network that it recognizes, and one next to it
//! that it must leave alone.

mod images;
mod inputs;
mod others;
mod sounds;

use calipers_report::{Confidence, Task};
use calipers_samples::{Attribute, DataType, ModelBuilder, Tensor};

/// A network that is being written down.
struct Draft {
    model: ModelBuilder,
    count: usize,
}

impl Draft {
    fn new() -> Self {
        Self { model: ModelBuilder::new(17), count: 0 }
    }

    /// A draft with one input of floats.
    fn over(name: &str, shape: &[&str]) -> Self {
        let mut draft = Self::new();
        draft.model.input(name, DataType::F32, shape);
        draft
    }

    fn name(&mut self) -> String {
        self.count += 1;
        format!("v{}", self.count)
    }

    fn weight(&mut self, dims: &[i64]) -> String {
        let name = self.name();
        let count = usize::try_from(dims.iter().product::<i64>()).unwrap();
        self.model.initializer(&Tensor::f32(&name, dims, &vec![0.5; count]));
        name
    }

    fn ints(&mut self, values: &[i64]) -> String {
        let name = self.name();
        let count = i64::try_from(values.len()).unwrap();
        self.model.initializer(&Tensor::i64(&name, &[count], values));
        name
    }

    fn op(&mut self, op: &str, inputs: &[&str], with: &[Attribute]) -> String {
        let name = self.name();
        self.model.node(op, inputs, &[&name], with);
        name
    }

    /// A convolution with a bias that keeps the size, divided by the stride.
    fn conv(&mut self, x: &str, [from, to]: [i64; 2], stride: i64) -> String {
        let (weight, bias) = (self.weight(&[to, from, 3, 3]), self.weight(&[to]));
        let with = [Attribute::ints("pads", &[1; 4]), Attribute::ints("strides", &[stride; 2])];
        self.op("Conv", &[x, &weight, &bias], &with)
    }

    /// A convolution over one axis.
    fn conv1d(&mut self, x: &str, [from, to]: [i64; 2], stride: i64) -> String {
        let (weight, bias) = (self.weight(&[to, from, 3]), self.weight(&[to]));
        let with = [Attribute::ints("pads", &[1; 2]), Attribute::ints("strides", &[stride])];
        self.op("Conv", &[x, &weight, &bias], &with)
    }

    /// A product with a stored matrix, and a bias.
    fn linear(&mut self, x: &str, [from, to]: [i64; 2]) -> String {
        let (weight, bias) = (self.weight(&[from, to]), self.weight(&[to]));
        let product = self.op("MatMul", &[x, &weight], &[]);
        self.op("Add", &[&product, &bias], &[])
    }

    fn reshape(&mut self, x: &str, dims: &[i64]) -> String {
        let dims = self.ints(dims);
        self.op("Reshape", &[x, &dims], &[])
    }

    /// The vector of channels, pooled over the positions of an image.
    fn pooled(&mut self, x: &str) -> String {
        let pooled = self.op("GlobalAveragePool", &[x], &[]);
        self.op("Flatten", &[&pooled], &[])
    }

    /// The task of the network with an output.
    fn ends(self, output: &str) -> Task {
        self.ends_named(&[(output, output)])
    }

    /// The task of the network with outputs of these names.
    fn ends_named(mut self, outputs: &[(&str, &str)]) -> Task {
        for (value, name) in outputs {
            if value != name {
                self.model.node("Identity", &[value], &[name], &[]);
            }
            let ty = calipers_samples::Type::unranked(DataType::F32);
            self.model.output_of(name, &ty);
        }
        let bytes = self.model.build();
        let model = calipers_formats::read(bytes, "draft.onnx").unwrap();
        crate::testing::report(&model).task
    }
}

/// The id of the task, and how sure that is.
fn summary(task: &Task) -> (&'static str, Confidence) {
    (task.kind.id(), task.confidence)
}
