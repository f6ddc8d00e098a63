//! The network as text, for people who write patterns.

use std::fmt::Write as _;

use super::{DetailValue, Network, NetworkOp, Origin, Val};

/// Deeper parts are not shown.
const MAX_DEPTH: usize = 8;

impl Network<'_> {
    /// A unit a line, with what it takes and gives; its parts below it.
    pub fn outline(&self) -> String {
        let mut text = String::new();
        for (id, unit) in self.units() {
            let _ = write!(text, "{:>5} ", id.index());
            self.line(unit, 0, &mut text);
        }
        text
    }

    fn line(&self, unit: &NetworkOp, depth: usize, text: &mut String) {
        let indent = "  ".repeat(depth);
        let inputs: Vec<String> =
            unit.inputs.iter().map(|input| input.map_or("-".into(), |v| self.shown(v))).collect();
        let outputs: Vec<String> = unit.outputs.iter().map(|output| self.shown(*output)).collect();
        let mut details = String::new();
        for (key, value) in unit.entries() {
            let _ = match value {
                DetailValue::Yes => write!(details, " {}", key.id()),
                value => write!(details, " {}={value}", key.id()),
            };
        }
        let _ = writeln!(
            text,
            "{indent}{}{details} ({}) -> {}",
            unit.op,
            inputs.join(", "),
            outputs.join(", ")
        );
        if depth < MAX_DEPTH {
            for part in &unit.parts {
                text.push_str("      ");
                self.line(part, depth + 1, text);
            }
        }
    }

    fn shown(&self, val: Val) -> String {
        let letter = match self.origin(val) {
            Origin::Constant => 'c',
            Origin::Shape => 's',
            Origin::Range => 'r',
            Origin::Data => 'v',
        };
        let shape = self.shape(val).map_or("?".to_owned(), |dims| {
            dims.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
        });
        format!("{letter}{}[{shape}]", val.0)
    }
}
