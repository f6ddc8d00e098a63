//! `Graph` and `Node`.

use std::collections::HashMap;

use calipers_ir::{GraphId, NameId, NodeDraft, StoredIn, TypeId, TypedName};

use super::reader::Reader;
use crate::error::Trace;
use crate::flatbuffer::{Table, Vector};

impl<'a> Reader<'a> {
    /// Reads one graph; graphs of its attributes join the list.
    pub(super) fn graph(
        &mut self,
        id: GraphId,
        table: &Table<'a>,
        path: &str,
    ) -> Result<(), Trace> {
        for (index, tensor) in table.references(0)?.tables().enumerate() {
            let tensor = tensor.and_then(|tensor| self.tensor(&tensor, StoredIn::Initializer));
            let tensor = tensor.map_err(|trace| trace.within_nth("initializers", index))?;
            self.builder.graph_mut(id).initializers.push(tensor);
        }
        for (index, tensor) in table.references(7)?.tables().enumerate() {
            let tensor = tensor.and_then(|tensor| self.sparse_tensor(&tensor));
            let tensor = tensor.map_err(|trace| trace.within_nth("sparse_initializers", index))?;
            let tensor = self.builder.add_sparse_tensor(tensor)?;
            self.builder.graph_mut(id).sparse_initializers.push(tensor);
        }
        let mut types: HashMap<NameId, TypeId> = HashMap::new();
        for (index, value) in table.references(1)?.tables().enumerate() {
            let value = value.and_then(|value| self.value_info(&value));
            let value = value.map_err(|trace| trace.within_nth("node_args", index))?;
            types.extend(value.ty.map(|ty| (value.name, ty)));
            self.builder.graph_mut(id).value_types.push(value);
        }
        let typed = |name: NameId| TypedName { name, ty: types.get(&name).copied() };
        let inputs = self.names_of(table.references(5)?)?;
        self.builder.graph_mut(id).inputs = inputs.into_iter().map(typed).collect();
        let outputs = self.names_of(table.references(6)?)?;
        self.builder.graph_mut(id).outputs = outputs.into_iter().map(typed).collect();
        for (index, node) in table.references(2)?.tables().enumerate() {
            let node = node.and_then(|node| {
                self.node(id, &node, &format!("{path}.nodes[{index}].attributes"))
            });
            node.map_err(|trace| trace.within_nth("nodes", index))?;
        }
        Ok(())
    }

    fn names_of(&mut self, texts: Vector<'a>) -> Result<Vec<NameId>, Trace> {
        texts.texts().map(|text| self.name(text?)).collect()
    }

    fn node(&mut self, graph: GraphId, table: &Table<'a>, path: &str) -> Result<(), Trace> {
        let attributes_from = self.builder.attributes_so_far();
        for (index, attribute) in table.references(10)?.tables().enumerate() {
            let read = attribute.and_then(|attribute| self.attribute(&attribute, path));
            read.map_err(|trace| trace.within_nth("attributes", index))?;
        }
        let inputs = self.names_of(table.references(8)?)?;
        let outputs = self.names_of(table.references(9)?)?;
        let draft = NodeDraft {
            name: self.name(table.text(0)?)?,
            op: self.name(table.text(5)?)?,
            domain: self.name(table.text(2)?)?,
            ..NodeDraft::default()
        };
        self.builder.add_node_with_attributes(graph, draft, &inputs, &outputs, attributes_from)?;
        Ok(())
    }
}
