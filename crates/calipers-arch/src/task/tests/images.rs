//! Networks that take images.

use calipers_report::Confidence::{High, Medium};
use calipers_report::Task;
use calipers_samples::{Attribute, DataType, Graph, Node};

use super::{Draft, summary};

/// Scores of characters for columns of an image.
fn columns(shape: &[&str], characters: i64, metadata: Option<&str>) -> Task {
    let mut draft = Draft::over("x", shape);
    if let Some(list) = metadata {
        draft.model.metadata("character", list);
    }
    let features = draft.conv("x", [3, 8], 4);
    let axes = Attribute::ints("axes", &[2]);
    let row = draft.op("ReduceMax", &[&features], &[axes, Attribute::int("keepdims", 0)]);
    let turned = draft.op("Transpose", &[&row], &[Attribute::ints("perm", &[0, 2, 1])]);
    let scores = draft.linear(&turned, [8, characters]);
    let shares = draft.op("Softmax", &[&scores], &[Attribute::int("axis", 2)]);
    draft.ends(&shares)
}

#[test]
fn scores_along_the_width_are_characters() {
    assert_eq!(summary(&columns(&["n", "3", "48", "w"], 97, None)), ("text-recognition", High));
    assert_eq!(summary(&columns(&["n", "3", "32", "128"], 97, None)), ("text-recognition", High));
    // Both sides are free: the axis follows from the width alone.
    let free = ["n", "3", "h", "w"];
    assert_eq!(summary(&columns(&free, 97, None)), ("text-recognition", Medium));
    let list = (0..97).map(|at| at.to_string()).collect::<Vec<_>>().join("\n");
    assert_eq!(summary(&columns(&free, 97, Some(&list))), ("text-recognition", High));
    // A page of a fixed size, and too few classes for an alphabet.
    assert_eq!(columns(&["n", "3", "224", "224"], 97, None).kind.id(), "unknown");
    assert_eq!(columns(&["n", "3", "48", "w"], 4, None).kind.id(), "unknown");
    assert_ne!(columns(&free, 11, Some("text\ntitle")).kind.id(), "text-recognition");
}

#[test]
fn tags_in_the_metadata_are_those_of_a_table() {
    let free = ["n", "3", "h", "w"];
    let tags = columns(&free, 50, Some("<thead>\n<tr>\n<td>\n</td>\n</tr>"));
    assert_eq!(summary(&tags), ("table-structure", High));
    // A page that happens to contain such text is not a list of tags.
    let page = columns(&free, 50, Some("<html><tr><td></td></tr></html>"));
    assert_ne!(page.kind.id(), "table-structure");
}

/// Boxes and tags from one image, perhaps written in turns.
fn cells(turns: bool, sides: i64) -> Task {
    let mut draft = Draft::over("x", &["1", "3", "64", "64"]);
    let boxes = draft.conv("x", [3, sides], 16);
    let mut boxes = draft.reshape(&boxes, &[1, 16, sides]);
    let tags = draft.conv("x", [3, 30], 16);
    let mut tags = draft.reshape(&tags, &[1, 16, 30]);
    if turns {
        let mut body = Graph::new("body");
        body.input("turn", DataType::I64, &[]).input("go", DataType::Bool, &[]);
        for (name, width) in [("b", sides), ("t", 30)] {
            let (from, to) = (format!("{name}_in"), format!("{name}_out"));
            let shape = ["1".to_owned(), "16".to_owned(), width.to_string()];
            let shape: Vec<&str> = shape.iter().map(String::as_str).collect();
            body.input(&from, DataType::F32, &shape);
            body.push(&Node::new("Tanh", &[&from], &[&to], &[]));
        }
        body.push(&Node::new("Identity", &["go"], &["again"], &[]));
        body.output("again", DataType::Bool, &[]);
        body.output("b_out", DataType::F32, &["1", "16", &sides.to_string()]);
        body.output("t_out", DataType::F32, &["1", "16", "30"]);
        let count = draft.ints(&[16]);
        let with = [Attribute::graph("body", &body)];
        let (b, t) = (draft.name(), draft.name());
        draft.model.node("Loop", &[&count, "", &boxes, &tags], &[&b, &t], &with);
        (boxes, tags) = (b, t);
    }
    let tags = draft.op("Softmax", &[&tags], &[Attribute::int("axis", 2)]);
    draft.ends_named(&[(&boxes, "a"), (&tags, "b")])
}

#[test]
fn a_loop_that_gives_tags_and_boxes_reads_tables() {
    assert_eq!(summary(&cells(true, 8)), ("table-structure", Medium));
    assert_ne!(cells(false, 8).kind.id(), "table-structure");
    assert_ne!(cells(true, 5).kind.id(), "table-structure");
}

/// Two lists of rows from one image.
fn lists(rows: [i64; 2], columns: [i64; 2], names: [&str; 2]) -> Task {
    let mut draft = Draft::over("x", &["1", "3", "64", "64"]);
    let mut outputs = Vec::new();
    for (rows, columns) in rows.into_iter().zip(columns) {
        let stride = if rows == 64 { 8 } else { 4 };
        let map = draft.conv("x", [3, columns], stride);
        let last = draft.op("Transpose", &[&map], &[Attribute::ints("perm", &[0, 2, 3, 1])]);
        outputs.push(draft.reshape(&last, &[1, rows, columns]));
    }
    draft.ends_named(&[(&outputs[0], names[0]), (&outputs[1], names[1])])
}

#[test]
fn rows_of_four_sides_next_to_scores_are_boxes() {
    let plain = ["a", "b"];
    assert_eq!(summary(&lists([64, 64], [4, 2], plain)), ("object-detection", Medium));
    assert_eq!(summary(&lists([64, 64], [4, 2], ["boxes", "s"])), ("object-detection", High));
    // Corners and points as one code.
    assert_eq!(summary(&lists([64, 64], [16, 1], plain)), ("object-detection", Medium));
    assert_eq!(lists([64, 64], [7, 9], plain).kind.id(), "unknown");
    assert_eq!(lists([64, 256], [4, 2], plain).kind.id(), "unknown");
}

/// Lists of box sides as distributions, and of class scores, at some scales.
fn pyramid(strides: &[i64], shared: bool) -> Task {
    let mut draft = Draft::over("x", &["1", "3", "128", "128"]);
    let mut outputs = Vec::new();
    for stride in strides {
        let rows = (128 / stride) * (128 / stride);
        for (columns, scores) in [(10, true), (32, false)] {
            let map = draft.conv("x", [3, columns], *stride);
            let map = match scores && shared {
                true => draft.op("Sigmoid", &[&map], &[]),
                false => map,
            };
            outputs.push(draft.reshape(&map, &[1, columns, rows]));
        }
    }
    let named: Vec<(&str, &str)> = outputs.iter().map(|it| (it.as_str(), it.as_str())).collect();
    draft.ends_named(&named)
}

#[test]
fn scores_and_distributions_at_several_scales_are_boxes() {
    let found = pyramid(&[4, 8], true);
    assert_eq!(summary(&found), ("object-detection", Medium));
    assert_eq!(found.classes, Some(10));
    assert_eq!(pyramid(&[4], true).kind.id(), "unknown");
}

/// One list of rows, from an image of 64 × 64.
fn list(rows: i64, columns: i64, best: bool) -> Task {
    let mut draft = Draft::over("x", &["1", "3", "64", "64"]);
    let map = draft.conv("x", [3, columns], 1);
    let flat = draft.reshape(&map, &[1, columns, 4096]);
    let turned = draft.op("Transpose", &[&flat], &[Attribute::ints("perm", &[0, 2, 1])]);
    if best {
        let count = draft.ints(&[rows]);
        let names = [draft.name(), draft.name()];
        let [values, places] = names.each_ref();
        let axis = Attribute::int("axis", 1);
        draft.model.node("TopK", &[&turned, &count], &[values, places], &[axis]);
        return draft.ends(&names[0]);
    }
    let (from, to, axes) = (draft.ints(&[0]), draft.ints(&[rows]), draft.ints(&[1]));
    let cut = draft.op("Slice", &[&turned, &from, &to, &axes], &[]);
    draft.ends(&cut)
}

#[test]
fn one_row_for_every_position_of_several_strides_is_a_detector() {
    // Strides 8, 16 and 32: 64 + 16 + 4 positions, of 3 anchors each.
    assert_eq!(summary(&list(84 * 3, 8, false)), ("object-detection", High));
    assert_eq!(list(250, 8, false).kind.id(), "unknown");
    assert_eq!(list(84 * 3, 3, false).kind.id(), "unknown");
    // The best rows: a box, a score and a class.
    assert_eq!(summary(&list(100, 6, true)), ("object-detection", Medium));
    assert_eq!(list(100, 6, false).kind.id(), "unknown");
}

fn maps(channels: &[i64], stride: i64) -> Task {
    let mut draft = Draft::over("x", &["1", "3", "h", "w"]);
    let outputs: Vec<String> =
        channels.iter().map(|count| draft.conv("x", [3, *count], stride)).collect();
    let named: Vec<(&str, &str)> = outputs.iter().map(|it| (it.as_str(), it.as_str())).collect();
    draft.ends_named(&named)
}

#[test]
fn heat_maps_next_to_sizes_and_offsets_are_a_detector() {
    assert_eq!(summary(&maps(&[80, 2, 2], 4)), ("object-detection", Medium));
    assert_eq!(summary(&maps(&[1, 4], 4)), ("object-detection", Medium));
    assert_ne!(maps(&[80, 2], 4).kind.id(), "object-detection");
    assert_ne!(maps(&[80, 2, 2], 1).kind.id(), "object-detection");
}

/// A vector of an image, with an ending.
fn vector(width: i64, pooled: bool, end: Option<&str>, name: &str) -> Task {
    let mut draft = Draft::over("x", &["n", "3", "32", "32"]);
    let map = draft.conv("x", [3, 8], 4);
    let map = draft.op("Relu", &[&map], &[]);
    let (flat, from) = match pooled {
        true => (draft.pooled(&map), 8),
        false => (draft.op("Flatten", &[&map], &[]), 512),
    };
    let made = draft.linear(&flat, [from, width]);
    let made = match end {
        Some(op) => draft.op(op, &[&made], &[]),
        None => made,
    };
    draft.ends_named(&[(&made, name)])
}

#[test]
fn vectors_are_scores_where_something_shows_it() {
    assert_eq!(summary(&vector(7, true, Some("Softmax"), "y")), ("image-classification", High));
    assert_eq!(summary(&vector(7, true, None, "y")), ("image-classification", Medium));
    assert_eq!(summary(&vector(7, true, None, "logits")), ("image-classification", High));
    assert_eq!(summary(&vector(1000, true, None, "y")), ("image-classification", High));
    // Coordinates of 106 points.
    assert_eq!(vector(212, false, None, "y").kind.id(), "unknown");
    assert_eq!(summary(&vector(212, false, None, "landmarks")), ("keypoint-detection", Medium));
    assert_eq!(vector(7, true, Some("Relu"), "y").kind.id(), "unknown");
}

#[test]
fn vectors_embed_where_they_are_round_or_of_unit_length() {
    let unit = vector(96, true, Some("LpNormalization"), "y");
    assert_eq!(summary(&unit), ("image-embedding", High));
    assert_eq!(summary(&vector(512, true, None, "y")), ("image-embedding", Medium));
    assert_eq!(summary(&vector(136, true, None, "embedding")), ("image-embedding", Medium));
    assert_eq!(vector(136, true, None, "y").kind.id(), "unknown");
}

#[test]
fn features_next_to_scores_do_not_decide() {
    let mut draft = Draft::over("x", &["n", "3", "32", "32"]);
    let map = draft.conv("x", [3, 8], 1);
    let flat = draft.pooled(&map);
    let scores = draft.linear(&flat, [8, 5]);
    let scores = draft.op("Softmax", &[&scores], &[]);
    let task = draft.ends_named(&[(&map, "feature_map"), (&scores, "y")]);
    assert_eq!((summary(&task), task.classes), (("image-classification", High), Some(5)));
}

/// A map of an image, with an ending.
fn map(channels: i64, stride: i64, end: Option<&str>, name: &str) -> Task {
    let mut draft = Draft::over("x", &["1", "3", "h", "w"]);
    let map = draft.conv("x", [3, channels], stride);
    let map = match end {
        Some("Softmax") => draft.op("Softmax", &[&map], &[Attribute::int("axis", 1)]),
        Some("ArgMax") => draft.op("ArgMax", &[&map], &[Attribute::int("axis", 1)]),
        Some("Residual") => draft.op("Add", &[&map, "x"], &[]),
        Some(op) => draft.op(op, &[&map], &[]),
        None => map,
    };
    draft.ends_named(&[(&map, name)])
}

#[test]
fn maps_are_read_at_the_assumed_sizes() {
    assert_eq!(summary(&map(5, 1, Some("Softmax"), "y")), ("image-segmentation", High));
    assert_eq!(summary(&map(5, 1, Some("ArgMax"), "y")), ("image-segmentation", High));
    assert_eq!(summary(&map(1, 4, Some("Sigmoid"), "y")), ("image-segmentation", Medium));
    assert_eq!(summary(&map(1, 2, None, "depth")), ("depth-estimation", High));
    assert_eq!(summary(&map(64, 16, None, "y")), ("image-features", Medium));
    assert_eq!(map(32, 2, Some("Relu"), "y").kind.id(), "unknown");
}

#[test]
fn three_channels_are_an_image_where_something_shows_it() {
    assert_eq!(summary(&map(3, 1, Some("Residual"), "y")), ("image-to-image", High));
    assert_eq!(summary(&map(3, 1, Some("Tanh"), "y")), ("image-to-image", Medium));
    assert_eq!(summary(&map(3, 1, Some("Softmax"), "y")), ("image-segmentation", High));
    assert_eq!(map(3, 1, None, "y").kind.id(), "unknown");
}

#[test]
fn channels_may_be_last() {
    let mut draft = Draft::over("x", &["1", "64", "64", "3"]);
    let first = draft.op("Transpose", &["x"], &[Attribute::ints("perm", &[0, 3, 1, 2])]);
    let map = draft.conv(&first, [3, 5], 1);
    let last = draft.op("Transpose", &[&map], &[Attribute::ints("perm", &[0, 2, 3, 1])]);
    let shares = draft.op("Softmax", &[&last], &[Attribute::int("axis", -1)]);
    let task = draft.ends(&shares);
    assert_eq!((summary(&task), task.classes), (("image-segmentation", High), Some(5)));
}

/// A probability for every pixel, from features of several resolutions.
fn head(levels: i64, grown: bool) -> Task {
    let mut draft = Draft::over("x", &["1", "3", "64", "64"]);
    let first = draft.conv("x", [3, 4], 4);
    let mut joined = vec![first.clone()];
    let empty = draft.weight(&[0]);
    for level in 1..levels {
        let small = draft.conv(&first, [4, 4], 1 << level);
        let name = draft.name();
        let side = (1 << level) as f32;
        let scale = calipers_samples::Tensor::f32(&name, &[4], &[1.0, 1.0, side, side]);
        draft.model.initializer(&scale);
        joined.push(draft.op("Resize", &[&small, &empty, &name], &[]));
    }
    let joined: Vec<&str> = joined.iter().map(String::as_str).collect();
    let mut map = draft.op("Concat", &joined, &[Attribute::int("axis", 1)]);
    let mut from = 4 * levels;
    for to in [4, 1] {
        if grown {
            let weight = draft.weight(&[from, to, 2, 2]);
            let with = [Attribute::ints("strides", &[2, 2])];
            map = draft.op("ConvTranspose", &[&map, &weight], &with);
        } else {
            map = draft.conv(&map, [from, to], 1);
        }
        from = to;
    }
    let map = draft.op("Sigmoid", &[&map], &[]);
    draft.ends(&map)
}

#[test]
fn a_binarization_head_finds_text() {
    assert_eq!(summary(&head(4, true)), ("text-detection", High));
    assert_eq!(summary(&head(4, false)), ("image-segmentation", Medium));
    assert_eq!(summary(&head(2, true)), ("image-segmentation", Medium));
}

#[test]
fn an_image_sampled_at_predicted_positions_is_unwarped() {
    let sampled = |source: &str| {
        let mut draft = Draft::over("x", &["1", "3", "64", "64"]);
        let flow = draft.conv("x", [3, 2], 1);
        let grid = draft.op("Transpose", &[&flow], &[Attribute::ints("perm", &[0, 2, 3, 1])]);
        let colors = draft.conv("x", [3, 3], 1);
        let of = if source == "x" { "x".to_owned() } else { colors };
        let straight = draft.op("GridSample", &[&of, &grid], &[]);
        draft.ends(&straight)
    };
    assert_eq!(summary(&sampled("x")), ("document-unwarping", Medium));
    assert_ne!(sampled("features").kind.id(), "document-unwarping");
}

#[test]
fn points_on_features_ask_for_masks() {
    let decoded = |points: &str, name: &str| {
        let mut draft = Draft::over("features", &["1", "64", "16", "16"]);
        draft.model.input("points", DataType::F32, &["1", "p", points]);
        let axes = Attribute::ints("axes", &[1, 2]);
        let mean = draft.op("ReduceMean", &["points"], &[axes]);
        let map = draft.conv("features", [64, 4], 1);
        let asked = draft.op("Mul", &[&map, &mean], &[]);
        draft.ends_named(&[(&asked, name)])
    };
    assert_eq!(summary(&decoded("2", "masks")), ("image-segmentation", High));
    assert_eq!(decoded("2", "y").kind.id(), "unknown");
    assert_eq!(decoded("7", "masks").kind.id(), "unknown");
}

#[test]
fn a_map_that_ends_in_a_relu_may_be_anything() {
    assert_eq!(map(1, 1, Some("Relu"), "y").kind.id(), "unknown");
    let mut draft = Draft::over("x", &["1", "3", "h", "w"]);
    let map = draft.conv("x", [3, 1], 1);
    let map = draft.op("Relu", &[&map], &[]);
    let axes = draft.ints(&[1]);
    let flat = draft.op("Squeeze", &[&map, &axes], &[]);
    assert_eq!(summary(&draft.ends(&flat)), ("depth-estimation", Medium));
}

#[test]
fn what_was_seen_is_the_evidence_of_an_unknown_task() {
    let task = columns(&["n", "3", "224", "224"], 97, None);
    let seen = &task.evidence[0];
    assert!(seen.starts_with("image input `x`, n × 3 × 224 × 224; output "), "{seen}");
    assert!(seen.ends_with("× 97, Softmax over the last axis"), "{seen}");
}

/// Columns of an image that a recurrent layer reads, and scores of characters for each.
fn read_in_steps(recurrent: bool, characters: i64) -> Task {
    let mut draft = Draft::over("image", &["n", "3", "96", "64"]);
    let mut map = draft.conv("image", [3, 8], 2);
    for _ in 0..2 {
        map = draft.conv(&map, [8, 8], 2);
    }
    let with = [Attribute::ints("axes", &[3]), Attribute::int("keepdims", 0)];
    let row = draft.op("ReduceMean", &[&map], &with);
    let mut steps = draft.op("Transpose", &[&row], &[Attribute::ints("perm", &[2, 0, 1])]);
    if recurrent {
        let (w, r) = (draft.weight(&[1, 32, 8]), draft.weight(&[1, 32, 8]));
        let hidden = Attribute::int("hidden_size", 8);
        steps = draft.op("LSTM", &[&steps, &w, &r], &[hidden]);
        let axes = draft.ints(&[1]);
        steps = draft.op("Squeeze", &[&steps, &axes], &[]);
    }
    let turned = draft.op("Transpose", &[&steps], &[Attribute::ints("perm", &[1, 0, 2])]);
    let scores = draft.linear(&turned, [8, characters]);
    let shares = draft.op("Softmax", &[&scores], &[Attribute::int("axis", 2)]);
    draft.ends(&shares)
}

#[test]
fn recurrent_layers_read_characters_of_images_of_any_form() {
    assert_eq!(summary(&read_in_steps(true, 23)), ("text-recognition", Medium));
    assert_eq!(read_in_steps(true, 6).kind.id(), "unknown");
    assert_eq!(read_in_steps(false, 23).kind.id(), "unknown");
}

#[test]
fn a_sigmoid_may_be_written_out() {
    let masked = |written: bool| {
        let mut draft = Draft::over("image", &["n", "3", "64", "64"]);
        let map = draft.conv("image", [3, 8], 1);
        let map = draft.op("Relu", &[&map], &[]);
        let map = draft.conv(&map, [8, 1], 1);
        if !written {
            return draft.ends(&map);
        }
        let one = draft.weight(&[1]);
        let less = draft.op("Neg", &[&map], &[]);
        let exp = draft.op("Exp", &[&less], &[]);
        let sum = draft.op("Add", &[&exp, &one], &[]);
        let shares = draft.op("Reciprocal", &[&sum], &[]);
        draft.ends(&shares)
    };
    assert_eq!(summary(&masked(true)), ("image-segmentation", Medium));
    // A number for every pixel may be a distance.
    assert_eq!(masked(false).kind.id(), "unknown");
}

#[test]
fn probabilities_of_seven_classes_are_not_a_box() {
    let rows = |softmax: bool| {
        let mut draft = Draft::over("image", &["n", "3", "64", "64"]);
        let map = draft.conv("image", [3, 7], 2);
        let rows = draft.op("Transpose", &[&map], &[Attribute::ints("perm", &[0, 2, 3, 1])]);
        let rows = draft.reshape(&rows, &[-1, 7]);
        let mask = draft.op("NonZero", &[&rows], &[]);
        let mask = draft.op("Transpose", &[&mask], &[]);
        let (start, end, axis) = (draft.ints(&[0]), draft.ints(&[1]), draft.ints(&[1]));
        let picked = draft.op("Slice", &[&mask, &start, &end, &axis], &[]);
        let picked = draft.reshape(&picked, &[-1]);
        let mut best = draft.op("Gather", &[&rows, &picked], &[]);
        if softmax {
            best = draft.op("Softmax", &[&best], &[Attribute::int("axis", -1)]);
        }
        draft.ends(&best)
    };
    assert_eq!(rows(false).kind.id(), "object-detection");
    assert_ne!(rows(true).kind.id(), "object-detection");
}

#[test]
fn a_few_numbers_may_be_measures() {
    let made = |width: i64, name: &str, map: bool| {
        let mut draft = Draft::over("image", &["n", "3", "64", "64"]);
        let features = draft.conv("image", [3, 8], 2);
        let features = draft.op("Relu", &[&features], &[]);
        let flat = draft.pooled(&features);
        let scores = draft.linear(&flat, [8, width]);
        let heat = draft.conv(&features, [8, 3], 4);
        let mut outputs = vec![(scores.as_str(), name)];
        if map {
            outputs.insert(0, (heat.as_str(), "map"));
        }
        draft.ends_named(&outputs)
    };
    assert_eq!(made(5, "y", false).kind.id(), "image-classification");
    assert_eq!(made(2, "logits", false).kind.id(), "image-classification");
    // An angle and a speed; a flag next to a map.
    assert_eq!(made(2, "y", false).kind.id(), "unknown");
    assert_eq!(made(5, "y", true).kind.id(), "unknown");
}
