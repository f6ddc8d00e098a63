//! Rows of operators that TensorFlow alone has:
//! <https://www.tensorflow.org/versions/r2.16/api_docs/python/tf/raw_ops>.

use calipers_ir::DType;
use calipers_sym::Expr;

use super::rules::broadcast_pair;
use crate::InputRole::{Data, Moved, Setting, Weight};
use crate::context::{Fail, OpContext, Outcome};
use crate::contrib::inputs::only;
use crate::cost::{self, Traffic, Work};
use crate::elementwise::rules::same;
use crate::fact::{Fact, TensorFact, product};
use crate::known;
use crate::movement::given::{dimension, list};
use crate::row::{InputRole, Operator};
use crate::traits::{Class, Extent, KernelClass, Movement, family};
use crate::window::Window;

/// The domain of these operators.
pub(crate) const TENSORFLOW: &str = calipers_ir::Format::SavedModel.domain();

const fn row(name: &'static str, inputs: &'static [InputRole]) -> Operator {
    Operator::new(TENSORFLOW, name, inputs)
}

const fn unary(name: &'static str) -> Operator {
    row(name, &[]).class(Class::Elementwise).unary(true).infer(same)
}

const fn pair(name: &'static str) -> Operator {
    row(name, &[Data, Data]).class(Class::Elementwise).infer(broadcast_pair)
}

/// An operator on a list of tensors. A list is seen as one tensor of all its items.
const fn list_row(name: &'static str) -> Operator {
    row(name, &[Data, Data, Data]).costs(cost::free)
}

/// A transform of the last dimension.
const fn transform(name: &'static str) -> Operator {
    row(name, &[Data, Setting]).class(Class::Elementwise)
}

/// Rows of the family.
pub(crate) const ROWS: &[Operator] = &family(
    Class::Movement,
    [
        pair("Atan2").transcendental().costs(cost::per_output::<2>),
        row("DepthwiseConv2dNative", &[Data, Weight])
            .class(Class::Contraction)
            .contracts(KernelClass::Depthwise, &[1])
            .has_integer_kernel()
            .infer(depthwise)
            .costs(depthwise_cost),
        unary("Digamma").transcendental().costs(cost::per_output::<10>),
        unary("Erfc").transcendental().costs(cost::per_output::<2>),
        unary("Erfinv").transcendental().costs(cost::per_output::<10>),
        transform("FFT").infer(same).costs(cost::signal::rfft),
        transform("IFFT").infer(same).costs(cost::signal::rfft),
        transform("IRFFT").infer(irfft).costs(cost::signal::irfft),
        unary("IsFinite").costs(cost::per_output::<1>),
        unary("Lgamma").transcendental().costs(cost::per_output::<10>),
        row("MatrixBandPart", &[Moved]).infer(same).costs(cost::free),
        unary("Ndtri").transcendental().costs(cost::per_output::<10>),
        row("OneHot", &[Data, Setting, Data, Data])
            .extent(Extent::Inputs(&[1]))
            .infer(one_hot)
            .costs(cost::free),
        row("OnesLike", &[]).infer(same).costs(cost::free),
        transform("RFFT").infer(rfft).costs(cost::signal::rfft),
        row("Rank", &[]).infer(rank).costs(cost::free).moves(Traffic::Nothing),
        row("ReverseV2", &[Moved, Setting])
            .passes(Movement::Rearrange)
            .infer(same)
            .costs(cost::free),
        row("Roll", &[Moved, Setting, Setting])
            .passes(Movement::Rearrange)
            .infer(same)
            .costs(cost::free),
        row("ScatterNd", &[Data, Data, Setting])
            .extent(Extent::Inputs(&[2]))
            .infer(scatter)
            .costs(cost::free),
        row("Slice", &[Moved, Setting, Setting])
            .passes(Movement::Slice)
            .extent(Extent::Inputs(&[1, 2]))
            .infer(slice)
            .costs(cost::free)
            .moves(Traffic::Gathered),
        list_row("TensorListFromTensor").infer(same),
        list_row("TensorListGetItem").infer(item),
        list_row("TensorListReserve").infer(reserve),
        list_row("TensorListSetItem").infer(with_item),
        list_row("TensorListStack").infer(same),
        pair("Xdivy").costs(cost::per_output::<1>),
        pair("Xlog1py").transcendental().costs(cost::per_output::<3>),
        pair("Xlogy").transcendental().costs(cost::per_output::<3>),
        row("ZerosLike", &[]).infer(same).costs(cost::free),
    ],
);

/// Kernels of shape `[height, width, channels, makes]`: each channel has as many outputs as its
/// kernel makes.
fn depthwise(ctx: &mut OpContext<'_>) -> Outcome {
    let dtype = known::dtype(ctx, &[0, 1]);
    let image = known::ranked(ctx, 0, 4)?;
    let kernel = known::ranked(ctx, 1, 4)?;
    let sizes = |axis: usize| kernel.map(|dims| dims[axis].clone());
    let window = Window::read(ctx, &[sizes(0), sizes(1)])?;
    let channels = image.map(|dims| &dims[1]);
    known::agree(ctx, "channels", &[channels, sizes(2).as_ref()])?;
    let made = sizes(2).or(channels.cloned()).zip(sizes(3)).map(|(each, makes)| each * makes);
    let mut dims = vec![
        known::or_fresh(ctx, image.map(|dims| dims[0].clone()), "the batch convolved"),
        known::or_fresh(ctx, made, "the kernel's channels"),
    ];
    for axis in 0..2 {
        let size = match image {
            Some(image) => window.convolved(ctx, axis, &image[axis + 2])?,
            None => None,
        };
        dims.push(known::or_fresh(ctx, size, "the input convolved and its kernel"));
    }
    Ok(vec![Fact::tensor(dtype, dims)])
}

fn depthwise_cost(ctx: &OpContext<'_>, outputs: &[Fact]) -> Result<Work, Fail> {
    let kernel = cost::ranked(ctx, 1, 4)?;
    let places = cost::elements(ctx, outputs.first())?;
    Ok(Work { macs: places * product(&kernel[..2]), other_flops: Expr::ZERO })
}

/// The number of dimensions.
fn rank(ctx: &mut OpContext<'_>) -> Outcome {
    let fact = TensorFact::new(DType::Int32, []);
    Ok(vec![match ctx.shape(0)? {
        Ok(dims) => {
            let rank = i64::try_from(dims.len()).unwrap_or(i64::MAX);
            fact.with_value([crate::Elem::int(rank)]).into()
        }
        Err(_) => fact.into(),
    }])
}

/// A new dimension as long as the second input says.
fn one_hot(ctx: &mut OpContext<'_>) -> Outcome {
    let dtype = known::dtype(ctx, &[2, 3]);
    let depth = match list(ctx, "", 1) {
        Some(Ok(entries)) => entries.into_iter().next().flatten(),
        _ => None,
    };
    let Some(dims) = known::dims(ctx, 0)? else { return Ok(vec![known::unranked(ctx, 0, dtype)]) };
    let axis = ctx.axis(ctx.int_or("axis", -1), dims.len() + 1)?;
    let mut dims = dims.to_vec();
    let depth = match depth {
        Some(depth) => dimension(ctx, depth, "the depth of OneHot")?,
        None => ctx.fresh("the depth of OneHot"),
    };
    dims.insert(axis, depth);
    Ok(vec![Fact::tensor(dtype, dims)])
}

/// The third input is the shape.
fn scatter(ctx: &mut OpContext<'_>) -> Outcome {
    let dtype = ctx.dtype(1);
    let sizes = match list(ctx, "", 2) {
        None => return Err(Fail::contradiction("ScatterNd lacks its shape")),
        Some(Err(reason)) => return Ok(vec![Fact::unranked(dtype, reason)]),
        Some(Ok(sizes)) => sizes,
    };
    let mut dims = Vec::with_capacity(sizes.len());
    for size in sizes {
        dims.push(match size {
            Some(size) => dimension(ctx, size, "the shape of ScatterNd")?,
            None => ctx.fresh("the shape of ScatterNd"),
        });
    }
    Ok(vec![Fact::tensor(dtype, dims)])
}

/// Begins and sizes; -1 is the size of all that is left.
fn slice(ctx: &mut OpContext<'_>) -> Outcome {
    let dtype = ctx.dtype(0);
    let entries = |place: usize| match list(ctx, "", place) {
        Some(Ok(entries)) => Some(entries),
        _ => None,
    };
    let (begins, sizes) = (entries(1), entries(2));
    let whole = known::dims(ctx, 0)?;
    let rank = whole.map(<[Expr]>::len).or(sizes.as_ref().map(Vec::len));
    let Some(rank) = rank else { return Ok(vec![known::unranked(ctx, 0, dtype)]) };
    let mut dims = Vec::with_capacity(rank);
    for axis in 0..rank {
        let size = sizes.as_ref().and_then(|sizes| sizes.get(axis)).cloned().flatten();
        let size = match size {
            Some(size) if size.as_const() == Some(-1) => {
                let begin = begins.as_ref().and_then(|begins| begins.get(axis)).cloned().flatten();
                whole.and_then(|whole| whole.get(axis)).zip(begin).map(|(all, begin)| all - begin)
            }
            other => other,
        };
        dims.push(match size {
            Some(size) => dimension(ctx, size, "the size of Slice")?,
            None => ctx.fresh("the size of Slice"),
        });
    }
    Ok(vec![Fact::tensor(dtype, dims)])
}

/// One item of a list; the third input has its shape as far as it is fixed.
fn item(ctx: &mut OpContext<'_>) -> Outcome {
    let dims = ctx.dims(0).map(|dims| dims.get(1..).unwrap_or_default().to_vec());
    only(ctx.dtype(0), dims)
}

/// A list of this many items, whose shape the first of them gives.
fn reserve(ctx: &mut OpContext<'_>) -> Outcome {
    let dtype = ctx.dtype_attribute("dtype").unwrap_or(DType::Undefined);
    let count = match list(ctx, "", 1) {
        Some(Ok(entries)) => entries.into_iter().next().flatten(),
        _ => None,
    };
    let count = known::or_fresh(ctx, count, "the length of a list");
    Ok(vec![Fact::tensor(dtype, [count])])
}

/// A list with one item put in.
fn with_item(ctx: &mut OpContext<'_>) -> Outcome {
    let dtype = known::dtype(ctx, &[2, 0]);
    let dims = match (ctx.dims(0)?.first(), ctx.dims(2)) {
        (Some(count), Ok(item)) => Ok([std::slice::from_ref(count), item].concat()),
        (_, Err(fail)) => Err(fail),
        (None, _) => Err(Fail::unknown("the length of a list is not known")),
    };
    only(dtype, dims)
}

/// Half of the spectrum of real numbers, of the length that the second input gives.
fn rfft(ctx: &mut OpContext<'_>) -> Outcome {
    transformed(ctx, DType::Complex64, |length| length.floor_div(&Expr::from(2)) + 1)
}

/// The inverse.
fn irfft(ctx: &mut OpContext<'_>) -> Outcome {
    transformed(ctx, DType::Float32, |length| length.clone())
}

fn transformed(ctx: &mut OpContext<'_>, dtype: DType, last: impl FnOnce(&Expr) -> Expr) -> Outcome {
    let length = match list(ctx, "", 1) {
        Some(Ok(entries)) => entries.into_iter().next().flatten(),
        _ => None,
    };
    let dims = match ctx.dims(0) {
        Ok(dims) => dims.to_vec(),
        Err(fail) => return only(dtype, Err(fail)),
    };
    let Some((_, rows)) = dims.split_last() else {
        return Err(Fail::contradiction(format!("{} transforms a scalar", ctx.op)));
    };
    let mut dims = rows.to_vec();
    dims.push(match length {
        Some(length) => last(&length),
        None => ctx.fresh("the length of a transform"),
    });
    only(dtype, Ok(dims))
}

#[cfg(test)]
mod tests {
    use super::TENSORFLOW;
    use crate::contrib::testing::{int, ints, reported, text};

    #[test]
    fn kernels_make_several_channels_of_each() {
        // 8 channels with 2 kernels each; 'SAME' with a stride of 2 halves the image.
        let inputs = ["float32[batch, 8, 32, 32]", "float32[3, 3, 8, 2]"];
        let attributes = [("strides", ints(&[2, 2])), ("auto_pad", text("SAME_UPPER"))];
        let shape = reported(TENSORFLOW, "DepthwiseConv2dNative", &inputs, &attributes, 1);
        assert_eq!(shape, ["float32[batch, 16, 16, 16]"]);
    }

    #[test]
    fn sizes_of_slices() {
        let inputs = ["float32[batch, 10]", "int32[2]={0, 3}", "int32[2]={-1, 4}"];
        assert_eq!(reported(TENSORFLOW, "Slice", &inputs, &[], 1), ["float32[batch, 4]"]);
    }

    #[test]
    fn classes_become_a_dimension() {
        let inputs = ["int32[batch, 5]", "int32[]={7}", "float32[]", "float32[]"];
        let shape = reported(TENSORFLOW, "OneHot", &inputs, &[("axis", int(-1))], 1);
        assert_eq!(shape, ["float32[batch, 5, 7]"]);
    }

    #[test]
    fn half_of_a_spectrum() {
        let inputs = ["float32[batch, 512]", "int32[1]={512}"];
        assert_eq!(reported(TENSORFLOW, "RFFT", &inputs, &[], 1), ["complex64[batch, 257]"]);
    }
}
