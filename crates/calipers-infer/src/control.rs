//! Control flow: looking into the graphs of `If`, `Loop`, `Scan` and `SequenceMap`.
//!
//! <https://onnx.ai/onnx/operators/onnx__If.html>, `onnx__Loop`, `onnx__Scan`, `onnx__SequenceMap`.

use std::sync::Arc;

use calipers_ir::{AttributeValue, DType, GraphId, Model, NodeId};
use calipers_ops::{Elem, Fact, Fail, Outcome, SequenceFact, TensorFact};
use calipers_sym::Expr;

use super::attributes::Frame;
use super::engine::Engine;
use super::induction::{LoopStart, with_last};
use super::merge::{merge, without_value};
use super::total_cost::CostTotal;

/// Turns of a loop that are followed one by one.
const MAX_TURNS: i64 = 64;

/// Times that a loop's state is widened before everything that changes is given up.
const MAX_WIDENINGS: usize = 4;

/// Whether a loop runs as often as its trip count says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Exact {
    Yes,
    /// Where the condition that each turn gives is always true.
    IfAlwaysTrue,
    No,
}

fn graph_attribute(model: &Model, node: NodeId, name: &str) -> Result<GraphId, Fail> {
    match model.attribute(node, name) {
        Some(AttributeValue::Graph(graph)) => Ok(*graph),
        _ => Err(Fail::contradiction(format!("it lacks the graph {name:?}"))),
    }
}

impl Engine<'_> {
    /// What is known of the outputs of an operator that holds graphs.
    pub(super) fn control(
        &mut self,
        id: NodeId,
        op: &str,
        inputs: &[Option<Fact>],
        frame: Option<&Frame<'_>>,
    ) -> Outcome {
        match op {
            "If" => self.branches(id, inputs, frame),
            "Loop" => self.repeat(id, inputs, frame),
            "Scan" => self.scan(id, inputs, frame),
            "SequenceMap" => self.sequence_map(id, inputs, frame),
            _ => Err(Fail::unknown(format!("Calipers has no rule for {op} yet"))),
        }
    }

    /// Looks into a graph with these facts for its inputs.
    pub(super) fn body(
        &mut self,
        graph: GraphId,
        inputs: Vec<Fact>,
        frame: Option<&Frame<'_>>,
    ) -> Result<(Vec<Fact>, CostTotal), Fail> {
        self.enter()?;
        let mut given = inputs.into_iter();
        for input in &self.model.graph(graph).inputs {
            let fact = given.next().unwrap_or_else(|| Fact::unknown("nothing is given for it"));
            self.facts[input.index()] = fact;
        }
        let cost = self.graph(graph, frame);
        self.nesting -= 1;
        Ok((self.outputs_of(graph), cost))
    }

    fn branches(
        &mut self,
        id: NodeId,
        inputs: &[Option<Fact>],
        frame: Option<&Frame<'_>>,
    ) -> Outcome {
        let then = graph_attribute(self.model, id, "then_branch")?;
        let otherwise = graph_attribute(self.model, id, "else_branch")?;
        // Both are looked into, so that the values inside the one not taken are known too; but what
        // cannot run there does not have to.
        let taken = condition(inputs.first());
        let mut look = |graph: GraphId, runs: bool| match runs {
            true => self.body(graph, Vec::new(), frame),
            false => self.unheard(|engine| engine.body(graph, Vec::new(), frame)),
        };
        let then = look(then, taken != Some(false));
        let otherwise = look(otherwise, taken != Some(true));
        match taken {
            Some(taken) => {
                let (facts, cost) = if taken { then? } else { otherwise? };
                self.inner = cost;
                Ok(facts)
            }
            None => {
                let ((then, one), (otherwise, other)) = (then?, otherwise?);
                self.inner = one.max(&other);
                self.notes.insert(
                    "of an If whose condition is not known, the more expensive branch counts",
                );
                let pairs = then.iter().zip(&otherwise);
                let why = "which branch is taken";
                Ok(pairs.map(|(one, other)| self.merged(one, other, "If", why)).collect())
            }
        }
    }

    fn merged(&mut self, one: &Fact, other: &Fact, label: &str, why: &str) -> Fact {
        merge(one, other, &mut || self.data_dependent_dim(label, why))
    }

    fn repeat(
        &mut self,
        id: NodeId,
        inputs: &[Option<Fact>],
        frame: Option<&Frame<'_>>,
    ) -> Outcome {
        let body = graph_attribute(self.model, id, "body")?;
        let trips = inputs.first().and_then(Option::as_ref).and_then(single).cloned();
        let start = match inputs.get(1).and_then(Option::as_ref) {
            Some(_) => condition(inputs.get(1)),
            None => Some(true),
        };
        let state: Vec<Fact> = inputs
            .iter()
            .skip(2)
            .map(|fact| fact.clone().unwrap_or_else(|| Fact::unknown("the state is left out")))
            .collect();
        let few = |trips: Option<&Expr>| {
            trips.and_then(Expr::as_const).filter(|count| (0..=MAX_TURNS).contains(count))
        };
        if start == Some(true)
            && let Some(count) = few(trips.as_ref())
            && let Some(outputs) = self.turns(body, count, &state, frame)?
        {
            return Ok(outputs);
        }
        let given = LoopStart { node: id, body, trips: trips.as_ref(), goes: start, state: &state };
        if let Some(found) = self.induction(&given, frame)? {
            if start == Some(true)
                && let Some(count) = few(Some(&found.trips))
                && let Some(outputs) = self.turns(body, count, &state, frame)?
            {
                return Ok(outputs);
            }
            let states = state.len();
            let mut outputs = self.widened(body, Some(found.trips), Exact::Yes, &state, frame)?;
            let stacked = outputs.split_off(states.min(outputs.len()));
            return Ok(with_last(outputs, &found.last).into_iter().chain(stacked).collect());
        }
        let is_exact = if start == Some(true) { Exact::IfAlwaysTrue } else { Exact::No };
        self.widened(body, trips, is_exact, &state, frame)
    }

    /// Follows a loop turn by turn; `None` when it cannot be determined when it ends.
    fn turns(
        &mut self,
        body: GraphId,
        count: i64,
        state: &[Fact],
        frame: Option<&Frame<'_>>,
    ) -> Result<Option<Vec<Fact>>, Fail> {
        let mut state = state.to_vec();
        let mut collected: Vec<Vec<Fact>> = Vec::new();
        let mut total = CostTotal::default();
        let mut done = 0;
        for turn in 0..count {
            let mut given =
                vec![scalar(DType::Int64, Elem::int(turn)), scalar(DType::Bool, Elem::bool(true))];
            given.extend(state.iter().cloned());
            let (outputs, cost) = self.body(body, given, frame)?;
            let mut outputs = outputs.into_iter();
            total.add(&cost);
            let go_on = outputs.next();
            state = outputs.by_ref().take(state.len()).collect();
            for (index, element) in outputs.enumerate() {
                if collected.len() <= index {
                    collected.push(Vec::new());
                }
                collected[index].push(element);
            }
            done = turn + 1;
            match condition(Some(&go_on)) {
                Some(true) => {}
                Some(false) => break,
                None if done == count => {}
                None => return Ok(None),
            }
        }
        if done == 0 {
            return Ok(None);
        }
        let stacked = collected.into_iter().map(|elements| {
            let first = elements.first().cloned().unwrap_or_else(|| Fact::unknown("no turn"));
            let element = elements.iter().fold(first, |sum, element| {
                self.merged(&sum, element, "Loop", "what differs between turns")
            });
            stack(&element, Expr::from(done), 0)
        });
        let stacked: Vec<Fact> = stacked.collect();
        self.inner = total;
        Ok(Some(state.into_iter().chain(stacked).collect()))
    }

    /// Finds what holds of every turn. `is_exact` says that the loop runs `trips` times, and not
    /// fewer.
    fn widened(
        &mut self,
        body: GraphId,
        trips: Option<Expr>,
        is_exact: Exact,
        state: &[Fact],
        frame: Option<&Frame<'_>>,
    ) -> Outcome {
        let first: Vec<Fact> = state.iter().map(without_value).collect();
        let mut state = first.clone();
        let mut outputs = Vec::new();
        let mut cost = CostTotal::default();
        for round in 0..MAX_WIDENINGS {
            // A body runs only while the condition holds.
            let mut given = vec![unvalued(DType::Int64), scalar(DType::Bool, Elem::bool(true))];
            given.extend(state.iter().cloned());
            (outputs, cost) = self.body(body, given, frame)?;
            let next: Vec<Fact> = state
                .iter()
                .zip(outputs.iter().skip(1))
                .map(|(before, after)| {
                    let after = without_value(after);
                    // A state may start as a scalar and have its rank from the first turn on.
                    if round == 0 && changes_rank(before, &after) {
                        return after;
                    }
                    self.merged(before, &after, "Loop", "how often it repeats")
                })
                .collect();
            if next == state {
                break;
            }
            state = next;
        }
        let goes_on = || outputs.first().and_then(|it| condition(Some(&Some(it.clone()))));
        let is_exact = match is_exact {
            Exact::Yes => true,
            Exact::IfAlwaysTrue => goes_on() == Some(true),
            Exact::No => false,
        };
        let count = match trips {
            Some(trips) if is_exact => trips,
            _ => self.data_dependent_dim("Loop", "how often it repeats"),
        };
        self.inner = cost.times(&count);
        let stacked =
            outputs.iter().skip(1 + state.len()).map(|element| stack(element, count.clone(), 0));
        let stacked: Vec<Fact> = stacked.collect();
        // Without a turn, a state is what it was at the start.
        let runs = count.is_at_least(1);
        let last =
            first.iter().zip(state).map(|(first, state)| match changes_rank(first, &state) {
                true if !runs => self.merged(first, &state, "Loop", "how often it repeats"),
                _ => state,
            });
        let last: Vec<Fact> = last.collect();
        Ok(last.into_iter().chain(stacked).collect())
    }

    fn scan(&mut self, id: NodeId, inputs: &[Option<Fact>], frame: Option<&Frame<'_>>) -> Outcome {
        let body = graph_attribute(self.model, id, "body")?;
        let model = self.model;
        let list = |name: &str| match model.attribute(id, name) {
            Some(AttributeValue::Ints(list)) => list.held().map(<[i64]>::to_vec),
            _ => None,
        };
        let scanned = match model.attribute(id, "num_scan_inputs") {
            Some(AttributeValue::Int(count)) => usize::try_from(*count).unwrap_or(0),
            _ => return Err(Fail::contradiction("Scan does not say how many inputs it scans")),
        };
        // In its first version, operator set 8, everything has a batch in front and a length
        // is before the states.
        let batched = self.opset_of(id, frame) < 9;
        let inputs = if batched { inputs.get(1..).unwrap_or_default() } else { inputs };
        let states = inputs.len().saturating_sub(scanned);
        let axes = list("scan_input_axes").or_else(|| list("axes")).unwrap_or_default();
        let mut length = None;
        let mut given = Vec::new();
        for (index, input) in inputs.iter().enumerate() {
            let fact = input.clone().unwrap_or_else(|| Fact::unknown("it is left out"));
            let fact = if batched { drop_axis(&fact, 0) } else { fact };
            if index < states {
                given.push(without_value(&fact));
                continue;
            }
            let axis = axes.get(index - states).copied().unwrap_or(0);
            if let Some(dims) = fact.as_tensor().and_then(TensorFact::dims) {
                length = length.or_else(|| dims.get(front(axis, dims.len())?).cloned());
            }
            given.push(drop_axis(&fact, axis));
        }
        let start: Vec<Fact> = given[..states].to_vec();
        let (outputs, cost) = self.body(body, given, frame)?;
        let length = match length {
            Some(length) => length,
            None => self.data_dependent_dim("Scan", "the length that is scanned"),
        };
        self.inner = cost.times(&length);
        let out_axes = list("scan_output_axes").unwrap_or_default();
        let batch = inputs
            .iter()
            .flatten()
            .find_map(|fact| fact.as_tensor()?.dims()?.first().cloned())
            .filter(|_| batched);
        let mut facts = Vec::with_capacity(outputs.len());
        for (index, output) in outputs.iter().enumerate() {
            let fact = match index.checked_sub(states) {
                None => self.merged(&start[index], &without_value(output), "Scan", "its state"),
                Some(place) => {
                    let axis = out_axes.get(place).copied().unwrap_or(0);
                    stack(output, length.clone(), axis)
                }
            };
            facts.push(match &batch {
                Some(batch) => stack(&fact, batch.clone(), 0),
                None => fact,
            });
        }
        Ok(facts)
    }

    fn sequence_map(
        &mut self,
        id: NodeId,
        inputs: &[Option<Fact>],
        frame: Option<&Frame<'_>>,
    ) -> Outcome {
        let body = graph_attribute(self.model, id, "body")?;
        let items = inputs.first().and_then(Option::as_ref).and_then(|fact| match fact {
            Fact::Sequence(sequence) => sequence.items.clone(),
            _ => None,
        });
        let element = |input: &Option<Fact>, turn: Option<usize>| match input {
            Some(Fact::Sequence(sequence)) => turn
                .and_then(|turn| sequence.items.as_ref()?.get(turn).cloned())
                .unwrap_or_else(|| (*sequence.element).clone()),
            Some(other) => other.clone(),
            None => Fact::unknown("it is left out"),
        };
        let turns: Vec<Option<usize>> = match &items {
            Some(items) if items.len() <= 64 && !items.is_empty() => {
                (0..items.len()).map(Some).collect()
            }
            _ => vec![None],
        };
        let mut collected: Vec<Vec<Fact>> = Vec::new();
        let mut total = CostTotal::default();
        for turn in &turns {
            let given = inputs.iter().map(|input| element(input, *turn)).collect();
            let (outputs, cost) = self.body(body, given, frame)?;
            total.add(&cost);
            collected.resize_with(outputs.len(), Vec::new);
            for (list, output) in collected.iter_mut().zip(outputs) {
                list.push(output);
            }
        }
        if turns == [None] {
            let length =
                self.data_dependent_dim("SequenceMap", "how many elements the sequence has");
            total = total.times(&length);
        }
        self.inner = total;
        let mut facts = Vec::new();
        for list in collected {
            let Some(first) = list.first().cloned() else { continue };
            let element = list.iter().fold(first, |sum, item| {
                self.merged(&sum, item, "SequenceMap", "which element it is")
            });
            let items = turns[0].is_some().then(|| Arc::from(list));
            facts.push(Fact::Sequence(SequenceFact { element: Box::new(element), items }));
        }
        Ok(facts)
    }
}

/// Whether two facts are of tensors with different numbers of dimensions.
fn changes_rank(one: &Fact, other: &Fact) -> bool {
    let rank = |fact: &Fact| fact.as_tensor().and_then(TensorFact::rank);
    matches!((rank(one), rank(other)), (Some(one), Some(other)) if one != other)
}

/// The only element of a tensor.
pub(super) fn single(fact: &Fact) -> Option<&Expr> {
    match fact.as_tensor()?.value.as_deref()? {
        [element] => element.as_expr(),
        _ => None,
    }
}

/// A condition, when it can be determined.
fn condition(fact: Option<&Option<Fact>>) -> Option<bool> {
    match fact?.as_ref()?.as_tensor()?.value.as_deref()? {
        [element] => element.as_bool(),
        _ => None,
    }
}

pub(super) fn scalar(dtype: DType, element: Elem) -> Fact {
    TensorFact::new(dtype, []).with_value([element]).into()
}

fn unvalued(dtype: DType) -> Fact {
    Fact::tensor(dtype, [])
}

/// An axis from the front.
fn front(axis: i64, rank: usize) -> Option<usize> {
    let rank = i64::try_from(rank).ok()?;
    usize::try_from(if axis < 0 { axis + rank } else { axis })
        .ok()
        .filter(|axis| (*axis as i64) < rank)
}

/// Many of one tensor, put together along a new axis.
fn stack(fact: &Fact, count: Expr, axis: i64) -> Fact {
    let Some(tensor) = fact.as_tensor() else { return fact.clone() };
    let shape = tensor.shape.clone().map(|dims| {
        let mut dims = dims.to_vec();
        let place = front(axis, dims.len() + 1).unwrap_or(0);
        dims.insert(place, count);
        dims.into()
    });
    TensorFact { dtype: tensor.dtype, shape, value: None }.into()
}

/// A tensor without one of its axes.
fn drop_axis(fact: &Fact, axis: i64) -> Fact {
    let Some(tensor) = fact.as_tensor() else { return fact.clone() };
    let shape = tensor.shape.clone().map(|dims| {
        let mut dims = dims.to_vec();
        if let Some(place) = front(axis, dims.len()) {
            dims.remove(place);
        }
        dims.into()
    });
    TensorFact { dtype: tensor.dtype, shape, value: None }.into()
}
