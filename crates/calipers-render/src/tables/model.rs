//! What the file holds: data files, blocks, parameters by operator, large values, weights.

use calipers_report::{
    BlockCount, DataFile, DataStatus, LargeGroup, LargeValue, OperatorMemory, TensorRange,
};

use crate::repeats::repeated;
use crate::table::{Column, Table, Value};
use crate::value::Spans;

/// Files that hold tensors of the model.
pub fn data_files(files: &[DataFile]) -> Table {
    let mut set = Table::new(
        "data-files",
        vec![
            Column::text("location", "data file"),
            Column::text("status", "status"),
            Column::figures("tensors", "tensors"),
            Column::figures("tensor_bytes", "tensor bytes"),
        ],
    );
    for file in files {
        let status = Spans::plain(match file.status {
            DataStatus::Present => "present",
            DataStatus::Missing => "missing",
            DataStatus::Refused => "refused",
            DataStatus::Unchecked => "not checked",
        });
        let status = match file.reason.trim() {
            "" => status,
            _ if file.status == DataStatus::Missing => status,
            reason => status.and_text(": ").and_value(Value::prose(reason)),
        };
        set.row(vec![
            Value::name(&file.location),
            status.into(),
            Value::Integer(file.tensors),
            Value::Integer(file.tensor_bytes),
        ]);
    }
    set
}

/// Blocks of the network, by kind.
pub fn blocks(blocks: &[BlockCount]) -> Table {
    let mut set = Table::new(
        "blocks",
        vec![
            Column::text("kind", "block"),
            Column::figures("count", "count"),
            Column::text("what", "description"),
        ],
    );
    for block in blocks {
        set.row(vec![
            Value::text(block.kind.display_name()),
            Value::Integer(block.count),
            Value::prose(&block.what),
        ]);
    }
    set
}

/// Parameters by the operator that uses them.
pub fn parameters_by_operator(operators: &[OperatorMemory]) -> Table {
    let mut set = Table::new(
        "parameters-by-operator",
        vec![
            Column::text("op", "operator").limits(40, 20),
            Column::figures("bytes", "memory"),
            Column::figures("elements", "parameters").not_in_terminals(),
            Column::bars(),
        ],
    );
    for operator in operators {
        set.row(vec![
            Value::name(&operator.op),
            Value::known(operator.bytes, Value::Bytes),
            Value::Integer(operator.elements),
            Value::Bar(operator.bytes.unwrap_or(0)),
        ]);
    }
    set
}

/// The largest activations of a run, those of one type and shape together.
pub fn largest_groups(groups: &[LargeGroup]) -> Table {
    let mut set = Table::new(
        "largest-groups",
        vec![
            Column::text("names", "tensors"),
            Column::text("type", "type"),
            Column::figures("bytes", "size each"),
        ],
    );
    for group in groups {
        set.row(vec![
            repeated(&group.names, group.count).into(),
            Value::name(&group.type_text),
            Value::Bytes(group.bytes),
        ]);
    }
    set
}

/// The largest values of a run.
pub fn largest_values(values: &[LargeValue]) -> Table {
    let mut set = Table::new(
        "largest-values",
        vec![
            Column::text("name", "value"),
            Column::text("type", "type"),
            Column::figures("bytes", "size"),
        ],
    );
    for value in values {
        set.row(vec![
            Value::name(&value.name),
            Value::name(&value.type_text),
            Value::Bytes(value.bytes),
        ]);
    }
    set
}

/// What each stored tensor holds.
pub fn tensor_ranges(tensors: &[TensorRange]) -> Table {
    let mut set = Table::new(
        "tensor-ranges",
        vec![
            Column::text("name", "tensor"),
            Column::figures("min", "min"),
            Column::figures("max", "max"),
            Column::figures("mean", "mean"),
            Column::figures("std", "std"),
            Column::figures("sparsity_percent", "zeros"),
        ],
    );
    let figure = |value: f64| match value.is_finite() {
        true => Value::Element(value),
        false => Value::Missing(None),
    };
    for tensor in tensors {
        set.row(vec![
            Value::name(&tensor.name),
            figure(tensor.min),
            figure(tensor.max),
            figure(tensor.mean),
            figure(tensor.std),
            Value::Percent(tensor.sparsity_percent),
        ]);
    }
    set
}
