//! Facts with a quiet key before each, the values in one column.
//!
//! ```text
//! producer  CNTK 2.5.1
//! format    IR 3 · opset ai.onnx 8
//! ```

use super::page::{Line, Page, Role, cut_off, flow};
use crate::text;

/// Rows of one section.
#[derive(Default)]
pub(super) struct Rows(Vec<(String, Vec<Line>, usize)>);

impl Rows {
    /// A row of facts, which may continue on as many lines as they need.
    pub(super) fn facts(&mut self, key: impl Into<String>, facts: Vec<Line>) {
        if !facts.is_empty() {
            self.0.push((key.into(), facts, usize::MAX));
        }
    }

    /// A row of text, cut off after some lines.
    pub(super) fn prose(&mut self, key: impl Into<String>, text: Line, lines: usize) {
        self.0.push((key.into(), vec![text], lines));
    }

    /// The rows as lines of at most `width` columns. Keys are cut to a third of that.
    pub(super) fn set(self, width: usize, page: &Page) -> Vec<Line> {
        let most = width / 3;
        let keys = self.0.iter().map(|(key, ..)| text::width(key)).max().unwrap_or(0);
        let column = keys.min(most) + 2;
        let width = width - column;
        let mut lines = vec![];
        for (key, facts, limit) in self.0 {
            let key = text::truncate(&key, most, page.charset);
            let set = cut_off(flow(facts, page.dot(), width), width, limit, page.charset);
            for (i, value) in set.into_iter().enumerate() {
                let mut line = Line::new(Role::Quiet, if i == 0 { key.as_str() } else { "" });
                line.pad_to(column);
                line.append(value);
                lines.push(line);
            }
        }
        lines
    }
}
