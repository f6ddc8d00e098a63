//! Output formats as arguments, and what the name of the output calls for.

use std::path::Path;

use calipers_render::output::{FORMATS, Form, Format, find};
use calipers_render::{markdown, terminal};
use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

use crate::output::Target;

/// Which formats a command offers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Offer {
    /// Those of an answer with tables.
    Tables,
    /// Those of an answer without tables.
    Documents,
    /// Those of findings.
    Findings,
    /// Those of cards: a page of one model, rows of many.
    Cards,
}

impl Offer {
    fn formats(self) -> impl Iterator<Item = &'static Format> {
        FORMATS.iter().copied().filter(move |format| match (self, format.needs) {
            (Self::Cards, Form::Tables) => true,
            (Self::Cards, _) => **format == markdown::FORMAT,
            (_, Form::Data | Form::Documents) => true,
            (_, Form::Tables) => self == Self::Tables,
            (_, Form::Findings) => self == Self::Findings,
        })
    }

    /// Parses the value of `--format`.
    pub(super) fn parser(self) -> impl TypedValueParser<Value = &'static Format> {
        let values =
            self.formats().map(|format| PossibleValue::new(format.id).help(format.description));
        PossibleValuesParser::new(values).map(|id| find(&id).unwrap_or(&terminal::FORMAT))
    }

    /// The format asked for, or the one that the output's name calls for, else text.
    pub(super) fn choose(self, asked: Option<&'static Format>, output: &Target) -> &'static Format {
        asked.or_else(|| self.named(output)).unwrap_or(&terminal::FORMAT)
    }

    /// The format that the output's name calls for.
    pub(super) fn named(self, output: &Target) -> Option<&'static Format> {
        let Target::File(path) = output else { return None };
        self.formats().find(|format| format.extensions.iter().any(|end| ends_in(path, end)))
    }
}

pub(super) fn ends_in(path: &Path, wanted: &str) -> bool {
    path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(wanted))
}
