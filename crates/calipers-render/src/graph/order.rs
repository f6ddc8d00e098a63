//! The order of boxes and bends in their rows: sweeps by barycenter, fewest crossings kept.

use super::layered::Task;

/// Sweeps over all rows.
const SWEEPS: usize = 8;
/// With more boxes and bends than this, they stay in the order of execution.
const MOST_POINTS: usize = 20_000;

/// Boxes and bends by row, joined from row to row.
pub(super) struct Rows {
    /// Numbers of boxes, then of bends, of each row in order.
    pub(super) rows: Vec<Vec<usize>>,
    rank: Vec<usize>,
    /// For each box or bend, what it is joined with in rows above, and below.
    pub(super) above: Vec<Vec<usize>>,
    pub(super) below: Vec<Vec<usize>>,
    /// Numbers from here on are bends.
    pub(super) boxes: usize,
}

impl Rows {
    pub(super) fn new(ranks: &[usize], task: &Task) -> Self {
        let count = ranks.len();
        let mut rows = vec![Vec::new(); ranks.iter().max().map_or(0, |rank| rank + 1)];
        let mut sequence: Vec<usize> = (0..count).collect();
        sequence.sort_by_key(|number| (task.order.get(*number).copied(), *number));
        for number in sequence {
            rows[ranks[number]].push(number);
        }
        Self {
            rows,
            rank: ranks.to_vec(),
            above: vec![Vec::new(); count],
            below: vec![Vec::new(); count],
            boxes: count,
        }
    }

    /// A new bend in a row.
    pub(super) fn add_bend(&mut self, rank: usize) -> usize {
        let number = self.rank.len();
        self.rank.push(rank);
        self.above.push(Vec::new());
        self.below.push(Vec::new());
        self.rows[rank].push(number);
        number
    }

    pub(super) fn join(&mut self, from: usize, to: usize) {
        self.below[from].push(to);
        self.above[to].push(from);
    }

    pub(super) fn rank_of(&self, number: usize) -> usize {
        self.rank[number]
    }

    pub(super) fn is_bend(&self, number: usize) -> bool {
        number >= self.boxes
    }

    /// Sorts every row.
    pub(super) fn sort(&mut self) {
        if self.rank.len() > MOST_POINTS || self.rows.len() < 2 {
            return;
        }
        let mut place = vec![0.0; self.rank.len()];
        self.note_places(&mut place);
        let (mut best, mut fewest) = (self.rows.clone(), self.crossings());
        for sweep in 0..SWEEPS {
            if fewest == 0 {
                break;
            }
            let down = sweep % 2 == 0;
            for step in 1..self.rows.len() {
                let row = if down { step } else { self.rows.len() - 1 - step };
                self.sort_row(row, down, &mut place);
            }
            let crossings = self.crossings();
            if crossings < fewest {
                (best, fewest) = (self.rows.clone(), crossings);
            }
        }
        self.rows = best;
    }

    fn note_places(&self, place: &mut [f64]) {
        for row in &self.rows {
            for (at, number) in row.iter().enumerate() {
                place[*number] = to_float(at);
            }
        }
    }

    /// Sorts a row by the mean position of the neighbors above, or below.
    fn sort_row(&mut self, row: usize, by_above: bool, place: &mut [f64]) {
        let joined = if by_above { &self.above } else { &self.below };
        let middle = |number: usize| {
            let others = &joined[number];
            match others.len() {
                // A box without arrows keeps its position.
                0 => place[number],
                count => others.iter().map(|other| place[*other]).sum::<f64>() / to_float(count),
            }
        };
        let mut keyed: Vec<(f64, usize)> =
            self.rows[row].iter().map(|number| (middle(*number), *number)).collect();
        // Stable, so equals keep their order.
        keyed.sort_by(|one, other| one.0.total_cmp(&other.0));
        for (at, (_, number)) in keyed.iter().enumerate() {
            self.rows[row][at] = *number;
            place[*number] = to_float(at);
        }
    }

    /// How often arrows between neighboring rows cross.
    fn crossings(&self) -> u64 {
        let mut at = vec![0_usize; self.rank.len()];
        for row in &self.rows {
            for (place, number) in row.iter().enumerate() {
                at[*number] = place;
            }
        }
        let mut crossings = 0;
        for (row, next) in self.rows.iter().zip(self.rows.iter().skip(1)) {
            // Counts pairs out of order with a tree of sums.
            let mut sums = vec![0_u64; next.len() + 1];
            let mut seen = 0_u64;
            for number in row {
                let below = self.below[*number].iter();
                let below = below.filter(|other| self.rank[**other] == self.rank[*number] + 1);
                let mut ends: Vec<usize> = below.map(|other| at[*other]).collect();
                ends.sort_unstable();
                for end in &ends {
                    let (mut to, mut before) = (end + 1, 0);
                    while to > 0 {
                        before += sums[to];
                        to &= to - 1;
                    }
                    crossings += seen - before;
                }
                for end in ends {
                    let mut place = end + 1;
                    while place < sums.len() {
                        sums[place] += 1;
                        place += place & place.wrapping_neg();
                    }
                    seen += 1;
                }
            }
        }
        crossings
    }
}

/// Counts here are far below what a float holds exactly.
#[expect(clippy::cast_precision_loss, reason = "counts of boxes are small")]
pub(super) fn to_float(count: usize) -> f64 {
    count as f64
}
