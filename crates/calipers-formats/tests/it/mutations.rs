//! Damaged files: whatever happens to the bytes, reading gives a model or an error, the same each
//! time, and a model no larger than its file allows.
//!
//! Work is bounded by counting, not by a clock: every part of a model costs the file at least a
//! byte, so a reader that makes no more parts than bytes cannot run away.

use std::fs;
use std::path::{Path, PathBuf};

use calipers_ir::{Model, Producer};
use proptest::prelude::*;
use proptest::sample::Index;

use crate::common::{Msg, graph_attribute, model, msg, node, value_info};

/// The largest file that is damaged many times over; larger ones are only truncated now and then.
const SMALL: usize = 16 * 1024;

fn fixtures() -> Vec<(PathBuf, Vec<u8>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures");
    assert!(folder.is_dir(), "no folder {}: the tests need its models", folder.display());
    let mut found = Vec::new();
    let mut folders = vec![folder];
    while let Some(folder) = folders.pop() {
        for entry in fs::read_dir(&folder).expect("a folder that can be listed") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if path.extension().is_some_and(|extension| extension == "onnx") {
                let bytes = fs::read(&path).expect("a file that can be read");
                found.push((path, bytes));
            }
        }
    }
    assert!(!found.is_empty(), "the fixtures hold no .onnx file");
    found.sort();
    found
}

fn small_fixtures() -> Vec<Vec<u8>> {
    let small = fixtures().into_iter().map(|(_, bytes)| bytes);
    small.filter(|bytes| (1..=SMALL).contains(&bytes.len())).collect()
}

/// A model with a bit of everything, in about five hundred bytes.
fn sampler() -> Vec<u8> {
    let ty = msg().msg(1, msg().int(1, 1).msg(2, msg().msg(1, msg().text(2, "n"))));
    let sequence = msg().msg(4, msg().msg(1, ty.clone())).text(6, "TEXT");
    let branch = msg()
        .text(2, "branch")
        .msg(1, node("Mul", &["x", "w"], &["inner"]))
        .msg(12, value_info("inner"));
    let constant = msg().int(1, 3).int(2, 7).ints(7, &[1, -1, 300]).text(8, "c");
    let external = msg().int(2, 1).int(14, 1).msg(13, crate::common::entry("location", "w.bin"));
    let sparse = msg().msg(1, msg().text(8, "s").bytes(4, &[0; 8])).msg(2, msg()).ints(3, &[4, 4]);
    let branches = node("If", &["x"], &["y"])
        .msg(5, graph_attribute("then_branch", branch.clone()))
        .msg(5, msg().text(1, "graphs").msg(11, branch))
        .msg(5, msg().text(1, "axes").int(20, 7).ints(8, &[0, -1]))
        .msg(5, msg().text(1, "value").int(20, 4).msg(5, constant))
        .msg(9, crate::common::entry("namespace", "layer.0"))
        .msg(10, msg().text(1, "pair").msg(2, msg().ints(2, &[0]).msg(4, msg().int(1, 1))));
    let graph = msg()
        .msg(1, node("OpContext", &["y", "", "s"], &["z"]).text(7, "custom"))
        .msg(1, branches)
        .msg(5, msg().ints(1, &[2]).int(2, 1).text(8, "w").bytes(9, &[0; 8]))
        .msg(5, external)
        .msg(15, sparse)
        .msg(11, value_info("x").msg(2, ty))
        .msg(11, value_info("q").msg(2, sequence))
        .msg(12, value_info("z"))
        .msg(14, msg().text(1, "x").msg(2, crate::common::entry("SCALE_TENSOR", "w")))
        .msg(16, crate::common::entry("k", "v"));
    let function = msg()
        .text(1, "OpContext")
        .text(10, "custom")
        .text(4, "a")
        .text(5, "b")
        .msg(7, node("Relu", &["a"], &["b"]).msg(5, msg().text(1, "r").text(21, "alpha")))
        .msg(11, msg().text(1, "alpha").float(2, 1.0));
    model(graph)
        .msg(8, msg().int(2, 17))
        .msg(14, crate::common::entry("k", "v"))
        .msg(20, msg().msg(2, msg().msg(1, node("Step", &["w"], &["v"]))))
        .msg(25, function)
        .msg(26, msg().text(1, "pair").int(2, 2))
        .group(30, msg().int(1, 1))
        .0
}

/// Everything a model can be asked for, as one text; panics where parts contradict each other.
fn walk(model: &Model) -> String {
    let mut reported = format!("{:?}{:?}{:?}", model.header, model.issues, model.unknown_fields);
    for (id, graph) in model.graphs() {
        let mut nodes = graph.order.clone();
        nodes.sort_unstable();
        assert!(nodes.iter().copied().eq(graph.nodes.nodes()), "each node runs once");
        reported.push_str(&format!("{graph:?}{:?}", model.depth(id)));
    }
    for (id, node) in model.nodes() {
        assert!(model.captures(id).all(|value| model.value(value).graph == node.graph));
        let operands = (model.inputs(id), model.outputs(id), model.attributes(id));
        let metadata: Vec<_> = model.node_metadata_hints(id).map(|(key, _)| key).collect();
        reported.push_str(&format!("{}{operands:?}{metadata:?}", model.node_label(id)));
    }
    for (id, value) in model.values() {
        if let Producer::Node { node, slot } = value.producer {
            assert_eq!(model.outputs(node)[slot as usize], Some(id));
        }
        for consumer in model.consumers(id) {
            assert_eq!(model.inputs(consumer.node)[consumer.slot as usize], Some(id));
        }
        let ty = value.ty.map(|ty| model.value_type(ty).describe(&model.names));
        reported.push_str(&format!("{}{value:?}{ty:?}", model.name(value.name)));
    }
    for (id, tensor) in model.tensors() {
        let elements = (model.integers(id, 32), model.floats(id, 32));
        reported.push_str(&format!("{tensor:?}{elements:?}{:?}", tensor.bytes()));
    }
    for (_, function) in model.functions() {
        reported.push_str(&format!("{function:?}{:?}", model.function_defaults(function)));
    }
    reported
}

/// Reads bytes twice and holds the two readings, and the size of the result, to what is promised.
fn check(bytes: &[u8]) {
    let read = || calipers_formats::read(bytes.to_vec(), "damaged.onnx");
    match (read(), read()) {
        (Ok(one), Ok(two)) => {
            let parts = one.graphs().len() - 1
                + one.nodes().len()
                + one.tensors().len()
                + one.values().len()
                + one.functions().len();
            // The cheapest: an empty initializer, two bytes for a tensor and a value.
            assert!(parts <= bytes.len(), "{parts} parts from {} bytes", bytes.len());
            assert_eq!(walk(&one), walk(&two));
        }
        (Err(one), Err(two)) => {
            assert_eq!(format!("{one} {:?}", one.hint()), format!("{two} {:?}", two.hint()));
            if let calipers_formats::Error::Malformed { at, .. } = one {
                assert!(at <= bytes.len() as u64);
            }
        }
        (one, two) => panic!("two readings differ: {one:?} and {two:?}"),
    }
}

/// One way to damage a file.
#[derive(Clone, Debug)]
enum Damage {
    Flip(Index, u8),
    Set(Index, u8),
    Insert(Index, Vec<u8>),
    Remove(Index, usize),
    Copy(Index, Index, usize),
    Truncate(Index),
}

impl Damage {
    fn apply(&self, bytes: &mut Vec<u8>) {
        if bytes.is_empty() {
            return;
        }
        let length = bytes.len();
        let run = |at: usize, count: usize| at..(at + count).min(length);
        match self {
            Self::Flip(at, bit) => bytes[at.index(length)] ^= 1 << bit,
            Self::Set(at, byte) => bytes[at.index(length)] = *byte,
            Self::Insert(at, new) => {
                let at = at.index(length);
                bytes.splice(at..at, new.iter().copied());
            }
            Self::Remove(at, count) => {
                bytes.drain(run(at.index(length), *count));
            }
            Self::Copy(from, to, count) => {
                let copied = bytes[run(from.index(length), *count)].to_vec();
                let to = to.index(length);
                bytes.splice(to..to, copied);
            }
            Self::Truncate(at) => bytes.truncate(at.index(length)),
        }
    }
}

fn damages() -> impl Strategy<Value = Vec<Damage>> {
    let at = || any::<Index>();
    // Bytes that mean something here: tags, lengths at their limits, ends of varints.
    let significant =
        prop::sample::select(vec![0, 1, 2, 7, 8, 0x0a, 0x0b, 0x0c, 0x12, 0x7f, 0x80, 0xff]);
    let damage = prop_oneof![
        4 => (at(), 0..8_u8).prop_map(|(at, bit)| Damage::Flip(at, bit)),
        4 => (at(), significant).prop_map(|(at, byte)| Damage::Set(at, byte)),
        2 => (at(), any::<u8>()).prop_map(|(at, byte)| Damage::Set(at, byte)),
        2 => (at(), prop::collection::vec(any::<u8>(), 1..12)).prop_map(|(a, n)| Damage::Insert(a, n)),
        2 => (at(), 1..24_usize).prop_map(|(at, count)| Damage::Remove(at, count)),
        2 => (at(), at(), 1..64_usize).prop_map(|(f, t, count)| Damage::Copy(f, t, count)),
        1 => at().prop_map(Damage::Truncate),
    ];
    prop::collection::vec(damage, 1..6)
}

fn cases(cases: u32) -> ProptestConfig {
    ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() }
}

proptest! {
    #![proptest_config(cases(4000))]

    #[test]
    fn a_damaged_sampler_is_read_or_refused(damages in damages()) {
        let mut bytes = sampler();
        damages.iter().for_each(|damage| damage.apply(&mut bytes));
        check(&bytes);
    }

    #[test]
    fn any_bytes_are_read_or_refused(bytes in prop::collection::vec(any::<u8>(), 0..200)) {
        check(&bytes);
        check(&msg().bytes(7, &bytes).0);
        check(&model(msg().msg(1, Msg(bytes.clone())).msg(5, Msg(bytes))).0);
    }
}

#[test]
fn damaged_fixtures_are_read_or_refused() {
    let files = small_fixtures();
    let strategy = (any::<Index>(), damages());
    let mut runner = proptest::test_runner::TestRunner::new(cases(1500));
    let outcome = runner.run(&strategy, |(file, damages)| {
        let mut bytes = file.get(&files).clone();
        damages.iter().for_each(|damage| damage.apply(&mut bytes));
        check(&bytes);
        Ok(())
    });
    outcome.expect("no damage breaks the reader");
}

#[test]
fn the_sampler_is_whole() {
    let model = calipers_formats::read(sampler(), "sampler.onnx").expect("a model");
    assert_eq!(model.graphs().len(), 5);
    assert_eq!(model.unknown_fields.len(), 1);
    check(&sampler());
}

#[test]
fn every_truncation_of_a_small_model() {
    let whole = sampler();
    for length in 0..whole.len() {
        check(&whole[..length]);
    }
    for bytes in small_fixtures().iter().filter(|bytes| bytes.len() <= 512) {
        for length in 0..bytes.len() {
            check(&bytes[..length]);
        }
    }
}

#[test]
fn every_byte_of_a_small_model_changed() {
    let whole = sampler();
    for at in 0..whole.len() {
        for byte in [0, 0x7f, 0x80, 0xff, whole[at] ^ 1, whole[at] ^ 7, whole[at].wrapping_add(1)] {
            let mut bytes = whole.clone();
            bytes[at] = byte;
            check(&bytes);
        }
    }
}

#[test]
fn fixtures_whole_and_cut() {
    for (path, bytes) in fixtures() {
        let read = calipers_formats::open(&path);
        assert!(read.is_ok() || path.components().any(|part| part.as_os_str() == "hostile"));
        for part in 0..8 {
            check(&bytes[..bytes.len() * part / 8]);
        }
    }
}
