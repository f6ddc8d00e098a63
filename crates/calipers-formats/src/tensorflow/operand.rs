//! What the mapping of an operator may ask of its operands.

use std::rc::Rc;

use calipers_ir::NameId;

/// What is known of a value while the graph is put together.
#[derive(Clone, Debug, Default)]
pub(super) struct Known {
    /// Elements of a small constant of integers.
    pub(super) integers: Option<Rc<[i64]>>,
    /// Dimensions, -1 where one is open.
    pub(super) dims: Option<Rc<[i64]>>,
}

/// An input of a node.
#[derive(Clone, Debug)]
pub(super) struct Operand {
    pub(super) name: NameId,
    pub(super) known: Known,
}

impl Operand {
    pub(super) fn integers(&self) -> Option<&[i64]> {
        self.known.integers.as_deref()
    }

    /// The only element of a constant.
    pub(super) fn integer(&self) -> Option<i64> {
        match self.integers()? {
            [element] => Some(*element),
            _ => None,
        }
    }

    pub(super) fn dims(&self) -> Option<&[i64]> {
        self.known.dims.as_deref()
    }

    pub(super) fn rank(&self) -> Option<usize> {
        self.dims().map(<[i64]>::len)
    }

    /// A dimension that is fixed; negative places count from the end.
    pub(super) fn dim(&self, place: isize) -> Option<i64> {
        let dims = self.dims()?;
        let place =
            if place < 0 { dims.len().checked_add_signed(place)? } else { place.unsigned_abs() };
        dims.get(place).copied().filter(|dim| *dim >= 0)
    }
}
