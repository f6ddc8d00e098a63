//! What the decisions about kind and task look at, gathered once.

use calipers_ir::DType;
use calipers_ops::{Class, Movement};
use calipers_report::{ArchitectureFacts, NormPosition};
use hashbrown::HashSet;

use crate::network::{
    Attention, BlockKind, Convolution, Embedding, Network, NetworkOp, Op, OpSet, Origin, TableKind,
    Val,
};

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
    /// Masks, positions, caches, and unrecognized inputs.
    Other,
}

/// What the decisions look at.
pub(crate) struct NetworkStats<'n, 'a> {
    pub net: &'n Network<'a>,
    /// Convolutions with stored weights of known sizes.
    pub convs: Vec<Convolution>,
    pub attention: Vec<&'n NetworkOp>,
    pub embeddings: Vec<&'n NetworkOp>,
    pub inputs: Vec<(Val, Given)>,
    /// Whether the file keeps a cache of keys and values.
    pub cache: bool,
}

impl<'n, 'a> NetworkStats<'n, 'a> {
    pub(crate) fn new(net: &'n Network<'a>, facts: &ArchitectureFacts) -> Self {
        let (mut convs, mut attention, mut embeddings) = (Vec::new(), Vec::new(), Vec::new());
        for unit in net.all() {
            match unit.op {
                Op::Block(BlockKind::Attention) => attention.push(unit),
                Op::Block(BlockKind::Embedding) => embeddings.push(unit),
                _ => convs.extend(conv(net, unit)),
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
        Self { net, convs, attention, embeddings, inputs, cache }
    }

    /// How many units of an operator or kind there are, inside blocks too.
    pub(crate) fn count(&self, op: impl Into<Op>) -> i64 {
        self.net.count(op)
    }

    /// How many of several.
    pub(crate) fn count_of(&self, ops: impl IntoIterator<Item = impl Into<Op>>) -> i64 {
        ops.into_iter().map(|op| self.count(op)).sum()
    }

    /// How many of a set, inside blocks too.
    pub(crate) fn count_in(&self, set: impl OpSet) -> i64 {
        self.net.count_in(set)
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
    pub(crate) fn image_convs(&self) -> impl Iterator<Item = &Convolution> {
        self.convs.iter().filter(|conv| conv.is_over_images())
    }

    /// Convolutions that make features of images: they overlap and mix channels.
    pub(crate) fn feature_convs(&self) -> usize {
        let mixing =
            |conv: &&Convolution| conv.side() > Some(1) && !conv.is_depthwise() && !conv.cuts();
        self.image_convs().filter(mixing).count()
    }

    /// Attention over its own sequence, and over another one.
    pub(crate) fn own_and_cross(&self) -> (usize, usize) {
        let cross = self.attentions().filter(|attention| attention.is_cross()).count();
        (self.attention.len() - cross, cross)
    }

    /// The figures of every attention.
    pub(crate) fn attentions(&self) -> impl Iterator<Item = &Attention> {
        self.attention.iter().filter_map(|unit| unit.attention())
    }

    /// Whether some attention is like this.
    pub(crate) fn attends(&self, how: impl Fn(&Attention) -> bool) -> bool {
        self.attentions().any(how)
    }

    /// Whether a value is the mean, or the sum, of what two products give.
    pub(crate) fn is_mean_of_products(&self, val: Val) -> bool {
        let net = self.net;
        let behind = match net.made_by(val, ["Div", "Mul"]) {
            Some(scaled) => net.data_and_constant(net.unit(scaled)).map_or(val, |(data, _)| data),
            None => val,
        };
        let Some(sum) = net.made_by(behind, "Add") else { return false };
        let operands = net.data_pair(net.unit(sum));
        operands.is_some_and(|(a, b)| {
            [a, b]
                .iter()
                .all(|val| net.made_by(*val, (BlockKind::Linear, &["Gemm", "MatMul"])).is_some())
        })
    }

    /// Where the norm of most of the attention is.
    pub(crate) fn norm_position(&self) -> Option<NormPosition> {
        let positions = self.attentions().filter_map(|attention| attention.norm);
        let (pre, post): (Vec<_>, Vec<_>) =
            positions.partition(|position| *position == NormPosition::Pre);
        match pre.len().cmp(&post.len()) {
            std::cmp::Ordering::Greater => Some(NormPosition::Pre),
            std::cmp::Ordering::Less => Some(NormPosition::Post),
            std::cmp::Ordering::Equal => None,
        }
    }

    /// Blocks that backbones of convolutions are made of.
    pub(crate) fn backbone(&self) -> i64 {
        self.count_of([
            BlockKind::BasicBlock,
            BlockKind::Bottleneck,
            BlockKind::Csp,
            BlockKind::ConvNextBlock,
            BlockKind::DepthwiseSeparable,
            BlockKind::InvertedResidual,
        ])
    }

    /// Tables of a kind that are looked up.
    pub(crate) fn tables(&self, of: TableKind) -> impl Iterator<Item = &Embedding> {
        let tables = self.embeddings.iter().filter_map(|unit| unit.embedding());
        tables.filter(move |table| table.of == of)
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

/// The convolution of an operator with stored weights of known sizes.
fn conv(net: &Network<'_>, unit: &NetworkOp) -> Option<Convolution> {
    let conv = Convolution::of_operator(net, unit)?;
    unit.input(1).filter(|weight| net.origin(*weight) == Origin::Constant)?;
    conv.in_channels.and(conv.out_channels).and(conv.rank())?;
    Some(conv)
}

fn is_product(net: &Network<'_>, unit: &NetworkOp) -> bool {
    let stored = |at: usize| {
        let val = unit.input(at).filter(|val| net.origin(*val) == Origin::Constant);
        val.is_some_and(|val| net.rank(val).is_none_or(|rank| rank >= 2))
    };
    unit.is(["Gemm", "MatMul"]) && (stored(0) || stored(1))
}

/// Units that a search on from an input looks at.
const MAX_SEARCH: usize = 256;

/// What an input is given, from its type, its dimensions and what first computes with it.
fn given(net: &Network<'_>, val: Val) -> Given {
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
fn is_cut_image(net: &Network<'_>, val: Val) -> bool {
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

fn first_met(net: &Network<'_>, val: Val) -> Option<Met> {
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

fn met(net: &Network<'_>, unit: &NetworkOp) -> Option<Met> {
    let traits = unit.traits();
    Some(match traits.map(|traits| traits.class) {
        None if unit.is(BlockKind::Embedding) => Met::Table,
        None => return None,
        Some(_) if Convolution::of_operator(net, unit).is_some() => {
            let conv = conv(net, unit)?;
            match (conv.rank(), conv.in_channels) {
                (Some(1), Some(channels)) => Met::Signal { channels },
                _ => Met::Image,
            }
        }
        Some(_) if is_product(net, unit) => Met::Product,
        Some(Class::Features | Class::LinearModel | Class::SupportVectors | Class::Trees) => {
            Met::Classical
        }
        Some(Class::Movement) if unit.movement() == Some(Movement::Gather) => {
            let table = unit.input(0)?;
            if net.is_data(table) || net.rank(table) != Some(2) {
                return None;
            }
            Met::Table
        }
        Some(Class::Recurrent) => Met::Recurrence,
        Some(Class::Signal) => Met::Sound,
        Some(_) => return None,
    })
}
