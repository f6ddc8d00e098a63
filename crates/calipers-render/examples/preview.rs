//! Prints the fixtures of the tests, to be looked at: `cargo run --example preview -- 80 color`.
//!
//! Arguments in any order: a width, `color`, `ascii`, and names of fixtures (all where none is
//! given).
#![allow(clippy::print_stdout)]

use calipers::devices::Filter;
use calipers_render::{Style, tables, terminal};

#[path = "../tests/it/fixtures/mod.rs"]
mod fixtures;

fn main() {
    let mut style = Style::plain(80);
    let mut names = vec![];
    for argument in std::env::args().skip(1) {
        match argument.as_str() {
            "color" => style.color = true,
            "ascii" => style.unicode = false,
            other => match other.parse() {
                Ok(width) => style.width = width,
                Err(_) => names.push(argument),
            },
        }
    }
    for (name, report) in fixtures::all() {
        if names.is_empty() || names.iter().any(|wanted| wanted == name) {
            println!("{}", terminal::report(&report, &style));
        }
    }
    let catalog = fixtures::devices();
    let devices = catalog.select(&Filter::default()).list();
    for (name, table) in [
        ("layers", tables::layers(&fixtures::layers(false))),
        ("tree", tables::scopes(&fixtures::layers(true))),
        ("devices", tables::devices(&devices)),
        ("sweep", tables::sweep(&fixtures::sweep())),
    ] {
        if names.is_empty() || names.iter().any(|wanted| wanted == name) {
            println!("{}", terminal::table(&table, &style));
        }
    }
}
