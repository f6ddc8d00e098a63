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
//! places of several scales is no head. Extracts `scales`, each `stride`, `positions`, `anchors`,
//! `bins` of box sides that are given as distributions, and `classes`.

use std::collections::VecDeque;

use calipers_sym::Expr;
use hashbrown::HashSet;

use super::Recogniser;
use super::conv::{CONVS, area, chain, conv};
use crate::net::{Detail, Found, Net, Unit, UnitId, VIEWS, Val};

pub(crate) const DETECTION_HEAD: Recogniser = Recogniser {
    kind: "DetectionHead",
    what: "Scores and boxes at every place of several resolutions, in one list.",
    ends: &["Concat", "ConcatSkip"],
    find,
};

/// Units that a search looks at.
const MAX_SEARCH: usize = 512;

/// Concatenations between the lists of one head.
const MAX_BETWEEN: usize = 24;

/// Scales of a head.
const MAX_SCALES: usize = 16;

/// Elements of a weight that is arithmetic: the bins of a distribution, corners from centres.
const MAX_FIXED: i64 = 128;

/// Operators between a convolution's result and the list.
const ARITHMETIC: &[&str] = &[
    "Add",
    "Clip",
    "Concat",
    "ConcatSkip",
    "Div",
    "Exp",
    "Gather",
    "Mul",
    "Neg",
    "Pow",
    "ReduceSum",
    "ReLU",
    "Relu",
    "Sigmoid",
    "Slice",
    "Softmax",
    "Split",
    "Sqrt",
    "Sub",
];

/// A resolution at which objects are found.
struct Scale {
    /// The convolutions that give its boxes and scores, in the order they are joined.
    convs: Vec<UnitId>,
    /// The units from there to the list.
    units: Vec<UnitId>,
    /// The value of one of the convolutions.
    at: Val,
}

/// A list of all places.
struct List {
    end: UnitId,
    scales: Vec<Scale>,
    positions: Option<i64>,
    /// Numbers for each position.
    width: Option<i64>,
    /// Lists entries for each place.
    anchors: Option<i64>,
}

fn find(net: &Net<'_>, end: UnitId) -> Option<Found> {
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
    let mut found = Found::of(members(net, &lists, &after))
        .number("classes", classes(net, &lists, bins))
        .number("positions", first.positions)
        .number("scales", i64::try_from(first.scales.len()).ok())
        .number("anchors", first.anchors.filter(|anchors| *anchors > 1))
        .number("bins", bins);
    let strides =
        first.scales.iter().map(|scale| stride(net, scale.at)).collect::<Option<Vec<_>>>();
    for stride in strides.into_iter().flatten() {
        found.details.push(("stride", Detail::Number(stride)));
    }
    Some(found)
}

/// The list of places that a concatenation is.
fn list(net: &Net<'_>, end: UnitId) -> Option<List> {
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
            // Where sizes are not known, only many scales tell.
            _ if joined.len() >= 3 => {}
            _ => return None,
        }
    }
    let positions = net.dim(output, axis);
    let width = positions
        .filter(|positions| *positions > 0)
        .and_then(|positions| Some(net.elements_beside(output)? / positions))
        .or_else(|| net.dim(output, if axis == 1 { 2 } else { 1 }));
    // Sizes that are not known leave the channels: so many for each entry of the list.
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
fn channels(net: &Net<'_>, id: UnitId) -> Option<i64> {
    let unit = net.unit(id);
    let separable = || unit.number("out").filter(|_| unit.is("DepthwiseSeparable"));
    conv(net, id).map(|conv| conv.outputs).or_else(separable)
}

/// Back from an operand of the list to the convolutions it comes from, all of one resolution.
fn scale(net: &Net<'_>, val: Val) -> Option<Scale> {
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
        if !unit.is_any(VIEWS) && !unit.is_any(ARITHMETIC) {
            return None;
        }
        units.push(id);
        let inputs: Vec<Val> = unit.inputs.iter().flatten().copied().collect();
        stack.extend(inputs.into_iter().rev());
    }
    Some(Scale { convs, units, at: at? })
}

/// What follows the lists, if no weights are among it. What comes after so many units is choosing
/// among boxes.
fn forward(net: &Net<'_>, lists: &[List]) -> Option<Vec<UnitId>> {
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
    let mut after: Vec<UnitId> = seen.into_iter().collect();
    after.sort_unstable();
    Some(after)
}

/// Whether a unit has no weights, or few enough to be arithmetic.
fn fixed(net: &Net<'_>, unit: &Unit) -> bool {
    let products = unit.walk().filter(|part| part.parts.is_empty() && part.contractions() > 0);
    let weights = products.flat_map(|part| part.inputs.iter().skip(1).flatten());
    weights.into_iter().all(|weight| {
        net.elements(*weight)
            .and_then(|count| i64::try_from(count).ok())
            .is_some_and(|n| n <= MAX_FIXED)
    })
}

/// The units of the head: from the convolutions of each scale that nothing else reads, to the end.
fn members(net: &Net<'_>, lists: &[List], after: &[UnitId]) -> Vec<UnitId> {
    let ends: Vec<UnitId> = lists.iter().map(|list| list.end).collect();
    let mut core = ends.clone();
    for scale in lists.iter().flat_map(|list| &list.scales) {
        core.extend(scale.units.iter().chain(&scale.convs));
    }
    let mut branches = core.clone();
    for id in lists.iter().flat_map(|list| &list.scales).flat_map(|scale| &scale.convs) {
        let Some(input) = net.unit(*id).input(0) else { continue };
        for (val, unit) in chain(net, input, &[]).into_iter().skip(1) {
            // What was stepped over is read by the head alone.
            let Some(unit) = unit else { break };
            if net.only_use(net.unit(unit).output()).is_none() || !net.unit(unit).is_any(CONVS) {
                break;
            }
            branches.push(unit);
            if net.uses(val).nth(1).is_some() {
                break;
            }
        }
    }
    let simple = |id: &&UnitId| {
        let unit = net.unit(**id);
        unit.is_any(VIEWS) || unit.is_any(ARITHMETIC) || unit.contractions() > 0
    };
    let rest: Vec<UnitId> = after.iter().filter(simple).copied().collect();
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
fn bins(net: &Net<'_>, after: &[UnitId]) -> Option<i64> {
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

/// Classes that the scores tell apart.
fn classes(net: &Net<'_>, lists: &[List], bins: Option<i64>) -> Option<i64> {
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
pub(super) fn stride(net: &Net<'_>, at: Val) -> Option<i64> {
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
mod tests {
    use calipers_samples::Attribute;

    use super::super::conv::sketch::{concat, conv, conv_relu, linear, shape};
    use super::super::testing::{Seen, Tiny};
    use crate::net::{Detail, Unit};

    /// Features of 16² and 8² places of an image of 64².
    fn scales(t: &mut Tiny) -> [(String, i64); 2] {
        let x = t.input(&["1", "3", "64", "64"]);
        let stem = conv_relu(t, &x, shape(3, 8, 3).stride(2));
        let large = conv_relu(t, &stem, shape(8, 8, 3).stride(2));
        let small = conv_relu(t, &large, shape(8, 8, 3).stride(2));
        [(large, 16), (small, 8)]
    }

    fn listed(t: &mut Tiny, x: &str, target: &[i64]) -> String {
        let target = t.ints(target);
        t.op("Reshape", &[x, &target])
    }

    fn numbers(seen: &Seen) -> Option<(Option<i64>, Option<i64>, Vec<i64>)> {
        let strides = |unit: &Unit| {
            let all = unit.details.iter().filter(|(name, _)| *name == "stride");
            all.filter_map(|(_, detail)| match detail {
                Detail::Number(stride) => Some(*stride),
                _ => None,
            })
            .collect()
        };
        seen.first("DetectionHead", |_, unit| {
            (unit.number("classes"), unit.number("positions"), strides(unit))
        })
    }

    #[test]
    fn boxes_as_distributions() {
        let mut t = Tiny::new();
        let lists = scales(&mut t).map(|(x, side)| {
            let boxes = conv(&mut t, &x, shape(8, 32, 1));
            let scores = conv(&mut t, &x, shape(8, 5, 1));
            let both = concat(&mut t, &[&boxes, &scores], 1);
            listed(&mut t, &both, &[1, 37, side * side])
        });
        let all = concat(&mut t, &[&lists[0], &lists[1]], 2);
        let sizes = t.ints(&[32, 5]);
        let parts = t.many("Split", &[&all, &sizes], 2, &[Attribute::int("axis", 1)]);
        let bins = listed(&mut t, &parts[0], &[1, 4, 8, 320]);
        let bins = t.op_with("Softmax", &[&bins], &[Attribute::int("axis", 2)]);
        let axes = t.ints(&[2]);
        let sides = t.op_with("ReduceSum", &[&bins, &axes], &[Attribute::int("keepdims", 0)]);
        let scores = t.op("Sigmoid", &[&parts[1]]);
        let y = concat(&mut t, &[&sides, &scores], 1);
        let seen = t.output(&y);
        assert_eq!(numbers(&seen), Some((Some(5), Some(320), vec![4, 8])));
        assert_eq!(seen.first("DetectionHead", |_, unit| unit.number("bins")), Some(Some(8)));
    }

    #[test]
    fn anchors() {
        let mut t = Tiny::new();
        let lists = scales(&mut t).map(|(x, side)| {
            let y = conv(&mut t, &x, shape(8, 24, 1));
            let y = listed(&mut t, &y, &[1, 3, 8, side, side]);
            let perm = Attribute::ints("perm", &[0, 1, 3, 4, 2]);
            let y = t.op_with("Transpose", &[&y], &[perm]);
            let y = t.op("Sigmoid", &[&y]);
            listed(&mut t, &y, &[1, 3 * side * side, 8])
        });
        let all = concat(&mut t, &[&lists[0], &lists[1]], 1);
        let seen = t.output(&all);
        assert_eq!(numbers(&seen), Some((Some(3), Some(960), vec![4, 8])));
    }

    #[test]
    fn boxes_and_classes_listed_apart() {
        let mut t = Tiny::new();
        let features = scales(&mut t);
        let list = |t: &mut Tiny, width: i64| {
            let lists: Vec<String> = features
                .iter()
                .map(|(x, side)| {
                    let y = conv(t, x, shape(8, 2 * width, 3));
                    let perm = Attribute::ints("perm", &[0, 2, 3, 1]);
                    let y = t.op_with("Transpose", &[&y], &[perm]);
                    listed(t, &y, &[1, 2 * side * side, width])
                })
                .collect();
            concat(t, &[&lists[0], &lists[1]], 1)
        };
        let (scores, boxes) = (list(&mut t, 7), list(&mut t, 4));
        let y = concat(&mut t, &[&scores, &boxes], 2);
        let seen = t.output(&y);
        assert_eq!(seen.count("DetectionHead"), 1);
        assert_eq!(numbers(&seen), Some((Some(7), Some(640), vec![4, 8])));
    }

    #[test]
    fn sides_are_rounded_up() {
        assert_eq!(super::halved(800, 13), Some(64));
        assert_eq!(super::halved(800, 7), Some(128));
        assert_eq!(super::halved(300, 1), None);
        assert_eq!(super::halved(0, 0), None);
    }

    #[test]
    fn separable_convolutions() {
        let mut t = Tiny::new();
        let lists = scales(&mut t).map(|(x, side)| {
            let y = conv_relu(&mut t, &x, shape(8, 8, 3).groups(8));
            let y = conv(&mut t, &y, shape(8, 24, 1));
            let y = listed(&mut t, &y, &[1, 3, 8, side, side]);
            let perm = Attribute::ints("perm", &[0, 3, 4, 1, 2]);
            let y = t.op_with("Transpose", &[&y], &[perm]);
            listed(&mut t, &y, &[1, 3 * side * side, 8])
        });
        let all = concat(&mut t, &[&lists[0], &lists[1]], 1);
        let seen = t.output(&all);
        assert_eq!(numbers(&seen), Some((Some(3), Some(960), vec![4, 8])));
    }

    #[test]
    fn images_of_any_size() {
        let mut t = Tiny::new();
        let x = t.input(&["1", "3", "height", "width"]);
        let mut x = conv_relu(&mut t, &x, shape(3, 8, 3).stride(2));
        let mut lists = Vec::new();
        for _ in 0..3 {
            x = conv_relu(&mut t, &x, shape(8, 8, 3).stride(2));
            let y = conv(&mut t, &x, shape(8, 24, 1));
            let y = listed(&mut t, &y, &[1, 3, 8, -1]);
            let perm = Attribute::ints("perm", &[0, 1, 3, 2]);
            let y = t.op_with("Transpose", &[&y], &[perm]);
            let y = t.op("Sigmoid", &[&y]);
            lists.push(listed(&mut t, &y, &[1, -1, 8]));
        }
        let all = concat(&mut t, &[&lists[0], &lists[1], &lists[2]], 1);
        let seen = t.output(&all);
        assert_eq!(numbers(&seen), Some((Some(3), None, vec![4, 8, 16])));
        assert_eq!(seen.first("DetectionHead", |_, unit| unit.number("anchors")), Some(Some(3)));
    }

    #[test]
    fn an_encoder_of_several_scales_is_none() {
        let mut t = Tiny::new();
        let lists = scales(&mut t).map(|(x, side)| {
            let y = conv(&mut t, &x, shape(8, 16, 1));
            listed(&mut t, &y, &[1, 16, side * side])
        });
        let all = concat(&mut t, &[&lists[0], &lists[1]], 2);
        let perm = Attribute::ints("perm", &[0, 2, 1]);
        let all = t.op_with("Transpose", &[&all], &[perm]);
        let y = linear(&mut t, &all, 16, 16);
        assert_eq!(t.output(&y).count("DetectionHead"), 0);
    }
}
