//! Figures of the network that a description next to the weights states.
//!
//! They are the author's own, and come before what a graph that was built from them shows.

use calipers_ir::Model;
use calipers_report::{Architecture, AttentionKind};

/// Fills in what the description of the file states.
pub(crate) fn fill(model: &Model, architecture: &mut Architecture) {
    let Some(description) = &model.header.description else { return };
    let stated = |value: Option<u64>| value.and_then(|value| i64::try_from(value).ok());
    let facts = &mut architecture.facts;
    let pairs = [
        (&mut facts.layers, description.layers),
        (&mut facts.heads, description.heads),
        (&mut facts.kv_heads, description.kv_heads),
        (&mut facts.head_dim, description.head_dim),
        (&mut facts.hidden, description.hidden),
        (&mut facts.ffn, description.ffn),
        (&mut facts.vocab, description.vocabulary),
        (&mut facts.experts, description.experts),
        (&mut facts.experts_per_token, description.experts_used),
    ];
    for (fact, value) in pairs {
        *fact = stated(value).or(*fact);
    }
    if facts.attention.is_none()
        && let (Some(heads), Some(shared)) = (facts.heads, facts.kv_heads)
    {
        facts.attention = Some(match shared {
            1 if heads > 1 => AttentionKind::MultiQuery,
            shared if shared < heads => AttentionKind::GroupedQuery,
            _ => AttentionKind::MultiHead,
        });
    }
    if !description.architecture.is_empty() {
        let stated = format!("{} states {}", description.source, description.architecture);
        architecture.evidence.push(stated);
    }
}
