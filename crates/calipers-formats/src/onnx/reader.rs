//! The state of a read: the model so far, and the graphs still to be read.

use std::collections::VecDeque;
use std::sync::Arc;

use calipers_ir::{GraphId, GraphKind, Model, ModelBuilder, NameId, Source, Span};

use crate::Error;
use crate::elements::StoredElements;
use crate::error::Trace;
use crate::external::DataFiles;
use crate::folder::Folder;
use crate::input::Input;
use crate::wire::{Field, Message, Part, Payload};

/// Texts longer than this are cut: no author writes so much, and a report would not show it.
const MAX_TEXT: u64 = 64 * 1024;

/// Names longer than this are refused: cutting them could make two names one.
const MAX_NAME: u64 = 64 * 1024;

/// A read in progress.
pub(super) struct Reader<'a> {
    pub(super) builder: ModelBuilder,
    pub(super) data_files: DataFiles,
    folder: Option<Arc<dyn Folder>>,
    pub(super) pending: VecDeque<Pending<'a>>,
    /// Where each graph came from, in the order of their ids, for the paths in errors.
    origins: Vec<Origin>,
    file: &'a Source,
    /// Where the pages that were read over and not yet let go begin.
    passed: u64,
    /// Operands of the node being read, kept to save an allocation per node.
    pub(super) inputs: Vec<NameId>,
    pub(super) outputs: Vec<NameId>,
}

/// A graph still to be read.
pub(super) struct Pending<'a> {
    pub(super) graph: GraphId,
    pub(super) message: Message<'a>,
}

/// Where a graph came from.
pub(super) enum Origin {
    /// A field of the model, such as `graph` or `functions[3]`.
    Model(String),
    /// An attribute of a node.
    Attribute {
        parent: GraphId,
        node: usize,
        attribute: usize,
        /// Its place among the graphs of the attribute, when that holds a list.
        nth: Option<usize>,
    },
}

impl<'a> Reader<'a> {
    pub(super) fn new(input: Input, file: &'a Source) -> Self {
        let mut builder = ModelBuilder::default();
        builder.source = input.source;
        builder.decoder = Some(&StoredElements);
        builder.header.file_name = input.name;
        builder.header.bytes = file.size();
        Self {
            builder,
            data_files: DataFiles::default(),
            folder: input.folder,
            pending: VecDeque::new(),
            origins: Vec::new(),
            file,
            passed: 0,
            inputs: Vec::new(),
            outputs: Vec::new(),
        }
    }

    pub(super) fn read(mut self) -> Result<Model, Error> {
        let bytes = self.file.size();
        let whole = Message::from(Part::of_source(self.file));
        self.model(&whole)?;
        while let Some(Pending { graph, message }) = self.pending.pop_front() {
            if let Err(trace) = self.graph(graph, &message) {
                return Err(trace.finish(&self.path_of(graph), bytes));
            }
        }
        let Self { mut builder, mut data_files, folder, pending, origins, .. } = self;
        // Linking takes the most memory, and needs neither.
        drop((pending, origins));
        if let Some(folder) = folder {
            data_files.check_files(&*folder, &builder.names);
            for external in builder.externals_mut().filter(|it| it.problem.is_none()) {
                external.problem = data_files.range_problem(external);
            }
        }
        builder.data_files = data_files.files;
        Ok(builder.finish()?)
    }

    /// Adds a graph and puts it on the list of those to be read.
    pub(super) fn queue(
        &mut self,
        kind: GraphKind,
        message: Message<'a>,
        origin: Origin,
    ) -> Result<GraphId, Trace> {
        let graph = self.builder.add_graph(kind)?;
        self.origins.push(origin);
        self.pending.push_back(Pending { graph, message });
        Ok(graph)
    }

    /// Notes that a tensor was read over. After a large one its pages are let go at once: where the
    /// file is cached in large pages, touching one byte maps two megabytes.
    pub(super) fn passed(&mut self, span: Span) {
        const LARGE: u64 = 1 << 16;
        if span.len() >= LARGE {
            self.builder.source.release(Span { start: self.passed, end: span.end });
            self.passed = span.end;
        }
    }

    /// The path of a graph inside the model; of a deep one, both ends.
    fn path_of(&self, graph: GraphId) -> String {
        const ENDS: usize = 6;
        let mut parts = Vec::new();
        let mut next = Some(graph);
        while let Some(graph) = next {
            match self.origins.get(graph.index()) {
                Some(Origin::Attribute { parent, node, attribute, nth }) => {
                    let field = nth.map_or("g".to_owned(), |nth| format!("graphs[{nth}]"));
                    parts.push(format!("node[{node}].attribute[{attribute}].{field}"));
                    next = Some(*parent);
                }
                Some(Origin::Model(field)) => {
                    parts.push(field.clone());
                    next = None;
                }
                None => next = None,
            }
        }
        parts.reverse();
        if parts.len() > 2 * ENDS {
            parts.splice(ENDS..parts.len() - ENDS, ["…".to_owned()]);
        }
        parts.join(".")
    }

    /// Counts a field that this reader does not know.
    pub(super) fn unknown(&mut self, message: &'static str, field: &Field<'_>) {
        *self.builder.unknown_fields.entry((message, field.number)).or_insert(0) += 1;
    }

    /// The interned name in these bytes.
    pub(super) fn name(&mut self, part: Part<'_>) -> Result<NameId, Trace> {
        if part.len() > MAX_NAME {
            let problem = format!("a name has {} bytes", part.len());
            return Err(Trace::new(part.start(), problem));
        }
        Ok(self.builder.names.intern_bytes(part.bytes()?))
    }

    /// A key and a value, both interned.
    pub(super) fn entry(&mut self, message: &Message<'a>) -> Result<(NameId, NameId), Trace> {
        let (key, value) = self.entry_parts(message)?;
        let empty = self.builder.names.empty();
        let key = key.map_or(Ok(empty), |part| self.name(part))?;
        let value = value.map_or(String::new(), text);
        Ok((key, self.builder.names.intern(&value)))
    }

    /// Where a key and its value are.
    pub(super) fn entry_parts(
        &mut self,
        message: &Message<'a>,
    ) -> Result<(Option<Part<'a>>, Option<Part<'a>>), Trace> {
        let (mut key, mut value) = (None, None);
        for field in message.fields() {
            let field = field?;
            match (field.number, field.payload) {
                (1, Payload::Bytes(part)) => key = Some(part),
                (2, Payload::Bytes(part)) => value = Some(part),
                _ => self.unknown("StringStringEntryProto", &field),
            }
        }
        Ok((key, value))
    }

    /// The place of a text in the file.
    pub(super) fn span_of(part: Option<Part<'a>>) -> Span {
        part.map_or(Span::default(), |part| part.span())
    }
}

/// A text for people: made valid, and cut when absurdly long.
pub(super) fn text(part: Part<'_>) -> String {
    // What cannot be fetched is a failure of the source, which the caller of the reader reports.
    let start = String::from_utf8_lossy(part.first(MAX_TEXT).unwrap_or_default()).into_owned();
    match part.len() <= MAX_TEXT {
        true => start,
        false => format!("{start}… ({} bytes in all)", part.len()),
    }
}

/// An integer field. Protobuf writes negative ones as 64 bits, whatever their width.
pub(super) fn integer(value: u64) -> i64 {
    value.cast_signed()
}

/// An integer field of 32 bits.
#[expect(clippy::cast_possible_truncation, reason = "protobuf drops the upper half")]
pub(super) fn integer32(value: u64) -> i32 {
    value as i32
}
