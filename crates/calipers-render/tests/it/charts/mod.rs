//! Charts of models and of odd reports: nothing overlaps, nothing is cut off, and names stay text.

mod layout;
mod models;
mod odd;
mod pixels;
mod small;

/// The tests of these modules.
pub(crate) fn tests() -> [calipers_testkit::Suite; 4] {
    [models::tests(), odd::tests(), pixels::tests(), small::tests()]
}
