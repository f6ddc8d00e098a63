//! A token embedding and an output layer that could share weights.

use calipers_arch::network::{Network, NetworkOp, TableKind, Val};
use calipers_measure::weights::{Seen, Weights};
use calipers_report::Severity;
use calipers_report::units;
use hashbrown::HashMap;

use super::super::{Evidence, Hit, Rule};
use super::count;

/// Smallest number of elements that is reported.
const MIN_ELEMENTS: i64 = 1_000_000;

pub(crate) const RULE: Rule = Rule {
    id: "embedding-untied",
    severity: Severity::Info,
    group: "structure",
    title: "Embedding and output weights are stored separately",
    checks: "A token embedding and an output layer whose weights have the same shape, or the \
             transposed one, in separate tensors. With `--weights` it is reported only if minimum, \
             maximum, mean and standard deviation are equal.",
    why: "Most language models tie the two. Exporters that transpose the embedding into the output \
          layer store it twice, which can be a third of a small model.",
    example: "GPT-2 exported with `lm_head.weight` (768 x 50,257) next to its embedding (50,257 x \
              768).",
    recommendation: "If the weights are tied in training, keep them tied: export with \
                     `torch.onnx.export(..., dynamo=False, do_constant_folding=False)`, so that \
                     the output layer reads the embedding through a `Transpose`.",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let net = evidence.net;
    let tables = net.all().filter_map(|unit| Some((unit, unit.embedding()?)));
    let tokens = tables.filter(|(_, table)| table.of == TableKind::Token);
    // Indexed, not searched for each table: a hostile file may have thousands of both.
    let mut by_size: HashMap<(Option<i64>, Option<i64>), Vec<&NetworkOp>> = HashMap::new();
    for (unit, linear) in net.all().filter_map(|unit| Some((unit, unit.linear()?))) {
        by_size.entry((linear.in_features, linear.out_features)).or_default().push(unit);
    }
    for (table, figures) in tokens {
        let (Some(rows), Some(width)) = (figures.rows, figures.width) else {
            continue;
        };
        if rows.checked_mul(width).is_none_or(|elements| elements < MIN_ELEMENTS) {
            continue;
        }
        let Some(stored) = weight(net, table) else { continue };
        for &head in by_size.get(&(Some(width), Some(rows))).into_iter().flatten() {
            let Some(own) = weight(net, head).filter(|own| is_apart(net, *own, stored)) else {
                continue;
            };
            let reported =
                match evidence.weights.and_then(|weights| alike(net, weights, own, stored)) {
                    Some(true) => "their minimum, maximum, mean and standard deviation are equal",
                    Some(false) => continue,
                    None => "run with --weights to compare their values",
                };
            let detail = format!(
                "{:?} ({} x {}) and {:?} are separate tensors of {} elements each; {reported}",
                net.name(stored),
                units::signed(rows),
                units::signed(width),
                net.name(own),
                count(u64::try_from(rows * width).unwrap_or(0)),
            );
            return Some(Hit::new(
                detail,
                [table, head].map(|unit| net.model.node_label(unit.node)),
            ));
        }
    }
    None
}

/// Returns the largest stored input of an operation.
fn weight(net: &Network<'_>, unit: &NetworkOp) -> Option<Val> {
    let stored = unit.inputs.iter().flatten().copied().filter(|input| !net.is_data(*input));
    stored.max_by_key(|input| net.elements(*input))
}

/// Whether two values are different initializers.
fn is_apart(net: &Network<'_>, own: Val, stored: Val) -> bool {
    let initializer = |val: Val| net.model.value(net.value(val)?).initializer;
    match (initializer(own), initializer(stored)) {
        (Some(own), Some(stored)) => own != stored,
        _ => false,
    }
}

/// Whether two tensors have the same statistics, as a tensor and its transpose do; `None` if one was
/// not read.
fn alike(net: &Network<'_>, weights: &Weights, a: Val, b: Val) -> Option<bool> {
    let seen = |val: Val| -> Option<&Seen> {
        weights.tensors.iter().find(|seen| seen.name == net.name(val))
    };
    let (a, b) = (seen(a)?, seen(b)?);
    let (x, y) = (&a.found.stats, &b.found.stats);
    let near = |x: f64, y: f64| (x - y).abs() <= 1e-6 * (x.abs() + y.abs()) + 1e-12;
    Some(
        a.dtype == b.dtype
            && (x.min, x.max, x.zeros) == (y.min, y.max, y.zeros)
            && near(x.mean, y.mean)
            && near(x.std(), y.std()),
    )
}

#[cfg(test)]
mod tests {
    use calipers_samples::{Attribute, DataType, ModelBuilder, Tensor};

    use super::RULE;
    use crate::testing::{raised, raised_by_weights};

    /// A table of 1,024 by 1,024, and an output layer that reads it or has weights of its own.
    fn network(tied: bool, factor: f32) -> Vec<u8> {
        let mut model = ModelBuilder::new(17);
        model.input("ids", DataType::I64, &["batch", "length"]);
        let values: Vec<f32> = (0..1 << 20).map(|at| (at % 1013) as f32 * 0.5).collect();
        model.initializer(&Tensor::f32("table", &[1024, 1024], &values));
        model.node("Gather", &["table", "ids"], &["x"], &[]).node("Relu", &["x"], &["h"], &[]);
        if tied {
            let perm = Attribute::ints("perm", &[1, 0]);
            model.node("Transpose", &["table"], &["head"], &[perm]);
        } else {
            let other: Vec<f32> = values.iter().map(|value| value * factor).collect();
            model.initializer(&Tensor::f32("head", &[1024, 1024], &other));
        }
        model.node("MatMul", &["h", "head"], &["y"], &[]);
        model.output("y", DataType::F32, &["batch", "length", "1024"]);
        model.build()
    }

    #[test]
    fn two_tables_are_reported() {
        let reported = raised(&RULE, network(false, 2.0)).unwrap();
        assert!(reported.detail.contains("run with --weights"), "{}", reported.detail);
        let reported = raised_by_weights(&RULE, network(false, 1.0)).unwrap();
        assert!(
            reported.detail.contains("mean and standard deviation are equal"),
            "{}",
            reported.detail
        );
    }

    #[test]
    fn a_tied_table_or_other_numbers_are_not() {
        assert_eq!(raised(&RULE, network(true, 1.0)), None);
        assert_eq!(raised_by_weights(&RULE, network(false, 2.0)), None);
    }
}
