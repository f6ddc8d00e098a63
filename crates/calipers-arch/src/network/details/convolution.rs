//! Convolutions, alone and with what follows them.

use super::super::{Network, NetworkOp, Op};
use super::{DetailKey, Entries};

/// A convolution.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Convolution {
    /// Channels that it reads.
    pub in_channels: Option<i64>,
    /// Channels that it gives.
    pub out_channels: Option<i64>,
    /// Sides of the kernel, in elements: one for signals, two for images.
    pub kernel: Option<Vec<i64>>,
    /// The longest step.
    pub stride: i64,
    /// The longest distance between elements of the kernel.
    pub dilation: i64,
    /// Groups of channels that are convolved apart from each other.
    pub groups: i64,
    /// Whether it is transposed.
    pub transposed: bool,
    /// Whether it adds a bias.
    pub bias: bool,
}

impl Convolution {
    /// The convolution of a `Conv` or a `ConvTranspose`; `None` for other operators. A bias that
    /// a later operator adds is not looked for.
    pub fn of_operator(net: &Network<'_>, unit: &NetworkOp) -> Option<Self> {
        let transposed = match unit.op {
            Op::Operator("Conv") => false,
            Op::Operator("ConvTranspose") => true,
            _ => return None,
        };
        let weight = unit.input(1)?;
        let groups = net.int(unit, "group").unwrap_or(1);
        let (first, second) = (net.dim(weight, 0), net.dim(weight, 1));
        let in_all_groups = second.and_then(|channels| channels.checked_mul(groups));
        let (in_channels, out_channels) =
            if transposed { (first, in_all_groups) } else { (in_all_groups, first) };
        let kernel = match net.ints(unit, "kernel_shape") {
            Some(sides) => Some(sides.to_vec()),
            None => net.shape(weight).and_then(|dims| {
                dims.get(2..)?.iter().map(calipers_sym::Expr::as_const).collect::<Option<_>>()
            }),
        };
        let longest =
            |name| net.ints(unit, name).and_then(|all| all.iter().copied().max()).unwrap_or(1);
        Some(Self {
            in_channels,
            out_channels,
            kernel,
            stride: longest("strides"),
            dilation: longest("dilations"),
            groups,
            transposed,
            bias: unit.input(2).is_some(),
        })
    }

    /// The longest side of the kernel.
    pub fn side(&self) -> Option<i64> {
        self.kernel.as_ref()?.iter().copied().max()
    }

    /// The number of spatial dimensions.
    pub fn rank(&self) -> Option<usize> {
        self.kernel.as_ref().map(Vec::len)
    }

    /// Whether it reads one position at a time, and all channels.
    pub fn is_pointwise(&self) -> bool {
        self.side() == Some(1) && self.groups == 1 && !self.transposed
    }

    /// Whether it filters each channel by itself.
    pub fn is_depthwise(&self) -> bool {
        self.groups > 1 && self.in_channels == Some(self.groups) && !self.transposed
    }

    /// Whether it reads a neighborhood.
    pub fn is_spatial(&self) -> bool {
        self.side() > Some(1) && !self.transposed
    }

    /// Whether it runs over images.
    pub fn is_over_images(&self) -> bool {
        self.rank() == Some(2)
    }

    /// Whether it cuts its input into pieces that do not overlap.
    pub fn cuts(&self) -> bool {
        let is_stride = |sides: &Vec<i64>| sides.iter().all(|side| *side == self.stride);
        self.stride > 1 && self.kernel.as_ref().is_some_and(is_stride)
    }

    pub(super) fn entries(&self) -> Entries {
        Entries::default()
            .number(DetailKey::In, self.in_channels)
            .number(DetailKey::Out, self.out_channels)
            .number(DetailKey::Kernel, self.side())
            .number(DetailKey::Stride, Some(self.stride))
            .number(DetailKey::Dilation, Some(self.dilation))
            .number(DetailKey::Groups, Some(self.groups))
            .number(DetailKey::Rank, self.rank().and_then(|rank| i64::try_from(rank).ok()))
            .flag(DetailKey::Depthwise, self.is_depthwise())
            .flag(DetailKey::Pointwise, self.is_pointwise())
            .flag(DetailKey::Transposed, self.transposed)
            .flag(DetailKey::Bias, self.bias)
    }
}

/// A convolution with the norm and the activation that follow it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ConvNormAct {
    /// The convolution itself.
    pub convolution: Convolution,
    /// The activation, where there is one.
    pub activation: Option<Op>,
}

impl ConvNormAct {
    pub(super) fn entries(&self) -> Entries {
        let Self { convolution, activation } = self;
        Entries::default()
            .number(DetailKey::In, convolution.in_channels)
            .number(DetailKey::Out, convolution.out_channels)
            .number(DetailKey::Kernel, convolution.side())
            .number(DetailKey::Stride, Some(convolution.stride))
            .number(DetailKey::Groups, Some(convolution.groups))
            .flag(DetailKey::Depthwise, convolution.is_depthwise())
            .flag(DetailKey::Pointwise, convolution.is_pointwise())
            .word(DetailKey::Activation, activation.map(Op::id))
    }
}

#[cfg(test)]
mod tests {
    use super::Convolution;

    fn convolution(kernel: &[i64], groups: i64) -> Convolution {
        Convolution {
            in_channels: Some(8),
            out_channels: Some(8),
            kernel: Some(kernel.to_vec()),
            stride: 2,
            dilation: 1,
            groups,
            transposed: false,
            bias: false,
        }
    }

    #[test]
    fn channels_and_positions() {
        let point = convolution(&[1, 1], 1);
        assert!(point.is_pointwise() && !point.is_spatial() && !point.is_depthwise());
        let filter = convolution(&[1, 3], 8);
        assert!(filter.is_depthwise() && filter.is_spatial() && !filter.is_pointwise());
        assert_eq!((filter.side(), filter.rank()), (Some(3), Some(2)));
        assert!(!convolution(&[3, 3], 4).is_depthwise(), "two channels in each group");
    }

    #[test]
    fn pieces_that_do_not_overlap() {
        assert!(convolution(&[2, 2], 1).cuts());
        assert!(!convolution(&[3, 3], 1).cuts());
    }

    #[test]
    fn an_unknown_kernel_is_nothing() {
        let unknown = Convolution { kernel: None, ..convolution(&[], 1) };
        assert!(!unknown.is_pointwise() && !unknown.is_spatial() && !unknown.cuts());
    }
}
