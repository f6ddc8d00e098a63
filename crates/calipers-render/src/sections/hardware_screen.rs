//! Where the model will run, in full: what `calipers hardware` prints.

use calipers_report::{
    DeviceFacts, DeviceRow, Generation, Hardware, MemoryNeed, Report, Requirement, Requirements,
};

use crate::document::{Block, Document, Fact, Facts, Section};
use crate::table::{Tone, Value};
use crate::tables::{self, Scaling};
use crate::units;
use crate::value::{Fit, Spans};

/// Lines of a sentence.
const LINES: usize = 4;

/// Everything about hardware.
pub fn hardware(report: &Report) -> Document {
    let Some(hardware) = &report.hardware else {
        let nothing = Value::text("nothing was asked about hardware");
        return Document { title: Spans::of(Tone::Warning, nothing), ..Document::default() };
    };
    let mut sections = vec![];
    if let Some(device) = &hardware.device {
        sections.extend(on_one_device(hardware, device));
    }
    sections.push(compared(hardware));
    sections.extend(hardware.requirements.as_ref().map(|needs| facts("Needs", required(needs))));
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
    Fact { values: vec![Spans::of(tone, Value::prose(words))], ..Fact::prose(what, words, LINES) }
}

fn conditions(hardware: &Hardware) -> Spans {
    let mut words = Spans::from(Value::name(hardware.precision.display_name()))
        .and_text(": ")
        .and_value(Value::prose(&hardware.precision_why))
        .and_text(format!(" · batch {}", units::integer(hardware.batch)));
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
        section("Most expensive", vec![Block::Table(tables::top_kernels(&hardware.top_kernels))])
            .noted("kernels"),
    ];
    let generation = hardware.generation.as_ref();
    sections.extend(generation.map(|it| facts("Generation", generated(hardware, it))));
    for (what, title) in [
        (Scaling::Batch, "Batches"),
        (Scaling::Sequence, "Lengths"),
        (Scaling::Resolution, "Resolutions"),
    ] {
        let table = tables::scaling(hardware, what);
        let enough =
            hardware.saturation_batch.filter(|_| what == Scaling::Batch && !table.is_empty());
        let mut blocks = vec![Block::Table(table)];
        blocks.extend(enough.map(|batch| {
            let batch = units::integer(batch);
            Block::Note(
                Spans::default().and_quiet(format!(
                    "from batch {batch} on, throughput grows by less than a tenth"
                )),
            )
        }));
        sections.push(section(title, blocks));
    }
    sections
}

fn about(device: &DeviceFacts) -> Facts {
    let mut facts = Facts::default();
    facts.add_all(
        "name",
        vec![
            Spans::of(Tone::Strong, Value::prose(&device.name)),
            Value::name(&device.id).into(),
            Value::name(device.class.id()).into(),
        ],
    );
    let mut figures: Vec<Spans> = vec![];
    figures.extend(device.memory_bytes.map(|bytes| Value::Capacity(bytes).into()));
    figures.extend(device.bandwidth_bytes_per_s.map(|rate| units::bandwidth(rate).into()));
    if let (Some(peak), Some(precision)) = (device.peak_per_s, device.computes_in) {
        let peak = units::peak(peak, precision);
        figures
            .push(Spans::from(Value::name(precision.display_name())).and_text(format!(" {peak}")));
    }
    figures.extend(device.power_w.map(|watts| format!("{} W", units::decimal(watts)).into()));
    facts.add_all("figures", figures);
    let why = device.computes_in_why.as_str();
    // That it computes in what was asked for is not worth a line.
    if !why.is_empty() && !why.starts_with("the device's own") {
        facts.0.push(prose("precision", Tone::Warning, why));
    }
    facts.0.extend(device.found.iter().map(|words| prose("found", Tone::Plain, words)));
    facts.0.push(Fact::prose("evidence", device.evidence.id(), 1));
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
        Spans::plain(format!("batches to {}{plus} fit", units::integer(batch)))
    }));
    needed.extend(
        hardware
            .largest_context
            .map(|context| Spans::plain(format!("contexts to {} fit", units::integer(context)))),
    );
    facts.add_all("needed", needed);
    facts.add("weights", Value::known(*weights_bytes, Value::Bytes));
    facts.add("activations", Value::known(*activations_bytes, Value::Bytes));
    facts.add("KV cache", kv_cache_bytes.map(Value::Bytes));
    let [low, expected, high] =
        [workspace_bytes.low, workspace_bytes.expected, workspace_bytes.high].map(units::gigabytes);
    let (low, high) = (low.trim_end_matches(" GB"), high.trim_end_matches(" GB"));
    facts.add_all(
        "workspace",
        vec![
            Spans::plain(format!("{expected} ({low}–{high})")),
            Spans::default().and_quiet("what a runtime takes also"),
        ],
    );
    facts.0.extend(unknown.as_ref().map(|why| prose("unknown", Tone::Quiet, why)));
    facts
}

fn time(hardware: &Hardware) -> Facts {
    let mut facts = Facts::default();
    let Some(latency) = hardware.latency_ms else {
        if let Some(why) = &hardware.no_latency {
            let word = if hardware.fits == Some(false) { "none" } else { "unknown" };
            let words = Spans::of(Tone::Warning, Value::text(word)).and_quiet(": ");
            let values = vec![words.and(Tone::Quiet, Value::prose(why))];
            facts.0.push(Fact { values, ..Fact::prose("latency", why, LINES) });
        }
        return facts;
    };
    let mut values = vec![Spans::of(Tone::Strong, Value::Range(latency))];
    values.extend(hardware.throughput.map(|rate| Value::Rate(rate).into()));
    facts.add_all("latency", values);
    if let Some(issued) = hardware.eager_ms {
        let how = match hardware.host_bound {
            Some(true) => "when the host issues every operation, which then holds it up",
            _ => "when the host issues every operation",
        };
        let values = vec![Value::Range(issued).into(), Spans::default().and_quiet(how)];
        facts.add_all("issued", values);
    }
    if let (Some(limit), Some(shares)) = (&hardware.bottleneck, &hardware.shares) {
        let mut values = vec![Spans::of(Tone::Strong, Value::name(limit.id()))];
        let shares = [
            (shares.compute_percent, "compute"),
            (shares.memory_percent, "memory"),
            (shares.launch_overhead_percent, "launches"),
        ];
        let shares = shares.into_iter().filter(|(percent, _)| *percent > 0.0);
        values
            .extend(shares.map(|(percent, word)| {
                Spans::plain(format!("{} {word}", units::percent(percent)))
            }));
        facts.add_all("limit", values);
    }
    facts.add_all("work", work(hardware));
    facts
}

fn work(hardware: &Hardware) -> Vec<Spans> {
    let share = |percent: f64, of: &str| format!("{} of the {of}", units::percent(percent));
    let peak = hardware.peak_percent.filter(|percent| *percent > 0.0);
    let bandwidth = hardware.bandwidth_percent.filter(|percent| (0.05..=100.0).contains(percent));
    let energy = hardware.energy_joules_at_most;
    [
        hardware.kernels.map(|count| units::counted(count, "kernel", "kernels")),
        peak.map(|percent| share(percent, "peak")),
        bandwidth.map(|percent| share(percent, "bandwidth")),
        energy.map(|joules| format!("at most {} a sample", units::energy(joules))),
    ]
    .into_iter()
    .flatten()
    .map(Spans::plain)
    .collect()
}

fn generated(hardware: &Hardware, generation: &Generation) -> Facts {
    let mut facts = Facts::default();
    let figure = |time: Option<calipers_report::Range<f64>>| match time {
        Some(time) => Spans::of(Tone::Strong, Value::Range(time)),
        None => Value::Missing(None).into(),
    };
    let tokens = |rate: f64| units::rate(rate).replace("/s", " tokens/s");
    let prompt = units::counted(generation.prompt, "token", "tokens");
    let after = Spans::default().and_quiet(format!("after a prompt of {prompt}"));
    facts.add_all("first token", vec![figure(generation.first_token_ms), after]);
    let mut further = vec![figure(generation.token_ms)];
    further.extend(generation.tokens_per_s.map(|rate| Spans::plain(tokens(rate))));
    let all = generation.tokens_per_s_all.filter(|_| hardware.batch > 1);
    further.extend(all.map(|rate| Spans::plain(format!("{} in all", tokens(rate)))));
    let context = units::counted(generation.context, "token", "tokens");
    further.push(Spans::default().and_quiet(format!("at {context}")));
    facts.add_all("each further", further);
    facts.0.extend(generation.notes.iter().map(|note| prose("", Tone::Quiet, note)));
    facts
}

/// Where the model will run, in short: what the overview shows; nothing where nothing is known.
pub(crate) fn hardware_overview(report: &Report) -> Option<Section> {
    let hardware = report.hardware.as_ref()?;
    let mut section = compared(hardware);
    section.title = "Hardware".to_owned();
    // Memory alone, where there is enough of it everywhere, needs no table.
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
    let words = Spans::of(Tone::Strong, Value::prose(&device.name))
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
            true => Spans::of(Tone::Warning, Value::text("no time")),
            false => Spans::joined(group.iter().map(|row| Value::name(&row.id).into()), ", "),
        };
        whose.and_quiet(": ").and(Tone::Quiet, Value::prose(reason))
    };
    tables::missing(rows, is_missing).into_iter().map(sentence).collect()
}

fn required(needs: &Requirements) -> Facts {
    let mut facts = Facts::default();
    let targets = [
        needs.target_latency_ms.map(|ms| format!("at most {}", units::time(ms))),
        needs.target_throughput.map(|rate| format!("at least {}", units::rate(rate))),
    ];
    facts.add_all("target", targets.into_iter().flatten().map(Spans::plain).collect());
    if !needs.why.is_empty() {
        let tone = if needs.target_met == Some(true) { Tone::Plain } else { Tone::Error };
        facts.0.push(prose("asked for", tone, &needs.why));
    }
    for (level, found) in [
        ("minimum", &needs.minimum),
        ("recommended", &needs.recommended),
        ("optimal", &needs.optimal),
    ] {
        let none = || vec![Spans::default().and_quiet("none of the table")];
        facts.add_all(level, found.as_ref().map_or_else(none, requirement));
    }
    let considered = units::counted(needs.devices_considered, "device", "devices");
    let unknown = match needs.unknown {
        0 => String::new(),
        count => format!("; of {} too little is known", units::integer(count)),
    };
    let words = format!("{considered}, the slowest that will do is named{unknown}");
    facts.0.push(prose("devices_considered", Tone::Quiet, &words));
    facts.0.extend(needs.notes.iter().map(|note| prose("", Tone::Quiet, note)));
    facts
}

fn requirement(one: &Requirement) -> Vec<Spans> {
    let batch = units::integer(one.batch);
    let mut values = vec![Spans::of(Tone::Strong, Value::name(&one.id))];
    values.extend(one.latency_ms.map(|latency| Value::Range(latency).into()));
    let rate = one.throughput.map(units::rate);
    values.extend(rate.map(|rate| Spans::plain(format!("{rate} at batch {batch}"))));
    values.push(Spans::plain(format!("margin {}×", units::ratio(one.margin))));
    let memory = one.memory_margin;
    values.extend(memory.map(|margin| Spans::plain(format!("memory {}×", units::ratio(margin)))));
    values
}
