//! What a description says of a network.

use calipers_ir::assembly::Assembly;
use calipers_ir::{DType, Description, TooLarge};

use crate::Stored;
use crate::families::{Family, Plan};
use crate::graph::Graph;
use crate::names::Convention;
use crate::weights::Weights;
use crate::{clip, decoder, encoder, mamba, t5, vision, whisper};

/// More layers than any network has.
const MAX_LAYERS: i64 = 1024;

/// More experts, in all layers together, than any network has.
const MAX_EXPERTS: i64 = 1 << 15;

/// A network as a description next to its weights states it.
#[derive(Clone, Debug)]
pub struct Network {
    pub(crate) convention: Convention,
    /// The architecture as written.
    pub(crate) architecture: String,
    /// The family as the description names it, such as `llama`.
    pub(crate) model_type: String,
    pub(crate) family: Option<&'static Family>,
    /// The main stack: the decoder, where there is one.
    pub(crate) stack: Stack,
    /// The encoder next to a decoder, or of images next to one of text.
    pub(crate) encoder: Stack,
    pub(crate) experts: Experts,
    pub(crate) windows: Windows,
    pub(crate) image: Image,
    pub(crate) state: State,
    pub(crate) activation: Option<Activation>,
    /// Whether the feed-forward layers are gated, where the description says so.
    pub(crate) gated: Option<bool>,
    /// Whether queries, keys and values have biases, where the description says so.
    pub(crate) attention_bias: Option<bool>,
    /// Whether the result of attention has a bias, where the description says so.
    pub(crate) output_bias: Option<bool>,
    /// Whether the sublayers of a layer are parallel, where the description says so.
    pub(crate) is_parallel: Option<bool>,
    pub(crate) tied: Option<bool>,
    pub(crate) packing: Packing,
    pub(crate) dtype: Option<DType>,
    /// Segments of an encoder.
    pub(crate) segments: Option<i64>,
    /// Classes or features that a head gives.
    pub(crate) classes: Option<i64>,
    /// Width of the embeddings that a dual encoder compares.
    pub(crate) projection: Option<i64>,
    /// Buckets of a relative position bias.
    pub(crate) buckets: Option<i64>,
    /// Bands of a spectrogram.
    pub(crate) bands: Option<i64>,
    /// Whether layers are of kinds that no graph here has.
    pub(crate) is_mixed: bool,
}

/// A stack of layers.
#[derive(Clone, Debug, Default)]
pub(crate) struct Stack {
    pub(crate) layers: Option<i64>,
    pub(crate) hidden: Option<i64>,
    pub(crate) ffn: Option<i64>,
    pub(crate) heads: Option<i64>,
    pub(crate) kv_heads: Option<i64>,
    pub(crate) head_dim: Option<i64>,
    pub(crate) vocabulary: Option<i64>,
    pub(crate) context: Option<i64>,
    /// Heads of keys and values of each layer, where they differ.
    pub(crate) kv_heads_by_layer: Vec<i64>,
    /// Heads of queries of each layer, where they differ.
    pub(crate) heads_by_layer: Vec<i64>,
    /// Width inside the feed-forward layers of each layer, where they differ.
    pub(crate) ffn_by_layer: Vec<i64>,
}

/// Experts of the feed-forward layers.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Experts {
    pub(crate) count: Option<i64>,
    pub(crate) used: Option<i64>,
    pub(crate) ffn: Option<i64>,
    /// Width of the experts that every token uses.
    pub(crate) shared: Option<i64>,
    /// Layers before the first that has experts.
    pub(crate) from: i64,
    /// Every how many layers there are experts.
    pub(crate) step: i64,
}

/// Layers whose attention looks back a limited way.
#[derive(Clone, Debug, Default)]
pub(crate) struct Windows {
    pub(crate) size: Option<i64>,
    /// Every how many layers one looks back all the way; 0 for none of them.
    pub(crate) period: Option<i64>,
    /// Whether each layer is limited, where the description lists them.
    pub(crate) by_layer: Vec<bool>,
    /// The first layer that is limited.
    pub(crate) from: i64,
}

/// Images that are cut into patches.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Image {
    pub(crate) side: Option<i64>,
    pub(crate) patch: Option<i64>,
    pub(crate) channels: Option<i64>,
}

/// State space layers.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct State {
    pub(crate) size: Option<i64>,
    pub(crate) inner: Option<i64>,
    pub(crate) kernel: Option<i64>,
    pub(crate) rank: Option<i64>,
}

/// How quantized weights are packed.
#[derive(Clone, Debug, Default)]
pub(crate) struct Packing {
    pub(crate) method: String,
    pub(crate) bits: Option<i64>,
    pub(crate) group: Option<i64>,
}

/// An activation function.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Activation {
    Silu,
    Gelu,
    GeluTanh,
    QuickGelu,
    Relu,
    Tanh,
}

impl Activation {
    /// The activation of a name in a configuration.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "silu" | "swish" | "swiglu" => Self::Silu,
            "gelu" | "gelu_python" | "geglu" => Self::Gelu,
            "gelu_new" | "gelu_pytorch_tanh" | "gelu_fast" | "gelu_python_tanh" => Self::GeluTanh,
            "quick_gelu" => Self::QuickGelu,
            "relu" => Self::Relu,
            "tanh" => Self::Tanh,
            _ => return None,
        })
    }
}

/// The sizes of a stack that all its graphs need.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Shape {
    pub(crate) layers: i64,
    pub(crate) hidden: i64,
    pub(crate) ffn: i64,
    pub(crate) heads: i64,
    pub(crate) kv_heads: i64,
    pub(crate) head_dim: i64,
}

impl Stack {
    /// The sizes; `None` where the description lacks one that nothing else gives.
    pub(crate) fn shape(&self) -> Option<Shape> {
        let layers = self.layers.filter(|layers| *layers <= MAX_LAYERS)?;
        let hidden = self.hidden?;
        let heads = self.heads.or_else(|| self.heads_by_layer.iter().copied().max())?;
        let kv_heads = self.kv_heads.or_else(|| self.kv_heads_by_layer.iter().copied().max());
        let head_dim = self.head_dim.unwrap_or(hidden / heads);
        let ffn = self.ffn.or_else(|| self.ffn_by_layer.iter().copied().max());
        let shape = Shape {
            layers,
            hidden,
            ffn: ffn.unwrap_or(4 * hidden),
            heads,
            kv_heads: kv_heads.unwrap_or(heads),
            head_dim,
        };
        (head_dim > 0).then_some(shape)
    }

    /// The sizes of one layer.
    pub(crate) fn of_layer(&self, shape: &Shape, layer: i64) -> Shape {
        let at = |list: &[i64], all: i64| {
            usize::try_from(layer).ok().and_then(|at| list.get(at).copied()).unwrap_or(all)
        };
        Shape {
            heads: at(&self.heads_by_layer, shape.heads),
            kv_heads: at(&self.kv_heads_by_layer, shape.kv_heads),
            ffn: at(&self.ffn_by_layer, shape.ffn),
            ..*shape
        }
    }
}

impl Windows {
    /// How far back a layer looks, where that is limited. `period` is the family's.
    pub(crate) fn of_layer(&self, layer: i64, period: i64) -> Option<i64> {
        let size = self.size?;
        let listed = usize::try_from(layer).ok().and_then(|at| self.by_layer.get(at).copied());
        let period = self.period.unwrap_or(period);
        let counted = || layer >= self.from && (period == 0 || (layer + 1) % period != 0);
        listed.unwrap_or_else(counted).then_some(size)
    }
}

impl Network {
    /// The network as the report has it.
    pub fn description(&self) -> Description {
        let positive = |size: Option<i64>| size.and_then(|size| u64::try_from(size).ok());
        let stack = &self.stack;
        let derived = || stack.hidden.zip(stack.heads).map(|(hidden, heads)| hidden / heads);
        let has_heads = stack.head_dim.or_else(derived).filter(|width| *width > 0);
        Description {
            source: match self.convention {
                Convention::HuggingFace => "config.json".to_owned(),
                Convention::Gguf => "metadata of the file".to_owned(),
            },
            architecture: self.architecture.clone(),
            layers: positive(stack.layers),
            hidden: positive(stack.hidden),
            ffn: positive(stack.ffn),
            heads: positive(stack.heads),
            kv_heads: positive(stack.kv_heads.or(stack.heads)),
            head_dim: positive(has_heads),
            vocabulary: positive(stack.vocabulary),
            context: positive(stack.context),
            experts: positive(self.experts.count),
            experts_used: positive(self.experts.used),
            expert_ffn: positive(self.experts.ffn),
            tied: self.tied,
            bits: positive(self.packing.bits),
            quantization: self.packing.method.clone(),
            dtype: self.dtype,
        }
    }

    /// Adds the network's graph over the tensors that are stored, which are in the model already.
    /// Those of the description that are not stored are added as absent. Returns whether there is a
    /// graph for the family; nothing is added otherwise.
    ///
    /// # Errors
    ///
    /// [`TooLarge`] if the model has more parts than fit.
    pub fn build(&self, assembly: &mut Assembly<'_>, stored: &[Stored]) -> Result<bool, TooLarge> {
        let experts = self.experts.count.unwrap_or(0);
        let layers = self.stack.layers.unwrap_or(0);
        let fits = experts.checked_mul(layers).is_some_and(|all| all <= MAX_EXPERTS);
        let Some(family) = self.family.filter(|_| fits && !self.is_mixed) else {
            return Ok(false);
        };
        let weights = Weights::new(stored, self.convention, family.plan.layers(self.convention));
        if weights.are_others() {
            return Ok(false);
        }
        let mut graph = Graph::new(assembly, weights, self)?;
        let built = match family.plan {
            Plan::Decoder(style) => decoder::build(&mut graph, self, style)?,
            Plan::Encoder(style) => encoder::build(&mut graph, self, style)?,
            Plan::T5 => t5::build(&mut graph, self)?,
            Plan::Whisper => whisper::build(&mut graph, self)?,
            Plan::Clip => clip::build(&mut graph, self)?,
            Plan::Vision(style) => vision::build(&mut graph, self, style)?,
            Plan::Mamba => mamba::build(&mut graph, self)?,
        };
        if built {
            graph.name(&self.model_type);
        }
        Ok(built)
    }
}
