//! The model on one device at several sizes, and on several devices.

use calipers_report::{DeviceRow, Hardware, Range, Requirements, ScalingRow, TopKernel};

use crate::table::{Column, Table, Tone, Value};
use crate::value::Fit;
use crate::{text, units};

/// What grows in a table of scaling.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scaling {
    /// The batch.
    Batch,
    /// The length of the sequence.
    Sequence,
    /// The side of the image.
    Resolution,
}

impl Scaling {
    /// All of them, in the order of the report.
    pub const ALL: [Self; 3] = [Self::Batch, Self::Sequence, Self::Resolution];

    /// The name of the table in CSV.
    fn id(self) -> &'static str {
        match self {
            Self::Batch => "batch",
            Self::Sequence => "sequence",
            Self::Resolution => "resolution",
        }
    }

    /// The heading of the sizes.
    fn title(self) -> &'static str {
        match self {
            Self::Batch => "batch",
            Self::Sequence => "tokens",
            Self::Resolution => "side",
        }
    }

    fn rows(self, hardware: &Hardware) -> &[ScalingRow] {
        match self {
            Self::Batch => &hardware.batch_scaling,
            Self::Sequence => &hardware.sequence_scaling,
            Self::Resolution => &hardware.resolution_scaling,
        }
    }
}

/// Everything about hardware for programs: the scaling on the one device, then every device. All
/// tables have the same data columns.
pub fn hardware(hardware: &Hardware) -> Vec<Table> {
    let scaled = Scaling::ALL.map(|what| scaling(hardware, what));
    scaled.into_iter().chain([device_comparison(hardware)]).collect()
}

/// The model at growing sizes on the one device.
pub fn scaling(hardware: &Hardware, what: Scaling) -> Table {
    let columns = vec![
        Column::data("table"),
        Column::data("device"),
        Column::figures("size", what.title()),
        Column::data("precision"),
        Column::figures("latency", "latency").priority(1).limits(60, 60).for_people(),
        Column::data("latency_low_ms"),
        Column::data("latency_ms"),
        Column::data("latency_high_ms"),
        Column::figures("throughput", "throughput").priority(2),
        Column::figures("memory_bytes", "memory").priority(3).limits(60, 60),
        Column::data("device_memory_bytes"),
        Column::text("fits", "fits").not_in_terminals(),
        Column::data("bottleneck"),
        Column::data("reason"),
    ];
    let mut set = Table::new(&format!("{}-scaling", what.id()), columns);
    let device = hardware.device.as_ref();
    let capacity = device.and_then(|device| device.memory_bytes);
    for row in what.rows(hardware) {
        // A model that does not fit has no latency, rather than an unknown one.
        let missing = match row.fits {
            Some(false) => Value::Blank,
            _ => Value::Missing(row.reason.clone()),
        };
        let [low, expected, high] = range(row.latency_ms.as_ref());
        let values = vec![
            Value::text(what.id()),
            Value::optional(device, |device| Value::name(&device.id)),
            Value::Integer(row.size),
            Value::prose(hardware.precision.display_name()),
            row.latency_ms.map_or_else(|| missing.clone(), Value::Range),
            low,
            expected,
            high,
            row.throughput.map_or(missing, Value::Rate),
            Value::known(row.memory_bytes, Value::Gigabytes),
            Value::optional(capacity, Value::Capacity),
            Value::known(row.fits, Value::Flag),
            Value::Blank,
            Value::Blank,
        ];
        match row.fits {
            Some(false) => {
                let fit =
                    Fit { needed: row.memory_bytes, capacity, fits: row.fits, is_tight: false };
                set.row_instead(values, Value::Fit(fit).into());
            }
            _ => set.row(values),
        }
    }
    set
}

/// The model on every device of the report.
pub fn device_comparison(hardware: &Hardware) -> Table {
    let latency = match hardware.batch_dimension {
        true => format!("latency at batch {}", units::integer(hardware.batch)),
        false => "latency per run".to_owned(),
    };
    let columns = vec![
        Column::data("table"),
        Column::text("device", "device").not_in_documents(),
        Column::text("name", "device").only_in_documents(),
        Column::data("size"),
        Column::data("precision"),
        Column::figures("memory", "memory").only_in_documents(),
        Column::text("fit", "fits").only_in_documents(),
        Column::figures("latency", "latency")
            .short(&latency)
            .priority(1)
            .limits(60, 60)
            .for_people(),
        Column::data("latency_low_ms"),
        Column::data("latency_ms"),
        Column::data("latency_high_ms"),
        Column::figures("memory_fit", "memory").priority(2).limits(60, 60).only_in_terminals(),
        // At batch 1 it is the inverse of the latency.
        Column::figures("throughput", "throughput").priority(3).not_in_documents(),
        Column::figures("optimal_batch", "optimal batch").only_in_documents(),
        Column::figures("utilization", "compute utilization").only_in_documents(),
        Column::data("memory_bytes"),
        Column::data("device_memory_bytes"),
        Column::data("fits"),
        Column::text("bottleneck", "bottleneck").priority(4).tone(Tone::Quiet),
        Column::data("reason"),
    ];
    let mut set = Table::new("devices", columns).without_empty_columns();
    for row in &hardware.devices {
        add_device(row, hardware, &mut set);
    }
    set
}

fn add_device(row: &DeviceRow, hardware: &Hardware, set: &mut Table) {
    let fit = Value::Fit(Fit {
        fits: row.fits,
        is_tight: row.tight,
        needed: row.memory_bytes,
        capacity: row.device_memory_bytes,
    });
    let fits = match row.fits {
        Some(true) if row.tight => Value::text("tight"),
        fits => Value::known(fits, Value::Flag),
    };
    let [low, expected, high] = range(row.latency_ms.as_ref());
    // Without a latency, throughput and bottleneck are not shown.
    let timed = |value: Value| match row.latency_ms {
        Some(_) => value,
        None => Value::Hidden(Box::new(value)),
    };
    let values = vec![
        Value::text("device"),
        Value::name(&row.id),
        Value::prose(&row.name),
        Value::Integer(hardware.batch),
        Value::prose(hardware.precision.display_name()),
        fit.clone(),
        fits,
        Value::optional(row.latency_ms, Value::Range),
        low,
        expected,
        high,
        fit.clone(),
        timed(Value::optional(row.throughput, Value::Rate)),
        timed(Value::optional(row.saturation_batch, Value::Integer)),
        timed(Value::optional(row.peak_percent, Value::Percent)),
        Value::optional(row.memory_bytes, Value::Gigabytes),
        Value::optional(row.device_memory_bytes, Value::Capacity),
        Value::optional(row.fits, Value::Flag),
        timed(Value::optional(row.bottleneck, |limit| Value::prose(limit.display_name()))),
        Value::optional(row.reason.clone(), Value::Prose),
    ];
    match row.fits {
        Some(false) => set.row_instead(values, fit.into()),
        _ => set.row(values),
    }
}

/// The slowest kernels.
pub fn top_kernels(kernels: &[TopKernel]) -> Table {
    let mut set = Table::new(
        "top-kernels",
        vec![
            Column::text("node", "kernel").short("node").limits(60, 12),
            Column::text("kind", "kind").priority(3),
            Column::figures("ms", "time").priority(1),
            Column::figures("percent", "share").priority(2),
        ],
    );
    for kernel in kernels {
        set.row(vec![
            Value::name(&kernel.node),
            Value::prose(kernel.kind.display_name()),
            Value::Milliseconds(kernel.ms),
            Value::Percent(kernel.percent),
        ]);
    }
    set
}

/// The memory of a run, by part.
pub fn memory_parts(hardware: &Hardware) -> Table {
    let columns = vec![Column::text("part", "memory for"), Column::figures("bytes", "bytes")];
    let mut set = Table::new("memory-parts", columns);
    let Some(need) = &hardware.memory else { return set };
    let mut part = |name: &str, value: Value| set.row(vec![Value::text(name), value]);
    part("Weights", Value::known(need.weights_bytes, Value::LongBytes));
    part("Runtime buffers", Value::known(need.activations_bytes, Value::LongBytes));
    part("KV cache", need.kv_cache_bytes.map_or(Value::text("none"), Value::LongBytes));
    let workspace = &need.workspace_bytes;
    let [low, expected, high] =
        [workspace.low, workspace.expected, workspace.high].map(units::gigabytes);
    part("Runtime overhead", Value::text(format!("{expected} ({low} to {high})")));
    if let Some(bytes) = hardware.memory_bytes {
        part("Total", Value::Gigabytes(bytes));
    }
    set
}

/// The devices that meet a target, by level.
pub fn requirements(requirements: &Requirements, hardware: &Hardware) -> Table {
    let mut set = Table::new(
        "requirements",
        vec![
            Column::text("level", "level"),
            Column::text("device", "device"),
            Column::figures("batch", "batch"),
            Column::figures("latency", "latency"),
            Column::figures("first_token", "first token"),
            Column::figures("throughput", "throughput"),
            Column::figures("memory", "memory"),
        ],
    )
    .without_empty_columns();
    let levels = [
        ("Minimum", &requirements.minimum),
        ("Recommended", &requirements.recommended),
        ("Optimal", &requirements.optimal),
    ];
    // Levels with the same answer share a row.
    for same in levels.chunk_by(|(_, one), (_, next)| one == next) {
        let names: Vec<&str> = same.iter().map(|(name, _)| *name).collect();
        let mut row = vec![Value::text(text::capitalized(&names.join(", ").to_lowercase()))];
        match same[0].1 {
            None => {
                row.push(Value::text("none"));
                row.extend(vec![Value::Blank; 5]);
            }
            Some(found) => row.extend([
                Value::prose(&found.name),
                Value::optional(hardware.batch_dimension.then_some(found.batch), Value::Integer),
                Value::optional(found.latency_ms, Value::Range),
                Value::optional(found.first_token_ms, Value::Range),
                Value::optional(found.throughput, Value::Rate),
                Value::known(found.memory_bytes, Value::Gigabytes),
            ]),
        }
        set.row(row);
    }
    set
}

fn range(span: Option<&Range>) -> [Value; 3] {
    [span.map(|s| s.low), span.map(|s| s.expected), span.map(|s| s.high)]
        .map(|value| Value::optional(value, Value::Milliseconds))
}

/// Why figures are missing: each reason once, with the devices that it applies to.
pub(crate) fn missing(
    rows: &[DeviceRow],
    is_missing: impl Fn(&DeviceRow) -> bool,
) -> Vec<(&str, Vec<&DeviceRow>)> {
    let mut groups: Vec<(&str, Vec<&DeviceRow>)> = Vec::new();
    for row in rows.iter().filter(|row| is_missing(row)) {
        let Some(reason) = row.reason.as_deref() else { continue };
        match groups.iter_mut().find(|(known, _)| *known == reason) {
            Some((_, group)) => group.push(row),
            None => groups.push((reason, vec![row])),
        }
    }
    groups
}
