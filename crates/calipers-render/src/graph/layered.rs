//! A layered layout of boxes and arrows: arrows go down, boxes do not overlap.
//!
//! ```text
//! ranks      longest paths from the top, then boxes pulled towards their consumers
//! order      sweeps by barycenter, the one with fewest crossings kept
//! places     least squares under the gaps that boxes need
//! ```
//!
//! Long arrows pass a bend at every rank between. Numbers of bends and of sweeps are bounded, so the
//! time is in proportion to boxes and arrows.

use super::order;
use super::places;

/// Boxes and arrows to lay out.
#[derive(Clone, Debug, Default)]
pub struct Task {
    /// Width and height of each box.
    pub sizes: Vec<(f64, f64)>,
    /// Arrows from box to box.
    pub arrows: Vec<(usize, usize)>,
    /// The position of each box in an order of execution. Arrows against it are drawn upwards.
    pub order: Vec<usize>,
    /// Boxes that must be above all others, and below them.
    pub top: Option<usize>,
    /// See `top`.
    pub bottom: Option<usize>,
}

/// A row of boxes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Band {
    /// Where it begins.
    pub y: f64,
    /// Its height: that of its tallest box.
    pub height: f64,
}

/// A box in its place.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Place {
    /// Number of its row.
    pub rank: usize,
    /// Its middle, from the left.
    pub x: f64,
    /// Its upper edge.
    pub y: f64,
    /// Its width.
    pub width: f64,
    /// Its height.
    pub height: f64,
}

/// A layout.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Sheet {
    /// The boxes, as they were given.
    pub boxes: Vec<Place>,
    /// The rows, from the top.
    pub bands: Vec<Band>,
    /// For each arrow, the bends between its ends from above to below: row and place.
    pub bends: Vec<Vec<(usize, f64)>>,
    /// Its width.
    pub width: f64,
    /// Its height.
    pub height: f64,
}

/// Space between rows, which holds labels of arrows.
const BETWEEN_ROWS: f64 = 44.0;
/// Bends of one layout; arrows beyond that go straight.
const MOST_BENDS: usize = 6000;

/// Lays out boxes and arrows.
pub fn lay_out(task: &Task) -> Sheet {
    let count = task.sizes.len();
    let arrows: Vec<Option<(usize, usize)>> =
        task.arrows.iter().map(|arrow| downwards(task, *arrow)).collect();
    let ranks = ranks(task, &arrows);
    let mut graph = order::Rows::new(&ranks, task);
    let mut bends_left = MOST_BENDS;
    // The bends of each arrow, by number of the point.
    let mut bends: Vec<Vec<usize>> = vec![Vec::new(); arrows.len()];
    for (number, arrow) in arrows.iter().enumerate() {
        let Some((from, to)) = *arrow else { continue };
        let between = ranks[to].saturating_sub(ranks[from] + 1);
        if between > bends_left {
            continue;
        }
        bends_left -= between;
        let mut last = from;
        for rank in ranks[from] + 1..ranks[to] {
            let bend = graph.add_bend(rank);
            graph.join(last, bend);
            bends[number].push(bend);
            last = bend;
        }
        graph.join(last, to);
    }
    graph.sort();
    let xs = places::place(&graph, &task.sizes);
    draw(task, &graph, &ranks, &xs, &bends, count)
}

/// The arrow as it goes down the page; `None` when it leads from a box to itself.
fn downwards(task: &Task, (from, to): (usize, usize)) -> Option<(usize, usize)> {
    if from == to || from >= task.sizes.len() || to >= task.sizes.len() {
        return None;
    }
    if position(task, from) <= position(task, to) { Some((from, to)) } else { Some((to, from)) }
}

/// Where a box is, those at top and bottom apart.
fn position(task: &Task, number: usize) -> (u8, usize, usize) {
    let place = task.order.get(number).copied().unwrap_or(number);
    match Some(number) {
        top if top == task.top => (0, place, number),
        bottom if bottom == task.bottom => (2, place, number),
        _ => (1, place, number),
    }
}

fn ranks(task: &Task, arrows: &[Option<(usize, usize)>]) -> Vec<usize> {
    let count = task.sizes.len();
    let mut sequence: Vec<usize> = (0..count).collect();
    sequence.sort_by_key(|number| position(task, *number));
    let (mut below, mut above) = (vec![Vec::new(); count], vec![0_usize; count]);
    for (from, to) in arrows.iter().flatten() {
        below[*from].push(*to);
        above[*to] += 1;
    }
    let mut ranks = vec![0_usize; count];
    for from in &sequence {
        // The top box has a row of its own.
        if task.top.is_some() && Some(*from) != task.top {
            ranks[*from] = ranks[*from].max(1);
        }
        for to in &below[*from] {
            ranks[*to] = ranks[*to].max(ranks[*from] + 1);
        }
    }
    // Boxes with more arrows below than above move down, which shortens the arrows.
    for number in sequence.iter().rev() {
        let nearest = below[*number].iter().map(|to| ranks[*to]).min();
        let (Some(nearest), true) = (nearest, Some(*number) != task.top) else { continue };
        if below[*number].len() > above[*number] {
            ranks[*number] = nearest - 1;
        }
    }
    if let Some(bottom) = task.bottom.filter(|_| count > 1) {
        let others = (0..count).filter(|number| *number != bottom);
        ranks[bottom] = others.map(|number| ranks[number] + 1).max().unwrap_or(0);
    }
    pack(&mut ranks);
    ranks
}

/// Leaves no row empty.
fn pack(ranks: &mut [usize]) {
    let mut used = ranks.to_vec();
    used.sort_unstable();
    used.dedup();
    for rank in ranks {
        *rank = used.binary_search(rank).unwrap_or(0);
    }
}

fn draw(
    task: &Task,
    graph: &order::Rows,
    ranks: &[usize],
    xs: &[f64],
    bends: &[Vec<usize>],
    count: usize,
) -> Sheet {
    let rows = ranks.iter().max().map_or(0, |rank| rank + 1);
    let mut bands = vec![Band::default(); rows];
    for (number, rank) in ranks.iter().enumerate() {
        bands[*rank].height = bands[*rank].height.max(task.sizes[number].1);
    }
    let mut y = 0.0;
    for band in &mut bands {
        band.y = y;
        y += band.height + BETWEEN_ROWS;
    }
    let mut sheet = Sheet { height: (y - BETWEEN_ROWS).max(0.0), ..Sheet::default() };
    for number in 0..count {
        let ((width, height), band) = (task.sizes[number], bands[ranks[number]]);
        let y = band.y + ((band.height - height) / 2.0).floor();
        let x = xs[number].round();
        sheet.boxes.push(Place { rank: ranks[number], x, y, width, height });
        sheet.width = sheet.width.max(x + width / 2.0);
    }
    for bends in bends {
        let bends: Vec<(usize, f64)> =
            bends.iter().map(|bend| (graph.rank_of(*bend), xs[*bend].round())).collect();
        let widest = bends.iter().map(|(_, x)| *x).fold(0.0, f64::max);
        sheet.width = sheet.width.max(widest + places::BEND);
        sheet.bends.push(bends);
    }
    sheet.bands = bands;
    sheet
}
