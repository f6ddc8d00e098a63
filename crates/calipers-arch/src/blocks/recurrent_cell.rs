//! Recurrent cells that are written out: one step of an LSTM or a GRU as products and gates.
//!
//! | cell | form | written by |
//! |---|---|---|
//! | LSTM | `c' = σ(f) · c + σ(i) · tanh(g)`, `h' = σ(o) · tanh(c')` | `LSTMCell` of PyTorch and Keras; loops of TensorFlow |
//! | GRU | `h' = z · h + (1 - z) · n`, or `n + z · (h - n)`, with `n = tanh(a + r · b)` or `tanh(W · (r · h))` | `GRUCell` of PyTorch and Keras |
//!
//! Gates are parts of one sum (`Split`, `Slice`) or sums of their own; a sum is of products with the
//! input and with the state, or one product with both, joined. The product with the input may be
//! outside a loop. Extracts `cell`, `in` and `hidden`. Highway layers, gated convolutions and gated
//! linear units have gates without a state, so they do not match.

use calipers_ops::Movement;

use super::Pattern;
use crate::network::{BlockKind, Found, Network, Op, OpId, Ops, Recurrent, RecurrentCell, Val};

pub(super) const RECURRENT_CELL: Pattern = Pattern {
    kind: BlockKind::Recurrent,
    description: "Recurrent layer: LSTM, GRU or plain RNN.",
    anchors: Ops::operators(&["Add", "Mul"]),
    matcher: find,
};

/// Sums between a gate and the products that it is made of.
const MAX_SUMS: usize = 8;

fn find(net: &Network<'_>, end: OpId) -> Option<Found> {
    let mut cell = Cell { net, units: vec![end], products: Vec::new(), sources: Vec::new() };
    let kind = match net.unit(end).op {
        Op::Operator("Mul") => cell.lstm(end).map(|()| RecurrentCell::Lstm),
        _ => cell.gru(end).map(|()| RecurrentCell::Gru),
    }?;
    cell.found(end, kind)
}

/// What belongs to a cell.
struct Cell<'n, 'a> {
    net: &'n Network<'a>,
    units: Vec<OpId>,
    /// Linear layers that the gates are made of.
    products: Vec<OpId>,
    /// Sums that the gates are parts of.
    sources: Vec<Val>,
}

impl Cell<'_, '_> {
    fn lstm(&mut self, end: OpId) -> Option<()> {
        let (gate, state) = self.either(end, |it, val| it.made_by(val, "Tanh"))?;
        let output = self.gate(gate)?;
        self.units.push(state);
        let mut next = self.net.unit(state).input(0)?;
        // A state that is kept in limits.
        if let Some(limits) = self.made_by(next, "Clip") {
            self.units.push(limits);
            next = self.net.unit(limits).input(0)?;
        }
        let sum = self.made_by(next, "Add")?;
        self.units.push(sum);
        let [Some(a), Some(b)] = self.net.unit(sum).inputs[..] else { return None };
        let (a, b) = (self.made_by(a, "Mul")?, self.made_by(b, "Mul")?);
        self.units.extend([a, b]);
        let added = |it: &Self, id| it.either(id, |it, val| it.made_by(val, "Tanh"));
        let ((new_gate, new), kept) = match (added(self, a), added(self, b)) {
            (Some(new), _) => (new, b),
            (None, Some(new)) => (new, a),
            (None, None) => return None,
        };
        self.units.push(new);
        let (_, forget) = self.either(kept, |it, val| it.made_by(val, SIGMOIDS))?;
        self.units.push(forget);
        let input = self.gate(new_gate)?;
        let inner = [forget, new].map(|unit| self.net.unit(unit).input(0));
        for part in [Some(output), Some(input), inner[0], inner[1]] {
            self.part(part?);
        }
        // Four gates of one sum, or of four.
        self.collect(&[1, 4])
    }

    fn gru(&mut self, end: OpId) -> Option<()> {
        let [Some(a), Some(b)] = self.net.unit(end).inputs[..] else { return None };
        let (update, new) = [(a, b), (b, a)].into_iter().find_map(|(kept, new)| {
            self.difference(kept, new).or_else(|| self.complement(kept, new))
        })?;
        self.units.extend(update.units);
        let update_part = self.gate(update.gate)?;
        let tanh = self.made_by(new, "Tanh")?;
        self.units.push(tanh);
        let before = self.net.unit(tanh).input(0)?;
        let reset_part = self.reset(before)?;
        self.part(update_part);
        self.part(reset_part);
        self.collect(&[1, 2, 3, 4])
    }

    /// `z · (h - n)`, which is added to `n`.
    fn difference(&self, product: Val, new: Val) -> Option<(Update, Val)> {
        let product = self.made_by(product, "Mul")?;
        let (gate, less) = self.either(product, |it, val| it.made_by(val, "Sub"))?;
        let is_new = self.net.unit(less).input(1) == Some(new);
        is_new.then_some((Update { gate, units: vec![product, less] }, new))
    }

    /// `z · h` and `(1 - z) · n`, which are added.
    fn complement(&self, kept: Val, added: Val) -> Option<(Update, Val)> {
        let (kept, added) = (self.made_by(kept, "Mul")?, self.made_by(added, "Mul")?);
        // Either side may have the complement.
        for (plain, turned) in [(kept, added), (added, kept)] {
            let Some((other, less)) = self.either(turned, |it, val| it.made_by(val, "Sub")) else {
                continue;
            };
            let [Some(one), Some(gate)] = self.net.unit(less).inputs[..] else { continue };
            if !self.net.is_number(one, 1.0) || !self.net.unit(plain).inputs.contains(&Some(gate)) {
                continue;
            }
            let operand = self.net.unit(plain).inputs.iter().flatten().find(|val| **val != gate);
            let new = [Some(other), operand.copied()]
                .into_iter()
                .flatten()
                .find(|val| self.made_by(*val, "Tanh").is_some())?;
            return Some((Update { gate, units: vec![kept, added, less] }, new));
        }
        None
    }

    /// What the reset gate is a part of, in the argument of the new state: `a + r · b`, or a product
    /// with `r · h`.
    fn reset(&mut self, before: Val) -> Option<Val> {
        let mut open = vec![before];
        for _ in 0..MAX_SUMS {
            let val = open.pop()?;
            let Some(id) = self.net.producer(val) else { continue };
            let unit = self.net.unit(id);
            if unit.is("Mul") {
                let gated = self.either(id, |it, val| it.made_by(val, SIGMOIDS));
                if let Some((other, gate)) = gated {
                    self.units.extend([id, gate]);
                    self.part(other);
                    open.into_iter().for_each(|val| self.part(val));
                    return self.net.unit(gate).input(0);
                }
            } else if unit.is(PRODUCTS) {
                self.products.push(id);
                open.extend(self.net.data_inputs(unit));
            } else if unit.is(["Add", "Concat"]) {
                self.units.push(id);
                open.extend(self.net.data_inputs(unit));
            }
        }
        None
    }

    /// The argument of a gate.
    fn gate(&mut self, val: Val) -> Option<Val> {
        let gate = self.made_by(val, SIGMOIDS)?;
        self.units.push(gate);
        self.net.unit(gate).input(0)
    }

    /// Adds the sum that the argument of a gate is a part of.
    fn part(&mut self, val: Val) {
        let mut val = val;
        // A bias of the forget gate by itself.
        if let Some(add) = self.made_by(val, "Add")
            && let Some((data, constant)) = self.net.data_and_constant(self.net.unit(add))
            && self.net.scalar(constant).is_some()
        {
            self.units.push(add);
            val = data;
        }
        if let Some(id) = self.net.producer(val)
            && self.net.unit(id).movement() == Some(Movement::Slice)
            && let Some(whole) = self.net.unit(id).input(0)
        {
            self.units.push(id);
            val = whole;
        }
        if !self.sources.contains(&val) {
            self.sources.push(val);
        }
    }

    /// Adds the products that the sums are of; `None` where there are none, or where the number of
    /// sums is not among `sums`.
    fn collect(&mut self, sums: &[usize]) -> Option<()> {
        let sources = self.sources.clone();
        let mut with_product = 0;
        for source in sources {
            let before = self.products.len();
            let mut open = vec![source];
            for _ in 0..MAX_SUMS {
                let Some(val) = open.pop() else { break };
                let Some(id) = self.net.producer(val) else { continue };
                let unit = self.net.unit(id);
                if unit.is(PRODUCTS) {
                    self.products.push(id);
                } else if unit.is("Add") || unit.movement() == Some(Movement::Slice) {
                    self.units.push(id);
                    open.extend(self.net.data_inputs(unit));
                }
            }
            with_product += usize::from(self.products.len() > before);
        }
        (with_product > 0 && sums.contains(&self.sources.len())).then_some(())
    }

    fn found(mut self, end: OpId, cell: RecurrentCell) -> Option<Found> {
        let hidden = self.net.dim(self.net.unit(end).output(), -1);
        self.products.sort_unstable();
        self.products.dedup();
        let input = self.input_size(hidden);
        let sorted = |units: &[OpId]| {
            let mut units = units.to_vec();
            units.sort_unstable();
            units.dedup();
            units
        };
        let all = sorted(&[&self.units[..], &self.products[..]].concat());
        let core = sorted(&self.units);
        // Where a file stores what reads the new state before the last product, that is left out.
        let tail =
            self.net.data_inputs(self.net.unit(end)).filter_map(|val| self.made_by(val, "Tanh"));
        let tail: Vec<OpId> = tail.chain([end]).collect();
        let early = |units: &Vec<OpId>| {
            units.iter().copied().filter(|unit| !tail.contains(unit)).collect::<Vec<_>>()
        };
        let early = [early(&all), early(&core)];
        let forms = [all, core]
            .into_iter()
            .chain(early.into_iter().filter(|_| cell == RecurrentCell::Lstm));
        let units = forms.into_iter().find(|units| self.net.can_fold(units))?;
        let details = Recurrent { cell, input, hidden, bidirectional: false };
        Some(Found::new(units).with(details))
    }

    /// Width of the input: that of a product which does not read the state.
    fn input_size(&self, hidden: Option<i64>) -> Option<i64> {
        let hidden = hidden?;
        let mut widths = Vec::new();
        for product in &self.products {
            let x = self.net.data_inputs(self.net.unit(*product)).next()?;
            let width = self.net.dim(x, -1)?;
            let joined = self.net.made_by(x, "Concat").is_some_and(|join| {
                let mut parts = self.net.unit(join).inputs.iter().flatten();
                parts.any(|part| self.net.dim(*part, -1) == Some(hidden))
            });
            widths.push(if joined { width.checked_sub(hidden)? } else { width });
        }
        let other = widths.iter().copied().find(|width| *width != hidden);
        other.or_else(|| widths.first().copied())
    }

    fn made_by(&self, val: Val, ops: impl crate::network::OpSet) -> Option<OpId> {
        self.net.made_by(val, ops)
    }

    /// Of a unit of two operands, the one that a test finds and the other one first.
    fn either(&self, id: OpId, find: impl Fn(&Self, Val) -> Option<OpId>) -> Option<(Val, OpId)> {
        let [Some(a), Some(b)] = self.net.unit(id).inputs[..] else { return None };
        let found = |found: Val, other: Val| find(self, found).map(|unit| (other, unit));
        found(a, b).or_else(|| found(b, a))
    }
}

/// The update of a state.
struct Update {
    gate: Val,
    units: Vec<OpId>,
}

/// Functions that open and close gates.
const SIGMOIDS: (BlockKind, &str) = (BlockKind::HardSigmoid, "Sigmoid");

/// Products with weights.
const PRODUCTS: (BlockKind, &[&str]) = (BlockKind::Linear, &["Gemm", "MatMul"]);

#[cfg(test)]
mod tests {
    use calipers_infer::{Bindings, infer};
    use calipers_samples::{Attribute, DataType, Graph, ModelBuilder, Tensor};

    use crate::blocks::testing::{Inspect as _, Seen, Tiny};
    use crate::network::{BlockKind, Network};

    /// Cell, input and hidden size of every recurrent layer.
    fn cells(seen: &Seen) -> Vec<(&'static str, Option<i64>, Option<i64>)> {
        seen.inspect(|net| {
            let cells = net.all().filter_map(|unit| unit.recurrent());
            cells.map(|cell| (cell.cell.id(), cell.input, cell.hidden)).collect()
        })
    }

    fn split(t: &mut Tiny, x: &str, parts: usize) -> Vec<String> {
        let attributes = [Attribute::int("axis", -1)];
        let sizes = t.ints(&vec![8; parts]);
        t.many("Split", &[x, &sizes], parts, &attributes)
    }

    /// `LSTMCell` of PyTorch: the new state and the new cell. Gates are cut out by `Split`.
    fn lstm(t: &mut Tiny, x: &str, h: &str, c: &str, width: i64) -> [String; 2] {
        let (from_x, from_h) = (t.linear(x, width, 32), t.linear(h, 8, 32));
        let sum = t.op("Add", &[&from_x, &from_h]);
        let gates = split(t, &sum, 4);
        gated(t, &gates, c)
    }

    fn gated(t: &mut Tiny, gates: &[String], c: &str) -> [String; 2] {
        let [input, forget, new, output] = gates else { panic!("four gates") };
        let [input, forget, output] = [input, forget, output].map(|gate| t.op("Sigmoid", &[gate]));
        let new = t.op("Tanh", &[new]);
        let (kept, added) = (t.op("Mul", &[&forget, c]), t.op("Mul", &[&input, &new]));
        let c = t.op("Add", &[&kept, &added]);
        let seen = t.op("Tanh", &[&c]);
        [t.op("Mul", &[&output, &seen]), c]
    }

    #[test]
    fn an_lstm_cell_with_split_gates() {
        let mut t = Tiny::new();
        let [x, h, c] = [["2", "5"], ["2", "8"], ["2", "8"]].map(|shape| t.input(&shape));
        let [h, c] = lstm(&mut t, &x, &h, &c, 5);
        let seen = t.outputs(&[&h, &c]);
        assert_eq!(cells(&seen), [("lstm", Some(5), Some(8))]);
        assert_eq!(seen.kinds(), ["Recurrent"], "products and gates are inside");
    }

    #[test]
    fn a_state_that_is_read_before_the_last_product() {
        let mut t = Tiny::new();
        let [x, h, c] = [["2", "5"], ["2", "8"], ["2", "8"]].map(|shape| t.input(&shape));
        let (from_x, from_h) = (t.linear(&x, 5, 32), t.linear(&h, 8, 32));
        let sum = t.op("Add", &[&from_x, &from_h]);
        let gates = split(&mut t, &sum, 4);
        let [input, forget, new, output] = &gates[..] else { panic!("four gates") };
        let [input, forget, output] = [input, forget, output].map(|gate| t.op("Sigmoid", &[gate]));
        let new = t.op("Tanh", &[new]);
        let (kept, added) = (t.op("Mul", &[&forget, &c]), t.op("Mul", &[&input, &new]));
        let c = t.op("Add", &[&kept, &added]);
        let doubled = t.op("Add", &[&c, &c]);
        let seen = t.op("Tanh", &[&c]);
        let h = t.op("Mul", &[&output, &seen]);
        let seen = t.outputs(&[&h, &doubled]);
        assert_eq!(cells(&seen), [("lstm", Some(5), Some(8))]);
    }

    #[test]
    fn cells_in_sequence() {
        let mut t = Tiny::new();
        let x = t.input(&["2", "5"]);
        let [a, b, c, d] = [(); 4].map(|()| t.input(&["2", "8"]));
        let [h, first] = lstm(&mut t, &x, &a, &b, 5);
        let [y, second] = lstm(&mut t, &h, &c, &d, 8);
        let seen = t.outputs(&[&y, &h, &first, &second]);
        assert_eq!(cells(&seen), [("lstm", Some(5), Some(8)), ("lstm", Some(8), Some(8))]);
    }

    #[test]
    fn an_lstm_cell_over_the_joined_input_and_state() {
        let mut t = Tiny::new();
        let [x, h, c] = [["2", "5"], ["2", "8"], ["2", "8"]].map(|shape| t.input(&shape));
        let joined = t.concat(&[&x, &h], 1);
        let sum = t.linear(&joined, 13, 32);
        let gates: Vec<String> =
            (0..4).map(|gate| t.slice(&sum, 8 * gate, 8 * gate + 8, 1, 1)).collect();
        let [h, _] = gated(&mut t, &gates, &c);
        assert_eq!(cells(&t.output(&h)), [("lstm", Some(5), Some(8))]);
    }

    #[test]
    fn an_lstm_cell_with_a_product_for_each_gate() {
        let mut t = Tiny::new();
        let [x, h, c] = [["2", "5"], ["2", "8"], ["2", "8"]].map(|shape| t.input(&shape));
        let gates: Vec<String> = (0..4)
            .map(|_| {
                let (from_x, from_h) = (t.linear(&x, 5, 8), t.linear(&h, 8, 8));
                t.op("Add", &[&from_x, &from_h])
            })
            .collect();
        let [h, _] = gated(&mut t, &gates, &c);
        assert_eq!(cells(&t.output(&h)), [("lstm", Some(5), Some(8))]);
    }

    /// `GRUCell` of PyTorch, where the state is `n + z · (h - n)`; of Keras, `z · h + (1 - z) · n`.
    fn gru(t: &mut Tiny, x: &str, h: &str, by_difference: bool) -> String {
        let (from_x, from_h) = (t.linear(x, 5, 24), t.linear(h, 8, 24));
        let (of_x, of_h) = (split(t, &from_x, 3), split(t, &from_h, 3));
        let [reset, update] = [0, 1].map(|gate| {
            let sum = t.op("Add", &[&of_x[gate], &of_h[gate]]);
            t.op("Sigmoid", &[&sum])
        });
        let seen = t.op("Mul", &[&reset, &of_h[2]]);
        let sum = t.op("Add", &[&of_x[2], &seen]);
        let new = t.op("Tanh", &[&sum]);
        if by_difference {
            let less = t.op("Sub", &[h, &new]);
            let kept = t.op("Mul", &[&less, &update]);
            return t.op("Add", &[&kept, &new]);
        }
        let one = t.scalar(1.0);
        let rest = t.op("Sub", &[&one, &update]);
        let (kept, added) = (t.op("Mul", &[&update, h]), t.op("Mul", &[&rest, &new]));
        t.op("Add", &[&kept, &added])
    }

    #[test]
    fn a_gru_cell() {
        for by_difference in [true, false] {
            let mut t = Tiny::new();
            let (x, h) = (t.input(&["2", "5"]), t.input(&["2", "8"]));
            let y = gru(&mut t, &x, &h, by_difference);
            let seen = t.output(&y);
            assert_eq!(cells(&seen), [("gru", Some(5), Some(8))], "{by_difference}");
            assert_eq!(seen.kinds(), ["Recurrent"]);
        }
    }

    /// A cell in the body of a loop, with states that begin as zeros.
    #[test]
    fn a_cell_in_a_loop() {
        for op in ["Loop", "Scan"] {
            let mut body = Graph::new("body");
            let step = if op == "Loop" { "input" } else { "x" };
            if op == "Loop" {
                body.input("turn", DataType::I64, &[]).input("go", DataType::Bool, &[]);
            }
            body.input("h", DataType::F32, &["2", "8"]).input("c", DataType::F32, &["2", "8"]);
            if op == "Scan" {
                body.input("x", DataType::F32, &["2", "5"]);
            }
            let w = vec![0.5; 5 * 32];
            body.initializer(&Tensor::f32("w", &[5, 32], &w));
            body.initializer(&Tensor::f32("r", &[8, 32], &vec![0.5; 8 * 32]));
            body.initializer(&Tensor::i64("sizes", &[4], &[8; 4]));
            body.node("MatMul", &[step, "w"], &["xw"], &[]);
            body.node("MatMul", &["h", "r"], &["hr"], &[]);
            body.node("Add", &["xw", "hr"], &["sum"], &[]);
            let axis = [Attribute::int("axis", -1)];
            body.node("Split", &["sum", "sizes"], &["i", "f", "g", "o"], &axis);
            for (gate, op) in [("i", "Sigmoid"), ("f", "Sigmoid"), ("g", "Tanh"), ("o", "Sigmoid")]
            {
                body.node(op, &[gate], &[&format!("{gate}1")], &[]);
            }
            body.node("Mul", &["f1", "c"], &["kept"], &[]);
            body.node("Mul", &["i1", "g1"], &["added"], &[]);
            body.node("Add", &["kept", "added"], &["c1"], &[]);
            body.node("Tanh", &["c1"], &["seen"], &[]);
            body.node("Mul", &["o1", "seen"], &["h1"], &[]);
            if op == "Loop" {
                body.node("Identity", &["go"], &["go1"], &[]);
                body.output("go1", DataType::Bool, &[]);
            }
            body.output("h1", DataType::F32, &["2", "8"]).output("c1", DataType::F32, &["2", "8"]);
            let shape: &[&str] = if op == "Loop" { &["2", "5"] } else { &["7", "2", "5"] };
            let mut model = ModelBuilder::new(18);
            model.input("input", DataType::F32, shape);
            model.initializer(&Tensor::f32("zeros", &[2, 8], &[0.0; 16]));
            model.initializer(&Tensor::i64("turns", &[], &[7]));
            model.initializer(&Tensor::bool("true", &[], &[true]));
            let mut attributes = vec![Attribute::graph("body", &body)];
            let inputs: &[&str] = match op {
                "Loop" => &["turns", "true", "zeros", "zeros"],
                _ => &["zeros", "zeros", "input"],
            };
            if op == "Scan" {
                attributes.push(Attribute::int("num_scan_inputs", 1));
            }
            model.node(op, inputs, &["h2", "c2"], &attributes);
            model.output("h2", DataType::F32, &["2", "8"]);
            let bytes = model.build();
            let model = calipers_formats::read(bytes, "loop.onnx").unwrap();
            let typed = infer(&model, &Bindings::default()).unwrap();
            let mut net = Network::build(&model, &typed);
            crate::blocks::recognize(&mut net);
            let cells = net.all().filter_map(|unit| unit.recurrent());
            let cells: Vec<_> =
                cells.map(|cell| (cell.cell.id(), cell.input, cell.hidden)).collect();
            assert_eq!(cells, [("lstm", Some(5), Some(8))], "{op}");
            // The state is data after the first turn, so its product is a layer.
            assert_eq!(net.count(BlockKind::Linear), 2, "{op}");
        }
    }

    #[test]
    fn gates_without_a_state_are_none() {
        // WaveNet's gate, and a highway layer.
        let mut t = Tiny::new();
        let x = t.input(&["2", "8"]);
        let (a, b) = (t.linear(&x, 8, 8), t.linear(&x, 8, 8));
        let (gate, new) = (t.op("Sigmoid", &[&a]), t.op("Tanh", &[&b]));
        let y = t.op("Mul", &[&gate, &new]);
        assert_eq!(t.output(&y).count(BlockKind::Recurrent), 0);
        let mut t = Tiny::new();
        let x = t.input(&["2", "8"]);
        let (a, b) = (t.linear(&x, 8, 8), t.linear(&x, 8, 8));
        let (gate, new) = (t.op("Sigmoid", &[&a]), t.op("Tanh", &[&b]));
        let one = t.scalar(1.0);
        let rest = t.op("Sub", &[&one, &gate]);
        let (kept, added) = (t.op("Mul", &[&rest, &x]), t.op("Mul", &[&gate, &new]));
        let y = t.op("Add", &[&kept, &added]);
        assert_eq!(t.output(&y).count(BlockKind::Recurrent), 0);
    }
}
