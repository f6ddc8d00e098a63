//! Sampling at given places, and decoding.

use calipers_ir::DType;
use calipers_sym::Expr;

use crate::context::{Fail, OpContext, Outcome};
use crate::elem::Elem;
use crate::fact::Fact;

/// Of two dimensions that must be equal, the one that says more.
pub(super) fn same(one: &Expr, other: &Expr) -> Expr {
    if one.as_const().is_none() && other.as_const().is_some() { other } else { one }.clone()
}

/// Batch and channels of the image, the rest as the grid has it.
///
/// <https://onnx.ai/onnx/operators/onnx__GridSample.html>
pub(super) fn grid_sample(ctx: &mut OpContext<'_>) -> Outcome {
    let dtype = ctx.dtype(0);
    let (image, grid) = (ctx.shape(0)?, ctx.shape(1)?);
    if let (Ok(image), Ok(grid)) = (&image, &grid)
        && image.len() != grid.len()
    {
        return Err(Fail::contradiction(format!(
            "GridSample samples {} dimensions at places in {}",
            image.len(),
            grid.len()
        )));
    }
    let rank = match (&image, &grid) {
        (Ok(dims), _) | (_, Ok(dims)) => dims.len(),
        (Err(reason), Err(_)) => return Ok(vec![Fact::unranked(dtype, reason.clone())]),
    };
    if rank < 3 {
        return Err(Fail::contradiction(format!("GridSample samples {rank} dimensions")));
    }
    let batch = match (&image, &grid) {
        (Ok(image), Ok(grid)) => same(&image[0], &grid[0]),
        (Ok(dims), _) | (_, Ok(dims)) => dims[0].clone(),
        _ => ctx.fresh("the batch"),
    };
    let channels = match &image {
        Ok(dims) => dims[1].clone(),
        Err(_) => ctx.fresh("the channels of the image"),
    };
    let places = match &grid {
        Ok(dims) => dims[1..rank - 1].to_vec(),
        Err(_) => ctx.fresh_dims(rank - 2, "the size of the grid"),
    };
    Ok(vec![Fact::tensor(dtype, [batch, channels].into_iter().chain(places))])
}

/// A place in 2 or 3 dimensions for every pixel.
///
/// <https://onnx.ai/onnx/operators/onnx__AffineGrid.html>
pub(super) fn affine_grid(ctx: &mut OpContext<'_>) -> Outcome {
    let dtype = ctx.dtype(0);
    let theta = ctx.shape(0)?.ok();
    if theta.is_some_and(|dims| dims.len() != 3) {
        return Err(Fail::contradiction("AffineGrid has matrices that are not in one batch"));
    }
    // Batch and channels are before the sizes of the image.
    let listed = ctx.shape(1)?.ok().and_then(|dims| dims.first()?.as_const());
    let spatial = match (listed, theta.and_then(|dims| dims[1].as_const())) {
        (Some(4), _) | (None, Some(2)) => 2,
        (Some(5), _) | (None, Some(3)) => 3,
        (None, None) => return Ok(vec![Fact::unranked(dtype, "it may be for images or volumes")]),
        _ => return Err(Fail::contradiction("AffineGrid is neither for images nor for volumes")),
    };
    let sizes = ctx.exprs(1);
    let size = |ctx: &mut OpContext<'_>, index: usize| {
        let known = sizes.as_ref().and_then(|sizes| sizes.get(index).copied().flatten()).cloned();
        known.unwrap_or_else(|| ctx.fresh("the size asked for"))
    };
    let mut dims = vec![match theta {
        Some(dims) if dims[0].as_const().is_some() || sizes.is_none() => dims[0].clone(),
        _ => size(ctx, 0),
    }];
    dims.extend((0..spatial).map(|axis| size(ctx, axis + 2)));
    dims.push(Expr::from(if spatial == 2 { 2 } else { 3 }));
    Ok(vec![Fact::tensor(dtype, dims)])
}

/// Height, width and channels of bytes: <https://onnx.ai/onnx/operators/onnx__ImageDecoder.html>.
pub(super) fn image_decoder(ctx: &mut OpContext<'_>) -> Outcome {
    let (height, width) =
        (ctx.fresh("the height of the image"), ctx.fresh("the width of the image"));
    let channels = match ctx.text_or("pixel_format", "RGB") {
        "RGB" | "BGR" => Expr::from(3),
        "Grayscale" => Expr::from(1),
        _ => ctx.fresh("the pixel format"),
    };
    Ok(vec![Fact::tensor(DType::Uint8, [height, width, channels])])
}

/// The only element of an input, if it is a number.
pub(super) fn number(ctx: &OpContext<'_>, index: usize) -> Option<f64> {
    match ctx.value(index)? {
        [element] => Elem::as_f64(element),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::reduction::testing::{Try, dims, ints, shape};
    use super::*;

    #[test]
    fn a_grid_says_where_and_an_image_what() {
        let ctx = Try::new("GridSample", 20).input(dims("n 3 h w")).input(dims("4 x y 2"));
        assert_eq!(shape(&ctx.one(grid_sample)), "4 3 x y");
        let ctx = Try::new("GridSample", 20).input(dims("n 3 h w")).input(dims("4 x y z 3"));
        assert!(ctx.run(grid_sample).is_err());
    }

    #[test]
    fn grids_are_for_images_or_volumes() {
        let ctx = Try::new("AffineGrid", 20).input(dims("n 2 3")).input(ints(&[2, 3, 5, 6]));
        assert_eq!(shape(&ctx.one(affine_grid)), "2 5 6 2");
        let sizes = Fact::tensor(DType::Int64, [Expr::from(5)]);
        let ctx = Try::new("AffineGrid", 20).input(dims("n 3 4")).input(sizes);
        assert_eq!(shape(&ctx.one(affine_grid)), "n f1 f2 f3 3");
    }

    #[test]
    fn charts_have_channels_last() {
        let ctx = Try::new("ImageDecoder", 20).input(ints(&[1])).text("pixel_format", "Grayscale");
        assert_eq!(shape(&ctx.one(image_decoder)), "f1 f2 1");
    }
}
