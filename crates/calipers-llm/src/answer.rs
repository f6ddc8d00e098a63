//! What a language model wrote, as a title and a text.

use serde_json::Value;

use crate::Error;

/// Letters of a title.
const TITLE: usize = 240;
/// Letters of a text.
const TEXT: usize = 6000;

/// A summary as it came back, not yet believed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Draft {
    pub(crate) title: String,
    /// Paragraphs with an empty line between them.
    pub(crate) text: String,
}

impl Draft {
    /// Reads an answer: the JSON that was asked for, or, of models that do not keep to it, a first
    /// line and the rest.
    pub(crate) fn read(answer: &str) -> Result<Self, Error> {
        let answer = behind_thoughts(answer).trim();
        let (title, text) = match object(answer) {
            Some(pair) => pair,
            None => {
                let (title, text) = answer.split_once('\n').unwrap_or(("", answer));
                (title.to_owned(), text.to_owned())
            }
        };
        let title = one_line(title.trim_start_matches(['#', '*', ' ']).trim_end_matches('*'));
        let text: Vec<String> =
            text.split("\n\n").map(one_line).filter(|paragraph| !paragraph.is_empty()).collect();
        let text = text.join("\n\n");
        if text.is_empty() {
            return Err(Error::Malformed("it contains no summary"));
        }
        if title.chars().count() > TITLE || text.chars().count() > TEXT {
            return Err(Error::TooLarge);
        }
        Ok(Self { title, text })
    }
}

/// Some models think aloud before they answer.
fn behind_thoughts(answer: &str) -> &str {
    answer.rsplit_once("</think>").map_or(answer, |(_, answer)| answer)
}

/// The JSON object in an answer, with or without a fence around it.
fn object(answer: &str) -> Option<(String, String)> {
    let inside = answer.get(answer.find('{')?..=answer.rfind('}')?)?;
    let value: Value = serde_json::from_str(inside).ok()?;
    let title = value["title"].as_str().unwrap_or_default();
    Some((title.to_owned(), value["text"].as_str()?.to_owned()))
}

fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_fenced_json_and_plain_text_are_read() {
        let wanted = Draft { title: "A net".into(), text: "One. Two.\n\nThree.".into() };
        for answer in [
            r#"{"title":"A net","text":"One. Two.\n\nThree."}"#,
            "```json\n{\"title\":\"A net\",\"text\":\"One.\\nTwo.\\n\\nThree.\"}\n```",
            "<think>I could {lie}</think>\n# A net\nOne.\nTwo.\n\nThree.",
        ] {
            assert_eq!(Draft::read(answer), Ok(wanted.clone()), "{answer}");
        }
    }

    #[test]
    fn nothing_and_too_much_are_refused() {
        assert!(Draft::read("").is_err());
        assert_eq!(Draft::read(&"word ".repeat(4000)), Err(Error::TooLarge));
        assert!(Draft::read("}{").is_ok(), "no object, so it is text");
    }
}
