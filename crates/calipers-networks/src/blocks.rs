//! Parts of layers that several families have.

use calipers_ir::NameId;
use calipers_ir::assembly::Setting;

use crate::graph::{Built, Graph, MICROSOFT};
use crate::network::Activation;
use crate::products::Form;

/// Feed-forward layers.
pub(crate) struct FeedForward {
    pub(crate) gate: Option<String>,
    pub(crate) up: Option<String>,
    pub(crate) down: Option<String>,
    pub(crate) is_gated: bool,
    /// Whether one matrix is gate and up.
    pub(crate) is_fused: bool,
    /// Width of the stream, and inside.
    pub(crate) widths: [i64; 2],
    pub(crate) activation: Activation,
    pub(crate) form: Form,
}

impl FeedForward {
    pub(crate) fn add(self, g: &mut Graph<'_, '_>, x: NameId) -> Built<NameId> {
        let [hidden, ffn] = self.widths;
        let inside = if self.is_gated {
            let (gate, up) = if self.is_fused {
                let both = [hidden, 2 * ffn];
                let fused = g.linear(x, "gate_up_proj", self.gate, both, self.form)?;
                let parts = g.split(fused, &[ffn, ffn])?;
                let part = |at: usize| parts.get(at).copied().unwrap_or(fused);
                (part(0), part(1))
            } else {
                let gate = g.linear(x, "gate_proj", self.gate, [hidden, ffn], self.form)?;
                (gate, g.linear(x, "up_proj", self.up, [hidden, ffn], self.form)?)
            };
            let gate = g.activate(gate, self.activation)?;
            g.op("Mul", &[gate, up])?
        } else {
            let up = g.linear(x, "up_proj", self.up, [hidden, ffn], self.form)?;
            g.activate(up, self.activation)?
        };
        g.linear(inside, "down_proj", self.down, [ffn, hidden], self.form)
    }
}

/// The modules of attention that keeps no cache.
pub(crate) struct Attention {
    pub(crate) query: Option<String>,
    pub(crate) key: Option<String>,
    pub(crate) value: Option<String>,
    /// Queries, keys and values in one, where they are.
    pub(crate) fused: Option<String>,
    pub(crate) output: Option<String>,
    pub(crate) heads: i64,
    pub(crate) head_dim: i64,
    /// Width of the stream, and of what keys and values are made from.
    pub(crate) widths: [i64; 2],
    /// Whether queries, keys, values and outputs have biases.
    pub(crate) biases: [bool; 4],
    /// Whether positions see earlier ones alone.
    pub(crate) is_causal: bool,
    pub(crate) is_rotary: bool,
}

/// What attention is given next to its stream.
#[derive(Clone, Copy, Default)]
pub(crate) struct Context {
    /// What keys and values are made from; the stream itself where there is nothing.
    pub(crate) memory: Option<NameId>,
    /// Which keys are padding.
    pub(crate) padding: Option<NameId>,
    /// What is added to the scores.
    pub(crate) bias: Option<NameId>,
    /// The positions that queries and keys are turned by.
    pub(crate) positions: Option<NameId>,
}

impl Attention {
    pub(crate) fn add(self, g: &mut Graph<'_, '_>, x: NameId, with: Context) -> Built<NameId> {
        let all = self.heads * self.head_dim;
        let [hidden, wide] = self.widths;
        let none = g.none();
        let memory = with.memory.unwrap_or(x);
        let [query, key, value] = if let Some(fused) = self.fused {
            let form = Form::biased(self.biases[0]);
            let fused = g.linear(x, "qkv", Some(fused), [hidden, 3 * all], form)?;
            let parts = g.split(fused, &[all; 3])?;
            [0, 1, 2].map(|part| parts.get(part).copied().unwrap_or(none))
        } else {
            let mut project = |x, scope: &str, path, width, bias| {
                g.linear(x, scope, path, [width, all], Form::biased(bias))
            };
            [
                project(x, "query", self.query, hidden, self.biases[0])?,
                project(memory, "key", self.key, wide, self.biases[1])?,
                project(memory, "value", self.value, wide, self.biases[2])?,
            ]
        };
        let (query, key) = if self.is_rotary {
            let turn = |g: &mut Graph<'_, '_>, x| {
                let ids = with.positions.unwrap_or(none);
                g.op_of(
                    MICROSOFT,
                    "RotaryEmbedding",
                    &[x, ids],
                    &[("num_heads", Setting::Int(self.heads))],
                )
            };
            (turn(g, query)?, turn(g, key)?)
        } else {
            (query, key)
        };
        let mut inputs = vec![query, key, value, none];
        inputs.extend([with.padding.unwrap_or(none), with.bias.unwrap_or(none)]);
        while inputs.last() == Some(&none) {
            inputs.pop();
        }
        let mut attributes = vec![("num_heads", Setting::Int(self.heads))];
        if self.is_causal {
            attributes.push(("unidirectional", Setting::Int(1)));
        }
        let attended = g.op_of(MICROSOFT, "MultiHeadAttention", &inputs, &attributes)?;
        let form = Form::biased(self.biases[3]);
        g.linear(attended, "out", self.output, [all, hidden], form)
    }
}
