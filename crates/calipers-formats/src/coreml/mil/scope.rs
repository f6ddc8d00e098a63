//! What the operators of a block are made from: their arguments as operands and as settings.

use calipers_ir::assembly::{Assembly, Call};
use calipers_ir::{DType, NameId};

use super::operation::Operation;
use super::program::Program;
use super::value::Setting;
use crate::error::Trace;

/// An operator on its way into the graph.
pub(super) struct Scope<'s, 'b, 'a> {
    program: &'s mut Program<'b, 'a>,
    pub(super) operation: &'s Operation<'a>,
    pub(super) call: Call,
}

impl<'s, 'b, 'a> Scope<'s, 'b, 'a> {
    pub(super) fn new(program: &'s mut Program<'b, 'a>, operation: &'s Operation<'a>) -> Self {
        let call = Call {
            written: operation.kind.clone(),
            name: operation.name.clone(),
            outputs: operation.outputs.iter().map(|(name, _)| *name).collect(),
            ..Call::default()
        };
        Self { program, operation, call }
    }

    /// Makes constants that the file keeps elsewhere.
    pub(super) fn assembly(&mut self) -> &mut Assembly<'b> {
        &mut self.program.assembly
    }

    /// The empty name.
    pub(super) fn none(&self) -> NameId {
        self.program.assembly.builder.names.empty()
    }

    /// The value of an argument as an operand; the empty name where it is left out.
    pub(super) fn value(&mut self, argument: &str) -> Result<NameId, Trace> {
        let Some(name) = self.operation.given(argument).first().copied() else {
            return Ok(self.none());
        };
        self.program.store(name)?;
        Ok(name)
    }

    /// All values of an argument.
    pub(super) fn values(&mut self, argument: &str) -> Result<Vec<NameId>, Trace> {
        let names = self.operation.given(argument);
        for name in names {
            self.program.store(*name)?;
        }
        Ok(names.to_vec())
    }

    /// Takes arguments as the operands, in this order. Those left out at the end are not named.
    pub(super) fn take(&mut self, arguments: &[&str]) -> Result<&mut Self, Trace> {
        self.take_each(arguments)?;
        let none = self.none();
        while self.call.inputs.last() == Some(&none) {
            self.call.inputs.pop();
        }
        Ok(self)
    }

    /// Takes arguments as operands, also those that are left out.
    pub(super) fn take_each(&mut self, arguments: &[&str]) -> Result<(), Trace> {
        for argument in arguments {
            let value = self.value(argument)?;
            self.call.inputs.push(value);
        }
        Ok(())
    }

    /// Takes all arguments, for an operator without counterpart.
    pub(super) fn take_all(&mut self) -> Result<(), Trace> {
        let operation = self.operation;
        for name in operation.arguments.iter().flat_map(|(_, values)| values) {
            let held = self.program.constants.get(name);
            if held.is_none_or(|held| held.constant.setting == Setting::None) {
                self.program.store(*name)?;
                self.call.inputs.push(*name);
            }
        }
        Ok(())
    }

    /// Whether an argument is given.
    pub(super) fn has(&self, argument: &str) -> bool {
        !self.operation.given(argument).is_empty()
    }

    /// Takes an integer constant as the next operand.
    pub(super) fn take_integers(&mut self, hint: &str, values: &[i64]) -> Result<(), Trace> {
        let name = self.assembly().integers(hint, values)?;
        self.call.inputs.push(name);
        Ok(())
    }

    /// States what a value that the file holds represents, where its own type is that of the bytes.
    pub(super) fn retype(&mut self, argument: &str, dtype: DType, dims: &[i64]) {
        let name = self.operation.given(argument).first();
        if let Some(held) = name.and_then(|name| self.program.constants.get_mut(name)) {
            held.constant.dtype = dtype;
            held.constant.dims = dims.to_vec();
        }
    }

    /// The elements of an argument that the file holds.
    fn setting(&self, argument: &str) -> Option<&Setting> {
        let name = self.operation.given(argument).first()?;
        let setting = &self.program.constants.get(name)?.constant.setting;
        (*setting != Setting::None).then_some(setting)
    }

    /// Integers of an argument.
    pub(super) fn ints(&self, argument: &str) -> Option<Vec<i64>> {
        match self.setting(argument)? {
            Setting::Ints(values) => Some(values.clone()),
            _ => None,
        }
    }

    /// An integer, or a truth value, of an argument.
    pub(super) fn int(&self, argument: &str) -> Option<i64> {
        self.ints(argument)?.first().copied()
    }

    /// Whether an argument is given as true.
    pub(super) fn flag(&self, argument: &str) -> bool {
        self.int(argument).is_some_and(|value| value != 0)
    }

    /// A number of an argument.
    pub(super) fn number(&self, argument: &str) -> Option<f32> {
        match self.setting(argument)? {
            Setting::Floats(values) => values.first().copied(),
            #[expect(clippy::cast_precision_loss, reason = "as Core ML computes")]
            Setting::Ints(values) => values.first().map(|value| *value as f32),
            _ => None,
        }
    }

    /// A text of an argument.
    pub(super) fn text(&self, argument: &str) -> Option<String> {
        match self.setting(argument)? {
            Setting::Texts(texts) => texts.first().cloned(),
            _ => None,
        }
    }

    /// The sizes of an argument's value, where all are fixed.
    pub(super) fn sizes(&self, argument: &str) -> Option<Vec<i64>> {
        let name = self.operation.given(argument).first()?;
        match self.program.constants.get(name) {
            Some(held) => Some(held.constant.dims.clone()),
            None => self.program.types.get(name)?.sizes(),
        }
    }

    /// How many dimensions an argument's value has.
    pub(super) fn rank(&self, argument: &str) -> Option<usize> {
        let name = self.operation.given(argument).first()?;
        match self.program.constants.get(name) {
            Some(held) => Some(held.constant.dims.len()),
            None => Some(self.program.types.get(name)?.dims.as_ref()?.len()),
        }
    }

    /// An axis of an argument's value, counted from the front.
    pub(super) fn axis(&self, axis: i64, argument: &str) -> Option<usize> {
        let rank = i64::try_from(self.rank(argument)?).ok()?;
        let axis = if axis < 0 { axis.checked_add(rank)? } else { axis };
        usize::try_from(axis).ok().filter(|_| axis < rank)
    }
}
