//! `SubGraph` and `Operator`: values, and a node for each operator.

use std::collections::HashMap;

use calipers_ir::assembly::{Assembly, Call};
use calipers_ir::{Data, GraphId, NameId, NodeDraft, TypedName};

use super::map;
use super::operand::{Op, Operand};
use super::reader::{Code, Pending, Reader};
use crate::error::Trace;
use crate::flatbuffer::{Table, Vector};

/// Bytes of the options of a custom operator that are looked at.
const MAX_CUSTOM: u64 = 1024;

/// Characters of the name of a node.
const MAX_NAME: usize = 256;

impl<'a> Reader<'a> {
    /// Reads one graph; graphs of its operators join the list.
    pub(super) fn subgraph(&mut self, pending: &Pending, table: &Table<'a>) -> Result<(), Trace> {
        let graph = pending.graph;
        let name = self.name(table.text(4)?)?;
        self.builder.graph_mut(graph).name = name;
        let all = table.references(0)?;
        self.tensors = Some(all);
        let inputs = indices(&table.vector(1, 4)?)?;
        let given: HashMap<i32, NameId> =
            inputs.iter().copied().zip(pending.given.iter().copied()).collect();
        let mut tensors = Vec::new();
        for (index, tensor) in all.tables().enumerate() {
            let given = given.get(&index_of(index)).copied();
            let operand = tensor.and_then(|tensor| self.tensor(graph, index, &tensor, given));
            tensors.push(operand.map_err(|trace| trace.within_nth("tensors", index))?);
        }
        self.declare(graph, &tensors);
        let mut is_defined = vec![false; tensors.len()];
        for (place, index) in inputs.iter().enumerate() {
            let index = checked(*index, &tensors, table, "inputs")?;
            is_defined[index] = true;
            if pending.given.get(place).is_none() {
                let input = TypedName { name: tensors[index].name, ty: tensors[index].ty };
                self.builder.graph_mut(graph).inputs.push(input);
            }
        }
        for (index, operator) in table.references(3)?.tables().enumerate() {
            let read = operator.and_then(|it| self.operator(graph, &it, &tensors, &mut is_defined));
            read.map_err(|trace| trace.within_nth("operators", index))?;
        }
        self.add_empty(graph, &tensors, &is_defined)?;
        for index in indices(&table.vector(2, 4)?)? {
            let index = checked(index, &tensors, table, "outputs")?;
            let output = TypedName { name: tensors[index].name, ty: tensors[index].ty };
            self.builder.graph_mut(graph).outputs.push(output);
        }
        Ok(())
    }

    fn declare(&mut self, graph: GraphId, tensors: &[Operand<'a>]) {
        let typed = tensors.iter().filter_map(|it| Some((it.name, it.ty?)));
        for (name, ty) in typed {
            let typed = TypedName { name, ty: Some(ty) };
            self.builder.graph_mut(graph).value_types.push(typed);
        }
    }

    /// Adds constants without elements: the file has no buffer for them.
    fn add_empty(
        &mut self,
        graph: GraphId,
        tensors: &[Operand<'a>],
        is_defined: &[bool],
    ) -> Result<(), Trace> {
        let is_empty = |it: &Operand<'_>| {
            !it.is_stored && !it.is_variable && it.dims.contains(&0) && it.ty.is_some()
        };
        for (tensor, is_defined) in tensors.iter().zip(is_defined) {
            if !is_defined && is_empty(tensor) {
                let mut assembly = Assembly::new(&mut self.builder, graph);
                let data = Data::Inline([].into());
                assembly.add_stored(tensor.name, tensor.dtype, &tensor.dims, data)?;
            }
        }
        Ok(())
    }

    /// Reads an operator and adds its node.
    fn operator(
        &mut self,
        graph: GraphId,
        table: &Table<'a>,
        tensors: &[Operand<'a>],
        is_defined: &mut [bool],
    ) -> Result<(), Trace> {
        let number = table.u32(0, 0)?;
        let code = usize::try_from(number).ok().and_then(|code| self.codes.get(code)).cloned();
        let Some(Code { name, is_custom }) = code else {
            let problem = format!("it refers to operator code {number}, which is not there");
            return Err(Trace::new(table.at(), problem));
        };
        let operands = |field: u16| -> Result<Vec<Option<usize>>, Trace> {
            let operand = |index: i32| match index {
                -1 => Ok(None),
                index => checked(index, tensors, table, "an operand").map(Some),
            };
            indices(&table.vector(field, 4)?)?.into_iter().map(operand).collect()
        };
        let custom = table.vector(5, 1)?;
        let source = self.source.clone();
        let op = Op {
            name: &name,
            is_custom,
            options: table.table(4)?,
            more_options: table.table(12)?,
            custom_options: if custom.len() <= MAX_CUSTOM { custom.bytes()? } else { &[] },
            tensors,
            inputs: operands(1)?,
            outputs: operands(2)?,
            source: &source,
        };
        for index in op.outputs.iter().flatten() {
            is_defined[*index] = true;
        }
        let none = self.builder.names.empty();
        let names = |indices: &[Option<usize>]| -> Vec<NameId> {
            // What a run starts with in a variable is zero, as what is left out is.
            let given = |it: &&Operand<'_>| !it.is_variable || it.is_stored;
            let name = |index: &Option<usize>| {
                let operand = index.and_then(|index| tensors.get(index)).filter(given);
                operand.map_or(none, |operand| operand.name)
            };
            indices.iter().map(name).collect()
        };
        let mut call = Call {
            written: name.clone(),
            name: self.node_name(&op),
            inputs: names(&op.inputs),
            outputs: names(&op.outputs),
            ..Call::default()
        };
        if !is_custom && self.control(graph, &op, &call)? {
            return Ok(());
        }
        let mut assembly = Assembly::new(&mut self.builder, graph);
        map::map(&op, &mut call, &mut assembly)?;
        while call.inputs.last() == Some(&none) {
            call.inputs.pop();
        }
        assembly.add(&call)?;
        Ok(())
    }

    /// The name of a node: that of its first output, and of several the first. Operators have none
    /// of their own.
    fn node_name(&self, op: &Op<'_, 'a>) -> String {
        let Some(output) = op.output(0) else { return String::new() };
        let name = self.builder.names.get(output.name);
        name.split(';').next().unwrap_or(name).chars().take(MAX_NAME).collect()
    }

    /// Adds a node that has subgraphs; returns whether the operator is one.
    fn control(&mut self, graph: GraphId, op: &Op<'_, 'a>, call: &Call) -> Result<bool, Trace> {
        let fields: &[(u16, &str)] = match op.name {
            "IF" => &[(0, "then_branch"), (1, "else_branch")],
            "WHILE" => &[(0, "cond"), (1, "body")],
            "CALL_ONCE" => &[(0, "init")],
            "STABLEHLO_COMPOSITE" => &[(1, "decomposition")],
            "STABLEHLO_WHILE" => &[(0, "cond"), (1, "body")],
            _ => return Ok(false),
        };
        let options = if op.name.starts_with("STABLEHLO") { op.more_options } else { op.options };
        let attributes_from = self.builder.attributes_so_far();
        let mut wanted = Vec::new();
        for (field, attribute) in fields {
            let index = options.map_or(Ok(-1), |options| options.i32(*field, 0))?;
            let subgraph = self.unplaced(index);
            // A subgraph has one owner: where several operators run it, the first one.
            let is_new = |one: usize| !wanted.iter().any(|(other, _)| *other == one);
            wanted.extend(subgraph.filter(|one| is_new(*one)).map(|one| (one, *attribute)));
        }
        // A branch of ONNX has no inputs: it sees the values around it.
        let is_if = op.name == "IF" && wanted.len() == 2;
        let arguments = call.inputs.get(1..).unwrap_or_default();
        for (subgraph, attribute) in wanted {
            let given = if is_if { arguments.to_vec() } else { Vec::new() };
            self.attach(subgraph, attribute, given)?;
        }
        let domain = if is_if { "" } else { self.builder.header.format.domain() };
        let written = self.builder.names.intern(op.name);
        let draft = NodeDraft {
            name: self.builder.names.intern(&call.name),
            op: if is_if { self.builder.names.intern("If") } else { written },
            domain: self.builder.names.intern(domain),
            written: is_if.then_some(written),
            ..NodeDraft::default()
        };
        let inputs = if is_if { call.inputs.get(..1).unwrap_or_default() } else { &call.inputs };
        let outputs = &call.outputs;
        self.builder.add_node_with_attributes(graph, draft, inputs, outputs, attributes_from)?;
        Ok(true)
    }
}

/// The numbers of tensors in a vector.
fn indices(vector: &Vector<'_>) -> Result<Vec<i32>, Trace> {
    Ok(vector.i32s()?.collect())
}

/// A place as the file writes it; what is beyond has no number.
fn index_of(index: usize) -> i32 {
    i32::try_from(index).unwrap_or(-1)
}

/// The place of a tensor that the file refers to.
fn checked(
    index: i32,
    tensors: &[Operand<'_>],
    table: &Table<'_>,
    what: &str,
) -> Result<usize, Trace> {
    match usize::try_from(index) {
        Ok(place) if place < tensors.len() => Ok(place),
        _ => {
            let count = tensors.len();
            let problem = format!("{what}: tensor {index} is missing: the file has {count}");
            Err(Trace::new(table.at(), problem))
        }
    }
}
