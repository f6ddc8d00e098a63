//! Operators that move elements.

use super::{ATEN, FRAMEWORKS, Mapped, Op, shapes};

pub(super) fn map(op: &mut Op<'_, '_, '_>) -> Mapped {
    match op.base {
        "view" | "reshape" | "_unsafe_view" | "view_copy" | "flatten" | "unflatten"
        | "_reshape_alias" | "reshape_as" | "view_as" | "squeeze_copy" | "unsqueeze_copy" => {
            return reshape(op);
        }
        "squeeze" => return squeeze(op),
        "unsqueeze" => {
            let Some(axis) = op.int("dim") else { return Ok(()) };
            let axes = op.integers("axes", &[axis])?;
            op.call.inputs.push(axes);
            op.call.is("Unsqueeze");
        }
        "permute" | "permute_copy" => transpose(op, |op, rank| {
            let order = op.ints("dims")?;
            order.iter().map(|axis| op.axis(*axis, rank)).collect()
        }),
        "transpose" | "transpose_copy" | "swapaxes" | "swapdims" => transpose(op, |op, rank| {
            let first = op.int("dim0").or_else(|| op.int("axis0"))?;
            let second = op.int("dim1").or_else(|| op.int("axis1"))?;
            let mut order: Vec<usize> = (0..rank).collect();
            order.swap(op.axis(first, rank)?, op.axis(second, rank)?);
            Some(order)
        }),
        "t" | "t_copy" | "numpy_T" | "mT" | "adjoint" => transpose(op, |_, rank| match rank {
            0..=2 => Some((0..rank).rev().collect()),
            _ => None,
        }),
        "expand" | "expand_copy" | "expand_as" | "broadcast_to" => return expand(op),
        "repeat" | "tile" => return repeat(op),
        "cat" | "concat" | "concatenate" => {
            let axis = op.int_or("dim", 0);
            let types: Vec<_> = op.call.inputs.clone();
            match types.is_empty() {
                true => {}
                false => _ = op.call.is("Concat").int("axis", axis),
            }
        }
        "stack" => {
            let axis = op.int_or("dim", 0);
            op.call.is_of(FRAMEWORKS, "Stack").int("axis", axis);
        }
        "unbind" | "unbind_copy" => {
            let axis = op.int_or("dim", 0);
            op.call.is_of(FRAMEWORKS, "Unstack").int("axis", axis);
        }
        "split"
        | "chunk"
        | "split_with_sizes"
        | "tensor_split"
        | "split_copy"
        | "split_with_sizes_copy"
        | "unsafe_split"
        | "unsafe_chunk" => return split(op),
        "slice" | "slice_copy" | "narrow" => return slice(op),
        "select" | "select_copy" => {
            let (Some(axis), Some(index)) = (op.int("dim"), op.int("index")) else { return Ok(()) };
            let index = op.assembly.integer("index", index)?;
            op.call.inputs.truncate(1);
            op.call.inputs.push(index);
            op.call.is("Gather").int("axis", axis);
        }
        "index_select" => {
            let Some(axis) = op.int("dim") else { return Ok(()) };
            op.take(&["self", "index"]);
            op.call.is("Gather").int("axis", axis);
        }
        "embedding" => {
            op.take(&["weight", "indices"]);
            op.call.is("Gather").int("axis", 0);
        }
        "gather" => {
            let Some(axis) = op.int("dim") else { return Ok(()) };
            op.take(&["self", "index"]);
            op.call.is("GatherElements").int("axis", axis);
        }
        "index" | "_unsafe_index" => _ = op.call.is_of(ATEN, "index"),
        "scatter" | "scatter_add" | "scatter_reduce" => {
            let Some(axis) = op.int("dim") else { return Ok(()) };
            op.take(&["self", "index", "src"]);
            match op.call.inputs.len() {
                3 => _ = op.call.is("ScatterElements").int("axis", axis),
                _ => _ = op.call.is_of(ATEN, "index_put"),
            }
        }
        "index_put" | "_unsafe_index_put" | "index_add" | "index_copy" | "index_fill"
        | "slice_scatter" | "select_scatter" | "masked_scatter" | "copy" | "diagonal_scatter" => {
            _ = op.call.is_of(ATEN, "index_put");
        }
        "roll" => _ = op.call.is_of(ATEN, "roll"),
        "flip" => return flip(op),
        "tril" | "triu" => {
            let upper = i64::from(op.base == "triu");
            let diagonal = op.int_or("diagonal", 0);
            let diagonal = op.assembly.integer("diagonal", diagonal)?;
            op.call.inputs.truncate(1);
            op.call.inputs.push(diagonal);
            op.call.is("Trilu").int("upper", upper);
        }
        "pad" | "constant_pad_nd" | "reflection_pad1d" | "reflection_pad2d"
        | "reflection_pad3d" | "replication_pad1d" | "replication_pad2d" | "replication_pad3d" => {
            return pad(op);
        }
        "pixel_shuffle" | "pixel_unshuffle" => {
            let name =
                if op.base == "pixel_shuffle" { "upscale_factor" } else { "downscale_factor" };
            let (Some(factor), Some(4)) = (op.int(name), op.rank("self")) else {
                return reshape(op);
            };
            match op.base {
                "pixel_shuffle" => op.call.is("DepthToSpace").text("mode", "CRD"),
                _ => op.call.is("SpaceToDepth"),
            };
            op.call.int("blocksize", factor);
        }
        "as_strided" | "diagonal" | "im2col" | "col2im" | "one_hot" | "unfold"
        | "channel_shuffle" | "rot90" | "view_as_real" | "view_as_complex" | "movedim" => {
            _ = op.call.is_of(ATEN, "unfold");
        }
        "meshgrid" | "repeat_interleave" => _ = op.call.is_of(ATEN, "repeat"),
        _ => {}
    }
    Ok(())
}

fn reshape(op: &mut Op<'_, '_, '_>) -> Mapped {
    match shapes::view(op, "self")? {
        Some(shape) => {
            op.call.inputs.truncate(1);
            op.call.inputs.push(shape);
            op.call.is("Reshape");
        }
        None => _ = op.call.is_of(ATEN, "view"),
    }
    Ok(())
}

/// Takes out dimensions of one element: other given ones stay, where ONNX would refuse them.
fn squeeze(op: &mut Op<'_, '_, '_>) -> Mapped {
    let Some(dims) = op.dims("self") else { return Ok(()) };
    let axes = match op.ints("dim") {
        Some(axes) => axes.iter().filter_map(|axis| op.axis(*axis, dims.len())).collect(),
        None => (0..dims.len()).collect::<Vec<usize>>(),
    };
    let single = axes.into_iter().filter(|axis| dims.get(*axis) == Some(&Some(1)));
    let axes: Vec<i64> = single.filter_map(|axis| i64::try_from(axis).ok()).collect();
    op.call.inputs.truncate(1);
    if axes.is_empty() {
        op.call.is("Identity");
        return Ok(());
    }
    let axes = op.integers("axes", &axes)?;
    op.call.inputs.push(axes);
    op.call.is("Squeeze");
    Ok(())
}

fn transpose(
    op: &mut Op<'_, '_, '_>,
    order: impl Fn(&Op<'_, '_, '_>, usize) -> Option<Vec<usize>>,
) {
    let Some(order) = op.rank("self").and_then(|rank| order(op, rank)) else { return };
    let order: Vec<i64> = order.into_iter().filter_map(|axis| i64::try_from(axis).ok()).collect();
    op.call.is("Transpose").ints("perm", &order);
}

fn expand(op: &mut Op<'_, '_, '_>) -> Mapped {
    let sizes: Option<Vec<i64>> = op.output_dims().and_then(|dims| dims.into_iter().collect());
    op.call.inputs.truncate(1);
    match sizes {
        Some(sizes) => {
            let sizes = op.integers("shape", &sizes)?;
            op.call.inputs.push(sizes);
            op.call.is("Expand");
        }
        None => _ = op.call.is_of(ATEN, "expand"),
    }
    Ok(())
}

fn repeat(op: &mut Op<'_, '_, '_>) -> Mapped {
    let repeats = op.ints("repeats").or_else(|| op.ints("dims"));
    op.call.inputs.truncate(1);
    match repeats {
        Some(repeats) if Some(repeats.len()) == op.rank("self") => {
            let repeats = op.integers("repeats", &repeats)?;
            op.call.inputs.push(repeats);
            op.call.is("Tile");
        }
        _ => _ = op.call.is_of(ATEN, "repeat"),
    }
    Ok(())
}

/// Parts along an axis, of the sizes that the outputs have.
fn split(op: &mut Op<'_, '_, '_>) -> Mapped {
    let (Some(rank), count) = (op.rank("self"), op.call.outputs.len()) else { return Ok(()) };
    let axis = op.int_or("dim", 0);
    let Some(place) = op.axis(axis, rank) else { return Ok(()) };
    let size = |output| {
        let dims = op.dims_of(op.output(output)?)?;
        dims.get(place).copied().flatten()
    };
    let sizes: Option<Vec<i64>> = (0..count).map(size).collect();
    op.call.inputs.truncate(1);
    match sizes {
        Some(sizes) => {
            let sizes = op.integers("split", &sizes)?;
            op.call.inputs.push(sizes);
            op.call.is("Split").int("axis", axis);
        }
        None => _ = op.call.is_of(ATEN, "slice"),
    }
    Ok(())
}

fn slice(op: &mut Op<'_, '_, '_>) -> Mapped {
    let axis = op.int_or("dim", 0);
    let (start, end) = match op.base {
        "narrow" => {
            let (start, length) = (op.int("start"), op.int("length"));
            (start, start.zip(length).and_then(|(start, length)| start.checked_add(length)))
        }
        _ => {
            // What is left out reaches to the end; what is symbolic is not a number here.
            let bound = |name: &str, default| match op.argument(name) {
                None => Some(default),
                Some(_) => op.int(name),
            };
            (bound("start", 0), bound("end", i64::MAX))
        }
    };
    let step = op.int_or("step", 1);
    op.call.inputs.truncate(1);
    let (Some(start), Some(end)) = (start, end) else {
        op.call.is_of(ATEN, "slice");
        return Ok(());
    };
    for (hint, value) in [("starts", start), ("ends", end), ("axes", axis), ("steps", step)] {
        let value = op.integers(hint, &[value])?;
        op.call.inputs.push(value);
    }
    op.call.is("Slice");
    Ok(())
}

/// A slice that goes back.
fn flip(op: &mut Op<'_, '_, '_>) -> Mapped {
    let Some(axes) = op.ints("dims") else { return Ok(()) };
    let count = axes.len();
    op.call.inputs.truncate(1);
    for (hint, values) in [
        ("starts", vec![-1; count]),
        ("ends", vec![i64::MIN; count]),
        ("axes", axes),
        ("steps", vec![-1; count]),
    ] {
        let values = op.integers(hint, &values)?;
        op.call.inputs.push(values);
    }
    op.call.is("Slice");
    Ok(())
}

/// Pads the last dimensions: PyTorch gives pairs from the last one to the front.
fn pad(op: &mut Op<'_, '_, '_>) -> Mapped {
    let padding = op.ints("pad").or_else(|| op.ints("padding"));
    let Some((padding, rank)) = padding.zip(op.rank("self")) else {
        op.call.inputs.truncate(1);
        op.call.is_of(ATEN, "expand");
        return Ok(());
    };
    let (pairs, rest) = padding.as_chunks::<2>();
    if !rest.is_empty() || pairs.len() > rank {
        return Ok(());
    }
    let mut pads = vec![0; rank - pairs.len()];
    pads.extend(pairs.iter().rev().map(|[before, _]| *before));
    pads.extend(vec![0; rank - pairs.len()]);
    pads.extend(pairs.iter().rev().map(|[_, after]| *after));
    let mode = match (op.base, op.text("mode")) {
        ("pad" | "constant_pad_nd", None | Some("constant")) => "constant",
        ("pad", Some("circular")) => "wrap",
        ("pad", Some("reflect")) => "reflect",
        (base, _) if base.starts_with("reflection") => "reflect",
        _ => "edge",
    };
    op.call.inputs.truncate(1);
    let pads = op.integers("pads", &pads)?;
    op.call.inputs.push(pads);
    op.call.is("Pad").text("mode", mode);
    Ok(())
}
