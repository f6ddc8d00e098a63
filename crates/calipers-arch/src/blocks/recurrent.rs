//! Recurrent layers.
//!
//! | form | written by |
//! |---|---|
//! | `LSTM`, `GRU`, `RNN`, with the directions in one operator | PyTorch, Keras |
//! | `DynamicQuantizeLSTM` | ONNX Runtime; lowered to `LSTM` |
//! | two operators, one of them `reverse`, joined by `Concat` | TensorFlow |
//!
//! Extracts `cell`, `in`, `hidden` and whether it is `bidirectional`. Views that lay the directions side
//! by side belong to the layer.

use calipers_ops::Class;

use super::Pattern;
use crate::network::{
    BlockKind, Found, Network, NetworkOp, Op, OpId, Ops, Recurrent, RecurrentCell, Val,
};

pub(super) const RECURRENT: Pattern = Pattern {
    kind: BlockKind::Recurrent,
    description: "Recurrent layer: LSTM, GRU or plain RNN.",
    anchors: Ops::operators(&["Concat", "GRU", "LSTM", "RNN"]),
    matcher: find,
};

/// Views behind a layer.
const MAX_VIEWS: usize = 4;

fn find(net: &Network<'_>, end: OpId) -> Option<Found> {
    let unit = net.unit(end);
    if unit.is("Concat") {
        return both_ways(net, end);
    }
    // The two halves of a bidirectional layer are found at their Concat.
    if direction(net, unit) != "bidirectional" && pair(net, end).is_some() {
        return None;
    }
    let mut units = vec![end];
    let mut val = unit.output();
    while units.len() <= MAX_VIEWS
        && let Some(user) = net.only_use(val).filter(|user| net.unit(*user).is_layout())
    {
        units.push(user);
        val = net.unit(user).output();
    }
    Some(layer(net, unit, units, direction(net, unit) == "bidirectional"))
}

fn layer(net: &Network<'_>, cell: &NetworkOp, units: Vec<OpId>, both: bool) -> Found {
    let name = match cell.op {
        Op::Operator("LSTM") => RecurrentCell::Lstm,
        Op::Operator("GRU") => RecurrentCell::Gru,
        _ => RecurrentCell::Rnn,
    };
    // Each direction's state is the last axis of the sequence that is given.
    let hidden = net.int(cell, "hidden_size").or_else(|| net.dim(cell.output(), -1));
    let input = cell.input(0).and_then(|x| net.dim(x, -1));
    let units = if net.can_fold(&sorted(&units)) { units } else { units[..1].to_vec() };
    Found::new(units)
        .with(Recurrent { cell: name, input, hidden, bidirectional: both })
        .taking(cell.input(0))
}

fn sorted(units: &[OpId]) -> Vec<OpId> {
    let mut units = units.to_vec();
    units.sort_unstable();
    units
}

fn direction(net: &Network<'_>, cell: &NetworkOp) -> &'static str {
    net.setting(cell, "direction").unwrap_or("forward")
}

/// A forward and a backward layer over one sequence, joined.
fn both_ways(net: &Network<'_>, end: OpId) -> Option<Found> {
    let [Some(a), Some(b)] = net.unit(end).inputs[..] else { return None };
    let mut units = vec![end];
    let (first, from) = cell_behind(net, a, &mut units)?;
    let (second, other) = cell_behind(net, b, &mut units)?;
    let (one, two) = (net.unit(first), net.unit(second));
    let backward = |cell: &NetworkOp, turned: bool| turned || direction(net, cell) == "reverse";
    let ways = [backward(one, from.turned), backward(two, other.turned)];
    if first == second || one.op != two.op || from.x != other.x || ways[0] == ways[1] {
        return None;
    }
    let ordered = sorted(&units);
    let units = if net.can_fold(&ordered) { units } else { return None };
    Some(layer(net, one, units, true))
}

/// What a direction reads, and whether it is turned around first.
struct From {
    x: Val,
    turned: bool,
}

fn cell_behind(net: &Network<'_>, val: Val, units: &mut Vec<OpId>) -> Option<(OpId, From)> {
    let mut val = val;
    for _ in 0..8 {
        let id = net.producer(val)?;
        let unit = net.unit(id);
        units.push(id);
        if unit.is_class(Class::Recurrent) {
            let mut x = unit.input(0)?;
            let turned = net.made_by(x, "ReverseSequence");
            if let Some(turn) = turned {
                units.push(turn);
                x = net.unit(turn).input(0)?;
            }
            return Some((id, From { x, turned: turned.is_some() }));
        }
        let passes = unit.is_layout() || unit.is_cut() || unit.is("ReverseSequence");
        val = unit.input(0).filter(|_| passes)?;
    }
    None
}

/// The Concat that joins a layer with one that runs the other way.
fn pair(net: &Network<'_>, cell: OpId) -> Option<OpId> {
    net.unit(cell).outputs.iter().find_map(|output| {
        let mut val = *output;
        for _ in 0..8 {
            let user = net.only_use(val)?;
            let unit = net.unit(user);
            if unit.is("Concat") {
                return both_ways(net, user).map(|_| user);
            }
            if !unit.is_layout() && !unit.is_cut() && !unit.is("ReverseSequence") {
                return None;
            }
            val = unit.output();
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use calipers_samples::Attribute;

    use crate::blocks::testing::{Inspect as _, Tiny};
    use crate::network::BlockKind;

    fn cell(t: &mut Tiny, op: &str, x: &str, gates: i64, direction: &str) -> String {
        let directions = if direction == "bidirectional" { 2 } else { 1 };
        let weight = t.weight(&[directions, gates * 8, 4]);
        let recurrence = t.weight(&[directions, gates * 8, 8]);
        let attributes =
            [Attribute::int("hidden_size", 8), Attribute::string("direction", direction)];
        t.op_with(op, &[x, &weight, &recurrence], &attributes)
    }

    #[test]
    fn each_cell_and_direction() {
        for (op, gates, word) in [("LSTM", 4, "lstm"), ("GRU", 3, "gru"), ("RNN", 1, "rnn")] {
            for direction in ["forward", "bidirectional"] {
                let mut t = Tiny::new();
                let x = t.input(&["5", "2", "4"]);
                let y = cell(&mut t, op, &x, gates, direction);
                let seen = t.output(&y);
                let found = seen.first(BlockKind::Recurrent, |_, unit| {
                    let layer = unit.recurrent().unwrap();
                    (layer.cell.id(), layer.input, layer.hidden, layer.bidirectional)
                });
                let both = direction == "bidirectional";
                assert_eq!(found, Some((word, Some(4), Some(8), both)));
                assert!(seen.takes_the_input(BlockKind::Recurrent));
            }
        }
    }

    #[test]
    fn two_directions_are_one_layer() {
        let mut t = Tiny::new();
        let x = t.input(&["5", "2", "4"]);
        let axis = t.ints(&[1]);
        let parts = ["forward", "reverse"].map(|direction| {
            let way = cell(&mut t, "LSTM", &x, 4, direction);
            t.op("Squeeze", &[&way, &axis])
        });
        let y = t.concat(&[&parts[0], &parts[1]], 2);
        let seen = t.output(&y);
        assert_eq!(seen.count(BlockKind::Recurrent), 1);
        assert_eq!(
            seen.first(BlockKind::Recurrent, |_, unit| unit.recurrent().unwrap().bidirectional),
            Some(true)
        );
    }
}
