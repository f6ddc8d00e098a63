//! float32 weights that 16 bits represent exactly.

use calipers_ir::DType;
use calipers_measure::weights::Seen;
use calipers_report::Severity;
use calipers_report::units;

use super::super::{Evidence, Hit, Rule, counted};
use super::percent;

/// Share of the float32 bytes that must be exact, in percent.
const SHARE: u64 = 90;

/// Smallest model that is reported, in bytes.
const MIN_BYTES: u64 = 4096;

pub(crate) const RULE: Rule = Rule {
    id: "weights-fit-float16",
    severity: Severity::Info,
    group: "weights",
    title: "float32 weights that are exact in 16 bits",
    checks: "Every learned float32 element: whether float16, or bfloat16, represents it exactly. \
             Tensors with one value are ignored. Reported from 90% of the bytes and 4 kB.",
    why: "The model was trained or stored in half precision and converted to float32; half of its \
          bytes are zeros.",
    example: "A language model published in bfloat16 and exported to float32.",
    recommendation: "Export in the original type, `model.to(torch.float16)` before \
                     `torch.onnx.export(...)`, or convert with \
                     `onnxruntime.transformers.float16.convert_float_to_float16(model, \
                     keep_io_types=True)`.",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let weights = evidence.weights.filter(|weights| weights.is_whole())?;
    let wide: Vec<&Seen> = weights.learned().filter(|seen| counts(seen)).collect();
    let all = wide.iter().map(|seen| seen.bytes).fold(0, u64::saturating_add);
    let fit = |narrow: fn(&Seen) -> bool| wide.iter().copied().filter(move |seen| narrow(seen));
    let halves = fit(in_float16).map(|seen| seen.bytes).fold(0, u64::saturating_add);
    let bfloats = fit(in_bfloat16).map(|seen| seen.bytes).fold(0, u64::saturating_add);
    let (bytes, dtype, narrow): (u64, &str, fn(&Seen) -> bool) = if halves >= bfloats {
        (halves, "float16", in_float16)
    } else {
        (bfloats, "bfloat16", in_bfloat16)
    };
    if all < MIN_BYTES || bytes.saturating_mul(100) < all.saturating_mul(SHARE) {
        return None;
    }
    let detail = format!(
        "{} of {} of float32 weights ({}), in {}, are exact in {dtype}; {} can be saved",
        units::bytes(bytes),
        units::bytes(all),
        percent(bytes, all),
        counted(fit(narrow).count(), "tensor"),
        units::bytes(bytes / 2)
    );
    Some(Hit::new(detail, fit(narrow).map(|seen| seen.name.clone())))
}

fn counts(seen: &Seen) -> bool {
    seen.dtype == DType::Float32 && seen.elements > 1 && !seen.found.stats.is_constant()
}

fn in_float16(seen: &Seen) -> bool {
    seen.found.stats.fits_float16
}

fn in_bfloat16(seen: &Seen) -> bool {
    seen.found.stats.fits_bfloat16
}

#[cfg(test)]
mod tests {
    use calipers_testkit::Tiny;

    use super::RULE;
    use crate::testing::raised_by_weights;

    fn dense(step: f32) -> Vec<u8> {
        let mut t = Tiny::new();
        let x = t.input(&["batch", "32"]);
        let values: Vec<f32> = (0..1024).map(|at| (at % 64) as f32 * step).collect();
        let w = t.stored(&[32, 32], &values);
        let y = t.op("MatMul", &[&x, &w]);
        t.build(&y)
    }

    #[test]
    fn what_fits_is_reported() {
        let reported = raised_by_weights(&RULE, dense(0.25)).unwrap();
        assert!(reported.detail.contains("(100.0%), in 1 tensor, are exact in float16"));
        // Beyond the range of float16, yet of few digits.
        let reported = raised_by_weights(&RULE, dense(65536.0)).unwrap();
        assert!(reported.detail.contains("bfloat16"), "{}", reported.detail);
    }

    #[test]
    fn what_loses_digits_is_not() {
        assert_eq!(raised_by_weights(&RULE, dense(0.1)), None);
        // All zero: any type holds that.
        assert_eq!(raised_by_weights(&RULE, dense(0.0)), None);
    }
}
