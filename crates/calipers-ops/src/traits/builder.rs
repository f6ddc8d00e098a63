//! Stating the traits of a row.
//!
//! A row states what differs from its family; [`family`] fills in the rest.

use super::{
    Activation, Bits, Class, Contraction, Extent, KernelClass, Lowering, Movement, Norm, Pool,
    Prediction, QuantizedInput, Traits, WeightFormat,
};
use crate::row::Operator;

/// What a row states of its traits.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Stated {
    class: Option<Class>,
    kernel: Option<KernelClass>,
    runs_in_place: Option<bool>,
    is_unary: Option<bool>,
}

impl Stated {
    pub(crate) const NOTHING: Self =
        Self { class: None, kernel: None, runs_in_place: None, is_unary: None };
}

impl Traits {
    /// The traits of a row before its family is known.
    pub(crate) const UNSTATED: Self = Self {
        class: Class::Elementwise,
        kernel: KernelClass::Elementwise,
        movement: None,
        contraction: None,
        lowering: Lowering::Keep,
        extent: Extent::Shapes,
        quantized_inputs: &[],
        caches: &[],
        runs_in_place: false,
        is_unary: false,
        has_integer_kernel: false,
        is_commutative: false,
        prediction: None,
        decides: false,
        is_random: false,
        reads_shape: false,
        convolves: false,
        raises_resolution: false,
        grows_when_folded: false,
        is_transcendental: false,
    };
}

/// The rows of a family, those that state no class with this one.
///
/// # Panics
///
/// At compile time, when a row that sums products states no kernel for it.
pub(crate) const fn family<const N: usize>(class: Class, mut rows: [Operator; N]) -> [Operator; N] {
    let mut at = 0;
    while at < N {
        rows[at].settle(class);
        at += 1;
    }
    rows
}

impl Operator {
    const fn settle(&mut self, family: Class) {
        let class = match self.stated.class {
            Some(class) => class,
            None => family,
        };
        self.traits.class = class;
        self.traits.kernel = match self.stated.kernel {
            Some(kernel) => kernel,
            None => default_kernel(class, self.traits.movement),
        };
        self.traits.runs_in_place = match self.stated.runs_in_place {
            Some(runs) => runs,
            None => matches!(class, Class::Activation(_) | Class::Elementwise),
        };
        self.traits.is_unary = match self.stated.is_unary {
            Some(is_unary) => is_unary,
            None => matches!(class, Class::Activation(_)),
        };
        if matches!(self.traits.kernel, KernelClass::Convolution | KernelClass::Depthwise) {
            self.traits.convolves = true;
        }
        if matches!(class, Class::ShapeQuery) {
            self.traits.decides = true;
            self.traits.reads_shape = true;
        }
        assert!(
            !self.traits.is_contraction() || self.traits.kernel.is_contraction(),
            "a contraction needs the kernel of one"
        );
    }

    /// Its class, where that is not its family's.
    pub(crate) const fn class(mut self, class: Class) -> Self {
        self.stated.class = Some(class);
        self
    }

    /// It is this activation function.
    pub(crate) const fn activates(mut self, activation: Activation) -> Self {
        self.traits.is_transcendental = activation.is_transcendental();
        self.class(Class::Activation(activation))
    }

    /// It is this normalization.
    pub(crate) const fn normalizes(self, norm: Norm) -> Self {
        self.class(Class::Normalization(norm))
    }

    /// It is this pooling.
    pub(crate) const fn pools(self, pool: Pool) -> Self {
        self.class(Class::Pooling(pool))
    }

    /// Its elements come from its first input in this way.
    pub(crate) const fn passes(mut self, movement: Movement) -> Self {
        self.traits.movement = Some(movement);
        if self.stated.class.is_some() {
            return self;
        }
        match movement {
            Movement::View => self.class(Class::View),
            // A conversion is of the class that computes it.
            Movement::Convert => self,
            _ => self.class(Class::Movement),
        }
    }

    /// It sums products of floats; inputs that may hold weights, the most common one first.
    pub(crate) const fn contracts(
        mut self,
        kernel: KernelClass,
        weights: &'static [usize],
    ) -> Self {
        self.traits.contraction = Some(Contraction { weights, format: WeightFormat::Float });
        self.kernel(kernel)
    }

    /// Its weights, at these inputs, are integers with scale and zero point, and it multiplies
    /// integers.
    pub(crate) const fn on_integers(
        mut self,
        kernel: KernelClass,
        weights: &'static [usize],
        scale: Option<usize>,
        zero_point: Option<usize>,
    ) -> Self {
        let format = WeightFormat::Integer { scale, zero_point, dynamic: false };
        self.traits.contraction = Some(Contraction { weights, format });
        self.traits.has_integer_kernel = true;
        self.kernel(kernel)
    }

    /// It quantizes its data itself.
    pub(crate) const fn dynamically(mut self) -> Self {
        if let Some(Contraction { weights, format }) = self.traits.contraction
            && let WeightFormat::Integer { scale, zero_point, .. } = format
        {
            let format = WeightFormat::Integer { scale, zero_point, dynamic: true };
            self.traits.contraction = Some(Contraction { weights, format });
        }
        self
    }

    /// It multiplies eight-bit floats.
    pub(crate) const fn on_float8(
        mut self,
        kernel: KernelClass,
        weights: &'static [usize],
    ) -> Self {
        self.traits.contraction = Some(Contraction { weights, format: WeightFormat::Float8 });
        self.kernel(kernel)
    }

    /// It holds its weights packed as integers of few bits.
    pub(crate) const fn unpacks(
        mut self,
        weights: &'static [usize],
        bits: Bits,
        zero_point: Option<usize>,
    ) -> Self {
        let format = WeightFormat::Packed { bits, float: false, zero_point };
        self.traits.contraction = Some(Contraction { weights, format });
        self.kernel(KernelClass::Gemm)
    }

    /// It holds its weights packed as floats of few bits.
    pub(crate) const fn unpacks_floats(mut self, weights: &'static [usize], bits: u32) -> Self {
        let bits = Bits::Fixed(bits);
        let format = WeightFormat::Packed { bits, float: true, zero_point: None };
        self.traits.contraction = Some(Contraction { weights, format });
        self.kernel(KernelClass::Gemm)
    }

    /// Its kernel, where the class does not decide it.
    pub(crate) const fn kernel(mut self, kernel: KernelClass) -> Self {
        self.stated.kernel = Some(kernel);
        self
    }

    /// What it is a variant of.
    pub(crate) const fn lowers(mut self, lowering: Lowering) -> Self {
        self.traits.lowering = lowering;
        self
    }

    /// What decides the length of its outputs, where shapes alone do not.
    pub(crate) const fn extent(mut self, extent: Extent) -> Self {
        self.traits.extent = extent;
        self
    }

    /// Its quantized inputs: each with its scale and zero point.
    pub(crate) const fn scales(mut self, inputs: &'static [QuantizedInput]) -> Self {
        self.traits.quantized_inputs = inputs;
        self
    }

    /// The caches it extends: input and output of each.
    pub(crate) const fn caches(mut self, caches: &'static [(usize, usize)]) -> Self {
        self.traits.caches = caches;
        self
    }

    /// It may overwrite an input, though its class may not; or the other way around.
    pub(crate) const fn in_place(mut self, runs_in_place: bool) -> Self {
        self.stated.runs_in_place = Some(runs_in_place);
        self
    }

    /// It maps each element of its one data input by itself, or an activation does not.
    pub(crate) const fn unary(mut self, is_unary: bool) -> Self {
        self.stated.is_unary = Some(is_unary);
        self
    }

    /// Runtimes have an integer kernel for it, or fold it into one.
    pub(crate) const fn has_integer_kernel(mut self) -> Self {
        self.traits.has_integer_kernel = true;
        self
    }

    /// Its inputs may change places.
    pub(crate) const fn commutes(mut self) -> Self {
        self.traits.is_commutative = true;
        self
    }

    /// What it predicts.
    pub(crate) const fn predicts(mut self, prediction: Prediction) -> Self {
        self.traits.prediction = Some(prediction);
        self
    }

    /// Its results are truth values, indices or sizes.
    pub(crate) const fn decides(mut self) -> Self {
        self.traits.decides = true;
        self
    }

    /// Its result differs between runs.
    pub(crate) const fn random(mut self) -> Self {
        self.traits.is_random = true;
        self
    }

    /// It reads the shape of its first input and no elements.
    pub(crate) const fn reads_shape(mut self) -> Self {
        self.traits.reads_shape = true;
        self
    }

    /// It slides a kernel of weights over its data, though its device kernel is another.
    pub(crate) const fn convolves(mut self) -> Self {
        self.traits.convolves = true;
        self
    }

    /// It can raise the resolution of feature maps.
    pub(crate) const fn raises_resolution(mut self) -> Self {
        self.traits.raises_resolution = true;
        self
    }

    /// Its result is larger than what it is computed from.
    pub(crate) const fn grows_when_folded(mut self) -> Self {
        self.traits.grows_when_folded = true;
        self
    }

    /// It computes an exponential, a logarithm or the like for every element.
    pub(crate) const fn transcendental(mut self) -> Self {
        self.traits.is_transcendental = true;
        self
    }
}

const fn default_kernel(class: Class, movement: Option<Movement>) -> KernelClass {
    match class {
        Class::Attention => KernelClass::Attention,
        Class::LinearModel | Class::SupportVectors => KernelClass::Gemm,
        Class::Movement => match movement {
            Some(Movement::Transpose | Movement::Rearrange) => KernelClass::Copy,
            Some(Movement::Gather | Movement::Scatter { .. }) => KernelClass::Gather,
            Some(Movement::Expand | Movement::Slice | Movement::View) => KernelClass::View,
            Some(Movement::Repeat | Movement::Pad | Movement::Join | Movement::Convert) | None => {
                KernelClass::Elementwise
            }
        },
        Class::Normalization(
            Norm::Batch | Norm::Group | Norm::Instance | Norm::LocalResponse | Norm::MeanVariance,
        ) => KernelClass::BatchNorm,
        Class::Normalization(Norm::Layer | Norm::Lp | Norm::Rms) => KernelClass::LayerNorm,
        Class::Pooling(_) => KernelClass::Pool,
        Class::Recurrent => KernelClass::Recurrent,
        Class::Reduction => KernelClass::Reduce,
        Class::Softmax => KernelClass::Softmax,
        Class::View => KernelClass::View,
        Class::Activation(_)
        | Class::Contraction
        | Class::ControlFlow
        | Class::Elementwise
        | Class::Features
        | Class::Generator
        | Class::Image(_)
        | Class::LinearAlgebra
        | Class::Loss
        | Class::Quantization
        | Class::Rotary
        | Class::Search
        | Class::Sequence
        | Class::ShapeQuery
        | Class::Signal
        | Class::Text
        | Class::Training
        | Class::Trees => KernelClass::Elementwise,
    }
}
