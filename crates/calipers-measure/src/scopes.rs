//! Adding nodes up by the scopes they are in.

use calipers_infer::CostTotal;
use calipers_report::Scope;
use hashbrown::HashMap;

use crate::layers::{Book, LayerOrder, Row};

/// A scope and what is in it and below it.
struct Entry {
    path: String,
    class: Option<String>,
    depth: usize,
    below: Vec<usize>,
    nodes: u64,
    /// Position of its last node in execution order.
    last: usize,
    parameters: Option<u64>,
    cost: CostTotal,
    unknown: u64,
}

impl Entry {
    fn new(path: String, class: Option<String>, depth: usize) -> Self {
        let (below, cost) = (Vec::new(), CostTotal::default());
        Self { path, class, depth, below, nodes: 0, last: 0, parameters: Some(0), cost, unknown: 0 }
    }

    fn add(&mut self, position: usize, row: &Row) {
        self.nodes += 1;
        self.last = position;
        self.parameters =
            self.parameters.zip(row.parameters).and_then(|(sum, part)| sum.checked_add(part));
        match &row.cost {
            Ok(cost) => self.cost.add(cost),
            Err(_) => self.unknown += 1,
        }
    }
}

/// The root and the scopes below it down to a depth, parents before children, children in the order that was
/// asked for, and in the order of their last nodes where that is execution order: constants and
/// shapes of a late module may come first in the file.
pub(crate) fn add_up(rows: &[Row], book: &Book<'_>, order: LayerOrder, depth: usize) -> Vec<Scope> {
    let mut entries = vec![Entry::new("/".to_owned(), None, 0)];
    let mut places: HashMap<(usize, &str), usize> = HashMap::new();
    for (position, row) in rows.iter().enumerate() {
        let mut at = 0;
        entries[0].add(position, row);
        for step in row.scope.iter().take(depth) {
            let next = *places.entry((at, &step.name)).or_insert_with(|| {
                let parent = entries[at].path.trim_end_matches('/');
                let path = format!("{parent}/{}", step.name);
                let depth = entries[at].depth + 1;
                entries.push(Entry::new(path, step.class.clone(), depth));
                let place = entries.len() - 1;
                entries[at].below.push(place);
                place
            });
            entries[next].add(position, row);
            at = next;
        }
    }
    let rank = |entry: &Entry| order.rank(entry.parameters, Some(&entry.cost), book.sizes);
    let mut found = Vec::with_capacity(entries.len());
    let mut open = vec![0];
    while let Some(place) = open.pop() {
        let entry = &entries[place];
        found.push(Scope {
            scope: entry.path.clone(),
            depth: entry.depth as u64,
            class: entry.class.clone(),
            nodes: entry.nodes,
            parameters: entry.parameters,
            cost: book.cost(&entry.cost),
            unknown: entry.unknown,
        });
        let mut below = entry.below.clone();
        below.sort_by_key(|place| (rank(&entries[*place]), entries[*place].last));
        open.extend(below.into_iter().rev());
    }
    found
}
