//! Neural networks: layers, each with its settings and its weights.
//!
//! Networks of the first versions compute on blobs of five dimensions (sequence, batch, channels,
//! height, width). The first two are left out here, and an array of one dimension is the
//! channels. Newer ones say that arrays have the dimensions they are given.

mod general;
mod layer;
mod layers;
mod lower;
mod names;
mod recurrent;
mod shapes;
mod window;

use std::collections::{HashMap, HashSet, VecDeque};

use calipers_ir::assembly::Assembly;
use calipers_ir::{Attribute, AttributeValue, DType, Dim, GraphId, GraphKind, NameId, NodeDraft};
use layer::{Layer, Settings, value_name};
use lower::Lowering;

use super::features::{Description, Feature, Kind, add_metadata};
use crate::error::Trace;
use crate::wire::{Message, Part, Payload};

/// A network that is being read.
pub(super) struct Network<'b, 'a> {
    assembly: Assembly<'b>,
    /// Whether arrays have the dimensions they are given.
    is_exact: bool,
    /// How many dimensions values have, as far as that is known.
    ranks: HashMap<NameId, usize>,
    /// Inputs that are converted to single precision where they are read.
    converted: HashSet<NameId>,
    /// Networks inside layers.
    pending: VecDeque<(GraphId, Part<'a>)>,
}

/// Reads a network into a graph.
pub(super) fn read(
    assembly: Assembly<'_>,
    part: Part<'_>,
    description: &Description,
) -> Result<(), Trace> {
    let network = Network {
        assembly,
        is_exact: false,
        ranks: HashMap::new(),
        converted: HashSet::new(),
        pending: VecDeque::new(),
    };
    network.read(part, description)
}

impl<'a> Network<'_, 'a> {
    fn read(mut self, part: Part<'a>, description: &Description) -> Result<(), Trace> {
        let main = self.assembly.graph;
        let settings = Settings(part);
        self.is_exact = settings.int(5)? != 0;
        let has_batch = settings.int(6)? != 0;
        for feature in &description.inputs {
            self.add_input(feature, has_batch)?;
        }
        self.preprocessing(settings)?;
        self.layers(part)?;
        self.outputs(settings, part, description)?;
        while let Some((graph, part)) = self.pending.pop_front() {
            self.assembly.graph = graph;
            self.layers(part).map_err(|trace| trace.within("a network of a layer"))?;
        }
        self.assembly.graph = main;
        Ok(())
    }

    fn add_input(&mut self, feature: &Feature, has_batch: bool) -> Result<(), Trace> {
        let name = self.assembly.name(&feature.name);
        let mut kind = feature.kind.clone();
        if let (true, Kind::Image { dtype, channels, height, width }) = (has_batch, &kind) {
            let dims = vec![Dim::Size(1), Dim::Size(*channels), *height, *width];
            kind = Kind::Array { dtype: *dtype, dims: Some(dims) };
        }
        let ty = kind.value_type(self.assembly.builder);
        if let Some(rank) = ty.tensor().and_then(|tensor| Some(tensor.shape.as_ref()?.len())) {
            self.ranks.insert(name, rank);
        }
        if ty.tensor().is_some_and(|tensor| tensor.dtype != DType::Float32) {
            self.converted.insert(name);
        }
        let ty = self.assembly.builder.add_type(ty)?;
        self.assembly.add_input(name, Some(ty));
        Ok(())
    }

    /// What is done to images before they are fed.
    fn preprocessing(&mut self, settings: Settings<'_>) -> Result<(), Trace> {
        for one in settings.messages(2)? {
            let feature = one.text(1)?;
            let Some((number, how)) = one.which(&[10, 11])? else { continue };
            let done = match number {
                10 => {
                    let [scale, blue, green, red, gray] = [
                        how.float(10)?,
                        how.float(20)?,
                        how.float(21)?,
                        how.float(22)?,
                        how.float(30)?,
                    ];
                    format!("scale {scale}, red {red}, green {green}, blue {blue}, gray {gray}")
                }
                _ => "a mean image is subtracted".to_owned(),
            };
            add_metadata(self.assembly.builder, &format!("preprocessing of {feature}"), done);
        }
        Ok(())
    }

    /// Adds every layer. Their outputs are numbers of single precision.
    fn layers(&mut self, part: Part<'a>) -> Result<(), Trace> {
        let mut place = 0;
        for field in Message::from(part).fields() {
            let field = field?;
            let (1, Payload::Bytes(part)) = (field.number, field.payload) else { continue };
            let layer = Layer::read(part, &mut self.assembly);
            let added = layer.and_then(|layer| self.add(&layer));
            added.map_err(|trace| trace.within_nth("layers", place))?;
            place += 1;
        }
        Ok(())
    }

    fn add(&mut self, layer: &Layer<'a>) -> Result<(), Trace> {
        let blocks: Vec<(&str, Part<'a>)> = self.blocks(layer)?;
        if !blocks.is_empty() {
            return self.add_with_blocks(layer, &blocks);
        }
        let mut lowering = Lowering::new(&mut self.assembly, layer, self.is_exact, &self.ranks);
        lower::layer(&mut lowering)?;
        let (mut call, rank, is_stored) = lowering.finish();
        let reads = layer.inputs.iter().filter(|name| self.converted.contains(*name)).count();
        if reads > 0 && reads < layer.inputs.len() {
            // Operands of two types, which the rows of ONNX do not take.
            match (call.domain, call.op) {
                ("", "Add") => call.is_of(lower::OWN, "AddChannels"),
                ("", "Mul") => call.is_of(lower::OWN, "MultiplyChannels"),
                _ => &mut call,
            };
        }
        if !is_stored {
            self.assembly.add(&call)?;
        }
        for (place, name) in layer.outputs.iter().enumerate() {
            match rank.or(layer.output_ranks.get(place).copied()) {
                Some(rank) => self.ranks.insert(*name, rank),
                None => self.ranks.remove(name),
            };
        }
        Ok(())
    }

    /// The networks inside a layer.
    fn blocks(&self, layer: &Layer<'a>) -> Result<Vec<(&'static str, Part<'a>)>, Trace> {
        let fields: &[(u32, &str)] = match layer.number {
            605 => &[(1, "then_branch"), (2, "else_branch")],
            615 => &[(3, "condition"), (4, "body")],
            _ => &[],
        };
        let mut blocks = Vec::new();
        for (number, name) in fields {
            if let Some(block) = layer.settings.message(*number)? {
                blocks.push((*name, block.0));
            }
        }
        Ok(blocks)
    }

    /// A layer that runs other networks keeps its name: what they leave in values is not stated.
    fn add_with_blocks(
        &mut self,
        layer: &Layer<'a>,
        blocks: &[(&str, Part<'a>)],
    ) -> Result<(), Trace> {
        let graph = self.assembly.graph;
        let builder = &mut *self.assembly.builder;
        let node = builder.next_node()?;
        let from = builder.attributes_so_far();
        for (attribute, block) in blocks {
            let attribute = builder.names.intern(attribute);
            let inside = builder.add_graph(GraphKind::Subgraph { node, attribute })?;
            builder
                .add_attribute(Attribute { name: attribute, value: AttributeValue::Graph(inside) });
            self.pending.push_back((inside, *block));
        }
        let draft = NodeDraft {
            name: builder.names.intern(&layer.name),
            op: builder.names.intern(&layer.kind()),
            domain: builder.names.intern("coreml"),
            ..NodeDraft::default()
        };
        builder.add_node_with_attributes(graph, draft, &layer.inputs, &layer.outputs, from)?;
        Ok(())
    }

    /// The outputs that layers compute. What a classifier makes of them, labels and a dictionary,
    /// is made outside the network.
    fn outputs(
        &mut self,
        settings: Settings<'a>,
        part: Part<'a>,
        description: &Description,
    ) -> Result<(), Trace> {
        let (mut made, mut last) = (HashSet::new(), Vec::new());
        for field in Message::from(part).fields() {
            let field = field?;
            let (1, Payload::Bytes(layer)) = (field.number, field.payload) else { continue };
            last.clear();
            for field in Message::from(layer).fields() {
                let field = field?;
                if let (3, Payload::Bytes(part)) = (field.number, field.payload) {
                    let name = value_name(part, &mut self.assembly)?;
                    made.insert(name);
                    last.push(name);
                }
            }
        }
        self.declare(made.iter().copied().collect(), description)?;
        for input in &description.inputs {
            made.insert(self.assembly.name(&input.name));
        }
        let mut added = 0;
        for feature in &description.outputs {
            let name = self.assembly.name(&feature.name);
            if made.contains(&name) {
                added += 1;
                self.assembly.add_output(name, None);
            }
        }
        let labels = [settings.message(100)?, settings.message(101)?];
        if let Some(labels) = labels.into_iter().flatten().next() {
            let texts = labels.messages(1)?.len();
            let count = if texts > 0 { texts } else { labels.ints(1)?.len() };
            add_metadata(self.assembly.builder, "classes", count.to_string());
        }
        if added == 0 {
            let probabilities = settings.text(200).unwrap_or_default();
            let probabilities = self.assembly.name(&probabilities);
            let names = match made.contains(&probabilities) {
                true => vec![probabilities],
                false => last,
            };
            for name in names {
                self.assembly.add_output(name, None);
            }
        }
        Ok(())
    }

    /// Declares the types of all values: those of outputs as the description has them.
    fn declare(&mut self, mut made: Vec<NameId>, description: &Description) -> Result<(), Trace> {
        let inside = self.assembly.tensor_type(DType::Float32, None)?;
        made.sort_unstable();
        let described: HashMap<NameId, &Kind> = description
            .outputs
            .iter()
            .map(|feature| (self.assembly.name(&feature.name), &feature.kind))
            .collect();
        for name in made {
            let ty = match described.get(&name) {
                Some(Kind::Array { dtype, dims }) => {
                    // A vector may be described without the dimensions of one element behind it.
                    let rank = dims.as_ref().map(Vec::len);
                    let fits = rank.is_some() && rank == self.ranks.get(&name).copied();
                    let dims = dims.clone().filter(|_| fits || self.is_exact);
                    self.assembly.tensor_type(*dtype, dims)?
                }
                _ => inside,
            };
            self.assembly.declare(name, ty);
        }
        Ok(())
    }
}
