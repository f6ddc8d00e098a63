//! Devices: a line each under their classes, or one in full.
//!
//! ```text
//!   device        memory GB   GB/s  fp32 TFLOPS  fp16 TFLOPS  fp8 TFLOPS  int8 TOPS    W
//!   gpu-datacenter
//!     h100-sxm           80  3,350        67          989.5        1,979      1,979  700
//! ```

use calipers_devices::{Device, DeviceSheet, Launching, Precision, Running, Selection};

use super::Style;
use super::layers::set_remarks;
use super::page::{Line, Page, Role, flow};
use super::rows::Rows;
use super::table::{self, Column};
use crate::{text, units};

/// Lines of a note, a source and the like.
const PROSE_LINES: usize = 6;

/// Columns of precisions: the heading, and how soon it goes where there is no room.
const PEAKS: [(Precision, u8); 8] = [
    (Precision::Fp32, 4),
    (Precision::Tf32, 11),
    (Precision::Fp16, 1),
    (Precision::Bf16, 10),
    (Precision::Fp8, 6),
    (Precision::Int8, 3),
    (Precision::Int4, 12),
    (Precision::Fp4, 9),
];

/// The devices as lines of text, ending in a newline.
pub fn devices_to_terminal(selection: &Selection<'_>, style: &Style) -> String {
    let mut page = Page::for_table(style);
    let mut legend = legend(selection, &page);
    if selection.devices.is_empty() {
        // No table for it to stand beneath.
        page.line(legend.remove(0));
    } else {
        list(&selection.devices, &mut page);
    }
    set_remarks(legend, &mut page);
    page.finish()
}

fn list(devices: &[&Device], page: &mut Page) {
    let mut columns = vec![
        Column::text("device", 0, 40).room(26),
        Column::text("name", 8, 48).room(46),
        Column::text("architecture", 14, 20),
        Column::figures("memory GB", 2),
        Column::figures("GB/s", 5),
    ];
    let heading = |precision: Precision| format!("{precision} {}", precision.unit());
    columns.extend(PEAKS.map(|(peak, spare)| Column::figures(&heading(peak), spare)));
    columns.push(Column::figures("power W", 7));
    columns.push(Column::text("evidence", 13, 20));

    let mut figures: Vec<Vec<Line>> = vec![
        column(devices, page, memory),
        column(devices, page, |device| Figure::of(device.bandwidth_gb_s)),
    ];
    for (precision, _) in PEAKS {
        figures.push(column(devices, page, |device| {
            Figure::of(device.peaks.get(&precision).copied())
        }));
    }
    figures.push(column(devices, page, |device| Figure::of(device.power_w)));

    let mut rows: Vec<Vec<Line>> = vec![];
    for (i, device) in devices.iter().enumerate() {
        if i == 0 || devices[i - 1].class != device.class {
            if i > 0 {
                rows.push(vec![Line::default(); columns.len()]);
            }
            let class = Line::of(Role::Strong, device.class.name());
            rows.push(
                std::iter::once(class).chain(vec![Line::default(); columns.len() - 1]).collect(),
            );
        }
        let word = |raw: &str| text::name(raw, page.charset);
        let mut row = vec![
            Line::of(Role::Plain, word(&device.id)).indent(2),
            Line::of(Role::Plain, word(&device.name)),
            Line::of(Role::Plain, word(&device.architecture)),
        ];
        row.extend(figures.iter().map(|column| column[i].clone()));
        row.push(Line::of(Role::Quiet, device.evidence.name()));
        rows.push(row);
    }
    table::set(&columns, &rows, &[], page);
}

/// A cell that may stand for the absence of a figure.
enum Figure {
    Known(f64),
    Blank,
    Word(&'static str),
}

impl Figure {
    fn of(value: Option<f64>) -> Self {
        value.map_or(Self::Blank, Self::Known)
    }
}

fn memory(device: &Device) -> Figure {
    match device.memory_gb {
        None if device.on_chip.is_some() => Figure::Word("on chip"),
        memory => Figure::of(memory),
    }
}

/// The cells of a column with their decimal points beneath each other. A column without a single
/// figure is empty, and so left out.
fn column(devices: &[&Device], page: &Page, figure: impl Fn(&Device) -> Figure) -> Vec<Line> {
    let figures: Vec<Figure> = devices.iter().map(|device| figure(device)).collect();
    if figures.iter().all(|figure| matches!(figure, Figure::Blank)) {
        return vec![Line::default(); devices.len()];
    }
    let decimals = |text: &str| text.split_once('.').map_or(0, |(_, decimals)| decimals.len() + 1);
    let texts: Vec<Option<String>> = figures
        .iter()
        .map(|figure| match figure {
            Figure::Known(value) => Some(units::decimal(*value)),
            _ => None,
        })
        .collect();
    let most = texts.iter().flatten().map(|text| decimals(text)).max().unwrap_or(0);
    let cell = |(figure, text): (&Figure, Option<String>)| match (figure, text) {
        (_, Some(text)) => {
            let pad = " ".repeat(most - decimals(&text));
            Line::of(Role::Plain, text + &pad)
        }
        (Figure::Word(word), _) => Line::of(Role::Quiet, *word),
        // Where the figures' last whole digits stand.
        _ => Line::of(Role::Quiet, page.glyph("–", "-")).and(Role::Plain, " ".repeat(most)),
    };
    figures.iter().zip(texts).map(cell).collect()
}

fn legend(selection: &Selection<'_>, page: &Page) -> Vec<Line> {
    let count = selection.devices.len() as u64;
    let mut lines = vec![];
    if count == 0 {
        lines.push(Line::of(Role::Warning, "no device passes"));
    } else {
        let devices = units::counted(count, "device", "devices");
        let dash = page.glyph("–", "-");
        lines.push(Line::of(Role::Quiet, format!(
            "{devices}; peaks are dense, GB is 10{} bytes, {dash} is no evidence; `calipers devices \
             ID` shows one in full",
            page.glyph("⁹", "^9")
        )));
    }
    if selection.unknown_memory > 0 {
        let unknown = selection.unknown_memory as u64;
        let devices = units::counted(unknown, "device", "devices");
        let whose = if unknown == 1 { "its" } else { "their" };
        lines.push(
            Line::of(Role::Warning, format!("{devices} left out"))
                .and(Role::Quiet, format!(": {whose} memory is not known")),
        );
    }
    lines
}

/// One device in full as lines of text, ending in a newline.
pub fn device_to_terminal(sheet: &DeviceSheet, style: &Style) -> String {
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

fn title(device: &Device, page: &mut Page) {
    let word = |raw: &str| text::name(raw, page.charset);
    let name =
        Line::of(Role::Strong, text::truncate(&word(&device.name), page.full(), page.charset));
    let facts: Vec<Line> = [
        word(&device.id),
        word(&device.vendor),
        device.class.to_string(),
        word(&device.architecture),
    ]
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

fn memory_rows(device: &Device, page: &Page) -> Rows {
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

fn chip_rows(device: &Device, page: &Page) -> Rows {
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

fn peak_rows(precisions: &[Running], page: &Page) -> Rows {
    let mut rows = Rows::default();
    let mut lacking = vec![];
    for Running { precision, peak } in precisions {
        let line = match peak {
            Some(peak) if peak.precision_used == *precision => rate(peak.flops, *precision),
            Some(peak) => Line::of(Role::Quiet, page.glyph("–", "-"))
                .and(Role::Quiet, format!("  {}", peak.why)),
            None => {
                lacking.push(precision.name());
                continue;
            }
        };
        rows.facts(precision.name(), vec![line]);
    }
    if !lacking.is_empty() {
        let why = ": no peak is known, nor that of a wider type";
        let line = Line::of(Role::Plain, lacking.join(", ")).and(Role::Quiet, why);
        rows.facts("unknown", vec![line]);
    }
    rows
}

/// A peak in TFLOPS or TOPS, in the next smaller unit where it is less than one.
fn rate(flops: f64, precision: Precision) -> Line {
    match flops / 1e12 {
        tera if tera < 1.0 => measure(tera * 1e3, &precision.unit().replace('T', "G")),
        tera => measure(tera, precision.unit()),
    }
}

fn launch_rows(launching: &Launching, page: &Page) -> Rows {
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

fn evidence_rows(device: &Device, page: &Page) -> Rows {
    let mut rows = Rows::default();
    rows.facts("class", vec![Line::of(Role::Plain, device.evidence.name())]);
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
