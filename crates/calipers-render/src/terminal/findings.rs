//! What is risky, what was assumed, what is not known.
//!
//! ```text
//!   Findings     ✗ error    A data file is missing
//!                           weights.bin holds 45 tensors and is not there.
//!                           → Put it beside the model.
//! ```

use calipers_report::{Assumption, Finding, Report, Severity};

use super::header::more;
use super::page::{Line, Page, Role};
use super::reasons::Reasons;
use crate::text;

/// Findings that are shown before the rest is folded; they come most severe first.
const FINDINGS: usize = 8;
/// Lines of a finding's title, and of its detail or a remark.
const TITLE_LINES: usize = 3;
const DETAIL_LINES: usize = 8;
/// Lines of a detail where the names concerned are not told either.
const SHORT_LINES: usize = 2;
/// Columns of a severity and the gap after it.
pub(super) const SEVERITY: usize = 11;
/// Nodes that a finding names.
const NODES: usize = 3;
/// Assumptions, or unknown figures, that are shown before the rest is folded.
const REMARKS: usize = 6;

/// What is risky about the model.
pub(super) fn findings(report: &Report, page: &mut Page) {
    let mut findings = report.risks.iter();
    let mut lines: Vec<Line> = findings
        .by_ref()
        .take(FINDINGS)
        // Of a note, what it says is enough here; `calipers check` tells all.
        .flat_map(|finding| set_finding(finding, finding.severity != Severity::Info, page))
        .collect();
    lines.extend(more(findings.len(), "finding", "findings", page));
    page.section("Findings", "", lines);
}

/// Whether a finding that is shown tells of a thing by its name.
pub(super) fn is_in_findings(name: &str, report: &Report) -> bool {
    report.risks.iter().take(FINDINGS).any(|finding| finding.nodes.iter().any(|node| node == name))
}

/// One finding; `full` with the names concerned and what to do.
pub(super) fn set_finding(finding: &Finding, full: bool, page: &Page) -> Vec<Line> {
    let (role, mark, word) = match finding.severity {
        Severity::Error => (Role::Error, page.glyph("✗", "x"), "error"),
        Severity::Warning => (Role::Warning, page.glyph("▲", "!"), "warning"),
        Severity::Info => (Role::Accent, page.glyph("●", "-"), "note"),
    };
    // The text stands beside the severity where that leaves a readable width; elsewhere only its
    // title does, and the rest is indented beneath.
    let indent = if page.body() >= 50 { SEVERITY } else { 2 };
    let width = page.body() - indent;
    let prose = |role, raw: &str| Line::of(role, text::prose(raw, page.charset));
    let wrap = |line: Line, most| line.wrap_within(width, most, page.charset);

    let mut severity = Line::of(role, format!("{mark} {word}"));
    let mut texts = if indent == SEVERITY {
        wrap(prose(Role::Strong, &finding.title), TITLE_LINES)
    } else {
        let title = std::mem::take(&mut severity).and(Role::Plain, " ");
        wrap(title.and_line(prose(Role::Strong, &finding.title)), TITLE_LINES)
    };
    if !finding.detail.trim().is_empty() {
        let most = if full { DETAIL_LINES } else { SHORT_LINES };
        texts.extend(wrap(prose(Role::Plain, &finding.detail), most));
    }
    if full && !finding.nodes.is_empty() {
        texts.extend(wrap(nodes(&finding.nodes, page), DETAIL_LINES));
    }
    if full && !finding.recommendation.trim().is_empty() {
        texts.extend(advice(&finding.recommendation, width, page));
    }
    let hanging = indent != SEVERITY;
    let lines = texts.into_iter().enumerate().map(|(i, text)| {
        let mut line = std::mem::take(&mut severity);
        line.pad_to(if hanging && i == 0 { 0 } else { indent });
        line.and_line(text)
    });
    lines.collect()
}

fn advice(raw: &str, width: usize, page: &Page) -> Vec<Line> {
    let arrow = page.glyph("→ ", "-> ");
    let indent = text::width(arrow);
    let advice = Line::of(Role::Plain, text::prose(raw, page.charset));
    let lines = advice.wrap_within(width - indent, DETAIL_LINES, page.charset);
    let line = |(i, line): (usize, Line)| match i {
        0 => Line::of(Role::Quiet, arrow).and_line(line),
        _ => line.indent(indent),
    };
    lines.into_iter().enumerate().map(line).collect()
}

fn nodes(nodes: &[String], page: &Page) -> Line {
    let most = page.body() / 2;
    let names: Vec<String> = nodes
        .iter()
        .take(NODES)
        .map(|node| text::truncate(&text::name(node, page.charset), most, page.charset))
        .collect();
    let rest = if nodes.len() > NODES { page.glyph(", …", ", ...") } else { "" };
    Line::of(Role::Quiet, format!("in {}{rest}", names.join(", ")))
}

/// What had to be assumed.
pub(super) fn assumptions(report: &Report, page: &mut Page) {
    // What has the same reason is said together.
    let mut groups: Vec<(&str, Vec<&Assumption>)> = vec![];
    for assumption in &report.assumptions {
        match groups.last_mut() {
            Some((why, group)) if *why == assumption.why => group.push(assumption),
            _ => groups.push((&assumption.why, vec![assumption])),
        }
    }
    let mut rest = groups.iter();
    let mut lines = vec![];
    for (why, group) in rest.by_ref().take(REMARKS) {
        let mut line = Line::of(Role::Plain, together(group, page));
        if !why.trim().is_empty() {
            line.push(Role::Quiet, format!(": {}", text::prose(why, page.charset)));
        }
        lines.extend(hang(line, page));
    }
    lines.extend(more(rest.len(), "assumption", "assumptions", page));
    page.section("Assumptions", "", lines);
}

/// Assumptions one after another, each kind of thing named once.
fn together(group: &[&Assumption], page: &Page) -> String {
    let mut kind = "";
    let mut texts = vec![];
    for assumption in group.iter().take(REMARKS * 2) {
        let what = assumption.what.strip_prefix(kind).filter(|_| !kind.is_empty());
        let what = text::prose(what.unwrap_or(&assumption.what), page.charset);
        texts.push(format!("{what} = {}", text::prose(&assumption.value, page.charset)));
        kind = match assumption.what.split_once(' ') {
            Some(("dimension", _)) => "dimension ",
            _ => "",
        };
    }
    if group.len() > texts.len() {
        texts.push(page.charset.ellipsis().to_owned());
    }
    texts.join(", ")
}

/// Figures that are not known and whose reason stands nowhere above.
pub(super) fn unknown(reasons: &Reasons<'_>, page: &mut Page) {
    let groups = reasons.rest();
    let mut rest = groups.iter();
    let mut lines = vec![];
    for (fields, reason) in rest.by_ref().take(REMARKS) {
        let mut names: Vec<String> = fields
            .iter()
            .take(REMARKS)
            .map(|field| {
                text::truncate(&text::name(field, page.charset), page.body(), page.charset)
            })
            .collect();
        if fields.len() > REMARKS {
            names.push(page.charset.ellipsis().to_owned());
        }
        let line = Line::of(Role::Plain, names.join(", "));
        let reason = text::prose(reason, page.charset);
        lines.extend(hang(line.and(Role::Quiet, format!(": {reason}")), page));
    }
    lines.extend(more(rest.len(), "reason", "reasons", page));
    page.section("Unknown", "", lines);
}

/// A paragraph whose later lines are indented.
fn hang(line: Line, page: &Page) -> Vec<Line> {
    let lines = line.wrap_within(page.body() - 2, DETAIL_LINES, page.charset);
    let lines = lines.into_iter().enumerate();
    lines.map(|(i, line)| if i == 0 { line } else { line.indent(2) }).collect()
}
