//! Reports that no model would give: hostile names, and magnitudes from nothing to everything.

use calipers_render::chart::{Theme, charts};
use calipers_report::{
    ComputeCeiling, DepthSegment, DeviceClass, DeviceFacts, DeviceRow, Evidence, Hardware,
    KernelKind, OperatorCost, OperatorCount, OperatorMemory, Precision, Range, Report, Roofline,
    RooflineKernel, RunEstimate, ScalingRow, Work,
};
use proptest::prelude::*;

use super::layout::{check, read};

calipers_testkit::tests! {
    test: [
        strange_graphs_are_drawn_whole,
        strange_answers_about_hardware_are_drawn_whole,
        names_are_text_and_nothing_else,
        what_has_nothing_to_show_is_not_drawn,
    ];
}

fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(String::new()),
        Just("<script>alert(1)</script>\"'&amp;]]>".to_owned()),
        Just("\u{202e}\u{2066}txet\u{200b}\0\u{1b}[31m\n\r\t\u{feff}\u{ffff}".to_owned()),
        Just("encoder/layer.11/attention/output/dense/MatMul".repeat(40)),
        Just("W".repeat(300)),
        Just("入力テンソルの名前です🙂🙂🙂".repeat(9)),
        Just("\u{fdfd}\u{fdfd}e\u{301}\u{301}".to_owned()),
        any::<String>(),
    ]
}

fn size() -> impl Strategy<Value = u64> {
    prop_oneof![
        Just(0),
        Just(1),
        Just(u64::MAX),
        0..2000_u64,
        any::<u64>(),
        (0..64_u32).prop_map(|bit| 1 << bit)
    ]
}

fn figure() -> impl Strategy<Value = f64> {
    prop_oneof![
        Just(0.0),
        Just(f64::NAN),
        Just(f64::INFINITY),
        Just(-1.0),
        Just(1e-300),
        Just(1e300),
        0.0..100.0_f64,
        (-12..20_i32).prop_map(|power| 10_f64.powi(power)),
    ]
}

fn span() -> impl Strategy<Value = Option<Range>> {
    prop::option::of((figure(), figure(), figure()))
        .prop_map(|span| span.map(|(low, expected, high)| Range { low, expected, high }))
}

prop_compose! {
    fn operators()(all in prop::collection::vec((name(), size(), size(), figure()), 0..20)) -> Report {
        let mut report = Report::default();
        for (op, count, other, percent) in all {
            report.graph.nodes = report.graph.nodes.saturating_add(count);
            report.graph.operators.push(OperatorCount { op: op.clone(), count, percent, ..Default::default() });
            report.parameters.by_op.push(OperatorMemory { op: op.clone(), elements: count, bytes: Some(other) });
            report.cost.by_op.push(OperatorCost {
                op,
                nodes: count,
                work: Work { macs: Some(count), other_flops: Some(other), bytes_moved: None },
                percent: Some(percent),
            });
            report.parameters.total = Some(count);
            report.cost.macs = Some(other);
            report.cost.other_flops = Some(count);
            report.memory.weights_bytes = Some(other);
        }
        report
    }
}

prop_compose! {
    fn along()(
        mut report in operators(),
        timeline in prop::collection::vec(size(), 0..700),
        peak_at in prop::option::of(name()),
        shares in prop::collection::vec((figure(), size()), 0..70),
    ) -> Report {
        report.memory.peak_activation_bytes = timeline.iter().copied().max();
        report.memory.peak_activation_in_place_bytes = timeline.first().copied();
        report.memory.timeline = timeline;
        report.memory.peak_at = peak_at;
        report.cost.by_depth = shares
            .into_iter()
            .enumerate()
            .map(|(i, (share, nodes))| DepthSegment {
                first: i as u64,
                nodes,
                macs_percent: Some(share),
                bytes_percent: Some(share),
                parameters_percent: Some(100.0),
                ..Default::default()
            })
            .collect();
        report
    }
}

prop_compose! {
    fn rows()(all in prop::collection::vec((size(), span(), figure(), size(), any::<bool>()), 0..12)) -> Vec<ScalingRow> {
        let row = |(size, latency_ms, throughput, bytes, fits)| ScalingRow {
            size,
            run: RunEstimate {
                latency_ms,
                throughput: Some(throughput),
                memory_bytes: Some(bytes),
                fits: Some(fits),
                reason: None,
            },
        };
        all.into_iter().map(row).collect()
    }
}

prop_compose! {
    fn devices()(all in prop::collection::vec((name(), span(), size(), size(), any::<bool>()), 0..30)) -> Vec<DeviceRow> {
        let row = |(name, latency_ms, needs, has, fits): (String, _, _, _, bool)| DeviceRow {
            run: RunEstimate {
                latency_ms,
                throughput: None,
                memory_bytes: Some(needs),
                fits: Some(fits),
                reason: Some(name.clone()),
            },
            name,
            device_memory_bytes: Some(has),
            ..Default::default()
        };
        all.into_iter().map(row).collect()
    }
}

prop_compose! {
    fn roofline()(
        bandwidth_bytes_per_s in figure(),
        compute in prop::collection::vec((prop::sample::select(Precision::ALL), figure()), 0..4),
        kernels in prop::collection::vec(
            (prop::sample::select(KernelKind::ALL), name(), figure(), figure(), figure()),
            0..40,
        ),
        without_arithmetic in size(),
    ) -> Roofline {
        let kernel = |(kind, node, intensity, per_s, percent)| RooflineKernel {
            kind,
            node,
            intensity,
            per_s,
            percent,
            ..Default::default()
        };
        Roofline {
            bandwidth_bytes_per_s,
            compute: compute.into_iter().map(|(precision, per_s)| ComputeCeiling { precision, per_s }).collect(),
            kernels: kernels.into_iter().map(kernel).collect(),
            without_arithmetic,
            ..Default::default()
        }
    }
}

prop_compose! {
    fn hardware()(
        (device, precision) in (name(), prop::sample::select(Precision::ALL)),
        (batch, context, memory) in (size(), size(), size()),
        scaling in (rows(), rows(), rows()),
        devices in devices(),
        roofline in roofline(),
    ) -> Hardware {
        Hardware {
            device: Some(DeviceFacts {
                id: String::new(),
                name: device,
                class: DeviceClass::GpuDatacenter,
                memory_bytes: Some(memory),
                bandwidth_bytes_per_s: None,
                peaks_per_s: vec![],
                peak_per_s: None,
                computes_in: None,
                computes_in_why: String::new(),
                power_w: None,
                evidence: Evidence::Derived,
                source: String::new(),
                found: Vec::new(),
            }),
            precision,
            batch,
            context: Some(context),
            batch_scaling: scaling.0,
            sequence_scaling: scaling.1,
            resolution_scaling: scaling.2,
            devices,
            roofline: Some(roofline),
            ..Default::default()
        }
    }
}

/// What must hold of every chart.
fn holds(report: &Report) {
    for chart in charts(report, Theme::Light) {
        check(&chart, "a strange report");
        for word in ["<script", "NaN", "inf\"", "\u{202e}", "\u{2066}", "\u{200b}", "\u{1b}", "\0"]
        {
            assert!(!chart.svg.contains(word), "{}: {word:?}\n{}", chart.name, chart.svg);
        }
        assert!(chart.svg.len() < 200_000, "{}: {} bytes", chart.name, chart.svg.len());
        assert!(!chart.alt.contains(|c: char| c.is_control()), "{}", chart.alt);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 96, failure_persistence: None, ..ProptestConfig::default() })]

    fn strange_graphs_are_drawn_whole(report in along()) {
        holds(&report);
    }

    fn strange_answers_about_hardware_are_drawn_whole(hardware in hardware()) {
        holds(&Report { hardware: Some(hardware), ..Report::default() });
    }
}

fn names_are_text_and_nothing_else() {
    let mut report = Report::default();
    let op = "</text><image href='http://a'/><!--&lt;\u{fffe}]]>";
    report.graph.operators =
        vec![OperatorCount { op: op.to_owned(), count: 2, percent: 100.0, ..Default::default() }];
    report.graph.nodes = 2;
    let chart = &charts(&report, Theme::Light)[0];
    let words: Vec<String> = check(chart, op).into_iter().map(|label| label.text).collect();
    assert!(words.iter().any(|word| word.starts_with("</text><image")), "{words:?}");
    assert_eq!(chart.svg.matches("<!--").count() + chart.svg.matches("<image").count(), 0);
    assert_eq!(read(chart).size().width(), 720.0);
}

fn what_has_nothing_to_show_is_not_drawn() {
    assert!(charts(&Report::default(), Theme::Light).is_empty());
    let hardware = Some(Hardware { devices: vec![DeviceRow::default()], ..Hardware::default() });
    assert!(charts(&Report { hardware, ..Report::default() }, Theme::Dark).is_empty());
}
