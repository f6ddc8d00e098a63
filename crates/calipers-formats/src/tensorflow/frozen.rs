//! `GraphDef` in a file of its own: mostly one whose variables were made constants.

use std::collections::HashSet;

use calipers_ir::assembly::Assembly;
use calipers_ir::{Format, Model, ModelBuilder};

use super::graph::Graph;
use super::hazards;
use super::library::{Library, TOP};
use super::variables::Variables;
use super::walk::{Output, Walk};
use crate::Error;
use crate::elements::StoredElements;
use crate::error::Trace;
use crate::input::Input;
use crate::wire::{Message, Part};

/// Operators whose results nobody asks for: they save, check, count, set up, or end a loop.
const NO_OUTPUTS: &[&str] = &[
    "Assert",
    "Assign",
    "AssignAdd",
    "AssignAddVariableOp",
    "AssignSub",
    "AssignSubVariableOp",
    "AssignVariableOp",
    "Const",
    "Exit",
    "HistogramSummary",
    "ImageSummary",
    "MergeSummary",
    "MergeV2Checkpoints",
    "NextIteration",
    "NoOp",
    "Placeholder",
    "PlaceholderV2",
    "PlaceholderWithDefault",
    "RestoreV2",
    "SaveV2",
    "ScalarSummary",
    "VarHandleOp",
    "VarIsInitializedOp",
    "Variable",
    "VariableV2",
    "_Arg",
];

/// Outputs of one node that are outputs of the model.
const MAX_OUTPUTS: u32 = 1 << 10;

pub(super) fn read(input: Input) -> Result<Model, Error> {
    let source = input.source.clone();
    let mut builder = ModelBuilder::default();
    builder.source = input.source;
    builder.decoder = Some(&StoredElements);
    builder.header.format = Format::TensorFlowGraph;
    builder.header.file_name = input.name;
    builder.header.bytes = source.size();
    "tensorflow".clone_into(&mut builder.header.producer_name);
    let whole = Message::from(Part::of_source(&source));
    match fill(&mut builder, &whole) {
        Ok(()) => Ok(builder.finish()?),
        Err(trace) => Err(trace.finish("GraphDef", source.size())),
    }
}

fn fill(builder: &mut ModelBuilder, whole: &Message<'_>) -> Result<(), Trace> {
    let library = Library::read(whole)?;
    builder.hazards.extend(hazards::find(&library)?);
    if let Some(version) = library.producer {
        builder.header.metadata.push(("graph producer".to_owned(), version.to_string()));
    }
    if library.functions() > 0 {
        let count = library.functions().to_string();
        builder.header.metadata.push(("functions".to_owned(), count));
    }
    let id = builder.add_main_graph()?;
    let assembly = Assembly::new(builder, id);
    let mut graph = Graph::new(assembly, Walk::new(library), Variables::default());
    let outputs = outputs(&mut graph)?;
    let instances = graph.walk.reach(&outputs, |_| false)?;
    graph.add_all(&instances)?;
    for output in outputs {
        graph.add_output(output, 0, None)?;
    }
    Ok(())
}

/// The outputs of nodes that no other node reads.
fn outputs(graph: &mut Graph<'_, '_>) -> Result<Vec<Output>, Trace> {
    let body = graph.walk.library.body(TOP)?;
    let mut read = HashSet::new();
    let nodes = 0..u32::try_from(body.len()).unwrap_or(u32::MAX);
    for place in nodes.clone() {
        let node = body.node(place)?;
        for input in node.inputs.iter().chain(&node.controls) {
            let name = input.split_once(':').map_or(*input, |(name, _)| name);
            read.extend(body.place(name));
        }
    }
    let (mut outputs, mut seen) = (Vec::new(), HashSet::new());
    for place in nodes {
        let node = body.node(place)?;
        let is_result = !read.contains(&place) && NO_OUTPUTS.binary_search(&node.op).is_err();
        if !is_result {
            continue;
        }
        let of_call = graph.walk.outputs_of_call(&node)?;
        let of_call = of_call.and_then(|count| u32::try_from(count).ok());
        let count = of_call.unwrap_or(super::ops::outputs(&node)).min(MAX_OUTPUTS);
        for port in 0..count {
            // Several outputs of a call may be one tensor.
            if let Some(output) = graph.walk.output((node.name, port))?
                && seen.insert(output)
            {
                outputs.push(output);
            }
        }
    }
    Ok(outputs)
}
