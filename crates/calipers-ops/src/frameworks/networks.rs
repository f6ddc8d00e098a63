//! Rows of operators that graphs of known networks have, and no runtime has in one.

use calipers_ir::DType;
use calipers_sym::Expr;

use crate::FRAMEWORKS;
use crate::InputRole::{Data, Scale, Table, Weight};
use crate::context::{Fail, OpContext, Outcome};
use crate::contrib::inputs::{like, positive, shaped};
use crate::cost::{self, Traffic, Work};
use crate::fact::{Fact, product};
use crate::row::{InputRole, Operator};
use crate::traits::{Class, KernelClass, Lowering, Movement, family};

const fn network(name: &'static str, inputs: &'static [InputRole]) -> Operator {
    Operator::new(FRAMEWORKS, name, inputs)
}

/// Rows of the family.
pub(crate) const ROWS: &[Operator] = &family(
    Class::Contraction,
    [
        // A stream, the scores of a router, and the matrices of all experts, one after another.
        network("Experts", &[Data, Data, Weight])
            .contracts(KernelClass::Gemm, &[2])
            .variadic()
            .infer(same)
            .costs(experts),
        // A table of few bits, several to a word; indices; scales and zero points.
        network("PackedEmbedding", &[Table, Data, Scale, Scale])
            .class(Class::Movement)
            .passes(Movement::Gather)
            .lowers(Lowering::As("Gather", &[0, 1]))
            .infer(packed_embedding)
            .costs(cost::per_output::<2>)
            .moves(Traffic::Gathered),
        // A stream, its steps, decay, inputs and outputs of the state, what is passed by, the state.
        network("SelectiveScan", &[Data, Data, Weight, Data, Data, Weight, Data])
            .class(Class::Recurrent)
            .contracts(KernelClass::Recurrent, &[])
            .infer(selective_scan)
            .costs(scanned),
    ],
);

fn same(ctx: &mut OpContext<'_>) -> Outcome {
    Ok(vec![like(ctx, 0, ctx.dtype(0))?])
}

/// `PackedEmbedding`: a row for each index, as wide as an attribute says.
fn packed_embedding(ctx: &mut OpContext<'_>) -> Outcome {
    let width = Expr::from(positive(ctx, "width")?);
    let dims = ctx.dims(1).map(|ids| ids.iter().cloned().chain([width]).collect());
    let dtype = match ctx.dtype(2) {
        DType::Undefined => DType::Float32,
        dtype => dtype,
    };
    Ok(vec![shaped(dtype, dims)?])
}

/// `SelectiveScan`: the output is shaped as the stream, and the state stays as it is.
fn selective_scan(ctx: &mut OpContext<'_>) -> Outcome {
    let dtype = ctx.dtype(0);
    Ok(vec![like(ctx, 0, dtype)?, like(ctx, 6, dtype)?])
}

/// Each token goes through the best `k` experts of this many matrices between the stream and a width
/// inside. The gates are a softmax over all experts; what the experts give is weighted and added.
fn experts(ctx: &OpContext<'_>, _: &[Fact]) -> Result<Work, Fail> {
    let dims = ctx.dims(0)?;
    let Some((hidden, tokens)) = dims.split_last() else {
        return Err(Fail::contradiction(format!("{} has a scalar for its input", ctx.op)));
    };
    let chosen = product(tokens) * positive(ctx, "k")?;
    let width = Expr::from(positive(ctx, "width")?);
    let macs = &chosen * hidden * &width * positive(ctx, "matrices")?;
    // An activation and a product inside; a weight and an addition after it.
    let other_flops = chosen * (width * 2 + hidden * 2) + product(ctx.dims(1)?) * 5;
    Ok(Work { macs, other_flops })
}

/// For each number of the state: it decays, takes up the stream, and is read. The decay is an
/// exponential of a product, and what is taken up another product. For each channel, the stream is
/// multiplied with its step, and passes by.
fn scanned(ctx: &OpContext<'_>, _: &[Fact]) -> Result<Work, Fail> {
    let stream = product(ctx.dims(0)?);
    let Some(state) = ctx.dims(6)?.last() else {
        return Err(Fail::contradiction(format!("{} has a scalar for its state", ctx.op)));
    };
    let numbers = &stream * state;
    Ok(Work { macs: &numbers * 2, other_flops: numbers * 3 + stream * 3 })
}

#[cfg(test)]
mod tests {
    use crate::context::Attr;
    use crate::contrib::testing::{int, reported, with_call};

    /// MACs and other arithmetic, as text.
    fn work(op: &str, inputs: &[&str], with: &[(&str, Attr<'static>)]) -> (String, String) {
        let row = crate::find(crate::FRAMEWORKS, op).unwrap();
        let work = with_call(op, 23, inputs, with, 1, |ctx| {
            let outputs = (row.rule.unwrap())(ctx)?;
            (row.cost.unwrap())(ctx, &outputs)
        });
        let work = work.unwrap();
        (work.macs.to_string(), work.other_flops.to_string())
    }

    #[test]
    fn tokens_go_through_the_experts_that_they_choose() {
        let inputs = ["float16[B, S, 64]", "float16[B, S, 8]", "float16[128, 64]"];
        let attributes =
            [("k", int(2)), ("width", int(128)), ("matrices", int(3)), ("experts", int(8))];
        assert_eq!(reported("frameworks", "Experts", &inputs, &attributes, 1), [inputs[0]]);
        // 2 of 3 · 64 · 128 = 24,576; next to them 2 · (256 + 128) and a softmax over 8 of 5 each.
        let found = work("Experts", &inputs, &attributes);
        assert_eq!(found, ("49152*B*S".to_owned(), "808*B*S".to_owned()));
    }

    #[test]
    fn a_row_for_each_index() {
        let inputs = ["uint32[100, 8]", "int64[B, S]", "float16[100, 1]"];
        let attributes = [("width", int(64)), ("bits", int(4))];
        let found = reported("frameworks", "PackedEmbedding", &inputs, &attributes, 1);
        assert_eq!(found, ["float16[B, S, 64]"]);
    }

    #[test]
    fn a_state_for_each_channel() {
        let inputs = [
            "float32[B, S, 8]",
            "float32[B, S, 8]",
            "float32[8, 16]",
            "float32[B, S, 16]",
            "float32[B, S, 16]",
            "float32[8]",
            "float32[B, 8, 16]",
        ];
        let found = reported("frameworks", "SelectiveScan", &inputs, &[], 2);
        assert_eq!(found, ["float32[B, S, 8]", "float32[B, 8, 16]"]);
        // 8 channels of 16 are 128 numbers: 256 and 3 · 128 + 3 · 8.
        let found = work("SelectiveScan", &inputs, &[]);
        assert_eq!(found, ("256*B*S".to_owned(), "408*B*S".to_owned()));
    }
}
