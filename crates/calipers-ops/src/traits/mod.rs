//! What an operator is, in terms that every analysis shares: its class, how it is computed on a
//! device, and which plain operator it is a variant of.
//!
//! A row states its traits once; memory planning, quantization, timing and block recognition read
//! them and keep no list of operators of their own. Traits that follow from the class have that
//! default, so a row states only what differs:
//!
//! | class | default kernel | may run in place |
//! |---|---|---|
//! | element-wise, activation | element-wise | yes |
//! | view | none | no |
//! | contraction | must be stated | no |
//! | normalization, pooling, reduction, softmax, recurrent | by kind | no |
//! | all others | element-wise: one pass over inputs and outputs | no |

mod activation;
mod builder;
mod contraction;
mod lowering;
mod movement;
mod special;
#[cfg(test)]
mod tests;

pub use activation::Activation;
pub(crate) use builder::{Stated, family};
pub use contraction::{Bits, Contraction, WeightFormat};
pub use lowering::Lowering;
pub use movement::Movement;
pub use special::{Deprecation, ForeignCode, deprecation, foreign_code};

/// The kind of operation an operator performs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Class {
    /// An activation function: one input, each element by itself.
    Activation(Activation),
    /// Attention, with or without its projections.
    Attention,
    /// A feature transformation of classical machine learning.
    Features,
    /// A sum of products: matrix product, convolution, mixture of experts.
    Contraction,
    /// Runs a subgraph.
    ControlFlow,
    /// Each output element is computed from the input elements at the same position.
    Elementwise,
    /// Creates a tensor from attributes or a shape: constants, ranges, random numbers.
    Generator,
    /// Resampling, regions and decoding of images.
    Image(ImageOp),
    /// Determinants, inverses and distances.
    LinearAlgebra,
    /// A linear model of classical machine learning.
    LinearModel,
    /// A training loss.
    Loss,
    /// Moves, selects, repeats or joins elements without computing.
    Movement,
    /// A normalization layer.
    Normalization(Norm),
    /// An optimizer step or gradient.
    Training,
    /// Pooling over windows.
    Pooling(Pool),
    /// Converts between floats and quantized integers.
    Quantization,
    /// A recurrent layer.
    Recurrent,
    /// Reduces axes, or computes a running result along one.
    Reduction,
    /// Rotary position embedding.
    Rotary,
    /// Decodes a sequence with a model held in subgraphs: beam or greedy search, sampling.
    Search,
    /// Works on sequences, maps and optionals.
    Sequence,
    /// Returns the shape or size of its input.
    ShapeQuery,
    /// Fourier transforms and window functions.
    Signal,
    /// Softmax and its variants.
    Softmax,
    /// A support vector machine.
    SupportVectors,
    /// Works on strings.
    Text,
    /// An ensemble of decision trees.
    Trees,
    /// Returns its first input under another shape, or unchanged.
    View,
}

/// Which values a normalization layer shares its statistics over.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Norm {
    /// A channel over the batch.
    Batch,
    /// A group of channels of one example.
    Group,
    /// A channel of one example.
    Instance,
    /// The last axes.
    Layer,
    /// Neighboring channels.
    LocalResponse,
    /// An axis, by its p-norm.
    Lp,
    /// Given axes, without learned scale.
    MeanVariance,
    /// The last axes, by the root mean square.
    Rms,
}

/// An operation on images.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ImageOp {
    /// Decodes a compressed image.
    Decode,
    /// Adds overlapping patches up to an image.
    Fold,
    /// Crops, pools or resamples regions.
    Regions,
    /// Interpolates to another resolution.
    Resize,
    /// Selects among overlapping boxes.
    Suppress,
    /// Samples at given positions, or computes these.
    Warp,
}

/// What a model of classical machine learning predicts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Prediction {
    /// A class.
    Label,
    /// A number.
    Number,
}

/// A pooling operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Pool {
    /// The mean of each window.
    Average,
    /// The mean of each channel.
    GlobalAverage,
    /// The p-norm of each channel.
    GlobalLp,
    /// The maximum of each channel.
    GlobalMax,
    /// The p-norm of each window.
    Lp,
    /// The maximum of each window.
    Max,
}

impl Norm {
    /// Whether it is a layer that normalizes by the statistics of its input. Division by a length
    /// ([`Lp`](Self::Lp)) and by neighbors ([`LocalResponse`](Self::LocalResponse)) is not.
    pub const fn is_layer(self) -> bool {
        !matches!(self, Self::LocalResponse | Self::Lp)
    }
}

impl Pool {
    /// Whether one window covers the whole channel.
    pub const fn is_global(self) -> bool {
        matches!(self, Self::GlobalAverage | Self::GlobalLp | Self::GlobalMax)
    }
}

/// The kind of device kernel whose timing model fits an operator.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum KernelClass {
    /// Fused attention.
    Attention,
    /// A normalization with one scale and shift per channel.
    BatchNorm,
    /// A convolution.
    Convolution,
    /// A copy in another order.
    Copy,
    /// A convolution of each channel by itself.
    Depthwise,
    /// One pass over inputs and outputs.
    Elementwise,
    /// Reads or writes elements at computed positions.
    Gather,
    /// A matrix product.
    Gemm,
    /// A normalization over the last axes.
    LayerNorm,
    /// Pooling over windows.
    Pool,
    /// A recurrent layer: its steps wait for each other.
    Recurrent,
    /// A reduction.
    Reduce,
    /// Work of another shape, such as sorting and suppression.
    Irregular,
    /// Softmax.
    Softmax,
    /// No kernel: only strides change.
    View,
}

impl KernelClass {
    /// Whether it multiplies and accumulates.
    pub const fn is_contraction(self) -> bool {
        matches!(
            self,
            Self::Attention | Self::Convolution | Self::Depthwise | Self::Gemm | Self::Recurrent
        )
    }
}

/// What decides the length of an operator's outputs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Extent {
    /// The shapes of the inputs and the attributes.
    Shapes,
    /// Also the elements of these inputs.
    Inputs(&'static [usize]),
    /// The elements of the data.
    Data,
}

/// Three inputs in a row: what is quantized, its scale and its zero point.
pub(crate) const fn quantized_at(data: usize) -> QuantizedInput {
    QuantizedInput { data, scale: data + 1, zero_point: data + 2 }
}

/// A quantized input with its scale and zero point, as input indices.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct QuantizedInput {
    /// The quantized tensor.
    pub data: usize,
    /// Its scale.
    pub scale: usize,
    /// Its zero point.
    pub zero_point: usize,
}

/// The traits of an operator.
#[derive(Clone, Copy, Debug)]
pub struct Traits {
    /// The kind of operation.
    pub class: Class,
    /// The kernel whose timing model fits.
    pub kernel: KernelClass,
    /// How its elements reach the output, where it only moves or converts them.
    pub movement: Option<Movement>,
    /// Its factors, where it sums products.
    pub contraction: Option<Contraction>,
    /// The plain operators it is a variant of.
    pub lowering: Lowering,
    /// What decides the length of its outputs.
    pub extent: Extent,
    /// Quantized inputs, each with its scale and zero point.
    pub quantized_inputs: &'static [QuantizedInput],
    /// Key and value caches that it extends: the input and the output of each.
    pub caches: &'static [(usize, usize)],
    /// Whether its first output may overwrite an input of the same size.
    pub runs_in_place: bool,
    /// Whether it has one data input and maps each element by itself, so that the order of axes
    /// does not matter.
    pub is_unary: bool,
    /// Whether runtimes have an integer kernel for it, or fold it into one.
    pub has_integer_kernel: bool,
    /// Whether its inputs may change places without changing its result.
    pub is_commutative: bool,
    /// What it predicts, where it is a model of classical machine learning.
    pub prediction: Option<Prediction>,
    /// Whether its results are truth values, indices or sizes: they choose, and carry no signal.
    pub decides: bool,
    /// Whether its result differs between runs on the same inputs.
    pub is_random: bool,
    /// Whether it reads the shape of its first input and no elements.
    pub reads_shape: bool,
    /// Whether it slides a kernel of weights over its data.
    pub convolves: bool,
    /// Whether it can raise the resolution of feature maps.
    pub raises_resolution: bool,
    /// Whether its result is larger than the constants it is computed from, so that folding makes
    /// a model larger.
    pub grows_when_folded: bool,
    /// Whether it computes an exponential, a logarithm or the like for every element.
    pub is_transcendental: bool,
}

impl Traits {
    /// The activation function, where it is one.
    pub const fn activation(&self) -> Option<Activation> {
        match self.class {
            Class::Activation(activation) => Some(activation),
            _ => None,
        }
    }

    /// The kind of normalization, where it is one.
    pub const fn norm(&self) -> Option<Norm> {
        match self.class {
            Class::Normalization(norm) => Some(norm),
            _ => None,
        }
    }

    /// The kind of pooling, where it is one.
    pub const fn pool(&self) -> Option<Pool> {
        match self.class {
            Class::Pooling(pool) => Some(pool),
            _ => None,
        }
    }

    /// The operation on images, where it is one.
    pub const fn image(&self) -> Option<ImageOp> {
        match self.class {
            Class::Image(image) => Some(image),
            _ => None,
        }
    }

    /// Whether it maps scores to probabilities: softmax and its variants, and sigmoid.
    pub const fn is_probability(&self) -> bool {
        matches!(self.class, Class::Softmax | Class::Activation(Activation::Sigmoid))
    }

    /// Whether it is a fitted model of classical machine learning.
    pub const fn is_classical_model(&self) -> bool {
        matches!(self.class, Class::LinearModel | Class::SupportVectors | Class::Trees)
    }

    /// Whether its output is its first input in the same element order, each element perhaps in
    /// another type.
    pub const fn keeps_order(&self) -> bool {
        matches!(self.movement, Some(Movement::Convert | Movement::View))
    }

    /// Whether it sums products.
    pub const fn is_contraction(&self) -> bool {
        self.contraction.is_some()
    }

    /// Whether it computes on quantized integers. What converts to and from them does not count.
    pub const fn is_on_integers(&self) -> bool {
        match (self.contraction, self.class) {
            (Some(contraction), _) => matches!(contraction.format, WeightFormat::Integer { .. }),
            (None, Class::Quantization) => false,
            (None, _) => !self.quantized_inputs.is_empty(),
        }
    }

    /// Whether its output is its first input in the same element order.
    pub const fn is_view(&self) -> bool {
        matches!(self.class, Class::View)
    }

    /// Whether it is an element-wise operation, activation functions included.
    pub const fn is_elementwise(&self) -> bool {
        matches!(self.class, Class::Activation(_) | Class::Elementwise)
    }
}
