//! What goes in and out of the model, and how its graph is built.
//!
//! ```text
//!   Inputs       Input3            float32  [1, 1, 28, 28]
//!   Outputs      Plus214_Output_0  float32  [1, 10]
//!
//!   Graph        12 nodes · 8 initialisers · depth 11
//! ```

use calipers_report::{
    Binding, Dimension, GraphFacts, OperatorCount, Port, Report, ShapeFacts, ValueKind,
};

use super::chart::{self, Bar};
use super::header::more;
use super::page::{Line, Page, Role, flow};
use super::reasons::Reasons;
use crate::{text, units};

/// Inputs, or outputs, that are shown before the rest is folded.
const PORTS: usize = 6;
/// Kinds of operator that are shown before the rest is folded.
const OPERATORS: usize = 5;
/// Dimensions that are shown before the rest is folded.
const BINDINGS: usize = 12;
/// Functions that are named.
const FUNCTIONS: usize = 3;
/// Names are not cut below this to make room for a shape.
const NAME: usize = 20;
/// Columns without which a type is set beneath its name.
const TYPE: usize = 30;

/// Lines of one type.
const TYPE_LINES: usize = 3;

/// One port, ready to be set: its name, and its data type and shape or its type in one line.
struct Row {
    name: String,
    dtype: Line,
    rest: Line,
}

/// Inputs and outputs, in common columns.
pub(super) fn ports(report: &Report, reasons: &mut Reasons<'_>, page: &mut Page) {
    let graph = &report.graph;
    let mut rows = |ports: &[Port], side: &str| -> Vec<Row> {
        // Folding one port would save nothing.
        let shown = if ports.len() > PORTS { PORTS - 1 } else { PORTS };
        let ports = ports.iter().enumerate().take(shown);
        ports.map(|(i, port)| row(port, &format!("graph.{side}[{i}]"), reasons, page)).collect()
    };
    let inputs = rows(&graph.inputs, "inputs");
    let outputs = rows(&graph.outputs, "outputs");

    let all = || inputs.iter().chain(&outputs);
    let name_width = all().map(|row| text::width(&row.name)).max().unwrap_or(0);
    let dtype_width = all().map(|row| row.dtype.width()).max().unwrap_or(0);
    let type_width = |row: &Row| match row.dtype.width() {
        0 => row.rest.width(),
        _ => dtype_width + 2 + row.rest.width(),
    };
    let type_width = all().map(type_width).max().unwrap_or(0);
    let room = page.body().saturating_sub(type_width + 2);
    let names = name_width.min(room.max(NAME));
    let beside = page.body().saturating_sub(names + 2);
    let columns = (beside >= type_width.min(TYPE)).then_some((names, dtype_width));

    let mut section = |heading: &str, rows: Vec<Row>, ports: &[Port], noun: [&str; 2]| {
        let folded = ports.len() - rows.len();
        let mut lines: Vec<Line> = shortened(rows, beside.saturating_sub(dtype_width + 2))
            .into_iter()
            .flat_map(|row| set_row(row, columns, page))
            .collect();
        if ports.is_empty() {
            lines.push(Line::of(Role::Quiet, "none"));
        }
        lines.extend(more(folded, noun[0], noun[1], page));
        if heading == "Inputs" {
            page.section(heading, "", lines);
        } else {
            page.adjoin(heading, "", lines);
        }
    };
    section("Inputs", inputs, &graph.inputs, ["input", "inputs"]);
    section("Outputs", outputs, &graph.outputs, ["output", "outputs"]);
}

/// Rows in which a shape that needs several lines is told once: caches have it for every layer.
fn shortened(mut rows: Vec<Row>, width: usize) -> Vec<Row> {
    for at in (1..rows.len()).rev() {
        let (one, other) = (&rows[at - 1], &rows[at]);
        if other.rest.width() > width && one.rest == other.rest && one.dtype == other.dtype {
            rows[at].rest = Line::of(Role::Quiet, "as above");
        }
    }
    rows
}

fn row(port: &Port, path: &str, reasons: &mut Reasons<'_>, page: &Page) -> Row {
    let name = match port.name.as_str() {
        "" => "(unnamed)".to_owned(),
        name => text::name(name, page.charset),
    };
    let plain = |text: &str| Line::of(Role::Plain, text::name(text, page.charset));
    if port.kind != ValueKind::Tensor && !port.type_text.is_empty() {
        return Row { name, dtype: Line::default(), rest: plain(&port.type_text) };
    }
    if port.dtype.is_none() && port.shape.is_none() {
        let rest = Line::of(Role::Plain, "type ").and_line(reasons.unknown(path));
        return Row { name, dtype: Line::default(), rest };
    }
    let dtype = match port.dtype {
        Some(dtype) => plain(&dtype.to_string()),
        None => Line::of(Role::Warning, "unknown"),
    };
    let rest = match port.shape.as_deref() {
        Some(shape) => Line::of(Role::Plain, shape_text(shape, page)),
        None => Line::of(Role::Plain, "shape ").and_line(reasons.unknown(&format!("{path}.shape"))),
    };
    let rest = match port.inferred.as_deref() {
        Some(found) => rest.and(Role::Quiet, format!(" is {}", shape_text(found, page))),
        None => rest,
    };
    Row { name, dtype, rest }
}

fn shape_text(shape: &[Dimension], page: &Page) -> String {
    // No tensor has so many; a hostile file may, and the page has to end.
    const MOST: usize = 32;
    if shape.is_empty() {
        return "scalar".to_owned();
    }
    let mut dims: Vec<String> = shape
        .iter()
        .take(MOST)
        .map(|dimension| match dimension {
            Dimension::Size(size) => size.to_string(),
            Dimension::Symbol(symbol) => text::name(symbol, page.charset),
            Dimension::Unknown => "?".to_owned(),
        })
        .collect();
    if shape.len() > MOST {
        dims.push(page.charset.ellipsis().to_owned());
    }
    format!("[{}]", dims.join(", "))
}

/// One port: its type beside its name, or where columns are too narrow for that, beneath it.
fn set_row(row: Row, columns: Option<(usize, usize)>, page: &Page) -> Vec<Line> {
    let Some((names, dtypes)) = columns else {
        let name = text::truncate(&row.name, page.body(), page.charset);
        let gap = if row.dtype.width() > 0 { " " } else { "" };
        let kind = row.dtype.and(Role::Plain, gap).and_line(row.rest);
        let kind = kind.wrap_within(page.body() - 2, TYPE_LINES, page.charset);
        let mut lines = vec![Line::of(Role::Plain, name)];
        lines.extend(kind.into_iter().map(|line| line.indent(2)));
        return lines;
    };
    let mut line = Line::of(Role::Plain, text::truncate(&row.name, names, page.charset));
    line.pad_to(names + 2);
    if row.dtype.width() > 0 {
        line.append(row.dtype);
        line.pad_to(names + 2 + dtypes + 2);
    }
    let column = line.width();
    let width = page.body().saturating_sub(column);
    let rest = row.rest.wrap_within(width, TYPE_LINES, page.charset).into_iter();
    rest.map(|piece| {
        let mut line = std::mem::take(&mut line);
        line.pad_to(column);
        line.and_line(piece)
    })
    .collect()
}

/// What the free dimensions were bound to, where any was.
pub(super) fn dimensions(report: &Report, page: &mut Page) {
    if !report.bindings.values().any(|binding| matches!(binding, Binding::Size(_))) {
        return;
    }
    let mut rest = report.bindings.iter();
    let items = rest.by_ref().take(BINDINGS).map(|(name, binding)| {
        let name = text::truncate(&text::name(name, page.charset), page.body() / 2, page.charset);
        match binding {
            Binding::Size(size) => Line::of(Role::Plain, format!("{name} = {size}")),
            Binding::Free(_) => Line::of(Role::Plain, name).and(Role::Quiet, " free"),
        }
    });
    let mut items: Vec<Line> = items.collect();
    items.extend(more(rest.len(), "dimension", "dimensions", page));
    let lines = flow(items, page.dot(), page.body());
    page.section("Dimensions", "", lines);
}

/// Nodes, initialisers, subgraphs, functions, depth.
pub(super) fn structure(report: &Report, reasons: &mut Reasons<'_>, page: &mut Page) {
    let graph = &report.graph;
    let plain = |text: String| Line::of(Role::Plain, text);
    let mut facts = vec![
        Line::of(Role::Strong, units::integer(graph.nodes))
            .and(Role::Plain, if graph.nodes == 1 { " node" } else { " nodes" }),
    ];
    if graph.nodes_total != graph.nodes {
        facts.push(plain(format!("{} in all graphs", units::integer(graph.nodes_total))));
    }
    facts.push(plain(units::counted(graph.initializers, "initialiser", "initialisers")));
    // Before version 4 every initialiser had to be an input too, which says nothing of the model.
    if graph.overridable_inputs > 0 && report.model.ir_version.is_none_or(|version| version >= 4) {
        let inputs = units::counted(graph.overridable_inputs, "input", "inputs");
        facts.push(plain(format!("{inputs} with a default")));
    }
    if graph.subgraphs > 0 {
        facts.push(plain(units::counted(graph.subgraphs, "subgraph", "subgraphs")));
    }
    if graph.functions > 0 {
        facts.push(plain(units::counted(graph.functions, "function", "functions")));
    }
    let depth = graph.depth.map(|depth| plain(units::integer(depth)));
    facts.push(plain("depth ".into()).and_line(reasons.figure("graph.depth", depth)));

    let mut lines = flow(facts, page.dot(), page.body());
    lines.extend(functions(graph, page));
    lines.extend(shapes(&report.shapes, page));
    page.section("Graph", "", lines);
}

/// How many values have a shape, and why the first one without has none.
fn shapes(shapes: &ShapeFacts, page: &Page) -> Vec<Line> {
    if shapes.values == 0 {
        return vec![];
    }
    let part = |count: u64, what: &str| format!("{} {what}", units::integer(count));
    let mut facts = vec![];
    for (count, what) in [(shapes.fixed, "fixed"), (shapes.symbolic, "symbolic")] {
        if count > 0 {
            facts.push(Line::of(Role::Plain, part(count, what)));
        }
    }
    if shapes.unshaped > 0 {
        facts.push(Line::of(Role::Warning, part(shapes.unshaped, "unknown")));
    }
    let values = units::counted(shapes.values, "value", "values");
    let mut lines = flow(facts, page.dot(), page.body().saturating_sub(values.len() + 12));
    if let Some(first) = lines.first_mut() {
        *first = Line::of(Role::Quiet, format!("shapes of {values}: ")).and_line(first.clone());
    }
    if let Some(unknown) = shapes.unknown.first() {
        let reason = text::prose(&unknown.reason, page.charset);
        lines.extend(Line::of(Role::Quiet, reason).wrap_within(page.body(), 2, page.charset));
    }
    lines
}

fn functions(graph: &GraphFacts, page: &Page) -> Vec<Line> {
    let mut rest = graph.local_functions.iter();
    let mut items: Vec<Line> = rest
        .by_ref()
        .take(FUNCTIONS)
        .map(|function| {
            let name = qualified(&function.name, &function.domain, page);
            let name = text::truncate(&name, page.body() / 2, page.charset);
            let nodes = units::counted(function.nodes, "node", "nodes");
            let calls = units::counted(function.calls, "call", "calls");
            Line::of(Role::Plain, name).and(Role::Quiet, format!(" {nodes}, {calls}"))
        })
        .collect();
    items.extend(more(rest.len(), "function", "functions", page));
    flow(items, page.dot(), page.body())
}

/// How often each operator occurs: the commonest, and the rest in one line.
pub(super) fn operators(report: &Report, page: &mut Page) {
    let graph = &report.graph;
    // What is inside subgraphs and functions runs too, so it is shown where there is any.
    let (operators, note) = if graph.nodes_total == graph.nodes {
        (&graph.operators, "")
    } else {
        (&graph.operators_total, "all graphs")
    };
    let shown = if operators.len() > OPERATORS + 1 { OPERATORS } else { operators.len() };
    let (shown, folded) = operators.split_at(shown);
    let bar = |operator: &OperatorCount| Bar {
        name: qualified(&operator.op, &operator.domain, page),
        figures: vec![units::integer(operator.count), units::percent(operator.percent)],
        length: operator.count,
    };
    let mut lines = chart::bars(&shown.iter().map(bar).collect::<Vec<_>>(), page);
    if let Some(line) = more(folded.len(), "kind", "kinds", page) {
        let nodes: u128 = folded.iter().map(|operator| u128::from(operator.count)).sum();
        let nodes = units::counted(nodes, "node", "nodes");
        lines.extend(line.and(Role::Quiet, format!(", {nodes}")).wrap(page.body()));
    }
    page.section("Operators", note, lines);
}

/// An operator or function with its domain, which for the standard one goes without saying.
fn qualified(name: &str, domain: &str, page: &Page) -> String {
    let name = match name {
        "" => "(unnamed)".to_owned(),
        name => text::name(name, page.charset),
    };
    match domain {
        "" | "ai.onnx" => name,
        domain => format!("{}.{name}", text::name(domain, page.charset)),
    }
}
