//! Nodes of the file behind the kernels that a runtime ran.
//!
//! A runtime fuses nodes and names the result as it likes. Where it saved the optimized graph, a
//! fused node has the outputs of the last node that it replaces; otherwise its name often starts
//! with that of the first.

use calipers_ir::{Model, NodeId, Producer};
use hashbrown::{HashMap, HashSet};

/// Nodes of the optimized graph that are followed to one with a known output.
const MAX_STEPS: usize = 64;

/// Finds the nodes of a file.
pub(super) struct NodeMap<'a> {
    model: &'a Model,
    /// Nodes by name; `None` where several have it.
    names: HashMap<&'a str, Option<NodeId>>,
    /// Nodes of the main graph, by the names of their outputs.
    producers: HashMap<&'a str, NodeId>,
    /// Nodes of the optimized graph, by name, that compute a value of the file.
    direct: HashMap<String, NodeId>,
    /// Other nodes of the optimized graph, with the nearest node of the file.
    near: HashMap<String, NodeId>,
    /// Nodes of the main graph that are not constants, as runtimes number them.
    numbered: Vec<NodeId>,
}

impl<'a> NodeMap<'a> {
    /// Takes the model and, where the runtime saved it, the optimized one.
    pub(super) fn new(model: &'a Model, optimized: Option<&Model>) -> Self {
        let mut names: HashMap<&str, Option<NodeId>> = HashMap::new();
        let mut numbered = Vec::new();
        for (id, node) in model.nodes() {
            let name = model.name(node.name);
            if !name.is_empty() {
                names.entry(name).and_modify(|known| *known = None).or_insert(Some(id));
            }
            if node.graph == model.main_id() && model.name(node.op) != "Constant" {
                numbered.push(id);
            }
        }
        let mut producers: HashMap<&str, NodeId> = HashMap::new();
        for node in &model.main().order {
            for value in model.outputs(*node).iter().flatten() {
                producers.insert(model.name(model.value(*value).name), *node);
            }
        }
        let [direct, near] =
            optimized.map(|optimized| by_outputs(&producers, optimized)).unwrap_or_default();
        Self { model, names, producers, direct, near, numbered }
    }

    /// The node of a kernel.
    pub(super) fn find(&self, name: &str, op: &str) -> Option<NodeId> {
        let exact = |name: &str| self.names.get(name).copied().flatten();
        exact(name)
            .or_else(|| self.direct.get(name).copied())
            .or_else(|| self.unnamed(name, op))
            // A convolution on blocks of channels is called by its output.
            .or_else(|| {
                let known = |name: &str| exact(name).or_else(|| self.producers.get(name).copied());
                stripped(name).find_map(known)
            })
            .or_else(|| self.near.get(name).copied())
    }

    /// ONNX Runtime calls a node without a name by its operator and its number.
    fn unnamed(&self, name: &str, op: &str) -> Option<NodeId> {
        let number: usize = name.strip_prefix(op)?.strip_prefix('_')?.parse().ok()?;
        let id = *self.numbered.get(number)?;
        let node = self.model.node(id);
        let is_it = self.model.name(node.name).is_empty() && self.model.name(node.op) == op;
        is_it.then_some(id)
    }
}

/// Nodes of the file that compute the outputs of the optimized graph's nodes, by the names of those;
/// then, for a node that computes a new value, such as a copy in another layout, the first known one
/// after it, or else before it.
fn by_outputs(
    producers: &HashMap<&str, NodeId>,
    optimized: &Model,
) -> [HashMap<String, NodeId>; 2] {
    let order = &optimized.main().order;
    let direct = |node: NodeId| {
        let mut outputs = optimized.outputs(node).iter().flatten();
        outputs
            .find_map(|value| producers.get(optimized.name(optimized.value(*value).name)).copied())
    };
    let found: HashMap<NodeId, NodeId> =
        order.iter().filter_map(|node| Some((*node, direct(*node)?))).collect();
    let mut consumers: HashMap<NodeId, Vec<NodeId>> = HashMap::new();
    for node in order {
        for before in inputs(optimized, *node) {
            consumers.entry(before).or_default().push(*node);
        }
    }
    let after = |node: NodeId| consumers.get(&node).cloned().unwrap_or_default();
    let missing: Vec<NodeId> =
        order.iter().copied().filter(|node| !found.contains_key(node)).collect();
    let near: HashMap<NodeId, NodeId> = missing
        .into_iter()
        .filter_map(|node| {
            let near = nearest(node, &found, &after)
                .or_else(|| nearest(node, &found, &|node| inputs(optimized, node).collect()))?;
            Some((node, near))
        })
        .collect();
    [named(optimized, found), named(optimized, near)]
}

/// The same by the names of the nodes, without names that several have.
fn named(optimized: &Model, found: HashMap<NodeId, NodeId>) -> HashMap<String, NodeId> {
    let mut names: HashMap<String, NodeId> = HashMap::new();
    let mut twice: HashSet<String> = HashSet::new();
    for (node, original) in found {
        let name = optimized.name(optimized.node(node).name);
        if !name.is_empty() && names.insert(name.to_owned(), original).is_some() {
            twice.insert(name.to_owned());
        }
    }
    names.retain(|name, _| !twice.contains(name));
    names
}

/// Nodes that compute the inputs of a node.
fn inputs(model: &Model, node: NodeId) -> impl Iterator<Item = NodeId> {
    model.inputs(node).iter().flatten().filter_map(|value| match model.value(*value).producer {
        Producer::Node { node, .. } => Some(node),
        _ => None,
    })
}

/// The nearest node whose original is known, breadth first.
fn nearest(
    start: NodeId,
    found: &HashMap<NodeId, NodeId>,
    next: &dyn Fn(NodeId) -> Vec<NodeId>,
) -> Option<NodeId> {
    let mut queue = vec![start];
    let mut place = 0;
    while place < queue.len().min(MAX_STEPS) {
        for node in next(queue[place]) {
            if let Some(original) = found.get(&node) {
                return Some(*original);
            }
            if !queue.contains(&node) {
                queue.push(node);
            }
        }
        place += 1;
    }
    None
}

/// The name without what runtimes add to it, one piece after another.
fn stripped(name: &str) -> impl Iterator<Item = &str> {
    std::iter::successors(shorter(name), |name| shorter(name))
}

fn shorter(name: &str) -> Option<&str> {
    if let Some(rest) = name.strip_prefix("fused ") {
        return Some(rest);
    }
    for suffix in ["_nchwc", "_nhwc", "_quant", "_gemm", "_fused", "_merged"] {
        if let Some(rest) = name.strip_suffix(suffix) {
            return Some(rest);
        }
    }
    // `/layer/MatMul/MatMulScaleFusion/` and `Conv_3_token_17`.
    if let Some((rest, last)) = name.strip_suffix('/').and_then(|name| name.rsplit_once('/'))
        && last.contains("Fusion")
    {
        return Some(rest);
    }
    let (rest, number) = name.rsplit_once("_token_")?;
    number.parse::<u64>().ok().map(|_| rest)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn additions_to_names_are_removed() {
        let all = |name| stripped(name).collect::<Vec<&str>>();
        assert_eq!(
            all("fused Conv_3_nchwc_token_17"),
            ["Conv_3_nchwc_token_17", "Conv_3_nchwc", "Conv_3"]
        );
        assert_eq!(all("/a/MatMul/MatMulScaleFusion/"), ["/a/MatMul"]);
        assert!(all("/a/MatMul/").is_empty() && all("x_token_y").is_empty());
    }
}
