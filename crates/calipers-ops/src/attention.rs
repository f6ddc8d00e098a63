//! Attention of the standard.

use calipers_ir::DType;
use calipers_sym::Expr;

use crate::context::{Fail, OpContext, Outcome};
use crate::cost;
use crate::fact::{Fact, TensorFact};
use crate::known;
use crate::row::Operator;
use crate::traits::{Class, KernelClass, Lowering, family};

/// Rows of the family.
pub(crate) const ROWS: &[Operator] = &family(
    Class::Attention,
    [
        Operator::onnx("Attention", &[])
            .contracts(KernelClass::Attention, &[])
            .lowers(Lowering::Attention)
            .caches(&[(4, 1), (5, 2)])
            .since(&[23, 24, 25])
            .infer(attention)
            .costs(cost::attention::attention),
        Operator::onnx("LinearAttention", &[])
            .contracts(KernelClass::Attention, &[])
            .since(&[27])
            .infer(linear)
            .costs(cost::attention::linear),
        Operator::onnx("RotaryEmbedding", &[])
            .class(Class::Rotary)
            .since(&[23])
            .infer(rotary)
            .costs(cost::per_output::<3>),
        Operator::new("ai.onnx.preview", "FlexAttention", &[])
            .contracts(KernelClass::Attention, &[])
            .since(&[1])
            .infer(flex)
            .costs(cost::attention::flex),
    ],
);

/// Queries, keys or values as heads, each part as far as it is known.
#[derive(Default)]
struct Heads {
    batch: Option<Expr>,
    heads: Option<Expr>,
    length: Option<Expr>,
    size: Option<Expr>,
    /// Whether the heads are one after another in the last of three dimensions.
    packed: Option<bool>,
}

impl Heads {
    /// Reads `[batch, heads, length, size]`, or `[batch, length, heads * size]` with the number of
    /// heads from an attribute.
    fn read(ctx: &OpContext<'_>, index: usize, attribute: &str) -> Result<Self, Fail> {
        let heads = head_count(ctx, attribute)?;
        match known::dims(ctx, index)? {
            None => Ok(Self { heads, ..Self::default() }),
            Some([batch, heads, length, size]) => Ok(Self {
                batch: Some(batch.clone()),
                heads: Some(heads.clone()),
                length: Some(length.clone()),
                size: Some(size.clone()),
                packed: Some(false),
            }),
            Some([batch, length, hidden]) => Ok(Self {
                batch: Some(batch.clone()),
                length: Some(length.clone()),
                size: heads.as_ref().map(|heads| share(ctx, hidden, heads)).transpose()?,
                heads,
                packed: Some(true),
            }),
            Some(dims) => Err(Fail::contradiction(format!(
                "input {index} of {} has {} dimensions, where 3 or 4 are needed",
                ctx.op,
                dims.len()
            ))),
        }
    }
}

/// Attention of queries over keys, and the caches grown by them:
/// <https://onnx.ai/onnx/operators/onnx__Attention.html>.
fn attention(ctx: &mut OpContext<'_>) -> Outcome {
    let query = Heads::read(ctx, 0, "q_num_heads")?;
    let key = Heads::read(ctx, 1, "kv_num_heads")?;
    let value = Heads::read(ctx, 2, "kv_num_heads")?;
    let past_key = known::ranked(ctx, 4, 4)?;
    let past_value = known::ranked(ctx, 5, 4)?;
    let of = |dims: Option<&'_ [Expr]>, axis: usize| dims.map(|dims| dims[axis].clone());

    let batch = first([query.batch, key.batch, value.batch, of(past_key, 0), of(past_value, 0)]);
    let heads = first([key.heads, value.heads, of(past_key, 1), of(past_value, 1)]);
    let key_size = first([key.size, of(past_key, 3), query.size]);
    let value_size = first([value.size, of(past_value, 3)]);
    let new = first([key.length, value.length]);
    let total = match ctx.has(4) || ctx.has(5) {
        false => new,
        true => first([of(past_key, 2), of(past_value, 2)]).zip(new).map(|(past, new)| past + new),
    };

    let batch = known::or_fresh(ctx, batch, "the batch attended to");
    let heads = known::or_fresh(ctx, heads, "the number of key heads");
    let key_size = known::or_fresh(ctx, key_size, "the size of a key");
    let value_size = known::or_fresh(ctx, value_size, "the size of a value");
    let total = known::or_fresh(ctx, total, "the keys and those before them");
    let asked = known::or_fresh(ctx, query.length, "the number of queries");
    let query_heads = known::or_fresh(ctx, query.heads, "the number of query heads");

    let dtype = known::dtype(ctx, &[0, 1, 4]);
    let output = match query.packed {
        Some(false) => Fact::tensor(
            dtype,
            [batch.clone(), query_heads.clone(), asked.clone(), value_size.clone()],
        ),
        Some(true) => Fact::tensor(
            dtype,
            [batch.clone(), asked.clone(), known::times(ctx, &query_heads, &value_size)],
        ),
        None => known::unranked(ctx, 0, dtype),
    };
    Ok(vec![
        output,
        Fact::tensor(dtype, [batch.clone(), heads.clone(), total.clone(), key_size]),
        Fact::tensor(known::dtype(ctx, &[2, 5]), [batch.clone(), heads, total.clone(), value_size]),
        Fact::tensor(dtype, [batch, query_heads, asked, total]),
    ])
}

/// Attention through a state of fixed size:
/// <https://onnx.ai/onnx/operators/onnx__LinearAttention.html>.
fn linear(ctx: &mut OpContext<'_>) -> Outcome {
    let dtype = known::dtype(ctx, &[0, 1, 2, 4, 5]);
    let (query, key, value) =
        (known::ranked(ctx, 0, 3)?, known::ranked(ctx, 1, 3)?, known::ranked(ctx, 2, 3)?);
    for required in 0..3 {
        ctx.input(required)?;
    }
    let past = known::ranked(ctx, 3, 4)?;
    let query_heads = head_count(ctx, "q_num_heads")?;
    let heads = head_count(ctx, "kv_num_heads")?;
    let of = |dims: Option<&'_ [Expr]>, axis: usize| dims.map(|dims| dims[axis].clone());
    let per_head = |dims: Option<&[Expr]>, heads: &Option<Expr>| match (dims, heads) {
        (Some(dims), Some(heads)) => share(ctx, &dims[2], heads).map(Some),
        _ => Ok(None),
    };
    let key_sizes = [per_head(key, &heads)?, of(past, 2), per_head(query, &query_heads)?];
    let value_sizes = [per_head(value, &heads)?, of(past, 3)];
    let batch = first([of(query, 0), of(key, 0), of(value, 0), of(past, 0)]);
    let length = first([of(query, 1), of(key, 1), of(value, 1)]);
    let heads = first([heads, of(past, 1)]);

    let batch = known::or_fresh(ctx, batch, "the batch attended to");
    let length = known::or_fresh(ctx, length, "the number of queries");
    let heads = known::or_fresh(ctx, heads, "the number of key heads");
    let query_heads = known::or_fresh(ctx, query_heads, "the number of query heads");
    let key_size = known::or_fresh(ctx, first(key_sizes), "the size of a key");
    let value_size = known::or_fresh(ctx, first(value_sizes), "the size of a value");
    let hidden = known::times(ctx, &query_heads, &value_size);
    // Without a state that came before, nothing but the inputs gives its type.
    let state = if ctx.has(3) { ctx.dtype(3) } else { dtype };
    Ok(vec![
        Fact::tensor(dtype, [batch.clone(), length, hidden]),
        Fact::tensor(state, [batch, heads, key_size, value_size]),
    ])
}

/// The input turned by its place: <https://onnx.ai/onnx/operators/onnx__RotaryEmbedding.html>.
fn rotary(ctx: &mut OpContext<'_>) -> Outcome {
    let tensor = ctx.tensor(0)?;
    let dtype = known::dtype(ctx, &[0, 1, 2]);
    Ok(vec![Fact::Tensor(TensorFact { dtype, shape: tensor.shape.clone(), value: None })])
}

/// Attention whose scores graphs may change, always keeping their shape:
/// <https://onnx.ai/onnx/operators/onnx_aionnxpreview_FlexAttention.html>.
fn flex(ctx: &mut OpContext<'_>) -> Outcome {
    let dtype: DType = known::dtype(ctx, &[0, 1, 2]);
    for required in 0..3 {
        ctx.input(required)?;
    }
    let query = known::ranked(ctx, 0, 4)?;
    let key = known::ranked(ctx, 1, 4)?;
    let value = known::ranked(ctx, 2, 4)?;
    let of = |dims: Option<&'_ [Expr]>, axis: usize| dims.map(|dims| dims[axis].clone());
    let batch = first([of(query, 0), of(key, 0), of(value, 0)]);
    let dims = [
        known::or_fresh(ctx, batch, "the batch attended to"),
        known::or_fresh(ctx, of(query, 1), "the number of query heads"),
        known::or_fresh(ctx, of(query, 2), "the number of queries"),
        known::or_fresh(ctx, of(value, 3), "the size of a value"),
    ];
    Ok(vec![Fact::tensor(dtype, dims)])
}

/// The number of heads that an attribute gives.
fn head_count(ctx: &OpContext<'_>, attribute: &str) -> Result<Option<Expr>, Fail> {
    match ctx.int(attribute) {
        Some(heads) if heads < 1 => {
            Err(Fail::contradiction(format!("{} has {heads} for {attribute}", ctx.op)))
        }
        heads => Ok(heads.map(Expr::from)),
    }
}

/// What each head has of a dimension that holds all of them.
fn share(ctx: &OpContext<'_>, hidden: &Expr, heads: &Expr) -> Result<Expr, Fail> {
    let whole = hidden.modulo(heads);
    if whole.as_const().is_some_and(|rest| rest != 0) {
        return Err(Fail::contradiction(format!(
            "{} cannot split {hidden} among {heads} heads",
            ctx.op
        )));
    }
    Ok(hidden.floor_div(heads))
}

/// The first that is known, numbers before expressions.
fn first<const N: usize>(sizes: [Option<Expr>; N]) -> Option<Expr> {
    let number = sizes.iter().flatten().find(|size| size.as_const().is_some()).cloned();
    number.or_else(|| sizes.into_iter().flatten().next())
}

#[cfg(test)]
mod tests {
    use crate::context::{Attr, Fail};
    use crate::contraction::testing::{floats, reported};

    #[test]
    fn caches_grow_by_what_comes_in() {
        let inputs = [
            floats("B 8 S 64"),
            floats("B 2 S 64"),
            floats("B 2 S 32"),
            None,
            floats("B 2 P 64"),
            floats("B 2 P 32"),
        ];
        let shapes = reported("Attention", 23, &inputs, &[]).unwrap();
        assert_eq!(
            shapes,
            [
                "float32[B, 8, S, 32]",
                "float32[B, 2, P + S, 64]",
                "float32[B, 2, P + S, 32]",
                "float32[B, 8, S, P + S]"
            ]
        );
    }

    #[test]
    fn packed_heads_are_unpacked() {
        let inputs = [floats("B S 512"), floats("B T 128"), floats("B T 64")];
        let heads = [("q_num_heads", Attr::Int(8)), ("kv_num_heads", Attr::Int(2))];
        let shapes = reported("Attention", 24, &inputs, &heads).unwrap();
        assert_eq!(
            shapes,
            [
                "float32[B, S, 256]",
                "float32[B, 2, T, 64]",
                "float32[B, 2, T, 32]",
                "float32[B, 8, S, T]"
            ]
        );
        let uneven = [("q_num_heads", Attr::Int(7)), ("kv_num_heads", Attr::Int(2))];
        assert!(matches!(reported("Attention", 24, &inputs, &uneven), Err(Fail::Contradiction(_))));
    }

    #[test]
    fn what_is_known_of_values_is_reported() {
        let unknown = Some(crate::Fact::unknown("no reason"));
        let inputs = [floats("B 8 S 64"), unknown.clone(), unknown];
        let shapes = reported("Attention", 24, &inputs, &[]).unwrap();
        assert_eq!(shapes[0], "float32[B, 8, S, new2]");
    }
}
