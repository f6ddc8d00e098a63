//! Positions of boxes and bends in their rows: near the mean of their neighbors, as far as
//! the gaps allow. Each row is solved exactly, in one pass.

use super::order::{Rows, to_float};

/// Space between two boxes.
const BETWEEN_BOXES: f64 = 28.0;
/// Space between a bend and its neighbor.
const BETWEEN_BENDS: f64 = 14.0;
/// Width of a bend.
pub(super) const BEND: f64 = 4.0;
/// Passes over all rows.
const PASSES: usize = 6;

/// The middle of each box and bend, from the left.
pub(super) fn place(rows: &Rows, sizes: &[(f64, f64)]) -> Vec<f64> {
    let width = |number: usize| sizes.get(number).map_or(BEND, |size| size.0);
    let mut xs = vec![0.0; rows.above.len()];
    for row in &rows.rows {
        let gaps = gaps(rows, row, &width);
        let middle = gaps.last().copied().unwrap_or(0.0) / 2.0;
        for (number, gap) in row.iter().zip(&gaps) {
            xs[*number] = gap - middle;
        }
    }
    for pass in 0..PASSES {
        let both = pass + 2 >= PASSES;
        let (up, down) = (both || pass % 2 == 1, both || pass % 2 == 0);
        for step in 0..rows.rows.len() {
            let number = if pass % 2 == 0 { step } else { rows.rows.len() - 1 - step };
            let row = &rows.rows[number];
            let wanted: Vec<(f64, f64)> =
                row.iter().map(|number| wanted(rows, &xs, *number, up, down)).collect();
            let gaps = gaps(rows, row, &width);
            for (number, x) in row.iter().zip(spread(&wanted, &gaps)) {
                xs[*number] = x;
            }
        }
    }
    let left = (0..xs.len()).map(|number| xs[number] - width(number) / 2.0);
    let left = left.fold(f64::INFINITY, f64::min);
    if left.is_finite() {
        for x in &mut xs {
            *x -= left;
        }
    }
    xs
}

/// For each box of a row, how far its middle is from that of the first, at least.
fn gaps(rows: &Rows, row: &[usize], width: &dyn Fn(usize) -> f64) -> Vec<f64> {
    let mut gaps = Vec::with_capacity(row.len());
    let mut at = 0.0;
    for (place, number) in row.iter().enumerate() {
        if let Some(before) = place.checked_sub(1).map(|place| row[place]) {
            let is_loose = rows.is_bend(before) || rows.is_bend(*number);
            let between = if is_loose { BETWEEN_BENDS } else { BETWEEN_BOXES };
            at += (width(before) + width(*number)) / 2.0 + between;
        }
        gaps.push(at);
    }
    gaps
}

/// The position that the neighbors of a box suggest, and its weight.
fn wanted(rows: &Rows, xs: &[f64], number: usize, up: bool, down: bool) -> (f64, f64) {
    let above = rows.above[number].iter().filter(|_| down);
    let below = rows.below[number].iter().filter(|_| up);
    let (mut sum, mut weight) = (0.0, 0.0);
    for other in above.chain(below) {
        // Long arrows, and arrows from box to box, are kept straight.
        let matters = match (rows.is_bend(number), rows.is_bend(*other)) {
            (true, true) => 8.0,
            (false, false) => 4.0,
            _ => 1.0,
        };
        // The more arrows a box has, the less each of them counts.
        let matters = matters / to_float(rows.below[*other].len().max(1)).sqrt();
        sum += xs[*other] * matters;
        weight += matters;
    }
    if weight > 0.0 { (sum / weight, weight) } else { (xs[number], 0.1) }
}

/// The positions nearest to those wanted that keep the gaps: neighbors that would come too near are
/// joined into one block, which is at the mean of what its members want.
fn spread(wanted: &[(f64, f64)], gaps: &[f64]) -> Vec<f64> {
    struct Block {
        sum: f64,
        weight: f64,
        members: usize,
    }
    let mut blocks: Vec<Block> = Vec::with_capacity(wanted.len());
    for ((x, weight), gap) in wanted.iter().zip(gaps) {
        let mut block = Block { sum: (x - gap) * weight, weight: *weight, members: 1 };
        while let Some(last) = blocks.last()
            && last.sum / last.weight > block.sum / block.weight
        {
            block.sum += last.sum;
            block.weight += last.weight;
            block.members += last.members;
            blocks.pop();
        }
        blocks.push(block);
    }
    let starts = blocks
        .iter()
        .flat_map(|block| std::iter::repeat_n(block.sum / block.weight, block.members));
    starts.zip(gaps).map(|(start, gap)| start + gap).collect()
}

#[cfg(test)]
mod tests {
    use super::spread;

    #[test]
    fn boxes_keep_their_gaps_and_their_mean() {
        // Both want to be at 0 and need 10 between them: −5 and 5.
        assert_eq!(spread(&[(0.0, 1.0), (0.0, 1.0)], &[0.0, 10.0]), [-5.0, 5.0]);
        // There is space for both where they want to be.
        assert_eq!(spread(&[(0.0, 1.0), (30.0, 1.0)], &[0.0, 10.0]), [0.0, 30.0]);
    }
}
