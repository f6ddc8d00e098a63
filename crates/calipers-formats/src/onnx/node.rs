//! `NodeProto`.

use calipers_ir::{GraphId, NodeDraft};

use super::reader::{Reader, integer};
use crate::error::Trace;
use crate::wire::{Message, Payload};

impl<'a> Reader<'a> {
    /// Reads a node, the `place`th of its graph.
    pub(super) fn node(
        &mut self,
        graph: GraphId,
        place: usize,
        message: &Message<'a>,
    ) -> Result<(), Trace> {
        let node = self.builder.next_node()?;
        let attributes_from = self.builder.attributes_so_far();
        let mut draft = NodeDraft::default();
        let mut inputs = std::mem::take(&mut self.inputs);
        let mut outputs = std::mem::take(&mut self.outputs);
        inputs.clear();
        outputs.clear();
        let mut placed = false;
        for field in message.fields() {
            let field = field?;
            match (field.number, field.payload) {
                (1, Payload::Bytes(part)) => inputs.push(self.name(part)?),
                (2, Payload::Bytes(part)) => outputs.push(self.name(part)?),
                (3, Payload::Bytes(part)) => draft.name = self.name(part)?,
                (4, Payload::Bytes(part)) => draft.op = self.name(part)?,
                (5, Payload::Bytes(part)) => {
                    let index = self.builder.attributes_so_far() - attributes_from;
                    self.node_attribute(graph, place, index, &Message::from(part))
                        .map_err(|trace| trace.within_nth("attribute", index))?;
                }
                // A node's doc string is often a stack trace of its exporter; nothing uses it.
                (6, Payload::Bytes(_)) => {}
                (7, Payload::Bytes(part)) => draft.domain = self.name(part)?,
                (8, Payload::Bytes(part)) => draft.overload = self.name(part)?,
                (9, Payload::Bytes(part)) => {
                    let (key, value) = self
                        .entry_parts(&Message::from(part))
                        .map_err(|trace| trace.within("metadata_props"))?;
                    let key = key.map(|key| self.name(key)).transpose()?;
                    let key = key.unwrap_or(self.builder.names.empty());
                    self.builder.add_node_metadata(node, key, Self::span_of(value));
                }
                (10, Payload::Bytes(part)) => {
                    self.device_placement(&Message::from(part))
                        .map_err(|trace| trace.within("device_configurations"))?;
                    placed = true;
                }
                _ => self.unknown("NodeProto", &field),
            }
        }
        self.builder.header.placed_nodes += u64::from(placed);
        self.builder.add_node_with_attributes(graph, draft, &inputs, &outputs, attributes_from)?;
        self.inputs = inputs;
        self.outputs = outputs;
        Ok(())
    }

    /// `NodeDeviceConfigurationProto` and what is inside it: walked so that damage and unknown
    /// fields are seen, though only the fact of a placement is kept.
    fn device_placement(&mut self, message: &Message<'a>) -> Result<(), Trace> {
        for field in message.fields() {
            let field = field?;
            match (field.number, field.payload) {
                (1, Payload::Bytes(_)) | (3, Payload::Varint(_)) => {}
                (2, Payload::Bytes(part)) => self.sharding(&Message::from(part))?,
                _ => self.unknown("NodeDeviceConfigurationProto", &field),
            }
        }
        Ok(())
    }

    /// `ShardingSpecProto`.
    fn sharding(&mut self, message: &Message<'a>) -> Result<(), Trace> {
        for field in message.fields() {
            let field = field?;
            match (field.number, field.payload) {
                (1, Payload::Bytes(_)) | (2, Payload::Varint(_) | Payload::Bytes(_)) => {}
                (3, Payload::Bytes(part)) => {
                    self.pass_over("IntIntListEntryProto", &Message::from(part), |field| {
                        matches!(field, (1 | 2, Payload::Varint(_)) | (2, Payload::Bytes(_)))
                    })?;
                }
                (4, Payload::Bytes(part)) => self.sharded_dim(&Message::from(part))?,
                _ => self.unknown("ShardingSpecProto", &field),
            }
        }
        Ok(())
    }

    /// `ShardedDimProto`.
    fn sharded_dim(&mut self, message: &Message<'a>) -> Result<(), Trace> {
        for field in message.fields() {
            let field = field?;
            match (field.number, field.payload) {
                (1, Payload::Varint(axis)) => {
                    let _axis = integer(axis);
                }
                (2, Payload::Bytes(part)) => {
                    self.pass_over("SimpleShardedDimProto", &Message::from(part), |field| {
                        matches!(field, (1 | 3, Payload::Varint(_)) | (2, Payload::Bytes(_)))
                    })?;
                }
                _ => self.unknown("ShardedDimProto", &field),
            }
        }
        Ok(())
    }

    /// A message that holds only plain fields, those that `known` accepts.
    fn pass_over(
        &mut self,
        name: &'static str,
        message: &Message<'a>,
        known: fn((u32, Payload<'_>)) -> bool,
    ) -> Result<(), Trace> {
        for field in message.fields() {
            let field = field?;
            if !known((field.number, field.payload)) {
                self.unknown(name, &field);
            }
        }
        Ok(())
    }
}
