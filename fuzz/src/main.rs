//! The fuzz targets of Calipers in one program, which `scripts/fuzz` builds and runs.
//!
//! `FUZZ_TARGET` selects the target. A target is a file under `targets/` and a line in [`TARGETS`].
//! An input fails by a panic, by arithmetic that overflows, by what the sanitizer finds, and by
//! the time and memory that libFuzzer is given.
#![no_main]

mod output;
mod targets;

use std::sync::OnceLock;

use libfuzzer_sys::{fuzz_mutator, fuzz_target, fuzzer_mutate};
use targets::{TARGETS, Target};

/// The target that the environment selects.
fn target() -> &'static Target {
    static CHOSEN: OnceLock<&Target> = OnceLock::new();
    CHOSEN.get_or_init(|| {
        let name = std::env::var("FUZZ_TARGET").unwrap_or_default();
        let names: Vec<&str> = TARGETS.iter().map(|target| target.name).collect();
        let found = TARGETS.iter().find(|target| target.name == name);
        found.unwrap_or_else(|| panic!("set FUZZ_TARGET to one of {}", names.join(", ")))
    })
}

fuzz_target!(|bytes: &[u8]| {
    (target().run)(bytes);
});

// Half of the new inputs of targets that read models are mutants with the structure of a model, the
// other half are libFuzzer's own, which knows the dictionary and the comparisons that failed.
fuzz_mutator!(|data: &mut [u8], size: usize, max_size: usize, seed: u32| {
    if !target().reads_models || seed.is_multiple_of(2) {
        return fuzzer_mutate(data, size, max_size);
    }
    let mutant = calipers_testkit::mutant(&data[..size], u64::from(seed), max_size);
    data[..mutant.len()].copy_from_slice(&mutant);
    mutant.len()
});
