//! The indefinite article of a noun.

/// Returns the noun with `a` or `an` before it, by its pronunciation.
///
/// ```
/// use calipers_report::with_article;
///
/// assert_eq!(with_article("ResNet-50 backbone"), "a ResNet-50 backbone");
/// assert_eq!(with_article("EfficientNet-B0 backbone"), "an EfficientNet-B0 backbone");
/// ```
pub fn with_article(noun: &str) -> String {
    let first = noun.split([' ', '-']).next().unwrap_or_default();
    let is_capital = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit();
    let capitals = first.chars().take_while(|c| is_capital(*c)).count();
    // Letters before a word are spelled out too: an MPNet, an mBART.
    let before_a_word = capitals > 2 && capitals < first.len() || first.starts_with("mB");
    let spelled_out = first.len() > 1 && (capitals == first.len() || before_a_word);
    // Letters that are named with a vowel first: an LSTM, an FCN, an SVM.
    let vowel = if spelled_out && !is_pronounced_as_a_word(first) {
        first.starts_with(['m', 'A', 'E', 'F', 'H', 'I', 'L', 'M', 'N', 'O', 'R', 'S', 'X'])
    } else {
        let lower = noun.to_lowercase();
        lower.starts_with(['a', 'e', 'i', 'o', 'u'])
            && !lower.starts_with("uni")
            && !lower.starts_with("u-")
    };
    format!("{} {noun}", if vowel { "an" } else { "a" })
}

/// Names in capitals that are pronounced as words.
fn is_pronounced_as_a_word(name: &str) -> bool {
    const WORDS: &[&str] = &[
        "BART", "BERT", "BLOOM", "CLIP", "DETR", "ELECTRA", "ALBERT", "FCOS", "MOBILE", "NASNet",
        "YOLO", "YOLOS", "YOLOX", "YOLO11",
    ];
    WORDS.contains(&name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn articles_follow_the_sound() {
        for (noun, text) in [
            ("LSTM classifier", "an LSTM classifier"),
            ("BERT encoder", "a BERT encoder"),
            ("image classifier", "an image classifier"),
            ("U-Net", "a U-Net"),
            ("mBART encoder-decoder", "an mBART encoder-decoder"),
            ("MPNet encoder", "an MPNet encoder"),
            ("RoBERTa encoder", "a RoBERTa encoder"),
            ("ResNet", "a ResNet"),
            ("NASNet", "a NASNet"),
            ("YOLOv8 object detector", "a YOLOv8 object detector"),
            ("int4 Llama text generator", "an int4 Llama text generator"),
        ] {
            assert_eq!(with_article(noun), text);
        }
    }
}
