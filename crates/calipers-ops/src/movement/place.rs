//! Elements by their place in a tensor.

use calipers_sym::Expr;

use crate::elem::Elem;
use crate::fact::{MAX_ELEMENTS, TensorFact};

/// A tensor whose elements are known.
pub(super) struct Source<'a> {
    elements: &'a [Elem],
    /// Its dimensions.
    pub(super) dims: Vec<usize>,
}

impl<'a> Source<'a> {
    /// The tensor's elements, when they are known.
    pub(super) fn new(tensor: &'a TensorFact) -> Option<Self> {
        Some(Self { elements: tensor.value.as_deref()?, dims: tensor.constant_dims()? })
    }

    /// The element at a place; unknown outside.
    pub(super) fn at(&self, place: &[usize]) -> Elem {
        self.offset(place).map_or(Elem::Unknown, |offset| self.elements[offset].clone())
    }

    /// Where the element of a place lies.
    pub(super) fn offset(&self, place: &[usize]) -> Option<usize> {
        offset(&self.dims, place).filter(|offset| *offset < self.elements.len())
    }
}

/// Where the element of a place lies, row by row.
pub(super) fn offset(dims: &[usize], place: &[usize]) -> Option<usize> {
    if dims.len() != place.len() {
        return None;
    }
    dims.iter().zip(place).try_fold(0_usize, |offset, (dim, at)| {
        if at < dim { offset.checked_mul(*dim)?.checked_add(*at) } else { None }
    })
}

/// Dimensions as numbers, when they all are and there are not too many elements.
pub(super) fn small(dims: &[Expr]) -> Option<Vec<usize>> {
    let dims: Vec<usize> =
        dims.iter().map(|dim| usize::try_from(dim.as_const()?).ok()).collect::<Option<_>>()?;
    let count = dims.iter().try_fold(1_usize, |count, dim| count.checked_mul(*dim))?;
    (count <= MAX_ELEMENTS).then_some(dims)
}

/// Every place of a tensor, row by row.
pub(super) fn places(dims: &[usize], mut visit: impl FnMut(&[usize])) {
    if dims.contains(&0) {
        return;
    }
    let mut place = vec![0; dims.len()];
    loop {
        visit(&place);
        let mut axis = dims.len();
        loop {
            if axis == 0 {
                return;
            }
            axis -= 1;
            place[axis] += 1;
            if place[axis] < dims[axis] {
                break;
            }
            place[axis] = 0;
        }
    }
}

/// A tensor with elements found from their places, when it is small; otherwise without.
pub(super) fn filled(tensor: TensorFact, mut element: impl FnMut(&[usize]) -> Elem) -> TensorFact {
    let Some(dims) = tensor.dims().and_then(small) else { return tensor };
    let mut elements = Vec::new();
    places(&dims, |place| elements.push(element(place)));
    tensor.with_value(elements)
}

/// An index from the front: negative ones count from the end.
pub(super) fn index(index: i64, dim: usize) -> Option<usize> {
    let from_front = if index < 0 { index.checked_add(i64::try_from(dim).ok()?)? } else { index };
    usize::try_from(from_front).ok().filter(|index| *index < dim)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_go_row_by_row() {
        let mut seen = Vec::new();
        places(&[2, 3], |place| seen.push(place.to_vec()));
        assert_eq!(seen, [[0, 0], [0, 1], [0, 2], [1, 0], [1, 1], [1, 2]]);
        assert_eq!(offset(&[2, 3], &[1, 2]), Some(5));
        assert_eq!(offset(&[2, 3], &[0, 3]), None);
        let mut scalar = 0;
        places(&[], |_| scalar += 1);
        assert_eq!(scalar, 1);
        places(&[3, 0], |_| panic!("it has no places"));
    }

    #[test]
    fn negative_indices_count_from_the_end() {
        assert_eq!(index(-1, 4), Some(3));
        assert_eq!(index(-5, 4), None);
        assert_eq!(index(4, 4), None);
        assert_eq!(index(i64::MIN, 4), None);
    }
}
