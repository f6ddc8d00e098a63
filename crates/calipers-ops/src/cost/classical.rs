//! Classical models: linear ones and support vectors multiply, trees compare.

use std::collections::BTreeMap;

use calipers_sym::Expr;

use super::{Cost, Work, dims, elements, unknown};
use crate::context::{Attr, Fail, OpContext};
use crate::fact::{Fact, TensorFact};

/// How many rows the input has; one list is one row.
fn rows(ctx: &OpContext<'_>) -> Result<Expr, Fail> {
    match dims(ctx, ctx.optional(0))? {
        [_] => Ok(Expr::ONE),
        [rows, _] => Ok(rows.clone()),
        _ => unknown(format!("the number of rows of {} is not known", ctx.op)),
    }
}

/// How many elements a list in the attributes has; none when it is not given.
fn count(ctx: &OpContext<'_>, name: &str) -> Result<i64, Fail> {
    let count = match ctx.attribute(name) {
        None => Some(0),
        Some(Attr::Ints(list)) => i64::try_from(list.len()).ok(),
        Some(Attr::Floats(list)) => i64::try_from(list.len()).ok(),
        Some(Attr::Long(count) | Attr::Texts(count)) => i64::try_from(count).ok(),
        Some(Attr::Tensor(tensor)) => {
            TensorFact::constant_count(&tensor).and_then(|count| i64::try_from(count).ok())
        }
        Some(_) => None,
    };
    match count {
        Some(count) => Ok(count),
        None => unknown(format!("{} has {name} that cannot be read", ctx.op)),
    }
}

/// What makes scores into probabilities. Classifiers give labels before scores.
fn transformed(ctx: &OpContext<'_>, outputs: &[Fact]) -> Result<Expr, Fail> {
    let each = match (ctx.text_or("post_transform", "NONE"), ctx.int("post_transform")) {
        (_, Some(1 | 3)) | ("SOFTMAX" | "SOFTMAX_ZERO", _) => 5,
        (_, Some(0)) | ("NONE", None) => return Ok(Expr::ZERO),
        _ => 1,
    };
    let scores = usize::from(ctx.op.ends_with("Classifier"));
    Ok(elements(ctx, outputs.get(scores))? * each)
}

/// <https://onnx.ai/onnx/operators/onnx_aionnxml_LinearClassifier.html>,
/// `onnx_aionnxml_LinearRegressor`: all coefficients for each row.
pub(crate) fn linear(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    let rows = rows(ctx)?;
    Ok(Work {
        macs: &rows * count(ctx, "coefficients")?,
        other_flops: rows * count(ctx, "intercepts")? + transformed(ctx, outputs)?,
    })
}

/// <https://onnx.ai/onnx/operators/onnx_aionnxml_SVMClassifier.html>, `onnx_aionnxml_SVMRegressor`:
/// a product with each support vector whatever the kernel, its activation, and all coefficients.
pub(crate) fn support_vectors(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    let rows = rows(ctx)?;
    let vectors = match ctx.ints("vectors_per_class") {
        Some(counts) => counts.iter().try_fold(0_i64, |sum, count| sum.checked_add(*count)),
        None => Some(ctx.int_or("n_supports", 0)),
    };
    let Some(vectors) = vectors.filter(|vectors| *vectors >= 0) else {
        return unknown(format!(
            "the number of support vectors of {} cannot be determined",
            ctx.op
        ));
    };
    let stored = Expr::from(count(ctx, "support_vectors")?) + count(ctx, "coefficients")?;
    let each = Expr::from(vectors) + count(ctx, "rho")?;
    Ok(Work { macs: &rows * stored, other_flops: rows * each + transformed(ctx, outputs)? })
}

/// <https://onnx.ai/onnx/operators/onnx_aionnxml_TreeEnsembleClassifier.html>,
/// `onnx_aionnxml_TreeEnsembleRegressor`: each row goes down each tree as far as it is deep.
pub(crate) fn trees(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    let rows = rows(ctx)?;
    let list = |name: &str| match ctx.ints(name) {
        Some(list) => Ok(list),
        None => unknown(format!("{} has {name} that cannot be read", ctx.op)),
    };
    let (trees, nodes) = (list("nodes_treeids")?, list("nodes_nodeids")?);
    let (yes, no) = (list("nodes_truenodeids")?, list("nodes_falsenodeids")?);
    if [nodes, yes, no].iter().any(|list| list.len() != trees.len()) {
        return unknown(format!("the nodes of {} do not fit together", ctx.op));
    }
    let mut places: BTreeMap<(i64, i64), usize> = BTreeMap::new();
    for (place, (tree, node)) in trees.iter().zip(nodes).enumerate() {
        places.insert((*tree, *node), place);
    }
    let mut roots: BTreeMap<i64, usize> = BTreeMap::new();
    for (place, tree) in trees.iter().enumerate() {
        roots.entry(*tree).or_insert(place);
    }
    // A leaf has no branches, which writers say by pointing both at the root.
    let branches = |place: usize| {
        let root = roots.get(&trees[place]).copied();
        let branch = |node: i64| places.get(&(trees[place], node)).copied();
        match [branch(yes[place]), branch(no[place])] {
            [None, None] => Vec::new(),
            [yes, no] if yes == root && no == root => Vec::new(),
            both => both.to_vec(),
        }
    };
    let roots: Vec<usize> = roots.values().copied().collect();
    finish(ctx, outputs, rows, &roots, trees.len(), branches)
}

/// <https://onnx.ai/onnx/operators/onnx_aionnxml_TreeEnsemble.html>: the same; leaves are apart.
pub(crate) fn tree_ensemble(ctx: &OpContext<'_>, outputs: &[Fact]) -> Cost {
    let rows = rows(ctx)?;
    let list = |name: &str| match ctx.ints(name) {
        Some(list) => Ok(list),
        None => unknown(format!("{} has {name} that cannot be read", ctx.op)),
    };
    let (yes, no) = (list("nodes_truenodeids")?, list("nodes_falsenodeids")?);
    let (yes_leaf, no_leaf) = (list("nodes_trueleafs")?, list("nodes_falseleafs")?);
    if [no, yes_leaf, no_leaf].iter().any(|list| list.len() != yes.len()) {
        return unknown("the nodes of TreeEnsemble do not fit together");
    }
    let place = |node: i64| usize::try_from(node).ok().filter(|place| *place < yes.len());
    let branches = |at: usize| {
        let branch = |node: i64, leaf: i64| if leaf == 0 { place(node) } else { None };
        vec![branch(yes[at], yes_leaf[at]), branch(no[at], no_leaf[at])]
    };
    let roots: Option<Vec<usize>> = list("tree_roots")?.iter().map(|root| place(*root)).collect();
    let Some(roots) = roots else {
        return unknown("the roots of TreeEnsemble are none of its nodes");
    };
    finish(ctx, outputs, rows, &roots, yes.len(), branches)
}

/// Comparisons down every tree, a sum for each, and what is done with the scores.
fn finish(
    ctx: &OpContext<'_>,
    outputs: &[Fact],
    rows: Expr,
    roots: &[usize],
    count: usize,
    branches: impl Fn(usize) -> Vec<Option<usize>>,
) -> Cost {
    let Some(depths) = depths(roots, count, branches) else {
        return unknown(format!("the trees of {} have no end", ctx.op));
    };
    let Some(each) = i64::try_from(roots.len()).ok().and_then(|trees| trees.checked_add(depths))
    else {
        return unknown(format!("{} has too many trees", ctx.op));
    };
    Ok(Work::of_flops(rows * each + transformed(ctx, outputs)?))
}

/// Depths of all trees added up: how many nodes with branches are on the longest way down. A branch
/// that is `None` is a leaf. `None` when a way leads back to itself.
fn depths(
    roots: &[usize],
    count: usize,
    branches: impl Fn(usize) -> Vec<Option<usize>>,
) -> Option<i64> {
    const OPEN: i64 = -1;
    let mut found: Vec<Option<i64>> = vec![None; count];
    let mut sum = 0_i64;
    for root in roots {
        let mut way = vec![*root];
        while let Some(at) = way.last().copied() {
            let next = branches(at);
            match found.get(at)? {
                None => {
                    *found.get_mut(at)? = Some(OPEN);
                    for branch in next.into_iter().flatten() {
                        match found.get(branch)? {
                            None => way.push(branch),
                            Some(OPEN) => return None,
                            Some(_) => {}
                        }
                    }
                }
                Some(OPEN) => {
                    let below = next.iter().map(|branch| match branch {
                        Some(branch) => found.get(*branch).copied().flatten(),
                        None => Some(0),
                    });
                    let below: Option<Vec<i64>> = below.collect();
                    let deepest = below?.into_iter().max();
                    *found.get_mut(at)? = Some(deepest.map_or(0, |deepest| deepest + 1));
                    way.pop();
                }
                Some(_) => {
                    way.pop();
                }
            }
        }
        sum = sum.checked_add(found.get(*root).copied().flatten()?)?;
    }
    Some(sum)
}

#[cfg(test)]
mod tests {
    use super::super::testing::{both, cost, work};
    use crate::ML;
    use crate::context::{Attr, Fail};
    use crate::contrib::testing::{int, ints, text};

    #[test]
    fn coefficients_for_each_row() {
        // 3 classes of 4 features: 12; 3 intercepts; a softmax of 3 scores is 15.
        let attributes = [
            ("coefficients", Attr::Floats(&[0.5; 12])),
            ("intercepts", Attr::Floats(&[0.5; 3])),
            ("classlabels_ints", ints(&[0, 1, 2])),
            ("post_transform", text("SOFTMAX")),
        ];
        assert_eq!(
            work(ML, "LinearClassifier", &["float32[N, 4]"], &attributes),
            both("12*N", "18*N")
        );
    }

    #[test]
    fn support_vectors_for_each_row() {
        // 5 vectors of 4 features and 5 coefficients: 25; 5 activations and 1 shift.
        let attributes = [
            ("support_vectors", Attr::Long(20)),
            ("coefficients", Attr::Floats(&[0.5; 5])),
            ("rho", Attr::Floats(&[0.5])),
            ("n_supports", int(5)),
        ];
        assert_eq!(work(ML, "SVMRegressor", &["float32[N, 4]"], &attributes), both("25*N", "6*N"));
    }

    #[test]
    fn down_each_tree_as_far_as_it_is_deep() {
        // The first tree: 0 → (1, 2), 2 → (3, 4), two comparisons deep; the second is a leaf.
        let attributes = [
            ("nodes_treeids", ints(&[0, 0, 0, 0, 0, 1])),
            ("nodes_nodeids", ints(&[0, 1, 2, 3, 4, 0])),
            ("nodes_truenodeids", ints(&[1, 0, 3, 0, 0, 0])),
            ("nodes_falsenodeids", ints(&[2, 0, 4, 0, 0, 0])),
            ("n_targets", int(1)),
        ];
        let op = "TreeEnsembleRegressor";
        assert_eq!(work(ML, op, &["float32[N, 4]"], &attributes), both("0", "4*N"));
        let mut endless = attributes.clone();
        endless[2] = ("nodes_truenodeids", ints(&[1, 0, 2, 0, 0, 0]));
        let endless = cost(ML, op, 3, &["float32[N, 4]"], &endless);
        assert!(matches!(endless, Err(Fail::Unknown(_))));
        let long = [("nodes_treeids", Attr::Long(1 << 20)), ("n_targets", int(1))];
        assert!(matches!(cost(ML, op, 3, &["float32[N, 4]"], &long), Err(Fail::Unknown(_))));
    }

    #[test]
    fn leaves_that_are_apart() {
        // A root whose left is a node and whose right is a leaf; below it only leaves: 2 deep.
        let attributes = [
            ("nodes_truenodeids", ints(&[1, 0])),
            ("nodes_falsenodeids", ints(&[2, 1])),
            ("nodes_trueleafs", ints(&[0, 1])),
            ("nodes_falseleafs", ints(&[1, 1])),
            ("tree_roots", ints(&[0])),
            ("n_targets", int(1)),
        ];
        assert_eq!(work(ML, "TreeEnsemble", &["float32[N, 4]"], &attributes), both("0", "3*N"));
    }
}
