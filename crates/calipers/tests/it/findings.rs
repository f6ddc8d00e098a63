//! Every finding that real models raise. The snapshots were read line by line: each finding is true
//! of its model. A change here is a claim about a model, and has to be checked as one.

use std::fmt::Write as _;

use calipers_report::Severity;
use calipers_testkit::{Corpus, Outcome};

use crate::support;

calipers_testkit::tests! {
    test: [findings_are_sorted_and_unique];
    each_corpus: [every_finding_is_reviewed, known_networks_raise_no_warning];
}

/// The findings of every model, a line each, with the nodes concerned.
fn every_finding_is_reviewed(corpus: &Corpus) -> Outcome {
    let mut text = String::new();
    for path in corpus.models() {
        let report = support::report(&path).unwrap();
        let file = path.file_name().unwrap().to_string_lossy();
        writeln!(text, "{file}").unwrap();
        for finding in &report.findings {
            let severity = format!("{:?}", finding.severity).to_lowercase();
            writeln!(text, "  {severity} {}: {}", finding.id, finding.detail).unwrap();
            if !finding.nodes.is_empty() {
                let first: Vec<&str> = finding.nodes.iter().take(3).map(String::as_str).collect();
                writeln!(text, "    {}", first.join(", ")).unwrap();
            }
        }
    }
    insta::assert_snapshot!(corpus.name(), text);
    Ok(())
}

/// The same model gives the same findings, in the same order, each rule at most once.
fn findings_are_sorted_and_unique() {
    let rules: Vec<String> = calipers::rules().into_iter().map(|rule| rule.id).collect();
    for path in Corpus::repository().models() {
        let report = support::report(&path).unwrap();
        let place = |id: &String| rules.iter().position(|rule| rule == id).unwrap();
        let keys: Vec<(Severity, usize)> =
            report.findings.iter().map(|finding| (finding.severity, place(&finding.id))).collect();
        assert!(keys.windows(2).all(|pair| pair[0] < pair[1]), "{}: {keys:?}", path.display());
    }
}

/// Known networks raise no warning, except that their weights are missing.
fn known_networks_raise_no_warning(corpus: &Corpus) -> Outcome {
    let known = ["resnet", "mobilenet", "convnext", "bert_tiny_cls", "yolo", "llama"];
    let mut seen = 0;
    for path in corpus.models() {
        let file = path.file_name().unwrap().to_string_lossy().into_owned();
        if !known.iter().any(|name| file.contains(name)) {
            continue;
        }
        seen += 1;
        for finding in support::report(&path).unwrap().findings {
            let note = finding.severity == Severity::Info;
            // A quantized MobileNet with one scale a tensor is the textbook's bad example.
            let true_of_some = ["external-data-missing", "depthwise-per-tensor"];
            assert!(note || true_of_some.contains(&finding.id.as_str()), "{file}: {finding:?}");
        }
    }
    assert!(seen >= 9, "only {seen} models");
    Ok(())
}
