//! Embeddings: rows of a table, chosen by tokens, positions or segments.
//!
//! | form | written by |
//! |---|---|
//! | `Gather(table, ids)`, also of a quantized table | all exporters |
//! | `OneHot(ids)`, `MatMul` with the table | TensorFlow |
//! | `EmbedLayerNormalization` | ONNX Runtime; lowered to `Gather`s |
//! | `Add(x, table)` of a table that follows from the length alone, learned or sinusoidal | PyTorch, before attention |
//!
//! Extracts `rows` and `width` of the table, and `of` what they are: `token`, `position`, `type` or
//! `other`. The largest table that whole numbers of a sequence choose from is the tokens'; one of a
//! few rows next to it is the segments'; one whose rows are counted off is the positions'.

use std::collections::VecDeque;

use calipers_ir::{Producer, ValueId};
use calipers_ops::Movement;
use hashbrown::HashSet;

use super::Pattern;
use crate::network::{
    BlockKind, Embedding, Found, Network, NetworkOp, Op, OpId, Ops, TableKind, Val,
};

pub(super) const EMBEDDING: Pattern = Pattern {
    kind: BlockKind::Embedding,
    description: "Embedding lookup by token, position or segment.",
    anchors: Ops { blocks: &[BlockKind::Linear], operators: &["Add", "Gather", "MatMul"] },
    matcher: find,
};

/// More rows than this are not segments.
const MAX_TYPES: i64 = 16;

/// Units between positions that are added and the attention that reads them.
const MAX_WAY: usize = 48;

fn find(net: &Network<'_>, end: OpId) -> Option<Found> {
    let unit = net.unit(end);
    match unit.op {
        Op::Operator("Gather") => looked_up(net, end, unit),
        Op::Operator("Add") => added(net, end, unit),
        _ => one_hot(net, end, unit),
    }
}

fn looked_up(net: &Network<'_>, end: OpId, unit: &NetworkOp) -> Option<Found> {
    let (table, ids) = (unit.input(0)?, unit.input(1)?);
    let is_table = !net.is_data(table)
        && net.is_data(ids)
        && net.rank(table) == Some(2)
        && net.int(unit, "axis").unwrap_or(0) == 0
        && net.dtype(unit.output()).is_none_or(|it| it.is_float() || it.is_narrow_integer());
    let (rows, width) = (net.dim(table, 0)?, net.dim(unit.output(), -1)?);
    if !is_table || rows < 2 || width < 2 {
        return None;
    }
    let of = role(net, end, ids, rows);
    Some(table_of(Found::new([end]), rows, width, of).taking([ids]))
}

fn one_hot(net: &Network<'_>, end: OpId, unit: &NetworkOp) -> Option<Found> {
    let chosen = net.data_inputs(unit).next()?;
    let choice = net.made_by(chosen, "OneHot")?;
    let ids = net.unit(choice).input(0)?;
    let (rows, width) = (net.dim(chosen, -1)?, net.dim(unit.output(), -1)?);
    let of = role(net, end, ids, rows);
    Some(table_of(Found::new([choice, end]), rows, width, of).taking([ids]))
}

fn table_of(found: Found, rows: i64, width: i64, of: TableKind) -> Found {
    found.with(Embedding { rows: Some(rows), width: Some(width), of })
}

/// What the rows of a table are, by the numbers that choose them and by the tables next to it.
fn role(net: &Network<'_>, end: OpId, ids: Val, rows: i64) -> TableKind {
    let Chosen { given, counted } = chosen(net, ids);
    let adjacent = adjacent_tables(net, end);
    let most = adjacent.iter().map(|table| table.rows).max().unwrap_or(0);
    // Segments may be chosen at places that were counted.
    if rows <= MAX_TYPES && rows < most {
        return TableKind::Type;
    }
    if counted {
        return TableKind::Position;
    }
    // What is chosen by comparing numbers, as the nearest of stored points, is not a word.
    let computed = net.dtype(given).is_some_and(|dtype| dtype.is_float());
    let alone = [given, ids].iter().all(|val| net.rank(*val).is_some_and(|rank| rank < 2));
    if computed || alone {
        return TableKind::Other;
    }
    let says_position = |name: &str| name.to_ascii_lowercase().contains("position");
    if !adjacent.is_empty() && net.hint(given).judge(says_position) {
        return TableKind::Position;
    }
    // A table of positions may have more rows than there are words.
    let words = adjacent.iter().filter(|table| !table.counted);
    if words.map(|table| table.rows).max().is_some_and(|most| rows < most) {
        return TableKind::Position;
    }
    TableKind::Token
}

/// Where the numbers come from that choose rows.
struct Chosen {
    /// What was given.
    given: Val,
    /// Whether places were counted on the way.
    counted: bool,
}

fn chosen(net: &Network<'_>, ids: Val) -> Chosen {
    let mut chosen = Chosen { given: ids, counted: false };
    for _ in 0..16 {
        let Some(unit) = net.producer(chosen.given).map(|unit| net.unit(unit)) else { break };
        chosen.counted |= unit.is("CumSum");
        let Some(input) = net.data_inputs(unit).next() else { break };
        chosen.given = input;
    }
    chosen
}

/// A table whose rows are added to those of another.
struct Table {
    rows: i64,
    /// Whether counted places choose its rows.
    counted: bool,
}

/// The tables whose rows are added to those of this one.
fn adjacent_tables(net: &Network<'_>, end: OpId) -> Vec<Table> {
    let mut tables = Vec::new();
    let mut sum = net.unit(end).output();
    for _ in 0..4 {
        sum = net.on_through_layout(sum);
        let Some(add) = net.only_use(sum).filter(|user| net.unit(*user).is("Add")) else { break };
        for input in net.data_inputs(net.unit(add)).filter(|input| *input != sum) {
            tables.extend(tables_behind(net, input));
        }
        sum = net.unit(add).output();
    }
    tables
}

fn tables_behind(net: &Network<'_>, val: Val) -> Vec<Table> {
    let mut tables = Vec::new();
    let mut stack = vec![val];
    for _ in 0..12 {
        let Some(val) = stack.pop() else { break };
        let Some(unit) = net.producer(val).map(|unit| net.unit(unit)) else { continue };
        let counted = |ids: Option<Val>| ids.is_some_and(|ids| chosen(net, ids).counted);
        match unit.op {
            Op::Block(BlockKind::Embedding) => {
                let rows = unit.embedding().and_then(|table| table.rows);
                tables.extend(rows.map(|rows| Table { rows, counted: counted(unit.input(0)) }));
            }
            Op::Operator("Gather") if unit.input(0).is_some_and(|table| !net.is_data(table)) => {
                let rows = unit.input(0).and_then(|table| net.dim(table, 0));
                tables.extend(rows.map(|rows| Table { rows, counted: counted(unit.input(1)) }));
            }
            Op::Operator("Add") => stack.extend(net.data_inputs(unit)),
            _ if unit.is_layout() => stack.extend(unit.input(0)),
            _ => {}
        }
    }
    tables
}

/// Positions that are added to what attention reads.
fn added(net: &Network<'_>, end: OpId, unit: &NetworkOp) -> Option<Found> {
    let (x, table) = net.data_and_constant(unit)?;
    let (positions, width) = (net.shape(table)?, net.dim(x, -1)?);
    let varies = match positions {
        [.., places, channels] => {
            places.as_const() != Some(1) && channels.as_const() == Some(width)
        }
        _ => false,
    };
    let is_sequence = net.rank(x) == Some(3) || net.rank(x) == Some(4);
    if !varies || width < 8 || !is_sequence || !is_attended(net, unit.output()) {
        return None;
    }
    let rows = table_rows(net, table, width).or_else(|| net.dim(table, -2));
    // One segment for the whole text is chosen from a table of two.
    let of = if rows.is_some_and(|rows| rows <= 4) { TableKind::Type } else { TableKind::Position };
    Some(Found::new([end]).with(Embedding { rows, width: Some(width), of }).taking([x]))
}

/// Whether a value reaches attention as a stream that is only normalized, moved, and made wider
/// once at most: some look up narrow rows.
fn is_attended(net: &Network<'_>, val: Val) -> bool {
    let (mut queue, mut seen) = (VecDeque::from([(val, false)]), HashSet::new());
    while let Some((val, widened)) = queue.pop_front() {
        for id in net.uses(val) {
            let unit = net.unit(id);
            if unit.is(BlockKind::Attention) {
                return true;
            }
            let widens = unit.linear().is_some_and(|it| it.in_features < it.out_features);
            let passes = unit.is_layout()
                || unit.is(["Add", "Mul"])
                || matches!(
                    unit.movement(),
                    Some(Movement::Join | Movement::Pad | Movement::Slice)
                )
                || unit.is_normalization()
                || widens && !widened;
            if passes && seen.len() < MAX_WAY && seen.insert(id) {
                queue.push_back((unit.output(), widened || widens));
            }
        }
    }
    false
}

/// Rows of the stored table that a value is cut out of.
fn table_rows(net: &Network<'_>, table: Val, width: i64) -> Option<i64> {
    let mut stack: Vec<ValueId> = net.value(table).into_iter().collect();
    for _ in 0..24 {
        let value = stack.pop()?;
        if let Some(tensor) = net.stored_tensor(value) {
            if let [.., rows, channels] = *net.model.tensor(tensor).dims
                && channels == width
                && rows > 1
            {
                return Some(rows);
            }
            continue;
        }
        if let Producer::Node { node, .. } = net.model.value(value).producer {
            stack.extend(net.model.inputs(node).iter().rev().flatten());
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use calipers_samples::{Attribute, DataType};
    use calipers_testkit::FOUR;

    use crate::blocks::testing::{Inspect as _, Seen, Tiny};
    use crate::network::BlockKind;

    /// Rows and roles of all tables, by rows.
    fn tables(seen: &Seen) -> Vec<(i64, &'static str)> {
        let mut tables: Vec<_> = seen.inspect(|net| {
            let found = net.all().filter(|unit| unit.is(BlockKind::Embedding));
            found
                .filter_map(|unit| Some((unit.embedding()?.rows?, unit.embedding()?.of.id())))
                .collect()
        });
        tables.sort_unstable();
        tables
    }

    #[test]
    fn tokens_segments_and_positions() {
        let mut t = Tiny::new();
        let ids = t.input_of(DataType::I64, &["2", "6"]);
        let segments = t.input_of(DataType::I64, &["2", "6"]);
        let (words, kinds, places) =
            (t.weight(&[90, 32]), t.weight(&[2, 32]), t.weight(&[1, 6, 32]));
        let word = t.op("Gather", &[&words, &ids]);
        let kind = t.op("Gather", &[&kinds, &segments]);
        let sum = t.op("Add", &[&word, &kind]);
        let sum = t.op("Add", &[&sum, &places]);
        let x = t.layer_norm(&sum, 32);
        let y = t.attend(&x, &x, &FOUR, |_, scores| scores);
        let seen = t.output(&y);
        assert_eq!(tables(&seen), [(2, "type"), (6, "position"), (90, "token")]);
    }

    #[test]
    fn more_positions_than_words() {
        // RoBERTa: positions are counted from the tokens, and segments chosen at them.
        let mut t = Tiny::new();
        let ids = t.input_of(DataType::I64, &["2", "6"]);
        let (words, kinds, places) = (t.weight(&[50, 32]), t.weight(&[2, 32]), t.weight(&[90, 32]));
        let (one, axis) = (t.index(1), t.index(1));
        let padding = t.op("Equal", &[&ids, &one]);
        let real = t.op("Not", &[&padding]);
        let real = t.cast(&real, 7);
        let counted = t.op("CumSum", &[&real, &axis]);
        let zeros = t.op("Mul", &[&counted, &one]);
        let word = t.op("Gather", &[&words, &ids]);
        let kind = t.op("Gather", &[&kinds, &zeros]);
        let sum = t.op("Add", &[&word, &kind]);
        let place = t.op("Gather", &[&places, &counted]);
        let y = t.op("Add", &[&sum, &place]);
        assert_eq!(tables(&t.output(&y)), [(2, "type"), (50, "token"), (90, "position")]);
    }

    #[test]
    fn narrow_rows_are_made_wider() {
        let mut t = Tiny::new();
        let ids = t.input_of(DataType::I64, &["2", "6"]);
        let (words, places) = (t.weight(&[90, 16]), t.weight(&[1, 6, 16]));
        let word = t.op("Gather", &[&words, &ids]);
        let sum = t.op("Add", &[&word, &places]);
        let x = t.layer_norm(&sum, 16);
        let x = t.linear(&x, 16, 32);
        let y = t.attend(&x, &x, &FOUR, |_, scores| scores);
        assert_eq!(tables(&t.output(&y)), [(6, "position"), (90, "token")]);
    }

    #[test]
    fn the_nearest_of_stored_points_is_no_word() {
        let mut t = Tiny::new();
        let x = t.input(&["batch", "4"]);
        let (points, near) = (t.weight(&[4, 20]), t.weight(&[20, 8]));
        let far = t.op("MatMul", &[&x, &points]);
        let three = t.ints(&[3]);
        let top = t.many("TopK", &[&far, &three], 2, &[]);
        let y = t.op("Gather", &[&near, &top[1]]);
        assert_eq!(tables(&t.output(&y)), [(20, "other")]);
    }

    #[test]
    fn one_of_many() {
        let mut t = Tiny::new();
        let ids = t.input_of(DataType::I64, &["2", "6"]);
        let (depth, values, table) = (t.ints(&[16]), t.weight(&[2]), t.weight(&[16, 8]));
        let chosen = t.op_with("OneHot", &[&ids, &depth, &values], &[Attribute::int("axis", -1)]);
        let y = t.op("MatMul", &[&chosen, &table]);
        let seen = t.output(&y);
        assert_eq!(tables(&seen), [(16, "token")]);
        assert_eq!(seen.kinds(), ["Embedding"]);
    }

    #[test]
    fn quantized_rows() {
        let mut t = Tiny::new();
        let ids = t.input_of(DataType::I64, &["2", "6"]);
        let table = t.raw(DataType::U8, &[20, 4], &[7; 80]);
        let rows = t.op("Gather", &[&table, &ids]);
        let (scale, zero) = (t.scalar(0.1), t.raw(DataType::U8, &[], &[0]));
        let y = t.op("DequantizeLinear", &[&rows, &scale, &zero]);
        assert_eq!(tables(&t.output(&y)), [(20, "token")]);
    }

    #[test]
    fn anchors_and_parts_of_data_are_none() {
        let mut t = Tiny::new();
        let x = t.input(&["1", "20", "8"]);
        let anchors = t.weight(&[1, 20, 8]);
        let y = t.op("Add", &[&x, &anchors]);
        let first = t.scalar(0.0);
        let first = t.cast(&first, 7);
        let y = t.op("Gather", &[&y, &first]);
        assert_eq!(t.output(&y).count(BlockKind::Embedding), 0);
    }
}
