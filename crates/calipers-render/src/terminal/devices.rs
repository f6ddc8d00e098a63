//! One device in full.
//!
//! ```text
//!   NVIDIA H100 SXM   h100-sxm · nvidia · gpu-datacenter · Hopper
//!
//!   Memory       size       80 GB · HBM3
//! ```

use calipers_report::{DeviceSheet, DeviceSpec, LaunchSource, PrecisionPeak};

use super::Style;
use super::page::{Line, Page, Role, flow};
use super::rows::Rows;
use crate::{text, units};

/// Lines of a note, a source and the like.
const PROSE_LINES: usize = 6;

/// One device in full as lines of text, ending in a newline.
pub fn device(sheet: &DeviceSheet, style: &Style) -> String {
    let mut page = Page::new(style);
    let device = &sheet.device;
    title(device, &mut page);
    let found: Vec<Line> = sheet
        .found
        .iter()
        .flat_map(|word| {
            let line = Line::of(Role::Plain, text::prose(word, page.charset));
            line.wrap_within(page.body(), PROSE_LINES, page.charset)
        })
        .collect();
    page.section("Found", "", found);
    let lines = memory_rows(device, &page).set(&page);
    page.section("Memory", "", lines);
    let lines = chip_rows(device, &page).set(&page);
    page.section("Chip", "", lines);
    let lines = peak_rows(&sheet.precisions, &page).set(&page);
    page.section("Peaks", "dense", lines);
    if let Some(launching) = &sheet.launching {
        let lines = launch_rows(launching, &page).set(&page);
        page.section("Launch", "", lines);
    }
    let lines = evidence_rows(device, &page).set(&page);
    page.section("Evidence", "", lines);
    page.finish()
}

fn title(device: &DeviceSpec, page: &mut Page) {
    let word = |raw: &str| text::name(raw, page.charset);
    let name =
        Line::of(Role::Strong, text::truncate(&word(&device.name), page.full(), page.charset));
    let facts: Vec<Line> =
        [word(&device.id), word(&device.vendor), word(&device.class), word(&device.architecture)]
            .into_iter()
            .map(|fact| Line::of(Role::Plain, fact))
            .collect();
    let on_one_line = flow(facts.clone(), page.dot(), usize::MAX).remove(0);
    if name.width() + 3 + on_one_line.width() <= page.full() {
        page.line(name.and(Role::Plain, "   ").and_line(on_one_line));
    } else {
        page.line(name);
        for line in flow(facts, page.dot(), page.full()) {
            page.line(line);
        }
    }
}

/// A figure with its unit, all digits.
fn measure(value: f64, unit: &str) -> Line {
    Line::of(Role::Plain, format!("{} {unit}", units::decimal(value)))
}

fn unknown() -> Line {
    Line::of(Role::Warning, "unknown")
}

fn memory_rows(device: &DeviceSpec, page: &Page) -> Rows {
    let mut rows = Rows::default();
    let word = |raw: &str| Line::of(Role::Plain, text::name(raw, page.charset));
    if let Some(chip) = &device.on_chip {
        let size = chip.memory_mb.map_or_else(unknown, |mb| measure(mb, "MB"));
        rows.facts("on chip", vec![size]);
        rows.facts("link", vec![chip.link_gb_s.map_or_else(unknown, |gb_s| measure(gb_s, "GB/s"))]);
        let rule = Line::of(Role::Plain, text::prose(&chip.rule, page.charset));
        rows.prose("rule", rule, PROSE_LINES);
        return rows;
    }
    let size = device.memory_gb.map_or_else(unknown, |gb| measure(gb, "GB"));
    rows.facts(
        "size",
        std::iter::once(size).chain(device.memory_type.as_deref().map(word)).collect(),
    );
    rows.facts(
        "bandwidth",
        vec![device.bandwidth_gb_s.map_or_else(unknown, |b| measure(b, "GB/s"))],
    );
    rows.facts("cache", device.cache_mb.map(|mb| measure(mb, "MB")).into_iter().collect());
    rows
}

fn chip_rows(device: &DeviceSpec, page: &Page) -> Rows {
    let mut rows = Rows::default();
    let count = |units| Line::of(Role::Plain, units::integer(u64::from(units)));
    rows.facts("units", device.units.map(count).into_iter().collect());
    let mut clocks: Vec<Line> =
        device.clock_mhz.map(|mhz| measure(mhz, "MHz")).into_iter().collect();
    clocks.extend(
        device
            .matrix_clock_mhz
            .map(|mhz| measure(mhz, "MHz").and(Role::Quiet, " for matrix products")),
    );
    rows.facts("clock", clocks);
    rows.facts("power", device.power_w.map(|watt| measure(watt, "W")).into_iter().collect());
    let names = device.detect_as.iter();
    let names = names.map(|name| Line::of(Role::Plain, text::name(name, page.charset)));
    rows.facts("reported as", names.collect());
    rows
}

fn peak_rows(precisions: &[PrecisionPeak], page: &Page) -> Rows {
    let mut rows = Rows::default();
    let mut lacking = vec![];
    for PrecisionPeak { precision, peak } in precisions {
        let line = match peak {
            Some(peak) if peak.precision_used == *precision => rate(peak.flops, precision),
            Some(peak) => Line::of(Role::Quiet, page.glyph("–", "-"))
                .and(Role::Quiet, format!("  {}", peak.why)),
            None => {
                lacking.push(precision.as_str());
                continue;
            }
        };
        rows.facts(precision, vec![line]);
    }
    if !lacking.is_empty() {
        let why = ": no peak is known, nor that of a wider type";
        let line = Line::of(Role::Plain, lacking.join(", ")).and(Role::Quiet, why);
        rows.facts("unknown", vec![line]);
    }
    rows
}

/// A peak in TFLOPS or TOPS, in the next smaller unit where it is less than one.
fn rate(flops: f64, precision: &str) -> Line {
    let unit = if precision.starts_with("int") { "OPS" } else { "FLOPS" };
    match flops / 1e12 {
        tera if tera < 1.0 => measure(tera * 1e3, &format!("G{unit}")),
        tera => measure(tera, &format!("T{unit}")),
    }
}

fn launch_rows(launching: &LaunchSource, page: &Page) -> Rows {
    let mut rows = Rows::default();
    let micro = page.glyph("µs", "us");
    let mut known = |key: &str, value: Option<f64>, what: &str| {
        let line = value.map(|us| measure(us, micro).and(Role::Quiet, format!(" {what}")));
        rows.facts(key, line.into_iter().collect());
    };
    known("device", launching.device_us, "from kernel to kernel");
    known("host", launching.host_us, "to issue an operation");
    let why = text::prose(&launching.why, page.charset);
    let role = if launching.carried_over_from.is_some() { Role::Warning } else { Role::Quiet };
    rows.prose("from", Line::of(role, why), PROSE_LINES);
    rows
}

fn evidence_rows(device: &DeviceSpec, page: &Page) -> Rows {
    let mut rows = Rows::default();
    rows.facts("class", vec![Line::of(Role::Plain, text::name(&device.evidence, page.charset))]);
    for (key, words) in [
        ("source", Some(&device.source)),
        ("derivation", device.derivation.as_ref()),
        ("checked", device.checked.as_ref()),
        ("notes", device.notes.as_ref()),
    ] {
        if let Some(words) = words {
            let line = Line::of(Role::Plain, text::prose(words, page.charset));
            rows.prose(key, line, PROSE_LINES);
        }
    }
    rows
}
