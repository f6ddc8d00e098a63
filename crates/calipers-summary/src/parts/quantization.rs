//! How the model is quantized.

use calipers_report::Report;
use calipers_report::units;

/// The model's noun with its quantization before it.
pub(in super::super) fn noun(report: &Report, noun: String) -> String {
    match report.quantization.scheme.display_name() {
        Some(adjective) => format!("{adjective} {noun}"),
        None => noun,
    }
}

/// How many operators are quantized, and how.
pub(in super::super) fn sentence(report: &Report) -> Option<String> {
    let quantization = &report.quantization;
    if !quantization.scheme.is_quantized() {
        return None;
    }
    let (quantized, all) = (quantization.contractions_quantized, quantization.contractions);
    let which = match (quantized, all) {
        (1, 1) => "Its only weighted operator is".to_owned(),
        (quantized, all) if quantized == all => {
            format!("All {} weighted operators are", units::integer(all))
        }
        (quantized, all) => {
            let are = if quantized == 1 { "is" } else { "are" };
            let all = units::counted(all, "weighted operator", "weighted operators");
            format!("{} of {all} {are}", units::integer(quantized))
        }
    };
    Some(format!("{which} quantized ({}).", form(report)))
}

/// The form of quantization: `8-bit QDQ, per channel`.
pub(in super::super) fn form(report: &Report) -> String {
    let mut form = report.quantization.scheme.label().into_owned();
    if let Some(granularity) = report.quantization.granularity {
        form += &format!(", {}", granularity.display_name());
    }
    form
}
