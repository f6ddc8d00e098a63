//! What the XML file says, before any layer has a meaning.

use std::collections::HashMap;

/// The type of layers that hold a constant.
pub(super) const CONST: &str = "Const";
/// The type of layers that are inputs of their net.
pub(super) const PARAMETER: &str = "Parameter";
/// The type of layers that are outputs of their net.
pub(super) const RESULT: &str = "Result";

/// A whole file.
#[derive(Debug, Default)]
pub(super) struct Document {
    /// Version of the format.
    pub(super) version: Option<i64>,
    /// The network, then the bodies of its layers, in the order of the file.
    pub(super) nets: Vec<Net>,
    /// Free metadata, by its path.
    pub(super) info: Vec<(String, String)>,
}

/// A network, or the body of a layer.
#[derive(Debug, Default)]
pub(super) struct Net {
    pub(super) name: String,
    pub(super) layers: Vec<Layer>,
    pub(super) edges: Vec<Edge>,
}

/// A place that values come from or go to: a layer and one of its ports.
pub(super) type Place = (u64, u64);

/// A value on its way from one layer to another.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub(super) from: Place,
    pub(super) to: Place,
}

/// An operation, a constant, an input or an output.
#[derive(Debug, Default)]
pub(super) struct Layer {
    pub(super) id: u64,
    pub(super) name: String,
    pub(super) kind: String,
    /// The operator set that defines its type, such as `opset8`.
    pub(super) version: String,
    pub(super) data: Vec<(Box<str>, Box<str>)>,
    pub(super) inputs: Vec<Port>,
    pub(super) outputs: Vec<Port>,
    pub(super) bodies: Vec<Body>,
}

/// A port of a layer.
#[derive(Debug, Default)]
pub(super) struct Port {
    pub(super) id: u64,
    pub(super) precision: Box<str>,
    /// Names of the tensor, separated by commas.
    pub(super) names: Box<str>,
    /// A dimension that is open is `None`.
    pub(super) dims: Vec<Option<i64>>,
}

/// A body of a layer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Branch {
    /// Of a loop.
    Body,
    /// Of an `If` whose condition is true.
    Then,
    /// Of an `If` whose condition is false.
    Else,
}

/// A body, and how its values meet those of the layer.
#[derive(Debug)]
pub(super) struct Body {
    pub(super) branch: Branch,
    /// Its place among the nets; `None` until it is found in the file.
    pub(super) net: Option<usize>,
    pub(super) inputs: Vec<Mapped>,
    pub(super) outputs: Vec<Mapped>,
    /// What each turn leaves to the next: layers of the body, from a result to a parameter.
    pub(super) back_edges: Vec<(u64, u64)>,
}

/// A value of a body and the port of the layer that it meets.
#[derive(Debug, Default)]
pub(super) struct Mapped {
    /// The port; `None` for values that the loop itself gives or takes.
    pub(super) port: Option<u64>,
    /// The layer in the body.
    pub(super) layer: u64,
    /// Whether the values of all turns are cut from, or joined to, one tensor.
    pub(super) is_sliced: bool,
    /// What the loop itself gives or takes.
    pub(super) purpose: Box<str>,
}

impl Layer {
    /// A text among its attributes.
    pub(super) fn text(&self, key: &str) -> Option<&str> {
        self.data.iter().find(|(name, _)| **name == *key).map(|(_, value)| &**value)
    }

    /// A whole number among its attributes.
    pub(super) fn int(&self, key: &str) -> Option<i64> {
        self.text(key)?.trim().parse().ok()
    }

    /// A number among its attributes.
    pub(super) fn float(&self, key: &str) -> Option<f32> {
        self.text(key)?.trim().parse().ok()
    }

    /// A truth value among its attributes.
    pub(super) fn flag(&self, key: &str) -> Option<bool> {
        match self.text(key)?.trim() {
            "true" | "True" | "1" => Some(true),
            "false" | "False" | "0" => Some(false),
            _ => None,
        }
    }

    /// Whole numbers among its attributes, separated by commas; `None` where one of them is none.
    pub(super) fn ints(&self, key: &str) -> Option<Vec<i64>> {
        whole_numbers(self.text(key)?)
    }

    /// The place of an input port.
    pub(super) fn input_place(&self, port: u64) -> Option<usize> {
        self.inputs.iter().position(|input| input.id == port)
    }

    /// Dimensions of an input. None of a scalar, and none where the file does not state them.
    pub(super) fn dims(&self, input: usize) -> &[Option<i64>] {
        self.inputs.get(input).map(|port| &*port.dims).unwrap_or_default()
    }

    /// How many dimensions an input has; 0 where the file does not state them.
    pub(super) fn rank(&self, input: usize) -> usize {
        self.dims(input).len()
    }

    /// Dimensions of an output.
    pub(super) fn output_dims(&self, output: usize) -> &[Option<i64>] {
        self.outputs.get(output).map(|port| &*port.dims).unwrap_or_default()
    }

    /// The number of the operator set that defines its type.
    pub(super) fn opset(&self) -> Option<u32> {
        self.version.strip_prefix("opset")?.parse().ok()
    }
}

/// Whole numbers separated by commas; `None` where one of them is none.
pub(super) fn whole_numbers(text: &str) -> Option<Vec<i64>> {
    let text = text.trim();
    if text.is_empty() {
        return Some(Vec::new());
    }
    text.split(',').map(|number| number.trim().parse().ok()).collect()
}

impl Net {
    /// The layers by their ids, and how many ids are there again.
    pub(super) fn by_id(&self) -> (HashMap<u64, usize>, usize) {
        let mut places = HashMap::with_capacity(self.layers.len());
        for (place, layer) in self.layers.iter().enumerate() {
            places.entry(layer.id).or_insert(place);
        }
        let repeated = self.layers.len() - places.len();
        (places, repeated)
    }
}
