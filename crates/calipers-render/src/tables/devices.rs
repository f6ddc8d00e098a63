//! The device catalog.

use calipers_report::{DeviceList, DeviceSpec};

use crate::table::{Column, Row, Table, Tone, Value};
use crate::units;
use crate::value::Spans;

/// Precisions with the unit of their peaks, and how soon the column goes on a narrow terminal.
const PEAKS: [(&str, &str, u8); 8] = [
    ("fp32", "TFLOPS", 4),
    ("tf32", "TFLOPS", 11),
    ("fp16", "TFLOPS", 1),
    ("bf16", "TFLOPS", 10),
    ("fp8", "TFLOPS", 6),
    ("int8", "TOPS", 3),
    ("int4", "TOPS", 12),
    ("fp4", "TFLOPS", 9),
];

/// The devices by class. Peaks are dense, in TFLOPS or TOPS.
pub fn devices(list: &DeviceList) -> Table {
    let mut set = Table::new("devices", columns());
    for group in list.devices.chunk_by(|one, next| one.class == next.class) {
        set.rows.extend(group.first().map(|device| Row::Group(Value::text(device.class.id()))));
        group.iter().for_each(|device| set.row(row(device)));
    }
    set.empty = Some(Spans::toned(Tone::Warning, Value::text("no device matches")));
    set.note(None, legend(list));
    set
}

fn columns() -> Vec<Column> {
    let figures = |id: &str, title: &str| Column::figures(id, title).decimal();
    let mut columns = vec![
        Column::text("id", "device").limits(40, 26),
        Column::text("name", "name").priority(8).limits(48, 46),
        Column::data("vendor"),
        Column::data("class"),
        Column::text("architecture", "architecture").priority(14).limits(20, 20),
        Column::data("memory_gb"),
        figures("memory", "memory GB").priority(2).for_people(),
        Column::data("memory_type"),
        figures("bandwidth_gb_s", "GB/s").priority(5),
    ];
    columns.extend(PEAKS.map(|(precision, unit, priority)| {
        let id = format!("{precision}_{}", unit.to_ascii_lowercase());
        figures(&id, &format!("{precision} {unit}")).priority(priority)
    }));
    columns.extend([
        Column::data("units"),
        Column::data("performance_cores"),
        Column::data("clock_mhz"),
        Column::data("matrix_clock_mhz"),
        Column::data("cache_mb"),
        figures("power_w", "power W").priority(7),
        Column::data("launch_device_us"),
        Column::data("launch_host_us"),
        Column::data("on_chip_mb"),
        Column::data("link_gb_s"),
        Column::data("capacity_rule"),
        Column::text("evidence", "evidence").priority(13).limits(20, 20).tone(Tone::Quiet),
        Column::data("source"),
        Column::data("derivation"),
        Column::data("checked"),
        Column::data("notes"),
    ]);
    columns
}

fn row(device: &DeviceSpec) -> Vec<Value> {
    let decimal = |value: Option<f64>| Value::optional(value, Value::Decimal);
    let prose = |text: &Option<String>| Value::optional(text.clone(), Value::Prose);
    let on_chip = device.on_chip.as_ref();
    let memory = match device.memory_gb {
        None if on_chip.is_some() => Value::text("on chip"),
        memory => decimal(memory),
    };
    let mut row = vec![
        Value::name(&device.id),
        Value::name(&device.name),
        Value::name(&device.vendor),
        Value::text(device.class.id()),
        Value::name(&device.architecture),
        decimal(device.memory_gb),
        memory,
        prose(&device.memory_type),
        decimal(device.bandwidth_gb_s),
    ];
    row.extend(PEAKS.map(|(precision, ..)| {
        let peak = device.peaks.iter().find(|(known, _)| known.id() == precision);
        decimal(peak.map(|(_, peak)| *peak))
    }));
    row.extend([
        Value::optional(device.units, |units| Value::Integer(units.into())),
        Value::optional(device.performance_cores, |cores| Value::Integer(cores.into())),
        decimal(device.clock_mhz),
        decimal(device.matrix_clock_mhz),
        decimal(device.cache_mb),
        decimal(device.power_w),
        decimal(device.launch.device_us),
        decimal(device.launch.host_us),
        decimal(on_chip.and_then(|chip| chip.memory_mb)),
        decimal(on_chip.and_then(|chip| chip.link_gb_s)),
        Value::optional(on_chip, |chip| Value::prose(&chip.rule)),
        Value::text(device.evidence.id()),
        Value::prose(&device.source),
        prose(&device.derivation),
        prose(&device.checked),
        prose(&device.notes),
    ]);
    row
}

fn legend(list: &DeviceList) -> Vec<Spans> {
    let count = |number: usize| u64::try_from(number).unwrap_or(u64::MAX);
    let mut lines = vec![];
    if !list.devices.is_empty() {
        let devices = units::counted(count(list.devices.len()), "device", "devices");
        lines.push(Spans::default().and_quiet(format!(
            "{devices}; peaks are dense, GB is 10⁹ bytes, – is unknown; `calipers devices ID` shows \
             one in full"
        )));
    }
    if list.unknown_memory > 0 {
        let devices = units::counted(count(list.unknown_memory), "device", "devices");
        let whose = if list.unknown_memory == 1 { "its" } else { "their" };
        lines.push(
            Spans::toned(Tone::Warning, Value::text(format!("{devices} left out")))
                .and_quiet(format!(": {whose} memory is unknown")),
        );
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_precision_of_the_catalog_has_a_column() {
        let known: Vec<_> = calipers_report::Precision::ALL
            .iter()
            .map(|precision| (precision.id(), precision.unit()))
            .collect();
        assert_eq!(PEAKS.map(|(name, unit, _)| (name, unit)).to_vec(), known);
    }
}
