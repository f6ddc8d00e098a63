//! The diagrams of models: what they look like, and what holds for all of them.
use std::fmt::Write as _;

use calipers_report::{Architecture, Block, Diagram, Repeat};
use calipers_samples::{DataType, ModelBuilder, Tensor};
use calipers_testkit::{Corpus, Outcome, fixture, score};

use crate::support;

calipers_testkit::tests! {
    test: [
        networks_are_drawn_as_people_draw_them,
        operators_that_feed_others_are_drawn,
        many_thousand_layers_are_one_run,
        a_tangle_stays_small,
        layers_repeat_without_names,
    ];
    each_corpus: [every_diagram_is_small_and_leads_from_inputs_to_outputs];
}

/// Boxes of a diagram, inputs and outputs among them; a few more where those are many.
const MAX_BOXES: usize = 25;

fn architecture(name: &str) -> Architecture {
    support::report(&fixture(name)).unwrap().architecture
}

fn analyzed(bytes: Vec<u8>) -> Architecture {
    let model = calipers::Model::read(bytes, "test.onnx").unwrap();
    crate::support::analyze(&model).architecture
}

/// The diagram and below it the repeats.
fn shown(architecture: &Architecture) -> String {
    fn write(repeats: &[Repeat], depth: usize, text: &mut String) {
        for repeat in repeats {
            let Repeat { name, times, nodes, differs, inside } = repeat;
            let _ = writeln!(
                text,
                "{}{times} × {name}, {nodes} nodes{}",
                "  ".repeat(depth),
                differs.iter().fold(String::new(), |all, one| all + "; " + one)
            );
            write(inside, depth + 1, text);
        }
    }
    let mut text = architecture.diagram.clone();
    write(&architecture.repeats, 0, &mut text);
    text
}

fn networks_are_drawn_as_people_draw_them() {
    for name in [
        "zoo/bert_tiny_cls_op17",
        "zoo/clip_tiny_op17",
        "zoo/detr_tiny_op17",
        "zoo/llama7b_synth",
        "zoo/lstm_bi2_op17",
        "zoo/mobilenet_v2_op17",
        "zoo/resnet50",
        "zoo/rf_cls",
        "zoo/swin_t",
        "zoo/t5_tiny_encdec_op17",
        "zoo/unet_c16_op17",
        "hostile/injection_names",
    ] {
        let architecture = architecture(&format!("{name}.onnx"));
        let title = name.split('/').next_back().unwrap();
        insta::assert_snapshot!(title, shown(&architecture));
    }
}

fn operators_that_feed_others_are_drawn() {
    for name in ["resnet18_op13", "gru_op17"] {
        let flow = architecture(&format!("zoo/{name}.onnx")).flow;
        insta::assert_snapshot!(format!("{name}_flow"), flow);
    }
}

/// Blocks with what is inside them, and their number.
fn count(blocks: &[Block]) -> usize {
    blocks.iter().map(|block| 1 + count(&block.parts)).sum()
}

#[track_caller]
fn assert_sound(block_diagram: &Diagram, name: &str) {
    let boxes = block_diagram.boxes.len();
    for arrow in &block_diagram.arrows {
        assert!(arrow.from < boxes && arrow.to < boxes, "{name}: an arrow leads nowhere");
    }
}

fn every_diagram_is_small_and_leads_from_inputs_to_outputs(corpus: &Corpus) -> Outcome {
    let models = corpus.models();
    for path in &models {
        let name = path.display().to_string();
        let report = support::report(path).unwrap();
        let Architecture { block_diagram, flow_diagram, tree, diagram, flow, .. } =
            &report.architecture;
        assert!(
            block_diagram.boxes.len() <= MAX_BOXES,
            "{name}: {} boxes",
            block_diagram.boxes.len()
        );
        assert!(flow_diagram.boxes.len() <= MAX_BOXES, "{name}");
        assert_sound(block_diagram, &name);
        assert_sound(flow_diagram, &name);
        assert!(diagram.starts_with("flowchart TD\n") && flow.starts_with("flowchart TD\n"));
        for (number, drawn) in block_diagram.boxes.iter().enumerate() {
            let is_port = drawn.kind.is_port();
            let enters = block_diagram.arrows.iter().any(|arrow| arrow.to == number);
            let leaves = block_diagram.arrows.iter().any(|arrow| arrow.from == number);
            // A part may start from constants or end in nothing that is read, a step may not.
            assert!(is_port || enters || leaves, "{name}: {} is not connected", drawn.label);
            assert!(!drawn.label.is_empty(), "{name}");
        }
        // Arrows never go back: boxes are in an order of execution.
        assert!(block_diagram.arrows.iter().all(|arrow| arrow.from < arrow.to), "{name}");
        assert!(count(tree) < 5000, "{name}: {} blocks", count(tree));
    }
    score(format!("diagrams, {}: {} models", corpus.name(), models.len()));
    Ok(())
}

/// Many equal layers are one box, whatever their number.
fn many_thousand_layers_are_one_run() {
    let mut model = ModelBuilder::new(17);
    model.input("x0", DataType::F32, &["batch", "4"]);
    model.initializer(&Tensor::f32("w", &[4, 4], &[0.5; 16]));
    let layers = 20_000;
    for layer in 0..layers {
        model.node("MatMul", &[&format!("x{layer}"), "w"], &[&format!("y{layer}")], &[]);
        model.node("Relu", &[&format!("y{layer}")], &[&format!("x{}", layer + 1)], &[]);
    }
    model.output(&format!("x{layers}"), DataType::F32, &["batch", "4"]);
    let architecture = analyzed(model.build());
    assert_eq!(architecture.repeats[0].times, layers);
    assert_eq!(architecture.block_diagram.boxes.len(), 3, "{}", architecture.diagram);
}

/// Nothing in common, ways in all directions: it still ends, and stays small.
fn a_tangle_stays_small() {
    let mut model = ModelBuilder::new(17);
    model.input("v0", DataType::F32, &["4", "4"]);
    let ops = ["Add", "MatMul", "Mul", "Sub", "Max"];
    let mut seed = 7_usize;
    for node in 0..3000_usize {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        let other = (seed >> 33) % (node + 1);
        let op = ops[(seed >> 20) % ops.len()];
        let inputs = [format!("v{node}"), format!("v{other}")];
        model.node(op, &[&inputs[0], &inputs[1]], &[&format!("v{}", node + 1)], &[]);
    }
    model.output("v3000", DataType::F32, &["4", "4"]);
    let architecture = analyzed(model.build());
    assert!(architecture.block_diagram.boxes.len() <= MAX_BOXES);
    assert!(architecture.block_diagram.arrows.iter().all(|arrow| arrow.from < arrow.to));
}

/// Names label; they decide nothing.
fn layers_repeat_without_names() {
    let bytes = std::fs::read(fixture("zoo/bert_tiny_cls_op17.onnx")).unwrap();
    let repeats = analyzed(bytes).repeats;
    assert_eq!((repeats[0].name.as_str(), repeats[0].times), ("encoder layer", 2));
    // The same layers under the names of another exporter, and of none.
    for other in ["dynamo-bert_tiny", "bert_tiny_fp16", "bert_tiny_cls_sdpa_op17"] {
        let other = architecture(&format!("zoo/{other}.onnx")).repeats;
        assert_eq!((other[0].name.as_str(), other[0].times), ("encoder layer", 2), "{other:?}");
    }
}
