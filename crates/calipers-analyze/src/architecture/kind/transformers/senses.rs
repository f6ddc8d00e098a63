//! Rules for networks that attend to images and sounds.

use super::{Seen, Told};
use crate::architecture::census::Given;
use calipers_report::Confidence::{High, Medium};

pub(super) fn detr(seen: &Seen<'_, '_>) -> Told {
    let census = seen.census;
    let fits = census.takes(Given::Image) && seen.styled("encoder-decoder") && !seen.text();
    (fits && seen.gives(4)).then(|| {
        let words = "a decoder whose queries attend to the image's features and become boxes";
        (High, words.to_owned())
    })
}

pub(super) fn mobilevit(seen: &Seen<'_, '_>) -> Told {
    let blocks = seen.census.count("InvertedResidual");
    let plain = seen.activates("silu") && !seen.census.attends("windowed");
    (blocks >= 3 && seen.styled("vision") && plain)
        .then(|| (Medium, format!("{blocks} inverted residuals and attention by turns")))
}

pub(super) fn whisper(seen: &Seen<'_, '_>) -> Told {
    /// Places that the decoder knows, and places of the encoder's result.
    const PLACES: i64 = 448;
    const READ: i64 = 1500;
    let census = seen.census;
    let net = census.net;
    if census.takes(Given::Spectrogram) {
        let signal: Vec<_> = census.convs.iter().filter(|conv| conv.kernel.len() == 1).collect();
        let stem = signal.len() == 2
            && signal.iter().all(|conv| conv.side() == 3 && conv.groups == 1)
            && signal.last().is_some_and(|conv| conv.stride == 2);
        let fits = stem && seen.normalises("LayerNorm");
        return fits.then(|| {
            (High, "two convolutions over a spectrogram, the second with stride 2".to_owned())
        });
    }
    if !(seen.styled("decoder") && seen.text() && seen.normalises("LayerNorm")) {
        return None;
    }
    let (_, cross) = census.own_and_cross();
    let read = net.inputs.iter().any(|input| {
        net.dtype(*input).is_some_and(|dtype| dtype.is_float()) && net.dim(*input, -2) == Some(READ)
    });
    let known = net.model.tensors().any(|(_, tensor)| {
        matches!(tensor.dims[..], [PLACES, width] if Some(width) == seen.facts.hidden)
    });
    (cross > 0 && (read || known)).then(|| {
        let words = match read {
            true => format!("its decoder attends to {READ} places of an encoder's result"),
            false => format!("attends to an encoder's result; a table of {PLACES} positions"),
        };
        (High, words)
    })
}

pub(super) fn wav2vec2(seen: &Seen<'_, '_>) -> Told {
    let strided = seen.census.convs.iter().filter(|c| c.kernel.len() == 1 && c.stride > 1).count();
    (seen.census.takes(Given::Waveform) && strided >= 5)
        .then(|| (High, format!("{strided} strided convolutions over the waveform")))
}

pub(super) fn conformer(seen: &Seen<'_, '_>) -> Told {
    let filters = seen.census.convs.iter().filter(|c| c.kernel.len() == 1 && c.depthwise()).count();
    let sound = seen.census.takes(Given::Spectrogram) || seen.census.takes(Given::Sequence);
    (sound && filters >= 3 && filters >= seen.census.attention.len())
        .then(|| (Medium, format!("attention and {filters} depthwise convolutions by turns")))
}

pub(super) fn swin(seen: &Seen<'_, '_>) -> Told {
    (seen.styled("vision") && seen.census.attends("windowed"))
        .then(|| (High, "attention inside windows of the image".to_owned()))
}

pub(super) fn segformer(seen: &Seen<'_, '_>) -> Told {
    let census = seen.census;
    let filters = census.image_convs().filter(|conv| conv.depthwise() && conv.side() == 3).count();
    let down = census.image_convs().filter(|conv| conv.stride > 1 && !conv.cuts()).count();
    let fits = seen.styled("vision") && filters >= census.attention.len() && down >= 3;
    // Others that classify are built alike.
    let net = census.net;
    let maps = net.outputs.iter().any(|output| net.rank(*output) == Some(4));
    let sure = if maps { High } else { Medium };
    fits.then(|| {
        (sure, format!("stages that shrink, and {filters} depthwise convolutions in feed-forwards"))
    })
}

/// An image in pieces with places for boxes beside them.
pub(super) fn yolos(seen: &Seen<'_, '_>) -> Told {
    vit(seen).filter(|_| seen.gives(4) && seen.census.net.outputs.len() >= 2).map(|_| {
        (Medium, "an image in pieces, and places beside them that become boxes".to_owned())
    })
}

pub(super) fn beit(seen: &Seen<'_, '_>) -> Told {
    vit(seen)
        .filter(|_| seen.census.attends("relative") && !seen.has_positions())
        .map(|_| (Medium, "an image in pieces, and a bias by relative position".to_owned()))
}

pub(super) fn vit(seen: &Seen<'_, '_>) -> Told {
    let census = seen.census;
    let cut = census.count("PatchEmbedding") > 0 || census.image_convs().any(|conv| conv.cuts());
    let fits = seen.styled("vision") && cut && census.image_convs().count() <= 1;
    (fits && seen.normalises("LayerNorm")).then(|| {
        let sure = if seen.normed("pre") && seen.has_positions() { High } else { Medium };
        (sure, "an image in pieces, each a token".to_owned())
    })
}

/// The mean of what the class token and the token of a teacher say.
pub(super) fn deit(seen: &Seen<'_, '_>) -> Told {
    let outputs = &seen.census.net.outputs;
    let mean = outputs.iter().any(|output| seen.census.is_mean_of_products(*output));
    vit(seen)
        .filter(|_| mean)
        .map(|_| (High, "an image in pieces, and the mean of two tokens' scores".to_owned()))
}
