//! Shapes of operators that several frameworks have.

use calipers_sym::Expr;

use crate::context::{Fail, OpContext, Outcome, broadcast};
use crate::contraction::product as matrix_product;
use crate::contrib::inputs::{first_dtype, only};
use crate::creation;
use crate::elem::Elem;
use crate::fact::{Fact, TensorFact, product};
use crate::known;
use crate::movement::given::data;

/// `Linear`: a matrix product with the weights of shape `[K, N]`, of an input with any number of
/// dimensions in front. With `flatten`, those become one.
pub(super) fn linear(ctx: &mut OpContext<'_>) -> Outcome {
    let dims = |ctx: &OpContext<'_>| {
        let (left, right) = (ctx.dims(0)?, ctx.dims_of_rank(1, 2)?);
        if ctx.int_or("flatten", 0) == 0 {
            return matrix_product(ctx, left, right);
        }
        let [depth, width] = [right[0].clone(), right[1].clone()];
        Ok(vec![product(left).floor_div(&depth), width])
    };
    only(ctx.dtype(0), dims(ctx))
}

/// Two operands that broadcast.
pub(super) fn broadcast_pair(ctx: &mut OpContext<'_>) -> Outcome {
    let dtype = first_dtype(ctx, &[0, 1]);
    let dims = |ctx: &OpContext<'_>| broadcast(ctx.op, ctx.dims(0)?, ctx.dims(1)?);
    only(dtype, dims(ctx))
}

/// `FloorDiv`: sizes are divided with it, so the elements are followed.
pub(super) fn floor_div(ctx: &mut OpContext<'_>) -> Outcome {
    let facts = broadcast_pair(ctx)?;
    let elements = match (ctx.value(0), ctx.value(1)) {
        (Some(left), Some([right])) => left.iter().map(|left| quotient(left, right)).collect(),
        _ => Vec::new(),
    };
    Ok(facts.into_iter().map(|fact| with_elements(fact, &elements)).collect())
}

fn quotient(left: &Elem, right: &Elem) -> Elem {
    match (left.as_expr(), right.as_i64()) {
        (Some(left), Some(right)) if right > 0 => Elem::Int(left.floor_div(&Expr::from(right))),
        _ => Elem::Unknown,
    }
}

fn with_elements(fact: Fact, elements: &[Elem]) -> Fact {
    match fact {
        Fact::Tensor(tensor) if !elements.is_empty() => {
            tensor.with_value(elements.iter().cloned()).into()
        }
        other => other,
    }
}

/// `Fill`: a shape, and the element everywhere.
pub(super) fn fill(ctx: &mut OpContext<'_>) -> Outcome {
    let element = match ctx.value(1) {
        Some([element]) => element.clone(),
        _ => Elem::Unknown,
    };
    creation::repeated(ctx, ctx.dtype(1), element)
}

/// `Stack`: tensors of one shape along a new axis.
pub(super) fn stack(ctx: &mut OpContext<'_>) -> Outcome {
    let count = ctx.input_count();
    let inputs: Vec<usize> = (0..count).collect();
    let dtype = first_dtype(ctx, &inputs);
    let ranked = inputs.iter().find_map(|input| match ctx.dims(*input) {
        Ok(dims) => Some(Ok(dims.to_vec())),
        Err(Fail::Unknown(_)) => None,
        Err(contradiction) => Some(Err(contradiction)),
    });
    let Some(dims) = ranked.transpose()? else {
        return Ok(vec![known::unranked(ctx, 0, dtype)]);
    };
    let axis = ctx.axis(ctx.int_or("axis", 0), dims.len() + 1)?;
    let length = i64::try_from(count).map_err(|_| Fail::unknown("it has too many inputs"))?;
    let mut stacked = dims;
    stacked.insert(axis, Expr::from(length));
    let fact = TensorFact::new(dtype, stacked);
    if axis > 0 || inputs.iter().all(|input| ctx.value(*input).is_none()) {
        return Ok(vec![fact.into()]);
    }
    // Along the first axis the elements of one input follow those of another.
    let each = fact.constant_count().map(|all| all / count.max(1)).unwrap_or_default();
    let elements = inputs.iter().flat_map(|input| match ctx.value(*input) {
        Some(elements) => elements.to_vec(),
        None => vec![Elem::Unknown; each.min(crate::MAX_ELEMENTS)],
    });
    Ok(vec![fact.with_value(elements).into()])
}

/// `Unstack`: a tensor for each element of an axis.
pub(super) fn unstack(ctx: &mut OpContext<'_>) -> Outcome {
    let data = data(ctx, 0)?;
    let dims = match &data.shape {
        Ok(dims) => dims.to_vec(),
        Err(reason) => return Ok(vec![Fact::unranked(data.dtype, reason.clone()); ctx.outputs]),
    };
    let axis = ctx.axis(ctx.int_or("axis", 0), dims.len())?;
    let mut rest = dims;
    rest.remove(axis);
    let values = data.value.as_deref().filter(|_| rest.is_empty());
    let outputs = (0..ctx.outputs).map(|output| {
        let fact = TensorFact::new(data.dtype, rest.iter().cloned());
        match values.and_then(|values| values.get(output)) {
            Some(element) => fact.with_value([element.clone()]).into(),
            None => fact.into(),
        }
    });
    Ok(outputs.collect())
}

/// `GatherBatch`: elements at indices of an axis, the first dimensions of both going together.
pub(super) fn gather_batch(ctx: &mut OpContext<'_>) -> Outcome {
    let dims = |ctx: &OpContext<'_>| {
        let (table, indices) = (ctx.dims(0)?, ctx.dims(1)?);
        let axis = ctx.integer(2).or_else(|| ctx.int("axis")).unwrap_or(0);
        let axis = ctx.axis(axis, table.len())?;
        let batch = ctx.axis(ctx.int_or("batch_dims", 0), indices.len() + 1)?;
        if batch > axis {
            return Err(Fail::contradiction(format!(
                "{} has {batch} batch dimensions, and gathers along axis {axis}",
                ctx.op
            )));
        }
        let (before, after) = (&table[..axis], &table[axis + 1..]);
        Ok([before, &indices[batch..], after].concat())
    };
    only(ctx.dtype(0), dims(ctx))
}

/// The blocks and the pairs of an operator that moves space to the batch or back.
fn blocks(ctx: &OpContext<'_>) -> Result<Vec<(Expr, Expr)>, Fail> {
    let lacking = |input: usize| Fail::unknown(format!("input {input} of {} is not known", ctx.op));
    let block = ctx.exprs(1).ok_or_else(|| lacking(1))?;
    let pairs = ctx.exprs(2).ok_or_else(|| lacking(2))?;
    let (pairs, rest) = pairs.as_chunks::<2>();
    if block.len() != pairs.len() || !rest.is_empty() {
        return Err(Fail::contradiction(format!("the blocks of {} differ in number", ctx.op)));
    }
    let each = block.iter().zip(pairs).map(|(block, pair)| match (block, pair) {
        (Some(block), [Some(before), Some(after)]) => Ok(((*block).clone(), *before + *after)),
        _ => Err(lacking(2)),
    });
    each.collect()
}

/// `SpaceToBatch`: squares of space become examples of the batch.
pub(super) fn space_to_batch(ctx: &mut OpContext<'_>) -> Outcome {
    let dims = |ctx: &OpContext<'_>| {
        let mut dims = ctx.dims(0)?.to_vec();
        for (axis, (block, padding)) in blocks(ctx)?.into_iter().enumerate() {
            let Some(size) = dims.get(axis + 1) else { return Err(too_many(ctx)) };
            dims[axis + 1] = (size + padding).floor_div(&block);
            dims[0] = &dims[0] * block;
        }
        Ok(dims)
    };
    only(ctx.dtype(0), dims(ctx))
}

/// `BatchToSpace`: the inverse.
pub(super) fn batch_to_space(ctx: &mut OpContext<'_>) -> Outcome {
    let dims = |ctx: &OpContext<'_>| {
        let mut dims = ctx.dims(0)?.to_vec();
        for (axis, (block, cropped)) in blocks(ctx)?.into_iter().enumerate() {
            let Some(size) = dims.get(axis + 1) else { return Err(too_many(ctx)) };
            dims[axis + 1] = size * &block - cropped;
            dims[0] = dims[0].floor_div(&block);
        }
        Ok(dims)
    };
    only(ctx.dtype(0), dims(ctx))
}

fn too_many(ctx: &OpContext<'_>) -> Fail {
    Fail::contradiction(format!("{} has more blocks than its input has axes", ctx.op))
}

#[cfg(test)]
mod tests {
    use crate::contrib::testing::{int, reported};

    fn shape(
        op: &str,
        inputs: &[&str],
        attributes: &[(&'static str, i64)],
        outputs: usize,
    ) -> Vec<String> {
        let attributes: Vec<_> =
            attributes.iter().map(|(name, value)| (*name, int(*value))).collect();
        reported(crate::FRAMEWORKS, op, inputs, &attributes, outputs)
    }

    #[test]
    fn products_with_weights() {
        let inputs = ["float32[batch, 7, 16]", "float32[16, 10]", "float32[10]"];
        assert_eq!(shape("Linear", &inputs, &[], 1), ["float32[batch, 7, 10]"]);
        // 4 · 8 · 8 elements are 16 rows of 16.
        let inputs = ["float32[4, 8, 8]", "float32[16, 10]"];
        assert_eq!(shape("Linear", &inputs, &[("flatten", 1)], 1), ["float32[16, 10]"]);
    }

    #[test]
    fn tensors_are_stacked_and_taken_apart() {
        let inputs = ["float32[2, 3]"; 4];
        assert_eq!(shape("Stack", &inputs, &[("axis", -1)], 1), ["float32[2, 3, 4]"]);
        let inputs = ["float32[2, 3]"];
        assert_eq!(shape("Unstack", &inputs, &[("axis", 1)], 3), ["float32[2]"; 3]);
    }

    #[test]
    fn space_becomes_batch_and_back() {
        // A dilation of 2 is a convolution of (5 + 1) / 2 = 3 columns in 4 times as many images.
        let inputs = ["float32[1, 4, 5, 8]", "int32[2]={2, 2}", "int32[2, 2]={0, 0, 0, 1}"];
        assert_eq!(shape("SpaceToBatch", &inputs, &[], 1), ["float32[4, 2, 3, 8]"]);
        let inputs = ["float32[4, 2, 3, 8]", "int32[2]={2, 2}", "int32[2, 2]={0, 0, 0, 1}"];
        assert_eq!(shape("BatchToSpace", &inputs, &[], 1), ["float32[1, 4, 5, 8]"]);
    }

    #[test]
    fn elements_at_indices_of_each_example() {
        let inputs = ["float32[batch, 10, 4]", "int32[batch, 3]"];
        let attributes = [("axis", 1), ("batch_dims", 1)];
        assert_eq!(shape("GatherBatch", &inputs, &attributes, 1), ["float32[batch, 3, 4]"]);
    }

    #[test]
    fn pads_in_pairs() {
        let inputs = ["float32[batch, 5]", "int32[2, 2]={0, 0, 1, 2}"];
        assert_eq!(shape("Pad", &inputs, &[], 1), ["float32[batch, 8]"]);
    }
}
