//! `GraphProto`, and the body of a `FunctionProto`.

use calipers_ir::{GraphId, GraphKind, QuantizationAnnotation, SparseTensor, StoredIn, TypedName};

use super::reader::{Reader, integer, text};
use super::tensor::packed_integers;
use crate::error::Trace;
use crate::wire::{Message, Payload};

impl<'a> Reader<'a> {
    /// Reads one graph; graphs inside it join the list.
    pub(super) fn graph(&mut self, id: GraphId, message: &Message<'a>) -> Result<(), Trace> {
        match self.builder.graph(id).kind {
            GraphKind::Function(_) => self.function_body(id, message),
            _ => self.graph_proto(id, message),
        }
    }

    fn graph_proto(&mut self, id: GraphId, message: &Message<'a>) -> Result<(), Trace> {
        let mut nodes = 0;
        for field in message.fields() {
            let field = field?;
            let Payload::Bytes(part) = field.payload else {
                self.unknown("GraphProto", &field);
                continue;
            };
            let inner = || Message::from(part);
            match field.number {
                1 => {
                    self.node(id, nodes, &inner()).map_err(|t| t.within_nth("node", nodes))?;
                    nodes += 1;
                }
                2 => self.builder.graph_mut(id).name = self.name(part)?,
                5 => {
                    let index = self.builder.graph(id).initializers.len();
                    let tensor = self
                        .tensor(&inner(), StoredIn::Initializer)
                        .map_err(|trace| trace.within_nth("initializer", index))?;
                    self.builder.graph_mut(id).initializers.push(tensor);
                }
                10 => {
                    self.builder.graph_mut(id).doc = self.builder.names.intern(&text(part));
                }
                11 => {
                    let index = self.builder.graph(id).inputs.len();
                    let input = self.value_info(&inner());
                    let input = input.map_err(|trace| trace.within_nth("input", index))?;
                    self.builder.graph_mut(id).inputs.push(input);
                }
                12 => {
                    let index = self.builder.graph(id).outputs.len();
                    let output = self.value_info(&inner());
                    let output = output.map_err(|trace| trace.within_nth("output", index))?;
                    self.builder.graph_mut(id).outputs.push(output);
                }
                13 => self.declared_value(id, &inner())?,
                14 => {
                    let annotation = self
                        .quantization_annotation(&inner())
                        .map_err(|trace| trace.within("quantization_annotation"))?;
                    self.builder.graph_mut(id).quantization.push(annotation);
                }
                15 => {
                    let index = self.builder.graph(id).sparse_initializers.len();
                    let tensor = self
                        .sparse_tensor(&inner())
                        .map_err(|trace| trace.within_nth("sparse_initializer", index))?;
                    let tensor = self.builder.add_sparse_tensor(tensor)?;
                    self.builder.graph_mut(id).sparse_initializers.push(tensor);
                }
                16 => {
                    let entry = self.entry(&inner()).map_err(|t| t.within("metadata_props"))?;
                    self.builder.graph_mut(id).metadata.push(entry);
                }
                _ => self.unknown("GraphProto", &field),
            }
        }
        Ok(())
    }

    /// The part of a function that makes a graph; `Reader::function` reads the rest.
    fn function_body(&mut self, id: GraphId, message: &Message<'a>) -> Result<(), Trace> {
        let mut nodes = 0;
        for field in message.fields() {
            let field = field?;
            let Payload::Bytes(part) = field.payload else { continue };
            match field.number {
                1 => self.builder.graph_mut(id).name = self.name(part)?,
                4 => {
                    let input = TypedName::untyped(self.name(part)?);
                    self.builder.graph_mut(id).inputs.push(input);
                }
                5 => {
                    let output = TypedName::untyped(self.name(part)?);
                    self.builder.graph_mut(id).outputs.push(output);
                }
                7 => {
                    self.node(id, nodes, &Message::from(part))
                        .map_err(|trace| trace.within_nth("node", nodes))?;
                    nodes += 1;
                }
                12 => self.declared_value(id, &Message::from(part))?,
                _ => {}
            }
        }
        Ok(())
    }

    fn declared_value(&mut self, id: GraphId, message: &Message<'a>) -> Result<(), Trace> {
        let index = self.builder.graph(id).value_types.len();
        let value = self.value_info(message);
        let value = value.map_err(|trace| trace.within_nth("value_info", index))?;
        self.builder.graph_mut(id).value_types.push(value);
        Ok(())
    }

    /// `TensorAnnotation`.
    fn quantization_annotation(
        &mut self,
        message: &Message<'a>,
    ) -> Result<QuantizationAnnotation, Trace> {
        let mut annotation =
            QuantizationAnnotation { tensor: self.builder.names.empty(), parameters: Vec::new() };
        for field in message.fields() {
            let field = field?;
            match (field.number, field.payload) {
                (1, Payload::Bytes(part)) => annotation.tensor = self.name(part)?,
                (2, Payload::Bytes(part)) => {
                    annotation.parameters.push(self.entry(&Message::from(part))?);
                }
                _ => self.unknown("TensorAnnotation", &field),
            }
        }
        Ok(annotation)
    }

    /// `SparseTensorProto`.
    pub(super) fn sparse_tensor(&mut self, message: &Message<'a>) -> Result<SparseTensor, Trace> {
        let (mut values, mut indices, mut dims) = (None, None, Vec::new());
        for field in message.fields() {
            let field = field?;
            match (field.number, field.payload) {
                (1, Payload::Bytes(part)) => Message::merge(&mut values, part),
                (2, Payload::Bytes(part)) => Message::merge(&mut indices, part),
                (3, Payload::Varint(dim)) => dims.push(integer(dim)),
                (3, Payload::Bytes(part)) => packed_integers(part, |dim| dims.push(dim))?,
                _ => self.unknown("SparseTensorProto", &field),
            }
        }
        let mut tensor = |message: Option<Message<'a>>, field: &str| {
            message
                .map(|message| self.tensor(&message, StoredIn::Sparse))
                .transpose()
                .map_err(|trace| trace.within(field))
        };
        Ok(SparseTensor {
            values: tensor(values, "values")?,
            indices: tensor(indices, "indices")?,
            dims: dims.into(),
        })
    }
}
