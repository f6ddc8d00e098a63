//! Whether a run fits in the memory of this machine.
//!
//! A system that overcommits memory ends a process that takes too much. An error before the run says
//! what to do.

use calipers_infer::Typed;
use calipers_ir::Model;
use calipers_measure::assume;
use calipers_measure::memory::{self, Size};
use calipers_report::units;

use crate::Error;

/// Checks that weights and activations at these sizes fit in memory. Sizes that are not known, and
/// systems that do not report their memory, pass.
///
/// # Errors
///
/// [`Error::Request`] with both sizes.
pub(crate) fn check(model: &Model, typed: &Typed) -> Result<(), Error> {
    match available() {
        Some(available) => compare(needed(model, typed), available),
        None => Ok(()),
    }
}

fn compare(needed: u64, available: u64) -> Result<(), Error> {
    match needed > available {
        true => Err(Error::Request(format!(
            "the model needs about {} of memory at these sizes, and {} are available; set smaller ones with --batches, --dim or --input",
            units::bytes(needed),
            units::bytes(available)
        ))),
        false => Ok(()),
    }
}

/// Bytes of the weights and of the activations that are alive at the same time.
fn needed(model: &Model, typed: &Typed) -> u64 {
    let sizes = assume::Sizes::new();
    // What is not known counts as nothing: the check must not refuse what may fit.
    let size = |value| match memory::size(typed.fact(value), &sizes) {
        Size::Unknown(_) => Size::Uncounted,
        known => known,
    };
    let weights = model.tensors().filter_map(|(_, tensor)| tensor.bytes());
    let weights = weights.fold(0_u64, u64::saturating_add);
    memory::peak(model, &size).unwrap_or(0).saturating_add(weights)
}

/// Bytes that a process can take.
fn available() -> Option<u64> {
    parse(&std::fs::read_to_string("/proc/meminfo").ok()?)
}

/// Parses `/proc/meminfo`: free memory, what can be freed, and swap.
fn parse(text: &str) -> Option<u64> {
    let swap = bytes_of(text, "SwapFree:").unwrap_or(0);
    Some(bytes_of(text, "MemAvailable:")?.saturating_add(swap))
}

/// The bytes that a line of a file under `/proc` states in kB, by the start of the line.
pub(crate) fn bytes_of(text: &str, name: &str) -> Option<u64> {
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    let kilobytes: u64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    kilobytes.checked_mul(1024)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_of_linux_is_read() {
        let text = "MemTotal: 900 kB\nMemFree: 10 kB\nMemAvailable:   600 kB\nSwapFree: 100 kB\n";
        assert_eq!(parse(text), Some(700 * 1024));
        assert_eq!(parse("MemTotal: 900 kB\n"), None);
    }

    #[test]
    fn what_does_not_fit_is_an_error_with_both_sizes() {
        assert!(compare(1000, 1000).is_ok());
        let error = compare(16_000_000_000, 8_000_000_000).unwrap_err().to_string();
        assert!(error.contains("16.00 GB") && error.contains("8.00 GB"), "{error}");
        assert!(error.contains("--batches"), "{error}");
    }
}
