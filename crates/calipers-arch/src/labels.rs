//! What to call parts of a network.
//!
//! Kinds come from the patterns; a few words are made of several kinds together: attention and a
//! feed-forward make an encoder layer, a decoder layer when it cannot look ahead or looks at
//! another sequence.

use std::collections::BTreeMap;

use calipers_ops::{Class, ImageOp, Movement, Pool};
use calipers_report::{Activation, CompositeKind, PartKind};

use super::descriptions::{counted, grouped};
use super::structure::is_heavy;
use crate::network::{
    Attention, BlockKind, DetailKey, Details, Linear, Network, NetworkOp, Op, TableKind, With,
};

/// What can lead a part of the network. Earlier ones lead.
const LEADERS: &[Op] = &[
    Op::Block(BlockKind::DetectionHead),
    Op::Block(BlockKind::ClassifierHead),
    Op::Block(BlockKind::PatchEmbedding),
    Op::Block(BlockKind::Csp),
    Op::Block(BlockKind::Spp),
    Op::Block(BlockKind::Inception),
    Op::Block(BlockKind::ConvNextBlock),
    Op::Block(BlockKind::InvertedResidual),
    Op::Block(BlockKind::Bottleneck),
    Op::Block(BlockKind::BasicBlock),
    Op::Block(BlockKind::DenseLayer),
    Op::Block(BlockKind::ShuffleBlock),
    Op::Block(BlockKind::Fire),
    Op::Block(BlockKind::DepthwiseSeparable),
    Op::Block(BlockKind::Recurrent),
    Op::Block(BlockKind::MixtureOfExperts),
    Op::Block(BlockKind::FeedForward),
    Op::Block(BlockKind::Embedding),
    Op::Block(BlockKind::Residual),
    Op::Operator("NonMaxSuppression"),
];

/// Steps that go without saying next to a block.
pub(super) const UNNAMED: ([BlockKind; 3], With) = (
    [BlockKind::ConcatSkip, BlockKind::Embedding, BlockKind::L2Norm],
    With(|traits| {
        matches!(traits.class, Class::Reduction | Class::Softmax)
            || traits.movement == Some(Movement::Join)
    }),
);

/// The name of an operator or a kind in a diagram; its id where there is no other.
pub(super) fn label(op: Op) -> &'static str {
    match op {
        Op::Block(kind) => kind.display_name(),
        Op::Operator("NonMaxSuppression") => "Non-maximum suppression",
        op => op.id(),
    }
}

/// What a part of the network is called.
pub(super) struct Title {
    /// Its kind, as the report has it.
    pub(super) kind: PartKind,
    /// Its name, as is in a box.
    pub(super) label: String,
    /// Its figures, in words.
    pub(super) detail: String,
}

/// Names a part by what is in it.
pub(super) fn title(net: &Network<'_>, units: &[&NetworkOp]) -> Title {
    let inside = || units.iter().flat_map(|unit| unit.walk());
    let has = |kind: BlockKind| inside().any(|unit| unit.is(kind));
    let attentions = || inside().filter_map(|unit| unit.attention());
    if let Some(attention) = attentions().next() {
        let is_cross = attentions().any(Attention::is_cross);
        let has_self = attentions().any(|attention| !attention.is_cross());
        let is_causal = attentions().any(|attention| attention.causal);
        let is_layer = has(BlockKind::FeedForward) || has(BlockKind::MixtureOfExperts);
        let (kind, label): (PartKind, &str) = match (is_layer, is_causal || (is_cross && has_self))
        {
            (true, true) => (CompositeKind::DecoderLayer.into(), "Decoder layer"),
            (true, false) if is_cross => {
                (CompositeKind::DecoderLayer.into(), "Cross-attention layer")
            }
            (true, false) if attention.windowed => {
                (CompositeKind::EncoderLayer.into(), "Window-attention layer")
            }
            (true, false) => (CompositeKind::EncoderLayer.into(), "Encoder layer"),
            (false, _) if is_cross && !has_self => (BlockKind::Attention.into(), "Cross-attention"),
            (false, _) => (BlockKind::Attention.into(), "Self-attention"),
        };
        let shown = inside().filter(|unit| match unit.details() {
            Some(Details::Convolution(convolution)) => convolution.is_depthwise(),
            Some(
                Details::Attention(_) | Details::FeedForward(_) | Details::MixtureOfExperts(_),
            ) => true,
            _ => false,
        });
        let mut details: Vec<String> = Vec::new();
        for unit in shown {
            let words = figures(unit);
            if !words.is_empty() && !details.contains(&words) {
                details.push(words);
            }
        }
        details.truncate(3);
        return Title { kind, label: label.to_owned(), detail: details.join(", ") };
    }
    // One pass, whatever the number of leaders: a part may have a hundred thousand units. Of equal
    // ranks, the first unit leads.
    let rank = |unit: &NetworkOp| LEADERS.iter().position(|leader| *leader == unit.op);
    let leader = inside().filter_map(|unit| Some((rank(unit)?, unit))).min_by_key(|it| it.0);
    if let Some((rank, leader)) = leader {
        let kind = LEADERS[rank];
        let mut label = label(kind).to_owned();
        if let Some(layer) = leader.recurrent() {
            let way = if layer.bidirectional { "Bidirectional " } else { "" };
            label = format!("{way}{} layer", layer.cell.id().to_uppercase());
        }
        let mut details: Vec<String> = inside()
            .filter(|unit| unit.is(kind))
            .map(|unit| figures(unit).replace("feed-forward ", "inner width "))
            .filter(|words| !words.is_empty())
            .collect();
        details.dedup();
        details.truncate(3);
        // Steps next to the leader are named as well.
        let adjacent: Vec<&NetworkOp> = units
            .iter()
            .copied()
            .filter(|unit| !unit.is(UNNAMED) && !unit.walk().any(|part| part.is(kind)))
            .collect();
        let adjacent = steps(net, &adjacent);
        if !adjacent.is_empty() {
            details.insert(0, adjacent);
        }
        return Title { kind: kind.id().into(), label, detail: details.join(", ") };
    }
    plain(net, units)
}

/// A part without a block that leads it.
fn plain(net: &Network<'_>, units: &[&NetworkOp]) -> Title {
    let detail = steps(net, units);
    let count = |test: &dyn Fn(&NetworkOp) -> bool| {
        units.iter().flat_map(|unit| unit.walk()).filter(|unit| test(unit)).count()
    };
    let convolutions = count(&|unit| unit.has_trait(|traits| traits.convolves));
    let linear = count(&|unit| unit.is(["Gemm", "MatMul"]) && unit.parts.is_empty());
    let is_joined = units.iter().any(|unit| {
        unit.is([BlockKind::UNetSkip, BlockKind::FeaturePyramid, BlockKind::ConcatSkip])
    });
    let (kind, label): (PartKind, String) = match (convolutions, linear) {
        (1.., 0) if is_joined => {
            (CompositeKind::Convolutions.into(), "Join and convolve".to_owned())
        }
        (1, 0) => (BlockKind::Convolution.into(), "Convolution".to_owned()),
        (2.., 0) => (CompositeKind::Convolutions.into(), "Convolutions".to_owned()),
        (0, 1) if detail.starts_with("matrix product") => {
            (CompositeKind::Product.into(), "Matrix product".to_owned())
        }
        (0, 1) => (BlockKind::Linear.into(), "Linear".to_owned()),
        (0, 2..) => (BlockKind::Linear.into(), "Linear layers".to_owned()),
        (1.., 1..) => (CompositeKind::Layers.into(), "Layers".to_owned()),
        (0, 0) => (CompositeKind::Operations.into(), operators(net, units)),
    };
    let detail = match kind {
        PartKind::Composite(CompositeKind::Operations) => String::new(),
        PartKind::Composite(CompositeKind::Product) => {
            detail.trim_start_matches("matrix product").trim_start_matches(", ").to_owned()
        }
        PartKind::Block(BlockKind::Linear) => detail.replace("linear ", ""),
        _ => detail,
    };
    Title { kind, label, detail }
}

/// Operators that are named in a box.
const NAMED: usize = 3;

/// Names of the operators of a part that has nothing but operators.
fn operators(net: &Network<'_>, units: &[&NetworkOp]) -> String {
    // What computes most, else what computes, else everything.
    let any_heavy = units.iter().any(|unit| is_heavy(net, unit));
    let any_other = units.iter().any(|unit| !unit.is_layout());
    let is_named = |unit: &&&NetworkOp| match (any_heavy, any_other) {
        (true, _) => is_heavy(net, unit),
        (false, true) => !unit.is_layout(),
        (false, false) => true,
    };
    let chosen = units.iter().filter(is_named);
    let mut names: Vec<&str> = chosen.map(|unit| op_name(net, unit)).collect();
    names.dedup();
    let more = names.len().saturating_sub(NAMED);
    names.truncate(NAMED);
    let mut text = names.join(", ");
    if more > 0 {
        text.push_str(&format!(", {more} more"));
    }
    text
}

/// Steps that are named in a box before they are counted.
const STEPS: usize = 4;

/// The steps of a part in order, those that only move data left out: `conv 7×7/2, max-pool`.
pub(super) fn steps(net: &Network<'_>, units: &[&NetworkOp]) -> String {
    let mut named: Vec<(String, usize)> = Vec::new();
    let mut last = String::new();
    let mut more = 0;
    for name in units.iter().filter_map(|unit| step(net, unit)) {
        let is_again = name == last;
        if let Some((_, times)) = named.last_mut().filter(|_| is_again && more == 0) {
            *times += 1;
        } else if named.len() < STEPS {
            named.push((name.clone(), 1));
        } else if !is_again {
            more += 1;
        }
        last = name;
    }
    let mut words: Vec<String> = named
        .into_iter()
        .map(|(name, times)| if times > 1 { format!("{times} × {name}") } else { name })
        .collect();
    if more > 0 {
        words.push(format!("{more} more"));
    }
    words.join(", ")
}

/// What a unit does, in a word or two; `None` for what only moves data or dresses a layer.
fn step(net: &Network<'_>, unit: &NetworkOp) -> Option<String> {
    if unit.is_layout() {
        return None;
    }
    if unit.is([BlockKind::Convolution, BlockKind::ConvNormAct]) {
        return Some(unit.walk().find_map(convolution).unwrap_or_else(|| "conv".to_owned()));
    }
    if let Some(name) = class_name(unit) {
        return Some(name.to_owned());
    }
    Some(match unit.op {
        Op::Block(BlockKind::Linear) => match unit.linear() {
            Some(Linear { in_features: Some(from), out_features: Some(to), .. }) => {
                format!("linear {} → {}", grouped(*from), grouped(*to))
            }
            _ => "linear".to_owned(),
        },
        Op::Operator("MatMul") if net.data_pair(unit).is_some() => "matrix product".to_owned(),
        Op::Operator("Gemm" | "MatMul") => "linear".to_owned(),
        Op::Operator("Conv") => "conv".to_owned(),
        Op::Operator("ConvTranspose") => "transposed conv".to_owned(),
        Op::Operator("ReduceMean") => "mean".to_owned(),
        Op::Block(BlockKind::UNetSkip) => "upsample and join".to_owned(),
        Op::Block(BlockKind::FeaturePyramid) => "upsample and join".to_owned(),
        Op::Operator("Concat") if unit.inputs.len() < 2 => return None,
        Op::Operator("Concat") | Op::Block(BlockKind::ConcatSkip) => "concatenate".to_owned(),
        Op::Block(BlockKind::SqueezeExcite) => "squeeze-and-excite".to_owned(),
        Op::Block(BlockKind::L2Norm) => "L2 norm".to_owned(),
        Op::Block(BlockKind::Embedding) => "embedding".to_owned(),
        Op::Operator("NonMaxSuppression") => "non-maximum suppression".to_owned(),
        _ if is_heavy(net, unit) => op_name(net, unit).to_owned(),
        _ => return None,
    })
}

/// The name of an operator that its class decides.
fn class_name(unit: &NetworkOp) -> Option<&'static str> {
    Some(match unit.traits()?.class {
        Class::Image(ImageOp::Resize) => "resize",
        Class::Pooling(Pool::Average) => "average pool",
        Class::Pooling(Pool::GlobalAverage) => "global average pool",
        Class::Pooling(Pool::GlobalLp) => "global Lp pool",
        Class::Pooling(Pool::GlobalMax) => "global max-pool",
        Class::Pooling(Pool::Lp) => "Lp pool",
        Class::Pooling(Pool::Max) => "max-pool",
        Class::Softmax => "softmax",
        _ => return None,
    })
}

/// The convolution that a unit is, in a word or two; `None` for other units.
fn convolution(unit: &NetworkOp) -> Option<String> {
    let convolution = match unit.details()? {
        Details::Convolution(convolution) => convolution,
        Details::ConvNormAct(folded) => &folded.convolution,
        _ => return None,
    };
    let how = match () {
        () if convolution.transposed => "transposed ",
        () if convolution.is_depthwise() => "depthwise ",
        () => "",
    };
    let Some(side) = convolution.side() else { return Some(format!("{how}conv")) };
    let stride = match convolution.stride {
        2.. => format!("/{}", convolution.stride),
        _ => String::new(),
    };
    Some(format!("{how}conv {side}×{side}{stride}"))
}

/// The figures of a block, in words: `12 heads of 64`.
pub(super) fn figures(unit: &NetworkOp) -> String {
    let mut shown: Vec<String> = Vec::new();
    let mut show = |words: Option<String>| shown.extend(words);
    match unit.details() {
        Some(Details::Attention(it)) => {
            show(it.heads.map(|heads| match it.head_dim {
                Some(width) => format!("{} of {width}", counted(heads, "head", "heads")),
                None => counted(heads, "head", "heads"),
            }));
            let shared = it.kv_heads.filter(|shared| it.heads != Some(*shared));
            show(shared.map(|heads| counted(heads, "KV head", "KV heads")));
        }
        Some(Details::FeedForward(it)) => {
            show(it.inner.map(|inner| format!("feed-forward {}", grouped(inner))));
            let activation = it.activation.id().parse::<Activation>().ok();
            show(activation.map(|activation| activation.display_name().to_owned()));
        }
        Some(Details::MixtureOfExperts(it)) => {
            show(it.experts.map(|experts| match it.top_k {
                Some(most) => format!("{most} of {experts} experts"),
                None => counted(experts, "expert", "experts"),
            }));
        }
        Some(Details::Embedding(it)) => {
            if let (Some(rows), Some(width)) = (it.rows, it.width) {
                let of = if it.of == TableKind::Other { "rows" } else { it.of.id() };
                show(Some(format!("{of} {} × {}", grouped(rows), grouped(width))));
            }
        }
        Some(Details::PatchEmbedding(it)) => {
            show(it.patch.map(|patch| format!("patches of {patch}×{patch}")));
            show(it.width.map(|width| format!("width {}", grouped(width))));
        }
        Some(Details::Recurrent(it)) => {
            show(it.hidden.map(|hidden| format!("hidden {}", grouped(hidden))));
        }
        Some(details) => show_others(details, &mut show),
        None => {}
    }
    shown.join(", ")
}

/// The figures of a block whose kind has no wording of its own.
fn show_others(details: &Details, show: &mut impl FnMut(Option<String>)) {
    let entries = details.entries();
    let number = |key| entries.get_number(key);
    let width = number(DetailKey::Channels)
        .or_else(|| number(DetailKey::Out))
        .or_else(|| number(DetailKey::Width));
    show(number(DetailKey::Classes).map(|classes| counted(classes, "class", "classes")));
    show(number(DetailKey::Scales).map(|scales| counted(scales, "scale", "scales")));
    show(width.map(|width| format!("width {}", grouped(width))));
    show(number(DetailKey::Growth).map(|growth| format!("growth {growth}")));
    show(number(DetailKey::Kernel).map(|kernel| format!("kernel {kernel}×{kernel}")));
    let stride = number(DetailKey::Stride).filter(|_| details.detection_head().is_none());
    show(stride.filter(|stride| *stride > 1).map(|stride| format!("stride {stride}")));
}

/// The figures of a unit, as the report has them.
pub(super) fn facts(unit: &NetworkOp) -> BTreeMap<String, String> {
    let entries = unit.entries().into_iter();
    entries.map(|(key, value)| (key.id().to_owned(), value.to_string())).collect()
}

/// The name of a unit: that of the file for an operator that is unknown.
pub(super) fn op_name<'n>(net: &'n Network<'_>, unit: &NetworkOp) -> &'n str {
    match unit.op {
        Op::Unknown => net.model.written_op(unit.node),
        op => op.id(),
    }
}

#[cfg(test)]
mod tests {
    use calipers_samples::Attribute;

    use super::title;
    use crate::blocks::testing::{Inspect as _, Tiny};
    use crate::network::{BlockKind, NetworkOp};

    /// The detail of a convolution by this operator, with or without an activation behind it.
    fn detail(op: &str, activation: Option<&str>) -> String {
        let mut t = Tiny::new();
        let x = t.input(&["1", "8", "16", "16"]);
        let w = t.weight(&[8, 8, 2, 2]);
        let mut y = t.op_with(op, &[&x, &w], &[Attribute::ints("strides", &[2, 2])]);
        if let Some(activation) = activation {
            y = t.op(activation, &[&y]);
        }
        let seen = t.output(&y);
        assert_eq!(seen.count(BlockKind::ConvNormAct), usize::from(activation.is_some()));
        seen.inspect(|net| {
            let units: Vec<&NetworkOp> = net.units().map(|(_, unit)| unit).collect();
            title(net, &units).detail
        })
    }

    #[test]
    fn a_transposed_convolution_is_named_with_and_without_activation() {
        for activation in [None, Some("Relu")] {
            assert_eq!(detail("ConvTranspose", activation), "transposed conv 2×2/2");
            assert_eq!(detail("Conv", activation), "conv 2×2/2");
        }
    }
}
