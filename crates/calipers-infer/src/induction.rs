//! How often a loop without a trip count runs.
//!
//! A `while` of a framework becomes a `Loop` whose condition compares a counter with a bound:
//! `Less(i + 1, n)`. A state that grows by the same number in every turn is such a counter. The
//! body is looked into once with the states at the start, which shows by how much they grow, and
//! once with `start + step * turn` for each, which proves it. The comparison then gives the turn
//! that is the last.

use std::collections::BTreeMap;

use calipers_ir::{DType, GraphId, NodeId, Producer, ValueId};
use calipers_ops::{Elem, Fact, Fail, canonical_domain};
use calipers_sym::{Expr, Symbol};

use super::attributes::Frame;
use super::control::{scalar, single};
use super::engine::Engine;
use super::merge::without_value;

/// Times that states are tried as counters: one that turns out not to be one may have been the
/// reason why another seemed to be.
const MAX_TRIES: usize = 3;

/// Nodes that a condition may be made of.
const MAX_CONDITION: usize = 16;

/// How a loop ends.
#[derive(Debug)]
pub(super) struct Induction {
    /// How often the body runs.
    pub(super) trips: Expr,
    /// Each state after that, where it is a counter.
    pub(super) last: Vec<Option<Expr>>,
}

/// A loop as its node gives it.
pub(super) struct LoopStart<'a> {
    pub(super) node: NodeId,
    pub(super) body: GraphId,
    /// The trip count that the node gives.
    pub(super) trips: Option<&'a Expr>,
    /// The condition before the first turn, where it is known.
    pub(super) goes: Option<bool>,
    pub(super) state: &'a [Fact],
}

/// A comparison that goes on while this difference is negative.
struct Difference(Expr);

impl Engine<'_> {
    /// Finds how often a loop runs, where a counter decides it.
    pub(super) fn induction(
        &mut self,
        start: &LoopStart<'_>,
        frame: Option<&Frame<'_>>,
    ) -> Result<Option<Induction>, Fail> {
        if start.goes == Some(false) {
            return Ok(None);
        }
        // What a trial makes up is not part of the model.
        let made = self.fresh.mark();
        let found = self.unheard(|engine| engine.find_induction(start, frame));
        self.fresh.reset(made);
        found
    }

    fn find_induction(
        &mut self,
        start: &LoopStart<'_>,
        frame: Option<&Frame<'_>>,
    ) -> Result<Option<Induction>, Fail> {
        let turn = Symbol::at_least("turn of the loop", 0);
        let at = |turn: Expr, state: Vec<Fact>| {
            let mut given =
                vec![scalar(DType::Int64, Elem::Int(turn)), scalar(DType::Bool, Elem::bool(true))];
            given.extend(state);
            given
        };
        let first: Vec<Option<Expr>> =
            start.state.iter().map(|fact| single(fact).cloned()).collect();
        let (outputs, _) = self.body(start.body, at(Expr::ZERO, start.state.to_vec()), frame)?;
        let mut steps: Vec<Option<i64>> = first
            .iter()
            .zip(outputs.iter().skip(1))
            .map(|(before, after)| (single(after)? - before.as_ref()?).as_const())
            .collect();
        steps.resize(start.state.len(), None);
        for _ in 0..MAX_TRIES {
            let value = |place: usize, turn: &Expr| {
                Some(first[place].as_ref()? + &(turn * Expr::from(steps[place]?)))
            };
            let now = Expr::from(turn.clone());
            let state = start.state.iter().enumerate().map(|(place, fact)| {
                let plain = without_value(fact);
                match (value(place, &now), plain) {
                    (Some(value), Fact::Tensor(tensor)) => {
                        tensor.with_value([Elem::Int(value)]).into()
                    }
                    (_, plain) => plain,
                }
            });
            let given = at(now.clone(), state.collect());
            let (outputs, _) = self.body(start.body, given, frame)?;
            let after = &now + &Expr::ONE;
            let holds: Vec<bool> = (0..start.state.len())
                .map(|place| {
                    let wanted = value(place, &after);
                    wanted.is_none() || outputs.get(1 + place).and_then(single) == wanted.as_ref()
                })
                .collect();
            if holds.iter().all(|holds| *holds) {
                let Some(trips) = self.trips(start, &turn) else { return Ok(None) };
                let last = (0..start.state.len()).map(|place| value(place, &trips)).collect();
                return Ok(Some(Induction { trips, last }));
            }
            for (step, holds) in steps.iter_mut().zip(holds) {
                *step = step.filter(|_| holds);
            }
        }
        Ok(None)
    }

    /// How often the body runs, when the facts are those of any turn.
    fn trips(&self, start: &LoopStart<'_>, turn: &Symbol) -> Option<Expr> {
        let model = self.model;
        let condition = *model.graph(start.body).outputs.first()?;
        let differences = self.differences(condition)?;
        let mut trips = start.trips.cloned();
        for Difference(difference) in &differences {
            let next = BTreeMap::from([(turn.clone(), Expr::from(turn.clone()) + Expr::ONE)]);
            let growth =
                (difference.substitute(&next) - difference).as_const().filter(|q| *q > 0)?;
            let zero = BTreeMap::from([(turn.clone(), Expr::ZERO)]);
            let first = difference.substitute(&zero);
            let growth = Expr::from(growth);
            // The first turn after which the difference is zero or more is the last.
            let count = match start.goes {
                Some(true) => {
                    let turns = (Expr::ZERO - &first).ceil_div(&growth);
                    Expr::max(&turns, &Expr::ZERO) + Expr::ONE
                }
                // Before the first turn the same comparison decided.
                _ if self.starts_with(start, &(&first - &growth)) => {
                    Expr::max(&(&growth - &first).ceil_div(&growth), &Expr::ZERO)
                }
                _ => return None,
            };
            trips = Some(trips.map_or_else(|| count.clone(), |known| Expr::min(&known, &count)));
        }
        trips.filter(|trips| !trips.contains_symbol(turn) && !differences.is_empty())
    }

    /// Whether the condition before the first turn is a comparison with this difference.
    fn starts_with(&self, start: &LoopStart<'_>, wanted: &Expr) -> bool {
        let condition = self.model.inputs(start.node).get(1).copied().flatten();
        let differences = condition.and_then(|condition| self.differences(condition));
        differences.is_some_and(|all| all.iter().any(|Difference(it)| it.always_eq(wanted)))
    }

    /// The comparisons that must all hold for a condition to; `None` when it is made of anything
    /// else. A part that is always true is not among them.
    fn differences(&self, condition: ValueId) -> Option<Vec<Difference>> {
        let model = self.model;
        let mut found = Vec::new();
        let mut next = vec![(condition, false)];
        for _ in 0..MAX_CONDITION {
            let Some((value, negated)) = next.pop() else { return Some(found) };
            let fact = &self.facts[value.index()];
            let known = fact.as_tensor().and_then(|tensor| match tensor.value.as_deref()? {
                [element] => element.as_bool(),
                _ => None,
            });
            if known.is_some_and(|known| known != negated) {
                continue;
            }
            let Producer::Node { node, .. } = model.value(value).producer else { return None };
            if canonical_domain(model.name(model.node(node).domain)) != calipers_ops::ONNX {
                return None;
            }
            let operand = |index: usize| model.inputs(node).get(index).copied().flatten();
            let op = model.name(model.node(node).op);
            match op {
                "Identity" | "Cast" | "Squeeze" | "Unsqueeze" | "Reshape" => {
                    next.push((operand(0)?, negated));
                }
                "Not" => next.push((operand(0)?, !negated)),
                "And" if !negated => next.extend([(operand(0)?, false), (operand(1)?, false)]),
                "Or" if negated => next.extend([(operand(0)?, true), (operand(1)?, true)]),
                _ => found.push(self.difference(op, negated, operand(0)?, operand(1)?)?),
            }
        }
        None
    }

    /// The difference that is negative while a comparison holds.
    fn difference(&self, op: &str, negated: bool, a: ValueId, b: ValueId) -> Option<Difference> {
        let a = single(&self.facts[a.index()])?;
        let b = single(&self.facts[b.index()])?;
        Some(Difference(match (op, negated) {
            ("Less", false) | ("GreaterOrEqual", true) => a - b,
            ("LessOrEqual", false) | ("Greater", true) => a - b - Expr::ONE,
            ("Greater", false) | ("LessOrEqual", true) => b - a,
            ("GreaterOrEqual", false) | ("Less", true) => b - a - Expr::ONE,
            _ => return None,
        }))
    }
}

/// The same facts with what counters are after the last turn.
pub(super) fn with_last(state: Vec<Fact>, last: &[Option<Expr>]) -> Vec<Fact> {
    let valued = |(place, fact): (usize, Fact)| match (fact, last.get(place)) {
        (Fact::Tensor(tensor), Some(Some(value))) => {
            tensor.with_value([Elem::Int(value.clone())]).into()
        }
        (fact, _) => fact,
    };
    state.into_iter().enumerate().map(valued).collect()
}
