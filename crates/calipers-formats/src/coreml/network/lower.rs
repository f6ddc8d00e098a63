//! Which operator computes the same as a layer.

use std::collections::HashMap;

use calipers_ir::NameId;
use calipers_ir::assembly::{Assembly, Call};

use super::layer::{Layer, Settings};
use super::{general, layers, recurrent, shapes, window};
use crate::error::Trace;

/// The domain of operators that several frameworks have.
pub(super) const FRAMEWORKS: &str = "frameworks";

/// The domain of operators that Core ML alone has.
pub(super) const OWN: &str = "coreml";

/// A layer on its way into the graph.
pub(super) struct Lowering<'l, 'b, 'a> {
    pub(super) assembly: &'l mut Assembly<'b>,
    pub(super) layer: &'l Layer<'a>,
    pub(super) call: Call,
    /// Whether arrays have the dimensions they are given.
    pub(super) is_exact: bool,
    /// Dimensions of the outputs, where their number is known.
    pub(super) rank: Option<usize>,
    /// Whether the layer only holds a value, and so does not become a node.
    pub(super) is_stored: bool,
    ranks: &'l HashMap<NameId, usize>,
}

/// Gives the call of a layer its operator. One without counterpart keeps its name.
pub(super) fn layer(lowering: &mut Lowering<'_, '_, '_>) -> Result<(), Trace> {
    for family in [window::lower, layers::lower, shapes::lower, recurrent::lower, general::lower] {
        family(lowering)?;
        if !lowering.call.op.is_empty() || lowering.is_stored {
            return Ok(());
        }
        lowering.call.inputs.clear();
        lowering.call.attributes.clear();
        lowering.rank = None;
    }
    lowering.call.inputs = lowering.layer.inputs.clone();
    // Weights of layers that applications bring.
    if lowering.layer.number == 500 {
        for (place, weights) in lowering.settings().messages(20)?.into_iter().enumerate() {
            let role = format!("weights[{place}]");
            let holder = Settings(weights.0);
            let name = lowering.layer.whole_weights(lowering.assembly, holder, &role)?;
            lowering.call.inputs.push(name);
        }
    }
    Ok(())
}

impl<'l, 'b, 'a> Lowering<'l, 'b, 'a> {
    pub(super) fn new(
        assembly: &'l mut Assembly<'b>,
        layer: &'l Layer<'a>,
        is_exact: bool,
        ranks: &'l HashMap<NameId, usize>,
    ) -> Self {
        let call = layer.call();
        Self { assembly, layer, call, is_exact, rank: None, is_stored: false, ranks }
    }

    /// The call, how many dimensions its outputs have, and whether it only holds a value.
    pub(super) fn finish(self) -> (Call, Option<usize>, bool) {
        (self.call, self.rank, self.is_stored)
    }

    pub(super) fn settings(&self) -> Settings<'a> {
        self.layer.settings
    }

    /// How many dimensions an input has.
    pub(super) fn input_rank(&self, place: usize) -> Option<usize> {
        let known = self.ranks.get(self.layer.inputs.get(place)?).copied();
        known.or(self.layer.input_ranks.get(place).copied()).filter(|rank| *rank < 256)
    }

    /// Takes the inputs of the layer as operands.
    pub(super) fn take_inputs(&mut self) -> &mut Self {
        self.call.inputs = self.layer.inputs.clone();
        self
    }

    /// States that the outputs have the dimensions of the first input.
    pub(super) fn keeps_shape(&mut self) -> &mut Self {
        self.rank = self.input_rank(0);
        self
    }

    /// States how many dimensions the outputs have more than the first input.
    pub(super) fn changes_rank(&mut self, by: isize) -> &mut Self {
        self.rank = self.input_rank(0).and_then(|rank| rank.checked_add_signed(by));
        self
    }

    /// The axis of the channels, counted from the end.
    pub(super) fn channel_axis(&self) -> i64 {
        if self.input_rank(0).is_some_and(|rank| rank < 3) { -1 } else { -3 }
    }

    /// Takes weights as the next operand, with these dimensions.
    pub(super) fn take_weights(
        &mut self,
        settings: Settings<'_>,
        field: (u32, &str),
        dims: &[i64],
    ) -> Result<(), Trace> {
        let name = self.layer.weights(self.assembly, settings, field, dims)?;
        self.call.inputs.push(name);
        Ok(())
    }

    /// Takes integers as the next operand.
    pub(super) fn take_integers(&mut self, hint: &str, values: &[i64]) -> Result<(), Trace> {
        let name = self.assembly.integers(hint, values)?;
        self.call.inputs.push(name);
        Ok(())
    }

    /// Takes a number as the next operand.
    pub(super) fn take_float(&mut self, hint: &str, value: f32) -> Result<(), Trace> {
        let name = self.assembly.float(hint, value)?;
        self.call.inputs.push(name);
        Ok(())
    }
}
