//! Parts of sequence models for unit tests.

use calipers_samples::Attribute;

use crate::Tiny;

/// A tiny attention as exporters write it.
pub struct Heads {
    /// Query heads.
    pub heads: i64,
    /// Key and value heads.
    pub kv_heads: i64,
    /// Width of a head.
    pub dim: i64,
}

/// Four heads of width 8.
pub const FOUR: Heads = Heads { heads: 4, kv_heads: 4, dim: 8 };

impl Tiny {
    /// `x · weight + bias`.
    pub fn linear(&mut self, x: &str, from: i64, to: i64) -> String {
        let (weight, bias) = (self.weight(&[from, to]), self.weight(&[to]));
        let product = self.op("MatMul", &[x, &weight]);
        self.op("Add", &[&product, &bias])
    }

    /// `Reshape` to a stored shape.
    pub fn reshape(&mut self, x: &str, shape: &[i64]) -> String {
        let shape = self.ints(shape);
        self.op("Reshape", &[x, &shape])
    }

    /// `Transpose`.
    pub fn transpose(&mut self, x: &str, order: &[i64]) -> String {
        self.op_with("Transpose", &[x], &[Attribute::ints("perm", order)])
    }

    /// `Softmax` over the last axis.
    pub fn softmax(&mut self, x: &str) -> String {
        self.op_with("Softmax", &[x], &[Attribute::int("axis", -1)])
    }

    /// `Slice` along one axis.
    pub fn slice(&mut self, x: &str, from: i64, to: i64, axis: i64, step: i64) -> String {
        let [from, to, axis, step] = [from, to, axis, step].map(|number| self.ints(&[number]));
        self.op("Slice", &[x, &from, &to, &axis, &step])
    }

    /// `Concat`.
    pub fn concat(&mut self, parts: &[&str], axis: i64) -> String {
        self.op_with("Concat", parts, &[Attribute::int("axis", axis)])
    }

    /// `LayerNormalization` with scale and bias.
    pub fn layer_norm(&mut self, x: &str, width: i64) -> String {
        let (scale, shift) = (self.weight(&[width]), self.weight(&[width]));
        self.op("LayerNormalization", &[x, &scale, &shift])
    }

    /// Projected and parted: `[2, S, E]` to `[2, H, S, D]`.
    pub fn heads(&mut self, x: &str, from: i64, heads: i64, dim: i64) -> String {
        let projected = self.linear(x, from, heads * dim);
        let parted = self.reshape(&projected, &[2, -1, heads, dim]);
        self.transpose(&parted, &[0, 2, 1, 3])
    }

    /// Heads joined again and projected.
    pub fn joined(&mut self, sum: &str, of: &Heads, width: i64) -> String {
        let turned = self.transpose(sum, &[0, 2, 1, 3]);
        let joined = self.reshape(&turned, &[2, -1, of.heads * of.dim]);
        self.linear(&joined, of.heads * of.dim, width)
    }

    /// Scores of queries and keys of four axes, with a factor.
    pub fn scores(&mut self, query: &str, key: &str) -> String {
        let turned = self.transpose(key, &[0, 1, 3, 2]);
        let product = self.op("MatMul", &[query, &turned]);
        self.with("Mul", &product, 0.353)
    }

    /// The whole: `x` attends to `memory`; `mask` may change the scores.
    pub fn attend(
        &mut self,
        x: &str,
        memory: &str,
        of: &Heads,
        mask: impl FnOnce(&mut Self, String) -> String,
    ) -> String {
        let query = self.heads(x, 32, of.heads, of.dim);
        let mut key = self.heads(memory, 32, of.kv_heads, of.dim);
        let mut value = self.heads(memory, 32, of.kv_heads, of.dim);
        if of.kv_heads < of.heads {
            [key, value] = [key, value].map(|it| self.repeated(&it, of));
        }
        let scores = self.scores(&query, &key);
        let scores = mask(self, scores);
        let weights = self.softmax(&scores);
        let sum = self.op("MatMul", &[&weights, &value]);
        self.joined(&sum, of, 32)
    }

    fn repeated(&mut self, x: &str, of: &Heads) -> String {
        let axis = self.ints(&[2]);
        let apart = self.op("Unsqueeze", &[x, &axis]);
        let times = of.heads / of.kv_heads;
        let shape = self.ints(&[2, of.kv_heads, times, 6, of.dim]);
        let many = self.op("Expand", &[&apart, &shape]);
        self.reshape(&many, &[2, of.heads, 6, of.dim])
    }
}
