//! The hardware section in full: what `calipers hardware` prints.

use calipers_report::{
    DeviceFacts, DeviceRow, Generation, Hardware, MemoryNeed, Precision, Report, Requirement,
    Requirements,
};

use crate::document::{Block, Document, Fact, Facts, Section};
use crate::table::{Tone, Value};
use crate::tables::{self, Scaling};
use crate::units;
use crate::value::{Fit, Spans};

/// What a default target is marked with.
pub(super) const DEFAULT_TARGET: &str =
    "default; set another with --target-latency or --target-throughput";

/// Most lines of a sentence.
const LINES: usize = 4;

/// Everything about hardware.
pub fn hardware(report: &Report) -> Document {
    let Some(hardware) = &report.hardware else {
        let nothing = Value::text("the report has no hardware section");
        return Document { title: Spans::toned(Tone::Warning, nothing), ..Document::default() };
    };
    let mut sections = vec![];
    if let Some(device) = &hardware.device {
        sections.extend(on_one_device(hardware, device));
    }
    sections.push(compared(hardware));
    sections.extend(
        hardware
            .requirements
            .as_ref()
            .map(|needs| facts("Requirements", required(needs, hardware))),
    );
    let method = hardware.method.iter().map(|words| Value::quoted(words).into());
    sections.push(section("Method", vec![Block::list(method)]));
    let assumptions = hardware.assumptions.iter().map(|one| {
        Spans::from(Value::prose(&one.what))
            .and_text(" = ")
            .and_value(Value::prose(&one.value))
            .and_quiet(": ")
            .and(Tone::Quiet, Value::prose(&one.why))
    });
    sections.push(section("Assumptions", vec![Block::list(assumptions)]));
    Document {
        title: Value::name(&report.model.file).into(),
        facts: vec![],
        byline: Some(conditions(hardware)),
        sections,
    }
}

fn section(title: &str, blocks: Vec<Block>) -> Section {
    Section::new(&title.to_ascii_lowercase(), title, blocks)
}

fn facts(title: &str, facts: Facts) -> Section {
    section(title, vec![Block::Facts(facts)])
}

/// A row of prose in a tone.
fn prose(what: &str, tone: Tone, words: &str) -> Fact {
    Fact {
        values: vec![Spans::toned(tone, Value::prose(words))],
        ..Fact::prose(what, words, LINES)
    }
}

fn conditions(hardware: &Hardware) -> Spans {
    let mut words = Spans::from(Value::name(hardware.precision.display_name()))
        .and_text(": ")
        .and_value(Value::prose(&hardware.precision_why))
        .and_text(format!(" · {}", hardware.runtime.display_name()));
    if let Some(threads) = hardware.threads {
        words = words.and_text(format!(" · {}", super::hardware::thread_count(threads)));
    }
    if hardware.batch_dimension {
        words = words.and_text(format!(" · batch {}", units::integer(hardware.batch)));
    }
    if let Some(context) = hardware.context {
        words = words.and_text(format!(" · context {}", units::integer(context)));
    }
    words
}

fn on_one_device(hardware: &Hardware, device: &DeviceFacts) -> Vec<Section> {
    let mut sections = vec![
        facts("Device", about(device)),
        facts("Memory", memory(hardware, device)),
        facts("Time", time(hardware)),
        section("Kernels", vec![Block::Table(tables::top_kernels(&hardware.top_kernels))])
            .noted("slowest"),
    ];
    let generation = hardware.generation.as_ref();
    sections.extend(generation.map(|it| facts("Generation", generated(hardware, it))));
    for (what, title) in [
        (Scaling::Batch, "Batches"),
        (Scaling::Sequence, "Lengths"),
        (Scaling::Resolution, "Resolutions"),
    ] {
        let table = tables::scaling(hardware, what);
        sections.push(section(title, vec![Block::Table(table)]));
    }
    sections
}

fn about(device: &DeviceFacts) -> Facts {
    let mut facts = Facts::default();
    facts.add_all(
        "name",
        vec![
            Spans::toned(Tone::Strong, Value::prose(&device.name)),
            Value::name(&device.id).into(),
            Value::name(device.class.display_name()).into(),
        ],
    );
    let mut figures: Vec<Spans> = vec![];
    figures.extend(device.memory_bytes.map(|bytes| Value::Capacity(bytes).into()));
    figures.extend(device.bandwidth_bytes_per_s.map(|rate| units::bandwidth(rate).into()));
    figures.extend(device.power_w.map(|watts| format!("{} W", units::decimal(watts)).into()));
    facts.add_all("figures", figures);
    let peak = |(precision, peak): &(Precision, f64)| {
        let peak = units::peak(*peak, *precision);
        Spans::from(Value::name(precision.display_name())).and_text(format!(" {peak}"))
    };
    facts.add_all("dense peaks", device.peaks_per_s.iter().map(peak).collect());
    let why = device.computes_in_why.as_str();
    // The requested precision needs no line.
    if !why.is_empty() && !why.starts_with("the device's own") {
        facts.0.push(prose("precision", Tone::Warning, why));
    }
    facts.0.extend(device.found.iter().map(|words| prose("detected", Tone::Plain, words)));
    facts.0.push(Fact::prose("evidence", device.evidence.display_name(), 1));
    facts
}

fn memory(hardware: &Hardware, device: &DeviceFacts) -> Facts {
    let mut facts = Facts::default();
    let Some(MemoryNeed {
        weights_bytes,
        activations_bytes,
        kv_cache_bytes,
        workspace_bytes,
        unknown,
    }) = &hardware.memory
    else {
        return facts;
    };
    let fit = Fit {
        fits: hardware.fits,
        is_tight: false,
        needed: hardware.memory_bytes,
        capacity: device.memory_bytes,
    };
    let mut needed = vec![Value::Fit(fit).into()];
    needed.extend(hardware.largest_batch.map(|batch| {
        let plus = if batch >= 65_536 { "+" } else { "" };
        Spans::plain(format!("largest batch {}{plus}", units::integer(batch)))
    }));
    needed.extend(
        hardware
            .largest_context
            .map(|context| Spans::plain(format!("longest context {}", units::integer(context)))),
    );
    facts.add_all("needed", needed);
    facts.add("weights", Value::known(*weights_bytes, Value::Bytes));
    facts.add("activations", Value::known(*activations_bytes, Value::Bytes));
    facts.add("KV cache", kv_cache_bytes.map_or(Value::text("none"), Value::Bytes));
    let [low, expected, high] =
        [workspace_bytes.low, workspace_bytes.expected, workspace_bytes.high].map(units::gigabytes);
    let (low, high) = (low.trim_end_matches(" GB"), high.trim_end_matches(" GB"));
    facts.add("runtime overhead", Spans::plain(format!("{expected} ({low}–{high})")));
    facts.0.extend(unknown.as_ref().map(|why| prose("unknown", Tone::Quiet, why)));
    facts
}

fn time(hardware: &Hardware) -> Facts {
    let mut facts = Facts::default();
    let Some(latency) = hardware.latency_ms else {
        if let Some(why) = &hardware.no_latency {
            let word = if hardware.fits == Some(false) { "none" } else { "unknown" };
            let words = Spans::toned(Tone::Warning, Value::text(word)).and_quiet(": ");
            let values = vec![words.and(Tone::Quiet, Value::prose(why))];
            facts.0.push(Fact { values, ..Fact::prose("latency", why, LINES) });
        }
        return facts;
    };
    let mut values = vec![Spans::toned(Tone::Strong, Value::Range(latency))];
    values.extend(hardware.throughput.map(|rate| Value::Rate(rate).into()));
    // Only a device that launches kernels has two modes.
    if hardware.eager_ms.is_some() {
        values.push(Spans::default().and_quiet(hardware.mode.display_name()));
    }
    values.extend(hardware.confidence.map(|confidence| {
        Spans::default().and_quiet(format!("{} confidence", confidence.display_name()))
    }));
    facts.add_all("latency", values);
    if let Some(eager) = hardware.eager_ms {
        let how = match hardware.host_bound {
            Some(true) => "no CUDA graph; the host is the bottleneck",
            _ => "no CUDA graph",
        };
        let values = vec![Value::Range(eager).into(), Spans::default().and_quiet(how)];
        facts.add_all("eager mode", values);
    }
    facts.add("optimal batch", super::hardware::optimal_batch(hardware));
    if let (Some(limit), Some(shares)) = (&hardware.bottleneck, &hardware.shares) {
        let mut values = vec![Spans::toned(Tone::Strong, Value::name(limit.display_name()))];
        let shares = [
            (shares.compute_percent, "compute"),
            (shares.memory_percent, "memory"),
            (shares.launch_overhead_percent, "launch overhead"),
        ];
        let shares = shares.into_iter().filter(|(percent, _)| *percent > 0.0);
        values
            .extend(shares.map(|(percent, word)| {
                Spans::plain(format!("{} {word}", units::percent(percent)))
            }));
        facts.add_all("bottleneck", values);
    }
    facts.add("compute utilization", super::hardware::utilization(hardware));
    facts.add_all("work", work(hardware));
    facts
}

fn work(hardware: &Hardware) -> Vec<Spans> {
    let bandwidth = hardware.bandwidth_percent.filter(|percent| (0.05..=100.0).contains(percent));
    let energy = hardware.energy_joules_at_most;
    [
        hardware.kernels.map(|count| units::counted(count, "kernel", "kernels")),
        bandwidth.map(|percent| format!("{} bandwidth utilization", units::percent(percent))),
        energy.map(|joules| format!("at most {} per sample", units::energy(joules))),
    ]
    .into_iter()
    .flatten()
    .map(Spans::plain)
    .collect()
}

fn generated(hardware: &Hardware, generation: &Generation) -> Facts {
    let mut facts = Facts::default();
    let figure = |time: Option<calipers_report::Range>| match time {
        Some(time) => Spans::toned(Tone::Strong, Value::Range(time)),
        None => Value::Missing(None).into(),
    };
    let tokens = |rate: f64| units::rate(rate).replace("/s", " tokens/s");
    let prompt = units::counted(generation.prompt, "token", "tokens");
    let after = Spans::default().and_quiet(format!("after a prompt of {prompt}"));
    facts.add_all("first token", vec![figure(generation.first_token_ms), after]);
    let mut further = vec![figure(generation.token_ms)];
    further.extend(generation.tokens_per_s.map(|rate| Spans::plain(tokens(rate))));
    let all = generation.tokens_per_s_all.filter(|_| hardware.batch > 1);
    further.extend(all.map(|rate| Spans::plain(format!("{} for the batch", tokens(rate)))));
    let context = units::counted(generation.context, "token", "tokens");
    further.push(Spans::default().and_quiet(format!("at {context}")));
    facts.add_all("per token", further);
    facts.0.extend(generation.notes.iter().map(|note| prose("", Tone::Quiet, note)));
    facts
}

/// The hardware section of the overview; nothing where nothing is known.
pub(crate) fn hardware_overview(report: &Report) -> Option<Section> {
    let hardware = report.hardware.as_ref()?;
    let mut section = compared(hardware);
    section.title = "Hardware".to_owned();
    // Where the model fits everywhere and no time is known, there is nothing to compare.
    let is_known = |row: &DeviceRow| row.latency_ms.is_some() || row.fits == Some(false);
    if !hardware.devices.iter().any(is_known) {
        section.blocks.retain(|block| matches!(block, Block::Note(_)));
    }
    if let Some(device) = hardware.device.as_ref().filter(|_| !section.is_empty()) {
        section.blocks.insert(0, Block::Note(headline(hardware, device)));
    }
    Some(section)
}

/// The device that was asked for, in a line.
fn headline(hardware: &Hardware, device: &DeviceFacts) -> Spans {
    let fit = Fit {
        fits: hardware.fits,
        is_tight: false,
        needed: hardware.memory_bytes,
        capacity: device.memory_bytes,
    };
    let words = Spans::toned(Tone::Strong, Value::prose(&device.name))
        .and_text("  ")
        .and_value(Value::Fit(fit));
    match hardware.latency_ms {
        Some(latency) => words.and_quiet(" · ").and(Tone::Strong, Value::Range(latency)),
        None => words,
    }
}

/// The model on several devices, and why figures are missing.
fn compared(hardware: &Hardware) -> Section {
    let table = tables::device_comparison(hardware);
    let mut blocks = vec![Block::Table(table)];
    blocks.extend(reasons(&hardware.devices).into_iter().map(Block::Note));
    section("Devices", blocks).noted(hardware.precision.display_name())
}

/// Why figures are missing, each reason once with the devices that it holds for.
fn reasons(rows: &[DeviceRow]) -> Vec<Spans> {
    let is_missing = |row: &DeviceRow| row.latency_ms.is_none() || row.fits.is_none();
    let sentence = |(reason, group): (&str, Vec<&DeviceRow>)| {
        let whose = match group.len() == rows.len() {
            true => Spans::toned(Tone::Warning, Value::text("no latency")),
            false => Spans::joined(group.iter().map(|row| Value::name(&row.id).into()), ", "),
        };
        whose.and_quiet(": ").and(Tone::Quiet, Value::prose(reason))
    };
    tables::missing(rows, is_missing).into_iter().map(sentence).collect()
}

fn required(needs: &Requirements, hardware: &Hardware) -> Facts {
    let mut facts = Facts::default();
    let mut target = vec![Spans::plain(&needs.target)];
    if needs.target_is_default {
        target.push(Spans::default().and_quiet(DEFAULT_TARGET));
    }
    facts.add_all("target", target);
    if !needs.why.is_empty() {
        let tone = match needs.target_met {
            Some(true) => Tone::Plain,
            _ if needs.target_is_default => Tone::Plain,
            _ => Tone::Error,
        };
        facts.0.push(prose("this device", tone, &needs.why));
    }
    for (level, found) in [
        ("minimum", &needs.minimum),
        ("recommended", &needs.recommended),
        ("optimal", &needs.optimal),
    ] {
        let none = || vec![Spans::default().and_quiet("none in the catalog")];
        let values = found.as_ref().map(|found| requirement(found, hardware));
        facts.add_all(level, values.unwrap_or_else(none));
    }
    let considered = units::counted(needs.devices_considered, "device", "devices");
    let unknown = match needs.unknown {
        0 => String::new(),
        count => format!("; {} lack a figure", units::integer(count)),
    };
    let words = format!("{considered}; each level names the slowest that qualifies{unknown}");
    facts.0.push(prose("considered", Tone::Quiet, &words));
    facts.0.extend(needs.notes.iter().map(|note| prose("", Tone::Quiet, note)));
    facts
}

fn requirement(one: &Requirement, hardware: &Hardware) -> Vec<Spans> {
    let mut values = vec![Spans::toned(Tone::Strong, Value::name(&one.id))];
    values.extend(one.latency_ms.map(|latency| Value::Range(latency).into()));
    let at = match hardware.batch_dimension {
        true => format!(" at batch {}", units::integer(one.batch)),
        false => String::new(),
    };
    values.extend(one.first_token_ms.map(|time| {
        let time = units::time_range(time.low, time.expected, time.high);
        Spans::plain(format!("first token {time}"))
    }));
    let rate = one.throughput.map(units::rate);
    values.extend(rate.map(|rate| Spans::plain(format!("{rate}{at}"))));
    values.push(Spans::plain(format!("margin {}×", units::ratio(one.margin))));
    let memory = one.memory_margin;
    values.extend(memory.map(|margin| Spans::plain(format!("memory {}×", units::ratio(margin)))));
    values
}
