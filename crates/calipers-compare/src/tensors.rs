//! Stored weights of two files, matched by name and shape where graphs cannot be.

use std::collections::{BTreeMap, HashMap};

use calipers_ir::{GraphOrigin, Model, TensorId};
use calipers_measure::parameters::{self, Role};
use calipers_report::TensorMatch;

/// Unmatched tensors that are named.
const NAMED: usize = 8;

/// Whether the weights have to be matched on their own: the files are of different formats, or one
/// has no graph.
pub fn is_needed(a: &Model, b: &Model) -> bool {
    let is_stored = |model: &Model| model.header.graph_origin == GraphOrigin::Stored;
    a.header.format != b.header.format || !is_stored(a) || !is_stored(b)
}

/// Matches the learned tensors.
pub fn matched(a: &Model, b: &Model) -> TensorMatch {
    let (learned_a, learned_b) = (learned(a), learned(b));
    let mut result = TensorMatch {
        tensors_a: learned_a.len() as u64,
        tensors_b: learned_b.len() as u64,
        ..TensorMatch::default()
    };
    let shape = |model: &Model, tensor: TensorId| {
        let mut dims: Vec<i64> =
            model.tensor(tensor).dims.iter().copied().filter(|dim| *dim != 1).collect();
        dims.sort_unstable();
        dims
    };
    let name =
        |model: &'_ Model, tensor: TensorId| model.name(model.tensor(tensor).name).to_owned();
    // Equal names first, so that what is left is matched by shape alone.
    let mut by_name: HashMap<String, usize> = HashMap::new();
    for (place, tensor) in learned_b.iter().enumerate() {
        by_name.insert(name(b, *tensor), place);
    }
    let mut taken = vec![false; learned_b.len()];
    let mut left = Vec::new();
    for tensor in &learned_a {
        let same = by_name
            .get(&name(a, *tensor))
            .copied()
            .filter(|place| !taken[*place] && shape(b, learned_b[*place]) == shape(a, *tensor));
        match same {
            Some(place) => {
                taken[place] = true;
                result.matched += 1;
                result.same_name += 1;
            }
            None => left.push(*tensor),
        }
    }
    let mut free: BTreeMap<Vec<i64>, Vec<usize>> = BTreeMap::new();
    for (place, tensor) in learned_b.iter().enumerate().filter(|(place, _)| !taken[*place]) {
        free.entry(shape(b, *tensor)).or_default().push(place);
    }
    for tensor in left {
        match free.get_mut(&shape(a, tensor)).and_then(Vec::pop) {
            Some(_) => result.matched += 1,
            None if result.only_a.len() < NAMED => result.only_a.push(name(a, tensor)),
            None => {}
        }
    }
    let mut rest: Vec<usize> = free.into_values().flatten().collect();
    rest.sort_unstable();
    result.only_b = rest.iter().take(NAMED).map(|place| name(b, learned_b[*place])).collect();
    result
}

/// Learned tensors that are stored, each once.
fn learned(model: &Model) -> Vec<TensorId> {
    let stored = parameters::all(model).into_iter();
    let learned = stored.filter(|item| matches!(item.role, Role::Weight | Role::Statistic));
    learned.filter_map(|item| item.tensor).collect()
}
