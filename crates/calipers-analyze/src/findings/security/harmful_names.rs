//! Names that would harm a terminal, a page or a shell.

use calipers_ir::{Model, NameId};
use calipers_report::Severity;

use crate::findings::{Evidence, Hit, Rule, counted};

pub(crate) const RULE: Rule = Rule {
    id: "harmful-names",
    severity: Severity::Warning,
    group: "security",
    title: "Names could harm what shows them",
    checks: "Every name in the file, for characters that steer a terminal, turn the direction of \
             writing or cannot be seen, for active HTML, and for commands that a shell would run.",
    why: "Names of nodes and tensors end up in logs, web pages, file names and scripts. No exporter \
          writes such names; whoever put them there means the tool that shows them.",
    example: "A node called `<img src=x onerror=alert(1)>`, or a tensor called `w$(reboot)`.",
    recommendation: "find out where the file comes from before you show its names elsewhere; here \
                     they are written harmlessly",
    check,
};

/// Tags that do something when a page shows them. `<lambda>` and `<locals>` are Python's own.
const TAGS: [&str; 17] = [
    "a", "base", "body", "button", "embed", "form", "iframe", "img", "input", "link", "meta",
    "object", "script", "style", "svg", "textarea", "video",
];

/// What a name could harm.
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
    for name in names(model) {
        if let Some(harm) = harm(name) {
            counts[harm as usize] += 1;
            found.push(name);
        }
    }
    let kinds = ["steer a terminal", "hide letters", "are active HTML", "are commands of a shell"];
    let told: Vec<String> = counts
        .iter()
        .zip(kinds)
        .filter(|(count, _)| **count > 0)
        .map(|(count, kind)| format!("{count} that {kind}"))
        .collect();
    (!found.is_empty()).then(|| {
        Hit::new(
            format!("{}: {}", counted(found.len(), "name"), told.join(", ")),
            found.iter().map(|name| shortened(name)),
        )
    })
}

/// Every name of the model, and its metadata.
fn names(model: &Model) -> impl Iterator<Item = &str> {
    let interned = (0..model.names.len()).filter_map(NameId::new).map(|id| model.name(id));
    let header = &model.header;
    let pairs = header.metadata.iter().flat_map(|(key, value)| [key.as_str(), value.as_str()]);
    interned.chain(pairs).chain([header.domain.as_str(), header.producer_name.as_str()])
}

/// A name may be as long as the file.
fn shortened(name: &str) -> String {
    match name.char_indices().nth(80) {
        Some((end, _)) => format!("{}…", &name[..end]),
        None => name.to_owned(),
    }
}

fn harm(name: &str) -> Option<Harm> {
    // Most names are plain, and one look tells.
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"_./-, \n\t\r".contains(&byte);
    if name.bytes().all(plain) {
        return None;
    }
    // Texts of several lines are documentation or metadata; line breaks are no harm there.
    let control = |c: char| c.is_control() && !matches!(c, '\n' | '\r' | '\t');
    if name.contains(control) {
        Some(Harm::Terminal)
    } else if name.contains(hides) {
        Some(Harm::Hidden)
    } else if is_active(name) {
        Some(Harm::Page)
    } else if name.contains("$(") || name.contains("&&") || backquoted(name) {
        Some(Harm::Shell)
    } else {
        None
    }
}

/// Characters that turn the direction of writing or take no room.
fn hides(c: char) -> bool {
    // The joiners of emoji and of some scripts are left out.
    matches!(u32::from(c), 0x200b | 0x200e..=0x200f | 0x202a..=0x202e | 0x2060..=0x2069
        | 0xfeff | 0xe0001..=0xe007f)
}

fn is_active(name: &str) -> bool {
    if !name.contains(['<', ':']) {
        return false;
    }
    let lower = name.to_ascii_lowercase();
    let tag = lower.match_indices('<').any(|(at, _)| {
        let rest = lower[at + 1..].trim_start_matches('/');
        let end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
        TAGS.contains(&&rest[..end])
    });
    tag || lower.contains("javascript:")
}

/// Whether something stands between two backquotes on one line, and no prose around it: the
/// documentation of a model may quote code so.
fn backquoted(name: &str) -> bool {
    name.len() < 256
        && !name.contains('\n')
        && !name.contains(". ")
        && name.matches('`').count() >= 2
}

#[cfg(test)]
mod tests {
    use calipers_samples::{DataType::F32, ModelBuilder, Node};

    use super::RULE;
    use crate::findings::testing::raised;

    fn named(name: &str) -> Vec<u8> {
        let mut model = ModelBuilder::new(17);
        model.input("x", F32, &["1"]).output("y", F32, &["1"]);
        model.push(&Node::new("Relu", &["x"], &["y"], &[]).named(name)).build()
    }

    #[test]
    fn attacks_are_found() {
        for (name, kind) in [
            ("a\u{1b}[31mb", "steer a terminal"),
            ("gpj.\u{202e}xnno", "hide letters"),
            ("<img src=x onerror=alert(1)>", "active HTML"),
            ("</script><script>", "active HTML"),
            ("[x](javascript:alert(1))", "active HTML"),
            ("w$(reboot)", "shell"),
            ("w`reboot`", "shell"),
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
            "x < y && z".split("&&").next().unwrap(),
            "torch.nn.modules.conv.Conv2d::conv1",
        ] {
            assert_eq!(raised(&RULE, named(name)), None, "{name:?}");
        }
    }

    #[test]
    fn documentation_may_quote_code() {
        let mut model = ModelBuilder::new(17);
        model.metadata("readme", "Call `run`. It returns `y`.\nSee the page.");
        assert_eq!(raised(&RULE, model.build()), None);
    }
}
