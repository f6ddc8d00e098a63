//! One document: sections of blocks, for every format that has documents.
//!
//! [`crate::sections`] builds the sections of a report; [`crate::markdown`] and [`crate::html`]
//! write them.
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
//! assert!(markdown::document(&document, &[]).contains("## Graph\n\n| Property | Value |"));
//! assert!(html::document(&document).into_string().contains("<td>1,163</td>"));
//! ```

use crate::table::{Table, Value};
use crate::value::Spans;

/// A document.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Document {
    /// Its title.
    pub title: Spans,
    /// A line beneath the title: what wrote it, and when.
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
    /// What it holds, in order.
    pub blocks: Vec<Block>,
}

impl Section {
    /// A section of these blocks; those that hold nothing are left out.
    pub fn new(id: &str, title: &str, blocks: Vec<Block>) -> Self {
        let blocks = blocks.into_iter().filter(|block| !block.is_empty()).collect();
        Self { id: id.to_owned(), title: title.to_owned(), blocks }
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
    /// Properties and their values.
    Facts(Facts),
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
            Self::Heading(text) | Self::Paragraph(text) => text.is_empty(),
            Self::Facts(facts) => facts.0.is_empty(),
            Self::Table(table) => table.is_empty() && table.empty.is_none(),
            Self::List(items) => items.is_empty(),
            Self::Code { text, .. } => text.is_empty(),
            Self::Fold { blocks, .. } => blocks.iter().all(Self::is_empty),
            Self::Chart(_) => false,
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

/// Properties and their values.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Facts(pub Vec<(Value, Spans)>);

impl Facts {
    /// Adds a property, where there is something to say about it.
    pub fn add(&mut self, what: impl Into<String>, value: impl IntoFact) {
        if let Some(value) = value.into_fact() {
            self.0.push((Value::Text(what.into()), value));
        }
    }

    /// Adds a property that has a name out of the model.
    pub fn add_named(&mut self, name: &str, value: impl Into<Spans>) {
        self.0.push((Value::name(name), value.into()));
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
