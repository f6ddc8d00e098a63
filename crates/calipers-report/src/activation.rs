//! Activation functions.

use crate::names::names;

names! {
    /// An activation function, or a gated linear unit with one on its gate.
    pub enum Activation {
        Celu = "celu" => "CELU",
        CeluGlu = "celu-glu" => "CELU-GLU",
        Elu = "elu" => "ELU",
        EluGlu = "elu-glu" => "ELU-GLU",
        Geglu = "geglu" => "GeGLU",
        Gelu = "gelu" => "GELU",
        Glu = "glu" => "GLU",
        HardSigmoid = "hardsigmoid" => "hard-sigmoid",
        HardSigmoidGlu = "hardsigmoid-glu" => "hard-sigmoid-GLU",
        HardSwish = "hardswish" => "hard-swish",
        HardSwishGlu = "hardswish-glu" => "hard-swish-GLU",
        LeakyRelu = "leakyrelu" => "LeakyReLU",
        LeakyReluGlu = "leakyrelu-glu" => "LeakyReLU-GLU",
        Mish = "mish" => "Mish",
        MishGlu = "mish-glu" => "Mish-GLU",
        Prelu = "prelu" => "PReLU",
        PreluGlu = "prelu-glu" => "PReLU-GLU",
        Reglu = "reglu" => "ReGLU",
        Relu = "relu" => "ReLU",
        ReluSquared = "relu-squared" => "ReLU²",
        ReluSquaredGlu = "relu-squared-glu" => "ReLU²-GLU",
        Relu6 = "relu6" => "ReLU6",
        Relu6Glu = "relu6-glu" => "ReLU6-GLU",
        Selu = "selu" => "SELU",
        SeluGlu = "selu-glu" => "SELU-GLU",
        Sigmoid = "sigmoid" => "sigmoid",
        Silu = "silu" => "SiLU",
        Softplus = "softplus" => "softplus",
        SoftplusGlu = "softplus-glu" => "softplus-GLU",
        Softsign = "softsign" => "softsign",
        SoftsignGlu = "softsign-glu" => "softsign-GLU",
        Swiglu = "swiglu" => "SwiGLU",
        Tanh = "tanh" => "tanh",
        TanhGlu = "tanh-glu" => "tanh-GLU",
        ThresholdedRelu = "thresholdedrelu" => "ThresholdedReLU",
        ThresholdedReluGlu = "thresholdedrelu-glu" => "ThresholdedReLU-GLU",
    }
}
