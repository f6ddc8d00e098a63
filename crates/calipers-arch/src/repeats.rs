//! What repeats in the network.

use calipers_report::Repeat;
use calipers_report::wording::in_sentence;

use super::labels::title;
use super::structure::{Item, Structure, all_segments, differences};
use crate::network::{Network, NetworkOp};

/// Repeats that are reported.
const MAX_REPEATS: usize = 50;

/// The repeats of a network, as they are nested.
pub(super) fn repeats(net: &Network<'_>, structure: &Structure) -> Vec<Repeat> {
    of_items(net, structure, &structure.items)
}

fn of_items(net: &Network<'_>, structure: &Structure, items: &[Item]) -> Vec<Repeat> {
    let runs = items.iter().filter_map(|item| match item {
        Item::Run(turns) => Some(turns),
        Item::Segment(_) => None,
    });
    let repeat = |turns: &Vec<Vec<Item>>| {
        let first = turns.first().map_or(&[][..], Vec::as_slice);
        Repeat {
            name: name(net, structure, turns),
            times: turns.len() as u64,
            nodes: structure.membership.count(structure.span(first)),
            differs: differences(net, structure, turns),
            inside: of_items(net, structure, first),
        }
    };
    runs.take(MAX_REPEATS).map(repeat).collect()
}

/// What one turn of a run is called.
pub(super) fn name(net: &Network<'_>, structure: &Structure, turns: &[Vec<Item>]) -> String {
    let is_stage = turns.iter().flatten().any(|item| matches!(item, Item::Run(_)));
    let turn = smallest(structure, turns);
    let label = in_sentence(&title(net, &units(net, structure, turn)).label);
    if is_stage { format!("stage of {}", plural(&label)) } else { label }
}

/// More than one of something.
pub(super) fn plural(label: &str) -> String {
    if label.ends_with(['s', 'g']) { label.to_owned() } else { format!("{label}s") }
}

/// The turn with the fewest units: the others have something that is not in every one.
pub(super) fn smallest<'i>(structure: &Structure, turns: &'i [Vec<Item>]) -> &'i [Item] {
    let size = |turn: &&Vec<Item>| -> usize {
        all_segments(turn.iter()).iter().map(|segment| structure.units(*segment).len()).sum()
    };
    turns.iter().min_by_key(size).map_or(&[], Vec::as_slice)
}

/// Units of some items.
pub(super) fn units<'n>(
    net: &'n Network<'_>,
    structure: &Structure,
    items: &[Item],
) -> Vec<&'n NetworkOp> {
    let segments = all_segments(items);
    let ids = segments.iter().flat_map(|segment| structure.units(*segment));
    ids.map(|id| net.unit(*id)).collect()
}
