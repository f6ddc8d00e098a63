//! What runtimes take, from `runtimes.toml`.

use std::sync::LazyLock;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

/// A release of a runtime or converter, and what it takes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Runtime {
    pub(super) name: String,
    pub(super) release: String,
    /// Newest version of the standard operators.
    pub(super) opset: Option<i64>,
    /// Newest version of the representation.
    pub(super) ir: Option<i64>,
    /// Types of elements; empty where nobody states them.
    pub(super) dtypes: Vec<String>,
}

impl Runtime {
    /// Whether it takes a model of these versions, as far as limits are stated.
    pub(super) fn takes(&self, opset: Option<i64>, ir: Option<i64>) -> bool {
        let within = |limit: Option<i64>, version: Option<i64>| match (limit, version) {
            (Some(limit), Some(version)) => version <= limit,
            _ => true,
        };
        within(self.opset, opset) && within(self.ir, ir)
    }

    /// Whether a limit is stated.
    pub(super) fn is_limited(&self) -> bool {
        self.opset.is_some() || self.ir.is_some()
    }
}

/// Every release of the table; those of one name stand together, oldest first.
pub(super) fn all() -> &'static [Runtime] {
    static ALL: LazyLock<Vec<Runtime>> =
        LazyLock::new(|| parse(include_str!("runtimes.toml")).unwrap_or_default());
    &ALL
}

/// The table; `None` where something in it is not as its head says. A test reads it.
fn parse(text: &str) -> Option<Vec<Runtime>> {
    let table = DeTable::parse(text).ok()?;
    let stanzas = table.get_ref().get("runtime")?.get_ref().as_array()?;
    stanzas.iter().map(|stanza| runtime(stanza.get_ref().as_table()?)).collect()
}

fn runtime(table: &DeTable<'_>) -> Option<Runtime> {
    let mut runtime = Runtime::default();
    for (key, value) in table {
        let value: &Spanned<DeValue<'_>> = value;
        let text = || value.get_ref().as_str().map(str::to_owned);
        let number = || value.get_ref().as_integer()?.as_str().parse().ok();
        match key.get_ref().as_ref() {
            "name" => runtime.name = text()?,
            "release" => runtime.release = text()?,
            "opset" => runtime.opset = Some(number()?),
            "ir" => runtime.ir = Some(number()?),
            "dtypes" => {
                let types = value.get_ref().as_array()?.iter();
                runtime.dtypes = types
                    .map(|dtype| dtype.get_ref().as_str().map(str::to_owned))
                    .collect::<Option<_>>()?;
            }
            "evidence" if matches!(text()?.as_str(), "measured" | "published") => {}
            "source" | "notes" if !text()?.is_empty() => {}
            _ => return None,
        }
    }
    Some(runtime)
}

#[cfg(test)]
mod tests {
    use calipers_ir::DType;

    use super::*;

    #[test]
    fn the_table_is_read_whole_and_sorted() {
        let all = all();
        assert!(all.len() >= 10, "{} releases", all.len());
        for group in all.chunk_by(|one, next| one.name == next.name) {
            for pair in group.windows(2) {
                assert!(pair[0].opset <= pair[1].opset, "{} {}", pair[1].name, pair[1].release);
                assert!(pair[0].ir <= pair[1].ir, "{} {}", pair[1].name, pair[1].release);
            }
        }
        let mut names: Vec<_> =
            all.chunk_by(|one, next| one.name == next.name).map(|group| &group[0].name).collect();
        names.sort_unstable();
        names.dedup();
        let runs = all.chunk_by(|one, next| one.name == next.name).count();
        assert_eq!(names.len(), runs, "releases of one name stand apart");
    }

    #[test]
    fn types_are_spelt_as_ours() {
        let known: Vec<String> = (0..29).map(|n| DType::from_onnx(n).to_string()).collect();
        for dtype in all().iter().flat_map(|runtime| &runtime.dtypes) {
            assert!(known.contains(dtype), "{dtype}");
        }
    }

    #[test]
    fn every_stanza_has_its_source() {
        let text = include_str!("runtimes.toml");
        assert_eq!(text.matches("\nsource = ").count(), all().len());
        assert_eq!(text.matches("\nevidence = ").count(), all().len());
    }
}
