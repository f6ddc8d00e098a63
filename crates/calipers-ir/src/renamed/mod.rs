//! The same model with other texts shown: names replaced, secrets masked.
//!
//! [`Model::renamed`] asks a [`Naming`] for every text of the model and makes a model that holds
//! only its answers. Whatever prints such a model prints those. Rules that use names as evidence ask
//! for a [`Hint`], which cannot be printed. Every part is taken apart field by field, so that a
//! new field with a text does not compile until it is renamed too.

mod masking;
mod renamer;

use std::borrow::Cow;

use hashbrown::HashMap;

pub use self::masking::Masking;
use self::renamer::Renamer;
use crate::{Header, Hint, Model, ValueId};

/// What a text is in the model.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Role<'a> {
    /// The name of the file.
    File,
    /// The location of the external data file of this index.
    DataFile(usize),
    /// The name of the node of this index.
    Node(usize),
    /// The name of the value of this index.
    Value(usize),
    /// The name of the stored tensor of this index.
    Tensor(usize),
    /// The name of the graph of this index.
    Graph(usize),
    /// A dimension: a name, or an expression in names.
    Dimension,
    /// An operator or function of a domain, first used by the node or function of this index.
    Operator {
        /// Its domain as written.
        domain: &'a str,
        /// The index.
        first: usize,
    },
    /// The domain of operators or of the model, first used by the node of this index.
    Domain(usize),
    /// The overload of a function.
    Overload,
    /// An attribute of an operator of a domain; of a call or a function, both are empty.
    Attribute {
        /// The domain as written.
        domain: &'a str,
        /// The operator.
        op: &'a str,
    },
    /// The text of an attribute.
    AttributeText {
        /// The attribute.
        name: &'a str,
    },
    /// The key of a metadata entry.
    MetadataKey,
    /// The value of a metadata entry.
    MetadataValue {
        /// The key as written.
        key: &'a str,
    },
    /// What the author wrote about the model or a part of it.
    Documentation,
    /// The name or version of the exporter.
    Producer,
    /// A name that a standard or a format defines: a role in a quantization, a denotation, a key of
    /// external data.
    Vocabulary,
    /// The name of a device or of a set of devices.
    Device,
    /// A message of the reader about the file, which may quote it.
    Message,
}

/// Decides what is shown for each text of a model.
pub trait Naming {
    /// Returns the text to show; `None` to show the original. Different names of values and
    /// of dimensions must stay different.
    fn shown(&mut self, role: Role<'_>, text: &str) -> Option<String>;

    /// Whether names are replaced as a whole. If not, scopes follow from names of nodes as shown.
    fn replaces_names(&self) -> bool;

    /// Returns the name to show for one step of a scope, where names are replaced.
    fn scope(&mut self, step: &str) -> String;

    /// Returns symbols of dimensions with what is shown for them: original, then shown.
    fn symbols(&mut self) -> Vec<(String, String)>;
}

/// What the file has, where something else is shown.
#[derive(Debug, Default)]
pub(crate) struct Originals {
    header: Option<Box<Header>>,
    /// Names of symbols of dimensions as shown, by their original, and the reverse.
    shown_symbols: HashMap<String, String>,
    symbols: HashMap<String, String>,
    /// Steps of scopes as shown, by their original, where names are replaced.
    scopes: Option<HashMap<String, String>>,
    /// Whether other texts than the file's are shown.
    is_renamed: bool,
}

impl Model {
    /// The same model with the texts that a naming decides to show.
    #[must_use]
    pub fn renamed(&self, naming: &mut dyn Naming) -> Self {
        Renamer::new(self, naming).renamed()
    }

    /// What the author wrote about the model, as evidence.
    pub fn doc_hint(&self) -> Hint<'_> {
        Hint::new(&self.original_header().doc)
    }

    /// Keys and values of the metadata, as evidence, in the order of `header.metadata`.
    pub fn metadata_hints(&self) -> impl Iterator<Item = (Hint<'_>, Hint<'_>)> {
        let entries = &self.original_header().metadata;
        entries.iter().map(|(key, value)| (Hint::new(key), Hint::new(value)))
    }

    /// The tool that wrote the model and its version, as evidence.
    pub fn producer_hints(&self) -> [Hint<'_>; 2] {
        let header = self.original_header();
        [Hint::new(&header.producer_name), Hint::new(&header.producer_version)]
    }

    fn original_header(&self) -> &Header {
        self.originals.header.as_deref().unwrap_or(&self.header)
    }

    /// What the name of a symbol says in the file.
    pub fn symbol_hint<'a>(&'a self, symbol: &'a str) -> Hint<'a> {
        Hint::new(self.originals.symbols.get(symbol).map_or(symbol, String::as_str))
    }

    /// The name that is shown for a symbol, given that or the file's name.
    pub fn shown_symbol<'a>(&'a self, symbol: &'a str) -> &'a str {
        self.originals.shown_symbols.get(symbol).map_or(symbol, String::as_str)
    }

    /// The name that is shown for an input of the main graph, given that or the file's name.
    pub fn shown_input<'a>(&'a self, name: &'a str) -> &'a str {
        let inputs = self.main().inputs.iter().map(|input| self.value(*input).name);
        let mut named = inputs.filter(|id| self.hint(*id).is(name));
        named.next().map_or(name, |id| self.name(id))
    }

    /// What names of symbols that are derived from a value begin with.
    pub fn symbol_stem(&self, value: ValueId) -> Cow<'_, str> {
        let name = self.name(self.value(value).name);
        // An identifier, so that formulas with it stay readable.
        match self.originals.scopes {
            Some(_) => Cow::Owned(name.replace('-', "_")),
            None => Cow::Borrowed(name),
        }
    }

    /// Whether other texts than the file's are shown.
    pub fn is_renamed(&self) -> bool {
        self.originals.is_renamed
    }

    /// Whether names are replaced, so that advice can only be general.
    pub fn is_redacted(&self) -> bool {
        self.originals.scopes.is_some()
    }

    pub(crate) fn shown_scopes(&self) -> Option<&HashMap<String, String>> {
        self.originals.scopes.as_ref()
    }
}
