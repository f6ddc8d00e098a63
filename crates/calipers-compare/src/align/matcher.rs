//! Pairs of nodes, and the passes that find them.

use hashbrown::HashMap;

use super::hash::mix;
use super::network::{NONE, Network, Source, count};
use super::signatures::{Ports, Seen, around, backward, forward};

/// The two graphs.
#[derive(Clone, Copy)]
pub(crate) struct Sides<'a> {
    pub(crate) a: &'a Network<'a>,
    pub(crate) b: &'a Network<'a>,
    pub(crate) ports_a: &'a Ports<'a>,
    pub(crate) ports_b: &'a Ports<'a>,
}

/// Which numbers of nodes must be the same.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strictness {
    /// Operator, attributes and stored tensors.
    Exact,
    /// Operator and dimensions of stored tensors.
    Form,
}

impl Strictness {
    pub(crate) fn labels<'n>(self, net: &'n Network<'_>) -> &'n [u64] {
        match self {
            Self::Exact => &net.labels.exact,
            Self::Form => &net.labels.form,
        }
    }
}

/// Which nodes of the first graph are which of the second, by place.
#[derive(Clone, Debug)]
pub(crate) struct Matching {
    pub(crate) to_b: Vec<u32>,
    pub(crate) to_a: Vec<u32>,
}

impl Matching {
    pub(crate) fn new(sides: Sides<'_>) -> Self {
        Self { to_b: vec![NONE; sides.a.len()], to_a: vec![NONE; sides.b.len()] }
    }

    /// The node of the second graph that a node is, or [`NONE`].
    pub(crate) fn b(&self, a: u32) -> u32 {
        self.to_b[a as usize]
    }

    /// The node of the first graph that a node is, or [`NONE`].
    pub(crate) fn a(&self, b: u32) -> u32 {
        self.to_a[b as usize]
    }

    pub(crate) fn pair(&mut self, a: u32, b: u32) {
        debug_assert!(self.b(a) == NONE && self.a(b) == NONE, "nodes are matched once");
        self.to_b[a as usize] = b;
        self.to_a[b as usize] = a;
    }

    pub(crate) fn part(&mut self, a: u32, b: u32) {
        self.to_b[a as usize] = NONE;
        self.to_a[b as usize] = NONE;
    }

    /// Nodes of the first graph without a counterpart.
    pub(crate) fn free_a(&self) -> impl DoubleEndedIterator<Item = u32> {
        (0..count(self.to_b.len())).filter(|a| self.b(*a) == NONE)
    }

    /// Nodes of the second graph without a counterpart.
    pub(crate) fn free_b(&self) -> impl DoubleEndedIterator<Item = u32> {
        (0..count(self.to_a.len())).filter(|b| self.a(*b) == NONE)
    }

    /// All pairs, in the order of the first graph.
    pub(crate) fn pairs(&self) -> impl Iterator<Item = (u32, u32)> {
        (0..).zip(&self.to_b).filter(|(_, b)| **b != NONE).map(|(a, b)| (a, *b))
    }

    /// Whether every node has a counterpart.
    pub(crate) fn is_complete(&self) -> bool {
        !self.to_b.contains(&NONE) && !self.to_a.contains(&NONE)
    }

    /// Numbers of the pairs, 0 for nodes without one.
    fn pair_numbers(&self) -> (Vec<u64>, Vec<u64>) {
        let number = |a: u32| mix(u64::from(a), 11) | 1;
        let of_a = (0..).zip(&self.to_b).map(|(a, b)| if *b == NONE { 0 } else { number(a) });
        let of_b = self.to_a.iter().map(|a| if *a == NONE { 0 } else { number(*a) });
        (of_a.collect(), of_b.collect())
    }

    /// Matches nodes whose numbers occur once in each graph. Returns how many.
    fn match_unique(&mut self, keys_a: &[u64], keys_b: &[u64]) -> usize {
        let mut seen: HashMap<u64, (u32, u32)> = HashMap::new();
        // A second node of a number makes it useless.
        const SEVERAL: u32 = NONE - 1;
        for a in self.free_a() {
            let entry = seen.entry(keys_a[a as usize]).or_insert((NONE, NONE));
            entry.0 = if entry.0 == NONE { a } else { SEVERAL };
        }
        for b in self.free_b() {
            if let Some(entry) = seen.get_mut(&keys_b[b as usize]) {
                entry.1 = if entry.1 == NONE { b } else { SEVERAL };
            }
        }
        let mut found: Vec<(u32, u32)> =
            seen.into_values().filter(|(a, b)| *a < SEVERAL && *b < SEVERAL).collect();
        found.sort_unstable();
        found.iter().for_each(|(a, b)| self.pair(*a, *b));
        found.len()
    }

    /// Matches nodes whose numbers occur equally often in both graphs: first those of one name, the
    /// rest in order. Returns how many.
    fn match_groups(&mut self, sides: Sides<'_>, keys_a: &[u64], keys_b: &[u64]) -> usize {
        let mut groups: HashMap<u64, (Vec<u32>, Vec<u32>)> = HashMap::new();
        for a in self.free_a() {
            groups.entry(keys_a[a as usize]).or_default().0.push(a);
        }
        for b in self.free_b() {
            if let Some(group) = groups.get_mut(&keys_b[b as usize]) {
                group.1.push(b);
            }
        }
        let mut groups: Vec<(Vec<u32>, Vec<u32>)> =
            groups.into_values().filter(|(a, b)| a.len() == b.len()).collect();
        groups.sort_unstable();
        let mut found = 0;
        for (group_a, group_b) in groups {
            found += group_a.len();
            let names = &sides.b.labels.name;
            let by_name: HashMap<u64, u32> =
                group_b.iter().map(|b| (names[*b as usize], *b)).collect();
            let mut rest = Vec::new();
            for a in group_a {
                let name = sides.a.labels.name[a as usize];
                match by_name.get(&name).filter(|b| name != 0 && self.a(**b) == NONE) {
                    Some(b) => self.pair(a, *b),
                    None => rest.push(a),
                }
            }
            let left: Vec<u32> = group_b.into_iter().filter(|b| self.a(*b) == NONE).collect();
            rest.into_iter().zip(left).for_each(|(a, b)| self.pair(a, b));
        }
        found
    }

    /// Matches nodes by what is before them, then by what is behind them, up to matched nodes, until
    /// nothing more is found. `is_behind_first` reverses the two.
    pub(crate) fn match_context(
        &mut self,
        sides: Sides<'_>,
        strictness: Strictness,
        is_behind_first: bool,
    ) {
        // Each round moves the border of what is matched; few edits need more than two.
        for _ in 0..ROUNDS {
            let mut found = 0;
            for is_behind in [is_behind_first, !is_behind_first] {
                let (keys_a, keys_b) = self.keys(
                    sides,
                    strictness,
                    match is_behind {
                        true => backward,
                        false => forward,
                    },
                );
                found += self.match_unique(&keys_a, &keys_b);
            }
            if found == 0 {
                // Twins that read the same: what is behind and before them together.
                let (before_a, before_b) = self.keys(sides, strictness, forward);
                let (behind_a, behind_b) = self.keys(sides, strictness, backward);
                let join = |one: &[u64], two: &[u64]| -> Vec<u64> {
                    one.iter().zip(two).map(|(one, two)| mix(*one, *two)).collect()
                };
                let (keys_a, keys_b) = (join(&before_a, &behind_a), join(&before_b, &behind_b));
                found += self.match_unique(&keys_a, &keys_b);
                if found == 0 {
                    found += self.match_groups(sides, &keys_a, &keys_b);
                }
            }
            if found == 0 || self.is_complete() {
                return;
            }
        }
    }

    /// Matches nodes by their surroundings, from wide to narrow.
    pub(crate) fn match_surroundings(&mut self, sides: Sides<'_>, strictness: Strictness) {
        for distance in [24, 12, 6, 3, 1] {
            for _ in 0..ROUNDS {
                let (keys_a, keys_b) = self.keys(sides, strictness, |seen| around(seen, distance));
                if self.is_complete() || self.match_unique(&keys_a, &keys_b) == 0 {
                    break;
                }
            }
        }
    }

    fn keys(
        &self,
        sides: Sides<'_>,
        strictness: Strictness,
        numbers: impl Fn(&Seen<'_>) -> Vec<u64>,
    ) -> (Vec<u64>, Vec<u64>) {
        let (pair_a, pair_b) = self.pair_numbers();
        let of = |net, pair: &[u64], ports| {
            numbers(&Seen { net, label: strictness.labels(net), pair, ports })
        };
        (of(sides.a, &pair_a, sides.ports_a), of(sides.b, &pair_b, sides.ports_b))
    }

    /// Matches nodes of one operator and one name, where the name occurs once in each graph.
    pub(crate) fn match_names(&mut self, sides: Sides<'_>) {
        let keys = |net: &Network<'_>, other: u64| -> Vec<u64> {
            let named = net.labels.name.iter().zip(&net.labels.op).enumerate();
            named
                .map(|(at, (name, op))| match name {
                    // Nodes without a name must not match.
                    0 => mix(other, at as u64),
                    name => mix(*name, *op),
                })
                .collect()
        };
        self.match_unique(&keys(sides.a, 1), &keys(sides.b, 2));
    }

    /// Matches nodes of the same operator at the same slots of matched nodes, the ones with most
    /// matched neighbors first.
    pub(crate) fn match_neighbors(&mut self, sides: Sides<'_>) {
        for needed in [3, 2, 1] {
            let mut queue: Vec<u32> = self.free_a().collect();
            while let Some(a) = queue.pop() {
                if self.b(a) != NONE {
                    continue;
                }
                let Some((b, votes)) = self.best_neighbor(sides, a) else { continue };
                if votes < needed {
                    continue;
                }
                self.pair(a, b);
                let inputs = sides.a.inputs(a).iter().filter_map(|source| match source {
                    Source::Node { place, .. } => Some(*place),
                    _ => None,
                });
                let readers = sides.a.readers(a).iter().map(|reader| reader.place);
                let near = inputs.chain(readers.filter(|place| *place != NONE));
                queue.extend(near.filter(|near| self.b(*near) == NONE).take(MOST_NEIGHBORS));
            }
        }
    }

    /// The free node at the same slots of the most matched neighbors, and how many agree. Nodes that
    /// are alike count once more.
    fn best_neighbor(&self, sides: Sides<'_>, a: u32) -> Option<(u32, u32)> {
        let mut votes: Vec<(u32, u32)> = Vec::new();
        let op = sides.a.labels.op[a as usize];
        let mut vote = |b: u32| {
            if self.a(b) == NONE && sides.b.labels.op[b as usize] == op {
                match votes.iter_mut().find(|(known, _)| *known == b) {
                    Some((_, number)) => *number += 1,
                    None => votes.push((b, 1)),
                }
            }
        };
        for (slot, source) in (0..).zip(sides.a.inputs(a)) {
            let Source::Node { place, slot: output } = *source else { continue };
            let Some(from) = Some(self.b(place)).filter(|from| *from != NONE) else { continue };
            let readers = sides.b.readers(from).iter().take(MOST_NEIGHBORS);
            readers
                .filter(|reader| reader.slot == slot && reader.output == output)
                .filter(|reader| reader.place != NONE)
                .for_each(|reader| vote(reader.place));
        }
        for reader in sides.a.readers(a).iter().take(MOST_NEIGHBORS) {
            let source = match reader.place {
                NONE => sides.b.outputs.get(reader.slot as usize).copied(),
                place => Some(self.b(place))
                    .filter(|behind| *behind != NONE)
                    .map(|behind| sides.b.input(behind, reader.slot as usize)),
            };
            if let Some(Source::Node { place, slot }) = source
                && slot == reader.output
            {
                vote(place);
            }
        }
        let alike = |b: u32| {
            let (at, there) = (a as usize, b as usize);
            let (mine, other) = (&sides.a.labels, &sides.b.labels);
            u32::from(mine.exact[at] == other.exact[there])
                + u32::from(mine.name[at] != 0 && mine.name[at] == other.name[there])
        };
        let votes = votes.into_iter().map(|(b, number)| (b, number + alike(b)));
        votes.max_by_key(|(b, number)| (*number, std::cmp::Reverse(*b)))
    }
}

/// Rounds of passes that depend on each other. What they leave is matched in order.
const ROUNDS: usize = 6;

/// Neighbors that are looked at: a value that everything reads says little.
const MOST_NEIGHBORS: usize = 64;
