//! Networks that attend: their style, and their families.
//!
//! | style | structure |
//! |---|---|
//! | dual-encoder | images and tokens, each attended by itself, compared at the end |
//! | encoder-decoder | attention over another sequence that the network itself attends to |
//! | decoder | each place sees those before it, or attends to a sequence that is given |
//! | vision | images and nothing else |
//! | encoder | everything else |
//!
//! | family | structure |
//! |---|---|
//! | clip | a dual encoder whose vectors are brought to length one and multiplied |
//! | detr | convolutions, an encoder and a decoder of queries that become boxes |
//! | mobilevit | inverted residuals and attention by turns |
//! | whisper | two convolutions over a spectrogram, then attention; the decoder knows 448 places or reads 1,500 |
//! | wav2vec2 | a row of strided convolutions over the waveform, then attention |
//! | conformer | attention and depthwise convolutions over a spectrogram |
//! | t5 | RMSNorm, and a bias by relative position |
//! | bart | encoder and decoder with LayerNorm after each part |
//! | swin | attention inside windows |
//! | segformer | stages of growing width, depthwise convolutions in the feed-forwards |
//! | vit | an image in pieces, norms before each part |
//! | albert, roberta, distilbert, bert | norms after each part; layers that share weights; positions counted from the mask; no segments; else |
//! | gemma, mixtral, llama | RMSNorm before each part, rotated positions; GeGLU, experts, SwiGLU |
//! | gpt-neox | LayerNorm and rotated positions |
//! | opt, gpt2 | LayerNorm before each part, learned positions; ReLU, GELU |

use calipers_report::ArchitectureFacts;
use calipers_report::Confidence::{self, High, Medium};
use hashbrown::HashSet;

use super::{Decision, Family, Seen, some};
use crate::architecture::census::{Census, Given};
use crate::net::Origin;

type Told = Option<(Confidence, String)>;

/// The rows, the particular before the general.
const FAMILIES: &[Family] = &[
    Family { name: "clip", rule: clip },
    Family { name: "detr", rule: detr },
    Family { name: "mobilevit", rule: mobilevit },
    Family { name: "whisper", rule: whisper },
    Family { name: "wav2vec2", rule: wav2vec2 },
    Family { name: "conformer", rule: conformer },
    Family { name: "t5", rule: t5 },
    Family { name: "bart", rule: bart },
    Family { name: "swin", rule: swin },
    Family { name: "segformer", rule: segformer },
    Family { name: "vit", rule: vit },
    Family { name: "albert", rule: albert },
    Family { name: "roberta", rule: roberta },
    Family { name: "distilbert", rule: distilbert },
    Family { name: "bert", rule: bert },
    Family { name: "gemma", rule: gemma },
    Family { name: "mixtral", rule: mixtral },
    Family { name: "llama", rule: llama },
    Family { name: "gpt-neox", rule: gpt_neox },
    Family { name: "opt", rule: opt },
    Family { name: "gpt2", rule: gpt2 },
];

/// Families that only a name tells from one of the table.
const BY_NAME: &[(&str, &str, &str)] = &[
    ("llama", "mistral", "mistral"),
    ("llama", "qwen", "qwen"),
    ("llama", "phi3", "phi3"),
    ("gpt-neox", "falcon", "falcon"),
    ("gpt-neox", "gptj", "gptj"),
    ("wav2vec2", "hubert", "hubert"),
    ("vit", "deit", "deit"),
    ("vit", "dinov2", "dinov2"),
    ("bert", "electra", "electra"),
    ("bart", "marian", "marian"),
    ("bart", "pegasus", "pegasus"),
];

/// What a network with attention is.
pub(super) fn decide(
    census: &Census<'_, '_>,
    facts: &ArchitectureFacts,
    with_convolutions: bool,
) -> Decision {
    let style = style(census);
    let kind = if with_convolutions { "hybrid" } else { "transformer" };
    let mut decision = Decision::new(kind, None, High, shape(census, facts));
    decision.style = Some(style);
    if with_convolutions {
        let convs = census.feature_convs();
        decision.evidence.insert(0, format!("{convs} convolutions that make features of images"));
    }
    let seen = Seen { census, facts, style: Some(style) };
    for row in FAMILIES {
        if let Some((confidence, why)) = (row.rule)(&seen) {
            let named =
                BY_NAME.iter().find(|(like, word, _)| *like == row.name && census.mentions(word));
            decision.family = Some(named.map_or(row.name, |(_, _, family)| family));
            decision.confidence = confidence;
            decision.evidence.push(why);
            if let Some((like, word, _)) = named {
                decision.evidence.push(format!("built as {like}; names in the file say {word}"));
            }
            break;
        }
    }
    if decision.family.is_none() {
        decision.confidence = Medium;
    }
    decision
}

fn style(census: &Census<'_, '_>) -> &'static str {
    let (own, cross) = census.own_and_cross();
    let (image, tokens) = (census.takes(Given::Image), census.takes(Given::Tokens));
    if image && tokens && cross == 0 && compares(census) {
        "dual-encoder"
    } else if cross > 0 {
        if own > cross { "encoder-decoder" } else { "decoder" }
    } else if census.cache || (tokens || !image) && census.attends("causal") {
        "decoder"
    } else if image && !tokens {
        "vision"
    } else {
        "encoder"
    }
}

/// Whether two vectors are brought to length one.
fn compares(census: &Census<'_, '_>) -> bool {
    census.count("L2Norm") >= 2
}

/// The layers, the norms and the tables, in words.
fn shape(census: &Census<'_, '_>, facts: &ArchitectureFacts) -> String {
    let (own, cross) = census.own_and_cross();
    let mut words = some(own, "self-attention layer", "self-attention layers");
    if let (Some(heads), Some(width)) = (facts.heads, facts.head_dim) {
        words += &format!(" with {} of {width}", some(heads, "head", "heads"));
    } else if let Some(heads) = facts.heads {
        words += &format!(" with {}", some(heads, "head", "heads"));
    }
    if cross > 0 {
        words += &format!(", {cross} over another sequence");
    }
    if let Some(position) = census.norm_position() {
        words += &format!("; {position}-norm");
    }
    let tables: Vec<&str> = ["token", "position", "type"]
        .into_iter()
        .filter(|of| census.tables(of).next().is_some())
        .collect();
    if !tables.is_empty() {
        let all = tables.join(", ");
        words += &format!("; {all} {}", if tables.len() == 1 { "table" } else { "tables" });
    }
    words
}

impl Seen<'_, '_> {
    fn styled(&self, style: &str) -> bool {
        self.style == Some(style)
    }

    fn norms(&self, kind: &str) -> i64 {
        self.facts.norm.get(kind).copied().unwrap_or(0)
    }

    /// Whether most norms are of this kind.
    fn normalises(&self, kind: &str) -> bool {
        self.norms(kind) > 0 && self.norms(kind) * 2 >= self.facts.norm.values().sum::<i64>()
    }

    fn normed(&self, position: &str) -> bool {
        self.census.norm_position() == Some(position)
    }

    fn activates(&self, with: &str) -> bool {
        self.facts.activation.as_deref() == Some(with)
    }

    fn rotates(&self) -> bool {
        self.facts.rope == Some(true) || self.census.attends("rotary")
    }

    fn text(&self) -> bool {
        self.census.takes(Given::Tokens) || self.census.tables("token").next().is_some()
    }

    /// Whether an output has rows of this width.
    fn gives(&self, width: i64) -> bool {
        let net = self.census.net;
        net.outputs.iter().any(|output| net.dim(*output, -1) == Some(width))
    }

    /// Whether layers use the same weights again.
    fn shares(&self) -> bool {
        let net = self.census.net;
        let (mut uses, mut weights) = (0, HashSet::new());
        for unit in net.all().filter(|unit| unit.is_any(&["MatMul", "Gemm"])) {
            for val in unit.inputs.iter().take(2).flatten() {
                if net.origin(*val) == Origin::Constant && net.rank(*val) == Some(2) {
                    uses += 1;
                    weights.insert(*val);
                }
            }
        }
        self.census.attention.len() >= 2 && weights.len() * 2 <= uses + 2
    }
}

fn clip(seen: &Seen<'_, '_>) -> Told {
    seen.styled("dual-encoder").then(|| {
        let words =
            "an encoder of images and one of tokens, whose vectors are brought to length one";
        (High, words.to_owned())
    })
}

fn detr(seen: &Seen<'_, '_>) -> Told {
    let census = seen.census;
    let fits = census.takes(Given::Image) && seen.styled("encoder-decoder") && !seen.text();
    (fits && seen.gives(4)).then(|| {
        let words = "a decoder whose queries attend to the image's features and become boxes";
        (High, words.to_owned())
    })
}

fn mobilevit(seen: &Seen<'_, '_>) -> Told {
    let blocks = seen.census.count("InvertedResidual");
    (blocks >= 3 && seen.styled("vision") && seen.census.count("SiLU") > 5)
        .then(|| (Medium, format!("{blocks} inverted residuals and attention by turns")))
}

fn whisper(seen: &Seen<'_, '_>) -> Told {
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

fn wav2vec2(seen: &Seen<'_, '_>) -> Told {
    let strided = seen.census.convs.iter().filter(|c| c.kernel.len() == 1 && c.stride > 1).count();
    (seen.census.takes(Given::Waveform) && strided >= 5)
        .then(|| (High, format!("{strided} strided convolutions over the waveform")))
}

fn conformer(seen: &Seen<'_, '_>) -> Told {
    let filters = seen.census.convs.iter().filter(|c| c.kernel.len() == 1 && c.depthwise()).count();
    let sound = seen.census.takes(Given::Spectrogram) || seen.census.takes(Given::Sequence);
    (sound && filters >= 3 && filters >= seen.census.attention.len())
        .then(|| (Medium, format!("attention and {filters} depthwise convolutions by turns")))
}

fn t5(seen: &Seen<'_, '_>) -> Told {
    let fits = seen.text() && seen.normalises("RMSNorm") && !seen.rotates();
    let relative = seen.census.attends("relative");
    (fits && (relative || seen.styled("encoder-decoder"))).then(|| {
        let sure = if relative { High } else { Medium };
        (sure, "RMSNorm, and a bias by relative position in place of a position table".to_owned())
    })
}

fn bart(seen: &Seen<'_, '_>) -> Told {
    let fits = seen.text() && seen.styled("encoder-decoder") && seen.normalises("LayerNorm");
    (fits && !seen.rotates()).then(|| {
        let sure = if seen.normed("post") { High } else { Medium };
        (sure, "an encoder and a decoder of tokens with LayerNorm".to_owned())
    })
}

fn swin(seen: &Seen<'_, '_>) -> Told {
    (seen.styled("vision") && seen.census.attends("windowed"))
        .then(|| (High, "attention inside windows of the image".to_owned()))
}

fn segformer(seen: &Seen<'_, '_>) -> Told {
    let census = seen.census;
    let filters = census.image_convs().filter(|conv| conv.depthwise() && conv.side() == 3).count();
    let down = census.image_convs().filter(|conv| conv.stride > 1 && !conv.cuts()).count();
    let fits = seen.styled("vision") && filters >= census.attention.len() && down >= 3;
    fits.then(|| {
        (High, format!("stages that shrink, and {filters} depthwise convolutions in feed-forwards"))
    })
}

fn vit(seen: &Seen<'_, '_>) -> Told {
    let census = seen.census;
    let cut = census.count("PatchEmbedding") > 0 || census.image_convs().any(|conv| conv.cuts());
    let fits = seen.styled("vision") && cut && census.image_convs().count() <= 1;
    (fits && seen.normalises("LayerNorm")).then(|| {
        let sure = if seen.normed("post") { Medium } else { High };
        (sure, "an image in pieces, each a token".to_owned())
    })
}

/// An encoder of tokens with LayerNorm after each part.
fn post_norm_encoder(seen: &Seen<'_, '_>) -> bool {
    seen.styled("encoder")
        && seen.text()
        && seen.normalises("LayerNorm")
        && seen.normed("post")
        && !seen.rotates()
        && !seen.census.attends("relative")
}

fn albert(seen: &Seen<'_, '_>) -> Told {
    (post_norm_encoder(seen) && seen.shares())
        .then(|| (High, "all layers use the same weights".to_owned()))
}

fn roberta(seen: &Seen<'_, '_>) -> Told {
    (post_norm_encoder(seen) && seen.census.count("CumSum") > 0)
        .then(|| (High, "positions are counted from the tokens that are no padding".to_owned()))
}

fn distilbert(seen: &Seen<'_, '_>) -> Told {
    let census = seen.census;
    let segments = census.tables("type").next().is_some();
    let positions = census.tables("position").next().is_some();
    (post_norm_encoder(seen) && positions && !segments && census.mentions("distil"))
        .then(|| (Medium, "token and position tables without segments".to_owned()))
}

fn bert(seen: &Seen<'_, '_>) -> Told {
    post_norm_encoder(seen).then(|| {
        let segments = seen.census.tables("type").next().is_some();
        let sure = if segments { High } else { Medium };
        (sure, "an encoder of tokens with LayerNorm after each part".to_owned())
    })
}

/// A decoder of tokens with RMSNorm and rotated positions.
fn rotary_decoder(seen: &Seen<'_, '_>) -> bool {
    seen.styled("decoder") && seen.text() && seen.normalises("RMSNorm") && seen.rotates()
}

fn gemma(seen: &Seen<'_, '_>) -> Told {
    (rotary_decoder(seen) && seen.activates("geglu"))
        .then(|| (High, "a decoder with RMSNorm, rotated positions and GeGLU".to_owned()))
}

fn mixtral(seen: &Seen<'_, '_>) -> Told {
    (rotary_decoder(seen) && seen.facts.experts.is_some())
        .then(|| (Medium, "a decoder with RMSNorm, rotated positions and experts".to_owned()))
}

fn llama(seen: &Seen<'_, '_>) -> Told {
    let gated = seen.activates("swiglu") || seen.activates("silu");
    (rotary_decoder(seen) && gated).then(|| {
        (High, "a decoder with RMSNorm before each part, rotated positions and SwiGLU".to_owned())
    })
}

fn gpt_neox(seen: &Seen<'_, '_>) -> Told {
    let fits = seen.styled("decoder") && seen.text() && seen.normalises("LayerNorm");
    (fits && seen.rotates())
        .then(|| (Medium, "a decoder with LayerNorm and rotated positions".to_owned()))
}

/// A decoder of tokens alone with LayerNorm before each part and learned positions.
fn plain_decoder(seen: &Seen<'_, '_>) -> bool {
    seen.styled("decoder")
        && seen.text()
        && seen.normalises("LayerNorm")
        && !seen.normed("post")
        && !seen.rotates()
        && !seen.census.attends("relative")
        && seen.census.own_and_cross().1 == 0
}

fn opt(seen: &Seen<'_, '_>) -> Told {
    (plain_decoder(seen) && seen.activates("relu")).then(|| {
        (Medium, "a decoder with LayerNorm before each part, learned positions and ReLU".to_owned())
    })
}

fn gpt2(seen: &Seen<'_, '_>) -> Told {
    plain_decoder(seen).then(|| {
        let sure = if seen.activates("gelu") { High } else { Medium };
        (sure, "a decoder with LayerNorm before each part and learned positions".to_owned())
    })
}
