//! Budgets: the gates of a repository's models, in a committed file, `calipers.toml`.
//!
//! ```toml
//! [defaults]                       # for every model
//! gates = ["interface compatible", "no new error"]
//! devices = ["l4"]                 # devices whose latency and memory are compared
//! baseline = "baselines/{stem}.json"
//!
//! [[model]]
//! path = "models/*.onnx"           # glob relative to the file
//! gates = ["macs <= +5%", "latency@l4 <= 20ms"]
//! dims = { batch = 1 }
//! ```

use std::collections::BTreeMap;
use std::fmt;

use calipers_report::suggestions::{nearest, shortened};
use fast_glob::glob_match;
use serde::Deserialize;
use toml::Spanned;

use super::error::printable;
use super::{Gate, GateError};

/// The most bytes of a file.
const MAX_BYTES: usize = 1 << 20;

/// The most bytes of a path or pattern.
const MAX_PATH: usize = 1000;

/// The most `[[model]]` sections.
const MAX_MODELS: usize = 1000;

/// The budgets of a file.
#[derive(Clone, Debug)]
pub struct Budgets {
    defaults: Budget,
    models: Vec<(Pattern, Budget)>,
}

/// A glob of paths.
#[derive(Clone, Debug)]
struct Pattern {
    /// As it was written.
    text: String,
    /// As it is matched.
    glob: String,
}

impl Pattern {
    fn new(text: &str) -> Self {
        // A `!` at the start would mean all other paths.
        let escape = if text.starts_with('!') { r"\" } else { "" };
        Self { text: text.to_owned(), glob: format!("{escape}{text}") }
    }

    fn matches(&self, path: &str) -> bool {
        glob_match(&self.glob, path)
    }
}

/// What is wrong with a glob.
fn problem(kind: fast_glob::ErrorKind) -> &'static str {
    match kind {
        fast_glob::ErrorKind::UnclosedBrace => "unclosed group; missing '}'",
        fast_glob::ErrorKind::UnclosedBracket => "unclosed character class; missing ']'",
        fast_glob::ErrorKind::BraceNestingTooDeep | fast_glob::ErrorKind::TooManyBraceGroups => {
            "more than 10 groups in braces"
        }
        _ => "it cannot be read",
    }
}

/// What one model must keep to.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Budget {
    /// The gates, in the order of the file.
    pub gates: Vec<Gate>,
    /// The model or saved report to compare with, relative to the file.
    pub baseline: Option<String>,
    /// Devices whose latency and memory are compared, those that gates name included.
    pub devices: Vec<String>,
    /// Sizes of dimensions.
    pub dims: BTreeMap<String, i64>,
}

/// The reason that a file of budgets cannot be used:
/// `calipers.toml:3:1: unknown key "gate"; did you mean "gates"?`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BudgetError {
    /// The file.
    pub file: String,
    /// The line, from 1.
    pub line: usize,
    /// The character in the line, from 1.
    pub column: usize,
    /// What is wrong.
    pub message: String,
    /// What to write instead.
    pub hint: Option<String>,
    /// The gate that is wrong, where it is one.
    pub gate: Option<Box<GateError>>,
}

impl fmt::Display for BudgetError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}:{}: {}", self.file, self.line, self.column, self.message)?;
        match &self.hint {
            Some(hint) => write!(f, "; {hint}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for BudgetError {}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct RawFile {
    #[serde(default)]
    defaults: RawDefaults,
    #[serde(default)]
    model: Vec<Spanned<RawModel>>,
}

#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default, expecting = "a [defaults] section")]
struct RawDefaults {
    gates: Vec<Spanned<String>>,
    baseline: Option<Spanned<String>>,
    devices: Vec<Spanned<String>>,
    dims: BTreeMap<String, Spanned<i64>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a [[model]] section")]
struct RawModel {
    path: Spanned<String>,
    #[serde(default)]
    gates: Vec<Spanned<String>>,
    baseline: Option<Spanned<String>>,
    #[serde(default)]
    devices: Vec<Spanned<String>>,
    #[serde(default)]
    dims: BTreeMap<String, Spanned<i64>>,
}

impl Budgets {
    /// Parses the text of a file. `file` is its name for messages and for the source of gates;
    /// `finding_ids` are the ids of findings that gates may name.
    ///
    /// # Errors
    ///
    /// Returns an error that points at what is wrong in the file.
    pub fn parse(text: &str, file: &str, finding_ids: &[&str]) -> Result<Self, BudgetError> {
        let reader = Reader { text, file, finding_ids };
        if text.len() > MAX_BYTES {
            return Err(reader.error(0, format!("the file has more than {MAX_BYTES} bytes"), None));
        }
        let raw: RawFile = toml::from_str(text).map_err(|error| reader.structural(&error))?;
        if let Some(model) = raw.model.get(MAX_MODELS) {
            let message = format!("the file has more than {MAX_MODELS} [[model]] sections");
            return Err(reader.error(model.span().start, message, None));
        }
        let RawDefaults { gates, baseline, devices, dims } = raw.defaults;
        let defaults = reader.budget(&gates, baseline.as_ref(), &devices, dims)?;
        let models = raw.model.into_iter().map(|model| {
            let RawModel { path, gates, baseline, devices, dims } = model.into_inner();
            Ok((reader.pattern(&path)?, reader.budget(&gates, baseline.as_ref(), &devices, dims)?))
        });
        Ok(Self { defaults, models: models.collect::<Result<_, _>>()? })
    }

    /// Returns the budget of a model: the defaults, and every `[[model]]` whose pattern its path
    /// matches, in the order of the file. The path is relative to the file.
    ///
    /// Gates and devices add up; of baselines and sizes, the last one holds.
    pub fn for_model(&self, relative_path: &str) -> Budget {
        let path = normalized(relative_path);
        let mut budget = Budget::default();
        let matching = self.models.iter().filter(|(pattern, _)| pattern.matches(&path));
        for part in std::iter::once(&self.defaults).chain(matching.map(|(_, part)| part)) {
            for gate in &part.gates {
                // Sections may repeat a gate, which is judged once.
                if !budget.gates.iter().any(|known| known.condition == gate.condition) {
                    budget.gates.push(gate.clone());
                }
            }
            let named = part.gates.iter().filter_map(Gate::device);
            for device in part.devices.iter().map(String::as_str).chain(named) {
                if !budget.devices.iter().any(|known| known == device) {
                    budget.devices.push(device.to_owned());
                }
            }
            if let Some(baseline) = &part.baseline {
                budget.baseline = Some(filled(baseline, &path));
            }
            budget.dims.extend(part.dims.iter().map(|(name, size)| (name.clone(), *size)));
        }
        budget
    }

    /// Returns the patterns of the `[[model]]` sections, in the order of the file.
    pub fn patterns(&self) -> impl Iterator<Item = &str> {
        self.models.iter().map(|(pattern, _)| pattern.text.as_str())
    }

    /// Whether a `[[model]]` section is for this path.
    pub fn names(&self, relative_path: &str) -> bool {
        let path = normalized(relative_path);
        self.models.iter().any(|(pattern, _)| pattern.matches(&path))
    }
}

/// A path with forward slashes, without `./` before it.
fn normalized(path: &str) -> String {
    let path = path.replace('\\', "/");
    path.trim_start_matches("./").to_owned()
}

/// The placeholders of a baseline.
const PLACEHOLDERS: [&str; 2] = ["name", "stem"];

/// Returns a baseline with the file name and the stem of a model in place of `{name}`, `{stem}`.
fn filled(baseline: &str, path: &str) -> String {
    let name = path.rsplit('/').next().unwrap_or(path);
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let stem = if stem.is_empty() { name } else { stem };
    let mut filled = String::new();
    let mut rest = baseline;
    // In one pass: the name of a model may itself have braces.
    while let Some((before, after)) = rest.split_once('{') {
        let (placeholder, after) = after.split_once('}').unwrap_or((after, ""));
        filled.push_str(before);
        filled.push_str(if placeholder == "name" { name } else { stem });
        rest = after;
    }
    filled + rest
}

/// Checks the values of a file.
struct Reader<'a> {
    text: &'a str,
    file: &'a str,
    finding_ids: &'a [&'a str],
}

impl Reader<'_> {
    fn error(&self, byte: usize, message: impl Into<String>, hint: Option<String>) -> BudgetError {
        let (line, column) = self.place(byte);
        let file = self.file.to_owned();
        BudgetError { file, line, column, message: message.into(), hint, gate: None }
    }

    /// The line and the character of a byte, from 1.
    fn place(&self, byte: usize) -> (usize, usize) {
        let before = self.text.get(..self.text.floor_char_boundary(byte)).unwrap_or(self.text);
        let line = before.rsplit('\n').next().unwrap_or_default();
        (before.matches('\n').count() + 1, line.chars().count() + 1)
    }

    /// What the parser or serde found wrong.
    fn structural(&self, error: &toml::de::Error) -> BudgetError {
        let start = error.span().map_or(0, |span| span.start);
        let message = error.message().lines().collect::<Vec<_>>().join(", ");
        // The words in backticks are the key that was found, then those that were expected.
        let mut quoted = message.split('`').skip(1).step_by(2);
        match quoted.next() {
            Some(key) if message.starts_with("unknown field") => {
                let near = nearest(key, quoted.clone());
                let known = || format!("expected {}", quoted.collect::<Vec<_>>().join(", "));
                let hint = near.map_or_else(known, |near| format!("did you mean {near:?}?"));
                let key: String = shortened(key).chars().map(printable).collect();
                self.error(start, format!("unknown key {key:?}"), Some(hint))
            }
            Some(key) if message.starts_with("missing field") => {
                let message = format!("the section needs the key {key:?}");
                self.error(start, message, Some("write path = \"models/*.onnx\"".to_owned()))
            }
            _ => {
                let message: String = message.chars().map(printable).take(300).collect();
                self.error(start, message, None)
            }
        }
    }

    fn budget(
        &self,
        gates: &[Spanned<String>],
        baseline: Option<&Spanned<String>>,
        devices: &[Spanned<String>],
        dims: BTreeMap<String, Spanned<i64>>,
    ) -> Result<Budget, BudgetError> {
        let gates = gates.iter().map(|gate| self.gate(gate)).collect::<Result<_, _>>()?;
        let baseline = baseline.map(|baseline| self.baseline(baseline)).transpose()?;
        let devices = devices.iter().map(|device| {
            let id = device.get_ref().trim();
            if id.is_empty() || id.len() > MAX_PATH || id.chars().any(|c| printable(c) != c) {
                let hint = Some("write an id such as \"l4\"".to_owned());
                return Err(self.error(device.span().start, "a device must have an id", hint));
            }
            Ok(id.to_owned())
        });
        let dims = dims.into_iter().map(|(name, size)| match *size.get_ref() {
            value @ 1.. => Ok((name, value)),
            _ => Err(self.error(size.span().start, "a size must be an integer >= 1", None)),
        });
        let devices = devices.collect::<Result<_, _>>()?;
        Ok(Budget { gates, baseline, devices, dims: dims.collect::<Result<_, _>>()? })
    }

    fn gate(&self, gate: &Spanned<String>) -> Result<Gate, BudgetError> {
        let start = gate.span().start;
        let source = format!("{}:{}", self.file, self.place(start).0);
        Gate::parse(gate.get_ref(), &source, self.finding_ids).map_err(|error| {
            // Past the quote, where the text is written without escapes.
            let inside = self.text.get(start + 1..).unwrap_or_default();
            let offset = if inside.starts_with(gate.get_ref()) { 1 + error.at.start } else { 0 };
            let hint = error.hint.clone();
            let message = format!("{} in the gate {:?}", error.message, shown(&error));
            BudgetError { gate: Some(Box::new(error)), ..self.error(start + offset, message, hint) }
        })
    }

    fn pattern(&self, path: &Spanned<String>) -> Result<Pattern, BudgetError> {
        self.relative(path, "path")?;
        let pattern = Pattern::new(path.get_ref().trim_start_matches("./"));
        fast_glob::validate(&pattern.glob).map_err(|error| {
            let message = format!("path is not a glob: {}", problem(error.kind));
            self.error(path.span().start, message, None)
        })?;
        Ok(pattern)
    }

    fn baseline(&self, baseline: &Spanned<String>) -> Result<String, BudgetError> {
        self.relative(baseline, "baseline")?;
        let mut rest = baseline.get_ref().as_str();
        while let Some((_, after)) = rest.split_once('{') {
            let (placeholder, after) = after.split_once('}').unwrap_or((after, ""));
            if !PLACEHOLDERS.contains(&placeholder) {
                let placeholder: String = shortened(placeholder).chars().map(printable).collect();
                let message = format!("unknown placeholder {{{placeholder}}} in baseline");
                let hint =
                    "use {stem} or {name}, the model's file name without and with its ending";
                return Err(self.error(baseline.span().start, message, Some(hint.to_owned())));
            }
            rest = after;
        }
        Ok(baseline.get_ref().clone())
    }

    /// Checks that a path is relative: the file is committed, and other machines have other folders.
    fn relative(&self, path: &Spanned<String>, key: &str) -> Result<(), BudgetError> {
        let text = path.get_ref().as_str();
        let has_drive = text.as_bytes().get(1) == Some(&b':');
        let (message, hint) = match text {
            "" => ("must not be empty", None),
            text if text.len() > MAX_PATH => ("is too long", None),
            text if text.chars().any(|c| printable(c) != c) => ("must be printable", None),
            text if text.contains('\\') => ("must have forward slashes", None),
            text if text.starts_with('/') || has_drive => {
                ("must be relative to the file", Some("write models/resnet50.onnx".to_owned()))
            }
            _ => return Ok(()),
        };
        Err(self.error(path.span().start, format!("{key} {message}"), hint))
    }
}

fn shown(error: &GateError) -> String {
    shortened(&error.expression.chars().map(printable).collect::<String>())
}

#[cfg(test)]
mod tests;
