//! The boxes of a diagram between its inputs and outputs.

use std::collections::BTreeSet;
use std::ops::Range;

use calipers_report::{BoxKind, CompositeKind, DiagramBox, PartKind};

use crate::labels::{Title, UNNAMED, steps, title};
use crate::network::{BlockKind, Network, NetworkOp};
use crate::repeats::{smallest, units};
use crate::structure::{Item, Structure, all_segments, differences, is_one_stage, weight};

/// A run through more stages than this is one box.
const MAX_STAGES: usize = 12;

/// Turns of a run whose figures are compared.
const COMPARED: usize = 64;

/// A box in the making: neighboring segments.
pub(super) struct Part {
    pub(super) segments: Range<usize>,
    times: u64,
    title: Title,
    /// Whether no block in it is known by name.
    is_plain: bool,
}

impl Part {
    pub(super) fn drawn(&self) -> DiagramBox {
        DiagramBox {
            label: self.title.label.clone(),
            detail: self.title.detail.clone(),
            kind: BoxKind::Part(self.title.kind.clone()),
            times: self.times,
        }
    }
}

/// The boxes of a network, up to a maximum.
pub(super) fn parts(net: &Network<'_>, structure: &Structure, most: usize) -> Vec<Part> {
    let maker = Maker { net, structure };
    let mut parts: Vec<Part> = structure.items.iter().flat_map(|item| maker.expand(item)).collect();
    maker.join_plain(&mut parts);
    maker.join_smallest(&mut parts, most.max(1));
    name_ends(&mut parts);
    parts
}

struct Maker<'a> {
    net: &'a Network<'a>,
    structure: &'a Structure,
}

impl Maker<'_> {
    fn expand(&self, item: &Item) -> Vec<Part> {
        let turns = match item {
            Item::Segment(_) => return self.one(std::slice::from_ref(item)).into_iter().collect(),
            Item::Run(turns) => turns,
        };
        if turns.len() > MAX_STAGES || self.is_uniform(turns) {
            return self.run(item, turns, [&[], &[]]).into_iter().collect();
        }
        turns.iter().flat_map(|turn| self.stage(turn)).collect()
    }

    /// The boxes of one turn of a run whose turns are drawn apart.
    fn stage(&self, turn: &[Item]) -> Vec<Part> {
        let [item] = turn else {
            let is_run = |item: &&Item| matches!(item, Item::Run(_));
            let mut runs = turn.iter().filter(is_run);
            let (Some(item @ Item::Run(turns)), None) = (runs.next(), runs.next()) else {
                return self.one(turn).into_iter().collect();
            };
            if !self.is_uniform(turns) {
                return turn.iter().flat_map(|item| self.expand(item)).collect();
            }
            // What is next to a run in its stage, such as the step that halves the resolution.
            let at = turn.iter().position(|item| is_run(&item)).unwrap_or(0);
            let mut part = self.run(item, turns, [&turn[..at], &turn[at + 1..]]);
            if let (Some(part), Some(range)) = (&mut part, range(&all_segments(turn))) {
                part.segments = range;
            }
            return part.into_iter().collect();
        };
        self.expand(item)
    }

    /// Whether all turns are at one resolution, and nothing but the last is read by others.
    fn is_uniform(&self, turns: &[Vec<Item>]) -> bool {
        let lasts: Vec<usize> =
            turns.iter().filter_map(|turn| all_segments(turn).last().copied()).collect();
        let is_flat = lasts.windows(2).all(|pair| match pair {
            [a, b] => is_one_stage(self.net, self.structure, *a, *b),
            _ => true,
        });
        let end = lasts.last().and_then(|last| self.structure.segments.get(*last));
        let end = end.map_or(usize::MAX, |segment| segment.to);
        let before_last = turns.split_last().map_or(&[][..], |(_, before)| before);
        let leaks = || {
            let segments = all_segments(before_last.iter().flatten());
            self.structure.is_read_past(&segments, end)
        };
        is_flat && !leaks()
    }

    /// One box for a run, with what is before and after it in its stage.
    fn run(&self, item: &Item, turns: &[Vec<Item>], adjacent: [&[Item]; 2]) -> Option<Part> {
        let small = smallest(self.structure, turns);
        let inner = units(self.net, self.structure, small);
        let mut title = title(self.net, &inner);
        title.detail = self.common_detail(turns, title.detail);
        let [mut before, mut after] = adjacent.map(|items| units(self.net, self.structure, items));
        let open = |turn: &Vec<Item>| {
            let units = units(self.net, self.structure, turn).into_iter();
            units.filter(|unit| opens(unit)).collect::<Vec<_>>()
        };
        // What only the first turn or only the last has.
        if let [first, .., last] = turns {
            let smallest = open(&small.to_vec()).len();
            let (first, last) = (open(first), open(last));
            before.extend(first.into_iter().skip(smallest));
            after.splice(0..0, last.into_iter().skip(smallest));
        }
        before.retain(|unit| !unit.is(UNNAMED));
        after.retain(|unit| !unit.is(UNNAMED));
        let (before, after) = (steps(self.net, &before), steps(self.net, &after));
        let details = [before, title.detail, after];
        let reported: Vec<String> = details.into_iter().filter(|words| !words.is_empty()).collect();
        title.detail = reported.join(", then ");
        let is_plain = self.is_plain(&all_segments(small));
        let segments = range(&item.segments())?;
        Some(Part { segments, times: turns.len() as u64, title, is_plain })
    }

    /// Of the figures of one turn, those that all turns share, and how the others go.
    fn common_detail(&self, turns: &[Vec<Item>], detail: String) -> String {
        let details: Vec<String> = turns
            .iter()
            .take(COMPARED)
            .map(|turn| title(self.net, &units(self.net, self.structure, turn)).detail)
            .collect();
        if details.iter().all(|other| *other == detail) {
            return detail;
        }
        let has = |details: &str, piece: &str| details.split(", ").any(|other| other == piece);
        let shared = |piece: &&str| details.iter().all(|other| has(other, piece));
        let mut words: Vec<String> = detail.split(", ").filter(shared).map(str::to_owned).collect();
        let differing = differences(self.net, self.structure, turns);
        let is_named = !self.is_plain(&all_segments(smallest(self.structure, turns)));
        let reported = |words: &&String| {
            words.starts_with("width") || (is_named && words.starts_with("kernel"))
        };
        words.extend(differing.iter().filter(reported).cloned());
        words.retain(|word| !word.is_empty());
        words.join(", ")
    }

    /// One box for items as they are.
    fn one(&self, items: &[Item]) -> Option<Part> {
        let segments = all_segments(items);
        let units = units(self.net, self.structure, items);
        let is_plain = self.is_plain(&segments);
        Some(Part {
            segments: range(&segments)?,
            times: 1,
            title: title(self.net, &units),
            is_plain,
        })
    }

    fn is_plain(&self, segments: &[usize]) -> bool {
        let mut segments =
            segments.iter().filter_map(|number| self.structure.segments.get(*number));
        !segments.any(|segment| segment.is_composite)
    }

    fn units(&self, part: &Part) -> Vec<&NetworkOp> {
        let ids = part.segments.clone().flat_map(|segment| self.structure.units(segment));
        ids.map(|id| self.net.unit(*id)).collect()
    }

    /// Puts plain steps in a row into one box.
    fn join_plain(&self, parts: &mut Vec<Part>) {
        let mut joined: Vec<Part> = Vec::new();
        // Titles are made at the end: each looks at all units of its part.
        let mut grown: BTreeSet<usize> = BTreeSet::new();
        let count = parts.len();
        for (number, part) in parts.drain(..).enumerate() {
            let place = joined.len().saturating_sub(1);
            let is_end = joined.len() == 1 || number + 1 == count;
            match joined.last_mut() {
                Some(last)
                    if last.is_plain
                        && part.is_plain
                        && last.times == 1
                        && part.times == 1
                        && self.is_chain(last, &part)
                        && (is_end || self.is_one_stage(last, &part)) =>
                {
                    last.segments.end = part.segments.end;
                    grown.insert(place);
                }
                _ => joined.push(part),
            }
        }
        for place in grown {
            joined[place].title = title(self.net, &self.units(&joined[place]));
        }
        *parts = joined;
    }

    /// Puts the smallest neighbors together until there are few enough.
    fn join_smallest(&self, parts: &mut Vec<Part>, most: usize) {
        // Thousands of parts are not looked at pair by pair: segments of them are taken together.
        let step = parts.len() / (4 * most) + 1;
        if step > 1 {
            let mut coarse: Vec<Part> = Vec::new();
            for (number, part) in parts.drain(..).enumerate() {
                match coarse.last_mut() {
                    Some(last) if number % step != 0 => join(last, &part),
                    _ => coarse.push(part),
                }
            }
            *parts = coarse;
        }
        let weigh = |part: &Part| -> usize {
            self.units(part).into_iter().map(|unit| weight(self.net, unit)).sum::<usize>().max(1)
        };
        let mut weights: Vec<usize> = parts.iter().map(weigh).collect();
        // For each part, whether the next one continues it.
        let mut chained: Vec<bool> =
            parts.windows(2).map(|pair| self.is_chain(&pair[0], &pair[1])).collect();
        while parts.len() > most {
            let cost = |place: &usize| (!chained[*place], weights[*place] + weights[place + 1]);
            let Some(place) = (0..chained.len()).min_by_key(cost) else { break };
            let part = parts.remove(place + 1);
            weights[place] += weights.remove(place + 1);
            chained.remove(place);
            join(&mut parts[place], &part);
            for first in place.saturating_sub(1)..=place {
                if let (Some(is), [a, b, ..]) = (chained.get_mut(first), &parts[first..]) {
                    *is = self.is_chain(a, b);
                }
            }
        }
    }

    /// Whether all that the first gives goes to the second, and nothing else does.
    fn is_chain(&self, a: &Part, b: &Part) -> bool {
        let places = |part: &Part| {
            let segments = &self.structure.segments;
            let start = segments.get(part.segments.start).map_or(0, |segment| segment.from);
            let end = part.segments.end.checked_sub(1).and_then(|last| segments.get(last));
            start..end.map_or(0, |segment| segment.to)
        };
        let (first, second) = (places(a), places(b));
        let inputs = self.units(b).into_iter().flat_map(|unit| unit.inputs.iter().flatten());
        let mut givers = inputs.filter_map(|val| self.structure.place(self.net.producer(*val)?));
        first.clone().all(|place| self.structure.last_read(place) < second.end)
            && givers.all(|at| at >= first.start)
    }

    fn is_one_stage(&self, a: &Part, b: &Part) -> bool {
        let last = a.segments.end.saturating_sub(1);
        is_one_stage(self.net, self.structure, last, b.segments.start)
    }
}

/// Steps that a first turn may have before what all turns have.
fn opens(unit: &NetworkOp) -> bool {
    unit.is([BlockKind::ConcatSkip, BlockKind::FeaturePyramid, BlockKind::UNetSkip])
        || unit.has_trait(|traits| traits.raises_resolution || traits.pool().is_some())
}

/// Puts a part behind another.
fn join(part: &mut Part, next: &Part) {
    part.segments.end = next.segments.end;
    part.is_plain &= next.is_plain;
    if part.title.label == next.title.label {
        part.times += next.times;
        return;
    }
    let named = |times: u64, label: &str| match times {
        1 => label.to_owned(),
        _ => format!("{times} × {label}"),
    };
    let first = part.title.label.split(" … ").next().unwrap_or_default().to_owned();
    let last = next.title.label.rsplit(" … ").next().unwrap_or_default().to_owned();
    part.title.label = format!("{} … {}", named(part.times, &first), named(next.times, &last));
    part.title.detail = String::new();
    part.times = 1;
}

/// The stem and the head of a network are called so when they have no other name.
fn name_ends(parts: &mut [Part]) {
    let count = parts.len();
    if count < 3 {
        return;
    }
    for (place, kind) in [(0, CompositeKind::Stem), (count - 1, CompositeKind::Head)] {
        if let Some(part) = parts.get_mut(place)
            && part.is_plain
            && part.times == 1
            && !matches!(
                part.title.kind,
                PartKind::Composite(CompositeKind::Operations | CompositeKind::Product)
            )
        {
            if part.title.kind == PartKind::Block(BlockKind::Linear) {
                part.title.detail = format!("linear {}", part.title.detail);
            }
            kind.display_name().clone_into(&mut part.title.label);
            part.title.kind = kind.into();
        }
    }
}

/// The segment of some neighboring segments.
fn range(segments: &[usize]) -> Option<Range<usize>> {
    Some(*segments.first()?..segments.last()? + 1)
}
