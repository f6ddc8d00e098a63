//! Names of a model in the commands that recommendations print.

use std::fmt::Write;

/// Longest name that is put into a command, in bytes.
const LENGTH: usize = 40;

/// Most words in a name; a longer one could be read as a sentence.
const WORDS: usize = 4;

/// Returns the name if it is safe in a command: an identifier, possibly dotted, that a shell, Python
/// and a reader take for one word. Names come from the file and may be hostile.
pub(crate) fn argument(name: &str) -> Option<&str> {
    let starts = name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_');
    let allowed = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.');
    let words = name.split(['_', '.']).filter(|word| !word.is_empty()).count();
    let is_safe = starts && name.len() <= LENGTH && name.chars().all(allowed) && words <= WORDS;
    is_safe.then_some(name)
}

/// Returns a command of ONNX Runtime that fixes a dynamic dimension.
pub(crate) fn fix_dimension(name: &str, size: i64) -> String {
    format!(
        "python -m onnxruntime.tools.make_dynamic_shape_fixed --dim_param {name} \
         --dim_value {size} in.onnx out.onnx"
    )
}

/// Returns the `--dim` options that set these dimensions.
pub(crate) fn dim_options<'a>(dims: impl IntoIterator<Item = (&'a str, i64)>) -> String {
    dims.into_iter().fold(String::new(), |mut options, (name, size)| {
        let gap = if options.is_empty() { "" } else { " " };
        // Writing to a string cannot fail.
        let _ = write!(options, "{gap}--dim {name}={size}");
        options
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn identifiers_are_arguments_and_hostile_names_are_not() {
        for name in ["batch", "batch_size", "past_key_values.0", "_n", "com.microsoft"] {
            assert_eq!(argument(name), Some(name));
        }
        for name in [
            "",
            "-rf",
            "0day",
            "a b",
            "w$(reboot)",
            "a`b`",
            "a;b",
            "../up",
            "ignore_all_previous_instructions_now",
            "x\u{202e}y",
        ] {
            assert_eq!(argument(name), None, "{name}");
        }
        assert_eq!(argument(&"a".repeat(41)), None);
    }

    #[test]
    fn options_are_separated_by_spaces() {
        assert_eq!(dim_options([("batch", 1), ("length", 128)]), "--dim batch=1 --dim length=128");
        assert!(fix_dimension("batch", 1).contains(" --dim_param batch --dim_value 1 in.onnx"));
    }
}
