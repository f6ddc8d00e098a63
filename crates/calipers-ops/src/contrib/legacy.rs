//! Operators that ONNX Runtime keeps in the standard's domain though the standard has dropped them
//! or never had them.

use super::inputs::only;
use crate::context::{Fail, OpContext, Outcome};

/// `Crop`: borders cut off an image, or a size cut out of it.
pub(super) fn crop(ctx: &mut OpContext<'_>) -> Outcome {
    let dims = |ctx: &OpContext<'_>| {
        let mut dims = ctx.dims_of_rank(0, 4)?.to_vec();
        let Some([left, top, right, bottom]) = ctx.ints("border") else {
            return Err(Fail::contradiction("Crop lacks its four borders"));
        };
        match ctx.ints("scale") {
            Some([height, width]) => {
                dims[2] = (*height).into();
                dims[3] = (*width).into();
            }
            _ => {
                dims[2] = &dims[2] - *top - *bottom;
                dims[3] = &dims[3] - *left - *right;
            }
        }
        Ok(dims)
    };
    only(ctx.dtype(0), dims(ctx))
}

#[cfg(test)]
mod tests {
    use crate::contrib::testing::{ints, reported};

    #[test]
    fn borders_are_cut_off() {
        let attributes = [("border", ints(&[1, 2, 3, 4]))];
        assert_eq!(
            reported("ai.onnx", "Crop", &["float32[N, 3, 20, W]"], &attributes, 1),
            ["float32[N, 3, 14, W - 4]"]
        );
    }
}
