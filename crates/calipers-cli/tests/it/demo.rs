//! `calipers demo`.

use calipers_samples::digits;
use serde_json::Value;

use super::{calipers, finish, run, run_in};

calipers_testkit::tests! {
    test: [
        it_needs_nothing,
        it_leaves_the_model_and_its_report,
        a_place_that_cannot_be_written_is_an_error,
        it_heeds_color,
    ];
}

fn it_needs_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let text = run_in(folder.path(), &["demo"]).succeeded();
    // 208 + 32 + 3,216 + 64 + 7,850 parameters, see the sample.
    assert!(text.contains("11,370"), "{text}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "it leaves nothing behind");
}

fn it_leaves_the_model_and_its_report() {
    let folder = tempfile::tempdir().unwrap();
    let shown = run_in(folder.path(), &["demo"]).succeeded();
    let run = run_in(folder.path(), &["demo", "-o", "new/demo"]);
    assert_eq!((run.status, run.stdout), (Some(0), shown));
    assert_eq!(
        run.stderr,
        "Wrote model.onnx, report.json, report.html and README.md to new/demo\n"
    );

    let place = folder.path().join("new/demo");
    assert!(std::fs::read(place.join("model.onnx")).unwrap() == digits());
    let json = std::fs::read_to_string(place.join("report.json")).unwrap();
    let report: Value = serde_json::from_str(&json).unwrap();
    assert_eq!(report["parameters"]["total"], digits::PARAMETERS);
    assert_eq!(report["graph"]["nodes"], digits::SAMPLE.nodes);

    // Again, into the folder that is there now, and by the other command.
    assert_eq!(run_in(folder.path(), &["demo", "-o", "new/demo"]).status, Some(0));
    let inspected = run_in(&place, &["model.onnx", "--format", "json"]).succeeded();
    assert_eq!(inspected, json);
    run_in(&place, &["report", "model.onnx", "-o", "again.html"]).succeeded();
    let page = |name: &str| std::fs::read_to_string(place.join(name)).unwrap();
    assert!(page("again.html") == page("report.html"));
    let card = page("README.md");
    assert!(card.contains("## How to use"), "{card}");
    assert!(place.join("assets/operators-dark.svg").is_file());
}

fn a_place_that_cannot_be_written_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("file"), "").unwrap();
    for place in ["file", "file/below"] {
        let message = run_in(folder.path(), &["demo", "-o", place]).failed(2);
        assert!(message.starts_with(&format!("error: cannot write {place}: ")), "{message}");
    }
}

fn it_heeds_color() {
    assert!(run(&["demo", "--color", "always"]).succeeded().contains('\x1b'));
    assert!(run(&["--color", "always", "demo"]).succeeded().contains('\x1b'));
    let mut quiet = calipers(&["demo"]);
    quiet.env("CLICOLOR_FORCE", "1").env("NO_COLOR", "1");
    assert!(!finish(&mut quiet).succeeded().contains('\x1b'));
}
