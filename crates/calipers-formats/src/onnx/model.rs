//! `ModelProto`: the header, the operator sets, the graph, functions and training steps.

use calipers_ir::{DeviceConfiguration, GraphKind, OpsetImport, TrainingStep};

use super::reader::{Origin, Reader, integer, text};
use crate::Error;
use crate::error::Trace;
use crate::wire::{Message, Part, Payload};

/// Parts of the model that are read after its header.
#[derive(Default)]
struct Sections<'a> {
    graph: Option<Message<'a>>,
    functions: Vec<Part<'a>>,
    training: Vec<Part<'a>>,
    /// Fields that have the number of a known one and the wire type of another message.
    misfits: u64,
}

impl<'a> Reader<'a> {
    /// Reads the header and lists the graphs.
    pub(super) fn model(&mut self, message: &Message<'a>) -> Result<(), Error> {
        let bytes = self.builder.header.bytes;
        let sections = self.header(message).map_err(|trace| trace.finish("", bytes))?;
        let Some(graph) = sections.graph else {
            let hint = if sections.misfits > 0 {
                "its fields are those of another protobuf message: a TensorFlow graph, a Core ML \
                 model or a single tensor, perhaps"
            } else {
                "it may be cut short, or a protobuf message of another kind"
            };
            return Err(Error::NoGraph { hint: hint.to_owned() });
        };
        let place = |trace: Trace| trace.finish("", bytes);
        self.queue(GraphKind::Main, graph, Origin::Model("graph".to_owned())).map_err(place)?;
        for (index, part) in sections.functions.into_iter().enumerate() {
            self.function(index, part)
                .map_err(|trace| trace.within_nth("functions", index).finish("", bytes))?;
        }
        for (index, part) in sections.training.into_iter().enumerate() {
            self.training_step(index, part)
                .map_err(|trace| trace.within_nth("training_info", index).finish("", bytes))?;
        }
        Ok(())
    }

    fn header(&mut self, message: &Message<'a>) -> Result<Sections<'a>, Trace> {
        let mut sections = Sections::default();
        for field in message.fields() {
            let field = field?;
            let header = &mut self.builder.header;
            match (field.number, field.payload) {
                (1, Payload::Varint(value)) => header.ir_version = Some(integer(value)),
                (2, Payload::Bytes(part)) => header.producer_name = text(part),
                (3, Payload::Bytes(part)) => header.producer_version = text(part),
                (4, Payload::Bytes(part)) => header.domain = text(part),
                (5, Payload::Varint(value)) => header.model_version = Some(integer(value)),
                (6, Payload::Bytes(part)) => header.doc = text(part),
                (7, Payload::Bytes(part)) => Message::merge(&mut sections.graph, part),
                (8, Payload::Bytes(part)) => {
                    let index = header.opsets.len();
                    let opset = self.opset(&Message::from(part));
                    let opset = opset.map_err(|t| t.within_nth("opset_import", index))?;
                    self.builder.header.opsets.push(opset);
                }
                (14, Payload::Bytes(part)) => {
                    let index = header.metadata.len();
                    let (key, value) = self
                        .entry_parts(&Message::from(part))
                        .map_err(|trace| trace.within_nth("metadata_props", index))?;
                    let entry =
                        (key.map_or_else(String::new, text), value.map_or_else(String::new, text));
                    self.builder.header.metadata.push(entry);
                }
                (20, Payload::Bytes(part)) => sections.training.push(part),
                (25, Payload::Bytes(part)) => sections.functions.push(part),
                (26, Payload::Bytes(part)) => {
                    let index = header.device_configurations.len();
                    let configuration = self.device_configuration(&Message::from(part));
                    let configuration =
                        configuration.map_err(|t| t.within_nth("configuration", index))?;
                    self.builder.header.device_configurations.push(configuration);
                }
                (1..=8 | 14 | 20 | 25 | 26, _) => {
                    sections.misfits += 1;
                    self.unknown("ModelProto", &field);
                }
                _ => self.unknown("ModelProto", &field),
            }
        }
        Ok(sections)
    }

    /// `OperatorSetIdProto`.
    pub(super) fn opset(&mut self, message: &Message<'a>) -> Result<OpsetImport, Trace> {
        let mut opset = OpsetImport { domain: self.builder.names.empty(), version: 0 };
        for field in message.fields() {
            let field = field?;
            match (field.number, field.payload) {
                (1, Payload::Bytes(part)) => opset.domain = self.name(part)?,
                (2, Payload::Varint(value)) => opset.version = integer(value),
                _ => self.unknown("OperatorSetIdProto", &field),
            }
        }
        Ok(opset)
    }

    /// `DeviceConfigurationProto`.
    fn device_configuration(
        &mut self,
        message: &Message<'a>,
    ) -> Result<DeviceConfiguration, Trace> {
        let mut configuration = DeviceConfiguration::default();
        for field in message.fields() {
            let field = field?;
            match (field.number, field.payload) {
                (1, Payload::Bytes(part)) => configuration.name = text(part),
                (2, Payload::Varint(value)) => configuration.devices = integer(value),
                (3, Payload::Bytes(part)) => configuration.device_names.push(text(part)),
                _ => self.unknown("DeviceConfigurationProto", &field),
            }
        }
        Ok(configuration)
    }

    /// `FunctionProto`: its signature now, its body with the graphs still to be read.
    fn function(&mut self, index: usize, part: Part<'a>) -> Result<(), Trace> {
        let id = self.builder.next_function()?;
        let message = Message::from(part);
        let origin = Origin::Model(format!("functions[{index}]"));
        let body = self.queue(GraphKind::Function(id), message.clone(), origin)?;
        let mut function = self.builder.draft_function(body);
        let defaults_from = self.builder.attributes_so_far();
        for field in message.fields() {
            let field = field?;
            match (field.number, field.payload) {
                (1, Payload::Bytes(part)) => function.name = self.name(part)?,
                (6, Payload::Bytes(part)) => function.attributes.push(self.name(part)?),
                (8, Payload::Bytes(part)) => {
                    function.doc = self.builder.names.intern(&text(part));
                }
                (9, Payload::Bytes(part)) => {
                    let opset = self.opset(&Message::from(part));
                    let index = function.opsets.len();
                    function.opsets.push(opset.map_err(|t| t.within_nth("opset_import", index))?);
                }
                (10, Payload::Bytes(part)) => function.domain = self.name(part)?,
                (11, Payload::Bytes(part)) => {
                    let place = self.builder.attributes_so_far() - defaults_from;
                    self.function_default(body, place, &Message::from(part))
                        .map_err(|trace| trace.within_nth("attribute_proto", place))?;
                }
                (13, Payload::Bytes(part)) => function.overload = self.name(part)?,
                (14, Payload::Bytes(part)) => {
                    let entry = self.entry(&Message::from(part));
                    let index = function.metadata.len();
                    function
                        .metadata
                        .push(entry.map_err(|t| t.within_nth("metadata_props", index))?);
                }
                // The body: `Reader::graph` reads these.
                (4 | 5 | 7 | 12, Payload::Bytes(_)) => {}
                _ => self.unknown("FunctionProto", &field),
            }
        }
        self.builder.add_function(function, defaults_from)?;
        Ok(())
    }

    /// `TrainingInfoProto`.
    fn training_step(&mut self, index: usize, part: Part<'a>) -> Result<(), Trace> {
        let (mut initialization, mut algorithm, mut bindings) = (None, None, 0);
        for field in Message::from(part).fields() {
            let field = field?;
            match (field.number, field.payload) {
                (1, Payload::Bytes(part)) => Message::merge(&mut initialization, part),
                (2, Payload::Bytes(part)) => Message::merge(&mut algorithm, part),
                (3 | 4, Payload::Bytes(_)) => bindings += 1,
                _ => self.unknown("TrainingInfoProto", &field),
            }
        }
        let mut queue = |message: Option<Message<'a>>, field: &str| {
            let origin = Origin::Model(format!("training_info[{index}].{field}"));
            message.map(|message| self.queue(GraphKind::Training, message, origin)).transpose()
        };
        let step = TrainingStep {
            initialization: queue(initialization, "initialization")?,
            algorithm: queue(algorithm, "algorithm")?,
            bindings,
        };
        self.builder.header.training.push(step);
        Ok(())
    }
}
