//! From layers and edges to graphs: values get names, constants become stored tensors, and every
//! other layer a node.

use std::collections::{HashMap, HashSet, VecDeque};

use calipers_ir::assembly::{Assembly, Call};
use calipers_ir::{Dim, GraphId, Model, ModelBuilder, NameId, TooLarge, TypeId};

use super::constants::{Constants, first_name, misstated};
use super::document::{CONST, Document, Edge, Layer, Net, PARAMETER, Port, RESULT};
use super::operators;
use super::types::dtype;
use super::xml::shortened;
use crate::Error;
use crate::folder::Folder;

/// Puts the model together.
pub(super) fn build(
    mut builder: ModelBuilder,
    document: &Document,
    name: &str,
    folder: Option<&dyn Folder>,
) -> Result<Model, Error> {
    name.clone_into(&mut builder.header.file_name);
    let constants = Constants::find(document, name, folder, &mut builder);
    let graph = builder.add_main_graph()?;
    let mut build = Build {
        builder,
        constants,
        document,
        used: HashSet::new(),
        renamed: 0,
        pending: VecDeque::new(),
    };
    build.pending.push_back(Pending::main(graph));
    while let Some(pending) = build.pending.pop_front() {
        build.net(&pending)?;
    }
    let Build { mut builder, constants, .. } = build;
    constants.finish(&mut builder);
    Ok(builder.finish()?)
}

/// A model in the making.
pub(super) struct Build<'d> {
    pub(super) builder: ModelBuilder,
    constants: Constants,
    document: &'d Document,
    /// Names of values so far, of all graphs.
    used: HashSet<NameId>,
    renamed: usize,
    pub(super) pending: VecDeque<Pending>,
}

/// A net that is to become a graph.
#[derive(Debug)]
pub(super) struct Pending {
    pub(super) net: usize,
    pub(super) graph: GraphId,
    /// Parameters that are values of the graph around, by the ids of their layers.
    pub(super) given: HashMap<u64, NameId>,
    /// Parameters in the order of the graph's inputs; `None` for an input that no parameter takes.
    /// Those that are not listed follow.
    pub(super) inputs: Vec<Option<u64>>,
    /// Results in the order of the graph's outputs; all of them where this is `None`.
    pub(super) outputs: Option<Vec<u64>>,
}

impl Pending {
    fn main(graph: GraphId) -> Self {
        Self { net: 0, graph, given: HashMap::new(), inputs: Vec::new(), outputs: None }
    }
}

/// The values of a net: where each input comes from, and what each output is called.
pub(super) struct Wires<'d> {
    pub(super) net: &'d Net,
    /// From a layer and its input to a layer and its output, by their places.
    sources: HashMap<(usize, usize), (usize, usize)>,
    /// Names of the outputs of each layer.
    names: Vec<Vec<NameId>>,
    /// Elements of small constants, by the places of their layers.
    integers: HashMap<usize, Vec<i64>>,
}

/// A layer among the others.
#[derive(Clone, Copy)]
pub(super) struct Site<'s> {
    pub(super) wires: &'s Wires<'s>,
    pub(super) place: usize,
    pub(super) layer: &'s Layer,
}

impl Site<'_> {
    /// The layer that an input comes from.
    fn source(&self, input: usize) -> Option<(usize, &Layer)> {
        let (place, _) = *self.wires.sources.get(&(self.place, input))?;
        Some((place, self.wires.net.layers.get(place)?))
    }

    /// Whether an input is a constant.
    pub(super) fn is_constant(&self, input: usize) -> bool {
        self.source(input).is_some_and(|(_, layer)| layer.kind == CONST)
    }

    /// Elements of an input that is a small constant of whole numbers.
    pub(super) fn integers(&self, input: usize) -> Option<&[i64]> {
        let (place, _) = self.source(input)?;
        self.wires.integers.get(&place).map(Vec::as_slice)
    }

    /// The only element of such an input.
    pub(super) fn integer(&self, input: usize) -> Option<i64> {
        match self.integers(input)? {
            [element] => Some(*element),
            _ => None,
        }
    }

    /// The names of the inputs; the empty one where nothing comes.
    pub(super) fn input_names(&self, empty: NameId) -> Vec<NameId> {
        let count = self.layer.inputs.len();
        (0..count).map(|input| self.wires.input(self.place, input).unwrap_or(empty)).collect()
    }
}

impl Wires<'_> {
    /// The name of what an input of a layer is.
    pub(super) fn input(&self, place: usize, input: usize) -> Option<NameId> {
        let (layer, output) = self.sources.get(&(place, input))?;
        self.names.get(*layer)?.get(*output).copied()
    }

    /// The names of the outputs of a layer.
    pub(super) fn outputs(&self, place: usize) -> &[NameId] {
        self.names.get(place).map(Vec::as_slice).unwrap_or_default()
    }
}

impl<'d> Build<'d> {
    fn net(&mut self, pending: &Pending) -> Result<(), TooLarge> {
        let document = self.document;
        let Some(net) = document.nets.get(pending.net) else { return Ok(()) };
        self.builder.graph_mut(pending.graph).name = self.builder.names.intern(&net.name);
        let names = self.names(net, &pending.given);
        let sources = self.sources(net);
        let mut wires = Wires { net, sources, names, integers: HashMap::new() };
        self.store_constants(&mut wires, pending.graph)?;
        self.inputs(&wires, pending)?;
        for (place, layer) in net.layers.iter().enumerate() {
            if matches!(layer.kind.as_str(), CONST | PARAMETER | RESULT) {
                continue;
            }
            self.declare_outputs(&wires, place, layer, pending.graph)?;
            let site = Site { wires: &wires, place, layer };
            if layer.bodies.is_empty() {
                self.node(site, pending.graph)?;
            } else {
                self.node_with_bodies(site, pending.graph)?;
            }
        }
        self.outputs(&wires, pending)
    }

    /// Names of all values that the layers of a net give.
    fn names(&mut self, net: &Net, given: &HashMap<u64, NameId>) -> Vec<Vec<NameId>> {
        let mut all = Vec::with_capacity(net.layers.len());
        for layer in &net.layers {
            let is_parameter = layer.kind == PARAMETER;
            let given = given.get(&layer.id).copied().filter(|_| is_parameter);
            let mut names = Vec::with_capacity(layer.outputs.len());
            for (output, port) in layer.outputs.iter().enumerate() {
                names.push(match given {
                    Some(given) => given,
                    None => self.name_of(layer, output, port),
                });
            }
            all.push(names);
        }
        all
    }

    fn name_of(&mut self, layer: &Layer, output: usize, port: &Port) -> NameId {
        if layer.kind != CONST && !port.names.is_empty() {
            return self.new_name(&first_name(&port.names));
        }
        match layer.outputs.len() {
            0 | 1 => self.new_name(&layer.name),
            _ => self.new_name(&format!("{}.{output}", layer.name)),
        }
    }

    /// A name that no other value has.
    pub(super) fn new_name(&mut self, wanted: &str) -> NameId {
        let mut name = self.builder.names.intern(wanted);
        while wanted.is_empty() && name == self.builder.names.empty() || !self.used.insert(name) {
            self.renamed += 1;
            name = self.builder.names.intern(&format!("{wanted} ({})", self.renamed));
        }
        name
    }

    /// Where each input comes from.
    fn sources(&mut self, net: &Net) -> HashMap<(usize, usize), (usize, usize)> {
        let (by_id, repeated) = net.by_id();
        if repeated > 0 {
            misstated(&mut self.builder, &format!("{repeated} layers have the id of another one"));
        }
        let ports = |side: fn(&Layer) -> &[Port]| {
            let mut ports = HashMap::new();
            for (place, layer) in net.layers.iter().enumerate() {
                for (index, port) in side(layer).iter().enumerate() {
                    ports.entry((place, port.id)).or_insert(index);
                }
            }
            ports
        };
        let outputs = ports(|layer| &layer.outputs);
        let inputs = ports(|layer| &layer.inputs);
        let mut sources = HashMap::with_capacity(net.edges.len());
        for Edge { from, to } in &net.edges {
            let end = |(layer, port): &(u64, u64), ports: &HashMap<(usize, u64), usize>| {
                let place = *by_id.get(layer)?;
                Some((place, *ports.get(&(place, *port))?))
            };
            let ends = end(from, &outputs).zip(end(to, &inputs));
            let Some((from, to)) = ends else {
                let what = format!(
                    "an edge leads from port {} of layer {} to port {} of layer {}, and one of \
                     them is not there",
                    from.1, from.0, to.1, to.0
                );
                misstated(&mut self.builder, &what);
                continue;
            };
            if sources.insert(to, from).is_some_and(|before| before != from) {
                let name = net.layers.get(to.0).map(|layer| shortened(&layer.name));
                let what = format!(
                    "two edges lead to input {} of layer {:?}",
                    to.1,
                    name.unwrap_or_default()
                );
                misstated(&mut self.builder, &what);
            }
        }
        sources
    }

    fn store_constants(&mut self, wires: &mut Wires<'_>, graph: GraphId) -> Result<(), TooLarge> {
        // Scales that sizes are multiplied with are floats.
        let mut decides = HashSet::new();
        for (place, layer) in wires.net.layers.iter().enumerate() {
            if layer.kind == "Interpolate" {
                let inputs = 1..layer.inputs.len();
                let sources = inputs.filter_map(|input| wires.sources.get(&(place, input)));
                decides.extend(sources.map(|(layer, _)| *layer));
            }
        }
        for (place, layer) in wires.net.layers.iter().enumerate() {
            if layer.kind != CONST {
                continue;
            }
            let Some(name) = wires.outputs(place).first().copied() else { continue };
            let decides = decides.contains(&place);
            let constant = self.constants.read(layer, decides, &mut self.builder);
            let mut assembly = Assembly::new(&mut self.builder, graph);
            assembly.add_stored(name, constant.dtype, &constant.dims, constant.data)?;
            if let Some(integers) = constant.integers {
                wires.integers.insert(place, integers);
            }
        }
        Ok(())
    }

    fn inputs(&mut self, wires: &Wires<'_>, pending: &Pending) -> Result<(), TooLarge> {
        let (by_id, _) = wires.net.by_id();
        let mut added = HashSet::new();
        let graph = pending.graph;
        for listed in &pending.inputs {
            let place = listed.and_then(|id| by_id.get(&id).copied());
            match place.filter(|place| added.insert(*place)) {
                Some(place) => self.input(wires, place, graph)?,
                None => {
                    let name = self.new_name("(input)");
                    Assembly::new(&mut self.builder, graph).add_input(name, None);
                }
            }
        }
        for (place, layer) in wires.net.layers.iter().enumerate() {
            let is_given = pending.given.contains_key(&layer.id);
            if layer.kind == PARAMETER && !is_given && added.insert(place) {
                self.input(wires, place, graph)?;
            }
        }
        Ok(())
    }

    fn input(&mut self, wires: &Wires<'_>, place: usize, graph: GraphId) -> Result<(), TooLarge> {
        let Some(layer) = wires.net.layers.get(place) else { return Ok(()) };
        let port = layer.outputs.first();
        let Some((name, port)) = wires.outputs(place).first().copied().zip(port) else {
            return Ok(());
        };
        // Only here can a shape without dimensions be distinguished from one that is open.
        let is_scalar = layer.text("shape").is_some_and(|shape| shape.trim().is_empty());
        let ty = self.port_type(port, graph, is_scalar)?;
        Assembly::new(&mut self.builder, graph).add_input(name, Some(ty));
        Ok(())
    }

    /// The type that a port states. One without dimensions is a scalar, or has any number of them.
    fn port_type(
        &mut self,
        port: &Port,
        graph: GraphId,
        is_scalar: bool,
    ) -> Result<TypeId, TooLarge> {
        let dims = port.dims.iter().map(|dim| dim.map_or(Dim::Unknown, Dim::Size));
        let shape = (is_scalar || !port.dims.is_empty()).then(|| dims.collect());
        Assembly::new(&mut self.builder, graph).tensor_type(dtype(&port.precision), shape)
    }

    fn declare_outputs(
        &mut self,
        wires: &Wires<'_>,
        place: usize,
        layer: &Layer,
        graph: GraphId,
    ) -> Result<(), TooLarge> {
        for (name, port) in wires.outputs(place).iter().zip(&layer.outputs) {
            let ty = self.port_type(port, graph, false)?;
            Assembly::new(&mut self.builder, graph).declare(*name, ty);
        }
        Ok(())
    }

    fn node(&mut self, site: Site<'_>, graph: GraphId) -> Result<(), TooLarge> {
        let mut call = self.call(site);
        let mut assembly = Assembly::new(&mut self.builder, graph);
        operators::translate(site, &mut assembly, &mut call)?;
        assembly.add(&call)?;
        Ok(())
    }

    /// A layer as it is written: with all its inputs and outputs, and without a meaning.
    pub(super) fn call(&self, site: Site<'_>) -> Call {
        Call {
            written: site.layer.kind.clone(),
            name: site.layer.name.clone(),
            inputs: site.input_names(self.builder.names.empty()),
            outputs: site.wires.outputs(site.place).to_vec(),
            ..Call::default()
        }
    }

    fn outputs(&mut self, wires: &Wires<'_>, pending: &Pending) -> Result<(), TooLarge> {
        let layers = &wires.net.layers;
        let results: Vec<usize> = match &pending.outputs {
            None => (0..layers.len()).filter(|place| is_result(layers, *place)).collect(),
            Some(ids) => {
                let (by_id, _) = wires.net.by_id();
                ids.iter().filter_map(|id| by_id.get(id).copied()).collect()
            }
        };
        for place in results {
            let Some(layer) = layers.get(place) else { continue };
            let name = match wires.input(place, 0) {
                Some(name) => name,
                None => self.new_name(&layer.name),
            };
            Assembly::new(&mut self.builder, pending.graph).add_output(name, None);
        }
        Ok(())
    }
}

fn is_result(layers: &[Layer], place: usize) -> bool {
    layers.get(place).is_some_and(|layer| layer.kind == RESULT)
}
