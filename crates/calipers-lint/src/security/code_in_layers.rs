//! Layers that carry code.

use calipers_ir::Hazard;
use calipers_report::Severity;

use super::shortened;
use crate::{Evidence, Hit, Rule, counted};

pub(crate) const RULE: Rule = Rule {
    id: "code-in-layers",
    severity: Severity::Warning,
    group: "security",
    title: "Layers carry Python code",
    checks: "Layers of Keras that hold a function as compiled Python code, such as `Lambda`.",
    why: "Loading the model makes the code a function, and running the model calls it, with the \
          privileges of the process. Nothing of it can be reviewed in the file.",
    example: "A `Lambda` layer with a marshalled function.",
    recommendation: "Load the model only with `keras.models.load_model(path, safe_mode=True)`, or \
                     replace each `Lambda` by a layer class whose source you have.",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let layers = evidence.model.hazards.iter().filter_map(|hazard| match hazard {
        Hazard::CodeInLayer { layer } => Some(shortened(layer)),
        _ => None,
    });
    let layers: Vec<String> = layers.collect();
    (!layers.is_empty()).then(|| Hit::new(counted(layers.len(), "layer"), layers))
}
