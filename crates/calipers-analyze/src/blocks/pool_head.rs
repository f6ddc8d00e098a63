//! Classifier head: places or tokens made one vector, and a score for each class.
//!
//! | form | written by |
//! |---|---|
//! | `GlobalAveragePool` or `ReduceMean`, `Flatten`, Linear | ResNet and most after it |
//! | `Flatten` of images, Linear with activations between | LeNet, AlexNet, VGG |
//! | `Gather` or `Slice` of one token, perhaps Linear and `Tanh`, Linear | ViT, BERT, recurrent networks |
//! | 1×1 convolution, `GlobalAveragePool` | SqueezeNet |
//!
//! It ends at an output of two dimensions, perhaps by `Softmax` or `Sigmoid`. A projection without
//! bias that nothing normalises to shares is no classifier: it embeds. Extracts `classes`.

use super::Recogniser;
use super::conv::{ACTIVATIONS, CONVS, NORMS, area, conv, scales};
use super::squeeze_excite::pools;
use crate::net::{Found, Net, Unit, UnitId, VIEWS, Val};

pub(crate) const CLASSIFIER_HEAD: Recogniser = Recogniser {
    kind: "ClassifierHead",
    what: "Places or tokens made one vector, and a score for each class.",
    ends: &[
        "AveragePool",
        "Conv",
        "ConvNormAct",
        "Convolution",
        "Gemm",
        "GlobalAveragePool",
        "Linear",
        "MatMul",
        "ReduceMean",
    ],
    find,
};

const LINEARS: &[&str] = &["Gemm", "Linear", "MatMul"];

const RECURRENT: &[&str] = &["GRU", "LSTM", "RNN", "Recurrent"];

/// Steps from the last product back to the pooling.
const MAX_STEPS: usize = 16;

fn find(net: &Net<'_>, end: UnitId) -> Option<Found> {
    let unit = net.unit(end);
    let output = unit.output();
    let (mut units, given, shared) = ending(net, output)?;
    units.push(end);
    let classes = net.dim(given, -1).filter(|_| net.rank(given) == Some(2))?;
    // One score is a class or not only where it is made a probability.
    if classes < 2 && !(classes == 1 && shared) {
        return None;
    }
    if pools(net, unit) {
        // Scores at every place, pooled at last.
        let scores = net.made_by(unit.input(0)?, CONVS)?;
        let shape = conv(net, scores)?;
        units.push(scores);
        let fits = shape.pointwise() && shape.outputs == classes;
        return fits.then(|| Found::of(units).number("classes", Some(classes)));
    }
    let pointwise = conv(net, end).is_some_and(|conv| conv.pointwise());
    let linear = unit.is_any(LINEARS) || pointwise && area(net, output) == Some(1);
    let biased = unit.says("bias") || unit.input(2).is_some() || pointwise;
    if !linear || net.data_inputs(unit).count() != 1 || !(biased || shared) {
        return None;
    }
    let before = one_vector(net, unit.input(0)?)?;
    units.extend(before);
    Some(Found::of(units).number("classes", Some(classes)))
}

/// The units from a value to the output that it becomes, that output, and whether it is made
/// probabilities.
fn ending(net: &Net<'_>, val: Val) -> Option<(Vec<UnitId>, Val, bool)> {
    let (mut at, mut units, mut shared) = (val, Vec::new(), false);
    for _ in 0..6 {
        if net.is_output(at) {
            return Some((units, at, shared));
        }
        let user = net.only_use(at)?;
        let unit = net.unit(user);
        let curve = unit.is_any(&["LogSoftmax", "Sigmoid", "Softmax"]);
        // A bias that stands apart.
        let bias = unit.is("Add") && net.data_and_constant(unit).is_some();
        if !curve && !bias && !unit.is_any(VIEWS) {
            return None;
        }
        shared |= curve || bias;
        units.push(user);
        at = unit.output();
    }
    None
}

/// The units that make one vector of places or tokens, and work on it.
fn one_vector(net: &Net<'_>, val: Val) -> Option<Vec<UnitId>> {
    let (mut at, mut units) = (val, Vec::new());
    for _ in 0..MAX_STEPS {
        let id = net.producer(at)?;
        let unit = net.unit(id);
        if unit.is_any(RECURRENT) {
            return Some(units);
        }
        if gathers(net, unit, at) {
            units.push(id);
            return Some(units);
        }
        let vector = unit.is_any(LINEARS) || conv(net, id).is_some_and(|conv| conv.pointwise());
        let between = unit.is_any(ACTIVATIONS) || unit.is_any(NORMS) || scales(net, unit);
        if !(vector || between || unit.is_any(VIEWS)) || net.data_inputs(unit).count() != 1 {
            return None;
        }
        units.push(id);
        at = net.data_inputs(unit).next()?;
    }
    None
}

/// Whether a unit makes one vector of many places or tokens.
fn gathers(net: &Net<'_>, unit: &Unit, to: Val) -> bool {
    let Some(from) = unit.input(0) else { return false };
    if pools(net, unit) {
        return true;
    }
    let (Some(before), Some(after)) = (net.rank(from), net.rank(to)) else { return false };
    match unit.op {
        "Gather" | "GatherND" | "ReduceMean" | "ReduceMax" | "ReduceSum" => {
            before == 3 && after == 2 && net.is_data(from)
        }
        // One token of many, still with the axis of tokens.
        "Slice" | "Split" => before == 3 && net.dim(to, 1) == Some(1),
        // Images made a row.
        "Flatten" | "Reshape" => {
            before >= 3 && after == 2 && area(net, from).is_some_and(|area| area > 1)
        }
        _ => false,
    }
}
