//! What the file says of itself: versions, producer, and what its author wrote.

use calipers_report::Report;

use crate::markdown::escape::{code, plain};
use crate::markdown::grid::Table;
use crate::markdown::page::Page;
use crate::text::{self, Charset};

/// Entries of free metadata that stand in the open; beyond these all are folded.
const SHOWN: usize = 12;
/// Entries that are written at all.
const MOST: usize = 200;

pub(super) fn write(report: &Report, page: &mut Page) {
    let model = &report.model;
    let mut table = Table::facts();
    table.fact("IR version", model.ir_version.map(|version| version.to_string()));
    let producer = [&model.producer.name, &model.producer.version];
    let producer: Vec<String> = producer
        .into_iter()
        .filter(|part| !part.trim().is_empty())
        .map(|part| plain(part))
        .collect();
    table.fact("Producer", (!producer.is_empty()).then(|| producer.join(" ")));
    let opsets: Vec<String> = model
        .opsets
        .iter()
        .take(SHOWN)
        .map(|(domain, version)| format!("{} {version}", code(domain)))
        .collect();
    table.fact("Operator sets", (!opsets.is_empty()).then(|| opsets.join(", ")));
    table.fact("Domain", (!model.domain.trim().is_empty()).then(|| code(&model.domain)));
    let version = model.model_version.filter(|version| *version != 0);
    table.fact("Model version", version.map(|version| version.to_string()));
    let name = &report.graph.name;
    table.fact("Graph name", (!name.trim().is_empty()).then(|| code(name)));
    table.fact("Description", (!model.doc.trim().is_empty()).then(|| plain(&model.doc)));
    page.table(&table);

    let mut own = Table::facts();
    for (key, value) in model.metadata.iter().take(MOST) {
        // A value may be a whole file; a card shows where it begins.
        let value = text::truncate(&text::prose(value, Charset::Unicode), 200, Charset::Unicode);
        own.row(vec![code(key), plain(&value)]);
    }
    if own.is_empty() {
        return;
    }
    let entries = crate::units::counted(
        u64::try_from(model.metadata.len()).unwrap_or(u64::MAX),
        "entry",
        "entries",
    );
    let mut inner = Page::default();
    inner.table(&own);
    match model.metadata.len() {
        0..=SHOWN => {
            page.text("The author's own entries:");
            page.append(inner);
        }
        _ => page.folded(&format!("The author's own {entries}"), inner),
    }
}
