//! Names and secrets in what is printed without a report: messages, paths and progress.
//!
//! Texts of a model are safe when they come here, because the report shows only what its options
//! allow. Paths of models are names too, and no report knows them.

use std::borrow::Cow;
use std::path::Path;
use std::sync::OnceLock;

use calipers::secrets;

use crate::{remote, system};

/// Which names and secrets may be printed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Privacy {
    pub(crate) redact_names: bool,
    pub(crate) show_secrets: bool,
}

impl Privacy {
    /// What the arguments of the command ask for. They are looked at before they are parsed: a
    /// message about wrong arguments must hold to it too.
    fn of_process() -> Self {
        static PRIVACY: OnceLock<Privacy> = OnceLock::new();
        *PRIVACY.get_or_init(|| {
            let is_given =
                |option: &str| system::arguments().iter().any(|argument| argument == option);
            Self {
                redact_names: is_given("--redact-names"),
                show_secrets: is_given("--show-secrets"),
            }
        })
    }

    /// A path of a model, or a text that may have one, with its secrets masked.
    pub(crate) fn mask(self, text: &str) -> Cow<'_, str> {
        if self.show_secrets { Cow::Borrowed(text) } else { secrets::mask(text) }
    }
}

/// The path of a model for a message: `file` with `--redact-names`.
pub(crate) fn model_path(path: &Path) -> String {
    match Privacy::of_process().redact_names {
        true => "file".to_owned(),
        false => match remote::address(path) {
            Some(address) => remote::shown(address),
            None => path.display().to_string(),
        },
    }
}

/// Whether messages may name files.
pub(crate) fn may_name_files() -> bool {
    !Privacy::of_process().redact_names
}

/// A text for a message, with its secrets masked.
pub(crate) fn masked(text: &str) -> Cow<'_, str> {
    Privacy::of_process().mask(text)
}
