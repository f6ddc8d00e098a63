//! Inputs and outputs, dimensions, operators and functions of the graph.

use std::collections::BTreeMap;

use calipers_report::{
    Binding, FunctionFacts, OperatorCount, Port, Report, ValueKind, goes_without_saying,
};

use crate::table::{Column, Table, Tone, Value};
use crate::value::Spans;

/// Dimensions that are listed.
const DIMENSIONS: usize = 500;

/// Inputs and outputs with their types and shapes.
pub fn interface(inputs: &[Port], outputs: &[Port]) -> Table {
    let mut set = Table::new(
        "ports",
        vec![
            Column::text("side", "side"),
            Column::text("name", "name"),
            Column::text("type", "type"),
            Column::text("shape", "shape"),
            Column::text("inferred", "inferred shape"),
            Column::text("doc", "description"),
        ],
    )
    .without_empty_columns();
    let inputs = inputs.iter().map(|port| ("Input", port));
    for (side, port) in inputs.chain(outputs.iter().map(|port| ("Output", port))) {
        set.row(std::iter::once(Value::text(side)).chain(port_cells(port)).collect());
    }
    set
}

/// Inputs, or outputs, with their types and shapes.
pub fn ports(ports: &[Port]) -> Table {
    let mut set = Table::new(
        "ports",
        vec![
            Column::text("name", "name"),
            Column::text("type", "type"),
            Column::text("shape", "shape"),
            Column::text("inferred", "inferred shape"),
            Column::text("doc", "description"),
        ],
    )
    .without_empty_columns();
    for port in ports {
        set.row(port_cells(port).to_vec());
    }
    set
}

/// Name, type, shape, inferred shape and description of a port.
fn port_cells(port: &Port) -> [Value; 5] {
    let (kind, shape) = match port.kind {
        ValueKind::Tensor => (
            Value::known(port.dtype, |dtype| Value::Prose(dtype.to_string())),
            port.shape.clone().map_or_else(|| Value::text("not stated"), Value::Shape),
        ),
        _ => (Value::name(&port.type_text), Value::Blank),
    };
    let inferred = Value::optional(port.inferred.clone(), Value::Shape);
    [port_name(port), kind, shape, inferred, Value::prose(&port.doc)]
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
            Column::figures("size", "size"),
            Column::text("reason", "reason"),
        ],
    );
    for (name, binding) in report.bindings.iter().take(DIMENSIONS) {
        let (size, why) = match (binding, assumed.get(name.as_str())) {
            (Binding::Size(size), _) => (Value::Signed(*size), Value::text("set with --dim")),
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
        set.row(vec![Value::name(name), Value::text("data-dependent"), Value::prose(why)]);
    }
    set
}

/// Free dimensions with their sizes, those with the same reason together.
pub(crate) fn dimension_lines(report: &Report) -> Vec<Spans> {
    let assumed: BTreeMap<&str, _> = report
        .assumptions
        .iter()
        .filter_map(|assumption| Some((assumption.what.strip_prefix("dimension ")?, assumption)))
        .collect();
    let mut groups: Vec<(Value, Vec<Spans>)> = vec![];
    let mut add = |name: &str, size: Option<Value>, why: Value| {
        let mut words = Spans::from(Value::name(name));
        if let Some(size) = size {
            words = words.and_text(" = ").and_value(size);
        }
        match groups.iter_mut().find(|(known, _)| *known == why) {
            Some((_, group)) => group.push(words),
            None => groups.push((why, vec![words])),
        }
    };
    for (name, binding) in report.bindings.iter().take(DIMENSIONS) {
        match (binding, assumed.get(name.as_str())) {
            (Binding::Size(size), _) => {
                add(name, Some(Value::Signed(*size)), Value::text("set with `--dim`"));
            }
            (_, Some(assumption)) => {
                add(name, Some(Value::prose(&assumption.value)), Value::quoted(&assumption.why));
            }
            (Binding::Free(_), None) => add(name, None, Value::text("no figure depends on it")),
        }
    }
    for (name, why) in report.shapes.data_dependent.iter().take(DIMENSIONS) {
        add(name, None, Spans::plain("data-dependent, ").and_value(Value::prose(why)).into());
    }
    let line = |(why, names): (Value, Vec<Spans>)| {
        Spans::joined(names, ", ").and_text(": ").and_value(why).and_text(".")
    };
    groups.into_iter().map(line).collect()
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
            domain if goes_without_saying(domain) => operator.op.clone(),
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
            Column::text("why", "reason"),
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
    let columns = vec![Column::text("what", "unknown"), Column::text("reason", "reason")];
    let mut set = Table::new("unknown", columns);
    for entry in unknown {
        set.row(vec![Value::name(&entry.what), Value::quoted(&entry.reason)]);
    }
    set
}
