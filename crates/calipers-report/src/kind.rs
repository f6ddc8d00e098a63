//! Kinds, styles and parts of networks.

use crate::names::names;

names! {
    /// The kind of a model, by what does its work.
    pub enum ModelKind {
        Clustering = "clustering" => "Clustering",
        Cnn = "cnn" => "CNN",
        Gnn = "gnn" => "Graph neural network",
        Hybrid = "hybrid" => "Hybrid network",
        Linear = "linear" => "Linear model",
        Mixer = "mixer" => "Mixer",
        Mlp = "mlp" => "MLP",
        NaiveBayes = "naive-bayes" => "Naive Bayes",
        NearestNeighbors = "nearest-neighbors" => "Nearest neighbors",
        Pipeline = "pipeline" => "Pipeline",
        Rnn = "rnn" => "RNN",
        Svm = "svm" => "SVM",
        Transformer = "transformer" => "Transformer",
        TreeEnsemble = "tree-ensemble" => "Tree ensemble",
    }
}

names! {
    /// How a network that attends is used.
    pub enum Style {
        Decoder = "decoder" => "decoder",
        DualEncoder = "dual-encoder" => "dual encoder",
        Encoder = "encoder" => "encoder",
        EncoderDecoder = "encoder-decoder" => "encoder-decoder",
        Vision = "vision" => "vision",
    }
}

impl Style {
    /// Returns whether part of the network is an encoder.
    pub fn has_encoder(self) -> bool {
        matches!(self, Self::DualEncoder | Self::Encoder | Self::EncoderDecoder)
    }

    /// Returns whether part of the network is a decoder.
    pub fn has_decoder(self) -> bool {
        matches!(self, Self::Decoder | Self::EncoderDecoder)
    }
}

names! {
    /// How the heads of an attention layer share keys and values, or what they attend to.
    pub enum AttentionKind {
        GroupedQuery = "grouped-query" => "grouped-query",
        MultiHead = "multi-head" => "multi-head",
        MultiQuery = "multi-query" => "multi-query",
        Windowed = "windowed" => "windowed",
    }
}

names! {
    /// A normalization layer.
    pub enum NormKind {
        BatchNorm = "BatchNormalization" => "BatchNorm",
        GroupNorm = "GroupNorm" => "GroupNorm",
        InstanceNorm = "InstanceNorm" => "InstanceNorm",
        Lrn = "LRN" => "LRN",
        LayerNorm = "LayerNorm" => "LayerNorm",
        RmsNorm = "RMSNorm" => "RMSNorm",
    }
}

names! {
    /// Where the norms of a residual layer are: before its computation or after the addition.
    pub exhaustive enum NormPosition {
        Post = "post" => "post-norm",
        Pre = "pre" => "pre-norm",
    }
}

names! {
    /// A connection around computation that joins by something other than addition.
    pub enum SkipKind {
        Concatenation = "concatenation" => "concatenation",
        Gate = "gate" => "gate",
        Subtraction = "subtraction" => "subtraction",
    }
}

names! {
    /// What a value of a graph is.
    pub exhaustive enum ValueKind default Unknown {
        Map = "map" => "map",
        Opaque = "opaque" => "opaque",
        Optional = "optional" => "optional",
        Sequence = "sequence" => "sequence",
        SparseTensor = "sparse_tensor" => "sparse tensor",
        Tensor = "tensor" => "tensor",
        /// The file does not state it.
        Unknown = "unknown" => "unknown",
    }
}

names! {
    /// How certain a statement is, from the least certain up.
    pub exhaustive enum Confidence default Low {
        /// A guess.
        Low = "low" => "low",
        /// Much of the evidence supports it.
        Medium = "medium" => "medium",
        /// The structure leaves no doubt.
        High = "high" => "high",
    }
}
