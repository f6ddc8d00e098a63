//! Texts as tokens, with the tokenizer next to the model.

use std::path::{Path, PathBuf};

use tokenizers::models::wordpiece::WordPiece;
use tokenizers::normalizers::BertNormalizer;
use tokenizers::pre_tokenizers::bert::BertPreTokenizer;
use tokenizers::processors::bert::BertProcessing;
use tokenizers::{
    PaddingParams, PaddingStrategy, Tokenizer as Inner, TruncationDirection, TruncationParams,
    TruncationStrategy,
};

use super::check_file;
use crate::{Error, Tensor};

/// Bytes of a tokenizer's file at most.
const MOST_BYTES: u64 = 100_000_000;

/// How many tokens a text becomes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Length {
    /// As many as the longest text has, cut at this number.
    AtMost(usize),
    /// This many, padded or cut.
    Fixed(usize),
}

/// A tokenizer, and the file that it is from.
pub struct Tokenizer {
    inner: Inner,
    /// Its file.
    pub path: PathBuf,
}

/// Texts as tensors of one row each, padded to the longest.
#[derive(Clone, Debug, PartialEq)]
pub struct Tokens {
    /// Token ids.
    pub ids: Tensor,
    /// 1 for tokens, 0 for padding.
    pub mask: Tensor,
    /// The segment of each token: 0 for the first text, 1 for the second.
    pub types: Tensor,
    /// Where each token is in its text, in bytes; of the first row.
    pub offsets: Vec<(usize, usize)>,
    /// The tokens of the second text in the first row.
    pub second: std::ops::Range<usize>,
}

impl Tokenizer {
    /// Opens the tokenizer that is named, or `tokenizer.json` or `vocab.txt` in the model's folder
    /// or the one above it.
    ///
    /// # Errors
    ///
    /// [`Error::Request`] if there is none or it cannot be read.
    pub fn open(named: Option<&Path>, model: &Path) -> Result<Self, Error> {
        let path = match named {
            Some(path) => path.to_owned(),
            None => find(model).ok_or_else(|| {
                Error::Request(
                    "the model's folder has no tokenizer.json or vocab.txt: name one with --tokenizer"
                        .to_owned(),
                )
            })?,
        };
        let failed = |why: String| {
            Error::Request(format!("cannot read the tokenizer {}: {why}", path.display()))
        };
        check_file(&path).map_err(failed)?;
        let size = std::fs::metadata(&path).map_or(0, |found| found.len());
        if size > MOST_BYTES {
            return Err(failed(format!("it is larger than {} MB", MOST_BYTES / 1_000_000)));
        }
        let inner = match path.extension().is_some_and(|ending| ending == "txt") {
            true => word_pieces(&path),
            false => Inner::from_file(&path),
        };
        let inner = inner.map_err(|error| {
            failed(format!("{error}; expected a tokenizer.json or a vocab.txt"))
        })?;
        Ok(Self { inner, path })
    }

    /// Encodes texts, or pairs of texts.
    ///
    /// # Errors
    ///
    /// [`Error::Request`] if the tokenizer fails.
    pub fn encode(
        &mut self,
        texts: &[(&str, Option<&str>)],
        length: Length,
    ) -> Result<Tokens, Error> {
        let failed = |error: tokenizers::Error| Error::Request(format!("tokenizer: {error}"));
        let strategy = match texts.iter().any(|(_, second)| second.is_some()) {
            true => TruncationStrategy::OnlySecond,
            false => TruncationStrategy::LongestFirst,
        };
        let truncation = TruncationParams {
            direction: TruncationDirection::Right,
            max_length: match length {
                Length::AtMost(most) | Length::Fixed(most) => most,
            },
            strategy,
            stride: 0,
        };
        self.inner.with_truncation(Some(truncation)).map_err(failed)?;
        let mut padding = self.inner.get_padding().cloned().unwrap_or_default();
        let strategy = match length {
            Length::AtMost(_) => PaddingStrategy::BatchLongest,
            Length::Fixed(size) => PaddingStrategy::Fixed(size),
        };
        padding = PaddingParams { strategy, ..padding };
        self.inner.with_padding(Some(padding));
        let inputs: Vec<tokenizers::EncodeInput<'_>> = texts
            .iter()
            .map(|(first, second)| match second {
                Some(second) => (*first, *second).into(),
                None => (*first).into(),
            })
            .collect();
        let encoded = self.inner.encode_batch(inputs, true).map_err(failed)?;
        let width = encoded.first().map_or(0, |row| row.get_ids().len());
        let shape = vec![encoded.len(), width];
        let tensor = |column: fn(&tokenizers::Encoding) -> &[u32]| {
            let rows = encoded.iter().flat_map(|row| column(row).iter().map(|id| i64::from(*id)));
            Tensor::new(shape.clone(), rows.collect::<Vec<i64>>())
        };
        let first = encoded.first();
        let second = first.and_then(|row| {
            let sequences = row.get_sequence_ids();
            let start = sequences.iter().position(|sequence| *sequence == Some(1))?;
            let end = sequences.iter().rposition(|sequence| *sequence == Some(1))? + 1;
            Some(start..end)
        });
        Ok(Tokens {
            ids: tensor(tokenizers::Encoding::get_ids)?,
            mask: tensor(tokenizers::Encoding::get_attention_mask)?,
            types: tensor(tokenizers::Encoding::get_type_ids)?,
            offsets: first.map(|row| row.get_offsets().to_vec()).unwrap_or_default(),
            second: second.unwrap_or(0..0),
        })
    }

    /// Returns the text of tokens.
    ///
    /// # Errors
    ///
    /// [`Error::Request`] if the tokenizer fails.
    pub fn decode(&self, ids: &[u32]) -> Result<String, Error> {
        let text = self.inner.decode(ids, true);
        text.map_err(|error| Error::Request(format!("tokenizer: {error}")))
    }

    /// The token of a word to fill in, and its id.
    pub fn mask(&self) -> Option<(&'static str, u32)> {
        ["[MASK]", "<mask>"]
            .into_iter()
            .find_map(|name| Some((name, self.inner.token_to_id(name)?)))
    }

    /// Returns the text of one token.
    pub fn token(&self, id: u32) -> Option<String> {
        let text = self.inner.decode(&[id], false).ok().filter(|text| !text.is_empty());
        text.or_else(|| self.inner.id_to_token(id))
    }

    /// Tokens that end a generated text.
    pub fn end_tokens(&self) -> Vec<u32> {
        const NAMES: [&str; 6] =
            ["<|endoftext|>", "</s>", "<|im_end|>", "<|eot_id|>", "<eos>", "<|end_of_text|>"];
        NAMES.iter().filter_map(|name| self.inner.token_to_id(name)).collect()
    }
}

fn find(model: &Path) -> Option<PathBuf> {
    super::beside(model, &["tokenizer.json", "vocab.txt"]).into_iter().next()
}

/// BERT's tokenizer of a list of word pieces. Lower case, unless the list has words in upper case.
fn word_pieces(path: &Path) -> Result<Inner, tokenizers::Error> {
    let words = std::fs::read_to_string(path)?;
    let id = |word: &str| {
        words.lines().position(|line| line.trim_end() == word).and_then(|id| u32::try_from(id).ok())
    };
    let (Some(start), Some(end)) = (id("[CLS]"), id("[SEP]")) else {
        return Err("the list has no [CLS] and [SEP]".into());
    };
    let pad = id("[PAD]").unwrap_or(0);
    let is_cased =
        words.lines().any(|word| word.chars().all(char::is_uppercase) && word.len() == 1);
    let name = path.to_str().ok_or("its name is not UTF-8")?;
    let model = WordPiece::from_file(name).unk_token("[UNK]".to_owned()).build()?;
    let mut inner = Inner::new(model);
    inner.with_normalizer(Some(BertNormalizer::new(true, true, None, !is_cased)));
    inner.with_pre_tokenizer(Some(BertPreTokenizer));
    inner.with_post_processor(Some(BertProcessing::new(
        ("[SEP]".to_owned(), end),
        ("[CLS]".to_owned(), start),
    )));
    inner.with_padding(Some(PaddingParams { pad_id: pad, ..PaddingParams::default() }));
    Ok(inner)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Elements;

    #[test]
    fn a_list_of_word_pieces_is_a_tokenizer() {
        let folder = tempfile::tempdir().unwrap();
        let words = "[PAD]\n[UNK]\n[CLS]\n[SEP]\nhello\nworld\n##s\n";
        std::fs::write(folder.path().join("vocab.txt"), words).unwrap();
        let model = folder.path().join("model.onnx");
        let mut tokenizer = Tokenizer::open(None, &model).unwrap();
        let tokens = tokenizer
            .encode(&[("Hello worlds", None), ("hello", None)], Length::AtMost(9))
            .unwrap();
        assert_eq!(tokens.ids.shape(), [2, 5]);
        assert_eq!(*tokens.ids.elements(), Elements::I64(vec![2, 4, 5, 6, 3, 2, 4, 3, 0, 0]));
        assert_eq!(*tokens.mask.elements(), Elements::I64(vec![1, 1, 1, 1, 1, 1, 1, 1, 0, 0]));
        let pair = tokenizer.encode(&[("hello", Some("worlds"))], Length::AtMost(9)).unwrap();
        assert_eq!(*pair.types.elements(), Elements::I64(vec![0, 0, 0, 1, 1, 1]));
        assert_eq!(pair.second, 3..5);
        assert_eq!(pair.offsets[3..5], [(0, 5), (5, 6)]);
    }

    #[test]
    fn a_wrong_tokenizer_is_an_error() {
        let folder = tempfile::tempdir().unwrap();
        let model = folder.path().join("model.onnx");
        let missing = Tokenizer::open(None, &model).err().unwrap().to_string();
        assert!(missing.contains("--tokenizer"), "{missing}");
        for (name, text) in [("tokenizer.json", "{\"version\": 7"), ("vocab.txt", "a\nb\n")] {
            let path = folder.path().join(name);
            std::fs::write(&path, text).unwrap();
            let error = Tokenizer::open(Some(&path), &model).err().unwrap().to_string();
            assert!(error.starts_with("cannot read the tokenizer"), "{error}");
        }
    }
}
