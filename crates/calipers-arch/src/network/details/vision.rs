//! Blocks of convolutional networks, and heads.

use super::{DetailKey, Entries};

/// A block of joined branches: an inception module, or a cross-stage partial block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branches {
    /// Branches that are joined.
    pub branches: Option<i64>,
    /// Channels that it gives.
    pub out_channels: Option<i64>,
}

impl Branches {
    pub(super) fn entries(&self) -> Entries {
        Entries::default()
            .number(DetailKey::Branches, self.branches)
            .number(DetailKey::Out, self.out_channels)
    }
}

/// A classifier.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ClassifierHead {
    /// Classes that it scores.
    pub classes: Option<i64>,
}

impl ClassifierHead {
    pub(super) fn entries(&self) -> Entries {
        Entries::default().number(DetailKey::Classes, self.classes)
    }
}

/// A ConvNeXt block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConvNextBlock {
    /// Channels that it reads and gives.
    pub channels: Option<i64>,
    /// Channels between its pointwise layers.
    pub inner: Option<i64>,
    /// The longest side of its depthwise kernel.
    pub kernel: Option<i64>,
}

impl ConvNextBlock {
    pub(super) fn entries(&self) -> Entries {
        Entries::default()
            .number(DetailKey::Channels, self.channels)
            .number(DetailKey::Inner, self.inner)
            .number(DetailKey::Kernel, self.kernel)
    }
}

/// A dense unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DenseLayer {
    /// Channels that it reads.
    pub in_channels: Option<i64>,
    /// Channels that it adds.
    pub growth: Option<i64>,
}

impl DenseLayer {
    pub(super) fn entries(&self) -> Entries {
        Entries::default()
            .number(DetailKey::In, self.in_channels)
            .number(DetailKey::Growth, self.growth)
    }
}

/// A depthwise-separable convolution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DepthwiseSeparable {
    /// Channels that it reads.
    pub in_channels: Option<i64>,
    /// Channels that it gives.
    pub out_channels: Option<i64>,
    /// The longest side of its depthwise kernel.
    pub kernel: Option<i64>,
    /// The stride of its depthwise convolution.
    pub stride: i64,
}

impl DepthwiseSeparable {
    pub(super) fn entries(&self) -> Entries {
        Entries::default()
            .number(DetailKey::In, self.in_channels)
            .number(DetailKey::Out, self.out_channels)
            .number(DetailKey::Kernel, self.kernel)
            .number(DetailKey::Stride, Some(self.stride))
    }
}

/// A detection head.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DetectionHead {
    /// Classes that it scores.
    pub classes: Option<i64>,
    /// Positions at which it looks for objects, over all scales.
    pub positions: Option<i64>,
    /// Resolutions at which it looks for objects.
    pub scales: Option<i64>,
    /// Boxes for each position.
    pub anchors: Option<i64>,
    /// Bins of the distribution of each side of a box.
    pub bins: Option<i64>,
    /// The stride of each scale, in pixels; empty where one is not known.
    pub strides: Vec<i64>,
}

impl DetectionHead {
    pub(super) fn entries(&self) -> Entries {
        let entries = Entries::default()
            .number(DetailKey::Classes, self.classes)
            .number(DetailKey::Positions, self.positions)
            .number(DetailKey::Scales, self.scales)
            .number(DetailKey::Anchors, self.anchors)
            .number(DetailKey::Bins, self.bins);
        let strides = self.strides.iter();
        strides.fold(entries, |entries, stride| entries.number(DetailKey::Stride, Some(*stride)))
    }
}

/// A fire module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fire {
    /// Channels that it reads.
    pub in_channels: Option<i64>,
    /// Channels between its layers.
    pub squeezed: Option<i64>,
    /// Channels that it gives.
    pub out_channels: Option<i64>,
}

impl Fire {
    pub(super) fn entries(&self) -> Entries {
        Entries::default()
            .number(DetailKey::In, self.in_channels)
            .number(DetailKey::Squeezed, self.squeezed)
            .number(DetailKey::Out, self.out_channels)
    }
}

/// An inverted residual.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InvertedResidual {
    /// Channels that it reads.
    pub in_channels: Option<i64>,
    /// Channels that it gives.
    pub out_channels: Option<i64>,
    /// Channels of its depthwise convolution.
    pub inner: Option<i64>,
    /// The longest side of its depthwise kernel.
    pub kernel: Option<i64>,
    /// The stride of its depthwise convolution.
    pub stride: i64,
    /// Whether a shortcut goes around it.
    pub shortcut: bool,
}

impl InvertedResidual {
    pub(super) fn entries(&self) -> Entries {
        Entries::default()
            .number(DetailKey::In, self.in_channels)
            .number(DetailKey::Out, self.out_channels)
            .number(DetailKey::Inner, self.inner)
            .number(DetailKey::Kernel, self.kernel)
            .number(DetailKey::Stride, Some(self.stride))
            .flag(DetailKey::Shortcut, self.shortcut)
    }
}

/// A spatial pyramid pooling.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PyramidPooling {
    /// Poolings that are joined.
    pub pools: Option<i64>,
}

impl PyramidPooling {
    pub(super) fn entries(&self) -> Entries {
        Entries::default().number(DetailKey::Pools, self.pools)
    }
}

/// A basic or a bottleneck block of a residual network.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ResNetBlock {
    /// Channels that it gives.
    pub channels: Option<i64>,
    /// Channels of its first convolution.
    pub inner: Option<i64>,
    /// Groups of its second convolution.
    pub groups: Option<i64>,
    /// The longest stride of its convolutions.
    pub stride: Option<i64>,
    /// Whether its shortcut has a convolution.
    pub projection: bool,
}

impl ResNetBlock {
    pub(super) fn entries(&self) -> Entries {
        Entries::default()
            .number(DetailKey::Channels, self.channels)
            .number(DetailKey::Inner, self.inner)
            .number(DetailKey::Groups, self.groups)
            .number(DetailKey::Stride, self.stride)
            .flag(DetailKey::Projection, self.projection)
    }
}

/// A shuffle unit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ShuffleBlock {
    /// Groups of channels that are shuffled.
    pub groups: i64,
}

impl ShuffleBlock {
    pub(super) fn entries(&self) -> Entries {
        Entries::default().number(DetailKey::Groups, Some(self.groups))
    }
}

/// A squeeze-and-excite.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SqueezeExcite {
    /// Channels that it weighs.
    pub channels: Option<i64>,
    /// Channels between its layers.
    pub squeezed: Option<i64>,
}

impl SqueezeExcite {
    pub(super) fn entries(&self) -> Entries {
        Entries::default()
            .number(DetailKey::Channels, self.channels)
            .number(DetailKey::Squeezed, self.squeezed)
    }
}
