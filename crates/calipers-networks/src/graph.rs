//! Nodes, values and scopes of a graph that is being built.

use std::collections::{HashMap, HashSet};

use calipers_ir::assembly::{Assembly, Call, Setting};
use calipers_ir::{DType, Data, Dim, NameId, StoredWeight, TooLarge, TypeId, WeightRole};

use crate::Network;
use crate::names::Convention;
use crate::network::{Activation, Packing};
use crate::weights::Weights;

/// ONNX Runtime's own operators.
pub(crate) const MICROSOFT: &str = "com.microsoft";

/// Operators that several frameworks have, and ONNX does not.
pub(crate) const FRAMEWORKS: &str = "frameworks";

/// The free dimensions of a graph.
pub(crate) const BATCH: Size = Size::Named("batch");
pub(crate) const SEQUENCE: Size = Size::Named("sequence");
pub(crate) const PAST: Size = Size::Named("past_sequence");
pub(crate) const TOTAL: Size = Size::Named("past_sequence + sequence");

/// A dimension of an input or output.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Size {
    Fixed(i64),
    Named(&'static str),
}

impl From<i64> for Size {
    fn from(size: i64) -> Self {
        Self::Fixed(size)
    }
}

/// A result, or more parts than fit.
pub(crate) type Built<T> = Result<T, TooLarge>;

/// A graph that is being built.
pub(crate) struct Graph<'g, 'b> {
    assembly: &'g mut Assembly<'b>,
    pub(crate) weights: Weights<'g>,
    pub(crate) packing: Packing,
    /// The type of the activations.
    pub(crate) dtype: DType,
    /// The type of the cache.
    pub(crate) cache_dtype: DType,
    /// The type that tensors which are not stored have.
    pub(crate) stored_dtype: DType,
    float: TypeId,
    scope: String,
    /// How often each name of a node was given.
    given: HashMap<String, u32>,
    /// Tensors that were added because the file lacks them.
    absent: HashSet<String>,
    integers: HashMap<(Vec<i64>, bool), NameId>,
    next_output: Option<NameId>,
}

impl<'g, 'b> Graph<'g, 'b> {
    pub(crate) fn new(
        assembly: &'g mut Assembly<'b>,
        weights: Weights<'g>,
        network: &Network,
    ) -> Built<Self> {
        let is_real = |dtype: &DType| {
            matches!(dtype, DType::Float32 | DType::Float16 | DType::Bfloat16 | DType::Float64)
        };
        let is_gguf = weights.convention() == Convention::Gguf;
        let stated = network.dtype.or(weights.dtype).filter(is_real);
        // llama.cpp computes on 32 bits and keeps keys and values in 16.
        let dtype = if is_gguf { DType::Float32 } else { stated.unwrap_or(DType::Float32) };
        let cache_dtype = if is_gguf { DType::Float16 } else { dtype };
        let stored_dtype = weights.dtype.unwrap_or(dtype);
        let float = assembly.tensor_type(dtype, None)?;
        Ok(Self {
            assembly,
            weights,
            packing: network.packing.clone(),
            dtype,
            cache_dtype,
            stored_dtype,
            float,
            scope: String::new(),
            given: HashMap::new(),
            absent: HashSet::new(),
            integers: HashMap::new(),
            next_output: None,
        })
    }

    /// Names the graph.
    pub(crate) fn name(&mut self, name: &str) {
        let id = self.assembly.name(name);
        let graph = self.assembly.graph;
        self.assembly.builder.graph_mut(graph).name = id;
    }

    /// The name of an operand that is left out.
    pub(crate) fn none(&self) -> NameId {
        self.assembly.none()
    }

    /// Adds nodes in a module inside the one at hand.
    pub(crate) fn within<T>(
        &mut self,
        module: &str,
        add: impl FnOnce(&mut Self) -> Built<T>,
    ) -> Built<T> {
        let length = self.scope.len();
        self.scope.push('/');
        self.scope.push_str(module);
        let result = add(self);
        self.scope.truncate(length);
        result
    }

    fn shape(&mut self, dims: &[Size]) -> Vec<Dim> {
        let dim = |dim: &Size| match dim {
            Size::Fixed(size) => Dim::Size(*size),
            Size::Named(name) => Dim::Symbol(self.assembly.name(name)),
        };
        dims.iter().map(dim).collect()
    }

    /// Adds an input.
    pub(crate) fn input(&mut self, name: &str, dtype: DType, dims: &[Size]) -> Built<NameId> {
        let shape = self.shape(dims);
        let ty = self.assembly.tensor_type(dtype, Some(shape))?;
        let name = self.assembly.name(name);
        self.assembly.add_input(name, Some(ty));
        Ok(name)
    }

    /// Declares an output and has the next node give it.
    pub(crate) fn output(&mut self, name: &str, dtype: DType, dims: &[Size]) -> Built<()> {
        let name = self.declared_output(name, dtype, dims)?;
        self.next_output = Some(name);
        Ok(())
    }

    /// Declares an output.
    pub(crate) fn declared_output(
        &mut self,
        name: &str,
        dtype: DType,
        dims: &[Size],
    ) -> Built<NameId> {
        let shape = self.shape(dims);
        let ty = self.assembly.tensor_type(dtype, Some(shape))?;
        let name = self.assembly.name(name);
        self.assembly.add_output(name, Some(ty));
        Ok(name)
    }

    /// A stored tensor, by its name in the file; one that the file lacks is added.
    pub(crate) fn tensor(&mut self, path: &str, dims: &[i64], dtype: DType) -> Built<NameId> {
        self.tensor_for(path, dims, dtype, None)
    }

    /// The same of a tensor whose dimensions do not say what it is: its role, and how many
    /// numbers it represents.
    pub(crate) fn tensor_for(
        &mut self,
        path: &str,
        dims: &[i64],
        dtype: DType,
        stated: Option<(WeightRole, i64)>,
    ) -> Built<NameId> {
        if let Some(stored) = self.weights.get(path) {
            return Ok(stored.name);
        }
        let name = self.assembly.name(path);
        if self.absent.insert(path.to_owned()) {
            let tensor = self.assembly.add_stored(name, dtype, dims, Data::Absent)?;
            let stated = stated.and_then(|(role, count)| Some((role, u64::try_from(count).ok()?)));
            if let Some((role, elements)) = stated {
                let weight = StoredWeight { tensor, role, elements, dtype };
                self.assembly.builder.stored_weights.push(weight);
            }
        }
        Ok(name)
    }

    /// Constant whole numbers.
    pub(crate) fn integers(&mut self, values: &[i64]) -> Built<NameId> {
        let key = (values.to_vec(), false);
        if let Some(name) = self.integers.get(&key) {
            return Ok(*name);
        }
        let name = self.assembly.integers("integers", values)?;
        self.integers.insert(key, name);
        Ok(name)
    }

    /// A constant whole number without dimensions.
    pub(crate) fn integer(&mut self, value: i64) -> Built<NameId> {
        let key = (vec![value], true);
        if let Some(name) = self.integers.get(&key) {
            return Ok(*name);
        }
        let name = self.assembly.integer("integer", value)?;
        self.integers.insert(key, name);
        Ok(name)
    }

    /// A constant number without dimensions.
    pub(crate) fn number(&mut self, value: f32) -> Built<NameId> {
        self.assembly.float("number", value)
    }

    /// Adds a node, whose outputs are named after it.
    pub(crate) fn node(&mut self, mut call: Call, outputs: usize) -> Built<Vec<NameId>> {
        let op = call.op;
        let mut name = format!("{}/{op}", self.scope);
        let times = self.given.entry(name.clone()).and_modify(|times| *times += 1).or_insert(0);
        if *times > 0 {
            name = format!("{name}_{times}");
        }
        op.clone_into(&mut call.written);
        for place in 0..outputs {
            let output = match self.next_output.take().filter(|_| place == 0) {
                Some(output) => output,
                None => self.assembly.name(&format!("{name}_output_{place}")),
            };
            call.outputs.push(output);
        }
        call.name = name;
        self.assembly.add(&call)?;
        Ok(call.outputs)
    }

    fn single(&mut self, call: Call) -> Built<NameId> {
        let outputs = self.node(call, 1)?;
        Ok(outputs.first().copied().unwrap_or_else(|| self.none()))
    }

    /// A node that gives whole numbers or truth values.
    pub(crate) fn whole(
        &mut self,
        op: &'static str,
        inputs: &[NameId],
        attributes: &[(&'static str, Setting)],
    ) -> Built<NameId> {
        let call = Call {
            op,
            inputs: inputs.to_vec(),
            attributes: attributes.to_vec(),
            ..Call::default()
        };
        self.single(call)
    }

    /// A node of the standard that gives numbers.
    pub(crate) fn op(&mut self, op: &'static str, inputs: &[NameId]) -> Built<NameId> {
        self.op_with(op, inputs, &[])
    }

    /// The same with attributes.
    pub(crate) fn op_with(
        &mut self,
        op: &'static str,
        inputs: &[NameId],
        attributes: &[(&'static str, Setting)],
    ) -> Built<NameId> {
        self.op_of("", op, inputs, attributes)
    }

    /// The same of a domain.
    pub(crate) fn op_of(
        &mut self,
        domain: &'static str,
        op: &'static str,
        inputs: &[NameId],
        attributes: &[(&'static str, Setting)],
    ) -> Built<NameId> {
        let call = Call {
            op,
            domain,
            inputs: inputs.to_vec(),
            attributes: attributes.to_vec(),
            ..Call::default()
        };
        self.numbers(call)
    }

    /// A node that gives numbers of the type of the activations.
    pub(crate) fn numbers(&mut self, call: Call) -> Built<NameId> {
        let is_output = self.next_output.is_some();
        let value = self.single(call)?;
        if !is_output {
            self.assembly.declare(value, self.float);
        }
        Ok(value)
    }

    /// States that a value has the type of the activations.
    pub(crate) fn is_float(&mut self, value: NameId) {
        self.assembly.declare(value, self.float);
    }

    /// A view of a value. 0 keeps a dimension, -1 is what is left.
    pub(crate) fn reshape(&mut self, x: NameId, dims: &[i64]) -> Built<NameId> {
        let dims = self.integers(dims)?;
        self.op("Reshape", &[x, dims])
    }

    /// A value with its dimensions in another order.
    pub(crate) fn transpose(&mut self, x: NameId, order: &[i64]) -> Built<NameId> {
        self.op_with("Transpose", &[x], &[("perm", Setting::Ints(order.to_vec()))])
    }

    /// A dimension of a value, in a tensor of one element or without dimensions.
    pub(crate) fn length(&mut self, x: NameId, axis: i64, is_scalar: bool) -> Built<NameId> {
        let shape = self.whole("Shape", &[x], &[])?;
        let at = if is_scalar { self.integer(axis)? } else { self.integers(&[axis])? };
        self.whole("Gather", &[shape, at], &[("axis", Setting::Int(0))])
    }

    /// Parts of a value along its last dimension.
    pub(crate) fn split(&mut self, x: NameId, widths: &[i64]) -> Built<Vec<NameId>> {
        let widths_of = self.integers(widths)?;
        let mut call = Call { op: "Split", inputs: vec![x, widths_of], ..Call::default() };
        call.int("axis", -1);
        let parts = self.node(call, widths.len())?;
        parts.iter().for_each(|part| self.is_float(*part));
        Ok(parts)
    }

    /// An activation function.
    pub(crate) fn activate(&mut self, x: NameId, activation: Activation) -> Built<NameId> {
        self.within("act_fn", |g| match activation {
            Activation::Silu => {
                let gate = g.op("Sigmoid", &[x])?;
                g.op("Mul", &[x, gate])
            }
            Activation::Gelu => g.op("Gelu", &[x]),
            Activation::GeluTanh => {
                g.op_with("Gelu", &[x], &[("approximate", Setting::Text("tanh".to_owned()))])
            }
            Activation::QuickGelu => {
                g.op_of(MICROSOFT, "QuickGelu", &[x], &[("alpha", Setting::Float(1.702))])
            }
            Activation::Relu => g.op("Relu", &[x]),
            Activation::Tanh => g.op("Tanh", &[x]),
        })
    }

    /// Adds a node whose outputs behind the first have names already.
    pub(crate) fn node_with(&mut self, call: Call, others: &[NameId]) -> Built<NameId> {
        let value = self.assembly.name(&format!("{}/{}_output_0", self.scope, call.op));
        let mut call = call;
        call.outputs.push(value);
        call.outputs.extend(others);
        self.node(call, 0)?;
        self.is_float(value);
        Ok(value)
    }
}
