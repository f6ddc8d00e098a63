//! Findings of what readers note: hazards, in models that are put together here.

use calipers_ir::{Format, Hazard, ModelBuilder};
use calipers_report::{Finding, Severity};

use crate::testing::findings;

/// The findings of a PyTorch file with these hazards.
fn raised(hazards: Vec<Hazard>) -> Vec<Finding> {
    let mut builder = ModelBuilder::default();
    builder.header.format = Format::PyTorch;
    builder.header.graph_origin = calipers_ir::GraphOrigin::Absent;
    builder.add_main_graph().unwrap();
    builder.hazards = hazards;
    findings(&builder.finish().unwrap(), None)
}

fn import(module: &str, name: &str, is_dangerous: bool) -> Hazard {
    Hazard::Import { module: module.to_owned(), name: name.to_owned(), is_dangerous }
}

#[test]
fn imports_that_run_code_are_errors_and_others_warnings() {
    assert_eq!(raised(Vec::new()), []);
    let [finding] = &raised(vec![import("posix", "system", true), import("a", "B", false)])[..]
    else {
        panic!("one finding");
    };
    assert_eq!((finding.id.as_str(), finding.severity), ("pickle-imports", Severity::Error));
    assert_eq!(finding.nodes, ["posix.system"]);
    let [finding] = &raised(vec![import("a", "B", false)])[..] else { panic!("one finding") };
    assert_eq!((finding.id.as_str(), finding.severity), ("pickle-imports", Severity::Warning));
}

#[test]
fn each_hazard_has_its_finding() {
    let text = || "x".to_owned();
    for (hazard, id) in [
        (Hazard::BrokenPickle { problem: text() }, "broken-pickle"),
        (Hazard::CallsOut { what: text() }, "calls-out"),
        (Hazard::CodeInLayer { layer: text() }, "code-in-layers"),
        (Hazard::Misstated { what: text() }, "misstated-header"),
    ] {
        let found = raised(vec![hazard]);
        assert_eq!(found.iter().map(|finding| finding.id.as_str()).collect::<Vec<_>>(), [id]);
        assert_eq!(found[0].severity, Severity::Warning);
    }
}

#[test]
fn secrets_in_texts_of_a_file_are_masked() {
    let what = "token=hf_abcdefghijklmnopqrstuvwxyz0123456789".to_owned();
    let found = raised(vec![Hazard::Misstated { what }]);
    assert!(!found[0].detail.contains("hf_abcdefghijklmnop"), "{}", found[0].detail);
}
