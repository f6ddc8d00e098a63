//! What is wrong with a device file, and where.

use std::fmt;

use calipers_report::{DeviceClass, Evidence, suggestions};

/// A place in a text, both numbers from 1; columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The line.
    pub line: usize,
    /// The character in it.
    pub column: usize,
}

impl Place {
    /// Returns the place of a byte; one past the end is the end.
    pub(in crate::devices) fn at_byte(text: &str, byte: usize) -> Self {
        let before = text.get(..byte).unwrap_or(text);
        let line = before.rsplit('\n').next().unwrap_or_default();
        Self { line: before.matches('\n').count() + 1, column: line.chars().count() + 1 }
    }
}

/// The reason that a device file cannot be used: `line 3, column 1: unknown field "memroy_gb" in device "x"`.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct DeviceFileError {
    /// The place, where one is known.
    pub place: Option<Place>,
    /// The `id` of the device at fault, where it has one.
    pub device: Option<String>,
    /// What is wrong.
    pub fault: Box<Fault>,
}

/// What is wrong with a device file.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[non_exhaustive]
pub enum Fault {
    /// The file cannot be read; the reason.
    #[error("{0}")]
    Unreadable(String),
    /// More bytes than a device file may have.
    #[error("the file has more than {most} bytes")]
    TooLarge {
        /// The most it may have.
        most: u64,
    },
    /// Not UTF-8.
    #[error("the file is not UTF-8 text")]
    NotText,
    /// Not TOML; the parser's reason.
    #[error("this is not TOML: {0}")]
    Syntax(String),
    /// No `[[device]]` in it.
    #[error("the file holds no device")]
    Empty,
    /// A field that devices do not have.
    #[error("unknown field {field:?}")]
    UnknownField {
        /// Its name.
        field: String,
        /// The field that was probably meant.
        near: Option<String>,
    },
    /// A mandatory field is missing.
    #[error("the field \"{0}\" is missing")]
    MissingField(&'static str),
    /// A value of the wrong type.
    #[error("\"{field}\" must be {expected}, not {found}")]
    WrongType {
        /// The field.
        field: String,
        /// What belongs there, with its article.
        expected: String,
        /// What is written there.
        found: String,
    },
    /// A value that cannot be represented.
    #[error("\"{field}\" is {value}: {why}")]
    Invalid {
        /// The field.
        field: String,
        /// As it is written.
        value: String,
        /// The parser's reason.
        why: String,
    },
    /// A figure that no device has: negative, zero, infinite, not a number, or far too large.
    #[error("\"{field}\" is {value}, and must be above 0 and at most {most}")]
    OutOfRange {
        /// The field.
        field: String,
        /// As it is written.
        value: String,
        /// The unit that the field is in.
        unit: &'static str,
        /// The largest figure that is accepted.
        most: f64,
    },
    /// A text that is empty, too long, or not of the letters that belong there.
    #[error("\"{field}\" must be {expected}")]
    BadText {
        /// The field.
        field: &'static str,
        /// What belongs there.
        expected: &'static str,
    },
    /// A word that is not among those to choose from.
    #[error("unknown {field} {word:?}")]
    UnknownWord {
        /// The field.
        field: &'static str,
        /// The word.
        word: String,
    },
    /// An `id` that two devices have.
    #[error("this id is already on line {},", first.line)]
    Duplicate {
        /// The place of the first.
        first: Place,
    },
    /// A peak that is about twice units × clock × rate.
    #[error(
        "the {} peak of {stated} looks sparse, or accumulated in fewer bits: \
         units × clock × rate is {derived:.4}",
        precision.id()
    )]
    LooksSparse {
        /// The precision.
        precision: crate::devices::Precision,
        /// As stated, in tera.
        stated: f64,
        /// As derived, in tera.
        derived: f64,
    },
    /// Memory of its own and an on-chip rule exclude each other.
    #[error("\"memory_gb\" and \"on_chip\" exclude each other")]
    TwoMemories,
}

/// The ids of a closed set, as a list.
fn ids<T: Copy>(all: &[T], id: fn(T) -> &'static str) -> String {
    all.iter().map(|value| id(*value)).collect::<Vec<_>>().join(", ")
}

impl DeviceFileError {
    /// Returns what the reader can do about it.
    pub fn hint(&self) -> Option<String> {
        Some(match &*self.fault {
            Fault::UnknownField { near: Some(near), .. } => format!("did you mean \"{near}\"?"),
            Fault::Empty => "each device is a stanza that begins with [[device]]".to_owned(),
            Fault::OutOfRange { unit, .. } => format!("the figure is in {unit}"),
            Fault::UnknownWord { field: "class", .. } => {
                format!("there are {}", ids(DeviceClass::ALL, DeviceClass::id))
            }
            Fault::UnknownWord { field: "evidence", word } => {
                let known = Evidence::ALL.iter().map(|evidence| evidence.id());
                match suggestions::nearest(word, known) {
                    Some(near) => format!("did you mean \"{near}\"?"),
                    None => format!("there are {}", ids(Evidence::ALL, Evidence::id)),
                }
            }
            Fault::Invalid { .. } => "write a number that fits 64 bits".to_owned(),
            Fault::MissingField("source") => "say where the figures are from".to_owned(),
            Fault::MissingField("derivation") => {
                "an estimate states its arithmetic: cores x lanes x clock".to_owned()
            }
            Fault::MissingField("evidence") => {
                format!("it is one of {}", ids(Evidence::ALL, Evidence::id))
            }
            Fault::LooksSparse { .. } => {
                "only dense peaks with fp32 accumulation belong here; if it \
                is one, say dense_checked = true"
                    .to_owned()
            }
            Fault::TwoMemories => "leave out one of them".to_owned(),
            _ => return None,
        })
    }
}

impl fmt::Display for DeviceFileError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(Place { line, column }) = self.place {
            write!(f, "line {line}, column {column}: ")?;
        }
        write!(f, "{}", self.fault)?;
        match &self.device {
            Some(id) => write!(f, " in device {:?}", suggestions::shortened(id)),
            None => Ok(()),
        }
    }
}

impl std::error::Error for DeviceFileError {}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_lines_and_characters_from_one() {
        let text = "ab\nüx\n";
        for (byte, line, column) in [(0, 1, 1), (2, 1, 3), (3, 2, 1), (5, 2, 2), (99, 3, 1)] {
            assert_eq!(Place::at_byte(text, byte), Place { line, column }, "byte {byte}");
        }
    }
}
