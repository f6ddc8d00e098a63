//! The sizes at which a model is executed.

use calipers_infer::inputs::{AxisRole, layout};
use calipers_infer::{BindError, Bindings, Typed, free_names, infer_shapes};
use calipers_ir::Model;
use calipers_measure::assume::{self, Assumed, Role};
use calipers_measure::memory::Caches;
use calipers_sym::Expr;
use hashbrown::HashSet;

use crate::{Elements, Tensor};

/// Sizes of free dimensions for two or three executions: those that the report assumes, the same
/// with two samples, and the same with other lengths.
pub(super) fn plans(model: &Model, given: &Bindings) -> Result<Vec<Bindings>, BindError> {
    let typed = infer_shapes(model, given)?;
    let caches = Caches::find(model, &typed);
    let assumed = assume::sizes(model, &typed, &caches, None);
    let bound = given.sizes(model);
    let free: Vec<(String, Assumed)> = free_names(model)
        .into_iter()
        .filter(|name| !bound.contains_key(name))
        .filter_map(|name| assumed.get(&name).map(|size| (name, *size)))
        .collect();
    let heights = heights(model, &typed);
    let plan = |size: &dyn Fn(&str, &Assumed) -> i64| {
        let mut plan = given.clone();
        plan.dims.extend(free.iter().map(|(name, assumed)| (name.clone(), size(name, assumed))));
        plan
    };
    let image = image_size(&|image| {
        is_consistent(model, &plan(&|name, assumed| image.apply(assumed, heights.contains(name))))
    });
    let size = |name: &str, assumed: &Assumed| image.apply(assumed, heights.contains(name));
    // A line of text has one height; its width is free. A cache may look like an image.
    let is_height =
        |name: &str, role: Role| matches!(role, Role::Image | Role::Side) && heights.contains(name);
    let longer = |grows: &dyn Fn(Role) -> bool| {
        plan(&|name, assumed| match is_height(name, assumed.role) || !grows(assumed.role) {
            true => size(name, assumed),
            false => other_length(assumed.role, size(name, assumed)),
        })
    };
    let mut plans = vec![plan(&size)];
    let more = plan(&|name, assumed| match assumed.role {
        Role::Other => size(name, assumed) * 2,
        _ => size(name, assumed),
    });
    // Some exports of a decoder take one new token whatever their dimensions are called.
    let lengths = [longer(&|_| true), longer(&|role| role != Role::New)];
    for others in [&[more][..], &lengths] {
        let is_other = |plan: &&Bindings| !plans.contains(plan) && is_consistent(model, plan);
        if let Some(other) = others.iter().find(is_other) {
            plans.push(other.clone());
        }
    }
    Ok(plans)
}

/// Whether no node contradicts another at these sizes.
fn is_consistent(model: &Model, plan: &Bindings) -> bool {
    infer_shapes(model, plan).is_ok_and(|typed| typed.contradictions.is_empty())
}

/// Names of the dimensions that are heights of images.
fn heights(model: &Model, typed: &Typed) -> HashSet<String> {
    let mut names = HashSet::new();
    for input in model.required_inputs() {
        let Some(tensor) = typed.fact(input).as_tensor() else { continue };
        let dims = tensor.dims().unwrap_or_default();
        let sizes: Vec<Option<i64>> = dims.iter().map(Expr::as_const).collect();
        let roles = layout(model, input, tensor.dtype, &sizes).axes;
        for (dim, role) in dims.iter().zip(roles) {
            if role == Some(AxisRole::Height) {
                names.extend(dim.symbols().into_iter().map(|symbol| symbol.name().to_owned()));
            }
        }
    }
    names
}

/// The size of images, where the assumed one does not fit the network.
#[derive(Clone, Copy, Debug)]
enum ImageSize {
    Assumed,
    Square(i64),
    /// A line of text: height and width.
    Line(i64, i64),
}

impl ImageSize {
    fn apply(self, assumed: &Assumed, is_height: bool) -> i64 {
        match (self, assumed.role) {
            (Self::Square(side), Role::Image) => side,
            (Self::Line(height, _), Role::Image) if is_height => height,
            (Self::Line(_, width), Role::Image) => width,
            _ => assumed.size,
        }
    }
}

/// The first size of images at which no node contradicts another: networks for lines of text need
/// their height, others multiples of more than 32 pixels.
fn image_size(fits: &dyn Fn(ImageSize) -> bool) -> ImageSize {
    use ImageSize::{Assumed, Line, Square};
    let sizes = [Assumed, Line(48, 320), Line(32, 320), Line(64, 320), Square(32), Square(64)];
    let squares = [96, 112, 128, 160, 256, 320, 384, 416, 512, 640, 768, 1024].map(Square);
    sizes.into_iter().chain(squares).find(|size| fits(*size)).unwrap_or(Assumed)
}

/// The sizes that the report assumes, for one execution.
pub(crate) fn plan(model: &Model, given: &Bindings) -> Result<Bindings, BindError> {
    Ok(plans(model, given)?.swap_remove(0))
}

/// Another size of a length: odd, so that no rounding hides an error. Sides of images stay multiples
/// of 32, as most networks need.
fn other_length(role: Role, size: i64) -> i64 {
    match role {
        Role::Sequence | Role::Past => (size / 2).max(1) | 1,
        Role::New => size + 2,
        Role::Image | Role::Side => size + 32,
        Role::Time => size * 2,
        Role::Capacity | Role::Features | Role::Value | Role::Other => size,
    }
}

/// Binds the elements of integer inputs from which shapes are computed to what they hold.
pub(super) fn with_values(
    model: &Model,
    typed: &Typed,
    mut plan: Bindings,
    inputs: &[(String, Tensor)],
) -> Bindings {
    for (value, (name, tensor)) in model.required_inputs().into_iter().zip(inputs) {
        let decides = typed.fact(value).as_tensor().is_some_and(|fact| fact.value.is_some());
        if !decides || plan.values.contains_key(name) {
            continue;
        }
        let elements: Option<Vec<i64>> = match tensor.elements() {
            Elements::I64(all) => Some(all.clone()),
            Elements::I32(all) => Some(all.iter().map(|x| i64::from(*x)).collect()),
            _ => None,
        };
        if let Some(elements) = elements {
            plan.values.insert(name.clone(), elements);
        }
    }
    plan
}
