//! Classifier head: places or tokens made one vector, and a score for each class.
//!
//! | form | written by |
//! |---|---|
//! | `GlobalAveragePool` or `ReduceMean`, `Flatten`, Linear | ResNet and most after it |
//! | `Flatten` of images, Linear with activations between | LeNet, AlexNet, VGG |
//! | `Gather` or `Slice` of one token, perhaps Linear and `Tanh`, Linear | ViT, BERT, recurrent networks |
//! | 1×1 convolution, `GlobalAveragePool` | SqueezeNet |
//!
//! It ends at an output of a row for each one of the batch, perhaps by `Softmax` or `Sigmoid`. A projection without
//! bias that nothing normalizes to shares is not a classifier: it embeds. Extracts `classes`.

use calipers_ops::{Class, Movement};

use super::Pattern;
use super::conv::{ACTIVATIONS, CONVS, NORMS, area, conv, scales};
use super::squeeze_excite::pools;
use crate::network::{BlockKind, ClassifierHead, Found, Network, NetworkOp, OpId, Ops, Val, With};

pub(super) const CLASSIFIER_HEAD: Pattern = Pattern {
    kind: BlockKind::ClassifierHead,
    description: "Pools positions into one vector and scores each class.",
    anchors: Ops {
        blocks: &[BlockKind::ConvNormAct, BlockKind::Convolution, BlockKind::Linear],
        operators: &["AveragePool", "Conv", "Gemm", "GlobalAveragePool", "MatMul", "ReduceMean"],
    },
    matcher: find,
};

const LINEARS: Ops = Ops { blocks: &[BlockKind::Linear], operators: &["Gemm", "MatMul"] };

/// Steps from the last product back to the pooling.
const MAX_STEPS: usize = 16;

fn find(net: &Network<'_>, end: OpId) -> Option<Found> {
    let unit = net.unit(end);
    let output = unit.output();
    let Ending { mut units, given, shared, biased } = ending(net, output)?;
    units.push(end);
    // A score for each class, perhaps as an image of one place.
    let classes =
        net.elements_next_to(given).filter(|classes| net.dim(given, 1) == Some(*classes))?;
    // One score is a class or not only where it is made a probability.
    if classes < 2 && !(classes == 1 && shared) {
        return None;
    }
    if pools(net, unit) {
        // Scores at every place, pooled at last.
        let scores = net.made_by(unit.input(0)?, CONVS)?;
        let shape = conv(net, scores)?;
        units.push(scores);
        let fits = shape.is_pointwise() && shape.out_channels == Some(classes);
        return fits.then(|| Found::new(units).with(ClassifierHead { classes: Some(classes) }));
    }
    let pointwise = conv(net, end).is_some_and(|conv| conv.is_pointwise());
    let linear = unit.is(LINEARS) || pointwise && area(net, output) == Some(1);
    let biased = biased
        || unit.linear().is_some_and(|linear| linear.bias)
        || unit.input(2).is_some()
        || pointwise;
    if !linear || net.data_inputs(unit).count() != 1 || !(biased || shared) {
        return None;
    }
    let before = one_vector(net, unit.input(0)?)?;
    units.extend(before);
    Some(Found::new(units).with(ClassifierHead { classes: Some(classes) }))
}

/// How scores become an output.
struct Ending {
    units: Vec<OpId>,
    /// The output.
    given: Val,
    /// Whether they are made probabilities.
    shared: bool,
    /// Whether a bias is added.
    biased: bool,
}

fn ending(net: &Network<'_>, val: Val) -> Option<Ending> {
    let (mut at, mut units) = (val, Vec::new());
    let (mut shared, mut biased) = (false, false);
    for _ in 0..6 {
        if net.is_output(at) {
            return Some(Ending { units, given: at, shared, biased });
        }
        let user = net.only_use(at)?;
        let unit = net.unit(user);
        let activation = unit.is(With::PROBABILITIES);
        // A bias that is apart.
        let bias = unit.is("Add") && net.data_and_constant(unit).is_some();
        if !activation && !bias && !unit.is_layout() {
            return None;
        }
        shared |= activation;
        biased |= bias;
        units.push(user);
        at = unit.output();
    }
    None
}

/// The units that make one vector of places or tokens, and work on it.
fn one_vector(net: &Network<'_>, val: Val) -> Option<Vec<OpId>> {
    let (mut at, mut units) = (val, Vec::new());
    for _ in 0..MAX_STEPS {
        let id = net.producer(at)?;
        let unit = net.unit(id);
        if unit.is((BlockKind::Recurrent, With::RECURRENT)) {
            return Some(units);
        }
        if gathers(net, unit, at) {
            units.push(id);
            return Some(units);
        }
        let vector = unit.is(LINEARS) || conv(net, id).is_some_and(|conv| conv.is_pointwise());
        let between = unit.is(ACTIVATIONS) || unit.is(NORMS) || scales(net, unit);
        if !(vector || between || unit.is_layout()) || net.data_inputs(unit).count() != 1 {
            return None;
        }
        units.push(id);
        at = net.data_inputs(unit).next()?;
    }
    None
}

/// Whether a unit makes one vector of many places or tokens.
fn gathers(net: &Network<'_>, unit: &NetworkOp, to: Val) -> bool {
    let Some(from) = unit.input(0) else { return false };
    if pools(net, unit) {
        return true;
    }
    let (Some(before), Some(after)) = (net.rank(from), net.rank(to)) else { return false };
    let reduces = unit.has_trait(|traits| traits.class == Class::Reduction && !traits.decides);
    match unit.movement() {
        _ if reduces => before == 3 && after == 2 && net.is_data(from),
        Some(Movement::Gather) => before == 3 && after == 2 && net.is_data(from),
        // One token of many, still with the axis of tokens.
        Some(Movement::Slice) => before == 3 && net.dim(to, 1) == Some(1),
        // Images made a row.
        Some(Movement::View) => {
            before >= 3 && after == 2 && area(net, from).is_some_and(|area| area > 1)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use calipers_samples::Attribute;

    use super::super::testing::sketch::{conv, conv_relu, linear, shape};
    use super::super::testing::{Inspect as _, Tiny};
    use crate::network::BlockKind;

    fn classes(input: &[&str], build: impl FnOnce(&mut Tiny, &str) -> String) -> Option<i64> {
        let mut t = Tiny::new();
        let x = t.input(input);
        let y = build(&mut t, &x);
        t.output(&y)
            .first(BlockKind::ClassifierHead, |_, unit| unit.classifier_head()?.classes)
            .flatten()
    }

    const IMAGE: &[&str] = &["batch", "8", "4", "4"];
    const TOKENS: &[&str] = &["batch", "sequence", "8"];

    #[test]
    fn of_images() {
        let pooled = |t: &mut Tiny, x: &str| {
            let y = t.op("GlobalAveragePool", &[x]);
            let y = t.op("Flatten", &[&y]);
            linear(t, &y, 8, 10)
        };
        assert_eq!(classes(IMAGE, pooled), Some(10));
        let flat = |t: &mut Tiny, x: &str| {
            let y = t.op("Flatten", &[x]);
            let y = linear(t, &y, 128, 16);
            let y = t.op("Relu", &[&y]);
            let y = linear(t, &y, 16, 5);
            t.op("Softmax", &[&y])
        };
        assert_eq!(classes(IMAGE, flat), Some(5));
        let at_last = |t: &mut Tiny, x: &str| {
            let y = conv_relu(t, x, shape(8, 7, 1));
            let y = t.op("GlobalAveragePool", &[&y]);
            t.op("Flatten", &[&y])
        };
        assert_eq!(classes(IMAGE, at_last), Some(7));
        let convolved = |t: &mut Tiny, x: &str| {
            let y = t.op("GlobalAveragePool", &[x]);
            conv(t, &y, shape(8, 6, 1))
        };
        assert_eq!(classes(IMAGE, convolved), Some(6));
    }

    #[test]
    fn of_tokens() {
        let first = |t: &mut Tiny, x: &str| {
            let zero = t.index(0);
            let y = t.op_with("Gather", &[x, &zero], &[Attribute::int("axis", 1)]);
            let y = linear(t, &y, 8, 8);
            let y = t.op("Tanh", &[&y]);
            linear(t, &y, 8, 2)
        };
        assert_eq!(classes(TOKENS, first), Some(2));
        let mean = |t: &mut Tiny, x: &str| {
            let axes = t.ints(&[1]);
            let y = t.op_with("ReduceMean", &[x, &axes], &[Attribute::int("keepdims", 0)]);
            linear(t, &y, 8, 3)
        };
        assert_eq!(classes(TOKENS, mean), Some(3));
    }

    #[test]
    fn other_ends_are_none() {
        assert_eq!(classes(TOKENS, |t, x| linear(t, x, 8, 3)), None, "a score for each token");
        assert_eq!(classes(&["batch", "8"], |t, x| linear(t, x, 8, 3)), None, "nothing is pooled");
        let projected = |t: &mut Tiny, x: &str| {
            let zero = t.index(0);
            let y = t.op_with("Gather", &[x, &zero], &[Attribute::int("axis", 1)]);
            let weight = t.weight(&[8, 4]);
            t.op("MatMul", &[&y, &weight])
        };
        assert_eq!(classes(TOKENS, projected), None, "an embedding");
        let regressed = |t: &mut Tiny, x: &str| {
            let y = t.op("GlobalAveragePool", &[x]);
            let y = t.op("Flatten", &[&y]);
            linear(t, &y, 8, 1)
        };
        assert_eq!(classes(IMAGE, regressed), None, "one number");
    }
}
