//! The code of TorchScript, as far as it says what is in a module: classes with their parameters and
//! buffers, the signature of `forward`, and what the code calls outside of PyTorch.

use std::collections::{BTreeSet, HashMap, HashSet};

use super::archive::Records;
use crate::Error;

/// Bytes of code that are read.
const MAX_CODE: usize = 1 << 24;

/// Calls that are noted.
const MAX_CALLS: usize = 1 << 8;

/// Longest signature that is shown.
const MAX_SIGNATURE: usize = 1 << 10;

/// The code of a program.
#[derive(Debug, Default)]
pub(super) struct Code {
    /// Classes by their whole name.
    pub(super) classes: HashMap<String, Class>,
    pub(super) files: usize,
    pub(super) lines: usize,
    /// Operators that touch files, or that PyTorch does not have.
    pub(super) calls_out: BTreeSet<String>,
}

/// A class.
#[derive(Debug, Default)]
pub(super) struct Class {
    pub(super) is_module: bool,
    pub(super) parameters: HashSet<String>,
    pub(super) buffers: HashSet<String>,
    pub(super) forward: Option<Signature>,
}

/// A signature.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Signature {
    /// As the code has it, on one line.
    pub(super) text: String,
    pub(super) arguments: Vec<Argument>,
}

/// An argument of a function.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Argument {
    pub(super) name: String,
    pub(super) ty: Type,
}

/// The type of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Type {
    Tensor,
    Int,
    Float,
    Bool,
    Other,
}

impl Code {
    /// Reads the code in an archive.
    pub(super) fn read(records: &mut Records) -> Result<Self, Error> {
        let is_code = |name: &&str| name.starts_with("code/") && name.ends_with(".py");
        let names: Vec<String> = records.inside().filter(is_code).map(str::to_owned).collect();
        let mut code = Self { files: names.len(), ..Self::default() };
        let mut left = MAX_CODE;
        for name in names {
            let Some(record) = records.read(&name)? else { continue };
            let bytes = record.bytes().unwrap_or_default();
            let Some(rest) = left.checked_sub(bytes.len()) else { break };
            left = rest;
            let module = name.trim_start_matches("code/").trim_end_matches(".py").replace('/', ".");
            code.add(&module, &String::from_utf8_lossy(&bytes));
        }
        Ok(code)
    }

    fn add(&mut self, module: &str, text: &str) {
        let mut class = None;
        let mut lines = text.lines();
        while let Some(line) = lines.next() {
            self.lines += 1;
            self.note_calls(line);
            if let Some(head) = line.strip_prefix("class ") {
                let (name, bases) =
                    head.split_once('(').unwrap_or((head.trim_end_matches(':'), ""));
                let whole = format!("{module}.{name}");
                let is_module = bases.starts_with("Module)");
                self.classes.insert(whole.clone(), Class { is_module, ..Class::default() });
                class = Some(whole);
                continue;
            }
            let Some(class) = class.as_ref().and_then(|class| self.classes.get_mut(class)) else {
                continue;
            };
            if let Some(list) = line.strip_prefix("  __parameters__ = [") {
                class.parameters = quoted(list);
            } else if let Some(list) = line.strip_prefix("  __buffers__ = [") {
                class.buffers = quoted(list);
            } else if let Some(start) = line.strip_prefix("  def forward(") {
                let mut head = start.trim().to_owned();
                while !head.ends_with(':') && head.len() < MAX_SIGNATURE {
                    let Some(next) = lines.next() else { break };
                    self.lines += 1;
                    head.push(' ');
                    head.push_str(next.trim());
                }
                class.forward = Some(signature(&head));
            }
        }
    }

    fn note_calls(&mut self, line: &str) {
        /// Namespaces of operators that PyTorch has, or that compute on tensors as they do.
        const KNOWN: &[&str] = &[
            "_caffe2",
            "_quantized",
            "aten",
            "mkldnn",
            "mkldnn_prepacked",
            "onednn",
            "prepacked",
            "prim",
            "prims",
            "profiler",
            "quantized",
            "rnn",
            "sparse",
            "static_runtime",
            "torchaudio",
            "torchvision",
            "xnnpack",
        ];
        /// Functions of PyTorch that read or write files.
        const FILES: &[&str] = &["from_file", "load", "save"];
        for (space, prefix) in [("torch", "torch."), ("", "ops.")] {
            let mut rest = line;
            while let Some((before, after)) = rest.split_once(prefix) {
                rest = after;
                let inside = before.chars().next_back();
                if inside.is_some_and(|it| it.is_alphanumeric() || it == '_' || it == '.') {
                    continue;
                }
                let end = after.find(|it: char| !(it.is_alphanumeric() || it == '_' || it == '.'));
                let path = after.get(..end.unwrap_or(after.len())).unwrap_or_default();
                let (space, name) = match space.is_empty() {
                    true => path.split_once('.').unwrap_or((path, "")),
                    false => (space, path),
                };
                let is_own = space == "torch" || space == "aten";
                let is_out = is_own && FILES.contains(&name) || !is_own && !KNOWN.contains(&space);
                if is_out && self.calls_out.len() < MAX_CALLS && path.len() <= MAX_SIGNATURE {
                    self.calls_out.insert(format!("{prefix}{path}"));
                }
            }
        }
    }
}

/// The texts of a list, up to its end.
fn quoted(list: &str) -> HashSet<String> {
    let inside = list.split(']').next().unwrap_or_default();
    inside.split(',').map(|name| name.trim().trim_matches('"').to_owned()).collect()
}

/// Reads a signature from behind its opening parenthesis.
fn signature(head: &str) -> Signature {
    let mut depth = 0_usize;
    let mut parts = vec![String::new()];
    for character in head.chars() {
        match character {
            '[' | '(' | '{' => depth += 1,
            ')' if depth == 0 => break,
            ']' | ')' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => {
                parts.push(String::new());
                continue;
            }
            _ => {}
        }
        if let Some(part) = parts.last_mut() {
            part.push(character);
        }
    }
    // The first one is the module itself.
    let arguments = parts.iter().skip(1).filter_map(|part| {
        let (name, ty) = part.split_once(':')?;
        let name = name.trim();
        let ty = match ty.split('=').next().unwrap_or_default().trim() {
            "Tensor" => Type::Tensor,
            "int" => Type::Int,
            "float" => Type::Float,
            "bool" => Type::Bool,
            _ => Type::Other,
        };
        Some(Argument { name: name.to_owned(), ty })
    });
    let arguments = arguments.collect();
    let text = format!("forward({}", head.trim_end_matches(':'));
    Signature { text, arguments }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn classes_and_signatures_are_found() {
        let text = "class Net(Module):\n  __parameters__ = [\"weight\", \"bias\", ]\n  __buffers__ = []\n  \
                    weight : Tensor\n  def forward(self: __torch__.Net,\n    x: Tensor,\n    hx: \
                    Optional[Tuple[Tensor, Tensor]]=None,\n    sr: int) -> Tensor:\n    _0 = torch.relu(x)\n    \
                    torch.save(x, \"/tmp/x\")\n    return ops.mylib.run(ops.aten.add(x, 1))\n";
        let mut code = Code::default();
        code.add("__torch__", text);
        let class = &code.classes["__torch__.Net"];
        assert!(class.is_module);
        assert_eq!(class.parameters.len(), 3); // the trailing comma leaves an empty name
        assert!(class.parameters.contains("weight") && class.parameters.contains("bias"));
        assert!(!class.buffers.contains("weight"));
        let forward = class.forward.as_ref().unwrap();
        assert!(forward.text.starts_with("forward(self: __torch__.Net, x: Tensor, hx:"));
        assert!(forward.text.ends_with("-> Tensor"));
        let types: Vec<_> = forward.arguments.iter().map(|it| (it.name.as_str(), it.ty)).collect();
        assert_eq!(types, [("x", Type::Tensor), ("hx", Type::Other), ("sr", Type::Int)]);
        let calls: Vec<&str> = code.calls_out.iter().map(String::as_str).collect();
        assert_eq!(calls, ["ops.mylib.run", "torch.save"]);
    }
}
