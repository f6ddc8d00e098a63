//! Rows and scopes sum to what the report says of the whole.
use calipers::{Bindings, LayerOrder, LayerQuery, Model, Options};
use calipers_report::{LayerCost, LayerTable};
use calipers_testkit::{Corpus, Outcome, fixture};

calipers_testkit::tests! {
    test: [
        operators_and_segments_of_the_digits_are_those_of_its_table,
        modules_are_named_by_their_exporter,
        a_weight_belongs_to_the_call_it_is_handed_to,
    ];
    each_corpus: [rows_and_scopes_sum_to_the_whole, operators_and_segments_sum_to_the_whole];
}

fn table(model: &Model) -> LayerTable {
    let query = LayerQuery { order: LayerOrder::Macs, top: None, tree: Some(usize::MAX) };
    model.layers(&Options::new(), &query).unwrap()
}

/// Sums over rows, where every row has the figure.
fn sums<'a>(rows: impl Iterator<Item = &'a LayerCost>) -> [Option<u64>; 3] {
    rows.fold([Some(0), Some(0), Some(0)], |sums, cost| {
        let parts = [cost.macs, cost.other_flops, cost.bytes_moved];
        std::array::from_fn(|i| Some(sums[i]? + parts[i]?))
    })
}

fn rows_and_scopes_sum_to_the_whole(corpus: &Corpus) -> Outcome {
    for path in corpus.models() {
        let name = path.display();
        let model = Model::open(&path).unwrap();
        let report = crate::support::analyze(&model);
        let table = table(&model);

        let parameters: Option<u64> = table.layers.iter().map(|row| row.parameters).sum();
        let all = parameters.map(|sum| sum + table.total.parameters_elsewhere);
        assert_eq!(all, report.parameters.total, "{name}");
        assert_eq!(table.scopes[0].parameters, parameters, "{name}");
        assert_eq!(table.scopes[0].nodes, report.graph.nodes, "{name}");

        let total = &table.total.cost;
        let whole = [total.macs, total.other_flops, total.bytes_moved];
        let cost = &report.cost;
        assert_eq!(whole, [cost.macs, cost.other_flops, cost.bytes_moved], "{name}");
        if report.cost.unknown_count == 0 {
            let rows = sums(table.layers.iter().map(|row| &row.cost));
            assert!(
                rows.iter().zip(whole).all(|(sum, all)| sum.is_none() || *sum == all),
                "{name}"
            );
            assert_eq!(&table.scopes[0].cost, total, "{name}");
        }
    }
    Ok(())
}

fn operators_and_segments_sum_to_the_whole(corpus: &Corpus) -> Outcome {
    for path in corpus.models() {
        let name = path.display();
        let report = crate::support::analyze(&Model::open(&path).unwrap());
        let cost = &report.cost;
        let macs: Option<u64> = cost.by_op.iter().map(|entry| entry.macs).sum();
        let other: Option<u64> = cost.by_op.iter().map(|entry| entry.other_flops).sum();
        assert!(macs.is_none() || macs == cost.macs, "{name}: {macs:?}");
        assert!(other.is_none() || other == cost.other_flops, "{name}: {other:?}");
        let shares: Option<f64> = cost.by_op.iter().map(|entry| entry.percent).sum();
        assert!(
            shares.is_none_or(|all| cost.by_op.is_empty() || (all - 100.0).abs() < 0.5),
            "{name}: {shares:?}"
        );
        let along = &cost.by_depth;
        assert!(along.len() <= 64, "{name}");
        assert_eq!(along.iter().map(|part| part.nodes).sum::<u64>(), report.graph.nodes);
        let macs: Option<u64> = along.iter().map(|part| part.macs).sum();
        let bytes: Option<u64> = along.iter().map(|part| part.bytes_moved).sum();
        assert!(macs.is_none() || macs == cost.macs, "{name}: {macs:?}");
        assert!(bytes.is_none() || bytes == cost.bytes_moved, "{name}: {bytes:?}");
        let elements: Option<u64> = along.iter().map(|part| part.parameters).sum();
        assert!(elements <= report.parameters.total, "{name}: {elements:?}");
    }
    Ok(())
}

/// The sample's own table: 156,800 + 627,200 multiply-accumulates of convolutions and 7,840 of the
/// dense layer, in ten nodes; the first, the fifth and the last have them.
fn operators_and_segments_of_the_digits_are_those_of_its_table() {
    let model = Model::read(calipers_samples::digits(), "digits").unwrap();
    let bindings = Bindings { dims: [("batch".to_owned(), 1)].into(), ..Bindings::default() };
    let cost = crate::support::analyze_bound(&model, &bindings).unwrap().cost;
    let of = |op: &str| cost.by_op.iter().find(|entry| entry.op == op).unwrap();
    assert_eq!((of("Conv").nodes, of("Conv").macs), (2, Some(784_000)));
    assert_eq!(of("Conv").flops(), Some(1_568_000));
    assert_eq!((of("Gemm").nodes, of("Gemm").macs), (1, Some(7_840)));
    // One operation for each of 8 x 28 x 28 and 16 x 14 x 14 elements.
    assert_eq!(of("Relu").other_flops, Some(6_272 + 3_136));
    assert!(!cost.by_op.iter().any(|entry| entry.op == "Flatten"), "it does no arithmetic");
    let macs: Vec<_> = cost.by_depth.iter().map(|part| part.macs.unwrap()).collect();
    assert_eq!(macs, [156_800, 0, 0, 0, 627_200, 0, 0, 0, 0, 7_840]);
    let elements: Vec<_> = cost.by_depth.iter().map(|part| part.parameters.unwrap()).collect();
    assert_eq!(elements, [208, 32, 0, 0, 3_216, 64, 0, 0, 0, 7_850]);
    // 627,200 of 791,840, and 7,850 of 11,370.
    assert_eq!(cost.by_depth[4].macs_percent, Some(79.21));
    assert_eq!(cost.by_depth[9].parameters_percent, Some(69.04));
}

fn modules_are_named_by_their_exporter() {
    let path = fixture("zoo/dynamo-bert_tiny.onnx");
    let table = table(&Model::open(&path).unwrap());
    let scope = |wanted: &str| table.scopes.iter().find(|scope| scope.scope == wanted).unwrap();
    let encoder = scope("/m/bert/encoder");
    assert_eq!(
        encoder.class.as_deref(),
        Some("transformers.models.bert.modeling_bert.BertEncoder")
    );
    let layers = scope("/m/bert/encoder/layer.0").parameters.unwrap()
        + scope("/m/bert/encoder/layer.1").parameters.unwrap();
    assert_eq!(encoder.parameters, Some(layers));
}

fn a_weight_belongs_to_the_call_it_is_handed_to() {
    use calipers_samples::{DataType, Function, ModelBuilder, Node, Tensor};
    let mut dense = Function::new("local", "Dense", &["in", "weight"], &["out"]);
    dense.opset("", 17).push(&Node::new("MatMul", &["in", "weight"], &["out"], &[]));
    let mut builder = ModelBuilder::new(17);
    builder.opset("local", 1).function(&dense);
    builder.input("x", DataType::F32, &["2", "4"]).output("z", DataType::F32, &["2", "6"]);
    builder.initializer(&Tensor::f32("first", &[4, 5], &[0.5; 20]));
    builder.initializer(&Tensor::f32("second", &[5, 6], &[0.5; 30]));
    for (name, inputs, output) in [("a", ["x", "first"], "y"), ("b", ["y", "second"], "z")] {
        let node = Node::new("Dense", &inputs, &[output], &[]);
        builder.push(&node.named(name).in_domain("local"));
    }
    let model = Model::read(builder.build(), "calls.onnx").unwrap();
    let table = table(&model);
    let row = |node: &str| table.layers.iter().find(|row| row.node == node).unwrap();
    assert_eq!((row("a").parameters, row("b").parameters), (Some(20), Some(30)));
    // 2 · 4 · 5 and 2 · 5 · 6.
    assert_eq!((row("a").cost.macs, row("b").cost.macs), (Some(40), Some(60)));
    assert_eq!(table.layers[0].node, "b", "the most expensive comes first");
}
