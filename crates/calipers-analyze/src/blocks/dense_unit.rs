//! Dense unit: new features joined to all features before them.
//!
//! | form | written by |
//! |---|---|
//! | `Concat(x, f(x))` | Caffe, ONNX zoo |
//! | `Concat(x₀, …, xₙ, f(Concat(x₀, …, xₙ)))` | torchvision |
//!
//! `f` is one to three convolutions with their norms and activations. Extracts `in` and `growth`,
//! the channels that it adds.

use super::Recogniser;
use super::conv::{chain, conv};
use crate::net::{Found, Net, UnitId, Val};

pub(crate) const DENSE_UNIT: Recogniser = Recogniser {
    kind: "DenseUnit",
    what: "New features joined to all features before them.",
    ends: &["ConcatSkip", "Concat"],
    find,
};

fn find(net: &Net<'_>, end: UnitId) -> Option<Found> {
    let joined: Vec<Val> = net.data_inputs(net.unit(end)).collect();
    let (new, before) = joined.split_last()?;
    let mut units = vec![end];
    let mut convs = 0;
    for (val, unit) in chain(net, *new, &[]).into_iter().skip(1) {
        let unit = unit?;
        convs += usize::from(conv(net, unit).is_some());
        units.push(unit);
        if convs > 3 {
            return None;
        }
        if convs > 0 && is_all(net, val, before) {
            let (growth, all) = (net.dim(*new, 1), net.dim(val, 1));
            return Some(Found::of(units).number("in", all).number("growth", growth).taking([val]));
        }
    }
    None
}

/// Whether a value is these, joined.
fn is_all(net: &Net<'_>, val: Val, parts: &[Val]) -> bool {
    if parts == [val] {
        return true;
    }
    // A concatenation, or the unit before this one, which ends with one.
    net.producer(val).is_some_and(|unit| {
        let concat = net.unit(unit).walk().filter(|unit| unit.is("Concat")).last();
        concat.is_some_and(|concat| {
            concat.outputs.first() == Some(&val)
                && net.data_inputs(concat).eq(parts.iter().copied())
        })
    })
}
