//! Names that are unsafe in a terminal, a web page or a shell.

use calipers_ir::{Dim, Hint, Model, NameId};
use calipers_report::Severity;

use super::{shortened, texts};
use crate::{Evidence, Hit, Rule, counted};

pub(crate) const RULE: Rule = Rule {
    id: "harmful-names",
    severity: Severity::Warning,
    group: "security",
    title: "Names contain control characters, markup or shell commands",
    checks: "Every name in the file: terminal control characters, bidirectional and invisible \
             characters, active HTML, closing quotes and shell commands. Documentation and \
             metadata may contain line breaks, links and code; only scripts are reported there.",
    why: "Names of nodes and tensors appear in logs, web pages, file names and scripts. Exporters \
          do not write such names; they target the tools that display them.",
    example: "A node named `<img src=x onerror=alert(1)>`, or a tensor named `w$(reboot)`.",
    recommendation: "Check where the file comes from, and escape its names in your own tools; \
                     Calipers escapes them in every output.",
    check,
};

/// Active HTML tags. `<lambda>` and `<locals>` are Python names.
const TAGS: [&str; 17] = [
    "a", "base", "body", "button", "embed", "form", "iframe", "img", "input", "link", "meta",
    "object", "script", "style", "svg", "textarea", "video",
];

/// What a name is unsafe for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Harm {
    Terminal,
    Hidden,
    Page,
    Shell,
}

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let model = evidence.model;
    let mut counts = [0_usize; 4];
    let mut found = Vec::new();
    let names = names(model).into_iter().map(|(name, hint)| (name, hint.judge(harm)));
    let texts = texts(model).map(|text| (text.shown, text.hint.judge(harm_of_text)));
    for (text, harm) in names.chain(texts) {
        if let Some(harm) = harm {
            counts[harm as usize] += 1;
            found.push(text);
        }
    }
    let kinds = ["control characters", "invisible characters", "active HTML", "shell commands"];
    let reported: Vec<String> = counts
        .iter()
        .zip(kinds)
        .filter(|(count, _)| **count > 0)
        .map(|(count, kind)| format!("{count} with {kind}"))
        .collect();
    (!found.is_empty()).then(|| {
        Hit::new(
            format!("{}: {}", counted(found.len(), "string"), reported.join(", ")),
            found.iter().map(|name| shortened(name)),
        )
    })
}

/// Returns the names of nodes, values, dimensions, operators, functions and keys, each once: as
/// shown, and as evidence.
pub(super) fn names(model: &Model) -> Vec<(&str, Hint<'_>)> {
    let mut seen = vec![false; model.names.len()];
    let mut names = Vec::new();
    let mut add = |id: NameId| {
        if !std::mem::replace(&mut seen[id.index()], true) {
            names.push((model.name(id), model.hint(id)));
        }
    };
    for (_, node) in model.nodes() {
        for name in [node.name, node.op, node.domain, node.overload] {
            add(name);
        }
    }
    for (_, value) in model.values() {
        add(value.name);
        let tensor = value.ty.and_then(|ty| model.value_type(ty).tensor());
        for dim in tensor.and_then(|tensor| tensor.shape.as_ref()).into_iter().flatten() {
            if let Dim::Symbol(name) = dim {
                add(*name);
            }
        }
    }
    for (_, graph) in model.graphs() {
        add(graph.name);
        graph.metadata.iter().for_each(|(key, _)| add(*key));
    }
    for (_, function) in model.functions() {
        add(function.name);
        add(function.domain);
    }
    let keys = model.header.metadata.iter().zip(model.metadata_hints());
    names.extend(keys.map(|((key, _), (hint, _))| (key.as_str(), hint)));
    let [producer, version] = model.producer_hints();
    names.push((&model.header.producer_name, producer));
    names.push((&model.header.producer_version, version));
    names
}

fn harm(name: &str) -> Option<Harm> {
    // The fast path for the plain names of most models.
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_./-, :()[]".contains(&byte);
    if name.bytes().all(plain) {
        return is_script(name).then_some(Harm::Page);
    }
    let quoted = ["\"}", "\"]", "\")", "\";", "\">", "'>", "');"];
    if name.contains(char::is_control) {
        Some(Harm::Terminal)
    } else if name.contains(hides) {
        Some(Harm::Hidden)
    } else if has_tag(name, &TAGS) || quoted.iter().any(|end| name.contains(end)) {
        Some(Harm::Page)
    } else if name.contains("$(") || name.contains("&&") || name.contains('`') {
        Some(Harm::Shell)
    } else {
        None
    }
}

/// Returns the harm of documentation or metadata, which may contain lines, links and code.
fn harm_of_text(text: &str) -> Option<Harm> {
    if text.contains(|c: char| c.is_control() && !c.is_whitespace()) {
        Some(Harm::Terminal)
    } else if text.contains(hides) {
        Some(Harm::Hidden)
    } else if has_tag(text, &["iframe", "script"]) || text.contains("onerror=") {
        Some(Harm::Page)
    } else {
        None
    }
}

/// Whether a character changes the text direction or is invisible.
fn hides(c: char) -> bool {
    // Joiners, which emoji and some scripts need, are allowed.
    matches!(u32::from(c), 0x200b | 0x200e..=0x200f | 0x202a..=0x202e | 0x2060..=0x2069
        | 0xfeff | 0xe0001..=0xe007f)
}

/// Whether a text contains a `javascript:` URL.
fn is_script(text: &str) -> bool {
    let scheme = b"javascript";
    text.match_indices(':').any(|(at, _)| {
        let before = &text.as_bytes()[..at];
        before.len() >= scheme.len()
            && before[before.len() - scheme.len()..].eq_ignore_ascii_case(scheme)
    })
}

/// Whether a text contains one of these tags or a `javascript:` URL.
fn has_tag(text: &str, tags: &[&str]) -> bool {
    if !text.contains('<') {
        return is_script(text);
    }
    let lower = text.to_ascii_lowercase();
    let tag = lower.match_indices('<').any(|(at, _)| {
        let rest = lower[at + 1..].trim_start_matches('/');
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
        tags.contains(&&rest[..end])
    });
    tag || is_script(text)
}

#[cfg(test)]
mod tests {
    use calipers_samples::{DataType::F32, ModelBuilder, Node};

    use super::RULE;
    use crate::testing::raised;

    fn named(name: &str) -> Vec<u8> {
        let mut model = ModelBuilder::new(17);
        model.input("x", F32, &["1"]).output("y", F32, &["1"]);
        model.push(&Node::new("Relu", &["x"], &["y"], &[]).named(name)).build()
    }

    #[test]
    fn attacks_are_found() {
        for (name, kind) in [
            ("a\u{1b}[31mb", "control characters"),
            ("gpj.\u{202e}xnno", "invisible characters"),
            ("<img src=x onerror=alert(1)>", "active HTML"),
            ("</script><script>", "active HTML"),
            ("[x](javascript:alert(1))", "active HTML"),
            ("w$(reboot)", "shell"),
            ("w`reboot`", "shell"),
            ("batch\"}]; alert(1)//", "active HTML"),
            ("a\n## Injected", "control characters"),
        ] {
            let found = raised(&RULE, named(name)).unwrap();
            assert!(found.detail.contains(kind), "{name:?}: {}", found.detail);
        }
    }

    #[test]
    fn names_of_exporters_and_of_every_language_are_not() {
        for name in [
            "/model/layers.0/attn/MatMul",
            "jit(<lambda>)/dot_general",
            "fn.<locals>.inner",
            "StatefulPartitionedCall/a;StatefulPartitionedCall/b",
            "輸入🦀",
            "größe",
            "model/dense/BiasAdd:0",
            "torch.nn.modules.conv.Conv2d::conv1",
        ] {
            assert_eq!(raised(&RULE, named(name)), None, "{name:?}");
        }
    }

    #[test]
    fn documentation_may_quote_code() {
        let mut model = ModelBuilder::new(17);
        model.metadata("readme", "OpContext `run`. It returns `y`.\nSee the page.");
        assert_eq!(raised(&RULE, model.build()), None);
    }
}
