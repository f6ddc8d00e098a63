//! The network as a Mermaid diagram.

use super::context::Context;
use crate::document::Block;
use crate::mermaid;

pub(super) fn build(context: &mut Context<'_>) -> Vec<Block> {
    let architecture = &context.report.architecture;
    if architecture.block_diagram.boxes.is_empty() || architecture.diagram.is_empty() {
        return vec![];
    }
    // The text is made of letters and character numbers alone; it can hold no fence.
    vec![
        Block::Code { language: "mermaid", text: architecture.diagram.clone() },
        Block::paragraph(mermaid::legend(&architecture.block_diagram)),
    ]
}
