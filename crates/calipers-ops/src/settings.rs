//! Texts that attributes of operators can have, as ONNX and ONNX Runtime define them.
//!
//! A file may write anything there, a secret or a name included. Rules compare and print only texts
//! of this list, so what else a file writes cannot reach an output.

/// Every text that a rule compares with, sorted, and their relatives in the standard.
const SETTINGS: [&str; 70] = [
    "",
    "AVERAGE",
    "BGR",
    "DENSE",
    "Grayscale",
    "LATENT",
    "LEFT",
    "LINEAR",
    "LOGISTIC",
    "MAX",
    "MIN",
    "NONE",
    "NOTSET",
    "None",
    "PER_CHANNEL",
    "PER_TENSOR",
    "POLY",
    "PROBIT",
    "RBF",
    "RGB",
    "RIGHT",
    "SAME_LOWER",
    "SAME_UPPER",
    "SIGMOID",
    "SOFTMAX",
    "SOFTMAX_ZERO",
    "SPARSE",
    "SUM",
    "TO_FLOAT",
    "TO_INT64",
    "TO_STRING",
    "VALID",
    "add",
    "align_corners",
    "asymmetric",
    "avg",
    "bicubic",
    "bidirectional",
    "bilinear",
    "constant",
    "cubic",
    "delta",
    "edge",
    "euclidean",
    "forward",
    "foward",
    "gated",
    "gated_delta",
    "gelu",
    "half_pixel",
    "linear",
    "max",
    "mean",
    "min",
    "mul",
    "nearest",
    "none",
    "not_larger",
    "not_smaller",
    "pytorch_half_pixel",
    "reflect",
    "relu",
    "reverse",
    "segment",
    "sqeuclidean",
    "stretch",
    "sum",
    "swiglu",
    "tf_crop_and_resize",
    "wrap",
];

/// What is in for a text that is not in the list.
pub const UNDEFINED: &str = "(undefined)";

/// The text of an attribute in the spelling of the list; [`UNDEFINED`] where it is not in it.
pub fn setting(text: &[u8]) -> &'static str {
    let known = SETTINGS.binary_search_by(|known| known.as_bytes().cmp(text));
    known.map_or(UNDEFINED, |place| SETTINGS[place])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_is_sorted_and_nothing_else_gets_out() {
        assert!(SETTINGS.is_sorted_by(|a, b| a < b));
        assert_eq!(setting(b"bilinear"), "bilinear");
        assert_eq!(setting(b""), "");
        assert_eq!(setting(b"a secret"), UNDEFINED);
        assert_eq!(setting(b"\xff"), UNDEFINED);
    }

    /// Words that the sources compare texts of attributes with.
    #[test]
    fn every_default_of_a_text_is_in_the_list() {
        let mut open = vec![std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("src")];
        let mut defaults = 0;
        while let Some(path) = open.pop() {
            if path.is_dir() {
                open.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
                continue;
            }
            let source = std::fs::read_to_string(&path).unwrap();
            for (at, _) in source.match_indices("text_or(\"") {
                let words: Vec<&str> = source[at..].split('"').take(4).collect();
                if words[2].trim() == "," {
                    assert_eq!(setting(words[3].as_bytes()), words[3], "{}", path.display());
                    defaults += 1;
                }
            }
        }
        assert!(defaults > 25, "{defaults}");
    }
}
