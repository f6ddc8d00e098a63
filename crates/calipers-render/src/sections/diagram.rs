//! The network, and the flow between its operators, as Mermaid.

use super::context::Context;
use crate::document::Block;

pub(super) fn build(context: &mut Context<'_>) -> Vec<Block> {
    let report = context.report;
    let architecture = &report.architecture;
    let mermaid = |text: &String| Block::Code { language: "mermaid", text: text.clone() };
    let mut blocks = vec![];
    // The text is made of letters and character numbers alone; it can hold no fence.
    if !architecture.block_diagram.boxes.is_empty() && !architecture.diagram.is_empty() {
        blocks.push(mermaid(&architecture.diagram));
    }
    if !architecture.flow_diagram.boxes.is_empty() && !architecture.flow.is_empty() {
        blocks.extend([
            Block::heading("Operator flow"),
            Block::paragraph("Which operators feed which; the number on an arrow says how often."),
            mermaid(&architecture.flow),
        ]);
    }
    blocks
}
