//! Recognizes the blocks of tiny models.

use calipers_infer::{Bindings, infer};
pub use calipers_testkit::{FOUR, Heads, Tiny, TinyModel as Seen};

#[cfg(test)]
pub(crate) use super::conv::sketch;
use crate::network::{Network, NetworkOp, OpSet};

/// Inspects the network of a tiny model.
pub trait Inspect {
    /// Recognizes the blocks and inspects the network.
    fn inspect<T>(&self, inspect: impl FnOnce(&Network<'_>) -> T) -> T;

    /// Operators and kinds of the units that are left.
    fn kinds(&self) -> Vec<&'static str> {
        self.inspect(|net| net.units().map(|(_, unit)| unit.op.id()).collect())
    }

    /// The number of units of a kind.
    fn count(&self, kind: impl OpSet) -> usize {
        self.inspect(|net| net.all().filter(|unit| unit.is(&kind)).count())
    }

    /// The first unit of a kind.
    fn first<T>(
        &self,
        kind: impl OpSet,
        look: impl FnOnce(&Network<'_>, &NetworkOp) -> T,
    ) -> Option<T> {
        self.inspect(|net| net.all().find(|unit| unit.is(&kind)).map(|unit| look(net, unit)))
    }

    /// Whether the first input of the first unit of a kind is the model's.
    fn takes_the_input(&self, kind: impl OpSet) -> bool {
        self.first(kind, |net, unit| unit.input(0) == net.inputs.first().copied()) == Some(true)
    }
}

impl Inspect for Seen {
    fn inspect<T>(&self, inspect: impl FnOnce(&Network<'_>) -> T) -> T {
        let model = calipers_formats::read(self.bytes(), "tiny.onnx").unwrap();
        let typed = infer(&model, &Bindings::default()).unwrap();
        let mut net = Network::build(&model, &typed);
        super::recognize(&mut net);
        inspect(&net)
    }
}
