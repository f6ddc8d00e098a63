//! A diagram as a Mermaid flowchart.
//!
//! Names in a model are anybody's: one may be `"]; click b0 "javascript:…"`, `%%{init}%%`, a closing
//! script tag, or ten thousand letters. So every character of a label that is not a letter, a digit
//! or known to be harmless is written as the number of the character, which Mermaid and HTML both
//! only show; labels are in quotes, and boxes are named by their numbers.

use std::fmt::Write as _;

use calipers_report::units::shortened;
use calipers_report::{BlockKind, BoxKind, CompositeKind, Diagram, DiagramBox, PartKind};

/// Characters of a label; a longer one is cut in the middle.
const MAX_LABEL: usize = 90;

/// Characters of a line in a box.
const LINE: usize = 26;

/// A space of no width.
const NO_WIDTH: &str = "#8203;";

/// What a box is, which decides its color.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum BoxRole {
    /// An input or an output of the model.
    Port,
    /// What turns the input into vectors or features: embeddings, a stem.
    Embedding,
    /// Blocks with attention.
    Attention,
    /// The body of the network.
    Trunk,
    /// What turns features into results.
    Head,
    /// Everything else: shapes, masks, single operators.
    Other,
}

/// Each role with its class, the color of its boxes in words, and fill and border. Text is dark on
/// a light fill, so that the diagram is legible on light and dark pages.
const ROLES: [(BoxRole, &str, &str, &str, &str); 6] = [
    (BoxRole::Port, "port", "blue", "#cfe4f5", "#0072b2"),
    (BoxRole::Embedding, "embedding", "yellow", "#f8edc0", "#b59b00"),
    (BoxRole::Attention, "attention", "pink", "#f3d9e7", "#a64d79"),
    (BoxRole::Trunk, "trunk", "green", "#cdeadd", "#007a5a"),
    (BoxRole::Head, "head", "orange", "#fbdcc4", "#c05500"),
    (BoxRole::Other, "other", "gray", "#e6e9ed", "#6b7480"),
];

impl BoxRole {
    fn new(kind: &BoxKind) -> Self {
        let part = match kind {
            BoxKind::Input | BoxKind::Output => return Self::Port,
            BoxKind::Operator | BoxKind::OtherOperators => return Self::Other,
            BoxKind::Part(part) => part,
        };
        match part {
            PartKind::Block(
                BlockKind::Embedding | BlockKind::PatchEmbedding | BlockKind::Rotary,
            )
            | PartKind::Composite(CompositeKind::Stem) => Self::Embedding,
            PartKind::Block(BlockKind::Attention)
            | PartKind::Composite(CompositeKind::EncoderLayer | CompositeKind::DecoderLayer) => {
                Self::Attention
            }
            PartKind::Block(BlockKind::ClassifierHead | BlockKind::DetectionHead)
            | PartKind::Composite(CompositeKind::Head) => Self::Head,
            PartKind::Composite(
                CompositeKind::More | CompositeKind::Operations | CompositeKind::Preparation,
            )
            | PartKind::Operator(_) => Self::Other,
            PartKind::Block(_) | PartKind::Composite(_) => Self::Trunk,
        }
    }

    /// The name of its class in Mermaid.
    fn class(self) -> &'static str {
        let found = ROLES.iter().find(|(role, ..)| *role == self);
        found.map_or("other", |(_, class, ..)| class)
    }

    /// What a legend calls the boxes.
    fn description(self) -> &'static str {
        match self {
            Self::Port => "inputs and outputs",
            Self::Embedding => "embeddings and stem",
            Self::Attention => "attention layers",
            Self::Trunk => "trunk",
            Self::Head => "head",
            Self::Other => "other operations",
        }
    }
}

/// What the colors of a diagram mean, in one sentence.
pub(crate) fn legend(diagram: &Diagram) -> String {
    let is_drawn =
        |role: BoxRole| diagram.boxes.iter().any(|drawn| BoxRole::new(&drawn.kind) == role);
    let entries = ROLES.iter().filter(|(role, ..)| is_drawn(*role));
    let entries: Vec<String> =
        entries.map(|(role, _, color, ..)| format!("{color} = {}", role.description())).collect();
    format!("Colors: {}.", entries.join(", "))
}

/// The diagram as Mermaid text, with boxes colored by role.
pub fn mermaid(diagram: &Diagram) -> String {
    let mut text = String::from("flowchart TD\n");
    for (number, drawn) in diagram.boxes.iter().enumerate() {
        let (open, close) = match drawn.kind {
            BoxKind::Input | BoxKind::Output => ("([", "])"),
            _ if drawn.times > 1 => ("[[", "]]"),
            _ => ("[", "]"),
        };
        let class = BoxRole::new(&drawn.kind).class();
        let _ = writeln!(text, "    b{number}{open}\"{}\"{close}:::{class}", label(drawn));
    }
    for arrow in &diagram.arrows {
        let (from, to) = (arrow.from, arrow.to);
        let _ = match arrow.label.as_str() {
            "" => writeln!(text, "    b{from} --> b{to}"),
            label => writeln!(text, "    b{from} -->|\"{}\"| b{to}", escaped(label)),
        };
    }
    for (role, class, _, fill, stroke) in ROLES {
        if diagram.boxes.iter().any(|drawn| BoxRole::new(&drawn.kind) == role) {
            let style = format!("fill:{fill},stroke:{stroke},color:#1b1f24");
            let _ = writeln!(text, "    classDef {class} {style}");
        }
    }
    text
}

fn label(drawn: &DiagramBox) -> String {
    let mut label = escaped(&drawn.label);
    if drawn.times > 1 {
        label = format!("{} × {label}", drawn.times);
    }
    for line in lines(&shortened(&drawn.detail, MAX_LABEL)) {
        label = format!("{label}<br/>{}", escaped(line.trim_end()));
    }
    label
}

/// A text in lines of a length that suits a box, broken after commas.
fn lines(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = Vec::new();
    for piece in text.split_inclusive(", ") {
        match lines.last_mut() {
            Some(line) if line.chars().count() + piece.chars().count() <= LINE => {
                line.push_str(piece);
            }
            _ => lines.push(piece.to_owned()),
        }
    }
    lines
}

/// Text that Mermaid and HTML show as it is.
fn escaped(text: &str) -> String {
    let mut safe = String::new();
    let text = shortened(text, MAX_LABEL);
    let mut before = ' ';
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        // Inside a word these mean nothing, and a label without numbers can be read.
        let inside = before.is_alphanumeric() && chars.peek().is_some_and(|c| c.is_alphanumeric());
        before = c;
        match c {
            _ if c.is_alphanumeric() => safe.push(c),
            '-' | '.' | '/' | '_' if inside => safe.push(c),
            ' ' | ',' | '×' | '→' | '·' | '…' | '–' => safe.push(c),
            _ if is_unseen(c) => safe.push('\u{fffd}'),
            _ => {
                let _ = write!(safe, "#{};", u32::from(c));
                // Icons (`fa:fa-car`), formulas (`$$x$$`) and breaks (`\n`) are looked for after the
                // numbers became characters again. A space of no width is in their way.
                if matches!(c, ':' | '$' | '\\') {
                    safe.push_str(NO_WIDTH);
                }
            }
        }
    }
    // A label must hold something to be a label.
    if safe.trim().is_empty() { NO_WIDTH.to_owned() } else { safe }
}

/// Characters that nobody sees, or that turn text around.
fn is_unseen(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}'
            | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{fff0}'..='\u{fffb}'
            | '\u{e0000}'..='\u{e0fff}')
}

#[cfg(test)]
mod tests {
    use calipers_report::Arrow;

    use super::*;

    #[test]
    fn what_could_mean_something_is_a_number() {
        assert_eq!(escaped("input_ids"), "input_ids");
        assert_eq!(escaped("12 × Encoder layer"), "12 × Encoder layer");
        assert_eq!(escaped("a\"]\nb"), "a#34;#93;\u{fffd}b");
        assert_eq!(escaped("</script>"), "#60;#47;script#62;");
        assert_eq!(escaped("_x_ a. b"), "#95;x#95; a#46; b");
        assert_eq!(escaped("fa:fa-x"), "fa#58;#8203;fa-x");
        assert_eq!(escaped(""), "#8203;");
        for hostile in
            ["%%{init: {}}%%", "`x`", "click b0 \"javascript:x\"", "[[a]]", "&lt;", "a;b"]
        {
            let safe = escaped(hostile);
            assert!(!safe.contains(['"', '`', '%', '[', '{', '<', '&', '\n', '(', '|']), "{safe}");
        }
    }

    #[test]
    fn boxes_and_arrows_are_lines() {
        let drawn = |label: &str, kind: &str, times: u64| DiagramBox {
            label: label.to_owned(),
            detail: String::new(),
            kind: kind.into(),
            times,
        };
        let diagram = Diagram {
            boxes: vec![drawn("x", "input", 1), drawn("Encoder layer", "EncoderLayer", 12)],
            arrows: vec![Arrow { from: 0, to: 1, label: "1 × 8".to_owned() }],
        };
        let wanted = "flowchart TD\n    b0([\"x\"]):::port\n    \
            b1[[\"12 × Encoder layer\"]]:::attention\n    b0 -->|\"1 × 8\"| b1\n    \
            classDef port fill:#cfe4f5,stroke:#0072b2,color:#1b1f24\n    \
            classDef attention fill:#f3d9e7,stroke:#a64d79,color:#1b1f24\n";
        assert_eq!(mermaid(&diagram), wanted);
        assert_eq!(legend(&diagram), "Colors: blue = inputs and outputs, pink = attention layers.");
    }
}
