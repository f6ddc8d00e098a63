//! Mutants of ONNX files: models whose messages, fields, names and numbers were changed.
//!
//! Random bytes rarely get past the protobuf reader. A mutant keeps the structure of a model and
//! changes parts of it, so that it reaches inference and rendering. The same model and seed give
//! the same mutant on every machine.
//!
//! ```
//! let model = calipers_samples::digits();
//! let mutant = calipers_testkit::mutant(&model, 7, 1 << 20);
//! assert_ne!(mutant, model);
//! assert_eq!(mutant, calipers_testkit::mutant(&model, 7, 1 << 20));
//! ```

mod edits;
mod tree;

pub use edits::{Edit, Expected, known_edits};
use tree::{Field, Kind, Payload};

/// Returns the mutant of a model that the seed selects, at most `max_bytes` long.
pub fn mutant(model: &[u8], seed: u64, max_bytes: usize) -> Vec<u8> {
    let mut random = Random(seed);
    let (mut fields, rest) = tree::parse(model, Kind::Model, 0);
    for _ in 0..=random.below(4) {
        edit(&mut fields, &mut random, max_bytes);
    }
    let mut bytes = tree::write(&fields).into_bytes();
    bytes.extend_from_slice(rest);
    // Lengths that do not match, and damage that no writer makes.
    if random.one_in(10) {
        damage(&mut bytes, &mut random);
    }
    bytes.truncate(max_bytes);
    bytes
}

/// Numbers from a seed (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `end`, or 0 where that is 0.
    fn below(&mut self, end: usize) -> usize {
        usize::try_from(self.next() % (end.max(1) as u64)).unwrap_or(0)
    }

    fn one_in(&mut self, count: usize) -> bool {
        self.below(count) == 0
    }

    fn pick<'a, T>(&mut self, from: &'a [T]) -> Option<&'a T> {
        from.get(self.below(from.len()))
    }
}

/// The end of a range, and numbers at which arithmetic wraps or allocations fail.
const INTEGERS: &[i64] = &[
    0,
    1,
    -1,
    2,
    3,
    7,
    16,
    255,
    -2,
    4_096,
    65_535,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    1 << 40,
    0x3fff_ffff_ffff_ffff,
    i64::MAX,
    i64::MIN,
    i64::MIN + 1,
];

/// Floats that break sums, comparisons and JSON.
const FLOATS: &[f32] =
    &[0.0, -0.0, 1.0, -1.0, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::MAX, 1e-45, 3.0e9];

/// Texts that a terminal, a page, a path or a parser could act on, and operators that run a graph,
/// resize or count.
const TEXTS: &[&str] = &[
    "",
    "\u{1b}[31m\u{1b}]0;title\u{7}",
    "line\nbreak\r\u{0}",
    "\u{202e}xnno\u{200b}\u{feff}",
    "<script>alert(1)</script>",
    "](javascript:alert(1)) | `x` | $x^2$",
    "=cmd()|'/c'!A0",
    "{{ report }}{% for x in range(9) %}",
    "../../etc/passwd",
    "/dev/zero",
    "http://example.com/x",
    "batch + floor(2*seq/3) - 1",
    "((((((((((n))))))))))",
    "min(a, max(b, c // 0))",
    "9223372036854775807*n*n*n",
    "-1",
    "If",
    "Loop",
    "Scan",
    "SequenceMap",
    "Reshape",
    "Expand",
    "Range",
    "ConstantOfShape",
    "Tile",
    "Resize",
    "Einsum",
    "MatMul",
    "Conv",
    "ConvTranspose",
    "Concat",
    "Split",
    "Gather",
    "Slice",
    "Shape",
    "Attention",
    "LSTM",
    "QLinearConv",
    "com.microsoft",
    "ai.onnx.ml",
    "then_branch",
    "body",
    "to",
    "axis",
    "group",
    "kernel_shape",
    "location",
    "offset",
    "length",
];

/// Changes one place of the tree.
fn edit(fields: &mut Vec<Field>, random: &mut Random, max_bytes: usize) {
    // Something from elsewhere in the file, of the same kind as what it replaces.
    let spare = some_field(fields, random).cloned();
    let text = some_text(fields, random);
    let target = some_message(fields, random);
    let Some(at) = (!target.is_empty()).then(|| random.below(target.len())) else { return };
    match random.below(10) {
        0 => {
            let copy = target[at].clone();
            let length = tree::write(std::slice::from_ref(&copy)).into_bytes().len();
            let many = random.one_in(8) && length <= max_bytes / 64;
            let copies = if many { 64 } else { 1 };
            target.splice(at..at, std::iter::repeat_n(copy, copies));
        }
        1 => _ = target.remove(at),
        2 => {
            let other = random.below(target.len());
            target.swap(at, other);
        }
        3 => {
            if let Some(spare) = spare {
                target.insert(at, spare);
            }
        }
        4 => {
            if let Some(spare) = spare {
                target[at].payload = spare.payload;
            }
        }
        5 => {
            // Protobuf numbers fields from 1.
            target[at].number = u32::try_from(random.below(30) + 1).unwrap_or(1);
        }
        _ => change(&mut target[at].payload, text, random),
    }
}

/// Changes a value, and keeps how it is written.
fn change(payload: &mut Payload, text: Option<Vec<u8>>, random: &mut Random) {
    match payload {
        Payload::Varint(value) => *value = integer(*value, random),
        Payload::Fixed64(bits) => {
            *bits = random.pick(FLOATS).map_or(0, |float| f64::from(*float).to_bits());
        }
        Payload::Fixed32(bits) => *bits = random.pick(FLOATS).map_or(0, |float| float.to_bits()),
        Payload::Integers(values) => {
            let at = random.below(values.len());
            match random.below(4) {
                0 => values.insert(at, integer(1, random)),
                1 if !values.is_empty() => _ = values.remove(at),
                _ => {
                    if let Some(value) = values.get_mut(at) {
                        *value = integer(*value, random);
                    }
                }
            }
        }
        Payload::Bytes(Kind::Text, bytes) => match random.below(4) {
            // Another name of the same model: edges move, loops close.
            0 | 1 => *bytes = text.unwrap_or_default(),
            2 => {
                let text = random.pick(TEXTS).copied().unwrap_or_default();
                *bytes = text.as_bytes().to_vec();
            }
            _ => resize(bytes, random),
        },
        Payload::Bytes(_, bytes) => resize(bytes, random),
        Payload::Message(_, fields) => {
            if random.one_in(2) {
                fields.clear();
            } else {
                fields.reverse();
            }
        }
    }
}

fn integer(value: u64, random: &mut Random) -> u64 {
    match random.below(4) {
        0 => value.wrapping_add(1),
        1 => value.wrapping_sub(1),
        _ => random.pick(INTEGERS).copied().unwrap_or(0).cast_unsigned(),
    }
}

fn resize(bytes: &mut Vec<u8>, random: &mut Random) {
    match random.below(4) {
        0 => bytes.truncate(random.below(bytes.len())),
        1 => bytes.extend(std::iter::repeat_n(0xff, random.below(64) + 1)),
        2 => bytes.fill(if random.one_in(2) { 0xff } else { 0 }),
        _ => damage(bytes, random),
    }
}

/// Changes bytes without regard to what they are.
fn damage(bytes: &mut Vec<u8>, random: &mut Random) {
    let at = random.below(bytes.len());
    match random.below(3) {
        0 => bytes.truncate(at),
        1 => {
            if let Some(byte) = bytes.get_mut(at) {
                *byte ^= 1 << random.below(8);
            }
        }
        _ => bytes.insert(at, u8::try_from(random.below(256)).unwrap_or(0)),
    }
}

/// A message at a random depth.
fn some_message<'a>(fields: &'a mut Vec<Field>, random: &mut Random) -> &'a mut Vec<Field> {
    let inside: Vec<usize> = messages(fields);
    if !inside.is_empty() && !random.one_in(5) {
        let at = inside[random.below(inside.len())];
        if let Payload::Message(_, inner) = &mut fields[at].payload {
            return some_message(inner, random);
        }
        unreachable!("the place of a message");
    }
    fields
}

/// A field at a random depth.
fn some_field<'a>(fields: &'a [Field], random: &mut Random) -> Option<&'a Field> {
    let mut field = random.pick(fields)?;
    while let Payload::Message(_, inner) = &field.payload {
        if inner.is_empty() || random.one_in(4) {
            break;
        }
        field = random.pick(inner)?;
    }
    Some(field)
}

/// A text from a random place, found in a few tries.
fn some_text(fields: &[Field], random: &mut Random) -> Option<Vec<u8>> {
    (0..8).find_map(|_| match &some_field(fields, random)?.payload {
        Payload::Bytes(Kind::Text, bytes) => Some(bytes.clone()),
        _ => None,
    })
}

fn messages(fields: &[Field]) -> Vec<usize> {
    let is_message = |field: &Field| matches!(field.payload, Payload::Message(..));
    (0..fields.len()).filter(|at| is_message(&fields[*at])).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_is_written_back_as_it_was() {
        for sample in calipers_samples::SAMPLES {
            let bytes = (sample.model)();
            let (fields, rest) = tree::parse(&bytes, Kind::Model, 0);
            assert!(rest.is_empty() && !messages(&fields).is_empty(), "{}", sample.name);
            assert_eq!(tree::write(&fields).into_bytes(), bytes, "{}", sample.name);
        }
    }

    #[test]
    fn most_mutants_keep_a_structure_and_differ() {
        let model = calipers_samples::encoder();
        let mutants: Vec<Vec<u8>> = (0..200).map(|seed| mutant(&model, seed, 1 << 20)).collect();
        let whole =
            mutants.iter().filter(|bytes| tree::parse(bytes, Kind::Model, 0).1.is_empty()).count();
        assert!(whole > 150, "{whole} of 200");
        let mut different = mutants.clone();
        different.sort();
        different.dedup();
        assert!(different.len() > 180, "{} of 200", different.len());
    }

    #[test]
    fn any_bytes_have_mutants_within_the_limit() {
        for bytes in [&b""[..], b"\x0a", b"\xff\xff\xff", &[0x3a; 4_000]] {
            for seed in 0..50 {
                assert!(mutant(bytes, seed, 64).len() <= 64);
            }
        }
    }
}
