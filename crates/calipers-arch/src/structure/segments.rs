//! Segments: the pieces between the places that one value crosses.
//!
//! Long ways around much of the network, as a U-Net, a feature pyramid or an encoder next to its
//! decoder have them, hide every cut inside. So a segment that is too much for one piece is cut
//! again with the longest ways left out, then with those half as long, and so on.

use std::ops::Range;

use calipers_ops::{Class, ImageOp, Movement};
use calipers_sym::Expr;

use super::cost::{is_convolutional, is_heavy, weight};
use super::{Structure, narrow};
use crate::network::{
    Attention, BlockKind, BlockProperties as _, Convolution, Network, NetworkOp, OpId, With,
};

/// A segment: places `from..to` of the order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Segment {
    pub from: usize,
    pub to: usize,
    /// What it is by structure; widths, counts and dressing left aside.
    pub signature: u64,
    /// Whether it holds a block that is known by name.
    pub is_composite: bool,
}

/// A segment of more heavy steps is cut again.
const MAX_WEIGHT: usize = 16;
/// So is one with this many blocks, or convolutions at this many resolutions.
const MAX_BLOCKS: usize = 3;
/// Ways no longer than this belong to a block and are never left out.
const SHORT: usize = 8;

/// Steps that raise the resolution.
const RISING: With = With(|traits| traits.raises_resolution);

/// Steps that begin what follows them and do not end what comes before.
const OPENING: ((BlockKind, [&str; 3]), With) = (
    (BlockKind::ClassifierHead, ["Flatten", "ReduceMean", "SpaceToDepth"]),
    With(|traits| match traits.class {
        Class::Image(image) => image == ImageOp::Resize,
        Class::Pooling(pool) => pool.is_global(),
        _ => matches!(traits.movement, Some(Movement::Gather | Movement::Slice)),
    }),
);

/// Cuts the order into segments.
pub(super) fn cut(net: &Network<'_>, structure: &Structure) -> Vec<Segment> {
    let count = structure.main.len();
    let ways = ways(net, structure);
    let mut pieces = vec![(0, count)];
    let mut done = Vec::new();
    let mut longest = count.max(1);
    loop {
        let crossed = crossings(&ways, count, longest);
        let cuts = |from: usize, to: usize| {
            let mut pieces = Vec::new();
            let mut start = from;
            for (next, crossed) in (from + 1..=to).zip(&crossed[from..to]) {
                if *crossed <= 1 || next == to {
                    pieces.push((start, next));
                    start = next;
                }
            }
            pieces
        };
        let mut large = Vec::new();
        for (from, to) in pieces {
            for piece in cuts(from, to) {
                if is_large(net, &structure.main[piece.0..piece.1]) {
                    large.push(piece);
                } else {
                    done.push(piece);
                }
            }
        }
        pieces = large;
        longest /= 2;
        if longest < SHORT {
            // Shorter ways are inside blocks, unless the blocks are known and are side by side.
            let (parted, rest): (Vec<_>, Vec<_>) = pieces
                .into_iter()
                .partition(|(from, to)| is_several(net, &structure.main[*from..*to]));
            pieces = parted;
            done.extend(rest);
        }
        if pieces.is_empty() || longest == 0 {
            break;
        }
    }
    done.extend(pieces);
    done.sort_unstable();
    let pieces = join_light(net, structure, &done);
    pieces.into_iter().map(|(from, to)| segment(net, &structure.main, from, to)).collect()
}

/// A way from one place to another: what a unit gives is read. All that it gives counts as one.
type Way = (u32, u32);

/// All ways, by where they start.
fn ways(net: &Network<'_>, structure: &Structure) -> Vec<Way> {
    let mut ways: Vec<Way> = Vec::new();
    let mut givers: Vec<usize> = Vec::new();
    for (place, id) in structure.main.iter().enumerate() {
        let unit = net.unit(*id);
        let inputs = unit.inputs.iter().flatten();
        givers.extend(inputs.filter_map(|val| structure.place(net.producer(*val)?)));
        // Another sequence that is attended to lies next to the way and not on it.
        if attends_across(unit) {
            let last = givers.iter().max().copied();
            givers.clear();
            givers.extend(last);
        }
        let way = |giver: usize| (narrow(giver), narrow(place));
        ways.extend(givers.drain(..).filter(|giver| *giver < place).map(way));
    }
    ways.sort_unstable();
    ways.dedup();
    ways
}

fn attends_across(unit: &NetworkOp) -> bool {
    unit.walk().any(|part| part.attention().is_some_and(Attention::is_cross))
}

/// How many units are read across each place, by ways no longer than this.
fn crossings(ways: &[Way], count: usize, longest: usize) -> Vec<i32> {
    let mut steps = vec![0_i32; count + 1];
    for ways in ways.chunk_by(|a, b| a.0 == b.0) {
        let (from, ends) = (ways[0].0 as usize, ways.iter().rev().map(|way| way.1 as usize));
        if let Some(end) = ends.into_iter().find(|end| end - from <= longest) {
            steps[from] += 1;
            steps[end] -= 1;
        }
    }
    let mut crossing = 0;
    steps.truncate(count);
    for step in &mut steps {
        crossing += *step;
        *step = crossing;
    }
    steps
}

/// Whether units are several parts of a network beyond doubt: several blocks that are alone, a
/// head with something before it, or what goes up in resolution with what went down.
fn is_several(net: &Network<'_>, units: &[OpId]) -> bool {
    let blocks = |is: fn(BlockKind) -> bool| {
        units.iter().filter_map(|id| net.unit(*id).block()).filter(|kind| is(*kind)).count()
    };
    let is_embedding = |kind| kind == BlockKind::Embedding;
    let is_alone = |kind: BlockKind| kind.is_convolutional() || kind.is_head();
    let heavy = || units.iter().map(|id| net.unit(*id)).filter(|unit| is_heavy(net, unit));
    let rises = |unit: &OpId| net.unit(*unit).walk().any(|part| part.is(RISING));
    blocks(BlockKind::is_composite) >= MAX_BLOCKS + blocks(is_embedding)
        || (blocks(is_alone) > 0 && heavy().nth(1).is_some())
        || (units.iter().any(rises) && heavy().any(is_convolutional))
}

fn is_large(net: &Network<'_>, units: &[OpId]) -> bool {
    let heavy = || units.iter().map(|id| net.unit(*id)).filter(|unit| is_heavy(net, unit));
    if is_several(net, units) {
        return units.len() > 1;
    }
    if heavy().map(|unit| weight(net, unit)).sum::<usize>() > MAX_WEIGHT {
        return heavy().nth(1).is_some();
    }
    let mut seen: Vec<&[Expr]> = Vec::new();
    for unit in heavy().filter(|unit| is_convolutional(unit)) {
        if let Some(shape) = net.shape(unit.output())
            && !seen.iter().any(|other| is_same_stage(other, shape))
        {
            seen.push(shape);
        }
    }
    seen.len() >= MAX_BLOCKS
}

/// Gives pieces without a heavy unit to a neighbor.
fn join_light(
    net: &Network<'_>,
    structure: &Structure,
    pieces: &[(usize, usize)],
) -> Vec<(usize, usize)> {
    let mut joined: Vec<(usize, usize)> = Vec::new();
    // Whether the heavy units of the last one are all tables. Light ones that join it change nothing.
    let mut is_last_table = false;
    // Where a light piece begins that what follows will take, and whether it is a final norm.
    let mut open: Option<(usize, bool)> = None;
    for (from, to) in pieces {
        let units = &structure.main[*from..*to];
        let is_light = !units.iter().any(|id| is_heavy(net, net.unit(*id)));
        let is_table = is_all(net, units, BlockKind::Embedding);
        let is_joined = is_table && is_last_table && open.is_none();
        let before = joined.last_mut().filter(|_| is_joined);
        if let Some(before) = before {
            // Tables whose rows are added up are one part.
            before.1 = *to;
        } else if !is_light {
            let mut start = *from;
            if let Some((opened, is_norm)) = open.take() {
                // A norm that several parts read belongs to none of them.
                let is_shared =
                    is_norm && (opened..*from).any(|place| structure.last_read(place) >= *to);
                let is_read = is_read_by(net, structure, opened..*from, *from..*to) && !is_shared;
                match joined.last_mut() {
                    // What follows has nothing to do with it.
                    Some(_) if !is_read && is_norm => joined.push((opened, *from)),
                    Some(last) if !is_read => last.1 = *from,
                    _ => start = opened,
                }
            }
            joined.push((start, *to));
            is_last_table = is_table;
        } else if open.is_none() {
            match joined.last_mut() {
                Some(last) if is_final_norm(net, structure, *last, (*from, *to)) => {
                    open = Some((*from, true));
                }
                Some(last) if !opens(net, structure, *from, *to) => last.1 = *to,
                _ => open = Some((*from, false)),
            }
        }
    }
    // At the end nothing follows that it could open.
    if let (Some((from, is_norm)), Some((_, to))) = (open, pieces.last()) {
        match joined.last_mut() {
            Some(last) if !is_norm => last.1 = *to,
            _ => joined.push((from, *to)),
        }
    }
    joined
}

/// Whether a light piece is a norm that belongs to no layer before it: the last layer, which has a
/// residual addition, has a norm of its own already. Pre-norm layers begin with theirs, so the norm
/// behind them opens the head; post-norm layers and embeddings end with theirs.
fn is_final_norm(
    net: &Network<'_>,
    structure: &Structure,
    before: (usize, usize),
    piece: (usize, usize),
) -> bool {
    let units =
        |(from, to): (usize, usize)| structure.main[from..to].iter().map(|id| net.unit(*id));
    // Division by a length ends what computes a vector.
    let is_norm = |unit: &NetworkOp| unit.is_normalization() && !unit.is(BlockKind::L2Norm);
    let has = |test: &dyn Fn(&NetworkOp) -> bool| units(before).flat_map(NetworkOp::walk).any(test);
    units(piece).find(|unit| !unit.is_layout()).is_some_and(is_norm)
        && has(&is_norm)
        && has(&|unit| unit.is(BlockKind::ResidualAdd))
}

/// Whether units at some places read what others give.
fn is_read_by(
    net: &Network<'_>,
    structure: &Structure,
    given: Range<usize>,
    readers: Range<usize>,
) -> bool {
    let units = structure.main[readers].iter().map(|id| net.unit(*id));
    let inputs = units.flat_map(|unit| unit.inputs.iter().flatten());
    let mut places = inputs.filter_map(|val| structure.place(net.producer(*val)?));
    places.any(|place| given.contains(&place))
}

/// Whether the heavy units among these are all of one kind.
fn is_all(net: &Network<'_>, units: &[OpId], kind: BlockKind) -> bool {
    let mut heavy =
        units.iter().map(|id| net.unit(*id)).filter(|unit| is_heavy(net, unit)).peekable();
    heavy.peek().is_some() && heavy.all(|unit| unit.is(kind))
}

/// Whether light units belong with what follows: they join several ways, or change the resolution
/// of what others still read as it was.
fn opens(net: &Network<'_>, structure: &Structure, from: usize, to: usize) -> bool {
    let units = || structure.main[from..to].iter().map(|id| net.unit(*id));
    // A norm is written with means, which pool nothing.
    let mut others = units().filter(|unit| !unit.is_normalization());
    if others.any(|unit| unit.walk().any(|part| part.is(OPENING))) {
        return true;
    }
    let inputs = units().flat_map(|unit| unit.inputs.iter().flatten());
    let givers = inputs.filter_map(|val| structure.place(net.producer(*val)?));
    let mut givers: Vec<usize> = givers.filter(|place| *place < from).collect();
    givers.sort_unstable();
    givers.dedup();
    match givers[..] {
        [giver] => structure.last_read(giver) >= to,
        _ => givers.len() > 1,
    }
}

fn segment(net: &Network<'_>, main: &[OpId], from: usize, to: usize) -> Segment {
    let units = || main[from..to].iter().map(|id| net.unit(*id));
    let mut kinds: Vec<u64> = units().filter_map(|unit| signature(net, unit, 0)).collect();
    kinds.sort_unstable();
    kinds.dedup();
    let is_composite = units().any(|unit| unit.walk().any(is_composite));
    // Where nothing is known by name, a joined way distinguishes a block from a single step.
    let joins = || {
        units().any(|unit| {
            unit.is((BlockKind::ResidualAdd, ["Add", "Concat", "Mul"]))
                && unit.inputs.iter().flatten().filter(|val| net.is_data(**val)).count() > 1
        })
    };
    let joined = !is_composite && joins();
    if kinds.is_empty() {
        let mut ops: Vec<u64> = units().map(|unit| hash(&[text(unit.op.id())])).collect();
        ops.sort_unstable();
        ops.dedup();
        kinds = ops;
    }
    kinds.push(u64::from(joined));
    Segment { from, to, signature: hash(&kinds), is_composite }
}

/// Deeper parts do not distinguish kinds.
const MAX_DEPTH: usize = 6;

/// What a unit is by structure; `None` when it is only dressing.
fn signature(net: &Network<'_>, unit: &NetworkOp, depth: usize) -> Option<u64> {
    if !is_heavy(net, unit) {
        return None;
    }
    let mut parts: Vec<u64> = vec![text(unit.op.id())];
    let attention = unit.attention();
    let convolution = unit.folded_convolution();
    parts.push(u64::from(attention.is_some_and(|attention| attention.causal)));
    parts.push(u64::from(convolution.is_some_and(Convolution::is_depthwise)));
    parts.push(u64::from(convolution.is_some_and(|convolution| convolution.transposed)));
    parts.extend(attention.map(|attention| text(attention.over.id())));
    // What makes a block of a known name is in its name, but for those that wrap others.
    if depth < MAX_DEPTH && (!is_composite(unit) || unit.is(BlockKind::Residual)) {
        let mut inside: Vec<u64> =
            unit.parts.iter().filter_map(|part| signature(net, part, depth + 1)).collect();
        inside.sort_unstable();
        inside.dedup();
        parts.extend(inside);
    }
    Some(hash(&parts))
}

fn is_composite(unit: &NetworkOp) -> bool {
    unit.block().is_some_and(BlockKind::is_composite)
}

pub(super) fn hash(values: &[u64]) -> u64 {
    // FNV-1a over the bytes: the same on every machine and in every run.
    values.iter().flat_map(|value| value.to_le_bytes()).fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

fn text(text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// Whether two shapes are of one stage: at most the width differs.
pub(super) fn is_same_stage(a: &[Expr], b: &[Expr]) -> bool {
    a.len() == b.len() && a.iter().zip(b).filter(|(a, b)| a != b).count() <= 1
}
