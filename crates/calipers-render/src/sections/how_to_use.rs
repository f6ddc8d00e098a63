//! How to run the model: a Python program for ONNX Runtime with the real names, types and shapes.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use calipers_report::{Binding, DType, DataStatus, Dimension, Port, Report, ValueKind};

use super::context::Context;
use super::wording::joined;
use crate::document::Block;
use crate::table::Value;
use crate::text::{self, Charset};
use crate::value::Spans;

/// Inputs that the program may list; of a model with more, no program is written.
const INPUTS: usize = 64;
/// Inputs with numbered names that are written as one line.
const NUMBERED: usize = 3;
/// Characters of a name that is written out; a longer one is looked up by its position.
const NAME: usize = 120;
/// Data files and domains that a note names.
const NAMED: usize = 6;

/// Operator domains that ONNX Runtime implements.
const BUILT_IN: [&str; 9] = [
    "",
    "ai.onnx",
    "ai.onnx.ml",
    "ai.onnx.training",
    "ai.onnx.preview",
    "ai.onnx.preview.training",
    "com.microsoft",
    "com.microsoft.nchwc",
    "com.ms.internal.nhwc",
];
/// The domain of the `onnxruntime-extensions` package.
const EXTENSIONS: &str = "ai.onnx.contrib";

pub(super) fn build(context: &mut Context<'_>) -> Vec<Block> {
    let report = context.report;
    // The program is for ONNX Runtime.
    if report.graph.outputs.is_empty() || !report.model.format.is_onnx() {
        return vec![];
    }
    let custom = custom_domains(report);
    let mut packages = "pip install onnxruntime numpy".to_owned();
    if custom.contains(&EXTENSIONS) {
        packages += " onnxruntime-extensions";
    }
    let install = Spans::plain("Install the runtime with ")
        .and_value(Value::name(packages))
        .and_text(". The inputs are placeholders: replace them with real data.");
    let mut blocks = vec![];
    match program(report, &custom) {
        Ok(text) => {
            blocks.push(Block::Paragraph(install));
            blocks.push(Block::Code { language: "python", text });
        }
        Err(why) => blocks.push(Block::Paragraph(why)),
    }
    blocks.push(Block::list(notes(report, &custom)));
    blocks
}

/// Domains of operators that neither ONNX Runtime nor the file itself defines.
fn custom_domains(report: &Report) -> Vec<&str> {
    let graph = &report.graph;
    let is_local = |op: &str, domain: &str| {
        graph.local_functions.iter().any(|local| local.name == op && local.domain == domain)
    };
    let mut domains: Vec<&str> = graph
        .operators_total
        .iter()
        .filter(|operator| !BUILT_IN.contains(&operator.domain.as_str()))
        .filter(|operator| !is_local(&operator.op, &operator.domain))
        .map(|operator| operator.domain.as_str())
        .collect();
    domains.sort_unstable();
    domains.dedup();
    domains
}

/// What must be there before the program runs, and what may be changed in it.
fn notes(report: &Report, custom: &[&str]) -> Vec<Spans> {
    let mut notes = vec![];
    let is_free = |name: &str| !matches!(report.bindings.get(name), Some(Binding::Size(_)));
    if report.graph.inputs.iter().flat_map(symbols).any(is_free) {
        notes.push("Free dimensions have their assumed sizes; other sizes work too.".into());
    }
    let is_missing = |status| matches!(status, DataStatus::Missing | DataStatus::Refused);
    if let Some((files, is_one)) = data_files(report, is_missing) {
        notes.push(files.and_text(match is_one {
            true => " is missing: put it next to the model before running.",
            false => " are missing: put them next to the model before running.",
        }));
    }
    if let Some((files, is_one)) = data_files(report, |status| !is_missing(status)) {
        notes.push(Spans::plain("Keep ").and_all(files).and_text(match is_one {
            true => " next to the model: it holds the weights.",
            false => " next to the model: they hold the weights.",
        }));
    }
    let others = custom.iter().filter(|domain| **domain != EXTENSIONS).take(NAMED);
    if let Some(domains) = joined(others.map(|domain| Value::name(*domain).into()).collect(), ", ")
    {
        let words = Spans::plain("ONNX Runtime has no operators of the domain ").and_all(domains);
        notes.push(
            words
                .and_text(": build their library and register it with ")
                .and_value(Value::name("SessionOptions.register_custom_ops_library"))
                .and_text("."),
        );
    }
    notes
}

/// Data files of a status by name, and whether there is just one.
fn data_files(report: &Report, is: impl Fn(DataStatus) -> bool) -> Option<(Spans, bool)> {
    let files = report.model.data_files.iter().filter(|file| is(file.status));
    let mut names: Vec<Spans> = files.map(|file| Value::name(&file.location).into()).collect();
    let is_one = names.len() == 1;
    if names.len() > NAMED {
        names.truncate(NAMED - 1);
        names.push("others".into());
    }
    Some((joined(names, ", ")?, is_one))
}

fn symbols(port: &Port) -> impl Iterator<Item = &str> {
    port.shape.iter().flatten().filter_map(|dim| match dim {
        Dimension::Symbol(name) => Some(name.as_str()),
        _ => None,
    })
}

/// The size of each dimension that has one, set or assumed.
fn sizes(report: &Report) -> BTreeMap<&str, i64> {
    let assumed = report.assumptions.iter().filter_map(|assumption| {
        let name = assumption.what.strip_prefix("dimension ")?;
        Some((name, assumption.value.parse().ok()?))
    });
    let bound = report.bindings.iter().filter_map(|(name, binding)| match binding {
        Binding::Size(size) => Some((name.as_str(), *size)),
        Binding::Free(_) => None,
    });
    assumed.chain(bound).collect()
}

/// The program, or why there is none.
fn program(report: &Report, custom: &[&str]) -> Result<String, Spans> {
    let inputs = &report.graph.inputs;
    if inputs.len() > INPUTS && entries(report)?.len() > INPUTS {
        return Err("The model has too many inputs to list in a program.".into());
    }
    let mut code = "import numpy as np\nimport onnxruntime as ort\n".to_owned();
    let mut options = "";
    if custom.contains(&EXTENSIONS) {
        code.push_str("from onnxruntime_extensions import get_library_path\n");
    }
    code.push('\n');
    if !custom.is_empty() {
        code.push_str("options = ort.SessionOptions()\n");
        for domain in custom {
            let library = match *domain == EXTENSIONS {
                true => "get_library_path()",
                false => "\"libcustom_ops.so\"",
            };
            // Writing to a String does not fail.
            let _ = writeln!(code, "options.register_custom_ops_library({library})");
        }
        options = "options, ";
    }
    let file = literal(&report.model.file);
    let _ = writeln!(
        code,
        "session = ort.InferenceSession({file}, {options}providers=[\"CPUExecutionProvider\"])"
    );
    let entries = entries(report)?;
    if entries.iter().any(|entry| entry.contains("rng.")) {
        code.push_str("rng = np.random.default_rng(0)\n");
    }
    code.push_str("inputs = {\n");
    for entry in entries {
        let _ = writeln!(code, "    {entry},");
    }
    code.push_str("}\noutputs = session.run(None, inputs)\n");
    code.push_str("for output, value in zip(session.get_outputs(), outputs):\n");
    let is_tensor = |port: &Port| port.kind == ValueKind::Tensor;
    code.push_str(match report.graph.outputs.iter().all(is_tensor) {
        true => "    print(output.name, value.dtype, value.shape)\n",
        false => "    print(output.name, output.type, getattr(value, \"shape\", type(value)))\n",
    });
    let sizes = sizes(report);
    for output in report.graph.outputs.iter().take(INPUTS) {
        let shape = output.inferred.as_ref().or(output.shape.as_ref());
        if let (Some(dtype), Some(shape), true) = (output.dtype, shape, is_tensor(output)) {
            let name =
                text::truncate(&text::name(&output.name, Charset::Ascii), 60, Charset::Ascii);
            let name = name.replace('`', "'");
            let _ = writeln!(code, "# {name} {dtype} {}", known_shape(shape, &sizes));
        }
    }
    Ok(code)
}

/// The lines of the dictionary of inputs, those with numbered names together.
fn entries(report: &Report) -> Result<Vec<String>, Spans> {
    let inputs = &report.graph.inputs;
    let sizes = sizes(report);
    let values: Vec<String> =
        inputs.iter().map(|port| value(port, &sizes)).collect::<Result<_, _>>()?;
    let mut lines = vec![];
    let mut is_written = vec![false; inputs.len()];
    for (i, port) in inputs.iter().enumerate() {
        if is_written[i] {
            continue;
        }
        if let Some(numbered) = Numbered::find(i, inputs, &values) {
            numbered.members.iter().for_each(|member| is_written[*member] = true);
            lines.push(numbered.line(&values[i]));
            continue;
        }
        let key = match is_long(&port.name) {
            true => format!("session.get_inputs()[{i}].name"),
            false => literal(&port.name),
        };
        lines.push(format!("{key}: {}", values[i]));
    }
    Ok(lines)
}

fn is_long(name: &str) -> bool {
    name.chars().count() > NAME
}

/// Inputs whose names differ in one number, counted up from the first, and whose values are alike.
struct Numbered<'a> {
    before: &'a str,
    after: &'a str,
    first: u64,
    members: Vec<usize>,
}

impl<'a> Numbered<'a> {
    fn find(start: usize, inputs: &'a [Port], values: &[String]) -> Option<Self> {
        let (before, first, after) = split(&inputs[start].name)?;
        if is_long(&inputs[start].name) {
            return None;
        }
        let mut members = vec![start];
        for (i, port) in inputs.iter().enumerate().skip(start + 1) {
            let next = first + u64::try_from(members.len()).ok()?;
            if split(&port.name) == Some((before, next, after)) && values[i] == values[start] {
                members.push(i);
            }
        }
        (members.len() >= NUMBERED).then_some(Self { before, after, first, members })
    }

    fn line(&self, value: &str) -> String {
        let last = self.first + u64::try_from(self.members.len()).unwrap_or(0);
        let range = match self.first {
            0 => format!("range({last})"),
            first => format!("range({first}, {last})"),
        };
        let braced = |text: &str| escaped(text).replace('{', "{{").replace('}', "}}");
        let name = format!("f\"{}{{i}}{}\"", braced(self.before), braced(self.after));
        format!("**{{{name}: {value} for i in {range}}}")
    }
}

/// A name around its first number.
fn split(name: &str) -> Option<(&str, u64, &str)> {
    let start = name.find(|c: char| c.is_ascii_digit())?;
    let length = name[start..].find(|c: char| !c.is_ascii_digit());
    let end = length.map_or(name.len(), |length| start + length);
    let digits = &name[start..end];
    let is_plain = digits == "0" || !digits.starts_with('0');
    Some((&name[..start], digits.parse().ok().filter(|_| is_plain)?, &name[end..]))
}

/// A NumPy expression for an input, or why there is none.
fn value(port: &Port, sizes: &BTreeMap<&str, i64>) -> Result<String, Spans> {
    let none = |why: String| {
        Err(Spans::plain("No program is given: the input ")
            .and_value(Value::name(&port.name))
            .and_text(why))
    };
    if port.kind != ValueKind::Tensor {
        return none(format!(" is not a tensor but a {}.", port.kind.display_name()));
    }
    let Some(shape) = &port.shape else { return none(" has no stated shape.".to_owned()) };
    let shape = python_shape(shape, sizes);
    Ok(match port.dtype {
        Some(DType::Float32) => format!("rng.random({shape}, dtype=np.float32)"),
        Some(DType::Float64) => format!("rng.random({shape})"),
        Some(DType::Float16) => format!("rng.random({shape}).astype(np.float16)"),
        Some(DType::Bool) => format!("np.ones({shape}, dtype=np.bool_)"),
        Some(DType::String) => format!("np.full({shape}, \"text\", dtype=object)"),
        Some(
            dtype @ (DType::Int8
            | DType::Int16
            | DType::Int32
            | DType::Int64
            | DType::Uint8
            | DType::Uint16
            | DType::Uint32
            | DType::Uint64),
        ) => format!("np.ones({shape}, dtype=np.{dtype})"),
        Some(dtype) => return none(format!(" is {dtype}, which NumPy has no type for.")),
        None => return none(" has no stated type.".to_owned()),
    })
}

/// The shape of an input as a Python tuple; a dimension without a size is 1.
fn python_shape(shape: &[Dimension], sizes: &BTreeMap<&str, i64>) -> String {
    let dim = |dim: &Dimension| size(dim, sizes).unwrap_or(1).to_string();
    tuple(&shape.iter().map(dim).collect::<Vec<_>>())
}

/// The shape of an output in the same form; a dimension without a size is named.
fn known_shape(shape: &[Dimension], sizes: &BTreeMap<&str, i64>) -> String {
    let dim = |dim: &Dimension| match (size(dim, sizes), dim) {
        (Some(size), _) => size.to_string(),
        (None, Dimension::Symbol(name)) => {
            let name = text::truncate(&text::name(name, Charset::Ascii), 40, Charset::Ascii);
            name.replace('`', "'")
        }
        (None, _) => "?".to_owned(),
    };
    tuple(&shape.iter().map(dim).collect::<Vec<_>>())
}

fn size(dim: &Dimension, sizes: &BTreeMap<&str, i64>) -> Option<i64> {
    match dim {
        Dimension::Size(size) => Some(*size),
        Dimension::Symbol(name) => sizes.get(name.as_str()).copied(),
        Dimension::Unknown => None,
    }
}

fn tuple(dims: &[String]) -> String {
    match dims {
        [one] => format!("({one},)"),
        dims => format!("({})", dims.join(", ")),
    }
}

/// A text as a Python string, in ASCII.
fn literal(text: &str) -> String {
    format!("\"{}\"", escaped(text))
}

/// What is between the quotes of a Python string.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '"' | '\\' => {
                safe.push('\\');
                safe.push(c);
            }
            // A fence of Markdown is made of these.
            '`' => _ = write!(safe, "\\x{:02x}", u32::from(c)),
            ' '..='~' => safe.push(c),
            c if u32::from(c) < 0x100 => _ = write!(safe, "\\x{:02x}", u32::from(c)),
            c if u32::from(c) < 0x1_0000 => _ = write!(safe, "\\u{:04x}", u32::from(c)),
            c => _ = write!(safe, "\\U{:08x}", u32::from(c)),
        }
    }
    safe
}

#[cfg(test)]
mod tests {
    use calipers_report::Assumption;

    use super::super::context::Detail;
    use super::*;

    fn port(name: &str, dtype: DType, shape: &[Dimension]) -> Port {
        Port {
            name: name.to_owned(),
            kind: ValueKind::Tensor,
            dtype: Some(dtype),
            shape: Some(shape.to_vec()),
            ..Port::default()
        }
    }

    fn report(inputs: Vec<Port>) -> Report {
        let mut report = Report::default();
        report.model.file = "a \"b\"`.onnx".to_owned();
        report.graph.inputs = inputs;
        report.graph.outputs = vec![port("y", DType::Float32, &[symbol("n"), Dimension::Size(2)])];
        report.assumptions.push(Assumption {
            what: "dimension n".to_owned(),
            value: "7".to_owned(),
            why: String::new(),
        });
        report
    }

    fn symbol(name: &str) -> Dimension {
        Dimension::Symbol(name.to_owned())
    }

    #[test]
    fn inputs_have_their_names_types_and_sizes() {
        let text = program(
            &report(vec![
                port("x", DType::Float32, &[symbol("n"), Dimension::Size(3)]),
                port("half", DType::Float16, &[Dimension::Size(4)]),
                port("ids", DType::Int64, &[Dimension::Unknown]),
                port("flag", DType::Bool, &[]),
                port("words", DType::String, &[symbol("n")]),
            ]),
            &[],
        )
        .unwrap();
        for line in [
            r#"session = ort.InferenceSession("a \"b\"\x60.onnx", providers="#,
            r#"    "x": rng.random((7, 3), dtype=np.float32),"#,
            r#"    "half": rng.random((4,)).astype(np.float16),"#,
            r#"    "ids": np.ones((1,), dtype=np.int64),"#,
            r#"    "flag": np.ones((), dtype=np.bool_),"#,
            r#"    "words": np.full((7,), "text", dtype=object),"#,
            "# y float32 (7, 2)",
        ] {
            assert!(text.contains(line), "{line} is not in\n{text}");
        }
    }

    #[test]
    fn numbered_inputs_are_one_line() {
        let cache = |i: usize| port(&format!("past.{i}.key"), DType::Float32, &[symbol("n")]);
        let mut inputs: Vec<Port> = (0..4).map(cache).collect();
        inputs.push(port("past.9.key", DType::Float32, &[symbol("n")]));
        let text = program(&report(inputs), &[]).unwrap();
        let line = r#"**{f"past.{i}.key": rng.random((7,), dtype=np.float32) for i in range(4)},"#;
        assert!(text.contains(line) && text.contains(r#""past.9.key": "#), "{text}");
    }

    #[test]
    fn hostile_names_stay_inside_their_string() {
        for hostile in ["```\nimport os", "\"}); x(\"", "a\u{2028}b", "\u{1f600}", "{__import__}"] {
            let text = program(&report(vec![port(hostile, DType::Float32, &[])]), &[]).unwrap();
            assert!(text.is_ascii() && !text.contains("```"), "{text}");
            assert_eq!(text.lines().filter(|line| line.contains("import")).count(), {
                2 + usize::from(hostile.contains("import"))
            });
        }
        let long = program(&report(vec![port(&"x".repeat(5000), DType::Float32, &[])]), &[]);
        assert!(long.unwrap().contains("session.get_inputs()[0].name: "));
    }

    #[test]
    fn what_cannot_be_written_has_a_reason() {
        let mut other = port("s", DType::Float32, &[]);
        other.kind = ValueKind::Sequence;
        for (input, words) in [
            (other, "is not a tensor but a sequence"),
            (port("b", DType::Bfloat16, &[]), "is bfloat16"),
        ] {
            let report = report(vec![input]);
            let blocks = build(&mut Context::new(&report, Detail::Full));
            let section = crate::document::Section::new("x", "X", blocks);
            assert!(crate::markdown::section(&section, &[]).contains(words));
        }
    }

    #[test]
    fn custom_operators_are_registered() {
        let mut report = report(vec![]);
        for (op, domain) in [("Trim", EXTENSIONS), ("Own", "my.ops"), ("Relu", "ai.onnx")] {
            report.graph.operators_total.push(calipers_report::OperatorCount {
                op: op.to_owned(),
                domain: domain.to_owned(),
                count: 1,
                percent: 50.0,
            });
        }
        let custom = custom_domains(&report);
        assert_eq!(custom, [EXTENSIONS, "my.ops"]);
        let text = program(&report, &custom).unwrap();
        assert!(text.contains("register_custom_ops_library(get_library_path())"), "{text}");
        assert!(text.contains("InferenceSession(\"a \\\"b\\\"\\x60.onnx\", options, "), "{text}");
    }
}
