//! Einstein's sums.

use std::collections::BTreeMap;

use calipers_sym::Expr;

use super::{Cost, Work, dims, unknown};
use crate::context::{Attr, OpContext, broadcast};
use crate::fact::{Fact, product};

/// <https://onnx.ai/onnx/operators/onnx__Einsum.html>: one point for each value of all letters
/// together, where the operands are multiplied and the product is added. More than two operands
/// are multiplied at once, not in the cheapest order. One operand is only summed.
pub(crate) fn einsum(ctx: &OpContext<'_>, _: &[Fact]) -> Cost {
    let Some(Attr::Text(equation)) = ctx.attribute("equation") else {
        return unknown("the equation of Einsum cannot be read");
    };
    let equation: Vec<u8> = equation.iter().copied().filter(|byte| *byte != b' ').collect();
    let arrow = equation.windows(2).position(|pair| pair == b"->");
    let left = equation.get(..arrow.unwrap_or(equation.len())).unwrap_or_default();
    let mut letters: BTreeMap<u8, Expr> = BTreeMap::new();
    let mut dots: Vec<Expr> = Vec::new();
    let terms: Vec<&[u8]> = left.split(|byte| *byte == b',').collect();
    if terms.len() != ctx.input_count() {
        return unknown("the equation of Einsum does not fit its inputs");
    }
    for (index, term) in terms.iter().enumerate() {
        let sizes = dims(ctx, ctx.optional(index))?;
        let named = term.iter().filter(|byte| **byte != b'.').count();
        let Some(open) = sizes.len().checked_sub(named) else {
            return unknown("the equation of Einsum does not fit its inputs");
        };
        let before = term.iter().position(|byte| *byte == b'.').unwrap_or(term.len());
        let (front, rest) = sizes.split_at(before.min(sizes.len()));
        let (middle, end) = rest.split_at(open.min(rest.len()));
        dots = broadcast(ctx.op, &dots, middle)?;
        let named = term.iter().filter(|byte| **byte != b'.');
        for (letter, size) in named.zip(front.iter().chain(end)) {
            let known = letters.entry(*letter).or_insert_with(|| size.clone());
            let both = broadcast(ctx.op, std::slice::from_ref(known), std::slice::from_ref(size))?;
            *known = product(&both);
        }
    }
    let points = letters.values().fold(product(&dots), |points, size| points * size);
    match i64::try_from(terms.len()) {
        Ok(1) if !summed(left, equation.get(left.len() + 2..)) => Ok(Work::none()),
        Ok(1) => Ok(Work::of_flops(points)),
        Ok(count) => Ok(Work::of_macs(points * (count - 1))),
        Err(_) => unknown("the equation of Einsum is too long"),
    }
}

/// Whether something on the left of an equation is not on its right. Without a right side, letters
/// that are twice are summed.
fn summed(left: &[u8], right: Option<&[u8]>) -> bool {
    left.iter().any(|letter| match right {
        Some(right) => !right.contains(letter),
        None => *letter != b'.' && left.iter().filter(|other| *other == letter).count() > 1,
    })
}

#[cfg(test)]
mod tests {
    use super::super::testing::{both, work};
    use crate::contrib::testing::text;

    #[test]
    fn sums_of_einstein() {
        let einsum = |equation: &'static str, inputs: &[&str]| {
            work("", "Einsum", inputs, &[("equation", text(equation))])
        };
        // b, h, i, j and d: 2 · 8 · 5 · 7 · 64.
        let heads = ["float32[2, 8, 5, 64]", "float32[2, 8, 7, 64]"];
        assert_eq!(einsum("bhid, bhjd -> bhij", &heads), both("35840", "0"));
        let dots = ["float32[B, 1, 3, 4]", "float32[5, 4, 6]"];
        assert_eq!(einsum("...ij,...jk->...ik", &dots), both("360*B", "0"));
        // One operand is summed, or only moved.
        assert_eq!(einsum("ij->i", &["float32[3, 4]"]), both("0", "12"));
        assert_eq!(einsum("ij->ji", &["float32[3, 4]"]), both("0", "0"));
        // Three are multiplied at each of 2 · 3 · 4 · 5 points: two products, two MACs.
        let three = ["float32[2, 3]", "float32[3, 4]", "float32[4, 5]"];
        assert_eq!(einsum("ij,jk,kl->il", &three), both("240", "0"));
    }
}
