//! Positions that a reader jumps to, and those that it will jump to next.

/// Differences of distances that count as none: names of later layers are longer by a digit.
const TOLERANCE: u64 = 64;

/// Distances that are compared at most.
const COMPARED: usize = 16;

/// Distances that are kept: two layers of any network have fewer, and looking through them takes no time.
const KEPT: usize = 4096;

/// Positions that are predicted at most.
const MOST: usize = 64;

/// The jumps of a reader so far.
#[derive(Debug, Default)]
pub(super) struct Jumps {
    last: Option<u64>,
    /// Distances between jumps, the latest last.
    distances: Vec<u64>,
}

impl Jumps {
    /// Notes a jump.
    pub(super) fn record(&mut self, position: u64) {
        match self.last.and_then(|last| position.checked_sub(last)) {
            Some(distance) => {
                if self.distances.len() == 2 * KEPT {
                    self.distances.drain(..KEPT);
                }
                self.distances.push(distance);
            }
            // Going back begins another sequence, such as the graph after the header.
            None => self.distances.clear(),
        }
        self.last = Some(position);
    }

    /// The positions that probably follow `position`, the nearest first.
    pub(super) fn predict(&self, position: u64) -> Vec<u64> {
        let Some((matched, mut next)) = self.continuation() else { return Vec::new() };
        // The longer the sequence that came before, the surer is what follows.
        let count = 1 << matched.min(MOST.ilog2() as usize);
        let mut distances = self.distances.clone();
        let mut at = position;
        let mut positions = Vec::with_capacity(count);
        while positions.len() < count {
            // The copy reads what it wrote, so that one period is repeated.
            let Some(distance) = distances.get(next).copied() else { break };
            distances.push(distance);
            next += 1;
            let Some(sum) = at.checked_add(distance) else { break };
            at = sum;
            positions.push(at);
        }
        positions
    }

    /// Where in the list the sequence goes on that ends as the list does: behind the longest such sequence, and
    /// the latest of those; with its length.
    fn continuation(&self) -> Option<(usize, usize)> {
        let distances = &self.distances;
        let same = |one: &u64, other: &u64| one.abs_diff(*other) <= TOLERANCE;
        let matched = |end: usize| {
            let pairs = distances[..end].iter().rev().zip(distances.iter().rev());
            pairs.take(COMPARED).take_while(|(one, other)| same(one, other)).count()
        };
        let ends = 1..distances.len();
        ends.map(|end| (matched(end), end)).filter(|(length, _)| *length > 0).max()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Jumps with these distances, each fetched unless it was predicted; how many had to be fetched.
    fn fetched(distances: &[u64]) -> usize {
        let mut jumps = Jumps::default();
        let (mut at, mut held, mut fetched) = (0, Vec::new(), 0);
        for distance in distances {
            at += distance;
            let is_held = held.iter().any(|position: &u64| position.abs_diff(at) <= 1024);
            jumps.record(at);
            if !is_held {
                fetched += 1;
                held.extend(jumps.predict(at));
            }
        }
        fetched
    }

    #[test]
    fn repeated_layers_are_fetched_together() {
        let layer = [4 << 20, 1 << 20, 1 << 20, 4 << 20, 11 << 20, 11 << 20, 11 << 20];
        let layers: Vec<u64> = std::iter::repeat_n(layer, 32).flatten().collect();
        // Two layers to learn, then 64 at a time.
        assert!(fetched(&layers) <= 14 + layers.len() / 64, "{}", fetched(&layers));
    }

    #[test]
    fn longer_names_of_later_layers_do_not_matter() {
        let layers: Vec<u64> =
            (0..64).flat_map(|layer| [1 << 20, (3 << 20) + layer / 10]).collect();
        assert!(fetched(&layers) <= 14, "{}", fetched(&layers));
    }

    #[test]
    fn sizes_without_a_pattern_are_fetched_one_by_one() {
        let random: Vec<u64> =
            (1..100_u64).map(|n| (n * n * 7919) % 100_003 * 1000 + 200_000).collect();
        assert_eq!(fetched(&random), random.len());
    }

    #[test]
    fn nothing_is_predicted_from_one_jump() {
        let mut jumps = Jumps::default();
        jumps.record(1 << 20);
        assert!(jumps.predict(1 << 20).is_empty());
    }
}
