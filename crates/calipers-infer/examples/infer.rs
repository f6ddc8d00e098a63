//! Prints what inference finds in model files: inputs, outputs, cost, and the nodes that it lacks.
//!
//! ```console
//! $ cargo run -p calipers-infer --example infer -- model.tflite
//! ```

use std::collections::BTreeMap;

use calipers_infer::{Bindings, infer};

fn main() {
    for path in std::env::args().skip(1) {
        let model = match calipers_formats::open(path.as_ref()) {
            Ok(model) => model,
            Err(error) => {
                println!("{path}: {error}");
                continue;
            }
        };
        let typed = match infer(&model, &Bindings::default()) {
            Ok(typed) => typed,
            Err(error) => {
                println!("{path}: {error}");
                continue;
            }
        };
        let main = model.main();
        println!("{path}: {} nodes, {} tensors", main.nodes.len(), model.tensors().len());
        for (what, values) in [("input", model.required_inputs()), ("output", main.outputs.clone())]
        {
            for value in values {
                println!("  {what} {}: {}", model.name(model.value(value).name), typed.fact(value));
            }
        }
        println!("  MACs {}, other {}", typed.total.macs, typed.total.other_flops);
        for wrong in &typed.contradictions {
            let node = wrong.node.map(|node| model.node_label(node)).unwrap_or_default();
            println!("  contradiction: {node} {}", wrong.what);
        }
        let mut unknown: BTreeMap<String, usize> = BTreeMap::new();
        for node in &main.order {
            if let Some(Err(reason)) = typed.cost(*node) {
                *unknown.entry(format!("{}: {reason}", model.written_op(*node))).or_default() += 1;
            }
        }
        for (reason, count) in unknown {
            println!("  no cost, {count} times: {reason}");
        }
    }
}
