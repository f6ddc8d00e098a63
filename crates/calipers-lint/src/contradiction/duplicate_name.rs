//! Names that are defined twice in one graph.

use calipers_ir::Issue;
use calipers_report::Severity;

use crate::{Evidence, Hit, Rule, counted};

pub(crate) const RULE: Rule = Rule {
    id: "duplicate-name",
    severity: Severity::Error,
    group: "contradiction",
    title: "A name is defined twice",
    checks: "Whether inputs, initializers and results of nodes of one graph all have different names.",
    why: "The standard asks for names that are defined once. Where two readers pick different \
          definitions, they run different models: what was reviewed is not what runs.",
    example: "Two initializers called `weight`, of different contents.",
    recommendation: "give every value of a graph a name of its own",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let model = evidence.model;
    let issues = model.issues.iter().filter_map(|issue| match issue {
        Issue::DuplicateDefinition { value, .. } => Some(model.name(model.value(*value).name)),
        _ => None,
    });
    let names: Vec<_> = issues.collect();
    (!names.is_empty()).then(|| {
        Hit::new(
            format!(
                "{} that an earlier one has already named; the report counts the first",
                counted(names.len(), "definition")
            ),
            names.iter().map(|name| (*name).to_owned()),
        )
    })
}

#[cfg(test)]
mod tests {
    use calipers_samples::{DataType::F32, ModelBuilder, Tensor};

    use super::RULE;
    use crate::testing::raised;

    fn weights(second: &str) -> Vec<u8> {
        let mut model = ModelBuilder::new(17);
        model.input("x", F32, &["1"]).output("y", F32, &["1"]);
        for name in ["w", second] {
            model.initializer(&Tensor::f32(name, &[1], &[1.0]));
        }
        model.node("Mul", &["x", "w"], &["z"], &[]).node("Mul", &["z", second], &["y"], &[]);
        model.build()
    }

    #[test]
    fn a_second_definition_is_found_and_a_second_name_is_not() {
        assert_eq!(raised(&RULE, weights("w")).unwrap().nodes, ["w"]);
        assert_eq!(raised(&RULE, weights("v")), None);
    }
}
