//! Reports survive their own JSON.

use calipers::{Bindings, HardwareQuery, Model, Report};
use calipers_testkit::{Corpus, Outcome};

use crate::support::analyze_for;

calipers_testkit::tests! {
    each_corpus: [reports_read_back_as_they_were_written];
}

fn reports_read_back_as_they_were_written(corpus: &Corpus) -> Outcome {
    let device = calipers_perf::devices::find("l4").unwrap().clone();
    let question = HardwareQuery { device: Some(device), ..HardwareQuery::default() };
    for path in corpus.models() {
        if path.metadata().unwrap().len() > 2_000_000 {
            continue;
        }
        let model = Model::open(&path).unwrap();
        let report = analyze_for(&model, &Bindings::default(), &question).unwrap();
        let json = serde_json::to_string(&report).unwrap();
        let back: Report = serde_json::from_str(&json).unwrap();
        // Without the texts, which have many thousands of characters.
        assert!(back == report, "{}", path.display());
        assert!(serde_json::to_string(&back).unwrap() == json, "{}", path.display());
    }
    Ok(())
}
