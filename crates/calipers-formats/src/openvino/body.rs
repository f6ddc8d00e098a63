//! Layers with bodies: `If` and plain loops become those of ONNX; other loops keep their name, and
//! their body.

use std::collections::HashMap;

use calipers_ir::{Attribute, AttributeValue, GraphId, GraphKind, NameId, NodeDraft, TooLarge};

use super::document::{Body, Branch, Layer, Mapped};
use super::graph::{Build, Pending, Site};

/// A body on its way into the model.
struct Part {
    attribute: &'static str,
    net: usize,
    given: HashMap<u64, NameId>,
    inputs: Vec<Option<u64>>,
    outputs: Option<Vec<u64>>,
}

/// A layer with bodies as a node.
struct Parts {
    op: Option<&'static str>,
    inputs: Vec<NameId>,
    outputs: Vec<NameId>,
    bodies: Vec<Part>,
}

impl Build<'_> {
    /// Adds a node for a layer with bodies, and puts the bodies on the list.
    pub(super) fn node_with_bodies(
        &mut self,
        site: Site<'_>,
        graph: GraphId,
    ) -> Result<(), TooLarge> {
        let parts = match site.layer.kind.as_str() {
            "If" => self.branches(site),
            "Loop" => self.repeated(site),
            _ => None,
        };
        let parts = parts.unwrap_or_else(|| self.unmapped(site));
        let node = self.builder.next_node()?;
        let attributes_from = self.builder.attributes_so_far();
        for part in parts.bodies {
            let attribute = self.builder.names.intern(part.attribute);
            let body = self.builder.add_graph(GraphKind::Subgraph { node, attribute })?;
            let value = AttributeValue::Graph(body);
            self.builder.add_attribute(Attribute { name: attribute, value });
            let Part { net, given, inputs, outputs, .. } = part;
            self.pending.push_back(Pending { net, graph: body, given, inputs, outputs });
        }
        let written = self.builder.names.intern(&site.layer.kind);
        let domain = match parts.op {
            Some(_) => "",
            None => self.builder.header.format.domain(),
        };
        let draft = NodeDraft {
            name: self.builder.names.intern(&site.layer.name),
            op: parts.op.map_or(written, |op| self.builder.names.intern(op)),
            domain: self.builder.names.intern(domain),
            written: parts.op.is_some().then_some(written),
            ..NodeDraft::default()
        };
        let (inputs, outputs) = (&parts.inputs, &parts.outputs);
        self.builder.add_node_with_attributes(graph, draft, inputs, outputs, attributes_from)?;
        Ok(())
    }

    /// The name of what enters a layer through a port.
    fn entering(&self, site: Site<'_>, port: u64) -> NameId {
        let place = site.layer.input_place(port);
        let name = place.and_then(|place| site.wires.input(site.place, place));
        name.unwrap_or(self.builder.names.empty())
    }

    /// What parameters of a body are in the graph around.
    fn given(&self, site: Site<'_>, body: &Body) -> HashMap<u64, NameId> {
        let ports = body.inputs.iter().filter_map(|it| Some((it.layer, it.port?)));
        ports.map(|(layer, port)| (layer, self.entering(site, port))).collect()
    }

    /// <https://onnx.ai/onnx/operators/onnx__If.html>: its branches see the values around, so the
    /// condition is its only input.
    fn branches(&self, site: Site<'_>) -> Option<Parts> {
        let mut bodies = Vec::new();
        for (branch, attribute) in [(Branch::Then, "then_branch"), (Branch::Else, "else_branch")] {
            let body = body(site.layer, branch)?;
            let given = self.given(site, body);
            let mut outputs = Vec::new();
            for port in &site.layer.outputs {
                let mapped = body.outputs.iter().find(|it| it.port == Some(port.id))?;
                outputs.push(mapped.layer);
            }
            let outputs = Some(outputs);
            bodies.push(Part { attribute, net: body.net?, given, inputs: Vec::new(), outputs });
        }
        let condition = site.wires.input(site.place, 0)?;
        Some(Parts {
            op: Some("If"),
            inputs: vec![condition],
            outputs: site.wires.outputs(site.place).to_vec(),
            bodies,
        })
    }

    /// <https://onnx.ai/onnx/operators/onnx__Loop.html>, where nothing is cut into slices or joined
    /// from them and every output is the last state.
    fn repeated(&self, site: Site<'_>) -> Option<Parts> {
        let body = body(site.layer, Branch::Body)?;
        if body.inputs.iter().chain(&body.outputs).any(|mapped| mapped.is_sliced) {
            return None;
        }
        let empty = self.builder.names.empty();
        let mut inputs = site.input_names(empty);
        inputs.truncate(2);
        let turn = with_purpose(&body.inputs, "current_iteration");
        let goes_on = with_purpose(&body.outputs, "execution_condition")?;
        let mut given = self.given(site, body);
        let mut order = vec![turn, None];
        let mut results = vec![goes_on];
        for (from, to) in &body.back_edges {
            inputs.push(given.remove(to)?);
            order.push(Some(*to));
            results.push(*from);
        }
        let mut outputs = vec![empty; body.back_edges.len()];
        for (port, name) in site.layer.outputs.iter().zip(site.wires.outputs(site.place)) {
            let result = body.outputs.iter().find(|it| it.port == Some(port.id))?.layer;
            let state = body.back_edges.iter().position(|(from, _)| *from == result)?;
            let output = outputs.get_mut(state).filter(|output| **output == empty)?;
            *output = *name;
        }
        let net = body.net?;
        let part = Part { attribute: "body", net, given, inputs: order, outputs: Some(results) };
        Some(Parts { op: Some("Loop"), inputs, outputs, bodies: vec![part] })
    }

    /// A layer that keeps its name. Its bodies are there to be counted.
    fn unmapped(&self, site: Site<'_>) -> Parts {
        let attribute = |branch| match branch {
            Branch::Body => "body",
            Branch::Then => "then_branch",
            Branch::Else => "else_branch",
        };
        let bodies = site.layer.bodies.iter().filter_map(|body| {
            Some(Part {
                attribute: attribute(body.branch),
                net: body.net?,
                given: HashMap::new(),
                inputs: Vec::new(),
                outputs: None,
            })
        });
        Parts {
            op: None,
            inputs: site.input_names(self.builder.names.empty()),
            outputs: site.wires.outputs(site.place).to_vec(),
            bodies: bodies.collect(),
        }
    }
}

/// The layer in a body that has what the loop itself gives or takes.
fn with_purpose(mapped: &[Mapped], purpose: &str) -> Option<u64> {
    mapped.iter().find(|mapped| *mapped.purpose == *purpose).map(|mapped| mapped.layer)
}

fn body(layer: &Layer, branch: Branch) -> Option<&Body> {
    layer.bodies.iter().find(|body| body.branch == branch)
}
