//! Parts: files that hold rows of one table, and never change.

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{BufReader, Read, Write};
use std::path::Path;

use calipers_render::csv;
use serde_json::json;

use crate::cells::Cells;
use crate::dataset::Format;
use crate::table::Table;
use crate::{Error, parquet};

/// Writes rows to a new part and returns its name, which follows from its contents. A part that is there under its
/// name is whole.
pub(crate) fn write(
    folder: &Path,
    table: Table,
    format: Format,
    rows: &Cells,
) -> Result<String, Error> {
    stored(folder, table, format, &encoded(table, format, rows)?)
}

/// Writes the rows of a part to a new one, without those of these models, and returns its name.
pub(crate) fn without(
    folder: &Path,
    table: Table,
    format: Format,
    name: &str,
    models: &BTreeSet<String>,
) -> Result<String, Error> {
    let path = folder.join(table.id()).join(name);
    if format == Format::Csv {
        let text = fs::read_to_string(&path).map_err(Error::io(&path))?;
        return stored(folder, table, format, lines_without(&text, models).as_bytes());
    }
    let rows = read(&path, table)?.without(|path| models.contains(path));
    write(folder, table, format, &rows)
}

/// Lines of comma-separated values without those whose first cell is one of these paths. The others stay as they are: an
/// empty cell may be null or an empty text.
fn lines_without(text: &str, models: &BTreeSet<String>) -> String {
    let cells: BTreeSet<String> = models.iter().map(|path| csv::cell(path)).collect();
    let (headings, lines) = text.split_at(text.find('\n').map_or(text.len(), |end| end + 1));
    let kept = lines.split_inclusive('\n').filter(|line| !cells.contains(csv::first_cell(line)));
    std::iter::once(headings).chain(kept).collect()
}

fn stored(folder: &Path, table: Table, format: Format, bytes: &[u8]) -> Result<String, Error> {
    let folder = folder.join(table.id());
    fs::create_dir_all(&folder).map_err(Error::io(&folder))?;
    let digest = blake3::hash(bytes).to_hex();
    let name = format!("part-{}.{}", &digest[..20], format.extension());
    let path = folder.join(&name);
    let mut file = tempfile::Builder::new()
        .prefix(".part-")
        .tempfile_in(&folder)
        .map_err(Error::io(&folder))?;
    file.write_all(bytes).map_err(Error::io(&path))?;
    file.as_file().sync_data().map_err(Error::io(&path))?;
    readable_by_all(file.as_file());
    file.persist(&path).map_err(|error| Error::Io { path: path.clone(), source: error.error })?;
    Ok(name)
}

/// Temporary files are for their owner alone; a dataset is a file like others.
#[cfg(unix)]
pub(crate) fn readable_by_all(file: &File) {
    use std::os::unix::fs::PermissionsExt;
    // A failure leaves a dataset that its owner can read.
    let _ = file.set_permissions(fs::Permissions::from_mode(0o644));
}

#[cfg(not(unix))]
pub(crate) fn readable_by_all(_: &File) {}

fn encoded(table: Table, format: Format, rows: &Cells) -> Result<Vec<u8>, Error> {
    match format {
        Format::Parquet => {
            parquet::encode(table, rows).map_err(|error| Error::Write(error.to_string()))
        }
        Format::Csv => {
            let names: Vec<&str> = table.columns().iter().map(|column| column.name).collect();
            Ok(csv::values(&names, rows.rows()).into_bytes())
        }
        Format::Jsonl => {
            let mut bytes = Vec::new();
            for row in rows.rows() {
                // Columns in their order, as in the other formats.
                for (place, (column, cell)) in table.columns().iter().zip(row).enumerate() {
                    let before = if place == 0 { "{" } else { "," };
                    bytes.extend(format!("{before}{}:{cell}", json!(column.name)).bytes());
                }
                bytes.extend(b"}\n");
            }
            Ok(bytes)
        }
    }
}

/// The rows of a part.
pub(crate) fn read(path: &Path, table: Table) -> Result<Cells, Error> {
    let file = File::open(path).map_err(Error::io(path))?;
    let damaged = |why: &dyn std::fmt::Display| Error::damaged(path, why);
    match path.extension().and_then(|extension| extension.to_str()) {
        Some("parquet") => parquet::decode(file, table).map_err(|error| damaged(&error)),
        Some("jsonl") => {
            let mut text = String::new();
            BufReader::new(file).read_to_string(&mut text).map_err(Error::io(path))?;
            let mut cells = Cells::new(table);
            for line in text.lines() {
                cells.push_object(serde_json::from_str(line).map_err(|error| damaged(&error))?);
            }
            Ok(cells)
        }
        _ => Err(Error::NotRead(path.to_owned())),
    }
}
