//! Where models and the truth about them are.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::Ignored;

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A file of `tests/fixtures`, such as `zoo/mlp.onnx`.
pub fn fixture(name: impl AsRef<Path>) -> PathBuf {
    root().join("tests/fixtures").join(name)
}

/// The files of a folder whose names end so, sorted.
pub fn files(folder: &Path, ending: &str) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder)
        .unwrap_or_else(|error| panic!("{} cannot be read: {error}", folder.display()));
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.unwrap().path())
        .filter(|path| path.is_file() && path.to_string_lossy().ends_with(ending))
        .collect();
    files.sort();
    files
}

fn stem(path: &Path) -> String {
    path.file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// A collection of models with the truth about them.
#[derive(Clone, Debug)]
pub struct Corpus {
    /// Folders of networks.
    networks: Vec<PathBuf>,
    /// The folder of malformed and malicious files.
    hostile: PathBuf,
    /// The folder of `labels.json`.
    labels: PathBuf,
    /// The folder of `flops.tsv` and `torchvision.tsv`.
    reference: PathBuf,
    /// The folder of the ONNX standard's operator cases; absent if they were not generated.
    conformance: PathBuf,
    /// Networks that another corpus has already, by file stem.
    known: BTreeSet<String>,
    extended: Option<PathBuf>,
}

/// A model and the facts that were found by executing it.
#[derive(Debug)]
pub struct Facts {
    /// The model file.
    pub model: PathBuf,
    /// The content of `NAME.facts.json`; `tests/fixtures/README.md` describes it.
    pub truth: Value,
}

/// A model and what people say it is.
#[derive(Debug)]
pub struct Label {
    /// The model's name, without folder and ending.
    pub name: String,
    /// The model file.
    pub model: PathBuf,
    /// Labels by field; a text may hold several words, separated by `|`, and any one is right.
    pub fields: Value,
}

/// A row of `flops.tsv`.
#[derive(Debug)]
pub struct PublishedMacs {
    /// The model file.
    pub model: PathBuf,
    /// Shapes of the inputs: `NAME=1x3x224x224`, separated by blanks.
    pub input: String,
    /// Billions of multiply-accumulates.
    pub gmacs: f64,
    /// How far a figure may be off, as a share of it.
    pub tolerance: f64,
}

/// A network whose figure torchvision publishes.
#[derive(Debug)]
pub struct TorchvisionMacs {
    /// The model file.
    pub model: PathBuf,
    /// Billions of multiply-accumulates at one image of 224 by 224, with three decimals.
    pub gmacs: f64,
}

impl Corpus {
    /// The corpus that every clone has.
    pub fn repository() -> Self {
        let target =
            std::env::var_os("CARGO_TARGET_DIR").map_or(root().join("target"), PathBuf::from);
        let made = std::env::var_os("CALIPERS_CONFORMANCE").map(PathBuf::from);
        Self {
            networks: vec![fixture("zoo")],
            hostile: fixture("hostile"),
            labels: root().join("tests/reference"),
            reference: root().join("tests/reference"),
            conformance: made.unwrap_or(target.join("conformance")),
            known: BTreeSet::new(),
            extended: None,
        }
    }

    /// The models that may not be redistributed, without those that the repository has.
    pub fn extended() -> Result<Self, Ignored> {
        let sibling = root().join("../shared");
        Self::extended_at(std::env::var_os("CALIPERS_SHARED").map_or(sibling, PathBuf::from))
    }

    fn extended_at(folder: PathBuf) -> Result<Self, Ignored> {
        if !folder.join("models").is_dir() {
            let reason = "no extended corpus; CALIPERS_SHARED names its folder";
            return Err(Ignored(reason.to_owned()));
        }
        let own = Self::repository();
        Ok(Self {
            networks: ["zoo", "seeds", "latency"]
                .map(|part| folder.join("models").join(part))
                .into(),
            hostile: folder.join("hostile"),
            labels: folder.join("models"),
            reference: folder.join("reference"),
            conformance: folder.join("conformance"),
            known: own.models().iter().map(|model| stem(model)).collect(),
            extended: Some(folder),
        })
    }

    /// The name of the corpus, for scores and snapshots.
    pub fn name(&self) -> &'static str {
        if self.extended.is_some() { "extended" } else { "repository" }
    }

    /// Every network, sorted by folder and name.
    pub fn models(&self) -> Vec<PathBuf> {
        let files = self.networks.iter().flat_map(|folder| files(folder, ".onnx"));
        files.filter(|model| !self.known.contains(&stem(model))).collect()
    }

    /// A network by its name without folder and ending.
    pub fn model(&self, name: &str) -> Option<PathBuf> {
        let file = format!("{name}.onnx");
        self.networks.iter().map(|folder| folder.join(&file)).find(|path| path.is_file())
    }

    /// The networks that were executed, with the facts found.
    pub fn facts(&self) -> Vec<Facts> {
        let facts = |model: PathBuf| {
            let text = std::fs::read(model.with_extension("facts.json")).ok()?;
            let truth = serde_json::from_slice(&text).unwrap();
            Some(Facts { model, truth })
        };
        self.models().into_iter().filter_map(facts).collect()
    }

    /// The networks that people labeled.
    pub fn labels(&self) -> Vec<Label> {
        let text = std::fs::read(self.labels.join("labels.json")).unwrap();
        let labels: Value = serde_json::from_slice(&text).unwrap();
        let label = |(key, fields): (&String, &Value)| {
            let name = key.rsplit('/').next().unwrap().to_owned();
            let model = self.model(&name).unwrap_or_else(|| panic!("no model for label {key}"));
            Label { name, model, fields: fields.clone() }
        };
        let labels = labels.as_object().unwrap().iter().map(label);
        labels.filter(|label| !self.known.contains(&label.name)).collect()
    }

    /// The table of published multiply-accumulates.
    pub fn published_macs(&self) -> Vec<PublishedMacs> {
        let row = |columns: Vec<String>| {
            let line = columns.join("\t");
            let [graph, input, gmacs, ..] = &columns[..] else { panic!("{line}") };
            let model = match &self.extended {
                Some(folder) => folder.join(graph),
                None => self.model(graph).unwrap_or_else(|| panic!("no model {graph}")),
            };
            let tolerance = if line.contains("within 1 %") { 0.01 } else { 0.001 };
            let gmacs = gmacs.parse().unwrap();
            PublishedMacs { model, input: input.clone(), gmacs, tolerance }
        };
        let rows = self.table("flops.tsv").into_iter().map(row);
        rows.filter(|row| !self.known.contains(&stem(&row.model))).collect()
    }

    /// The networks of this corpus whose figures torchvision publishes.
    pub fn torchvision_macs(&self) -> Vec<TorchvisionMacs> {
        let row = |columns: Vec<String>| {
            let [_, class, weights, _, gmacs] = &columns[..] else { panic!("{columns:?}") };
            let name = class.trim_end_matches("_Weights").to_lowercase();
            let mut names = ["", "_op17", "_op13"].iter().map(|opset| format!("{name}{opset}"));
            let model = names.find_map(|name| self.model(&name))?;
            let wanted = weights == "IMAGENET1K_V1" && !self.known.contains(&stem(&model));
            wanted.then(|| TorchvisionMacs { model, gmacs: gmacs.parse().unwrap() })
        };
        self.table("torchvision.tsv").into_iter().filter_map(row).collect()
    }

    /// Malformed and malicious files, and their data files.
    pub fn hostile(&self) -> Vec<PathBuf> {
        let own = match self.extended {
            Some(_) => files(&Self::repository().hostile, ""),
            None => Vec::new(),
        };
        let own: BTreeSet<_> = own.iter().filter_map(|path| path.file_name()).collect();
        let new = |path: &PathBuf| path.file_name().is_some_and(|name| !own.contains(name));
        files(&self.hostile, "").into_iter().filter(new).collect()
    }

    /// The folder of the ONNX standard's own operator cases.
    pub fn conformance(&self) -> Result<PathBuf, Ignored> {
        match self.conformance.join("expected.json").is_file() {
            true => Ok(self.conformance.clone()),
            false => Err(Ignored("no operator cases; scripts/conformance makes them".to_owned())),
        }
    }

    /// A file of the extended corpus by its path in there.
    pub fn file(&self, path: &str) -> PathBuf {
        self.extended.clone().unwrap_or_else(root).join(path)
    }

    /// The rows of a tab-separated table, without comments.
    fn table(&self, file: &str) -> Vec<Vec<String>> {
        let text = std::fs::read_to_string(self.reference.join(file)).unwrap();
        let lines = text.lines().filter(|line| !line.starts_with('#') && !line.is_empty());
        lines.map(|line| line.split('\t').map(str::to_owned).collect()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clone_without_the_extended_corpus_says_why() {
        let Err(Ignored(reason)) = Corpus::extended_at(root().join("no such folder")) else {
            panic!("there is no such folder");
        };
        assert!(reason.contains("CALIPERS_SHARED"), "{reason}");
    }

    /// Tables and facts name networks that the repository has.
    #[test]
    fn every_row_of_the_repository_has_its_model() {
        let corpus = Corpus::repository();
        let models = corpus.models().len();
        assert_eq!(corpus.facts().len() + 1, models, "all but the 7-billion-parameter decoder ran");
        assert!(corpus.labels().len() + 2 >= models, "all but two scripted modules are labeled");
        assert!(corpus.published_macs().len() >= 20);
        assert!(corpus.torchvision_macs().len() >= 12);
        assert!(corpus.hostile().len() >= 50);
    }
}
