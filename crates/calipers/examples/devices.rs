//! Lists the devices that a model fits, fastest first:
//! `cargo run -p calipers --example devices -- tests/fixtures/zoo/resnet50.onnx`.
#![allow(clippy::print_stdout, reason = "it is here to print")]

use calipers::{HardwareQuery, Model, Options, devices};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let path = std::env::args().nth(1).ok_or("usage: devices MODEL")?;
    let question = HardwareQuery { table: devices::all().to_vec(), ..HardwareQuery::default() };
    let report = Model::open(path)?.analyze(&Options::new().hardware(question))?;

    let mut rows = report.hardware.map(|hardware| hardware.devices).unwrap_or_default();
    rows.retain(|row| row.fits == Some(true));
    let expected =
        |latency: Option<calipers::report::Range>| latency.map_or(f64::MAX, |it| it.expected);
    rows.sort_by(|a, b| expected(a.latency_ms).total_cmp(&expected(b.latency_ms)));
    for row in rows {
        match row.latency_ms {
            Some(ms) => {
                println!("{:<24} {:8.2} ms ({:.2} to {:.2})", row.id, ms.expected, ms.low, ms.high);
            }
            None => println!("{:<24} {}", row.id, row.reason.as_deref().unwrap_or("unknown")),
        }
    }
    Ok(())
}
