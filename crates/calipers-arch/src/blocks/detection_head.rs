//! Detection head: scores and boxes at every place of several resolutions, in one list.
//!
//! | form | written by |
//! |---|---|
//! | for each scale `Concat` of box and class convolutions, `Reshape`; `Concat`; `Split`; `Softmax` over bins, a fixed convolution | YOLOv8 and later |
//! | for each scale a convolution, `Reshape` to anchors, `Sigmoid`, arithmetic, `Reshape`; `Concat` | YOLOv5, YOLOv7 |
//! | for each scale `Concat` of box, object and class convolutions, `Reshape`; `Concat` | YOLOX |
//! | one `Concat` of scales for boxes, one for classes | RetinaNet, FCOS, SSD |
//!
//! Every operand of such a `Concat` comes from convolutions of another resolution than the next,
//! with as many places (times anchors) as these have. No weights follow: an encoder that reads the
//! places of several scales is not a head. Extracts `scales`, each `stride`, `positions`, `anchors`,
//! `bins` of box sides that are given as distributions, and `classes`.

use std::collections::VecDeque;

use calipers_ops::Class;
use calipers_sym::Expr;
use hashbrown::HashSet;

use super::Pattern;
use super::conv::{CONVS, area, chain, conv};
use crate::network::{BlockKind, DetectionHead, Found, Network, NetworkOp, OpId, Ops, Val, With};

pub(super) const DETECTION_HEAD: Pattern = Pattern {
    kind: BlockKind::DetectionHead,
    description: "Predicts class scores and boxes at every position of several scales.",
    anchors: Ops { blocks: &[BlockKind::ConcatSkip], operators: &["Concat"] },
    matcher: find,
};

/// Units that a search looks at.
const MAX_SEARCH: usize = 512;

/// Concatenations between the lists of one head.
const MAX_BETWEEN: usize = 24;

/// Scales of a head.
const MAX_SCALES: usize = 16;

/// Elements of a weight that is arithmetic: the bins of a distribution, corners from centers.
const MAX_FIXED: i64 = 128;

/// Operators between a convolution's result and the list.
const ARITHMETIC: ([BlockKind; 2], With) = (
    [BlockKind::ConcatSkip, BlockKind::Relu],
    With(|traits| {
        traits.is_elementwise()
            || traits.movement.is_some()
            || matches!(traits.class, Class::Reduction | Class::Softmax)
    }),
);

/// A resolution at which objects are found.
struct Scale {
    /// The convolutions that give its boxes and scores, in the order they are joined.
    convs: Vec<OpId>,
    /// The units from there to the list.
    units: Vec<OpId>,
    /// The value of one of the convolutions.
    at: Val,
}

/// A list of all places.
struct List {
    end: OpId,
    scales: Vec<Scale>,
    positions: Option<i64>,
    /// Numbers for each position.
    width: Option<i64>,
    /// Lists entries for each place.
    anchors: Option<i64>,
}

fn find(net: &Network<'_>, end: OpId) -> Option<Found> {
    let list = list(net, end)?;
    // Boxes and classes may be listed apart: the last of the lists speaks for all.
    let concats = net.of_op("Concat");
    let here = concats.partition_point(|other| *other < end);
    let near = concats.iter().skip(here.saturating_sub(MAX_BETWEEN)).take(2 * MAX_BETWEEN);
    let mut lists: Vec<List> = near
        .copied()
        .filter(|other| *other != end)
        .filter_map(|other| self::list(net, other))
        .filter(|other| {
            other.positions == list.positions && other.scales.len() == list.scales.len()
        })
        .collect();
    if lists.iter().any(|other| other.end > end) {
        return None;
    }
    lists.push(list);
    let after = forward(net, &lists)?;
    let first = lists.last()?;
    let bins = bins(net, &after);
    let strides =
        first.scales.iter().map(|scale| stride(net, scale.at)).collect::<Option<Vec<_>>>();
    Some(Found::new(members(net, &lists, &after)).with(DetectionHead {
        classes: classes(net, &lists, bins),
        positions: first.positions,
        scales: i64::try_from(first.scales.len()).ok(),
        anchors: first.anchors.filter(|anchors| *anchors > 1),
        bins,
        strides: strides.unwrap_or_default(),
    }))
}

/// The list of places that a concatenation is.
fn list(net: &Network<'_>, end: OpId) -> Option<List> {
    let unit = net.unit(end);
    let concat = unit.walk().find(|part| part.is("Concat"))?;
    let joined: Vec<Val> = net.data_inputs(unit).collect();
    let output = unit.output();
    let rank = net.rank(output)?;
    if !(2..=MAX_SCALES).contains(&joined.len())
        || joined.len() != concat.inputs.len()
        || !(2..=3).contains(&rank)
    {
        return None;
    }
    let axis = isize::try_from(net.int(concat, "axis")?).ok()?;
    let scales = joined.iter().map(|val| scale(net, *val)).collect::<Option<Vec<Scale>>>()?;
    let sizes =
        scales.iter().map(|scale| net.shape(scale.at)?.get(2..)).collect::<Option<Vec<_>>>()?;
    let differ =
        sizes.iter().enumerate().all(|(at, size)| !sizes.iter().take(at).any(|s| s == size));
    if !differ {
        return None;
    }
    let mut anchors = Vec::new();
    for (val, scale) in joined.iter().zip(&scales) {
        match (net.dim(*val, axis), area(net, scale.at)) {
            (Some(places), Some(area)) if area > 0 && places > 0 => {
                if places % area != 0 {
                    return None;
                }
                anchors.push(places / area);
            }
            // Where sizes are unknown, only many scales are evidence.
            _ if joined.len() >= 3 => {}
            _ => return None,
        }
    }
    let positions = net.dim(output, axis);
    let width = positions
        .filter(|positions| *positions > 0)
        .and_then(|positions| Some(net.elements_next_to(output)? / positions))
        .or_else(|| net.dim(output, if axis == 1 { 2 } else { 1 }));
    // Where sizes are unknown, the channels are left: a fixed number per entry of the list.
    if anchors.is_empty() {
        anchors.extend(scales.iter().filter_map(|scale| match scale.convs[..] {
            [only] => exactly(channels(net, only)?, width?),
            _ => None,
        }));
    }
    let alike = anchors.first().filter(|one| anchors.iter().all(|other| other == *one)).copied();
    Some(List { end, scales, positions, width, anchors: alike })
}

/// Channels that a convolution gives, or a depthwise and a pointwise one together.
fn channels(net: &Network<'_>, id: OpId) -> Option<i64> {
    let unit = net.unit(id);
    let separable = || unit.depthwise_separable()?.out_channels;
    conv(net, id).and_then(|conv| conv.out_channels).or_else(separable)
}

/// Back from an operand of the list to the convolutions it comes from, all of one resolution.
fn scale(net: &Network<'_>, val: Val) -> Option<Scale> {
    let (mut units, mut convs) = (Vec::new(), Vec::new());
    let mut seen = HashSet::new();
    let mut stack = vec![val];
    let mut at: Option<Val> = None;
    while let Some(val) = stack.pop() {
        if !net.is_data(val) {
            continue;
        }
        let id = net.producer(val)?;
        if !seen.insert(id) {
            continue;
        }
        if seen.len() > MAX_SEARCH {
            return None;
        }
        let unit = net.unit(id);
        if channels(net, id).is_some() {
            let same = at.is_none_or(|at| {
                net.shape(at).and_then(|s| s.get(2..)) == net.shape(val).and_then(|s| s.get(2..))
            });
            if net.rank(val)? != 4 || !same {
                return None;
            }
            at = Some(val);
            convs.push(id);
            continue;
        }
        if !unit.is_layout() && !unit.is(ARITHMETIC) {
            return None;
        }
        units.push(id);
        let inputs: Vec<Val> = unit.inputs.iter().flatten().copied().collect();
        stack.extend(inputs.into_iter().rev());
    }
    Some(Scale { convs, units, at: at? })
}

/// What follows the lists, if no weights are among it. What comes after the search limit is choosing
/// among boxes.
fn forward(net: &Network<'_>, lists: &[List]) -> Option<Vec<OpId>> {
    let mut seen = HashSet::new();
    let mut queue: VecDeque<Val> = lists.iter().map(|list| net.unit(list.end).output()).collect();
    while let Some(val) = queue.pop_front() {
        for user in net.uses(val) {
            if seen.len() >= MAX_SEARCH || !seen.insert(user) {
                continue;
            }
            let unit = net.unit(user);
            if !fixed(net, unit) {
                return None;
            }
            queue.extend(&unit.outputs);
        }
    }
    let mut after: Vec<OpId> = seen.into_iter().collect();
    after.sort_unstable();
    Some(after)
}

/// Whether a unit has no weights, or few enough to be arithmetic.
fn fixed(net: &Network<'_>, unit: &NetworkOp) -> bool {
    let products = unit.walk().filter(|part| part.parts.is_empty() && part.contractions() > 0);
    let weights = products.flat_map(|part| part.inputs.iter().skip(1).flatten());
    weights.into_iter().all(|weight| {
        net.elements(*weight)
            .and_then(|count| i64::try_from(count).ok())
            .is_some_and(|n| n <= MAX_FIXED)
    })
}

/// The units of the head: from the convolutions of each scale that nothing else reads, to the end.
fn members(net: &Network<'_>, lists: &[List], after: &[OpId]) -> Vec<OpId> {
    let ends: Vec<OpId> = lists.iter().map(|list| list.end).collect();
    let mut core = ends.clone();
    for scale in lists.iter().flat_map(|list| &list.scales) {
        core.extend(scale.units.iter().chain(&scale.convs));
    }
    let mut branches = core.clone();
    for id in lists.iter().flat_map(|list| &list.scales).flat_map(|scale| &scale.convs) {
        let Some(input) = net.unit(*id).input(0) else { continue };
        for (val, unit) in chain(net, input, Ops::operators(&[])).into_iter().skip(1) {
            // What was stepped over is read by the head alone.
            let Some(unit) = unit else { break };
            if net.only_use(net.unit(unit).output()).is_none() || !net.unit(unit).is(CONVS) {
                break;
            }
            branches.push(unit);
            if net.uses(val).nth(1).is_some() {
                break;
            }
        }
    }
    let simple = |id: &&OpId| {
        let unit = net.unit(**id);
        unit.is_layout() || unit.is(ARITHMETIC) || unit.contractions() > 0
    };
    let rest: Vec<OpId> = after.iter().filter(simple).copied().collect();
    let mut wanted =
        [[branches.clone(), rest.clone()].concat(), [core.clone(), rest].concat(), branches, core];
    for units in &mut wanted {
        units.sort_unstable();
        units.dedup();
    }
    let found = wanted.into_iter().find(|units| net.can_fold(units));
    found.unwrap_or_else(|| ends.last().copied().into_iter().collect())
}

/// Bins of each side of a box, where a distribution over them is taken.
fn bins(net: &Network<'_>, after: &[OpId]) -> Option<i64> {
    after.iter().find_map(|id| {
        let unit = net.unit(*id);
        let softmax = unit.walk().find(|part| part.is("Softmax"))?;
        let input = softmax.input(0)?;
        let axis = net.int(softmax, "axis").unwrap_or(-1);
        let bins = net.dim(input, isize::try_from(axis).ok()?)?;
        let sides = net.shape(input)?.iter().any(|dim| dim.as_const() == Some(4));
        (sides && bins > 1).then_some(bins)
    })
}

/// Classes that the scores distinguish.
fn classes(net: &Network<'_>, lists: &[List], bins: Option<i64>) -> Option<i64> {
    let box_width = bins.unwrap_or(1).checked_mul(4)?;
    // A list of several convolutions: the box, whether there is an object, the classes.
    for list in lists {
        let convs = &list.scales.first()?.convs;
        let mut widths: Vec<i64> = convs.iter().filter_map(|id| channels(net, *id)).collect();
        if convs.len() >= 2
            && widths.iter().try_fold(0_i64, |sum, width| sum.checked_add(*width)) == list.width
        {
            take(&mut widths, box_width)?;
            if widths.len() > 1 {
                take(&mut widths, 1)?;
            }
            return if widths.len() == 1 { widths.first().copied() } else { None };
        }
    }
    // Lists of one convolution each.
    let mut widths: Vec<i64> = lists.iter().filter_map(|list| list.width).collect();
    if widths.len() >= 2 {
        take(&mut widths, box_width)?;
        if widths.len() > 1 {
            take(&mut widths, 1)?;
        }
        return if widths.len() == 1 { widths.first().copied() } else { None };
    }
    // Box, object and classes in one convolution, as anchors have them.
    let list = lists.first()?;
    list.anchors.filter(|anchors| *anchors > 1)?;
    list.width?.checked_sub(5).filter(|classes| *classes > 0)
}

fn take(widths: &mut Vec<i64>, wanted: i64) -> Option<()> {
    let place = widths.iter().position(|width| *width == wanted)?;
    widths.remove(place);
    Some(())
}

fn exactly(whole: i64, part: i64) -> Option<i64> {
    (part > 0 && whole > 0 && whole % part == 0).then(|| whole / part)
}

/// Sides of an image that are tried where its side is free: what networks halve many times.
const SIDES: [i64; 2] = [7680, 8960];

/// Pixels of the image for each place of a value, whatever the image's size.
pub(super) fn stride(net: &Network<'_>, at: Val) -> Option<i64> {
    let convs = net.all().filter(|unit| unit.is("Conv"));
    let image = convs.filter_map(|unit| unit.input(0)).find(|val| net.rank(*val) == Some(4))?;
    let (whole, part) = (net.shape(image)?.last()?, net.shape(at)?.last()?);
    let [first, second] = SIDES.map(|side| {
        let of = |dim: &Expr| dim.evaluate(|_| Some(side)).ok();
        let (whole, part) = (of(whole)?, of(part)?);
        exactly(whole, part).or_else(|| halved(whole, part))
    });
    first.filter(|_| first == second)
}

/// How often a side was halved, rounded up each time, as a factor.
fn halved(whole: i64, part: i64) -> Option<i64> {
    (2..=7)
        .map(|times| 1 << times)
        .find(|factor| whole > 0 && part > 1 && (whole - 1) / factor + 1 == part)
}

#[cfg(test)]
mod tests;
