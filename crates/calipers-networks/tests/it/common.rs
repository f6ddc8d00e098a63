//! Models that are built from a description and a list of tensors.

use std::collections::BTreeMap;

use calipers_arch::recognize;
use calipers_infer::{Bindings, Typed, infer};
use calipers_ir::assembly::Assembly;
use calipers_ir::{
    DType, Data, DecodeError, Decoder, Format, GraphOrigin, Model, ModelBuilder, Source, Tensor,
};
use calipers_measure::measure;
use calipers_networks::{Network, Stored};
use calipers_report::{Architecture, KvCache};
use calipers_sym::{Expr, Symbol};
use serde_json::Value;

/// Reads the constants of a graph, which are in memory.
#[derive(Debug)]
struct Inline;

impl Decoder for Inline {
    fn packed(&self, _: &Source, tensor: &Tensor, _: u64) -> Result<Vec<u8>, DecodeError> {
        match &tensor.data {
            Data::Inline(bytes) => Ok(bytes.to_vec()),
            _ => Err(DecodeError::Absent),
        }
    }

    fn integers(
        &self,
        source: &Source,
        tensor: &Tensor,
        limit: u64,
    ) -> Result<Vec<i64>, DecodeError> {
        let bytes = self.packed(source, tensor, limit)?;
        Ok(bytes.chunks(8).map(|it| i64::from_le_bytes(it.try_into().unwrap())).collect())
    }

    fn floats(
        &self,
        source: &Source,
        tensor: &Tensor,
        limit: u64,
    ) -> Result<Vec<f64>, DecodeError> {
        let bytes = self.packed(source, tensor, limit)?;
        let numbers = bytes.chunks(4).map(|it| f32::from_le_bytes(it.try_into().unwrap()));
        Ok(numbers.map(f64::from).collect())
    }
}

/// A tensor of a file: its name, type and dimensions.
pub(crate) type InFile<'a> = (&'a str, DType, &'a [i64]);

/// A model and what is known of it.
pub(crate) struct Built {
    pub(crate) model: Model,
    pub(crate) typed: Typed,
}

/// The model of a network; `None` where there is no graph for its family.
pub(crate) fn build(network: &Network, format: Format, tensors: &[InFile<'_>]) -> Option<Built> {
    let mut builder = ModelBuilder::default();
    builder.header.format = format;
    builder.decoder = Some(&Inline);
    builder.header.graph_origin = GraphOrigin::Built;
    builder.header.description = Some(Box::new(network.description()));
    let graph = builder.add_main_graph().unwrap();
    let mut assembly = Assembly::new(&mut builder, graph);
    let stored: Vec<Stored> = tensors
        .iter()
        .map(|(text, dtype, dims)| {
            let name = assembly.name(text);
            assembly.add_stored(name, *dtype, dims, Data::Absent).unwrap();
            Stored { name, text: (*text).to_owned(), dims: dims.to_vec(), dtype: *dtype }
        })
        .collect();
    if !network.build(&mut assembly, &stored).unwrap() {
        return None;
    }
    let model = builder.finish().unwrap();
    let typed = infer(&model, &Bindings::default()).unwrap();
    Some(Built { model, typed })
}

/// The model of a configuration without stored tensors.
pub(crate) fn from_config(config: &Value) -> Built {
    let network = Network::from_config(config).unwrap();
    build(&network, Format::SafeTensors, &[]).unwrap()
}

/// What is recognized of a model.
pub(crate) struct Seen {
    pub(crate) architecture: Architecture,
    pub(crate) cache: Option<KvCache>,
    pub(crate) parameters: u64,
}

impl Built {
    /// Measures and recognizes the model.
    pub(crate) fn seen(&self) -> Seen {
        let measured = measure(&self.model, &self.typed, &Bindings::default(), None).unwrap();
        let found = recognize(&self.model, &self.typed, &measured);
        let parameters = measured.parameters.total;
        Seen {
            architecture: found.architecture,
            cache: measured.memory.kv_cache,
            parameters: parameters.unwrap(),
        }
    }

    /// Elements of all tensors but those of constants that no file has.
    pub(crate) fn parameters(&self) -> i64 {
        let all = self.model.tensors().map(|(_, tensor)| tensor);
        let of_file = all.filter(|tensor| tensor.data == Data::Absent);
        of_file.map(|tensor| tensor.dims.iter().product::<i64>()).sum()
    }

    /// MACs at these sizes.
    pub(crate) fn macs(&self, sizes: &[(&str, i64)]) -> i64 {
        evaluate(&self.typed.total.macs, sizes)
    }

    /// Fails unless every node has a cost, and nothing contradicts what is declared.
    pub(crate) fn is_sound(&self) -> &Self {
        let wrong: Vec<String> = self
            .typed
            .contradictions
            .iter()
            .map(|it| {
                let node = it.node.map(|node| self.model.node_label(node)).unwrap_or_default();
                format!("{node}: {}", it.what)
            })
            .collect();
        assert!(wrong.is_empty(), "{wrong:#?}");
        let order = &self.model.main().order;
        let unknown: Vec<String> = order
            .iter()
            .filter_map(|node| match self.typed.cost(*node) {
                Some(Err(reason)) => Some(format!("{}: {reason}", self.model.node_label(*node))),
                _ => None,
            })
            .collect();
        assert!(unknown.is_empty(), "{unknown:#?}");
        self
    }
}

fn evaluate(expr: &Expr, sizes: &[(&str, i64)]) -> i64 {
    let sizes: BTreeMap<Symbol, Expr> =
        sizes.iter().map(|(name, size)| (Symbol::new(*name), Expr::from(*size))).collect();
    let value = expr.substitute(&sizes);
    value.as_const().unwrap_or_else(|| panic!("{value} has no value"))
}
