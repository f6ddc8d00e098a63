//! Configurations as JSON, as Python writes it, within a budget of memory.

use serde_json::Value;

/// Bytes that the parsed form of a configuration may take.
const MAX_MEMORY: usize = 48 << 20;

/// Parses a configuration.
///
/// # Errors
///
/// What is wrong with it.
pub(super) fn parse(text: &[u8]) -> Result<Value, String> {
    // What each character may take once it is parsed: maps and lists are allocated with some places.
    let parsed = |byte: &u8| match byte {
        b'{' => 700,
        b'[' => 160,
        b',' => 100,
        b':' => 40,
        _ => 1,
    };
    let memory = text.iter().map(parsed).fold(0_usize, usize::saturating_add);
    if memory > MAX_MEMORY {
        return Err("the configuration is larger than that of any model".to_owned());
    }
    let parsed = match serde_json::from_slice(text) {
        Err(_) if has_python_numbers(text) => serde_json::from_slice(&without_python_numbers(text)),
        parsed => parsed,
    };
    parsed.map_err(|error| format!("the configuration is not JSON: {error}"))
}

/// Numbers that Python writes, and JSON does not have.
const PYTHON_NUMBERS: [&[u8]; 3] = [b"-Infinity", b"Infinity", b"NaN"];

fn has_python_numbers(text: &[u8]) -> bool {
    [&b"Infinity"[..], b"NaN"].iter().any(|it| text.windows(it.len()).any(|at| at == *it))
}

/// The text with `null` in place of each such number outside of strings.
fn without_python_numbers(text: &[u8]) -> Vec<u8> {
    let mut replaced = Vec::with_capacity(text.len());
    let mut rest = text;
    let (mut in_string, mut is_escaped) = (false, false);
    while let Some((first, after)) = rest.split_first() {
        let number = PYTHON_NUMBERS.iter().find(|number| !in_string && rest.starts_with(number));
        if let Some(number) = number {
            replaced.extend_from_slice(b"null");
            rest = rest.get(number.len()..).unwrap_or_default();
            continue;
        }
        if *first == b'"' && !is_escaped {
            in_string = !in_string;
        }
        is_escaped = in_string && *first == b'\\' && !is_escaped;
        replaced.push(*first);
        rest = after;
    }
    replaced
}

/// What a configuration states, by name.
#[derive(Clone, Copy, Debug)]
pub(super) struct Config<'c>(pub(super) &'c Value);

impl<'c> Config<'c> {
    pub(super) fn get(self, name: &str) -> Option<&'c Value> {
        self.0.get(name).filter(|value| !value.is_null())
    }

    /// The value of the first of these names that is there: versions differ in them.
    pub(super) fn any(self, names: &[&str]) -> Option<&'c Value> {
        names.iter().find_map(|name| self.get(name))
    }

    pub(super) fn text(self, name: &str) -> &'c str {
        self.get(name).and_then(Value::as_str).unwrap_or_default()
    }

    pub(super) fn int(self, name: &str) -> Option<i64> {
        self.get(name).and_then(whole)
    }

    pub(super) fn float(self, name: &str) -> Option<f64> {
        self.get(name).and_then(number)
    }

    /// A truth value; some versions write numbers.
    pub(super) fn flag(self, name: &str, default: bool) -> bool {
        match self.get(name) {
            Some(Value::Bool(value)) => *value,
            Some(Value::Number(value)) => value.as_f64() != Some(0.0),
            _ => default,
        }
    }

    /// Numbers, or one number for all of `count`.
    pub(super) fn ints(self, names: &[&str], count: usize) -> Option<Vec<i64>> {
        match self.any(names)? {
            Value::Array(values) => {
                let values: Option<Vec<i64>> = values.iter().map(whole).collect();
                values.filter(|values| values.len() == count)
            }
            value => Some(vec![whole(value)?; count]),
        }
    }

    /// The name of a function: of an activation, perhaps with settings of its own.
    pub(super) fn function(self, name: &str) -> &'c str {
        match self.get(name) {
            Some(Value::String(text)) => text,
            Some(object @ Value::Object(_)) => {
                let object = Config(object);
                match object.get("config") {
                    Some(Value::String(text)) => text,
                    _ => object.text("class_name"),
                }
            }
            _ => "",
        }
    }
}

/// A whole number, perhaps written as a float, or alone in a list.
pub(super) fn whole(value: &Value) -> Option<i64> {
    match value {
        Value::Number(number) => number.as_i64().or_else(|| {
            let float = number.as_f64()?;
            // Exact up to 2^53, and no size of a layer is larger.
            #[expect(clippy::cast_possible_truncation, reason = "the range is checked")]
            (float.fract() == 0.0 && float.abs() < 9e15).then_some(float as i64)
        }),
        Value::Array(values) if values.len() == 1 => whole(values.first()?),
        _ => None,
    }
}

/// A number, perhaps alone in a list.
pub(super) fn number(value: &Value) -> Option<f64> {
    match value {
        Value::Number(number) => number.as_f64(),
        Value::Array(values) if values.len() == 1 => number(values.first()?),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_python_are_left_out() {
        let parsed = parse(br#"{"a": Infinity, "b": "NaN", "c": [-Infinity, 1]}"#).unwrap();
        assert_eq!(parsed, serde_json::json!({"a": null, "b": "NaN", "c": [null, 1]}));
        assert!(parse(b"{\"a\": nothing}").is_err());
    }

    #[test]
    fn memory_is_bounded_before_it_is_taken() {
        let objects = "{\"\":0},".repeat(200_000);
        assert!(parse(format!("[{objects}0]").as_bytes()).is_err());
    }
}
