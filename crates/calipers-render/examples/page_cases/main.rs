//! Random cases with the program's answers, for the test that the page's scripts give the same ones:
//! `cargo run -p calipers-render --example page_cases -- FOLDER`.
//!
//! Leaves three files in the folder: `cases.jsonl`, a case on each line, which `tests/page/parity.test.mjs` reads; and
//! `sample.ts` and `comparison.ts`, the data of a page as a typed constant, which the compiler of TypeScript holds
//! against `src/page/assets/types.d.ts` and `src/comparison/page/assets/types.d.ts`. The cases are the same on every run.
#![allow(clippy::unwrap_used, reason = "a tool of the tests may stop where it fails")]

mod formulas;
mod graphs;
mod numbers;
mod random;

use std::fs;
use std::io::Read as _;
use std::path::PathBuf;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use calipers::{Model, Options};
use calipers_render::document::Document;
use calipers_render::page;
use calipers_report::{
    AddedNode, AttributeChange, ChangeGroup, ChangeKind, ChangedNode, Comparison, ComparisonView,
    GraphChanges, GraphView, NodeStatus, RemovedNode,
};
use random::Random;
use serde_json::Value;

fn main() {
    let folder = PathBuf::from(std::env::args().nth(1).unwrap_or_else(|| ".".to_owned()));
    fs::create_dir_all(&folder).unwrap();
    let mut random = Random::new(2026);
    let mut lines = formulas::cases(&mut random);
    lines.extend(numbers::cases(&mut random));
    lines.extend(graphs::cases(&mut random));
    let lines: String = lines.iter().map(|line| format!("{line}\n")).collect();
    fs::write(folder.join("cases.jsonl"), lines).unwrap();

    let model = Model::read(calipers_samples::encoder(), "encoder").unwrap();
    let (report, view) = model.explore(&Options::new()).unwrap();
    let data = page_data(&page::html(&report, &view));
    fs::write(folder.join("sample.ts"), format!("const sample: PageData = {data};\n")).unwrap();
    let data = page_data(&comparison(&view));
    let text = format!("const comparison: ComparisonData = {data};\n");
    fs::write(folder.join("comparison.ts"), text).unwrap();
}

/// The page of a comparison of a graph with itself, in which every kind of change is made up.
fn comparison(view: &GraphView) -> String {
    let count = view.nodes.len();
    let changed = ChangedNode {
        what: ChangeKind::ALL.to_vec(),
        attributes: vec![AttributeChange { b: Some("1".to_owned()), ..AttributeChange::default() }],
        tensors: vec!["weight".to_owned()],
        moved: true,
        ..ChangedNode::default()
    };
    let group = ChangeGroup {
        added: vec![0],
        removed: vec![0],
        changed: vec![0],
        ..ChangeGroup::default()
    };
    let graph = GraphChanges {
        groups: vec![group],
        added: vec![AddedNode::default()],
        removed: vec![RemovedNode::default()],
        changed: vec![changed],
        ..GraphChanges::default()
    };
    let compared = ComparisonView {
        a: view.clone(),
        b: view.clone(),
        status_a: vec![NodeStatus::Same; count],
        status_b: vec![NodeStatus::Same; count],
        pairs: (0..count).map(|place| (place, place)).collect(),
        removed: vec![0],
        added: vec![0],
        changed: vec![(1, 1)],
    };
    let comparison = Comparison { graph: Some(graph), ..Comparison::default() };
    calipers_render::comparison::page::html(&comparison, Some(&compared), &Document::default())
}

/// The data that a page holds.
pub(crate) fn page_data(page: &str) -> Value {
    let element = page.split("id=\"data\"").nth(1).unwrap();
    let (attributes, rest) = element.split_once('>').unwrap();
    let text = rest.split("</script>").next().unwrap();
    if !attributes.contains("deflate") {
        return serde_json::from_str(text).unwrap();
    }
    let packed = BASE64_STANDARD.decode(text).unwrap();
    let mut json = String::new();
    flate2::read::DeflateDecoder::new(&packed[..]).read_to_string(&mut json).unwrap();
    serde_json::from_str(&json).unwrap()
}
