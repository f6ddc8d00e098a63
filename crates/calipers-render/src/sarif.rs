//! Findings as SARIF 2.1.0, which code-scanning services read.
//!
//! One run of one tool: the rules that spoke, with their help, and a result for each finding, at
//! the model file and at the names concerned.
//! <https://docs.oasis-open.org/sarif/sarif/v2.1.0/sarif-v2.1.0.html>

use std::collections::BTreeSet;

use calipers_report::{Comparison, Finding, FindingRule, FindingTable, Generator, Severity};
use serde_json::{Value, json};

use crate::json;
use crate::output::{Form, Format};
use crate::text;

/// SARIF.
pub const FORMAT: Format = Format {
    id: "sarif",
    extensions: &["sarif"],
    description: "For code scanning: SARIF 2.1.0",
    needs: Form::Findings,
    render: |answer, _| answer.as_sarif(),
};

/// Where the schema of the format is published.
const SCHEMA: &str =
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";

/// Findings as SARIF. `place` is where the model lies, relative to where code is scanned from, with
/// slashes; `rules` documents them.
pub fn findings(table: &FindingTable, rules: &[FindingRule], place: &str) -> String {
    log(&table.findings, rules, place)
}

/// The rule of gates.
const GATE: &str = "gate";

/// New findings and failed gates of a comparison as SARIF, at the second model.
pub fn comparison(comparison: &Comparison, rules: &[FindingRule], place: &str) -> String {
    let gate = FindingRule {
        id: GATE.to_owned(),
        severity: Severity::Error,
        group: "gates".to_owned(),
        title: "Gate failed".to_owned(),
        checks: "A gate of `calipers compare` against the figures of the model.".to_owned(),
        why: "The model exceeds a budget that was set for it.".to_owned(),
        example: "MACs that grew by 10% with the gate `macs <= +5%`.".to_owned(),
        recommendation: "change the model, or the gate".to_owned(),
    };
    let failed = comparison.gates.iter().filter(|gate| !gate.passed).map(|failed| Finding {
        id: GATE.to_owned(),
        severity: Severity::Error,
        title: format!("Gate failed: {}", failed.expression),
        detail: failed.detail.clone(),
        nodes: Vec::new(),
        recommendation: gate.recommendation.clone(),
    });
    let all: Vec<Finding> = failed.chain(comparison.findings.new.iter().cloned()).collect();
    let rules: Vec<FindingRule> =
        std::iter::once(gate.clone()).chain(rules.iter().cloned()).collect();
    log(&all, &rules, place)
}

/// Findings as a log of one run.
fn log(findings: &[Finding], rules: &[FindingRule], place: &str) -> String {
    let spoke = |rule: &&FindingRule| findings.iter().any(|finding| finding.id == rule.id);
    let rules: Vec<&FindingRule> = rules.iter().filter(spoke).collect();
    let uri = uri(place);
    let results: Vec<Value> = findings
        .iter()
        .map(|finding| {
            let index = rules.iter().position(|rule| rule.id == finding.id);
            result(finding, index, &uri)
        })
        .collect();
    let generator = Generator::default();
    json::to_string(&json!({
        "$schema": SCHEMA,
        "version": "2.1.0",
        "runs": [{
            "tool": {
                "driver": {
                    "name": generator.name,
                    "version": generator.version,
                    "semanticVersion": generator.version,
                    "rules": rules.iter().map(|rule| descriptor(rule)).collect::<Vec<_>>(),
                }
            },
            "artifacts": [{ "location": { "uri": uri } }],
            "results": results,
            "columnKind": "unicodeCodePoints",
        }],
    }))
}

fn descriptor(rule: &FindingRule) -> Value {
    let help = format!(
        "{}\n\nWhy it matters: {}\n\nExample: {}\n\nRecommendation: {}",
        rule.checks,
        rule.why,
        rule.example,
        text::sentence(&rule.recommendation)
    );
    json!({
        "id": rule.id,
        "name": camel(&rule.id),
        "shortDescription": { "text": rule.title },
        "fullDescription": { "text": rule.checks },
        "help": { "text": help, "markdown": help },
        "defaultConfiguration": { "level": level(rule.severity) },
        "properties": { "tags": [rule.group] },
    })
}

fn result(finding: &Finding, rule: Option<usize>, uri: &str) -> Value {
    let message = format!(
        "{}: {}. {}",
        finding.title,
        finding.detail,
        text::sentence(&finding.recommendation)
    );
    let mut location = json!({
        "physicalLocation": {
            "artifactLocation": { "uri": uri, "index": 0 },
            // The file has no lines; services that show some need one.
            "region": { "startLine": 1 },
        },
    });
    if !finding.nodes.is_empty() {
        // The schema wants each of them once.
        let names: BTreeSet<String> = finding.nodes.iter().map(|name| text::whole(name)).collect();
        let logical = |name| json!({ "fullyQualifiedName": name });
        location["logicalLocations"] = names.into_iter().map(logical).collect();
    }
    let mut result = json!({
        "ruleId": finding.id,
        "level": level(finding.severity),
        "message": { "text": escaped(&message) },
        "locations": [location],
        "partialFingerprints": { "ruleAndFile/v1": fingerprint(finding, uri) },
    });
    if let Some(index) = rule {
        result["ruleIndex"] = index.into();
    }
    result
}

/// What stays when figures change: a rule speaks once about a file, a gate once by its expression.
fn fingerprint(finding: &Finding, uri: &str) -> String {
    match finding.id.as_str() {
        GATE => format!("{}@{uri}", finding.title),
        id => format!("{id}@{uri}"),
    }
}

fn level(severity: Severity) -> &'static str {
    match severity {
        Severity::Error => "error",
        Severity::Warning => "warning",
        Severity::Info => "note",
    }
}

/// A message in which nothing is a link or a placeholder.
fn escaped(message: &str) -> String {
    let mut safe = String::with_capacity(message.len());
    for c in text::whole(message).chars() {
        match c {
            '{' => safe.push_str("{{"),
            '}' => safe.push_str("}}"),
            '\\' | '[' | ']' => {
                safe.push('\\');
                safe.push(c);
            }
            _ => safe.push(c),
        }
    }
    safe
}

/// A relative place as a reference: what a URI may not hold is written in percents.
fn uri(place: &str) -> String {
    let mut uri = String::with_capacity(place.len());
    for byte in place.bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'.' | b'_' | b'~' | b'/' => {
                uri.push(char::from(byte));
            }
            _ => uri.push_str(&format!("%{byte:02X}")),
        }
    }
    uri
}

/// `graph-cycle` as `GraphCycle`.
fn camel(id: &str) -> String {
    let words = id.split('-').map(|word| {
        let mut letters = word.chars();
        let first = letters.next().map(|letter| letter.to_ascii_uppercase());
        first.into_iter().chain(letters).collect::<String>()
    });
    words.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> (FindingTable, Vec<FindingRule>) {
        let rule = |id: &str, severity| FindingRule {
            id: id.into(),
            severity,
            group: "security".into(),
            title: "Title".into(),
            checks: "What.".into(),
            why: "Why.".into(),
            example: "This.".into(),
            recommendation: "do that".into(),
        };
        let finding = Finding {
            id: "odd-names".into(),
            severity: Severity::Warning,
            title: "Title".into(),
            detail: "1 node, first \"[click](http://evil) {0}\u{1b}[31m\"".into(),
            nodes: vec!["a\u{202e}b".into(), "n".into(), "n".into()],
            recommendation: "do that".into(),
        };
        let table = FindingTable {
            file: "m.onnx".into(),
            errors: 0,
            warnings: 1,
            infos: 0,
            findings: vec![finding],
        };
        (table, vec![rule("graph-cycle", Severity::Error), rule("odd-names", Severity::Warning)])
    }

    /// What the schema of SARIF 2.1.0 requires of the objects that are written here.
    #[test]
    fn every_required_part_is_there() {
        let (table, rules) = sample();
        let text = findings(&table, &rules, "models/my model#1.onnx");
        let log: Value = serde_json::from_str(&text).unwrap();
        assert_eq!(log["version"], "2.1.0");
        let run = &log["runs"][0];
        let driver = &run["tool"]["driver"];
        assert_eq!(driver["name"], "calipers");
        assert_eq!(driver["rules"].as_array().unwrap().len(), 1, "only rules that spoke");
        let rule = &driver["rules"][0];
        assert_eq!((&rule["id"], &rule["name"]), (&json!("odd-names"), &json!("OddNames")));
        for text in ["shortDescription", "fullDescription", "help"] {
            assert!(rule[text]["text"].is_string(), "{text}");
        }
        let result = &run["results"][0];
        assert_eq!(result["ruleIndex"], 0);
        assert_eq!(result["level"], "warning");
        let place = &result["locations"][0]["physicalLocation"]["artifactLocation"];
        assert_eq!(place["uri"], "models/my%20model%231.onnx");
        assert_eq!(run["artifacts"][0]["location"]["uri"], place["uri"]);
        assert!(result["partialFingerprints"].is_object());
    }

    #[test]
    fn a_hostile_name_is_no_link_and_no_placeholder() {
        let (table, rules) = sample();
        let log: Value = serde_json::from_str(&findings(&table, &rules, "m")).unwrap();
        let result = &log["runs"][0]["results"][0];
        let message = result["message"]["text"].as_str().unwrap();
        assert!(message.contains(r"\[click\](http://evil) {{0}}"), "{message}");
        assert!(!message.contains('\u{1b}'));
        let name = &result["locations"][0]["logicalLocations"][0]["fullyQualifiedName"];
        assert_eq!(name, r"a\u{202e}b");
        let names = &result["locations"][0]["logicalLocations"];
        assert_eq!(names.as_array().unwrap().len(), 2, "each name once");
    }
}
