//! Names of dimensions, and the sizes that inputs give them.

use calipers_infer::{BindError, name_in_file};
use calipers_samples::DataType::F32;
use calipers_samples::{ModelBuilder, Tensor};

use crate::{dims, free, inferred, inputs, names, read, refused};

/// A convolution over an image whose dimensions have these names.
fn image(shape: &[&str]) -> ModelBuilder {
    let mut model = ModelBuilder::new(17);
    model.input("x", F32, shape);
    model.initializer(&Tensor::f32("w", &[1, 3, 1, 1], &[0.0; 3]));
    model.node("Conv", &["x", "w"], &["y"], &[]).output("y", F32, &["?", "?", "?", "?"]);
    model
}

#[test]
fn positions_without_a_name_are_dimensions_of_their_own() {
    let model = image(&["None", "3", "None", "None"]);
    assert_eq!(inferred(&model, &free(), "y"), "float32[batch, 1, height, width]");
    let bound = inputs(&[("x", &[2, 3, 480, 640])]);
    assert_eq!(inferred(&model, &bound, "y"), "float32[2, 1, 480, 640]");
    assert_eq!(inferred(&model, &dims(&[("width", 64)]), "y"), "float32[batch, 1, height, 64]");
    assert_eq!(name_in_file(&read(&model), "width"), None);
}

#[test]
fn numbered_names_get_the_name_of_their_role_and_stay_one_dimension() {
    let mut model = image(&["unk__1", "3", "unk__2", "unk__2"]);
    model.input("z", F32, &["unk__1"]).node("Neg", &["z"], &["v"], &[]).output("v", F32, &["?"]);
    assert_eq!(inferred(&model, &free(), "y"), "float32[batch, 1, height, height]");
    assert_eq!(inferred(&model, &free(), "v"), "float32[batch]");
    // Either name binds it.
    for name in ["height", "unk__2"] {
        assert_eq!(inferred(&model, &dims(&[(name, 7)]), "y"), "float32[batch, 1, 7, 7]");
    }
    assert_eq!(name_in_file(&read(&model), "height").as_deref(), Some("unk__2"));
}

#[test]
fn a_name_that_says_something_is_kept() {
    let model = image(&["N", "3", "rows", "s1"]);
    assert_eq!(inferred(&model, &free(), "y"), "float32[N, 1, rows, s1]");
    // A name in use is not given to a dimension without one.
    let model = image(&["height", "3", "None", "None"]);
    assert_eq!(inferred(&model, &free(), "y"), "float32[height, 1, x_height, width]");
}

#[test]
fn a_name_that_inputs_give_several_sizes_is_split() {
    let mut model = ModelBuilder::new(17);
    for (input, output) in [("a", "c"), ("b", "d"), ("e", "f")] {
        model.input(input, F32, &["batch", "width"]);
        model.node("Relu", &[input], &[output], &[]).output(output, F32, &["batch", "width"]);
    }
    let bound = inputs(&[("a", &[1, 256]), ("b", &[1, 8])]);
    assert_eq!(inferred(&model, &bound, "c"), "float32[1, 256]");
    assert_eq!(inferred(&model, &bound, "d"), "float32[1, 8]");
    assert_eq!(inferred(&model, &bound, "f"), "float32[1, width]");
    let names = names(&model, &bound);
    assert_eq!(names["a_width"], Some(256));
    assert_eq!(names["b_width"], Some(8));
    assert_eq!(names["batch"], Some(1));
}

#[test]
fn a_size_against_dim_is_refused() {
    let model = image(&["N", "3", "H", "W"]);
    let mut bound = inputs(&[("x", &[2, 3, 480, 640])]);
    bound.dims.insert("H".to_owned(), 12);
    let error = refused(&model, &bound);
    assert!(matches!(error, BindError::Twice { first: 12, second: 480, .. }), "{error}");
}

#[test]
fn names_with_slashes_are_bound_as_they_are() {
    let mut model = ModelBuilder::new(17);
    model.input("x", F32, &["Reshape/out_dim_1", "3"]).node("Relu", &["x"], &["y"], &[]);
    model.output("y", F32, &["?", "?"]);
    assert_eq!(inferred(&model, &free(), "y"), "float32[`Reshape/out_dim_1`, 3]");
    assert_eq!(inferred(&model, &dims(&[("Reshape/out_dim_1", 5)]), "y"), "float32[5, 3]");
    let error = refused(&model, &dims(&[("Reshape", 5)])).to_string();
    assert!(error.contains("did you mean `Reshape/out_dim_1`?"), "{error}");
}
