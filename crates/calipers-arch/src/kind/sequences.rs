//! Recurrent networks, mixers, and networks of linear layers.
//!
//! | kind, family | structure |
//! |---|---|
//! | `rnn`, lstm, gru or rnn | layers of that cell |
//! | `hybrid`, crnn | convolutional features of images, read as a sequence by recurrent layers |
//! | `mixer`, mlp-mixer | image patches, and feed-forward networks alternating between patches and channels |
//! | `mlp` | dense layers with activations between |
//! | `linear` | one dense layer |

use calipers_ops::Class;
use calipers_report::Confidence::{High, Medium};
use calipers_report::{ArchitectureFacts, Family, ModelKind, Style};

use super::{Decision, counted};
use crate::network::{
    BlockKind, Convolution, FeedForwardActivation, NetworkOp, RecurrentCell, With,
};
use crate::stats::{Given, NetworkStats};

/// Networks with recurrent layers.
pub(super) fn decide(stats: &NetworkStats<'_, '_>) -> Decision {
    let cells = [
        (RecurrentCell::Lstm, Family::Lstm),
        (RecurrentCell::Gru, Family::Gru),
        (RecurrentCell::Rnn, Family::Rnn),
    ];
    // As an operator, or written out.
    let layers = || stats.net.all().filter_map(|unit| unit.recurrent());
    let cells = cells.map(|(cell, family)| {
        let count = layers().filter(|layer| layer.cell == cell).count();
        (i64::try_from(count).unwrap_or(i64::MAX), family)
    });
    let (most, family) =
        cells.into_iter().max_by_key(|(count, _)| *count).unwrap_or((0, Family::Rnn));
    let kinds = cells.iter().filter(|(count, _)| *count > 0).count();
    let layers = counted(most, "recurrent layer", "recurrent layers");
    let features = stats.image_convs().count();
    if features >= 3 || features == 2 && stats.takes(Given::Image) {
        let words =
            format!("{features} 2D convolutions, then {layers} ({})", family.display_name());
        // Spectrograms have the shape of images; only images are read as text.
        // A cell in a loop is the decoder of another network.
        let reads = stats.takes(Given::Image) && stats.count_in(With::RECURRENT) > 0;
        let family = reads.then_some(Family::Crnn);
        return Decision::new(ModelKind::Hybrid, family, Medium, words);
    }
    let signal = stats.convs.iter().filter(|conv| conv.side() > Some(1)).count();
    if signal >= 3 {
        let words = format!("{signal} convolutions and {layers} ({})", family.display_name());
        return Decision::new(ModelKind::Hybrid, None, Medium, words);
    }
    let words = format!("{layers}, {}", family.display_name());
    Decision::new(ModelKind::Rnn, (kinds == 1).then_some(family), High, words)
}

/// Networks whose recurrence is a `Scan` that carries a state, as state-space models are exported.
pub(super) fn scans(stats: &NetworkStats<'_, '_>) -> Option<Decision> {
    // The steps are laid out, so that the network itself has the body alone.
    let model = stats.net.model;
    let scans = model.nodes().filter(|(_, node)| model.name(node.op) == "Scan").count();
    // Distances between rows are scanned too, by models without such layers.
    (scans > 0 && !stats.convs.is_empty()).then(|| {
        let words = counted(scans, "scan", "scans");
        let words = format!("{words} that carry a state from step to step");
        Decision::new(ModelKind::Rnn, None, Medium, words)
    })
}

/// Image patches followed by linear layers over patches and over channels.
pub(super) fn mixer(stats: &NetworkStats<'_, '_>) -> Option<Decision> {
    let (blocks, products) = (stats.count(BlockKind::FeedForward), stats.linears());
    let cut = stats.image_convs().next().is_some_and(Convolution::cuts);
    if !cut || stats.image_convs().count() != 1 || products < 8 {
        return None;
    }
    let gated = |unit: &NetworkOp| {
        let activation = unit.feed_forward().map(|layer| layer.activation);
        matches!(activation, Some(FeedForwardActivation::Gated(_)))
    };
    let by_turns = blocks >= 4
        && !stats.net.all().any(gated)
        && stats.count("Transpose") >= blocks
        && stats.count(BlockKind::LayerNorm) >= blocks;
    let words = match by_turns {
        true => format!("{blocks} feed-forward blocks alternating between tokens and channels"),
        false => format!("{products} linear layers over tokens and channels"),
    };
    let (family, sure) = if by_turns { (Some(Family::MlpMixer), High) } else { (None, Medium) };
    let mut decision =
        Decision::new(ModelKind::Mixer, family, sure, format!("image patches, and {words}"));
    decision.style = Some(Style::Vision);
    Some(decision)
}

/// Whether computed values are multiplied with each other as matrices.
fn relates_values(stats: &NetworkStats<'_, '_>) -> bool {
    let net = stats.net;
    net.all().any(|unit| {
        unit.is(["MatMul", "Einsum"])
            && net.data_pair(unit).is_some_and(|(a, b)| {
                // Rows of several axes; a product of vectors compares two results.
                [a, b].iter().all(|val| net.rank(*val).is_some_and(|rank| rank >= 3))
            })
    })
}

/// What a linear model is made of.
const PLAIN: (([BlockKind; 3], [&str; 6]), With) = (
    (
        [BlockKind::BatchNorm, BlockKind::ClassifierHead, BlockKind::Linear],
        ["Add", "Div", "Gemm", "MatMul", "Mul", "Sub"],
    ),
    With(|traits| {
        traits.is_probability()
            || traits.decides
            || traits.movement.is_some()
            || traits.class == Class::Sequence
    }),
);

/// Networks of linear layers.
pub(super) fn products(stats: &NetworkStats<'_, '_>, _: &ArchitectureFacts) -> Option<Decision> {
    let layers = stats.linears();
    let activations = stats.count_in((
        BlockKind::ACTIVATIONS,
        With(|traits| traits.activation().is_some_and(|activation| !activation.is_gate())),
    ));
    let rows = stats.takes(Given::Features) || stats.takes(Given::Image);
    let sounds = stats.count_in(With(|traits| traits.class == Class::Signal));
    match layers {
        0 => None,
        // A linear layer after a Fourier transform is a filter bank.
        1 | 2 if sounds > 0 => {
            let words = "a Fourier transform and a filter bank".to_owned();
            Some(Decision::new(ModelKind::Pipeline, None, Medium, words))
        }
        1 if activations == 0 => {
            let rows = rows && stats.net.units().all(|(_, unit)| unit.is(PLAIN));
            let shares = stats.count_in(With::PROBABILITIES) > 0;
            let compared = stats.count("ArgMax") > 0;
            let net = stats.net;
            let single = net.outputs.iter().any(|output| net.dim(*output, -1) == Some(1));
            let (family, words) = match (shares, compared, single) {
                (true, ..) => (
                    Some(Family::LogisticRegression),
                    "one linear layer with probabilities as output",
                ),
                (_, true, _) => (Some(Family::LinearClassifier), "one linear layer, then argmax"),
                (_, _, true) => {
                    (Some(Family::LinearRegression), "one linear layer with one output")
                }
                _ => (None, "one linear layer"),
            };
            rows.then(|| Decision::new(ModelKind::Linear, family, Medium, words.to_owned()))
        }
        // Without an activation between them, matrix products among other arithmetic are not layers.
        _ if activations == 0 && !stats.net.units().all(|(_, unit)| unit.is(PLAIN)) => None,
        // Products of computed values relate tokens to each other, as attention does.
        _ if relates_values(stats) => None,
        _ => {
            let between = counted(activations, "activation", "activations");
            let words =
                format!("{} with {between}", counted(layers, "linear layer", "linear layers"));
            let sure = if activations > 0 && layers > 1 { High } else { Medium };
            // Linear layers after a token embedding are not an MLP on rows.
            let tokens = stats.takes(Given::Tokens);
            let family = (!tokens).then_some(Family::Mlp);
            let mut decision = Decision::new(ModelKind::Mlp, family, sure, words);
            if tokens {
                decision.evidence.push("token embedding lookup".to_owned());
                decision.confidence = Medium;
            }
            Some(decision)
        }
    }
}
