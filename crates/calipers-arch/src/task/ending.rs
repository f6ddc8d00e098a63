//! How an output is computed: the function that ends it, and the layer that makes it.
//!
//! The walk goes back from the output, through what only arranges, cuts, joins or scales, to the
//! first layer: a convolution, a product, a recurrence, a norm, a pooling.

use calipers_ops::Class;
use hashbrown::HashMap;

use crate::given::{is_product, stored_conv};
use crate::network::{BlockKind, Convolution, Network, NetworkOp, Val, With};

/// Operators between an output and the layer that makes it.
const MAX_STEPS: usize = 24;

/// Operators of a network by what they give, those inside blocks too.
pub(super) struct Leaves<'n>(HashMap<Val, &'n NetworkOp>);

impl<'n> Leaves<'n> {
    pub(super) fn new(net: &'n Network<'_>) -> Self {
        let leaves = net.all().filter(|unit| unit.parts.is_empty());
        Self(leaves.flat_map(|unit| unit.outputs.iter().map(move |val| (*val, unit))).collect())
    }

    /// The operator that gives a value.
    pub(super) fn maker(&self, val: Val) -> Option<&'n NetworkOp> {
        self.0.get(&val).copied()
    }
}

/// The function that ends an output.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Function {
    Softmax,
    Sigmoid,
    Tanh,
    Relu,
    Clip,
    L2Norm,
}

impl Function {
    pub(super) const fn name(self) -> &'static str {
        match self {
            Self::Softmax => "Softmax",
            Self::Sigmoid => "Sigmoid",
            Self::Tanh => "Tanh",
            Self::Relu => "ReLU",
            Self::Clip => "Clip",
            Self::L2Norm => "L2 norm",
        }
    }

    /// Whether its results are probabilities.
    pub(super) const fn is_probability(self) -> bool {
        matches!(self, Self::Softmax | Self::Sigmoid)
    }
}

/// The layer that makes an output.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Layer {
    Convolution(Convolution),
    /// A product with a stored matrix.
    Product,
    Recurrence,
    Norm,
    Pool,
    /// The sum of two branches.
    Sum,
    /// Pixels of an image, at computed positions.
    GridSample,
    /// An input as it is.
    Input,
    Other,
}

/// How an output is computed.
#[derive(Clone, Debug)]
pub(super) struct Ending {
    pub function: Option<Function>,
    /// Elements that a Softmax normalizes together, or that an ArgMax picks from.
    pub classes: Option<i64>,
    /// Whether that is along the last axis.
    pub along_last: bool,
    pub picks: bool,
    pub layer: Layer,
    /// Whether the layer has a bias.
    pub biased: bool,
    /// Whether values are joined on the way: scales, branches, states.
    pub joined: bool,
    /// Whether the last steps change the range of values by constants.
    pub scaled: bool,
    pub resized: bool,
    /// Whether the input is added to what is computed.
    pub adds_input: bool,
    /// Whether DepthToSpace makes pixels of channels.
    pub shuffled: bool,
    /// Whether constants scale or shift what the function gives: a grade, not a probability.
    pub rescaled: bool,
}

impl Ending {
    pub(super) fn is_product(&self) -> bool {
        self.layer == Layer::Product
    }

    pub(super) fn is(&self, function: Function) -> bool {
        self.function == Some(function)
    }

    pub(super) fn is_probability(&self) -> bool {
        self.function.is_some_and(Function::is_probability) && !self.rescaled
    }

    pub(super) fn convolution(&self) -> Option<&Convolution> {
        match &self.layer {
            Layer::Convolution(convolution) => Some(convolution),
            _ => None,
        }
    }
}

/// How a value is computed.
pub(super) fn ending(net: &Network<'_>, leaves: &Leaves<'_>, val: Val) -> Ending {
    let mut end = Ending {
        function: None,
        classes: None,
        along_last: false,
        picks: false,
        layer: Layer::Other,
        biased: false,
        joined: false,
        scaled: false,
        resized: false,
        adds_input: false,
        shuffled: false,
        rescaled: false,
    };
    let mut at = val;
    for _ in 0..MAX_STEPS {
        if net.inputs.contains(&at) {
            end.layer = Layer::Input;
            break;
        }
        let Some(unit) = leaves.maker(at) else { break };
        // A norm that is written with several operators.
        let norm = net.producer(at).map(|id| net.unit(id)).filter(|unit| unit.is_normalization());
        if let Some(norm) = norm {
            let is_unit_length = norm.is((BlockKind::L2Norm, "LpNormalization"));
            if !is_unit_length {
                end.layer = Layer::Norm;
                break;
            }
            end.function.get_or_insert(Function::L2Norm);
            match net.data_inputs(norm).next() {
                Some(input) => at = input,
                None => break,
            }
            continue;
        }
        match step(net, leaves, unit, &mut end) {
            Some(before) => at = before,
            None => break,
        }
    }
    end
}

/// The value before an operator, where the walk goes on.
fn step(net: &Network<'_>, leaves: &Leaves<'_>, unit: &NetworkOp, end: &mut Ending) -> Option<Val> {
    let data = net.data_inputs(unit).next();
    if let Some(function) = function(unit) {
        // Masks of attention and gates are further back, behind a layer.
        if end.function.is_none() {
            end.function = Some(function);
            end.rescaled = end.scaled && end.biased;
            if function == Function::Softmax {
                normalized(net, unit, data?, end);
            }
        }
        return data;
    }
    if unit.is("Reciprocal")
        && let Some(before) = written_out_sigmoid(net, leaves, data?)
    {
        end.function.get_or_insert(Function::Sigmoid);
        return Some(before);
    }
    if unit.is_layout() || unit.is_cut() || unit.is(["Split", "Pad", "Expand", "Tile", "Dropout"]) {
        return data;
    }
    if unit.is(["ArgMax", "TopK"]) {
        end.picks = true;
        if unit.is("ArgMax") {
            normalized(net, unit, data?, end);
        }
        return data;
    }
    if unit.is(With::RESIZES) {
        end.resized = true;
        return data;
    }
    if unit.is("DepthToSpace") {
        end.shuffled = true;
        return data;
    }
    if unit.is(["Concat", "Gather", "GatherElements", "GatherND", "ScatterND", "Where"]) {
        end.joined = true;
        return data;
    }
    if unit.is("Div")
        && let Some((above, below)) = net.data_pair(unit)
        && let Some(before) = written_out(net, leaves, above, below, end)
    {
        return Some(before);
    }
    if unit.is(["Add", "Sub", "Mul", "Div", "Neg", "Exp", "Log", "Floor", "Round", "Abs"]) {
        return match net.data_pair(unit) {
            Some((a, b)) => sum(net, leaves, (a, b), unit, end),
            None => {
                let adds = unit.is("Add");
                end.biased |= adds;
                end.scaled |= !adds;
                data
            }
        };
    }
    let class = unit.traits().map(|traits| traits.class);
    // The mean of probabilities is one.
    if matches!(class, Some(Class::Pooling(_) | Class::Reduction))
        && let Some(behind) = data.map(|data| before_layout(net, leaves, data))
        && let Some(maker) = leaves.maker(behind)
        && function(maker).is_some_and(Function::is_probability)
    {
        return Some(behind);
    }
    end.layer = layer(net, leaves, unit, end);
    None
}

/// The value before operators that only arrange it.
fn before_layout(net: &Network<'_>, leaves: &Leaves<'_>, val: Val) -> Val {
    let mut at = val;
    for _ in 0..MAX_STEPS {
        let Some(unit) = leaves.maker(at).filter(|unit| unit.is_layout() || unit.is_cut()) else {
            break;
        };
        let Some(before) = net.data_inputs(unit).next() else { break };
        at = before;
    }
    at
}

/// The layer that an operator is.
fn layer(net: &Network<'_>, leaves: &Leaves<'_>, unit: &NetworkOp, end: &mut Ending) -> Layer {
    if let Some(convolution) = stored_conv(net, unit) {
        end.biased |= convolution.bias;
        return Layer::Convolution(convolution);
    }
    if is_product(net, unit) {
        end.biased |= unit.input(2).is_some();
        return Layer::Product;
    }
    match unit.traits().map(|traits| traits.class) {
        Some(Class::Recurrent) => Layer::Recurrence,
        Some(Class::Normalization(_)) => Layer::Norm,
        Some(Class::Pooling(_) | Class::Reduction) => Layer::Pool,
        _ if unit.is("GridSample") => match unit.input(0) {
            Some(image) if is_input(net, leaves, image) => Layer::GridSample,
            _ => Layer::Other,
        },
        _ => Layer::Other,
    }
}

/// The function of an operator that may end an output.
fn function(unit: &NetworkOp) -> Option<Function> {
    if unit.is_class(Class::Softmax) {
        return Some(Function::Softmax);
    }
    Some(if unit.is(("Sigmoid", BlockKind::HardSigmoid)) {
        Function::Sigmoid
    } else if unit.is("Tanh") {
        Function::Tanh
    } else if unit.is((BlockKind::Relu, "Relu")) {
        Function::Relu
    } else if unit.is((BlockKind::Relu6, "Clip")) {
        Function::Clip
    } else if unit.is("LpNormalization") {
        Function::L2Norm
    } else {
        return None;
    })
}

/// Notes what a Softmax or an ArgMax works along.
fn normalized(net: &Network<'_>, unit: &NetworkOp, input: Val, end: &mut Ending) {
    let Some(rank) = net.rank(input) else { return };
    let default = if unit.is("ArgMax") { 0 } else { -1 };
    let axis = net.int(unit, "axis").unwrap_or(default);
    let Ok(axis) = isize::try_from(axis) else { return };
    let last = isize::try_from(rank).unwrap_or(isize::MAX) - 1;
    let axis = if axis < 0 { axis + last + 1 } else { axis };
    end.classes = end.classes.or_else(|| net.dim(input, axis));
    end.along_last = axis == last;
}

/// The value before a sigmoid that is written as 1 / (1 + exp(-x)), from the sum on.
fn written_out_sigmoid(net: &Network<'_>, leaves: &Leaves<'_>, sum: Val) -> Option<Val> {
    let sum = leaves.maker(sum).filter(|unit| unit.is("Add") && net.data_pair(unit).is_none())?;
    let exp = leaves.maker(net.data_inputs(sum).next()?).filter(|unit| unit.is("Exp"))?;
    net.data_inputs(exp).next()
}

/// The value before a Softmax or a norm to unit length that is written with a quotient.
fn written_out(
    net: &Network<'_>,
    leaves: &Leaves<'_>,
    above: Val,
    below: Val,
    end: &mut Ending,
) -> Option<Val> {
    let mut at = below;
    for _ in 0..6 {
        let unit = leaves.maker(at)?;
        if unit.is("ReduceL2") {
            end.function.get_or_insert(Function::L2Norm);
            return Some(above);
        }
        if unit.is("ReduceSum") {
            let of = unit.input(0)?;
            let exp = leaves.maker(of)?;
            if exp.is("Exp") && of == above {
                end.function.get_or_insert(Function::Softmax);
                end.classes = end.classes.or_else(|| net.dim(above, -1));
                end.along_last = true;
                // What is subtracted is the maximum.
                let shifted = net.data_inputs(exp).next()?;
                let sub = leaves.maker(shifted).filter(|unit| unit.is("Sub"));
                return sub.map_or(Some(shifted), |unit| unit.input(0));
            }
            let squares = exp.is(["Mul", "Pow"]) && exp.inputs.contains(&Some(above));
            if squares {
                end.function.get_or_insert(Function::L2Norm);
                return Some(above);
            }
            return None;
        }
        let through = ["Sqrt", "Clip", "Max", "Expand", "Add", "Pow"];
        if !(unit.is(through) || unit.is_layout()) {
            return None;
        }
        at = net.data_inputs(unit).next()?;
    }
    None
}

/// Where the walk goes on behind an operator of two computed values.
fn sum(
    net: &Network<'_>,
    leaves: &Leaves<'_>,
    (a, b): (Val, Val),
    unit: &NetworkOp,
    end: &mut Ending,
) -> Option<Val> {
    let added = unit.is(["Add", "Sub"]);
    for (one, other) in [(a, b), (b, a)] {
        if added && is_input(net, leaves, one) {
            end.adds_input = true;
            return Some(other);
        }
    }
    // A value gated by its own sigmoid, or a mask: what is multiplied decides.
    if unit.is(["Mul", "Div"]) {
        end.scaled = true;
        return Some(a);
    }
    end.layer = Layer::Sum;
    None
}

/// Whether a value is an input, perhaps arranged, cut, scaled or resized.
fn is_input(net: &Network<'_>, leaves: &Leaves<'_>, val: Val) -> bool {
    let mut at = val;
    for _ in 0..8 {
        if net.inputs.contains(&at) {
            return true;
        }
        let Some(unit) = leaves.maker(at) else { return false };
        let light = unit.is_layout()
            || unit.is_cut()
            || unit.is(With::RESIZES)
            || unit.is(["Pad", "Expand"])
            || unit.is(["Add", "Sub", "Mul", "Div"]) && net.data_pair(unit).is_none();
        if !light {
            return false;
        }
        let Some(before) = net.data_inputs(unit).next() else { return false };
        at = before;
    }
    false
}

/// Whether a pooling, or a convolution to one pixel, comes before the last products of a value.
pub(super) fn is_pooled(net: &Network<'_>, leaves: &Leaves<'_>, val: Val) -> bool {
    let mut at = val;
    for _ in 0..MAX_STEPS {
        let Some(unit) = leaves.maker(at) else { return false };
        let class = unit.traits().map(|traits| traits.class);
        if matches!(class, Some(Class::Pooling(_) | Class::Reduction)) {
            return true;
        }
        if stored_conv(net, unit).is_some() {
            let sides = net.shape(at).map(|dims| dims.iter().skip(2));
            return sides.is_some_and(|mut sides| sides.all(|side| side.as_const() == Some(1)));
        }
        if matches!(class, Some(Class::Recurrent | Class::Attention)) {
            return false;
        }
        let Some(before) = net.data_inputs(unit).next() else { return false };
        at = before;
    }
    false
}
