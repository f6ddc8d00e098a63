//! How many heads, and how wide they are.

use super::scores::Scores;
use super::stream::Stream;
use crate::network::{BlockKind, Network, Op, OpId, Val};

/// Figures of the heads.
#[derive(Default)]
pub(super) struct Heads {
    pub(super) heads: Option<i64>,
    pub(super) kv_heads: Option<i64>,
    pub(super) head_dim: Option<i64>,
}

/// Counts the heads of an attention that is written out.
pub(super) fn count(net: &Network<'_>, end: OpId, scores: &Scores, key: &Stream) -> Heads {
    if net.unit(scores.product).is("Einsum") {
        return by_letters(net, end, scores, key);
    }
    let head_dim = net.dim(scores.query, -1).or_else(|| net.dim(scores.key, -2));
    let rank = net.rank(net.unit(scores.product).output());
    let heads = match rank {
        // Groups of queries that share a key are next to each other.
        Some(5) if net.dim(scores.key, -3) == Some(1) && net.dim(scores.query, -3) != Some(1) => {
            let groups = net.dim(scores.query, -4);
            let times = net.dim(scores.query, -3);
            let heads = groups.zip(times).and_then(|(groups, times)| groups.checked_mul(times));
            return Heads { heads, kv_heads: groups, head_dim };
        }
        Some(4..) => net.dim(scores.query, -3).or_else(|| net.dim(scores.key, -3)),
        // Learned queries have no way back; keys have as many heads.
        _ if !net.is_data(scores.query) => before_views(net, scores.key, head_dim),
        _ => before_views(net, scores.query, head_dim),
    };
    let heads = heads.or_else(|| after(net, end));
    let kv_heads = match (rank, key.repeated) {
        (_, Some(times)) => heads.filter(|heads| heads % times == 0).map(|heads| heads / times),
        (Some(4..), None) => net.dim(scores.key, -3).or(heads),
        _ => before_views(net, scores.key, head_dim).or(heads),
    };
    Heads { heads, kv_heads, head_dim }
}

/// Heads that lie in the batch, from the shapes before the view that laid them there.
fn before_views(net: &Network<'_>, val: Val, head_dim: Option<i64>) -> Option<i64> {
    let head_dim = head_dim.filter(|dim| *dim > 0)?;
    let mut val = val;
    for _ in 0..12 {
        let Some(id) = net.producer(val) else { break };
        let unit = net.unit(id);
        let before = match unit.op {
            Op::Operator("Div" | "Mul") => net.data_and_constant(unit).map(|(data, _)| data),
            Op::Block(BlockKind::Rotary) => unit.input(0),
            _ if unit.is_layout() => unit.input(0),
            _ => None,
        };
        let Some(before) = before else { break };
        if unit.is("Reshape") {
            // From `[B, H, S, D]`.
            if net.rank(before) == Some(4) && net.dim(before, -1) == net.dim(val, -1) {
                return net.dim(before, 1);
            }
            // From `[…, H·D]`.
            let wide = net.dim(before, -1).filter(|wide| wide % head_dim == 0);
            if let Some(wide) = wide
                && net.dim(val, -1) == Some(head_dim)
                && wide > head_dim
            {
                return Some(wide / head_dim);
            }
        }
        val = before;
    }
    // Nothing parts the channels.
    (net.dim(val, -1) == Some(head_dim)).then_some(1)
}

/// Heads by the width that they have together after the sum of values.
fn after(net: &Network<'_>, end: OpId) -> Option<i64> {
    let sum = net.unit(end).output();
    let head = net.dim(sum, -1).filter(|dim| *dim > 0)?;
    let together = net.on_through_layout(sum);
    let all = net.dim(together, -1)?;
    (together != sum && all % head == 0).then_some(all / head)
}

/// The letters of a product of two operands.
struct Letters<'a> {
    query: &'a str,
    key: &'a str,
    out: &'a str,
}

fn letters(equation: &str) -> Option<Letters<'_>> {
    let (operands, out) = equation.split_once("->")?;
    let (query, key) = operands.split_once(',')?;
    let [query, key, out] = [query, key, out].map(str::trim);
    let plain = |text: &str| text.bytes().all(|letter| letter.is_ascii_alphabetic());
    (plain(query) && plain(key) && plain(out)).then_some(Letters { query, key, out })
}

/// Heads of an `Einsum`: axes that both operands and the result have, after the batch.
fn by_letters(net: &Network<'_>, end: OpId, scores: &Scores, key: &Stream) -> Heads {
    let product = net.unit(scores.product);
    let Some(letters) = net.text(product, "equation").and_then(letters) else {
        return Heads { heads: after(net, end), ..Heads::default() };
    };
    let size = |letter: char| {
        let at = letters.query.find(letter)?;
        net.shape(scores.query)?.get(at)?.as_const()
    };
    let contracted =
        |letter: &char| letters.key.contains(*letter) && !letters.out.contains(*letter);
    let head_dim = letters.query.chars().find(contracted).and_then(size);
    let shared = |letter: &char| letters.key.contains(*letter) && letters.out.contains(*letter);
    // The batch is the first of them.
    let mut heads = letters.query.chars().filter(shared).skip(1);
    let heads = match (heads.next(), heads.next()) {
        (Some(letter), None) => size(letter),
        _ => after(net, end),
    };
    let repeated = key.repeated.unwrap_or(1);
    let kv_heads = heads.filter(|heads| heads % repeated == 0).map(|heads| heads / repeated);
    Heads { heads, kv_heads, head_dim }
}
