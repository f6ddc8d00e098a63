//! Every node of the model in one order: what a node needs is before it, subgraphs inside the
//! node that holds them, functions before their callers.

use calipers_ir::{AttributeValue, FunctionId, GraphId, GraphKind, Model, NameId, Node, NodeId};
use calipers_ops::{Operator, canonical_domain};
use hashbrown::HashMap;

/// A step of the walk.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// A node's subgraphs are about to be walked.
    Enter(NodeId),
    /// A node, after its subgraphs.
    Node(NodeId),
}

/// What a node does.
#[derive(Clone, Copy, Debug)]
pub struct ResolvedOp {
    /// What defines it.
    pub kind: ResolvedKind,
    /// Whether passes treat it apart.
    pub special: Special,
}

/// An operator of the table, a function of the model, or something unknown.
#[derive(Clone, Copy, Debug)]
pub enum ResolvedKind {
    /// A row of the table.
    Operator(&'static Operator),
    /// An operator of a known domain that takes no weights.
    Plain,
    /// A call of a function that the model defines.
    Call(FunctionId),
    /// An operator of a domain that nobody here knows.
    Foreign,
}

/// Operators that passes treat in a way of their own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Special {
    /// No.
    Nothing,
    /// `Constant`.
    Constant,
    /// `ConstantOfShape`.
    ConstantOfShape,
    /// `DynamicQuantizeLinear`.
    DynamicQuantizeLinear,
    /// `If`.
    If,
    /// `Loop`.
    Loop,
    /// `Mul`.
    Mul,
}

impl Special {
    fn new(domain: &str, op: &str) -> Self {
        match (domain, op) {
            (calipers_ops::ONNX, "Constant") => Self::Constant,
            (calipers_ops::ONNX, "ConstantOfShape") => Self::ConstantOfShape,
            (calipers_ops::ONNX, "DynamicQuantizeLinear") => Self::DynamicQuantizeLinear,
            (calipers_ops::ONNX, "If") => Self::If,
            (calipers_ops::ONNX, "Loop") => Self::Loop,
            (calipers_ops::ONNX, "Mul") => Self::Mul,
            _ => Self::Nothing,
        }
    }
}

/// The resolved of every node; each operator is looked up once.
pub struct ResolvedOps {
    resolved: Vec<ResolvedOp>,
    /// For each node, its place in `resolved`.
    of_node: Vec<u32>,
}

impl ResolvedOps {
    /// Looks every operator up. The model's own functions come before the table, as in every
    /// runtime.
    pub fn find(model: &Model) -> Self {
        let functions: HashMap<_, _> = model
            .functions()
            .map(|(id, function)| {
                let domain = canonical_domain(model.name(function.domain));
                ((domain, function.name, function.overload), id)
            })
            .collect();
        let resolve = |node: &Node| {
            let (domain, op) = (canonical_domain(model.name(node.domain)), model.name(node.op));
            if let Some(function) = functions.get(&(domain, node.op, node.overload)) {
                return ResolvedOp {
                    kind: ResolvedKind::Call(*function),
                    special: Special::Nothing,
                };
            }
            let kind = match calipers_ops::find(domain, op) {
                Some(operator) => ResolvedKind::Operator(operator),
                None if calipers_ops::is_known_domain(domain) => ResolvedKind::Plain,
                None => ResolvedKind::Foreign,
            };
            ResolvedOp { kind, special: Special::new(domain, op) }
        };
        let mut places: HashMap<(NameId, NameId, NameId), u32> = HashMap::new();
        let mut all = Vec::new();
        let of_node = model.nodes().map(|(_, node)| {
            *places.entry((node.domain, node.op, node.overload)).or_insert_with(|| {
                all.push(resolve(node));
                // Fewer kinds of node than nodes, and those have 32-bit ids.
                u32::try_from(all.len() - 1).unwrap_or(u32::MAX)
            })
        });
        Self { of_node: of_node.collect(), resolved: all }
    }

    /// What a node does.
    pub fn get(&self, node: NodeId) -> ResolvedOp {
        self.resolved[self.of_node[node.index()] as usize]
    }
}

/// The subgraphs of a node.
pub fn subgraphs(model: &Model, node: NodeId) -> impl Iterator<Item = GraphId> {
    model.attributes(node).iter().flat_map(|attribute| match &attribute.value {
        AttributeValue::Graph(graph) => std::slice::from_ref(graph).iter().copied(),
        AttributeValue::Graphs(graphs) => graphs.iter().copied(),
        _ => [].iter().copied(),
    })
}

/// The steps of each function, callees before callers, and then those of the main graph.
pub fn steps(model: &Model, resolved: &ResolvedOps) -> Vec<Vec<Step>> {
    let functions = callees_first(model, resolved);
    let bodies = functions.into_iter().map(|function| model.function(function).body);
    bodies.chain([model.main_id()]).map(|graph| steps_of(model, graph)).collect()
}

/// The steps of a graph and of everything inside it, found with a stack of its own.
fn steps_of(model: &Model, graph: GraphId) -> Vec<Step> {
    let mut steps = Vec::with_capacity(model.graph(graph).nodes.len());
    enum Task {
        Graph(GraphId, usize),
        Leave(NodeId),
    }
    let mut tasks = vec![Task::Graph(graph, 0)];
    while let Some(task) = tasks.pop() {
        match task {
            Task::Leave(node) => steps.push(Step::Node(node)),
            Task::Graph(graph, from) => {
                let order = &model.graph(graph).order;
                for (place, node) in order.iter().enumerate().skip(from) {
                    let mut inner = subgraphs(model, *node).peekable();
                    if inner.peek().is_none() {
                        steps.push(Step::Node(*node));
                        continue;
                    }
                    steps.push(Step::Enter(*node));
                    tasks.push(Task::Graph(graph, place + 1));
                    tasks.push(Task::Leave(*node));
                    let first = tasks.len();
                    tasks.extend(inner.map(|graph| Task::Graph(graph, 0)));
                    tasks[first..].reverse();
                    break;
                }
            }
        }
    }
    steps
}

/// Functions so that a callee is before its callers. In a ring of calls, which the standard
/// forbids, some caller has to come first.
fn callees_first(model: &Model, resolved: &ResolvedOps) -> Vec<FunctionId> {
    let count = model.functions().len();
    let mut callees: Vec<Vec<FunctionId>> = vec![Vec::new(); count];
    if count > 0 {
        let roots = roots(model);
        for (id, node) in model.nodes() {
            let root = model.graph(roots[node.graph.index()]).kind;
            if let (GraphKind::Function(caller), ResolvedKind::Call(callee)) =
                (root, resolved.get(id).kind)
            {
                callees[caller.index()].push(callee);
            }
        }
    }
    let mut order = Vec::with_capacity(count);
    let mut seen = vec![false; count];
    for (start, _) in model.functions() {
        let mut stack = vec![(start, 0)];
        if std::mem::replace(&mut seen[start.index()], true) {
            continue;
        }
        while let Some((function, next)) = stack.last_mut() {
            match callees[function.index()].get(*next) {
                Some(callee) => {
                    *next += 1;
                    if !std::mem::replace(&mut seen[callee.index()], true) {
                        stack.push((*callee, 0));
                    }
                }
                None => {
                    order.push(*function);
                    stack.pop();
                }
            }
        }
    }
    order
}

/// For each graph, the outermost graph around it.
fn roots(model: &Model) -> Vec<GraphId> {
    let mut roots: Vec<GraphId> = Vec::with_capacity(model.graphs().len());
    for (id, graph) in model.graphs() {
        // A parent always is before its subgraphs.
        roots.push(graph.parent.map_or(id, |parent| roots[parent.index()]));
    }
    roots
}
