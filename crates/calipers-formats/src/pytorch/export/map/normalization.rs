//! Normalizations and softmax.

use super::{ATEN, Mapped, Op, narrow};

pub(super) fn map(op: &mut Op<'_, '_, '_>) -> Mapped {
    match op.base {
        "softmax" | "_softmax" | "_safe_softmax" => softmax(op, "Softmax"),
        "log_softmax" | "_log_softmax" => softmax(op, "LogSoftmax"),
        "batch_norm"
        | "_native_batch_norm_legit"
        | "_native_batch_norm_legit_no_training"
        | "native_batch_norm"
        | "cudnn_batch_norm"
        | "_batch_norm_no_update" => batch_norm(op),
        "layer_norm" | "native_layer_norm" => return over_last(op, "LayerNormalization", 1e-5),
        "rms_norm" | "_fused_rms_norm" => return over_last(op, "RMSNormalization", 1e-6),
        "group_norm" | "native_group_norm" => {
            let groups = op.int("num_groups").or_else(|| op.int("group"));
            let epsilon = narrow(op.float_or("eps", 1e-5));
            op.take(&["input", "weight", "bias"]);
            op.keep_outputs(1);
            match groups {
                Some(groups) if op.call.inputs.len() == 3 => {
                    let call = op.call.is("GroupNormalization").int("num_groups", groups);
                    call.float("epsilon", epsilon);
                }
                _ => _ = op.call.is_of(ATEN, "normalize"),
            }
        }
        "instance_norm" => {
            let epsilon = narrow(op.float_or("eps", 1e-5));
            op.take(&["input", "weight", "bias"]);
            match op.call.inputs.len() {
                3 => _ = op.call.is("InstanceNormalization").float("epsilon", epsilon),
                _ => _ = op.call.is_of(ATEN, "normalize"),
            }
        }
        _ => {}
    }
    Ok(())
}

fn softmax(op: &mut Op<'_, '_, '_>, name: &'static str) {
    let axis = op.int_or("dim", -1);
    op.call.is(name).int("axis", axis);
}

fn batch_norm(op: &mut Op<'_, '_, '_>) {
    let epsilon = narrow(op.float_or("eps", op.float_or("epsilon", 1e-5)));
    let is_training = op.flag("training") || op.flag("train");
    op.take(&["input", "weight", "bias", "running_mean", "running_var"]);
    op.keep_outputs(1);
    let none = op.assembly.none();
    let whole = op.call.inputs.len() == 5 && !op.call.inputs.contains(&none);
    match whole && !is_training {
        true => _ = op.call.is("BatchNormalization").float("epsilon", epsilon),
        false => _ = op.call.is_of(ATEN, "normalize"),
    }
}

fn over_last(op: &mut Op<'_, '_, '_>, name: &'static str, default: f64) -> Mapped {
    let Some(shape) = op.ints("normalized_shape") else { return Ok(()) };
    let Ok(count) = i64::try_from(shape.len()) else { return Ok(()) };
    let epsilon = narrow(op.float_or("eps", default));
    op.take(&["input", "weight", "bias"]);
    op.keep_outputs(if name == "LayerNormalization" { 3 } else { 1 });
    match op.call.inputs.len() {
        0 | 1 => _ = op.call.is_of(ATEN, "normalize"),
        _ => _ = op.call.is(name).int("axis", -count).float("epsilon", epsilon),
    }
    Ok(())
}
