//! Tables whose elements are packed into few bits.

use calipers_ir::DType;
use calipers_sym::Expr;

use crate::context::{Fail, OpContext, Outcome};
use crate::contrib::inputs::only;

/// `GatherBlockQuantized`: as `Gather`, of numbers that the scales make. Bytes may hold several
/// elements of the last dimension.
pub(super) fn gather(ctx: &mut OpContext<'_>) -> Outcome {
    let dims = |ctx: &OpContext<'_>| {
        let (data, indices) = (ctx.dims(0)?, ctx.dims(1)?);
        let axis = ctx.axis(ctx.int_or("gather_axis", 0), data.len())?;
        let mut dims = data.to_vec();
        if let (DType::Uint8, Some(last)) = (ctx.dtype(0), dims.last_mut()) {
            *last = &*last * per_byte(ctx)?;
        }
        if ctx.dtype(0) == DType::Undefined {
            return Err(Fail::unknown("how many elements a byte of the table holds is not known"));
        }
        dims.splice(axis..=axis, indices.iter().cloned());
        Ok(dims)
    };
    only(ctx.dtype(2), dims(ctx))
}

/// Elements in a byte.
fn per_byte(ctx: &OpContext<'_>) -> Result<Expr, Fail> {
    match ctx.int_or("bits", 4) {
        bits @ (1 | 2 | 4 | 8) => Ok(Expr::from(8 / bits)),
        bits => Err(Fail::contradiction(format!("{} has elements of {bits} bits", ctx.op))),
    }
}

#[cfg(test)]
mod tests {
    use crate::contrib::testing::{int, reported};

    #[test]
    fn bytes_hold_two_elements_or_one() {
        let one = |table: &str, bits: i64| {
            let inputs = [table, "int64[B, S]", "float16[100, 2]"];
            reported("com.microsoft", "GatherBlockQuantized", &inputs, &[("bits", int(bits))], 1)
                .remove(0)
        };
        assert_eq!(one("uint8[100, 32]", 4), "float16[B, S, 64]");
        assert_eq!(one("uint8[100, 64]", 8), "float16[B, S, 64]");
        assert_eq!(one("int4[100, 64]", 4), "float16[B, S, 64]");
    }
}
