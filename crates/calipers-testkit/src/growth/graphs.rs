//! Structure: long, wide, dense, nested and wrong graphs.

use calipers_samples::DataType::{Bool, F32, I64};
use calipers_samples::{Attribute, Function, Graph, ModelBuilder, Node, Tensor};

use super::{Family, chain, family};

pub(super) const FAMILIES: &[Family] = &[
    family("chain", long_chain),
    family("symbolic chain", symbolic_chain),
    family("chain of shapes, each another", changing_chain),
    family("readers of one value", fan_out),
    family("one sum of nodes", fan_in),
    family("dense layers", dense),
    family("each node reads the eight before", eight_before),
    family("ladder of pairs", ladder),
    family("wide concatenation", wide_concat),
    family("wide split", wide_split),
    family("functions that call functions", nested_functions),
    family("calls of one function", calls),
    family("a function of many nodes", long_function),
    family("branches in branches", nested_branches),
    family("branches side by side", branches),
    family("values that a branch captures", captures),
    family("loops", loops),
    family("sequence operations", sequences),
    family("graph outputs", outputs),
    family("nodes in reverse order", reversed),
    family("nodes in a cycle", cycle),
    family("unknown operators", unknown_operators),
    family("operators of many domains", domains),
];

fn with_input(dims: &[&str]) -> ModelBuilder {
    let mut model = ModelBuilder::new(17);
    model.input("x", F32, dims);
    model
}

fn long_chain(count: usize) -> ModelBuilder {
    let mut model = with_input(&["1", "64"]);
    let last = chain(&mut model, "Relu", "x", count);
    model.output(&last, F32, &["1", "64"]);
    model
}

fn symbolic_chain(count: usize) -> ModelBuilder {
    let mut model = with_input(&["batch", "length", "64"]);
    let last = chain(&mut model, "Relu", "x", count);
    model.output(&last, F32, &["batch", "length", "64"]);
    model
}

fn changing_chain(count: usize) -> ModelBuilder {
    let mut model = with_input(&["batch", "length"]);
    model.input("row", F32, &["batch", "1"]);
    let mut last = "x".to_owned();
    for i in 0..count {
        let next = format!("y{i}");
        model.node("Concat", &[&last, "row"], &[&next], &[Attribute::int("axis", 1)]);
        last = next;
    }
    model.output(&last, F32, &["batch", "?"]);
    model
}

fn fan_out(count: usize) -> ModelBuilder {
    let mut model = with_input(&["batch", "64"]);
    for i in 0..count {
        model.node("Relu", &["x"], &[&format!("y{i}")], &[]);
    }
    model.output("y0", F32, &["batch", "64"]);
    model
}

fn fan_in(count: usize) -> ModelBuilder {
    let mut model = fan_out(count);
    let all: Vec<String> = (0..count).map(|i| format!("y{i}")).collect();
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    model.node("Sum", &all, &["sum"], &[]).output("sum", F32, &["batch", "64"]);
    model
}

/// As many edges as the count: layers of nodes that read all of the layer before.
fn dense(count: usize) -> ModelBuilder {
    let mut model = with_input(&["batch", "64"]);
    let width = 16;
    let mut before: Vec<String> = vec!["x".to_owned()];
    for layer in 0..count / (width * width) + 1 {
        let mut next = Vec::new();
        for place in 0..width {
            let inputs: Vec<&str> = before.iter().map(String::as_str).collect();
            let name = format!("y{layer}_{place}");
            model.node("Sum", &inputs, &[&name], &[]);
            next.push(name);
        }
        before = next;
    }
    model.output(&before[0], F32, &["batch", "64"]);
    model
}

fn eight_before(count: usize) -> ModelBuilder {
    let mut model = with_input(&["batch", "64"]);
    let mut names = vec!["x".to_owned()];
    for i in 0..count / 8 + 1 {
        let inputs: Vec<&str> = names.iter().rev().take(8).map(String::as_str).collect();
        let name = format!("y{i}");
        model.node("Sum", &inputs, &[&name], &[]);
        names.push(name);
    }
    model.output(&names[names.len() - 1], F32, &["batch", "64"]);
    model
}

fn ladder(count: usize) -> ModelBuilder {
    let mut model = with_input(&["batch", "64"]);
    let mut last = "x".to_owned();
    for i in 0..count / 3 + 1 {
        let [a, b, y] = ["a", "b", "y"].map(|part| format!("{part}{i}"));
        model.node("Relu", &[&last], &[&a], &[]).node("Sigmoid", &[&last], &[&b], &[]);
        model.node("Add", &[&a, &b], &[&y], &[]);
        last = y;
    }
    model.output(&last, F32, &["batch", "64"]);
    model
}

fn wide_concat(count: usize) -> ModelBuilder {
    let mut model = with_input(&["batch", "4"]);
    let all = vec!["x"; count];
    model.node("Concat", &all, &["y"], &[Attribute::int("axis", 1)]);
    model.output("y", F32, &["batch", "?"]);
    model
}

fn wide_split(count: usize) -> ModelBuilder {
    let mut model = with_input(&["batch", &(2 * count).to_string()]);
    let parts: Vec<String> = (0..count).map(|i| format!("p{i}")).collect();
    let parts: Vec<&str> = parts.iter().map(String::as_str).collect();
    model.node("Split", &["x"], &parts, &[Attribute::int("axis", 1)]);
    model.node("Concat", &parts, &["y"], &[Attribute::int("axis", 1)]);
    model.output("y", F32, &["batch", "?"]);
    model
}

fn nested_functions(count: usize) -> ModelBuilder {
    let mut model = with_input(&["batch", "64"]);
    model.opset("local", 1);
    for i in 0..count {
        let mut function = Function::new("local", &format!("f{i}"), &["a"], &["b"]);
        function.opset("", 17).opset("local", 1);
        match i {
            0 => function.node("Relu", &["a"], &["b"], &[]),
            _ => function
                .push(&Node::new(&format!("f{}", i - 1), &["a"], &["b"], &[]).in_domain("local")),
        };
        model.function(&function);
    }
    let last = format!("f{}", count - 1);
    model.push(&Node::new(&last, &["x"], &["y"], &[]).in_domain("local"));
    model.output("y", F32, &["batch", "64"]);
    model
}

fn calls(count: usize) -> ModelBuilder {
    let mut model = with_input(&["batch", "64"]);
    model.opset("local", 1);
    let mut function = Function::new("local", "block", &["a"], &["c"]);
    function.opset("", 17).node("Relu", &["a"], &["b"], &[]).node("Add", &["a", "b"], &["c"], &[]);
    model.function(&function);
    let mut last = "x".to_owned();
    for i in 0..count {
        let next = format!("y{i}");
        model.push(&Node::new("block", &[&last], &[&next], &[]).in_domain("local"));
        last = next;
    }
    model.output(&last, F32, &["batch", "64"]);
    model
}

fn long_function(count: usize) -> ModelBuilder {
    let mut model = with_input(&["batch", "64"]);
    model.opset("local", 1);
    let mut function = Function::new("local", "body", &["a"], &["out"]);
    function.opset("", 17);
    let mut last = "a".to_owned();
    for i in 0..count {
        let next = format!("v{i}");
        function.node("Relu", &[&last], &[&next], &[]);
        last = next;
    }
    function.node("Relu", &[&last], &["out"], &[]);
    model.function(&function);
    for i in 0..4 {
        model.push(&Node::new("body", &["x"], &[&format!("y{i}")], &[]).in_domain("local"));
    }
    model.output("y0", F32, &["batch", "64"]);
    model
}

fn nested_branches(count: usize) -> ModelBuilder {
    let leaf = |name: &str| {
        let mut graph = Graph::new(name);
        graph.node("Relu", &["x"], &[name], &[]).output(name, F32, &["batch", "64"]);
        graph
    };
    let mut inner = leaf("inner");
    // Readers bound how deep a file nests, so the width grows and not the depth.
    for level in 0..24.min(count) {
        let mut graph = Graph::new(&format!("level{level}"));
        for i in 0..count / 24 {
            graph.node("Relu", &["x"], &[&format!("side{level}_{i}")], &[]);
        }
        let (other, next) = (format!("other{level}"), format!("out{level}"));
        let attributes = [
            Attribute::graph("then_branch", &inner),
            Attribute::graph("else_branch", &leaf(&other)),
        ];
        graph.node("If", &["choice"], &[&next], &attributes);
        graph.output(&next, F32, &["batch", "64"]);
        inner = graph;
    }
    let mut model = with_input(&["batch", "64"]);
    model.input("choice", Bool, &[]);
    let attributes =
        [Attribute::graph("then_branch", &inner), Attribute::graph("else_branch", &leaf("last"))];
    model.node("If", &["choice"], &["y"], &attributes).output("y", F32, &["batch", "64"]);
    model
}

fn branches(count: usize) -> ModelBuilder {
    let mut model = with_input(&["batch", "64"]);
    model.input("choice", Bool, &[]);
    for i in 0..count / 3 + 1 {
        let branch = |part: &str, op: &str| {
            let name = format!("{part}{i}");
            let mut graph = Graph::new(&name);
            graph.node(op, &["x"], &[&name], &[]).output(&name, F32, &["batch", "64"]);
            Attribute::graph(if part == "t" { "then_branch" } else { "else_branch" }, &graph)
        };
        let attributes = [branch("t", "Relu"), branch("e", "Sigmoid")];
        model.node("If", &["choice"], &[&format!("y{i}")], &attributes);
    }
    model.output("y0", F32, &["batch", "64"]);
    model
}

fn captures(count: usize) -> ModelBuilder {
    let mut model = fan_out(count);
    model.input("choice", Bool, &[]);
    let all: Vec<String> = (0..count).map(|i| format!("y{i}")).collect();
    let all: Vec<&str> = all.iter().map(String::as_str).collect();
    let branch = |name: &str| {
        let mut graph = Graph::new(name);
        graph.node("Sum", &all, &[name], &[]).output(name, F32, &["batch", "64"]);
        graph
    };
    let attributes = [
        Attribute::graph("then_branch", &branch("a")),
        Attribute::graph("else_branch", &branch("b")),
    ];
    model.node("If", &["choice"], &["out"], &attributes).output("out", F32, &["batch", "64"]);
    model
}

fn loops(count: usize) -> ModelBuilder {
    let mut model = with_input(&["batch", "64"]);
    model.initializer(&Tensor::i64("trips", &[], &[8]));
    model.initializer(&Tensor::bool("go", &[], &[true]));
    let mut last = "x".to_owned();
    for i in 0..count / 4 + 1 {
        let [at, keep, before, after, on] =
            ["i", "keep", "before", "after", "on"].map(|part| format!("{part}{i}"));
        let mut body = Graph::new("body");
        body.input(&at, I64, &[]).input(&keep, Bool, &[]).input(&before, F32, &["batch", "64"]);
        body.node("Relu", &[&before], &[&after], &[]).node("Identity", &[&keep], &[&on], &[]);
        body.output(&on, Bool, &[]).output(&after, F32, &["batch", "64"]);
        let next = format!("y{i}");
        model.node("Loop", &["trips", "go", &last], &[&next], &[Attribute::graph("body", &body)]);
        last = next;
    }
    model.output(&last, F32, &["batch", "64"]);
    model
}

fn sequences(count: usize) -> ModelBuilder {
    let mut model = with_input(&["batch", "64"]);
    model.node("SequenceConstruct", &["x"], &["s"], &[]);
    let mut last = "s".to_owned();
    for i in 0..count {
        let next = format!("s{i}");
        model.node("SequenceInsert", &[&last, "x"], &[&next], &[]);
        last = next;
    }
    model.node("ConcatFromSequence", &[&last], &["y"], &[Attribute::int("axis", 0)]);
    model.output("y", F32, &["?", "64"]);
    model
}

fn outputs(count: usize) -> ModelBuilder {
    let mut model = fan_out(count);
    for i in 1..count {
        model.output(&format!("y{i}"), F32, &["batch", "64"]);
    }
    model
}

fn reversed(count: usize) -> ModelBuilder {
    let mut model = with_input(&["batch", "64"]);
    for i in (1..=count).rev() {
        let before = if i == 1 { "x".to_owned() } else { format!("y{}", i - 1) };
        model.node("Relu", &[&before], &[&format!("y{i}")], &[]);
    }
    model.output(&format!("y{count}"), F32, &["batch", "64"]);
    model
}

fn cycle(count: usize) -> ModelBuilder {
    let mut model = with_input(&["batch", "64"]);
    for i in 0..count {
        let before = format!("y{}", (i + count - 1) % count);
        model.node("Add", &[&before, "x"], &[&format!("y{i}")], &[]);
    }
    model.output("y0", F32, &["batch", "64"]);
    model
}

fn unknown_operators(count: usize) -> ModelBuilder {
    let mut model = with_input(&["batch", "64"]);
    let mut last = "x".to_owned();
    for i in 0..count {
        let next = format!("y{i}");
        model.node(&format!("Op{i}"), &[&last], &[&next], &[]);
        last = next;
    }
    model.output(&last, F32, &["batch", "64"]);
    model
}

fn domains(count: usize) -> ModelBuilder {
    let mut model = with_input(&["batch", "64"]);
    for i in 0..count {
        let domain = format!("domain{i}");
        model.opset(&domain, 1);
        model.push(&Node::new("Op", &["x"], &[&format!("y{i}")], &[]).in_domain(&domain));
    }
    model.output("y0", F32, &["batch", "64"]);
    model
}
