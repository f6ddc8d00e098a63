//! The key facts of a report in at most 40 lines: what `calipers MODEL` prints.

use calipers_report::{Finding, GraphOrigin, Port, Report, Requirement, Severity};

use super::context::{Context, Detail};
use super::wording::more;
use super::{
    file, hardware_overview, key_figures, memory, metadata, screen, summary, verification, weights,
};
use crate::document::{Block, Document, Section};
use crate::table::{Tone, Value};
use crate::value::{Operation, Spans, free_formula};
use crate::{tables, text, units};

/// Inputs, and outputs, that are shown where there are more.
const PORTS: usize = 2;
/// Findings that are shown; the most severe come first.
const FINDINGS: usize = 3;
/// Columns of a title of a finding, and of the title of the model.
const TITLE: usize = 90;

/// The section that says what else the command can do.
const MORE: &str = "more";

/// The key facts of the report; `--full` prints [`screen`] instead.
///
/// What had to be asked for is shown as well: the weights, fingerprints, and the summary of a
/// language model, or any summary where `with_summary` is set.
pub fn short(report: &Report, with_summary: bool) -> Document {
    let mut context = Context::new(report, Detail::Brief);
    let full = screen(report);
    let written = report
        .summary
        .as_ref()
        .is_some_and(|summary| summary.check.is_some() || !summary.notes.is_empty());
    let mut sections = vec![
        line("model", "Model", model(report)),
        line("parameters", "Parameters", parameters(&mut context)),
        line("compute", "Compute", compute(&mut context)),
        line("memory", "Memory", memory(&mut context)),
        line("kv-cache", "KV cache", cache(report)),
        line("graph", "Graph", graph(report)),
        Section::new("verified", "Verified", verification::build(&mut context)).adjoining(),
    ];
    let spaced = |id: &str, title: &str, blocks| Section::new(id, title, blocks);
    sections.push(spaced("inputs", "Inputs", ports(&mut context, &report.graph.inputs, "inputs")));
    let outputs = ports(&mut context, &report.graph.outputs, "outputs");
    sections.push(spaced("outputs", "Outputs", outputs).adjoining());
    if with_summary || written {
        sections[0].adjoins = false;
        sections.insert(0, spaced("summary", "Summary", summary::build(&mut context)));
    }
    if report.model.sha256.is_some() {
        sections.push(spaced("file", "File", metadata::build(&mut context)));
        sections.push(spaced("data-files", "Data files", file::build(&mut context)));
    }
    sections.push(spaced("weights", "Weights", weights::build(&mut context)));
    sections.push(spaced("findings", "Findings", findings(report)));
    sections.extend(hardware_overview(report).map(|section| with_runtime(report, section)));
    sections.push(line("requirements", "Requires", requirements(report)));
    sections.push(spaced("assumed", "Assumed", vec![Block::Values(assumed(report))]));
    let hint =
        "Run with --full for everything; `calipers card` and `calipers report` write documents.";
    sections.push(Section::new(MORE, "", vec![Block::Note(Spans::quiet(hint))]));
    sections.retain(|section| !section.is_empty());
    // The first of the lines follows the title, and the others follow it without a gap.
    if let Some(first) = sections.first_mut() {
        first.adjoins = false;
    }
    Document { sections, ..full }
}

/// The same with the summary, and without advice on the command line: what a notebook shows.
pub fn notebook(report: &Report) -> Document {
    let mut document = short(report, true);
    document.sections.retain(|section| section.id != MORE);
    document
}

fn line(id: &str, title: &str, values: Vec<Spans>) -> Section {
    Section::new(id, title, vec![Block::Values(values)]).adjoining()
}

fn model(report: &Report) -> Vec<Spans> {
    let Some(summary) = &report.summary else { return vec![] };
    // The title repeats the figures below after its colon.
    let title = summary.title.split(": ").next().unwrap_or_default();
    let title = text::truncate(&text::whole(title), TITLE, text::Charset::Unicode);
    vec![Spans::toned(Tone::Strong, Value::Prose(title))]
}

fn parameters(context: &mut Context<'_>) -> Vec<Spans> {
    let parameters = &context.report.parameters;
    let bytes = context.report.memory.weights_bytes;
    let mut values = vec![context.known("parameters.total", parameters.total, Value::LongCount)];
    values.extend(bytes.map(|bytes| Spans::from(Value::Bytes(bytes)).and_text(" of weights")));
    values
}

fn compute(context: &mut Context<'_>) -> Vec<Spans> {
    let cost = &context.report.cost;
    let least = if cost.lower_bound { "at least " } else { "" };
    if let Some(formula) = free_formula(cost.formula.get("macs")).filter(|_| cost.macs.is_none()) {
        return vec![Spans::plain(least).and_value(formula).and_text(" MACs per run")];
    }
    let macs = match cost.macs {
        Some(0) if cost.lower_bound => vec![context.unknown("cost.macs")],
        Some(macs) => {
            vec![Spans::plain(least).and_value(Value::Operations(macs, Operation::Macs))]
        }
        None => vec![context.unknown("cost.macs")],
    };
    let flops = cost.flops().filter(|flops| *flops > 0);
    let flops = flops.map(|flops| Value::Operations(flops, Operation::Flops).into());
    macs.into_iter().chain(flops).collect()
}

fn memory(context: &mut Context<'_>) -> Vec<Spans> {
    if let Some(bounds) = memory::bounds(&context.report.memory, Value::Bytes) {
        return vec![bounds.and_text(" peak activations")];
    }
    let peak = memory::peak(context, Value::Bytes);
    vec![peak.and_text(" peak activations")]
}

fn cache(report: &Report) -> Vec<Spans> {
    let cache = report.memory.kv_cache.as_ref();
    let bytes = cache.and_then(|cache| cache.bytes_per_token);
    bytes.map(|bytes| Spans::from(Value::Bytes(bytes)).and_text(" per token")).into_iter().collect()
}

fn graph(report: &Report) -> Vec<Spans> {
    let mut values = match report.model.graph_origin {
        GraphOrigin::Absent => vec![Spans::plain("none: the file stores weights")],
        GraphOrigin::Built | GraphOrigin::Stored => {
            vec![Spans::plain(units::counted(report.graph.nodes, "node", "nodes"))]
        }
    };
    if report.model.graph_origin == GraphOrigin::Built {
        values.push(Spans::plain("built from the description"));
    }
    let opset = report.model.opsets.get("ai.onnx");
    values.extend(opset.map(|opset| Spans::plain(format!("opset {opset}"))));
    let producer = &report.model.producer;
    if !producer.name.is_empty() {
        let version = if producer.version.is_empty() { "" } else { " " };
        let name = Spans::from(Value::prose(&producer.name)).and_text(version);
        values.push(name.and_value(Value::prose(&producer.version)));
    }
    values
}

fn ports(context: &mut Context<'_>, ports: &[Port], side: &str) -> Vec<Block> {
    if ports.is_empty() {
        return vec![Block::Values(vec![Spans::quiet("none")])];
    }
    // Leaving out one port would save nothing.
    let shown = if ports.len() > PORTS + 1 { PORTS } else { ports.len() };
    let unknown = |i: usize, field: &str| context.unknown(&format!("graph.{side}[{i}]{field}"));
    let mut blocks = vec![Block::Table(tables::brief_ports(&ports[..shown], unknown))];
    let noun = [side.trim_end_matches('s'), side];
    blocks.extend(more(ports.len() - shown, noun).map(Block::Note));
    blocks
}

fn findings(report: &Report) -> Vec<Block> {
    let Some(counts) = key_figures::counts(report) else {
        return vec![Block::Values(vec![Spans::quiet("none")])];
    };
    let shown = if report.findings.len() > FINDINGS + 1 { FINDINGS } else { report.findings.len() };
    let mut blocks = vec![Block::Paragraph(Spans::plain(counts))];
    blocks.extend(report.findings[..shown].iter().map(|finding| Block::Note(title(finding))));
    blocks.extend(more(report.findings.len() - shown, ["finding", "findings"]).map(Block::Note));
    blocks
}

fn title(finding: &Finding) -> Spans {
    let tone = match finding.severity {
        Severity::Error => Tone::Error,
        Severity::Warning => Tone::Warning,
        Severity::Info => Tone::Accent,
    };
    let title = text::truncate(&text::whole(&finding.title), TITLE, text::Charset::Unicode);
    Spans::toned(tone, Value::text(finding.severity.id()))
        .and_text(": ")
        .and_value(Value::Prose(title))
}

fn requirements(report: &Report) -> Vec<Spans> {
    let Some(requirements) = report.hardware.as_ref().and_then(|it| it.requirements.as_ref())
    else {
        return vec![];
    };
    let device = |level: &str, requirement: &Option<Requirement>| {
        let requirement = requirement.as_ref()?;
        Some(Spans::quiet(format!("{level} ")).and_value(Value::name(&requirement.id)))
    };
    let levels = [
        device("minimum", &requirements.minimum),
        device("recommended", &requirements.recommended),
        device("optimal", &requirements.optimal),
    ];
    let mut values: Vec<Spans> = levels.into_iter().flatten().collect();
    if !values.is_empty() {
        values.push(Spans::quiet("for ").and(Tone::Quiet, Value::prose(&requirements.target)));
    }
    values
}

/// The section on devices, with what its latencies rest on in its first line.
fn with_runtime(report: &Report, mut section: Section) -> Section {
    let has_table = section.blocks.iter().any(|block| matches!(block, Block::Table(_)));
    if let Some(hardware) = report.hardware.as_ref().filter(|_| has_table) {
        let runtime = hardware.runtime.display_name();
        let note = format!("{runtime}; expected latency with its uncertainty range");
        section.blocks.insert(0, Block::Note(Spans::quiet(note)));
    }
    section
}

/// Sizes of symbolic dimensions that were not set.
fn assumed(report: &Report) -> Vec<Spans> {
    const MOST: usize = 6;
    let sizes: Vec<Spans> = report
        .assumptions
        .iter()
        .filter_map(|assumption| {
            let name = assumption.size_name()?;
            let size = Value::prose(&assumption.value);
            Some(Spans::from(Value::name(name)).and_text(" = ").and_value(size))
        })
        .collect();
    if sizes.is_empty() {
        return vec![];
    }
    let rest = (sizes.len() > MOST).then(|| Spans::plain("…"));
    let shown = sizes.into_iter().take(MOST).chain(rest);
    let options = match report.assumptions.iter().any(|it| it.value_name().is_some()) {
        true => "  (set with --dim, --value)",
        false => "  (set with --dim)",
    };
    vec![Spans::joined(shown, ", ").and_quiet(options)]
}
