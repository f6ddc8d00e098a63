//! The walk through all parts of a model that gives each text what is shown for it.

use hashbrown::{HashMap, HashSet};

use super::{Naming, Originals, Role};
use crate::{
    Attribute, AttributeValue, Data, DataFile, DataFileState, Description, DeviceConfiguration,
    Dim, External, Function, Graph, GraphKind, Hazard, Header, Leaf, Model, NameId, Names, Node,
    OpsetImport, QuantizationAnnotation, Tensor, TensorType, Value, ValueType, scope,
};

/// The standard domain of operators, which files also write as the empty text.
const STANDARD: &str = "ai.onnx";

/// Roles whose equal texts are one name.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
enum Kind {
    Attribute,
    AttributeText,
    DataFile,
    Dimension,
    Documentation,
    Domain,
    Graph,
    MetadataKey,
    MetadataValue,
    Node,
    Operator,
    Overload,
    Value,
    Vocabulary,
}

pub(super) struct Renamer<'a, 'n> {
    model: &'a Model,
    names: Names,
    /// New ids by kind, old id, and the old ids that decide with it.
    known: HashMap<(Kind, NameId, NameId, NameId), NameId>,
    naming: &'n mut dyn Naming,
}

impl<'a, 'n> Renamer<'a, 'n> {
    pub(super) fn new(model: &'a Model, naming: &'n mut dyn Naming) -> Self {
        Self { model, names: model.names.emptied(), known: HashMap::new(), naming }
    }
}

impl Renamer<'_, '_> {
    pub(super) fn renamed(&mut self) -> Model {
        let model = self.model;
        let header = self.header(&model.header);
        let types = model.types.iter().map(|ty| self.value_type(ty)).collect();
        let values = model.values.iter().enumerate();
        let values = values.map(|(index, value)| self.value(index, value)).collect();
        let tensors = model.tensors.iter().enumerate();
        let tensors = tensors.map(|(index, tensor)| self.tensor(index, tensor)).collect();
        let nodes: Vec<Node> =
            model.nodes.iter().enumerate().map(|(index, node)| self.node(index, node)).collect();
        let functions = model.functions.iter().enumerate();
        let functions = functions.map(|(index, function)| self.function(index, function)).collect();
        let attributes = self.attributes();
        let graphs = model.graphs.iter().enumerate();
        let graphs = graphs.map(|(index, graph)| self.graph(index, graph)).collect();
        let files = model.data_files.iter().enumerate();
        let data_files = files.map(|(index, file)| self.data_file(index, file)).collect();
        let metadata = model.node_metadata.iter();
        let node_metadata =
            metadata.map(|(node, key, text)| (*node, self.metadata_key(*key), *text)).collect();
        let originals = self.originals();
        let Model {
            header: _,
            names: _,
            data_files: _,
            issues,
            source,
            unknown_fields,
            decoder,
            graphs: _,
            functions: _,
            nodes: _,
            operands,
            attributes: _,
            values: _,
            types: _,
            tensors: _,
            sparse_tensors,
            consumers,
            consumer_starts,
            captures,
            node_metadata: _,
            layouts,
            affine,
            stored_weights,
            hazards,
            originals: _,
        } = model;
        Model {
            header,
            names: std::mem::take(&mut self.names),
            data_files,
            issues: issues.clone(),
            source: source.clone(),
            unknown_fields: unknown_fields.clone(),
            decoder: *decoder,
            graphs,
            functions,
            nodes,
            operands: operands.clone(),
            attributes,
            values,
            types,
            tensors,
            sparse_tensors: sparse_tensors.clone(),
            consumers: consumers.clone(),
            consumer_starts: consumer_starts.clone(),
            captures: captures.clone(),
            node_metadata,
            layouts: layouts.clone(),
            affine: affine.clone(),
            stored_weights: stored_weights.clone(),
            hazards: hazards.iter().map(|hazard| self.hazard(hazard)).collect(),
            originals,
        }
    }

    /// The new id of a name. `with` are names that decide what becomes of it.
    fn id(&mut self, kind: Kind, id: NameId, with: [NameId; 2], role: Role<'_>) -> NameId {
        let empty = self.names.empty();
        if id == empty {
            return empty;
        }
        let key = (kind, id, with[0], with[1]);
        if let Some(known) = self.known.get(&key) {
            return *known;
        }
        let text = self.model.name(id);
        let new = match self.naming.shown(role, text) {
            Some(shown) => self.names.add_shown(&shown, text),
            None => self.names.intern(text),
        };
        self.known.insert(key, new);
        new
    }

    fn plain(&mut self, kind: Kind, id: NameId, role: Role<'_>) -> NameId {
        let empty = self.names.empty();
        self.id(kind, id, [empty; 2], role)
    }

    fn text(&mut self, role: Role<'_>, text: &str) -> String {
        match text {
            "" => String::new(),
            text => self.naming.shown(role, text).unwrap_or_else(|| text.to_owned()),
        }
    }

    fn vocabulary(&mut self, id: NameId) -> NameId {
        self.plain(Kind::Vocabulary, id, Role::Vocabulary)
    }

    fn documentation(&mut self, id: NameId) -> NameId {
        self.plain(Kind::Documentation, id, Role::Documentation)
    }

    fn metadata_key(&mut self, id: NameId) -> NameId {
        self.plain(Kind::MetadataKey, id, Role::MetadataKey)
    }

    fn metadata(&mut self, entries: &[(NameId, NameId)]) -> Vec<(NameId, NameId)> {
        let model = self.model;
        let empty = model.names.empty();
        let mut renamed = Vec::with_capacity(entries.len());
        for (key, value) in entries {
            let role = Role::MetadataValue { key: model.name(*key) };
            let value = self.id(Kind::MetadataValue, *value, [*key, empty], role);
            renamed.push((self.metadata_key(*key), value));
        }
        renamed
    }

    fn domain(&mut self, id: NameId, first: usize) -> NameId {
        self.plain(Kind::Domain, id, Role::Domain(first))
    }

    fn operator(&mut self, op: NameId, domain: NameId, first: usize) -> NameId {
        let empty = self.model.names.empty();
        // Files write the standard domain in two ways; a call and its function may differ in it.
        let domain = if self.model.name(domain) == STANDARD { empty } else { domain };
        let role = Role::Operator { domain: self.model.name(domain), first };
        self.id(Kind::Operator, op, [domain, empty], role)
    }

    fn opsets(&mut self, opsets: &[OpsetImport]) -> Vec<OpsetImport> {
        let import = |OpsetImport { domain, version }: &OpsetImport| OpsetImport {
            domain: self.domain(*domain, 0),
            version: *version,
        };
        opsets.iter().map(import).collect()
    }

    fn node(&mut self, index: usize, node: &Node) -> Node {
        let Node { name, op, domain, overload, written, layout, graph, operands, attributes } =
            *node;
        Node {
            name: self.plain(Kind::Node, name, Role::Node(index)),
            op: self.operator(op, domain, index),
            domain: self.domain(domain, index),
            overload: self.plain(Kind::Overload, overload, Role::Overload),
            written: written.map(|written| self.operator(written, domain, index)),
            layout,
            graph,
            operands,
            attributes,
        }
    }

    fn value(&mut self, index: usize, value: &Value) -> Value {
        let Value { name, graph, producer, ty, initializer, sparse_initializer } = *value;
        let name = self.plain(Kind::Value, name, Role::Value(index));
        Value { name, graph, producer, ty, initializer, sparse_initializer }
    }

    fn tensor(&mut self, index: usize, tensor: &Tensor) -> Tensor {
        let Tensor { name, dtype, dims, data, described_at, stored_in, segment } = tensor;
        let data = match data {
            Data::External(external) => {
                let External { file, offset, length, problem, unknown_keys } = &**external;
                Data::External(Box::new(External {
                    file: *file,
                    offset: *offset,
                    length: *length,
                    problem: problem.as_ref().map(|text| self.text(Role::Message, text)),
                    unknown_keys: unknown_keys.iter().map(|key| self.metadata_key(*key)).collect(),
                }))
            }
            Data::Absent | Data::Raw(_) | Data::Inline(_) | Data::Fields { .. } => data.clone(),
        };
        Tensor {
            // An initializer and the value that it fills have one name.
            name: self.plain(Kind::Value, *name, Role::Tensor(index)),
            dtype: *dtype,
            dims: dims.clone(),
            data,
            described_at: *described_at,
            stored_in: *stored_in,
            segment: *segment,
        }
    }

    fn function(&mut self, index: usize, function: &Function) -> Function {
        let Function { name, domain, overload, body, opsets, attributes, defaults, metadata, doc } =
            function;
        Function {
            name: self.operator(*name, *domain, index),
            domain: self.domain(*domain, index),
            overload: self.plain(Kind::Overload, *overload, Role::Overload),
            body: *body,
            opsets: self.opsets(opsets),
            attributes: attributes.iter().map(|name| self.own_attribute(*name)).collect(),
            defaults: *defaults,
            metadata: self.metadata(metadata),
            doc: self.documentation(*doc),
        }
    }

    /// An attribute of a function of the model.
    fn own_attribute(&mut self, name: NameId) -> NameId {
        self.plain(Kind::Attribute, name, Role::Attribute { domain: "", op: "" })
    }

    /// Attributes of all nodes and functions, in their order.
    fn attributes(&mut self) -> Vec<Attribute> {
        let model = self.model;
        let domain = |id| match model.name(id) {
            STANDARD => "",
            domain => domain,
        };
        let functions = model.functions.iter();
        let called: HashSet<(&str, NameId)> =
            functions.map(|function| (domain(function.domain), function.name)).collect();
        let mut owners: Vec<Option<(NameId, NameId)>> = vec![None; model.attributes.len()];
        for node in &model.nodes {
            if !called.contains(&(domain(node.domain), node.op)) {
                owners[node.attributes.indices()].fill(Some((node.domain, node.op)));
            }
        }
        let pairs = model.attributes.iter().zip(owners);
        pairs.map(|(attribute, owner)| self.attribute(attribute, owner)).collect()
    }

    fn attribute(&mut self, attribute: &Attribute, owner: Option<(NameId, NameId)>) -> Attribute {
        let model = self.model;
        let Attribute { name, value } = attribute;
        let text_role = Role::AttributeText { name: model.name(*name) };
        let value = match value {
            AttributeValue::Text(text) => AttributeValue::Text(match text.shown() {
                Some(shown) => match self.naming.shown(text_role, &shown) {
                    Some(shown) => text.shown_as(&shown),
                    None => text.clone(),
                },
                None => text.clone(),
            }),
            AttributeValue::Texts { count, bytes, first, at } => {
                let with = [*name, model.names.empty()];
                let texts =
                    first.iter().map(|id| self.id(Kind::AttributeText, *id, with, text_role));
                let first = texts.collect();
                AttributeValue::Texts { count: *count, bytes: *bytes, first, at: *at }
            }
            AttributeValue::Reference(name) => AttributeValue::Reference(self.own_attribute(*name)),
            AttributeValue::Float(_)
            | AttributeValue::Int(_)
            | AttributeValue::Tensor(_)
            | AttributeValue::SparseTensor(_)
            | AttributeValue::Graph(_)
            | AttributeValue::Type(_)
            | AttributeValue::Floats(_)
            | AttributeValue::Ints(_)
            | AttributeValue::Tensors(_)
            | AttributeValue::SparseTensors(_)
            | AttributeValue::Graphs(_)
            | AttributeValue::Types(_)
            | AttributeValue::Unknown(_) => value.clone(),
        };
        Attribute { name: self.attribute_name(*name, owner), value }
    }

    fn attribute_name(&mut self, name: NameId, owner: Option<(NameId, NameId)>) -> NameId {
        let Some((domain, op)) = owner else { return self.own_attribute(name) };
        let role = Role::Attribute { domain: self.model.name(domain), op: self.model.name(op) };
        self.id(Kind::Attribute, name, [domain, op], role)
    }

    fn graph(&mut self, index: usize, graph: &Graph) -> Graph {
        let Graph {
            name,
            kind,
            parent,
            nesting,
            nodes,
            order,
            stored_in_order,
            cyclic,
            inputs,
            outputs,
            initializers,
            sparse_initializers,
            quantization,
            metadata,
            doc,
        } = graph;
        let kind = match *kind {
            GraphKind::Subgraph { node, attribute } => {
                let owner = self.model.node(node);
                let attribute = self.attribute_name(attribute, Some((owner.domain, owner.op)));
                GraphKind::Subgraph { node, attribute }
            }
            kind @ (GraphKind::Main | GraphKind::Function(_) | GraphKind::Training) => kind,
        };
        Graph {
            name: self.plain(Kind::Graph, *name, Role::Graph(index)),
            kind,
            parent: *parent,
            nesting: *nesting,
            nodes: *nodes,
            order: order.clone(),
            stored_in_order: *stored_in_order,
            cyclic: cyclic.clone(),
            inputs: inputs.clone(),
            outputs: outputs.clone(),
            initializers: initializers.clone(),
            sparse_initializers: sparse_initializers.clone(),
            quantization: quantization.iter().map(|it| self.quantization(it)).collect(),
            metadata: self.metadata(metadata),
            doc: self.documentation(*doc),
        }
    }

    fn quantization(&mut self, annotation: &QuantizationAnnotation) -> QuantizationAnnotation {
        let QuantizationAnnotation { tensor, parameters } = annotation;
        let name =
            |renamer: &mut Self, id| renamer.plain(Kind::Value, id, Role::Tensor(id.index()));
        let pairs = parameters.iter().map(|(role, id)| (self.vocabulary(*role), name(self, *id)));
        let parameters = pairs.collect();
        QuantizationAnnotation { tensor: name(self, *tensor), parameters }
    }

    fn data_file(&mut self, index: usize, file: &DataFile) -> DataFile {
        let DataFile { location, state } = file;
        DataFile {
            location: self.plain(Kind::DataFile, *location, Role::DataFile(index)),
            state: match state {
                DataFileState::Refused(reason) => {
                    DataFileState::Refused(self.text(Role::Message, reason))
                }
                DataFileState::Present(_) | DataFileState::Missing | DataFileState::Unchecked => {
                    state.clone()
                }
            },
        }
    }

    fn value_type(&mut self, ty: &ValueType) -> ValueType {
        let ValueType { containers, leaf, denotation } = ty;
        let leaf = match leaf {
            Leaf::Tensor(tensor) => Leaf::Tensor(self.tensor_type(tensor)),
            Leaf::SparseTensor(tensor) => Leaf::SparseTensor(self.tensor_type(tensor)),
            Leaf::Opaque { domain, name } => {
                let (domain, name) = (*domain, *name);
                Leaf::Opaque {
                    name: self.operator(name, domain, 0),
                    domain: self.domain(domain, 0),
                }
            }
            Leaf::Unknown => Leaf::Unknown,
        };
        let denotation = denotation.map(|id| self.vocabulary(id));
        ValueType { containers: containers.clone(), leaf, denotation }
    }

    fn tensor_type(&mut self, ty: &TensorType) -> TensorType {
        let TensorType { dtype, shape } = ty;
        let dim = |dim: &Dim| match *dim {
            Dim::Symbol(name) => Dim::Symbol(self.plain(Kind::Dimension, name, Role::Dimension)),
            dim @ (Dim::Size(_) | Dim::Unknown) => dim,
        };
        let shape = shape.as_ref().map(|dims| dims.iter().map(dim).collect());
        TensorType { dtype: *dtype, shape }
    }

    fn header(&mut self, header: &Header) -> Header {
        let Header {
            format,
            graph_origin,
            description,
            file_name,
            bytes,
            ir_version,
            producer_name,
            producer_version,
            domain,
            model_version,
            doc,
            opsets,
            metadata,
            training,
            device_configurations,
            placed_nodes,
        } = header;
        let mut entries = Vec::with_capacity(metadata.len());
        for (key, value) in metadata {
            let shown = self.text(Role::MetadataValue { key }, value);
            entries.push((self.text(Role::MetadataKey, key), shown));
        }
        Header {
            format: *format,
            graph_origin: *graph_origin,
            description: description.as_deref().map(|it| Box::new(self.description(it))),
            file_name: self.text(Role::File, file_name),
            bytes: *bytes,
            ir_version: *ir_version,
            producer_name: self.text(Role::Producer, producer_name),
            producer_version: self.text(Role::Producer, producer_version),
            domain: self.text(Role::Documentation, domain),
            model_version: *model_version,
            doc: self.text(Role::Documentation, doc),
            opsets: self.opsets(opsets),
            metadata: entries,
            training: training.clone(),
            device_configurations: device_configurations
                .iter()
                .map(|set| self.devices(set))
                .collect(),
            placed_nodes: *placed_nodes,
        }
    }

    fn description(&mut self, description: &Description) -> Description {
        Description {
            source: self.text(Role::Vocabulary, &description.source),
            architecture: self.text(Role::Documentation, &description.architecture),
            quantization: self.text(Role::Vocabulary, &description.quantization),
            ..description.clone()
        }
    }

    fn hazard(&mut self, hazard: &Hazard) -> Hazard {
        let mut message = |text: &str| self.text(Role::Message, text);
        match hazard {
            Hazard::Import { module, name, is_dangerous } => Hazard::Import {
                module: message(module),
                name: message(name),
                is_dangerous: *is_dangerous,
            },
            Hazard::BrokenPickle { problem } => Hazard::BrokenPickle { problem: message(problem) },
            Hazard::CodeInLayer { layer } => Hazard::CodeInLayer { layer: message(layer) },
            Hazard::CallsOut { what } => Hazard::CallsOut { what: message(what) },
            Hazard::Misstated { what } => Hazard::Misstated { what: message(what) },
        }
    }

    fn devices(&mut self, configuration: &DeviceConfiguration) -> DeviceConfiguration {
        let DeviceConfiguration { name, devices, device_names } = configuration;
        DeviceConfiguration {
            name: self.text(Role::Device, name),
            devices: *devices,
            device_names: device_names.iter().map(|name| self.text(Role::Device, name)).collect(),
        }
    }

    /// What is kept of the file: never as text that can be printed.
    fn originals(&mut self) -> Originals {
        let mut scopes = self.naming.replaces_names().then(HashMap::new);
        if let Some(scopes) = &mut scopes {
            let steps = self.model.nodes().flat_map(|(id, _)| scope::steps(self.model, id));
            for step in steps {
                if !scopes.contains_key(&step.name) {
                    let shown = self.naming.scope(&step.name);
                    scopes.insert(step.name, shown);
                }
            }
        }
        let symbols = self.naming.symbols();
        Originals {
            header: Some(Box::new(self.model.header.clone())),
            shown_symbols: symbols.iter().cloned().collect(),
            symbols: symbols.into_iter().map(|(original, shown)| (shown, original)).collect(),
            scopes,
            is_renamed: true,
        }
    }
}
