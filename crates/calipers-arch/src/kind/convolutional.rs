//! Families of convolutional classifiers and backbones.
//!
//! | family | structure |
//! |---|---|
//! | convnext | residual blocks of depthwise 7×7 convolution, LayerNorm and a GELU feed-forward network |
//! | densenet | layers that concatenate their output with all earlier features |
//! | squeezenet | fire modules: 1×1 squeeze, parallel 1×1 and 3×3 expand |
//! | shufflenet, shufflenetv2 | channel shuffle; with grouped 1×1 convolutions, without |
//! | efficientnet, efficientnetv2 | inverted residuals with SiLU and squeeze-and-excite, or with ReLU6 and 5×5; v2 has plain 3×3 expansions too |
//! | mobilenetv3 | inverted residuals with hard-swish and squeeze-and-excite |
//! | mnasnet | inverted residuals with ReLU and some 5×5 depthwise convolutions |
//! | mobilenetv2 | inverted residuals with 3×3 depthwise, without squeeze-and-excite |
//! | mobilenetv1 | depthwise convolutions alternating with pointwise ones, without residual connections |
//! | inception | parallel branches of different kernel sizes, concatenated |
//! | regnet | residual blocks of grouped convolutions without bottleneck |
//! | resnext | residual bottlenecks with grouped convolutions |
//! | resnet | residual blocks of two or three plain convolutions |
//! | darknet | residual blocks of 1×1 and 3×3 with LeakyReLU |
//! | xception | depthwise convolutions alternating with pointwise ones, with residual connections around several |
//! | lenet, alexnet, zfnet, vgg | stacked convolutions and pooling, then dense layers |

use calipers_report::Confidence::{High, Medium};
use calipers_report::Family;

use super::{FamilyRule, Recognition, Seen, counted};
use crate::network::{BlockKind, Convolution, With};

/// The rows, specific families before general ones.
pub(super) static FAMILIES: &[FamilyRule] = &[
    FamilyRule { family: Family::Convnext, rule: convnext },
    FamilyRule { family: Family::Densenet, rule: densenet },
    FamilyRule { family: Family::Squeezenet, rule: squeezenet },
    FamilyRule { family: Family::Shufflenet, rule: shufflenet },
    FamilyRule { family: Family::Shufflenetv2, rule: shufflenetv2 },
    FamilyRule { family: Family::Efficientnetv2, rule: efficientnetv2 },
    FamilyRule { family: Family::Efficientnet, rule: efficientnet },
    FamilyRule { family: Family::Mobilenetv3, rule: mobilenetv3 },
    FamilyRule { family: Family::Mnasnet, rule: mnasnet },
    FamilyRule { family: Family::Mobilenetv2, rule: mobilenetv2 },
    FamilyRule { family: Family::Mobilenetv1, rule: mobilenetv1 },
    FamilyRule { family: Family::Inception, rule: inception },
    FamilyRule { family: Family::Regnet, rule: regnet },
    FamilyRule { family: Family::Resnext, rule: resnext },
    FamilyRule { family: Family::Resnet, rule: resnet },
    FamilyRule { family: Family::Darknet, rule: darknet },
    FamilyRule { family: Family::Xception, rule: xception },
    FamilyRule { family: Family::Lenet, rule: lenet },
    FamilyRule { family: Family::Alexnet, rule: alexnet },
    FamilyRule { family: Family::Zfnet, rule: zfnet },
    FamilyRule { family: Family::Vgg, rule: vgg },
];

/// What the rules for plain networks look at.
impl Seen<'_, '_> {
    fn image_convs(&self) -> Vec<&Convolution> {
        self.stats.image_convs().collect()
    }

    pub(super) fn residuals(&self) -> i64 {
        self.facts.residuals.unwrap_or(0)
    }

    fn depthwise(&self) -> Vec<&Convolution> {
        self.stats.image_convs().filter(|conv| conv.is_depthwise()).collect()
    }

    /// Grouped convolutions that are not depthwise.
    fn grouped(&self) -> Vec<&Convolution> {
        self.stats.image_convs().filter(|c| c.groups > 1 && !c.is_depthwise()).collect()
    }

    fn inverted(&self) -> i64 {
        self.stats.count(BlockKind::InvertedResidual)
    }

    fn pools(&self) -> i64 {
        self.stats.count_in(With::WINDOW_POOLS)
    }

    /// Whether features are concatenated.
    fn concatenates(&self) -> bool {
        self.stats.count(BlockKind::ConcatSkip) > 0 || self.stats.count("Concat") > 0
    }

    /// Whether convolutions are stacked, without residual connections, branches or depthwise ones.
    fn in_a_row(&self) -> bool {
        self.residuals() == 0
            && !self.concatenates()
            && self.depthwise().is_empty()
            && self.image_convs().iter().all(|conv| !conv.transposed)
    }
}

/// Depthwise 7×7, LayerNorm, feed-forward with GELU.
fn convnext(seen: &Seen<'_, '_>) -> Recognition {
    let blocks = seen.stats.count(BlockKind::ConvNextBlock);
    (blocks >= 3).then(|| {
        let words =
            "blocks of depthwise 7×7 convolution, LayerNorm and a GELU feed-forward network";
        (High, format!("{blocks} {words}"))
    })
}

/// Layers whose output is concatenated with all earlier features.
fn densenet(seen: &Seen<'_, '_>) -> Recognition {
    let units = seen.stats.count(BlockKind::DenseLayer);
    (units >= 8 && seen.residuals() == 0).then(|| {
        (High, format!("{units} layers that concatenate their output with all earlier features"))
    })
}

/// Fire modules.
fn squeezenet(seen: &Seen<'_, '_>) -> Recognition {
    let fires = seen.stats.count(BlockKind::Fire);
    (fires >= 4)
        .then(|| (High, format!("{fires} fire modules (1×1 squeeze, parallel 1×1 and 3×3 expand)")))
}

/// Channel shuffle between grouped 1×1 convolutions.
fn shufflenet(seen: &Seen<'_, '_>) -> Recognition {
    let units = seen.stats.count(BlockKind::ShuffleBlock);
    let grouped = seen.grouped().iter().any(|conv| conv.side() == Some(1));
    (units >= 4 && grouped).then(|| {
        (High, format!("{units} channel-shuffle units with grouped pointwise convolutions"))
    })
}

/// Channel split and channel shuffle.
fn shufflenetv2(seen: &Seen<'_, '_>) -> Recognition {
    let units = seen.stats.count(BlockKind::ShuffleBlock);
    (units >= 4).then(|| (High, format!("{units} channel-shuffle units")))
}

/// As EfficientNet, the first stages with plain 3×3 expansions.
fn efficientnetv2(seen: &Seen<'_, '_>) -> Recognition {
    let stats = seen.stats;
    let dense = stats.image_convs().filter(|c| c.side() == Some(3) && c.groups == 1).count();
    let fits = stats.count(BlockKind::Silu) > 10
        && stats.count(BlockKind::SqueezeExcite) >= 4
        && dense >= 4;
    (fits && seen.depthwise().len() >= 4 && seen.residuals() > 0).then(|| {
        let words = "inverted residuals with SiLU and squeeze-and-excite, the first ones with plain \
                     3×3 convolutions";
        (High, words.to_owned())
    })
}

/// Inverted residuals with SiLU and squeeze-and-excite.
fn efficientnet(seen: &Seen<'_, '_>) -> Recognition {
    let stats = seen.stats;
    // The variant for small devices has ReLU6 and no gates.
    let wide = seen.depthwise().iter().filter(|conv| conv.side() == Some(5)).count();
    let light = stats.count(BlockKind::Relu6) > 10
        && wide >= 4
        && stats.count(BlockKind::SqueezeExcite) == 0;
    if light && seen.inverted() >= 4 && seen.residuals() > 0 {
        let words = "inverted residuals with 3×3 and 5×5 depthwise convolutions and ReLU6";
        return Some((Medium, words.to_owned()));
    }
    let (gates, depthwise) = (stats.count(BlockKind::SqueezeExcite), seen.depthwise().len());
    // ReXNet has ReLU6 after its depthwise convolutions.
    let only_silu = stats.count(BlockKind::Silu) > 10 && stats.count(BlockKind::Relu6) == 0;
    let fits = only_silu && gates >= 4 && depthwise >= 8;
    (fits && seen.residuals() > 0).then(|| {
        let words = format!("{depthwise} depthwise convolutions in inverted residuals with SiLU");
        (High, format!("{words}, {gates} with squeeze-and-excite"))
    })
}

/// Inverted residuals with hard-swish and squeeze-and-excite.
fn mobilenetv3(seen: &Seen<'_, '_>) -> Recognition {
    let stats = seen.stats;
    let (swish, gates) = (stats.count(BlockKind::HardSwish), stats.count(BlockKind::SqueezeExcite));
    let depthwise = seen.depthwise().len();
    (swish >= 4 && depthwise >= 8 && seen.residuals() > 0).then(|| {
        let words =
            format!("{depthwise} depthwise convolutions in inverted residuals, {swish} hard-swish");
        let sure = if gates > 0 { High } else { Medium };
        (sure, format!("{words}, {gates} squeeze-and-excite"))
    })
}

/// Inverted residuals whose depthwise kernels are 3×3 or 5×5, with ReLU.
fn mnasnet(seen: &Seen<'_, '_>) -> Recognition {
    let depthwise = seen.depthwise();
    let wide = depthwise.iter().filter(|conv| conv.side() == Some(5)).count();
    let stats = seen.stats;
    let plain = stats.count_of([BlockKind::HardSwish, BlockKind::Relu6, BlockKind::Silu]) == 0;
    (seen.inverted() >= 4 && wide >= 2 && plain && seen.residuals() > 0).then(|| {
        let words =
            "inverted residuals with 3×3 and 5×5 depthwise convolutions, without squeeze-and-excitation";
        (Medium, words.to_owned())
    })
}

/// Inverted residuals with 3×3 depthwise convolutions.
fn mobilenetv2(seen: &Seen<'_, '_>) -> Recognition {
    let depthwise = seen.depthwise();
    let narrow = depthwise.len() >= 8 && depthwise.iter().all(|conv| conv.side() == Some(3));
    let plain = seen.stats.count(BlockKind::SqueezeExcite) == 0
        && seen.stats.count(BlockKind::HardSwish) == 0;
    let shortcuts = seen.residuals();
    (narrow && plain && shortcuts > 0 && seen.inverted() >= 4 && linear_ends(seen)).then(|| {
        let words = format!("{} depthwise 3×3 convolutions in inverted residuals", depthwise.len());
        (High, format!("{words}, {shortcuts} with a residual connection"))
    })
}

/// Whether pointwise convolutions widen before the depthwise ones, and narrow after them.
fn linear_ends(seen: &Seen<'_, '_>) -> bool {
    let convs = seen.image_convs();
    let narrows = convs.windows(2).filter(
        |pair| matches!(pair, [a, b] if a.is_depthwise() && b.is_pointwise() && b.out_channels < b.in_channels),
    );
    narrows.count() * 2 >= seen.depthwise().len()
}

/// Depthwise convolutions alternating with pointwise ones.
fn mobilenetv1(seen: &Seen<'_, '_>) -> Recognition {
    let depthwise = seen.depthwise().len();
    let turns = seen
        .image_convs()
        .windows(2)
        .filter(
            |pair| matches!(pair, [a, b] if a.is_depthwise() && b.is_pointwise() && b.out_channels >= b.in_channels),
        )
        .count();
    // Later ones have other activations, gates or larger kernels.
    let plain = seen.depthwise().iter().all(|conv| conv.side() == Some(3))
        && seen.stats.count_of([BlockKind::HardSwish, BlockKind::Silu, BlockKind::SqueezeExcite])
            == 0
        && seen.stats.count_of([BlockKind::Relu, BlockKind::Relu6]) >= 16;
    let stacked = seen.residuals() == 0 && !seen.concatenates();
    (depthwise >= 10 && plain && stacked && turns * 10 >= depthwise * 9).then(|| {
        (Medium, format!("{depthwise} depthwise convolutions alternating with pointwise ones, without residual connections"))
    })
}

/// Parallel branches of different kernel sizes.
fn inception(seen: &Seen<'_, '_>) -> Recognition {
    let blocks = seen.stats.count(BlockKind::Inception);
    (blocks >= 3).then(|| {
        let uneven = |conv: &&Convolution| {
            conv.kernel.as_ref().is_some_and(|sides| sides.iter().min() != sides.iter().max())
        };
        let long = seen.stats.image_convs().filter(uneven).count();
        let words = format!("{blocks} modules of parallel branches with different kernel sizes");
        let more = if long > 0 {
            format!(", {long} asymmetric (1×n) convolutions")
        } else {
            String::new()
        };
        (High, words + &more)
    })
}

/// Grouped bottlenecks whose middle is as wide as their end.
fn regnet(seen: &Seen<'_, '_>) -> Recognition {
    let grouped = seen.grouped();
    let convs = seen.image_convs();
    // Between the two may be a squeeze and an excitation.
    let ends_level = |at: usize, wide: Option<i64>| {
        let after = convs.iter().skip(at + 1).take(4);
        after.filter(|c| c.is_pointwise()).any(|c| c.in_channels == wide && c.out_channels == wide)
    };
    let level = convs
        .iter()
        .enumerate()
        .filter(|(at, c)| c.groups > 1 && !c.is_depthwise() && ends_level(*at, c.out_channels))
        .count();
    let fits = seen.residuals() >= 4 && grouped.len() >= 4 && level * 2 >= grouped.len();
    fits.then(|| {
        (
            High,
            format!("{} residual blocks of grouped convolutions without bottleneck", grouped.len()),
        )
    })
}

/// Grouped bottlenecks.
fn resnext(seen: &Seen<'_, '_>) -> Recognition {
    let grouped = seen.grouped();
    let groups = grouped.first()?.groups;
    let blocks = seen.stats.count(BlockKind::Bottleneck);
    let fits = blocks >= 4 && blocks * 10 >= seen.residuals() * 8;
    let even = i64::try_from(grouped.len()).is_ok_and(|count| count == blocks);
    let plain = seen.depthwise().is_empty()
        && seen.stats.count_of([BlockKind::Silu, BlockKind::SqueezeExcite]) == 0;
    (fits && even && plain)
        .then(|| (High, format!("{blocks} residual bottlenecks with {groups} groups")))
}

/// Residual blocks of two or three plain convolutions.
fn resnet(seen: &Seen<'_, '_>) -> Recognition {
    let stats = seen.stats;
    let (basic, narrow) = (stats.count(BlockKind::BasicBlock), stats.count(BlockKind::Bottleneck));
    let residuals = seen.residuals();
    let plain = seen.depthwise().is_empty() && seen.grouped().is_empty();
    let straight = stats.count_of([
        BlockKind::ConcatSkip,
        BlockKind::Csp,
        BlockKind::FeaturePyramid,
        BlockKind::UNetSkip,
    ]) == 0;
    let fits = residuals >= 3 && (basic + narrow) * 10 >= residuals * 8 && plain && straight;
    // A classifier downsamples early; other networks with residual blocks may not.
    let goes_down = stats.image_convs().filter(|conv| conv.stride == 2).count() >= 2;
    (fits && goes_down && stats.count(BlockKind::Silu) == 0).then(|| {
        let words = match (basic, narrow) {
            (basic, 0) => format!("{basic} residual blocks of two convolutions"),
            (0, narrow) => format!("{narrow} residual bottlenecks of three convolutions"),
            _ => format!("{basic} residual blocks of two convolutions and {narrow} bottlenecks"),
        };
        let stem =
            stats.image_convs().next().filter(|conv| conv.side() == Some(7) && conv.stride == 2);
        // BiT and others put GroupNorm into the same blocks.
        let has_group_norm = stats.count(BlockKind::GroupNorm) > 0;
        match stem {
            Some(_) if has_group_norm => (Medium, format!("{words} with GroupNorm")),
            Some(_) => (High, format!("{words}, after a 7×7 convolution")),
            None => (Medium, words),
        }
    })
}

/// Residual blocks of 1×1 and 3×3 with LeakyReLU.
fn darknet(seen: &Seen<'_, '_>) -> Recognition {
    let leaky = seen.stats.count(BlockKind::LeakyRelu);
    let plain = seen.depthwise().is_empty() && seen.grouped().is_empty();
    let joins = [BlockKind::Csp, BlockKind::ConcatSkip, BlockKind::FeaturePyramid];
    let apart = seen.stats.count_of(joins) == 0 && seen.stats.count("Concat") == 0;
    let residuals = seen.residuals();
    (leaky >= 10 && residuals >= 4 && plain && apart)
        .then(|| (Medium, format!("{residuals} residual blocks with LeakyReLU")))
}

/// Depthwise convolutions alternating with pointwise ones, with residual connections around several.
fn xception(seen: &Seen<'_, '_>) -> Recognition {
    let depthwise = seen.depthwise().len();
    // Sums of parallel branches, such as reparameterizable ones, are not residual connections.
    let several = i64::try_from(depthwise).is_ok_and(|count| seen.residuals() * 2 <= count);
    let fits = depthwise >= 20 && seen.residuals() >= 8 && seen.inverted() == 0 && several;
    let plain = seen.stats.count_of([
        BlockKind::SqueezeExcite,
        BlockKind::Silu,
        BlockKind::HardSwish,
        BlockKind::Gelu,
    ]) == 0;
    (fits && plain && !linear_ends(seen)).then(|| {
        (
            Medium,
            format!("{depthwise} depthwise convolutions alternating with pointwise ones, with residual connections"),
        )
    })
}

/// Two or three 5×5 convolutions with pooling.
fn lenet(seen: &Seen<'_, '_>) -> Recognition {
    let convs = seen.image_convs();
    let fives = convs.iter().filter(|conv| conv.side() == Some(5)).count();
    let linears = seen.stats.linears();
    let fits = (2..=3).contains(&convs.len()) && fives == convs.len() && (1..=3).contains(&linears);
    (fits && seen.pools() >= 1 && seen.in_a_row()).then(|| {
        let pools = counted(seen.pools(), "pooling", "poolings");
        let dense = counted(linears, "dense layer", "dense layers");
        (High, format!("{fives} 5×5 convolutions, {pools}, {dense}"))
    })
}

/// Five convolutions, the first 11×11, then dense layers.
fn alexnet(seen: &Seen<'_, '_>) -> Recognition {
    let convs = seen.image_convs();
    let first = convs.first()?;
    let fits = convs.len() == 5 && first.side() == Some(11) && first.stride == 4;
    (fits && seen.in_a_row() && seen.stats.linears() >= 2).then(|| {
        let dense = counted(seen.stats.linears(), "dense layer", "dense layers");
        (High, format!("5 convolutions, the first 11×11 with stride 4, and {dense}"))
    })
}

/// As AlexNet, the first convolution 7×7.
fn zfnet(seen: &Seen<'_, '_>) -> Recognition {
    let convs = seen.image_convs();
    let [first, second, ..] = convs[..] else { return None };
    let fits = convs.len() == 5
        && first.side() == Some(7)
        && second.side() == Some(5)
        && second.stride == 2;
    (fits && seen.in_a_row() && seen.stats.linears() >= 2)
        .then(|| (High, "5 convolutions, the first 7×7, the second 5×5 with stride 2".to_owned()))
}

/// Stacked 3×3 convolutions with pooling.
fn vgg(seen: &Seen<'_, '_>) -> Recognition {
    let convs = seen.image_convs();
    let threes =
        convs.iter().filter(|c| c.side() == Some(3) && c.stride == 1 && c.groups == 1).count();
    // Some write the dense layers as convolutions.
    let fits = threes >= 8 && convs.len() - threes <= 3 && seen.pools() >= 4;
    (fits && seen.in_a_row()).then(|| {
        let pools = seen.pools();
        (High, format!("{threes} stacked 3×3 convolutions with {pools} pooling layers"))
    })
}
