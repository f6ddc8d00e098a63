//! Where layers begin and end, and how many nodes they have.
use calipers::{Bindings, HardwareQuery};
use calipers_report::{GraphView, GroupItem, GroupKind, Report};
use calipers_samples::{DataType, ModelBuilder, Tensor};
use calipers_testkit::{Corpus, Outcome, fixture};

use crate::support::{analyze, explore};

calipers_testkit::tests! {
    test: [
        post_norm_layers_end_with_their_norm,
        pre_norm_layers_leave_the_final_norm_to_the_head,
        diagrams_end_in_the_models_outputs,
        reasons_for_a_missing_kv_cache,
        a_weight_belongs_to_the_node_that_computes_with_it,
    ];
    each_corpus: [repeats_tree_and_groups_count_the_same_nodes];
}

fn explored(path: &std::path::Path) -> (Report, GraphView) {
    let model = calipers::Model::open(path).unwrap();
    explore(&model, &Bindings::default(), &HardwareQuery::default()).unwrap()
}

/// Names of the groups around a node, the innermost first.
fn groups_around<'v>(view: &'v GraphView, node: &str) -> Vec<&'v str> {
    let node = view.nodes.iter().find(|it| it.name == node).unwrap();
    let mut at = Some(node.group);
    std::iter::from_fn(|| {
        let group = &view.groups[at?];
        at = group.parent;
        Some(group.name.as_str())
    })
    .collect()
}

/// BERT normalizes after each residual addition and after its embeddings, whether the norm is one
/// node or nine.
fn post_norm_layers_end_with_their_norm() {
    for (model, last) in [
        ("zoo/bert_tiny_cls_op17.onnx", "LayerNorm/LayerNormalization"),
        ("zoo/e5-small-v2.onnx", "LayerNorm/Add_1"),
    ] {
        let (report, view) = explored(&fixture(model));
        let layers = report.architecture.facts.layers.unwrap();
        for (scope, group) in [
            ("embeddings".to_owned(), "Embeddings".to_owned()),
            ("encoder/layer.0/attention/output".to_owned(), "Encoder layer 1".to_owned()),
            ("encoder/layer.0/output".to_owned(), "Encoder layer 1".to_owned()),
            (format!("encoder/layer.{}/output", layers - 1), format!("Encoder layer {layers}")),
        ] {
            let end = format!("{scope}/{last}");
            let node = view.nodes.iter().find(|node| node.name.ends_with(&end)).unwrap();
            let around = groups_around(&view, &node.name);
            assert!(around.contains(&group.as_str()), "{model}, {}: {around:?}", node.name);
        }
    }
}

/// GPT-2, Llama and ViT normalize before each sublayer, and once more before the head.
fn pre_norm_layers_leave_the_final_norm_to_the_head() {
    for (model, end) in [
        ("zoo/gpt2_tiny_kv_op17.onnx", "ln_f/LayerNormalization"),
        ("zoo/llama_tiny_gqa_kv_op17.onnx", "/model/norm/Mul_1"),
        ("zoo/timm_vit_tiny_op17.onnx", "/norm/LayerNormalization"),
    ] {
        let (report, view) = explored(&fixture(model));
        let last = view.nodes.iter().rev().find(|node| node.name.ends_with(end)).unwrap();
        let around = groups_around(&view, &last.name);
        assert!(!around.iter().any(|name| name.contains("layer")), "{model}: {around:?}");
        let [repeat] = &report.architecture.repeats[..] else { panic!("{model}") };
        assert_eq!(Some(repeat.times), report.architecture.facts.layers.map(i64::unsigned_abs));
    }
}

/// What repeats has as many nodes in the list of repeats, in the tree and in the graph view.
fn repeats_tree_and_groups_count_the_same_nodes(corpus: &Corpus) -> Outcome {
    let mut compared = 0;
    for path in corpus.models() {
        let Ok(model) = calipers::Model::open(&path) else { continue };
        let explored = explore(&model, &Bindings::default(), &HardwareQuery::default());
        let Ok((report, view)) = explored else { continue };
        // The bodies of functions have groups of their own.
        if report.graph.functions > 0 {
            continue;
        }
        let name = path.display();
        let in_tree: Vec<(u64, u64)> = report
            .architecture
            .tree
            .iter()
            .filter(|block| block.times > 1)
            .map(|block| (block.times, block.nodes))
            .collect();
        let repeats = report.architecture.repeats.iter();
        let in_repeats: Vec<(u64, u64)> = repeats.map(|it| (it.times, it.nodes)).collect();
        assert_eq!(in_tree, in_repeats, "{name}");
        for repeat in &report.architecture.repeats {
            let label = format!("{} × {}", repeat.times, repeat.name);
            let first = |group: &calipers_report::GraphGroup| {
                group.items.iter().find_map(|item| match item {
                    GroupItem::GraphGroup(inner) => Some(&view.groups[*inner]),
                    _ => None,
                })
            };
            let groups = view.groups.iter();
            let group = groups.filter(|it| it.kind == GroupKind::Repeat && it.name == label);
            // A group that holds one box only is drawn as that box.
            let turns = group.filter_map(first).filter(|turn| turn.name.ends_with(" 1"));
            let counts: Vec<u64> = turns.map(|turn| turn.nodes).collect();
            assert!(counts.is_empty() || counts.contains(&repeat.nodes), "{name}: {label}");
            compared += counts.len();
        }
    }
    assert!(compared >= 10, "only {compared} repeats");
    Ok(())
}

/// A model whose outputs pass `Identity` and `Cast` nodes, as tf2onnx writes them.
fn diagrams_end_in_the_models_outputs() {
    let mut model = ModelBuilder::new(17);
    model.input("x", DataType::F32, &["batch", "8"]);
    model.initializer(&Tensor::f32("w", &[8, 4], &[0.5; 32]));
    model.node("MatMul", &["x", "w"], &["inner"], &[]);
    model.node("Identity", &["inner"], &["scores"], &[]);
    model.output("scores", DataType::F32, &["batch", "4"]);
    let model = calipers::Model::read(model.build(), "test.onnx").unwrap();
    let boxes = analyze(&model).architecture.block_diagram.boxes;
    assert_eq!(boxes.last().map(|it| it.label.as_str()), Some("scores"));
}

fn reasons_for_a_missing_kv_cache() {
    for (model, reason) in [
        ("zoo/bert_tiny_cls_op17.onnx", Some("encoder")),
        ("zoo/resnet50.onnx", Some("not a sequence model")),
        ("zoo/lstm_bi2_op17.onnx", Some("recurrent network")),
        ("zoo/gpt2_tiny_kv_op17.onnx", None),
    ] {
        let memory = explored(&fixture(model)).0.memory;
        assert_eq!(memory.kv_cache_absent.as_deref(), reason, "{model}");
        assert_eq!(memory.kv_cache.is_some(), reason.is_none(), "{model}");
    }
}

/// DETR reads the shape of its query embeddings before it adds them.
fn a_weight_belongs_to_the_node_that_computes_with_it() {
    let (report, _) = explored(&fixture("zoo/detr_tiny_op17.onnx"));
    let operators: Vec<&str> = report.parameters.by_op.iter().map(|row| row.op.as_str()).collect();
    assert!(!operators.contains(&"Shape"), "{operators:?}");
}
