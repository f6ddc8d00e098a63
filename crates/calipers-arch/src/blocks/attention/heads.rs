//! How many heads, and how wide they are.

use calipers_sym::Expr;

use super::scores::Scores;
use super::stream::Stream;
use crate::network::{BlockKind, Network, NetworkOp, Op, OpId, Val};

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
    // One head may be many that lie in the batch: then they are side by side afterwards.
    let heads = match heads {
        None => after(net, end),
        Some(1) if rank == Some(3) => after_batch(net, end).or(heads),
        heads => heads,
    };
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
        if before.is_none()
            && let Some(heads) = made_apart(net, unit, val)
        {
            return Some(heads);
        }
        let Some(before) = before else { break };
        if unit.is("Reshape") {
            // From `[B, H, S, D]`, perhaps with axes of length 1.
            if let Some(heads) = heads_in_batch(net, before, val) {
                return Some(heads);
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

/// Heads that a view lays into the batch: the axes between the first and the last of what it views,
/// but for those of length 1 and that of the sequence.
fn heads_in_batch(net: &Network<'_>, before: Val, val: Val) -> Option<i64> {
    let (from, to) = (net.shape(before)?, net.shape(val)?);
    let ([_, middle @ .., last], [_, length, dim]) = (from, to) else { return None };
    if last != dim || from.len() < 4 {
        return None;
    }
    let mut middle: Vec<&Expr> = middle.iter().filter(|dim| dim.as_const() != Some(1)).collect();
    match middle.iter().rposition(|dim| *dim == length) {
        Some(sequence) => {
            middle.remove(sequence);
        }
        // A length that is written in another way is the last of them.
        None => {
            middle.pop();
        }
    }
    match middle[..] {
        [] => Some(1),
        [heads] => heads.as_const(),
        _ => None,
    }
}

/// Heads of a value that is made with them in the batch: parts of one `Split` joined along it, or a
/// product with a matrix for each head.
fn made_apart(net: &Network<'_>, unit: &NetworkOp, val: Val) -> Option<i64> {
    let parts = match unit.op {
        Op::Operator("Concat") if net.int(unit, "axis") == Some(0) => {
            let split = net.made_by(unit.input(0)?, "Split")?;
            let outputs = &net.unit(split).outputs;
            unit.inputs.iter().flatten().eq(outputs).then_some(outputs.len())
        }
        Op::Operator("MatMul") | Op::Block(BlockKind::Linear) => {
            let mut stored = unit.inputs.iter().flatten().filter(|input| !net.is_data(**input));
            let matrices = stored.find(|input| net.rank(**input) == Some(3))?;
            let heads = net.dim(*matrices, 0).filter(|_| net.rank(val) == Some(3))?;
            let in_batch = net.dim(val, 0) == Some(heads);
            return in_batch.then_some(heads).filter(|heads| *heads > 1);
        }
        _ => None,
    };
    parts.and_then(|parts| i64::try_from(parts).ok()).filter(|parts| *parts > 1)
}

/// Heads that lie in the batch and are laid side by side after the sum of values: `[B·H, S, D]`
/// becomes `[B, S, H·D]` or `[B·S, H·D]`.
fn after_batch(net: &Network<'_>, end: OpId) -> Option<i64> {
    let heads = after(net, end).filter(|heads| *heads > 1)?;
    let sum = net.unit(end).output();
    let [batch, length, _] = net.shape(sum)? else { return None };
    let parted = |whole: &Expr, part: &Expr| *whole == part * &Expr::from(heads);
    match net.shape(net.on_through_layout(sum))? {
        [first, _, _] => parted(batch, first),
        [first, _] => first != batch && parted(&(batch * length), first),
        _ => false,
    }
    .then_some(heads)
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
    let Some(letters) = net.equation(product).and_then(letters) else {
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
