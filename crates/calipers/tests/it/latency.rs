//! Latencies and activation peaks measured on an H200, against what a user reads in the report.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::LazyLock;

use calipers::Model;
use calipers::{Bindings, HardwareQuery};
use calipers_perf::devices::{Device, Precision, find};
use calipers_report::{Bottleneck, Confidence, DType, Hardware, Range, Report, Runtime};
use calipers_testkit::{fixture, score};

use crate::support::analyze_for;

calipers_testkit::tests! {
    test: [
        measured_latencies_are_predicted,
        measured_latencies_of_a_processor_are_predicted,
        network_families_held_out_of_the_fit_are_predicted,
        measured_peaks_of_activations_are_predicted,
        a_step_of_a_large_decoder_reads_its_weights,
        free_sizes_are_timed_as_the_same_sizes_bound,
        other_devices_state_what_is_extrapolated,
    ];
}

struct Row {
    graph: String,
    input: String,
    precision: Precision,
    figures: BTreeMap<String, f64>,
}

impl Row {
    fn label(&self) -> String {
        format!("{} {} {}", self.graph, self.input, self.precision.id())
    }
}

/// A table of measurements; every column but the first three is a number.
fn rows(file: &str) -> Vec<Row> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../calipers-perf/devices/measured");
    let text = std::fs::read_to_string(folder.join(file)).unwrap();
    let mut lines = text.lines();
    let columns: Vec<&str> = lines.next().unwrap().split(',').collect();
    let row = |line: &str| {
        let cells: Vec<&str> = line.split(',').collect();
        let figure = |at: usize| (columns[at].to_owned(), cells[at].parse().unwrap());
        Row {
            graph: cells[0].to_owned(),
            input: cells[1].to_owned(),
            precision: cells[2].parse().unwrap(),
            figures: (3..columns.len()).map(figure).collect(),
        }
    };
    lines.map(row).collect()
}

/// What a user gets for a measured row.
struct Answer {
    row: Row,
    hardware: Hardware,
    /// Bytes of the caller's inputs at the row's shape and precision.
    input_bytes: u64,
}

fn question(device: &Device, precision: Precision) -> HardwareQuery {
    HardwareQuery {
        device: Some(device.clone()),
        // The rows were measured with PyTorch.
        runtime: Runtime::PyTorch,
        precision: Some(precision),
        table: Vec::new(),
        ..HardwareQuery::default()
    }
}

fn open(graph: &str) -> Model {
    calipers::Model::open(fixture("zoo").join(graph)).unwrap()
}

fn report(model: &Model, bindings: &Bindings, device: &str, precision: Precision) -> Report {
    analyze_for(model, bindings, &question(find(device).unwrap(), precision)).unwrap()
}

fn answer(model: &Model, row: Row) -> Answer {
    let (name, shape) = row.input.split_once('=').unwrap();
    let shape: Vec<i64> = shape.split('x').map(|side| side.parse().unwrap()).collect();
    let elements = shape.iter().product::<i64>().unsigned_abs();
    let mut bindings = Bindings::default();
    bindings.inputs.insert(name.to_owned(), shape);
    let report = report(model, &bindings, "h200-sxm", row.precision);
    let [input] = &report.graph.inputs[..] else { panic!("{} has one input", row.graph) };
    let bits = match input.dtype {
        Some(DType::Float32) => u64::from(row.precision.bits()),
        Some(DType::Int64) => 64,
        other => panic!("{} reads {other:?}", row.graph),
    };
    let hardware = report.hardware.expect("a device was asked for");
    Answer { row, hardware, input_bytes: elements * bits / 8 }
}

/// The report's hardware section for every measured row. Each graph is read once.
static ANSWERS: LazyLock<Vec<Answer>> = LazyLock::new(|| {
    let mut models: BTreeMap<String, Model> = BTreeMap::new();
    let measured = rows("models_h200.csv").into_iter();
    measured
        .map(|row| {
            let model = models.entry(row.graph.clone()).or_insert_with(|| open(&row.graph));
            answer(model, row)
        })
        .collect()
});

fn share(rows: &[(f64, String)], holds: impl Fn(f64) -> bool) -> f64 {
    rows.iter().filter(|(factor, _)| holds(*factor)).count() as f64 / rows.len() as f64
}

fn geomean(rows: &[(f64, String)]) -> f64 {
    (rows.iter().map(|(factor, _)| factor.ln().abs()).sum::<f64>() / rows.len() as f64).exp()
}

/// The rows with the largest errors, for the message of a failure.
fn worst(rows: &[(f64, String)]) -> String {
    let mut rows = rows.to_vec();
    rows.sort_by(|a, b| b.0.ln().abs().total_cmp(&a.0.ln().abs()));
    rows.iter().take(15).map(|(factor, label)| format!("x{factor:.3} {label}\n")).collect()
}

fn check_span(span: Range, label: &str) {
    for figure in [span.low, span.expected, span.high] {
        assert!(figure.is_normal() && figure > 0.0, "{label}: {span:?}");
    }
    assert!(span.low <= span.expected && span.expected <= span.high, "{label}: {span:?}");
}

fn measured_latencies_are_predicted() {
    let (mut factors, mut eagers, mut inside, mut eager_inside) = (vec![], vec![], 0, 0);
    assert_eq!(ANSWERS.len(), 94);
    for (Answer { row, hardware, .. }, fitted) in ANSWERS.iter().zip(rows("predicted_h200.csv")) {
        let label = row.label();
        assert_eq!(label, fitted.label());
        assert_eq!((hardware.fits, hardware.precision), (Some(true), row.precision), "{label}");
        let (time, eager) = (hardware.latency_ms.unwrap(), hardware.eager_ms.unwrap());
        check_span(time, &label);
        check_span(eager, &label);
        // The script that fits the constants implements the same model.
        let theirs = fitted.figures["predicted_ms"];
        assert!((time.expected / theirs - 1.0).abs() < 0.01, "{label} {theirs}");
        let shares = hardware.shares.unwrap();
        let parts = [
            ("compute", shares.compute_percent),
            ("memory-bandwidth", shares.memory_percent),
            ("launch-overhead", shares.launch_overhead_percent),
        ];
        // Each is rounded to four digits.
        let sum: f64 = parts.iter().map(|(_, percent)| percent).sum();
        assert!((sum - 100.0).abs() < 0.02, "{label}: {shares:?}");
        let most = parts.iter().max_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
        assert_eq!(hardware.bottleneck.map(Bottleneck::id), Some(most.0), "{label}: {shares:?}");
        assert_eq!(hardware.top_kernels.len(), 5, "{label}");
        assert!(hardware.top_kernels.is_sorted_by(|a, b| a.ms >= b.ms), "{label}");
        let named: f64 = hardware.top_kernels.iter().map(|kernel| kernel.ms).sum();
        assert!(named > 0.0 && named < time.expected, "{label}");
        assert!(hardware.peak_percent.is_some_and(|percent| percent > 0.0 && percent < 100.0));
        assert_eq!(hardware.extrapolated, Some(false), "{label}");
        assert_eq!(hardware.confidence, Some(Confidence::High), "{label}");
        let (best, measured_eager) = (row.figures["best_ms"], row.figures["eager_ms"]);
        inside += usize::from((time.low..=time.high).contains(&best));
        eager_inside += usize::from((eager.low..=eager.high).contains(&measured_eager));
        factors.push((time.expected / best, label.clone()));
        eagers.push((eager.expected / measured_eager, label));
    }
    let near = share(&factors, |factor| (factor - 1.0).abs() < 0.25);
    let held = inside as f64 / factors.len() as f64;
    let eager_held = eager_inside as f64 / factors.len() as f64;
    score(format!(
        "latency: {} rows, geometric-mean factor {:.3}, {:.1} % within 25 %, {:.1} % in the range",
        factors.len(),
        geomean(&factors),
        100.0 * near,
        100.0 * held,
    ));
    score(format!(
        "latency, eager mode: geometric-mean factor {:.3}, {:.1} % in the range",
        geomean(&eagers),
        100.0 * eager_held
    ));
    assert!(geomean(&factors) <= 1.3 && near >= 0.6 && held >= 0.85, "{}", worst(&factors));
    assert!(geomean(&eagers) <= 1.4 && eager_held >= 0.85, "{}", worst(&eagers));
}

fn measured_latencies_of_a_processor_are_predicted() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../calipers-perf/devices/measured");
    let text = std::fs::read_to_string(folder.join("models_cpu.csv")).unwrap();
    let device = find("xeon-emr-16").unwrap();
    let (mut factors, mut inside) = (Vec::new(), 0_u32);
    for line in text.lines().skip(1) {
        let cells: Vec<&str> = line.split(',').collect();
        let [graph, input, threads, measured, ..] = cells[..] else { panic!("{line}") };
        let path = fixture("zoo").join(graph);
        if !path.exists() {
            continue;
        }
        let mut bindings = Bindings::default();
        for one in input.split(';') {
            let (name, shape) = one.rsplit_once('=').unwrap();
            let shape = shape.split('x').map(|side| side.parse().unwrap()).collect();
            bindings.inputs.insert(name.to_owned(), shape);
        }
        let query = HardwareQuery {
            device: Some(device.clone()),
            threads: Some(threads.parse().unwrap()),
            table: Vec::new(),
            ..HardwareQuery::default()
        };
        let model = calipers::Model::open(&path).unwrap();
        let hardware = analyze_for(&model, &bindings, &query).unwrap().hardware.unwrap();
        let (span, ms) = (hardware.latency_ms.unwrap(), measured.parse::<f64>().unwrap());
        assert_eq!(hardware.threads.map(|count| count.to_string()).as_deref(), Some(threads));
        check_span(span, line);
        inside += u32::from(span.low <= ms && ms <= span.high);
        factors.push(((span.expected / ms).max(ms / span.expected), line.to_owned()));
    }
    let factor = geomean(&factors);
    #[expect(clippy::cast_precision_loss, reason = "rows are few")]
    let held = 100.0 * f64::from(inside) / factors.len() as f64;
    score(format!(
        "processor: {} rows, mean factor {factor:.3}, range holds {held:.1} %",
        factors.len()
    ));
    assert!(factors.len() >= 60 && factor <= 1.2 && held >= 90.0, "{}", worst(&factors));
}

fn network_families_held_out_of_the_fit_are_predicted() {
    // Written by the script: each row predicted by constants that never used its family.
    let fitted = rows("predicted_h200.csv");
    let factors: Vec<(f64, String)> = fitted
        .iter()
        .map(|row| (row.figures["held_out_ms"] / row.figures["best_ms"], row.label()))
        .collect();
    let near = share(&factors, |factor| (factor - 1.0).abs() < 0.25);
    let hardware = &ANSWERS[0].hardware;
    let range = hardware.range_factor.unwrap();
    let held = share(&factors, |factor| factor.ln().abs() <= range.ln());
    score(format!(
        "latency, held-out families: geometric-mean factor {:.3}, {:.1} % within 25 %, {:.1} % in the range of x{range}",
        geomean(&factors),
        100.0 * near,
        100.0 * held
    ));
    assert!(geomean(&factors) <= 1.3 && near >= 0.6 && held >= 0.95, "{}", worst(&factors));
    // A user reads exactly these figures.
    let words = format!(
        "On held-out models the estimate is off by {:.0}% on average; {:.0}% fall inside the range.",
        100.0 * (geomean(&factors) - 1.0),
        100.0 * held
    );
    assert!(hardware.method.contains(&words), "{words}: {:?}", hardware.method);
}

fn measured_peaks_of_activations_are_predicted() {
    let factor = |Answer { row, hardware, input_bytes }: &Answer| {
        let bytes = hardware.memory.as_ref().unwrap().activations_bytes.unwrap();
        // The report counts the caller's inputs; the measured peak is above them.
        let bytes = bytes.checked_sub(*input_bytes).unwrap();
        (bytes as f64 / row.figures["peak_activation_bytes"], row.label())
    };
    let factors: Vec<(f64, String)> = ANSWERS.iter().map(factor).collect();
    let near = share(&factors, |factor| factor.max(1.0 / factor) <= 1.5);
    let percent = 100.0 * near;
    score(format!("activations: {} rows, {percent:.1} % within a factor of 1.5", factors.len()));
    assert!(near >= 0.8, "{}", worst(&factors));
}

fn a_step_of_a_large_decoder_reads_its_weights() {
    let model = open("llama7b_synth.onnx");
    let mut bindings = Bindings::default();
    bindings.dims.extend([("batch", 1), ("seq", 1), ("past", 127)].map(|(n, v)| (n.to_owned(), v)));
    let step = |precision| report(&model, &bindings, "h200-sxm", precision).hardware.unwrap();
    let half = step(Precision::Fp16);
    // 6.6 G weights, without the embedding table, of two bytes at 4.8 TB/s.
    let time = half.latency_ms.unwrap();
    assert!(time.low >= 2.7 && time.expected < 8.0, "{time:?}");
    let shares = half.shares.unwrap();
    assert!(
        shares.memory_percent > shares.compute_percent + shares.launch_overhead_percent,
        "{shares:?}"
    );
    assert_eq!(half.bottleneck, Some(Bottleneck::MemoryBandwidth));
    // Weights of four bits are read faster, but launches take as long.
    let int4 = step(Precision::Int4);
    let gain = time.expected / int4.latency_ms.unwrap().expected;
    assert!((1.2..4.0).contains(&gain), "{gain}");
}

fn free_sizes_are_timed_as_the_same_sizes_bound() {
    for name in ["e5-small-v2.onnx", "gpt2_tiny_kv_op17.onnx", "mobilenet_v2_op17.onnx"] {
        let model = open(name);
        for device in ["h200-sxm", "xeon-emr-16"] {
            let at = |bindings: &Bindings| report(&model, bindings, device, Precision::Fp32);
            let free = at(&Bindings::default());
            let mut bindings = Bindings::default();
            for assumption in &free.assumptions {
                if let Some(size) = assumption.size_name() {
                    bindings.dims.insert(size.to_owned(), assumption.value.parse().unwrap());
                }
            }
            assert!(!bindings.dims.is_empty(), "{name}");
            let ms =
                |report: &Report| report.hardware.as_ref().unwrap().latency_ms.unwrap().expected;
            let (free, bound) = (ms(&free), ms(&at(&bindings)));
            assert!((free / bound - 1.0).abs() < 0.01, "{name} {device}: {free} ms, {bound} ms");
        }
    }
}

fn other_devices_state_what_is_extrapolated() {
    let model = open("resnet18_op13.onnx");
    let mut bindings = Bindings::default();
    bindings.inputs.insert("input".to_owned(), vec![1, 3, 224, 224]);
    let own = ANSWERS[0].hardware.latency_ms.unwrap();
    let mut timed = 0;
    for device in calipers_perf::devices::all() {
        for &precision in Precision::ALL {
            let label = format!("{} {precision:?}", device.id);
            let hardware = report(&model, &bindings, &device.id, precision).hardware.unwrap();
            let Some(time) = hardware.latency_ms else {
                let why = hardware.no_latency.unwrap();
                let is_full = hardware.fits == Some(false) && why.contains("does not fit");
                assert!(is_full || why.contains("known"), "{label}: {why}");
                continue;
            };
            timed += 1;
            check_span(time, &label);
            assert_eq!(hardware.eager_ms.is_some(), device.class.launches_kernels(), "{label}");
            if let Some(eager) = hardware.eager_ms {
                check_span(eager, &label);
            }
            // A GPU and a processor were measured.
            let is_own = ["h200-sxm", "xeon-emr-16"].contains(&device.id.as_str());
            assert_eq!(hardware.extrapolated, Some(!is_own), "{label}");
            let is_wider = time.high / time.low > own.high / own.low;
            let is_at_its_floor = time.low > 0.99 * time.expected;
            let said =
                |words: &String| words.contains("Extrapolated") || words.contains("not measured");
            assert!(
                is_own || (is_wider || is_at_its_floor) && hardware.method.iter().any(said),
                "{label}: {time:?} {:?}",
                hardware.method
            );
        }
    }
    assert!(timed > calipers_perf::devices::all().len() * Precision::ALL.len() / 2, "{timed}");
}
