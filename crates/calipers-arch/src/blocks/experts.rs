//! Mixture of experts: a router sends each token to a few of many feed-forward layers.
//!
//! | form | written by |
//! |---|---|
//! | `MoE`, `QMoE` | ONNX Runtime |
//! | `Experts` | graphs of known networks, where each expert is stored apart |
//! | `Linear`, `Softmax`, `TopK` (or `TopK` first), and what the weights are multiplied with | Mixtral, Qwen, DeepSeek by PyTorch |
//!
//! Extracts `experts` and `top_k`. Written out, the block is the router: which layers are its
//! experts is decided as it runs. A classifier that ends in its best classes is none: what a router
//! reads is read by others too, and its weights go on into products.

use super::Pattern;
use crate::network::{BlockKind, Found, MixtureOfExperts, Network, Op, OpId, Ops, Val};

pub(super) const EXPERTS: Pattern = Pattern {
    kind: BlockKind::MixtureOfExperts,
    description: "Mixture of experts: a router sends each token to a few of many feed-forward layers.",
    anchors: Ops::operators(&["Experts", "MoE", "TopK"]),
    matcher: find,
};

/// Views between the router's layer and what it shares with the experts.
const MAX_VIEWS: usize = 6;

/// Units between the weights and the product that they go into.
const MAX_WAY: usize = 48;

fn find(net: &Network<'_>, end: OpId) -> Option<Found> {
    let unit = net.unit(end);
    if unit.is("TopK") {
        return router(net, end);
    }
    // Scores of the router, and the stored layers, have an entry for each expert.
    let scores = unit.input(1)?;
    let stored = unit.input(2).and_then(|weights| net.dim(weights, 0));
    let experts = net.dim(scores, -1).or(stored);
    let mut units = vec![end];
    if let Some(layer) = net.made_by(scores, (BlockKind::Linear, &["Gemm", "MatMul"]))
        && net.only_use(scores) == Some(end)
    {
        units.push(layer);
    }
    let top_k = net.int(unit, "k").or(Some(1));
    Some(Found::new(units).with(MixtureOfExperts { experts, top_k }).taking(unit.input(0)))
}

fn router(net: &Network<'_>, end: OpId) -> Option<Found> {
    let unit = net.unit(end);
    let mut units = vec![end];
    let mut val = unit.input(0)?;
    let mut weighted = false;
    let layer = loop {
        let id = net.producer(val)?;
        let before = net.unit(id);
        if units.len() > 6 {
            return None;
        }
        units.push(id);
        val = match before.op {
            Op::Operator("Softmax" | "Sigmoid") => {
                weighted = true;
                before.input(0)?
            }
            // A bias that balances the experts.
            Op::Operator("Add") => net.data_and_constant(before)?.0,
            Op::Block(BlockKind::Linear) => break id,
            Op::Operator("Gemm" | "MatMul") if net.data_inputs(before).count() == 1 => break id,
            _ if before.is_layout() => before.input(0)?,
            _ => return None,
        };
    };
    let x = net.data_inputs(net.unit(layer)).next()?;
    let experts = net.dim(unit.input(0)?, -1).filter(|experts| (2..=1024).contains(experts))?;
    let weights = unit.output();
    weighted |= net.uses(weights).any(|user| net.unit(user).is(["Sigmoid", "Softmax"]));
    let top_k = net.dim(weights, -1);
    // The layer may read a view of what the experts read.
    let mut views = Vec::new();
    let whole = net.behind_views(x, &mut views, MAX_VIEWS);
    let mut read = views.iter().map(|view| net.unit(*view).output()).chain([whole]);
    let shared = read.any(|val| net.uses(val).count() > 1);
    if !weighted || !shared || net.is_output(weights) || !is_factor(net, weights) {
        return None;
    }
    Some(Found::new(units).with(MixtureOfExperts { experts: Some(experts), top_k }).taking([x]))
}

/// Whether a value goes into a product of activations.
fn is_factor(net: &Network<'_>, val: Val) -> bool {
    let (mut stack, mut steps) = (vec![val], 0);
    while let Some(val) = stack.pop() {
        for user in net.uses(val) {
            let unit = net.unit(user);
            if unit.is(["MatMul", "Mul"]) && net.data_pair(unit).is_some() {
                return true;
            }
            steps += 1;
            if steps < MAX_WAY {
                stack.extend(&unit.outputs);
            }
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use calipers_samples::{Attribute, Node};

    use crate::blocks::testing::{Inspect as _, Seen, Tiny};
    use crate::network::BlockKind;

    fn figures(seen: &Seen) -> Option<(Option<i64>, Option<i64>)> {
        seen.first(BlockKind::MixtureOfExperts, |_, unit| {
            let experts = unit.mixture_of_experts().unwrap();
            (experts.experts, experts.top_k)
        })
    }

    #[test]
    fn one_operator() {
        let mut t = Tiny::new();
        let x = t.input(&["6", "32"]);
        let scores = t.linear(&x, 32, 8);
        let (up, down) = (t.weight(&[8, 64, 32]), t.weight(&[8, 32, 64]));
        let inputs = [x.as_str(), &scores, &up, "", &down];
        let y = t.contrib_with("MoE", &inputs, &[Attribute::int("k", 2)]);
        assert_eq!(figures(&t.output(&y)), Some((Some(8), Some(2))));
    }

    /// The scores of eight experts; the best two are taken.
    fn best(t: &mut Tiny, x: &str) -> String {
        let scores = t.linear(x, 32, 8);
        let weights = t.softmax(&scores);
        let two = t.ints(&[2]);
        let node = Node::new("TopK", &[&weights, &two], &["best", "which"], &[]);
        t.push(&node);
        "best".to_owned()
    }

    #[test]
    fn a_router_of_a_view() {
        for shared in [true, false] {
            let mut t = Tiny::new();
            let x = t.input(&["2", "3", "32"]);
            let rows = t.reshape(&x, &[6, 32]);
            let view = t.reshape(&rows, &[-1, 32]);
            let best = best(&mut t, &view);
            let one = t.slice(&best, 0, 1, 1, 1);
            let other = t.input(&["6", "32"]);
            let expert = t.linear(if shared { &rows } else { &other }, 32, 32);
            let y = t.op("Mul", &[&expert, &one]);
            let wanted = shared.then_some((Some(8), Some(2)));
            assert_eq!(figures(&t.output(&y)), wanted, "read by an expert: {shared}");
        }
    }

    #[test]
    fn a_router() {
        let mut t = Tiny::new();
        let x = t.input(&["6", "32"]);
        let best = best(&mut t, &x);
        let one = t.slice(&best, 0, 1, 1, 1);
        let expert = t.linear(&x, 32, 32);
        let y = t.op("Mul", &[&expert, &one]);
        assert_eq!(figures(&t.output(&y)), Some((Some(8), Some(2))));
    }

    #[test]
    fn the_best_classes_are_none() {
        let mut t = Tiny::new();
        let x = t.input(&["6", "32"]);
        let best = best(&mut t, &x);
        assert_eq!(t.output(&best).count(BlockKind::MixtureOfExperts), 0);
    }
}
