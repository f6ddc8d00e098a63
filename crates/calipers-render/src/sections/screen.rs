//! Every section in brief: what `calipers MODEL --full` prints.

use calipers_report::Report;

use super::context::{Context, Detail};
use super::{
    architecture, complexity, file, findings, graph, hardware_overview, memory, metadata, method,
    operators, parameters, ports, summary, task, top_nodes, verification, weights,
};
use crate::document::{Block, Document, Section};
use crate::table::Value;
use crate::value::Spans;

/// The overview: each section in short; those that have nothing to say are left out.
pub fn screen(report: &Report) -> Document {
    let mut context = Context::new(report, Detail::Brief);
    let mut sections = vec![];
    let mut add = |id: &str, title: &str, build: fn(&mut Context<'_>) -> Vec<Block>| {
        Section::new(id, title, build(&mut context))
    };
    sections.extend([
        add("summary", "Summary", summary::build),
        add("architecture", "Architecture", architecture::build),
        add("task", "Task", task::build).adjoining(),
        add("file", "File", metadata::build),
        add("data-files", "Data files", file::build),
        add("inputs", "Inputs", ports::inputs),
        add("outputs", "Outputs", ports::outputs).adjoining(),
        add("dimensions", "Dimensions", ports::dimensions),
        add("graph", "Graph", graph::build),
        add("verified", "Verified", verification::build),
        add("parameters", "Parameters", parameters::build),
        add("complexity", "Complexity", complexity::build),
        add("top-nodes", "Top nodes", top_nodes::build).noted("by MACs"),
        add("memory", "Memory", memory::build),
    ]);
    sections.extend(hardware_overview(report));
    let by_operator = add("weights-by-operator", "Weights", parameters::by_operator);
    let by_operator = match by_operator.blocks.first() {
        Some(Block::Table(table)) if table.rows.len() > 1 => by_operator.noted("by operator"),
        _ => by_operator,
    };
    let operators_note = if operators::has_subgraphs(report) { "all graphs" } else { "" };
    sections.extend([
        by_operator,
        add("weights", "Weights", weights::build),
        add("operators", "Operators", operators::build).noted(operators_note),
        add("findings", "Findings", findings::build),
        add("assumptions", "Assumptions", method::assumptions),
        add("unknown", "Unknown", method::unknown),
    ]);
    sections.retain(|section| !section.is_empty());
    Document { title: title(report), facts: facts(report), byline: None, sections }
}

fn title(report: &Report) -> Spans {
    match report.model.file.as_str() {
        "" => Spans::plain("(unnamed)"),
        file => Value::name(file).into(),
    }
}

/// Format, precision and size.
fn facts(report: &Report) -> Vec<Spans> {
    let model = &report.model;
    let precision = match &model.precision {
        Some(precision) => Value::name(precision.to_string()).into(),
        None if report.parameters.total == Some(0) => Spans::plain("no parameters"),
        // Its reason, which may be long, is left to the end of the screen.
        None => Spans::plain("precision ").and_value(Value::Missing(None)),
    };
    vec![Spans::plain(model.format.display_name()), precision, Value::LongBytes(model.bytes).into()]
}
