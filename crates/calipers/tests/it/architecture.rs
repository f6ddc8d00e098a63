//! What models are, against labels that people wrote.
use calipers_report::{
    Confidence, Family, ModelKind, NormKind, Report, Scheme, SkipKind, Style, TaskKind,
};
use calipers_testkit::{Corpus, Outcome, score};
use serde_json::Value;

use crate::support;

calipers_testkit::tests! {
    test: [an_empty_file_is_unknown];
    each_corpus: [labels_are_right, no_false_alarms, hostile_files_have_no_sure_family];
    extended: [documented_models_are_right];
}

/// Where the report says what a label names.
fn found<'a>(report: &'a Value, field: &str) -> &'a Value {
    match field {
        "kind" | "style" | "family" => &report["architecture"][field],
        "task" => &report["task"]["kind"],
        "quantization" => &report["quantization"]["scheme"],
        _ => &report["architecture"]["facts"][field],
    }
}

/// Whether a figure is the label's; a label may allow several words, parted by `|`.
fn agrees(label: &Value, found: &Value) -> bool {
    match (label, found) {
        (Value::String(label), Value::String(found)) => label.split('|').any(|word| word == found),
        _ => label == found,
    }
}

/// Every field of every label.
fn labels_are_right(corpus: &Corpus) -> Outcome {
    let (mut right, mut all, mut sure) = (0, 0, 0);
    let mut missed = Vec::new();
    for label in corpus.labels() {
        let report = serde_json::to_value(support::report(&label.model).unwrap()).unwrap();
        for (field, wanted) in label.fields.as_object().unwrap() {
            let found = found(&report, field);
            all += 1;
            if agrees(wanted, found) {
                right += 1;
                continue;
            }
            let confidence = match field.as_str() {
                "kind" | "style" | "family" => &report["architecture"]["confidence"],
                "task" => &report["task"]["confidence"],
                _ => &Value::Null,
            };
            let wrong = !found.is_null() && confidence == "high";
            sure += usize::from(wrong);
            let how = if wrong { " with high confidence" } else { "" };
            missed.push(format!("{}: {field} is {wanted}, found {found}{how}", label.name));
        }
    }
    score(format!(
        "labels, {}: {right} of {all} fields, {sure} wrong with high confidence",
        corpus.name()
    ));
    assert!(right * 100 >= all * 97, "fewer than 97 % of the labels\n{}", missed.join("\n"));
    assert_eq!(sure, 0, "wrong with high confidence\n{}", missed.join("\n"));
    Ok(())
}

/// What a correct card says of one model.
type Correction = (&'static str, fn(&Report) -> bool);

/// Kind, layers, heads, residuals, norms, activations and task of models whose published cards
/// were checked by executing them.
fn documented_models_are_right(corpus: &Corpus) -> Outcome {
    let models: &[(&str, &[Correction])] = &[
        (
            "all-minilm-l6-v2",
            &[
                ("a sentence encoder", |r| {
                    is(r, "transformer", "bert") && does(r, "text-embedding")
                }),
                ("6 layers", |r| r.architecture.facts.layers == Some(6)),
                ("dynamic int8", |r| r.quantization.scheme.id() == "dynamic-int8"),
                ("36 quantized products", |r| r.quantization.contractions_quantized == 36),
                ("12 residual additions", |r| r.architecture.facts.residuals == Some(12)),
                ("no cache", |r| r.architecture.facts.kv_cache == Some(false)),
            ],
        ),
        (
            "e5-small-v2",
            &[
                ("a sentence encoder", |r| {
                    is(r, "transformer", "bert") && does(r, "text-embedding")
                }),
                ("12 layers", |r| r.architecture.facts.layers == Some(12)),
                ("dynamic int8", |r| r.quantization.scheme.id() == "dynamic-int8"),
                ("72 quantized products", |r| r.quantization.contractions_quantized == 72),
                ("24 residual additions", |r| r.architecture.facts.residuals == Some(24)),
            ],
        ),
        ("bert-squad-tf2onnx", BERT_SQUAD),
        ("bert-squad-torch", BERT_SQUAD),
        (
            "yolov8l-nc1",
            &[
                ("a convolutional detector", |r| {
                    is(r, "cnn", "yolov8") && does(r, "object-detection")
                }),
                ("one class", |r| r.task.classes == Some(1)),
                ("18 residual additions", |r| r.architecture.facts.residuals == Some(18)),
                ("97 SiLUs", |r| r.architecture.facts.silu == Some(97)),
                ("no gates", |r| {
                    r.architecture.skips.iter().all(|skip| skip.kind != SkipKind::Gate)
                }),
                ("norms were folded", |r| r.architecture.facts.batchnorm_folded == Some(true)),
                ("three scales", |r| r.architecture.facts.strides == Some(vec![8, 16, 32])),
                ("8,400 places", |r| r.architecture.facts.positions == Some(8400)),
                ("no cache", |r| r.architecture.facts.kv_cache == Some(false)),
                ("no attention", |r| r.architecture.facts.heads.is_none()),
            ],
        ),
        (
            "mnist-8",
            &[
                ("a convolutional network", |r| is(r, "cnn", "lenet")),
                ("of digits", |r| does(r, "image-classification") && r.task.classes == Some(10)),
                ("two convolutions", |r| r.architecture.facts.convs == Some(2)),
                ("no residual additions", |r| r.architecture.facts.residuals == Some(0)),
            ],
        ),
    ];
    let mut wrong = Vec::new();
    for (name, corrections) in models {
        let report = support::report(&corpus.model(name).unwrap()).unwrap();
        let missed = corrections.iter().filter(|(_, holds)| !holds(&report));
        wrong.extend(missed.map(|(what, _)| format!("{name}: {what}")));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

const BERT_SQUAD: &[Correction] = &[
    ("a BERT encoder", |r| is(r, "transformer", "bert")),
    ("answers questions", |r| does(r, "question-answering") && r.task.classes.is_none()),
    ("12 layers", |r| r.architecture.facts.layers == Some(12)),
    ("12 heads of 64", |r| {
        (r.architecture.facts.heads, r.architecture.facts.head_dim) == (Some(12), Some(64))
    }),
    ("hidden 768", |r| r.architecture.facts.hidden == Some(768)),
    ("feed-forward 3,072", |r| r.architecture.facts.ffn == Some(3072)),
    ("24 residual additions", |r| r.architecture.facts.residuals == Some(24)),
    ("no other skips", |r| r.architecture.skips.is_empty()),
    ("25 LayerNorms", |r| r.architecture.facts.norm.get(&NormKind::LayerNorm) == Some(&25)),
    ("no cache", |r| r.architecture.facts.kv_cache == Some(false)),
    ("73 weighted products, or 74 with segments by product", |r| {
        (73..=74).contains(&r.quantization.contractions)
    }),
    ("one sentence", |r| {
        let figures = "12 layers, hidden size 768, 12 heads of 64, feed-forward size 3,072, GELU";
        let words = &r.architecture.words;
        words.starts_with("BERT-base encoder for question answering: ") && words.contains(figures)
    }),
];

fn is(report: &Report, kind: &str, family: &str) -> bool {
    let what = &report.architecture;
    (what.kind.map(ModelKind::id), what.family.map(Family::id)) == (Some(kind), Some(family))
}

fn does(report: &Report, task: &str) -> bool {
    report.task.kind.id() == task
}

/// Nothing is recognized in any model that the model does not have.
fn no_false_alarms(corpus: &Corpus) -> Outcome {
    let models = corpus.models();
    let mut wrong = Vec::new();
    for path in &models {
        let report = support::report(path).unwrap();
        let name = path.file_stem().unwrap().to_string_lossy().into_owned();
        wrong.extend(false_alarms(&report).into_iter().map(|what| format!("{name}: {what}")));
    }
    let (alarms, looked) = (wrong.len(), models.len());
    score(format!("false alarms, {}: {alarms} in {looked} models", corpus.name()));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

fn false_alarms(report: &Report) -> Vec<&'static str> {
    let what = &report.architecture;
    let facts = &what.facts;
    let kind = what.kind.map_or("", ModelKind::id);
    let block = |kind: &str| what.blocks.iter().any(|block| block.kind.id() == kind);
    let attends = facts.heads.is_some() || block("Attention");
    let cached = facts.kv_cache == Some(true);
    let checks = [
        ("attention in a convolutional network", kind == "cnn" && attends),
        ("attention in a recurrent network", kind == "rnn" && attends),
        ("a cache where nothing decodes", cached && what.style != Some(Style::Decoder)),
        ("gates", what.skips.iter().any(|skip| skip.kind == SkipKind::Gate)),
        ("subtracted skips", what.skips.iter().any(|skip| skip.kind == SkipKind::Subtraction)),
        ("dense units in a transformer", kind == "transformer" && block("DenseLayer")),
        ("concatenations in a transformer", kind == "transformer" && !what.skips.is_empty()),
        ("squeeze-and-excite in a transformer", kind == "transformer" && block("SqueezeExcite")),
        ("SiLUs without SiLU", facts.silu.is_some() && !block("SiLU")),
        ("rotation without attention", facts.rope == Some(true) && !attends),
        ("a family without a kind", what.family.is_some() && what.kind.is_none()),
        ("a kind without evidence", what.kind.is_some() && what.evidence.is_empty()),
        ("a kind without a sentence", what.kind.is_some() && what.words.is_empty()),
        ("a task without evidence", report.task.evidence.is_empty()),
        ("experts", facts.experts.is_some()),
        ("trees in a network", facts.trees.is_some() && kind != "tree-ensemble"),
        (
            "hundreds of classes of a detector that has few",
            report.task.kind == TaskKind::ObjectDetection && report.task.classes > Some(100),
        ),
    ];
    checks.into_iter().filter(|(_, seen)| *seen).map(|(what, _)| what).collect()
}

fn an_empty_file_is_unknown() {
    let empty = calipers::Model::read(vec![0x3a, 0x00], "empty.onnx").unwrap();
    let report = crate::support::analyze(&empty);
    assert_eq!((report.architecture.kind, report.architecture.family), (None, None));
    assert_eq!(report.architecture.words, "");
    assert_eq!((report.task.kind, report.quantization.scheme), (TaskKind::Unknown, Scheme::None));
}

fn hostile_files_have_no_sure_family(corpus: &Corpus) -> Outcome {
    for path in corpus.hostile() {
        let Ok(report) = support::report(&path) else { continue };
        let what = &report.architecture;
        assert!(what.family.is_none() || what.kind.is_some(), "{}", path.display());
        // A chain of linear layers is an MLP; anything more specific needs a real network.
        let is_specific = what.family.is_some_and(|family| family != Family::Mlp);
        let sure = is_specific && what.confidence == Confidence::High;
        let copy = path.file_name().unwrap().to_string_lossy().contains("bitflipped");
        assert!(!sure || copy, "{} is a {:?}", path.display(), what.family);
    }
    Ok(())
}
