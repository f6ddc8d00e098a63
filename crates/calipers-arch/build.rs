//! Compiles the library of known networks into the index that `src/fingerprint/library.rs` reads.

#[allow(dead_code, reason = "the crate uses the rest of it")]
#[path = "src/fingerprint/shape.rs"]
mod shape;

#[path = "src/fingerprint/text.rs"]
mod text;

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::{env, fs};

use shape::{COPY, VOCABULARY, WeightShape};
use text::{Role, Row};

fn main() {
    println!("cargo::rerun-if-changed=library");
    println!("cargo::rerun-if-changed=src/fingerprint/shape.rs");
    println!("cargo::rerun-if-changed=src/fingerprint/text.rs");
    let mut files: Vec<PathBuf> = fs::read_dir("library")
        .expect("the library of networks is in library/")
        .map(|file| file.expect("a readable folder").path())
        .filter(|path| path.extension().is_some_and(|ending| ending == "tsv"))
        .collect();
    files.sort();
    let rows: Vec<(String, Row)> = files.iter().flat_map(|path| read(path)).collect();
    let index = compile(&rows);
    let out = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    fs::write(out.join("library.bin"), index).expect("OUT_DIR can be written");
}

/// The rows of a file, each with its source: the name of the file.
fn read(path: &Path) -> Vec<(String, Row)> {
    let source = path.file_stem().expect("a file name").to_string_lossy().into_owned();
    let text = fs::read_to_string(path).expect("a text file");
    let row = |(number, line): (usize, &str)| match Row::parse(line) {
        Ok(row) => (source.clone(), row),
        Err(error) => panic!("{}:{}: {error}", path.display(), number + 1),
    };
    text.lines().enumerate().filter(|(_, line)| !line.starts_with('#')).map(row).collect()
}

/// The shapes of a row that are computed with, and those that are only looked up or added.
fn shapes(row: &Row) -> (Vec<WeightShape>, Vec<WeightShape>) {
    let (mut computed, mut other) = (Vec::new(), Vec::new());
    let mut positions = Positions::default();
    for (role, dims) in &row.weights {
        let reads_data = *role == Role::Computed && !positions.has(dims);
        let Some(shape) = WeightShape::new(dims) else { continue };
        if reads_data && shape.is_matrix() {
            let (shape, times) = shape.split();
            computed.extend(std::iter::repeat_n(shape, times));
        } else {
            other.push(shape);
        }
    }
    (computed, other)
}

/// Finds the networks that compute position biases: a linear layer of two or three coordinates,
/// which no layer before it outputs, and the next layer. They read no data, so exporters fold them
/// into the biases.
#[derive(Default)]
struct Positions {
    /// What the layers so far output.
    widths: BTreeSet<i64>,
    /// What the layer before outputs, if it reads coordinates.
    hidden: Option<i64>,
}

impl Positions {
    /// Whether the next weight is of such a network.
    fn has(&mut self, dims: &[i64]) -> bool {
        let before = self.hidden.take();
        let (width, read) = match dims {
            [width, read] => (*width, Some(*read)),
            _ => (dims[0], None),
        };
        let coordinates = read.is_some_and(|read| {
            matches!(read, 2 | 3) && !self.widths.is_empty() && !self.widths.contains(&read)
        });
        if coordinates {
            self.hidden = Some(width);
        } else if before.is_none() || before != read {
            self.widths.insert(width);
            return false;
        }
        true
    }
}

/// Writes the index. Numbers are little-endian; the layout is that of `library.rs`.
fn compile(rows: &[(String, Row)]) -> Vec<u8> {
    let shaped: Vec<_> = rows.iter().map(|(_, row)| shapes(row)).collect();
    let known: BTreeSet<WeightShape> =
        shaped.iter().flat_map(|(computed, other)| computed.iter().chain(other)).copied().collect();
    let ids: BTreeMap<WeightShape, u16> = known
        .iter()
        .enumerate()
        .map(|(at, shape)| (*shape, u16::try_from(at).expect("fewer than 32768 shapes")))
        .collect();
    assert!(ids.len() < usize::from(COPY), "the library has {} shapes", ids.len());

    let mut entries = Vec::new();
    let (mut sequences, mut strings) = (Vec::new(), Strings::default());
    let mut users: Vec<Vec<u16>> = vec![Vec::new(); ids.len()];
    for (at, ((source, row), (computed, other))) in rows.iter().zip(&shaped).enumerate() {
        let at = u16::try_from(at).expect("fewer than 65536 networks");
        let computed: Vec<u16> = computed.iter().map(|shape| ids[shape]).collect();
        let other: Vec<u16> = other.iter().map(|shape| ids[shape]).collect();
        for id in computed.iter().collect::<BTreeSet<_>>() {
            users[usize::from(*id)].push(at);
        }
        let is_vocabulary = |(role, dims): &(Role, Vec<i64>)| {
            *role == Role::Table && dims.first().is_some_and(|rows| *rows >= VOCABULARY)
        };
        let vocabulary = row.weights.iter().any(is_vocabulary);
        for text in [source, &row.name, &row.family, &row.variant] {
            entries.extend(strings.offset(text).to_le_bytes());
        }
        for sequence in [&computed, &other] {
            entries.extend(u32::try_from(sequences.len()).expect("short").to_le_bytes());
            entries.extend(u32::try_from(sequence.len()).expect("short").to_le_bytes());
            sequences.extend(pack(sequence));
        }
        let distinct = computed.iter().collect::<BTreeSet<_>>().len();
        entries.extend(u32::try_from(distinct).expect("short").to_le_bytes());
        entries.extend(u32::from(vocabulary).to_le_bytes());
    }
    let mut starts = vec![0_u32];
    let mut postings: Vec<u16> = Vec::new();
    for list in users {
        postings.extend(list);
        starts.push(u32::try_from(postings.len()).expect("short"));
    }
    let sections: [Vec<u8>; 6] = [
        ids.keys().flat_map(|shape| shape.bits().to_le_bytes()).collect(),
        starts.iter().flat_map(|start| start.to_le_bytes()).collect(),
        postings.iter().flat_map(|entry| entry.to_le_bytes()).collect(),
        entries,
        sequences.iter().flat_map(|id| id.to_le_bytes()).collect(),
        strings.bytes,
    ];
    let mut index: Vec<u8> = Vec::new();
    for section in &sections {
        index.extend(u32::try_from(section.len()).expect("short").to_le_bytes());
    }
    index.extend(sections.into_iter().flatten());
    index
}

/// How far back a repetition is looked for: the longest layer of a network has fewer weights.
const WINDOW: usize = 256;

/// A sequence with what repeats written as a reference back: `COPY | length, distance`.
fn pack(sequence: &[u16]) -> Vec<u16> {
    let mut packed = Vec::new();
    let mut at = 0;
    while at < sequence.len() {
        let (mut longest, mut distance) = (0, 0);
        for back in 1..=at.min(WINDOW) {
            let (now, then) = (&sequence[at..], &sequence[at - back..]);
            let equal = now.iter().zip(then).take_while(|(a, b)| a == b).count();
            if equal > longest {
                (longest, distance) = (equal, back);
            }
        }
        let length = longest.min(usize::from(COPY) - 1);
        if length > 2 {
            packed.push(COPY | u16::try_from(length).expect("15 bits"));
            packed.push(u16::try_from(distance).expect("a short sequence"));
            at += length;
        } else {
            packed.push(sequence[at]);
            at += 1;
        }
    }
    packed
}

/// Texts, each stored once with its length before it.
#[derive(Default)]
struct Strings {
    bytes: Vec<u8>,
    known: BTreeMap<String, u32>,
}

impl Strings {
    fn offset(&mut self, text: &str) -> u32 {
        if let Some(offset) = self.known.get(text) {
            return *offset;
        }
        let offset = u32::try_from(self.bytes.len()).expect("short");
        self.bytes.push(u8::try_from(text.len()).expect("a name has fewer than 256 bytes"));
        self.bytes.extend(text.bytes());
        self.known.insert(text.to_owned(), offset);
        offset
    }
}
