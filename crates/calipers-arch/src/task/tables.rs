//! Tasks on rows of numbers, and those of classical models.
//!
//! | task | evidence |
//! |---|---|
//! | anomaly-detection | an isolation forest, or support vectors of one class |
//! | clustering | the nearest of stored points |
//! | tabular-classification, text-classification | a label comes out, or scores of classes; from text where words are counted |
//! | tabular-regression, text-regression | numbers come out |

use calipers_ir::AttributeValue;
use calipers_ops::Prediction;
use calipers_report::Confidence::{High, Low, Medium};
use calipers_report::{Family, ModelKind, Task, TaskKind};

use super::{Seen, reported};
use crate::descriptions::counted;
use crate::kind::classical::preparation;
use crate::network::{Network, NetworkOp, OpSet, With};
use crate::stats::Given;

/// Operators that give a label.
const CLASSIFIERS: (With, &str) =
    (With(|traits| matches!(traits.prediction, Some(Prediction::Label))), "ZipMap");

/// Operators that give a number.
const REGRESSORS: With = With(|traits| matches!(traits.prediction, Some(Prediction::Number)));

fn units<'n>(net: &'n Network<'_>, set: impl OpSet) -> Vec<&'n NetworkOp> {
    net.all().filter(|unit| unit.is(&set)).collect()
}

/// The task of a model of classical machine learning.
pub(super) fn classical(seen: &Seen<'_, '_>) -> Option<Task> {
    let net = seen.net();
    if seen.architecture.family == Some(Family::IsolationForest) {
        let words = "an isolation forest scores how easily a row is isolated".to_owned();
        return Some(reported(TaskKind::AnomalyDetection, High, words, None));
    }
    if seen.is_kind(ModelKind::Clustering) {
        let words = "the nearest stored point as output".to_owned();
        return Some(reported(TaskKind::Clustering, Medium, words, None));
    }
    let regressors = units(net, REGRESSORS);
    if regressors.iter().any(|unit| net.int(unit, "one_class") == Some(1)) {
        let words = "one-class support vectors".to_owned();
        return Some(reported(TaskKind::AnomalyDetection, High, words, None));
    }
    let parted = seen.stats.count_of(["Greater", "Less", "Sign"]) > 0;
    let scored = seen.is_kind(ModelKind::NearestNeighbors) && seen.stats.count("ArgMax") == 0
        || seen.is_kind(ModelKind::Svm) && !regressors.is_empty();
    if scored && seen.gives_whole_numbers() && parted {
        let words = "a score and a thresholded label as output".to_owned();
        return Some(reported(TaskKind::AnomalyDetection, Medium, words, None));
    }
    let text = seen.stats.takes(Given::Text)
        && preparation(net).iter().any(|op| ["TfIdfVectorizer", "Tokenizer"].contains(op));
    let classifiers = units(net, CLASSIFIERS);
    let neighbors =
        seen.is_kind(ModelKind::NearestNeighbors) || seen.is_kind(ModelKind::NaiveBayes);
    // A label may be made of a number by a cast, which is looked through.
    let labeled = net.model.main().outputs.iter().any(|output| {
        let tensor = net.typed.fact(*output).as_tensor();
        tensor.is_some_and(|tensor| !tensor.dtype.is_float() && tensor.rank() == Some(1))
    });
    let (given, classification, regression) = if text {
        ("counted words", TaskKind::TextClassification, TaskKind::TextRegression)
    } else {
        ("rows of features", TaskKind::TabularClassification, TaskKind::TabularRegression)
    };
    if !classifiers.is_empty() || neighbors && labeled {
        let classes =
            classifiers.iter().find_map(|unit| labels(seen, unit)).or_else(|| width(seen));
        let words = match classes {
            Some(classes) => {
                let labels = counted(classes, "label", "labels");
                format!("{given} as input, one of {labels} as output")
            }
            None => format!("{given} as input, a label as output"),
        };
        return Some(reported(classification, High, words, classes));
    }
    if !regressors.is_empty() || neighbors {
        let words = format!("{given} as input, numbers as output");
        return Some(reported(regression, High, words, None));
    }
    None
}

/// How many labels an operator knows.
fn labels(seen: &Seen<'_, '_>, unit: &NetworkOp) -> Option<i64> {
    const NAMES: &[&str] = &["classlabels_int64s", "classlabels_ints", "classlabels_strings"];
    NAMES.iter().find_map(|name| match seen.net().model.attribute(unit.node, name)? {
        AttributeValue::Ints(list) => i64::try_from(list.len()).ok(),
        AttributeValue::Texts { count, .. } => i64::try_from(*count).ok(),
        _ => None,
    })
}

/// Columns of the scores.
fn width(seen: &Seen<'_, '_>) -> Option<i64> {
    let net = seen.net();
    let scores = seen.outputs().into_iter().find(|output| net.rank(*output) == Some(2))?;
    net.dim(scores, 1).filter(|width| *width > 1)
}

/// The task of a network that reads the bytes of files.
pub(super) fn bytes(seen: &Seen<'_, '_>) -> Option<Task> {
    let net = seen.net();
    let output = *seen.outputs().first()?;
    let classes = net.dim(output, -1).filter(|classes| *classes > 2)?;
    let scored = seen.ending(output).is_probability() || seen.is_scores(output);
    (net.rank(output) == Some(2) && scored).then(|| {
        let scores = counted(classes, "class score", "class scores");
        let words = format!("bytes as input, {scores} as output");
        reported(TaskKind::FileTypeClassification, Medium, words, Some(classes))
    })
}

/// The task of a network that takes rows of numbers.
pub(super) fn task(seen: &Seen<'_, '_>) -> Option<Task> {
    /// More numbers than this are a vector.
    const MAX_TARGETS: i64 = 8;
    let net = seen.net();
    // Wider rows are embeddings, or what another network computed.
    const MAX_FEATURES: i64 = 512;
    let features = seen.stats.inputs.iter().filter(|(_, given)| *given == Given::Features);
    let several = net.inputs.len() > 1;
    // Vectors of one width are what other networks computed, and are joined here.
    const MIN_VECTOR: i64 = 64;
    let widths: Vec<i64> = features.clone().filter_map(|(val, _)| net.dim(*val, -1)).collect();
    if let [first, others @ ..] = &widths[..]
        && !others.is_empty()
        && *first >= MIN_VECTOR
        && others.iter().all(|width| width == first)
    {
        return None;
    }
    let narrow = |val| several || net.dim(val, -1).is_none_or(|width| width < MAX_FEATURES);
    if !features.clone().any(|(val, _)| narrow(*val)) || seen.stats.takes(Given::State) {
        return None;
    }
    let outputs = seen.outputs();
    let output = outputs.first().copied();
    let width = output.and_then(|output| net.dim(output, -1));
    let rows = seen.is_kind(ModelKind::Mlp) || seen.is_kind(ModelKind::Linear);
    let flat = output.is_some_and(|output| matches!(net.rank(output), Some(1 | 2)));
    let shared = output.is_some_and(|output| seen.ending(output).is_probability());
    let picked = rows && seen.stats.count("ArgMax") > 0;
    let shown = output.map_or(String::new(), |output| format!(" ({})", seen.shown(output)));
    let named = rows && width > Some(1) && {
        const SCORES: &[&str] = &["class", "cls", "label", "logit", "prob", "softmax"];
        output.is_some_and(|output| seen.output_named(output, SCORES))
    };
    if named && flat && !shared && !picked {
        let words = format!("a row of features as input, class scores as output{shown}");
        return Some(reported(TaskKind::TabularClassification, Medium, words, width));
    }
    if shared && flat || picked {
        let classes = width.map(|width| if width == 1 { 2 } else { width });
        let words = format!("a row of features as input, class probabilities as output{shown}");
        // A row may be features of anything where other layers follow.
        let sure = if rows { Medium } else { Low };
        return Some(reported(TaskKind::TabularClassification, sure, words, classes));
    }
    if !rows || !flat {
        return None;
    }
    let words = format!("a row of features as input, numbers as output{shown}");
    match width {
        Some(1) => Some(reported(TaskKind::TabularRegression, Medium, words, None)),
        // Several sums of one layer may be anything: a projection, or several targets.
        _ if seen.is_kind(ModelKind::Linear) => None,
        Some(2..=MAX_TARGETS) => Some(reported(TaskKind::TabularRegression, Low, words, None)),
        _ => None,
    }
}
