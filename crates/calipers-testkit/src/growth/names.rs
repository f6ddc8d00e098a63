//! Names and texts.

use calipers_samples::DataType::F32;
use calipers_samples::{ModelBuilder, Node};

use super::{Family, family};

pub(super) const FAMILIES: &[Family] = &[
    family("long node names", long_names),
    family("one very long name", one_name),
    family("equal node names", equal_names),
    family("deep scopes", deep_scopes),
    family("scopes of one node", scopes),
    family("metadata entries", metadata),
    family("one long metadata text", long_metadata),
    family("documented nodes", documented),
];

fn named(count: usize, name: impl Fn(usize) -> String) -> ModelBuilder {
    let mut model = ModelBuilder::new(17);
    model.input("x", F32, &["batch", "64"]);
    let mut last = "x".to_owned();
    for i in 0..count {
        let next = format!("y{i}");
        model.push(&Node::new("Relu", &[&last], &[&next], &[]).named(&name(i)));
        last = next;
    }
    model.output(&last, F32, &["batch", "64"]);
    model
}

fn long_names(count: usize) -> ModelBuilder {
    named(count, |i| format!("{}{i}", "n".repeat(500)))
}

fn one_name(count: usize) -> ModelBuilder {
    named(20, |i| if i == 3 { "n".repeat(count * 50) } else { i.to_string() })
}

fn equal_names(count: usize) -> ModelBuilder {
    named(count, |_| "same".to_owned())
}

fn deep_scopes(count: usize) -> ModelBuilder {
    // As many steps in all as the count: the square root of it in each name.
    let depth = count.isqrt();
    let path: Vec<String> = (0..depth).map(|i| format!("s{i}")).collect();
    named(depth, |i| format!("/{}/n{i}", path.join("/")))
}

fn scopes(count: usize) -> ModelBuilder {
    named(count, |i| format!("/model/layer.{i}/act/Relu"))
}

fn metadata(count: usize) -> ModelBuilder {
    let mut model = named(4, |i| i.to_string());
    for i in 0..count {
        model.metadata(&format!("key{i}"), &format!("value {i}"));
    }
    model
}

fn long_metadata(count: usize) -> ModelBuilder {
    let mut model = named(4, |i| i.to_string());
    model.metadata("notes", &"a=b:c@d/sk-".repeat(count * 4));
    model
}

fn documented(count: usize) -> ModelBuilder {
    let mut model = ModelBuilder::new(17);
    model.input("x", F32, &["batch", "64"]);
    for i in 0..count {
        let mut node = Node::new("Relu", &["x"], &[&format!("y{i}")], &[]);
        node.doc = format!("File \"model.py\", line {i}, in forward");
        model.push(&node);
    }
    model.output("y0", F32, &["batch", "64"]);
    model
}
