//! What the model does, from what it takes, what it returns, and the head that computes that.
//!
//! What comes in chooses the file: [`images`], [`text`], [`sounds`], [`graphs`], [`tables`]. Each is
//! a list of rules over the outputs and how each of them ends ([`ending`]). Names and metadata
//! ([`hints`]) only choose between what the shapes allow. Where nothing shows the task, it is
//! `unknown`, with what was seen.

mod ending;
mod graphs;
mod hints;
mod images;
mod sounds;
mod tables;
mod text;

use calipers_ir::{DType, ValueId};
use calipers_ops::Movement;
use calipers_report::Confidence::{self, High, Low};
use calipers_report::{Architecture, ModelKind, Style, Task, TaskKind};
use ending::{Ending, Leaves, ending};

use super::stats::{Given, NetworkStats};
use crate::network::{BlockKind, Network, Op, OpSet, Ops, Origin, TableKind, Val, With};

/// The task. Fills in how many classes there are.
pub(crate) fn recognize(stats: &NetworkStats<'_, '_>, architecture: &mut Architecture) -> Task {
    let task = {
        let seen = Seen { stats, architecture, leaves: Leaves::new(stats.net) };
        decide(&seen).unwrap_or_else(|| reported(TaskKind::Unknown, Low, seen.interface(), None))
    };
    if let Some(classes) = task.classes {
        architecture.facts.classes = Some(classes);
    }
    task
}

fn decide(seen: &Seen<'_, '_>) -> Option<Task> {
    let stats = seen.stats;
    if let Some(task) = crate::generation::task(stats.net) {
        return Some(task);
    }
    if let Some(task) = tables::classical(seen) {
        return Some(task);
    }
    if seen.styled(Style::DualEncoder) {
        let words = "image and token inputs, similarity of their vectors as output";
        return Some(reported(TaskKind::ImageTextSimilarity, High, words.to_owned(), None));
    }
    if let Some(task) = images::prompted(seen) {
        return Some(task);
    }
    if stats.takes(Given::Edges) {
        return graphs::task(seen);
    }
    if stats.takes(Given::Spectrogram) || stats.takes(Given::Waveform) {
        return sounds::task(seen);
    }
    if stats.takes(Given::Image) {
        return images::task(seen);
    }
    if stats.takes(Given::Bytes) {
        return tables::bytes(seen);
    }
    // Whole numbers of three axes are coordinates, which tables may hold too.
    let coordinates = || {
        let net = stats.net;
        let mut inputs = net.inputs.iter();
        inputs.any(|val| {
            net.rank(*val) == Some(3) && net.dtype(*val).is_some_and(|dtype| !dtype.is_float())
        })
    };
    // Thresholds of trees and scores of bins are looked up in tables too, by models of no known kind.
    let is_network = seen.architecture.kind.is_some();
    let looked_up = || stats.tables(TableKind::Token).next().is_some() && !coordinates();
    let tokens = stats.takes(Given::Tokens) && !seen.takes_columns();
    if stats.takes(Given::Text) || tokens || is_network && looked_up() {
        return text::task(seen);
    }
    tables::task(seen)
}

/// What a rule sees.
struct Seen<'c, 'a> {
    stats: &'c NetworkStats<'c, 'a>,
    architecture: &'c Architecture,
    leaves: Leaves<'c>,
}

fn reported(
    kind: TaskKind,
    confidence: Confidence,
    evidence: String,
    classes: Option<i64>,
) -> Task {
    Task { kind, confidence, evidence: vec![evidence], classes }
}

impl<'a> Seen<'_, 'a> {
    fn net(&self) -> &Network<'a> {
        self.stats.net
    }

    fn styled(&self, style: Style) -> bool {
        self.architecture.style == Some(style)
    }

    fn is_kind(&self, kind: ModelKind) -> bool {
        self.architecture.kind == Some(kind)
    }

    /// Outputs that are numbers and follow from the data, without caches.
    fn outputs(&self) -> Vec<Val> {
        let net = self.net();
        let number = |(val, given): &(Val, ValueId)| {
            let dtype = net.typed.fact(*given).as_tensor().map(|tensor| tensor.dtype);
            let is_number = dtype.is_none_or(DType::is_float) || net.model.affine(*given).is_some();
            is_number && net.origin(*val) == Origin::Data
        };
        let cached = self.stats.cache;
        let fresh = |val: &Val| !(cached && net.rank(*val).is_none_or(|rank| rank >= 4));
        let outputs = net.given_outputs().filter(number).map(|(val, _)| val).filter(fresh);
        let (states, others): (Vec<Val>, Vec<Val>) = outputs.partition(|val| self.is_state(*val));
        // A network that only returns its state is an encoder.
        if others.is_empty() { states } else { others }
    }

    /// Whether every input is a column of a table: a number for each row, and some of them floats.
    fn takes_columns(&self) -> bool {
        let net = self.net();
        let is_column = |val: &Val| {
            net.rank(*val) == Some(1) || net.rank(*val) == Some(2) && net.dim(*val, 1) == Some(1)
        };
        let is_float = |val: &Val| net.dtype(*val).is_some_and(DType::is_float);
        net.inputs.len() > 1 && net.inputs.iter().all(is_column) && net.inputs.iter().any(is_float)
    }

    /// Whether an output is what a state becomes.
    fn is_state(&self, output: Val) -> bool {
        let mut states = self.stats.inputs.iter().filter(|(_, given)| *given == Given::State);
        states.any(|(state, _)| self.net().may_have_same_shape(*state, output))
    }

    /// How an output is computed.
    fn ending(&self, output: Val) -> Ending {
        ending(self.net(), &self.leaves, output)
    }

    /// The dimensions of a value at the assumed sizes.
    fn sizes(&self, val: Val) -> Vec<Option<i64>> {
        let rank = self.net().rank(val).unwrap_or(0);
        let places = (0..rank).filter_map(|at| isize::try_from(at).ok());
        places.map(|at| self.stats.size(val, at)).collect()
    }

    /// What goes in and comes out, where that does not show the task.
    fn interface(&self) -> String {
        /// Values that are named.
        const MOST: usize = 3;
        let net = self.net();
        let inputs = self.stats.inputs.iter().take(MOST).map(|(val, given)| {
            let noun = match given {
                Given::Image => "image ",
                Given::Tokens => "token ",
                Given::Bytes => "byte ",
                Given::Boxes => "box ",
                Given::Edges => "graph edge ",
                Given::Waveform => "waveform ",
                Given::Spectrogram => "spectrogram ",
                Given::Features => "feature ",
                Given::Sequence => "sequence ",
                Given::State => "state ",
                Given::Text => "text ",
                Given::Other => "",
            };
            format!("{noun}input `{}`, {}", net.name(*val), self.shape_text(*val))
        });
        let outputs = net.outputs.iter().take(MOST).map(|val| {
            let end = self.ending(*val);
            let by = end.function.map_or(String::new(), |function| {
                let axis = if end.along_last { " over the last axis" } else { "" };
                format!(", {}{axis}", function.name())
            });
            format!("output {}{by}", self.shown(*val))
        });
        let parts: Vec<String> = inputs.chain(outputs).collect();
        if parts.is_empty() {
            return "no inputs and no outputs".to_owned();
        }
        parts.join("; ")
    }

    /// Whether an output of the file holds whole numbers.
    fn gives_whole_numbers(&self) -> bool {
        let net = self.net();
        net.model.main().outputs.iter().any(|value| {
            let tensor = net.typed.fact(*value).as_tensor();
            tensor.is_some_and(|tensor| matches!(tensor.dtype, DType::Int32 | DType::Int64))
        })
    }

    /// Classes of the one head that classifies.
    fn classifier(&self) -> Option<i64> {
        let mut heads = self.net().all().filter(|unit| unit.is(BlockKind::ClassifierHead));
        match (heads.next(), heads.next()) {
            (Some(head), None) => head.classifier_head()?.classes,
            _ => None,
        }
    }

    /// What gives a value, behind views and what makes shares of scores.
    fn maker(&self, val: Val) -> Option<Op> {
        let net = self.net();
        // One place may be chosen after the product.
        const PICKS: With =
            With(|traits| matches!(traits.movement, Some(Movement::Gather | Movement::Slice)));
        let behind = net.back_through_layout(val);
        let behind = net.back_through(behind, With::PROBABILITIES);
        let behind = net.back_through(net.back_through_layout(behind), PICKS);
        let behind = net.back_through_layout(behind);
        let unit = net.unit(net.producer(behind)?);
        Some(unit.op)
    }

    /// Whether a value is scores: a product gives it.
    fn is_scores(&self, val: Val) -> bool {
        const PRODUCTS: Ops = Ops {
            blocks: &[BlockKind::ClassifierHead, BlockKind::Linear],
            operators: &["Gemm", "MatMul"],
        };
        self.maker(val).is_some_and(|op| PRODUCTS.has(op)) || self.stats.is_mean_of_products(val)
    }

    /// Whether a product with a bias gives a value, or something makes shares of it.
    fn is_biased(&self, val: Val) -> bool {
        let net = self.net();
        let behind = net.back_through_layout(val);
        if self.stats.is_mean_of_products(behind) {
            return true;
        }
        if net.made_by(behind, With::PROBABILITIES).is_some() {
            return true;
        }
        let Some(unit) = net.producer(behind).map(|unit| net.unit(unit)) else { return false };
        // Vectors that embed are as wide as processors like; classes are as many as there are.
        let odd = net.dim(val, -1).is_some_and(|width| width % 32 != 0);
        odd || unit.is(BlockKind::ClassifierHead)
            || unit.linear().is_some_and(|linear| linear.bias)
            || unit.convolution().is_some_and(|conv| conv.bias)
            || unit.is("Gemm") && unit.input(2).is_some()
            || unit.is("Add")
    }

    /// The name of an output, as it is shown.
    fn shown(&self, val: Val) -> String {
        format!("`{}`, {}", self.net().output_name(val), self.shape_text(val))
    }

    /// The dimensions of a value, as they are shown.
    fn shape_text(&self, val: Val) -> String {
        self.net().shape(val).map_or("?".to_owned(), |dims| {
            dims.iter().map(ToString::to_string).collect::<Vec<_>>().join(" × ")
        })
    }
}

#[cfg(test)]
mod tests;
