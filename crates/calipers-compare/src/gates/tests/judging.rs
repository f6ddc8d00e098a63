use calipers_report::{
    Comparison, Difference, Family, FigureChange, FigureKind, Finding, FindingCount, GraphChanges,
    InterfaceChange, Measure, Quantity, Range, RemovedNode, Severity, TaskKind, WeightChanges,
    WeightRelation,
};
use proptest::prelude::*;

use super::IDS;
use crate::gates::Gate;

fn judge(text: &str, comparison: &Comparison) -> (bool, String) {
    let result = Gate::parse(text, "here", &IDS).unwrap().judge(comparison);
    assert_eq!(result.source, "here");
    (result.passed, result.detail)
}

fn figure(name: &str, label: &str, kind: FigureKind, a: Quantity, b: Quantity) -> FigureChange {
    let delta = a.number().zip(b.number()).map(|(a, b)| Difference::Number(b - a));
    FigureChange {
        name: name.to_owned(),
        label: label.to_owned(),
        kind,
        measure: kind.measure(),
        a: Some(a),
        b: Some(b),
        delta,
        ..FigureChange::default()
    }
}

fn integers(kind: FigureKind, a: u64, b: u64) -> FigureChange {
    let (a, b) = (Quantity::Integer(a), Quantity::Integer(b));
    figure(kind.id(), kind.display_name(), kind, a, b)
}

fn with(figures: Vec<FigureChange>) -> Comparison {
    Comparison { figures, ..Comparison::default() }
}

fn comparison() -> Comparison {
    let number = Quantity::Number;
    let mut latency =
        figure("latency@l4", "Latency on L4", FigureKind::Latency, number(20.0), number(21.0));
    latency.within_error = true;
    latency.range_b = Some(Range { low: 18.0, expected: 21.0, high: 25.0 });
    let precision = Quantity::Words("fp16".to_owned());
    let mut coverage = figure(
        "quantized-weights",
        "Quantized weights",
        FigureKind::Coverage,
        number(92.5),
        number(90.0),
    );
    coverage.measure = Measure::Percent;
    let mut comparison = with(vec![
        integers(FigureKind::Macs, 4_090_000_000, 4_499_000_000),
        integers(FigureKind::Parameters, 25_000_000, 25_000_000),
        integers(FigureKind::FileSize, 100_000_000, 99_000_000),
        integers(FigureKind::Nodes, 100, 105),
        integers(FigureKind::KvCache, 0, 0),
        FigureChange {
            note: Some("the network has a loop.".to_owned()),
            b: None,
            ..integers(FigureKind::Depth, 3, 0)
        },
        FigureChange { a: None, ..integers(FigureKind::Peak, 3, 1000) },
        FigureChange {
            note: Some(format!("{}: batch is 1 and 8", FigureChange::SIZES_DIFFER)),
            ..integers(FigureKind::Moved, 100, 100)
        },
        figure(
            "bytes:float32",
            "float32",
            FigureKind::BytesByType,
            Quantity::Integer(0),
            Quantity::Integer(8),
        ),
        latency,
        coverage,
        figure("precision", "Precision", FigureKind::Precision, precision.clone(), precision),
        figure("metric:accuracy", "accuracy", FigureKind::Metric, number(0.8), number(0.7)),
    ]);
    comparison.a.family = Some(Family::Bert);
    comparison.b.family = Some(Family::Bert);
    comparison.a.task = TaskKind::FillMask;
    comparison.b.task = TaskKind::TextClassification;
    comparison
}

#[test]
fn figures_are_judged_and_explained() {
    for (text, passed, detail) in [
        // 4.499 / 4.09 = 1.1; 4.09 * 1.05 = 4.2945.
        (
            "macs <= +5%",
            false,
            "MACs are 4.50 G, 10% more than 4.09 G; at most 4.29 G (+5%) are allowed",
        ),
        ("macs <= +10%", true, "MACs are 4.50 G; at most 4.50 G (+10%) are allowed"),
        ("macs <= 5G", true, "MACs are 4.50 G; at most 5.00 G are allowed"),
        ("macs < 4.499G", false, "MACs are 4.50 G; less than 4.50 G are allowed"),
        (
            "macs < 4.498999999G",
            false,
            "MACs are 4,499,000,000; less than 4,498,999,999 are allowed",
        ),
        ("macs > 4G", true, "MACs are 4.50 G; more than 4.00 G are required"),
        ("parameters == same", true, "Parameters are 25,000,000, as in the baseline"),
        (
            "parameters != same",
            false,
            "Parameters are 25,000,000, as in the baseline; a change is required",
        ),
        ("parameters == 25M", true, "Parameters are 25,000,000; exactly 25,000,000 are required"),
        ("parameters != 25M", false, "Parameters are 25,000,000; 25,000,000 are not allowed"),
        ("macs == same", false, "MACs are 4.50 G, 10% more than 4.09 G; no change is allowed"),
        (
            "file-size <= -2MB",
            false,
            "File size is 99.00 MB, 1% less than 100.00 MB; at most 98.00 MB (-2.00 MB) is allowed",
        ),
        (
            "file-size <= -1MB",
            true,
            "File size is 99.00 MB; at most 99.00 MB (-1.00 MB) is allowed",
        ),
        ("file-size >= -1%", true, "File size is 99.00 MB; at least 99.00 MB (-1%) is required"),
        ("nodes <= +5%", true, "Nodes are 105; at most 105 (+5%) are allowed"),
        ("nodes < +5%", false, "Nodes are 105, 5% more than 100; less than 105 (+5%) are allowed"),
        (
            "nodes <= +4.999999%",
            false,
            "Nodes are 105, 5% more than 100; at most 104.999999 (+4.999999%) are allowed",
        ),
        (
            "kv-cache <= +5%",
            true,
            "KV cache is 0 B; at most 0 B (+5%) is allowed; the baseline is 0, so that a percentage allows no change",
        ),
        (
            "bytes:float32 <= +5%",
            false,
            "Weights in float32 are 8 B, more than 0 B; at most 0 B (+5%) are allowed; the baseline is 0, so that a percentage allows no change",
        ),
        ("bytes:int4 == 0", true, "Weights in int4 are 0 B; exactly 0 B are required"),
        ("depth <= 5", false, "Depth is not known: the network has a loop"),
        ("peak <= 1kB", true, "Peak activation memory is 1.00 kB; at most 1.00 kB is allowed"),
        ("peak <= +5%", false, "Peak activation memory of the baseline is not known"),
        (
            "bytes-moved <= +5%",
            false,
            "Bytes moved cannot be compared with the baseline: the input sizes differ: batch is 1 and 8",
        ),
        ("bytes-moved <= 100", true, "Bytes moved are 100 B; at most 100 B are allowed"),
        ("latency@l4 <= 20ms", false, "Latency on L4 is 21 ms (18–25); at most 20 ms is allowed"),
        (
            "latency@L4 <= +0",
            false,
            "Latency on L4 is 21 ms (18–25), 5% more than 20 ms; at most 20 ms (+0 ms) is allowed; the difference is within the error of the estimates",
        ),
        ("latency <= 21ms", true, "Latency on L4 is 21 ms (18–25); at most 21 ms is allowed"),
        ("latency@h100 <= 20ms", false, "latency@h100 is not known; add `--device h100`"),
        ("memory <= 20MB", false, "memory is not known without a device; write `memory@DEVICE`"),
        ("weights <= 20MB", false, "weights is not known"),
        ("quantized-weights >= 91%", false, "Quantized weights are 90%; at least 91% are required"),
        (
            "quantized-weights >= -2.5",
            true,
            "Quantized weights are 90%; at least 90% (-2.5 points) are required",
        ),
        // 0.8 - 0.1 is 0.7000000000000001 in floats.
        ("accuracy >= -0.1", true, "accuracy is 0.7; at least 0.7 (-0.1) is required"),
        (
            "metric:Accuracy > -0.1",
            false,
            "accuracy is 0.7, 12.5% less than 0.8; more than 0.7 (-0.1) is required",
        ),
        ("accuracy >= 75%", false, "accuracy is not in percent; write a number without `%`"),
        (
            "accuracyy >= 0.5",
            false,
            "the comparison has no figure or metric `accuracyy`; did you mean `accuracy`?",
        ),
        ("family == same", true, "Family is BERT; BERT, as in the baseline, is required"),
        ("family != bert", false, "Family is BERT; BERT is not allowed"),
        (
            "task == same",
            false,
            "Task is text classification; fill-mask, as in the baseline, is required",
        ),
        (
            "task == text-classification",
            true,
            "Task is text classification; text classification is required",
        ),
        ("precision == fp16", true, "Precision is fp16; fp16 is required"),
        ("precision == same", true, "Precision is fp16; fp16, as in the baseline, is required"),
        ("quantization == none", true, "Quantization is none; none is required"),
    ] {
        assert_eq!(judge(text, &comparison()), (passed, detail.to_owned()), "{text}");
    }
    let empty = Comparison::default();
    assert_eq!(judge("family == same", &empty), (false, "Family is not known".to_owned()));
    assert_eq!(judge("bytes:int4 == 0", &empty), (false, "bytes:int4 is not known".to_owned()));
}

#[test]
fn a_name_for_several_devices_fails() {
    let one = |name: &str| {
        figure(name, name, FigureKind::Latency, Quantity::Number(1.0), Quantity::Number(1.0))
    };
    let comparison = with(vec![one("latency@l4"), one("latency@rtx-4090")]);
    let detail = "the gate fits more than one figure: latency@l4, latency@rtx-4090";
    assert_eq!(judge("latency <= 2ms", &comparison), (false, detail.to_owned()));
    assert!(judge("latency@RTX4090 <= 2ms", &comparison).0);
}

#[test]
fn values_that_are_not_finite_are_not_known() {
    let nan = figure(
        "metric:m",
        "m",
        FigureKind::Metric,
        Quantity::Number(1.0),
        Quantity::Number(f64::NAN),
    );
    assert_eq!(judge("metric:m >= 0", &with(vec![nan])), (false, "m is not known".to_owned()));
    let huge = figure(
        "metric:m",
        "m",
        FigureKind::Metric,
        Quantity::Number(1e300),
        Quantity::Number(1e300),
    );
    assert!(judge("metric:m <= +5%", &with(vec![huge.clone()])).0);
    assert!(!judge("metric:m <= 5", &with(vec![huge])).0);
}

#[test]
fn percentages_of_negative_metrics_are_of_their_size() {
    // -10 + 10% of 10 is -9.
    let loss = |b| {
        figure(
            "metric:loss",
            "loss",
            FigureKind::Metric,
            Quantity::Number(-10.0),
            Quantity::Number(b),
        )
    };
    assert!(judge("metric:loss <= +10%", &with(vec![loss(-9.0)])).0);
    assert!(!judge("metric:loss <= +10%", &with(vec![loss(-8.9)])).0);
}

fn finding(id: &str, severity: Severity) -> Finding {
    let text = String::new;
    let (title, detail, recommendation) = (text(), text(), text());
    Finding { id: id.to_owned(), severity, title, detail, nodes: vec![], recommendation }
}

#[test]
fn findings_are_counted_by_id() {
    let mut comparison = Comparison::default();
    comparison.findings.new = vec![
        finding("unused-opset", Severity::Warning),
        finding("unused-opset", Severity::Warning),
        finding("nan-weights", Severity::Info),
    ];
    comparison.findings.unchanged = 3;
    comparison.findings.unchanged_by_id =
        vec![FindingCount { id: "graph-cycle".to_owned(), severity: Severity::Error, count: 3 }];
    for (text, passed, detail) in [
        ("no new error", true, "no new errors"),
        ("no new warning", false, "2 new errors or warnings: unused-opset (2)"),
        ("no new finding", false, "3 new findings: unused-opset (2), nan-weights"),
        ("no error", false, "3 errors: graph-cycle (3)"),
        ("no warning", false, "5 errors or warnings: graph-cycle (3), unused-opset (2)"),
        ("no findings", false, "6 findings: graph-cycle (3), unused-opset (2), nan-weights"),
        ("no new graph-cycle", true, "no new finding graph-cycle"),
        ("no graph-cycle", false, "3 findings: graph-cycle (3)"),
        ("no new nan-weights", false, "1 new finding: nan-weights"),
    ] {
        assert_eq!(judge(text, &comparison), (passed, detail.to_owned()), "{text}");
    }
    comparison.findings.unchanged_by_id.clear();
    let detail = "the findings that both models have are not listed";
    assert_eq!(judge("no error", &comparison), (false, detail.to_owned()));
    assert_eq!(judge("no error", &Comparison::default()), (true, "no errors".to_owned()));
}

#[test]
fn statements_are_judged() {
    let mut comparison = Comparison::default();
    let breaking = |detail: &str, breaking| InterfaceChange {
        detail: detail.to_owned(),
        breaking,
        ..InterfaceChange::default()
    };
    comparison.interface.changes =
        vec![breaking("input `x` was removed", true), breaking("output `y` was added", false)];
    comparison.verdict.compatibility =
        "Not a drop-in replacement: input `x` was removed.".to_owned();
    comparison.graph =
        Some(GraphChanges { removed: vec![RemovedNode::default()], ..GraphChanges::default() });
    comparison.weights = Some(WeightChanges {
        relation: WeightRelation::Partial,
        different: 2,
        not_compared: 1,
        ..WeightChanges::default()
    });
    for (text, detail) in [
        ("interface compatible", "the interface is not compatible: input `x` was removed"),
        ("drop-in", "Not a drop-in replacement: input `x` was removed"),
        ("graph unchanged", "the graph changed: 1 node removed"),
        (
            "weights unchanged",
            "the weights are not identical: 2 tensors different, 1 tensor not compared",
        ),
    ] {
        assert_eq!(judge(text, &comparison), (false, detail.to_owned()), "{text}");
    }
    comparison.graph = None;
    comparison.weights = None;
    assert!(judge("graph unchanged", &comparison).1.starts_with("the graphs were not compared"));
    assert!(judge("weights unchanged", &comparison).1.starts_with("the weights were not compared"));

    comparison.interface.compatible = true;
    comparison.verdict.drop_in = true;
    comparison.graph = Some(GraphChanges::default());
    let identical = WeightRelation::Identical;
    comparison.weights = Some(WeightChanges { relation: identical, ..WeightChanges::default() });
    for text in ["interface compatible", "drop-in", "graph unchanged", "weights identical"] {
        assert!(judge(text, &comparison).0, "{text}");
    }
    // Tensors that only one model has are a difference.
    comparison.weights =
        Some(WeightChanges { relation: identical, unmatched: (0, 1), ..WeightChanges::default() });
    assert!(!judge("weights identical", &comparison).0);
    comparison.weights = Some(WeightChanges::default());
    assert!(!judge("weights identical", &comparison).0);
}

proptest! {
    /// Percentages of integers, against arithmetic on ten-thousandths: 2^64 * 10^6 < 2^127.
    #[test]
    fn percentages_are_exact(
        a in prop_oneof![0..1000_u64, any::<u64>()],
        near in -2..3_i128,
        hundredths in -10_000..100_000_i128,
    ) {
        let scaled = i128::from(a) * (10_000 + hundredths);
        let b = u64::try_from((scaled / 10_000 + near).clamp(0, i128::from(u64::MAX))).unwrap();
        let sign = if hundredths < 0 { '-' } else { '+' };
        let size = hundredths.abs();
        let change = format!("{sign}{}.{:02}%", size / 100, size % 100);
        let comparison = with(vec![integers(FigureKind::Macs, a, b)]);
        let order = (i128::from(b) * 10_000).cmp(&scaled);
        for (operator, passes) in [
            ("<=", order.is_le()), ("<", order.is_lt()), (">=", order.is_ge()),
            (">", order.is_gt()), ("==", order.is_eq()), ("!=", order.is_ne()),
        ] {
            let text = format!("macs {operator} {change}");
            prop_assert_eq!(judge(&text, &comparison).0, passes, "{} {} {}", a, b, text);
        }
    }

    /// Absolute bounds and offsets of integers.
    #[test]
    fn bounds_are_exact(a in any::<u64>(), b in any::<u64>(), bound in any::<u64>()) {
        let comparison = with(vec![integers(FigureKind::FileSize, a, b)]);
        prop_assert_eq!(judge(&format!("size <= {bound}"), &comparison).0, b <= bound);
        let most = i128::from(a) + i128::from(bound);
        prop_assert_eq!(judge(&format!("size <= +{bound}"), &comparison).0, i128::from(b) <= most);
        let least = i128::from(a) - i128::from(bound);
        prop_assert_eq!(judge(&format!("size > -{bound}"), &comparison).0, i128::from(b) > least);
    }
}
