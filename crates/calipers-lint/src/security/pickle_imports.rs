//! Pickles that import more than tensors need.

use calipers_ir::Hazard;
use calipers_report::Severity;

use super::shortened;
use crate::{Evidence, Hit, Rule, listed, plural};

pub(crate) const RULE: Rule = Rule {
    id: "pickle-imports",
    severity: Severity::Error,
    group: "security",
    title: "Pickle imports code",
    checks: "Functions and classes that the pickles of a checkpoint import, other than those that \
             rebuild tensors and plain containers. Imports of unknown libraries alone are a warning.",
    why: "Loading a pickle calls what it imports, with arguments from the file. `os.system` and \
          its like run any command with the privileges of the process.",
    example: "A checkpoint that imports `posix.system`.",
    recommendation: "Do not load this file. Load weights with `torch.load(path, \
                     weights_only=True)`, or get them as SafeTensors from their author.",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let imports = |wanted: bool| {
        let hazards = evidence.model.hazards.iter();
        let names = hazards.filter_map(move |hazard| match hazard {
            Hazard::Import { module, name, is_dangerous } if *is_dangerous == wanted => {
                Some(shortened(&format!("{module}.{name}")))
            }
            _ => None,
        });
        let mut names: Vec<String> = names.collect();
        names.sort_unstable();
        names.dedup();
        names
    };
    let (dangerous, unknown) = (imports(true), imports(false));
    if dangerous.is_empty() && unknown.is_empty() {
        return None;
    }
    if dangerous.is_empty() {
        let detail = format!(
            "{} that is not of PyTorch or NumPy: {}",
            plural(unknown.len(), "import", "imports"),
            listed(unknown.clone())
        );
        return Some(Hit::new(detail, unknown).severity(Severity::Warning));
    }
    let detail = format!(
        "{} that can run code: {}",
        plural(dangerous.len(), "import", "imports"),
        listed(dangerous.clone())
    );
    Some(Hit::new(detail, dangerous))
}
