//! One document: sections of blocks, for every format that has documents.
//!
//! [`crate::sections`] builds the sections of a report; [`crate::markdown`], [`crate::html`] and
//! [`crate::terminal`] write them.
//!
//! ```
//! use calipers_render::document::{Block, Document, Facts, Section};
//! use calipers_render::table::Value;
//! use calipers_render::{html, markdown};
//!
//! let mut facts = Facts::default();
//! facts.add("Nodes", Value::Integer(1163));
//! let section = Section::new("graph", "Graph", vec![Block::Facts(facts)]);
//! let document = Document { title: "A model".into(), sections: vec![section], ..Document::default() };
//! assert!(markdown::document(&document, &[]).contains("## Graph\n\n- **Nodes:** 1,163\n"));
//! assert!(html::document(&document).into_string().contains("<td>1,163</td>"));
//! ```

use calipers_report::Severity;

use crate::table::{Table, Value};
use crate::value::Spans;

/// A document.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Document {
    /// Its title.
    pub title: Spans,
    /// What it is about, in a few words each, next to the title.
    pub facts: Vec<Spans>,
    /// A line beneath the title: what wrote it and when, or what it says.
    pub byline: Option<Spans>,
    /// Its sections, in order.
    pub sections: Vec<Section>,
}

/// A section.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Section {
    /// A name of ours, as an anchor holds it.
    pub id: String,
    /// Its heading.
    pub title: String,
    /// What qualifies the heading, in a word or two; empty where nothing does.
    pub note: String,
    /// Whether it belongs to the section before it: a terminal leaves no line between them, and
    /// tables of one id share their columns.
    pub adjoins: bool,
    /// What it holds, in order.
    pub blocks: Vec<Block>,
}

impl Section {
    /// A section of these blocks; those that hold nothing are left out. Without a title it takes
    /// the full width.
    pub fn new(id: &str, title: &str, blocks: Vec<Block>) -> Self {
        let blocks = blocks.into_iter().filter(|block| !block.is_empty()).collect();
        Self { id: id.to_owned(), title: title.to_owned(), blocks, ..Self::default() }
    }

    /// This section as a continuation of the one before it.
    #[must_use]
    pub fn adjoining(mut self) -> Self {
        self.adjoins = true;
        self
    }

    /// This section with a note that qualifies its heading.
    #[must_use]
    pub fn noted(mut self, note: &str) -> Self {
        self.note = note.to_owned();
        self
    }

    /// Whether it has nothing to say. A chart alone is nothing.
    pub fn is_empty(&self) -> bool {
        self.blocks.iter().all(|block| matches!(block, Block::Chart(_)))
    }
}

/// A part of a section.
#[derive(Clone, Debug, PartialEq)]
pub enum Block {
    /// A heading within the section.
    Heading(Spans),
    /// A paragraph.
    Paragraph(Spans),
    /// A remark on what is before it.
    Note(Spans),
    /// Properties and their values.
    Facts(Facts),
    /// Values without properties, one after another.
    Values(Vec<Spans>),
    /// A message with a severity.
    Message(Message),
    /// A table.
    Table(Table),
    /// A list.
    List(Vec<Item>),
    /// Text in a language, such as a diagram in Mermaid. It holds no fence.
    Code {
        /// The language.
        language: &'static str,
        /// The text.
        text: String,
    },
    /// What is folded away beneath a line of ours.
    Fold {
        /// The line.
        summary: String,
        /// What is beneath it.
        blocks: Vec<Block>,
    },
    /// The place of a chart, by its name.
    Chart(&'static str),
    /// A chart, or blocks with the same rows in formats and documents without charts.
    ChartOr {
        /// The chart's name.
        name: &'static str,
        /// What the chart leaves out, after it.
        rest: Vec<Block>,
        /// What is shown in its place.
        otherwise: Vec<Block>,
    },
    /// Links to sections of the document.
    Contents(Vec<Entry>),
}

/// An entry of a table of contents.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Entry {
    /// The section's id.
    pub id: String,
    /// The section's heading.
    pub title: String,
}

impl Block {
    /// A paragraph.
    pub fn paragraph(text: impl Into<Spans>) -> Self {
        Self::Paragraph(text.into())
    }

    /// A heading within the section.
    pub fn heading(text: impl Into<Spans>) -> Self {
        Self::Heading(text.into())
    }

    /// A list whose items are all at its first level.
    pub fn list(items: impl IntoIterator<Item = Spans>) -> Self {
        Self::List(items.into_iter().map(|text| Item { depth: 0, text }).collect())
    }

    /// Blocks that are folded away.
    pub fn fold(summary: impl Into<String>, blocks: Vec<Block>) -> Self {
        Self::Fold { summary: summary.into(), blocks }
    }

    /// Whether it holds nothing.
    pub fn is_empty(&self) -> bool {
        match self {
            Self::Heading(text) | Self::Paragraph(text) | Self::Note(text) => text.is_empty(),
            Self::Facts(facts) => facts.0.is_empty(),
            Self::Values(values) => values.iter().all(Spans::is_empty),
            Self::Message(message) => message.title.is_empty(),
            Self::Table(table) => table.is_empty() && table.empty.is_none(),
            Self::List(items) => items.is_empty(),
            Self::Code { text, .. } => text.is_empty(),
            Self::Fold { blocks, .. } | Self::ChartOr { otherwise: blocks, .. } => {
                blocks.iter().all(Self::is_empty)
            }
            Self::Chart(_) => false,
            Self::Contents(entries) => entries.is_empty(),
        }
    }
}

/// An item of a list.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Item {
    /// How deep it lies; 0 is the list's own level.
    pub depth: usize,
    /// What it says.
    pub text: Spans,
}

/// A message with a severity: a finding.
#[derive(Clone, Debug, PartialEq)]
pub struct Message {
    /// How severe it is.
    pub severity: Severity,
    /// What is wrong, in a few words.
    pub title: String,
    /// What is wrong: sentences of ours that quote names between backticks.
    pub detail: String,
    /// Nodes, tensors or files concerned.
    pub names: Vec<String>,
    /// Whether more are concerned than are named.
    pub has_more_names: bool,
    /// What to do, in the same form; a document writes it as a sentence.
    pub advice: String,
    /// The command that prints more about it.
    pub command: String,
}

/// Properties and their values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts(pub Vec<Fact>);

/// A property and its values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Fact {
    /// The property: words of ours, or a name.
    pub what: Value,
    /// A shorter name of the property for terminals.
    pub short: Option<String>,
    /// What there is to say about it, one after another.
    pub values: Vec<Spans>,
    /// Lines of a terminal that a long text may take; as many as it needs where there is none.
    pub most_lines: Option<usize>,
}

impl Fact {
    /// A property and its values.
    pub fn new(what: impl Into<String>, values: Vec<Spans>) -> Self {
        Self { what: Value::Text(what.into()), values, ..Self::default() }
    }

    /// A property whose value is prose of at most `most_lines` lines.
    pub fn prose(what: &str, words: &str, most_lines: usize) -> Self {
        Self::new(what, vec![Value::prose(words).into()]).lines(most_lines)
    }

    /// This property with a shorter name for terminals.
    #[must_use]
    pub fn short(mut self, name: &str) -> Self {
        self.short = Some(name.to_owned());
        self
    }

    /// This property with at most `most` lines of a terminal.
    #[must_use]
    pub fn lines(mut self, most: usize) -> Self {
        self.most_lines = Some(most);
        self
    }
}

impl Facts {
    /// Adds a property, where there is something to say about it.
    pub fn add(&mut self, what: impl Into<String>, value: impl IntoFact) {
        self.add_all(what, value.into_fact().into_iter().collect());
    }

    /// Adds a property with several values, where there are any.
    pub fn add_all(&mut self, what: impl Into<String>, values: Vec<Spans>) {
        self.push(Fact::new(what, values));
    }

    /// Adds a property, where it has a value.
    pub fn push(&mut self, fact: Fact) {
        if !fact.values.is_empty() {
            self.0.push(fact);
        }
    }

    /// Adds a property that has a name of its own.
    pub fn add_named(&mut self, name: impl Into<Value>, value: impl Into<Spans>) {
        self.push(Fact { what: name.into(), values: vec![value.into()], ..Fact::default() });
    }
}

/// What can be the value of a property; `None` says nothing.
pub trait IntoFact {
    /// The value, where there is one.
    fn into_fact(self) -> Option<Spans>;
}

impl IntoFact for Spans {
    fn into_fact(self) -> Option<Spans> {
        Some(self)
    }
}

impl IntoFact for Value {
    fn into_fact(self) -> Option<Spans> {
        Some(self.into())
    }
}

impl IntoFact for String {
    fn into_fact(self) -> Option<Spans> {
        Some(Spans::plain(self))
    }
}

impl<T: IntoFact> IntoFact for Option<T> {
    fn into_fact(self) -> Option<Spans> {
        self.and_then(T::into_fact)
    }
}
