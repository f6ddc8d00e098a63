//! Operators between quantizers (QDQ), and the quantizers that stay.
//!
//! ONNX Runtime runs an operator on integers where its inputs are dequantized and its result is
//! quantized at once. On x64 its kernels read unsigned activations: it shifts signed ones that a
//! single node reads, and computes with the others in floats.

use calipers_arch::network::{Network, Op};
use calipers_ir::{DType, NodeId, Producer, ValueId};
use calipers_ops::{Class, KernelClass, WeightFormat, product};
use calipers_sym::Expr;
use hashbrown::{HashMap, HashSet};

use super::layout::bare;
use super::timing::ProcessorKind;
use crate::kernels::{Kernel, KernelKind};

/// What a product multiplies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Arithmetic {
    /// Floats, with weights that are stored as such or widened before.
    Float,
    /// Unsigned activations and signed weights, which processors multiply directly.
    Signed,
    /// Unsigned integers both: they are widened to 16 bits before.
    Unsigned,
}

/// The quantizers of a model.
pub(super) struct Quantizers<'n, 'a> {
    net: &'n Network<'a>,
    /// Nodes that read each value.
    readers: HashMap<ValueId, Vec<NodeId>>,
    outputs: HashSet<ValueId>,
}

impl<'n, 'a> Quantizers<'n, 'a> {
    pub(super) fn new(net: &'n Network<'a>) -> Self {
        let model = net.model;
        let mut readers: HashMap<ValueId, Vec<NodeId>> = HashMap::new();
        for node in &model.main().order {
            for input in model.inputs(*node).iter().flatten() {
                readers.entry(*input).or_default().push(*node);
            }
        }
        Self { net, readers, outputs: model.main().outputs.iter().copied().collect() }
    }

    /// What the product of a quantized kernel multiplies.
    pub(super) fn arithmetic(&self, product: NodeId) -> Arithmetic {
        let Some(row) = self.net.written_operator(product) else { return Arithmetic::Float };
        let Some(contraction) = row.traits.contraction else { return Arithmetic::Float };
        let inputs = self.net.model.inputs(product);
        let weights = contraction.weights.first().and_then(|at| inputs.get(*at).copied().flatten());
        match contraction.format {
            WeightFormat::Integer { .. } => signedness(weights.and_then(|value| self.dtype(value))),
            _ if self.is_on_integers(product) => {
                let stored = weights.and_then(|value| self.dequantized(value));
                signedness(stored.and_then(|value| self.dtype(value)))
            }
            _ => Arithmetic::Float,
        }
    }

    /// The quantizers that are kernels of their own.
    pub(super) fn kernels(&self, like: &Kernel) -> Vec<Kernel> {
        let model = self.net.model;
        let order = &model.main().order;
        let stays = |node: &&NodeId| match self.is_quantizer(**node) {
            Some(Quantizer::Quantize) => {
                !self.producer(**node).is_some_and(|it| self.is_on_integers(it))
            }
            Some(Quantizer::Dequantize) => {
                !self.result_readers(**node).iter().all(|reader| self.is_on_integers(*reader))
            }
            // A product takes its own one in, and takes as long.
            Some(Quantizer::Dynamic) => true,
            None => false,
        };
        order
            .iter()
            .filter(stays)
            .map(|node| {
                let size = model.outputs(*node).first().copied().flatten().map(|it| self.size(it));
                let size = size.unwrap_or(Expr::ZERO);
                Kernel {
                    kind: KernelKind::Elementwise,
                    op: Op::Operator("QuantizeLinear"),
                    node: *node,
                    processor: Some(match self.is_quantizer(*node) {
                        Some(Quantizer::Dequantize) => ProcessorKind::Dequantize,
                        _ => ProcessorKind::Quantize,
                    }),
                    // Floats on one side, bytes on the other.
                    activations: (&size * 5).floor_div(&Expr::from(4)),
                    results: size,
                    ..bare(like)
                }
            })
            .collect()
    }

    /// Whether an operator between quantizers runs on integers.
    pub(super) fn is_on_integers(&self, node: NodeId) -> bool {
        let Some(row) = self.net.written_operator(node) else { return false };
        let is_product = row.traits.kernel == KernelClass::Gemm;
        if !(row.traits.has_integer_kernel || row.traits.is_contraction()) {
            return false;
        }
        let Some(read) = self.net.model.inputs(node).first().copied().flatten() else {
            return false;
        };
        let Some(stored) = self.dequantized(read) else { return false };
        self.is_unsigned(stored)
            && match self.quantized_result(node) {
                Some(result) => self.is_unsigned(result),
                // A matrix product may leave floats.
                None => is_product,
            }
    }

    /// Whether ONNX Runtime stores a quantized activation without sign.
    fn is_unsigned(&self, quantized: ValueId) -> bool {
        match self.dtype(quantized) {
            Some(DType::Uint8) => true,
            Some(DType::Int8) => {
                let floats = self.readers(quantized).iter().map(|node| self.result_readers(*node));
                floats.map(<[_]>::len).sum::<usize>() <= 1 && !self.outputs.contains(&quantized)
            }
            _ => false,
        }
    }

    /// The quantized value that a value is dequantized from.
    pub(super) fn dequantized(&self, value: ValueId) -> Option<ValueId> {
        let Producer::Node { node, .. } = self.net.model.value(value).producer else { return None };
        if self.is_quantizer(node) != Some(Quantizer::Dequantize) {
            return None;
        }
        self.net.model.inputs(node).first().copied().flatten()
    }

    /// The quantized result of a node, where nothing else reads its result.
    fn quantized_result(&self, node: NodeId) -> Option<ValueId> {
        let model = self.net.model;
        let output = model.outputs(node).first().copied().flatten()?;
        match self.readers(output) {
            [reader] if !self.outputs.contains(&output) => {
                let is_quantize = self.is_quantizer(*reader) == Some(Quantizer::Quantize);
                model.outputs(*reader).first().copied().flatten().filter(|_| is_quantize)
            }
            _ => None,
        }
    }

    fn is_quantizer(&self, node: NodeId) -> Option<Quantizer> {
        let row = self.net.written_operator(node)?;
        if row.traits.class != Class::Quantization {
            return None;
        }
        match row.name {
            "QuantizeLinear" => Some(Quantizer::Quantize),
            "DequantizeLinear" => Some(Quantizer::Dequantize),
            "DynamicQuantizeLinear" => Some(Quantizer::Dynamic),
            _ => None,
        }
    }

    fn producer(&self, node: NodeId) -> Option<NodeId> {
        let read = self.net.model.inputs(node).first().copied().flatten()?;
        match self.net.model.value(read).producer {
            Producer::Node { node, .. } => Some(node),
            _ => None,
        }
    }

    fn readers(&self, value: ValueId) -> &[NodeId] {
        self.readers.get(&value).map_or(&[], Vec::as_slice)
    }

    /// Nodes that read the first result of a node.
    fn result_readers(&self, node: NodeId) -> &[NodeId] {
        let output = self.net.model.outputs(node).first().copied().flatten();
        output.map_or(&[], |output| self.readers(output))
    }

    fn dtype(&self, value: ValueId) -> Option<DType> {
        Some(self.net.typed.fact(value).as_tensor()?.dtype)
    }

    fn size(&self, value: ValueId) -> Expr {
        let fact = self.net.typed.fact(value).as_tensor();
        fact.and_then(|it| it.dims()).map_or(Expr::ZERO, product)
    }
}

/// What converts between floats and integers.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Quantizer {
    Quantize,
    Dequantize,
    Dynamic,
}

fn signedness(weights: Option<DType>) -> Arithmetic {
    match weights {
        Some(DType::Uint8) => Arithmetic::Unsigned,
        _ => Arithmetic::Signed,
    }
}
