//! Names of figures: `macs`, `latency@l4`, `bytes:float32`, `metric:accuracy`.

use calipers_report::suggestions::nearest;
use calipers_report::{DType, FigureKind};

use super::parse::{Part, did_you_mean};
use super::{Figure, GateError};

/// Other names of figures.
const ALIASES: [(&str, FigureKind); 14] = [
    ("bytes-read", FigureKind::Moved),
    ("filesize", FigureKind::FileSize),
    ("kv", FigureKind::KvCache),
    ("mac", FigureKind::Macs),
    ("moved", FigureKind::Moved),
    ("node", FigureKind::Nodes),
    ("param", FigureKind::Parameters),
    ("params", FigureKind::Parameters),
    ("peak", FigureKind::Peak),
    ("peak-activation-memory", FigureKind::Peak),
    ("peak-activations", FigureKind::Peak),
    ("peak-memory", FigureKind::Peak),
    ("size", FigureKind::FileSize),
    ("weight-bytes", FigureKind::Weights),
];

/// Names that are not figures, and what to write instead.
const INSTEAD: [(&str, &str); 9] = [
    ("drop-in", "write `drop-in`"),
    ("fits", "write `memory@DEVICE <= 24GB`"),
    ("flop", "a MAC is two FLOPs: write `macs`"),
    ("flops", "a MAC is two FLOPs: write `macs`"),
    ("gflops", "a MAC is two FLOPs: write `macs`"),
    ("gmacs", "write `macs` and a number such as `4.3G`"),
    ("graph", "write `graph unchanged`"),
    ("interface", "write `interface compatible`"),
    ("throughput", "write `latency`"),
];

/// Returns a name as ids are written: in lower case, with hyphens.
pub(super) fn folded(name: &str) -> String {
    name.trim().to_lowercase().replace(['_', ' '], "-")
}

/// Returns the figure with this name, in the form of [`folded`].
pub(super) fn kind(name: &str) -> Option<FigureKind> {
    let alias = || ALIASES.iter().find(|(alias, _)| *alias == name).map(|(_, kind)| *kind);
    name.parse().ok().or_else(alias)
}

/// Returns what to write instead of a name that is not a figure.
pub(super) fn instead(name: &str) -> Option<String> {
    let known = || {
        let ids = FigureKind::ALL.iter().map(|kind| kind.id());
        ids.chain(ALIASES.iter().map(|(alias, _)| *alias))
    };
    let fixed = INSTEAD.iter().find(|(wrong, _)| *wrong == name).map(|(_, hint)| *hint);
    fixed.map(str::to_owned).or_else(|| nearest(name, known()).map(did_you_mean))
}

/// Parses the name of a figure.
pub(super) fn parse(left: Part<'_>) -> Result<Figure, GateError> {
    let is_part = |c: char| c.is_alphanumeric() || " -_.:@/()".contains(c);
    if let Some((at, c)) = left.text.char_indices().find(|(_, c)| !is_part(*c)) {
        let place = left.split_at(at).1.split_at(c.len_utf8()).0;
        return Err(place.error(format!("{} is not part of a name", place.quoted()), None));
    }
    let Some((head, separator, tail)) = left.split_once(['@', ':']) else {
        return plain(left);
    };
    let name = folded(head.text);
    let kind = match kind(&name) {
        Some(kind) => kind,
        None => {
            let hint = instead(&name);
            return Err(head.error(format!("unknown figure {}", head.quoted()), hint));
        }
    };
    if tail.text.is_empty() {
        let expected = if separator == '@' { "a device" } else { "a name" };
        return Err(tail.error(format!("expected {expected} after `{separator}`"), None));
    }
    let subject = match (kind, separator) {
        (FigureKind::Latency | FigureKind::Memory, '@') => device(tail)?,
        (FigureKind::Latency | FigureKind::Memory, _) => {
            let hint = format!("write `{}@{}`", kind.id(), tail.text);
            return Err(left.error("a device follows `@`", Some(hint)));
        }
        (FigureKind::BytesByType, ':') => dtype(tail)?,
        (FigureKind::Metric, ':') => tail.text.to_owned(),
        (_, '@') => {
            let hint = "only `latency` and `memory` depend on a device".to_owned();
            return Err(left.error(format!("{} takes no device", head.quoted()), Some(hint)));
        }
        _ => {
            let message = format!("{} takes no `:`", head.quoted());
            return Err(left.error(message, Some(format!("write `{}`", kind.id()))));
        }
    };
    Ok(Figure { kind, subject: Some(subject) })
}

/// Parses a name without a device, type or metric. A name that is near none of ours is a metric.
fn plain(left: Part<'_>) -> Result<Figure, GateError> {
    let name = folded(left.text);
    match kind(&name) {
        Some(FigureKind::BytesByType) => {
            let hint = "write `bytes:float32`, `weights` or `file-size`".to_owned();
            Err(left.error("`bytes` needs a type", Some(hint)))
        }
        Some(FigureKind::Metric) => {
            let hint = "write `metric:accuracy`".to_owned();
            Err(left.error("`metric` needs the name of a metric", Some(hint)))
        }
        Some(kind) => Ok(Figure { kind, subject: None }),
        None => match instead(&name) {
            Some(hint) => Err(left.error(format!("unknown figure {}", left.quoted()), Some(hint))),
            None => Ok(Figure { kind: FigureKind::Metric, subject: Some(left.text.to_owned()) }),
        },
    }
}

fn device(tail: Part<'_>) -> Result<String, GateError> {
    match tail.text.find(['@', ':']) {
        Some(at) => {
            let place = tail.split_at(at).1.split_at(1).0;
            Err(place.error(format!("{} is not part of a device", place.quoted()), None))
        }
        None => Ok(folded(tail.text)),
    }
}

/// Parses a type of elements, by its name in ONNX or in short.
fn dtype(tail: Part<'_>) -> Result<String, GateError> {
    let name = tail.text.to_lowercase();
    let long = match name.as_str() {
        "fp32" | "float" => "float32",
        "fp16" | "half" => "float16",
        "fp64" | "double" => "float64",
        "bf16" => "bfloat16",
        other => other,
    };
    match long.parse::<DType>() {
        Ok(DType::Unknown(_)) | Err(_) => {
            let names: Vec<String> = (1..64)
                .map(DType::from_onnx)
                .filter(|dtype| !matches!(dtype, DType::Unknown(_)))
                .map(|dtype| dtype.to_string())
                .collect();
            let near = nearest(&name, names.iter().map(String::as_str)).map(did_you_mean);
            let hint = near.unwrap_or_else(|| "write `bytes:float32`".to_owned());
            Err(tail.error(format!("unknown type {}", tail.quoted()), Some(hint)))
        }
        Ok(dtype) => Ok(dtype.to_string()),
    }
}
