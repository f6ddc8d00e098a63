//! The title, what the file says of itself, and the files it leans on.
//!
//! ```text
//!   mnist-8.onnx   ONNX · float32 · 26.45 kB (26,454 bytes)
//!
//!   File         producer  CNTK 2.5.1
//!                format    IR 3 · opset ai.onnx 8
//! ```

use calipers_report::{DataFile, DataStatus, Format, ModelFacts, Report, UnknownField};

use super::findings::is_in_findings;
use super::page::{Line, Page, Role, flow};
use super::reasons::Reasons;
use super::rows::Rows;
use crate::{text, units};

/// Metadata entries, data files and the like that are shown before the rest is folded.
const SHOWN: usize = 3;
/// Lines of the author's own description.
const DOC_LINES: usize = 2;

/// File name, format, precision and size: what the model is, at a glance.
pub(super) fn title(report: &Report, page: &mut Page) {
    let model = &report.model;
    let file = match model.file.as_str() {
        "" => "(unnamed)".to_owned(),
        file => text::name(file, page.charset),
    };
    let Format::Onnx = model.format;
    let precision = match &model.precision {
        Some(precision) => Line::of(Role::Plain, text::name(precision, page.charset)),
        None if report.parameters.total == Some(0) => Line::of(Role::Plain, "no parameters"),
        // Its reason, which may be long, is left to the end of the page.
        None => Line::of(Role::Plain, "precision ").and(Role::Warning, "unknown"),
    };
    let facts = vec![Line::of(Role::Plain, "ONNX"), precision, size(model.bytes)];

    let name = Line::of(Role::Strong, text::truncate(&file, page.full(), page.charset));
    let gap = "   ";
    let on_one_line = flow(facts.clone(), page.dot(), usize::MAX).remove(0);
    if name.width() + gap.len() + on_one_line.width() <= page.full() {
        page.line(name.and(Role::Plain, gap).and_line(on_one_line));
    } else {
        page.line(name);
        for line in flow(facts, page.dot(), page.full()) {
            page.line(line);
        }
    }
}

/// What the file says of itself.
pub(super) fn file(report: &Report, reasons: &mut Reasons<'_>, page: &mut Page) {
    let mut rows = Rows::default();
    identity(&report.model, reasons, page, &mut rows);
    authorship(&report.model, reasons, page, &mut rows);
    extras(&report.model, page, &mut rows);
    let lines = rows.set(page);
    page.section("File", "", lines);
}

/// Who wrote the file, and in which versions of the format.
fn identity(model: &ModelFacts, reasons: &mut Reasons<'_>, page: &Page, rows: &mut Rows) {
    let producer = format!("{} {}", model.producer.name, model.producer.version);
    let producer = match producer.trim() {
        "" => Line::of(Role::Quiet, "not stated"),
        producer => plain(name(producer, page)),
    };
    rows.facts("producer", vec![producer]);

    let ir = model.ir_version.map(|version| plain(version.to_string()));
    let mut format = vec![plain("IR ").and_line(reasons.figure("model.ir_version", ir))];
    if model.opsets.is_empty() {
        format.push(plain("opset ").and_line(reasons.unknown("model.opsets")));
    }
    let opset = |(i, (domain, version)): (usize, (&String, &i64))| {
        let word = if i == 0 { "opset " } else { "" };
        plain(format!("{word}{} {version}", name(domain, page)))
    };
    let opsets = model.opsets.iter().enumerate();
    format.extend(fold(opsets, opset, ["opset", "opsets"], page));
    rows.facts("format", format);
}

/// What the author wrote: a namespace, a version, a description, metadata.
fn authorship(model: &ModelFacts, reasons: &mut Reasons<'_>, page: &Page, rows: &mut Rows) {
    let mut domain = vec![];
    if !model.domain.is_empty() {
        domain.push(plain(name(&model.domain, page)));
    }
    // An author need not number a model; only what the report misses is unknown.
    match model.model_version {
        Some(version) => domain.push(plain(format!("version {version}"))),
        None if reasons.explains("model.model_version") => {
            domain.push(plain("version ").and_line(reasons.unknown("model.model_version")));
        }
        None => {}
    }
    rows.facts("domain", domain);
    if !model.doc.trim().is_empty() {
        rows.prose("about", plain(text::prose(&model.doc, page.charset)), DOC_LINES);
    }
    let entry = |(key, value): (&String, &String)| {
        let value = text::prose(value, page.charset);
        let value = match value.as_str() {
            "" => "\"\"".to_owned(),
            value => text::truncate(value, page.body() / 2, page.charset),
        };
        plain(format!("{} = {value}", name(key, page)))
    };
    rows.facts("metadata", fold(model.metadata.iter(), entry, ["entry", "entries"], page));
}

/// What few files have.
fn extras(model: &ModelFacts, page: &Page, rows: &mut Rows) {
    if let Some(training) = &model.training {
        let steps = units::counted(training.steps, "step", "steps");
        let nodes = units::counted(training.nodes, "node", "nodes");
        rows.facts("training", vec![plain(steps), plain(format!("{nodes}, counted nowhere else"))]);
    }
    let device = |device: &String| plain(name(device, page));
    let noun = ["configuration", "configurations"];
    rows.facts("devices", fold(model.device_configurations.iter(), device, noun, page));
    let field = |field: &UnknownField| {
        let times = units::counted(field.count, "time", "times");
        plain(format!("{} field {}, {times}", name(&field.message, page), field.field))
    };
    let noun = ["kind of field", "kinds of field"];
    rows.facts("not read", fold(model.unknown_fields.iter(), field, noun, page));
    digests(model, page, rows);
}

/// What the files are known by, when that was asked for.
fn digests(model: &ModelFacts, page: &Page, rows: &mut Rows) {
    let Some(sha256) = &model.sha256 else { return };
    let digest = |digest: &str| text::name(digest, page.charset);
    rows.facts("sha256", vec![plain(digest(sha256))]);
    let data = model.data_files.iter().filter_map(|file| Some((file, file.sha256.as_ref()?)));
    let data: Vec<_> = data.collect();
    let line = |(file, sha256): (&DataFile, &String)| {
        plain(format!("{} {}", digest(sha256), name(&file.location, page)))
    };
    let mut lines = fold(data.into_iter(), line, ["file", "files"], page);
    if let (false, Some(all)) = (model.data_files.is_empty(), &model.sha256_all) {
        lines.push(plain(format!("{} all files", digest(all))));
    }
    rows.facts("with data", lines);
}

fn plain(text: impl Into<String>) -> Line {
    Line::of(Role::Plain, text)
}

/// A name that leaves room for what stands beside it.
fn name(raw: &str, page: &Page) -> String {
    text::truncate(&text::name(raw, page.charset), page.body() / 2, page.charset)
}

/// The first few of some facts, and how many more there are.
fn fold<T>(
    mut items: impl ExactSizeIterator<Item = T>,
    fact: impl FnMut(T) -> Line,
    noun: [&str; 2],
    page: &Page,
) -> Vec<Line> {
    let mut facts: Vec<Line> = items.by_ref().take(SHOWN).map(fact).collect();
    facts.extend(more(items.len(), noun[0], noun[1], page));
    facts
}

/// Files beside the model that hold its tensors.
pub(super) fn data(report: &Report, page: &mut Page) {
    let mut files = report.model.data_files.iter();
    let mut lines: Vec<Line> =
        files.by_ref().take(SHOWN).flat_map(|file| data_file(file, report, page)).collect();
    lines.extend(more(files.len(), "file", "files", page));
    if report.model.data_files.len() > 1 {
        let all = Line::of(Role::Plain, "in all ").and_line(size(report.model.external_bytes));
        lines.extend(all.wrap(page.body()));
    }
    page.section("Data files", "", lines);
}

fn data_file(file: &DataFile, report: &Report, page: &Page) -> Vec<Line> {
    // A finding says that it is missing, and what to do about it; once is enough.
    let told = file.status == DataStatus::Missing && is_in_findings(&file.location, report);
    let status = match file.status {
        _ if told => Line::of(Role::Quiet, "see findings"),
        DataStatus::Present => Line::of(Role::Plain, "present"),
        DataStatus::Missing => Line::of(Role::Error, "missing"),
        DataStatus::Refused => Line::of(Role::Error, "refused"),
        DataStatus::Unchecked => Line::of(Role::Warning, "not looked for"),
    };
    let tensors = units::counted(file.tensors, "tensor", "tensors");
    let needed = format!("{} in {tensors}", units::bytes(file.tensor_bytes));
    let location = match file.location.as_str() {
        "" => "(no location)".to_owned(),
        location => text::name(location, page.charset),
    };
    let facts = vec![
        Line::of(Role::Plain, text::truncate(&location, page.body() / 2, page.charset)),
        status,
        Line::of(Role::Plain, needed),
    ];
    let mut lines = flow(facts, page.dot(), page.body());
    if !told && !file.reason.trim().is_empty() {
        let reason = Line::of(Role::Quiet, text::prose(&file.reason, page.charset));
        let reason = reason.wrap_within(page.body() - 2, SHOWN, page.charset);
        lines.extend(reason.into_iter().map(|line| line.indent(2)));
    }
    lines
}

/// A size for people, with the exact bytes where they say more.
pub(super) fn size(bytes: u64) -> Line {
    let line = Line::of(Role::Plain, units::bytes(bytes));
    if bytes < 1000 {
        return line;
    }
    line.and(Role::Quiet, format!(" ({})", units::exact_bytes(bytes)))
}

/// The line that stands for what was folded; nothing where nothing was.
pub(super) fn more(count: usize, one: &str, many: &str, page: &Page) -> Option<Line> {
    (count > 0).then(|| {
        let noun = if count == 1 { one } else { many };
        let count = units::integer(count as u64);
        Line::of(Role::Quiet, format!("{} and {count} more {noun}", page.charset.ellipsis()))
    })
}
