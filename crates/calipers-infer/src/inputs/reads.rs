//! What first computes with an input: the convolution, product, recurrence or lookup behind a few
//! casts, transposes and normalizations.

use calipers_ir::{AttributeValue, GraphKind, Model, NodeId, Producer, ValueId};
use calipers_ops::{Class, Movement, canonical_domain, find};
use hashbrown::HashSet;

/// Nodes that are followed from an input.
const MAX_STEPS: usize = 96;

/// The first input of a recurrent layer that is a state.
const FIRST_STATE: usize = 5;

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
                if let Some(keeps_axes) =
                    found.read(model, reader.node, reader.slot as usize, same_axes)
                {
                    let outputs = results(model, reader.node).into_iter();
                    next.extend(outputs.map(|output| (output, same_axes && keeps_axes)));
                }
            }
        }
        found
    }

    /// Takes note of a reader. Where it hands the elements on, returns whether it keeps the axes.
    fn read(&mut self, model: &Model, node: NodeId, slot: usize, same_axes: bool) -> Option<bool> {
        let op = model.name(model.node(node).op);
        let traits = &find(canonical_domain(model.name(model.node(node).domain)), op)?.traits;
        let operand = |index: usize| model.inputs(node).get(index).copied().flatten();
        match traits.class {
            Class::Recurrent => {
                let layout = model.attribute(node, "layout");
                let batch_first = matches!(layout, Some(AttributeValue::Int(1)));
                // The row steps along its first dimension, which another order may have elsewhere.
                let is_reordered = model
                    .layout(node)
                    .is_some_and(|layout| layout.inputs.iter().any(|(place, _)| *place == slot));
                self.steps_first |= slot == 0 && same_axes && !batch_first && !is_reordered;
                self.is_state |= slot >= FIRST_STATE;
            }
            Class::Signal => self.is_signal |= slot == 0,
            _ if let Some(contraction) = traits.contraction => {
                let others = contraction.weights.iter().filter(|index| **index != slot);
                let ordered = |index: usize| {
                    let dims = stored(model, operand(index)?)?;
                    let layout = model.layout(node).into_iter().flat_map(|it| &it.inputs);
                    let order = layout.into_iter().find(|(place, _)| *place == index);
                    Some(order.map_or(dims.to_vec(), |(_, axes)| {
                        axes.apply(dims, |dims| dims.iter().product())
                    }))
                };
                let weights = others.filter_map(|index| ordered(*index)).next()?;
                if traits.convolves {
                    self.convolved(model, node, &weights);
                } else if same_axes {
                    self.multiplied(model, node, &weights);
                }
            }
            Class::Movement if traits.movement == Some(Movement::Gather) && slot == 1 => {
                self.is_index |= operand(0).is_some_and(|table| stored(model, table).is_some());
            }
            Class::Elementwise
            | Class::Activation(_)
            | Class::Normalization(_)
            | Class::Quantization => return Some(true),
            Class::View | Class::Movement | Class::Pooling(_) | Class::Image(_) => {
                let joins = traits.movement == Some(Movement::Join);
                let keeps = matches!(traits.movement, Some(Movement::Convert | Movement::Pad));
                return (slot == 0 || joins).then_some(keeps || op == "Identity");
            }
            _ => {}
        }
        None
    }

    fn convolved(&mut self, model: &Model, node: NodeId, weights: &[i64]) {
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

    fn multiplied(&mut self, model: &Model, node: NodeId, weights: &[i64]) {
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

/// The outputs of a node; of one that ends a branch of an `If`, those of the `If` too.
fn results(model: &Model, node: NodeId) -> Vec<ValueId> {
    let mut results: Vec<ValueId> = model.outputs(node).iter().flatten().copied().collect();
    let graph = model.graph(model.node(node).graph);
    if let GraphKind::Subgraph { node: outer, .. } = graph.kind
        && model.name(model.node(outer).op) == "If"
    {
        let ends = graph.outputs.iter().zip(model.outputs(outer));
        let handed = ends.filter(|(inner, _)| results.contains(inner));
        let handed: Vec<ValueId> = handed.filter_map(|(_, output)| *output).collect();
        results.extend(handed);
    }
    results
}
