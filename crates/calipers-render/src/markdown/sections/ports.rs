//! What goes in, what comes out, and what each free dimension means.

use std::collections::BTreeMap;

use calipers_report::{Binding, Port, Report, ValueKind};

use crate::markdown::escape::{code, plain, told};
use crate::markdown::page::Page;
use crate::markdown::table::{Align, Table};
use crate::markdown::words::shape;
use crate::units;

/// Inputs, or outputs, in the open; beyond these all are folded.
const SHOWN: usize = 16;
/// Rows that are written at all.
const MOST: usize = 500;

pub(super) fn write(report: &Report, page: &mut Page) {
    let graph = &report.graph;
    side("Inputs", ["input", "inputs"], &graph.inputs, page);
    side("Outputs", ["output", "outputs"], &graph.outputs, page);
    dimensions(report, page);
}

fn side(heading: &str, noun: [&str; 2], ports: &[Port], page: &mut Page) {
    if ports.is_empty() {
        return;
    }
    page.heading(heading);
    if ports.len() <= SHOWN {
        page.table(&table(ports));
        return;
    }
    page.table(&table(&ports[..SHOWN / 2]));
    let all = u64::try_from(ports.len()).unwrap_or(u64::MAX);
    let mut inner = Page::default();
    inner.table(&table(&ports[..ports.len().min(MOST)]));
    page.folded(&format!("All {}", units::counted(all, noun[0], noun[1])), inner);
}

fn table(ports: &[Port]) -> Table {
    let mut table = Table::new(&[
        ("Name", Align::Left),
        ("Type", Align::Left),
        ("Shape", Align::Left),
        ("Found to be", Align::Left),
        ("Meaning", Align::Left),
    ]);
    for port in ports {
        let name = if port.name.is_empty() { "(unnamed)".to_owned() } else { code(&port.name) };
        let (kind, dims) = match port.kind {
            ValueKind::Tensor => {
                let dtype =
                    port.dtype.map_or("unknown".to_owned(), |dtype| plain(&dtype.to_string()));
                (dtype, shape(port.shape.as_deref()))
            }
            _ => (code(&port.type_text), String::new()),
        };
        let found = port.inferred.as_deref().map_or(String::new(), |found| shape(Some(found)));
        table.row(vec![name, kind, dims, found, plain(&port.doc)]);
    }
    table.without_empty_columns()
}

/// Free dimensions: what each is taken to be, and why.
fn dimensions(report: &Report, page: &mut Page) {
    let assumed: BTreeMap<&str, _> = report
        .assumptions
        .iter()
        .filter_map(|assumption| Some((assumption.what.strip_prefix("dimension ")?, assumption)))
        .collect();
    let mut table =
        Table::new(&[("Dimension", Align::Left), ("Taken as", Align::Right), ("Why", Align::Left)]);
    for (name, binding) in report.bindings.iter().take(MOST) {
        let (value, why) = match (binding, assumed.get(name.as_str())) {
            (Binding::Size(size), _) => (size.to_string(), "asked for".to_owned()),
            (_, Some(assumption)) => (plain(&assumption.value), told(&assumption.why)),
            (Binding::Free(_), None) => ("free".to_owned(), "no figure depends on it".to_owned()),
        };
        table.row(vec![code(name), value, why]);
    }
    for (name, why) in report.shapes.data_dependent.iter().take(MOST) {
        table.row(vec![code(name), "decided by the data".to_owned(), plain(why)]);
    }
    if !table.is_empty() {
        page.heading("Dimensions");
        page.table(&table);
    }
}
