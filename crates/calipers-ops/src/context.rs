//! One use of an operator, as its rule sees it: inputs, attributes, version, and nothing of the
//! graph around it.

use std::sync::Arc;

use calipers_ir::DType;
use calipers_sym::Expr;

use crate::elem::Elem;
use crate::fact::{Fact, Reason, TensorFact};

/// A rule: from what is known of a call to what is known of its outputs. It may give fewer facts
/// than there are outputs; the rest are unknown.
pub type Rule = fn(&mut OpContext<'_>) -> Outcome;

/// Facts of the outputs, or why there are none.
pub type Outcome = Result<Vec<Fact>, Fail>;

/// Why a rule gave nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Fail {
    /// Something it needs is not known.
    Unknown(Reason),
    /// The inputs cannot go together: the model cannot run.
    Contradiction(Reason),
}

impl Fail {
    /// Something is not known.
    pub fn unknown(reason: impl Into<Reason>) -> Self {
        Self::Unknown(reason.into())
    }

    /// The words of either kind.
    pub fn reason(&self) -> Reason {
        match self {
            Self::Unknown(reason) | Self::Contradiction(reason) => Arc::clone(reason),
        }
    }

    /// The inputs cannot go together.
    pub fn contradiction(reason: impl Into<Reason>) -> Self {
        Self::Contradiction(reason.into())
    }
}

/// An attribute's value.
#[derive(Clone, Debug, PartialEq)]
pub enum Attr<'a> {
    /// An integer.
    Int(i64),
    /// A number.
    Float(f32),
    /// Text.
    Text(&'a [u8]),
    /// Integers.
    Ints(&'a [i64]),
    /// Numbers.
    Floats(&'a [f32]),
    /// A tensor, with its elements when it is small.
    Tensor(TensorFact),
    /// A sparse tensor.
    SparseTensor(TensorFact),
    /// A type.
    Type(Fact),
    /// More than is kept in memory: how many elements.
    Long(u64),
    /// Texts: how many.
    Texts(u64),
    /// A graph, or what no rule needs.
    Other,
}

/// Where a call finds its attributes.
pub trait Attributes {
    /// The attribute of that name, if it is given.
    fn attribute(&self, name: &str) -> Option<Attr<'_>>;
}

/// Makes dimensions that nothing is known of, each with a name of its own.
pub trait NewDimensions {
    /// A new dimension. `why` says in a few words what decides it, such as `NonZero's count`.
    fn fresh(&mut self, why: &str) -> Expr;
}

/// One use of an operator.
pub struct OpContext<'a> {
    /// The operator.
    pub op: &'a str,
    /// Version of its domain's operator set that is in force.
    pub version: i64,
    /// How many outputs it names.
    pub outputs: usize,
    inputs: &'a [Option<Fact>],
    attributes: &'a dyn Attributes,
    fresh: &'a mut dyn NewDimensions,
}

impl<'a> OpContext<'a> {
    /// A call with all that its rule may ask for.
    pub fn new(
        op: &'a str,
        version: i64,
        outputs: usize,
        inputs: &'a [Option<Fact>],
        attributes: &'a dyn Attributes,
        fresh: &'a mut dyn NewDimensions,
    ) -> Self {
        Self { op, version, outputs, inputs, attributes, fresh }
    }

    /// Number of inputs, left-out ones between others included.
    pub fn input_count(&self) -> usize {
        self.inputs.len()
    }

    /// What is known of an input that may be left out.
    pub fn optional(&self, index: usize) -> Option<&'a Fact> {
        self.inputs.get(index).and_then(Option::as_ref)
    }

    /// Whether an input is given.
    pub fn has(&self, index: usize) -> bool {
        self.optional(index).is_some()
    }

    /// What is known of an input that must be given.
    pub fn input(&self, index: usize) -> Result<&'a Fact, Fail> {
        self.optional(index)
            .ok_or_else(|| Fail::contradiction(format!("{} lacks input {index}", self.op)))
    }

    /// What is known of a tensor input.
    pub fn tensor(&self, index: usize) -> Result<&'a TensorFact, Fail> {
        match self.input(index)? {
            Fact::Tensor(tensor) | Fact::SparseTensor(tensor) => Ok(tensor),
            Fact::Unknown(reason) => Err(Fail::Unknown(Arc::clone(reason))),
            other => Err(Fail::contradiction(format!(
                "input {index} of {} is {other}, where a tensor is needed",
                self.op
            ))),
        }
    }

    /// A tensor input that may be left out; also `None` when nothing is known of it.
    pub fn optional_tensor(&self, index: usize) -> Option<&'a TensorFact> {
        self.optional(index).and_then(Fact::as_tensor)
    }

    /// Type of an input's elements; `Undefined` when it is not known or not given.
    pub fn dtype(&self, index: usize) -> DType {
        self.optional_tensor(index).map_or(DType::Undefined, |tensor| tensor.dtype)
    }

    /// Dimensions of an input.
    pub fn dims(&self, index: usize) -> Result<&'a [Expr], Fail> {
        match &self.tensor(index)?.shape {
            Ok(dims) => Ok(dims),
            Err(reason) => Err(Fail::Unknown(Arc::clone(reason))),
        }
    }

    /// Dimensions of an input, or why they are not known. Only a contradiction fails.
    pub fn shape(&self, index: usize) -> Result<Result<&'a [Expr], Reason>, Fail> {
        match self.dims(index) {
            Ok(dims) => Ok(Ok(dims)),
            Err(Fail::Unknown(reason)) => Ok(Err(reason)),
            Err(contradiction) => Err(contradiction),
        }
    }

    /// A tensor of this type with the shape of an input, as far as that is known.
    pub fn shaped_like(&self, index: usize, dtype: DType) -> Result<Fact, Fail> {
        Ok(match self.shape(index)? {
            Ok(dims) => Fact::tensor(dtype, dims.iter().cloned()),
            Err(reason) => Fact::unranked(dtype, reason),
        })
    }

    /// Dimensions of an input that must have this many.
    pub fn dims_of_rank(&self, index: usize, rank: usize) -> Result<&'a [Expr], Fail> {
        let dims = self.dims(index)?;
        if dims.len() == rank {
            return Ok(dims);
        }
        Err(Fail::contradiction(format!(
            "input {index} of {} has {} dimensions, where {rank} are needed",
            self.op,
            dims.len()
        )))
    }

    /// Elements of an input, when they can be determined.
    pub fn value(&self, index: usize) -> Option<&'a [Elem]> {
        self.optional_tensor(index)?.value.as_deref()
    }

    /// Whole elements of an input, each perhaps symbolic, `None` where one cannot be determined.
    pub fn exprs(&self, index: usize) -> Option<Vec<Option<&'a Expr>>> {
        Some(self.value(index)?.iter().map(Elem::as_expr).collect())
    }

    /// Elements of an input, when they are all constant whole numbers.
    pub fn integers(&self, index: usize) -> Option<Vec<i64>> {
        self.value(index)?.iter().map(Elem::as_i64).collect()
    }

    /// The only element of an input, when it is a constant whole number.
    pub fn integer(&self, index: usize) -> Option<i64> {
        match self.value(index)? {
            [element] => element.as_i64(),
            _ => None,
        }
    }

    /// The attribute of that name.
    pub fn attribute(&self, name: &str) -> Option<Attr<'a>> {
        self.attributes.attribute(name)
    }

    /// An integer attribute.
    pub fn int(&self, name: &str) -> Option<i64> {
        match self.attribute(name)? {
            Attr::Int(value) => Some(value),
            _ => None,
        }
    }

    /// An integer attribute, or what the standard says it is otherwise.
    pub fn int_or(&self, name: &str, default: i64) -> i64 {
        self.int(name).unwrap_or(default)
    }

    /// A number attribute, or what the standard says it is otherwise.
    pub fn float_or(&self, name: &str, default: f32) -> f32 {
        match self.attribute(name) {
            Some(Attr::Float(value)) => value,
            _ => default,
        }
    }

    /// A list of integers.
    pub fn ints(&self, name: &str) -> Option<&'a [i64]> {
        match self.attribute(name)? {
            Attr::Ints(values) => Some(values),
            _ => None,
        }
    }

    /// A list of numbers.
    pub fn floats(&self, name: &str) -> Option<&'a [f32]> {
        match self.attribute(name)? {
            Attr::Floats(values) => Some(values),
            _ => None,
        }
    }

    /// A text attribute in the spelling of the list of settings, or what the standard says it is
    /// otherwise.
    pub fn text_or(&self, name: &str, default: &'static str) -> &'static str {
        match self.attribute(name) {
            Some(Attr::Text(bytes)) => crate::setting(bytes),
            _ => default,
        }
    }

    /// A data type given by its ONNX number.
    pub fn dtype_attribute(&self, name: &str) -> Option<DType> {
        self.int(name).map(|number| DType::from_onnx(i32::try_from(number).unwrap_or(-1)))
    }

    /// A dimension that nothing is known of.
    pub fn fresh(&mut self, why: &str) -> Expr {
        self.fresh.fresh(why)
    }

    /// This many dimensions that nothing is known of.
    pub fn fresh_dims(&mut self, count: usize, why: &str) -> Vec<Expr> {
        (0..count).map(|_| self.fresh.fresh(why)).collect()
    }

    /// An axis counted from the front: negative ones count from the end.
    pub fn axis(&self, axis: i64, rank: usize) -> Result<usize, Fail> {
        let signed = i64::try_from(rank).unwrap_or(i64::MAX);
        let from_front = if axis < 0 { axis.saturating_add(signed) } else { axis };
        match usize::try_from(from_front) {
            Ok(axis) if axis < rank => Ok(axis),
            _ => Err(Fail::contradiction(format!(
                "{} has axis {axis}, and its input {rank} dimensions",
                self.op
            ))),
        }
    }
}

/// The shape that two shapes broadcast to: <https://onnx.ai/onnx/repo-docs/Broadcasting.html>.
pub fn broadcast(op: &str, left: &[Expr], right: &[Expr]) -> Result<Vec<Expr>, Fail> {
    let rank = left.len().max(right.len());
    let one = Expr::from(1);
    let dim = |dims: &[Expr], index: usize| {
        (index + dims.len()).checked_sub(rank).map_or_else(|| one.clone(), |at| dims[at].clone())
    };
    (0..rank).map(|index| broadcast_dim(op, dim(left, index), dim(right, index))).collect()
}

fn broadcast_dim(op: &str, left: Expr, right: Expr) -> Result<Expr, Fail> {
    match (left.as_const(), right.as_const()) {
        _ if left == right => Ok(left),
        (Some(1), _) => Ok(right),
        (_, Some(1)) => Ok(left),
        (Some(left), Some(right)) => {
            Err(Fail::contradiction(format!("{op} cannot broadcast {left} with {right}")))
        }
        // A number other than 1 can only meet itself or 1.
        (Some(_), None) => Ok(left),
        (None, Some(_)) => Ok(right),
        // One of them is 1, or they are equal: the larger is the answer either way.
        (None, None) => Ok(Expr::max(&left, &right)),
    }
}
