//! `calipers index DIR`: the models of a dataset as a page.

use std::path::PathBuf;

use calipers_render::index;

use super::scan;
use crate::exit::ExitStatus;
use crate::files::Changes;
use crate::problem;

/// Which dataset is shown, and where the page goes.
#[derive(Debug)]
pub(crate) struct Index {
    pub(crate) dataset: PathBuf,
    pub(crate) output: PathBuf,
}

impl Index {
    /// Reads the models and writes the page, or several where there are too many for one.
    pub(crate) fn run(&self) -> anyhow::Result<ExitStatus> {
        let registry = calipers_scan::registry(&self.dataset).map_err(|it| scan::problem(&it))?;
        let name = self.output.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let changes = Changes::next_to(&self.output)?;
        let mut paths = Vec::new();
        for page in index::pages(&registry, &name) {
            let path = self.output.with_file_name(&page.name);
            changes.write(&path, page.html.as_bytes())?;
            paths.push(path);
        }
        changes.commit()?;
        for path in &paths {
            problem::inform(&format!("Wrote {}", path.display()));
        }
        Ok(ExitStatus::Done)
    }
}
