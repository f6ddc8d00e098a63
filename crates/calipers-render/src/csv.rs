//! Tables as comma-separated values, quoted as RFC 4180 says, for spreadsheets and scripts.
//!
//! The first line names the columns; lines end in a line feed; a figure that is not known is an
//! empty cell. A spreadsheet takes a text that begins with `=`, `+`, `-` or `@` for a formula and
//! runs it, so such a text from the model gets an apostrophe before it, which spreadsheets do not
//! show. Invisible characters are written as escapes.
//!
//! ```
//! let table = calipers_report::LayerTable::default();
//! assert!(calipers_render::layers_to_csv(&table).starts_with("index,node,op,"));
//! ```

use calipers_devices::{Device, Precision};
use calipers_report::{
    Bottleneck, Dimension, Family, Hardware, KeyFigures, LayerTable, LayerWork, ModelKind, Operand,
    Range, Scheme, SweepTable, TaskKind, ValueKind, ValueShape,
};

use crate::text;

/// The nodes, a line each.
pub fn layers_to_csv(table: &LayerTable) -> String {
    let mut sheet = Sheet::new(&[
        &["index", "node", "op", "domain", "scope", "inputs", "outputs", "parameters"],
        &WORK[..],
        &["reason"],
    ]);
    for layer in &table.layers {
        sheet.figure(Some(layer.index));
        for word in [&layer.node, &layer.op, &layer.domain, &layer.scope] {
            sheet.word(word);
        }
        sheet.word(&operands(&layer.inputs));
        sheet.word(&operands(&layer.outputs));
        sheet.figure(layer.parameters);
        sheet.work(&layer.work);
        sheet.word(layer.reason.as_deref().unwrap_or_default());
        sheet.end();
    }
    sheet.text
}

/// The scopes, a line each, parents before children.
pub fn scopes_to_csv(table: &LayerTable) -> String {
    let mut sheet =
        Sheet::new(&[&["scope", "depth", "class", "nodes", "parameters"], &WORK[..], &["unknown"]]);
    for scope in &table.scopes {
        sheet.word(&scope.scope);
        sheet.figure(Some(scope.depth));
        sheet.word(scope.class.as_deref().unwrap_or_default());
        sheet.figure(Some(scope.nodes));
        sheet.figure(scope.parameters);
        sheet.work(&scope.work);
        sheet.figure(Some(scope.unknown));
        sheet.end();
    }
    sheet.text
}

/// The points of a sweep, a line each; a column for each name that takes sizes.
pub fn sweep_to_csv(table: &SweepTable) -> String {
    let names: Vec<&str> = table.dims.iter().chain(&table.inputs).map(String::as_str).collect();
    let figures = [
        "macs",
        "flops",
        "other_flops",
        "bytes_moved",
        "peak_activation_bytes",
        "peak_activation_in_place_bytes",
        "kv_cache_bytes_per_token",
        "kv_cache_context",
        "kv_cache_bytes",
        "macs_formula",
        "other_flops_formula",
        "bytes_moved_formula",
        "unknown",
    ];
    let mut sheet = Sheet::new(&[&names, &figures]);
    for point in &table.points {
        for dim in &table.dims {
            sheet.number(point.dims.get(dim));
        }
        for input in &table.inputs {
            let shape = point.inputs.get(input).map(Vec::as_slice).unwrap_or_default();
            let shape: Vec<String> = shape.iter().map(i64::to_string).collect();
            sheet.word(
                if shape.is_empty() { "scalar".to_owned() } else { shape.join("x") }.as_str(),
            );
        }
        for value in [
            point.macs,
            point.flops,
            point.other_flops,
            point.bytes_moved,
            point.peak_activation_bytes,
            point.peak_activation_in_place_bytes,
            point.kv_cache_bytes_per_token,
            point.kv_cache_context,
            point.kv_cache_bytes,
        ] {
            sheet.figure(value);
        }
        for field in FORMULAS {
            sheet.word(point.formula.get(field).map(String::as_str).unwrap_or_default());
        }
        sheet.figure(Some(point.unknown));
        sheet.end();
    }
    sheet.text
}

/// Devices, a line each. Peaks are dense, in TFLOPS or TOPS.
pub fn devices_to_csv(devices: &[&Device]) -> String {
    let peaks = Precision::ALL
        .map(|precision| format!("{precision}_{}", precision.unit().to_ascii_lowercase()));
    let peaks: Vec<&str> = peaks.iter().map(String::as_str).collect();
    let mut sheet = Sheet::new(&[
        &["id", "name", "vendor", "class", "architecture"],
        &["memory_gb", "memory_type", "bandwidth_gb_s"],
        &peaks,
        &["units", "clock_mhz", "matrix_clock_mhz", "cache_mb", "power_w"],
        &["launch_device_us", "launch_host_us", "on_chip_mb", "link_gb_s", "capacity_rule"],
        &["evidence", "source", "checked", "notes"],
    ]);
    let maybe = |text: &Option<String>| text.clone().unwrap_or_default();
    for device in devices {
        let on_chip = device.on_chip.as_ref();
        for word in [&device.id, &device.name, &device.vendor] {
            sheet.word(word);
        }
        sheet.word(device.class.name());
        sheet.word(&device.architecture);
        sheet.ratio(device.memory_gb);
        sheet.word(&maybe(&device.memory_type));
        sheet.ratio(device.bandwidth_gb_s);
        for precision in Precision::ALL {
            sheet.ratio(device.peaks.get(&precision).copied());
        }
        sheet.figure(device.units.map(u64::from));
        for value in [
            device.clock_mhz,
            device.matrix_clock_mhz,
            device.cache_mb,
            device.power_w,
            device.launch.device_us,
            device.launch.host_us,
            on_chip.and_then(|chip| chip.memory_mb),
            on_chip.and_then(|chip| chip.link_gb_s),
        ] {
            sheet.ratio(value);
        }
        sheet.word(on_chip.map_or("", |chip| &chip.rule));
        sheet.word(device.evidence.name());
        sheet.word(&device.source);
        sheet.word(&maybe(&device.checked));
        sheet.word(&maybe(&device.notes));
        sheet.end();
    }
    sheet.text
}

/// Tables about hardware, a line for each of their rows: what grows, `batch`, `sequence` or
/// `resolution`, on the device that was asked for, then every device at one size.
pub fn hardware_to_csv(hardware: &Hardware) -> String {
    let mut sheet = Sheet::new(&[
        &["table", "device", "size", "precision"],
        &["latency_low_ms", "latency_ms", "latency_high_ms", "throughput"],
        &["memory_bytes", "device_memory_bytes", "fits", "bottleneck", "reason"],
    ]);
    let truth = |fits: Option<bool>| fits.map_or(String::new(), |fits| fits.to_string());
    let mine = hardware.device.as_ref();
    for (table, rows) in [
        ("batch", &hardware.batch_scaling),
        ("sequence", &hardware.sequence_scaling),
        ("resolution", &hardware.resolution_scaling),
    ] {
        for row in rows {
            sheet.word(table);
            sheet.word(mine.map_or("", |device| &device.id));
            sheet.figure(Some(row.size));
            sheet.word(&hardware.precision);
            sheet.span(row.run.latency_ms.as_ref());
            sheet.ratio(row.run.throughput);
            sheet.figure(row.run.memory_bytes);
            sheet.figure(mine.and_then(|device| device.memory_bytes));
            sheet.word(&truth(row.run.fits));
            sheet.word("");
            sheet.word("");
            sheet.end();
        }
    }
    for row in &hardware.devices {
        sheet.word("device");
        sheet.word(&row.id);
        sheet.figure(Some(hardware.batch));
        sheet.word(&hardware.precision);
        sheet.span(row.latency_ms.as_ref());
        sheet.ratio(row.throughput);
        sheet.figure(row.memory_bytes);
        sheet.figure(row.device_memory_bytes);
        sheet.word(&truth(row.fits));
        sheet.word(row.bottleneck.map_or("", Bottleneck::id));
        sheet.word(row.reason.as_deref().unwrap_or_default());
        sheet.end();
    }
    sheet.text
}

/// Key figures of many models, a line each.
pub fn figures_to_csv(models: &[KeyFigures]) -> String {
    let mut sheet = Sheet::new(&[
        &["path", "card", "error", "bytes", "kind", "family", "task", "precision"],
        &["quantization", "nodes", "parameters", "weights_bytes", "macs", "flops", "lower_bound"],
        &["peak_activation_bytes", "kv_cache_bytes_per_token", "device", "latency_ms"],
        &["memory_bytes", "errors", "warnings", "infos"],
    ]);
    let maybe = |text: &Option<String>| text.clone().unwrap_or_default();
    for model in models {
        for word in [&Some(model.path.clone()), &model.card, &model.error] {
            sheet.word(&maybe(word));
        }
        sheet.figure(model.bytes);
        sheet.word(model.kind.map_or("", ModelKind::id));
        sheet.word(model.family.map_or("", Family::id));
        sheet.word(model.task.map_or("", TaskKind::id));
        sheet.word(&maybe(&model.precision));
        sheet.word(&model.quantization.map(Scheme::id).unwrap_or_default());
        for value in [model.nodes, model.parameters, model.weights_bytes, model.macs, model.flops] {
            sheet.figure(value);
        }
        sheet.word(&model.lower_bound.map(|is| is.to_string()).unwrap_or_default());
        sheet.figure(model.peak_activation_bytes);
        sheet.figure(model.kv_cache_bytes_per_token);
        sheet.word(&maybe(&model.device));
        sheet.ratio(model.latency_ms);
        for value in [model.memory_bytes, model.errors, model.warnings, model.infos] {
            sheet.figure(value);
        }
        sheet.end();
    }
    sheet.text
}

const FORMULAS: [&str; 3] = ["macs", "other_flops", "bytes_moved"];

/// Columns of [`LayerWork`].
const WORK: [&str; 9] = [
    "macs",
    "macs_percent",
    "flops",
    "other_flops",
    "bytes_moved",
    "intensity",
    "macs_formula",
    "other_flops_formula",
    "bytes_moved_formula",
];

/// The values in one cell: `float32[1, 3, 224, 224]; float32[64, 3, 7, 7]`.
fn operands(operands: &[Option<Operand>]) -> String {
    let one = |operand: &Option<Operand>| operand.as_ref().map(|one| type_text(&one.value));
    operands.iter().map(|operand| one(operand).unwrap_or_default()).collect::<Vec<_>>().join("; ")
}

fn type_text(value: &ValueShape) -> String {
    let dtype = value.dtype.map_or("?".to_owned(), |dtype| dtype.to_string());
    let shape = value.shape.as_ref().map(|dims| {
        let dims: Vec<String> = dims
            .iter()
            .map(|dim| match dim {
                Dimension::Size(size) => size.to_string(),
                Dimension::Symbol(name) => name.clone(),
                Dimension::Unknown => "?".to_owned(),
            })
            .collect();
        format!("[{}]", dims.join(", "))
    });
    let tensor = format!("{dtype}{}", shape.unwrap_or_default());
    match value.kind {
        None => tensor,
        Some(kind @ (ValueKind::Map | ValueKind::Opaque | ValueKind::Unknown)) => {
            kind.id().to_owned()
        }
        Some(kind) => format!("{}({tensor})", kind.id()),
    }
}

/// Lines of cells.
struct Sheet {
    text: String,
    first: bool,
}

impl Sheet {
    fn new(headings: &[&[&str]]) -> Self {
        let mut sheet = Self { text: String::new(), first: true };
        headings.iter().copied().flatten().for_each(|heading| sheet.word(heading));
        sheet.end();
        sheet
    }

    fn end(&mut self) {
        self.text.push('\n');
        self.first = true;
    }

    fn cell(&mut self, text: &str) {
        if !std::mem::take(&mut self.first) {
            self.text.push(',');
        }
        if text.contains(['"', ',', '\n', '\r']) {
            self.text.push('"');
            self.text.push_str(&text.replace('"', "\"\""));
            self.text.push('"');
        } else {
            self.text.push_str(text);
        }
    }

    /// A text that may come out of a model.
    fn word(&mut self, raw: &str) {
        let clean = text::whole(raw);
        // A spreadsheet also skips blanks and quotes at the start.
        let first = clean.trim_start_matches([' ', '"']).chars().next();
        if first.is_some_and(|c| matches!(c, '=' | '+' | '-' | '@' | '＝' | '＋' | '－' | '＠'))
        {
            self.cell(&format!("'{clean}"));
        } else {
            self.cell(&clean);
        }
    }

    fn number(&mut self, value: Option<&i64>) {
        self.cell(&value.map(i64::to_string).unwrap_or_default());
    }

    fn figure(&mut self, value: Option<u64>) {
        self.cell(&value.map(|value| value.to_string()).unwrap_or_default());
    }

    fn ratio(&mut self, value: Option<f64>) {
        let value = value.filter(|value| value.is_finite());
        self.cell(&value.map(|value| value.to_string()).unwrap_or_default());
    }

    fn span(&mut self, span: Option<&Range<f64>>) {
        for value in [span.map(|s| s.low), span.map(|s| s.expected), span.map(|s| s.high)] {
            self.ratio(value);
        }
    }

    fn work(&mut self, work: &LayerWork) {
        self.figure(work.macs);
        self.ratio(work.macs_percent);
        self.figure(work.flops);
        self.figure(work.other_flops);
        self.figure(work.bytes_moved);
        self.ratio(work.intensity);
        for field in FORMULAS {
            self.word(work.formula.get(field).map(String::as_str).unwrap_or_default());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use calipers_report::Layer;

    fn line(node: &str) -> String {
        let layer = Layer { node: node.to_owned(), op: "Add".to_owned(), ..Layer::default() };
        let table = LayerTable { layers: vec![layer], ..LayerTable::default() };
        layers_to_csv(&table).lines().nth(1).unwrap().to_owned()
    }

    #[test]
    fn what_would_break_a_line_is_quoted() {
        assert!(line("plain/name.0").starts_with("0,plain/name.0,Add,"));
        assert!(line("a,b").starts_with("0,\"a,b\",Add,"));
        assert!(line("a\"b").starts_with("0,\"a\"\"b\",Add,"));
        assert!(line("a\nb").starts_with(r"0,a\nb,Add,"), "a line break is an escape");
    }

    #[test]
    fn what_a_spreadsheet_would_run_is_made_harmless() {
        for text in ["=1+1", "+1", "-1", "@SUM(A1)", " =1", "\"=1"] {
            let line = line(text);
            assert!(line.starts_with("0,'") || line.starts_with("0,\"'"), "{line}");
        }
        assert!(line("\t=1").starts_with(r"0,\t=1,"), "a tab is an escape");
        assert!(line("a=b").starts_with("0,a=b,"));
    }

    #[test]
    fn key_figures_are_in_the_columns_of_their_names() {
        // The JSON has every field under its own name, so the two must agree.
        let mut model = KeyFigures { path: "a.onnx".into(), ..KeyFigures::default() };
        (model.macs, model.infos, model.latency_ms) = (Some(7), Some(3), Some(1.5));
        (model.kind, model.lower_bound) = (Some(ModelKind::Cnn), Some(false));
        let sheet = figures_to_csv(std::slice::from_ref(&model));
        let lines: Vec<Vec<&str>> = sheet.lines().map(|line| line.split(',').collect()).collect();
        let json = serde_json::to_value(&model).unwrap();
        assert_eq!(lines[0].len(), json.as_object().unwrap().len());
        for (name, cell) in lines[0].iter().zip(&lines[1]) {
            let told = match &json[name] {
                serde_json::Value::Null => String::new(),
                serde_json::Value::String(text) => text.clone(),
                other => other.to_string(),
            };
            assert_eq!(*cell, told, "{name}");
        }
    }

    #[test]
    fn every_line_has_a_cell_for_each_column() {
        let headings = layers_to_csv(&LayerTable::default());
        assert_eq!(headings.matches(',').count(), line("x").matches(',').count());
        assert_eq!(headings.trim_end().split(',').count(), 8 + WORK.len() + 1);
    }
}
