//! Graphs of known networks, for files that store weights and a description.

use calipers_ir::assembly::Assembly;
use calipers_ir::{Description, GraphOrigin, TensorId, TooLarge};
use calipers_networks::{Network, Stored};

/// Adds the graph of a network whose weights were added. Where none is known for it, the model stays one
/// without a graph.
pub(crate) fn build(
    assembly: &mut Assembly<'_>,
    network: &Network,
    stored: &[TensorId],
) -> Result<(), TooLarge> {
    let builder = &*assembly.builder;
    let tensors: Vec<Stored> = stored
        .iter()
        .map(|id| {
            let tensor = builder.tensor(*id);
            Stored {
                name: tensor.name,
                text: builder.names.get(tensor.name).to_owned(),
                dims: tensor.dims.to_vec(),
                dtype: tensor.dtype,
            }
        })
        .collect();
    if network.build(assembly, &tensors)? {
        assembly.builder.header.graph_origin = GraphOrigin::Built;
    }
    Ok(())
}

/// A description, with the fields that it lacks from another one.
pub(crate) fn filled(description: Description, other: &Description) -> Description {
    Description {
        layers: description.layers.or(other.layers),
        hidden: description.hidden.or(other.hidden),
        ffn: description.ffn.or(other.ffn),
        heads: description.heads.or(other.heads),
        kv_heads: description.kv_heads.or(other.kv_heads),
        head_dim: description.head_dim.or(other.head_dim),
        vocabulary: description.vocabulary.or(other.vocabulary),
        context: description.context.or(other.context),
        experts: description.experts.or(other.experts),
        experts_used: description.experts_used.or(other.experts_used),
        expert_ffn: description.expert_ffn.or(other.expert_ffn),
        tied: description.tied.or(other.tied),
        bits: description.bits.or(other.bits),
        dtype: description.dtype.or(other.dtype),
        ..description
    }
}
