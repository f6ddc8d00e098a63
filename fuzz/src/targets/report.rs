//! Any bytes from file to page: read, analyzed with their weights, and rendered in every format.

use calipers::{GraphView, LayerQuery, Options, Report};
use calipers_render::chart::{Theme, charts};
use calipers_render::{CardOptions, Style, csv, graph, jsonl, page, sections, tables, terminal};

use crate::output::{check_document, check_json, check_screen};

pub(crate) fn run(bytes: &[u8]) {
    let Ok(model) = calipers::Model::read(bytes.to_vec(), "fuzz.onnx") else { return };
    let options = Options::new().weights(true).fingerprints(true);
    // The length of an input decides what else is rendered: rendering all would halve the number of runs.
    if bytes.len().is_multiple_of(4) {
        let Ok((report, view)) = model.explore(&options) else { return };
        check_report(&report);
        check_graph(&report, &view);
        return;
    }
    let Ok(report) = model.analyze(&options) else { return };
    check_report(&report);
    if bytes.len() % 4 == 1 {
        check_documents(&report);
        let Ok(layers) = model.layers(&options, &LayerQuery::default()) else { return };
        let table = tables::layers(&layers);
        check_document(&csv::table(&table), "the table of layers");
        for line in jsonl::table(&table).lines() {
            check_json(line, "a line of the table of layers");
        }
    }
}

fn check_report(report: &Report) {
    check_json(&calipers_render::json::to_string(report), "the report");
    check_screen(&terminal::report(report, &Style::plain(40)), "the overview");
}

/// Renders the report for terminals, readers and programs.
fn check_documents(report: &Report) {
    let screen = sections::screen(report);
    check_screen(&terminal::document(&screen, &Style::plain(80)), "the screen");
    check_document(&calipers_render::markdown::card(report, &CardOptions::default()), "the card");
    let table = calipers::finding_table(report);
    let rules = calipers::rules();
    check_json(&calipers_render::sarif::findings(&table, &rules, "fuzz.onnx"), "the findings");
    for chart in charts(report, Theme::Light) {
        check_document(&chart.svg, "a chart");
    }
}

/// Renders the graph as pictures and as the page.
fn check_graph(report: &Report, view: &GraphView) {
    check_document(&page::html(report, view), "the page");
    check_document(&graph::svg(view, 2), "the SVG of the graph");
    check_document(&graph::dot(view, 2), "the DOT of the graph");
    check_json(&calipers_render::json::to_string(view), "the graph");
}
