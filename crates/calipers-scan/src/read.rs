//! Reading a dataset back.

use std::path::Path;

use calipers_report::ModelRow;

use crate::table::Table;
use crate::{Error, dataset, part};

/// The models of a dataset, a part at a time.
///
/// # Errors
///
/// [`Error::NoDataset`] if the folder is not a dataset; each part may fail too.
pub fn read_models(
    folder: &Path,
) -> Result<impl Iterator<Item = Result<Vec<ModelRow>, Error>>, Error> {
    let parts = dataset::parts(folder, Table::Models)?;
    Ok(parts.into_iter().map(|path| {
        let rows = part::read(&path, Table::Models)?;
        rows.objects().map(|row| dataset::model_row(&path, row)).collect()
    }))
}
