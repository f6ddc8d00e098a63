//! Values whose type or shape is not as inferred.

use calipers_report::Verification;

use crate::table::{Column, Table, Tone, Value};

/// The values that differ, a row each.
pub fn verification(verified: &Verification) -> Table {
    let mut table = Table::new(
        "verification",
        vec![
            Column::text("value", "value").limits(usize::MAX, 20),
            Column::text("node", "node").limits(usize::MAX, 16),
            Column::text("op", "op").tone(Tone::Quiet),
            Column::text("inferred", "inferred").wrapping(),
            Column::text("observed", "observed").wrapping(),
            Column::data("execution"),
        ],
    );
    for different in &verified.different {
        table.row(vec![
            Value::name(&different.value),
            Value::name(&different.node),
            Value::name(&different.op),
            Value::prose(&different.inferred),
            Value::prose(&different.observed),
            Value::Integer(different.execution),
        ]);
    }
    table
}
