//! Files that are read in ranges, as those of servers: the same report, or the same error, as on the whole file.

use calipers::{Model, Options};
use calipers_formats::ranges::RangedBytes;
use calipers_ir::Source;
use calipers_testkit::{Corpus, Outcome, score};

calipers_testkit::tests! {
    each_corpus: [ranges_change_no_report];
}

fn ranges_change_no_report(corpus: &Corpus) -> Outcome {
    let paths: Vec<_> = corpus.models().into_iter().chain(corpus.hostile()).collect();
    let mut wrong = Vec::new();
    for path in &paths {
        let name = path.file_name().unwrap().to_string_lossy();
        let bytes = std::fs::read(path).unwrap();
        // Known starts end inside of fields, so that every file is read at several offsets.
        let known = bytes[..bytes.len() / 3].to_vec();
        let ranged = RangedBytes::with_start(bytes.clone(), known);
        let ranged = Model::read_source(Source::new(ranged), &name, None);
        if described(ranged) != described(Model::read(bytes, &name)) {
            wrong.push(name.into_owned());
        }
    }
    score(format!(
        "read in ranges, {}: {} of {} files as whole ones",
        corpus.name(),
        paths.len() - wrong.len(),
        paths.len()
    ));
    assert!(!paths.is_empty(), "no files found");
    assert!(wrong.is_empty(), "{}", wrong.join(", "));
    Ok(())
}

/// The report, or the error, as text.
fn described(model: Result<Model, calipers::Error>) -> String {
    let report = model.and_then(|model| model.analyze(&Options::new()));
    report
        .map_or_else(|error| error.to_string(), |report| calipers_render::json::to_string(&report))
}
