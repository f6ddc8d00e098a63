//! What the sample networks have in common: named nodes, and weights that look learned.

use crate::{Attribute, Graph, Node, Tensor};

/// A graph that grows node by node, with a source of weights.
pub(crate) struct Network {
    pub(crate) graph: Graph,
    weights: Weights,
}

impl Network {
    /// An empty network; the seed decides its weights.
    pub(crate) fn new(name: &str, seed: u64) -> Self {
        Self { graph: Graph::new(name), weights: Weights { state: seed } }
    }

    /// Adds a node with one output and returns the output's name, which is the node's own with
    /// `_output` after it.
    pub(crate) fn op(
        &mut self,
        name: &str,
        op: &str,
        inputs: &[&str],
        attributes: &[Attribute],
    ) -> String {
        let output = format!("{name}_output");
        self.op_to(name, op, inputs, &[&output], attributes);
        output
    }

    /// Adds a node whose outputs have names of their own.
    pub(crate) fn op_to(
        &mut self,
        name: &str,
        op: &str,
        inputs: &[&str],
        outputs: &[&str],
        attributes: &[Attribute],
    ) {
        self.graph.push(&Node::new(op, inputs, outputs, attributes).named(name));
    }

    /// Stores random weights, see [`Weights::tensor`], and returns their name.
    pub(crate) fn weight(&mut self, name: &str, dims: &[i64], fan_in: u16) -> String {
        let tensor = self.weights.tensor(name, dims, fan_in);
        self.graph.initializer(&tensor);
        name.to_owned()
    }

    /// Stores a vector of one value over and over and returns its name.
    pub(crate) fn fill(&mut self, name: &str, length: u16, value: f32) -> String {
        let values = vec![value; usize::from(length)];
        self.graph.initializer(&Tensor::f32(name, &[i64::from(length)], &values));
        name.to_owned()
    }

    /// Stores a number and returns its name.
    pub(crate) fn scalar(&mut self, name: &str, value: f32) -> String {
        self.graph.initializer(&Tensor::f32(name, &[], &[value]));
        name.to_owned()
    }

    /// Stores a list of whole numbers and returns its name.
    pub(crate) fn ints(&mut self, name: &str, values: &[i64]) -> String {
        let length = i64::try_from(values.len()).unwrap_or(i64::MAX);
        self.graph.initializer(&Tensor::i64(name, &[length], values));
        name.to_owned()
    }

    /// A convolution with a bias and a square kernel, padded so that only the stride shrinks the
    /// image. It has `inputs × outputs × kernel² + outputs` parameters.
    pub(crate) fn conv(&mut self, name: &str, x: &str, shape: Conv) -> String {
        let Conv { inputs, outputs, kernel, stride } = shape;
        let fan_in = inputs * kernel * kernel;
        let [i, o, k, s] = [inputs, outputs, kernel, stride].map(i64::from);
        let weight = self.weight(&format!("{name}.weight"), &[o, i, k, k], fan_in);
        let bias = self.weight(&format!("{name}.bias"), &[o], fan_in);
        let attributes = [
            Attribute::ints("dilations", &[1, 1]),
            Attribute::int("group", 1),
            Attribute::ints("kernel_shape", &[k, k]),
            Attribute::ints("pads", &[k / 2; 4]),
            Attribute::ints("strides", &[s, s]),
        ];
        self.op(&format!("{name}/Conv"), "Conv", &[x, &weight, &bias], &attributes)
    }
}

/// What a convolution is made of: channels in and out, side of the kernel, step.
#[derive(Clone, Copy)]
pub(crate) struct Conv {
    pub(crate) inputs: u16,
    pub(crate) outputs: u16,
    pub(crate) kernel: u16,
    pub(crate) stride: u16,
}

impl Conv {
    pub(crate) fn new(inputs: u16, outputs: u16, kernel: u16, stride: u16) -> Self {
        Self { inputs, outputs, kernel, stride }
    }
}

/// Random numbers that are the same on every machine (splitmix64).
pub(crate) struct Weights {
    state: u64,
}

impl Weights {
    pub(crate) fn new(seed: u64) -> Self {
        Self { state: seed }
    }

    /// A `float32` tensor of random numbers: within ±√(6/`fan_in`), so that a signal neither fades
    /// nor grows on its way through many layers; a vector, being a bias, within ±1/√`fan_in`.
    pub(crate) fn tensor(&mut self, name: &str, dims: &[i64], fan_in: u16) -> Tensor {
        let spread = if dims.len() > 1 { 6.0 } else { 1.0 };
        let bound = (spread / f32::from(fan_in.max(1))).sqrt();
        let count: i64 = dims.iter().product();
        let values: Vec<f32> = (0..count).map(|_| self.next() * bound).collect();
        Tensor::f32(name, dims, &values)
    }

    /// A number from -1 up to, not including, 1.
    fn next(&mut self) -> f32 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        let [high, low, ..] = (mixed ^ (mixed >> 31)).to_be_bytes();
        f32::from(i16::from_be_bytes([high, low])) / 32768.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn weights_are_spread_and_the_same_every_time() {
        let draw = |seed| {
            let mut weights = Weights::new(seed);
            (0..1000).map(|_| weights.next()).collect::<Vec<f32>>()
        };
        let numbers = draw(1);
        assert_eq!(numbers, draw(1));
        assert_ne!(numbers, draw(2));
        assert!(numbers.iter().all(|n| (-1.0..1.0).contains(n)));
        let mean = numbers.iter().sum::<f32>() / 1000.0;
        assert!(mean.abs() < 0.1, "mean {mean}");
    }
}
