//! Every name of a model with the word that is in for it.

use calipers_ir::scope;
use calipers_ir::{Dim, Leaf, Model};
use calipers_ops::{canonical_domain, is_known_domain};
use hashbrown::HashMap;

/// Words that this many models use as names that they say nothing, and that our own sentences need.
/// Where one is the whole of a field it is replaced like any other.
const GENERIC: &[&str] = &[
    "and",
    "at",
    "attention",
    "batch",
    "bias",
    "branch",
    "cache",
    "channels",
    "class",
    "classes",
    "concat",
    "context",
    "data",
    "depth",
    "device",
    "file",
    "graph",
    "head",
    "height",
    "hidden",
    "image",
    "images",
    "in",
    "index",
    "indices",
    "input",
    "inputs",
    "key",
    "keys",
    "label",
    "labels",
    "layer",
    "layers",
    "length",
    "linear",
    "logits",
    "mask",
    "memory",
    "model",
    "name",
    "node",
    "norm",
    "of",
    "out",
    "output",
    "outputs",
    "past",
    "position",
    "positions",
    "present",
    "query",
    "scale",
    "scores",
    "seq",
    "sequence",
    "shape",
    "size",
    "softmax",
    "table",
    "tensor",
    "text",
    "the",
    "to",
    "token",
    "tokens",
    "type",
    "value",
    "values",
    "weight",
    "weights",
    "width",
    "zero_point",
];

/// Names shorter than this say nothing inside a sentence, and would tear it apart.
const SHORT: usize = 3;

/// Elements of an input that get a name each at most.
const ELEMENTS: usize = 8;

/// Names and their words.
pub(super) struct Names {
    words: HashMap<String, String>,
    /// Names that are replaced inside sentences, in order.
    inside: Vec<String>,
    scopes: HashMap<String, String>,
}

impl Names {
    pub(super) fn new(model: &Model) -> Self {
        let mut names = Self { words: HashMap::new(), inside: Vec::new(), scopes: HashMap::new() };
        names.add_files(model);
        names.add_dimensions(model);
        for (id, value) in model.values() {
            names.add(model.name(value.name), || format!("tensor-{}", id.index()));
        }
        for (id, tensor) in model.tensors() {
            names.add(model.name(tensor.name), || format!("stored-{}", id.index()));
        }
        names.add_parts_of_inputs(model);
        names.add_nodes(model);
        names.add_functions(model);
        for (id, graph) in model.graphs() {
            names.add(model.name(graph.name), || format!("graph-{}", id.index()));
        }
        names.add_texts(model);
        let plain = |name: &&String| !GENERIC.contains(&name.as_str()) && is_distinctive(name);
        names.inside = names.words.keys().filter(plain).cloned().collect();
        names.inside.sort_unstable();
        names
    }

    fn add(&mut self, name: &str, word: impl FnOnce() -> String) {
        if !name.is_empty() && !self.words.contains_key(name) {
            self.words.insert(name.to_owned(), word());
        }
    }

    fn add_files(&mut self, model: &Model) {
        self.add(&model.header.file_name, || "file".to_owned());
        for (i, file) in model.data_files.iter().enumerate() {
            self.add(model.name(file.location), || format!("file-{}", i + 1));
        }
    }

    /// Dimensions are named so that formulas can still be read: no hyphen.
    fn add_dimensions(&mut self, model: &Model) {
        let mut count = 0;
        for (_, value) in model.values() {
            let Some(ty) = value.ty else { continue };
            let (Leaf::Tensor(tensor) | Leaf::SparseTensor(tensor)) = &model.value_type(ty).leaf
            else {
                continue;
            };
            for dim in tensor.shape.iter().flatten() {
                let Dim::Symbol(name) = dim else { continue };
                let text = model.name(*name);
                let is_letter = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
                for part in text.split(|c: char| !is_letter(c)) {
                    if !part.starts_with(|c: char| c.is_ascii_digit()) {
                        self.add(part, || {
                            count += 1;
                            format!("dim_{count}")
                        });
                    }
                }
                // A whole that is not a formula is a name too.
                if text.contains(|c: char| !is_letter(c) && !" +-*/()^,".contains(c)) {
                    self.add(text, || {
                        count += 1;
                        format!("dim_{count}")
                    });
                }
            }
        }
    }

    /// Names that inference makes after an input: of a dimension without one, of a dimension whose
    /// size differs between inputs, and of an element.
    fn add_parts_of_inputs(&mut self, model: &Model) {
        for (place, input) in model.main().inputs.iter().enumerate() {
            let value = model.value(*input);
            let label = model.name(value.name);
            let tensor = value.ty.and_then(|ty| model.value_type(ty).tensor());
            let dims = tensor.and_then(|tensor| tensor.shape.as_deref()).unwrap_or_default();
            for (axis, dim) in dims.iter().enumerate() {
                self.add(&format!("{label}_dim_{axis}"), || format!("dim_of_{place}_{axis}"));
                if let Dim::Symbol(name) = dim {
                    let split = format!("{label}_{}", model.name(*name));
                    self.add(&split, || format!("dim_of_{place}_{axis}"));
                }
            }
            if dims.len() <= 1 {
                self.add(&format!("{label}_value"), || format!("value_of_{place}"));
                for element in 0..ELEMENTS {
                    let name = format!("{label}_{element}");
                    self.add(&name, || format!("value_of_{place}_{element}"));
                }
            }
        }
    }

    fn add_nodes(&mut self, model: &Model) {
        for (id, node) in model.nodes() {
            self.add(model.name(node.name), || format!("node-{}", id.index()));
            let (domain, op) = (model.name(node.domain), model.name(node.op));
            if !is_known_domain(canonical_domain(domain)) {
                self.add(domain, || format!("domain-{}", id.index()));
            }
            if calipers_ops::find(canonical_domain(domain), op).is_none() {
                self.add(op, || format!("operator-{}", id.index()));
            }
            for step in scope::steps(model, id) {
                let next = self.scopes.len() + 1;
                self.scopes.entry(step.name).or_insert_with(|| format!("scope-{next}"));
                if let Some(class) = step.class {
                    self.add(&class, || format!("class-{next}"));
                }
            }
        }
        for set in &model.header.opsets {
            let domain = model.name(set.domain);
            if !is_known_domain(canonical_domain(domain)) {
                self.add(domain, || "domain".to_owned());
            }
        }
    }

    fn add_functions(&mut self, model: &Model) {
        for (id, function) in model.functions() {
            self.add(model.name(function.name), || format!("function-{}", id.index()));
            self.add(model.name(function.domain), || format!("domain-of-{}", id.index()));
            self.add(model.name(function.overload), || format!("overload-{}", id.index()));
        }
    }

    /// What the author wrote, and addresses in it, which findings name.
    fn add_texts(&mut self, model: &Model) {
        let header = &model.header;
        self.add(&header.domain, || "domain".to_owned());
        for (i, (key, value)) in header.metadata.iter().enumerate() {
            self.add(key, || format!("metadata-{}", i + 1));
            self.add(value, || format!("text-{}", i + 1));
        }
        let graphs = model.graphs().flat_map(|(_, graph)| &graph.metadata);
        let pairs = graphs.map(|(key, text)| (model.name(*key), model.name(*text)));
        let pairs: Vec<(String, String)> =
            pairs.map(|(key, text)| (key.to_owned(), text.to_owned())).collect();
        let all = header.metadata.iter().chain(&pairs);
        let texts: Vec<&str> = all
            .flat_map(|(key, text)| [key.as_str(), text.as_str()])
            .chain([header.doc.as_str()])
            .chain(model.graphs().map(|(_, graph)| model.name(graph.doc)))
            .collect();
        for text in texts {
            let letter = |c: char| c.is_alphanumeric() || matches!(c, '.' | '-' | '_');
            for word in text.split(|c: char| !letter(c)).filter(|word| word.contains('.')) {
                self.add(word.trim_matches('.'), || "address".to_owned());
            }
        }
        for configuration in &header.device_configurations {
            self.add(&configuration.name, || "devices".to_owned());
        }
    }

    /// The word for a name.
    pub(super) fn word(&self, name: &str) -> Option<&str> {
        self.words.get(name).map(String::as_str)
    }

    /// The path of a scope with every step replaced.
    pub(super) fn scope(&self, path: &str) -> String {
        let step = |step: &str| match step {
            "" => String::new(),
            step => self.scopes.get(step).cloned().unwrap_or_else(|| "scope".to_owned()),
        };
        path.split('/').map(step).collect::<Vec<_>>().join("/")
    }

    /// The longest name that a text begins with, and that ends where a word ends.
    pub(super) fn at_start<'n>(&'n self, text: &str) -> Option<&'n str> {
        let mut limit = text;
        loop {
            let above = self.inside.partition_point(|name| name.as_str() <= limit);
            let name = self.inside[..above].last()?;
            if limit.starts_with(name.as_str()) {
                let next = text[name.len()..].chars().next();
                if !next.is_some_and(|c| c.is_alphanumeric() || c == '_') {
                    return Some(name);
                }
                limit = before_last(&text[..name.len()])?;
                continue;
            }
            let same = name.char_indices().zip(limit.chars()).take_while(|((_, a), b)| a == b);
            let shared = same.map(|((at, c), _)| at + c.len_utf8()).last()?;
            limit = &text[..shared];
        }
    }
}

fn before_last(text: &str) -> Option<&str> {
    let (last, _) = text.char_indices().next_back()?;
    (last > 0).then(|| &text[..last])
}

/// Whether a name inside a sentence is distinctive: digits alone and a letter or two are not.
fn is_distinctive(name: &str) -> bool {
    name.chars().nth(SHORT - 1).is_some()
        && name.contains(|c: char| !c.is_ascii_digit() && c != '.')
}
