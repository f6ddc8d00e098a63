//! Embedding tables that are larger than the rest of the network.

use calipers_arch::network::{Embedding, NetworkOp};
use calipers_arch::quantization::table_is_narrow;
use calipers_report::Severity;
use calipers_report::units;
use hashbrown::HashSet;

use super::super::{Evidence, Hit, Rule, counted};
use super::{count, percent};

/// Smallest number of elements that is reported.
const MIN_ELEMENTS: u64 = 1_000_000;

pub(crate) const RULE: Rule = Rule {
    id: "embedding-dominates",
    severity: Severity::Info,
    group: "structure",
    title: "Embeddings hold most parameters",
    checks: "Embedding tables, each counted once, that hold more than half of all parameters and \
             more than a million. Tables of 8 bits or less are ignored: they are already \
             compressed.",
    why: "A run reads a few rows of the table, so the parameter count overstates the compute. The \
          table determines the file size and memory.",
    example: "A small multilingual encoder: a vocabulary of 250,000 tokens takes 96 of 118 million \
              parameters.",
    recommendation: "Quantize the tables to 8 bits: \
                     `onnxruntime.quantization.quantize_dynamic(\"in.onnx\", \"out.onnx\", \
                     op_types_to_quantize=[\"Gather\"])`, or remove the rows of unused tokens.",
    check,
};

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let total = evidence.parameters.total?;
    let net = evidence.net;
    let mut seen = HashSet::new();
    let mut tables: Vec<(u64, &Embedding, &NetworkOp)> = Vec::new();
    for (unit, figures) in net.all().filter_map(|unit| Some((unit, unit.embedding()?))) {
        // The table is the largest constant input; two lookups may share one.
        let stored = unit.inputs.iter().flatten().filter(|input| !net.is_data(**input));
        let Some(table) = stored.max_by_key(|input| net.elements(**input)) else { continue };
        if table_is_narrow(net, unit, *table) == Some(true) {
            continue;
        }
        let (Some(rows), Some(width)) = (figures.rows, figures.width) else {
            continue;
        };
        let elements = rows.checked_mul(width).and_then(|count| u64::try_from(count).ok());
        if seen.insert(net.value(*table)) {
            tables.extend(elements.map(|elements| (elements, figures, unit)));
        }
    }
    let sum = tables.iter().try_fold(0_u64, |sum, (elements, ..)| sum.checked_add(*elements))?;
    if sum <= MIN_ELEMENTS || sum > total || sum <= total / 2 {
        return None;
    }
    let (largest, figures, _) = tables.iter().max_by_key(|(elements, ..)| *elements)?;
    let detail = format!(
        "{} of {} parameters ({}%) in {}; the largest is {} x {}, {}",
        count(sum),
        count(total),
        percent(sum, total),
        counted(tables.len(), "table"),
        units::signed(figures.rows?),
        units::signed(figures.width?),
        count(*largest)
    );
    Some(Hit::new(detail, tables.iter().map(|(.., unit)| net.model.node_label(unit.node))))
}

#[cfg(test)]
mod tests {
    use calipers_samples::{DataType, ModelBuilder, Tensor};

    use super::RULE;
    use crate::testing::raised;

    fn network(rows: i64, layers: usize) -> Vec<u8> {
        let mut model = ModelBuilder::new(17);
        model.input("ids", DataType::I64, &["batch", "length"]);
        with_layers(model, rows, layers, DataType::F32)
    }

    /// A table of this type, looked up and dequantized if it is quantized, and dense layers.
    fn with_layers(mut model: ModelBuilder, rows: i64, layers: usize, table: DataType) -> Vec<u8> {
        let weight = |model: &mut ModelBuilder, name: &str, dims: [i64; 2], at: u64| {
            model.initializer(&Tensor::external(name, DataType::F32, &dims, "w", Some(at), None));
        };
        if table == DataType::F32 {
            weight(&mut model, "table", [rows, 256], 0);
            model.node("Gather", &["table", "ids"], &["x0"], &[]);
        } else {
            let place = (Some(0), None);
            model.initializer(&Tensor::external("q", table, &[rows, 256], "w", place.0, place.1));
            model.initializer(&Tensor::f32("s", &[], &[0.1]));
            model.node("DequantizeLinear", &["q", "s"], &["table"], &[]);
            model.node("Gather", &["table", "ids"], &["x0"], &[]);
        }
        for layer in 0..layers {
            let name = format!("w{layer}");
            weight(&mut model, &name, [256, 256], 1 << 40 | (layer as u64) << 20);
            let (x, y, z) = (format!("x{layer}"), format!("y{layer}"), format!("x{}", layer + 1));
            model.node("MatMul", &[&x, &name], &[&y], &[]).node("Relu", &[&y], &[&z], &[]);
        }
        model.output(&format!("x{layers}"), DataType::F32, &["batch", "length", "256"]);
        model.build()
    }

    #[test]
    fn a_table_larger_than_the_rest_is_reported() {
        let reported = raised(&RULE, network(8192, 8)).unwrap();
        assert!(reported.detail.contains("(80%) in 1 table"), "{}", reported.detail);
    }

    #[test]
    fn a_table_of_8_bits_is_not_reported() {
        let mut model = ModelBuilder::new(17);
        model.input("ids", DataType::I64, &["batch", "length"]);
        assert_eq!(raised(&RULE, with_layers(model, 8192, 8, DataType::U8)), None);
    }

    #[test]
    fn a_smaller_one_is_not() {
        assert_eq!(raised(&RULE, network(8192, 33)), None);
        assert_eq!(raised(&RULE, network(3000, 1)), None);
    }
}
