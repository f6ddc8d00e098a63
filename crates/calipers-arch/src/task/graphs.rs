//! Tasks on graphs, given as nodes and edges.
//!
//! | task | outputs |
//! |---|---|
//! | node-classification | scores of classes for every node |
//! | graph-classification | scores of classes for each graph of a batch |

use calipers_report::Confidence::{High, Medium};
use calipers_report::{Task, TaskKind};

use super::ending::Function;
use super::{Seen, reported};
use crate::stats::Given;

pub(super) fn task(seen: &Seen<'_, '_>) -> Option<Task> {
    let net = seen.net();
    let outputs = seen.outputs();
    let [output] = outputs[..] else { return None };
    let nodes = seen.stats.inputs.iter().find(|(val, given)| {
        *given != Given::Edges
            && net.dtype(*val).is_some_and(|dtype| dtype.is_float())
            && net.rank(*val) == Some(2)
    });
    let nodes = net.shape(nodes?.0)?.first()?;
    let classes = net.dim(output, -1).filter(|classes| *classes > 1)?;
    if net.rank(output) != Some(2) {
        return None;
    }
    let end = seen.ending(output);
    let shown = seen.shown(output);
    if net.shape(output)?.first() == Some(nodes) {
        let words = format!("graph input, class scores for every node as output ({shown})");
        let sure = if end.is(Function::Softmax) { High } else { Medium };
        return Some(reported(TaskKind::NodeClassification, sure, words, Some(classes)));
    }
    end.is(Function::Softmax).then(|| {
        let words = format!("graph input, class scores for each graph as output ({shown})");
        reported(TaskKind::GraphClassification, Medium, words, Some(classes))
    })
}
