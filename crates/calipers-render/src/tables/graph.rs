//! Inputs and outputs, dimensions, operators and functions of the graph.

use std::collections::BTreeMap;

use calipers_report::{Binding, FunctionFacts, OperatorCount, Port, Report, ValueKind};

use crate::table::{Column, Table, Tone, Value};
use crate::value::Spans;

/// Dimensions that are listed.
const DIMENSIONS: usize = 500;

/// Inputs, or outputs, with their types and shapes.
pub fn ports(ports: &[Port]) -> Table {
    let mut set = Table::new(
        "ports",
        vec![
            Column::text("name", "name"),
            Column::text("type", "type"),
            Column::text("shape", "shape"),
            Column::text("inferred", "found to be"),
            Column::text("doc", "resolved"),
        ],
    )
    .without_empty_columns();
    for port in ports {
        let name = port_name(port);
        let (kind, shape) = match port.kind {
            ValueKind::Tensor => (
                Value::known(port.dtype, |dtype| Value::Prose(dtype.to_string())),
                port.shape.clone().map_or_else(|| Value::text("not stated"), Value::Shape),
            ),
            _ => (Value::name(&port.type_text), Value::Blank),
        };
        let inferred = Value::of(port.inferred.clone(), Value::Shape);
        set.row(vec![name, kind, shape, inferred, Value::prose(&port.doc)]);
    }
    set
}

/// Inputs, or outputs, in short. `unknown` says why a field of the port at an index is unknown.
pub(crate) fn brief_ports(ports: &[Port], mut unknown: impl FnMut(usize, &str) -> Spans) -> Table {
    let columns = vec![
        Column::text("name", "name"),
        Column::text("type", "type"),
        Column::text("shape", "shape").limits(200, 8).wrapping(),
    ];
    let mut set = Table::new("ports", columns).without_headings();
    for (i, port) in ports.iter().enumerate() {
        let name = port_name(port);
        if port.kind != ValueKind::Tensor && !port.type_text.is_empty() {
            let kind = Value::name(&port.type_text);
            set.row_instead(vec![name, kind.clone(), Value::Blank], kind.into());
            continue;
        }
        if port.dtype.is_none() && port.shape.is_none() {
            let why = Spans::plain("type ").and_all(unknown(i, ""));
            set.row_instead(vec![name, Value::Missing(None), Value::Missing(None)], why);
            continue;
        }
        let kind = Value::known(port.dtype, |dtype| Value::Text(dtype.to_string()));
        let shape = match &port.shape {
            Some(shape) if shape.is_empty() => Spans::plain("scalar"),
            Some(shape) => Value::Shape(shape.clone()).into(),
            None => Spans::plain("shape ").and_all(unknown(i, ".shape")),
        };
        let shape = match &port.inferred {
            Some(found) => shape.and_quiet(" is ").and(Tone::Quiet, Value::Shape(found.clone())),
            None => shape,
        };
        set.row(vec![name, kind, shape.into()]);
    }
    set
}

fn port_name(port: &Port) -> Value {
    match port.name.as_str() {
        "" => Value::text("(unnamed)"),
        name => Value::name(name),
    }
}

/// Free dimensions: the size of each, and why it is that.
pub fn dimensions(report: &Report) -> Table {
    let assumed: BTreeMap<&str, _> = report
        .assumptions
        .iter()
        .filter_map(|assumption| Some((assumption.what.strip_prefix("dimension ")?, assumption)))
        .collect();
    let mut set = Table::new(
        "dimensions",
        vec![
            Column::text("dimension", "dimension"),
            Column::figures("size", "taken as"),
            Column::text("reason", "why"),
        ],
    );
    for (name, binding) in report.bindings.iter().take(DIMENSIONS) {
        let (size, why) = match (binding, assumed.get(name.as_str())) {
            (Binding::Size(size), _) => (Value::Signed(*size), Value::text("asked for")),
            (_, Some(assumption)) => {
                (Value::prose(&assumption.value), Value::quoted(&assumption.why))
            }
            (Binding::Free(_), None) => {
                (Value::text("free"), Value::text("no figure depends on it"))
            }
        };
        set.row(vec![Value::name(name), size, why]);
    }
    for (name, why) in report.shapes.data_dependent.iter().take(DIMENSIONS) {
        set.row(vec![Value::name(name), Value::text("decided by the data"), Value::prose(why)]);
    }
    set
}

/// Operators, how many nodes each has, and their share.
pub fn operators(operators: &[OperatorCount]) -> Table {
    let mut set = Table::new(
        "operators",
        vec![
            Column::text("operator", "operator").limits(40, 20),
            Column::figures("count", "nodes"),
            Column::figures("percent", "share"),
            Column::bars(),
        ],
    );
    for operator in operators {
        let name = match operator.domain.as_str() {
            "ai.onnx" | "" => operator.op.clone(),
            domain => format!("{domain}.{}", operator.op),
        };
        set.row(vec![
            Value::Name(name),
            Value::Integer(operator.count),
            Value::Percent(operator.percent),
            Value::Bar(operator.count),
        ]);
    }
    set
}

/// Functions of the model, with their size and how often they are called.
pub fn functions(functions: &[FunctionFacts]) -> Table {
    let mut set = Table::new(
        "functions",
        vec![
            Column::text("function", "function"),
            Column::figures("nodes", "nodes"),
            Column::figures("calls", "calls"),
        ],
    );
    for function in functions {
        set.row(vec![
            Value::Name(format!("{}.{}", function.domain, function.name)),
            Value::Integer(function.nodes),
            Value::Integer(function.calls),
        ]);
    }
    set
}

/// What had to be assumed, and why.
pub fn assumptions<'a>(
    assumptions: impl IntoIterator<Item = &'a calipers_report::Assumption>,
) -> Table {
    let mut set = Table::new(
        "assumptions",
        vec![
            Column::text("what", "assumed"),
            Column::text("value", "value"),
            Column::text("why", "why"),
        ],
    );
    for assumption in assumptions {
        let what = match assumption.what.strip_prefix("dimension ") {
            Some(name) => Spans::plain("dimension ").and_value(Value::name(name)).into(),
            None => Value::prose(&assumption.what),
        };
        set.row(vec![what, Value::prose(&assumption.value), Value::quoted(&assumption.why)]);
    }
    set
}

/// Figures that are not known, and why.
pub fn unknown(unknown: &[calipers_report::Unknown]) -> Table {
    let columns = vec![Column::text("what", "not known"), Column::text("reason", "why")];
    let mut set = Table::new("unknown", columns);
    for entry in unknown {
        set.row(vec![Value::name(&entry.what), Value::quoted(&entry.reason)]);
    }
    set
}
