//! Layers as nodes: the operator that computes the same, with the layer's class as what is written.

mod activation;
mod attention;
mod convolution;
mod merging;
mod normalization;
mod operation;
mod pooling;
mod recurrent;
mod shaping;

use calipers_ir::assembly::{Assembly, Call};
use calipers_ir::{NameId, TooLarge};

use super::json::Config;
use super::network::{Argument, Layer, LayerCall, Shape};
use super::variables::variables;
use super::weights::is_operation;

/// The domain of rows that Keras alone has.
const KERAS: &str = "keras";

/// The domain of rows that several frameworks share.
const FRAMEWORKS: &str = "frameworks";

/// A weight in the graph.
#[derive(Clone, Debug)]
pub(super) struct Placed {
    /// The object of the layer that holds it, and its name there; empty where it is not known.
    pub(super) part: &'static str,
    pub(super) variable: &'static str,
    pub(super) name: NameId,
    /// Its dimensions.
    pub(super) dims: Vec<i64>,
}

/// A call of a layer on its way into the graph.
pub(super) struct Site<'s, 'b> {
    pub(super) assembly: &'s mut Assembly<'b>,
    pub(super) layer: &'s Layer<'s>,
    pub(super) call: &'s LayerCall,
    pub(super) weights: &'s [Placed],
    /// The names of all values, by their place.
    pub(super) names: &'s [NameId],
    /// The values that the call is given, without masks.
    pub(super) inputs: Vec<NameId>,
    /// Their shapes, as far as known.
    pub(super) shapes: Vec<Option<Shape>>,
    /// The node.
    pub(super) node: Call,
    /// Dimensions of the first output, where they are known.
    pub(super) rank: Option<usize>,
}

/// Whether a layer was given an operator; one that was not keeps its name.
type Mapped = Result<bool, TooLarge>;

impl Site<'_, '_> {
    fn config(&self) -> Config<'_> {
        self.layer.config
    }

    /// How many dimensions the first input has.
    fn input_rank(&self) -> Option<usize> {
        let shape = self.shapes.first().and_then(Option::as_ref);
        let shape = shape.or(self.layer.built_for.as_ref());
        shape.map(|shape| shape.dims.len())
    }

    /// A weight of the layer itself; the empty name where there is none.
    fn weight(&self, variable: &str) -> NameId {
        self.weight_of("", variable)
    }

    /// A weight of an object of the layer.
    fn weight_of(&self, part: &str, variable: &str) -> NameId {
        let found = self.placed(part, variable).map(|weight| weight.name);
        found.unwrap_or_else(|| self.assembly.none())
    }

    fn placed(&self, part: &str, variable: &str) -> Option<&Placed> {
        self.weights.iter().find(|weight| weight.part == part && weight.variable == variable)
    }

    /// Gives the node its operands: values, then weights; those left out at the end are not listed.
    fn operands(&mut self, inputs: usize, weights: &[NameId]) {
        let none = self.assembly.none();
        let given = self.inputs.iter().take(inputs).copied();
        let mut operands: Vec<NameId> = given.chain(weights.iter().copied()).collect();
        while operands.last() == Some(&none) {
            operands.pop();
        }
        self.node.inputs = operands;
    }

    /// The operator of the standard that computes the same, of all values and no weights.
    fn is(&mut self, op: &'static str) {
        self.node.is(op);
        self.operands(usize::MAX, &[]);
    }

    /// Keeps the activation that the layer applies to its result.
    fn keep_activation(&mut self) {
        let activation = self.config().function("activation").to_owned();
        if !matches!(activation.as_str(), "" | "linear") {
            self.node.text("activation", &activation);
        }
    }

    /// The value that an argument is.
    fn value_of(&self, argument: Option<&Argument>) -> Option<NameId> {
        self.names.get(argument?.value()?).copied()
    }

    /// The mask that the call is given.
    fn mask(&self, name: &str) -> NameId {
        let named = self.call.named.iter().find(|(given, _)| given == name);
        let mask = self.value_of(named.map(|(_, argument)| argument));
        mask.unwrap_or_else(|| self.assembly.none())
    }

    /// An argument of an operation: by its place, or by its name.
    fn argument(&self, place: usize, name: &str) -> Option<&Argument> {
        let named = self.call.named.iter().find(|(given, _)| given == name);
        named.map(|(_, argument)| argument).or_else(|| self.call.arguments.get(place))
    }
}

/// Gives the node of a call its operator and operands.
pub(super) fn map(site: &mut Site<'_, '_>) -> Result<(), TooLarge> {
    let rank = site.input_rank();
    let class = site.layer.class;
    let mapped = match is_operation(site.layer.module) {
        true => operation::map(site, class)?,
        false => {
            activation::map(site, class)?
                || convolution::map(site, class)?
                || pooling::map(site, class)?
                || normalization::map(site, class)?
                || merging::map(site, class)?
                || shaping::map(site, class)?
                || recurrent::map(site, class)?
                || attention::map(site, class)?
                || operation::map_function(site, class)?
                // Older files do not say where a class is defined.
                || site.layer.module.is_empty() && operation::map(site, class)?
        }
    };
    if !mapped || lacks_weights(site) {
        let weights: Vec<NameId> = site.weights.iter().map(|weight| weight.name).collect();
        site.node.op = "";
        site.node.domain = "";
        site.node.attributes.clear();
        site.node.layout = calipers_ir::Layout::default();
        site.operands(usize::MAX, &weights);
        site.rank = None;
    } else if site.rank.is_none() && keeps_rank(&site.node) {
        site.rank = rank;
    }
    Ok(())
}

/// Whether a weight is missing that the operator of the layer cannot do without: the file has it
/// nowhere, and its dimensions do not follow.
fn lacks_weights(site: &Site<'_, '_>) -> bool {
    let known = variables(site.layer.class, site.layer.config);
    let is_needed = |name: &str| !matches!(name, "count" | "gamma" | "beta" | "scale");
    known.iter().any(|variable| {
        is_needed(variable.name) && site.placed(variable.part, variable.name).is_none()
    })
}

/// Whether an operator gives as many dimensions as its first input has.
fn keeps_rank(node: &Call) -> bool {
    !matches!(
        node.op,
        "Reshape"
            | "Flatten"
            | "ReduceMean"
            | "ReduceMax"
            | "ReduceSum"
            | "ReduceMin"
            | "Gather"
            | "Einsum"
            | "Unsqueeze"
            | "Squeeze"
            | "Shape"
            | "StridedSlice"
            | "Stack"
            | "MatMul"
    ) && node.domain != KERAS
}
