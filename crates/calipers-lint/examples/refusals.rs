//! Writes one model per error rule to a folder, for `scripts/refusals`.
//!
//! ```text
//! cargo run -p calipers-lint --example refusals -- FOLDER
//! ```
//!
//! Each model is `RULE/model.onnx` or `RULE-CASE/model.onnx` below the folder, next to its data file
//! if it has one. The list of error rules is printed, one id per line.
#![allow(clippy::print_stdout, reason = "the ids are its output")]

use std::fs;
use std::io::Write;
use std::path::Path;

use calipers_report::Severity;
use calipers_samples::DataType::{F16, F32, I8, U8};
use calipers_samples::{ModelBuilder, Tensor};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let folder = std::env::args_os().nth(1).ok_or("usage: refusals FOLDER")?;
    let folder = Path::new(&folder);
    for (name, bytes) in models() {
        let own = folder.join(name);
        fs::create_dir_all(&own)?;
        fs::write(own.join("model.onnx"), bytes)?;
        fs::write(own.join("weights.bin"), [0; 24])?;
    }
    // A file that an unsafe path reaches.
    fs::write(folder.join("outside.bin"), [0; 24])?;
    over_2gb(&folder.join("model-over-2gb"))?;
    let errors = calipers_lint::rules().into_iter().filter(|rule| rule.severity == Severity::Error);
    // Pickles are loaded by other programs.
    for rule in errors.filter(|rule| rule.id != "pickle-imports") {
        println!("{}", rule.id);
    }
    Ok(())
}

/// A model for each error rule, or for each of its cases.
fn models() -> Vec<(&'static str, Vec<u8>)> {
    let relu = |output: &str| {
        let mut model = ModelBuilder::new(17);
        model.input("x", F32, &["1"]).output(output, F32, &["1"]);
        model.node("Relu", &["x"], &["y"], &[]);
        model
    };
    let mut twice = relu("y");
    twice.node("Neg", &["x"], &["y"], &[]);
    let mut cycle = ModelBuilder::new(17);
    cycle.input("x", F32, &["1"]).output("y", F32, &["1"]);
    cycle.node("Add", &["x", "b"], &["a"], &[]).node("Relu", &["a"], &["b"], &[]);
    cycle.node("Neg", &["b"], &["y"], &[]);
    let mut shapes = ModelBuilder::new(17);
    shapes.input("a", F32, &["2", "3"]).input("b", F32, &["4", "5"]).output("y", F32, &["2", "5"]);
    shapes.node("MatMul", &["a", "b"], &["y"], &[]);
    let mut reshape = ModelBuilder::new(17);
    reshape.input("a", F32, &["2", "3"]).output("y", F32, &["2", "5"]);
    reshape.initializer(&Tensor::i64("shape", &[2], &[2, 5]));
    reshape.node("Reshape", &["a", "shape"], &["y"], &[]);
    let mut types = ModelBuilder::new(17);
    types.input("a", F16, &["2"]).input("b", F32, &["2"]).output("y", F32, &["2"]);
    types.node("Sub", &["a", "b"], &["y"], &[]);
    let mut input = ModelBuilder::new(17);
    input.input("x", F32, &["1"]).output("y", F32, &["1"]);
    input.node("Add", &["x", "bias"], &["y"], &[]);
    vec![
        ("duplicate-name", twice.build()),
        ("graph-cycle", cycle.build()),
        ("shapes-contradict", shapes.build()),
        ("shapes-contradict-reshape", reshape.build()),
        ("shapes-contradict-types", types.build()),
        ("tensor-data", stored(&[4], 7)),
        ("tensor-data-long", stored(&[4], 20)),
        ("tensor-data-absent", stored(&[4], 0)),
        ("tensor-size", stored(&[1 << 62, 4], 0)),
        ("tensor-size-negative", stored(&[-1], 0)),
        ("undefined-input", input.build()),
        ("undefined-output", relu("scores").build()),
        ("zero-point-wrong", dequantized(&Tensor::raw("zero", U8, &[2], &[128, 128]))),
        ("zero-point-wrong-count", dequantized(&Tensor::raw("zero", I8, &[1], &[0]))),
        ("external-data-range", external("weights.bin", 20, 8)),
        ("external-data-range-length", external("weights.bin", 0, 9)),
        ("external-data-refused", external("../outside.bin", 0, 8)),
        ("external-data-refused-absolute", external("/etc/hostname", 0, 8)),
        ("external-data-refused-url", external("https://example.org/w.bin", 0, 8)),
    ]
}

/// A stored tensor with these dimensions and this many bytes of data.
fn stored(dims: &[i64], bytes: usize) -> Vec<u8> {
    let mut model = ModelBuilder::new(17);
    model.initializer(&Tensor::raw("w", F32, dims, &vec![0; bytes]));
    model.node("Relu", &["w"], &["y"], &[]).output("y", F32, &["?"]).build()
}

/// Dequantized int8 weights with two scales and this zero point.
fn dequantized(zero: &Tensor) -> Vec<u8> {
    let mut model = ModelBuilder::new(17);
    model.input("x", F32, &["1", "2"]).output("y", F32, &["1", "2"]).initializer(zero);
    model.initializer(&Tensor::raw("w", I8, &[2, 2], &[1; 4]));
    model.initializer(&Tensor::f32("scale", &[2], &[0.1, 0.1]));
    model.node("DequantizeLinear", &["w", "scale", "zero"], &["f"], &[]);
    model.node("MatMul", &["x", "f"], &["y"], &[]).build()
}

/// A tensor of two floats at this place of a data file.
fn external(location: &str, offset: u64, length: u64) -> Vec<u8> {
    let mut model = ModelBuilder::new(17);
    model.initializer(&Tensor::external("w", F32, &[2], location, Some(offset), Some(length)));
    model.node("Relu", &["w"], &["y"], &[]).output("y", F32, &["2"]).build()
}

/// A sparse file with one tensor, 2 GiB in total.
fn over_2gb(folder: &Path) -> std::io::Result<()> {
    // graph { initializer { raw_data } }: three tags with a length of five bytes each.
    let total: u64 = 1 << 31;
    let data = total - 18;
    let mut head = vec![0x3a];
    head.extend(varint(data + 12));
    head.push(0x2a);
    head.extend(varint(data + 6));
    head.push(0x4a);
    head.extend(varint(data));
    fs::create_dir_all(folder)?;
    let mut file = fs::File::create(folder.join("model.onnx"))?;
    file.write_all(&head)?;
    file.set_len(total)
}

/// Encodes a length as a protobuf varint.
#[expect(clippy::cast_possible_truncation, reason = "seven bits are left")]
fn varint(mut value: u64) -> Vec<u8> {
    let mut bytes = Vec::new();
    while value >= 0x80 {
        bytes.push((value & 0x7f) as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
    bytes
}
