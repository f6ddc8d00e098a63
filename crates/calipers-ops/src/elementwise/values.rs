//! Elements of whole tensors: broadcasting them, and applying something to each.

use crate::elem::Elem;
use crate::fact::{MAX_ELEMENTS, TensorFact};

/// Elements that are read for one value: a call with very many inputs is not followed.
const MAX_READS: usize = 1 << 20;

/// Tensors with more elements are followed only where these are numbers: sizes are in short rows.
pub(super) const MAX_SYMBOLIC: usize = 1 << 10;

/// For each element of the broadcast shape, which element it is of the tensor that is broadcast.
/// `None` when one does not broadcast to the other, or it would be too large.
pub(crate) fn sources(from: &[usize], to: &[usize]) -> Option<Vec<usize>> {
    let count = to.iter().try_fold(1_usize, |count, dim| count.checked_mul(*dim))?;
    if count > MAX_ELEMENTS {
        return None;
    }
    let missing = to.len().checked_sub(from.len())?;
    let mut strides = vec![0; to.len()];
    let mut stride = 1_usize;
    for (axis, dim) in from.iter().enumerate().rev() {
        let wanted = to[missing + axis];
        if *dim == wanted {
            strides[missing + axis] = stride;
        } else if *dim != 1 {
            return None;
        }
        stride = stride.checked_mul(*dim)?;
    }
    let mut found = Vec::with_capacity(count);
    let mut place = vec![0; to.len()];
    let mut at = 0;
    for _ in 0..count {
        found.push(at);
        for axis in (0..to.len()).rev() {
            place[axis] += 1;
            at += strides[axis];
            if place[axis] < to[axis] {
                break;
            }
            at -= strides[axis] * to[axis];
            place[axis] = 0;
        }
    }
    Some(found)
}

/// The output with elements made one by one from those of the inputs, broadcast to its shape.
/// Inputs whose elements are not known have unknown ones; with `all`, there is then no value.
pub(crate) fn from_elements(
    output: TensorFact,
    inputs: &[&TensorFact],
    all: bool,
    make: impl Fn(&[&Elem]) -> Elem,
) -> TensorFact {
    let known = inputs.iter().filter(|input| input.value.is_some()).count();
    if known == 0 || (all && known < inputs.len()) {
        return output;
    }
    match elements(&output, inputs, make) {
        Some(elements) => output.with_value(elements),
        None => output,
    }
}

fn elements(
    output: &TensorFact,
    inputs: &[&TensorFact],
    make: impl Fn(&[&Elem]) -> Elem,
) -> Option<Vec<Elem>> {
    let to = output.constant_dims()?;
    let count = output.constant_count().filter(|count| *count <= MAX_ELEMENTS)?;
    if count.checked_mul(inputs.len())? > MAX_READS {
        return None;
    }
    let inputs = inputs
        .iter()
        .map(|input| match &input.value {
            Some(value) => Some((&value[..], sources(&input.constant_dims()?, &to)?)),
            None => Some((&[][..], Vec::new())),
        })
        .collect::<Option<Vec<_>>>()?;
    let follows = |elem: &&Elem| count <= MAX_SYMBOLIC || elem.as_f64().is_some();
    let mut picked = Vec::with_capacity(inputs.len());
    let one = |index: usize| {
        picked.clear();
        picked.extend(inputs.iter().map(|(value, sources)| {
            let elem = sources.get(index).and_then(|at| value.get(*at));
            elem.filter(follows).unwrap_or(&Elem::Unknown)
        }));
        make(&picked)
    };
    Some((0..count).map(one).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_found_where_they_are_broadcast_from() {
        assert_eq!(sources(&[2, 1], &[2, 3]), Some(vec![0, 0, 0, 1, 1, 1]));
        assert_eq!(sources(&[3], &[2, 3]), Some(vec![0, 1, 2, 0, 1, 2]));
        assert_eq!(sources(&[2, 1, 2], &[2, 2, 2]), Some(vec![0, 1, 0, 1, 2, 3, 2, 3]));
        assert_eq!(sources(&[], &[2]), Some(vec![0, 0]));
        assert_eq!(sources(&[], &[]), Some(vec![0]));
        assert_eq!(sources(&[1], &[0]), Some(vec![]));
        assert_eq!(sources(&[2], &[3]), None);
        assert_eq!(sources(&[2, 2], &[2]), None);
        assert_eq!(sources(&[1], &[MAX_ELEMENTS + 1]), None);
        assert_eq!(sources(&[1, 1], &[usize::MAX, usize::MAX]), None);
    }
}
