//! The differences of the stored weights.

use calipers_report::{TensorDifference, WeightChanges};

use crate::chart;
use crate::document::{Block, Fact, Facts, Section};
use crate::table::{Column, Table, Value};
use crate::units;
use crate::value::Spans;

/// Tensors that a screen lists.
const TENSORS: usize = 10;
/// Tensors that were not compared, listed with the reason.
const REASONS: usize = 3;
/// Steps of the strip along depth.
const STEPS: f64 = 1000.0;

pub(super) fn section(weights: Option<&WeightChanges>) -> Section {
    let Some(weights) = weights else {
        return Section::default();
    };
    let mut facts = Facts::default();
    facts.push(Fact::new("Relation", vec![Value::quoted(&weights.why).into()]).lines(3));
    facts.add(
        "Tensors",
        Spans::plain(format!(
            "{} compared, {} identical, {} different",
            units::integer(weights.compared),
            units::integer(weights.identical),
            units::integer(weights.different)
        )),
    );
    if let Some(total) = weights.total.filter(|total| total.different > 0) {
        facts.add_all("All elements", difference(&total));
    }
    let norms = weights.by_depth.iter().filter_map(|part| Some((part, part.relative_norm?)));
    let largest = norms.reduce(|best, next| if next.1 > best.1 { next } else { best });
    if let Some((part, norm)) = largest.filter(|(_, norm)| *norm > 0.0) {
        // Formats without the strip have the words.
        let among = match weights.not_compared {
            0 => "",
            _ => ", of the tensors that were compared",
        };
        let words = format!(
            " largest {} at {:.0}% of the depth{among}",
            small_number(norm),
            part.from_percent
        );
        facts.add("Along depth", Spans::from(Value::Timeline(strip(weights))).and_text(words));
    }
    let mut blocks = vec![Block::Facts(facts), Block::Chart(chart::WEIGHT_CHANGES)];
    if !weights.tensors.is_empty() {
        blocks.push(Block::Table(tensors(weights)));
    }
    if weights.not_compared > 0 {
        let reasons = weights.uncompared_tensors.iter().take(REASONS).map(|tensor| {
            Spans::from(Value::name(&tensor.a))
                .and_text(": ")
                .and_value(Value::prose(&tensor.reason))
        });
        blocks.push(Block::paragraph(format!(
            "{} not compared.",
            units::counted(weights.not_compared, "pair of tensors was", "pairs of tensors were")
        )));
        blocks.push(Block::list(reasons));
    }
    Section::new("weights", "Weights", blocks)
}

/// The figures of a difference, one after another.
fn difference(difference: &TensorDifference) -> Vec<Spans> {
    let mut values = Vec::new();
    values.extend(difference.max_abs.map(|most| format!("largest {}", small_number(most))));
    values.extend(difference.mean_abs.map(|mean| format!("mean {}", small_number(mean))));
    values.extend(
        difference.relative_norm.map(|norm| format!("relative norm {}", small_number(norm))),
    );
    values.extend(difference.cosine.map(|cosine| format!("cosine {cosine:.6}")));
    values.extend(difference.snr_db.map(|snr| format!("SNR {snr:.1} dB")));
    values.push(units::counted(difference.sign_flips, "sign flip", "sign flips"));
    values.into_iter().map(Spans::plain).collect()
}

/// Tensors that differ, most first.
fn tensors(weights: &WeightChanges) -> Table {
    let mut table = Table::new(
        "tensors",
        vec![
            Column::text("tensor", "tensor"),
            Column::text("type", "type").priority(2),
            Column::figures("relative_norm", "relative norm"),
            Column::figures("max_abs", "largest").priority(1),
            Column::figures("mean_abs", "mean").priority(4),
            Column::figures("cosine", "cosine").priority(3),
            Column::figures("snr_db", "SNR").priority(1),
            Column::figures("sign_flips", "sign flips").priority(5),
        ],
    );
    let number = |value: f64| Value::text(small_number(value));
    for tensor in weights.tensors.iter().take(TENSORS) {
        let it = &tensor.difference;
        let types = match tensor.dtype_a == tensor.dtype_b {
            true => tensor.dtype_a.to_string(),
            false => format!("{} → {}", tensor.dtype_a, tensor.dtype_b),
        };
        table.row(vec![
            Value::name(&tensor.a),
            Value::text(types),
            Value::optional(it.relative_norm, number),
            Value::optional(it.max_abs, number),
            Value::optional(it.mean_abs, number),
            Value::optional(it.cosine, |cosine| Value::text(format!("{cosine:.5}"))),
            Value::optional(it.snr_db, |snr| Value::text(format!("{snr:.1} dB"))),
            Value::Integer(it.sign_flips),
        ]);
    }
    let rest = weights.different.saturating_sub(TENSORS.min(weights.tensors.len()) as u64);
    if rest > 0 {
        let more = units::counted(rest, "other tensor differs", "other tensors differ");
        table.note(None, vec![Spans::quiet(more)]);
    }
    table
}

/// The relative difference along depth, as steps of a strip: 0 where nothing differs.
fn strip(weights: &WeightChanges) -> Vec<u64> {
    let norms = || weights.by_depth.iter().map(|part| part.relative_norm.unwrap_or(0.0));
    let largest = norms().fold(f64::MIN_POSITIVE, f64::max);
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of the largest, in steps"
    )]
    norms().map(|norm| (norm / largest * STEPS).ceil() as u64).collect()
}

/// A small number with three digits: `0.0123`, `1.2e-7`.
pub(crate) fn small_number(value: f64) -> String {
    match value.abs() {
        0.0 => "0".to_owned(),
        small if small < 1e-4 => format!("{value:.1e}"),
        big if big >= 1e6 => format!("{value:.2e}"),
        big if big >= 100.0 => format!("{value:.0}"),
        middle if middle >= 1.0 => format!("{value:.2}"),
        _ => format!("{value:.4}"),
    }
}
