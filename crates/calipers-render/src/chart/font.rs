//! How wide a text is, by the advances of the embedded font.
//!
//! The advances are a table next to the fonts, so that charts without PNG need no font. A reader's
//! machine may show an SVG in another font; [`width`] leaves [`SLACK`] for that.

use std::sync::OnceLock;

use unicode_width::UnicodeWidthChar as _;

use crate::text::{self, Charset};

/// How heavy letters are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Weight {
    Regular,
    SemiBold,
}

/// How much wider than Inter a common font is: DejaVu Sans and Verdana take 6 to 10 % more for
/// names and figures like ours, Roboto, Arial and Segoe UI take less.
const SLACK: f64 = 1.12;

/// Advances of a character that the embedded font lacks, in thousandths: of one column and of two.
/// A text with such a character is set to its width, see `canvas`.
const STRANGE: [u32; 2] = [750, 1100];

/// GraphGroup to keep for a text, in the unit of its size.
pub(super) fn width(text: &str, size: f64, weight: Weight) -> f64 {
    advance(text, size, weight) * SLACK
}

/// The text's own width in the embedded font.
pub(super) fn advance(text: &str, size: f64, weight: Weight) -> f64 {
    let thousandths: u32 = text.chars().map(|c| advance_of(c, weight)).sum();
    f64::from(thousandths) * size / 1000.0
}

/// Whether the embedded font has every character of the text.
pub(super) fn covers(text: &str) -> bool {
    text.chars().all(|c| found(c).is_some())
}

/// A name in at most this width: cleaned, and with an ellipsis for the middle where it is longer.
pub(super) fn fit(raw: &str, group: f64, size: f64, weight: Weight) -> String {
    let clean = text::name(raw, Charset::Unicode);
    if width(&clean, size, weight) <= group {
        return clean;
    }
    // Columns are no pixels: the most columns that fit are between none and all.
    let (mut fits, mut not) = (0, text::width(&clean).max(1));
    while not - fits > 1 {
        let columns = fits.midpoint(not);
        let cut = text::truncate(&clean, columns, Charset::Unicode);
        if width(&cut, size, weight) <= group { fits = columns } else { not = columns }
    }
    text::truncate(&clean, fits, Charset::Unicode)
}

fn advance_of(c: char, weight: Weight) -> u32 {
    match found(c) {
        Some([regular, _]) if weight == Weight::Regular => regular,
        Some([_, heavy]) => heavy,
        None => match c.width().unwrap_or(0) {
            0 => 0,
            1 => STRANGE[0],
            _ => STRANGE[1],
        },
    }
}

fn found(c: char) -> Option<[u32; 2]> {
    let table = table();
    let at = table.binary_search_by_key(&c, |(known, _)| *known).ok()?;
    Some(table[at].1)
}

/// Characters in order, each with its advances.
fn table() -> &'static [(char, [u32; 2])] {
    static TABLE: OnceLock<Vec<(char, [u32; 2])>> = OnceLock::new();
    TABLE.get_or_init(|| include_str!("font/advances.txt").lines().filter_map(entry).collect())
}

fn entry(line: &str) -> Option<(char, [u32; 2])> {
    let mut words = line.split(' ');
    let c = char::from_u32(u32::from_str_radix(words.next()?, 16).ok()?)?;
    Some((c, [words.next()?.parse().ok()?, words.next()?.parse().ok()?]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_table_is_sorted_and_whole() {
        let table = table();
        assert!(table.is_sorted_by(|a, b| a.0 < b.0));
        assert!((' '..='~').chain("…·×≤µ–".chars()).all(|c| found(c).is_some()));
        // One line of the file is a character, but for two remarks.
        assert_eq!(table.len() + 2, include_str!("font/advances.txt").lines().count());
    }

    #[test]
    fn names_are_shortened_in_the_middle() {
        let raw = "encoder.layer.11.attention.output.dense.weight";
        for group in [20.0, 60.0, 120.0, 400.0] {
            let cut = fit(raw, group, 12.0, Weight::Regular);
            assert!(width(&cut, 12.0, Weight::Regular) <= group, "{cut} in {group}");
        }
        assert_eq!(fit(raw, 400.0, 12.0, Weight::Regular), raw);
        let cut = fit(raw, 120.0, 12.0, Weight::Regular);
        assert!(cut.starts_with("encoder") && cut.ends_with("eight") && cut.contains('…'), "{cut}");
        assert!(!fit("\u{202e}a\nb", 200.0, 12.0, Weight::Regular).contains('\u{202e}'));
        assert!(fit(&"x".repeat(1 << 20), 100.0, 12.0, Weight::Regular).len() < 40);
    }
}
