//! Costs of calls that were met before.
//!
//! Networks repeat their layers, and what a call costs follows from its operator, its attributes
//! and its operands alone. Working a cost out means multiplying polynomials; looking one up means
//! comparing a few dimensions, which are shared and so mostly the same address.

use std::hash::{BuildHasher, Hash, Hasher};
use std::sync::Arc;

use calipers_ir::{Attribute, AttributeValue, Model, NodeId};
use calipers_ops::{Elem, Fact, Operator, Reason, TensorFact, Traffic};
use calipers_sym::Expr;
use hashbrown::{DefaultHashBuilder, HashTable};

use super::total_cost::CostTotal;

/// Calls that are remembered; a model of more kinds than this does not repeat layers.
const MAX_REMEMBERED: usize = 4096;

/// Elements beyond which operands are not compared: a cost hangs on a length or two.
const MAX_COMPARED: usize = 8;

/// What a call cost, and whether its bytes could be reported.
#[derive(Clone, Debug)]
pub(super) struct Known {
    pub(super) total_cost: Arc<CostTotal>,
    pub(super) with_bytes: bool,
}

#[derive(Debug)]
struct Entry {
    hash: u64,
    node: NodeId,
    /// The cost, or why there is none: that took time to find out too.
    known: Result<Known, Reason>,
}

/// Calls of the main graph that were met. What they were given and gave is found again in the
/// facts, which do not change there; inside functions and loops they do.
#[derive(Debug, Default)]
pub(super) struct Remembered {
    entries: HashTable<Entry>,
    hasher: DefaultHashBuilder,
}

impl Remembered {
    /// A number that equal calls share; `None` for a call that is not worth remembering.
    pub(super) fn hash(
        &self,
        row: &Operator,
        attributes: &[Attribute],
        inputs: &[Option<Fact>],
        outputs: &[Fact],
    ) -> Option<u64> {
        let facts = || inputs.iter().flatten().chain(outputs);
        // Numbers multiply faster than they are looked up, and what moves nothing costs nothing.
        if row.traffic == Traffic::Nothing || !facts().any(is_symbolic) {
            return None;
        }
        let mut hasher = self.hasher.build_hasher();
        std::ptr::from_ref(row).hash(&mut hasher);
        // All that `same` compares: calls that differ in one value only must not share a bucket.
        for attribute in attributes {
            hash_attribute(attribute, &mut hasher);
        }
        for fact in facts() {
            let Fact::Tensor(tensor) = fact else { return None };
            hash_dims(tensor.dims()?, &mut hasher);
            let value = tensor.value.as_deref().unwrap_or_default();
            if value.len() > MAX_COMPARED {
                return None;
            }
            value.iter().for_each(|elem| hash_elem(elem, &mut hasher));
        }
        Some(hasher.finish())
    }

    /// What an equal call cost.
    pub(super) fn find(
        &self,
        hash: u64,
        node: NodeId,
        model: &Model,
        facts: &[Fact],
    ) -> Option<Result<Known, Reason>> {
        let equal = |entry: &Entry| entry.hash == hash && same(model, facts, entry.node, node);
        self.entries.find(hash, equal).map(|entry| entry.known.clone())
    }

    pub(super) fn insert(&mut self, hash: u64, node: NodeId, known: Result<Known, Reason>) {
        if self.entries.len() < MAX_REMEMBERED {
            self.entries.insert_unique(hash, Entry { hash, node, known }, |entry| entry.hash);
        }
    }
}

/// Whether two nodes of one graph are the same call.
fn same(model: &Model, facts: &[Fact], a: NodeId, b: NodeId) -> bool {
    let kind = |id: NodeId| {
        let node = model.node(id);
        (node.op, node.domain, node.layout)
    };
    let alike = |a: &[Option<calipers_ir::ValueId>], b: &[Option<calipers_ir::ValueId>]| {
        let fact = |value: &Option<calipers_ir::ValueId>| value.map(|value| &facts[value.index()]);
        a.len() == b.len() && a.iter().zip(b).all(|(a, b)| fact(a) == fact(b))
    };
    kind(a) == kind(b)
        && alike(model.inputs(a), model.inputs(b))
        && alike(model.outputs(a), model.outputs(b))
        && model.attributes(a) == model.attributes(b)
}

fn is_symbolic(fact: &Fact) -> bool {
    fact.as_tensor().and_then(TensorFact::dims).is_some_and(has_symbol)
}

/// Whether a dimension is symbolic.
pub(super) fn has_symbol(dims: &[Expr]) -> bool {
    !dims.iter().all(Expr::is_const)
}

/// Hashes a shape; expressions have their hashes ready.
pub(super) fn hash_dims(dims: &[Expr], hasher: &mut impl Hasher) {
    dims.len().hash(hasher);
    dims.iter().for_each(|dim| dim.hash(hasher));
}

fn hash_elem(elem: &Elem, hasher: &mut impl Hasher) {
    match elem {
        Elem::Int(value) => value.hash(hasher),
        Elem::Ratio { numerator, denominator } => (numerator, denominator).hash(hasher),
        Elem::Float(value) => value.to_bits().hash(hasher),
        Elem::Unknown => {}
    }
}

/// Hashes the numbers that distinguish most calls of one operator.
fn hash_attribute(attribute: &Attribute, hasher: &mut impl Hasher) {
    attribute.name.hash(hasher);
    match &attribute.value {
        AttributeValue::Int(value) => value.hash(hasher),
        AttributeValue::Float(value) => value.to_bits().hash(hasher),
        AttributeValue::Ints(values) => values.held().hash(hasher),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use calipers_samples::DataType::F32;
    use calipers_samples::{Attribute, ModelBuilder, Tensor};

    use super::super::{Bindings, infer};

    /// Other arithmetic and bytes of each node, and for each node the first that shares its cost.
    fn reported(model: &ModelBuilder) -> (Vec<[String; 2]>, Vec<usize>) {
        let model = calipers_formats::read(model.build(), "test.onnx").unwrap();
        let typed = infer(&model, &Bindings::default()).unwrap();
        let costs: Vec<_> =
            model.main().order.iter().map(|node| typed.cost(*node).unwrap().unwrap()).collect();
        let figures =
            costs.iter().map(|cost| [cost.other_flops.to_string(), cost.bytes_moved.to_string()]);
        let shares = costs
            .iter()
            .map(|cost| costs.iter().position(|other| std::ptr::eq(*cost, *other)).unwrap());
        (figures.collect(), shares.collect())
    }

    #[test]
    fn attributes_distinguish_calls() {
        let mut model = ModelBuilder::new(17);
        model.input("x", F32, &["n", "4", "8", "8"]);
        for (name, kernel) in [("a", 3), ("b", 5), ("c", 3)] {
            let attributes = [
                Attribute::ints("kernel_shape", &[kernel, kernel]),
                Attribute::ints("pads", &[kernel / 2; 4]),
            ];
            model.node("AveragePool", &["x"], &[name], &attributes);
            model.output(name, F32, &["n", "4", "8", "8"]);
        }
        let (figures, shares) = reported(&model);
        // All give 4 × 8 × 8 elements of each image, from kernels of 9 or 25; the bytes are those of
        // input and output, 2 × 256 × 4.
        let [small, large] =
            [256 * 9, 256 * 25].map(|flops| [format!("{flops}*n"), "2048*n".into()]);
        assert_eq!(figures, [small.clone(), large, small]);
        assert_eq!(shares, [0, 1, 0]);
    }

    #[test]
    fn small_values_distinguish_calls() {
        let mut model = ModelBuilder::new(17);
        model.input("x", F32, &["n", "4"]);
        // Reduced along the axis of 4, along none, and along the axis of 4 once more.
        let none = [Attribute::int("noop_with_empty_axes", 1), Attribute::int("keepdims", 1)];
        for (name, axes) in [("a", &[1][..]), ("b", &[]), ("c", &[1])] {
            let axes_name = format!("{name}_axes");
            model
                .initializer(&Tensor::i64(&axes_name, &[i64::try_from(axes.len()).unwrap()], axes))
                .node("ReduceSum", &["x", &axes_name], &[name], &none)
                .output(name, F32, &["n", "?"]);
        }
        let (figures, shares) = reported(&model);
        // 4 additions of each row, or none; 16 bytes of each row in, 4 or 16 out, 8 of the axis.
        let reduced = ["4*n".to_owned(), "20*n + 8".to_owned()];
        assert_eq!(figures, [reduced.clone(), ["0".into(), "32*n".into()], reduced]);
        assert_eq!(shares, [0, 1, 0]);

        // The same shapes throughout, and another depth: only the value differs.
        let mut model = ModelBuilder::new(17);
        model.input("x", F32, &["n", "4", "4"]);
        for (name, axis) in [("a", 1), ("b", 2), ("c", 1)] {
            let axes_name = format!("{name}_axes");
            model
                .initializer(&Tensor::i64(&axes_name, &[1], &[axis]))
                .node("ReduceSum", &["x", &axes_name], &[name], &[Attribute::int("keepdims", 0)])
                .output(name, F32, &["n", "4"]);
        }
        assert_eq!(reported(&model).1, [0, 1, 0]);
    }
}
