//! Attention that is one operator.

use super::stream::Stream;
use super::{Facts, assemble, mask};
use crate::network::{Found, Network, NetworkOp, OpId, Val};

/// Where an operator has what.
struct Places {
    /// Key and value, where they are apart from the query.
    key: Option<usize>,
    value: Option<usize>,
    /// What is added to the scores.
    bias: Option<usize>,
    /// Whether it always looks back only.
    causal: bool,
}

fn places(op: &str) -> Places {
    let (key, value) = (Some(1), Some(2));
    match op {
        "DotProductAttention" => Places { key, value, bias: Some(3), causal: false },
        "MultiHeadAttention" => Places { key, value, bias: Some(5), causal: false },
        "PackedMultiHeadAttention" => Places { key, value, bias: Some(6), causal: false },
        "DecoderMaskedMultiHeadAttention" => Places { key, value, bias: Some(4), causal: true },
        "GroupQueryAttention" => Places { key, value, bias: Some(10), causal: true },
        "DecoderAttention" => Places { key, value: None, bias: None, causal: false },
        // The network projects before it; what it is given is query, key and value in one.
        "PackedAttention" => Places { key: None, value: None, bias: Some(1), causal: false },
        "LongformerAttention" => Places { key: None, value: None, bias: None, causal: false },
        _ => Places { key, value, bias: None, causal: true },
    }
}

pub(super) fn find(net: &Network<'_>, end: OpId) -> Option<Found> {
    let unit = net.unit(end);
    let places = places(unit.op.id());
    let at = |place: Option<usize>| place.and_then(|place| unit.input(place));
    let query = unit.input(0)?;
    let key = at(places.key).unwrap_or(query);
    let value = at(places.value).unwrap_or(key);
    let streams = [query, key, value].map(|val| Stream::back(net, val));

    let heads = attribute(net, unit, &["num_heads", "q_num_heads"]).or_else(|| axis(net, query));
    let kv_heads = attribute(net, unit, &["kv_num_heads"])
        .or_else(|| at(places.key).and_then(|key| axis(net, key)))
        .or(heads);
    let bias: Vec<Val> = at(places.bias).into_iter().collect();
    let masks = mask::find(net, &bias, heads);
    let is_set = |name| net.int(unit, name) == Some(1);
    let facts = Facts {
        heads,
        kv_heads,
        head_dim: head_dim(net, unit, heads),
        causal: places.causal || is_set("is_causal") || is_set("unidirectional") || masks.causal,
        windowed: unit.is("LongformerAttention")
            || net.int(unit, "local_window_size").is_some_and(|size| size > 0)
            || streams[0].is_partitioned(net),
        relative: masks.relative,
        rotary: is_set("do_rotary") || streams.iter().any(|stream| stream.rotary),
    };
    Some(assemble(net, end, &[], &bias, &streams, &facts))
}

fn attribute(net: &Network<'_>, unit: &NetworkOp, names: &[&str]) -> Option<i64> {
    names.iter().find_map(|name| net.int(unit, name)).filter(|number| *number > 0)
}

/// Heads that have an axis of their own: `[B, H, S, D]`.
fn axis(net: &Network<'_>, val: Val) -> Option<i64> {
    net.dim(val, 1).filter(|_| net.rank(val) == Some(4))
}

/// The result is as wide as all heads together, or has an axis for them.
fn head_dim(net: &Network<'_>, unit: &NetworkOp, heads: Option<i64>) -> Option<i64> {
    let out = unit.output();
    if net.rank(out) == Some(4) {
        return net.dim(out, -1);
    }
    let (all, heads) = net.dim(out, -1).zip(heads.filter(|heads| *heads > 0))?;
    (all % heads == 0).then_some(all / heads)
}
