//! Resident memory of this process.

use calipers_report::BenchmarkMemory;

use crate::available::bytes_of;

/// Memory of this process, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Resident {
    /// All resident bytes.
    pub(super) total: Option<u64>,
    /// Resident bytes that no file backs.
    pub(super) private: Option<u64>,
}

impl Resident {
    /// Reads it; unknown where the system does not report it.
    pub(super) fn now() -> Self {
        std::fs::read_to_string("/proc/self/status")
            .map_or_else(|_| Self::default(), |text| parse(&text))
    }
}

/// Parses `/proc/self/status`.
fn parse(text: &str) -> Resident {
    Resident { total: bytes_of(text, "VmRSS:"), private: bytes_of(text, "RssAnon:") }
}

/// What loading and running a model added.
pub(super) fn added(
    before: Resident,
    after: Resident,
    weights_bytes: Option<u64>,
) -> BenchmarkMemory {
    let added_bytes = match (before.private, after.private) {
        (Some(before), Some(after)) => after.checked_sub(before).filter(|bytes| *bytes > 0),
        _ => None,
    };
    // A runtime that maps the file of the weights has them in no private memory.
    let above = |added: u64, weights: u64| added.checked_sub(weights).unwrap_or(added);
    BenchmarkMemory {
        resident_bytes: after.total,
        added_bytes,
        weights_bytes,
        above_weights_bytes: added_bytes.zip(weights_bytes).map(|(a, w)| above(a, w)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_read_or_unknown() {
        let text = "Name:\tx\nVmHWM:\t  900 kB\nVmRSS:\t  800 kB\nRssAnon:\t  300 kB\n";
        assert_eq!(parse(text), Resident { total: Some(819_200), private: Some(307_200) });
        assert_eq!(parse("Name:\tx\n"), Resident::default());
        let before = Resident { total: Some(500), private: Some(100) };
        let after = Resident { total: Some(900), private: Some(600) };
        let found = added(before, after, Some(300));
        assert_eq!((found.added_bytes, found.above_weights_bytes), (Some(500), Some(200)));
        assert_eq!(added(before, after, Some(800)).above_weights_bytes, Some(500));
        assert_eq!(added(before, Resident::default(), Some(1)).added_bytes, None);
    }
}
