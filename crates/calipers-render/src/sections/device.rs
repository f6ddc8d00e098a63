//! One device in full.

use calipers_report::{DeviceSheet, DeviceSpec, LaunchSource, Precision, PrecisionPeak};

use crate::document::{Block, Document, Fact, Facts, Section};
use crate::table::{Tone, Value};
use crate::units;
use crate::value::Spans;

/// Most lines of a note or a source.
const PROSE: usize = 6;

/// Everything known about one device.
pub fn device(sheet: &DeviceSheet) -> Document {
    let device = &sheet.device;
    let detected = sheet.found.iter().map(|words| Value::prose(words).into());
    let section =
        |id: &str, title: &str, facts: Facts| Section::new(id, title, vec![Block::Facts(facts)]);
    let mut sections = vec![
        Section::new("detected", "Detected", vec![Block::list(detected)]),
        section("memory", "Memory", memory(device)),
        section("chip", "Chip", chip(device)),
        section("peaks", "Peaks", peaks(&sheet.precisions)).noted("dense"),
    ];
    sections.extend(sheet.launching.as_ref().map(|it| section("launch", "Launch", launch(it))));
    sections.push(section("evidence", "Evidence", evidence(device)));
    Document {
        title: Value::name(&device.name).into(),
        facts: [&device.id, &device.vendor, device.class.id(), &device.architecture]
            .map(|fact| Value::name(fact).into())
            .to_vec(),
        byline: None,
        sections,
    }
}

/// A figure with its unit, all digits.
fn measure(value: f64, unit: &str) -> Spans {
    Spans::plain(format!("{} {unit}", units::decimal(value)))
}

/// A figure with its unit, or a mark that it is unknown.
fn known(value: Option<f64>, unit: &str) -> Spans {
    value.map_or_else(|| Value::Missing(None).into(), |value| measure(value, unit))
}

fn memory(device: &DeviceSpec) -> Facts {
    let mut facts = Facts::default();
    if let Some(chip) = &device.on_chip {
        facts.add("on chip", known(chip.memory_mb, "MB"));
        facts.add("link", known(chip.link_gb_s, "GB/s"));
        facts.0.push(Fact::prose("rule", &chip.rule, PROSE));
        return facts;
    }
    let kind = device.memory_type.as_ref().map(|kind| Value::name(kind).into());
    let size = std::iter::once(known(device.memory_gb, "GB")).chain(kind);
    facts.add_all("size", size.collect());
    facts.add("bandwidth", known(device.bandwidth_gb_s, "GB/s"));
    facts.add("cache", device.cache_mb.map(|mb| measure(mb, "MB")));
    facts
}

fn chip(device: &DeviceSpec) -> Facts {
    let mut facts = Facts::default();
    facts.add("units", device.units.map(|units| Value::Integer(units.into())));
    let cores = device.performance_cores;
    facts.add("performance cores", cores.map(|cores| Value::Integer(cores.into())));
    let boost = device.clock_mhz.map(|mhz| measure(mhz, "MHz"));
    let matrix = device.matrix_clock_mhz;
    let matrix = matrix.map(|mhz| measure(mhz, "MHz").and_quiet(" for matrix units"));
    facts.add_all("clock", boost.into_iter().chain(matrix).collect());
    facts.add("power", device.power_w.map(|watts| measure(watts, "W")));
    let names = device.detect_as.iter().map(|name| Value::name(name).into());
    facts.add_all("driver name", names.collect());
    let aliases = device.aliases.iter().map(|name| Value::name(name).into());
    facts.add_all("aliases", aliases.collect());
    facts
}

fn peaks(precisions: &[PrecisionPeak]) -> Facts {
    let mut facts = Facts::default();
    let mut lacking = vec![];
    for PrecisionPeak { precision, peak } in precisions {
        let peak = match peak {
            Some(peak) if peak.precision_used == *precision => rate(peak.flops, *precision),
            Some(peak) => {
                Spans::default().and_quiet("–  ").and(Tone::Quiet, Value::prose(&peak.why))
            }
            None => {
                lacking.push(precision.display_name());
                continue;
            }
        };
        facts.add(precision.display_name(), peak);
    }
    if !lacking.is_empty() {
        let why = ": neither it nor a wider type has a known peak";
        facts.add("unknown", Spans::plain(lacking.join(", ")).and_quiet(why));
    }
    facts
}

/// A peak in TFLOPS or TOPS; in GFLOPS or GOPS where it is less than one.
fn rate(flops: f64, precision: Precision) -> Spans {
    match flops / 1e12 {
        tera if tera < 1.0 => measure(tera * 1e3, &precision.unit().replacen('T', "G", 1)),
        tera => measure(tera, precision.unit()),
    }
}

fn launch(launching: &LaunchSource) -> Facts {
    let mut facts = Facts::default();
    let overhead = |value: Option<f64>, what: &str| {
        value.map(|us| measure(us, "µs").and_quiet(format!(" {what}")))
    };
    facts.add("device", overhead(launching.device_us, "per kernel launch"));
    facts.add("host", overhead(launching.host_us, "per operation in eager mode"));
    let tone = match launching.extrapolated_from {
        Some(_) => Tone::Warning,
        None => Tone::Quiet,
    };
    let mut from = Fact::prose("from", &launching.why, PROSE);
    from.values = vec![Spans::toned(tone, Value::prose(&launching.why))];
    facts.0.push(from);
    facts
}

fn evidence(device: &DeviceSpec) -> Facts {
    let mut facts = Facts::default();
    facts.add("evidence", Value::name(device.evidence.display_name()));
    let prose = [
        ("source", Some(&device.source)),
        ("derivation", device.derivation.as_ref()),
        ("checked", device.checked.as_ref()),
        ("notes", device.notes.as_ref()),
    ];
    let prose = prose.into_iter().filter_map(|(what, words)| Some((what, words?)));
    facts.0.extend(prose.map(|(what, words)| Fact::prose(what, words, PROSE)));
    facts
}
