//! The module that a node belongs to, from its name or from what its exporter wrote next to it.
//!
//! | the file says | scope |
//! |---|---|
//! | name `/encoder/layer.0/attention/MatMul` | `/encoder/layer.0/attention` |
//! | name `bert/encoder/MatMul__12` | `/bert/encoder` |
//! | `pkg.torch.onnx.name_scopes` = `['', 'enc', 'enc.layer.0', 'linear']` | `/enc/layer.0` |
//! | `namespace` = `: Network/enc: Encoder/enc.layer.0: Layer/linear: aten.linear` | `/enc/layer.0` |
//! | name `Conv_0` | none |

use std::borrow::Cow;

use crate::{Model, NodeId, secrets};

/// Deeper scopes are taken for the one at this depth.
const DEPTH: usize = 32;

/// Longer texts are no scopes: no exporter writes them, and a hostile file may.
const TEXT: usize = 16 * 1024;

/// One step on the way from the root to a scope.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Step {
    /// Its name.
    pub name: String,
    /// The kind of module, where it is known.
    pub class: Option<String>,
}

/// Returns the path of a node's scope as it is shown; empty if the file does not state it.
pub fn steps(model: &Model, node: NodeId) -> Vec<Step> {
    let Some(shown) = model.shown_scopes() else { return written(model, node) };
    let step = |step: Step| Step {
        name: shown.get(&step.name).map_or("scope", String::as_str).to_owned(),
        // The class of a module is a name that an author chose.
        class: None,
    };
    written(model, node).into_iter().map(step).collect()
}

/// The path of a node's scope as the file states it, with secrets masked where names are.
fn written(model: &Model, node: NodeId) -> Vec<Step> {
    let metadata = |key: &str| {
        let entry = model.node_metadata(node).find(|(name, _)| model.hint(*name).is(key));
        let text = entry.map(|(_, text)| text).filter(|text| text.len() <= TEXT)?;
        Some(if model.is_renamed() { secrets::mask(text) } else { Cow::Borrowed(text) })
    };
    let mut steps = if let Some(names) = metadata("pkg.torch.onnx.name_scopes") {
        let classes = metadata("pkg.torch.onnx.class_hierarchy");
        let classes = classes.map(|text| list(&text)).unwrap_or_default();
        from_scopes(&list(&names), &classes)
    } else if let Some(namespace) = metadata("namespace") {
        let (names, classes): (Vec<_>, Vec<_>) = namespace
            .split('/')
            .map(|part| part.split_once(": ").unwrap_or((part, "")))
            .map(|(name, class)| (name.trim().to_owned(), class.to_owned()))
            .unzip();
        from_scopes(&names, &classes)
    } else if model.is_redacted() {
        // The steps are replaced one by one before they are shown.
        from_name(model.original_name(model.node(node).name))
    } else {
        from_name(model.name(model.node(node).name))
    };
    steps.truncate(DEPTH);
    steps
}

/// The path of a scope: `/encoder/layer.0`; empty for none.
pub fn path(steps: &[Step]) -> String {
    steps.iter().fold(String::new(), |path, step| path + "/" + &step.name)
}

fn from_name(name: &str) -> Vec<Step> {
    if name.len() > TEXT {
        return Vec::new();
    }
    let Some((scope, _)) = name.rsplit_once('/') else { return Vec::new() };
    let parts = scope.split('/').filter(|part| !part.is_empty());
    parts.map(|part| Step { name: part.to_owned(), class: None }).collect()
}

/// Each name repeats the one before it: `enc`, `enc.layer.0`. The last is the node's own.
fn from_scopes(names: &[String], classes: &[String]) -> Vec<Step> {
    let mut steps = Vec::new();
    let mut before = "";
    let scopes = names.split_last().map_or(&[][..], |(_, scopes)| scopes);
    for (i, full) in scopes.iter().enumerate() {
        // PyTorch's word for a node that it made itself.
        if full.is_empty() || full.starts_with("_empty_nn_module_stack") {
            continue;
        }
        let rest = full.strip_prefix(before).and_then(|rest| rest.strip_prefix('.'));
        let name = rest.filter(|_| !before.is_empty()).unwrap_or(full).to_owned();
        let class = classes.get(i).filter(|class| !class.is_empty()).cloned();
        steps.push(Step { name, class });
        before = full;
    }
    steps
}

/// The texts of a list as Python prints one.
fn list(text: &str) -> Vec<String> {
    let mut items = Vec::new();
    let mut item: Option<(char, String)> = None;
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match &mut item {
            None if c == '\'' || c == '"' => item = Some((c, String::new())),
            None => {}
            Some((quote, done)) if c == *quote => {
                items.push(std::mem::take(done));
                item = None;
            }
            Some((_, text)) if c == '\\' => text.extend(chars.next()),
            Some((_, text)) => text.push(c),
        }
    }
    items
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(parts: &[&str]) -> Vec<String> {
        parts.iter().map(|part| (*part).to_owned()).collect()
    }

    #[test]
    fn names_are_paths() {
        for (name, scope) in [
            ("/encoder/layer.0/attention/MatMul", "/encoder/layer.0/attention"),
            ("bert/encoder/MatMul__12", "/bert/encoder"),
            ("//a///b", "/a"),
            ("Conv_0", ""),
            ("/Conv", ""),
            ("", ""),
        ] {
            assert_eq!(path(&from_name(name)), scope, "{name}");
        }
        assert_eq!(from_name(&"/".repeat(1 << 20)), [], "no exporter writes that");
    }

    #[test]
    fn scopes_repeat_the_one_before() {
        let names = list(r#"['', 'm', "m.layer.0", 'm.layer.0.it\'s', 'linear']"#);
        assert_eq!(names, texts(&["", "m", "m.layer.0", "m.layer.0.it's", "linear"]));
        let steps = from_scopes(&names, &texts(&["Network", "Model", "Layer"]));
        assert_eq!(path(&steps), "/m/layer.0/it's");
        let classes: Vec<_> = steps.iter().map(|step| step.class.as_deref()).collect();
        assert_eq!(classes, [Some("Model"), Some("Layer"), None]);
        assert_eq!(from_scopes(&[], &[]), []);
    }
}
