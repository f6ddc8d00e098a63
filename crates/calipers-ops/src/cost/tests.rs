//! The table as a whole, and a small model by hand.

use calipers_sym::Expr;

use super::testing::work;
use crate::contrib::testing::{ints, text};
use crate::{FAMILIES, Traffic};

#[test]
fn every_rule_has_its_cost() {
    let rows = FAMILIES.iter().flat_map(|rows| rows.iter());
    let lacking: Vec<_> = rows
        .filter(|row| row.rule.is_some() && row.cost.is_none())
        .map(|row| format!("{}.{}", row.domain, row.name))
        .collect();
    assert!(lacking.is_empty(), "without a cost: {}", lacking.join(", "));
}

#[test]
fn views_move_nothing_and_lookups_only_what_they_give() {
    let traffic = |op: &str| crate::find("", op).unwrap().traffic;
    for view in ["Reshape", "Squeeze", "Unsqueeze", "Flatten", "Identity", "Shape", "Constant"] {
        assert_eq!(traffic(view), Traffic::Nothing, "{view}");
    }
    for lookup in ["Gather", "GatherND", "GatherElements", "Slice"] {
        assert_eq!(traffic(lookup), Traffic::Gathered, "{lookup}");
    }
    assert_eq!(traffic("Transpose"), Traffic::Whole);
}

/// A network for digits: two convolutions with a shift, `Relu` and a pool each, and a matrix.
#[test]
fn a_small_network_for_digits() {
    let same = [("auto_pad", text("SAME_UPPER"))];
    let by_2 = [("kernel_shape", ints(&[2, 2])), ("strides", ints(&[2, 2]))];
    let by_3 = [("kernel_shape", ints(&[3, 3])), ("strides", ints(&[3, 3]))];
    let layers = [
        work("", "Conv", &["float32[1, 1, 28, 28]", "float32[8, 1, 5, 5]"], &same),
        work("", "Add", &["float32[1, 8, 28, 28]", "float32[8, 1, 1]"], &[]),
        work("", "Relu", &["float32[1, 8, 28, 28]"], &[]),
        work("", "MaxPool", &["float32[1, 8, 28, 28]"], &by_2),
        work("", "Conv", &["float32[1, 8, 14, 14]", "float32[16, 8, 5, 5]"], &same),
        work("", "Add", &["float32[1, 16, 14, 14]", "float32[16, 1, 1]"], &[]),
        work("", "Relu", &["float32[1, 16, 14, 14]"], &[]),
        work("", "MaxPool", &["float32[1, 16, 14, 14]"], &by_3),
        work("", "Reshape", &["float32[1, 16, 4, 4]", "int64[2]={1, 256}"], &[]),
        work("", "MatMul", &["float32[1, 256]", "float32[256, 10]"], &[]),
        work("", "Add", &["float32[1, 10]", "float32[1, 10]"], &[]),
    ];
    let sum = |pick: fn(&(String, String)) -> &String| -> Expr {
        layers.iter().map(|layer| calipers_sym::parse(pick(layer)).unwrap()).sum()
    };
    // 28² · 8 · 25 + 14² · 16 · 200 + 256 · 10 = 156,800 + 627,200 + 2,560.
    assert_eq!(sum(|layer| &layer.0), 786_560);
    // Add 6,272 + 3,136 + 10; Relu 6,272 + 3,136; MaxPool 1,568 · 4 + 256 · 9.
    assert_eq!(sum(|layer| &layer.1), 27_402);
}
