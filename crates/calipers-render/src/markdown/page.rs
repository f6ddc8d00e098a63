//! A page in the making: blocks, with a blank line between them.

use super::grid::Table;

/// Blocks of Markdown, in order.
#[derive(Default)]
pub(crate) struct Page {
    blocks: Vec<String>,
}

impl Page {
    pub(crate) fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// A paragraph, or any block that is set already.
    pub(crate) fn text(&mut self, text: impl Into<String>) {
        let text = text.into();
        if !text.is_empty() {
            self.blocks.push(text);
        }
    }

    /// A heading within a section.
    pub(crate) fn heading(&mut self, text: &str) {
        self.blocks.push(format!("### {text}"));
    }

    /// A table, where it has rows.
    pub(crate) fn table(&mut self, table: &Table) {
        if !table.is_empty() {
            self.blocks.push(table.set());
        }
    }

    /// A list, where it has items.
    pub(crate) fn list(&mut self, items: &[String]) {
        let items: Vec<String> = items.iter().map(|item| format!("- {item}")).collect();
        self.text(items.join("\n"));
    }

    /// A fenced block. The text must hold no fence.
    pub(crate) fn fenced(&mut self, language: &str, text: &str) {
        self.blocks.push(format!("```{language}\n{}\n```", text.trim_end()));
    }

    /// What is folded away beneath a line. The line must be our own words.
    pub(crate) fn folded(&mut self, line: &str, inner: Page) {
        if inner.is_empty() {
            return;
        }
        self.blocks.push(format!("<details>\n<summary>{line}</summary>"));
        self.blocks.extend(inner.blocks);
        self.blocks.push("</details>".to_owned());
    }

    /// Everything of another page.
    pub(crate) fn append(&mut self, other: Page) {
        self.blocks.extend(other.blocks);
    }

    /// The whole, ending in a newline; nothing for no blocks.
    pub(crate) fn finish(self) -> String {
        match self.blocks.is_empty() {
            true => String::new(),
            false => self.blocks.join("\n\n") + "\n",
        }
    }
}
