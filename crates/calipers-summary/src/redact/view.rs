//! Names in the graph that one can look around in.

use calipers_report::{GraphView, ViewNode};

use super::{NotRedacted, REDACTED, Redactor, is_standard};

impl Redactor {
    /// Replaces every name in a graph to look around in. Field by field: it may hold a hundred
    /// thousand nodes, and many of its words represent a choice.
    pub fn view(&self, view: &mut GraphView) -> Result<(), NotRedacted> {
        view.file = self.name(&view.file);
        for group in &mut view.groups {
            for text in [&mut group.name, &mut group.detail] {
                *text = self.text(text);
            }
        }
        for node in &mut view.nodes {
            self.view_node(node);
        }
        for value in &mut view.values {
            value.name = self.name(&value.name);
            value.value = self.value(&value.value)?;
        }
        for size_control in &mut view.sizes.size_controls {
            size_control.name = self.text(&size_control.name);
            let dims = std::mem::take(&mut size_control.dims);
            size_control.dims =
                dims.into_iter().map(|(name, size)| (self.text(&name), size)).collect();
        }
        for life in &mut view.sizes.live_ranges {
            life.bytes = self.text(&life.bytes);
        }
        let runs = view.sizes.times.devices.iter_mut().flat_map(|device| &mut device.runs);
        let reasons = view
            .sizes
            .live_ranges_unknown
            .iter_mut()
            .chain(runs.filter_map(|run| run.run.reason.as_mut()));
        for text in view.notes.iter_mut().chain(reasons) {
            *text = self.text(text);
        }
        Ok(())
    }

    fn view_node(&self, node: &mut ViewNode) {
        node.name = self.concerned(&node.name);
        node.scope = self.0.scope(&node.scope).into();
        for (field, text) in [("op", &mut node.op), ("domain", &mut node.domain)] {
            if !is_standard(field, text) {
                *text = self.name(text).into();
            }
        }
        let is_foreign = !is_standard("domain", &node.domain);
        for (number, (name, value)) in node.attributes.iter_mut().enumerate() {
            if is_foreign {
                *name = format!("attribute-{}", number + 1);
            }
            if !is_number(value) {
                REDACTED.clone_into(value);
            }
        }
        let formula = &mut node.cost.formula;
        let texts = [&mut formula.macs, &mut formula.other_flops, &mut formula.bytes_moved];
        for formula in texts.into_iter().flatten() {
            *formula = self.text(formula).into();
        }
        if let Some(reason) = &mut node.reason {
            *reason = self.text(reason);
        }
    }
}

/// Whether an attribute holds numbers alone, whatever is around them.
fn is_number(value: &str) -> bool {
    value.chars().all(|c| {
        c.is_ascii_digit() || matches!(c, '+' | '-' | '.' | 'e' | 'E' | ',' | ' ' | '[' | ']' | '…')
    })
}
