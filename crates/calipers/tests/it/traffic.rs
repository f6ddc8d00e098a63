//! Bytes that nodes move, by hand.
use calipers_samples::DataType::{F16, F32, I32};
use calipers_samples::{ModelBuilder, Node, Tensor};

calipers_testkit::tests! {
    test: [
        of_tables_the_rows_that_are_looked_up,
        what_only_lends_its_type_or_shape_is_not_read,
    ];
}

fn moved(model: &ModelBuilder) -> u64 {
    let model = calipers::Model::read(model.build(), "test.onnx").unwrap();
    crate::support::analyze(&model).cost.bytes_moved.unwrap()
}

fn of_tables_the_rows_that_are_looked_up() {
    let table = |name: &str, rows: i64| {
        let elements = usize::try_from(rows * 8).unwrap();
        Tensor::f32(name, &[rows, 8], &vec![0.0; elements])
    };
    let inputs = ["ids", "kinds", "words", "places", "two", "scale", "shift"];
    let node = Node::new("EmbedLayerNormalization", &inputs, &["y", "mask"], &[]);
    let mut model = ModelBuilder::new(17);
    model
        .opset("com.microsoft", 1)
        .input("ids", I32, &["2", "3"])
        .input("kinds", I32, &["2", "3"])
        .initializer(&table("words", 100))
        .initializer(&table("places", 50))
        .initializer(&table("two", 2))
        .initializer(&Tensor::f32("scale", &[8], &[1.0; 8]))
        .initializer(&Tensor::f32("shift", &[8], &[0.0; 8]))
        .push(&node.in_domain("com.microsoft"))
        .output("y", F32, &["2", "3", "8"])
        .output("mask", I32, &["2"]);
    // Two inputs of 6 indices; a row of 8 floats from each of 3 tables for each of 6 tokens; scale
    // and shift of 8 floats; 6 rows of 8 floats and 2 lengths out.
    assert_eq!(moved(&model), 2 * 24 + 3 * 6 * 32 + 2 * 32 + 6 * 32 + 8);
}

fn what_only_lends_its_type_or_shape_is_not_read() {
    let mut model = ModelBuilder::new(17);
    model
        .input("x", F32, &["10"])
        .input("like", F16, &["1000"])
        .node("CastLike", &["x", "like"], &["y"], &[])
        .output("y", F16, &["10"]);
    // 10 floats in, 10 halves out.
    assert_eq!(moved(&model), 40 + 20);
    for op in ["EyeLike", "RandomNormalLike", "RandomUniformLike"] {
        let mut model = ModelBuilder::new(17);
        model.input("x", F32, &["3", "5"]).node(op, &["x"], &["y"], &[]).output(
            "y",
            F32,
            &["3", "5"],
        );
        // 15 floats out.
        assert_eq!(moved(&model), 60, "{op}");
    }
}
