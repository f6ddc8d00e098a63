//! Where changes are: `in encoder layer 3`, `in 12 feed-forward blocks`.

use calipers_arch::view::Outline;
use calipers_ir::NodeId;
use calipers_report::wording::in_sentence;
use calipers_report::{BlockKind, CompositeKind, PartKind};
use hashbrown::HashSet;

/// The innermost part with a name that people use, around a node. Parts of a single node are no
/// place.
pub(super) fn place(outline: &Outline, node: NodeId) -> Option<usize> {
    outline.around(outline.home(node)).find(|group| {
        let group = &outline.groups[*group];
        group.nodes > 1 && group.part.as_ref().is_some_and(is_place)
    })
}

/// Whether a change is said to be in a part of this kind.
fn is_place(part: &PartKind) -> bool {
    match part {
        PartKind::Block(kind) => {
            !kind.is_activation()
                && !kind.is_norm()
                && !matches!(
                    kind,
                    BlockKind::Convolution
                        | BlockKind::Linear
                        | BlockKind::ResidualAdd
                        | BlockKind::ConvNormAct
                )
        }
        PartKind::Composite(kind) => matches!(
            kind,
            CompositeKind::DecoderLayer
                | CompositeKind::EncoderLayer
                | CompositeKind::Head
                | CompositeKind::Stage
                | CompositeKind::Stem
        ),
        PartKind::Operator(_) => false,
    }
}

/// Where nodes are, after a space; empty where they are in no part, or in parts of several kinds.
pub(super) fn phrase(outline: &Outline, nodes: &[NodeId]) -> String {
    let places: Option<HashSet<usize>> = nodes.iter().map(|node| place(outline, *node)).collect();
    let Some(places) = places else { return String::new() };
    let mut kinds: Vec<&str> = places.iter().map(|group| kind_name(outline, *group)).collect();
    kinds.sort_unstable();
    kinds.dedup();
    match (kinds.as_slice(), places.len()) {
        ([_], 1) => {
            let group = places.iter().next().copied().unwrap_or(0);
            format!(" in {}", named(outline, group))
        }
        ([kind], count) => format!(" in {count} {}", plural(kind)),
        _ => String::new(),
    }
}

/// A part by its name and the layer around it: `feed-forward of encoder layer 3`.
fn named(outline: &Outline, group: usize) -> String {
    let name = in_sentence(&outline.groups[group].name);
    let around = outline.around(group).skip(1).find(|outer| {
        let outer = &outline.groups[*outer];
        outer.name.ends_with(|c: char| c.is_ascii_digit())
            && outer.part.as_ref().is_some_and(is_place)
    });
    match around {
        Some(outer) if !name.ends_with(|c: char| c.is_ascii_digit()) => {
            format!("the {name} of {}", in_sentence(&outline.groups[outer].name))
        }
        _ if name.ends_with(|c: char| c.is_ascii_digit()) => name,
        _ => format!("the {name}"),
    }
}

/// What a part is, for people.
pub(super) fn kind_name(outline: &Outline, group: usize) -> &str {
    match &outline.groups[group].part {
        Some(PartKind::Block(kind)) => kind.display_name(),
        Some(PartKind::Composite(kind)) => kind.display_name(),
        Some(PartKind::Operator(name)) => name,
        None => &outline.groups[group].name,
    }
}

/// The plural within a sentence: `feed-forward blocks`.
pub(super) fn plural(kind: &str) -> String {
    let kind = in_sentence(kind);
    match kind.rsplit(' ').next() {
        Some("attention" | "self-attention" | "cross-attention") => format!("{kind} layers"),
        Some("feed-forward") => format!("{kind} blocks"),
        Some("embeddings" | "convolutions" | "layers") => kind,
        Some("squeeze-and-excitation" | "pooling" | "experts") => format!("{kind} blocks"),
        _ => format!("{kind}s"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_have_a_plural() {
        assert_eq!(plural("Feed-forward"), "feed-forward blocks");
        assert_eq!(plural("Encoder layer"), "encoder layers");
        assert_eq!(plural("Self-attention"), "self-attention layers");
        assert_eq!(plural("Bottleneck block"), "bottleneck blocks");
    }
}
