//! Writes the schemas of the types of `calipers-report` as JSON, and lists of them.

use std::fmt::Write as _;
use std::path::Path;
use std::{env, fs};

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let out = env::var_os("OUT_DIR").expect("cargo sets OUT_DIR");
    let mut lists = String::new();
    for (list, schemas) in [
        ("DOCUMENTS", calipers_report::schema::documents()),
        ("ROWS", calipers_report::schema::rows()),
    ] {
        writeln!(lists, "static {list}: &[(&str, &str)] = &[").expect("texts grow");
        for (name, schema) in schemas {
            let file = format!("{list}-{name}.json");
            fs::write(Path::new(&out).join(&file), schema.to_string())
                .expect("OUT_DIR can be written");
            writeln!(lists, "({name:?}, include_str!({file:?})),").expect("texts grow");
        }
        lists += "];\n";
    }
    fs::write(Path::new(&out).join("schemas.rs"), lists).expect("OUT_DIR can be written");
}
