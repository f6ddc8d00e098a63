//! Types, shapes and small values of everything in a model.
//!
//! [`infer`] walks the graphs in order of execution and asks each operator's rule what its outputs
//! are. Dimensions stay expressions in the names that the inputs declare; what the data decides
//! becomes a dimension with a name of its own and a reason. Rules come from `calipers-ops`; here is
//! what needs the graph: control flow, functions, declared types, bindings.
#![forbid(unsafe_code)]

mod attributes;
mod bind;
mod blocks;
mod control;
mod declared;
mod engine;
mod induction;
pub mod inputs;
mod merge;
mod operands;
mod remembered;
mod stored;
mod total_cost;
pub mod walk;

use std::sync::Arc;

pub use bind::{BindError, Bindings, declared_inputs, free_names, name_in_file};
use calipers_ir::{Model, NodeId, ValueId};
use calipers_ops::{Fact, Reason};
pub use total_cost::CostTotal;

/// What is known of every value of a model.
#[derive(Debug)]
pub struct Typed {
    facts: Vec<Fact>,
    // Shared by the nodes that cost the same.
    costs: Vec<Option<Result<Arc<CostTotal>, Reason>>>,
    /// What one run costs, less the nodes whose cost is not known.
    pub total: CostTotal,
    /// Choices that the costs rest on.
    pub notes: Vec<&'static str>,
    /// Nodes whose bytes are not known and so not in the total.
    pub without_bytes: u64,
    /// Dimensions that the data decides: their names, and what decides them.
    pub fresh: Vec<DataDimension>,
    /// Nodes whose inputs cannot go together, and declared types that cannot be right.
    pub contradictions: Vec<Contradiction>,
}

/// A dimension that the data decides.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DataDimension {
    /// Its name in the shapes.
    pub name: String,
    /// What decides it.
    pub why: String,
}

/// Something that cannot be right.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Contradiction {
    /// The node, or the one that gives the value.
    pub node: Option<NodeId>,
    /// The value whose declared type is wrong, when it is that.
    pub value: Option<ValueId>,
    /// What cannot be right.
    pub what: Reason,
}

impl Typed {
    /// What is known of a value.
    pub fn fact(&self, value: ValueId) -> &Fact {
        &self.facts[value.index()]
    }

    /// What a node costs with the graphs inside it, or why that is not known; `None` for nodes that
    /// were not looked at.
    pub fn cost(&self, node: NodeId) -> Option<Result<&CostTotal, &Reason>> {
        Some(self.costs[node.index()].as_ref()?.as_deref())
    }
}

/// Finds what can be known of every value, and what every node costs, with these dimensions and
/// inputs bound.
pub fn infer(model: &Model, bindings: &Bindings) -> Result<Typed, BindError> {
    let inputs = bind::input_facts(model, bindings)?;
    Ok(engine::Engine::new(model, true).run(inputs))
}

/// The same without the costs, for those who only ask for shapes.
pub fn infer_shapes(model: &Model, bindings: &Bindings) -> Result<Typed, BindError> {
    let inputs = bind::input_facts(model, bindings)?;
    Ok(engine::Engine::new(model, false).run(inputs))
}

/// The same as [`infer`] with other facts for some inputs than the file states. What then does not
/// go together is among the contradictions.
pub fn infer_changed(
    model: &Model,
    bindings: &Bindings,
    change: &dyn Fn(Fact) -> Fact,
) -> Result<Typed, BindError> {
    let (facts, sizes) = bind::input_facts(model, bindings)?;
    let facts = facts.into_iter().map(|(input, fact)| (input, change(fact))).collect();
    Ok(engine::Engine::new(model, true).run((facts, sizes)))
}
