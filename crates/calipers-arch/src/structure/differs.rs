//! What differs between the turns of a run.

use std::collections::{BTreeMap, BTreeSet};

use super::cost::is_convolutional;
use super::items::{all_segments, stage};
use super::{Item, Structure};
use crate::network::{BlockKind, DetailKey, DetailValue, Network, Op};

/// Values that are listed one by one before only the first and the last are.
const LISTED: usize = 4;
/// Turns that are compared.
const COMPARED: usize = 1000;
/// Differences that are reported.
const MAX_DIFFERENCES: usize = 6;

/// Figures worth comparing, and what to call them.
const FIGURES: &[(DetailKey, &str)] = &[
    (DetailKey::Kernel, "kernel"),
    (DetailKey::Stride, "stride"),
    (DetailKey::Heads, "heads"),
    (DetailKey::KvHeads, "key-value heads"),
    (DetailKey::HeadDim, "head width"),
    (DetailKey::Inner, "inner width"),
    (DetailKey::Experts, "experts"),
    (DetailKey::Hidden, "hidden"),
    (DetailKey::Dilation, "dilation"),
];

/// Kinds whose number in each turn is compared.
const COUNTED: &[(Op, &str)] = &[
    (Op::Block(BlockKind::Convolution), "convolutions"),
    (Op::Block(BlockKind::Linear), "linear layers"),
    (Op::Block(BlockKind::Attention), "attentions"),
    (Op::Block(BlockKind::SqueezeExcite), "squeeze-and-excites"),
    (Op::Block(BlockKind::ResidualAdd), "residual additions"),
    (Op::Operator("MaxPool"), "max-pools"),
    (Op::Operator("AveragePool"), "average-pools"),
];

/// In words, what differs between turns.
pub(crate) fn differences(
    net: &Network<'_>,
    structure: &Structure,
    turns: &[Vec<Item>],
) -> Vec<String> {
    let reported: Vec<BTreeMap<&str, String>> =
        turns.iter().take(COMPARED).map(|turn| figures(net, structure, turn)).collect();
    let names: BTreeSet<(usize, &str)> =
        reported.iter().flat_map(BTreeMap::keys).map(|name| (rank(name), *name)).collect();
    let mut differing = Vec::new();
    for (_, name) in names {
        let values: Vec<&str> =
            reported.iter().map(|turn| turn.get(name).map_or("none", String::as_str)).collect();
        if values.iter().any(|value| *value != values[0]) {
            // How many blocks each stage has is reported of each.
            let words = if name == "blocks" { listed(&values) } else { in_words(&values) };
            differing.push(format!("{name} {words}"));
        }
    }
    differing.truncate(MAX_DIFFERENCES);
    differing
}

/// Widths first, then what the table names, in its order.
fn rank(name: &str) -> usize {
    let names = FIGURES.iter().map(|(_, name)| *name).chain(COUNTED.iter().map(|(_, name)| *name));
    ["blocks", "width", "resolution"]
        .into_iter()
        .chain(names)
        .position(|known| known == name)
        .unwrap_or(99)
}

/// A sequence of values: `64 → 128 → 256`, `3, 4, 6, 3`, or how often each occurs when it is long.
fn in_words(values: &[&str]) -> String {
    let mut steps: Vec<&str> = values.to_vec();
    steps.dedup();
    let distinct: BTreeSet<&str> = steps.iter().copied().collect();
    let once = distinct.len() == steps.len();
    if once && steps.len() <= LISTED {
        return steps.join(" → ");
    }
    if once {
        return format!("{} → {}", steps[0], steps[steps.len() - 1]);
    }
    if values.len() <= 2 * LISTED {
        return values.join(", ");
    }
    let mut counts: Vec<(usize, &str)> = distinct
        .iter()
        .map(|value| (values.iter().filter(|other| other == &value).count(), *value))
        .collect();
    counts.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
    let shown = counts.iter().take(LISTED).map(|(count, value)| format!("{value} in {count}"));
    shown.collect::<Vec<_>>().join(", ")
}

fn listed(values: &[&str]) -> String {
    let mut words = values.iter().take(4 * LISTED).copied().collect::<Vec<_>>().join(", ");
    if values.len() > 4 * LISTED {
        words.push_str(", …");
    }
    words
}

/// Width and resolution at the end of a segment.
fn width(net: &Network<'_>, structure: &Structure, segment: usize) -> Vec<(&'static str, String)> {
    let Some(shape) = stage(net, structure, segment) else { return Vec::new() };
    let is_first = structure.units(segment).iter().any(|id| is_convolutional(net.unit(*id)));
    // Convolutions have their channels before the places, others behind them.
    let (width, places) = match (shape, is_first) {
        ([_, width, places @ ..], true) => (width, places),
        ([_, places @ .., width], false) => (width, places),
        _ => return Vec::new(),
    };
    let mut reported: Vec<(&'static str, String)> = Vec::new();
    reported.extend(width.as_const().map(|width| ("width", width.to_string())));
    let sides: Option<Vec<String>> =
        places.iter().map(|dim| Some(dim.as_const()?.to_string())).collect();
    let sides = sides.filter(|sides| sides.len() == 2);
    reported.extend(sides.map(|sides| ("resolution", sides.join("×"))));
    reported
}

fn figures(
    net: &Network<'_>,
    structure: &Structure,
    turn: &[Item],
) -> BTreeMap<&'static str, String> {
    let mut reported = BTreeMap::new();
    let blocks: Vec<String> = turn
        .iter()
        .filter_map(|item| match item {
            Item::Run(turns) => Some(turns.len().to_string()),
            Item::Segment(_) => None,
        })
        .collect();
    // A turn with a run inside is compared by that; its figures add up over another number.
    let is_nested = !blocks.is_empty();
    if is_nested {
        reported.insert("blocks", blocks.join(" + "));
    }
    let segments = all_segments(turn);
    if let Some(last) = segments.last() {
        reported.extend(width(net, structure, *last));
    }
    if is_nested {
        return reported;
    }
    let mut sets: BTreeMap<&'static str, BTreeSet<i64>> = BTreeMap::new();
    let mut counts: BTreeMap<&'static str, usize> =
        COUNTED.iter().map(|(_, name)| (*name, 0)).collect();
    let units = segments.iter().flat_map(|segment| structure.units(*segment));
    // What joins ways is not part of what repeats.
    let units = units.map(|id| net.unit(*id)).filter(|unit| !unit.is(BlockKind::UNetSkip));
    for unit in units {
        for part in unit.walk() {
            for (key, value) in part.entries() {
                let (Some((_, name)), DetailValue::Number(number)) =
                    (FIGURES.iter().find(|(figure, _)| *figure == key), value)
                else {
                    continue;
                };
                // A figure of the block itself counts, and not those of its parts.
                if std::ptr::eq(part, unit) || unit.number(key).is_none() {
                    sets.entry(name).or_default().insert(number);
                }
            }
            if let Some((_, name)) = COUNTED.iter().find(|(kind, _)| part.is(kind)) {
                *counts.entry(name).or_default() += 1;
            }
        }
    }
    for (name, numbers) in sets {
        let numbers: Vec<String> = numbers.iter().map(ToString::to_string).collect();
        reported.insert(name, numbers.join("+"));
    }
    reported.extend(counts.into_iter().map(|(name, count)| (name, count.to_string())));
    reported
}
