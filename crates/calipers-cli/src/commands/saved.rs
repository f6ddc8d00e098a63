//! Reports that were saved as JSON.

use std::borrow::Cow;

use calipers::secrets;
use calipers_report::{Report, SCHEMA_VERSION};
use serde_json::Value;

/// What to do about a report that cannot be read.
pub(crate) const HINT: &str = "save one with `calipers inspect MODEL -o report.json`";

/// The report in a JSON text, or why there is none. Secrets are masked unless they are wanted.
pub(crate) fn report(json: &[u8], show_secrets: bool) -> Result<Report, String> {
    let mut json: Value =
        serde_json::from_slice(json).map_err(|error| format!("it is not valid JSON: {error}"))?;
    let is_ours = json.pointer("/generator/name").and_then(Value::as_str) == Some("calipers");
    let Some(version) = json.get("schema_version").and_then(Value::as_str).filter(|_| is_ours)
    else {
        return Err("it is JSON, and not a report of Calipers".to_owned());
    };
    let major = |version: &str| version.split('.').next().map(str::to_owned);
    if major(version) != major(SCHEMA_VERSION) {
        let shown: String = version.chars().take(20).collect();
        return Err(format!(
            "it is a report of schema version {shown}, and this version reads {SCHEMA_VERSION}"
        ));
    }
    if !show_secrets {
        mask(&mut json);
    }
    serde_json::from_value(json)
        .map_err(|error| format!("it is not a report of schema {SCHEMA_VERSION}: {error}"))
}

/// Masks secrets in every text of a report: whoever saved it may have shown them.
fn mask(json: &mut Value) {
    let mut left = vec![json];
    while let Some(value) = left.pop() {
        match value {
            Value::String(text) => {
                if let Cow::Owned(masked) = secrets::mask(text) {
                    *text = masked;
                }
            }
            Value::Array(items) => left.extend(items),
            Value::Object(fields) => {
                let has_secret = |name: &String| matches!(secrets::mask(name), Cow::Owned(_));
                if fields.keys().any(has_secret) {
                    let masked = std::mem::take(fields).into_iter();
                    *fields = masked
                        .map(|(name, value)| (secrets::mask(&name).into_owned(), value))
                        .collect();
                }
                left.extend(fields.values_mut());
            }
            _ => {}
        }
    }
}
