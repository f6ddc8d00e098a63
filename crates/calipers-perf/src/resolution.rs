//! The model at growing image sides.
//!
//! Where the file leaves the sides free, the kernels are evaluated at other sides. Where it fixes
//! them, shapes are inferred again: a fully convolutional network accepts other sides, any other one
//! contradicts itself and has no such table.

use calipers_arch::blocks;
use calipers_arch::network::Network;
use calipers_infer::{Typed, infer_changed};
use calipers_measure::assume::Role;
use calipers_ops::{Fact, TensorFact};
use calipers_report::ScalingRow;
use calipers_sym::Expr;

use super::memory_fit::MemoryFit;
use super::profile::{ExecutionPlan, ModelProfile, OperatingPoint};
use super::scaling::{drop_empty, row};
use crate::devices::Device;

/// Common image sides.
const SIDES: [i64; 8] = [128, 160, 224, 320, 416, 512, 640, 1024];

/// Sides to try, in halves of the file's own.
const HALVES: [i64; 4] = [1, 2, 3, 4];

/// Returns the model at growing image sides.
pub(crate) fn sides(
    memory_fit: &MemoryFit<'_>,
    base: &OperatingPoint,
    device: &Device,
) -> Vec<ScalingRow> {
    let profile = memory_fit.profile;
    let names: Vec<String> = profile.named(Role::Image).map(|(name, _)| name.clone()).collect();
    if names.is_empty() {
        return fixed(profile, base, device);
    }
    let mut rows = Vec::new();
    for side in SIDES {
        let dims = names.iter().map(|name| (name.clone(), side)).collect();
        let at = OperatingPoint { dims, ..base.clone() };
        rows.push(row(memory_fit, &at, device, side.unsigned_abs(), base.batch));
        if ends(&rows) {
            break;
        }
    }
    drop_empty(rows)
}

/// The model with other sides than the file fixes.
fn fixed(profile: &ModelProfile<'_>, base: &OperatingPoint, device: &Device) -> Vec<ScalingRow> {
    let Some(own) = own_side(profile) else { return Vec::new() };
    if profile.untimed().is_some() {
        return Vec::new();
    }
    let mut rows = Vec::new();
    for halves in HALVES {
        // Networks downsample by factors of two, up to 32.
        let side = own * halves / 2 / 32 * 32;
        if side == 0 || rows.iter().any(|row: &ScalingRow| row.size == side.unsigned_abs()) {
            continue;
        }
        if side == own {
            let memory_fit = MemoryFit::new(profile);
            rows.push(row(&memory_fit, base, device, side.unsigned_abs(), base.batch));
        } else if let Some((typed, plan)) = resized(profile, own, side) {
            let other = profile.with_shapes(&typed, &plan);
            let memory_fit = MemoryFit::new(&other);
            rows.push(row(&memory_fit, base, device, side.unsigned_abs(), base.batch));
        }
        if ends(&rows) {
            break;
        }
    }
    // One row is not a table.
    if rows.len() < 2 { Vec::new() } else { drop_empty(rows) }
}

fn ends(rows: &[ScalingRow]) -> bool {
    rows.last().is_some_and(|row| row.run.fits == Some(false))
}

/// Returns the side of the one image that the model takes, where the file fixes it.
pub(crate) fn own_side(profile: &ModelProfile<'_>) -> Option<i64> {
    let inputs = profile.model.required_inputs();
    let mut sides =
        inputs.iter().filter_map(|input| side_of(profile.typed.fact(*input).as_tensor()?));
    sides.next().filter(|side| *side >= 64 && sides.next().is_none())
}

/// The equal sides of `[batch, channels, side, side]` or `[batch, side, side, channels]`.
fn side_of(tensor: &TensorFact) -> Option<i64> {
    let [_, second, third, last] = tensor.dims()? else { return None };
    let channels = |dim: &Expr| matches!(dim.as_const(), Some(1 | 3 | 4));
    let (height, width) = match (channels(second), channels(last)) {
        (true, false) => (third, last),
        (false, true) => (second, third),
        _ => return None,
    };
    height.as_const().filter(|height| width.as_const() == Some(*height))
}

/// Shapes and kernels with another side; `None` when the shapes then contradict each other.
fn resized(profile: &ModelProfile<'_>, own: i64, side: i64) -> Option<(Typed, ExecutionPlan)> {
    let change = |fact: Fact| match fact {
        Fact::Tensor(tensor) if side_of(&tensor) == Some(own) => {
            let dims = tensor.dims().unwrap_or_default().iter();
            let dims = dims.map(|dim| match dim.as_const() {
                Some(size) if size == own => Expr::from(side),
                _ => dim.clone(),
            });
            Fact::from(TensorFact::new(tensor.dtype, dims))
        }
        other => other,
    };
    let typed = infer_changed(profile.model, profile.bindings, &change).ok()?;
    // Value shapes stated in the file are those of its own side.
    let clashes =
        |typed: &Typed| typed.contradictions.iter().filter(|one| one.value.is_none()).count();
    let lacking = |typed: &Typed| {
        let order = profile.model.main().order.iter();
        order.filter(|node| matches!(typed.cost(**node), Some(Err(_)))).count()
    };
    if clashes(&typed) > clashes(profile.typed) || lacking(&typed) > lacking(profile.typed) {
        return None;
    }
    let mut net = Network::build(profile.model, &typed);
    blocks::recognize(&mut net);
    let plan = ExecutionPlan::new(&net, profile.plan.runtime);
    drop(net);
    Some((typed, plan))
}
