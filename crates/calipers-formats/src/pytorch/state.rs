//! Checkpoints in archives, and what all readers of this folder share.

use calipers_ir::assembly::Assembly;
use calipers_ir::{Format, GraphOrigin, Hazard, Model, ModelBuilder};

use super::archive::Records;
use super::export;
use super::flatten::{Contents, flatten};
use super::hazards::Hazards;
use super::rebuilt::Pickled;
use super::script;
use super::store::{Places, Storer};
use crate::Error;
use crate::elements::StoredElements;
use crate::input::Input;
use crate::pickle::run;

/// A builder for the model in a file.
pub(super) fn builder(input: Input, format: Format) -> ModelBuilder {
    let mut builder = ModelBuilder::default();
    builder.header.format = format;
    builder.header.file_name = input.name;
    builder.header.bytes = input.source.size();
    builder.header.graph_origin = GraphOrigin::Absent;
    builder.source = input.source;
    builder.decoder = Some(&StoredElements);
    builder
}

/// Reads an archive.
pub(super) fn read_archive(input: Input) -> Result<Model, Error> {
    let mut records = Records::open(&input.source)?;
    if let Some(program) = export::program_of(&records) {
        return export::read(input, records, &program);
    }
    if script::is_script(&records) {
        return script::read(input, records);
    }
    let mut hazards = Hazards::default();
    let record = records.read("data.pkl")?;
    let record = record.ok_or_else(|| Error::NoGraph {
        hint: "the archive has no data.pkl, so it is not one that PyTorch wrote".to_owned(),
    })?;
    let outcome = run(&record.source, record.span);
    hazards.add(&record.source, &outcome);
    let contents = match outcome.top {
        Some(top) => flatten(Pickled::new(&outcome), top),
        None => Contents::default(),
    };
    records.check_others(&["data.pkl"], &mut hazards);
    let places = Places {
        storages: storages(&records, "data/"),
        is_plain: record.is_in_file,
        is_big_endian: records.text("byteorder").as_deref() == Some("big"),
    };
    let mut builder = builder(input, Format::PyTorch);
    builder.header.ir_version = records.text("version").and_then(|text| text.parse().ok());
    finish(builder, &contents, &places, hazards)
}

/// Where the storages in a folder of the archive are, by their keys.
pub(super) fn storages(
    records: &Records,
    folder: &str,
) -> std::collections::HashMap<String, Option<calipers_ir::Span>> {
    let inside = records.inside().filter_map(|name| name.strip_prefix(folder));
    let place = |key: &str| Some((key.to_owned(), records.span(&format!("{folder}{key}"))?));
    inside.filter_map(place).collect()
}

/// Makes a model of the tensors of a checkpoint.
pub(super) fn finish(
    mut builder: ModelBuilder,
    contents: &Contents,
    places: &Places,
    mut hazards: Hazards,
) -> Result<Model, Error> {
    let graph = builder.add_main_graph()?;
    let mut storer = Storer::default();
    let mut assembly = Assembly::new(&mut builder, graph);
    storer.add(&mut assembly, &contents.tensors, places)?;
    if let Some(what) = storer.misstated() {
        hazards.push(Hazard::Misstated { what });
    }
    if contents.is_cut {
        let problem = "it holds more than is read".to_owned();
        hazards.push(Hazard::BrokenPickle { problem });
    }
    let class = contents.class.iter().map(|class| ("class".to_owned(), class.clone()));
    builder.header.metadata.extend(class);
    builder.header.metadata.extend(contents.facts.iter().cloned());
    builder.hazards = hazards.found;
    Ok(builder.finish()?)
}
