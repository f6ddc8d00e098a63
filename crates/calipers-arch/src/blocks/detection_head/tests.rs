//! Heads as different detectors write them.

use calipers_samples::Attribute;

use crate::blocks::testing::sketch::{concat, conv, conv_relu, linear, shape};
use crate::blocks::testing::{Inspect as _, Seen, Tiny};
use crate::network::{BlockKind, DetectionHead};

/// Features of 16² and 8² places of an image of 64².
fn scales(t: &mut Tiny) -> [(String, i64); 2] {
    let x = t.input(&["1", "3", "64", "64"]);
    let stem = conv_relu(t, &x, shape(3, 8, 3).stride(2));
    let large = conv_relu(t, &stem, shape(8, 8, 3).stride(2));
    let small = conv_relu(t, &large, shape(8, 8, 3).stride(2));
    [(large, 16), (small, 8)]
}

fn listed(t: &mut Tiny, x: &str, target: &[i64]) -> String {
    let target = t.ints(target);
    t.op("Reshape", &[x, &target])
}

fn numbers(seen: &Seen) -> Option<(Option<i64>, Option<i64>, Vec<i64>)> {
    found(seen).map(|head| (head.classes, head.positions, head.strides))
}

fn found(seen: &Seen) -> Option<DetectionHead> {
    seen.first(BlockKind::DetectionHead, |_, unit| unit.detection_head().unwrap().clone())
}

#[test]
fn boxes_as_distributions() {
    let mut t = Tiny::new();
    let lists = scales(&mut t).map(|(x, side)| {
        let boxes = conv(&mut t, &x, shape(8, 32, 1));
        let scores = conv(&mut t, &x, shape(8, 5, 1));
        let both = concat(&mut t, &[&boxes, &scores], 1);
        listed(&mut t, &both, &[1, 37, side * side])
    });
    let all = concat(&mut t, &[&lists[0], &lists[1]], 2);
    let sizes = t.ints(&[32, 5]);
    let parts = t.many("Split", &[&all, &sizes], 2, &[Attribute::int("axis", 1)]);
    let bins = listed(&mut t, &parts[0], &[1, 4, 8, 320]);
    let bins = t.op_with("Softmax", &[&bins], &[Attribute::int("axis", 2)]);
    let axes = t.ints(&[2]);
    let sides = t.op_with("ReduceSum", &[&bins, &axes], &[Attribute::int("keepdims", 0)]);
    let scores = t.op("Sigmoid", &[&parts[1]]);
    let y = concat(&mut t, &[&sides, &scores], 1);
    let seen = t.output(&y);
    assert_eq!(numbers(&seen), Some((Some(5), Some(320), vec![4, 8])));
    assert_eq!(found(&seen).unwrap().bins, Some(8));
}

#[test]
fn anchors() {
    let mut t = Tiny::new();
    let lists = scales(&mut t).map(|(x, side)| {
        let y = conv(&mut t, &x, shape(8, 24, 1));
        let y = listed(&mut t, &y, &[1, 3, 8, side, side]);
        let perm = Attribute::ints("perm", &[0, 1, 3, 4, 2]);
        let y = t.op_with("Transpose", &[&y], &[perm]);
        let y = t.op("Sigmoid", &[&y]);
        listed(&mut t, &y, &[1, 3 * side * side, 8])
    });
    let all = concat(&mut t, &[&lists[0], &lists[1]], 1);
    let seen = t.output(&all);
    assert_eq!(numbers(&seen), Some((Some(3), Some(960), vec![4, 8])));
}

#[test]
fn boxes_and_classes_listed_apart() {
    let mut t = Tiny::new();
    let features = scales(&mut t);
    let list = |t: &mut Tiny, width: i64| {
        let lists: Vec<String> = features
            .iter()
            .map(|(x, side)| {
                let y = conv(t, x, shape(8, 2 * width, 3));
                let perm = Attribute::ints("perm", &[0, 2, 3, 1]);
                let y = t.op_with("Transpose", &[&y], &[perm]);
                listed(t, &y, &[1, 2 * side * side, width])
            })
            .collect();
        concat(t, &[&lists[0], &lists[1]], 1)
    };
    let (scores, boxes) = (list(&mut t, 7), list(&mut t, 4));
    let y = concat(&mut t, &[&scores, &boxes], 2);
    let seen = t.output(&y);
    assert_eq!(seen.count(BlockKind::DetectionHead), 1);
    // Two patterns find this kind; the report has one row of it.
    let rows = seen.inspect(crate::blocks::counts);
    let heads: Vec<_> = rows.iter().filter(|row| row.kind == BlockKind::DetectionHead).collect();
    assert!(matches!(heads[..], [row] if row.count == 1 && row.nodes.len() == 1), "{heads:?}");
    assert_eq!(numbers(&seen), Some((Some(7), Some(640), vec![4, 8])));
}

#[test]
fn sides_are_rounded_up() {
    assert_eq!(super::halved(800, 13), Some(64));
    assert_eq!(super::halved(800, 7), Some(128));
    assert_eq!(super::halved(300, 1), None);
    assert_eq!(super::halved(0, 0), None);
}

#[test]
fn separable_convolutions() {
    let mut t = Tiny::new();
    let lists = scales(&mut t).map(|(x, side)| {
        let y = conv_relu(&mut t, &x, shape(8, 8, 3).groups(8));
        let y = conv(&mut t, &y, shape(8, 24, 1));
        let y = listed(&mut t, &y, &[1, 3, 8, side, side]);
        let perm = Attribute::ints("perm", &[0, 3, 4, 1, 2]);
        let y = t.op_with("Transpose", &[&y], &[perm]);
        listed(&mut t, &y, &[1, 3 * side * side, 8])
    });
    let all = concat(&mut t, &[&lists[0], &lists[1]], 1);
    let seen = t.output(&all);
    assert_eq!(numbers(&seen), Some((Some(3), Some(960), vec![4, 8])));
}

#[test]
fn images_of_any_size() {
    let mut t = Tiny::new();
    let x = t.input(&["1", "3", "height", "width"]);
    let mut x = conv_relu(&mut t, &x, shape(3, 8, 3).stride(2));
    let mut lists = Vec::new();
    for _ in 0..3 {
        x = conv_relu(&mut t, &x, shape(8, 8, 3).stride(2));
        let y = conv(&mut t, &x, shape(8, 24, 1));
        let y = listed(&mut t, &y, &[1, 3, 8, -1]);
        let perm = Attribute::ints("perm", &[0, 1, 3, 2]);
        let y = t.op_with("Transpose", &[&y], &[perm]);
        let y = t.op("Sigmoid", &[&y]);
        lists.push(listed(&mut t, &y, &[1, -1, 8]));
    }
    let all = concat(&mut t, &[&lists[0], &lists[1], &lists[2]], 1);
    let seen = t.output(&all);
    assert_eq!(numbers(&seen), Some((Some(3), None, vec![4, 8, 16])));
    assert_eq!(found(&seen).unwrap().anchors, Some(3));
}

#[test]
fn an_encoder_of_several_scales_is_none() {
    let mut t = Tiny::new();
    let lists = scales(&mut t).map(|(x, side)| {
        let y = conv(&mut t, &x, shape(8, 16, 1));
        listed(&mut t, &y, &[1, 16, side * side])
    });
    let all = concat(&mut t, &[&lists[0], &lists[1]], 2);
    let perm = Attribute::ints("perm", &[0, 2, 1]);
    let all = t.op_with("Transpose", &[&all], &[perm]);
    let y = linear(&mut t, &all, 16, 16);
    assert_eq!(t.output(&y).count(BlockKind::DetectionHead), 0);
}
