//! How numbers are held in few bits, of models that hold some so.

use calipers_report::Report;

use crate::markdown::escape::{code, plain, told};
use crate::markdown::page::Page;
use crate::markdown::table::Table;
use crate::markdown::words::spaced;
use crate::units;

pub(super) fn write(report: &Report, page: &mut Page) {
    let quantization = &report.quantization;
    if !quantization.scheme.is_quantized() {
        return;
    }
    let mut table = Table::facts();
    table.fact("Scheme", plain(&spaced(&quantization.scheme.id())));
    table.fact(
        "Contractions in few bits",
        format!(
            "{} of {}",
            units::integer(quantization.contractions_quantized),
            units::integer(quantization.contractions)
        ),
    );
    let share = quantization.weights_percent;
    table.fact("Share of the weights", share.map(units::percent));
    table.fact("Bits of a weight", quantization.bits.map(|bits| bits.to_string()));
    table.fact("Weights that share a scale", quantization.block.map(|block| block.to_string()));
    table.fact("Scales", quantization.granularity.map(|granularity| plain(granularity.id())));
    table.fact(
        "Symmetric",
        quantization.symmetric.map(|is| if is { "yes" } else { "no" }.to_owned()),
    );
    let floats: Vec<String> = quantization
        .in_float
        .iter()
        .take(10)
        .map(|(op, count)| format!("{} {}", units::integer(*count), code(op)))
        .collect();
    table.fact("With weights in floats", (!floats.is_empty()).then(|| floats.join(", ")));
    page.table(&table);
    let evidence: Vec<String> =
        quantization.evidence.iter().take(6).map(|words| told(words)).collect();
    page.list(&evidence);
}
