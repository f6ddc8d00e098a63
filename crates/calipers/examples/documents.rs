//! Writes the HTML report, the model card and the JSON of a model:
//! `cargo run -p calipers --example documents -- tests/fixtures/zoo/resnet50.onnx FOLDER`.

use std::fs::File;
use std::path::Path;

use calipers::{Model, Options, render};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let (Some(path), Some(folder)) = (arguments.next(), arguments.next()) else {
        return Err("usage: documents MODEL FOLDER".into());
    };
    let folder = Path::new(&folder);
    std::fs::create_dir_all(folder)?;

    let model = Model::open(path)?;
    let (report, view) = model.explore(&Options::new().device("rtx-4090"))?;
    render::html_with_graph(&report, &view, &mut File::create(folder.join("report.html"))?)?;
    render::markdown(&report, &mut File::create(folder.join("README.md"))?)?;
    render::json(&report, &mut File::create(folder.join("report.json"))?)?;
    Ok(())
}
