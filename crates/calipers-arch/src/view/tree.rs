//! The group of every node.

use calipers_ir::{GraphId, GraphKind, Model, NodeId, Producer, ValueId};
use calipers_ops::attributes::cut;
use calipers_report::{GroupKind, PartKind};
use hashbrown::HashMap;

use super::{Thing, sides};
use crate::{Inside, Part};

/// Subgraphs nested deeper than this get no group.
const MAX_NESTING: usize = 24;

/// Up to this many inputs, or outputs, all are in the main group; of more, each is where it is
/// used.
const FEW_PORTS: usize = 8;

/// Boxes up to which the only group inside another is dissolved into it.
const FEW_BOXES: usize = 8;

/// A group while the groups are made.
#[derive(Clone, Debug, Default)]
pub(super) struct Draft {
    pub(super) kind: GroupKind,
    pub(super) name: String,
    pub(super) detail: String,
    pub(super) block: Option<PartKind>,
    pub(super) times: Option<u64>,
    /// The group around it.
    pub(super) parent: Option<usize>,
    /// The node that holds it: of subgraphs.
    pub(super) holder: Option<NodeId>,
    /// Whether it is there.
    pub(super) alive: bool,
}

/// All groups, and the one that each node is in.
pub(super) struct Tree<'a> {
    pub(super) model: &'a Model,
    pub(super) groups: Vec<Draft>,
    /// By the node's number; none for nodes of training graphs and of graphs nested too deep.
    pub(super) home: Vec<Option<usize>>,
    /// The group that represents a graph.
    pub(super) of_graph: HashMap<GraphId, usize>,
    /// By the node's number: whether it is in the main graph and not part of the network.
    pub(super) outside: Vec<bool>,
    /// Inputs and outputs with the group they are in.
    pub(super) ports: Vec<(Thing, usize)>,
    /// Where each of those is in the list.
    pub(super) port_places: HashMap<Thing, usize>,
    pub(super) notes: Vec<String>,
}

impl<'a> Tree<'a> {
    /// Finds a group for every node.
    pub(super) fn plant(model: &'a Model, parts: Vec<Inside>) -> Self {
        let main =
            Draft { name: cut(model.name(model.main().name)), alive: true, ..Draft::default() };
        let mut tree = Self {
            model,
            groups: vec![main],
            home: vec![None; model.nodes().len()],
            of_graph: HashMap::from_iter([(model.main_id(), 0)]),
            outside: Vec::new(),
            ports: Vec::new(),
            port_places: HashMap::new(),
            notes: Vec::new(),
        };
        tree.fill(0, parts);
        let is_outside: Vec<bool> = tree.home.iter().map(Option::is_none).collect();
        tree.place_the_rest();
        sides::gather(&mut tree, &is_outside);
        tree.outside = is_outside;
        tree.place_constants();
        tree.enter_graphs();
        tree
    }

    /// Whether a node is a constant or computes shapes, so that it is not part of the network.
    pub(super) fn is_auxiliary(&self, node: NodeId) -> bool {
        let is_main = self.model.node(node).graph == self.model.main_id();
        let is_outside = self.outside.get(node.index()).copied().unwrap_or(false);
        is_main && is_outside || !self.is_drawn(node)
    }

    /// Whether a node has a box of its own.
    pub(super) fn is_drawn(&self, node: NodeId) -> bool {
        // A constant is shown with the node that consumes it, like every stored tensor.
        self.model.name(self.model.node(node).op) != "Constant"
            || !self.model.inputs(node).is_empty()
    }

    fn fill(&mut self, group: usize, inside: Vec<Inside>) {
        for part in inside {
            match part {
                Inside::Node(node) => {
                    if let Some(node) = self.in_main(node) {
                        self.home[node.index()].get_or_insert(group);
                    }
                }
                Inside::Part(part) => {
                    let Part { name, detail, kind, times, inside } = part;
                    let number = self.groups.len();
                    let of = if times.is_some() { GroupKind::Repeat } else { GroupKind::Block };
                    self.groups.push(Draft {
                        kind: of,
                        name,
                        detail,
                        block: kind,
                        times,
                        parent: Some(group),
                        holder: None,
                        alive: true,
                    });
                    self.fill(number, inside);
                }
            }
        }
    }

    /// The node of the main graph that a node is or is in; none for nodes of functions.
    fn in_main(&self, node: NodeId) -> Option<NodeId> {
        let mut node = node;
        for _ in 0..=MAX_NESTING {
            match self.model.graph(self.model.node(node).graph).kind {
                GraphKind::Main => return Some(node),
                GraphKind::Subgraph { node: holder, .. } => node = holder,
                GraphKind::Function(_) | GraphKind::Training => return None,
            }
        }
        None
    }

    /// Nodes outside the network are placed with their consumers, else with their producers.
    fn place_the_rest(&mut self) {
        let model = self.model;
        for node in model.main().order.iter().rev() {
            if self.home[node.index()].is_some() {
                continue;
            }
            let outputs = model.outputs(*node).iter().flatten();
            let readers = outputs.flat_map(|value| model.consumers(*value));
            let readers = readers.filter_map(|reader| self.in_main(reader.node));
            let groups = readers.filter_map(|reader| self.home[reader.index()]);
            let group = self.around(groups).or_else(|| {
                let producers =
                    model.inputs(*node).iter().flatten().filter_map(|value| {
                        match model.value(*value).producer {
                            Producer::Node { node, .. } => self.home[node.index()],
                            _ => None,
                        }
                    });
                self.around(producers)
            });
            self.home[node.index()] = Some(group.unwrap_or(0));
        }
    }

    /// Constants are placed with their consumers, which may have moved.
    fn place_constants(&mut self) {
        let model = self.model;
        for node in model.main().order.iter().rev() {
            if self.is_drawn(*node) {
                continue;
            }
            let outputs = model.outputs(*node).iter().flatten();
            let readers = outputs.flat_map(|value| model.consumers(*value));
            let readers = readers.filter_map(|reader| self.in_main(reader.node));
            let group = self.around(readers.filter_map(|reader| self.home[reader.index()]));
            self.home[node.index()] = Some(group.unwrap_or(0));
        }
    }

    /// The innermost group around several.
    fn around(&self, groups: impl Iterator<Item = usize>) -> Option<usize> {
        groups.reduce(|one, other| self.common(one, other))
    }

    /// The innermost group around two. A parent always has the smaller number until groups are split.
    fn common(&self, one: usize, other: usize) -> usize {
        let (mut one, mut other) = (one, other);
        while one != other {
            let deeper = if one > other { &mut one } else { &mut other };
            *deeper = self.groups[*deeper].parent.unwrap_or(0);
        }
        one
    }

    /// GraphGroups for subgraphs and functions.
    fn enter_graphs(&mut self) {
        let model = self.model;
        let mut left_out = 0_u64;
        for (id, graph) in model.graphs() {
            let outer = |tree: &Self| tree.of_graph.contains_key(&graph.parent?).then_some(());
            let (kind, name, holder) = match graph.kind {
                GraphKind::Main | GraphKind::Training => continue,
                GraphKind::Subgraph { node, attribute } => {
                    if graph.nesting > MAX_NESTING || outer(self).is_none() {
                        left_out += 1;
                        continue;
                    }
                    (GroupKind::Subgraph, cut(model.name(attribute)), Some(node))
                }
                GraphKind::Function(function) => {
                    let name = cut(model.name(model.function(function).name));
                    (GroupKind::Function, name, None)
                }
            };
            let number = self.groups.len();
            self.of_graph.insert(id, number);
            self.groups.push(Draft { kind, name, holder, alive: true, ..Draft::default() });
            for node in &graph.order {
                self.home[node.index()] = Some(number);
            }
        }
        if left_out > 0 {
            self.notes.push(format!(
                "{left_out} subgraphs are omitted: they are nested too deep or belong to training"
            ));
        }
    }

    /// Removes groups of at most one box and groups that are the only one in another, and places the
    /// ports.
    pub(super) fn prune(&mut self) {
        let mut nodes: Vec<Vec<NodeId>> = vec![Vec::new(); self.groups.len()];
        for (id, _) in self.model.nodes() {
            if let Some(home) = self.home[id.index()] {
                nodes[home].push(id);
            }
        }
        let mut children: Vec<Vec<usize>> = vec![Vec::new(); self.groups.len()];
        for number in (1..self.groups.len()).rev() {
            let Some(parent) = self.groups[number].parent else { continue };
            // One group inside another shows its boxes there, so that nothing is nested for itself.
            if let [child] = children[number][..]
                && self.groups[child].kind == GroupKind::Block
                && self.boxes(&nodes[number]) + self.boxes(&nodes[child]) + children[child].len()
                    <= FEW_BOXES
            {
                children[number].clear();
                self.dissolve(child, number, &mut nodes, &mut children);
            }
            if self.boxes(&nodes[number]) + children[number].len() > 1 {
                children[parent].push(number);
            } else {
                self.dissolve(number, parent, &mut nodes, &mut children);
            }
        }
        self.ports = self.find_ports();
        let places = self.ports.iter().enumerate();
        self.port_places = places.map(|(place, (thing, _))| (*thing, place)).collect();
    }

    /// Nodes that have boxes.
    fn boxes(&self, nodes: &[NodeId]) -> usize {
        nodes.iter().filter(|node| self.is_drawn(**node)).count()
    }

    /// Moves the contents of a group to another.
    fn dissolve(
        &mut self,
        number: usize,
        target: usize,
        nodes: &mut [Vec<NodeId>],
        children: &mut [Vec<usize>],
    ) {
        self.groups[number].alive = false;
        for node in std::mem::take(&mut nodes[number]) {
            self.home[node.index()] = Some(target);
            nodes[target].push(node);
        }
        for child in std::mem::take(&mut children[number]) {
            self.groups[child].parent = Some(target);
            children[target].push(child);
        }
    }

    fn find_ports(&self) -> Vec<(Thing, usize)> {
        let model = self.model;
        let mut ports = Vec::new();
        for (id, graph) in model.graphs() {
            let Some(group) = self.of_graph.get(&id).copied() else { continue };
            let is_main = id == model.main_id();
            let inputs = if is_main { model.required_inputs() } else { graph.inputs.clone() };
            let few = inputs.len() <= FEW_PORTS;
            for input in inputs {
                let readers = model.consumers(input).iter();
                let readers = readers.filter(|reader| model.node(reader.node).graph == id);
                let homes = readers.filter_map(|reader| self.home[reader.node.index()]);
                let home = if few { None } else { self.around(homes) };
                ports.push((Thing::Input(input), home.unwrap_or(group)));
            }
            let few = graph.outputs.len() <= FEW_PORTS;
            let mut seen: hashbrown::HashSet<ValueId> = hashbrown::HashSet::new();
            for output in graph.outputs.iter().filter(|output| seen.insert(**output)) {
                let home = match model.value(*output).producer {
                    Producer::Node { node, .. } if !few && model.node(node).graph == id => {
                        self.home[node.index()]
                    }
                    _ => None,
                };
                ports.push((Thing::Output(*output), home.unwrap_or(group)));
            }
        }
        ports
    }
}
