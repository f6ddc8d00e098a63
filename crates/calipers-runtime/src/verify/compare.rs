//! One value as inferred and as observed.

use calipers_ir::{DType, Model, Producer, ValueId};
use calipers_ops::{Fact, TensorFact};

use crate::session::Observed;

/// What the comparison of a value shows; later ones are worse.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Comparison {
    /// Type and every size are as inferred.
    Equal,
    /// Type, rank and known sizes are as inferred; the data decides the others.
    DataDependent,
    /// The type or the shape was not inferred, for this reason.
    NotInferred(String),
    /// They are not the same.
    Different {
        /// As inferred.
        inferred: String,
        /// As observed.
        observed: String,
    },
}

impl Comparison {
    fn rank(&self) -> u8 {
        match self {
            Self::Equal => 0,
            Self::DataDependent => 1,
            Self::NotInferred(_) => 2,
            Self::Different { .. } => 3,
        }
    }

    pub(super) fn is_worse(&self, other: &Self) -> bool {
        self.rank() > other.rank()
    }
}

pub(super) fn compare(fact: &Fact, observed: &Observed) -> Comparison {
    let (tensor, dtype, shape) = match (fact, observed) {
        (Fact::Unknown(reason), _) => return Comparison::NotInferred(reason.to_string()),
        (Fact::Tensor(tensor), Observed::Tensor { dtype, shape }) => (tensor, dtype, shape),
        (Fact::Sequence(_), Observed::Sequence)
        | (Fact::Map { .. }, Observed::Map)
        | (Fact::Optional(_), _)
        | (Fact::SparseTensor(_), Observed::Tensor { .. }) => return Comparison::Equal,
        _ => {
            let inferred = describe_fact(fact);
            return Comparison::Different { inferred, observed: describe(observed) };
        }
    };
    let different =
        || Comparison::Different { inferred: describe_fact(fact), observed: describe(observed) };
    if tensor.dtype == DType::Undefined {
        return Comparison::NotInferred("its data type is unknown".to_owned());
    }
    if tensor.dtype != *dtype {
        return different();
    }
    let dims = match &tensor.shape {
        Ok(dims) => dims,
        Err(reason) => return Comparison::NotInferred(reason.to_string()),
    };
    let fits = |(dim, size): (&calipers_sym::Expr, &i64)| {
        dim.as_const().is_none_or(|inferred| inferred == *size)
    };
    if dims.len() != shape.len() || !dims.iter().zip(shape).all(fits) {
        return different();
    }
    match dims.iter().all(calipers_sym::Expr::is_const) {
        true => Comparison::Equal,
        false => Comparison::DataDependent,
    }
}

/// Gives an observed tensor the inferred type, where a runtime has one type for all integers and one
/// for all floats.
pub(super) fn take_type(observed: &mut Observed, fact: &Fact) {
    if let (Observed::Tensor { dtype, .. }, Some(inferred)) = (observed, fact.as_tensor())
        && dtype.is_float() == inferred.dtype.is_float()
        && inferred.dtype != DType::String
    {
        *dtype = inferred.dtype;
    }
}

impl Observed {
    /// Bytes of a tensor; `None` for texts and for what is not a tensor.
    pub(super) fn bytes(&self) -> Option<u64> {
        let Self::Tensor { dtype, shape } = self else { return None };
        let elements = shape
            .iter()
            .try_fold(1_u64, |product, size| product.checked_mul(u64::try_from(*size).ok()?))?;
        (*dtype != DType::String).then(|| dtype.bytes(elements))?
    }
}

fn describe(observed: &Observed) -> String {
    match observed {
        Observed::Tensor { dtype, shape } => {
            let sizes: Vec<String> = shape.iter().map(ToString::to_string).collect();
            format!("{dtype} [{}]", sizes.join(", "))
        }
        Observed::Sequence => "sequence".to_owned(),
        Observed::Map => "map".to_owned(),
        Observed::Optional => "optional".to_owned(),
    }
}

fn describe_fact(fact: &Fact) -> String {
    match fact {
        Fact::Tensor(tensor) | Fact::SparseTensor(tensor) => describe_tensor(tensor),
        Fact::Sequence(_) => "sequence".to_owned(),
        Fact::Optional(_) => "optional".to_owned(),
        Fact::Map { .. } => "map".to_owned(),
        Fact::Opaque => "opaque".to_owned(),
        Fact::Unknown(reason) => reason.to_string(),
    }
}

fn describe_tensor(tensor: &TensorFact) -> String {
    let dims = tensor.dims().unwrap_or_default().iter();
    let sizes: Vec<String> = dims.map(ToString::to_string).collect();
    format!("{} [{}]", tensor.dtype, sizes.join(", "))
}

/// The label and the operator of the node that computes a value.
pub(super) fn producer(model: &Model, value: ValueId) -> (String, String) {
    match model.value(value).producer {
        Producer::Node { node, .. } => {
            (model.node_label(node), model.name(model.node(node).op).to_owned())
        }
        _ => (String::new(), String::new()),
    }
}

#[cfg(test)]
mod tests {
    use calipers_sym::Expr;

    use super::*;

    fn fact(dtype: DType, dims: &[Expr]) -> Fact {
        Fact::Tensor(TensorFact::new(dtype, dims.to_vec()))
    }

    fn seen(shape: &[i64]) -> Observed {
        Observed::Tensor { dtype: DType::Float32, shape: shape.to_vec() }
    }

    #[test]
    fn sizes_that_the_data_decides_are_not_compared() {
        let two = Expr::from(2);
        let free = Expr::symbol(&calipers_sym::Symbol::new("n"));
        assert_eq!(
            compare(&fact(DType::Float32, std::slice::from_ref(&two)), &seen(&[2])),
            Comparison::Equal
        );
        let open = fact(DType::Float32, &[two.clone(), free]);
        assert_eq!(compare(&open, &seen(&[2, 9])), Comparison::DataDependent);
        for wrong in [&[3, 9][..], &[2], &[2, 9, 1]] {
            assert!(matches!(compare(&open, &seen(wrong)), Comparison::Different { .. }));
        }
        let other = compare(&fact(DType::Int64, &[two]), &seen(&[2]));
        let wanted = ("int64 [2]".to_owned(), "float32 [2]".to_owned());
        assert_eq!(other, Comparison::Different { inferred: wanted.0, observed: wanted.1 });
    }

    #[test]
    fn bytes_are_those_of_the_elements() {
        // 2 x 3 elements of 4 bytes.
        assert_eq!(seen(&[2, 3]).bytes(), Some(24));
        assert_eq!(seen(&[i64::MAX, 4]).bytes(), None);
    }
}
