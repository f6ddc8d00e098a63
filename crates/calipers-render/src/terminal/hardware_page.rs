//! Where the model will run, in full.

use calipers_report::{Assumption, DeviceFacts, Hardware, MemoryNeed, Report, Requirement};

use super::Style;
use super::hardware::{devices, fit, note, span, time};
use super::page::{Line, Page, Role};
use super::rows::Rows;
use super::table;
use crate::table::Table;
use crate::tables::{self, Scaling};
use crate::{text, units};

/// Lines of a sentence.
const LINES: usize = 4;

/// Everything about hardware as lines of text, ending in a newline.
pub fn hardware(report: &Report, style: &Style) -> String {
    let mut page = Page::new(style);
    let Some(hardware) = &report.hardware else {
        page.line(Line::of(Role::Warning, "nothing was asked about hardware"));
        return page.finish();
    };
    title(report, hardware, &mut page);
    if let Some(device) = &hardware.device {
        let lines = device_rows(device, &page).set(&page);
        page.section("Device", "", lines);
        one_device(hardware, device, &mut page);
    }
    let lines = devices(hardware, &page);
    page.section("Devices", &note(hardware, &page), lines);
    requirements(hardware, &mut page);
    let lines = prose(&hardware.method, &page);
    page.section("Method", "", lines);
    let lines = hardware.assumptions.iter().flat_map(|one| assumption(one, &page)).collect();
    page.section("Assumptions", "", lines);
    page.finish()
}

fn title(report: &Report, hardware: &Hardware, page: &mut Page) {
    let file =
        text::truncate(&text::name(&report.model.file, page.charset), page.full(), page.charset);
    page.line(Line::of(Role::Strong, file));
    let mut facts = vec![
        format!(
            "{}: {}",
            text::name(&hardware.precision, page.charset),
            text::prose(&hardware.precision_why, page.charset)
        ),
        format!("batch {}", units::integer(hardware.batch)),
    ];
    facts.extend(hardware.context.map(|context| format!("context {}", units::integer(context))));
    for line in Line::of(Role::Plain, facts.join(page.dot())).wrap(page.full()) {
        page.line(line);
    }
}

fn one_device(hardware: &Hardware, device: &DeviceFacts, page: &mut Page) {
    let lines = memory_rows(hardware, device, page).set(page);
    page.section("Memory", "", lines);
    let lines = time_rows(hardware, page).set(page);
    page.section("Time", "", lines);
    let kernels = rows_of(&tables::top_kernels(&hardware.dearest), page);
    page.section("Dearest", "kernels", kernels);
    let lines = generation_rows(hardware, page).set(page);
    page.section("Generation", "", lines);
    for (what, heading) in [
        (Scaling::Batch, "Batches"),
        (Scaling::Sequence, "Lengths"),
        (Scaling::Resolution, "Resolutions"),
    ] {
        let mut lines = rows_of(&tables::scaling(hardware, what), page);
        let enough = hardware.batch_enough.filter(|_| what == Scaling::Batch && !lines.is_empty());
        if let Some(enough) = enough {
            let words = format!(
                "from batch {} on, throughput grows by less than a tenth",
                units::integer(enough)
            );
            lines.extend(Line::of(Role::Quiet, words).wrap(page.body()));
        }
        page.section(heading, "", lines);
    }
}

fn device_rows(device: &DeviceFacts, page: &Page) -> Rows {
    let mut rows = Rows::default();
    let word = |raw: &str| text::name(raw, page.charset);
    let plain = |text: String| Line::of(Role::Plain, text);
    rows.facts(
        "name",
        vec![
            Line::of(
                Role::Strong,
                text::truncate(&word(&device.name), page.body() / 2, page.charset),
            ),
            plain(word(&device.id)),
            plain(word(&device.class)),
        ],
    );
    let mut figures = vec![];
    figures.extend(device.memory_bytes.map(|bytes| plain(units::capacity(bytes))));
    figures.extend(device.bandwidth_bytes_per_s.map(|rate| plain(units::bandwidth(rate))));
    if let (Some(peak), Some(precision)) = (device.peak_per_s, &device.computes_in) {
        figures.push(plain(format!("{} {}", word(precision), units::peak(peak, precision))));
    }
    figures.extend(device.power_w.map(|watts| plain(format!("{} W", units::decimal(watts)))));
    rows.facts("figures", figures);
    if !device.computes_in_why.starts_with("the device's own") && !device.computes_in_why.is_empty()
    {
        rows.prose(
            "precision",
            Line::of(Role::Warning, text::prose(&device.computes_in_why, page.charset)),
            LINES,
        );
    }
    for found in &device.found {
        rows.prose("found", plain(text::prose(found, page.charset)), LINES);
    }
    rows.prose("evidence", plain(word(&device.evidence)), 1);
    rows
}

fn memory_rows(hardware: &Hardware, device: &DeviceFacts, page: &Page) -> Rows {
    let mut rows = Rows::default();
    let Some(MemoryNeed {
        weights_bytes,
        activations_bytes,
        kv_cache_bytes,
        workspace_bytes,
        unknown,
    }) = &hardware.memory
    else {
        return rows;
    };
    let mut needs = vec![fit(hardware.fits, hardware.memory_bytes, device.memory_bytes)];
    if let Some(batch) = hardware.largest_batch {
        let plus = if batch >= 65_536 { "+" } else { "" };
        needs
            .push(Line::of(Role::Plain, format!("batches to {}{plus} fit", units::integer(batch))));
    }
    if let Some(context) = hardware.largest_context {
        needs.push(Line::of(Role::Plain, format!("contexts to {} fit", units::integer(context))));
    }
    rows.facts("needed", needs);
    let figure = |bytes: &Option<u64>| match bytes {
        Some(bytes) => Line::of(Role::Plain, units::bytes(*bytes)),
        None => Line::of(Role::Warning, "unknown"),
    };
    rows.facts("weights", vec![figure(weights_bytes)]);
    rows.facts("activations", vec![figure(activations_bytes)]);
    if kv_cache_bytes.is_some() {
        rows.facts("KV cache", vec![figure(kv_cache_bytes)]);
    }
    let [low, expected, high] =
        [workspace_bytes.low, workspace_bytes.expected, workspace_bytes.high].map(units::gigabytes);
    let dash = page.glyph("–", "-");
    rows.facts(
        "workspace",
        vec![
            Line::of(
                Role::Plain,
                format!(
                    "{expected} ({}{dash}{})",
                    low.trim_end_matches(" GB"),
                    high.trim_end_matches(" GB")
                ),
            ),
            Line::of(Role::Quiet, "what a runtime takes besides"),
        ],
    );
    if let Some(reason) = unknown {
        rows.prose("unknown", Line::of(Role::Quiet, text::prose(reason, page.charset)), LINES);
    }
    rows
}

fn time_rows(hardware: &Hardware, page: &Page) -> Rows {
    let mut rows = Rows::default();
    let plain = |text: String| Line::of(Role::Plain, text);
    let Some(latency) = &hardware.latency_ms else {
        if let Some(reason) = &hardware.no_latency {
            let word = if hardware.fits == Some(false) { "none" } else { "unknown" };
            let line = Line::of(Role::Warning, word)
                .and(Role::Quiet, format!(": {}", text::prose(reason, page.charset)));
            rows.prose("latency", line, LINES);
        }
        return rows;
    };
    let mut facts = vec![Line::of(Role::Strong, span(latency, page.charset))];
    facts.extend(hardware.throughput.map(|rate| plain(units::rate(rate))));
    rows.facts("latency", facts);
    if let Some(issued) = &hardware.issued_ms {
        let mut facts = vec![plain(span(issued, page.charset))];
        facts.push(Line::of(
            Role::Quiet,
            match hardware.host_bound {
                Some(true) => "when the host issues every operation, which then holds it up",
                _ => "when the host issues every operation",
            },
        ));
        rows.facts("issued", facts);
    }
    if let (Some(limit), Some(shares)) = (&hardware.bottleneck, &hardware.shares) {
        let mut facts = vec![Line::of(Role::Strong, text::name(limit, page.charset))];
        for (percent, word) in [
            (shares.compute_percent, "compute"),
            (shares.memory_percent, "memory"),
            (shares.launches_percent, "launches"),
        ] {
            if percent > 0.0 {
                facts.push(plain(format!("{} {word}", units::percent(percent))));
            }
        }
        rows.facts("limit", facts);
    }
    let mut facts = vec![];
    facts.extend(hardware.kernels.map(|count| plain(units::counted(count, "kernel", "kernels"))));
    facts.extend(
        hardware
            .peak_percent
            .filter(|percent| *percent > 0.0)
            .map(|percent| plain(format!("{} of the peak", units::percent(percent)))),
    );
    let bandwidth = hardware.bandwidth_percent.filter(|percent| (0.05..=100.0).contains(percent));
    facts.extend(
        bandwidth.map(|percent| plain(format!("{} of the bandwidth", units::percent(percent)))),
    );
    facts.extend(
        hardware
            .energy_joules_at_most
            .map(|joules| plain(format!("at most {} a sample", units::energy(joules)))),
    );
    rows.facts("work", facts);
    rows
}

fn generation_rows(hardware: &Hardware, page: &Page) -> Rows {
    let mut rows = Rows::default();
    let Some(generation) = &hardware.generation else { return rows };
    let unknown = || Line::of(Role::Warning, "unknown");
    let figure = |time: &Option<calipers_report::Span>| {
        time.as_ref().map_or_else(unknown, |time| Line::of(Role::Strong, span(time, page.charset)))
    };
    let after =
        format!("after a prompt of {}", units::counted(generation.prompt, "token", "tokens"));
    rows.facts(
        "first token",
        vec![figure(&generation.first_token_ms), Line::of(Role::Quiet, after)],
    );
    let mut facts = vec![figure(&generation.token_ms)];
    facts.extend(generation.tokens_per_s.map(|rate| Line::of(Role::Plain, tokens(rate))));
    if hardware.batch > 1 {
        facts.extend(
            generation
                .tokens_per_s_all
                .map(|rate| Line::of(Role::Plain, format!("{} in all", tokens(rate)))),
        );
    }
    facts.push(Line::of(
        Role::Quiet,
        format!("at {}", units::counted(generation.context, "token", "tokens")),
    ));
    rows.facts("each further", facts);
    for note in &generation.notes {
        rows.prose("", Line::of(Role::Quiet, text::prose(note, page.charset)), LINES);
    }
    rows
}

/// `26.3 tokens/s`.
fn tokens(rate: f64) -> String {
    units::rate(rate).replace("/s", " tokens/s")
}

/// A table within a section; nothing where it has no row.
fn rows_of(table: &Table, page: &Page) -> Vec<Line> {
    match table.is_empty() {
        true => vec![],
        false => table::lines(table, page.body(), page),
    }
}

fn requirements(hardware: &Hardware, page: &mut Page) {
    let Some(told) = &hardware.requirements else { return };
    let mut rows = Rows::default();
    let mut targets = vec![];
    targets.extend(
        told.target_latency_ms
            .map(|ms| Line::of(Role::Plain, format!("at most {}", time(ms, page.charset)))),
    );
    targets.extend(
        told.target_throughput
            .map(|rate| Line::of(Role::Plain, format!("at least {}", units::rate(rate)))),
    );
    rows.facts("target", targets);
    if !told.why.is_empty() {
        let role = if told.met == Some(true) { Role::Plain } else { Role::Error };
        rows.prose("asked for", Line::of(role, text::prose(&told.why, page.charset)), LINES);
    }
    for (key, place) in [
        ("minimum", &told.minimum),
        ("recommended", &told.recommended),
        ("comfortable", &told.comfortable),
    ] {
        rows.facts(
            key,
            place.as_ref().map_or_else(
                || vec![Line::of(Role::Quiet, "none of the table")],
                |one| requirement(one, page),
            ),
        );
    }
    let weighed = units::counted(told.weighed, "device", "devices");
    let unknown = match told.unknown {
        0 => String::new(),
        count => format!("; of {} too little is known", units::integer(count)),
    };
    rows.prose(
        "weighed",
        Line::of(Role::Quiet, format!("{weighed}, the slowest that will do is named{unknown}")),
        LINES,
    );
    for note in &told.notes {
        rows.prose("", Line::of(Role::Quiet, text::prose(note, page.charset)), LINES);
    }
    let lines = rows.set(page);
    page.section("Needs", "", lines);
}

fn requirement(one: &Requirement, page: &Page) -> Vec<Line> {
    let plain = |text: String| Line::of(Role::Plain, text);
    let times = page.glyph("×", "x");
    let mut facts = vec![
        Line::of(Role::Strong, text::name(&one.id, page.charset)),
        plain(span(&one.latency_ms, page.charset)),
        plain(format!("{} at batch {}", units::rate(one.throughput), units::integer(one.batch))),
        plain(format!("margin {}{times}", units::ratio(one.margin))),
    ];
    facts.extend(
        one.memory_margin.map(|margin| plain(format!("memory {}{times}", units::ratio(margin)))),
    );
    facts
}

fn prose(sentences: &[String], page: &Page) -> Vec<Line> {
    let wrap = |sentence: &String| {
        let line = Line::of(Role::Plain, text::prose(sentence, page.charset));
        let lines = line.wrap_within(page.body() - 2, LINES, page.charset);
        lines.into_iter().enumerate().map(|(i, line)| if i == 0 { line } else { line.indent(2) })
    };
    sentences.iter().flat_map(wrap).collect()
}

fn assumption(one: &Assumption, page: &Page) -> Vec<Line> {
    let [what, value, why] =
        [&one.what, &one.value, &one.why].map(|text| text::prose(text, page.charset));
    let line =
        Line::of(Role::Plain, format!("{what} = {value}")).and(Role::Quiet, format!(": {why}"));
    let lines = line.wrap_within(page.body() - 2, LINES, page.charset);
    lines
        .into_iter()
        .enumerate()
        .map(|(i, line)| if i == 0 { line } else { line.indent(2) })
        .collect()
}
