//! Tensors larger than the memory of any machine.

use calipers_ir::ValueId;
use calipers_report::Severity;

use crate::{Evidence, Hit, Rule, counted};

pub(crate) const RULE: Rule = Rule {
    id: "oversized-values",
    severity: Severity::Warning,
    group: "security",
    title: "Tensor larger than 1 TiB",
    checks: "Tensors with a static shape that take 1 TiB or more.",
    why: "A runtime that allocates what the file declares runs out of memory or overflows the \
          size. A file of a few bytes can declare such a shape.",
    example: "An input declared as `[1000000000, 3, 1000000, 1000000]`.",
    recommendation: "Check the declared dimensions and re-export with the intended shape; run this \
                     file only with a memory limit, e.g. `ulimit -v 8000000`.",
    check,
};

/// 1 TiB: no real model has a tensor of this size.
const LIMIT: u128 = 1 << 40;

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let (model, typed) = (evidence.model, evidence.typed);
    let large = |value: ValueId| {
        let tensor = typed.fact(value).as_tensor()?;
        let bits = u128::from(tensor.dtype.bits()?);
        let dims: Option<Vec<u64>> =
            tensor.dims()?.iter().map(|dim| u64::try_from(dim.as_const()?).ok()).collect();
        let dims = dims?;
        if dims.contains(&0) {
            return None;
        }
        // A product that overflows 128 bits exceeds the limit.
        let elements = dims.iter().try_fold(1_u128, |all, dim| all.checked_mul(u128::from(*dim)));
        let bytes = elements.and_then(|elements| elements.checked_mul(bits)).map(|bits| bits / 8);
        (bytes.is_none_or(|bytes| bytes >= LIMIT)).then_some(())
    };
    let values = model.values().map(|(value, _)| value);
    let values: Vec<ValueId> = values.filter(|value| large(*value).is_some()).collect();
    let first = typed.fact(*values.first()?);
    Some(Hit::new(
        format!("{}; first {first}", counted(values.len(), "tensor")),
        values.iter().map(|value| model.name(model.value(*value).name).to_owned()),
    ))
}

#[cfg(test)]
mod tests {
    use calipers_samples::{DataType::F32, ModelBuilder};

    use super::RULE;
    use crate::testing::raised;

    #[test]
    fn a_tebibyte_is_found_and_what_a_machine_holds_is_not() {
        let of = |size: &str| {
            let mut model = ModelBuilder::new(17);
            model.input("x", F32, &[size, "1024"]).output("y", F32, &[size, "1024"]);
            model.node("Relu", &["x"], &["y"], &[]).build()
        };
        // 2^28 rows of 1,024 floats of 4 bytes are 2^40 bytes.
        assert_eq!(raised(&RULE, of("268435456")).unwrap().nodes, ["x", "y"]);
        assert_eq!(raised(&RULE, of("268435455")), None);
    }
}
