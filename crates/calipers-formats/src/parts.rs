//! Names of the parts that a large model is split into: `model-00001-of-00003.safetensors`.

/// The place of a file in a set.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Part<'a> {
    before: &'a str,
    /// The number of the part, from 1.
    pub(crate) number: u32,
    /// How many parts there are.
    pub(crate) count: u32,
    digits: usize,
    extension: &'a str,
}

impl<'a> Part<'a> {
    /// The part that a file name states; `None` where it states none.
    pub(crate) fn parse(name: &'a str) -> Option<Self> {
        let (stem, extension) = name.rsplit_once('.')?;
        let (rest, count) = stem.rsplit_once("-of-")?;
        let (before, number) = rest.rsplit_once('-')?;
        let digits = number.len();
        let is_number =
            |text: &str| text.len() == digits && text.bytes().all(|b| b.is_ascii_digit());
        if !is_number(number) || !is_number(count) {
            return None;
        }
        let part = Self {
            before,
            number: number.parse().ok()?,
            count: count.parse().ok()?,
            digits,
            extension,
        };
        (1..=part.count).contains(&part.number).then_some(part)
    }

    /// The name of another part of the set.
    pub(crate) fn name_of(&self, number: u32) -> String {
        let Self { before, count, digits, extension, .. } = self;
        format!("{before}-{number:0digits$}-of-{count:0digits$}.{extension}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_named_by_number() {
        let part = Part::parse("llama-3-8b-00002-of-00004.gguf").expect("a part");
        assert_eq!((part.number, part.count), (2, 4));
        assert_eq!(part.name_of(3), "llama-3-8b-00003-of-00004.gguf");
        for name in [
            "model.safetensors",
            "a-00005-of-00004.gguf",
            "a-00000-of-00004.gguf",
            "a-1-of-02.gguf",
            "a-+1-of-02.gguf",
            "a-99999999999-of-99999999999.gguf",
            "-of-.gguf",
        ] {
            assert_eq!(Part::parse(name), None, "{name}");
        }
    }
}
