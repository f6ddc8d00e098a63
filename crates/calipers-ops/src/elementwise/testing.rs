//! Calls for the tests of this family.

use calipers_ir::DType;
use calipers_sym::{Expr, Symbol};

use crate::context::{Attr, Fail, OpContext, Outcome, Rule};
use crate::elem::Elem;
use crate::fact::{Fact, TensorFact};
use crate::testing::{Counter, Named};

/// A size that is at least 1.
pub(super) fn n() -> Expr {
    Expr::symbol(&Symbol::at_least("n", 1))
}

/// A tensor of these sizes.
pub(super) fn tensor(dtype: DType, dims: &[i64]) -> TensorFact {
    TensorFact::new(dtype, dims.iter().map(|dim| Expr::from(*dim)))
}

/// A row of elements.
pub(super) fn row(dtype: DType, elements: &[Elem]) -> TensorFact {
    tensor(dtype, &[i64::try_from(elements.len()).unwrap()]).with_value(elements.iter().cloned())
}

/// A row of whole numbers.
pub(super) fn ints(elements: &[i64]) -> TensorFact {
    row(DType::Int64, &elements.iter().map(|element| Elem::int(*element)).collect::<Vec<_>>())
}

/// A call that is to be made.
pub(super) struct Trial<'a> {
    pub(super) op: &'a str,
    pub(super) version: i64,
    pub(super) attributes: &'a [(&'a str, Attr<'a>)],
}

impl Trial<'_> {
    /// What the operator's rule says.
    pub(super) fn run(&self, inputs: &[TensorFact]) -> Outcome {
        let inputs: Vec<Option<Fact>> =
            inputs.iter().map(|input| Some(Fact::Tensor(input.clone()))).collect();
        let rule: Rule = crate::find("", self.op).unwrap().rule.unwrap();
        let given = Named(self.attributes);
        let mut names = Counter::new("fresh_", 1);
        rule(&mut OpContext::new(self.op, self.version, 1, &inputs, &given, &mut names))
    }

    /// The first output.
    pub(super) fn output(&self, inputs: &[TensorFact]) -> TensorFact {
        self.run(inputs).unwrap()[0].as_tensor().unwrap().clone()
    }

    /// Whether the model cannot run.
    pub(super) fn fails(&self, inputs: &[TensorFact]) -> bool {
        matches!(self.run(inputs), Err(Fail::Contradiction(_)))
    }
}

/// A call without attributes in a late version.
pub(super) fn plain(op: &str) -> Trial<'_> {
    Trial { op, version: 25, attributes: &[] }
}
