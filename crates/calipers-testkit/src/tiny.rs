//! Tiny models for unit tests, written a node at a time.

use calipers_samples::{Attribute, DataType, ModelBuilder, Node, Tensor, Type};

/// Domain of ONNX Runtime's own operators.
const CONTRIB: &str = "com.microsoft";

/// A model under construction. Every method that adds a value returns its name.
pub struct Tiny {
    model: ModelBuilder,
    values: usize,
}

impl Default for Tiny {
    fn default() -> Self {
        Self::new()
    }
}

impl Tiny {
    /// An empty model of a recent opset.
    pub fn new() -> Self {
        Self::of_opset(24)
    }

    /// An empty model of this opset.
    pub fn of_opset(version: i64) -> Self {
        let mut model = ModelBuilder::new(version);
        model.opset(CONTRIB, 1);
        Self { model, values: 0 }
    }

    fn name(&mut self, kind: &str) -> String {
        self.values += 1;
        format!("{kind}{}", self.values)
    }

    /// An input of floats.
    pub fn input(&mut self, shape: &[&str]) -> String {
        self.input_of(DataType::F32, shape)
    }

    /// An input of any type.
    pub fn input_of(&mut self, dtype: DataType, shape: &[&str]) -> String {
        let name = self.name("input");
        self.model.input(&name, dtype, shape);
        name
    }

    /// A stored number.
    pub fn scalar(&mut self, value: f32) -> String {
        let name = self.name("number");
        self.model.initializer(&Tensor::f32(&name, &[], &[value]));
        name
    }

    /// A number that is stored in eight bits and dequantized.
    pub fn stored_scalar(&mut self, value: f32) -> String {
        let name = self.name("stored");
        self.model.initializer(&Tensor::raw(&name, DataType::U8, &[], &[255]));
        let scale = self.scalar(value / 255.0);
        let zero = self.raw(DataType::U8, &[], &[0]);
        self.op("DequantizeLinear", &[&name, &scale, &zero])
    }

    /// A stored tensor of some floats.
    pub fn weight(&mut self, dims: &[i64]) -> String {
        let count = usize::try_from(dims.iter().product::<i64>()).unwrap();
        let values: Vec<f32> = (0..count).map(|at| (at % 7) as f32 * 0.25 + 0.5).collect();
        let name = self.name("weight");
        self.model.initializer(&Tensor::f32(&name, dims, &values));
        name
    }

    /// Stored numbers.
    pub fn floats(&mut self, values: &[f32]) -> String {
        let name = self.name("floats");
        let count = i64::try_from(values.len()).unwrap();
        self.model.initializer(&Tensor::f32(&name, &[count], values));
        name
    }

    /// A stored tensor of bytes.
    pub fn raw(&mut self, dtype: DataType, dims: &[i64], bytes: &[u8]) -> String {
        let name = self.name("raw");
        self.model.initializer(&Tensor::raw(&name, dtype, dims, bytes));
        name
    }

    /// Stored whole numbers.
    pub fn ints(&mut self, values: &[i64]) -> String {
        let name = self.name("ints");
        let count = i64::try_from(values.len()).unwrap();
        self.model.initializer(&Tensor::i64(&name, &[count], values));
        name
    }

    /// A stored whole number.
    pub fn index(&mut self, value: i64) -> String {
        let name = self.name("index");
        self.model.initializer(&Tensor::i64(&name, &[], &[value]));
        name
    }

    /// A node.
    pub fn op(&mut self, op: &str, inputs: &[&str]) -> String {
        self.op_with(op, inputs, &[])
    }

    /// A node with attributes.
    pub fn op_with(&mut self, op: &str, inputs: &[&str], with: &[Attribute]) -> String {
        let name = self.name(op);
        self.model.node(op, inputs, &[&name], with);
        name
    }

    /// A node of several outputs.
    pub fn many(
        &mut self,
        op: &str,
        inputs: &[&str],
        count: usize,
        with: &[Attribute],
    ) -> Vec<String> {
        let names: Vec<String> = (0..count).map(|_| self.name(op)).collect();
        let outputs: Vec<&str> = names.iter().map(String::as_str).collect();
        self.model.node(op, inputs, &outputs, with);
        names
    }

    /// A node of ONNX Runtime's own.
    pub fn contrib(&mut self, op: &str, inputs: &[&str]) -> String {
        self.contrib_with(op, inputs, &[])
    }

    /// A node of ONNX Runtime's own with attributes.
    pub fn contrib_with(&mut self, op: &str, inputs: &[&str], with: &[Attribute]) -> String {
        let name = self.name(op);
        self.model.push(&Node::new(op, inputs, &[&name], with).in_domain(CONTRIB));
        name
    }

    /// A node as it is.
    pub fn push(&mut self, node: &Node) {
        self.model.push(node);
    }

    /// A node whose second operand is a number.
    pub fn with(&mut self, op: &str, x: &str, number: f32) -> String {
        let number = self.scalar(number);
        self.op(op, &[x, &number])
    }

    /// A cast to the type of this number in ONNX: 1 is float, 10 is half.
    pub fn cast(&mut self, x: &str, to: i64) -> String {
        self.op_with("Cast", &[x], &[Attribute::int("to", to)])
    }

    /// A value that is quantized and dequantized.
    pub fn quantized(&mut self, x: &str) -> String {
        let scale = self.scalar(0.1);
        let zero = self.raw(DataType::U8, &[], &[128]);
        let stored = self.op("QuantizeLinear", &[x, &scale, &zero]);
        self.op("DequantizeLinear", &[&stored, &scale, &zero])
    }

    /// An operator on whole numbers, with the scale and zero point of each operand and the result.
    pub fn on_integers(&mut self, op: &str, operands: &[&str]) -> String {
        let scale = self.scalar(0.1);
        let zero = self.raw(DataType::U8, &[], &[0]);
        let mut inputs: Vec<&str> = Vec::new();
        for operand in operands {
            inputs.extend([operand, scale.as_str(), zero.as_str()]);
        }
        inputs.extend([scale.as_str(), zero.as_str()]);
        self.contrib(op, &inputs)
    }

    /// Stored floats of any shape.
    pub fn stored(&mut self, dims: &[i64], values: &[f32]) -> String {
        let name = self.name("stored");
        self.model.initializer(&Tensor::f32(&name, dims, values));
        name
    }

    /// Ends the model with a value and writes it.
    pub fn build(self, name: &str) -> Vec<u8> {
        self.output(name).0
    }

    /// Ends the model with a value and looks at its network.
    pub fn output(self, name: &str) -> TinyModel {
        self.outputs(&[name])
    }

    /// A model of one input, ending with what is built on it.
    pub fn over(
        mut self,
        shape: &[&str],
        build: impl FnOnce(&mut Self, &str) -> String,
    ) -> TinyModel {
        let x = self.input(shape);
        let y = build(&mut self, &x);
        self.output(&y)
    }

    /// Ends the model with several values.
    pub fn outputs(mut self, names: &[&str]) -> TinyModel {
        for name in names {
            self.model.output_of(name, &Type::unranked(DataType::F32));
        }
        TinyModel(self.model.build())
    }
}

/// A finished tiny model.
pub struct TinyModel(Vec<u8>);

impl TinyModel {
    /// The bytes of the model's file.
    pub fn bytes(&self) -> Vec<u8> {
        self.0.clone()
    }
}
