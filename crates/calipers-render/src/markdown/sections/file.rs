//! The file: its size, its fingerprint, its precision, and the files it leans on.

use calipers_report::{DataStatus, Format, Report};

use crate::markdown::escape::{code, plain};
use crate::markdown::grid::{Align, Table};
use crate::markdown::page::Page;
use crate::markdown::words::{precision, size};
use crate::units;

/// Data files that are written.
const MOST: usize = 20;

pub(super) fn write(report: &Report, page: &mut Page) {
    let model = &report.model;
    let Format::Onnx = model.format;
    let mut table = Table::facts();
    table.fact("File", (!model.file.trim().is_empty()).then(|| code(&model.file)));
    table.fact("Format", "ONNX".to_owned());
    table.fact("File size", size(model.bytes));
    let beside = (model.external_bytes > 0).then(|| size(model.external_bytes));
    table.fact("Weights in other files", beside);
    table.fact("Precision", precision(report).map(|words| plain(&words)));
    table.fact("SHA-256", model.sha256.as_ref().map(|digest| code(digest)));
    table.fact(
        "Training graphs",
        model.training.as_ref().map(|training| {
            let steps = units::counted(training.steps, "step", "steps");
            format!("{steps}, {}", units::counted(training.nodes, "node", "nodes"))
        }),
    );
    page.table(&table);

    let mut files = Table::new(&[
        ("Data file", Align::Left),
        ("Status", Align::Left),
        ("Tensors", Align::Right),
        ("Bytes of tensors", Align::Right),
    ]);
    for file in model.data_files.iter().take(MOST) {
        let status = match file.status {
            DataStatus::Present => "there",
            DataStatus::Missing => "missing",
            DataStatus::Refused => "refused",
            DataStatus::Unchecked => "not looked for",
        };
        let status = match file.reason.trim() {
            "" => status.to_owned(),
            _ if file.status == DataStatus::Missing => status.to_owned(),
            reason => format!("{status}: {}", plain(reason)),
        };
        files.row(vec![
            code(&file.location),
            status,
            units::integer(file.tensors),
            units::integer(file.tensor_bytes),
        ]);
    }
    page.table(&files);
}
