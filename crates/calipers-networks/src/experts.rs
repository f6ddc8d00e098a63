//! Mixtures of experts: a router, the experts that a token uses, and those that all use.

use calipers_ir::NameId;
use calipers_ir::assembly::{Call, Setting};

use crate::blocks::FeedForward;
use crate::decoder::Layer;
use crate::graph::{Built, FRAMEWORKS, Graph, MICROSOFT};
use crate::names::{Convention, Role};
use crate::products::Form;

/// Experts of a token where nothing says how many.
const USED: i64 = 2;

/// Whether a layer has experts: as stored, else as described.
pub(crate) fn are_in(g: &Graph<'_, '_>, layer: &Layer<'_>) -> bool {
    let experts = &layer.network.experts;
    if experts.count.is_none() {
        return false;
    }
    let step = experts.step.max(1);
    let described = layer.index >= experts.from && (layer.index + 1) % step == 0;
    layer.has(g, Role::Router) || described && !layer.has(g, Role::Up)
}

/// Adds the router, the experts, and those that every token uses.
pub(crate) fn mixture(g: &mut Graph<'_, '_>, layer: &Layer<'_>, x: NameId) -> Built<NameId> {
    let experts = &layer.network.experts;
    let count = experts.count.unwrap_or(1);
    let hidden = layer.shape.hidden;
    let biased = layer.style.biases.experts;
    let path = layer.path(g, Role::Router);
    let form = Form { bias: biased, inputs_first: false, whole: true };
    let scores = g.linear(x, "router", path, [hidden, count], form)?;
    let mixed = g.within("experts", |g| chosen(g, layer, [x, scores], count))?;
    let is_shared = layer.has(g, Role::SharedUp);
    let Some(width) = shared_width(g, layer).filter(|_| is_shared || g.weights.is_empty()) else {
        return Ok(mixed);
    };
    let shared = FeedForward {
        gate: layer.path(g, Role::SharedGate),
        up: layer.path(g, Role::SharedUp),
        down: layer.path(g, Role::SharedDown),
        is_gated: true,
        is_fused: false,
        widths: [hidden, width],
        activation: layer.network.activation.unwrap_or(layer.style.activation),
        form: Form::PLAIN,
    };
    let mut every = g.within("shared_expert", |g| shared.add(g, x))?;
    let is_weighed =
        layer.has(g, Role::SharedRouter) || g.weights.is_empty() && layer.style.weighs_shared;
    if is_weighed {
        let path = layer.path(g, Role::SharedRouter);
        let form = Form { whole: true, ..Form::PLAIN };
        let share = g.linear(x, "shared_expert_gate", path, [hidden, 1], form)?;
        let share = g.op("Sigmoid", &[share])?;
        every = g.op("Mul", &[share, every])?;
    }
    g.op("Add", &[mixed, every])
}

/// Width of the experts that every token uses: as stored, else as described.
fn shared_width(g: &Graph<'_, '_>, layer: &Layer<'_>) -> Option<i64> {
    let path = layer.path(g, Role::SharedUp)?;
    let stored = g.weights.get(&format!("{path}.weight"));
    let rows = stored.and_then(|it| match it.dims[..] {
        [rows, _] => Some(rows),
        _ => None,
    });
    rows.or(layer.network.experts.shared)
}

/// Adds the experts that a router chooses from.
fn chosen(
    g: &mut Graph<'_, '_>,
    layer: &Layer<'_>,
    [x, scores]: [NameId; 2],
    count: i64,
) -> Built<NameId> {
    let experts = &layer.network.experts;
    let hidden = layer.shape.hidden;
    let width = experts.ffn.unwrap_or(layer.shape.ffn);
    let used = experts.used.unwrap_or(USED).min(count);
    let is_gguf = layer.network.convention == Convention::Gguf;
    let mut attributes = vec![("k", Setting::Int(used))];
    if layer.has(g, Role::ExpertsUp)
        || is_gguf && !layer.expert(g, Role::ExpertUp, 0).is_some_and(|path| g.weights.has(&path))
    {
        let mut inputs = vec![x, scores];
        let matrices = [
            (Role::ExpertsGate, [count, width, hidden]),
            (Role::ExpertsDown, [count, hidden, width]),
            (Role::ExpertsUp, [count, width, hidden]),
        ];
        for (role, dims) in matrices {
            let path = layer.path(g, role).unwrap_or_default();
            let dtype = g.stored_dtype;
            inputs.push(g.tensor(&format!("{path}.weight"), &dims, dtype)?);
            let bias = format!("{path}.bias");
            let has_bias = match g.weights.has(&path) {
                true => g.weights.get(&bias).is_some(),
                false => layer.style.biases.experts,
            };
            let rows = dims.get(1).copied().unwrap_or(1);
            let none = g.none();
            inputs.push(if has_bias { g.tensor(&bias, &[count, rows], dtype)? } else { none });
        }
        attributes.push(("activation_type", Setting::Text("silu".to_owned())));
        return g.op_of(MICROSOFT, "MoE", &inputs, &attributes);
    }
    let mut inputs = vec![x, scores];
    let is_fused = layer.path(g, Role::ExpertsFused).is_some_and(|path| {
        g.weights.get(&path).is_some() || g.weights.get(&format!("{path}_blocks")).is_some()
    }) || g.weights.is_empty() && layer.style.biases.experts;
    if is_fused {
        let matrices = [
            (Role::ExpertsFused, [count, hidden, 2 * width], 2 * width),
            (Role::ExpertsDown, [count, width, hidden], hidden),
        ];
        let mut is_packed = false;
        for (role, dims, outputs) in matrices {
            let path = layer.path(g, role).unwrap_or_default();
            let dtype = g.stored_dtype;
            let blocks = format!("{path}_blocks");
            let packed = g.weights.get(&blocks).map(|stored| stored.name);
            is_packed |= packed.is_some();
            inputs.push(match packed {
                Some(name) => name,
                None => g.tensor(&path, &dims, dtype)?,
            });
            let bias = format!("{path}_bias");
            let has_bias = match g.weights.is_empty() {
                true => layer.style.biases.experts,
                false => g.weights.get(&bias).is_some(),
            };
            let none = g.none();
            inputs.push(if has_bias { g.tensor(&bias, &[count, outputs], dtype)? } else { none });
        }
        if !is_packed {
            attributes.push(("activation_type", Setting::Text("swiglu".to_owned())));
            return g.op_of(MICROSOFT, "MoE", &inputs, &attributes);
        }
        let none = g.none();
        inputs.retain(|input| *input != none);
    } else {
        for expert in 0..count {
            for (role, dims) in [
                (Role::ExpertGate, [hidden, width]),
                (Role::ExpertUp, [hidden, width]),
                (Role::ExpertDown, [width, hidden]),
            ] {
                let path = layer.expert(g, role, expert).unwrap_or_default();
                let [from, to] = dims;
                inputs.push(g.values(&path, from, to)?);
            }
        }
    }
    let mut call = Call { inputs, attributes, ..Call::default() };
    call.is_of(FRAMEWORKS, "Experts");
    call.int("experts", count).int("width", width).int("matrices", 3);
    g.numbers(call)
}
