//! Activations, and layers that do nothing once a model is trained.

use super::{FRAMEWORKS, Mapped, Site};
use crate::keras::json::number;

pub(super) fn map(site: &mut Site<'_, '_>, class: &str) -> Mapped {
    match class {
        "Activation" => {
            let function = site.config().function("activation").to_owned();
            apply(site, &function)
        }
        "ReLU" => relu(site),
        "LeakyReLU" => {
            let slope = float(site, &["negative_slope", "alpha"], 0.3);
            site.is("LeakyRelu");
            site.node.float("alpha", slope);
            Ok(true)
        }
        "ELU" => {
            let alpha = float(site, &["alpha"], 1.0);
            site.is("Elu");
            site.node.float("alpha", alpha);
            Ok(true)
        }
        "ThresholdedReLU" => {
            let alpha = float(site, &["theta"], 1.0);
            site.is("ThresholdedRelu");
            site.node.float("alpha", alpha);
            Ok(true)
        }
        "Softmax" => {
            let axis = site.config().int("axis").unwrap_or(-1);
            if site
                .config()
                .get("axis")
                .is_some_and(|axis| axis.as_array().is_some_and(|it| it.len() > 1))
            {
                return Ok(false);
            }
            site.node.is("Softmax").int("axis", axis);
            site.operands(1, &[]);
            Ok(true)
        }
        "PReLU" => {
            let slope = site.weight("alpha");
            site.node.is("PRelu");
            site.operands(1, &[slope]);
            Ok(true)
        }
        "Dropout"
        | "SpatialDropout1D"
        | "SpatialDropout2D"
        | "SpatialDropout3D"
        | "GaussianDropout"
        | "GaussianNoise"
        | "AlphaDropout"
        | "ActivityRegularization"
        | "Masking"
        | "Identity"
        | "RandomFlip"
        | "RandomRotation"
        | "RandomZoom"
        | "RandomTranslation"
        | "RandomContrast"
        | "RandomBrightness" => {
            site.node.is("Identity");
            site.operands(1, &[]);
            Ok(true)
        }
        _ => Ok(false),
    }
}

fn float(site: &Site<'_, '_>, names: &[&str], default: f64) -> f32 {
    let stated = site.config().any(names).and_then(number).unwrap_or(default);
    #[expect(clippy::cast_possible_truncation, reason = "attributes are single precision")]
    (stated as f32)
}

/// The rectifier, with its slope below zero and its greatest value.
fn relu(site: &mut Site<'_, '_>) -> Mapped {
    let most = site.config().float("max_value");
    let slope = float(site, &["negative_slope"], 0.0);
    let threshold = float(site, &["threshold"], 0.0);
    if threshold != 0.0 && (slope != 0.0 || most.is_some()) {
        return Ok(false);
    }
    match most {
        Some(6.0) if slope == 0.0 => {
            site.node.is_of(FRAMEWORKS, "Relu6");
            site.operands(1, &[]);
        }
        Some(_) if slope == 0.0 => {
            let most = float(site, &["max_value"], 0.0);
            let (least, most) =
                (site.assembly.float("min", 0.0)?, site.assembly.float("max", most)?);
            site.node.is("Clip");
            site.operands(1, &[least, most]);
        }
        Some(_) => return Ok(false),
        None if threshold != 0.0 => {
            site.is("ThresholdedRelu");
            site.node.float("alpha", threshold);
        }
        None if slope != 0.0 => {
            site.is("LeakyRelu");
            site.node.float("alpha", slope);
        }
        None => site.is("Relu"),
    }
    Ok(true)
}

/// An activation by the name of its function.
pub(super) fn apply(site: &mut Site<'_, '_>, function: &str) -> Mapped {
    let op = match function {
        "" | "linear" => "Identity",
        "relu" => "Relu",
        "elu" => "Elu",
        "selu" => "Selu",
        "celu" => "Celu",
        "gelu" => "Gelu",
        "silu" | "swish" => "Swish",
        "mish" => "Mish",
        "sigmoid" => "Sigmoid",
        "tanh" => "Tanh",
        "exponential" => "Exp",
        "softplus" => "Softplus",
        "softsign" => "Softsign",
        "hard_sigmoid" => "HardSigmoid",
        "hard_silu" | "hard_swish" => "HardSwish",
        "softmax" => "Softmax",
        "log_softmax" => "LogSoftmax",
        "leaky_relu" => "LeakyRelu",
        "relu6" => {
            site.node.is_of(FRAMEWORKS, "Relu6");
            site.operands(1, &[]);
            return Ok(true);
        }
        _ => return Ok(false),
    };
    site.node.is(op);
    site.operands(1, &[]);
    match function {
        // The defaults of Keras, where they are not those of ONNX.
        "leaky_relu" => {
            site.node.float("alpha", 0.2);
        }
        "hard_sigmoid" => {
            site.node.float("alpha", 1.0 / 6.0);
        }
        _ => {}
    }
    Ok(true)
}
