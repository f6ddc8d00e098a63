//! Keeps a template from growing texts without end.
//!
//! Steps are bounded by the engine, but one that doubles a text is a single step, and thirty of
//! them fill any memory. So `~` is not taken, nor `+` but beside a number; filters that make long
//! texts of short ones give up at a limit; and whatever is written counts, captured or not.

use std::fmt::{self, Write as _};

use minijinja::value::{Value, ValueKind};
use minijinja::{Environment, Error, ErrorKind, State};

use super::MOST_BYTES;

/// Bytes that one text may have.
const MOST_OF_ONE: usize = 8 << 20;

/// Bytes that a template itself may have.
const MOST_SOURCE: usize = 1 << 20;

/// Looks through a template's source: what joins texts is refused, with its line. Tells how long
/// its longest plain text is, in bytes, where it captures what it writes.
pub(super) fn check(source: &str) -> Result<Option<u64>, String> {
    if source.len() > MOST_SOURCE {
        return Err("the template is longer than 1 MiB".to_owned());
    }
    let (mut longest, mut captures) = (0, false);
    let mut rest = source;
    while let Some((plain, opened)) = rest.split_once('{') {
        longest = longest.max(plain.len());
        let (inside, after) = match opened.as_bytes().first() {
            Some(b'#') => ("", opened.split_once("#}").map_or("", |(_, after)| after)),
            Some(b'{') => tag(&opened[1..], "}}"),
            Some(b'%') => tag(&opened[1..], "%}"),
            _ => ("", opened),
        };
        let line = || 1 + source[..source.len() - opened.len()].matches('\n').count();
        if let Some(sign) = joining(inside) {
            return Err(format!(
                "texts are not joined by `{sign}` but written one after another, as in {{{{ a }}}}{{{{ b }}}}, \
                 in line {}",
                line()
            ));
        }
        let words = inside.trim_start_matches(['-', '+']).trim_start();
        let is_block = opened.starts_with('%');
        // `{% set a %}` captures, `{% set a = 1 %}` does not.
        let unquoted = words.split(['"', '\'']).next().unwrap_or_default();
        let sets = words.starts_with("set") && !unquoted.contains('=');
        captures |= is_block && (words.starts_with("filter") || sets);
        rest = after;
        if is_block && words.starts_with("raw") {
            let end = rest.find("endraw").unwrap_or(rest.len());
            longest = longest.max(end);
            rest = &rest[end..];
        }
    }
    longest = longest.max(rest.len());
    Ok(captures.then_some(longest as u64))
}

/// What stands in a tag, and what follows it. Its end is not looked for in quotes.
fn tag<'s>(text: &'s str, end: &str) -> (&'s str, &'s str) {
    let mut quote = None;
    let mut escaped = false;
    for (at, letter) in text.char_indices() {
        match quote {
            Some(_) if escaped => escaped = false,
            Some(_) if letter == '\\' => escaped = true,
            Some(open) if letter == open => quote = None,
            Some(_) => {}
            None if text[at..].starts_with(end) => return (&text[..at], &text[at + end.len()..]),
            None if matches!(letter, '"' | '\'') => quote = Some(letter),
            None => {}
        }
    }
    (text, "")
}

/// A sign in an expression that may join two texts.
fn joining(inside: &str) -> Option<char> {
    // Signs at the ends of a tag are about white space.
    let inside = inside.trim_matches(['-', '+']);
    let mut bare = String::with_capacity(inside.len());
    let mut rest = inside;
    while let Some(at) = rest.find(['"', '\'']) {
        bare.push_str(&rest[..at]);
        // A quoted text stands as a letter: it is no number.
        bare.push('q');
        let (_, after) = quoted(&rest[at..]);
        rest = after;
    }
    bare.push_str(rest);
    if bare.contains('~') {
        return Some('~');
    }
    for (at, _) in bare.match_indices('+') {
        let before = bare[..at].trim_end();
        let digits = before.trim_end_matches(|c: char| c.is_ascii_digit() || c == '.');
        let name = digits.ends_with(|c: char| c.is_alphanumeric() || matches!(c, '_' | ')' | ']'));
        let number_before = digits.len() < before.len() && !name;
        let number_after = bare[at + 1..].trim_start().starts_with(|c: char| c.is_ascii_digit());
        if !number_before && !number_after {
            return Some('+');
        }
    }
    None
}

/// A quoted text at the start, and what follows it.
fn quoted(text: &str) -> (&str, &str) {
    let open = text.chars().next();
    let mut escaped = false;
    for (at, letter) in text.char_indices().skip(1) {
        match letter {
            _ if escaped => escaped = false,
            '\\' => escaped = true,
            _ if Some(letter) == open => return text.split_at(at + letter.len_utf8()),
            _ => {}
        }
    }
    (text, "")
}

/// Filters that make long texts of short ones, with an end to it. Those whose length is an argument
/// are left out; figures have filters of their own.
pub(super) fn bound_filters(environment: &mut Environment<'_>) {
    for name in ["format", "indent", "pprint"] {
        environment.remove_filter(name);
    }
    environment.add_filter("string", |value: Value| text(&value));
    environment.add_filter("join", |list: Value, between: Option<String>| join(&list, between));
    environment.add_filter("replace", |whole: Value, from: String, to: String| {
        replace(&text(&whole)?, &from, &to)
    });
    for (name, set) in [
        ("upper", str::to_uppercase as fn(&str) -> String),
        ("lower", str::to_lowercase),
        ("trim", |text| text.trim().to_owned()),
    ] {
        environment.add_filter(name, move |value: Value| text(&value).map(|text| set(&text)));
    }
}

fn join(list: &Value, between: Option<String>) -> Result<String, Error> {
    let between = between.unwrap_or_default();
    let mut joined = Limited(String::new());
    for (i, item) in list.try_iter()?.enumerate() {
        let gap = if i > 0 { between.as_str() } else { "" };
        write!(joined, "{gap}{item}").map_err(|_| too_long())?;
    }
    Ok(joined.0)
}

fn replace(whole: &str, from: &str, to: &str) -> Result<String, Error> {
    let times = whole.matches(from).count();
    match times.checked_mul(to.len()).and_then(|grown| grown.checked_add(whole.len())) {
        Some(most) if most <= MOST_OF_ONE => Ok(whole.replace(from, to)),
        _ => Err(too_long()),
    }
}

/// A value as text, up to a limit: lists of lists may be short to write and endless to read.
pub(super) fn text(value: &Value) -> Result<String, Error> {
    if value.kind() == ValueKind::String {
        return Ok(value.to_string());
    }
    let mut limited = Limited(String::new());
    write!(limited, "{value}").map_err(|_| too_long())?;
    Ok(limited.0)
}

fn too_long() -> Error {
    Error::new(ErrorKind::InvalidOperation, "a text grows beyond 8 MiB")
}

/// A text that takes no more than the limit.
struct Limited(String);

impl fmt::Write for Limited {
    fn write_str(&mut self, more: &str) -> fmt::Result {
        if self.0.len() + more.len() > MOST_OF_ONE {
            return Err(fmt::Error);
        }
        self.0.push_str(more);
        Ok(())
    }
}

/// Counts what is about to be written, into the page or into what is captured.
pub(super) fn count(state: &mut State<'_, '_>, bytes: usize) -> Result<(), Error> {
    const WRITTEN: &str = "written";
    let before = state.get_temp(WRITTEN).and_then(|bytes| bytes.as_usize()).unwrap_or(0);
    let all = before.saturating_add(bytes);
    state.set_temp(WRITTEN, Value::from(all));
    if all > MOST_BYTES {
        return Err(Error::new(ErrorKind::WriteFailure, "the template writes more than 64 MiB"));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn signs_that_join_texts_are_seen_and_others_are_not() {
        for source in [
            "a + b ~ c {# a ~ b #} {{ 'a ~ b' }} {{ n + 1 }} {{ 1 + n }}",
            "{%- set n = n + 1 +%} {{ '}}' }} ~",
            "{% raw %}{{ a ~ b }}{% endraw %}",
            "{{ \"it's ~\" }}",
        ] {
            assert!(check(source).is_ok(), "{source}");
        }
        for source in
            ["{{ a ~ b }}", "{{ a+b }}", "{{ x1 + y }}", "{{ 'a' + 'b' }}", "{{ a[1] + b }}"]
        {
            assert!(check(source).is_err(), "{source}");
        }
        assert!(check("one\n{{ a ~ b }}").unwrap_err().ends_with("in line 2"));
    }

    #[test]
    fn plain_text_counts_where_it_is_captured() {
        assert_eq!(check("12345{{ a }}"), Ok(None));
        assert_eq!(check("12345{% set a %}1{% endset %}"), Ok(Some(5)));
    }
}
