//! Estimates of single layers, by hand.

use calipers_samples::DataType;
use calipers_sym::Pool;

use super::*;
use crate::devices::{Evidence, OnChipMemory, find};
use crate::kernels;
use crate::testing::{Seen, Tiny, WithNetwork as _};
use crate::workload::Workload;

/// The kernels of a model, with every free dimension at a size.
fn loads(seen: &Seen, size: Option<i64>) -> Result<Vec<Load>, NoEstimate> {
    let kernels = seen.with_network(kernels::of_pytorch);
    let mut pool = Pool::default();
    let workload = Workload::new(&kernels, &mut pool);
    workload.at(&pool.evaluate(|_| size), (1, 1))
}

/// A matrix product of this many rows with 4096 x 4096 weights.
fn product(rows: &str) -> Vec<Load> {
    loads(&product_of(rows), None).unwrap()
}

fn product_of(rows: &str) -> Seen {
    let mut t = Tiny::new();
    let (x, w) = (t.input(&[rows, "4096"]), t.input(&["4096", "4096"]));
    let y = t.op("MatMul", &[&x, &w]);
    t.output(&y)
}

#[test]
fn packed_products_take_as_long_as_plain_ones() {
    let h200 = find("h200-sxm").unwrap();
    let plain = estimate(&product("4096"), h200, Precision::Fp16, Runtime::PyTorch, None).unwrap();
    let mut t = Tiny::new();
    let x = t.input(&["4096", "4096"]);
    let w = t.raw(DataType::F8E4M3FN, &[4096, 4096], &vec![1; 4096 * 4096]);
    let scale = t.weight(&[4096, 1]);
    let y = t.contrib("MatMulBlockQuantizedFp8Weight", &[&x, &w, &scale]);
    let packed = loads(&t.output(&y), None).unwrap();
    let packed = estimate(&packed, h200, Precision::Fp16, Runtime::PyTorch, None).unwrap();
    // 2 x 4096 x 4096 x 4096 FLOPs at 989.5 TFLOPS take 0.139 ms.
    for found in [&plain, &packed] {
        assert!((0.139e-3..0.3e-3).contains(&found.graph.expected), "{found:?}");
    }
}

#[test]
fn large_products_are_compute_bound_and_small_ones_memory_bound() {
    let h200 = find("h200-sxm").unwrap();
    let large = estimate(&product("8192"), h200, Precision::Fp16, Runtime::PyTorch, None).unwrap();
    // 2 x 8192 x 4096 x 4096 FLOPs at 989.5 TFLOPS take 0.278 ms; 0.31 ms and more were measured.
    assert!((0.278e-3..0.45e-3).contains(&large.graph.expected), "{large:?}");
    assert!(large.compute > large.memory + large.launches);
    assert!(large.peak_percent.is_some_and(|percent| percent > 60.0 && percent < 100.0));
    let small = estimate(&product("1"), h200, Precision::Fp16, Runtime::PyTorch, None).unwrap();
    // 33.5 MB at 4.8 TB/s take 7 us; 13.7 us were measured.
    assert!((8e-6..16e-6).contains(&small.graph.expected), "{small:?}");
    assert!(small.memory > small.compute);
    // The host takes longer to issue the operation than the device to run it.
    assert!(small.eager.unwrap().expected > small.graph.expected);
    assert_eq!((small.kernels, small.each.len()), (1, 1));
    assert_eq!(small.each[0].kind, KernelKind::Gemv);
}

#[test]
fn sizes_beyond_all_bounds_have_a_finite_time_or_none() {
    let model = product_of("batch");
    let h200 = find("h200-sxm").unwrap();
    let at = |batch| {
        let loads = loads(&model, Some(batch))?;
        estimate(&loads, h200, Precision::Fp16, Runtime::PyTorch, None)
    };
    assert!(at(64).unwrap().graph.expected < at(4096).unwrap().graph.expected);
    // A wrong file can say anything.
    for odd in [0, -5, 1 << 50, i64::MAX] {
        if let Ok(found) = at(odd) {
            assert!(found.graph.high.is_finite() && found.graph.low > 0.0, "{odd}");
        }
    }
    assert!(estimate(&[], h200, Precision::Fp16, Runtime::PyTorch, None).is_err());
}

#[test]
fn fallback_precisions_are_stated() {
    // A Volta has no tf32: convolutions run at fp32.
    let mut t = Tiny::new();
    let (x, w) = (t.input(&["1", "64", "56", "56"]), t.weight(&[64, 64, 3, 3]));
    let y = t.op("Conv", &[&x, &w]);
    let kernels = loads(&t.output(&y), None).unwrap();
    let volta = find("v100-sxm2-32").unwrap();
    let found = estimate(&kernels, volta, Precision::Fp32, Runtime::PyTorch, None).unwrap();
    assert!(found.method.iter().any(|words| words.contains("tf32 peak is not known")));
    let found = estimate(&kernels, volta, Precision::Bf16, Runtime::PyTorch, None).unwrap();
    assert!(
        found
            .method
            .iter()
            .any(|words| words.contains("widens to fp32") || words.contains("computes in fp32"))
    );
    // 8 bits cannot hold what 16 can.
    let hailo = find("hailo-8").unwrap();
    let error = estimate(&kernels, hailo, Precision::Fp16, Runtime::PyTorch, None).unwrap_err();
    assert!(error.contains("the fp16 peak"), "{error}");
}

#[test]
fn weights_fit_on_the_chip_or_cross_the_link() {
    let mut chip = Device::blank("x", "X", DeviceClass::Npu, Evidence::Derived, "a test");
    chip.peaks.insert(Precision::Int8, 4.0);
    let rule = "weights stream over the link".to_owned();
    chip.on_chip = Some(OnChipMemory { memory_mb: Some(8.0), link_gb_s: Some(0.5), rule });
    let layer = |rows: i64| {
        let mut t = Tiny::new();
        let (x, w) = (t.input(&["1", "1000"]), t.weight(&[1000, rows]));
        let y = t.op("MatMul", &[&x, &w]);
        loads(&t.output(&y), None).unwrap()
    };
    let fits = estimate(&layer(1000), &chip, Precision::Int8, Runtime::PyTorch, None).unwrap();
    assert!(fits.graph.expected < 1e-3 && fits.weight_read_floor == 0.0);
    // 10 MB at 0.5 GB/s take 20 ms.
    let streams = estimate(&layer(10_000), &chip, Precision::Int8, Runtime::PyTorch, None).unwrap();
    assert!((20e-3..21e-3).contains(&streams.graph.expected), "{streams:?}");
    assert!(streams.graph.low >= 20e-3);
    if let Some(chip) = chip.on_chip.as_mut() {
        chip.link_gb_s = None;
    }
    let error =
        estimate(&layer(10_000), &chip, Precision::Int8, Runtime::PyTorch, None).unwrap_err();
    assert!(error.starts_with("10.0 MB of weights"), "{error}");
}

#[test]
fn quantized_weights_are_read_as_stored() {
    let whole = Some(Quantized { bits: 8, weights_only: false });
    let packed = Some(Quantized { bits: 4, weights_only: true });
    assert_eq!(widths(Precision::Fp16, None), (Precision::Fp16, 16.0, 16.0));
    assert_eq!(widths(Precision::Int4, None), (Precision::Fp16, 16.0, 4.0));
    assert_eq!(widths(Precision::Fp32, whole), (Precision::Int8, 8.0, 8.0));
    assert_eq!(widths(Precision::Fp16, packed), (Precision::Fp16, 16.0, 4.0));
    assert_eq!(widths(Precision::Int8, packed), (Precision::Fp16, 16.0, 4.0));
}
