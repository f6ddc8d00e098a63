//! From when to when each value is needed, and the bytes alive at each node.

use calipers_infer::walk::{ResolvedOps, Step, steps, subgraphs};
use calipers_ir::{GraphId, GraphKind, Model, NodeId, ValueId};

use super::Size;
use super::reuse::{Reuse, reuse_of};

/// Which values depend on an input: those of the main graph and of its subgraphs. Inputs of a
/// subgraph do.
pub(super) fn depends(model: &Model, resolved: &ResolvedOps) -> Vec<bool> {
    let mut depends = vec![false; model.values().len()];
    for input in model.required_inputs() {
        depends[input.index()] = true;
    }
    // The main graph's steps are the last.
    for step in steps(model, resolved).pop().unwrap_or_default() {
        match step {
            Step::Enter(node) => {
                for input in subgraphs(model, node).flat_map(|graph| &model.graph(graph).inputs) {
                    depends[input.index()] = true;
                }
            }
            Step::Node(node) => {
                let inner = subgraphs(model, node).flat_map(|graph| &model.graph(graph).outputs);
                let mut read = reads(model, node).chain(inner.copied());
                if read.any(|value| depends[value.index()]) {
                    for output in model.outputs(node).iter().flatten() {
                        depends[output.index()] = true;
                    }
                }
            }
        }
    }
    depends
}

/// What a node and the subgraphs inside it read from the node's own graph.
fn reads(model: &Model, node: NodeId) -> impl Iterator<Item = ValueId> {
    model.inputs(node).iter().flatten().copied().chain(model.captures(node))
}

/// The places in the order of execution at which a value is alive.
#[derive(Clone, Copy, Debug)]
pub(super) struct LiveRange {
    pub(super) value: ValueId,
    /// The node that gives it; 0 for inputs.
    pub(super) from: usize,
    /// The last node that needs it; the number of nodes for outputs of the graph.
    pub(super) until: usize,
    pub(super) bytes: u64,
    /// It came from outside the graph.
    pub(super) input: bool,
}

/// Lives of the values of the main graph, in the order in which they begin, with what its subgraphs
/// take.
#[derive(Debug)]
pub(super) struct Lives {
    live_ranges: Vec<LiveRange>,
    /// For each node of the main graph, the peak inside its subgraphs.
    inner: Vec<u64>,
    unknown: Option<(ValueId, String)>,
    uncounted: bool,
}

/// Bytes alive at each node, and the most of them.
#[derive(Debug)]
pub(super) struct Trace {
    pub(super) timeline: Vec<u64>,
    /// `None` when it does not fit 64 bits.
    pub(super) peak: Option<u64>,
    /// The first node with the most; `None` in a graph without nodes.
    pub(super) peak_place: Option<usize>,
}

impl Lives {
    pub(super) fn find(model: &Model, depends: &[bool], size: &dyn Fn(ValueId) -> Size) -> Self {
        let mut found =
            Self { live_ranges: Vec::new(), inner: Vec::new(), unknown: None, uncounted: false };
        let mut peaks = vec![0_u64; model.graphs().len()];
        let mut on_main = vec![false; model.graphs().len()];
        for (id, graph) in model.graphs() {
            // A parent always is before its subgraphs.
            on_main[id.index()] = match graph.kind {
                GraphKind::Main => true,
                GraphKind::Subgraph { .. } => {
                    graph.parent.is_some_and(|parent| on_main[parent.index()])
                }
                GraphKind::Function(_) | GraphKind::Training => false,
            };
        }
        let graphs: Vec<GraphId> = model.graphs().map(|(id, _)| id).collect();
        for id in graphs.into_iter().rev().filter(|id| on_main[id.index()]) {
            found.live_ranges = found.lives_of(model, id, depends, size);
            found.inner = model
                .graph(id)
                .order
                .iter()
                .map(|node| subgraphs(model, *node).map(|graph| peaks[graph.index()]).max())
                .map(Option::unwrap_or_default)
                .collect();
            if id != model.main_id() {
                peaks[id.index()] = found.walk(model, id, None).peak.unwrap_or(u64::MAX);
            }
        }
        found
    }

    fn lives_of(
        &mut self,
        model: &Model,
        id: GraphId,
        depends: &[bool],
        size: &dyn Fn(ValueId) -> Size,
    ) -> Vec<LiveRange> {
        let graph = model.graph(id);
        let mut last = hashbrown::HashMap::new();
        for (place, node) in graph.order.iter().enumerate() {
            for value in reads(model, *node) {
                last.insert(value, place);
            }
        }
        for output in &graph.outputs {
            last.insert(*output, graph.order.len());
        }
        let inputs = graph.inputs.iter().map(|value| (0, *value, true));
        let made = graph.order.iter().enumerate().flat_map(|(place, node)| {
            model.outputs(*node).iter().flatten().map(move |value| (place, *value, false))
        });
        let mut seen = hashbrown::HashSet::new();
        let mut live_ranges = Vec::new();
        for (from, value, input) in inputs.chain(made) {
            if !depends[value.index()] || !seen.insert(value) {
                continue;
            }
            let bytes = match size(value) {
                Size::Bytes(bytes) => bytes,
                Size::Uncounted => {
                    self.uncounted = true;
                    0
                }
                Size::Unknown(reason) => {
                    // Of the main graph rather than of what is inside it, the first one.
                    let first = self.unknown.as_ref().is_none_or(|(known, _)| {
                        model.value(*known).graph != model.value(value).graph
                    });
                    if first {
                        self.unknown = Some((value, reason));
                    }
                    0
                }
            };
            let until = last.get(&value).copied().unwrap_or(from).max(from);
            live_ranges.push(LiveRange { value, from, until, bytes, input });
        }
        live_ranges
    }

    /// Lives of the main graph's values, in the order in which they begin.
    pub(super) fn main(&self) -> impl Iterator<Item = &LiveRange> {
        self.live_ranges.iter()
    }

    /// The peak inside the subgraphs of a node.
    pub(super) fn inner(&self, place: usize) -> u64 {
        self.inner.get(place).copied().unwrap_or_default()
    }

    /// A value whose size is not known, and why.
    pub(super) fn first_unknown(&self) -> Option<(ValueId, &str)> {
        self.unknown.as_ref().map(|(value, reason)| (*value, reason.as_str()))
    }

    /// Whether some value has no size.
    pub(super) fn has_uncounted(&self) -> bool {
        self.uncounted
    }

    /// Bytes alive at each node of the main graph; with reuse of places when there are resolved.
    pub(super) fn trace(&self, model: &Model, reuse: Option<&ResolvedOps>) -> Trace {
        self.walk(model, model.main_id(), reuse)
    }

    fn walk(&self, model: &Model, id: GraphId, reuse: Option<&ResolvedOps>) -> Trace {
        let order = &model.graph(id).order;
        let mut places = Places::new(order.len());
        let mut live_ranges = self.live_ranges.iter().peekable();
        while let Some(life) = live_ranges.next_if(|life| life.input) {
            places.add(life);
        }
        let mut trace =
            Trace { timeline: Vec::with_capacity(order.len()), peak: None, peak_place: None };
        let mut most = places.alive;
        for (place, node) in order.iter().enumerate() {
            let before = places.alive;
            while let Some(life) = live_ranges.next_if(|life| life.from == place) {
                let reused =
                    reuse.map_or(Reuse::Never, |resolved| reuse_of(model, resolved, *node));
                places.give(life, place, model.inputs(*node), reused);
            }
            let inner = u128::from(self.inner(place));
            // A branch makes the outputs of If itself.
            let is_if = model.name(model.node(*node).op) == "If";
            let alive = places.alive.max(inner + if is_if { before } else { places.alive });
            trace.timeline.push(u64::try_from(alive).unwrap_or(u64::MAX));
            if alive > most || trace.peak_place.is_none() && alive == most {
                most = alive;
                trace.peak_place = Some(place);
            }
            places.free(place);
        }
        trace.peak = u64::try_from(most).ok();
        trace
    }
}

/// A piece of memory that one value holds, or several that are views of each other.
#[derive(Debug)]
struct Place {
    bytes: u64,
    until: usize,
    /// It is the caller's: it may be viewed, never overwritten.
    borrowed: bool,
}

/// All pieces of memory.
#[derive(Debug)]
struct Places {
    places: Vec<Place>,
    of_value: hashbrown::HashMap<ValueId, usize>,
    /// For each node, the places that may go after it.
    ends: Vec<Vec<usize>>,
    alive: u128,
}

impl Places {
    fn new(nodes: usize) -> Self {
        let ends = vec![Vec::new(); nodes + 1];
        Self { places: Vec::new(), of_value: hashbrown::HashMap::new(), ends, alive: 0 }
    }

    fn add(&mut self, life: &LiveRange) {
        let index = self.places.len();
        self.places.push(Place { bytes: life.bytes, until: life.until, borrowed: life.input });
        self.of_value.insert(life.value, index);
        self.ends[life.until].push(index);
        self.alive += u128::from(life.bytes);
    }

    /// A place for a value that a node gives: a new one, or that of an input.
    fn give(&mut self, life: &LiveRange, now: usize, inputs: &[Option<ValueId>], reuse: Reuse) {
        let mut of_inputs = inputs.iter().flatten().filter_map(|input| self.of_value.get(input));
        let taken = match reuse {
            Reuse::Never => None,
            Reuse::View => {
                inputs.first().copied().flatten().and_then(|input| self.of_value.get(&input))
            }
            Reuse::Overwrite => of_inputs.find(|index| {
                let place = &self.places[**index];
                place.until == now && !place.borrowed && place.bytes == life.bytes
            }),
        };
        let Some(index) = taken.copied() else { return self.add(life) };
        let place = &mut self.places[index];
        if place.until < life.until {
            place.until = life.until;
            self.ends[life.until].push(index);
        }
        self.of_value.insert(life.value, index);
    }

    /// Frees what nothing needs after a node.
    fn free(&mut self, now: usize) {
        for index in std::mem::take(&mut self.ends[now]) {
            let place = &self.places[index];
            if place.until == now {
                self.alive -= u128::from(place.bytes);
            }
        }
    }
}
