//! What is risky about the model, and what to do.

use calipers_report::{Finding, Report};

use super::overview;
use crate::markdown::escape::{code, plain, told};
use crate::markdown::findings::shown;
use crate::markdown::page::Page;
use crate::text;

/// Names that a finding gives.
const NAMES: usize = 5;

pub(super) fn write(report: &Report, page: &mut Page) {
    if report.graph.nodes == 0 && report.risks.is_empty() {
        return;
    }
    match overview::counts(report) {
        None => page.text("Nothing was found."),
        Some(counts) => page.text(format!("{counts}.")),
    }
    for finding in &report.risks {
        set(finding, page);
    }
}

fn set(finding: &Finding, page: &mut Page) {
    page.heading(&format!(
        "{}: {}",
        text::capitalised(shown(finding.severity)),
        plain(&finding.title)
    ));
    let mut words = match finding.detail.trim() {
        "" => String::new(),
        detail => told(&text::sentence(detail)),
    };
    let names: Vec<String> = finding.nodes.iter().take(NAMES).map(|name| code(name)).collect();
    if !names.is_empty() {
        let rest = if finding.nodes.len() > NAMES { " and others" } else { "" };
        words += &format!(" In {}{rest}.", names.join(", "));
    }
    page.text(words.trim());
    if !finding.recommendation.trim().is_empty() {
        let advice = told(&text::sentence(&finding.recommendation));
        page.text(format!("**Recommendation:** {advice}"));
    }
}
