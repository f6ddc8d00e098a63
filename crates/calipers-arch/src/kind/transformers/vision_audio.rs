//! Rules for transformers over images and audio.

use calipers_report::Confidence::{High, Medium};
use calipers_report::{Activation, NormKind, NormPosition, Style};
use hashbrown::HashSet;

use super::{Recognition, Seen};
use crate::network::{BlockKind, NetworkOp, Val};
use crate::stats::Given;

pub(super) fn detr(seen: &Seen<'_, '_>) -> Recognition {
    let stats = seen.stats;
    let fits = stats.takes(Given::Image) && seen.styled(Style::EncoderDecoder) && !seen.text();
    (fits && seen.outputs_width(4)).then(|| {
        let words = "decoder queries attend to image features and predict boxes";
        (High, words.to_owned())
    })
}

impl Seen<'_, '_> {
    /// Whether residual branches are scaled per channel before they are added: layer scale.
    pub(super) fn has_layer_scale(&self) -> bool {
        let net = self.stats.net;
        let hidden = self.facts.hidden.and_then(|hidden| usize::try_from(hidden).ok());
        let scale = |unit: &NetworkOp| {
            unit.is("Mul")
                && net
                    .data_and_constant(unit)
                    .is_some_and(|(_, numbers)| hidden.is_some() && net.elements(numbers) == hidden)
        };
        let scaled: HashSet<Val> =
            net.all().filter(|unit| scale(unit)).map(NetworkOp::output).collect();
        let joins = net.all().filter(|unit| unit.is(BlockKind::ResidualAdd));
        let counted = joins.filter(|unit| net.data_inputs(unit).any(|val| scaled.contains(&val)));
        i64::try_from(counted.count()).is_ok_and(|count| count >= self.layers().max(1))
    }
}

pub(super) fn mobilevit(seen: &Seen<'_, '_>) -> Recognition {
    let blocks = seen.stats.count(BlockKind::InvertedResidual);
    let plain = seen.activates(Activation::Silu) && !seen.stats.attends(|it| it.windowed);
    (blocks >= 3 && seen.styled(Style::Vision) && plain)
        .then(|| (Medium, format!("{blocks} inverted residuals alternating with attention")))
}

pub(super) fn whisper(seen: &Seen<'_, '_>) -> Recognition {
    /// Positions of the decoder, and of the encoder output.
    const PLACES: i64 = 448;
    const READ: i64 = 1500;
    let stats = seen.stats;
    let net = stats.net;
    if stats.takes(Given::Spectrogram) {
        let signal: Vec<_> = stats.convs.iter().filter(|conv| conv.rank() == Some(1)).collect();
        let stem = signal.len() == 2
            && signal.iter().all(|conv| conv.side() == Some(3) && conv.groups == 1)
            && signal.last().is_some_and(|conv| conv.stride == 2);
        let fits = stem && seen.normalizes(NormKind::LayerNorm);
        return fits.then(|| {
            (High, "two convolutions over a spectrogram, the second with stride 2".to_owned())
        });
    }
    if !(seen.styled(Style::Decoder) && seen.text() && seen.normalizes(NormKind::LayerNorm)) {
        return None;
    }
    let (_, cross) = stats.own_and_cross();
    let read = net.inputs.iter().any(|input| {
        net.dtype(*input).is_some_and(|dtype| dtype.is_float()) && net.dim(*input, -2) == Some(READ)
    });
    let known = net.model.tensors().any(|(_, tensor)| {
        matches!(tensor.dims[..], [PLACES, width] if Some(width) == seen.facts.hidden)
    });
    (cross > 0 && (read || known)).then(|| {
        let words = match read {
            true => format!("the decoder attends to {READ} encoder positions"),
            false => {
                format!("cross-attention to an encoder, and a position table of {PLACES} rows")
            }
        };
        (High, words)
    })
}

pub(super) fn wav2vec2(seen: &Seen<'_, '_>) -> Recognition {
    let strided = seen.stats.convs.iter().filter(|c| c.rank() == Some(1) && c.stride > 1).count();
    (seen.stats.takes(Given::Waveform) && strided >= 5)
        .then(|| (High, format!("{strided} strided convolutions over the waveform")))
}

/// Attention and a gated depthwise convolution between two feed-forward networks in each layer.
pub(super) fn conformer(seen: &Seen<'_, '_>) -> Recognition {
    let stats = seen.stats;
    let layers = stats.attention.len();
    let filters = stats.convs.iter().filter(|c| c.rank() == Some(1) && c.is_depthwise()).count();
    let inner = usize::try_from(stats.count(BlockKind::FeedForward)).unwrap_or(0);
    let sound = stats.takes(Given::Spectrogram) || stats.takes(Given::Sequence);
    let fits = layers >= 2 && filters >= layers && inner >= layers * 2;
    (sound && fits && seen.normalizes(NormKind::LayerNorm)).then(|| {
        let words = format!(
            "{layers} layers of two feed-forward networks, attention and a depthwise convolution"
        );
        (Medium, words)
    })
}

pub(super) fn swin(seen: &Seen<'_, '_>) -> Recognition {
    // Networks that output images use the same layers.
    let net = seen.stats.net;
    let maps = net.outputs.iter().any(|output| net.rank(*output) == Some(4));
    let sure = if maps { Medium } else { High };
    // SwinV2 is post-norm.
    let is_first = !seen.normed(NormPosition::Post);
    (seen.styled(Style::Vision) && seen.stats.attends(|it| it.windowed) && is_first)
        .then(|| (sure, "attention within image windows".to_owned()))
}

/// Image patches, and detection tokens next to them.
pub(super) fn yolos(seen: &Seen<'_, '_>) -> Recognition {
    vit(seen)
        .filter(|_| seen.outputs_width(4) && seen.stats.net.outputs.len() >= 2)
        .map(|_| (Medium, "image patches, and detection tokens that predict boxes".to_owned()))
}

pub(super) fn beit(seen: &Seen<'_, '_>) -> Recognition {
    vit(seen)?;
    if seen.has_positions() {
        return None;
    }
    if seen.stats.attends(|it| it.relative) {
        return Some((Medium, "image patches with a relative position bias".to_owned()));
    }
    // A key bias does not change the softmax, so BEiT has none.
    let keyless = seen.stats.attention.iter().all(|unit| {
        let linears = || unit.walk().filter(|part| part.is(BlockKind::Linear));
        (
            linears().count(),
            linears().filter(|part| part.linear().is_some_and(|linear| linear.bias)).count(),
        ) == (4, 3)
    });
    (keyless && seen.has_layer_scale())
        .then(|| (Medium, "image patches, keys without bias, layer scale".to_owned()))
}

/// The image tower of CLIP: LayerNorm before the first layer.
pub(super) fn clip_vision(seen: &Seen<'_, '_>) -> Recognition {
    let norms = seen.layers().saturating_mul(2).saturating_add(2);
    vit(seen)?;
    (seen.normed(NormPosition::Pre)
        && seen.norms(NormKind::LayerNorm) == norms
        && seen.facts.classes.is_none())
    .then(|| (Medium, "image patches with LayerNorm before the first layer".to_owned()))
}

/// Others have layer scale too, but not with patches of 14×14.
pub(super) fn dinov2(seen: &Seen<'_, '_>) -> Recognition {
    let patches = seen.stats.image_convs().any(|conv| conv.cuts() && conv.side() == Some(14));
    vit(seen)?;
    (patches && seen.has_layer_scale())
        .then(|| (Medium, "image patches of 14×14 and layer scale".to_owned()))
}

pub(super) fn vit(seen: &Seen<'_, '_>) -> Recognition {
    let stats = seen.stats;
    let cut =
        stats.count(BlockKind::PatchEmbedding) > 0 || stats.image_convs().any(|conv| conv.cuts());
    // More feed-forward networks than attention layers: some layers mix patches in another way.
    let attends = stats.count(BlockKind::FeedForward) <= seen.layers().saturating_add(1);
    let globally = attends && !stats.attends(|it| it.windowed);
    let fits = seen.styled(Style::Vision) && cut && stats.image_convs().count() <= 1 && globally;
    (fits && seen.normalizes(NormKind::LayerNorm)).then(|| {
        let plain =
            seen.normed(NormPosition::Pre) && seen.has_positions() && !seen.has_layer_scale();
        let sure = if plain { High } else { Medium };
        (sure, "image patches as tokens".to_owned())
    })
}

/// The logits are the mean of a class head and a distillation head.
pub(super) fn deit(seen: &Seen<'_, '_>) -> Recognition {
    let outputs = &seen.stats.net.outputs;
    let mean = outputs.iter().any(|output| seen.stats.is_mean_of_products(*output));
    vit(seen).filter(|_| mean).map(|_| {
        (
            High,
            "image patches; logits are the mean of a class head and a distillation head".to_owned(),
        )
    })
}
