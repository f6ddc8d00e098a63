//! Calls for the tests of rules.

use calipers_ir::DType;
use calipers_sym::{Expr, Symbol};

use crate::context::{Attr, OpContext, Outcome, Rule};
use crate::elem::Elem;
use crate::fact::{Fact, TensorFact};
use crate::testing::{Counter, Named};

/// A call that is put together piece by piece.
pub(crate) struct Try {
    op: &'static str,
    version: i64,
    outputs: usize,
    inputs: Vec<Option<Fact>>,
    attributes: Vec<(&'static str, Attr<'static>)>,
}

impl Try {
    pub(crate) fn new(op: &'static str, version: i64) -> Self {
        Self { op, version, outputs: 1, inputs: Vec::new(), attributes: Vec::new() }
    }

    pub(crate) fn input(mut self, fact: Fact) -> Self {
        self.inputs.push(Some(fact));
        self
    }

    pub(crate) fn without(mut self) -> Self {
        self.inputs.push(None);
        self
    }

    pub(crate) fn outputs(mut self, outputs: usize) -> Self {
        self.outputs = outputs;
        self
    }

    pub(crate) fn with(mut self, name: &'static str, value: Attr<'static>) -> Self {
        self.attributes.push((name, value));
        self
    }

    pub(crate) fn int(self, name: &'static str, value: i64) -> Self {
        self.with(name, Attr::Int(value))
    }

    pub(crate) fn ints(self, name: &'static str, values: &'static [i64]) -> Self {
        self.with(name, Attr::Ints(values))
    }

    pub(crate) fn text(self, name: &'static str, value: &'static str) -> Self {
        self.with(name, Attr::Text(value.as_bytes()))
    }

    pub(crate) fn run(&self, rule: Rule) -> Outcome {
        let mut fresh = Counter::new("f", 1);
        rule(&mut OpContext::new(
            self.op,
            self.version,
            self.outputs,
            &self.inputs,
            &Named(&self.attributes),
            &mut fresh,
        ))
    }

    /// The first output.
    pub(crate) fn one(&self, rule: Rule) -> Fact {
        self.run(rule).unwrap().remove(0)
    }
}

/// A float tensor of dimensions written with spaces between them: `n 3`.
pub(crate) fn dims(text: &str) -> Fact {
    let dim = |word: &str| match word.parse::<i64>() {
        Ok(size) => Expr::from(size),
        Err(_) => Expr::symbol(&Symbol::at_least(word.to_owned(), 1)),
    };
    Fact::tensor(DType::Float32, text.split_whitespace().map(dim))
}

/// A tensor of whole numbers.
pub(crate) fn tensor(dtype: DType, sizes: &[i64], elements: &[i64]) -> Fact {
    TensorFact::new(dtype, sizes.iter().map(|size| Expr::from(*size)))
        .with_value(elements.iter().map(|element| Elem::int(*element)))
        .into()
}

/// A tensor of floats.
pub(crate) fn floats(sizes: &[i64], elements: &[f32]) -> Fact {
    TensorFact::new(DType::Float32, sizes.iter().map(|size| Expr::from(*size)))
        .with_value(elements.iter().map(|element| Elem::float(f64::from(*element))))
        .into()
}

/// A list of int64.
pub(crate) fn ints(elements: &[i64]) -> Fact {
    tensor(DType::Int64, &[i64::try_from(elements.len()).unwrap()], elements)
}

/// The dimensions of a tensor with spaces between them; `…` when their number is not known.
pub(crate) fn shape(fact: &Fact) -> String {
    match fact.as_tensor().and_then(TensorFact::dims) {
        Some(dims) => dims.iter().map(Expr::to_string).collect::<Vec<_>>().join(" "),
        None => "…".to_owned(),
    }
}

/// The elements of a tensor with spaces between them, `?` where one cannot be determined.
pub(crate) fn values(fact: &Fact) -> String {
    let Some(elements) = fact.as_tensor().and_then(|tensor| tensor.value.as_deref()) else {
        return String::from("?");
    };
    let text = elements.iter().map(|element| match element {
        Elem::Int(expr) => expr.to_string(),
        Elem::Ratio { numerator, denominator } => format!("({numerator})/{denominator}"),
        Elem::Float(value) => value.to_string(),
        Elem::Unknown => String::from("?"),
    });
    text.collect::<Vec<_>>().join(" ")
}
