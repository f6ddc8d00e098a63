//! Work on many things at once.

use calipers_ir::PerProcess;
use rayon::prelude::*;
use rayon::{ThreadPool, ThreadPoolBuilder};

/// Does the work for each item, on every core, and returns what it gives in the order of the items.
pub fn on_every_core<T: Sync, R: Send>(items: &[T], work: impl Fn(&T) -> R + Sync) -> Vec<R> {
    static POOL: PerProcess<Option<ThreadPool>> = PerProcess::new();
    let all = || items.par_iter().map(&work).collect();
    // A caller that works on many models has threads of its own.
    if rayon::current_thread_index().is_some() {
        return all();
    }
    match POOL.get_or_init(|| ThreadPoolBuilder::new().build().ok()) {
        Some(pool) => pool.install(all),
        None => items.iter().map(&work).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_are_in_the_order_of_the_items() {
        let items: Vec<u32> = (0..10_000).collect();
        let doubled: Vec<u32> = items.iter().map(|item| item * 2).collect();
        assert_eq!(on_every_core(&items, |item| item * 2), doubled);
        let nested = on_every_core(&[0, 1], |_| on_every_core(&items, |item| item * 2));
        assert!(nested.iter().all(|all| *all == doubled));
    }
}
