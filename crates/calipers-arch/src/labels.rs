//! What to call parts of a network.
//!
//! Kinds come from the recognisers; a few words are made of several kinds together: attention and a
//! feed-forward make an encoder layer, a decoder layer when it cannot look ahead or looks at
//! another sequence.

use std::collections::BTreeMap;

use super::structure::is_heavy;
use super::words::grouped;
use crate::net::{Detail, Net, Unit};
use calipers_report::names::activation;

/// Kinds of block that can lead a part of the network, and their words. Earlier ones lead.
const LEADERS: &[(&str, &str)] = &[
    ("DetectionHead", "Detection head"),
    ("SegmentationHead", "Segmentation head"),
    ("SpanHead", "Span head"),
    ("LanguageHead", "Language head"),
    ("ClassifierHead", "Classifier head"),
    ("EmbeddingPool", "Embedding pool"),
    ("MelSpectrogram", "Mel spectrogram"),
    ("ImagePreprocess", "Image preparation"),
    ("PatchEmbedding", "Patch embedding"),
    ("CSP", "CSP block"),
    ("SPP", "Spatial pyramid pooling"),
    ("Inception", "Inception module"),
    ("ConvNeXtBlock", "ConvNeXt block"),
    ("InvertedResidual", "Inverted residual"),
    ("Bottleneck", "Bottleneck block"),
    ("BasicBlock", "Basic block"),
    ("DenseUnit", "Dense layer"),
    ("ShuffleUnit", "Shuffle unit"),
    ("Fire", "Fire module"),
    ("DepthwiseSeparable", "Depthwise-separable convolution"),
    ("Recurrent", "Recurrent layer"),
    ("MixtureOfExperts", "Mixture of experts"),
    ("FeedForward", "Feed-forward"),
    ("Embedding", "Embeddings"),
    ("Residual", "Residual block"),
    ("NonMaxSuppression", "Non-maximum suppression"),
];

/// Steps that go without saying beside a block.
pub(super) const UNNAMED: &[&str] =
    &["Concat", "ConcatSkip", "Embedding", "L2Norm", "ReduceMean", "Softmax"];

/// What a kind is called; its own name where there is no other.
pub(super) fn kind_label(kind: &str) -> &str {
    LEADERS.iter().find(|(known, _)| *known == kind).map_or(kind, |(_, label)| label)
}

/// What a part of the network is called.
pub(super) struct Title {
    /// Its kind, as the report has it.
    pub(super) kind: &'static str,
    /// Its name, as it stands in a box.
    pub(super) label: String,
    /// Its figures, in words.
    pub(super) detail: String,
}

/// Names a part by what is in it.
pub(super) fn title(net: &Net<'_>, units: &[&Unit]) -> Title {
    let inside = || units.iter().flat_map(|unit| unit.walk());
    let has = |kind: &str| inside().any(|unit| unit.is(kind));
    if let Some(attention) = inside().find(|unit| unit.is("Attention")) {
        let is_cross =
            inside().any(|unit| unit.is("Attention") && unit.word("over") == Some("cross"));
        let has_self =
            inside().any(|unit| unit.is("Attention") && unit.word("over") != Some("cross"));
        let is_causal = inside().any(|unit| unit.is("Attention") && unit.says("causal"));
        let is_layer = has("FeedForward") || has("MixtureOfExperts");
        let (kind, label) = match (is_layer, is_causal || (is_cross && has_self)) {
            (true, true) => ("DecoderLayer", "Decoder layer"),
            (true, false) if is_cross => ("DecoderLayer", "Cross-attention layer"),
            (true, false) if attention.says("windowed") => {
                ("EncoderLayer", "Window-attention layer")
            }
            (true, false) => ("EncoderLayer", "Encoder layer"),
            (false, _) if is_cross && !has_self => ("Attention", "Cross-attention"),
            (false, _) => ("Attention", "Self-attention"),
        };
        let told = inside().filter(|unit| {
            unit.is_any(&["Attention", "FeedForward", "MixtureOfExperts", "Convolution"])
        });
        let mut details: Vec<String> = Vec::new();
        for unit in told.filter(|unit| !unit.is("Convolution") || unit.says("depthwise")) {
            let words = figures(unit);
            if !words.is_empty() && !details.contains(&words) {
                details.push(words);
            }
        }
        details.truncate(3);
        return Title { kind, label: label.to_owned(), detail: details.join(", ") };
    }
    for (kind, label) in LEADERS {
        let Some(leader) = inside().find(|unit| unit.is(kind)) else { continue };
        let mut label = (*label).to_owned();
        if *kind == "Recurrent"
            && let Some(cell) = leader.word("cell")
        {
            let way = if leader.says("bidirectional") { "Bidirectional " } else { "" };
            label = format!("{way}{} layer", cell.to_uppercase());
        }
        let mut details: Vec<String> = inside()
            .filter(|unit| unit.is(kind))
            .map(|unit| figures(unit).replace("feed-forward ", "inner width "))
            .filter(|words| !words.is_empty())
            .collect();
        details.dedup();
        details.truncate(3);
        // Steps beside the leader are named as well.
        let beside: Vec<&Unit> = units
            .iter()
            .copied()
            .filter(|unit| !unit.is_any(UNNAMED) && !unit.walk().any(|part| part.is(kind)))
            .collect();
        let beside = steps(net, &beside);
        if !beside.is_empty() {
            details.insert(0, beside);
        }
        return Title { kind, label, detail: details.join(", ") };
    }
    plain(net, units)
}

/// A part without a block that leads it.
fn plain(net: &Net<'_>, units: &[&Unit]) -> Title {
    let detail = steps(net, units);
    let count = |test: &dyn Fn(&Unit) -> bool| {
        units.iter().flat_map(|unit| unit.walk()).filter(|unit| test(unit)).count()
    };
    let convolutions =
        count(&|unit| unit.is_any(&["Conv", "ConvTranspose"]) && unit.parts.is_empty());
    let linear = count(&|unit| unit.is_any(&["Gemm", "MatMul"]) && unit.parts.is_empty());
    let is_joined =
        units.iter().any(|unit| unit.is_any(&["UNetSkip", "FeaturePyramid", "ConcatSkip"]));
    let (kind, label) = match (convolutions, linear) {
        (1.., 0) if is_joined => ("Convolutions", "Join and convolve".to_owned()),
        (1, 0) => ("Convolution", "Convolution".to_owned()),
        (2.., 0) => ("Convolutions", "Convolutions".to_owned()),
        (0, 1) if detail.starts_with("matrix product") => ("Product", "Matrix product".to_owned()),
        (0, 1) => ("Linear", "Linear".to_owned()),
        (0, 2..) => ("Linear", "Linear layers".to_owned()),
        (1.., 1..) => ("Layers", "Layers".to_owned()),
        (0, 0) => ("Operations", operators(net, units)),
    };
    let detail = match kind {
        "Operations" => String::new(),
        "Product" => {
            detail.trim_start_matches("matrix product").trim_start_matches(", ").to_owned()
        }
        "Linear" => detail.replace("linear ", ""),
        _ => detail,
    };
    Title { kind, label, detail }
}

/// Operators that are named in a box.
const NAMED: usize = 3;

/// Names of the operators of a part that has nothing but operators.
fn operators(net: &Net<'_>, units: &[&Unit]) -> String {
    let name = |unit: &Unit| match unit.op {
        "" => net.model.name(net.model.node(unit.node).op),
        op => op,
    };
    let any_heavy = units.iter().any(|unit| is_heavy(net, unit));
    let chosen = units.iter().filter(|unit| !any_heavy || is_heavy(net, unit));
    let mut names: Vec<&str> = chosen.map(|unit| name(unit)).collect();
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
pub(super) fn steps(net: &Net<'_>, units: &[&Unit]) -> String {
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
fn step(net: &Net<'_>, unit: &Unit) -> Option<String> {
    if unit.is_layout() {
        return None;
    }
    let inner = unit.walk().find(|part| part.number("kernel").is_some());
    if let Some(conv) = inner.filter(|_| unit.is_any(&["Convolution", "ConvNormAct"])) {
        return Some(convolution(conv));
    }
    Some(match unit.op {
        "Linear" => match (unit.number("in"), unit.number("out")) {
            (Some(from), Some(to)) => format!("linear {} → {}", grouped(from), grouped(to)),
            _ => "linear".to_owned(),
        },
        "MatMul" if net.data_pair(unit).is_some() => "matrix product".to_owned(),
        "Gemm" | "MatMul" => "linear".to_owned(),
        "Conv" | "ConvNormAct" | "Convolution" => "conv".to_owned(),
        "ConvTranspose" => "transposed conv".to_owned(),
        "MaxPool" => "max-pool".to_owned(),
        "AveragePool" => "average pool".to_owned(),
        "GlobalAveragePool" => "global average pool".to_owned(),
        "GlobalMaxPool" => "global max-pool".to_owned(),
        "ReduceMean" => "mean".to_owned(),
        "Resize" | "Upsample" => "resize".to_owned(),
        "UNetSkip" => "upsample and join".to_owned(),
        "FeaturePyramid" => "upsample and join".to_owned(),
        "Concat" if unit.inputs.len() < 2 => return None,
        "ConcatSkip" | "Concat" => "concatenate".to_owned(),
        "SqueezeExcite" => "squeeze-and-excite".to_owned(),
        "L2Norm" => "L2 norm".to_owned(),
        "Softmax" => "softmax".to_owned(),
        "Embedding" => "embedding".to_owned(),
        "NonMaxSuppression" => "non-maximum suppression".to_owned(),
        _ if is_heavy(net, unit) => match unit.op {
            "" => net.model.name(net.model.node(unit.node).op).to_owned(),
            op => op.to_owned(),
        },
        _ => return None,
    })
}

fn convolution(unit: &Unit) -> String {
    let mut words = String::new();
    if unit.says("transposed") {
        words.push_str("transposed ");
    } else if unit.says("depthwise") {
        words.push_str("depthwise ");
    }
    words.push_str("conv");
    if let Some(kernel) = unit.number("kernel") {
        words.push_str(&format!(" {kernel}×{kernel}"));
    }
    if let Some(stride) = unit.number("stride").filter(|stride| *stride > 1) {
        words.push_str(&format!("/{stride}"));
    }
    words
}

/// The figures of a block, in words: `12 heads of 64`.
pub(super) fn figures(unit: &Unit) -> String {
    let number = |name: &str| unit.number(name);
    let mut told: Vec<String> = Vec::new();
    let mut tell = |words: Option<String>| told.extend(words);
    match unit.op {
        "Attention" => {
            tell(number("heads").map(|heads| match number("head_dim") {
                Some(width) => format!("{heads} heads of {width}"),
                None => format!("{heads} heads"),
            }));
            let shared = number("kv_heads").filter(|shared| number("heads") != Some(*shared));
            tell(shared.map(|heads| format!("{heads} for keys and values")));
        }
        "FeedForward" => {
            tell(number("inner").map(|inner| format!("feed-forward {}", grouped(inner))));
            tell(unit.word("activation").map(activation));
        }
        "MixtureOfExperts" => {
            tell(number("experts").map(|experts| match number("top_k") {
                Some(most) => format!("{most} of {experts} experts"),
                None => format!("{experts} experts"),
            }));
        }
        "Embedding" => {
            if let (Some(rows), Some(width)) = (number("rows"), number("width")) {
                let of = unit.word("of").filter(|of| *of != "other").unwrap_or("rows");
                tell(Some(format!("{of} {} × {}", grouped(rows), grouped(width))));
            }
        }
        "PatchEmbedding" => {
            tell(number("patch").map(|patch| format!("patches of {patch}×{patch}")));
            tell(number("width").map(|width| format!("width {}", grouped(width))));
        }
        "Recurrent" => tell(number("hidden").map(|hidden| format!("hidden {}", grouped(hidden)))),
        "LanguageHead" => tell(number("vocab").map(|vocab| format!("{} tokens", grouped(vocab)))),
        _ => {
            let width = number("channels").or_else(|| number("out")).or_else(|| number("width"));
            tell(number("classes").map(|classes| format!("{} classes", grouped(classes))));
            tell(number("scales").map(|scales| format!("{scales} scales")));
            tell(width.map(|width| format!("width {}", grouped(width))));
            tell(number("growth").map(|growth| format!("growth {growth}")));
            let kernel = number("kernel").map(|kernel| format!("kernel {kernel}×{kernel}"));
            tell(kernel);
            let stride = number("stride").filter(|_| !unit.op.ends_with("Head"));
            tell(stride.filter(|stride| *stride > 1).map(|stride| format!("stride {stride}")));
        }
    }
    told.join(", ")
}

/// The figures of a unit, as the report has them.
pub(super) fn facts(unit: &Unit) -> BTreeMap<String, String> {
    let value = |detail: &Detail| match detail {
        Detail::Number(number) => number.to_string(),
        Detail::Word(word) => (*word).to_owned(),
        Detail::Yes => "yes".to_owned(),
    };
    unit.details.iter().map(|(name, detail)| ((*name).to_owned(), value(detail))).collect()
}
