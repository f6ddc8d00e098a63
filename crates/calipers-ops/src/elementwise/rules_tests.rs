use DType::{Bool, Float16, Float32, Int32, Int64};
use calipers_sym::Expr;

use super::super::testing::{Trial, ints, n, plain, row, tensor};
use super::*;

fn shape(fact: &TensorFact) -> String {
    fact.to_string()
}

#[test]
fn old_versions_broadcast_the_second_input_at_an_axis() {
    let with = |attributes: &[(&str, Attr<'static>)], right: &[i64]| {
        Trial { op: "Add", version: 6, attributes }
            .run(&[tensor(Float32, &[2, 3, 4, 5]), tensor(Float32, right)])
            .map(|facts| facts[0].to_string())
    };
    let full = Ok("float32[2, 3, 4, 5]".to_owned());
    let (broadcast, axis) = (("broadcast", Attr::Int(1)), ("axis", Attr::Int(1)));
    assert_eq!(with(&[], &[2, 3, 4, 5]), full);
    assert!(with(&[], &[5]).is_err());
    let at_the_end = [broadcast.clone()];
    assert_eq!(with(&at_the_end, &[5]), full);
    assert_eq!(with(&at_the_end, &[1, 1]), full);
    assert_eq!(with(&[broadcast.clone(), axis.clone()], &[3, 4]), full);
    assert!(with(&[broadcast.clone(), axis.clone()], &[4, 5]).is_err());
    assert!(with(&[broadcast, axis], &[3, 4, 5, 6]).is_err());
}

#[test]
fn old_versions_broadcast_elements_at_an_axis() {
    let attributes = [("broadcast", Attr::Int(1)), ("axis", Attr::Int(0))];
    let left = tensor(Int64, &[2, 2]).with_value([1, 2, 3, 4].map(Elem::int));
    let sum =
        Trial { op: "Add", version: 6, attributes: &attributes }.output(&[left, ints(&[10, 20])]);
    assert_eq!(sum.value.as_deref(), Some(&[11, 12, 23, 24].map(Elem::int)[..]));
}

#[test]
fn types_go_together_or_not_at_all() {
    let float = || tensor(Float32, &[2]);
    assert!(plain("Mul").fails(&[float(), tensor(Int64, &[2])]));
    assert_eq!(shape(&plain("Pow").output(&[float(), tensor(Int32, &[2])])), "float32[2]");
    let unknown = TensorFact { dtype: DType::Undefined, ..tensor(Float32, &[3, 1]) };
    assert_eq!(shape(&plain("Mul").output(&[unknown, float()])), "float32[3, 2]");
    assert_eq!(shape(&plain("Less").output(&[float(), float()])), "bool[2]");
    assert!(plain("Less").fails(&[float(), tensor(Float32, &[3])]));
}

#[test]
fn nothing_known_of_one_input_leaves_the_type() {
    let lost = TensorFact { shape: Err("lost".into()), ..tensor(Float32, &[]) };
    assert_eq!(shape(&plain("Add").output(&[tensor(Float32, &[2]), lost.clone()])), "float32[…]");
    assert_eq!(shape(&plain("Equal").output(&[lost.clone(), lost])), "bool[…]");
}

#[test]
fn a_shape_with_holes_is_filled() {
    // Where(shape == -1, ones, shape), as expansions are exported.
    let wanted = row(Int64, &[Elem::Int(n()), Elem::int(-1), Elem::Unknown]);
    let holes = plain("Equal").output(&[wanted.clone(), ints(&[-1])]);
    assert_eq!(
        holes.value.as_deref(),
        Some(&[Elem::bool(false), Elem::bool(true), Elem::Unknown][..])
    );
    let filled = plain("Where").output(&[holes, ints(&[1]), wanted]);
    assert_eq!(filled.value.as_deref(), Some(&[Elem::Int(n()), Elem::int(1), Elem::Unknown][..]));
}

#[test]
fn a_size_is_halved_through_floats() {
    // Cast(Floor(Cast(size) / 2)), as interpolation is exported.
    let to = |dtype: i64| [("to", Attr::Int(dtype))];
    let cast = |dtype: i64, input: TensorFact| {
        Trial { op: "Cast", version: 13, attributes: &to(dtype) }.output(&[input])
    };
    let float = cast(1, row(Int64, &[Elem::Int(n()), Elem::int(7)]));
    assert_eq!(float.dtype, Float32);
    let two = row(Float32, &[Elem::int(2)]);
    let half = plain("Floor").output(&[plain("Div").output(&[float, two])]);
    let whole = cast(7, half);
    let expected = [Elem::Int(n().floor_div(&Expr::from(2))), Elem::int(3)];
    assert_eq!(whole.value.as_deref(), Some(&expected[..]));
}

#[test]
fn casts_are_named_in_old_versions() {
    let attributes = [("to", Attr::Text(b"INT64"))];
    let cast = Trial { op: "Cast", version: 1, attributes: &attributes };
    assert_eq!(shape(&cast.output(&[tensor(Float32, &[2])])), "int64[2]");
    assert!(plain("Cast").fails(&[tensor(Float32, &[2])]));
    let attributes = [("to", Attr::Int(7))];
    let bit_cast = Trial { op: "BitCast", version: 26, attributes: &attributes };
    assert!(bit_cast.fails(&[tensor(Float32, &[2])]));
}

#[test]
fn masks_were_numbers_once() {
    let mask = |version: i64| {
        let facts = Trial { op: "Dropout", version, attributes: &[] }.run(&[tensor(Float16, &[2])]);
        facts.unwrap()[1].as_tensor().unwrap().dtype
    };
    assert_eq!([1, 6, 7].map(mask), [Float16; 3]);
    assert_eq!([10, 12, 13, 22].map(mask), [Bool; 4]);
}

#[test]
fn bounds_were_attributes_once() {
    let attributes = [("min", Attr::Float(0.0)), ("max", Attr::Float(6.0))];
    let elements = row(Float32, &[Elem::int(-1), Elem::int(7), Elem::Int(n())]);
    let clipped = Trial { op: "Clip", version: 6, attributes: &attributes }
        .output(std::slice::from_ref(&elements));
    let at_most_six = Elem::Int(Expr::min(&n(), &Expr::from(6)));
    assert_eq!(clipped.value.as_deref(), Some(&[Elem::int(0), Elem::int(6), at_most_six][..]));
    // Later, attributes of that name mean nothing.
    let later = Trial { op: "Clip", version: 13, attributes: &attributes }
        .output(std::slice::from_ref(&elements));
    assert_eq!(later.value, elements.value);
}

#[test]
fn sums_run_along_an_axis() {
    let input = || tensor(Int64, &[2, 3]).with_value([1, 2, 3, 4, 5, 6].map(Elem::int));
    let run = |op: &str, axis: i64, exclusive: i64, reverse: i64| {
        let attributes = [("exclusive", Attr::Int(exclusive)), ("reverse", Attr::Int(reverse))];
        let axis = tensor(Int64, &[]).with_value([Elem::int(axis)]);
        let output = Trial { op, version: 26, attributes: &attributes }.output(&[input(), axis]);
        output.value.unwrap().iter().map(|elem| elem.as_i64().unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(run("CumSum", 1, 0, 0), [1, 3, 6, 4, 9, 15]);
    assert_eq!(run("CumSum", 0, 0, 0), [1, 2, 3, 5, 7, 9]);
    assert_eq!(run("CumSum", -1, 1, 0), [0, 1, 3, 0, 4, 9]);
    assert_eq!(run("CumSum", 1, 1, 1), [5, 3, 0, 11, 6, 0]);
    assert_eq!(run("CumProd", 1, 0, 1), [6, 6, 3, 120, 30, 6]);
    assert_eq!(run("CumProd", 1, 1, 0), [1, 1, 2, 1, 4, 20]);
}

#[test]
fn slopes_broadcast_one_way() {
    let input = || tensor(Float32, &[2, 3]);
    assert_eq!(shape(&plain("PRelu").output(&[input(), tensor(Float32, &[3])])), "float32[2, 3]");
    assert!(plain("PRelu").fails(&[input(), tensor(Float32, &[4, 2, 3])]));
    assert!(plain("PRelu").fails(&[input(), tensor(Float32, &[2])]));
    let old = Trial { op: "PRelu", version: 6, attributes: &[] };
    assert_eq!(shape(&old.output(&[input(), tensor(Float32, &[2])])), "float32[2, 3]");
}

#[test]
fn unknown_elements_stay_unknown_one_by_one() {
    let some = row(Int64, &[Elem::Unknown, Elem::int(3)]);
    let sum = plain("Add").output(&[some.clone(), ints(&[1, 1])]);
    assert_eq!(sum.value.as_deref(), Some(&[Elem::Unknown, Elem::int(4)][..]));
    let product = plain("Mul").output(&[some, ints(&[0, 2])]);
    assert_eq!(product.value.as_deref(), Some(&[Elem::int(0), Elem::int(6)][..]));
    assert_eq!(plain("Add").output(&[tensor(Int64, &[2]), ints(&[1, 1])]).value, None);
}
