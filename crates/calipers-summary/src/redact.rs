//! Words for the names of a model: `--redact-names`.
//!
//! Names of layers, tensors, dimensions, functions, scopes and files, foreign operators and what the
//! author wrote become words that stay the same through all outputs: `node-17`, `tensor-3`, `dim_1`,
//! `file`. Standard operators, the exporter's name and version, and figures stay.
//!
//! [`redacted`] makes a model that shows only these words, before anything is inferred, shortened
//! or written. Rules that use names as evidence see them through
//! [`calipers_ir::Hint`], so families and tasks stay the same.

use std::collections::BTreeMap;

use calipers_ir::secrets::Masks;
use calipers_ir::{Model, Naming, Role, ValueId};
use calipers_ops::{canonical_domain, is_known_domain};
use calipers_sym::{Expr, Symbol};
use hashbrown::HashMap;

/// What is shown for a text that an author wrote.
const REDACTED: &str = "redacted";

/// Elements of an input that get a symbol each at most.
const ELEMENTS: usize = 8;

/// Returns the model with a word for every name. Secrets in what is kept are masked, unless they are
/// to be shown.
pub fn redacted(model: &Model, show_secrets: bool) -> Model {
    let masks = (!show_secrets).then(Masks::default);
    let inputs = model.main().inputs.iter().map(|input| (input.index(), rank(model, *input)));
    let mut words = Words { masks, inputs: inputs.collect(), ..Words::default() };
    model.renamed(&mut words)
}

fn rank(model: &Model, value: ValueId) -> usize {
    let ty = model.value(value).ty.and_then(|ty| model.value_type(ty).tensor());
    ty.and_then(|ty| ty.shape.as_ref()).map_or(0, Vec::len)
}

/// The words of one model.
#[derive(Default)]
struct Words {
    /// Words of names of each kind.
    words: HashMap<(&'static str, String), String>,
    /// Words of symbols of dimensions.
    dimensions: BTreeMap<String, String>,
    /// Ranks of inputs: symbols are derived from their names.
    inputs: HashMap<usize, usize>,
    /// Original names of those inputs, their words and their ranks.
    named_inputs: Vec<(String, String, usize)>,
    /// How many names of a kind were met.
    counts: HashMap<&'static str, usize>,
    masks: Option<Masks>,
}

impl Words {
    /// The word of a name: `KIND-NUMBER`, the first number that it is asked for with.
    fn word(&mut self, kind: &'static str, number: usize, text: &str) -> String {
        let word = self.words.entry((kind, text.to_owned()));
        word.or_insert_with(|| format!("{kind}-{number}")).clone()
    }

    /// The word of a name by the order in which names of its kind are met.
    fn counted(&mut self, kind: &'static str, text: &str) -> String {
        let counts = &mut self.counts;
        let word = self.words.entry((kind, text.to_owned()));
        let next = || {
            let count = counts.entry(kind).or_default();
            *count += 1;
            format!("{kind}-{count}")
        };
        word.or_insert_with(next).clone()
    }

    /// A dimension with a word for every symbol of it.
    fn dimension(&mut self, text: &str) -> Option<String> {
        let expr = Expr::from_dimension(text, 1);
        let symbols = if expr.is_undefined() { Default::default() } else { expr.symbols() };
        // A number, or a mark such as `?`.
        if symbols.is_empty() && !text.contains(char::is_alphabetic) {
            return None;
        }
        if symbols.is_empty() || expr.as_symbol().is_some() {
            return Some(self.symbol(text.trim()));
        }
        let words: BTreeMap<Symbol, Expr> = symbols
            .into_iter()
            .map(|symbol| {
                let word = Symbol::at_least(self.symbol(symbol.name()), 1);
                (symbol, Expr::from(word))
            })
            .collect();
        Some(expr.substitute(&words).to_string())
    }

    fn symbol(&mut self, name: &str) -> String {
        let next = self.dimensions.len() + 1;
        self.dimensions.entry(name.to_owned()).or_insert_with(|| format!("dim_{next}")).clone()
    }

    fn value(&mut self, index: usize, text: &str) -> String {
        let word = self.word("tensor", index, text);
        if let Some(rank) = self.inputs.remove(&index) {
            self.named_inputs.push((text.to_owned(), word.clone(), rank));
        }
        word
    }
}

/// Whether everybody knows an operator: it is or was of a known set.
fn is_public(domain: &str, op: &str) -> bool {
    calipers_ops::find(domain, op).is_some()
        || calipers_ops::deprecation(canonical_domain(domain), op).is_some()
}

impl Naming for Words {
    fn shown(&mut self, role: Role<'_>, text: &str) -> Option<String> {
        match role {
            Role::File => Some("file".to_owned()),
            Role::DataFile(index) => Some(format!("file-{}", index + 1)),
            Role::Node(index) => Some(self.word("node", index, text)),
            Role::Value(index) => Some(self.value(index, text)),
            Role::Tensor(index) => match self.words.get(&("tensor", text.to_owned())) {
                Some(word) => Some(word.clone()),
                None => Some(self.word("stored", index, text)),
            },
            Role::Graph(index) => Some(self.word("graph", index, text)),
            Role::Dimension => self.dimension(text),
            Role::Operator { domain, .. } if is_public(domain, text) => None,
            Role::Operator { first, .. } => Some(self.word("operator", first, text)),
            Role::Domain(_) if is_known_domain(canonical_domain(text)) => None,
            Role::Domain(_) => Some(self.counted("domain", text)),
            Role::Overload => Some(self.counted("overload", text)),
            Role::Attribute { domain, op } if is_public(domain, op) => None,
            Role::Attribute { .. } => Some(self.counted("attribute", text)),
            Role::MetadataKey => Some(self.counted("metadata", text)),
            Role::Device => Some(self.counted("devices", text)),
            Role::AttributeText { .. } | Role::MetadataValue { .. } | Role::Documentation => {
                Some(REDACTED.to_owned())
            }
            Role::Vocabulary => Some(REDACTED.to_owned()),
            Role::Producer => {
                let masks = self.masks.as_mut()?;
                Some(masks.mask(text).into_owned())
            }
            Role::Message => {
                // What is in quotes is the file's.
                let (start, end) = (text.find('"')?, text.rfind('"')?);
                Some(format!("{}…{}", &text[..=start], &text[end..]))
            }
        }
    }

    fn replaces_names(&self) -> bool {
        true
    }

    fn scope(&mut self, step: &str) -> String {
        self.counted("scope", step)
    }

    /// Dimensions, and what inference derives from names of inputs: a dimension without a name,
    /// and an element.
    fn symbols(&mut self) -> Vec<(String, String)> {
        let mut symbols = Vec::new();
        for (name, word, rank) in &self.named_inputs {
            let stem = word.replace('-', "_");
            let mut add = |suffix: String| {
                symbols.push((format!("{name}{suffix}"), format!("{stem}{suffix}")));
            };
            add(String::new());
            add("_value".to_owned());
            (0..ELEMENTS).for_each(|element| add(format!("_{element}")));
            (0..*rank).for_each(|axis| add(format!("_dim_{axis}")));
        }
        symbols.extend(std::mem::take(&mut self.dimensions));
        symbols
    }
}
