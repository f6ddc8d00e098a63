//! The state of a read: the model so far, its tables, and the graphs still to be read.

use std::collections::{HashMap, HashSet, VecDeque};

use calipers_ir::{GraphId, GraphKind, Model, ModelBuilder, NameId, Source, Span};

use super::builtin;
use crate::Error;
use crate::elements::StoredElements;
use crate::error::Trace;
use crate::external::DataFiles;
use crate::flatbuffer::{FlatBuffer, Table, Text, TextNames, Vector};
use crate::input::Input;

/// Texts longer than this are cut: no author writes so much, and a report would not show it.
pub(super) const MAX_TEXT: u64 = 64 * 1024;

/// Bytes of the name of an operator that are kept.
const MAX_OPERATOR: u64 = 1024;

/// The domain of subgraphs that no operator refers to: each is reached by a signature, as a
/// function of the model is.
const SUBGRAPHS: &str = "tflite.subgraphs";

/// A read in progress.
pub(super) struct Reader<'a> {
    pub(super) builder: ModelBuilder,
    pub(super) codes: Vec<Code>,
    pub(super) buffers: Vec<Held>,
    pub(super) external_buffers: HashMap<u32, ExternalBuffer>,
    pub(super) data_files: DataFiles,
    pub(super) source: &'a Source,
    subgraphs: Vec<Table<'a>>,
    /// Whether a subgraph has its graph.
    is_placed: Vec<bool>,
    pub(super) pending: VecDeque<Pending>,
    /// Tensors of the subgraph that is being read.
    pub(super) tensors: Option<Vector<'a>>,
    /// Names of tensors so far: no two have the same.
    pub(super) taken: HashSet<NameId>,
    /// Names that were made so that no two tensors share one.
    pub(super) renamed: usize,
    names: TextNames,
}

/// An entry of the table of operators.
#[derive(Clone)]
pub(super) struct Code {
    pub(super) name: String,
    pub(super) is_custom: bool,
}

/// What the file holds for a tensor.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Held {
    /// Nothing: an operator computes it, or a caller gives it.
    Nothing,
    /// Its elements.
    Here(Span),
    /// The segment of another file with this number.
    Elsewhere(u32),
    /// A place that the file does not have.
    Missing,
}

/// A segment of another file.
pub(super) struct ExternalBuffer {
    pub(super) location: NameId,
    pub(super) offset: u64,
    pub(super) length: u64,
}

/// A graph still to be read.
pub(super) struct Pending {
    pub(super) subgraph: usize,
    pub(super) graph: GraphId,
    /// Values around it that take the place of its inputs, in their order.
    pub(super) given: Vec<NameId>,
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
        let mut reader = Reader {
            builder,
            codes: Vec::new(),
            buffers: Vec::new(),
            external_buffers: HashMap::new(),
            data_files: DataFiles::default(),
            source,
            subgraphs: Vec::new(),
            is_placed: Vec::new(),
            pending: VecDeque::new(),
            tensors: None,
            taken: HashSet::new(),
            renamed: 0,
            names: TextNames::default(),
        };
        reader.model(&file).map_err(|trace| trace.finish("model", bytes))?;
        if reader.subgraphs.is_empty() {
            let hint = "it has no subgraph, and may hold metadata alone".to_owned();
            return Err(Error::NoGraph { hint });
        }
        reader.graphs(bytes)?;
        let Reader { mut builder, mut data_files, .. } = reader;
        if let Some(folder) = input.folder {
            data_files.check_files(&*folder, &builder.names);
            for external in builder.externals_mut().filter(|it| it.problem.is_none()) {
                external.problem = data_files.range_problem(external);
            }
        }
        builder.data_files = data_files.files;
        Ok(builder.finish()?)
    }

    /// Reads the tables of the model, and lists its subgraphs.
    fn model(&mut self, file: &'a FlatBuffer<'a>) -> Result<(), Trace> {
        let root = file.root()?;
        self.builder.header.ir_version = Some(i64::from(root.u32(0, 0)?));
        self.builder.header.doc = root.text(3)?.shown(MAX_TEXT)?;
        for (index, code) in root.references(1)?.tables().enumerate() {
            let code = code.and_then(|code| self.code(&code));
            self.codes.push(code.map_err(|trace| trace.within_nth("operator_codes", index))?);
        }
        for (index, buffer) in root.references(4)?.tables().enumerate() {
            let held = buffer.and_then(|buffer| self.buffer(index, &buffer));
            self.buffers.push(held.map_err(|trace| trace.within_nth("buffers", index))?);
        }
        self.external_tables(&root).map_err(|trace| trace.within("external_buffers"))?;
        for (index, subgraph) in root.references(2)?.tables().enumerate() {
            self.subgraphs.push(subgraph.map_err(|trace| trace.within_nth("subgraphs", index))?);
        }
        self.is_placed = vec![false; self.subgraphs.len()];
        self.metadata(&root)
    }

    /// Reads graphs until each subgraph is one.
    fn graphs(&mut self, bytes: u64) -> Result<(), Error> {
        let main = self.builder.add_main_graph()?;
        self.place(0, main, Vec::new());
        let mut next = 0;
        loop {
            while let Some(pending) = self.pending.pop_front() {
                let Some(table) = self.subgraphs.get(pending.subgraph).copied() else { continue };
                let around = format!("model.subgraphs[{}]", pending.subgraph);
                let read = self.subgraph(&pending, &table);
                read.map_err(|trace| trace.finish(&around, bytes))?;
            }
            let Some(rest) = self.is_placed.get(next..) else { break };
            let Some(unplaced) = rest.iter().position(|is_placed| !is_placed) else { break };
            next += unplaced;
            self.function(next).map_err(|trace| trace.finish("model", bytes))?;
        }
        Ok(())
    }

    /// Puts a subgraph on the list of those to be read.
    fn place(&mut self, subgraph: usize, graph: GraphId, given: Vec<NameId>) {
        if let Some(is_placed) = self.is_placed.get_mut(subgraph) {
            *is_placed = true;
        }
        self.pending.push_back(Pending { subgraph, graph, given });
    }

    /// The place of a subgraph that has no graph yet.
    pub(super) fn unplaced(&self, index: i32) -> Option<usize> {
        let index = usize::try_from(index).ok()?;
        (!*self.is_placed.get(index)?).then_some(index)
    }

    /// Makes a subgraph the graph of an attribute of the next node.
    pub(super) fn attach(
        &mut self,
        subgraph: usize,
        attribute: &str,
        given: Vec<NameId>,
    ) -> Result<(), Trace> {
        let attribute = self.builder.names.intern(attribute);
        let node = self.builder.next_node()?;
        let graph = self.builder.add_graph(GraphKind::Subgraph { node, attribute })?;
        self.place(subgraph, graph, given);
        let value = calipers_ir::AttributeValue::Graph(graph);
        self.builder.add_attribute(calipers_ir::Attribute { name: attribute, value });
        Ok(())
    }

    /// A subgraph that no operator refers to.
    fn function(&mut self, subgraph: usize) -> Result<(), Trace> {
        let id = self.builder.next_function()?;
        let body = self.builder.add_graph(GraphKind::Function(id))?;
        let mut function = self.builder.draft_function(body);
        if let Some(table) = self.subgraphs.get(subgraph).copied() {
            function.name = self.name(table.text(4)?)?;
        }
        function.domain = self.builder.names.intern(SUBGRAPHS);
        let defaults_from = self.builder.attributes_so_far();
        self.builder.add_function(function, defaults_from)?;
        self.place(subgraph, body, Vec::new());
        Ok(())
    }

    fn code(&self, table: &Table<'a>) -> Result<Code, Trace> {
        // Files from before there were more than 127 operators have the narrow field alone.
        let narrow = i32::from(table.i8(0, 0)?);
        let wide = table.i32(3, 0)?;
        let number = if narrow == builtin::PLACEHOLDER || wide > narrow { wide } else { narrow };
        if number == builtin::CUSTOM {
            return Ok(Code { name: table.text(1)?.shown(MAX_OPERATOR)?, is_custom: true });
        }
        let name = match builtin::name(number) {
            Some(name) => name.to_owned(),
            None => format!("BUILTIN_{number}"),
        };
        Ok(Code { name, is_custom: false })
    }

    fn buffer(&mut self, index: usize, table: &Table<'a>) -> Result<Held, Trace> {
        let (offset, size) = (table.u64(1, 0)?, table.u64(2, 0)?);
        // Files beyond two gigabytes have the elements behind the FlatBuffer.
        if offset > 1 {
            return Ok(match offset.checked_add(size) {
                Some(end) if end <= self.source.size() => Held::Here(Span { start: offset, end }),
                _ => {
                    let what = format!("buffer {index} is at byte {offset}, behind the file's end");
                    self.misstated(what);
                    Held::Missing
                }
            });
        }
        match table.given_vector(0, 1) {
            Ok(Some(data)) if data.len() > 0 => Ok(Held::Here(data.span())),
            Ok(_) => Ok(Held::Nothing),
            Err(_) => {
                self.misstated(format!("buffer {index} ends behind the file's end"));
                Ok(Held::Missing)
            }
        }
    }

    fn external_tables(&mut self, root: &Table<'a>) -> Result<(), Trace> {
        let mut groups = Vec::new();
        for group in root.references(8)?.tables() {
            groups.push(self.name(group?.text(0)?)?);
        }
        for buffer in root.references(9)?.tables() {
            let buffer = buffer?;
            let group = usize::try_from(buffer.u32(1, 0)?).unwrap_or(usize::MAX);
            let location = groups.get(group).copied().unwrap_or(self.builder.names.empty());
            let (offset, length) = (buffer.u64(2, 0)?, buffer.u64(3, 0)?);
            let place = ExternalBuffer { location, offset, length };
            self.external_buffers.insert(buffer.u32(0, 0)?, place);
        }
        Ok(())
    }

    /// The id of a name.
    pub(super) fn name(&mut self, text: Text<'a>) -> Result<NameId, Trace> {
        self.names.intern(&mut self.builder.names, text)
    }
}
