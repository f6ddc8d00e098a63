//! The variables of each class of layers, in the order in which Keras creates them.

use super::json::Config;

/// A variable of a layer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Variable {
    /// The object of the layer that holds it, as files of version 3 have it; empty for the layer.
    pub(super) part: &'static str,
    /// What the path of its name has there, in older files and in reports.
    pub(super) within: &'static str,
    /// Its name.
    pub(super) name: &'static str,
    /// The name that older versions have for it.
    older: &'static str,
}

impl Variable {
    /// Its name after that of the layer.
    pub(super) fn shown(&self) -> String {
        match self.within {
            "" => self.name.to_owned(),
            within => format!("{within}/{}", self.name),
        }
    }

    /// Whether this is its name.
    pub(super) fn is_named(&self, name: &str) -> bool {
        name == self.name || (!self.older.is_empty() && name == self.older)
    }
}

/// Whether a variable of this name is gathered during training, and not learned.
pub(super) fn is_statistic(name: &str) -> bool {
    ["moving_mean", "moving_variance", "mean", "variance", "count", "seed_generator_state"]
        .contains(&name)
}

/// A variable of the layer itself.
const fn own(name: &'static str) -> Variable {
    Variable { part: "", within: "", name, older: "" }
}

/// A variable of an object inside.
const fn variable(part: &'static str, within: &'static str, name: &'static str) -> Variable {
    Variable { part, within, name, older: "" }
}

/// The variables of a layer; none for a class that is not known.
pub(super) fn variables(class: &str, config: Config<'_>) -> Vec<Variable> {
    let use_bias = config.flag("use_bias", true) && config.flag("bias", true);
    let bias = use_bias.then_some(own("bias"));
    let with_bias = |first: &[Variable]| first.iter().copied().chain(bias).collect::<Vec<_>>();
    match class {
        "Dense" => {
            let mut all = with_bias(&[own("kernel")]);
            all.extend(is_quantized(config).then_some(own("kernel_scale")));
            all
        }
        "EinsumDense" => {
            let bias = config.get("bias_axes").map(|_| own("bias"));
            let scale = is_quantized(config).then_some(own("kernel_scale"));
            [own("kernel")].into_iter().chain(bias).chain(scale).collect()
        }
        "Conv1D" | "Conv2D" | "Conv3D" | "Conv1DTranspose" | "Conv2DTranspose"
        | "Conv3DTranspose" | "Convolution2D" | "Convolution1D" | "Deconvolution2D" => {
            with_bias(&[own("kernel")])
        }
        "DepthwiseConv1D" | "DepthwiseConv2D" => {
            with_bias(&[Variable { older: "depthwise_kernel", ..own("kernel") }])
        }
        "SeparableConv1D" | "SeparableConv2D" => {
            with_bias(&[own("depthwise_kernel"), own("pointwise_kernel")])
        }
        "BatchNormalization" | "SyncBatchNormalization" => {
            let learned = scale_and_shift(config);
            learned.into_iter().chain([own("moving_mean"), own("moving_variance")]).collect()
        }
        "LayerNormalization" | "GroupNormalization" => scale_and_shift(config),
        "RMSNormalization" => vec![own("scale")],
        "Embedding" => {
            let scale = is_quantized(config).then_some(own("embeddings_scale"));
            [own("embeddings")].into_iter().chain(scale).collect()
        }
        "PReLU" => vec![own("alpha")],
        "LayerScale" if config.get("projection_dim").is_some() => vec![own("gamma")],
        "Normalization" => vec![own("mean"), own("variance"), own("count")],
        "Attention" | "AdditiveAttention" => {
            let use_scale = config.flag("use_scale", class == "AdditiveAttention");
            let scale = use_scale.then_some(own("scale"));
            let concat = config.text("score_mode") == "concat";
            scale.into_iter().chain(concat.then_some(own("concat_score_weight"))).collect()
        }
        "MultiHeadAttention" | "GroupQueryAttention" | "GroupedQueryAttention" => {
            attention(use_bias, class)
        }
        "LSTM" | "GRU" | "SimpleRNN" | "RNN" | "ConvLSTM1D" | "ConvLSTM2D" | "ConvLSTM3D"
        | "CuDNNLSTM" | "CuDNNGRU" => recurrent(class, config, "cell", ""),
        "Bidirectional" => {
            let Some(inner) = inner(config) else { return Vec::new() };
            let of = |part, within| recurrent(inner.class, inner.config, part, within);
            let mut all = of("forward_layer/cell", "forward");
            all.extend(of("backward_layer/cell", "backward"));
            all
        }
        "TimeDistributed" => {
            let Some(inner) = inner(config).filter(|inner| inner.class != "TimeDistributed") else {
                return Vec::new();
            };
            let all = variables(inner.class, inner.config).into_iter();
            let own = all.filter(|variable| variable.part.is_empty());
            own.map(|variable| Variable { part: "layer", ..variable }).collect()
        }
        _ => Vec::new(),
    }
}

/// The layer that a wrapper has.
pub(super) struct Inner<'c> {
    pub(super) class: &'c str,
    pub(super) config: Config<'c>,
}

/// The layer inside of a wrapper.
pub(super) fn inner(config: Config<'_>) -> Option<Inner<'_>> {
    let layer = Config(config.get("layer")?);
    Some(Inner { class: layer.text("class_name"), config: Config(layer.get("config")?) })
}

/// The class and the configuration of the cell of a recurrent layer.
pub(super) fn cell<'c>(class: &'c str, config: Config<'c>) -> (&'c str, Config<'c>) {
    if class == "RNN"
        && let Some(cell) = config.get("cell").map(Config)
        && let Some(inside) = cell.get("config")
    {
        return (cell.text("class_name"), Config(inside));
    }
    (class, config)
}

fn recurrent(
    class: &str,
    config: Config<'_>,
    part: &'static str,
    within: &'static str,
) -> Vec<Variable> {
    let (class, config) = cell(class, config);
    let within = match (within, class) {
        ("", "LSTM" | "LSTMCell") => "lstm_cell",
        ("", "GRU" | "GRUCell") => "gru_cell",
        ("", "SimpleRNN" | "SimpleRNNCell") => "simple_rnn_cell",
        ("", "ConvLSTM1D" | "ConvLSTM2D" | "ConvLSTM3D") => "conv_lstm_cell",
        (within, _) => within,
    };
    let is_known = ["LSTM", "GRU", "SimpleRNN", "ConvLSTM", "CuDNN"];
    if !is_known.iter().any(|known| class.starts_with(known)) {
        return Vec::new();
    }
    let bias = config.flag("use_bias", true).then_some(variable(part, within, "bias"));
    let kernels = [variable(part, within, "kernel"), variable(part, within, "recurrent_kernel")];
    kernels.into_iter().chain(bias).collect()
}

fn attention(use_bias: bool, class: &str) -> Vec<Variable> {
    let is_grouped = class != "MultiHeadAttention";
    let parts = match is_grouped {
        true => ["_query_dense", "_key_dense", "_value_dense", "_output_dense"],
        false => ["query_dense", "key_dense", "value_dense", "output_dense"],
    };
    let within = ["query", "key", "value", "attention_output"];
    let mut all = Vec::new();
    for (part, within) in parts.into_iter().zip(within) {
        all.push(variable(part, within, "kernel"));
        all.extend(use_bias.then_some(variable(part, within, "bias")));
    }
    all
}

fn scale_and_shift(config: Config<'_>) -> Vec<Variable> {
    let scale = config.flag("scale", true).then_some(own("gamma"));
    let shift = config.flag("center", true).then_some(own("beta"));
    scale.into_iter().chain(shift).collect()
}

/// Whether weights are stored as integers with scales.
fn is_quantized(config: Config<'_>) -> bool {
    let policy = config.get("dtype").and_then(|dtype| dtype.get("config")).map(Config);
    policy.is_some_and(|policy| {
        let mode = policy.text("name").split('_').next().unwrap_or_default();
        matches!(mode, "int8" | "int4")
    })
}
