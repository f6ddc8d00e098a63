//! Inputs and outputs by their names.

use calipers_report::{InterfaceChange, InterfacePart, Port};
use hashbrown::HashMap;

use super::shape::{Allowed, Symbols, compare_shapes, text};
use crate::Side;

/// The side of the model that a port is on: callers feed inputs and read outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Flow {
    Input,
    Output,
}

impl Flow {
    fn part(self) -> InterfacePart {
        match self {
            Self::Input => InterfacePart::Input,
            Self::Output => InterfacePart::Output,
        }
    }

    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Input => "input",
            Self::Output => "output",
        }
    }
}

/// What changed about the inputs and the outputs of two models.
pub(super) fn compare(a: Side<'_>, b: Side<'_>) -> Vec<InterfaceChange> {
    let (graph_a, graph_b) = (&a.named().graph, &b.named().graph);
    let (shown_a, shown_b) = (&a.report.graph, &b.report.graph);
    let pairs = Pairs::new(&graph_a.inputs, &graph_b.inputs);
    let inputs = || pairs.same.iter().chain(&pairs.renamed);
    let symbols = Symbols::from_inputs(
        inputs().map(|(left, right)| (&graph_a.inputs[*left], &graph_b.inputs[*right])),
    );
    // The names that are shown may be words of ours; which of them are the same is decided above.
    let shown = Symbols::from_inputs(inputs().filter_map(|(left, right)| {
        Some((shown_a.inputs.get(*left)?, shown_b.inputs.get(*right)?))
    }));
    let mut changes = pairs.changes(Flow::Input, &shown_a.inputs, &shown_b.inputs, &shown);
    if symbols.joined().next().is_some() {
        changes.extend(shown.joined().map(|(first, second)| InterfaceChange {
            what: InterfacePart::Input,
            name: first.to_owned(),
            detail: format!("dimensions `{first}` and `{second}` must be equal now"),
            breaking: true,
            a: None,
            b: None,
        }));
    }
    let pairs = Pairs::new(&graph_a.outputs, &graph_b.outputs);
    changes.extend(pairs.changes(Flow::Output, &shown_a.outputs, &shown_b.outputs, &shown));
    changes
}

/// Ports of two models that are the same, by place.
struct Pairs {
    same: Vec<(usize, usize)>,
    renamed: Vec<(usize, usize)>,
    removed: Vec<usize>,
    added: Vec<usize>,
}

impl Pairs {
    fn new(a: &[Port], b: &[Port]) -> Self {
        let names: HashMap<&str, usize> =
            b.iter().enumerate().rev().map(|(at, port)| (port.name.as_str(), at)).collect();
        let mut is_taken = vec![false; b.len()];
        let mut same = Vec::new();
        let mut rest = Vec::new();
        for (at, port) in a.iter().enumerate() {
            match names.get(port.name.as_str()) {
                Some(other) if !std::mem::replace(&mut is_taken[*other], true) => {
                    same.push((at, *other));
                }
                _ => rest.push(at),
            }
        }
        let free: Vec<usize> = (0..b.len()).filter(|at| !is_taken[*at]).collect();
        // A port of another name with the same type is the same port, renamed, where it is at the
        // same place among those without a counterpart.
        let mut renamed = Vec::new();
        let (mut removed, mut added) = (Vec::new(), Vec::new());
        let mut others = free.iter().copied().peekable();
        for at in rest {
            match others.next_if(|other| is_alike(&a[at], &b[*other])) {
                Some(other) => renamed.push((at, other)),
                None => removed.push(at),
            }
        }
        added.extend(others);
        Self { same, renamed, removed, added }
    }

    fn changes(
        &self,
        flow: Flow,
        a: &[Port],
        b: &[Port],
        symbols: &Symbols,
    ) -> Vec<InterfaceChange> {
        let mut changes = Vec::new();
        let change = |name: &str, detail: String, breaking, before, after| InterfaceChange {
            what: flow.part(),
            name: name.to_owned(),
            detail,
            breaking,
            a: before,
            b: after,
        };
        let word = flow.word();
        for (left, right) in &self.renamed {
            let (before, after) = (&a[*left], &b[*right]);
            let detail = format!("{word} `{}` is renamed `{}`", before.name, after.name);
            let names = (Some(before.name.clone()), Some(after.name.clone()));
            changes.push(change(&before.name, detail, true, names.0, names.1));
        }
        for at in &self.removed {
            let port = &a[*at];
            let detail = format!("{word} `{}` is removed", port.name);
            changes.push(change(&port.name, detail, true, Some(port.type_text.clone()), None));
        }
        for at in &self.added {
            let port = &b[*at];
            let detail = match flow {
                Flow::Input => format!("input `{}` is new and has no default value", port.name),
                Flow::Output => format!("output `{}` is new", port.name),
            };
            let breaking = flow == Flow::Input;
            changes.push(change(&port.name, detail, breaking, None, Some(port.type_text.clone())));
        }
        for (left, right) in self.same.iter().chain(&self.renamed) {
            let (before, after) = (&a[*left], &b[*right]);
            for (detail, allowed) in port_changes(flow, before, after, symbols) {
                changes.push(change(
                    &before.name,
                    detail,
                    allowed == Allowed::Less,
                    Some(text(before, flow)),
                    Some(text(after, flow)),
                ));
            }
        }
        if let Some(at) = self.moved(b.len()) {
            let port = &a[at.0];
            let detail = match flow {
                Flow::Input => format!(
                    "input `{}` is number {}, was number {}: code that feeds inputs by place breaks",
                    port.name,
                    at.1 + 1,
                    at.0 + 1
                ),
                Flow::Output => format!(
                    "output `{}` is number {}, was number {}: code that reads outputs by place \
                     breaks",
                    port.name,
                    at.1 + 1,
                    at.0 + 1
                ),
            };
            let places = (Some((at.0 + 1).to_string()), Some((at.1 + 1).to_string()));
            changes.push(change(&port.name, detail, true, places.0, places.1));
        }
        changes
    }

    /// The first port that is at another place, where that is not only because of removed ones.
    fn moved(&self, ports: usize) -> Option<(usize, usize)> {
        let mut pairs: Vec<(usize, usize)> =
            self.same.iter().chain(&self.renamed).copied().collect();
        pairs.sort_unstable();
        let is_rising = pairs.is_sorted_by_key(|(_, right)| *right);
        let last = pairs.iter().map(|(_, right)| *right).max().unwrap_or(0);
        let inserted = self.added.iter().find(|at| **at < last);
        match (is_rising, inserted) {
            (true, None) => None,
            (true, Some(at)) if self.removed.is_empty() => pairs
                .into_iter()
                .find(|(left, right)| left != right && right > at && *right < ports),
            (true, Some(_)) => None,
            (false, _) => {
                let mut greatest = 0;
                let falls = pairs.windows(2).find(|pair| {
                    greatest = greatest.max(pair[0].1);
                    pair[1].1 < greatest
                })?;
                Some(falls[1])
            }
        }
    }
}

/// Whether two ports have the same kind, element type and rank.
fn is_alike(a: &Port, b: &Port) -> bool {
    let rank = |port: &Port| port.shape.as_ref().map(Vec::len);
    a.kind == b.kind && a.dtype == b.dtype && rank(a) == rank(b)
}

/// What differs between two ports that are the same.
fn port_changes(
    flow: Flow,
    before: &Port,
    after: &Port,
    symbols: &Symbols,
) -> Vec<(String, Allowed)> {
    let word = flow.word();
    let mut changes = Vec::new();
    if before.kind != after.kind {
        let detail = format!(
            "{word} `{}` is a {}, was a {}",
            after.name,
            after.kind.display_name(),
            before.kind.display_name()
        );
        return vec![(detail, Allowed::Less)];
    }
    if before.dtype != after.dtype {
        let shown = |port: &Port| {
            port.dtype.map_or_else(|| port.type_text.clone(), |dtype| dtype.to_string())
        };
        let detail = format!("{word} `{}` is {}, was {}", after.name, shown(after), shown(before));
        changes.push((detail, Allowed::Less));
    }
    changes.extend(compare_shapes(flow, before, after, symbols));
    changes
}
