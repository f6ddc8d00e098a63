//! What is wrong with a device file, and where.

use std::fmt;

use crate::device::{Class, Evidence};
use crate::near;

/// A place in a text, both numbers from 1; columns count characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The line.
    pub line: usize,
    /// The character in it.
    pub column: usize,
}

impl Place {
    /// The place of a byte; one past the end is the end.
    pub(crate) fn of(text: &str, byte: usize) -> Self {
        let before = text.get(..byte).unwrap_or(text);
        let line = before.rsplit('\n').next().unwrap_or_default();
        Self { line: before.matches('\n').count() + 1, column: line.chars().count() + 1 }
    }
}

/// Why a device file cannot be used: `line 3, column 1: unknown field "memroy_gb" in device "x"`.
#[derive(Clone, Debug, PartialEq)]
pub struct DeviceFileError {
    /// Where, as far as there is a place.
    pub place: Option<Place>,
    /// The `id` of the device at fault, as far as it has one.
    pub device: Option<String>,
    /// What is wrong.
    pub fault: Fault,
}

/// What is wrong with a device file.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Fault {
    /// The file cannot be read; the reason.
    Unreadable(String),
    /// More bytes than a device file may have.
    TooLarge {
        /// The most it may have.
        most: u64,
    },
    /// Not UTF-8.
    NotText,
    /// No TOML; the parser's reason.
    Syntax(String),
    /// No `[[device]]` in it.
    Empty,
    /// A field that devices do not have.
    UnknownField {
        /// Its name.
        field: String,
        /// The field that was probably meant.
        near: Option<&'static str>,
    },
    /// A mandatory field is not there.
    MissingField(&'static str),
    /// A value of the wrong type.
    WrongType {
        /// The field.
        field: String,
        /// What belongs there, with its article.
        expected: &'static str,
        /// What stands there.
        found: &'static str,
    },
    /// A figure that no device has: negative, zero, infinite, not a number, or beyond all reason.
    OutOfRange {
        /// The field.
        field: String,
        /// As it is written.
        value: String,
        /// The unit that the field is in.
        unit: &'static str,
        /// The most that is believed.
        most: f64,
    },
    /// A text that is empty, too long, or not of the letters that belong there.
    BadText {
        /// The field.
        field: &'static str,
        /// What belongs there.
        expected: &'static str,
    },
    /// A word that is not among those to choose from.
    UnknownWord {
        /// The field.
        field: &'static str,
        /// The word.
        word: String,
    },
    /// An `id` that stands twice.
    Duplicate {
        /// Where it stood first.
        first: Place,
    },
    /// A peak that is about twice what units × clock × rate gives.
    LooksSparse {
        /// The precision.
        precision: crate::Precision,
        /// As stated, in tera.
        stated: f64,
        /// As derived, in tera.
        derived: f64,
    },
    /// Memory of its own and an on-chip rule exclude each other.
    TwoMemories,
}

impl DeviceFileError {
    /// What the reader can do about it.
    pub fn hint(&self) -> Option<String> {
        Some(match &self.fault {
            Fault::UnknownField { near: Some(near), .. } => format!("did you mean \"{near}\"?"),
            Fault::Empty => "each device is a stanza that begins with [[device]]".to_owned(),
            Fault::OutOfRange { unit, .. } => format!("the figure is in {unit}"),
            Fault::UnknownWord { field: "class", .. } => {
                format!("there are {}", Class::ALL.map(Class::name).join(", "))
            }
            Fault::UnknownWord { field: "evidence", word } => {
                let names = Evidence::ALL.map(Evidence::name);
                match near::nearest(word, names) {
                    Some(near) => format!("did you mean \"{near}\"?"),
                    None => format!("there are {}", names.join(", ")),
                }
            }
            Fault::MissingField("source") => "say where the figures are from".to_owned(),
            Fault::MissingField("derivation") => {
                "an estimate states its arithmetic: cores x lanes x clock".to_owned()
            }
            Fault::MissingField("evidence") => {
                format!("it is one of {}", Evidence::ALL.map(Evidence::name).join(", "))
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
            Some(id) => write!(f, " in device {:?}", near::shortened(id)),
            None => Ok(()),
        }
    }
}

impl std::error::Error for DeviceFileError {}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unreadable(why) => f.write_str(why),
            Self::TooLarge { most } => write!(f, "the file has more than {most} bytes"),
            Self::NotText => f.write_str("the file is not UTF-8 text"),
            Self::Syntax(why) => write!(f, "this is not TOML: {why}"),
            Self::Empty => f.write_str("the file holds no device"),
            Self::UnknownField { field, .. } => write!(f, "unknown field {field:?}"),
            Self::MissingField(field) => write!(f, "the field \"{field}\" is missing"),
            Self::WrongType { field, expected, found } => {
                write!(f, "\"{field}\" must be {expected}, not {found}")
            }
            Self::OutOfRange { field, value, most, .. } => {
                write!(f, "\"{field}\" is {value}, and must be above 0 and at most {most}")
            }
            Self::BadText { field, expected } => write!(f, "\"{field}\" must be {expected}"),
            Self::UnknownWord { field, word } => write!(f, "{word:?} is no {field}"),
            Self::Duplicate { first } => {
                write!(f, "this id stands on line {} already,", first.line)
            }
            Self::LooksSparse { precision, stated, derived } => write!(
                f,
                "the {precision} peak of {stated} looks sparse, or accumulated in fewer bits: \
                 units × clock × rate is {derived:.4}"
            ),
            Self::TwoMemories => f.write_str("\"memory_gb\" and \"on_chip\" exclude each other"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_count_lines_and_characters_from_one() {
        let text = "ab\nüx\n";
        for (byte, line, column) in [(0, 1, 1), (2, 1, 3), (3, 2, 1), (5, 2, 2), (99, 3, 1)] {
            assert_eq!(Place::of(text, byte), Place { line, column }, "byte {byte}");
        }
    }
}
