//! The kernels of a run by their sizes.
//!
//! The layers of a network repeat, so most kernels have the sizes of another. Alike kernels are one
//! group here: a binding evaluates each distinct size once, and a device times each group once.

use std::sync::Arc;

use calipers_ir::NodeId;
use calipers_sym::{Expr, ExprId, Pool, Values};
use hashbrown::HashMap;

use super::estimate::NoEstimate;
use super::kernels::{Kernel, KernelKind, Quantized, kind_at};
use crate::processor::ProcessorKind;

/// Kernels of one run, alike ones as a group.
pub(crate) struct Workload {
    groups: Vec<Group>,
    /// All kernels.
    kernels: usize,
}

/// Kernels with the same sizes.
struct Group {
    traits: Traits,
    sizes: Sizes,
    members: Arc<[Member]>,
}

/// A kernel of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Member {
    /// Its place in the order of execution.
    pub place: usize,
    /// The node it computes.
    pub node: NodeId,
}

/// What the time of a kernel depends on, but for its sizes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Traits {
    kind: KernelKind,
    quantized: Option<Quantized>,
    is_unfolded: bool,
    is_sized: bool,
    has_weights: bool,
    processor: Option<ProcessorKind>,
}

/// The sizes of a kernel, see [`Kernel`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
struct Sizes {
    macs: ExprId,
    other_flops: ExprId,
    activations: ExprId,
    weights: ExprId,
    depth: ExprId,
    rows: ExprId,
    lanes: ExprId,
    steps: ExprId,
    results: ExprId,
}

impl Sizes {
    fn new(pool: &mut Pool, kernel: &Kernel) -> Self {
        let mut id = |size: &Expr| pool.intern(size);
        Self {
            macs: id(&kernel.work.macs),
            other_flops: id(&kernel.work.other_flops),
            activations: id(&kernel.activations),
            weights: id(&kernel.weights),
            depth: id(&kernel.depth),
            rows: id(&kernel.rows),
            lanes: id(&kernel.lanes),
            steps: id(&kernel.steps),
            results: id(&kernel.results),
        }
    }
}

/// Kernels with the same sizes, at one binding.
#[derive(Clone, Debug)]
pub(crate) struct Load {
    pub kind: KernelKind,
    pub quantized: Option<Quantized>,
    pub is_unfolded: bool,
    pub is_sized: bool,
    pub flops: f64,
    /// Arithmetic other than multiply-accumulates.
    pub other_flops: f64,
    pub activations: f64,
    pub weights: f64,
    pub depth: f64,
    /// Queries of all heads of an attention, else 1.
    pub lanes: f64,
    pub steps: f64,
    /// Elements that are written.
    pub results: f64,
    /// Rows of a matrix product, else 1.
    pub rows: f64,
    /// What it is on a processor; `None` for kernels of other devices.
    pub processor: Option<ProcessorKind>,
    pub members: Arc<[Member]>,
}

impl Load {
    /// Bytes of the weights of all members, as a processor stores them: floats, or fewer bits where
    /// they are quantized.
    pub(crate) fn stored_bytes(&self) -> f64 {
        let bits = self.quantized.map_or(32.0, |it| f64::from(it.bits));
        #[expect(clippy::cast_precision_loss, reason = "kernels are few")]
        let members = self.members.len() as f64;
        members * self.weights * bits / 8.0
    }
}

impl Workload {
    /// Groups kernels, and stores their sizes in the pool.
    pub(crate) fn new(kernels: &[Kernel], pool: &mut Pool) -> Self {
        let mut places: HashMap<(Traits, Sizes), usize> = HashMap::new();
        let mut groups: Vec<(Traits, Sizes, Vec<Member>)> = Vec::new();
        for (place, kernel) in kernels.iter().enumerate() {
            let traits = Traits {
                kind: kernel.kind,
                quantized: kernel.quantized,
                is_unfolded: kernel.is_unfolded(),
                is_sized: kernel.is_sized,
                has_weights: kernel.weights.as_const() != Some(0),
                processor: kernel.processor,
            };
            let sizes = Sizes::new(pool, kernel);
            let group = *places.entry((traits, sizes)).or_insert_with(|| {
                groups.push((traits, sizes, Vec::new()));
                groups.len() - 1
            });
            groups[group].2.push(Member { place, node: kernel.node });
        }
        let group = |(traits, sizes, members): (_, _, Vec<Member>)| Group {
            traits,
            sizes,
            members: members.into(),
        };
        Self {
            groups: groups.into_iter().map(group).collect(),
            kernels: kernels.iter().filter(|kernel| kernel.processor.is_none()).count(),
        }
    }

    /// Adds the kernels of another kind of device.
    pub(crate) fn join(&mut self, other: Self) {
        self.groups.extend(other.groups);
        self.kernels += other.kernels;
    }

    /// All kernels.
    pub(crate) fn kernels(&self) -> usize {
        self.kernels
    }

    /// Kernels with different sizes.
    pub(crate) fn groups(&self) -> usize {
        self.groups.len()
    }

    /// The kernels at a binding. Figures that follow the batch are scaled by a fraction.
    pub(crate) fn at(
        &self,
        values: &Values,
        (times, over): (u64, u64),
    ) -> Result<Vec<Load>, NoEstimate> {
        let number = |id: ExprId, is_scaled: bool| -> Result<u64, NoEstimate> {
            let value = values.get(id).map_err(ToString::to_string)?;
            let value = u64::try_from(value).map_err(|_| OUT_OF_RANGE.to_owned())?;
            if !is_scaled || times == over {
                return Ok(value);
            }
            let scaled = u128::from(value) * u128::from(times) / u128::from(over);
            u64::try_from(scaled).map_err(|_| OUT_OF_RANGE.to_owned())
        };
        #[expect(clippy::cast_precision_loss, reason = "it is an estimate")]
        let figure = |id: ExprId, is_scaled: bool| number(id, is_scaled).map(|value| value as f64);
        let load = |Group { traits, sizes, members }: &Group| {
            // Products without weights are done for each sample by itself.
            let rows = number(sizes.rows, traits.has_weights)?;
            Ok(Load {
                kind: kind_at(traits.kind, i128::from(rows)),
                quantized: traits.quantized,
                is_unfolded: traits.is_unfolded,
                is_sized: traits.is_sized,
                flops: 2.0 * figure(sizes.macs, true)?,
                other_flops: figure(sizes.other_flops, true)?,
                activations: figure(sizes.activations, true)?,
                weights: figure(sizes.weights, false)?,
                depth: figure(sizes.depth, false)?,
                lanes: figure(sizes.lanes, true)?.max(1.0),
                steps: figure(sizes.steps, false)?.max(1.0),
                results: figure(sizes.results, true)?,
                rows: figure(sizes.rows, traits.has_weights)?.max(1.0),
                processor: traits.processor,
                members: Arc::clone(members),
            })
        };
        self.groups.iter().map(load).collect()
    }
}

const OUT_OF_RANGE: &str = "a size is out of range";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::kernels;
    use crate::testing::{Tiny, WithNetwork as _};

    #[test]
    fn alike_kernels_are_one_group_and_sizes_follow_the_batch() {
        let mut t = Tiny::new();
        let x = t.input(&["batch", "16"]);
        let (a, b, c) = (t.weight(&[16, 16]), t.weight(&[16, 16]), t.weight(&[16, 8]));
        let y = t.op("MatMul", &[&x, &a]);
        let y = t.op("MatMul", &[&y, &b]);
        let y = t.op("MatMul", &[&y, &c]);
        let kernels = t.output(&y).with_network(kernels::of_pytorch);
        let mut pool = Pool::default();
        let workload = Workload::new(&kernels, &mut pool);
        assert_eq!((workload.kernels(), workload.groups()), (3, 2));
        let values = pool.evaluate(|_| Some(5));
        let loads = workload.at(&values, (1, 1)).unwrap();
        let places = loads[0].members.iter().map(|member| member.place);
        assert_eq!(places.collect::<Vec<_>>(), [0, 1]);
        // Two operations for each of 5 x 16 x 16 products; 5 x 16 elements read and written.
        assert_eq!((loads[0].flops, loads[0].activations), (2560.0, 160.0));
        assert_eq!((loads[0].weights, loads[0].depth), (256.0, 16.0));
        // At three times the batch, the weights stay.
        let loads = workload.at(&values, (3, 1)).unwrap();
        assert_eq!((loads[0].flops, loads[0].weights), (3.0 * 2560.0, 256.0));
    }

    #[test]
    fn a_size_without_a_value_or_below_zero_is_an_error() {
        let mut t = Tiny::new();
        let x = t.input(&["batch", "16"]);
        let y = t.op("Relu", &[&x]);
        let kernels = t.output(&y).with_network(kernels::of_pytorch);
        let mut pool = Pool::default();
        let workload = Workload::new(&kernels, &mut pool);
        let error = workload.at(&pool.evaluate(|_| None), (1, 1)).unwrap_err();
        assert!(error.contains("batch"), "{error}");
        assert!(workload.at(&pool.evaluate(|_| Some(-5)), (1, 1)).is_err());
        assert!(workload.at(&pool.evaluate(|_| Some(i64::MAX)), (1, 1)).is_err());
    }
}
