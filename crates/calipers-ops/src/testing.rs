//! What every test of a rule needs to make a call by hand. The families add how they write tensors.

use calipers_sym::{Expr, Symbol};

use crate::context::{Attr, Attributes, NewDimensions};

/// Attributes from a list.
pub(crate) struct Named<'a>(pub(crate) &'a [(&'a str, Attr<'a>)]);

impl Attributes for Named<'_> {
    fn attribute(&self, name: &str) -> Option<Attr<'_>> {
        self.0.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone())
    }
}

/// Names data-dependent dimensions by a prefix and a number.
pub(crate) struct Counter {
    prefix: &'static str,
    next: usize,
}

impl Counter {
    /// Names them from this number on.
    pub(crate) fn new(prefix: &'static str, first: usize) -> Self {
        Self { prefix, next: first }
    }
}

impl NewDimensions for Counter {
    fn fresh(&mut self, _why: &str) -> Expr {
        let symbol = Symbol::new(format!("{}{}", self.prefix, self.next));
        self.next += 1;
        Expr::symbol(&symbol)
    }
}
