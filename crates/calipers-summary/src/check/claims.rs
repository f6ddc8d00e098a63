//! Names and plain claims of a sentence: families, operators, kinds of network, and what no report
//! can say.

use std::collections::BTreeSet;

use calipers_report::{
    Activation, AttentionKind, Family, ModelKind, Precision, Report, Severity, Style, TaskKind,
};

use super::super::names;
use super::tokens::{Token, tokens};

/// Words with capitals that are not claim about a model.
const COMMON: &[&str] = &[
    "ai", "api", "byte", "bytes", "calipers", "cpu", "cpus", "findings", "fits", "flop", "flops",
    "gflops", "gmacs", "gpu", "gpus", "i", "id", "io", "it", "json", "kb", "kflops", "kmacs", "kv",
    "mac", "macs", "mb", "gb", "tb", "mflops", "ml", "mmacs", "ms", "onnx", "ram", "tflops", "tl",
    "dr", "tmacs", "us",
];

/// A phrase, and whether a report says the same.
type Claim = (&'static str, fn(&Report) -> bool);

/// Phrases that claim something of the model, and whether the report says it too.
const CLAIMS: &[Claim] = &[
    ("bidirectional", |r| r.architecture.facts.bidirectional == Some(true)),
    ("classifier", |r| classifies(r)),
    ("classifies", |r| classifies(r)),
    ("cnn", |r| convolves(r)),
    ("convolutional", |r| convolves(r)),
    ("cross-attention", |r| r.architecture.facts.cross_attention == Some(true)),
    ("decoder", |r| style(r).is_some_and(Style::has_decoder)),
    ("depthwise", |r| r.architecture.facts.depthwise.is_some_and(|count| count > 0)),
    ("detector", |r| {
        [TaskKind::KeypointDetection, TaskKind::ObjectDetection, TaskKind::TextDetection]
            .contains(&r.task.kind)
    }),
    ("embeds", |r| r.task.kind.is_embedding()),
    ("encoder", |r| style(r).is_some_and(Style::has_encoder) || kind(r, ModelKind::Transformer)),
    ("encoder-decoder", |r| style(r) == Some(Style::EncoderDecoder)),
    ("grouped-query", |r| r.architecture.facts.attention == Some(AttentionKind::GroupedQuery)),
    ("key-value cache", |r| caches(r)),
    ("kv cache", |r| caches(r)),
    ("language model", |r| {
        let texts = [TaskKind::FillMask, TaskKind::ImageTextSimilarity, TaskKind::ImageToText];
        r.task.kind.is_text() || texts.contains(&r.task.kind)
    }),
    ("mixture of experts", |r| r.architecture.facts.experts.is_some()),
    ("mlp", |r| kind(r, ModelKind::Mlp) || kind(r, ModelKind::Mixer)),
    ("multi-query", |r| r.architecture.facts.attention == Some(AttentionKind::MultiQuery)),
    ("object detection", |r| r.task.kind == TaskKind::ObjectDetection),
    ("perceptron", |r| kind(r, ModelKind::Mlp)),
    ("recurrent", |r| kind(r, ModelKind::Rnn)),
    ("rotary", |r| r.architecture.facts.rope == Some(true)),
    ("segmentation", segments),
    ("segments", segments),
    ("speech", |r| r.task.kind.is_audio() || r.task.kind == TaskKind::TextToSpeech),
    ("text generation", |r| r.task.kind == TaskKind::TextGeneration),
    ("transformer", |r| kind(r, ModelKind::Transformer) || kind(r, ModelKind::Hybrid)),
    ("tree ensemble", |r| kind(r, ModelKind::TreeEnsemble)),
];

/// Whether the task is a segmentation.
fn segments(report: &Report) -> bool {
    [TaskKind::ImageSegmentation, TaskKind::InstanceSegmentation].contains(&report.task.kind)
}

/// What no report can know, so that a text which says it made it up.
const NOT_KNOWN: &[&str] = &[
    "accuracy",
    "accurate",
    "approved",
    "benchmark",
    "best-in-class",
    "certified",
    "ethical",
    "fairness",
    "bug-free",
    "commercial",
    "compliant",
    "energy",
    "fine-tuned",
    "guarantee",
    "hallucinat",
    "medical",
    "multilingual",
    "power consumption",
    "real-time",
    "real time",
    "reliable",
    "robust",
    "safe",
    "secure",
    "unbiased",
    "human-level",
    "licen",
    "open source",
    "open-source",
    "outperform",
    "pretrained on",
    "production-ready",
    "production ready",
    "state of the art",
    "state-of-the-art",
    "trained on",
    "training data",
    "trustworthy",
];

/// Words that turn what follows them into its contrary.
const CONTRARY: &[&str] =
    &["cannot", "isn't", "lack", "lacks", "neither", "never", "no", "nor", "not", "without"];
/// Words between such a word and what it denies, at most.
const DENIES: usize = 3;

/// Words for which saying that there are none is a claim.
const NONE: &[Claim] = &[
    ("no errors", |r| count(r, Severity::Error) == 0),
    ("no findings", |r| r.findings.is_empty()),
    ("no issues", |r| count(r, Severity::Error) + count(r, Severity::Warning) == 0),
    ("no problems", |r| count(r, Severity::Error) + count(r, Severity::Warning) == 0),
    ("no findings", |r| r.findings.is_empty()),
    ("no warnings", |r| count(r, Severity::Warning) == 0),
];

fn kind(report: &Report, kind: ModelKind) -> bool {
    report.architecture.kind == Some(kind)
}

fn style(report: &Report) -> Option<Style> {
    report.architecture.style
}

fn classifies(report: &Report) -> bool {
    report.task.kind.is_classification()
        || report.architecture.family == Some(Family::LinearClassifier)
}

fn convolves(report: &Report) -> bool {
    kind(report, ModelKind::Cnn)
        || kind(report, ModelKind::Hybrid)
        || report.architecture.facts.convs.is_some_and(|count| count > 0)
}

fn caches(report: &Report) -> bool {
    report.memory.kv_cache.is_some() || report.architecture.facts.kv_cache == Some(true)
}

fn count(report: &Report, severity: Severity) -> usize {
    report.findings.iter().filter(|finding| finding.severity == severity).count()
}

/// Every word that the report itself says, none of the model's own texts among them.
pub(super) struct Vocabulary {
    words: BTreeSet<String>,
    /// The report's own sentences, in lower case.
    said: String,
}

impl Vocabulary {
    pub(super) fn new(report: &Report) -> Self {
        let scheme = report.quantization.scheme.id();
        let mut said: Vec<&str> = vec![&report.architecture.words, report.task.kind.id(), &scheme];
        let architecture = &report.architecture;
        said.extend(architecture.kind.map(ModelKind::id));
        said.extend(architecture.style.map(Style::id));
        said.extend(architecture.family.map(Family::id));
        said.extend(architecture.variant.as_deref());
        said.extend(architecture.backbone.as_deref());
        let reported = &architecture.facts;
        said.extend(reported.activation.map(Activation::id));
        said.extend(reported.attention.map(AttentionKind::id));
        said.extend(reported.precision.as_deref());
        said.extend(reported.norm.keys().map(|norm| norm.id()));
        said.extend(architecture.blocks.iter().map(|block| block.kind.id()));
        for finding in &report.findings {
            said.extend([finding.title.as_str(), &finding.recommendation]);
        }
        let ports = || report.graph.inputs.iter().chain(&report.graph.outputs);
        let stored = report.parameters.by_dtype.keys().copied();
        let dtypes: Vec<String> = stored
            .chain(report.model.precision)
            .chain(ports().filter_map(|port| port.dtype))
            .map(|dtype| dtype.to_string())
            .collect();
        said.extend(dtypes.iter().map(String::as_str));
        said.extend(ports().filter_map(|port| names::plain(&port.name)));
        said.extend(report.bindings.keys().filter_map(|name| names::plain(name)));
        said.extend(report.graph.operators_total.iter().filter_map(|row| names::operator(&row.op)));
        said.extend(report.parameters.by_op.iter().filter_map(|row| names::operator(&row.op)));
        said.extend(report.memory.kv_cache.iter().map(|cache| cache.dtype.as_str()));
        if let Some(hardware) = &report.hardware {
            said.extend([hardware.precision.id(), &hardware.precision_why]);
            said.extend(
                hardware.device.iter().flat_map(|device| [device.id.as_str(), &device.name]),
            );
            said.extend(hardware.devices.iter().flat_map(|row| [row.id.as_str(), &row.name]));
            said.extend(
                hardware.devices.iter().filter_map(|row| row.computes_in.map(Precision::id)),
            );
            said.extend(hardware.method.iter().map(String::as_str));
        }
        let mut words = BTreeSet::new();
        for text in &said {
            for token in tokens(text) {
                if let Token::Word(word) | Token::Number(word) = token {
                    words.insert(word.to_lowercase());
                    words.extend(word.split(['-', '/']).map(str::to_lowercase));
                }
            }
            words.insert(text.to_lowercase());
        }
        Self { words, said: said.join("\n").to_lowercase() }
    }

    fn has(&self, word: &str) -> bool {
        let known = |word: &str| {
            let lower = word.to_lowercase();
            self.words.contains(&lower) || COMMON.contains(&lower.as_str())
        };
        let bare = word.trim_end_matches("'s").trim_end_matches("’s");
        // Parts of a compound count only where all of them are known: ResNet-50 is not a ResNet.
        known(word)
            || known(bare)
            || bare.strip_suffix('s').is_some_and(known)
            || (word.contains('-')
                && word.split('-').all(|part| known(part) || is_common_word(part)))
    }

    /// Names and claims in a sentence that the report does not hold, and how many were looked up.
    pub(super) fn faults(
        &self,
        sentence: &str,
        report: &Report,
        english: bool,
    ) -> (Vec<(String, &'static str)>, u64) {
        let mut faults = Vec::new();
        let mut looked_up = 0;
        self.names(sentence, english, &mut faults, &mut looked_up);
        let lower = sentence.to_lowercase();
        for family in Family::ALL {
            let (id, display) = (family.id(), family.display_name());
            let shown = [id, display].into_iter().find(|name| {
                let any_case =
                    id.len() >= 6 || id.contains(|c: char| c.is_ascii_digit() || c == '-');
                if any_case && !family.is_common_word() {
                    has_phrase(&lower, &name.to_lowercase())
                } else {
                    *name == display && has_phrase(sentence, name)
                }
            });
            if let Some(name) = shown {
                looked_up += 1;
                let is_it = report.architecture.family == Some(*family);
                if is_it && is_denied(&lower, &name.to_lowercase()) {
                    faults.push((name.to_owned(), "is the family that the report names"));
                }
                if !is_it && !has_phrase(&self.said, &name.to_lowercase()) {
                    faults.push((name.to_owned(), "is not the family that the report names"));
                }
            }
        }
        for (phrase, holds) in CLAIMS {
            if has_phrase(&lower, phrase) {
                looked_up += 1;
                let denied = is_denied(&lower, phrase);
                if holds(report) && denied {
                    faults.push(((*phrase).to_owned(), "is what the report says the model is"));
                }
                if !holds(report) && !denied && !has_phrase(&self.said, phrase) {
                    faults.push(((*phrase).to_owned(), "is not what the report says the model is"));
                }
            }
        }
        for (phrase, holds) in NONE {
            if has_phrase(&lower, phrase) && !holds(report) {
                faults.push(((*phrase).to_owned(), "is not so"));
            }
        }
        for phrase in NOT_KNOWN {
            if lower.contains(phrase) && !self.said.contains(phrase) {
                faults.push(((*phrase).to_owned(), "is nothing that a report can know"));
            }
        }
        (faults, looked_up)
    }

    /// Words that are spelled as names, and must be of the report.
    fn names(
        &self,
        sentence: &str,
        english: bool,
        faults: &mut Vec<(String, &'static str)>,
        looked_up: &mut u64,
    ) {
        let tokens = tokens(sentence);
        let words: Vec<&str> = tokens.iter().filter_map(Token::word).collect();
        let capitals = words.iter().filter(|word| word.starts_with(char::is_uppercase)).count();
        // In a heading, and in languages that write nouns so, a capital means nothing.
        let capitals_count = english && capitals * 2 <= words.len();
        let mut is_first = true;
        for (at, token) in tokens.iter().enumerate() {
            let Token::Word(word) = token else {
                is_first = is_first || token.is_mark(&[':', '"', '“']);
                continue;
            };
            let follows_number = at > 0 && matches!(tokens[at - 1], Token::Number(_));
            let inside = word.chars().skip(1).any(char::is_uppercase);
            let mixed = word.contains(|c: char| c.is_ascii_digit());
            let capital = word.starts_with(char::is_uppercase) && !is_first && capitals_count;
            // Units are looked up with their numbers.
            if (inside || mixed || capital) && !follows_number {
                *looked_up += 1;
                if !self.has(word) {
                    faults.push(((*word).to_owned(), "is a name that the report does not hold"));
                }
            }
            is_first = false;
        }
    }
}

/// Whether a phrase is behind a word that denies it.
fn is_denied(text: &str, phrase: &str) -> bool {
    text.match_indices(phrase).any(|(at, _)| {
        let clause = text[..at].rsplit([',', ';', ':', '(']).next().unwrap_or_default();
        let mut words = clause.split_whitespace().rev().take(DENIES);
        words.any(|word| CONTRARY.contains(&word) || word.ends_with("n't"))
    })
}

/// Parts of compounds that are not names: `batch-bound`, `CPU-friendly`.
fn is_common_word(part: &str) -> bool {
    !part.is_empty() && part.chars().all(|c| c.is_ascii_lowercase()) && part.len() > 2
}

/// Whether a phrase is in a text as words of their own.
pub(super) fn has_phrase(text: &str, phrase: &str) -> bool {
    let joins = |c: char| c.is_alphanumeric() || c == '_';
    text.match_indices(phrase).any(|(at, _)| {
        let before = text[..at].chars().next_back();
        let after = text[at + phrase.len()..].chars().next();
        !before.is_some_and(joins) && !after.is_some_and(|c| joins(c) && c != 's')
    })
}
