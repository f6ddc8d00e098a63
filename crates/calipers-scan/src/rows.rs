//! The rows that a model has in the tables of a dataset.

use calipers::{Description, Model, Options};
use calipers_ir::{Data, StoredIn};
use calipers_report::{
    Dimension, FindingRow, KeyFigures, Layer, LayerRow, ModelRow, Operand, ShapeRow, TensorRow,
    ValueShape,
};
use serde::{Deserialize, Serialize};

use crate::table::Table;
use crate::{digest, signature};

/// Everything that a dataset holds of one model.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct Rows {
    /// Its row in the table `models`.
    pub model: ModelRow,
    /// The nodes of its main graph.
    pub layers: Vec<LayerRow>,
    /// Its stored tensors.
    pub tensors: Vec<TensorRow>,
    /// Its findings.
    pub findings: Vec<FindingRow>,
    /// The values of its main graph.
    pub shapes: Vec<ShapeRow>,
}

impl Rows {
    /// The same without tables that are not wanted.
    pub(crate) fn of_tables(mut self, wanted: &[Table]) -> Self {
        for table in Table::ALL.iter().filter(|table| !wanted.contains(table)) {
            match table {
                Table::Models => {}
                Table::Layers => self.layers = Vec::new(),
                Table::Tensors => self.tensors = Vec::new(),
                Table::Findings => self.findings = Vec::new(),
                Table::Shapes => self.shapes = Vec::new(),
            }
        }
        self
    }
}

/// The rows of a model that was read. One that cannot be analyzed has its error.
pub fn rows(model: &Model, path: &str, version: Option<String>, options: &Options) -> Rows {
    let Description { report, layers, shapes } = match model.describe(options) {
        Ok(description) => description,
        Err(error) => return unread(path, version, error.to_string()),
    };
    let row = ModelRow {
        version,
        architecture_digest: Some(digest::architecture_digest(model)),
        weights_digest: digest::weights_digest(model),
        shape_signature: signature::shape_signature(model),
        ..ModelRow::new(path.to_owned(), &report, calipers_render::license(&report))
    };
    let shown = model.shown_ir(options);
    let tensors = shown.tensors().map(|(_, tensor)| TensorRow {
        path: path.to_owned(),
        name: shown.name(tensor.name).to_owned(),
        dtype: tensor.dtype.to_string(),
        shape: joined(tensor.dims.iter()),
        elements: tensor.elements().ok(),
        bytes: tensor.bytes(),
        stored_in: match tensor.stored_in {
            StoredIn::Initializer => "initializer",
            StoredIn::Attribute | StoredIn::FunctionAttribute => "attribute",
            StoredIn::Sparse => "sparse",
        }
        .to_owned(),
        external: matches!(tensor.data, Data::External(_)),
    });
    let stored: std::collections::HashSet<&str> =
        shown.tensors().map(|(_, tensor)| shown.name(tensor.name)).collect();
    let findings = report.findings.iter().map(|finding| FindingRow {
        path: path.to_owned(),
        id: finding.id.clone(),
        severity: finding.severity.id().to_owned(),
        title: finding.title.clone(),
        detail: finding.detail.clone(),
        recommendation: finding.recommendation.clone(),
    });
    Rows {
        tensors: tensors.collect(),
        findings: findings.collect(),
        layers: layers.layers.iter().map(|layer| layer_row(path, layer, &stored)).collect(),
        shapes: shapes.values.iter().map(|(name, value)| shape_row(path, name, value)).collect(),
        model: row,
    }
}

/// The rows of a model that could not be read.
pub fn unread(path: &str, version: Option<String>, error: String) -> Rows {
    let figures = KeyFigures::unread(path.to_owned(), error);
    Rows { model: ModelRow { figures, version, ..ModelRow::default() }, ..Rows::default() }
}

fn layer_row(path: &str, layer: &Layer, stored: &std::collections::HashSet<&str>) -> LayerRow {
    let shown = |operands: &[Option<Operand>]| {
        let texts = operands.iter().map(|operand| match operand {
            None => "-".to_owned(),
            Some(operand) => {
                let dtype = operand.value.dtype.map_or("?".to_owned(), |dtype| dtype.to_string());
                let shape = operand.value.shape.as_deref().map_or("?".to_owned(), dimensions);
                format!("{dtype}[{shape}]")
            }
        });
        texts.collect::<Vec<_>>().join(" ")
    };
    let elements = |operand: &Operand| {
        let dims = operand.value.shape.as_deref().unwrap_or_default().iter();
        dims.map(|dim| if let Dimension::Size(size) = dim { (*size).max(0) } else { 0 })
            .fold(1_i64, i64::saturating_mul)
    };
    let weights = layer.inputs.iter().flatten().filter(|it| stored.contains(it.name.as_str()));
    let largest = weights.max_by_key(|operand| elements(operand));
    LayerRow {
        path: path.to_owned(),
        index: layer.index,
        node: layer.node.clone(),
        op: layer.op.clone(),
        domain: layer.domain.clone(),
        scope: layer.scope.clone(),
        inputs: shown(&layer.inputs),
        outputs: shown(&layer.outputs),
        weight_dtype: largest.and_then(|it| it.value.dtype).map(|dtype| dtype.to_string()),
        parameters: layer.parameters,
        macs: layer.cost.work.macs,
        other_flops: layer.cost.work.other_flops,
        bytes_moved: layer.cost.work.bytes_moved,
    }
}

fn shape_row(path: &str, name: &str, value: &ValueShape) -> ShapeRow {
    ShapeRow {
        path: path.to_owned(),
        value: name.to_owned(),
        dtype: value.dtype.map(|dtype| dtype.to_string()),
        shape: value.shape.as_deref().map(dimensions),
        rank: value.shape.as_ref().map(|shape| shape.len() as u64),
    }
}

fn dimensions(shape: &[Dimension]) -> String {
    joined(shape.iter().map(|dim| match dim {
        Dimension::Size(size) => size.to_string(),
        Dimension::Symbol(text) => text.clone(),
        Dimension::Unknown => "?".to_owned(),
    }))
}

fn joined(parts: impl Iterator<Item = impl ToString>) -> String {
    parts.map(|part| part.to_string()).collect::<Vec<_>>().join(",")
}
