//! Sums of products: which inputs are factors, and how weights are stored.

/// The factors of a sum of products.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Contraction {
    /// Inputs that may hold weights, the most common one first. Empty where none can.
    pub weights: &'static [usize],
    /// How the weights are stored and multiplied.
    pub format: WeightFormat,
}

/// How a contraction stores its weights and multiplies them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WeightFormat {
    /// Floats, in the type of the tensor.
    Float,
    /// Eight-bit floats with a scale, multiplied as such.
    Float8,
    /// Integers, multiplied as such.
    Integer {
        /// Input with the scale of the weights; `None` where the result stays an integer.
        scale: Option<usize>,
        /// Input with their zero point.
        zero_point: Option<usize>,
        /// Whether the operator quantizes its data itself, at run time.
        dynamic: bool,
    },
    /// Few bits in blocks, widened before the product.
    Packed {
        /// Bits of a weight.
        bits: Bits,
        /// Whether those bits are a float.
        float: bool,
        /// Input with zero points, where there is one.
        zero_point: Option<usize>,
    },
}

/// How many bits a packed weight has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Bits {
    /// This many.
    Fixed(u32),
    /// As an attribute states.
    Attribute {
        /// The attribute.
        name: &'static str,
        /// The bits where it is missing.
        default: u32,
    },
}

impl Bits {
    /// The number of bits, given how an integer attribute reads. Values outside of 1 to 8 count as
    /// missing.
    pub fn resolve(self, attribute: impl Fn(&str) -> Option<i64>) -> u32 {
        match self {
            Self::Fixed(bits) => bits,
            Self::Attribute { name, default } => attribute(name)
                .and_then(|bits| u32::try_from(bits).ok())
                .filter(|bits| (1..=8).contains(bits))
                .unwrap_or(default),
        }
    }
}
