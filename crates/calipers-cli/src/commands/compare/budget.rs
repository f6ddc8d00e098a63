//! Gates of the command line and of `calipers.toml`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use calipers::gates::{BudgetError, Budgets, Gate};

use super::Compare;
use crate::problem::{Problem, reason};

/// The file that is read where none is named.
const FILE: &str = "calipers.toml";

/// What the last model must meet.
#[derive(Debug, Default)]
pub(super) struct Budget {
    pub(super) gates: Vec<Gate>,
    /// The baseline of the model, where one model is given.
    pub(super) baseline: Option<PathBuf>,
    pub(super) devices: Vec<String>,
    pub(super) dims: BTreeMap<String, i64>,
}

impl Budget {
    /// Reads the gates. Those of the file are of the last model.
    pub(super) fn find(compare: &Compare, ids: &[&str]) -> Result<Self, Problem> {
        Self::of_file(compare, ids)?.with_arguments(compare, ids)
    }

    /// Like [`Budget::find`], but reads a file only where one is named.
    pub(super) fn find_named(compare: &Compare, ids: &[&str]) -> Result<Self, Problem> {
        let budget = match compare.config {
            Some(_) => Self::of_file(compare, ids)?,
            None => Self::default(),
        };
        budget.with_arguments(compare, ids)
    }

    /// Adds the gates of the command line.
    fn with_arguments(mut self, compare: &Compare, ids: &[&str]) -> Result<Self, Problem> {
        let budget = &mut self;
        for text in &compare.gates {
            let gate = Gate::parse(text, "command line", ids).map_err(|error| {
                let message = format!("cannot use the gate: {}", error.message);
                let problem = Problem::unusable(&message).lines(&error.pointer());
                match &error.hint {
                    Some(hint) => problem.hint(hint),
                    None => problem,
                }
            })?;
            budget.devices.extend(gate.device().map(str::to_owned));
            budget.gates.push(gate);
        }
        if let Some(gate) = budget.gates.iter().find(|gate| gate.needs_weights())
            && !compare.weights
        {
            let message = format!("the gate `{}` needs the weights", gate.expression());
            return Err(Problem::unusable(&message).hint("add --weights"));
        }
        Ok(self)
    }

    fn of_file(compare: &Compare, ids: &[&str]) -> Result<Self, Problem> {
        let file = match &compare.config {
            Some(file) => file.clone(),
            None if Path::new(FILE).is_file() => PathBuf::from(FILE),
            None => return Ok(Self::default()),
        };
        let text = std::fs::read_to_string(&file).map_err(|error| {
            Problem::unusable(&format!("cannot read {}: {}", file.display(), reason(&error)))
        })?;
        let budgets = Budgets::parse(&text, &file.display().to_string(), ids)
            .map_err(|error| problem(&error))?;
        let folder = file.parent().unwrap_or(Path::new(""));
        let Some(model) = compare.models.last() else { return Ok(Self::default()) };
        let path = relative(model, folder);
        let calipers::gates::Budget { gates, baseline, devices, dims } = budgets.for_model(&path);
        Ok(Self { gates, baseline: baseline.map(|path| folder.join(path)), devices, dims })
    }
}

/// A model's path from the folder of the file, with slashes.
fn relative(model: &Path, folder: &Path) -> String {
    let whole = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let folder = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let (model_path, folder_path) = (whole(model), whole(folder));
    let relative = model_path.strip_prefix(&folder_path).unwrap_or(model);
    let parts: Vec<_> =
        relative.components().map(|part| part.as_os_str().to_string_lossy()).collect();
    parts.join("/")
}

fn problem(error: &BudgetError) -> Problem {
    let message = format!("{}:{}:{}: {}", error.file, error.line, error.column, error.message);
    let pointer = error.gate.as_ref().map(|gate| gate.pointer()).unwrap_or_default();
    let problem = Problem::unusable(&message).lines(&pointer);
    match &error.hint {
        Some(hint) => problem.hint(hint),
        None => problem,
    }
}
