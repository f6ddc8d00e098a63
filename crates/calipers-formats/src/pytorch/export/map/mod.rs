//! Operators of ATen as operators of ONNX.
//!
//! Each call has its arguments by name. What a mapping does not cover keeps its own name.

mod contraction;
mod creation;
mod elementwise;
mod movement;
mod normalization;
mod reduction;
mod shapes;
mod window;

use calipers_ir::assembly::{Assembly, Call};
use calipers_ir::{DType, Data, NameId, TooLarge};
use half::{bf16, f16};

use super::graph::Values;
use super::schema::{Argument, Node};
use crate::pytorch::dtype;

/// The domain of operators that several frameworks have.
const FRAMEWORKS: &str = "frameworks";

/// The domain of operators that PyTorch alone has.
const ATEN: &str = "aten";

/// Whether an operator is mapped, or a limit of the model is reached.
type Mapped = Result<(), TooLarge>;

/// An operator that is being mapped.
pub(super) struct Op<'o, 'b, 'g> {
    assembly: &'o mut Assembly<'b>,
    values: &'o Values<'g>,
    node: &'o Node,
    /// The operator without its namespace, its overload, and the mark of changing its input.
    base: &'o str,
    overload: &'o str,
    pub(super) call: Call,
}

/// Maps an operator: `call.op` stays empty where there is none for it.
pub(super) fn map(op: &mut Op<'_, '_, '_>) -> Mapped {
    // Until a mapping says otherwise, the operands are all tensors among the arguments.
    let operands = op.tensors();
    op.call.inputs.clone_from(&operands);
    let families: [fn(&mut Op<'_, '_, '_>) -> Mapped; 7] = [
        elementwise::map,
        contraction::map,
        movement::map,
        normalization::map,
        reduction::map,
        window::map,
        creation::map,
    ];
    for family in families {
        family(op)?;
        if !op.call.op.is_empty() {
            return Ok(());
        }
    }
    op.call.inputs = operands;
    op.call.attributes.clear();
    op.call.layout = calipers_ir::Layout::default();
    Ok(())
}

impl<'o, 'b, 'g> Op<'o, 'b, 'g> {
    pub(super) fn new(
        assembly: &'o mut Assembly<'b>,
        values: &'o Values<'g>,
        node: &'o Node,
        call: Call,
    ) -> Self {
        let target = node.target.strip_prefix("torch.ops.").unwrap_or(&node.target);
        let inside = target.strip_prefix("aten.");
        let inside = inside.or_else(|| target.strip_prefix("torch.")).unwrap_or(target);
        let (base, overload) = inside.split_once('.').unwrap_or((inside, ""));
        let (base, overload) = match base {
            // Arithmetic of Python on symbolic numbers.
            "_operator" | "math" => (inside, ""),
            _ => (base, overload),
        };
        let base = match base.strip_suffix('_') {
            Some(plain) if !base.starts_with("__") && !plain.is_empty() => plain,
            _ => base,
        };
        Self { assembly, values, node, base, overload, call }
    }

    fn argument(&self, name: &str) -> Option<&'o Argument> {
        let found = self.node.inputs.iter().find(|argument| argument.name == name);
        found.map(|argument| &argument.arg).filter(|argument| **argument != Argument::None)
    }

    fn at(&self, place: usize) -> Option<&'o Argument> {
        self.node.inputs.get(place).map(|argument| &argument.arg)
    }

    /// A value by the name that the graph has for it.
    fn value(&mut self, name: &str) -> NameId {
        self.assembly.name(self.values.shown(name))
    }

    /// Every tensor and symbolic number among the arguments, in order.
    fn tensors(&mut self) -> Vec<NameId> {
        let mut found = Vec::new();
        let node = self.node;
        for input in &node.inputs {
            match &input.arg {
                Argument::Tensor(name) | Argument::Symbol(name) => found.push(self.value(name)),
                Argument::Tensors(names) => {
                    for name in names.iter().flatten() {
                        found.push(self.value(name));
                    }
                }
                Argument::Symbols(numbers) => {
                    for name in numbers.iter().filter_map(|number| number.as_name.as_deref()) {
                        found.push(self.value(name));
                    }
                }
                _ => {}
            }
        }
        found
    }

    /// The name that the graph has for a tensor argument.
    fn tensor_name(&self, name: &str) -> Option<&'o str> {
        match self.argument(name)? {
            Argument::Tensor(name) => Some(name),
            _ => None,
        }
    }

    fn has(&self, name: &str) -> bool {
        self.argument(name).is_some()
    }

    /// A tensor argument; the empty name where it is left out.
    fn tensor(&mut self, name: &str) -> NameId {
        match self.tensor_name(name) {
            Some(name) => self.value(name),
            None => self.assembly.none(),
        }
    }

    /// Takes these arguments as the operands; those that are left out at the end are cut.
    fn take(&mut self, names: &[&str]) {
        self.call.inputs = names.iter().map(|name| self.tensor(name)).collect();
        self.trim();
    }

    fn trim(&mut self) {
        let none = self.assembly.none();
        while self.call.inputs.last() == Some(&none) {
            self.call.inputs.pop();
        }
    }

    /// Keeps the first output alone: the others of the operator have no counterpart.
    fn keep_outputs(&mut self, count: usize) {
        self.call.outputs.truncate(count);
    }

    fn int(&self, name: &str) -> Option<i64> {
        match self.argument(name)? {
            Argument::Int(value) => Some(*value),
            Argument::Bool(value) => Some(i64::from(*value)),
            _ => None,
        }
    }

    fn int_or(&self, name: &str, default: i64) -> i64 {
        self.int(name).unwrap_or(default)
    }

    fn flag(&self, name: &str) -> bool {
        self.int(name) == Some(1)
    }

    fn float_or(&self, name: &str, default: f64) -> f64 {
        self.argument(name).and_then(number).unwrap_or(default)
    }

    fn text(&self, name: &str) -> Option<&'o str> {
        match self.argument(name)? {
            Argument::Text(text) => Some(text),
            _ => None,
        }
    }

    /// Numbers of a list, or a number as a list.
    fn ints(&self, name: &str) -> Option<Vec<i64>> {
        match self.argument(name)? {
            Argument::Ints(values) => Some(values.clone()),
            Argument::Int(value) => Some(vec![*value]),
            Argument::Symbols(numbers) => numbers.iter().map(|number| number.as_int).collect(),
            // A list without elements has no type.
            Argument::Tensors(names) if names.is_empty() => Some(Vec::new()),
            _ => None,
        }
    }

    /// Numbers for this many axes of space: one for all of them, or one for each.
    fn spatial(&self, name: &str, axes: usize, default: i64) -> Option<Vec<i64>> {
        let values = match self.argument(name) {
            None => Vec::new(),
            Some(_) => self.ints(name)?,
        };
        match values.as_slice() {
            [] => Some(vec![default; axes]),
            [one] => Some(vec![*one; axes]),
            all => (all.len() == axes).then(|| all.to_vec()),
        }
    }

    /// The dimensions of a value, `None` where one is symbolic.
    fn dims_of(&self, value: &str) -> Option<Vec<Option<i64>>> {
        Some(self.values.meta(value)?.sizes.iter().map(|size| size.as_int).collect())
    }

    fn dims(&self, argument: &str) -> Option<Vec<Option<i64>>> {
        self.dims_of(self.tensor_name(argument)?)
    }

    fn rank(&self, argument: &str) -> Option<usize> {
        self.dims(argument).map(|dims| dims.len())
    }

    fn dtype_of(&self, value: &str) -> Option<DType> {
        Some(dtype::of_number(self.values.meta(value)?.dtype))
    }

    fn dtype(&self, argument: &str) -> Option<DType> {
        self.dtype_of(self.tensor_name(argument)?)
    }

    /// The name that the graph has for an output.
    fn output(&self, place: usize) -> Option<&'o str> {
        let mut names = self.node.outputs.iter().flat_map(|output| match output {
            Argument::Tensor(name) => vec![name.as_str()],
            Argument::Tensors(names) => names.iter().flatten().map(String::as_str).collect(),
            _ => Vec::new(),
        });
        names.nth(place)
    }

    fn output_dims(&self) -> Option<Vec<Option<i64>>> {
        self.dims_of(self.output(0)?)
    }

    fn output_dtype(&self) -> Option<DType> {
        self.dtype_of(self.output(0)?)
    }

    /// An axis counted from the front.
    fn axis(&self, axis: i64, rank: usize) -> Option<usize> {
        let rank = i64::try_from(rank).ok()?;
        let from_front = if axis < 0 { axis.checked_add(rank)? } else { axis };
        usize::try_from(from_front).ok().filter(|_| from_front < rank.max(1))
    }

    fn integers(&mut self, hint: &str, values: &[i64]) -> Result<NameId, TooLarge> {
        self.assembly.integers(hint, values)
    }

    /// A number as a tensor without dimensions, of a type.
    fn scalar(&mut self, value: f64, dtype: DType) -> Result<NameId, TooLarge> {
        #[expect(clippy::cast_possible_truncation, reason = "a number takes the tensor's type")]
        let (dtype, bytes): (DType, Vec<u8>) = match dtype {
            DType::Float64 => (dtype, value.to_le_bytes().into()),
            DType::Float16 => (dtype, f16::from_f64(value).to_le_bytes().into()),
            DType::Bfloat16 => (dtype, bf16::from_f64(value).to_le_bytes().into()),
            DType::Int64 => (dtype, (value as i64).to_le_bytes().into()),
            DType::Int32 => (dtype, (value as i32).to_le_bytes().into()),
            DType::Int16 => (dtype, (value as i16).to_le_bytes().into()),
            DType::Int8 => (dtype, (value as i8).to_le_bytes().into()),
            #[expect(clippy::cast_sign_loss, reason = "a number takes the tensor's type")]
            DType::Uint8 => (dtype, vec![value as u8]),
            DType::Bool => (dtype, vec![u8::from(value != 0.0)]),
            _ => (DType::Float32, (value as f32).to_le_bytes().into()),
        };
        let name = self.assembly.new_name("number");
        self.assembly.add_stored(name, dtype, &[], Data::Inline(bytes.into()))?;
        Ok(name)
    }

    /// An operand that is a tensor, a symbolic number, or a number, which takes a type.
    fn operand(&mut self, argument: &Argument, dtype: DType) -> Result<Option<NameId>, TooLarge> {
        Ok(match argument {
            Argument::Tensor(name) | Argument::Symbol(name) => Some(self.value(name)),
            other => match number(other) {
                Some(value) => Some(self.scalar(value, dtype)?),
                None => None,
            },
        })
    }
}

/// The number that an argument is.
#[expect(clippy::cast_precision_loss, reason = "numbers of operators are small")]
fn number(argument: &Argument) -> Option<f64> {
    match argument {
        Argument::Int(value) => Some(*value as f64),
        Argument::Float(value) => Some(*value),
        Argument::Bool(value) => Some(f64::from(u8::from(*value))),
        _ => None,
    }
}

/// A number of 32 bits.
#[expect(clippy::cast_possible_truncation, reason = "attributes of ONNX have 32 bits")]
fn narrow(value: f64) -> f32 {
    value as f32
}
