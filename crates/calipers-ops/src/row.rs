//! The shape of a row.

use crate::context::Rule;
use crate::cost::{CostRule, Traffic};
use crate::traits::{Stated, Traits};

/// An operator.
#[derive(Debug)]
pub struct Operator {
    /// Its domain.
    pub domain: &'static str,
    /// Its name.
    pub name: &'static str,
    inputs: &'static [InputRole],
    variadic: bool,
    /// Attributes that hold what was learned or fitted. Other lists in the attributes of such an
    /// operator are tables.
    pub attributes: &'static [(&'static str, AttributeUse)],
    /// How packed weights hide their number of elements, where they do.
    pub packing: Option<Packing>,
    /// Versions of the operator set at which it appeared or changed, lowest first.
    pub since: &'static [i64],
    /// What is known of its outputs; `None` for operators that the walk itself understands.
    pub rule: Option<Rule>,
    /// Its arithmetic; `None` for operators that the walk itself understands.
    pub cost: Option<CostRule>,
    /// What it reads and writes.
    pub traffic: Traffic,
    /// What kind of operator it is.
    pub traits: Traits,
    pub(crate) stated: Stated,
}

/// What it means for a stored tensor to be in an input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputRole {
    /// It is learned: a kernel, a matrix, a bias, the scale of a normalization.
    Weight,
    /// It is a running statistic of training.
    Statistic,
    /// It is a scale or zero point.
    Scale,
    /// Rows of it are looked up: an embedding, or a table of indices.
    Table,
    /// It is added to another input.
    Added,
    /// It is subtracted, or something is subtracted from it.
    Subtracted,
    /// It multiplies another input.
    Multiplied,
    /// It divides another input, or is divided.
    Divided,
    /// It is put next to other inputs in the output.
    Joined,
    /// It goes to the output, moved or reshaped or with its elements one by one replaced.
    Moved,
    /// It goes to the output as integers turned back into numbers.
    Dequantized,
    /// A activation is applied to it, as to a parameter kept in another form.
    Transformed,
    /// Its sine is taken.
    Sine,
    /// Its cosine is taken.
    Cosine,
    /// It is an activation, a mask, a state: never learned, and part of the output.
    Data,
    /// It is a shape, an index, a bound: never learned, and no part of the output.
    Setting,
}

/// What an attribute holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AttributeUse {
    /// What training found.
    Learned,
    /// Statistics of the training data.
    Fitted,
}

/// How many weights packed bytes hold.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Packing {
    /// As many as the product of two attributes.
    Product {
        /// Attribute with the number of rows.
        rows: &'static str,
        /// Attribute with the number of columns.
        columns: &'static str,
        /// Attribute with the bits of an element.
        bits: &'static str,
    },
    /// As many as fit, at the bits that an attribute gives.
    Bits {
        /// That attribute.
        bits: &'static str,
    },
}

impl Operator {
    /// What an input means. Inputs beyond those listed are settings.
    pub fn role(&self, index: usize) -> InputRole {
        match self.inputs.get(index) {
            Some(role) => *role,
            None if self.variadic => self.inputs.last().copied().unwrap_or(InputRole::Setting),
            None => InputRole::Setting,
        }
    }

    /// A row of the standard domain.
    pub(crate) const fn onnx(name: &'static str, inputs: &'static [InputRole]) -> Self {
        Self::new(crate::ONNX, name, inputs)
    }

    /// A row of ONNX Runtime's domain.
    pub(crate) const fn microsoft(name: &'static str, inputs: &'static [InputRole]) -> Self {
        Self::new(crate::MICROSOFT, name, inputs)
    }

    pub(crate) const fn new(
        domain: &'static str,
        name: &'static str,
        inputs: &'static [InputRole],
    ) -> Self {
        Self {
            domain,
            name,
            inputs,
            variadic: false,
            attributes: &[],
            packing: None,
            since: &[],
            rule: None,
            cost: None,
            traffic: Traffic::Whole,
            traits: Traits::UNSTATED,
            stated: Stated::NOTHING,
        }
    }

    /// The last input may be any number of times.
    pub(crate) const fn variadic(mut self) -> Self {
        self.variadic = true;
        self
    }

    /// The versions at which it appeared or changed.
    pub(crate) const fn since(mut self, versions: &'static [i64]) -> Self {
        self.since = versions;
        self
    }

    /// The rule for its outputs.
    pub(crate) const fn infer(mut self, rule: Rule) -> Self {
        self.rule = Some(rule);
        self
    }

    /// The rule for its arithmetic.
    pub(crate) const fn costs(mut self, rule: CostRule) -> Self {
        self.cost = Some(rule);
        self
    }

    /// What it reads and writes, where that is not everything.
    pub(crate) const fn moves(mut self, traffic: Traffic) -> Self {
        self.traffic = traffic;
        self
    }

    pub(crate) const fn packed(mut self, packing: Packing) -> Self {
        self.packing = Some(packing);
        self
    }

    pub(crate) const fn holding(
        mut self,
        attributes: &'static [(&'static str, AttributeUse)],
    ) -> Self {
        self.attributes = attributes;
        self
    }
}
