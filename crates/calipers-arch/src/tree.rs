//! The network as a tree of blocks.

use std::collections::BTreeMap;

use calipers_ir::NodeId;
use calipers_ir::scope;
use calipers_measure::assume::Sizes;
use calipers_measure::cost::figure;
use calipers_report::wording::in_sentence;
use calipers_report::{Block, CompositeKind};
use hashbrown::HashMap;

use super::labels::{facts, label, op_name, title};
use super::repeats::{plural, smallest, units};
use super::structure::{Item, Span, Structure, leaf_count};
use crate::network::{Network, NetworkOp, Op};

/// Blocks that are shown next to one another.
const MAX_PARTS: usize = 100;
/// Deeper parts are left out.
const MAX_DEPTH: usize = 4;

/// The tree of a network. `sizes` are those assumed of free dimensions.
pub(super) fn tree(net: &Network<'_>, structure: &Structure, sizes: &Sizes) -> Vec<Block> {
    let mut writer = Writer { net, structure, sizes, macs: HashMap::new() };
    let mut tree = Vec::new();
    if !structure.side.is_empty() {
        tree.push(Block {
            kind: CompositeKind::Preparation.into(),
            name: "Input preparation".to_owned(),
            times: 1,
            nodes: structure.membership.count(structure.membership.side()),
            facts: BTreeMap::new(),
            macs: None,
            parts: Vec::new(),
        });
    }
    tree.extend(writer.items(&structure.items));
    tree
}

struct Writer<'a> {
    net: &'a Network<'a>,
    structure: &'a Structure,
    sizes: &'a Sizes,
    /// Multiply-accumulates of each node that was asked for.
    macs: HashMap<NodeId, Option<u64>>,
}

impl Writer<'_> {
    fn items(&mut self, items: &[Item]) -> Vec<Block> {
        let shown = items.iter().take(MAX_PARTS);
        let mut blocks: Vec<Block> = shown.map(|item| self.item(item)).collect();
        if let Some(rest) = items.get(MAX_PARTS..).filter(|rest| !rest.is_empty()) {
            let units = units(self.net, self.structure, rest);
            blocks.push(self.more(rest.len(), &units, self.structure.span(rest)));
        }
        blocks
    }

    fn item(&mut self, item: &Item) -> Block {
        match item {
            Item::Segment(number) => {
                let ids = self.structure.units(*number);
                let units: Vec<&NetworkOp> = ids.iter().map(|id| self.net.unit(*id)).collect();
                let span = self.structure.span(std::slice::from_ref(item));
                match units[..] {
                    [unit] => self.unit(unit, span, 0),
                    _ => {
                        let parts = self.units(&units, span, 0);
                        Block { parts, ..self.block(&units, span) }
                    }
                }
            }
            Item::Run(turns) => {
                let first = turns.first().map_or(&[][..], Vec::as_slice);
                let parts = self.items(first);
                let times = turns.len() as u64;
                // A run of what is one block anyway needs no block around it.
                match <[Block; 1]>::try_from(parts) {
                    Ok([part]) if part.times == 1 => Block { times, ..part },
                    Ok([part]) => Block { times, parts: vec![part], ..self.stage(turns) },
                    Err(parts) => Block { times, parts, ..self.stage(turns) },
                }
            }
        }
    }

    fn stage(&mut self, turns: &[Vec<Item>]) -> Block {
        let first = turns.first().map_or(&[][..], Vec::as_slice);
        let has_runs = turns.iter().flatten().any(|item| matches!(item, Item::Run(_)));
        let span = self.structure.span(first);
        let mut block = self.block(&units(self.net, self.structure, first), span);
        if has_runs {
            block.kind = CompositeKind::Stage.into();
            let small = units(self.net, self.structure, smallest(self.structure, turns));
            let label = in_sentence(&title(self.net, &small).label);
            block.name = format!("Stage of {}", plural(&label));
        }
        block
    }

    /// A block around units, without its parts.
    fn block(&mut self, units: &[&NetworkOp], span: Span) -> Block {
        let title = title(self.net, units);
        let mut facts = BTreeMap::new();
        if !title.detail.is_empty() {
            facts.insert("summary".to_owned(), title.detail);
        }
        facts.extend(self.scope(units).map(|scope| ("scope".to_owned(), scope)));
        Block {
            kind: title.kind,
            name: title.label,
            times: 1,
            nodes: self.structure.membership.count(span),
            facts,
            macs: self.macs(units),
            parts: Vec::new(),
        }
    }

    /// The blocks of units that follow one another from the start of a span.
    fn units(&mut self, units: &[&NetworkOp], span: Span, depth: usize) -> Vec<Block> {
        let mut blocks = Vec::with_capacity(units.len().min(MAX_PARTS));
        let mut from = span.from;
        for unit in units.iter().take(MAX_PARTS) {
            let to = from.saturating_add(leaf_count(unit));
            blocks.push(self.unit(unit, Span { from, to }, depth));
            from = to;
        }
        if let Some(rest) = units.get(MAX_PARTS..).filter(|rest| !rest.is_empty()) {
            blocks.push(self.more(rest.len(), rest, Span { from, ..span }));
        }
        blocks
    }

    fn unit(&mut self, unit: &NetworkOp, span: Span, depth: usize) -> Block {
        let op = op_name(self.net, unit);
        // A block made of one operator says nothing more inside.
        let has_parts = unit.parts.len() > 1 && depth < MAX_DEPTH;
        let inside: Vec<&NetworkOp> =
            if has_parts { unit.parts.iter().collect() } else { Vec::new() };
        Block {
            kind: op.into(),
            name: if unit.op == Op::Unknown { op } else { label(unit.op) }.to_owned(),
            times: 1,
            nodes: self.structure.membership.count(span),
            facts: facts(unit),
            macs: self.macs(&[unit]),
            parts: self.units(&inside, span, depth + 1),
        }
    }

    fn more(&mut self, count: usize, units: &[&NetworkOp], span: Span) -> Block {
        Block {
            kind: CompositeKind::More.into(),
            name: format!("{count} more"),
            times: 1,
            nodes: self.structure.membership.count(span),
            facts: BTreeMap::new(),
            macs: self.macs(units),
            parts: Vec::new(),
        }
    }

    /// Multiply-accumulates of all nodes of units, when they are known of each.
    fn macs(&mut self, units: &[&NetworkOp]) -> Option<u64> {
        let parts = units.iter().flat_map(|unit| unit.walk()).filter(|unit| unit.parts.is_empty());
        let mut nodes: Vec<NodeId> = parts.map(|unit| unit.node).collect();
        nodes.sort_unstable();
        nodes.dedup();
        let (typed, sizes) = (self.net.typed, self.sizes);
        nodes.into_iter().try_fold(0_u64, |sum, node| {
            let macs = &typed.cost(node)?.ok()?.macs;
            let macs = match macs.as_const() {
                Some(macs) => u64::try_from(macs).ok(),
                // Formulas take longer, and a node is in its block and in all those around it.
                None => *self.macs.entry(node).or_insert_with(|| figure(macs, sizes).ok()),
            };
            sum.checked_add(macs?)
        })
    }

    /// The scope that all units lie in, where the file names scopes.
    fn scope(&self, units: &[&NetworkOp]) -> Option<String> {
        let scope = |unit: &&NetworkOp| scope::steps(self.net.model, unit.node);
        let mut common = scope(units.first()?);
        for unit in units.get(1..)? {
            let other = scope(unit);
            let same = common.iter().zip(&other).take_while(|(a, b)| a.name == b.name).count();
            common.truncate(same);
        }
        (!common.is_empty()).then(|| scope::path(&common))
    }
}
