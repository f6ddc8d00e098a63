//! What the decisions about kind and task look at, gathered once.

use calipers_ir::DType;
use calipers_report::ArchitectureFacts;
use hashbrown::{HashMap, HashSet};

use crate::net::{Net, Origin, Unit, Val};

/// A convolution with stored weights.
#[derive(Clone, Debug)]
pub(crate) struct Conv {
    pub input: i64,
    pub output: i64,
    /// Sides of the kernel; one for signals, two for images.
    pub kernel: Vec<i64>,
    pub stride: i64,
    pub dilation: i64,
    pub groups: i64,
    pub transposed: bool,
}

impl Conv {
    /// Whether it looks at more than one place.
    pub(crate) fn spatial(&self) -> bool {
        self.kernel.iter().any(|side| *side > 1)
    }

    pub(crate) fn pointwise(&self) -> bool {
        !self.spatial()
    }

    /// Whether each channel is filtered by itself.
    pub(crate) fn depthwise(&self) -> bool {
        self.groups > 1 && self.groups == self.input
    }

    /// Whether it runs over images.
    pub(crate) fn over_images(&self) -> bool {
        self.kernel.len() == 2
    }

    /// Whether it cuts its input into pieces that do not overlap.
    pub(crate) fn cuts(&self) -> bool {
        self.stride > 1 && self.kernel.iter().all(|side| *side == self.stride)
    }

    pub(crate) fn side(&self) -> i64 {
        self.kernel.iter().copied().max().unwrap_or(1)
    }
}

/// What an input is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Given {
    Image,
    Tokens,
    /// A sound as it is, or as bands of a spectrogram.
    Waveform,
    Spectrogram,
    /// A row of numbers.
    Features,
    /// Rows of numbers in order.
    Sequence,
    Text,
    /// Masks, positions, caches, and what nothing tells.
    Other,
}

/// What the decisions look at.
pub(crate) struct Census<'n, 'a> {
    pub net: &'n Net<'a>,
    counts: HashMap<&'static str, i64>,
    pub convs: Vec<Conv>,
    pub attention: Vec<&'n Unit>,
    pub embeddings: Vec<&'n Unit>,
    pub inputs: Vec<(Val, Given)>,
    /// Whether the file keeps a cache of keys and values.
    pub cache: bool,
}

impl<'n, 'a> Census<'n, 'a> {
    pub(crate) fn of(net: &'n Net<'a>, facts: &ArchitectureFacts) -> Self {
        let mut counts: HashMap<&'static str, i64> = HashMap::new();
        let (mut convs, mut attention, mut embeddings) = (Vec::new(), Vec::new(), Vec::new());
        for unit in net.all() {
            *counts.entry(unit.op).or_default() += 1;
            match unit.op {
                "Conv" | "ConvTranspose" => convs.extend(conv(net, unit)),
                "Attention" => attention.push(unit),
                "Embedding" => embeddings.push(unit),
                _ => {}
            }
        }
        let cache = facts.kv_cache == Some(true);
        let mut inputs: Vec<(Val, Given)> =
            net.inputs.iter().map(|val| (*val, given(net, *val))).collect();
        // Keys and values of a cache have the shape of images. Where tokens go in, only what meets
        // a convolution is one.
        if inputs.iter().all(|(_, given)| *given != Given::Tokens) && !cache {
            let cut = |(val, given): &mut (Val, Given)| {
                if *given == Given::Other && is_cut_image(net, *val) {
                    *given = Given::Image;
                }
            };
            inputs.iter_mut().for_each(cut);
        }
        Self { net, counts, convs, attention, embeddings, inputs, cache }
    }

    /// How many units of an operator or kind there are, inside blocks too.
    pub(crate) fn count(&self, op: &str) -> i64 {
        self.counts.get(op).copied().unwrap_or(0)
    }

    /// How many of several.
    pub(crate) fn count_of(&self, ops: &[&str]) -> i64 {
        ops.iter().map(|op| self.count(op)).sum()
    }

    /// Whether some input is this.
    pub(crate) fn takes(&self, what: Given) -> bool {
        self.inputs.iter().any(|(_, given)| *given == what)
    }

    /// Products with stored matrices.
    pub(crate) fn linears(&self) -> i64 {
        let written: usize = self.net.all().filter(|unit| is_product(self.net, unit)).count();
        i64::try_from(written).unwrap_or(i64::MAX)
    }

    /// Convolutions over images.
    pub(crate) fn image_convs(&self) -> impl Iterator<Item = &Conv> {
        self.convs.iter().filter(|conv| conv.over_images())
    }

    /// Convolutions that make features of images: they overlap and mix channels.
    pub(crate) fn feature_convs(&self) -> usize {
        let mixing = |conv: &&Conv| conv.spatial() && !conv.depthwise() && !conv.cuts();
        self.image_convs().filter(mixing).count()
    }

    /// Attention over its own sequence, and over another one.
    pub(crate) fn own_and_cross(&self) -> (usize, usize) {
        let cross = self.attention.iter().filter(|unit| unit.word("over") == Some("cross")).count();
        (self.attention.len() - cross, cross)
    }

    /// Whether some attention says this of itself.
    pub(crate) fn attends(&self, how: &str) -> bool {
        self.attention.iter().any(|unit| unit.says(how))
    }

    /// Whether a value is the mean, or the sum, of what two products give.
    pub(crate) fn is_mean_of_products(&self, val: Val) -> bool {
        let net = self.net;
        let behind = match net.made_by(val, &["Div", "Mul"]) {
            Some(scaled) => net.data_and_constant(net.unit(scaled)).map_or(val, |(data, _)| data),
            None => val,
        };
        let Some(sum) = net.made_by(behind, &["Add"]) else { return false };
        let operands = net.data_pair(net.unit(sum));
        operands.is_some_and(|(a, b)| {
            [a, b].iter().all(|val| net.made_by(*val, &["Gemm", "Linear", "MatMul"]).is_some())
        })
    }

    /// Where the norms stand at most of the attention: `pre` or `post`.
    pub(crate) fn norm_position(&self) -> Option<&'static str> {
        let words = self.attention.iter().filter_map(|unit| unit.word("norm"));
        let (pre, post): (Vec<_>, Vec<_>) =
            words.filter(|word| ["pre", "post"].contains(word)).partition(|word| *word == "pre");
        match pre.len().cmp(&post.len()) {
            std::cmp::Ordering::Greater => Some("pre"),
            std::cmp::Ordering::Less => Some("post"),
            std::cmp::Ordering::Equal => None,
        }
    }

    /// Blocks that backbones of convolutions are made of.
    pub(crate) fn backbone(&self) -> i64 {
        self.count_of(&[
            "BasicBlock",
            "Bottleneck",
            "CSP",
            "ConvNeXtBlock",
            "DepthwiseSeparable",
            "InvertedResidual",
        ])
    }

    /// Tables of a kind that are looked up.
    pub(crate) fn tables(&self, of: &str) -> impl Iterator<Item = &&'n Unit> {
        self.embeddings.iter().filter(move |unit| unit.word("of") == Some(of))
    }

    /// Whether a name of the model says this, in its metadata, its graph or its nodes. It may only
    /// choose between what the structure allows.
    pub(crate) fn mentions(&self, word: &str) -> bool {
        /// Nodes whose names are read.
        const READ: usize = 2000;
        let model = self.net.model;
        let says = |text: &str| text.to_ascii_lowercase().contains(word);
        says(model.name(model.main().name))
            || says(&model.header.doc)
            || model.header.metadata.iter().any(|(key, value)| says(key) || says(value))
            || model.nodes().take(READ).any(|(_, node)| says(model.name(node.name)))
    }
}

fn conv(net: &Net<'_>, unit: &Unit) -> Option<Conv> {
    let weight = unit.input(1).filter(|weight| net.origin(*weight) == Origin::Constant)?;
    let dims: Vec<i64> =
        net.shape(weight)?.iter().map(|dim| dim.as_const()).collect::<Option<_>>()?;
    let [first, second, ref kernel @ ..] = dims[..] else { return None };
    let groups = net.int(unit, "group").unwrap_or(1).max(1);
    let most = |name: &str| net.ints(unit, name).and_then(|all| all.iter().copied().max());
    let transposed = unit.is("ConvTranspose");
    let (input, output) = if transposed {
        (first, second.saturating_mul(groups))
    } else {
        (second.saturating_mul(groups), first)
    };
    Some(Conv {
        input,
        output,
        kernel: kernel.to_vec(),
        stride: most("strides").unwrap_or(1),
        dilation: most("dilations").unwrap_or(1),
        groups,
        transposed,
    })
}

fn is_product(net: &Net<'_>, unit: &Unit) -> bool {
    let stored = |at: usize| {
        let val = unit.input(at).filter(|val| net.origin(*val) == Origin::Constant);
        val.is_some_and(|val| net.rank(val).is_none_or(|rank| rank >= 2))
    };
    unit.is_any(&["Gemm", "MatMul"]) && (stored(0) || stored(1))
}

/// Units that a search on from an input looks at.
const MAX_SEARCH: usize = 256;

/// What an input is given, from its type, its dimensions and what first computes with it.
fn given(net: &Net<'_>, val: Val) -> Given {
    let Some(dtype) = net.dtype(val) else { return Given::Other };
    if dtype == DType::String {
        return Given::Text;
    }
    let met = first_met(net, val);
    let number = dtype.is_float() || dtype == DType::Uint8;
    match (met, net.rank(val)) {
        (Some(Met::Table), _) if !dtype.is_float() && dtype != DType::Bool => Given::Tokens,
        (Some(Met::Image), _) if number => Given::Image,
        (Some(Met::Signal { channels }), rank) if number => {
            let bands = rank == Some(3) && channels > 2;
            if bands { Given::Spectrogram } else { Given::Waveform }
        }
        (Some(Met::Sound), _) if number => Given::Waveform,
        (Some(Met::Product | Met::Classical), Some(1 | 2)) => Given::Features,
        (Some(Met::Product | Met::Recurrence), Some(3)) if number => Given::Sequence,
        _ => Given::Other,
    }
}

/// Whether a value looks like an image that is cut into pieces and multiplied.
fn is_cut_image(net: &Net<'_>, val: Val) -> bool {
    let number = net.dtype(val).is_some_and(|dtype| dtype.is_float() || dtype == DType::Uint8);
    if !number || net.rank(val) != Some(4) || !matches!(first_met(net, val), Some(Met::Product)) {
        return false;
    }
    let channels = |at| net.dim(val, at).is_some_and(|dim| matches!(dim, 1 | 3 | 4));
    let long = |at| net.dim(val, at).is_none_or(|dim| dim >= 16);
    channels(1) && long(2) && long(3) || channels(3) && long(1) && long(2)
}

/// What first computes with a value.
enum Met {
    Image,
    Signal { channels: i64 },
    Sound,
    Table,
    Product,
    Recurrence,
    Classical,
}

fn first_met(net: &Net<'_>, val: Val) -> Option<Met> {
    let mut seen: HashSet<Val> = std::iter::once(val).collect();
    let mut queue = std::collections::VecDeque::from([val]);
    let mut looked = 0;
    while let Some(val) = queue.pop_front() {
        for id in net.uses(val) {
            looked += 1;
            if looked > MAX_SEARCH {
                return None;
            }
            let unit = net.unit(id);
            if let Some(met) = unit.walk().find_map(|part| met(net, part)) {
                return Some(met);
            }
            queue.extend(unit.outputs.iter().copied().filter(|output| seen.insert(*output)));
        }
    }
    None
}

fn met(net: &Net<'_>, unit: &Unit) -> Option<Met> {
    Some(match unit.op {
        "Conv" | "ConvTranspose" => {
            let conv = conv(net, unit)?;
            if conv.kernel.len() == 1 { Met::Signal { channels: conv.input } } else { Met::Image }
        }
        "DFT" | "MelSpectrogram" | "STFT" => Met::Sound,
        "Embedding" => Met::Table,
        "Gather" | "GatherBlockQuantized" => {
            let table = unit.input(0)?;
            if net.is_data(table) || net.rank(table) != Some(2) {
                return None;
            }
            Met::Table
        }
        "GRU" | "LSTM" | "RNN" => Met::Recurrence,
        "Gemm" | "MatMul" if is_product(net, unit) => Met::Product,
        "LinearClassifier"
        | "LinearRegressor"
        | "SVMClassifier"
        | "SVMRegressor"
        | "Scaler"
        | "Imputer"
        | "TreeEnsemble"
        | "TreeEnsembleClassifier"
        | "TreeEnsembleRegressor" => Met::Classical,
        _ => return None,
    })
}
