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
use crate::stats::Given;

/// The rows, the particular before the general.
pub(super) const FAMILIES: &[FamilyRule] = &[
    FamilyRule { family: Family::Unet, rule: unet },
    FamilyRule { family: Family::Deeplab, rule: deeplab },
    FamilyRule { family: Family::Lraspp, rule: lraspp },
    FamilyRule { family: Family::Fcn, rule: fcn },
    FamilyRule { family: Family::Espcn, rule: espcn },
];

/// Features of the way down, joined on the way up.
fn unet(seen: &Seen<'_, '_>) -> Recognition {
    let skips = seen.stats.count(BlockKind::UNetSkip);
    (skips >= 2 && !is_low_resolution(seen)).then(|| {
        (
            High,
            format!("{skips} skip connections between encoder and decoder features of the same resolution"),
        )
    })
}

/// Whether all results have less than half the resolution of the image, as those of detectors have.
fn is_low_resolution(seen: &Seen<'_, '_>) -> bool {
    let stats = seen.stats;
    let image = stats.inputs.iter().find(|(_, given)| *given == Given::Image);
    let Some(width) = image.and_then(|(val, _)| stats.size(*val, -1)).filter(|it| *it > 16) else {
        return false;
    };
    let mut widths = stats.net.outputs.iter().map(|output| {
        let is_map = stats.net.rank(*output) == Some(4);
        is_map.then(|| stats.size(*output, -1)).flatten()
    });
    widths.all(|it| it.is_some_and(|it| it > 16 && it.saturating_mul(2) < width))
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
        let words = "inverted residuals with hard-swish, features weighted by a gate, scores \
                     resized to the image";
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
