//! Folding units into a block.

use hashbrown::HashSet;

use super::{BlockKind, Details, Network, NetworkOp, Op, OpId, Val, With};

/// Units next to those of a block that it may take in.
const MAX_SIDE_PRODUCTS: usize = 16;

/// Operators that are a block all by themselves. They get its name and keep no part: long chains of
/// them are what takes the most memory. A `Clip` is ReLU6 or another activation by its limits.
const ACTIVATIONS: (With, &str) = (With(|traits| traits.activation().is_some()), "Clip");

/// What a pattern found: the units of a block and its details.
#[derive(Clone, Debug, Default)]
pub struct Found {
    /// The units of the block.
    pub units: Vec<OpId>,
    /// What the pattern found out, for kinds that have details.
    pub details: Option<Details>,
    /// The block's own inputs, in an order that means something; others follow them.
    pub inputs: Vec<Val>,
}

impl Found {
    /// A block of these units.
    pub fn new(units: impl IntoIterator<Item = OpId>) -> Self {
        Self { units: units.into_iter().collect(), ..Self::default() }
    }

    /// Adds what the pattern found out.
    pub fn with(mut self, details: impl Into<Details>) -> Self {
        self.details = Some(details.into());
        self
    }

    /// Adds inputs of the block, in order.
    pub fn taking(mut self, inputs: impl IntoIterator<Item = Val>) -> Self {
        self.inputs.extend(inputs);
        self
    }
}

impl Network<'_> {
    /// These units with those that read them before the last: side products, such as keys that are
    /// given out for a cache. `None` when there are too many.
    pub fn with_side_products(&self, mut units: Vec<OpId>) -> Option<Vec<OpId>> {
        let last = *units.iter().max()?;
        let mut inside: HashSet<OpId> = units.iter().copied().collect();
        let most = units.len() + MAX_SIDE_PRODUCTS;
        let mut at = 0;
        while let Some(id) = units.get(at).copied() {
            at += 1;
            let outputs = self.unit(id).outputs.iter();
            let users = outputs.flat_map(|output| self.uses(*output)).filter(|user| *user < last);
            units.extend(users.filter(|user| inside.insert(*user)));
            if units.len() > most {
                return None;
            }
        }
        Some(units)
    }

    /// Makes one unit of several. It is where the last of them was. Nothing is done, and
    /// `None` given, when something outside needs a part before the whole is done.
    pub fn fold(&mut self, kind: BlockKind, found: Found) -> Option<OpId> {
        let Found { mut units, details, inputs: mut taken } = found;
        units.sort_unstable();
        units.dedup();
        let last = *units.last()?;
        let mut outputs = self.given_by(&units)?;
        let inside = |id: &OpId| units.binary_search(id).is_ok();
        for input in units.iter().flat_map(|id| self.unit(*id).inputs.iter().flatten()) {
            let within = self.producer(*input).is_some_and(|unit| inside(&unit));
            if !within && !taken.contains(input) {
                taken.push(*input);
            }
        }
        // A block that nothing reads still ends somewhere.
        if outputs.is_empty() {
            outputs.push(self.unit(last).output());
        }
        // What the last unit gives is what the block gives first.
        let main = self.unit(last).output();
        outputs.sort_by_key(|output| *output != main);
        let node = self.unit(last).node;
        let parts = match units[..] {
            [only] if self.unit(only).is(ACTIVATIONS) => Vec::new(),
            _ => units.iter().map(|id| self.take(*id)).collect(),
        };
        for input in &taken {
            let uses = &mut self.vals[input.index()].uses;
            if let Err(place) = uses.binary_search(&last) {
                uses.insert(place, last);
            }
        }
        for output in &outputs {
            self.vals[output.index()].producer = Some(last);
        }
        let inputs = taken.into_iter().map(Some).collect();
        let (op, details) = (Op::Block(kind), details.map(Box::new));
        self.units[last.index()] =
            NetworkOp { op, operator: None, inputs, outputs, node, parts, details, alive: true };
        self.by_op.entry(op).or_default().push(last);
        self.counts.take();
        Some(last)
    }

    /// Whether these units, in order, can be made one.
    pub fn can_fold(&self, units: &[OpId]) -> bool {
        self.given_by(units).is_some()
    }

    /// What units that are in order give to others; `None` when they cannot be one unit.
    fn given_by(&self, units: &[OpId]) -> Option<Vec<Val>> {
        let last = *units.last()?;
        if !units.iter().all(|id| self.unit(*id).alive) {
            return None;
        }
        let inside = |id: &OpId| units.binary_search(id).is_ok();
        let mut outputs = Vec::new();
        for id in units {
            for output in &self.unit(*id).outputs {
                let mut outside = self.uses(*output).filter(|user| !inside(user)).peekable();
                let needed = outside.peek().is_some() || self.is_output(*output);
                if outside.any(|user| user < last) {
                    return None;
                }
                if needed {
                    outputs.push(*output);
                }
            }
        }
        Some(outputs)
    }

    fn take(&mut self, id: OpId) -> NetworkOp {
        let unit = &mut self.units[id.index()];
        let left = NetworkOp {
            op: Op::Unknown,
            operator: None,
            inputs: Vec::new(),
            outputs: Vec::new(),
            node: unit.node,
            parts: Vec::new(),
            details: None,
            alive: false,
        };
        std::mem::replace(unit, left)
    }
}
