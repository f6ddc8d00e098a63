//! Random graphs: the program's peaks and costs at sizes that are bound, for the page to find from the formulas that it
//! has at other sizes.

use std::collections::BTreeMap;

use calipers::{Bindings, HardwareQuery, Model, Options};
use calipers_render::page;
use calipers_samples::{Attribute, DataType, ModelBuilder, Tensor};
use serde_json::{Value, json};

use crate::page_data;
use crate::random::Random;

const GRAPHS: usize = 1200;

/// A value with its type.
#[derive(Clone)]
struct Made {
    name: String,
    dtype: DataType,
    shape: Vec<&'static str>,
}

pub(crate) fn cases(random: &mut Random) -> Vec<Value> {
    let question = HardwareQuery { table: Vec::new(), ..HardwareQuery::default() };
    let mut cases = Vec::new();
    while cases.len() < GRAPHS {
        let file = model(random);
        let model = Model::read(file, "graph").unwrap();
        let (base, view) = model.explore(&Options::new().hardware(question.clone())).unwrap();
        let data = page_data(&page::graph(&base, &view));
        // One in eight graphs is so large that sums pass 64 bits.
        let large = random.once_in(8);
        let mut dims = BTreeMap::new();
        let mut chosen = serde_json::Map::new();
        for size_control in &view.sizes.size_controls {
            let size = if large { 1 << (20 + random.below(21)) } else { 2 + random.below(200) };
            chosen.insert(size_control.name.clone(), size.into());
            for name in size_control.dims.keys() {
                dims.insert(name.clone(), i64::try_from(size).unwrap());
            }
        }
        let bindings = Bindings { dims, ..Bindings::default() };
        let report = model.analyze(&Options::new().bindings(bindings)).unwrap();
        let memory = &report.memory;
        let figure = |value: Option<u64>| value.map(|value| value.to_string());
        let names: Vec<&str> = view.nodes.iter().map(|node| node.name.as_str()).collect();
        let peak_at = memory.peak_at.as_deref();
        cases.push(json!({
            "about": "graph", "sizes": data["sizes"], "main": data["main"], "cost": data["cost"],
            "chosen": chosen,
            "peak": figure(memory.peak_activation_bytes),
            "in_place": figure(memory.peak_activation_in_place_bytes),
            "peak_at": peak_at.and_then(|at| names.iter().position(|name| *name == at)),
            "timeline": memory.timeline.iter().map(u64::to_string).collect::<Vec<_>>(),
            "macs": figure(report.cost.macs), "other_flops": figure(report.cost.other_flops),
            "bytes_moved": figure(report.cost.bytes_moved),
        }));
    }
    cases
}

/// A graph of up to twenty nodes that keep, view, overwrite, join and multiply values.
fn model(random: &mut Random) -> Vec<u8> {
    let shapes: [&[&str]; 4] =
        [&["batch", "8"], &["batch", "seq", "8"], &["seq", "8"], &["8", "8"]];
    let mut builder = ModelBuilder::new(17);
    let mut values = Vec::new();
    for number in 0..1 + random.below(3) {
        let made = Made {
            name: format!("input{number}"),
            dtype: random.pick(&[DataType::F32, DataType::F16, DataType::F64]),
            shape: if number == 0 { shapes[0] } else { random.pick(&shapes) }.to_vec(),
        };
        builder.input(&made.name, made.dtype, &made.shape);
        values.push(made);
    }
    for dtype in [DataType::F32, DataType::F16, DataType::F64] {
        let bytes = vec![
            0;
            64 * if dtype == DataType::F64 {
                8
            } else if dtype == DataType::F32 {
                4
            } else {
                2
            }
        ];
        builder.initializer(&Tensor::raw(&format!("weights{dtype:?}"), dtype, &[8, 8], &bytes));
    }
    builder.initializer(&Tensor::i64("last", &[1], &[-1]));
    for number in 0..random.below(20) {
        let made = node(random, &mut builder, &values, number);
        values.push(made);
    }
    // Some values are read by nothing.
    for made in values.iter().rev().take(1 + random.index(3)) {
        builder.output(&made.name, made.dtype, &made.shape);
    }
    builder.build()
}

fn node(random: &mut Random, builder: &mut ModelBuilder, values: &[Made], number: u64) -> Made {
    // Recent values more often, so that older ones end.
    let recent = values.len().min(4);
    let input = match random.once_in(4) {
        true => &values[random.index(values.len())],
        false => &values[values.len() - 1 - random.index(recent)],
    };
    let mut made = Made { name: format!("value{number}"), ..input.clone() };
    let output = [made.name.as_str()];
    let from = input.name.as_str();
    match random.below(8) {
        0 => _ = builder.node("Identity", &[from], &output, &[]),
        1 => {
            let other =
                values.iter().filter(|it| it.shape == input.shape && it.dtype == input.dtype);
            let other: Vec<&Made> = other.collect();
            let other = other[random.index(other.len())];
            let op = random.pick(&["Add", "Mul", "Sub"]);
            builder.node(op, &[from, &other.name], &output, &[]);
        }
        2 => {
            let dtype = random.pick(&[DataType::F32, DataType::F16, DataType::F64]);
            let to = Attribute::int("to", dtype as i64);
            builder.node("Cast", &[from], &output, &[to]);
            made.dtype = dtype;
        }
        3 if made.shape.last() == Some(&"8") => {
            let weights = format!("weights{:?}", made.dtype);
            builder.node("MatMul", &[from, &weights], &output, &[]);
        }
        4 => {
            builder.node("Unsqueeze", &[from, "last"], &output, &[]);
            made.shape.push("1");
        }
        5 => {
            let axis = Attribute::int("axis", 0);
            let op = random.pick(&["Softmax", "LogSoftmax"]);
            builder.node(op, &[from], &output, &[axis]);
        }
        6 if made.shape.len() > 2 && made.shape.last() == Some(&"1") => {
            builder.node("Squeeze", &[from, "last"], &output, &[]);
            made.shape.pop();
        }
        _ => {
            let op = random.pick(&["Relu", "Sigmoid", "Tanh", "Neg"]);
            builder.node(op, &[from], &output, &[]);
        }
    }
    made
}
