//! The state of a read, and `InferenceSession` and `Model`: the header and the operator sets.

use std::collections::VecDeque;

use calipers_ir::{GraphId, GraphKind, Model, ModelBuilder, NameId, OpsetImport, Source};

use crate::Error;
use crate::elements::StoredElements;
use crate::error::Trace;
use crate::flatbuffer::{FlatBuffer, Table, Text, TextNames};
use crate::input::Input;

/// Texts longer than this are cut: no author writes so much, and a report would not show it.
pub(super) const MAX_TEXT: u64 = 64 * 1024;

/// A read in progress.
pub(super) struct Reader<'a> {
    pub(super) builder: ModelBuilder,
    pub(super) names: TextNames,
    pending: VecDeque<Pending<'a>>,
}

/// A graph still to be read.
struct Pending<'a> {
    graph: GraphId,
    table: Table<'a>,
    /// Where it is in the model.
    path: String,
}

impl<'a> Reader<'a> {
    /// Reads a model.
    pub(super) fn read(input: Input, source: &'a Source) -> Result<Model, Error> {
        let bytes = source.size();
        let mut builder = ModelBuilder::default();
        builder.source = input.source;
        builder.decoder = Some(&StoredElements);
        builder.header.format = super::READER.format;
        builder.header.file_name = input.name;
        builder.header.bytes = bytes;
        let file = FlatBuffer::new(source);
        let mut reader = Reader { builder, names: TextNames::default(), pending: VecDeque::new() };
        let found = reader.session(&file).map_err(|trace| trace.finish("session", bytes))?;
        let Some(graph) = found else {
            let hint = "it has no graph, and may hold the state of training alone".to_owned();
            return Err(Error::NoGraph { hint });
        };
        let main = reader.builder.add_main_graph()?;
        reader.queue(main, graph, "session.model.graph".to_owned());
        while let Some(Pending { graph, table, path }) = reader.pending.pop_front() {
            let read = reader.graph(graph, &table, &path);
            read.map_err(|trace| trace.finish(&path, bytes))?;
        }
        Ok(reader.builder.finish()?)
    }

    /// `InferenceSession`; returns the main graph.
    fn session(&mut self, file: &'a FlatBuffer<'a>) -> Result<Option<Table<'a>>, Trace> {
        let session = file.root()?;
        let version = session.text(0)?.shown(MAX_TEXT)?;
        if !version.is_empty() {
            self.builder.header.metadata.push(("ort_version".to_owned(), version));
        }
        let Some(model) = session.table(1)? else { return Ok(None) };
        self.model(&model).map_err(|trace| trace.within("model"))
    }

    fn model(&mut self, model: &Table<'a>) -> Result<Option<Table<'a>>, Trace> {
        for (index, opset) in model.references(1)?.tables().enumerate() {
            let opset = opset.and_then(|opset| {
                Ok(OpsetImport { domain: self.name(opset.text(0)?)?, version: opset.i64(1, 0)? })
            });
            let opset = opset.map_err(|trace| trace.within_nth("opset_import", index))?;
            self.builder.header.opsets.push(opset);
        }
        let header = &mut self.builder.header;
        header.ir_version = Some(model.i64(0, 0)?);
        header.producer_name = model.text(2)?.shown(MAX_TEXT)?;
        header.producer_version = model.text(3)?.shown(MAX_TEXT)?;
        header.domain = model.text(4)?.shown(MAX_TEXT)?;
        header.model_version = Some(model.i64(5, 0)?);
        header.doc = model.text(6)?.shown(MAX_TEXT)?;
        for (index, entry) in model.references(9)?.tables().enumerate() {
            let entry = entry.and_then(|entry| {
                Ok((entry.text(0)?.shown(MAX_TEXT)?, entry.text(1)?.shown(MAX_TEXT)?))
            });
            header.metadata.push(entry.map_err(|trace| trace.within_nth("metadata_props", index))?);
        }
        model.table(7)
    }

    fn queue(&mut self, graph: GraphId, table: Table<'a>, path: String) {
        self.pending.push_back(Pending { graph, table, path });
    }

    /// Adds the graph of an attribute of the node that is being read, and puts it on the list.
    pub(super) fn subgraph(
        &mut self,
        attribute: NameId,
        table: Table<'a>,
        path: &str,
    ) -> Result<GraphId, Trace> {
        // The way into a deep graph is as long as the graph is deep.
        const MAX_PATH: usize = 256;
        let node = self.builder.next_node()?;
        let graph = self.builder.add_graph(GraphKind::Subgraph { node, attribute })?;
        let path = if path.len() > MAX_PATH { "a subgraph" } else { path };
        self.queue(graph, table, path.to_owned());
        Ok(graph)
    }

    /// The id of a name.
    pub(super) fn name(&mut self, text: Text<'a>) -> Result<NameId, Trace> {
        self.names.intern(&mut self.builder.names, text)
    }
}
