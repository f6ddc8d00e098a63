//! Recurrent networks, mixers, and networks of products alone.
//!
//! | kind, family | structure |
//! |---|---|
//! | `rnn`, lstm, gru or rnn | layers of that cell |
//! | `hybrid`, crnn | features of images, read in order by recurrent layers |
//! | `mixer`, mlp-mixer | an image in pieces, and feed-forwards over places and over channels by turns |
//! | `mlp` | dense layers with activations between |
//! | `linear` | one dense layer |

use calipers_report::ArchitectureFacts;
use calipers_report::Confidence::{High, Low, Medium};

use super::{Decision, some};
use crate::architecture::census::{Census, Given};

/// Networks with recurrent layers.
pub(super) fn decide(census: &Census<'_, '_>) -> Decision {
    let cells = [("LSTM", "lstm"), ("GRU", "gru"), ("RNN", "rnn")];
    let counted = cells.map(|(op, family)| (census.count(op), family));
    let (most, family) = counted.into_iter().max_by_key(|(count, _)| *count).unwrap_or((0, "rnn"));
    let kinds = counted.iter().filter(|(count, _)| *count > 0).count();
    let layers = some(most, "recurrent layer", "recurrent layers");
    let features = census.feature_convs();
    if features >= 3 {
        let words = format!("{features} convolutions over images, then {layers} ({family})");
        return Decision::new("hybrid", Some("crnn"), Medium, words);
    }
    let signal = census.convs.iter().filter(|conv| conv.spatial()).count();
    if signal >= 3 {
        let words = format!("{signal} convolutions and {layers} ({family})");
        return Decision::new("hybrid", None, Medium, words);
    }
    let words = format!("{layers}, {family}");
    Decision::new("rnn", (kinds == 1).then_some(family), High, words)
}

/// Feed-forwards over places and over channels by turns.
pub(super) fn mixer(census: &Census<'_, '_>) -> Option<Decision> {
    let blocks = census.count("FeedForward");
    let convs = census.image_convs().count();
    let cut = census.image_convs().next().is_some_and(|conv| conv.cuts());
    let norms = census.count("LayerNorm");
    let turned = census.count("Transpose");
    let fits = cut && convs == 1 && blocks >= 4 && turned >= blocks && norms >= blocks;
    fits.then(|| {
        let words = format!(
            "an image in pieces, and {blocks} feed-forwards over places and channels by turns"
        );
        let mut decision = Decision::new("mixer", Some("mlp-mixer"), High, words);
        decision.style = Some("vision");
        decision
    })
}

/// Activations that stand between layers.
const CURVES: &[&str] = &[
    "CELU",
    "ELU",
    "GELU",
    "HardSwish",
    "LeakyReLU",
    "Mish",
    "PReLU",
    "ReLU",
    "ReLU6",
    "SELU",
    "SiLU",
    "Softplus",
    "Tanh",
];

/// What a linear model is made of.
const PLAIN: &[&str] = &[
    "Add",
    "ArgMax",
    "ArrayFeatureExtractor",
    "BatchNorm",
    "ClassifierHead",
    "Div",
    "Flatten",
    "Gemm",
    "Linear",
    "LogSoftmax",
    "MatMul",
    "Mul",
    "Reshape",
    "Sigmoid",
    "Softmax",
    "Squeeze",
    "Sub",
    "Unsqueeze",
    "ZipMap",
];

/// Networks of products alone.
pub(super) fn products(census: &Census<'_, '_>, _: &ArchitectureFacts) -> Option<Decision> {
    let layers = census.linears();
    let curves = census.count_of(CURVES);
    let rows = census.takes(Given::Features) || census.takes(Given::Image);
    match layers {
        0 => None,
        1 if curves == 0 => {
            let rows = rows && census.net.units().all(|(_, unit)| unit.is_any(PLAIN));
            let shares = census.count_of(&["Sigmoid", "Softmax"]) > 0;
            let family = if shares { "logistic-regression" } else { "linear-regression" };
            let words = match shares {
                true => "one dense layer, whose sums become probabilities",
                false => "one dense layer",
            };
            let sure = if rows { Medium } else { Low };
            Some(Decision::new("linear", rows.then_some(family), sure, words.to_owned()))
        }
        _ => {
            let between = some(curves, "activation", "activations");
            let words = format!("{layers} dense layers with {between}");
            let sure = if curves > 0 { High } else { Medium };
            let mut decision = Decision::new("mlp", Some("mlp"), sure, words);
            if census.takes(Given::Tokens) {
                decision.evidence.push("tokens are looked up in a table".to_owned());
                decision.confidence = Medium;
            }
            Some(decision)
        }
    }
}
