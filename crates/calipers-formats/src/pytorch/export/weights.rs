//! The tensors of an exported program, by the names that its signature has for them.

use std::collections::HashMap;

use calipers_ir::{DType, Data, Span};

use super::schema::{Payload, PayloadConfig, Size, TensorMeta};
use crate::Error;
use crate::pickle::run;
use crate::pytorch::archive::{Record, Records};
use crate::pytorch::dtype;
use crate::pytorch::flatten::flatten;
use crate::pytorch::rebuilt::{Pickled, Rebuilt};
use crate::pytorch::state;
use crate::pytorch::store::{Places, Storer};

/// Largest description of tensors that is read.
const MAX_CONFIG: u64 = 1 << 25;

/// A stored tensor.
#[derive(Clone, Debug)]
pub(super) struct Weight {
    pub(super) dtype: DType,
    pub(super) dims: Vec<i64>,
    pub(super) data: Data,
    /// Where its elements begin, to find tensors that share them.
    pub(super) place: Option<(u64, u64)>,
}

/// The stored tensors.
#[derive(Debug, Default)]
pub(super) struct Weights {
    by_name: HashMap<String, Weight>,
    /// Tensors whose record is missing or too small.
    pub(super) missing: u64,
}

impl Weights {
    /// Reads where the tensors of a program are; without its name, those of the first layout.
    pub(super) fn read(records: &mut Records, stem: Option<&str>) -> Result<Self, Error> {
        let mut weights = Self::default();
        let Some(stem) = stem else {
            for name in ["serialized_state_dict.pt", "serialized_constants.pt"] {
                weights.add_checkpoint(records, name)?;
            }
            return Ok(weights);
        };
        for (folder, kind) in [("data/weights/", "weights"), ("data/constants/", "constants")] {
            let config = format!("{folder}{stem}_{kind}_config.json");
            match records.read(&config)? {
                Some(record) => weights.add_records(records, folder, &record, &config)?,
                None => weights.add_checkpoint(records, &format!("{folder}{stem}.pt"))?,
            }
        }
        Ok(weights)
    }

    /// The tensor of a name.
    pub(super) fn get(&self, name: &str) -> Option<&Weight> {
        self.by_name.get(name)
    }

    fn add_records(
        &mut self,
        records: &Records,
        folder: &str,
        record: &Record,
        name: &str,
    ) -> Result<(), Error> {
        let damaged = |problem: &str| Error::damaged(record.span.start, name, problem);
        if record.span.len() > MAX_CONFIG {
            return Err(damaged("it is larger than any description of tensors"));
        }
        let bytes = record.bytes().ok_or_else(|| damaged("its bytes are missing"))?;
        let config: PayloadConfig =
            serde_json::from_slice(&bytes).map_err(|error| damaged(&error.to_string()))?;
        for (name, payload) in config.config {
            let Some(meta) = &payload.tensor_meta else { continue };
            let place = records.span(&format!("{folder}{}", payload.path_name));
            let weight = self.weight(&payload, meta, place);
            self.by_name.insert(name, weight);
        }
        Ok(())
    }

    fn weight(
        &mut self,
        payload: &Payload,
        meta: &TensorMeta,
        place: Option<Option<Span>>,
    ) -> Weight {
        let sizes = |sizes: &[Size]| -> Vec<i64> {
            sizes.iter().map(|size| size.as_int.unwrap_or(-1)).collect()
        };
        let offset = meta.storage_offset.as_ref().and_then(|offset| offset.as_int).unwrap_or(0);
        let key = payload.path_name.clone();
        let elements = match payload.use_pickle {
            true => crate::pytorch::rebuilt::Elements::Nowhere,
            false => crate::pytorch::rebuilt::Elements::Storage { key: key.clone(), offset },
        };
        let tensor = Rebuilt {
            dtype: dtype::of_number(meta.dtype),
            dims: sizes(&meta.sizes),
            strides: Some(sizes(&meta.strides)),
            elements,
            is_parameter: false,
            affine: None,
        };
        let storages = place.map(|place| (key, place)).into_iter().collect();
        self.placed(tensor, &Places { storages, ..Places::default() })
    }

    fn placed(&mut self, tensor: Rebuilt, places: &Places) -> Weight {
        let mut storer = Storer::default();
        let data = storer.place(&tensor, places);
        self.missing += storer.missing();
        let place = match &data {
            Data::Raw(span) if !span.is_empty() => Some((span.start, span.end)),
            _ => None,
        };
        Weight { dtype: tensor.dtype, dims: tensor.dims, data, place }
    }

    /// Adds the tensors of a checkpoint inside the archive.
    fn add_checkpoint(&mut self, records: &mut Records, name: &str) -> Result<(), Error> {
        let Some(record) = records.read(name)? else { return Ok(()) };
        let Ok(mut inner) = Records::inside_of(&record) else { return Ok(()) };
        let Some(pickle) = inner.read("data.pkl")? else { return Ok(()) };
        let outcome = run(&pickle.source, pickle.span);
        let Some(top) = outcome.top else { return Ok(()) };
        let contents = flatten(Pickled::new(&outcome), top);
        // Where the checkpoint is unpacked, its storages have no place in the file.
        let moved = |span: Option<Span>| match record.is_in_file {
            true => shifted(span?, record.span.start),
            false => None,
        };
        let storages = state::storages(&inner, "data/").into_iter();
        let storages = storages.map(|(key, span)| (key, moved(span))).collect();
        let places = Places { storages, ..Places::default() };
        for named in contents.tensors {
            let weight = self.placed(named.tensor, &places);
            self.by_name.insert(named.name, weight);
        }
        Ok(())
    }
}

fn shifted(span: Span, by: u64) -> Option<Span> {
    Some(Span { start: span.start.checked_add(by)?, end: span.end.checked_add(by)? })
}
