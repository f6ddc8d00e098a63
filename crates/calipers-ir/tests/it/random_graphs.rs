//! Random graphs without cycles, shuffled: the order found is one of execution, and the depth is
//! what a plain recursive count gives.

use std::collections::HashSet;

use calipers_ir::{Model, NodeId, Producer};
use proptest::prelude::*;

use crate::common::Writer;

/// For each node the earlier nodes that it reads: directly, or from a subgraph at a depth.
type Plan = Vec<Vec<(usize, usize)>>;

fn plans() -> impl Strategy<Value = (Plan, Vec<usize>)> {
    (1_usize..24)
        .prop_flat_map(|count| {
            let nodes: Vec<_> = (0..count)
                .map(|index| prop::collection::vec((0..index.max(1), 0_usize..4), 0..4))
                .collect();
            let stored: Vec<usize> = (0..count).collect();
            (nodes, Just(stored).prop_shuffle())
        })
        .prop_map(|(mut plan, stored)| {
            // The first node has nothing before it.
            plan[0].clear();
            (plan, stored)
        })
}

/// Writes the nodes of a plan in the order `stored`.
fn build(plan: &Plan, stored: &[usize]) -> (Model, Vec<NodeId>) {
    let mut w = Writer::new();
    let main = w.main;
    let mut ids = Vec::new();
    for index in stored {
        let direct: Vec<String> = plan[*index]
            .iter()
            .filter(|(_, level)| *level == 0)
            .map(|(from, _)| format!("v{from}"))
            .collect();
        let inputs: Vec<&str> = direct.iter().map(String::as_str).collect();
        ids.push((*index, w.node(main, "N", &inputs, &[&format!("v{index}")])));
    }
    for (index, node) in &ids {
        for (from, level) in plan[*index].iter().filter(|(_, level)| *level > 0) {
            let mut holder = *node;
            for _ in 1..*level {
                let graph = w.inside(holder);
                holder = w.node(graph, "If", &[], &["inner"]);
            }
            let graph = w.inside(holder);
            w.node(graph, "Use", &[&format!("v{from}")], &["used"]);
        }
    }
    ids.sort_unstable();
    (w.finish(), ids.into_iter().map(|(_, id)| id).collect())
}

fn naive_depth(plan: &Plan, node: usize) -> u64 {
    plan[node].iter().map(|(from, _)| naive_depth(plan, *from)).max().unwrap_or(0) + 1
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 256, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn shuffled_graphs_are_put_in_order((plan, stored) in plans()) {
        let (model, ids) = build(&plan, &stored);
        let graph = model.main();
        prop_assert!(graph.cyclic.is_empty());
        let unique: HashSet<_> = graph.order.iter().collect();
        prop_assert_eq!(unique.len(), plan.len());
        let place = |node: usize| graph.order.iter().position(|id| *id == ids[node]);
        for (node, reads) in plan.iter().enumerate() {
            for (from, _) in reads {
                prop_assert!(place(*from) < place(node));
            }
        }
        let depth = (0..plan.len()).map(|node| naive_depth(&plan, node)).max();
        prop_assert_eq!(model.depth(model.main_id()), depth);
        let sorted = stored.iter().enumerate().all(|(at, node)| {
            plan[*node].iter().all(|(from, _)| stored[..at].contains(from))
        });
        prop_assert_eq!(graph.stored_in_order, sorted);
        prop_assert_eq!(model.issues.len(), usize::from(!sorted));
    }

    #[test]
    fn producers_and_consumers_mirror_each_other((plan, stored) in plans()) {
        let (model, _) = build(&plan, &stored);
        let mut uses = 0;
        for (value, facts) in model.values() {
            if let Producer::Node { node, slot } = facts.producer {
                prop_assert_eq!(model.outputs(node)[slot as usize], Some(value));
            }
            for consumer in model.consumers(value) {
                prop_assert_eq!(model.inputs(consumer.node)[consumer.slot as usize], Some(value));
                uses += 1;
            }
        }
        let operands: usize = model.nodes().map(|(id, _)| model.inputs(id).iter().flatten().count()).sum();
        prop_assert_eq!(uses, operands);
    }
}
