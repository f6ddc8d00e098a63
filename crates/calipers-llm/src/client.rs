//! One request, asked again where that may help.

use std::cell::RefCell;
use std::io::ErrorKind;
use std::thread::sleep;
use std::time::{Duration, Instant};

use calipers_summary::check;
use calipers_summary::facts::Fact;
use serde_json::{Value, json};
use ureq::Agent;
use ureq::http::Response;

use crate::prompt::Message;
use crate::{Error, Proxy, Settings};

/// Requests at most, the first included.
const ATTEMPTS: u32 = 3;
/// Bytes of an answer that are read. A summary has a few thousand; a thinking model may say more.
const MOST_BYTES: u64 = 1 << 20;
/// Longest pause that a server may ask for.
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

pub(crate) struct Client<'a> {
    settings: &'a Settings,
    agent: Agent,
    deadline: Instant,
    /// The form of the reply that the server is held to, the strictest first. What it refuses is
    /// left out from then on.
    forms: RefCell<Vec<Option<Value>>>,
}

/// What came of one request that is worth another.
struct Again {
    error: Error,
    /// The pause that the server asks for.
    pause: Option<Duration>,
}

impl<'a> Client<'a> {
    pub(crate) fn new(
        settings: &'a Settings,
        facts: &[Fact],
        deadline: Instant,
    ) -> Result<Self, Error> {
        if settings.key.is_some() && !settings.address.may_carry_a_key() {
            return Err(Error::Unencrypted);
        }
        let proxy = settings.proxy.as_ref().filter(|_| settings.address.may_use_a_proxy());
        let agent = Agent::config_builder()
            // By default the environment names the proxy, which would read key and facts.
            .proxy(proxy.map(Proxy::for_agent).transpose()?)
            // A redirect would carry the facts, and perhaps the key, to a place that nobody named.
            .max_redirects(0)
            .max_redirects_will_error(false)
            .http_status_as_error(false)
            .user_agent(concat!("calipers/", env!("CARGO_PKG_VERSION")))
            .build()
            .new_agent();
        let schema = json!({ "name": "summary", "strict": true, "schema": check::schema(facts) });
        let forms = vec![
            None,
            Some(json!({ "type": "json_object" })),
            Some(json!({ "type": "json_schema", "json_schema": schema })),
        ];
        Ok(Self { settings, agent, deadline, forms: RefCell::new(forms) })
    }

    /// The text that the language model answers with.
    pub(crate) fn ask(&self, messages: &[Message]) -> Result<String, Error> {
        let messages: Vec<Value> = messages
            .iter()
            .map(|message| json!({ "role": message.role, "content": message.content }))
            .collect();
        loop {
            let mut body =
                json!({ "model": self.settings.model, "messages": messages, "stream": false });
            let form = self.forms.borrow().last().cloned().flatten();
            if let Some(form) = &form {
                body["response_format"] = form.clone();
            }
            match self.answered(&body.to_string()) {
                // Servers differ in what they can be held to.
                Err(Error::Status(400 | 422 | 501)) if form.is_some() => {
                    self.forms.borrow_mut().pop();
                }
                result => return result,
            }
        }
    }

    fn answered(&self, body: &str) -> Result<String, Error> {
        let mut pause = self.settings.pause;
        for attempt in 1.. {
            match self.once(body) {
                Ok(answer) => return content(&answer),
                Err(again) if attempt < ATTEMPTS && again.error.is_passing() => {
                    self.wait(again.pause.unwrap_or(pause), again.error)?;
                    pause *= 2;
                }
                Err(again) => return Err(again.error),
            }
        }
        Err(Error::Late)
    }

    /// Waits, unless the time would be over by then.
    fn wait(&self, pause: Duration, error: Error) -> Result<(), Error> {
        if pause > LONGEST_PAUSE || Instant::now() + pause >= self.deadline {
            return Err(error);
        }
        sleep(pause);
        Ok(())
    }

    fn once(&self, body: &str) -> Result<String, Again> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return Err(Again { error: Error::Late, pause: None });
        }
        // One request that hangs leaves time for another.
        let limit = left.min(self.settings.time_limit / 2);
        let mut request = self
            .agent
            .post(self.settings.address.url())
            .config()
            .timeout_global(Some(limit))
            .build()
            .header("Content-Type", "application/json")
            .header("Accept", "application/json");
        if let Some(key) = &self.settings.key {
            request = request.header("Authorization", key.header());
        }
        let plain = |error: ureq::Error| Again { error: named(&error), pause: None };
        let mut response = request.send(body).map_err(plain)?;
        if let Some(again) = refused(&response) {
            return Err(again);
        }
        let read = response.body_mut().with_config().limit(MOST_BYTES).read_to_vec();
        let bytes = read.map_err(plain)?;
        let text = String::from_utf8(bytes);
        text.map_err(|_| Again { error: Error::Malformed("it is not text"), pause: None })
    }
}

/// What a status says, unless it is that all is well.
fn refused<T>(response: &Response<T>) -> Option<Again> {
    let error = match response.status().as_u16() {
        200..=299 => return None,
        status @ 300..=399 => Error::Redirected(status),
        status @ (401 | 403) => Error::Refused(status),
        429 => Error::Busy,
        status => Error::Status(status),
    };
    let after = response.headers().get("Retry-After").and_then(|value| value.to_str().ok());
    let pause = after.and_then(|text| text.trim().parse().ok()).map(Duration::from_secs);
    Some(Again { error, pause })
}

/// An error of the connection in our words: none of theirs, which may hold the address with more in
/// it than should be shown.
fn named(error: &ureq::Error) -> Error {
    match error {
        ureq::Error::Timeout(_) => Error::Late,
        ureq::Error::BodyExceedsLimit(_) => Error::TooLarge,
        ureq::Error::HostNotFound => Error::Unreachable("host not found".to_owned()),
        ureq::Error::ConnectionFailed => Error::Unreachable("nobody answers".to_owned()),
        ureq::Error::Tls(_) | ureq::Error::Rustls(_) => {
            Error::Unreachable("TLS connection failed".to_owned())
        }
        ureq::Error::Io(io) => match io.kind() {
            ErrorKind::TimedOut | ErrorKind::WouldBlock => Error::Late,
            ErrorKind::ConnectionRefused => Error::Unreachable("connection refused".to_owned()),
            _ => Error::Unreachable("connection lost".to_owned()),
        },
        _ => Error::Malformed("it is not an HTTP response"),
    }
}

/// The text in an answer.
fn content(answer: &str) -> Result<String, Error> {
    let answer: Value =
        serde_json::from_str(answer).map_err(|_| Error::Malformed("it is not JSON"))?;
    let content = &answer["choices"][0]["message"]["content"];
    let text = match content {
        Value::String(text) => text.clone(),
        // Some servers give a list of parts.
        Value::Array(parts) => parts.iter().filter_map(|part| part["text"].as_str()).collect(),
        _ => return Err(Error::Malformed("it contains no text")),
    };
    if text.trim().is_empty() { Err(Error::Malformed("its text is empty")) } else { Ok(text) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_text_is_found_or_missed_in_words() {
        let text = |json: &str| content(json);
        assert_eq!(text(r#"{"choices":[{"message":{"content":"a"}}]}"#).as_deref(), Ok("a"));
        let parts =
            r#"{"choices":[{"message":{"content":[{"type":"text","text":"a"},{"text":"b"}]}}]}"#;
        assert_eq!(text(parts).as_deref(), Ok("ab"));
        for wrong in [
            "",
            "<html>",
            "[]",
            "{}",
            r#"{"choices":[]}"#,
            r#"{"choices":[{"message":{"content":" "}}]}"#,
        ] {
            assert!(matches!(text(wrong), Err(Error::Malformed(_))), "{wrong}");
        }
    }
}
