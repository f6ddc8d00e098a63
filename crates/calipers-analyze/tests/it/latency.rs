//! Latencies and peaks of activations that were measured on an H200, against what is predicted.
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use calipers_analyze::{Bindings, Prediction, predict};
use calipers_devices::{Device, Precision, find};
use calipers_ir::Model;
use calipers_testkit::fixture;

calipers_testkit::tests! {
    test: [
        measured_latencies_are_predicted,
        networks_left_out_of_the_fit_are_predicted,
        measured_peaks_of_activations_are_predicted,
        a_step_of_a_large_decoder_reads_its_weights,
        other_devices_say_what_is_carried_over,
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
        format!("{} {} {}", self.graph, self.input, self.precision)
    }
}

/// A table of measurements; every column but the first three is a number.
fn rows(file: &str) -> Vec<Row> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../calipers-devices/measured");
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

/// Predicts rows; each graph is read once.
struct Predictor {
    device: &'static Device,
    folder: PathBuf,
    models: BTreeMap<String, Model>,
}

impl Predictor {
    fn new() -> Self {
        let folder = fixture("zoo");
        Self { device: find("h200-sxm").unwrap(), folder, models: BTreeMap::new() }
    }

    fn predict(&mut self, row: &Row) -> Prediction {
        let Self { device, folder, models } = self;
        let open = || calipers_formats::open(&folder.join(&row.graph)).unwrap();
        let model = models.entry(row.graph.clone()).or_insert_with(open);
        let (name, shape) = row.input.split_once('=').unwrap();
        let shape = shape.split('x').map(|side| side.parse().unwrap()).collect();
        let mut bindings = Bindings::default();
        bindings.inputs.insert(name.to_owned(), shape);
        predict(model, &bindings, device, row.precision).unwrap()
    }
}

fn share(rows: &[(f64, String)], holds: impl Fn(f64) -> bool) -> f64 {
    rows.iter().filter(|(factor, _)| holds(*factor)).count() as f64 / rows.len() as f64
}

fn geomean(rows: &[(f64, String)]) -> f64 {
    (rows.iter().map(|(factor, _)| factor.ln().abs()).sum::<f64>() / rows.len() as f64).exp()
}

fn worst_first(rows: &mut [(f64, String)]) {
    rows.sort_by(|a, b| b.0.ln().abs().total_cmp(&a.0.ln().abs()));
    for (factor, label) in rows.iter().take(15) {
        println!("  x{factor:.3} {label}");
    }
}

fn measured_latencies_are_predicted() {
    let mut predictor = Predictor::new();
    let (mut factors, mut issued, mut inside) = (Vec::new(), Vec::new(), 0);
    let measured = rows("models_h200.csv");
    assert_eq!(measured.len(), 94);
    for (row, fitted) in measured.iter().zip(rows("predicted_h200.csv")) {
        let prediction = predictor.predict(row);
        let (best, time) = (row.figures["best_ms"], prediction.replayed);
        assert_eq!(row.label(), fitted.label());
        // The script that fits the constants and we have one model.
        let theirs = fitted.figures["predicted_ms"];
        assert!((time.expected / theirs - 1.0).abs() < 0.01, "{} {theirs}", row.label());
        for figure in [time.low, time.expected, time.high, prediction.issued.expected] {
            assert!(figure.is_normal() && figure > 0.0, "{}", row.label());
        }
        assert!(time.low <= time.expected && time.expected <= time.high, "{}", row.label());
        let parts: f64 = prediction.bounds.iter().sum();
        assert!((parts / time.expected - 1.0).abs() < 1e-6, "{}", row.label());
        assert_eq!(prediction.dearest.len(), 5);
        assert!(prediction.peak_percent.is_some_and(|percent| percent > 0.0 && percent < 100.0));
        inside += usize::from((time.low..=time.high).contains(&best));
        factors.push((time.expected / best, row.label()));
        issued.push((prediction.issued.expected / row.figures["eager_ms"], row.label()));
    }
    worst_first(&mut factors);
    let near = share(&factors, |factor| (factor - 1.0).abs() < 0.25);
    let held = inside as f64 / factors.len() as f64;
    println!(
        "latency: {} rows, geometric-mean factor {:.3}, {:.1} % within 25 %, {:.1} % in the range; issued by the host {:.3}",
        factors.len(),
        geomean(&factors),
        100.0 * near,
        100.0 * held,
        geomean(&issued),
    );
    assert!(geomean(&factors) <= 1.3 && near >= 0.6 && held >= 0.85);
    assert!(geomean(&issued) <= 1.4);
}

fn networks_left_out_of_the_fit_are_predicted() {
    // Written by the script: each row predicted by constants that never saw its network.
    let fitted = rows("predicted_h200.csv");
    let factors: Vec<(f64, String)> = fitted
        .iter()
        .map(|row| (row.figures["left_out_ms"] / row.figures["best_ms"], row.label()))
        .collect();
    let near = share(&factors, |factor| (factor - 1.0).abs() < 0.25);
    let range = calipers_devices::Speed::of(find("h200-sxm").unwrap()).range;
    let held = share(&factors, |factor| factor.ln().abs() <= range.ln());
    println!(
        "left out: geometric-mean factor {:.3}, {:.1} % within 25 %, {:.1} % in the range of x{range}",
        geomean(&factors),
        100.0 * near,
        100.0 * held
    );
    assert!(geomean(&factors) <= 1.3 && near >= 0.6 && held >= 0.85);
}

fn measured_peaks_of_activations_are_predicted() {
    let mut predictor = Predictor::new();
    let mut factors: Vec<(f64, String)> = rows("models_h200.csv")
        .iter()
        .map(|row| {
            let bytes = predictor.predict(row).peak_activation_bytes;
            (bytes as f64 / row.figures["peak_activation_bytes"], row.label())
        })
        .collect();
    worst_first(&mut factors);
    let near = share(&factors, |factor| factor.max(1.0 / factor) <= 1.5);
    println!("activations: {} rows, {:.1} % within a factor of 1.5", factors.len(), 100.0 * near);
    assert!(near >= 0.8);
}

fn a_step_of_a_large_decoder_reads_its_weights() {
    let model = calipers_formats::open(&fixture("zoo/llama7b_synth.onnx")).unwrap();
    let mut bindings = Bindings::default();
    bindings.dims.extend([("batch", 1), ("seq", 1), ("past", 127)].map(|(n, v)| (n.to_owned(), v)));
    let h200 = find("h200-sxm").unwrap();
    let step = |precision| predict(&model, &bindings, h200, precision).unwrap();
    let half = step(Precision::Fp16);
    // 6.6 G weights but for the table of tokens, of two bytes, at 4.8 TB/s.
    assert!(half.replayed.low >= 2.7 && half.replayed.expected < 8.0, "{:?}", half.replayed);
    assert!(half.bounds[1] > half.bounds[0] + half.bounds[2], "{:?}", half.bounds);
    // Weights of four bits are read faster, though not four times, for launches stay.
    let int4 = step(Precision::Int4);
    let gain = half.replayed.expected / int4.replayed.expected;
    assert!((1.2..4.0).contains(&gain), "{gain}");
}

fn other_devices_say_what_is_carried_over() {
    let mut predictor = Predictor::new();
    let row = rows("models_h200.csv").remove(0);
    let own = predictor.predict(&row);
    for device in calipers_devices::all() {
        predictor.device = device;
        let (name, shape) = ("input".to_owned(), vec![1, 3, 224, 224]);
        let mut bindings = Bindings::default();
        bindings.inputs.insert(name, shape);
        let model = &predictor.models[&row.graph];
        for precision in Precision::ALL {
            match predict(model, &bindings, device, precision) {
                Ok(found) => {
                    let time = found.replayed;
                    let figures = [time.low, time.expected, time.high, found.issued.high];
                    assert!(figures.iter().all(|f| f.is_normal() && *f > 0.0), "{}", device.id);
                    let is_wider = time.high / time.low > own.replayed.high / own.replayed.low;
                    let said = found.method.iter().any(|words| {
                        words.contains("carried over") || words.contains("not measured")
                    });
                    assert!(
                        device.id == "h200-sxm"
                            || (is_wider || time.low > 0.99 * time.expected) && said,
                        "{} {precision}",
                        device.id
                    );
                }
                Err(why) => assert!(why.contains("known"), "{} {precision}: {why}", device.id),
            }
        }
    }
}
