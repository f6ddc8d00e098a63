//! Families of convolutional networks for dense prediction.
//!
//! | family | structure |
//! |---|---|
//! | unet | decoder features are concatenated with encoder features of the same resolution |
//! | deeplab | parallel convolutions with growing dilation, then upsampling to the image size |
//! | lraspp | a MobileNetV3 backbone, gated features, then upsampling to the image size |
//! | fcn | a dilated residual network with scores per position, then upsampling to the image size |
//! | espcn | a few convolutions at the input resolution, the first 5×5, then upsampling |

use calipers_report::Confidence::{High, Medium};
use calipers_report::Family;

use super::{FamilyRule, Recognition, Seen};
use crate::network::{BlockKind, With};
use crate::stats::Given;

/// The rows, specific families before general ones.
pub(super) static FAMILIES: &[FamilyRule] = &[
    FamilyRule { family: Family::Unet, rule: unet },
    FamilyRule { family: Family::Deeplab, rule: deeplab },
    FamilyRule { family: Family::Lraspp, rule: lraspp },
    FamilyRule { family: Family::Fcn, rule: fcn },
    FamilyRule { family: Family::Espcn, rule: espcn },
];

/// Skip connections from encoder to decoder.
fn unet(seen: &Seen<'_, '_>) -> Recognition {
    let skips = seen.stats.count(BlockKind::UNetSkip);
    // The neck of a detector that outputs one map per scale upsamples the same way.
    let detects = seen.stats.count(BlockKind::DetectionHead) > 0;
    (skips >= 2 && !detects && !is_low_resolution(seen)).then(|| {
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
    let Some(width) = image.and_then(|(val, _)| stats.size(*val, -1)).filter(|it| *it > 8) else {
        return false;
    };
    let maps = stats.net.outputs.iter().filter(|output| stats.net.rank(**output) == Some(4));
    let widths: Option<Vec<i64>> = maps.map(|output| stats.size(*output, -1)).collect();
    // One pixel is a vector.
    let widths: Vec<i64> = widths.unwrap_or_default().into_iter().filter(|it| *it > 1).collect();
    !widths.is_empty() && widths.iter().all(|it| it.saturating_mul(2) < width)
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

/// A MobileNetV3 backbone and gated features.
fn lraspp(seen: &Seen<'_, '_>) -> Recognition {
    let stats = seen.stats;
    let depthwise = stats.image_convs().filter(|conv| conv.is_depthwise()).count();
    let light = stats.count(BlockKind::HardSwish) >= 4 && depthwise >= 8;
    let gated = stats.count("Sigmoid") > 0 && stats.linears() == 0;
    (light && gated && enlarges(seen)).then(|| {
        let words = "inverted residuals with hard-swish, gated features, and scores upsampled to the \
                     image size";
        (Medium, words.to_owned())
    })
}

/// A dilated residual network with scores per position.
fn fcn(seen: &Seen<'_, '_>) -> Recognition {
    let stats = seen.stats;
    let dilated = stats.image_convs().filter(|conv| conv.dilation > 1).count();
    let blocks = stats.count_of([BlockKind::BasicBlock, BlockKind::Bottleneck]);
    let fits = blocks >= 8 && dilated >= 2 && stats.linears() == 0;
    (fits && enlarges(seen)).then(|| {
        (Medium, "a dilated residual network with scores upsampled to the image size".to_owned())
    })
}

/// A few convolutions at the input resolution, then upsampling.
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

/// Whether an output has more rows than the input image.
fn is_larger(seen: &Seen<'_, '_>) -> bool {
    let net = seen.stats.net;
    let (Some(input), Some(output)) = (net.inputs.first(), net.outputs.first()) else {
        return false;
    };
    let rows = |val| seen.stats.size(val, -2);
    net.rank(*output) == Some(4) && rows(*output) > rows(*input)
}

/// Whether an output is an upsampled map.
fn enlarges(seen: &Seen<'_, '_>) -> bool {
    let net = seen.stats.net;
    net.outputs
        .iter()
        .any(|output| net.rank(*output) == Some(4) && net.made_by(*output, With::RESIZES).is_some())
}
