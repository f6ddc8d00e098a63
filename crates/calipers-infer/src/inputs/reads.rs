//! What first computes with an input: the convolution, product, recurrence or lookup behind a few
//! casts, transposes and normalizations.

use calipers_ir::{AttributeValue, Model, Producer, ValueId};
use calipers_ops::{Class, Movement, canonical_domain, find};
use hashbrown::HashSet;

/// Nodes that are followed from an input.
const MAX_STEPS: usize = 96;

/// What computes with an input.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Reads {
    /// Dimensions of what a convolution slides over, batch and channels included.
    pub(super) conv_rank: Option<usize>,
    /// Channels that this convolution reads.
    pub(super) conv_channels: Option<i64>,
    /// Rows of a matrix that multiplies the last axis.
    pub(super) features: Option<i64>,
    /// Whether a recurrent layer steps along the first axis.
    pub(super) steps_first: bool,
    /// Whether a recurrent layer reads it as its initial state.
    pub(super) is_state: bool,
    /// Whether its elements pick rows of a table.
    pub(super) is_index: bool,
    /// Whether a Fourier transform reads it.
    pub(super) is_signal: bool,
}

impl Reads {
    /// Follows an input to what computes with it.
    pub(super) fn find(model: &Model, input: ValueId) -> Self {
        let mut found = Self::default();
        // Whether the axes are still those of the input.
        let mut next = vec![(input, true)];
        let mut seen: HashSet<ValueId> = HashSet::new();
        let mut steps = 0;
        while let Some((value, same_axes)) = next.pop() {
            if !seen.insert(value) {
                continue;
            }
            for reader in model.consumers(value) {
                steps += 1;
                if steps > MAX_STEPS {
                    return found;
                }
                let node = model.node(reader.node);
                let domain = canonical_domain(model.name(node.domain));
                let Some(row) = find(domain, model.name(node.op)) else { continue };
                let traits = &row.traits;
                let slot = reader.slot as usize;
                let operand = |index: usize| model.inputs(reader.node).get(index).copied()?;
                match traits.class {
                    Class::Recurrent => {
                        let layout = model.attribute(reader.node, "layout");
                        let batch_first = matches!(layout, Some(AttributeValue::Int(1)));
                        found.steps_first |= slot == 0 && same_axes && !batch_first;
                        found.is_state |= slot >= 5;
                    }
                    Class::Signal if slot == 0 => found.is_signal = true,
                    _ if traits.contraction.is_some() => {
                        let weights = traits.contraction.map_or(&[][..], |it| it.weights);
                        let Some(held) = weights.iter().find(|index| {
                            **index != slot && operand(**index).is_some_and(|w| is_stored(model, w))
                        }) else {
                            continue;
                        };
                        let Some(dims) = operand(*held).and_then(|w| stored_dims(model, w)) else {
                            continue;
                        };
                        if traits.convolves {
                            found.convolved(model, reader.node, &dims);
                        } else if same_axes {
                            found.multiplied(model, reader.node, &dims);
                        }
                    }
                    Class::Movement if traits.movement == Some(Movement::Gather) && slot == 1 => {
                        found.is_index |= operand(0).is_some_and(|t| is_stored(model, t));
                    }
                    Class::Elementwise
                    | Class::Activation(_)
                    | Class::Normalization(_)
                    | Class::Quantization => {
                        next.extend(
                            model.outputs(reader.node).iter().flatten().map(|v| (*v, same_axes)),
                        );
                    }
                    Class::View | Class::Movement | Class::Pooling(_) | Class::Image(_)
                        if slot == 0 || traits.movement == Some(Movement::Join) =>
                    {
                        let keeps = traits.movement == Some(Movement::Convert)
                            || matches!(model.name(node.op), "Identity" | "Pad");
                        next.extend(
                            model
                                .outputs(reader.node)
                                .iter()
                                .flatten()
                                .map(|v| (*v, same_axes && keeps)),
                        );
                    }
                    _ => {}
                }
            }
        }
        found
    }

    fn convolved(&mut self, model: &Model, node: calipers_ir::NodeId, weights: &[i64]) {
        if self.conv_rank.is_some() {
            return;
        }
        let group = match model.attribute(node, "group") {
            Some(AttributeValue::Int(group)) => *group,
            _ => 1,
        };
        self.conv_rank = Some(weights.len());
        self.conv_channels = match (model.name(model.node(node).op), weights) {
            ("ConvTranspose", [channels, ..]) => Some(*channels),
            (_, [_, channels, ..]) => channels.checked_mul(group),
            _ => None,
        };
    }

    fn multiplied(&mut self, model: &Model, node: calipers_ir::NodeId, weights: &[i64]) {
        let transposed = matches!(model.attribute(node, "transB"), Some(AttributeValue::Int(1)));
        if let [rows, columns] = weights
            && self.features.is_none()
        {
            self.features = Some(if transposed { *columns } else { *rows });
        }
    }
}

/// The tensor that a value holds, or that it is converted from.
fn stored(model: &Model, mut value: ValueId) -> Option<&[i64]> {
    for _ in 0..4 {
        if let Some(tensor) = model.value(value).initializer {
            return Some(&model.tensor(tensor).dims);
        }
        let Producer::Node { node, .. } = model.value(value).producer else { return None };
        if let Some(AttributeValue::Tensor(tensor)) = model.attribute(node, "value") {
            return Some(&model.tensor(*tensor).dims);
        }
        let row = find(
            canonical_domain(model.name(model.node(node).domain)),
            model.name(model.node(node).op),
        )?;
        if !row.traits.keeps_order() && row.traits.class != Class::Quantization {
            return None;
        }
        value = (*model.inputs(node).first()?)?;
    }
    None
}

fn is_stored(model: &Model, value: ValueId) -> bool {
    stored(model, value).is_some()
}

fn stored_dims(model: &Model, value: ValueId) -> Option<Vec<i64>> {
    stored(model, value).map(<[i64]>::to_vec)
}
