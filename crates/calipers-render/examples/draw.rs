//! Draws the charts of models, to be looked at: `cargo run --example draw -- DIR MODEL…`.
//!
//! Every chart is written as SVG and PNG in both themes. `--device ID` before the models asks about
//! one device, which some charts need.
#![allow(clippy::print_stdout)]

use std::error::Error;
use std::path::{Path, PathBuf};

use calipers::HardwareQuery;
use calipers_render::chart::{Theme, charts, png};

fn main() -> Result<(), Box<dyn Error>> {
    let mut arguments = std::env::args().skip(1);
    let folder = PathBuf::from(arguments.next().ok_or("no folder is given")?);
    let mut question = HardwareQuery::default();
    while let Some(argument) = arguments.next() {
        if argument == "--device" {
            let id = arguments.next().ok_or("no device is given")?;
            question.device = Some(calipers::devices::find(&id)?.clone());
            continue;
        }
        let model = calipers::Model::open(Path::new(&argument))?;
        let report = model.analyze(&calipers::Options::new().hardware(question.clone()))?;
        let stem = Path::new(&argument).file_stem().unwrap_or_default();
        let folder = folder.join(stem);
        std::fs::create_dir_all(&folder)?;
        for (theme, word) in [(Theme::Light, "light"), (Theme::Dark, "dark")] {
            for chart in charts(&report, theme) {
                let file = folder.join(format!("{}-{word}", chart.name));
                std::fs::write(file.with_extension("svg"), &chart.svg)?;
                std::fs::write(file.with_extension("png"), png(&chart.svg, 1.0)?)?;
                if theme == Theme::Light {
                    println!("{}: {}", chart.name, chart.alt);
                }
            }
        }
    }
    Ok(())
}
