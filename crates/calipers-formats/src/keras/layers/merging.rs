//! Layers of several values: sums, products, and values put next to each other.

use super::{KERAS, Mapped, Site};

pub(super) fn map(site: &mut Site<'_, '_>, class: &str) -> Mapped {
    let mode = match class {
        // The first version had one class for all.
        "Merge" => site.config().text("mode").to_owned(),
        other => other.to_lowercase(),
    };
    let is_pair = site.inputs.len() == 2;
    // With a number it is an operation, which older versions write like the layer.
    if site.inputs.len() < 2 {
        return Ok(false);
    }
    match mode.as_str() {
        "add" | "sum" => site.is(if is_pair { "Add" } else { "Sum" }),
        "subtract" => site.is("Sub"),
        "multiply" | "mul" if is_pair => site.is("Mul"),
        "multiply" | "mul" => {
            site.node.is_of(KERAS, "Multiply");
            site.operands(usize::MAX, &[]);
        }
        "average" | "ave" => site.is("Mean"),
        "maximum" | "max" => site.is("Max"),
        "minimum" => site.is("Min"),
        "concatenate" | "concat" => {
            let axis = site.config().int("axis").or(site.config().int("concat_axis"));
            site.is("Concat");
            site.node.int("axis", axis.unwrap_or(-1));
        }
        "dot" if is_pair => {
            let axes = site.config().ints(&["axes", "dot_axes"], 2);
            let Some(axes) = axes else { return Ok(false) };
            site.node.is_of(KERAS, "Dot").ints("axes", &axes);
            site.operands(2, &[]);
        }
        _ => return Ok(false),
    }
    Ok(true)
}
