//! Memory, batches, targets and generation on devices, against arithmetic by hand; every device
//! has figures or reasons.
use std::path::Path;

use calipers::Model;
use calipers::{Bindings, HardwareQuery};
use calipers_perf::devices::{Device, Precision, find};
use calipers_report::{Confidence, Hardware, KernelKind, Range, Runtime, ScalingRow};
use calipers_testkit::{Corpus, Outcome, fixture, score};

use crate::support::analyze_for;

calipers_testkit::tests! {
    test: [
        the_largest_batch_fits_and_twice_it_does_not,
        precisions_convert_weights_and_activations,
        a_decoder_s_cache_and_its_tokens_are_separate,
        a_decoder_without_a_cache_computes_everything_again,
        a_length_needs_a_sequence,
        images_may_have_other_sides_where_nothing_counts_on_them,
        a_target_names_the_slowest_device_that_meets_it,
        a_forest_has_memory_and_no_time,
        runtimes_differ_in_the_kernels_that_they_launch,
        every_model_has_requirements_for_a_default_target,
        an_input_without_a_batch_has_none,
    ];
    each_corpus: [every_device_has_figures_or_reasons];
    extended: [
        bert_on_a_laptop_takes_at_least_the_time_of_its_weights,
        a_detector_s_batches_end_where_they_do_not_fit,
    ];
}

fn open(path: &Path) -> Model {
    calipers::Model::open(path).unwrap()
}

fn zoo(name: &str) -> Model {
    open(&fixture(format!("zoo/{name}.onnx")))
}

fn device(id: &str) -> Device {
    find(id).unwrap().clone()
}

fn on(id: &str, precision: Precision) -> HardwareQuery {
    HardwareQuery {
        device: Some(device(id)),
        precision: Some(precision),
        ..HardwareQuery::default()
    }
}

fn ask(model: &Model, question: &HardwareQuery) -> Hardware {
    let report = analyze_for(model, &Bindings::default(), question).unwrap();
    report.hardware.expect("every report has one")
}

fn bert_on_a_laptop_takes_at_least_the_time_of_its_weights(corpus: &Corpus) -> Outcome {
    for name in ["bert-squad-tf2onnx", "bert-squad-torch"] {
        let model = open(&corpus.model(name).unwrap());
        let found = ask(&model, &on("rtx-4050-mobile", Precision::Fp16));
        // 108.89 M weights of two bytes, over 192 GB/s: 1.13 ms and what the tables add.
        let need = found.memory.as_ref().unwrap();
        let weights = need.weights_bytes.unwrap();
        assert!((217_000_000..219_000_000).contains(&weights), "{weights}");
        let latency = found.latency_ms.unwrap();
        assert!(latency.expected >= 1.14, "{name}: {latency:?}");
        assert_eq!(found.fits, Some(true));
        let shares = found.shares.unwrap();
        let sum = shares.compute_percent + shares.memory_percent + shares.launch_overhead_percent;
        assert!((99.0..101.0).contains(&sum), "{shares:?}");
        assert!(found.peak_percent.is_none_or(|percent| percent > 0.0));
        // Every input has a batch of its own name, and all grow together.
        let rows = &found.batch_scaling;
        assert!(rows.len() >= 7, "{rows:?}");
        let (one, many) = (rows[0].latency_ms.unwrap(), rows[6].latency_ms.unwrap());
        assert!(many.expected > 8.0 * one.expected, "{name}: 64 in {many:?}, one in {one:?}");
    }
    Ok(())
}

fn a_detector_s_batches_end_where_they_do_not_fit(corpus: &Corpus) -> Outcome {
    let model = open(&corpus.model("yolov8l-nc1").unwrap());
    for precision in [Precision::Fp16, Precision::Fp32] {
        let found = ask(&model, &on("rtx-4050-mobile", precision));
        let rows = &found.batch_scaling;
        let last = rows.last().unwrap();
        assert_eq!(last.fits, Some(false), "{rows:?}");
        assert!(last.size >= 32 && last.latency_ms.is_none() && last.throughput.is_none());
        assert!(last.memory_bytes.unwrap() > 6_000_000_000);
        let largest = found.largest_batch.unwrap();
        assert!(largest < last.size && largest >= last.size / 2, "{largest}");
        // Throughput is not the same at every batch, and never shrinks by much.
        check_rows(rows);
        // The file fixes one image of 640; the assumption states how to get other batches.
        assert!(found.assumptions.iter().any(|one| one.what == "batch"), "{:?}", found.assumptions);
    }
    // 43,607,379 elements of two bytes, and 256 KB of constants at most.
    let found = ask(&model, &on("rtx-4050-mobile", Precision::Fp16));
    let weights = found.memory.unwrap().weights_bytes.unwrap();
    assert!((87_214_758..87_500_000).contains(&weights), "{weights}");
    assert_eq!(found.device.unwrap().memory_bytes, Some(6_000_000_000));
    Ok(())
}

fn check_rows(rows: &[ScalingRow]) {
    let timed: Vec<(u64, Range)> =
        rows.iter().filter_map(|row| Some((row.size, row.latency_ms?))).collect();
    for pair in timed.windows(2) {
        let ((_, less), (_, more)) = (pair[0], pair[1]);
        assert!(more.expected >= less.expected * 0.999, "{pair:?}");
        assert!(more.expected <= less.expected * 2.5, "{pair:?}");
    }
    let memory: Vec<u64> = rows.iter().filter_map(|row| row.memory_bytes).collect();
    assert!(memory.is_sorted(), "{memory:?}");
}

fn the_largest_batch_fits_and_twice_it_does_not() {
    let model = zoo("resnet50");
    let question = on("rtx-4050-mobile", Precision::Fp16);
    let largest = ask(&model, &question).largest_batch.unwrap();
    let at = |batch| ask(&model, &HardwareQuery { batch: Some(batch), ..question.clone() });
    assert_eq!(at(largest).fits, Some(true), "{largest}");
    assert_eq!(at(largest + largest / 10 + 1).fits, Some(false), "{largest}");
    let found = at(8);
    assert_eq!(found.batch, 8);
    assert!((found.throughput.unwrap() - 8e3 / found.latency_ms.unwrap().expected).abs() < 1.0);
}

fn precisions_convert_weights_and_activations() {
    let model = zoo("resnet50");
    let need = |precision| ask(&model, &on("l4", precision)).memory.unwrap();
    let own =
        ask(&model, &HardwareQuery { device: Some(device("l4")), ..HardwareQuery::default() });
    assert_eq!((own.precision.id(), own.memory.as_ref()), ("fp32", Some(&need(Precision::Fp32))));
    let (full, half) = (need(Precision::Fp32), need(Precision::Fp16));
    // 25,530,472 weights: two bytes less each; the constants next to them stay.
    assert_eq!(full.weights_bytes.unwrap() - half.weights_bytes.unwrap(), 2 * 25_530_472);
    assert!(half.activations_bytes.unwrap() < full.activations_bytes.unwrap());
    // Four bits, and sixteen for every 32 of them: 9/16 of a byte.
    let quarter = need(Precision::Int4).weights_bytes.unwrap();
    assert_eq!(full.weights_bytes.unwrap() - 4 * 25_530_472 + 25_530_472 * 9 / 16 + 1, quarter);
}

fn a_decoder_s_cache_and_its_tokens_are_separate() {
    let model = zoo("llama7b_synth");
    let question = HardwareQuery { context: Some(4096), ..on("h100-sxm", Precision::Fp16) };
    let found = ask(&model, &question);
    let need = found.memory.unwrap();
    // 32 layers of keys and values, 32 heads of 128, two bytes: 524,288 a token.
    assert_eq!(need.kv_cache_bytes, Some(524_288 * 4096));
    assert!(need.activations_bytes.unwrap() < 200_000_000, "{need:?}");
    let generation = found.generation.unwrap();
    assert_eq!((generation.prompt, generation.context, generation.cached), (4096, 4096, true));
    let (first, token) = (generation.first_token_ms.unwrap(), generation.token_ms.unwrap());
    // 13.5 GB of weights and 2.1 GB of cache at 3.35 TB/s are 4.7 ms; 4096 tokens of 13 GFLOPs at
    // 989.5 TFLOPS are 54 ms. On the way the file copies the cache to join it, and transposes keys.
    assert!((4.6..30.0).contains(&token.expected), "{token:?}");
    assert!((54.0..400.0).contains(&first.expected), "{first:?}");
    assert!((generation.tokens_per_s.unwrap() - 1e3 / token.expected).abs() < 1.0);
    // (80 - 13.5 - 0.5) GB over 524,288 bytes are about 126,000 tokens.
    let longest = found.largest_context.unwrap();
    assert!((110_000..127_000).contains(&longest), "{longest}");
    let cached = ask(&model, &HardwareQuery { batch: Some(4), ..question });
    assert_eq!(cached.memory.unwrap().kv_cache_bytes, Some(4 * 524_288 * 4096));
}

fn a_decoder_without_a_cache_computes_everything_again() {
    let model = zoo("gpt2");
    let found = ask(&model, &on("l4", Precision::Fp16));
    let generation = found.generation.unwrap();
    assert!(!generation.cached);
    assert_eq!(generation.first_token_ms, generation.token_ms);
    assert!(!found.sequence_scaling.is_empty());
    check_rows(&found.sequence_scaling);
}

fn a_length_needs_a_sequence() {
    let model = zoo("resnet50");
    let question = HardwareQuery { context: Some(4096), ..HardwareQuery::default() };
    let error = analyze_for(&model, &Bindings::default(), &question).unwrap_err().to_string();
    assert!(error.contains("is a sequence length"), "{error}");
    let mut bindings = Bindings::default();
    bindings.dims.insert("batch".to_owned(), 4);
    let question = HardwareQuery { batch: Some(8), ..HardwareQuery::default() };
    let error = analyze_for(&model, &bindings, &question).unwrap_err().to_string();
    assert!(error.contains("given both 4 and 8"), "{error}");
}

fn images_may_have_other_sides_where_nothing_counts_on_them() {
    let model = zoo("resnet18_op17_static");
    let rows = ask(&model, &on("l4", Precision::Fp16)).resolution_scaling;
    let sides: Vec<u64> = rows.iter().map(|row| row.size).collect();
    assert_eq!(sides, [96, 224, 320, 448]);
    let vit = zoo("vit_b_32");
    assert!(ask(&vit, &on("l4", Precision::Fp16)).resolution_scaling.is_empty());
}

fn a_target_names_the_slowest_device_that_meets_it() {
    let model = zoo("resnet50");
    let question = |latency: f64| HardwareQuery {
        target_latency_ms: Some(latency),
        ..on("rtx-4050-mobile", Precision::Fp16)
    };
    let found = ask(&model, &question(20.0)).requirements.unwrap();
    assert_eq!(found.target_met, Some(true), "{found:?}");
    let places =
        [&found.minimum, &found.recommended, &found.optimal].map(|one| one.clone().unwrap());
    assert!(
        places
            .iter()
            .all(|place| place.latency_ms.unwrap().expected <= 20.0 && place.margin >= 1.0)
    );
    assert!(places.is_sorted_by(|one, other| one.margin <= other.margin), "{places:?}");
    assert!(places[2].latency_ms.unwrap().high <= 10.0, "{places:?}");
    let found = ask(&model, &question(1e-6)).requirements.unwrap();
    assert_eq!((found.target_met, found.minimum), (Some(false), None));
    assert!(found.notes[0].contains("the nearest is"), "{:?}", found.notes);
    // A throughput may be had at a larger batch.
    let question =
        HardwareQuery { target_throughput: Some(2000.0), ..on("h100-sxm", Precision::Fp16) };
    let found = ask(&model, &question).requirements.unwrap();
    assert_eq!(found.target_met, Some(true), "{found:?}");
    assert!(found.minimum.unwrap().throughput.unwrap() >= 2000.0);
}

fn a_forest_has_memory_and_no_time() {
    let model = zoo("rf_cls");
    let found = ask(&model, &on("rpi5", Precision::Fp32));
    assert_eq!((found.fits, found.latency_ms), (Some(true), None));
    assert!(found.no_latency.unwrap().contains("ai.onnx.ml"));
    assert!(found.batch_scaling.is_empty() && found.generation.is_none());
}

fn runtimes_differ_in_the_kernels_that_they_launch() {
    // 53 convolutions whose batch norms the exporter folded, 49 of them followed by a ReLU or by an
    // addition and a ReLU; 1 max pool, 1 average pool, 1 linear layer.
    let model = zoo("resnet50");
    let with = |runtime| ask(&model, &HardwareQuery { runtime, ..on("h200-sxm", Precision::Fp32) });
    let [pytorch, onnxruntime, tensorrt] =
        [Runtime::PyTorch, Runtime::OnnxRuntime, Runtime::TensorRt].map(with);
    assert_eq!(pytorch.kernels, Some(53 + 53 + 49 + 16 + 3));
    assert_eq!(onnxruntime.kernels, Some(53 + 3));
    assert_eq!(tensorrt.kernels, Some(53 + 3));
    let norms = |found: &Hardware| {
        let kernels = found.roofline.as_ref().unwrap().kernels.iter();
        kernels.filter(|kernel| kernel.kind == KernelKind::BatchNorm).count()
    };
    assert!(norms(&pytorch) > 0 && norms(&onnxruntime) == 0);
    let expected = |found: &Hardware| found.latency_ms.unwrap().expected;
    assert!(expected(&onnxruntime) < expected(&pytorch));
    assert!(expected(&tensorrt) <= expected(&onnxruntime));
    assert_eq!(
        (pytorch.confidence, onnxruntime.confidence),
        (Some(Confidence::High), Some(Confidence::Medium))
    );
    assert_eq!(onnxruntime.eager_ms, None);
    let factors = [&pytorch, &onnxruntime].map(|found| found.range_factor.unwrap());
    assert!((factors[1] / factors[0] - 1.25).abs() < 0.001, "{factors:?}");
}

fn every_model_has_requirements_for_a_default_target() {
    for (name, target) in [
        ("resnet50", "at least 30 images/s"),
        ("llama7b_synth", "at least 20 tokens/s and at most 1 s to the first token"),
        ("bert_base", "at most 100 ms per run"),
    ] {
        let found = ask(&zoo(name), &HardwareQuery::default()).requirements.unwrap();
        assert_eq!((&*found.target, found.target_is_default), (target, true), "{name}");
        assert_eq!((found.target_met, &*found.why), (None, ""), "{name}");
        let minimum = found.minimum.unwrap();
        assert!(minimum.margin >= 1.0, "{name}: {minimum:?}");
        assert!(found.recommended.unwrap().margin >= minimum.margin, "{name}");
        assert!(found.devices_considered >= 70, "{name}");
    }
    let stated = HardwareQuery { target_first_token_ms: Some(200.0), ..HardwareQuery::default() };
    let found = ask(&zoo("llama7b_synth"), &stated).requirements.unwrap();
    assert_eq!(found.target, "at most 200 ms to the first token");
    assert!(found.minimum.unwrap().first_token_ms.unwrap().expected <= 200.0);
}

fn an_input_without_a_batch_has_none() {
    // Its one input is a matrix of 3 x 4 floats.
    let found = ask(&zoo("dynamo-cond_if"), &on("l4", Precision::Fp32));
    assert!(!found.batch_dimension);
    assert_eq!((found.batch, found.batch_scaling.len(), found.saturation_batch), (1, 0, None));
    assert!(ask(&zoo("resnet50"), &HardwareQuery::default()).batch_dimension);
}

fn check_span(span: &Range, place: &str) {
    let Range { low, expected, high } = *span;
    assert!(
        low > 0.0 && low <= expected && expected <= high && high.is_finite(),
        "{place}: {span:?}"
    );
}

/// Every model on every device, with each precision in turn.
fn every_device_has_figures_or_reasons(corpus: &Corpus) -> Outcome {
    let all: Vec<Device> = calipers_perf::devices::all().to_vec();
    let files = corpus.models();
    let mut timed = 0;
    for (i, path) in files.iter().enumerate() {
        let model = calipers::Model::open(path).unwrap();
        let precision = Precision::ALL[i % Precision::ALL.len()];
        let question = HardwareQuery {
            table: all.clone(),
            precision: (i % 3 > 0).then_some(precision),
            device: Some(all[i * 7 % all.len()].clone()),
            ..HardwareQuery::default()
        };
        let found = ask(&model, &question);
        let place = format!("{} in {}", path.display(), found.precision.id());
        for row in &found.devices {
            let place = format!("{place} on {}", row.id);
            match &row.latency_ms {
                Some(span) => {
                    timed += 1;
                    check_span(span, &place);
                    assert!(
                        row.throughput.is_some_and(|rate| rate > 0.0 && rate.is_finite()),
                        "{place}"
                    );
                }
                None => assert!(
                    row.fits == Some(false) || row.reason.is_some(),
                    "{place} has no reason"
                ),
            }
            assert!(
                row.memory_bytes.is_some_and(|bytes| bytes > 0) || row.reason.is_some(),
                "{place}"
            );
        }
        let rows = found
            .batch_scaling
            .iter()
            .chain(&found.sequence_scaling)
            .chain(&found.resolution_scaling);
        for row in rows {
            row.latency_ms.iter().for_each(|span| check_span(span, &place));
            assert!(
                row.throughput.is_none_or(|rate| rate > 0.0 && rate.is_finite()),
                "{place}: {row:?}"
            );
        }
        for span in [found.latency_ms, found.eager_ms].into_iter().flatten() {
            check_span(&span, &place);
        }
        let energy = found.energy_joules_at_most;
        assert!(
            energy.is_none_or(|joules| joules > 0.0 && joules.is_finite()),
            "{place}: {energy:?}"
        );
    }
    let (models, devices) = (files.len(), all.len());
    score(format!("devices, {}: {timed} times, {models} models, {devices} devices", corpus.name()));
    assert!(timed > models * devices / 2, "{timed}");
    Ok(())
}
