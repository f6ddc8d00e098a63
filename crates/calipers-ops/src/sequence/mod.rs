//! Sequences and optionals.
//!
//! What is known of each element is kept as long as their number is known. Of a sequence's
//! elements together, a dimension that differs between them is undefined; whoever takes one out
//! gets a dimension of its own for it.

mod join;

use calipers_ir::DType;
use calipers_sym::Expr;

use crate::InputRole::{Joined, Moved, Setting};
use crate::context::{Attr, Fail, OpContext, Outcome};
use crate::cost::{self, Traffic};
use crate::elem::Elem;
use crate::fact::{Fact, SequenceFact, TensorFact};
use crate::row::Operator;
use crate::traits::{Class, family};

/// Rows of the family.
pub(crate) const ROWS: &[Operator] = &family(
    Class::Sequence,
    [
        Operator::onnx("ConcatFromSequence", &[Moved])
            .since(&[11])
            .infer(join::concat)
            .costs(cost::free),
        Operator::onnx("Optional", &[Moved])
            .since(&[15, 28])
            .infer(optional)
            .costs(cost::free)
            .moves(Traffic::Nothing),
        Operator::onnx("OptionalGetElement", &[Moved])
            .since(&[15, 18, 28])
            .infer(get_element)
            .costs(cost::free)
            .moves(Traffic::Nothing),
        Operator::onnx("OptionalHasElement", &[])
            .decides()
            .since(&[15, 18, 28])
            .infer(has_element)
            .costs(cost::free)
            .moves(Traffic::Nothing),
        Operator::onnx("SequenceAt", &[Moved, Setting])
            .since(&[11])
            .infer(at)
            .costs(cost::free)
            .moves(Traffic::Nothing),
        Operator::onnx("SequenceConstruct", &[Joined])
            .variadic()
            .since(&[11])
            .infer(construct)
            .costs(cost::free)
            .moves(Traffic::Nothing),
        Operator::onnx("SequenceEmpty", &[])
            .since(&[11])
            .infer(empty)
            .costs(cost::free)
            .moves(Traffic::Nothing),
        Operator::onnx("SequenceErase", &[])
            .since(&[11])
            .infer(erase)
            .costs(cost::free)
            .moves(Traffic::Nothing),
        Operator::onnx("SequenceInsert", &[])
            .since(&[11])
            .infer(insert)
            .costs(cost::free)
            .moves(Traffic::Nothing),
        Operator::onnx("SequenceLength", &[])
            .decides()
            .since(&[11])
            .infer(length)
            .costs(cost::free)
            .moves(Traffic::Nothing),
        Operator::onnx("SplitToSequence", &[Moved, Setting])
            .since(&[11, 24])
            .infer(join::split)
            .costs(cost::free),
    ],
);

/// Elements beyond this are not followed one by one.
const MAX_ITEMS: usize = 128;

/// What is known of a sequence input.
fn sequence<'a>(ctx: &OpContext<'a>, index: usize) -> Result<&'a SequenceFact, Fail> {
    match ctx.input(index)? {
        Fact::Sequence(sequence) => Ok(sequence),
        Fact::Unknown(reason) => Err(Fail::Unknown(reason.clone())),
        other => Err(Fail::contradiction(format!(
            "input {index} of {} is {other}, where a sequence is needed",
            ctx.op
        ))),
    }
}

/// A sequence of these elements.
fn sequence_of(items: Vec<Fact>, empty: impl FnOnce() -> Fact) -> Fact {
    let element = together(&items).unwrap_or_else(empty);
    let items = (items.len() <= MAX_ITEMS).then(|| items.into());
    Fact::Sequence(SequenceFact { element: Box::new(element), items })
}

/// What is known of every one of these; `None` when there are none.
fn together(items: &[Fact]) -> Option<Fact> {
    let (first, rest) = items.split_first()?;
    // What an element contains is its own.
    let start = common(first, first);
    Some(rest.iter().fold(start, |all, item| common(&all, item)))
}

/// What is known of two elements of a sequence alike.
fn common(one: &Fact, other: &Fact) -> Fact {
    match (one, other) {
        (Fact::Tensor(one), Fact::Tensor(other)) => {
            let dtype = match (one.dtype, other.dtype) {
                (DType::Undefined, dtype) | (dtype, _) => dtype,
            };
            let shape = match (&one.shape, &other.shape) {
                (Ok(one), Ok(other)) if one.len() == other.len() => {
                    let dims = one.iter().zip(other.iter());
                    Ok(dims.map(|(one, other)| if one == other { one.clone() } else { differs() }))
                }
                (Ok(_), Ok(_)) => Err("its elements have different numbers of dimensions".into()),
                (Err(reason), _) | (_, Err(reason)) => Err(reason.clone()),
            };
            Fact::Tensor(TensorFact { dtype, shape: shape.map(Iterator::collect), value: None })
        }
        // All elements of a sequence have one type.
        (Fact::Tensor(tensor), Fact::Unknown(reason))
        | (Fact::Unknown(reason), Fact::Tensor(tensor)) => {
            Fact::unranked(tensor.dtype, reason.clone())
        }
        _ if one == other => one.clone(),
        (Fact::Unknown(reason), _) | (_, Fact::Unknown(reason)) => Fact::Unknown(reason.clone()),
        _ => Fact::unknown("its elements are of different kinds"),
    }
}

/// A dimension that is not the same for all elements.
fn differs() -> Expr {
    Expr::undefined("it differs between the elements")
}

/// One element, with what is known of all elements.
fn any_of(ctx: &mut OpContext<'_>, element: &Fact) -> Fact {
    let Fact::Tensor(tensor) = element else { return element.clone() };
    let shape = tensor.shape.as_ref().map_err(Clone::clone).map(|dims| {
        let own = |dim: &Expr| match dim.is_undefined() {
            true => ctx.fresh("which element it is"),
            false => dim.clone(),
        };
        dims.iter().map(own).collect()
    });
    Fact::Tensor(TensorFact { dtype: tensor.dtype, shape, value: None })
}

/// This many elements, each with what is known of all elements.
fn any_number_of(ctx: &mut OpContext<'_>, element: &Fact, count: usize) -> Vec<Fact> {
    (0..count).map(|_| any_of(ctx, element)).collect()
}

/// Where in a sequence an input points.
enum Place {
    At(usize),
    Unknown,
}

/// The place that an input gives among `places`, or the last.
fn place(ctx: &OpContext<'_>, index: usize, items: usize, places: usize) -> Result<Place, Fail> {
    let outside = |position: i64| {
        let op = ctx.op;
        Fail::contradiction(format!("{op} asks for place {position} of a sequence of {items}"))
    };
    if !ctx.has(index) {
        return places.checked_sub(1).map(Place::At).ok_or_else(|| outside(-1));
    }
    let Some(position) = ctx.integer(index) else { return Ok(Place::Unknown) };
    let length = i64::try_from(items).unwrap_or(i64::MAX);
    let front = if position < 0 { position.saturating_add(length) } else { position };
    match usize::try_from(front) {
        Ok(place) if place < places => Ok(Place::At(place)),
        _ => Err(outside(position)),
    }
}

/// Its inputs, in order: <https://onnx.ai/onnx/operators/onnx__SequenceConstruct.html>.
fn construct(ctx: &mut OpContext<'_>) -> Outcome {
    let items: Result<Vec<Fact>, Fail> =
        (0..ctx.input_count()).map(|index| ctx.input(index).cloned()).collect();
    Ok(vec![sequence_of(items?, || Fact::unknown("the sequence is empty"))])
}

/// No elements, of a given type: <https://onnx.ai/onnx/operators/onnx__SequenceEmpty.html>.
fn empty(ctx: &mut OpContext<'_>) -> Outcome {
    let dtype = ctx.dtype_attribute("dtype").unwrap_or(DType::Float32);
    Ok(vec![sequence_of(Vec::new(), || Fact::unranked(dtype, "the sequence is empty"))])
}

/// One element: <https://onnx.ai/onnx/operators/onnx__SequenceAt.html>.
fn at(ctx: &mut OpContext<'_>) -> Outcome {
    let sequence = sequence(ctx, 0)?;
    ctx.input(1)?;
    if let Some(items) = &sequence.items
        && let Place::At(place) = place(ctx, 1, items.len(), items.len())?
    {
        return Ok(vec![items[place].clone()]);
    }
    Ok(vec![any_of(ctx, &sequence.element)])
}

/// All but one element: <https://onnx.ai/onnx/operators/onnx__SequenceErase.html>.
fn erase(ctx: &mut OpContext<'_>) -> Outcome {
    let sequence = sequence(ctx, 0)?;
    let Some(items) = &sequence.items else {
        return Ok(vec![Fact::Sequence(sequence.clone())]);
    };
    let left = match place(ctx, 1, items.len(), items.len())? {
        Place::At(place) => [&items[..place], &items[place + 1..]].concat(),
        Place::Unknown => any_number_of(ctx, &sequence.element, items.len().saturating_sub(1)),
    };
    Ok(vec![sequence_of(left, || common(&sequence.element, &sequence.element))])
}

/// One element more: <https://onnx.ai/onnx/operators/onnx__SequenceInsert.html>.
fn insert(ctx: &mut OpContext<'_>) -> Outcome {
    let tensor = ctx.input(1)?;
    let sequence = sequence(ctx, 0)?;
    let Some(items) = &sequence.items else {
        return Ok(vec![Fact::sequence_of(common(&sequence.element, tensor))]);
    };
    let items = match place(ctx, 2, items.len(), items.len() + 1)? {
        Place::At(place) => {
            let mut items = items.to_vec();
            items.insert(place, tensor.clone());
            items
        }
        Place::Unknown => {
            let element =
                if items.is_empty() { tensor } else { &common(&sequence.element, tensor) };
            any_number_of(ctx, element, items.len() + 1)
        }
    };
    Ok(vec![sequence_of(items, || tensor.clone())])
}

/// How many elements there are: <https://onnx.ai/onnx/operators/onnx__SequenceLength.html>.
fn length(ctx: &mut OpContext<'_>) -> Outcome {
    let fact = TensorFact::new(DType::Int64, []);
    let items = match sequence(ctx, 0) {
        Ok(sequence) => sequence.items.as_ref().and_then(|items| i64::try_from(items.len()).ok()),
        Err(Fail::Unknown(_)) => None,
        Err(contradiction) => return Err(contradiction),
    };
    Ok(vec![Fact::Tensor(match items {
        Some(items) => fact.with_value([Elem::int(items)]),
        None => fact,
    })])
}

/// Its input, or nothing of a given type: <https://onnx.ai/onnx/operators/onnx__Optional.html>.
fn optional(ctx: &mut OpContext<'_>) -> Outcome {
    let inner = match (ctx.optional(0), ctx.attribute("type")) {
        (Some(fact), _) => fact.clone(),
        (None, Some(Attr::Type(fact))) => fact,
        (None, _) => return Err(Fail::contradiction("Optional has neither an input nor a type")),
    };
    Ok(vec![Fact::Optional(Box::new(inner))])
}

/// What is inside, or the input itself:
/// <https://onnx.ai/onnx/operators/onnx__OptionalGetElement.html>.
fn get_element(ctx: &mut OpContext<'_>) -> Outcome {
    Ok(vec![match ctx.input(0)? {
        Fact::Optional(inner) => (**inner).clone(),
        other => other.clone(),
    }])
}

/// Whether something is inside: <https://onnx.ai/onnx/operators/onnx__OptionalHasElement.html>.
fn has_element(ctx: &mut OpContext<'_>) -> Outcome {
    let fact = TensorFact::new(DType::Bool, []);
    Ok(vec![Fact::Tensor(match ctx.optional(0) {
        None => fact.with_value([Elem::bool(false)]),
        Some(Fact::Tensor(_) | Fact::SparseTensor(_) | Fact::Sequence(_)) => {
            fact.with_value([Elem::bool(true)])
        }
        Some(_) => fact,
    })])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::reduction::testing::{Try, dims, ints, shape, tensor, values};

    fn sequence(items: &[&str]) -> Fact {
        let ctx =
            items.iter().fold(Try::new("SequenceConstruct", 11), |c, item| c.input(dims(item)));
        ctx.one(construct)
    }

    fn scalar(value: i64) -> Fact {
        tensor(DType::Int64, &[], &[value])
    }

    fn len(fact: &Fact) -> String {
        values(&Try::new("SequenceLength", 11).input(fact.clone()).one(length))
    }

    #[test]
    fn elements_keep_their_shapes() {
        let sequence = sequence(&["2 3", "n 3", "7 3"]);
        assert_eq!(len(&sequence), "3");
        let get = |place: Fact| Try::new("SequenceAt", 11).input(sequence.clone()).input(place);
        assert_eq!(shape(&get(scalar(-2)).one(at)), "n 3");
        assert_eq!(shape(&get(Fact::tensor(DType::Int64, [])).one(at)), "f1 3");
        assert!(get(scalar(3)).run(at).is_err());
    }

    #[test]
    fn elements_come_and_go() {
        let sequence = sequence(&["1", "2"]);
        let grown = Try::new("SequenceInsert", 11)
            .input(sequence)
            .input(dims("3"))
            .input(scalar(-1))
            .one(insert);
        // Before the last, so 1 3 2; then without the last.
        let shrunk = Try::new("SequenceErase", 11).input(grown).one(erase);
        assert_eq!(len(&shrunk), "2");
        let last = Try::new("SequenceAt", 11).input(shrunk).input(scalar(1)).one(at);
        assert_eq!(shape(&last), "3");
    }

    #[test]
    fn nothing_is_inside_an_input_that_is_left_out() {
        assert_eq!(values(&Try::new("OptionalHasElement", 18).without().one(has_element)), "0");
        let ctx = Try::new("OptionalHasElement", 18).input(ints(&[1]));
        assert_eq!(values(&ctx.one(has_element)), "1");
        let ctx = Try::new("OptionalHasElement", 18).input(Fact::Optional(Box::new(ints(&[1]))));
        assert_eq!(values(&ctx.one(has_element)), "?");
    }
}
