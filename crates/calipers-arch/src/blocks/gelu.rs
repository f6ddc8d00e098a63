//! The Gaussian error linear unit, `x·Φ(x)`.
//!
//! | form | written by |
//! |---|---|
//! | `Gelu`, `FastGelu`, `BiasGelu` | opset 20, ONNX Runtime |
//! | `0.5·x·(1 + erf(x/√2))`, in any order | PyTorch, TensorFlow |
//! | `0.5·x·(1 + tanh(√(2/π)·(x + 0.044715·x³)))`, the cube as a power or as products | GPT-2, TensorFlow, JAX |
//! | `x·sigmoid(1.702·x)`, `QuickGelu` | CLIP |
//!
//! ONNX Runtime may put the half into the weights that follow.
//!
//! Extracts `form`: `erf`, `tanh`, `sigmoid`, or `fused` where one operator computes it.

use super::Pattern;
use super::unary::{self, Samples, sigmoid};
use crate::network::{BlockKind, Found, Gelu, GeluForm, Network, Op, OpId, Ops};

pub(super) const GELU: Pattern = Pattern {
    kind: BlockKind::Gelu,
    description: "Gaussian error linear unit.",
    anchors: Ops::operators(&["Erf", "Gelu", "QuickGelu", "Sigmoid", "Tanh"]),
    matcher: find,
};

fn find(net: &Network<'_>, start: OpId) -> Option<Found> {
    let exact = |samples: &Samples| unary::is(samples, |x| 0.5 * twice(x));
    let quick = |samples: &Samples| unary::is(samples, |x| x * sigmoid(1.702 * x));
    let doubled = || {
        let found = unary::find(net, start, |samples| unary::is(samples, twice))?;
        let end = *found.units.iter().max()?;
        let next = net.only_use(net.unit(end).output())?;
        net.unit(next).is(BlockKind::Linear).then_some(found)
    };
    // The two forms with the same activation differ in the fourth digit.
    match net.unit(start).op {
        Op::Operator("Gelu") => Some(Found::new([start]).with(Gelu { form: GeluForm::Fused })),
        Op::Operator("Erf") => Some(
            unary::find(net, start, exact).or_else(doubled)?.with(Gelu { form: GeluForm::Erf }),
        ),
        Op::Operator("Tanh") => Some(
            unary::find(net, start, exact).or_else(doubled)?.with(Gelu { form: GeluForm::Tanh }),
        ),
        Op::Operator("QuickGelu") => {
            Some(unary::find(net, start, quick)?.with(Gelu { form: GeluForm::Fused }))
        }
        _ => Some(
            unary::find(net, start, |f| quick(f) || exact(f))?
                .with(Gelu { form: GeluForm::Sigmoid }),
        ),
    }
}

/// The activation without its half.
fn twice(x: f64) -> f64 {
    x * (1.0 + libm::erf(x * std::f64::consts::FRAC_1_SQRT_2))
}

#[cfg(test)]
mod tests {
    use std::f32::consts::{FRAC_1_SQRT_2, SQRT_2};

    use calipers_samples::DataType;

    use super::super::testing::{Inspect as _, Tiny};
    use crate::network::BlockKind;
    use crate::network::GeluForm;

    fn form(build: impl FnOnce(&mut Tiny, &str) -> String) -> Option<GeluForm> {
        Tiny::new()
            .over(&["batch", "8"], build)
            .first(BlockKind::Gelu, |_, unit| unit.gelu().unwrap().form)
    }

    #[test]
    fn erf_in_any_order() {
        // PyTorch.
        let torch = |t: &mut Tiny, x: &str| {
            let u = t.with("Div", x, SQRT_2);
            let e = t.op("Erf", &[&u]);
            let s = t.with("Add", &e, 1.0);
            let p = t.op("Mul", &[x, &s]);
            t.with("Mul", &p, 0.5)
        };
        assert_eq!(form(torch), Some(GeluForm::Erf));
        // TensorFlow: the half goes to the sum, operands the other way round.
        let tensorflow = |t: &mut Tiny, x: &str| {
            let u = t.with("Mul", x, FRAC_1_SQRT_2);
            let e = t.op("Erf", &[&u]);
            let one = t.scalar(1.0);
            let s = t.op("Add", &[&one, &e]);
            let half = t.scalar(0.5);
            let h = t.op("Mul", &[&half, &s]);
            t.op("Mul", &[&h, x])
        };
        assert_eq!(form(tensorflow), Some(GeluForm::Erf));
        // The half goes to the input, before the activation.
        let before = |t: &mut Tiny, x: &str| {
            let h = t.with("Mul", x, 0.5);
            let u = t.with("Div", x, SQRT_2);
            let e = t.op("Erf", &[&u]);
            let s = t.with("Add", &e, 1.0);
            t.op("Mul", &[&h, &s])
        };
        assert_eq!(form(before), Some(GeluForm::Erf));
    }

    #[test]
    fn the_half_in_the_next_weights() {
        let twice = |t: &mut Tiny, x: &str| {
            let u = t.with("Div", x, SQRT_2);
            let e = t.op("Erf", &[&u]);
            let s = t.with("Add", &e, 1.0);
            let y = t.op("Mul", &[x, &s]);
            let w = t.weight(&[8, 8]);
            t.op("MatMul", &[&y, &w])
        };
        assert_eq!(form(twice), Some(GeluForm::Erf));
    }

    #[test]
    fn erf_in_half_precision_with_casts() {
        let halves = |t: &mut Tiny, x: &str| {
            let u = t.with("Div", x, 1.414_062_5);
            let wide = t.cast(&u, 1);
            let e = t.op("Erf", &[&wide]);
            let narrow = t.cast(&e, 10);
            let narrow = t.cast(&narrow, 1);
            let s = t.with("Add", &narrow, 1.0);
            let p = t.op("Mul", &[x, &s]);
            t.with("Mul", &p, 0.5)
        };
        assert_eq!(form(halves), Some(GeluForm::Erf));
    }

    #[test]
    fn erf_between_quantized_values() {
        let quantized = |t: &mut Tiny, x: &str| {
            let x = t.quantized(x);
            let u = t.with("Div", &x, SQRT_2);
            let u = t.quantized(&u);
            let e = t.op("Erf", &[&u]);
            let e = t.quantized(&e);
            let one = t.stored_scalar(1.0);
            let s = t.op("Add", &[&e, &one]);
            let p = t.op("Mul", &[&x, &s]);
            let half = t.stored_scalar(0.5);
            t.op("Mul", &[&p, &half])
        };
        assert_eq!(form(quantized), Some(GeluForm::Erf));
    }

    #[test]
    fn erf_between_operators_on_integers() {
        let on_integers = |t: &mut Tiny, x: &str| {
            let u = t.with("Div", x, SQRT_2);
            let e = t.op("Erf", &[&u]);
            // Ten and five times the scale.
            let (one, half) = (t.raw(DataType::U8, &[], &[10]), t.raw(DataType::U8, &[], &[5]));
            let s = t.on_integers("QLinearAdd", &[&e, &one]);
            let p = t.on_integers("QLinearMul", &[x, &s]);
            t.on_integers("QLinearMul", &[&p, &half])
        };
        assert_eq!(form(on_integers), Some(GeluForm::Erf));
    }

    #[test]
    fn tanh_of_a_cubic() {
        let gpt = |t: &mut Tiny, x: &str| {
            let h = t.with("Mul", x, 0.5);
            let cube = t.with("Pow", x, 3.0);
            let c = t.with("Mul", &cube, 0.044_715);
            let s = t.op("Add", &[x, &c]);
            let u = t.with("Mul", &s, 0.797_884_6);
            let tanh = t.op("Tanh", &[&u]);
            let s = t.with("Add", &tanh, 1.0);
            t.op("Mul", &[&h, &s])
        };
        assert_eq!(form(gpt), Some(GeluForm::Tanh));
        let products = |t: &mut Tiny, x: &str| {
            let square = t.op("Mul", &[x, x]);
            let cube = t.op("Mul", &[&square, x]);
            let c = t.with("Mul", &cube, 0.044_715);
            let s = t.op("Add", &[x, &c]);
            let u = t.with("Mul", &s, 0.797_884_6);
            let tanh = t.op("Tanh", &[&u]);
            let s = t.with("Add", &tanh, 1.0);
            let p = t.op("Mul", &[x, &s]);
            t.with("Mul", &p, 0.5)
        };
        assert_eq!(form(products), Some(GeluForm::Tanh));
    }

    #[test]
    fn sigmoid_and_fused() {
        let clip = |t: &mut Tiny, x: &str| {
            let u = t.with("Mul", x, 1.702);
            let s = t.op("Sigmoid", &[&u]);
            t.op("Mul", &[x, &s])
        };
        assert_eq!(form(clip), Some(GeluForm::Sigmoid));
        assert_eq!(form(|t, x| t.contrib("Gelu", &[x])), Some(GeluForm::Fused));
        assert_eq!(form(|t, x| t.contrib("QuickGelu", &[x])), Some(GeluForm::Fused));
        assert_eq!(form(|t, x| t.op("Gelu", &[x])), Some(GeluForm::Fused));
        let biased = |t: &mut Tiny, x: &str| {
            let bias = t.weight(&[8]);
            t.contrib("FastGelu", &[x, &bias])
        };
        assert_eq!(form(biased), Some(GeluForm::Fused));
    }

    #[test]
    fn near_misses() {
        // No half: twice the activation.
        let doubled = |t: &mut Tiny, x: &str| {
            let u = t.with("Div", x, SQRT_2);
            let e = t.op("Erf", &[&u]);
            let s = t.with("Add", &e, 1.0);
            t.op("Mul", &[x, &s])
        };
        assert_eq!(form(doubled), None);
        // Another value is multiplied: a gate.
        let gate = |t: &mut Tiny, x: &str| {
            let other = t.input(&["batch", "8"]);
            let u = t.with("Div", x, SQRT_2);
            let e = t.op("Erf", &[&u]);
            let s = t.with("Add", &e, 1.0);
            let p = t.op("Mul", &[&other, &s]);
            t.with("Mul", &p, 0.5)
        };
        assert_eq!(form(gate), None);
        assert_eq!(form(|t, x| t.op("Tanh", &[x])), None);
    }
}
