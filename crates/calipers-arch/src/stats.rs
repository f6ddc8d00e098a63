//! What the decisions about kind and task look at, gathered once.

use calipers_measure::assume;
use calipers_report::{ArchitectureFacts, NormPosition};

pub(crate) use crate::given::Given;
use crate::given::{given, is_cut_image, is_product, stored_conv};
use crate::network::{
    Attention, BlockKind, Convolution, Embedding, Network, NetworkOp, Op, OpSet, TableKind, Val,
};

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
    /// Sizes assumed for free dimensions.
    sizes: Option<&'n assume::Sizes>,
}

impl<'n, 'a> NetworkStats<'n, 'a> {
    pub(crate) fn new(net: &'n Network<'a>, facts: &ArchitectureFacts) -> Self {
        let (mut convs, mut attention, mut embeddings) = (Vec::new(), Vec::new(), Vec::new());
        for unit in net.all() {
            match unit.op {
                Op::Block(BlockKind::Attention) => attention.push(unit),
                Op::Block(BlockKind::Embedding) => embeddings.push(unit),
                _ => convs.extend(stored_conv(net, unit)),
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
        // A row of bits next to an image is spread over its pixels.
        if inputs.iter().any(|(_, given)| *given == Given::Image) {
            let spread = |(val, given): &mut (Val, Given)| {
                if *given == Given::Waveform && net.rank(*val) == Some(2) {
                    *given = Given::Other;
                }
            };
            inputs.iter_mut().for_each(spread);
        }
        Self { net, convs, attention, embeddings, inputs, cache, sizes: None }
    }

    /// The same with these sizes for free dimensions.
    pub(crate) fn at(self, sizes: &'n assume::Sizes) -> Self {
        Self { sizes: Some(sizes), ..self }
    }

    /// A dimension at the assumed sizes; negative places count from the end. `None` where the data
    /// decides it.
    pub(crate) fn size(&self, val: Val, at: isize) -> Option<i64> {
        let shape = self.net.shape(val)?;
        let at = if at < 0 { shape.len().checked_add_signed(at)? } else { at.unsigned_abs() };
        let dim = shape.get(at)?;
        match self.sizes {
            Some(sizes) => assume::evaluate(dim, sizes),
            None => dim.as_const(),
        }
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
        model.hint(model.main().name).judge(says)
            || model.doc_hint().judge(says)
            || model.metadata_hints().any(|(key, value)| key.judge(says) || value.judge(says))
            || model.nodes().take(READ).any(|(_, node)| model.hint(node.name).judge(says))
    }
}
