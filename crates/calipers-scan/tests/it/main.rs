//! Datasets as their readers find them: complete, once per model, equal however they came about.
#![allow(clippy::unwrap_used, reason = "a test may stop where its own tools fail")]

use std::fs;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use calipers_report::{Likeness, ModelRow};
use calipers_samples::{DataType, ModelBuilder, Tensor};
use calipers_scan::{
    Error, Format, LocalFile, Opened, Place, Progress, ScanOptions, Summary, Table, read_models,
    registry, scan,
};

fn main() -> ExitCode {
    calipers_testkit::main([tests()])
}

// The standard harness sets a panic hook when it ends, which threads that panicked in a scan prevent.
calipers_testkit::tests! {
    test: [
        every_model_is_one_row_with_its_figures,
        digests_are_those_of_architecture_and_weights,
        what_is_known_is_not_read_again,
        versions_that_have_to_be_asked_for_are_compared,
        a_scan_of_servers_that_was_killed_goes_on,
        a_scan_that_was_killed_while_it_wrote_a_part_goes_on,
        a_model_whose_analysis_panics_is_a_row,
        duplicates_and_variants_are_found,
        a_dataset_holds_to_its_options_and_to_one_writer,
        rows_of_a_text_table_are_replaced,
        tables_are_as_they_were_asked_for,
        the_guide_describes_every_column,
    ];
}

/// A matrix product of a size, with a value in its weights.
fn product(size: usize, value: f32, names: &str) -> Vec<u8> {
    let mut model = ModelBuilder::new(17);
    let (weight, columns) = (format!("{names}w"), size.to_string());
    let dims = [size as i64, size as i64];
    let elements: Vec<u8> = value.to_le_bytes().repeat(size * size);
    model.input("x", DataType::F32, &["batch", &columns]);
    model.initializer(&Tensor::raw(&weight, DataType::F32, &dims, &elements));
    model.node("MatMul", &["x", &weight], &["y"], &[]);
    model.output("y", DataType::F32, &["batch", &columns]);
    model.build()
}

fn files(folder: &Path, count: usize) -> Vec<PathBuf> {
    let write = |at: usize| {
        let path = folder.join(format!("{at:03}.onnx"));
        fs::write(&path, product(2 + at, 1.0, "a")).unwrap();
        path
    };
    (0..count).map(write).collect()
}

fn places(paths: &[PathBuf]) -> Vec<LocalFile> {
    paths.iter().cloned().map(LocalFile::new).collect()
}

fn models(folder: &Path) -> Vec<ModelRow> {
    let mut rows: Vec<ModelRow> = read_models(folder).unwrap().flat_map(Result::unwrap).collect();
    rows.sort_by(|one, other| one.figures.path.cmp(&other.figures.path));
    rows
}

fn quiet(paths: &[PathBuf], folder: &Path, options: &ScanOptions) -> Result<Summary, Error> {
    scan(places(paths), folder, options, &|_| {})
}

fn every_model_is_one_row_with_its_figures() {
    let root = tempfile::tempdir().unwrap();
    let mut paths = files(root.path(), 20);
    paths.push(root.path().join("bad.onnx"));
    fs::write(&paths[20], b"\xff\xff").unwrap();
    for format in [Format::Parquet, Format::Jsonl] {
        let folder = root.path().join(format.extension());
        let options = ScanOptions { format, ..ScanOptions::default() };
        let summary = quiet(&paths, &folder, &options).unwrap();
        assert_eq!(summary, Summary { done: 21, failed: 1, ..Summary::default() });
        let rows = models(&folder);
        assert_eq!(rows.len(), 21);
        // A row of x times a matrix: n² multiply-accumulates and parameters at batch 1.
        assert!(rows[..20].iter().enumerate().all(|(at, row)| {
            let size = (at + 2) as u64;
            row.figures.macs == Some(size * size) && row.figures.parameters == Some(size * size)
        }));
        assert!(rows[20].figures.error.is_some() && rows[20].figures.macs.is_none());
    }
}

fn digests_are_those_of_architecture_and_weights() {
    let root = tempfile::tempdir().unwrap();
    let paths: Vec<PathBuf> =
        [("a", 4, 1.0, "a"), ("b", 4, 1.0, "other names "), ("c", 4, 2.0, "a"), ("d", 5, 1.0, "a")]
            .iter()
            .map(|(name, size, value, names)| {
                let path = root.path().join(format!("{name}.onnx"));
                fs::write(&path, product(*size, *value, names)).unwrap();
                path
            })
            .collect();
    quiet(&paths, &root.path().join("dataset"), &ScanOptions::default()).unwrap();
    let rows = models(&root.path().join("dataset"));
    let architecture: Vec<_> =
        rows.iter().map(|row| row.architecture_digest.clone().unwrap()).collect();
    let weights: Vec<_> = rows.iter().map(|row| row.weights_digest.clone().unwrap()).collect();
    assert!(architecture[0] == architecture[1] && architecture[0] == architecture[2]);
    assert_ne!(architecture[0], architecture[3]);
    assert!(weights[0] == weights[1] && weights[0] != weights[2] && weights[0] != weights[3]);
}

/// A file that counts how often it is opened.
struct Counted {
    file: LocalFile,
    opened: Arc<AtomicUsize>,
    /// Whether its version has to be asked for, as that of a server.
    is_late: bool,
    /// Whether opening it panics.
    panics: bool,
}

impl Counted {
    fn new(file: LocalFile, opened: &Arc<AtomicUsize>) -> Self {
        Self { file, opened: Arc::clone(opened), is_late: false, panics: false }
    }

    fn late(file: LocalFile, opened: &Arc<AtomicUsize>) -> Self {
        Self { is_late: true, ..Self::new(file, opened) }
    }
}

impl Place for Counted {
    fn address(&self) -> &str {
        self.file.address()
    }

    fn version(&self) -> Option<String> {
        self.file.version().filter(|_| !self.is_late)
    }

    fn current_version(&self) -> Option<String> {
        self.file.version()
    }

    fn open(&self) -> Result<Opened, String> {
        self.opened.fetch_add(1, Ordering::Relaxed);
        assert!(!self.panics, "with a name of the model");
        self.file.open()
    }
}

fn what_is_known_is_not_read_again() {
    let root = tempfile::tempdir().unwrap();
    let (paths, folder) = (files(root.path(), 30), root.path().join("dataset"));
    let opened = Arc::new(AtomicUsize::new(0));
    let run = |paths: &[PathBuf], prune: bool| {
        opened.store(0, Ordering::Relaxed);
        let places = places(paths).into_iter().map(|place| Counted::new(place, &opened)).collect();
        let options = ScanOptions { prune, ..ScanOptions::default() };
        let summary = scan(places, &folder, &options, &|_| {}).unwrap();
        (summary, opened.load(Ordering::Relaxed))
    };
    assert_eq!(run(&paths[..20], false).1, 20);
    assert_eq!(run(&paths[..20], false), (Summary { unchanged: 20, ..Summary::default() }, 0));
    assert_eq!(run(&paths, false).1, 10);
    let before = models(&folder);
    // A file that changed has one row, the new one.
    fs::write(&paths[3], product(50, 1.0, "a")).unwrap();
    assert_eq!(run(&paths, false), (Summary { done: 1, unchanged: 29, ..Summary::default() }, 1));
    let after = models(&folder);
    assert_eq!(after.len(), 30);
    assert_eq!(after[3].figures.macs, Some(2500));
    assert!(
        before.iter().zip(&after).enumerate().all(|(at, (one, other))| (at == 3) != (one == other))
    );
    // Without pruning, what was not found stays.
    assert_eq!(run(&paths[5..], false).0.removed, 0);
    assert_eq!(models(&folder).len(), 30);
    assert_eq!(run(&paths[5..], true).0.removed, 5);
    assert_eq!(models(&folder), after[5..]);
    // Every part on the disk is in use, so a reader that takes all files finds each model once.
    let parts = fs::read_dir(folder.join("models")).unwrap().count();
    let named: usize = read_models(&folder).unwrap().count();
    assert_eq!(parts, named);
}

fn versions_that_have_to_be_asked_for_are_compared() {
    let root = tempfile::tempdir().unwrap();
    let (paths, folder) = (files(root.path(), 10), root.path().join("dataset"));
    let run = || {
        let opened = Arc::new(AtomicUsize::new(0));
        let places =
            places(&paths).into_iter().map(|place| Counted::late(place, &opened)).collect();
        let summary = scan(places, &folder, &ScanOptions::default(), &|_| {}).unwrap();
        (summary.done, summary.unchanged, opened.load(Ordering::Relaxed))
    };
    assert_eq!(run(), (10, 0, 10));
    assert_eq!(run(), (0, 10, 0));
    fs::write(&paths[3], product(50, 1.0, "a")).unwrap();
    fs::write(&paths[4], b"\xff\xff").unwrap();
    assert_eq!(run(), (2, 8, 2));
    let rows = models(&folder);
    assert_eq!(rows.len(), 10);
    assert_eq!(rows[3].figures.macs, Some(2500));
    assert!(rows[4].figures.error.is_some());
}

fn a_scan_of_servers_that_was_killed_goes_on() {
    let root = tempfile::tempdir().unwrap();
    let (paths, folder) = (files(root.path(), 6), root.path().join("dataset"));
    let options = ScanOptions { threads: 1, ..ScanOptions::default() };
    // Ends, as a process that is killed, once this many are done.
    let run = |end: Option<usize>| {
        let opened = Arc::new(AtomicUsize::new(0));
        let late = places(&paths).into_iter().map(|place| Counted::late(place, &opened));
        let places: Vec<Counted> = late.collect();
        let summary = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            scan(places, &folder, &options, &|progress: Progress| {
                if Some(progress.done) == end {
                    // Without a message.
                    std::panic::resume_unwind(Box::new(()));
                }
            })
            .unwrap()
        }));
        summary.map(|it| (it.done, it.unchanged, opened.load(Ordering::Relaxed)))
    };
    // Three are in the journal. One of them changes before the scan goes on, and it ends once more.
    assert!(run(Some(3)).is_err());
    fs::write(&paths[1], product(50, 1.0, "a")).unwrap();
    assert!(run(Some(2)).is_err());
    assert_eq!(run(None).unwrap(), (2, 4, 2));
    let rows = models(&folder);
    let found: Vec<&str> = rows.iter().map(|row| row.figures.path.as_str()).collect();
    let expected: Vec<String> = places(&paths).iter().map(|it| it.address().to_owned()).collect();
    assert_eq!(found, expected);
    assert_eq!(rows[1].figures.macs, Some(2500));
}

fn a_scan_that_was_killed_while_it_wrote_a_part_goes_on() {
    let root = tempfile::tempdir().unwrap();
    let (paths, folder) = (files(root.path(), 5), root.path().join("dataset"));
    let (journal, previous) = (folder.join("journal.jsonl"), folder.join("journal-previous.jsonl"));
    let ended = std::panic::catch_unwind(|| {
        let options = ScanOptions { threads: 1, ..ScanOptions::default() };
        scan(places(&paths), &folder, &options, &|progress: Progress| {
            if progress.done == 3 {
                std::panic::resume_unwind(Box::new(()));
            }
        })
    });
    assert!(ended.is_err());
    // Before its commit: the lines of the part are in the previous journal, others in the journal.
    let lines = fs::read_to_string(&journal).unwrap();
    let second = lines.match_indices('\n').nth(1).unwrap().0 + 1;
    fs::write(&previous, &lines[..second]).unwrap();
    fs::write(&journal, &lines[second..]).unwrap();
    let summary = quiet(&paths, &folder, &ScanOptions::default()).unwrap();
    assert_eq!(summary, Summary { done: 2, unchanged: 3, ..Summary::default() });
    let rows = models(&folder);
    assert_eq!(rows.len(), 5);
    assert!(!previous.exists());
    // After its commit: the previous journal is still there, and its models are in the dataset.
    fs::write(&previous, &lines).unwrap();
    let summary = quiet(&paths, &folder, &ScanOptions::default()).unwrap();
    assert_eq!(summary, Summary { unchanged: 5, ..Summary::default() });
    assert_eq!(models(&folder), rows);
    assert!(!previous.exists());
}

/// More models panic than there are threads; each is a row, and none is read twice.
fn a_model_whose_analysis_panics_is_a_row() {
    let root = tempfile::tempdir().unwrap();
    let (paths, folder) = (files(root.path(), 20), root.path().join("dataset"));
    let options = ScanOptions { threads: 2, ..ScanOptions::default() };
    let run = || {
        let opened = Arc::new(AtomicUsize::new(0));
        let counted = places(&paths).into_iter().map(|place| Counted::new(place, &opened));
        let places: Vec<Counted> =
            counted.enumerate().map(|(at, it)| Counted { panics: at % 4 == 1, ..it }).collect();
        let summary = scan(places, &folder, &options, &|_| {}).unwrap();
        (summary, opened.load(Ordering::Relaxed))
    };
    assert_eq!(run(), (Summary { done: 20, failed: 5, ..Summary::default() }, 20));
    assert_eq!(run(), (Summary { unchanged: 20, ..Summary::default() }, 0));
    for (at, row) in models(&folder).iter().enumerate() {
        let error = row.figures.error.as_deref().unwrap_or_default();
        assert_eq!(error.starts_with("internal error at main.rs:"), at % 4 == 1, "{error}");
        assert_eq!(row.figures.macs.is_some(), at % 4 != 1);
    }
}

/// A chain of matrix products, the last one to a number of classes, in a type.
fn classifier(classes: i64, dtype: DataType, value: u8) -> Vec<u8> {
    let mut model = ModelBuilder::new(17);
    let bytes = if dtype == DataType::F32 { 4 } else { 2 };
    let shapes: Vec<[i64; 2]> = (0..15).map(|_| [64, 64]).chain([[64, classes]]).collect();
    model.input("x0", dtype, &["batch", "64"]);
    for (at, [rows, columns]) in shapes.iter().enumerate() {
        let (weight, from, to) = (format!("w{at}"), format!("x{at}"), format!("x{}", at + 1));
        let elements = vec![value; usize::try_from(rows * columns).unwrap() * bytes];
        model.initializer(&Tensor::raw(&weight, dtype, &[*rows, *columns], &elements));
        model.node("MatMul", &[&from, &weight], &[&to], &[]);
    }
    model.output("x16", dtype, &["batch", &classes.to_string()]);
    model.build()
}

fn duplicates_and_variants_are_found() {
    let root = tempfile::tempdir().unwrap();
    let variants = [
        ("a", classifier(10, DataType::F32, 0)),
        ("b", classifier(10, DataType::F32, 0)),
        ("c", classifier(10, DataType::F32, 1)),
        ("d", classifier(100, DataType::F16, 0)),
        // Too few weights to say that two such models are alike.
        ("e", product(64, 1.0, "")),
        ("f", product(64, 2.0, "")),
    ];
    let write = |(name, bytes): &(&str, Vec<u8>)| {
        let path = root.path().join(format!("{name}.onnx"));
        fs::write(&path, bytes).unwrap();
        path
    };
    let paths: Vec<PathBuf> = variants.iter().map(write).collect();
    let folder = root.path().join("dataset");
    quiet(&paths, &folder, &ScanOptions::default()).unwrap();
    let found = registry(&folder).unwrap();
    assert_eq!(found.models, models(&folder));
    let groups = |likeness: Likeness| -> Vec<Vec<usize>> {
        let groups = found.groups.iter().filter(|group| group.likeness == likeness);
        groups.map(|group| group.models.clone()).collect()
    };
    assert_eq!(groups(Likeness::Weights), [[0, 1]]);
    assert_eq!(groups(Likeness::Architecture), [vec![0, 1, 2], vec![4, 5]]);
    assert_eq!(groups(Likeness::Shapes), [[0, 1, 2, 3]]);
}

fn a_dataset_holds_to_its_options_and_to_one_writer() {
    let root = tempfile::tempdir().unwrap();
    let (paths, folder) = (files(root.path(), 2), root.path().join("dataset"));
    quiet(&paths, &folder, &ScanOptions::default()).unwrap();
    let other = ScanOptions { label: "--dim batch=2".to_owned(), ..ScanOptions::default() };
    assert!(matches!(quiet(&paths, &folder, &other), Err(Error::OtherOptions { .. })));
    let lock = fs::File::open(folder.join(".lock")).unwrap();
    lock.try_lock().unwrap();
    assert!(matches!(quiet(&paths, &folder, &ScanOptions::default()), Err(Error::Locked(_))));
    assert!(matches!(
        quiet(&paths, root.path(), &ScanOptions::default()),
        Err(Error::NotADataset(_))
    ));
}

/// Lines of a table's parts, without headings, sorted.
fn lines(folder: &Path, table: Table) -> Vec<String> {
    let parts = fs::read_dir(folder.join(table.id())).unwrap();
    let texts = parts.map(|part| fs::read_to_string(part.unwrap().path()).unwrap());
    let mut lines: Vec<String> = texts
        .flat_map(|text| text.lines().skip(1).map(str::to_owned).collect::<Vec<_>>())
        .collect();
    lines.sort_unstable();
    lines
}

/// Rows of comma-separated values are replaced as those of other formats, whatever the paths.
fn rows_of_a_text_table_are_replaced() {
    let root = tempfile::tempdir().unwrap();
    let paths = ["a.onnx", "a,b.onnx", "a\"b.onnx", "=a.onnx", "gone.onnx"]
        .map(|name| root.path().join(name));
    for path in &paths {
        fs::write(path, product(10, 1.0, "a")).unwrap();
    }
    let options = ScanOptions { format: Format::Csv, prune: true, ..ScanOptions::default() };
    let (folder, again) = (root.path().join("dataset"), root.path().join("again"));
    quiet(&paths, &folder, &options).unwrap();
    fs::write(&paths[1], product(50, 1.0, "b")).unwrap();
    let summary = quiet(&paths[..4], &folder, &options).unwrap();
    assert_eq!(summary, Summary { done: 1, unchanged: 3, removed: 1, ..Summary::default() });
    quiet(&paths[..4], &again, &options).unwrap();
    for table in Table::ALL {
        assert_eq!(lines(&folder, table), lines(&again, table), "{}", table.id());
    }
    assert_eq!(lines(&folder, Table::Models).len(), 4);
    assert!(matches!(registry(&folder), Err(Error::NotRead(_))));
}

fn tables_are_as_they_were_asked_for() {
    let root = tempfile::tempdir().unwrap();
    let (paths, folder) = (files(root.path(), 3), root.path().join("dataset"));
    let options =
        ScanOptions { format: Format::Csv, tables: vec![Table::Layers], ..ScanOptions::default() };
    quiet(&paths, &folder, &options).unwrap();
    assert!(!folder.join("tensors").exists());
    let part = fs::read_dir(folder.join("layers")).unwrap().next().unwrap().unwrap().path();
    let text = fs::read_to_string(part).unwrap();
    let mut lines = text.lines();
    assert!(lines.next().unwrap().starts_with("path,index,node,op,domain"));
    assert_eq!(lines.count(), 3);
}

/// The guide lists the columns as the tables have them.
fn the_guide_describes_every_column() {
    let guide = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/guide/scan.md");
    let guide = fs::read_to_string(guide).unwrap();
    for table in Table::ALL {
        let text = calipers_scan::columns_markdown(table);
        assert!(guide.contains(&text), "docs/guide/scan.md should contain:\n{text}");
    }
}
