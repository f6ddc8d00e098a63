//! Operators that move a window over their input, and those that resize images.

use super::scope::Scope;
use crate::error::Trace;

/// Gives the call its operator, if it is of this family.
pub(super) fn lower(scope: &mut Scope<'_, '_, '_>) -> Result<(), Trace> {
    match scope.operation.kind.as_str() {
        "conv" => {
            scope.take(&["x", "weight", "bias"])?.call.is("Conv");
            window(scope, "strides", Some("dilations"));
            Ok(())
        }
        "conv_transpose" => {
            scope.take(&["x", "weight", "bias"])?.call.is("ConvTranspose");
            window(scope, "strides", Some("dilations"));
            transposed(scope);
            Ok(())
        }
        "avg_pool" => {
            let excludes = scope.flag("exclude_padding_from_average");
            scope.call.int("count_include_pad", i64::from(!excludes));
            pool(scope, "AveragePool")
        }
        "max_pool" => pool(scope, "MaxPool"),
        "l2_pool" => {
            scope.call.int("p", 2);
            pool(scope, "LpPool")
        }
        "upsample_nearest_neighbor" | "resize_nearest_neighbor" => resized(scope, "nearest"),
        "upsample_bilinear" | "resize_bilinear" => resized(scope, "linear"),
        "resize" => {
            let mode = scope.text("interpolation_mode").unwrap_or_default();
            let is_linear = mode.eq_ignore_ascii_case("linear");
            resized(scope, if is_linear { "linear" } else { "nearest" })
        }
        _ => Ok(()),
    }
}

/// Strides, dilations and padding.
fn window(scope: &mut Scope<'_, '_, '_>, strides: &str, dilations: Option<&str>) {
    if let Some(values) = scope.ints(strides) {
        scope.call.ints("strides", &values);
    }
    if let Some(values) = dilations.and_then(|argument| scope.ints(argument)) {
        scope.call.ints("dilations", &values);
    }
    if let Some(groups) = scope.int("groups") {
        scope.call.int("group", groups);
    }
    match scope.text("pad_type").as_deref() {
        Some("same") => {
            scope.call.text("auto_pad", "SAME_UPPER");
        }
        Some("same_lower") => {
            scope.call.text("auto_pad", "SAME_LOWER");
        }
        Some("custom") => {
            let pairs = scope.ints("pad").unwrap_or_default();
            let (pairs, _) = pairs.as_chunks::<2>();
            let starts = pairs.iter().map(|pair| pair[0]);
            let pads: Vec<i64> = starts.chain(pairs.iter().map(|pair| pair[1])).collect();
            if !pads.is_empty() {
                scope.call.ints("pads", &pads);
            }
        }
        _ => {}
    }
}

/// The size of the output may be stated: it decides where strides leave several.
fn transposed(scope: &mut Scope<'_, '_, '_>) {
    let stated = scope.ints("output_shape");
    if let Some(spatial) = stated.as_deref().and_then(|sizes| sizes.get(2..))
        && !spatial.is_empty()
    {
        scope.call.ints("output_shape", spatial);
    }
}

fn pool(scope: &mut Scope<'_, '_, '_>, op: &'static str) -> Result<(), Trace> {
    let Some(kernel) = scope.ints("kernel_sizes") else { return Ok(()) };
    let ceil = i64::from(scope.flag("ceil_mode"));
    scope.take(&["x"])?.call.is(op).ints("kernel_shape", &kernel).int("ceil_mode", ceil);
    window(scope, "strides", None);
    Ok(())
}

/// The last two dimensions change, or as many as `shape` has. The sizes are those of the output,
/// where the file states them, and otherwise follow from the scales.
fn resized(scope: &mut Scope<'_, '_, '_>, mode: &str) -> Result<(), Trace> {
    let Some(rank) = scope.rank("x") else { return Ok(()) };
    let stated = scope.operation.output_type().and_then(super::value::Typed::sizes);
    scope.take(&["x"])?;
    let none = scope.none();
    if let Some(sizes) = stated.filter(|sizes| sizes.len() == rank) {
        scope.call.inputs.extend([none, none]);
        scope.take_integers("sizes", &sizes)?;
        scope.call.is("Resize").text("mode", mode);
        return Ok(());
    }
    let scales = ["scale_factor_height", "scale_factor_width"].map(|name| scope.number(name));
    let (Some(height), Some(width), Some(front)) = (scales[0], scales[1], rank.checked_sub(2))
    else {
        return Ok(());
    };
    let mut all = vec![1.0; front.min(256)];
    all.extend([height, width]);
    let scales = scope.assembly().floats("scales", &all)?;
    scope.call.inputs.extend([none, scales]);
    scope.call.is("Resize").text("mode", mode);
    Ok(())
}
