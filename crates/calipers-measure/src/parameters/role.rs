//! What a stored tensor is, decided from how it is used.
//!
//! | used as | learned when |
//! |---|---|
//! | a weight of a contraction, normalization or recurrence | always, if its type can be: floats, integers of eight bits or fewer, wider integers that are dequantized |
//! | a table that is looked up | it holds floats or eight-bit integers; wider integers are indices |
//! | an operand of arithmetic, with one axis longer than 1 | a weighted layer came before, and the length is that of an axis of some weight: a bias or a gain per channel. Otherwise it prepares the input, or is a grid |
//! | an operand of an addition, with several such axes | a weighted layer comes after: a position embedding. Otherwise it is a grid of anchors. Zeros and masks are not |
//! | added to the scores of an attention | it differs between heads: a relative bias. Otherwise it is a mask |
//! | a gain or a shift of a normalization, a slope, a bias, all written out | always; see `parts` |
//! | a part of a concatenation | a weighted layer comes after: a class token. Zeros are padding |
//! | what a `Scatter` overwrites | never: zeros, an empty buffer |
//! | the argument of an activation | it is an initializer: a parameter kept in another form |
//! | an input of an operator that nobody knows | it has more than one element; the report says that this is assumed |
//! | any operand or output, in a model without a single weight by its place | it is an initializer of more than one element; assumed too |
//!
//! Single numbers in arithmetic are constants of it: epsilons, factors, exponents.

use std::collections::HashSet;

use calipers_ir::DType;

use super::uses::Uses;

/// What a stored tensor is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role {
    /// Found by training.
    Weight,
    /// Gathered from the training data.
    Statistic,
    /// A scale or a zero point.
    Quantization,
    /// A shape, an index, a table, a number of the arithmetic.
    Constant,
}

/// What the decision rests on.
#[derive(Clone, Copy, Debug)]
pub(super) struct Evidence<'a> {
    pub dtype: DType,
    pub dims: &'a [i64],
    pub uses: Uses,
    /// Whether an initializer holds it, and not a node's attribute.
    pub initializer: bool,
}

impl Evidence<'_> {
    /// Axes longer than 1.
    fn axes(&self) -> impl Iterator<Item = i64> {
        self.dims.iter().copied().filter(|dim| *dim != 1)
    }

    /// Whether elements of this type can be learned, in a place for weights.
    fn can_be_weight(&self) -> bool {
        use DType::{Int16, Int32, Uint16, Uint32};
        self.is_number()
            || self.dtype.is_narrow_integer()
            || self.dtype == Int32 && self.dims.len() == 1
            || matches!(self.dtype, Int16 | Int32 | Uint16 | Uint32)
                && self.uses.has(Uses::DEQUANTIZED)
    }

    /// Whether its elements are numbers, as floats or as integers that are dequantized.
    fn is_number(&self) -> bool {
        self.dtype.is_float()
            || matches!(self.dtype, DType::Complex64 | DType::Complex128)
            || self.uses.has(Uses::DEQUANTIZED) && self.dtype.bits().is_some()
    }

    /// Whether this is an operand that its elements may show to be zeros or a mask.
    pub(super) fn may_be_fill(&self) -> bool {
        let operand = self.uses.has(Uses::ADDED) && self.axes().nth(1).is_some()
            || self.uses.has(Uses::JOINED);
        operand && !self.is_placed_weight()
    }

    /// Whether this is a weight by its place alone, so that its axes are those of the network. A
    /// number without axes is spread over a layer: ones or zeros in place of a gain and a shift.
    pub(super) fn is_placed_weight(&self) -> bool {
        self.uses.has(Uses::WEIGHT) && self.can_be_weight() && !self.dims.is_empty()
            || self.uses.has(Uses::TABLE) && (self.is_number() || self.dtype.is_narrow_integer())
    }
}

/// What decides whether an operand is learned: the whole network, not the operand alone.
#[derive(Clone, Debug, Default)]
pub(super) struct Network {
    /// Lengths of the axes of all placed weights.
    pub channels: HashSet<i64>,
    /// Whether there are any placed weights, of any shape.
    pub has_weights: bool,
}

/// What a tensor is, and whether that is an assumption.
pub(super) fn role(evidence: &Evidence<'_>, network: &Network) -> (Role, bool) {
    let uses = evidence.uses;
    if matches!(evidence.dtype, DType::Bool | DType::String) {
        (Role::Constant, false)
    } else if evidence.is_placed_weight() {
        (Role::Weight, false)
    } else if uses.has(Uses::STATISTIC) && evidence.is_number() && !evidence.dims.is_empty() {
        (Role::Statistic, false)
    } else if uses.has(Uses::SCALE) {
        (Role::Quantization, false)
    } else if evidence.is_number() && is_learned_operand(evidence, network) {
        (Role::Weight, false)
    } else if is_assumed(evidence, network) {
        (Role::Weight, true)
    } else {
        (Role::Constant, false)
    }
}

/// Whether an operand of arithmetic is learned: see the table at the top.
fn is_learned_operand(evidence: &Evidence<'_>, network: &Network) -> bool {
    let uses = evidence.uses;
    let axes: Vec<i64> = evidence.axes().take(2).collect();
    let by_axes = match axes[..] {
        [] => false,
        [length] => {
            uses.has(Uses::ADDED.with(Uses::SUBTRACTED).with(Uses::MULTIPLIED))
                && uses.has(Uses::AFTER_WEIGHTS)
                && (network.channels.is_empty() || network.channels.contains(&length))
        }
        _ if uses.has(Uses::SCORES) && !differs_between_heads(evidence.dims) => false,
        _ => uses.has(Uses::ADDED) && uses.has(Uses::BEFORE_WEIGHTS),
    };
    by_axes
        || !axes.is_empty() && uses.has(Uses::GAIN.with(Uses::SHIFT))
        || !evidence.dims.is_empty() && uses.has(Uses::BIAS)
        || !axes.is_empty() && uses.has(Uses::JOINED) && uses.has(Uses::BEFORE_WEIGHTS)
        || evidence.initializer && uses.has(Uses::TRANSFORMED)
}

/// Whether what is added to scores of `[…, heads, queries, keys]` has an entry for each head.
fn differs_between_heads(dims: &[i64]) -> bool {
    matches!(dims, [.., heads, _, _] if *heads > 1)
}

/// Whether nothing shows what a tensor is, and a weight is the likeliest.
fn is_assumed(evidence: &Evidence<'_>, network: &Network) -> bool {
    let uses = evidence.uses;
    let whole = Uses::ADDED
        .with(Uses::SUBTRACTED)
        .with(Uses::MULTIPLIED)
        .with(Uses::DIVIDED)
        .with(Uses::JOINED)
        .with(Uses::OUTPUT);
    let foreign = uses.has(Uses::FOREIGN) && evidence.is_number();
    let nothing_else = !network.has_weights
        && evidence.initializer
        && uses.has(whole)
        && (evidence.is_number() || evidence.dtype.is_narrow_integer());
    (foreign || nothing_else) && evidence.axes().next().is_some()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reported(dtype: DType, dims: &[i64], uses: Uses) -> Role {
        let network = Network { channels: HashSet::from([64, 384]), has_weights: true };
        reported_in(&network, dtype, dims, uses).0
    }

    fn reported_in(network: &Network, dtype: DType, dims: &[i64], uses: Uses) -> (Role, bool) {
        role(&Evidence { dtype, dims, uses, initializer: true }, network)
    }

    #[test]
    fn a_place_for_weights_makes_a_weight_of_what_can_be_one() {
        assert_eq!(reported(DType::Float16, &[64, 3, 3, 3], Uses::WEIGHT), Role::Weight);
        assert_eq!(reported(DType::Int8, &[64, 64], Uses::WEIGHT), Role::Weight);
        assert_eq!(reported(DType::Int32, &[64], Uses::WEIGHT), Role::Weight);
        assert_eq!(reported(DType::Int64, &[64, 64], Uses::WEIGHT), Role::Constant);
        assert_eq!(reported(DType::Float32, &[1], Uses::WEIGHT), Role::Weight);
        assert_eq!(reported(DType::Float32, &[64], Uses::STATISTIC), Role::Statistic);
        assert_eq!(reported(DType::Float32, &[64], Uses::SCALE), Role::Quantization);
        assert_eq!(reported(DType::Int64, &[1, 512], Uses::TABLE), Role::Constant);
        assert_eq!(reported(DType::Uint8, &[512, 384], Uses::TABLE), Role::Weight);
    }

    #[test]
    fn operands_of_arithmetic_are_judged_by_their_axes() {
        let bias = Uses::ADDED.with(Uses::AFTER_WEIGHTS);
        assert_eq!(reported(DType::Float32, &[64, 1, 1], bias), Role::Weight);
        assert_eq!(reported(DType::Float32, &[], bias), Role::Constant);
        assert_eq!(reported(DType::Float32, &[1, 8400], bias), Role::Constant, "a grid of strides");
        assert_eq!(
            reported(DType::Float32, &[1, 64, 1], Uses::SUBTRACTED),
            Role::Constant,
            "a mean"
        );
        let position = Uses::ADDED.with(Uses::BEFORE_WEIGHTS);
        assert_eq!(reported(DType::Float32, &[1, 197, 192], position), Role::Weight);
        assert_eq!(reported(DType::Float32, &[1, 2, 8400], Uses::ADDED), Role::Constant, "anchors");
        let rotation = Uses::MULTIPLIED.with(Uses::BEFORE_WEIGHTS);
        assert_eq!(reported(DType::Float32, &[1, 1, 3, 8], rotation), Role::Constant);
        let token = Uses::JOINED.with(Uses::BEFORE_WEIGHTS);
        assert_eq!(reported(DType::Float32, &[1, 1, 192], token), Role::Weight);
        assert_eq!(reported(DType::Float32, &[], Uses::TRANSFORMED), Role::Weight, "a temperature");
    }

    #[test]
    fn parts_of_layers_that_are_written_out() {
        assert_eq!(reported(DType::Float32, &[1, 384, 1], Uses::GAIN), Role::Weight, "positions");
        assert_eq!(reported(DType::Float32, &[8, 8, 5], Uses::GAIN), Role::Weight, "a slope");
        assert_eq!(reported(DType::Float32, &[1, 384, 1], Uses::SHIFT), Role::Weight);
        assert_eq!(reported(DType::Float32, &[], Uses::GAIN), Role::Constant, "a factor");
        assert_eq!(reported(DType::Float32, &[24], Uses::BIAS), Role::Weight);
        assert_eq!(reported(DType::Float32, &[1], Uses::BIAS), Role::Weight, "a single output");
        assert_eq!(reported(DType::Float32, &[], Uses::BIAS), Role::Constant);
        assert_eq!(reported(DType::Float32, &[], Uses::WEIGHT), Role::Constant, "ones, spread");
    }

    #[test]
    fn what_is_added_to_scores_is_learned_where_heads_differ() {
        let added = Uses::ADDED.with(Uses::BEFORE_WEIGHTS).with(Uses::SCORES);
        assert_eq!(reported(DType::Float32, &[1, 3, 49, 49], added), Role::Weight);
        assert_eq!(reported(DType::Float32, &[1, 1, 128, 128], added), Role::Constant, "a mask");
        assert_eq!(reported(DType::Float32, &[128, 128], added), Role::Constant, "a mask");
    }

    #[test]
    fn without_any_weight_a_stored_operand_is_taken_for_one() {
        let bare = Network::default();
        assert_eq!(reported_in(&bare, DType::Float32, &[4], Uses::ADDED), (Role::Weight, true));
        assert_eq!(reported_in(&bare, DType::Int4, &[5], Uses::OUTPUT), (Role::Weight, true));
        assert_eq!(reported_in(&bare, DType::Float32, &[], Uses::ADDED), (Role::Constant, false));
        assert_eq!(reported_in(&bare, DType::Int64, &[4], Uses::ADDED), (Role::Constant, false));
        assert_eq!(
            reported_in(&bare, DType::Float32, &[4], Uses::SETTING),
            (Role::Constant, false)
        );
        assert_eq!(reported_in(&bare, DType::Float32, &[4], Uses::FOREIGN), (Role::Weight, true));
    }
}
