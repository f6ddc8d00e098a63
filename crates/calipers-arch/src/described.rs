//! Figures of the network that a description next to the weights states.
//!
//! They are the author's own, and come before what a graph that was built from them shows.

use calipers_ir::{GraphOrigin, Model};
use calipers_report::{Architecture, AttentionKind, Family};

/// Takes the family that the description states. A graph that was built from it follows the description,
/// so another family that its structure suggests does not count.
fn settle_family(model: &Model, architecture: &mut Architecture, stated: &str) {
    if model.header.graph_origin != GraphOrigin::Built || stated.is_empty() {
        return;
    }
    let plain = |text: &str| -> String {
        text.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
    };
    let name = plain(stated);
    // Classes are called by the family, and what the network is for: `Qwen3ForCausalLM`.
    let families = Family::ALL.iter().copied();
    let known = families
        .map(|family| (plain(family.id()), family))
        .filter(|(id, _)| {
            let rest = name.strip_prefix(id.as_str());
            rest.is_some_and(|rest| {
                rest.is_empty()
                    || ["for", "lmhead", "model", "text"].iter().any(|end| rest.starts_with(end))
            })
        })
        .max_by_key(|(id, _)| id.len())
        .map(|(_, family)| family);
    // Files of GGUF call every network of the form of Llama so: Mistral and Mixtral too.
    let is_general = known == Some(Family::Llama) && architecture.family.is_some();
    if architecture.family != known && !is_general {
        architecture.family = known;
        architecture.variant = None;
        architecture.references.clear();
        architecture.similarity = None;
    }
}

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
    settle_family(model, architecture, &description.architecture);
    if !description.architecture.is_empty() {
        let stated = format!("{} states {}", description.source, description.architecture);
        architecture.evidence.push(stated);
    }
}
