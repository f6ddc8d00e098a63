//! Families of convolutional networks that give a result for every place of an image.
//!
//! | family | structure |
//! |---|---|
//! | unet | on the way up, features are joined with those of the same resolution on the way down |
//! | deeplab | parallel convolutions with growing dilation, then made as large as the image |
//! | lraspp | a light backbone with hard-swish, whose features a gate weighs, made as large as the image |
//! | fcn | a classifier at every place, made as large as the image |
//! | espcn | a few convolutions in a row at the size of the input, the first 5×5, and an image made larger at last |

use calipers_report::Confidence::{High, Medium};
use calipers_report::Family;

use super::{FamilyRule, Recognition, Seen};
use crate::network::{BlockKind, With};

/// The rows, the particular before the general.
pub(super) static FAMILIES: &[FamilyRule] = &[
    FamilyRule { family: Family::Unet, rule: unet },
    FamilyRule { family: Family::Deeplab, rule: deeplab },
    FamilyRule { family: Family::Lraspp, rule: lraspp },
    FamilyRule { family: Family::Fcn, rule: fcn },
    FamilyRule { family: Family::Espcn, rule: espcn },
];

/// Features of the way down, joined on the way up.
fn unet(seen: &Seen<'_, '_>) -> Recognition {
    let skips = seen.stats.count(BlockKind::UNetSkip);
    // A detector that outputs the maps of its scales goes up the same way.
    let detects = seen.stats.count(BlockKind::DetectionHead) > 0;
    (skips >= 2 && !detects).then(|| {
        (
            High,
            format!("{skips} skip connections between encoder and decoder features of the same resolution"),
        )
    })
}

/// Parallel convolutions with growing dilation.
fn deeplab(seen: &Seen<'_, '_>) -> Recognition {
    let mut rates: Vec<i64> =
        seen.stats.image_convs().filter(|c| c.side() == Some(3)).map(|c| c.dilation).collect();
    rates.sort_unstable();
    rates.dedup();
    rates.retain(|rate| *rate >= 6);
    (rates.len() >= 3 && enlarges(seen)).then(|| {
        let rates: Vec<String> = rates.iter().map(ToString::to_string).collect();
        (High, format!("parallel convolutions with dilation {}", rates.join(", ")))
    })
}

/// A light backbone, and features that a gate weighs.
fn lraspp(seen: &Seen<'_, '_>) -> Recognition {
    let stats = seen.stats;
    let depthwise = stats.image_convs().filter(|conv| conv.is_depthwise()).count();
    let light = stats.count(BlockKind::HardSwish) >= 4 && depthwise >= 8;
    let gated = stats.count("Sigmoid") > 0 && stats.linears() == 0;
    (light && gated && enlarges(seen)).then(|| {
        let words = "inverted residuals with hard-swish, features devices_considered by a gate, scores made \
                     as large as the image";
        (Medium, words.to_owned())
    })
}

/// A classifier at every place, made as large as the image.
fn fcn(seen: &Seen<'_, '_>) -> Recognition {
    let stats = seen.stats;
    let dilated = stats.image_convs().filter(|conv| conv.dilation > 1).count();
    let blocks = stats.count_of([BlockKind::BasicBlock, BlockKind::Bottleneck]);
    let fits = blocks >= 8 && dilated >= 2 && stats.linears() == 0;
    (fits && enlarges(seen)).then(|| {
        (Medium, "a dilated residual network with scores upsampled to the image size".to_owned())
    })
}

/// A few convolutions at the size of the input, then a larger image.
fn espcn(seen: &Seen<'_, '_>) -> Recognition {
    let stats = seen.stats;
    let convs: Vec<_> = stats.image_convs().collect();
    let [first, rest @ ..] = &convs[..] else { return None };
    let plain = |conv: &&crate::network::Convolution| {
        conv.side() == Some(3) && conv.stride == 1 && conv.groups == 1 && !conv.transposed
    };
    let fits = (2..=4).contains(&rest.len()) && first.side() == Some(5) && rest.iter().all(plain);
    let larger = stats.count_in(With::RESIZES) + stats.count("DepthToSpace") == 1;
    let bare = stats.linears() == 0 && seen.residuals() == 0 && stats.count("MaxPool") == 0;
    (fits && larger && bare && is_larger(seen)).then(|| {
        let words =
            format!("{} convolutions at the input's resolution, then upsampling", convs.len());
        (Medium, words)
    })
}

/// Whether an output has more rows than the image that goes in.
fn is_larger(seen: &Seen<'_, '_>) -> bool {
    let net = seen.stats.net;
    let (Some(input), Some(output)) = (net.inputs.first(), net.outputs.first()) else {
        return false;
    };
    let rows = |val| seen.stats.size(val, -2);
    net.rank(*output) == Some(4) && rows(*output) > rows(*input)
}

/// Whether an output is an image that was made larger at last.
fn enlarges(seen: &Seen<'_, '_>) -> bool {
    let net = seen.stats.net;
    net.outputs
        .iter()
        .any(|output| net.rank(*output) == Some(4) && net.made_by(*output, With::RESIZES).is_some())
}
