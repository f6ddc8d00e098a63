//! Channels in blocks: how many a block holds is the machine's choice, and what reads it shows it.
//!
//! ONNX Runtime rewrites convolutions for blocks of 8 or of 16 channels. The node that brings a
//! tensor into blocks (`com.microsoft.nchwc.ReorderInput`) does not say which; the weights of the
//! convolution behind it were rounded up by the same rule.

use calipers_ir::{Model, NodeId, ValueId};
use calipers_ops::{Class, Fact, ImageOp, NCHWC, canonical_domain, find};
use calipers_sym::Expr;

/// Nodes that are followed from a value to a convolution that reads it.
const MAX_STEPS: usize = 64;

/// Whether a node brings a tensor into blocks.
pub(super) fn makes_blocks(model: &Model, node: NodeId) -> bool {
    let node = model.node(node);
    model.name(node.op) == "ReorderInput" && canonical_domain(model.name(node.domain)) == NCHWC
}

/// Puts the number of channels that `node`'s readers want where `fact` leaves it open.
pub(super) fn settle(model: &Model, facts: &[Fact], node: NodeId, fact: &mut Fact) {
    let Fact::Tensor(tensor) = fact else { return };
    let Some(dims) = tensor.dims() else { return };
    let [Some(output)] = model.outputs(node) else { return };
    if dims.get(1).is_none_or(|channels| channels.as_const().is_some()) {
        return;
    }
    if let Some(channels) = wanted(model, facts, *output) {
        let mut dims = dims.to_vec();
        dims[1] = channels.into();
        tensor.shape = Ok(dims.into());
    }
}

/// Channels that a blocked value has by the weights of a convolution it comes to.
fn wanted(model: &Model, facts: &[Fact], value: ValueId) -> Option<i64> {
    let mut values = vec![value];
    let mut steps = 0;
    while let Some(value) = values.pop() {
        for reader in model.consumers(value) {
            steps += 1;
            if steps > MAX_STEPS {
                return None;
            }
            let node = model.node(reader.node);
            let row = find(model.name(node.domain), model.name(node.op));
            let Some(row) = row.filter(|row| row.domain == NCHWC) else { continue };
            match (row.traits.class, reader.slot) {
                (Class::Contraction, slot @ (0 | 3)) => {
                    if let Some(channels) = of_weights(model, facts, reader.node, slot == 0) {
                        return Some(channels);
                    }
                }
                (Class::Pooling(_) | Class::Image(ImageOp::Resize), 0) => {
                    values.extend(model.outputs(reader.node).iter().flatten());
                }
                _ => {}
            }
        }
    }
    None
}

/// Channels that a convolution reads, or gives, by its weights.
fn of_weights(model: &Model, facts: &[Fact], conv: NodeId, reads: bool) -> Option<i64> {
    let weights = (*model.inputs(conv).get(1)?)?;
    let dims = facts.get(weights.index())?.as_tensor()?.dims()?;
    let dim = |axis: usize| dims.get(axis).and_then(Expr::as_const);
    if !reads {
        return dim(0);
    }
    let group = match model.attribute(conv, "group") {
        Some(calipers_ir::AttributeValue::Int(group)) => *group,
        Some(_) => return None,
        None => 1,
    };
    dim(1)?.checked_mul(group).filter(|channels| *channels > 0)
}
