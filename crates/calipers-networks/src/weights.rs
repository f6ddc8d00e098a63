//! The tensors that a file has, by the names that its convention gives them.

use std::collections::BTreeMap;

use calipers_ir::DType;

use crate::Stored;
use crate::names::{Convention, Names, Role};

/// What ends the name of a module's matrix.
const MATRICES: &[&str] = &[".weight", ".qweight", ".weight_packed", ""];

/// Words of the names of towers that read no text.
const OTHER_TOWERS: &[&str] = &["vision", "visual", "audio", "image"];

/// The tensors of a file.
pub(crate) struct Weights<'s> {
    by_name: BTreeMap<&'s str, &'s Stored>,
    convention: Convention,
    /// Whether tensors are stored, and none of them is one of the network.
    others: bool,
    pub(crate) dtype: Option<DType>,
}

/// Where the tensors of a stack are.
#[derive(Clone, Debug)]
pub(crate) struct Stack {
    pub(crate) names: &'static Names,
    /// What is before the names of the stack.
    root: String,
}

impl Stack {
    /// What is before the names of the stack.
    pub(crate) fn root(&self) -> &str {
        &self.root
    }
}

impl<'s> Weights<'s> {
    pub(crate) fn new(stored: &'s [Stored], convention: Convention, names: &'static Names) -> Self {
        let by_name = stored.iter().map(|tensor| (tensor.text.as_str(), tensor)).collect();
        let is_matrix = |it: &&Stored| it.dims.len() == 2 && it.dtype.is_float();
        let dtype =
            stored.iter().find(is_matrix).or_else(|| stored.iter().find(|it| it.dtype.is_float()));
        let mut weights =
            Self { by_name, convention, others: false, dtype: dtype.map(|it| it.dtype) };
        weights.others = !stored.is_empty() && weights.roots(names).is_empty();
        weights
    }

    /// Whether tensors are stored, and none of them is one of the network.
    pub(crate) fn are_others(&self) -> bool {
        self.others
    }

    pub(crate) fn is_empty(&self) -> bool {
        self.by_name.is_empty()
    }

    pub(crate) fn convention(&self) -> Convention {
        self.convention
    }

    pub(crate) fn get(&self, name: &str) -> Option<&'s Stored> {
        self.by_name.get(name).copied()
    }

    /// Whether a module or a parameter is stored.
    pub(crate) fn has(&self, path: &str) -> bool {
        MATRICES.iter().any(|end| match *end {
            "" => self.by_name.contains_key(path),
            end => self.by_name.contains_key(format!("{path}{end}").as_str()),
        })
    }

    /// What is before the layers of a stack, with the number of tensors behind it.
    fn roots(&self, names: &Names) -> BTreeMap<&'s str, usize> {
        let (before, after) = names.layer.split_once("{}").unwrap_or((names.layer, ""));
        let mut roots = BTreeMap::new();
        for name in self.by_name.keys() {
            for (at, _) in name.match_indices(before) {
                let (root, rest) = name.split_at(at);
                let is_start = root.is_empty() || root.ends_with('.');
                let rest = rest.get(before.len()..).unwrap_or_default();
                let inner = rest.trim_start_matches(|c: char| c.is_ascii_digit());
                let Some(inner) = inner.strip_prefix(after).filter(|_| inner.len() < rest.len())
                else {
                    continue;
                };
                let is_role = |name: &str| {
                    let (start, _) = name.split_once("{}").unwrap_or((name, ""));
                    inner.starts_with(start)
                };
                if is_start && names.roles.iter().any(|(_, name)| is_role(name)) {
                    *roots.entry(root).or_default() += 1;
                    break;
                }
            }
        }
        roots
    }

    /// Finds a stack. One that is not stored is where its family has it.
    pub(crate) fn stack(&self, names: &'static Names) -> Stack {
        let roots = self.roots(names);
        let is_other = |root: &str| OTHER_TOWERS.iter().any(|word| root.contains(word));
        let stated = [names.root, ""].into_iter().find(|root| roots.contains_key(root));
        let most = || {
            let best = roots.iter().max_by_key(|(root, count)| (!is_other(root), **count));
            best.map(|(root, _)| *root)
        };
        let root = stated.or_else(most).unwrap_or(names.root);
        Stack { names, root: root.to_owned() }
    }

    /// The module of a role outside of the layers: the first that is stored, else the first of all.
    pub(crate) fn path(&self, stack: &Stack, role: Role) -> Option<String> {
        let root = stack.root.as_str();
        let trimmed = root.trim_end_matches('.');
        let parent = trimmed.rfind('.').and_then(|at| root.get(..=at)).unwrap_or("");
        // The head is beside the stack in the modules of PyTorch.
        let places = if role == Role::Head { ["", parent, root] } else { [root, parent, ""] };
        let mut all = stack
            .names
            .for_role(role)
            .flat_map(|name| places.map(|place| format!("{place}{name}")));
        all.clone().find(|path| self.has(path)).or_else(|| all.next())
    }

    /// The module of a role in a layer. `expert` is its number, where the role has one.
    pub(crate) fn in_layer(
        &self,
        stack: &Stack,
        layer: i64,
        role: Role,
        expert: Option<i64>,
    ) -> Option<String> {
        let before =
            format!("{}{}", stack.root, stack.names.layer.replace("{}", &layer.to_string()));
        let mut all = stack.names.for_role(role).map(|name| match expert {
            Some(expert) => format!("{before}{}", name.replace("{}", &expert.to_string())),
            None => format!("{before}{name}"),
        });
        all.clone().find(|path| self.has(path)).or_else(|| all.next())
    }
}
