//! Attention that multiplies its input by the weights of query, key and value itself.

use calipers_sym::Expr;

use super::attention::{Sizes, rows, written};
use super::{Cost, given, last, ranked, unknown};
use crate::context::{Fail, OpContext};
use crate::contrib::inputs::{positive, share};
use crate::elem::Elem;
use crate::fact::Fact;

/// Widths of query, key and value together, of the query, and of the value.
fn widths(ctx: &OpContext<'_>, weights: usize) -> Result<[Expr; 3], Fail> {
    let all = last(ctx, weights)?.clone();
    match ctx.ints("qkv_hidden_sizes") {
        Some([query, _, value]) => Ok([all, (*query).into(), (*value).into()]),
        Some([]) | None => {
            let third = share(&all, 3);
            Ok([all, third.clone(), third])
        }
        Some(_) => unknown(format!("the widths of {} are not known", ctx.op)),
    }
}

/// Where an operator that projects has its inputs.
struct Projected {
    bias: usize,
    masks: &'static [usize],
    past: usize,
    written: Option<usize>,
    /// Operations on each projected element next to the bias.
    each: i64,
}

fn projected(ctx: &OpContext<'_>, places: &Projected) -> Cost {
    let input = ranked(ctx, 0, 3)?;
    let [all, query, value] = widths(ctx, 1)?;
    let tokens = &input[0] * &input[1];
    let shared = ctx.int_or("past_present_share_buffer", 0) != 0;
    let keys = match (ctx.has(places.past), places.written) {
        (true, Some(index)) if shared => written(ctx, index)? + &input[1],
        (true, _) if shared => {
            return unknown(format!("how much of the cache of {} is written is not known", ctx.op));
        }
        (true, _) => &ranked(ctx, places.past, 5)?[3] + &input[1],
        (false, _) => input[1].clone(),
    };
    let mut work = Sizes {
        queries: &tokens * query,
        output: &tokens * value,
        rows: rows(ctx, input, "num_heads")?,
        keys,
        masks: given(ctx, places.masks),
    }
    .work();
    work.macs += &tokens * &input[2] * &all;
    work.other_flops += tokens * all * (places.each + given(ctx, &[places.bias]));
    Ok(work)
}

/// `Attention`, `DecoderMaskedSelfAttention`: with the projections of query, key and value inside.
pub(crate) fn with_projection(ctx: &OpContext<'_>, _: &[Fact]) -> Cost {
    let places = Projected { bias: 2, masks: &[3, 5], past: 4, written: Some(6), each: 0 };
    projected(ctx, &places)
}

/// `QAttention`: the same on quantized input and weights, whose products are scaled back.
pub(crate) fn q_attention(ctx: &OpContext<'_>, _: &[Fact]) -> Cost {
    projected(ctx, &Projected { bias: 2, masks: &[5], past: 8, written: None, each: 1 })
}

/// `PackedAttention`: tokens of all sequences in one list, each with as many keys as the longest
/// sequence has places.
pub(crate) fn packed_attention(ctx: &OpContext<'_>, _: &[Fact]) -> Cost {
    let input = ranked(ctx, 0, 2)?;
    let [all, query, value] = widths(ctx, 1)?;
    let tokens = &input[0];
    let mut work = Sizes {
        queries: tokens * query,
        output: tokens * value,
        rows: rows(ctx, input, "num_heads")?,
        keys: ranked(ctx, 3, 2)?[1].clone(),
        masks: given(ctx, &[5]),
    }
    .work();
    work.macs += tokens * &input[1] * &all;
    work.other_flops += tokens * all * given(ctx, &[2]);
    Ok(work)
}

/// `QOrderedAttention`: a matrix each for query, key and value.
pub(crate) fn ordered(ctx: &OpContext<'_>, _: &[Fact]) -> Cost {
    if ctx.has(18) {
        return unknown("QOrderedAttention has a cache, whose use is not described");
    }
    let input = ranked(ctx, 0, 3)?;
    let tokens = &input[0] * &input[1];
    let [query, key, value] = [last(ctx, 5)?, last(ctx, 6)?, last(ctx, 7)?];
    let mut work = Sizes {
        queries: &tokens * query,
        output: &tokens * value,
        rows: rows(ctx, input, "num_heads")?,
        keys: input[1].clone(),
        masks: given(ctx, &[17, 19]),
    }
    .work();
    let all = &tokens * (query + key + value);
    work.macs += &all * &input[2];
    // Products are quantized again; biases are added.
    work.other_flops += all * (2 + given(ctx, &[11]));
    Ok(work)
}

/// Every token meets a window of keys on both sides and itself. What tokens that see everything add
/// depends on which they are, and is not counted.
fn windowed(ctx: &OpContext<'_>, weights: usize, bias: usize, mask: usize, each: i64) -> Cost {
    let input = ranked(ctx, 0, 3)?;
    let window = positive(ctx, "window")?;
    let all = last(ctx, weights)?;
    let tokens = &input[0] * &input[1];
    let width = &tokens * share(all, 3);
    let mut work = Sizes {
        queries: width.clone(),
        output: width,
        rows: rows(ctx, input, "num_heads")?,
        keys: Expr::from(window) * 2 + 1,
        masks: given(ctx, &[mask]),
    }
    .work();
    let projected = tokens * all;
    work.macs += &projected * &input[2];
    work.other_flops += projected * (each + given(ctx, &[bias]));
    Ok(work)
}

/// `LongformerAttention`.
pub(crate) fn longformer(ctx: &OpContext<'_>, _: &[Fact]) -> Cost {
    windowed(ctx, 1, 2, 3, 0)
}

/// `QOrderedLongformerAttention`.
pub(crate) fn ordered_longformer(ctx: &OpContext<'_>, _: &[Fact]) -> Cost {
    windowed(ctx, 2, 4, 7, 2)
}

/// `DecoderAttention`: the sequence first; switches say what is projected and what is cached.
pub(crate) fn decoder(ctx: &OpContext<'_>, _: &[Fact]) -> Cost {
    let switch = |index: usize| match ctx.value(index) {
        Some([element]) => Elem::as_bool(element),
        _ => None,
    };
    let (Some(other), Some(past)) = (switch(8), switch(9)) else {
        return unknown("whether DecoderAttention uses its cache is not known");
    };
    let query = ranked(ctx, 0, 3)?;
    let tokens = &query[0] * &query[1];
    let cached = || ranked(ctx, 6, 4).map(|cache| cache[2].clone());
    let (keys, new) = match (other, past) {
        (false, false) => (query[0].clone(), Some(query[0].clone())),
        (false, true) => (cached()? + &query[0], Some(query[0].clone())),
        (true, false) => {
            let count = ranked(ctx, 1, 3)?[0].clone();
            (count.clone(), Some(count))
        }
        (true, true) => (cached()?, None),
    };
    let width = &tokens * &query[2];
    let mut work = Sizes {
        queries: width.clone(),
        output: width.clone(),
        rows: rows(ctx, query, "num_heads")?,
        keys,
        masks: given(ctx, &[5]),
    }
    .work();
    work.macs += &width * last(ctx, 2)?;
    let mut biased = width;
    if let Some(new) = new {
        let rows = new * &query[1];
        work.macs += &rows * &query[2] * last(ctx, 3)?;
        biased += rows * last(ctx, 3)?;
    }
    work.other_flops += biased * given(ctx, &[4]);
    Ok(work)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{both, macs, work};
    use crate::contrib::testing::{int, ints};

    const MS: &str = "com.microsoft";

    #[test]
    fn projections_inside() {
        // B · S tokens by 32 · 96 = 3,072; then 2 · 32 for each pair.
        let inputs = ["float32[B, S, 32]", "float32[32, 96]", "float32[96]"];
        let heads = [("num_heads", int(4))];
        let wanted = both("64*B*S^2 + 3072*B*S", "24*B*S^2 + 96*B*S");
        assert_eq!(work(MS, "Attention", &inputs, &heads), wanted);
        let past = [inputs[0], inputs[1], inputs[2], "", "float32[2, B, 4, 10, 8]"];
        assert_eq!(macs(MS, "Attention", &past, &heads), "64*B*S^2 + 3712*B*S"); // 3,072 + 640
        // A narrower value: 32 · 88 = 2,816, and 32 + 24 for each pair.
        let inputs = ["float16[B, S, 32]", "float16[32, 88]", "float16[88]"];
        let sizes = [("num_heads", int(4)), ("qkv_hidden_sizes", ints(&[32, 32, 24]))];
        assert_eq!(macs(MS, "Attention", &inputs, &sizes), "56*B*S^2 + 2816*B*S");
    }

    #[test]
    fn quantized_projections() {
        let inputs = [
            "uint8[1, S, 64]",
            "int8[64, 192]",
            "float32[192]",
            "float32[]",
            "float32[192]",
            "int32[1, S]",
        ];
        // 64 · 192 = 12,288; 2 · 64 for each pair; 8 heads of 6 + 1; bias and scale of 192.
        let wanted = both("128*S^2 + 12288*S", "56*S^2 + 384*S");
        assert_eq!(work(MS, "QAttention", &inputs, &[("num_heads", int(8))]), wanted);
    }

    #[test]
    fn windows_of_keys() {
        // 64 · 192 = 12,288 for each token, then 2 · 64 by 2 · 16 + 1 = 33 keys: 4,224.
        let inputs = ["float32[1, S, 64]", "float32[64, 192]", "float32[192]", "float32[1, S]"];
        let attributes = [("num_heads", int(8)), ("window", int(16))];
        assert_eq!(macs(MS, "LongformerAttention", &inputs, &attributes), "16512*S");
    }

    #[test]
    fn switches_say_what_is_projected() {
        let with = |other, past| {
            let inputs = [
                "float32[S, 1, 32]",
                "float32[K, 1, 32]",
                "float32[32, 32]",
                "float32[32, 64]",
                "float32[96]",
                "",
                "float32[1, 4, P, 8]",
                "float32[1, 4, P, 8]",
                other,
                past,
            ];
            macs(MS, "DecoderAttention", &inputs, &[("num_heads", int(4))])
        };
        let (no, yes) = ("bool[1]={0}", "bool[1]={1}");
        // 32 · 32 = 1,024 and 32 · 64 = 2,048 for projections; 64 for each pair.
        assert_eq!(with(no, no), "64*S^2 + 3072*S");
        assert_eq!(with(yes, yes), "64*P*S + 1024*S");
    }
}
