//! What every row of the table is held to.

use Precision::{Bf16, Fp4, Fp8, Fp16, Fp32, Int4, Int8, Tf32};
use calipers_perf::devices::{Device, DeviceClass, Evidence, Precision, all, find};

/// By how much a figure may differ: tables print a tenth of a TFLOPS.
fn is_near(one: f64, other: f64, share: f64) -> bool {
    (one - other).abs() <= (share * other).max(0.05001)
}

#[test]
fn the_table_is_whole_sorted_and_sourced() {
    assert!(all().len() >= 72, "rows went missing: {} are left", all().len());
    for (before, after) in all().iter().zip(&all()[1..]) {
        assert!(before.id < after.id, "{} and {} are not in order", before.id, after.id);
    }
    for device in all() {
        let id = &device.id;
        assert!(device.source.len() >= 5, "{id} has no source");
        assert_ne!(device.evidence, Evidence::Detected, "{id}");
        assert!(!device.dense_checked, "{id}: the table has no exception");
        assert_eq!(device.vendor, device.vendor.to_lowercase());
    }
    for &class in DeviceClass::ALL {
        assert!(all().iter().any(|device| device.class == class), "{class:?}");
    }
}

/// Domains of vendors; a source is a page of one of them or of a subdomain.
const VENDOR_HOSTS: [&str; 10] = [
    "amd.com",
    "apple.com",
    "cloud.google.com",
    "coral.ai", // Google's Edge TPU
    "hailo.ai",
    "intel.com",
    "nvdam.widen.net", // NVIDIA's server for data sheets
    "nvidia.com",
    "qualcomm.com",
    "raspberrypi.com",
];

fn is_a_vendors(url: &str) -> bool {
    let Some(rest) = url.strip_prefix("https://") else { return false };
    let host = rest.split('/').next().unwrap_or_default();
    VENDOR_HOSTS.iter().any(|known| {
        host.strip_suffix(known).is_some_and(|sub| sub.is_empty() || sub.ends_with('.'))
    })
}

#[test]
fn every_row_cites_its_vendor_or_shows_its_arithmetic() {
    for device in all() {
        let (id, source) = (&device.id, &device.source);
        match device.evidence {
            Evidence::DatasheetCited => {
                assert!(is_a_vendors(source), "{id}: {source} is not a vendor's page");
                assert!(device.checked.is_some(), "{id} does not say what the page states");
            }
            Evidence::DatabaseDerived | Evidence::Derived | Evidence::Estimated => {
                let derivation = device.derivation.as_deref().unwrap_or_default();
                assert!(derivation.contains(" x "), "{id} does not show its arithmetic");
                let is_database = device.evidence == Evidence::DatabaseDerived
                    && source.starts_with("https://www.techpowerup.com/gpu-specs/");
                let is_generic = device.vendor == "generic";
                assert!(is_a_vendors(source) || is_database || is_generic, "{id}: {source}");
            }
            evidence @ (Evidence::WebPage | Evidence::Measured | Evidence::Detected) => {
                panic!("{id}: the table has no {evidence:?} rows")
            }
        }
    }
    for (url, is_vendor) in [
        ("https://resources.nvidia.com/x", true),
        ("https://nvidia.com.example.org/x", false),
        ("https://notnvidia.com/x", false),
        ("https://calendar.example/amd.com", false),
        ("http://amd.com/x", false),
    ] {
        assert_eq!(is_a_vendors(url), is_vendor, "{url}");
    }
}

#[test]
fn estimated_peaks_are_cores_times_lanes_times_clock() {
    // Apple states neither TFLOPS nor a clock; a core has 128 lanes with a multiply-add each.
    for (id, cores, ghz) in [
        ("apple-m1-max-32", 32.0, 1.296),
        ("apple-m2-ultra-60", 60.0, 1.398),
        ("apple-m3-max-40", 40.0, 1.38),
        ("apple-m4-10", 10.0, 1.578),
        ("apple-m4-max-32", 32.0, 1.578),
    ] {
        let device = find(id).unwrap();
        let tera = cores * 128.0 * 2.0 * ghz / 1e3;
        for precision in [Fp32, Fp16] {
            assert!((device.peaks[&precision] - tera).abs() <= 0.005, "{id}: {tera}");
        }
        let stated = format!("{cores} cores x 128 lanes x 2 FLOP x {ghz} GHz");
        assert!(device.derivation.as_ref().unwrap().contains(&stated), "{id}");
        assert!(device.provenance().contains("; estimated: Apple states no TFLOPS"), "{id}");
    }
}

#[test]
fn drivers_names_belong_to_one_device_each() {
    let mut names: Vec<&str> =
        all().iter().flat_map(|device| &device.detect_as).map(|s| &**s).collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
}

/// Peaks that units × clock × rate does not give, with the reason.
const EXCEPTIONS: [(&str, &str); 4] = [
    ("h100-nvl", "published below the boost clock; no matrix clock is stated"),
    ("h200-nvl", "published below the boost clock; no matrix clock is stated"),
    ("l40", "half the rates of L4 and L40S, by the same white paper"),
    ("l4", "published 3.5 % below the boost clock"),
];

#[test]
fn derived_peaks_are_units_times_clock_times_rate() {
    let mut checked = 0;
    for device in all() {
        for (precision, stated) in &device.peaks {
            let Some(derived) = device.derived_peak(*precision) else { continue };
            let derived = derived.flops / 1e12;
            let id = &device.id;
            // Sparse would be twice; nothing may come near, exception or not.
            assert!(*stated <= 1.05 * derived, "{id} {precision:?}: {stated}, derived {derived}");
            if EXCEPTIONS.iter().any(|(known, _)| known == id) {
                continue;
            }
            let share = match device.evidence {
                // Vendors round: L40S is published as 362, and 142 × 2.52 GHz × 1024 = 366.4.
                Evidence::DatasheetCited => 0.015,
                _ if *stated < 5.0 => 0.005,
                _ => 0.003,
            };
            let share = if id == "jetson-orin-nano-8" { 0.025 } else { share }; // 40 sparse, halved
            assert!(
                is_near(*stated, derived, share),
                "{id} {precision:?}: {stated}, not {derived}"
            );
            checked += 1;
        }
    }
    assert!(checked > 220, "{checked} peaks were compared");
    println!("devices: {checked} peaks equal units x clock x rate");
}

#[test]
fn published_peaks_are_reproduced() {
    // Published dense figures; the arithmetic is written above the rates in derive.rs. The share is
    // what the vendor's rounding and its choice of a clock leave.
    for (id, precision, published, share) in [
        ("v100-sxm2-32", Fp16, 125.0, 0.003),
        ("t4", Fp16, 65.0, 0.003),
        ("t4", Int8, 130.0, 0.003),
        ("a100-80-sxm", Fp16, 312.0, 0.001),
        ("a100-80-sxm", Int8, 624.0, 0.001),
        ("a10", Fp16, 125.0, 0.001),
        ("a10", Int8, 250.0, 0.001),
        ("l4", Fp16, 121.0, 0.036), // 60 × 2.04 GHz × 1024 = 125.3, published at a lower clock
        ("l4", Int8, 242.0, 0.036),
        ("l40s", Fp16, 362.0, 0.013), // 142 × 2.52 GHz × 1024 = 366.4
        ("l40s", Int8, 733.0, 0.001),
        ("h100-sxm", Fp16, 989.0, 0.001),
        ("h100-sxm", Int8, 1979.0, 0.001),
        ("h100-sxm", Fp32, 67.0, 0.002), // at 1.98 GHz, not at the matrix clock
        ("h100-pcie", Fp16, 756.0, 0.001),
        ("rtx-3090", Int8, 284.0, 0.003),
        ("rtx-4090", Int8, 660.6, 0.001),
        ("rtx-5090", Int8, 838.0, 0.001),
        ("rtx-5090", Fp4, 1676.0, 0.001),
        ("jetson-agx-orin-64", Int8, 85.0, 0.003),
        ("jetson-orin-nano-super", Int8, 33.5, 0.003),
        ("mi300x", Fp16, 1307.4, 0.001),
        ("mi250x", Fp16, 383.0, 0.001),
        ("mi355x", Fp16, 2517.0, 0.001),
        ("mi355x", Fp8, 5033.0, 0.001),
    ] {
        let derived = find(id).unwrap().derived_peak(precision).unwrap().flops / 1e12;
        assert!(
            is_near(derived, published, share),
            "{id} {precision:?}: {derived}, not {published}"
        );
    }
    // L40: 142 × 2.49 GHz × 512 = 181.0 and × 1024 = 362.1, half of what the table's rates say.
    let l40 = find("l40").unwrap();
    for (precision, published) in [(Fp16, 181.0), (Int8, 362.0)] {
        let half = l40.derived_peak(precision).unwrap().flops / 2e12;
        assert!(is_near(half, published, 0.001), "l40 {precision:?}: {half}");
        assert_eq!(l40.peaks[&precision], published);
    }
}

#[test]
fn no_peak_is_a_sparse_one() {
    // What vendors print for the sparse case; no row may have it.
    for (id, precision, sparse) in [
        ("h100-sxm", Fp16, 1979.0),
        ("h100-sxm", Fp8, 3958.0),
        ("h200-sxm", Fp16, 1979.0),
        ("b200-hgx", Fp16, 4500.0),
        ("b200-hgx", Fp4, 18_000.0),
        ("a100-80-sxm", Fp16, 624.0),
        ("l40s", Fp16, 733.0),
        ("mi300x", Fp16, 2614.9),
        ("mi355x", Fp8, 10_066.0),
        ("rtx-4090", Fp16, 330.3),
        ("rtx-5090", Fp4, 3352.0),
        ("jetson-agx-orin-64", Int8, 275.0),
        ("jetson-agx-orin-64", Int8, 137.5), // halved, but with the DLAs
        ("jetson-orin-nx-16", Int8, 100.0),
        ("jetson-orin-nano-super", Int8, 67.0),
    ] {
        let stated = find(id).unwrap().peaks[&precision];
        assert!(stated <= 0.7 * sparse, "{id} {precision:?}: {stated}");
    }
    for device in all() {
        let id = &device.id;
        for &precision in Precision::ALL {
            assert_eq!(device.looks_sparse(precision), None, "{id} {precision:?}");
        }
        // Half the bits give at most twice the rate on matrix units; int8 on GeForce has four
        // times, because its fp16 accumulates at half speed.
        for (wide, narrow, most) in
            [(Fp16, Fp8, 2.1), (Fp16, Int8, 4.1), (Int8, Int4, 2.1), (Fp8, Fp4, 4.1)]
        {
            if let (Some(wide_peak), Some(peak)) = (device.peak(wide), device.peak(narrow)) {
                assert!(
                    peak <= most * wide_peak,
                    "{id}: {narrow:?} is {peak}, {wide:?} {wide_peak}"
                );
            }
        }
        if let (Some(fp16), Some(bf16)) = (device.peak(Fp16), device.peak(Bf16)) {
            assert_eq!(fp16, bf16, "{id}");
        }
        if let (Some(tf32), Some(fp16)) = (device.peak(Tf32), device.peak(Fp16)) {
            assert!(is_near(2.0 * tf32, fp16, 0.03), "{id}: tf32 {tf32}, fp16 {fp16}");
        }
    }
}

#[test]
fn blank_stays_blank() {
    let m2 = find("apple-m2").unwrap();
    assert!(m2.peaks.is_empty() && m2.units.is_none() && m2.power_w.is_none());
    assert_eq!(m2.runs_at(Fp16), None);
    let t4 = find("t4").unwrap();
    assert_eq!([t4.peak(Bf16), t4.peak(Fp8), t4.peak(Fp4)], [None; 3]);
    let npu = find("snapdragon-x-elite-npu").unwrap();
    assert_eq!((npu.memory_gb, npu.bandwidth_gb_s), (None, None));
    assert_eq!(find("h100-sxm").unwrap().peak(Int4), None);
    for device in all() {
        let figures = [device.memory_gb, device.bandwidth_gb_s, device.power_w, device.cache_mb];
        assert!(figures.iter().flatten().all(|figure| *figure > 0.0), "{}", device.id);
    }
}

#[test]
fn accelerators_without_memory_have_a_capacity_rule() {
    let on_chip: Vec<&str> =
        all().iter().filter(|device| device.is_on_chip_only()).map(|device| &*device.id).collect();
    assert_eq!(on_chip, ["coral-edgetpu", "hailo-8", "hailo-8l"]);
    for id in on_chip {
        let device = find(id).unwrap();
        assert_eq!((device.memory_gb, device.bandwidth_gb_s), (None, None), "{id}");
        assert!(device.on_chip.as_ref().unwrap().rule.contains("weights"), "{id}");
        assert!(device.peak(Int8).is_some() && device.runs_at(Fp32).is_none(), "{id}");
    }
    assert_eq!(find("coral-edgetpu").unwrap().on_chip.as_ref().unwrap().memory_mb, Some(8.0));
    assert_eq!(find("hailo-8l").unwrap().on_chip.as_ref().unwrap().link_gb_s, Some(0.5));
}

#[test]
fn every_gpu_has_what_a_roofline_needs() {
    let needs = |device: &&Device| {
        matches!(
            device.class,
            DeviceClass::GpuConsumer | DeviceClass::GpuDatacenter | DeviceClass::EdgeModule
        )
    };
    for device in all().iter().filter(needs) {
        let id = &device.id;
        assert!(device.memory_bytes().is_some() && device.bandwidth().is_some(), "{id}");
        assert!(device.runs_at(Fp32).is_some() && device.runs_at(Fp16).is_some(), "{id}");
        assert!(device.power_w.is_some(), "{id}");
    }
}
