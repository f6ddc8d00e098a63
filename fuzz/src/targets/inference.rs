//! Any model's shapes and costs: with its dimensions free, and bound to sizes at the edge.

use calipers::{Bindings, LayerQuery, Model, Options, Sweep};
use calipers_render::{csv, tables};

use crate::output::{check_document, check_json};

/// Sizes at which products overflow, and ordinary ones.
const SIZES: [i64; 6] = [1, 2, 33, 0x8000_0000, i64::MAX, 0];

pub(crate) fn run(bytes: &[u8]) {
    let Ok(model) = Model::read(bytes.to_vec(), "fuzz.onnx") else { return };
    check(&model, Bindings::default());
    let names = calipers_infer::free_names(model.ir());
    let size = SIZES[bytes.len() % SIZES.len()];
    let dims = names.iter().map(|name| (name.clone(), size)).collect();
    check(&model, Bindings { dims, ..Bindings::default() });
    let dims = names.into_iter().take(2).map(|name| (name, vec![1, 8, size])).collect();
    if let Ok(table) = model.sweep(&Options::new(), &Sweep { dims, ..Sweep::default() }) {
        check_document(&csv::table(&tables::sweep(&table)), "the sweep");
    }
}

fn check(model: &Model, bindings: Bindings) {
    let options = Options::new().bindings(bindings);
    let Ok(shapes) = model.shapes(&options) else { return };
    check_json(&calipers_render::json::to_string(&shapes), "the shapes");
    check_document(&csv::table(&tables::shapes(&shapes)), "the table of shapes");
    let Ok(layers) = model.layers(&options, &LayerQuery::default()) else { return };
    check_json(&calipers_render::json::to_string(&layers), "the layers");
}
