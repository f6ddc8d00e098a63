//! How much memory activations take while the kernels run.
//!
//! A runtime keeps the outputs of kernels, not those of nodes: the inside of a norm or of a fused
//! attention is never written. An output lives from its kernel to the last one that reads it. Views
//! share the memory of what they are views of. Activation functions and residual additions overwrite
//! an operand that nothing else reads.
//!
//! Workspace comes on top. Measured on an H200, PyTorch's convolutions need memory for their input,
//! output and weights in another layout while they run; 1x1 convolutions need it for input and
//! output when they run in 16 bits.

use calipers_arch::network::{BlockKind, Network, OpSet, Val};
use calipers_ir::NodeId;
use calipers_ops::product;
use calipers_sym::{Expr, ExprId, Pool, Values};
use hashbrown::HashMap;

use super::estimate::NoEstimate;
use super::kernels::{Kernel, KernelKind, Launches};
use crate::devices::Precision;

/// The peak, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct ActivationPeak {
    /// Live outputs of kernels, without the caller's inputs and without workspace.
    pub activations: u64,
    /// Workspace of the kernel that runs at the peak.
    pub workspace: u64,
    /// The caller's inputs, which are live all the time.
    pub inputs: u64,
    /// The node whose kernel runs at the peak.
    pub at: Option<NodeId>,
    /// Values that are not counted because their size is unknown.
    pub unknown: usize,
}

impl ActivationPeak {
    /// Returns the sum.
    pub(crate) fn total(self) -> u64 {
        self.activations.saturating_add(self.workspace).saturating_add(self.inputs)
    }
}

/// A tensor's elements, and bits of each where the precision does not decide them.
#[derive(Clone, Debug)]
struct Extent {
    elements: ExprId,
    bits: Option<u32>,
}

/// A buffer and its live range: from one kernel to another, both included.
#[derive(Clone, Debug)]
struct Place {
    extent: Extent,
    from: usize,
    to: usize,
}

/// Memory that a kernel needs while it runs.
#[derive(Clone, Debug)]
struct Step {
    node: NodeId,
    /// A second copy of its result.
    copy: Option<Extent>,
    /// Elements of workspace at every precision, and those needed only at 16 bits or fewer.
    workspace: ExprId,
    workspace_at_half: ExprId,
}

/// Outputs of kernels with their live ranges. Found once, evaluated at every size.
#[derive(Clone, Debug)]
pub(crate) struct Activations {
    steps: Vec<Step>,
    places: Vec<Place>,
    inputs: Vec<Extent>,
    unknown: usize,
}

impl Activations {
    pub(crate) fn new(net: &Network<'_>, launches: &Launches, pool: &mut Pool) -> Self {
        let Launches { kernels, views, .. } = launches;
        let mut live_ranges = Lives::new(net, kernels, views);
        for (at, kernel) in kernels.iter().enumerate() {
            live_ranges.run(at, kernel, pool);
        }
        let unknown = live_ranges.unknown;
        let inputs = net.inputs.iter().filter_map(|input| extent(net, *input, pool)).collect();
        let steps = kernels.iter().map(|kernel| step(net, kernel, pool)).collect();
        let mut places: Vec<Place> = live_ranges.places.into_values().collect();
        places.sort_by_key(|place| (place.from, place.to));
        Self { steps, places, inputs, unknown }
    }

    /// The peak, with the values of the pool.
    pub(crate) fn peak(
        &self,
        values: &Values,
        precision: Precision,
    ) -> Result<ActivationPeak, NoEstimate> {
        let bits = activation_bits(precision);
        let bytes = |extent: &Extent| -> Result<u64, NoEstimate> {
            bytes(extent.elements, extent.bits.unwrap_or(bits), values)
        };
        // Bytes allocated and freed before each step.
        let mut change = vec![(0_u64, 0_u64); self.steps.len() + 1];
        for place in &self.places {
            let taken = bytes(&place.extent)?;
            let came = &mut change[place.from.min(self.steps.len())].0;
            *came = came.saturating_add(taken);
            let went = &mut change[place.to.saturating_add(1).min(self.steps.len())].1;
            *went = went.saturating_add(taken);
        }
        let mut inputs = 0_u64;
        for input in &self.inputs {
            inputs = inputs.saturating_add(bytes(input)?);
        }
        let mut most =
            ActivationPeak { inputs, unknown: self.unknown, ..ActivationPeak::default() };
        let mut alive = 0_u64;
        for (step, (came, went)) in self.steps.iter().zip(change) {
            alive = alive.saturating_sub(went).saturating_add(came);
            let copy = step.copy.as_ref().map_or(Ok(0), bytes)?;
            let activations = alive.saturating_add(copy);
            let mut workspace = self::bytes(step.workspace, bits, values)?;
            if bits <= 16 {
                let more = self::bytes(step.workspace_at_half, bits, values)?;
                workspace = workspace.saturating_add(more);
            }
            let peak = ActivationPeak { activations, workspace, at: Some(step.node), ..most };
            if peak.total() > most.total() {
                most = peak;
            }
        }
        Ok(most)
    }
}

/// Bits of an activation at a precision. Weights of four bits are widened before the product, so
/// activations have sixteen; no runtime keeps activations in fewer than eight.
pub(crate) fn activation_bits(precision: Precision) -> u32 {
    match precision {
        Precision::Int4 => 16,
        other => other.bits().max(8),
    }
}

fn bytes(elements: ExprId, bits: u32, values: &Values) -> Result<u64, NoEstimate> {
    let elements = values.get(elements).map_err(ToString::to_string)?;
    let bytes = elements.checked_mul(i128::from(bits)).map(|bits| bits.max(0) / 8);
    let bytes = bytes.and_then(|bytes| u64::try_from(bytes).ok());
    bytes.ok_or_else(|| "the activations' bytes do not fit 64 bits".to_owned())
}

fn extent(net: &Network<'_>, val: Val, pool: &mut Pool) -> Option<Extent> {
    let elements = pool.intern(&product(net.shape(val)?));
    let bits = net.dtype(val).filter(|dtype| !dtype.is_float()).and_then(|dtype| dtype.bits());
    Some(Extent { elements, bits })
}

fn step(net: &Network<'_>, kernel: &Kernel, pool: &mut Pool) -> Step {
    let own = kernel.writes.first().filter(|val| kernel.reads.contains(val));
    let (workspace, workspace_at_half) = match kernel.kind {
        KernelKind::Conv | KernelKind::Stem | KernelKind::Grouped => {
            (&kernel.activations + &kernel.weights, Expr::ZERO)
        }
        KernelKind::Pointwise => (Expr::ZERO, kernel.activations.clone()),
        _ => (Expr::ZERO, Expr::ZERO),
    };
    Step {
        node: kernel.node,
        copy: own.and_then(|val| extent(net, *val, pool)),
        workspace: pool.intern(&workspace),
        workspace_at_half: pool.intern(&workspace_at_half),
    }
}

/// Blocks that overwrite an operand.
const IN_PLACE: &[BlockKind] = &[
    BlockKind::Elu,
    BlockKind::HardSwish,
    BlockKind::LeakyRelu,
    BlockKind::Relu,
    BlockKind::Relu6,
    BlockKind::ResidualAdd,
    BlockKind::Selu,
    BlockKind::Silu,
];

/// Last readers of values, and the buffers that hold them.
struct Lives<'n, 'a> {
    net: &'n Network<'a>,
    /// What each view is a view of, through all views.
    roots: HashMap<Val, Val>,
    /// The last kernel that reads each value or a view of it.
    last: HashMap<Val, usize>,
    /// The value whose buffer each value has.
    place_of: HashMap<Val, Val>,
    places: HashMap<Val, Place>,
    unknown: usize,
}

impl<'n, 'a> Lives<'n, 'a> {
    fn new(net: &'n Network<'a>, kernels: &[Kernel], views: &[(Val, Val)]) -> Self {
        let mut roots: HashMap<Val, Val> = HashMap::new();
        // A view comes after what it is a view of, so one pass is enough.
        for (view, of) in views {
            let root = roots.get(of).copied().unwrap_or(*of);
            roots.insert(*view, root);
        }
        let root = |val: &Val| roots.get(val).copied().unwrap_or(*val);
        let mut last = HashMap::new();
        for (at, kernel) in kernels.iter().enumerate() {
            for val in kernel.writes.iter().chain(&kernel.reads) {
                last.insert(root(val), at);
            }
        }
        for output in &net.outputs {
            last.insert(root(output), kernels.len());
        }
        let (place_of, places) = (HashMap::new(), HashMap::new());
        Self { net, roots, last, place_of, places, unknown: 0 }
    }

    fn root(&self, val: Val) -> Val {
        self.roots.get(&val).copied().unwrap_or(val)
    }

    fn run(&mut self, at: usize, kernel: &Kernel, pool: &mut Pool) {
        let mut over = self.overwritten(at, kernel);
        for write in &kernel.writes {
            let val = self.root(*write);
            let last = self.last.get(&val).copied().unwrap_or(at);
            if self.place_of.contains_key(&val) {
                continue;
            }
            if let Some(place) = over.take() {
                self.place_of.insert(val, place);
                if let Some(place) = self.places.get_mut(&place) {
                    place.to = place.to.max(last);
                }
                continue;
            }
            self.place_of.insert(val, val);
            match extent(self.net, *write, pool) {
                Some(extent) => {
                    self.places.insert(val, Place { extent, from: at, to: last });
                }
                None => self.unknown += 1,
            }
        }
    }

    /// The buffer of an operand that the kernel's output may overwrite.
    fn overwritten(&self, at: usize, kernel: &Kernel) -> Option<Val> {
        let [write] = kernel.writes[..] else { return None };
        if !IN_PLACE.has(kernel.op) || kernel.reads.contains(&write) {
            return None;
        }
        kernel.reads.iter().find_map(|read| {
            let place = *self.place_of.get(&self.root(*read))?;
            let is_free = self.places.get(&place).is_some_and(|place| place.to == at);
            (is_free && self.net.same_shape(*read, write)).then_some(place)
        })
    }
}

#[cfg(test)]
mod tests {
    use calipers_report::Runtime;
    use calipers_samples::Attribute;
    use calipers_sym::Pool;

    use super::super::kernels;
    use super::{ActivationPeak, Activations};
    use crate::devices::Precision;
    use crate::testing::{Seen, Tiny, WithNetwork as _};

    fn found(seen: &Seen) -> (Activations, Pool) {
        let mut pool = Pool::default();
        let found = seen.with_network(|net| {
            Activations::new(net, &kernels::launches(net, Runtime::PyTorch), &mut pool)
        });
        (found, pool)
    }

    fn peak(seen: &Seen, batch: i64, precision: Precision) -> ActivationPeak {
        let size = |name: &str| (name == "batch").then_some(batch);
        let (found, pool) = found(seen);
        found.peak(&pool.evaluate(size), precision).unwrap()
    }

    #[test]
    fn results_live_from_kernel_to_last_reader() {
        let mut t = Tiny::new();
        let x = t.input(&["batch", "16"]);
        let (a, b) = (t.weight(&[16, 64]), t.weight(&[64, 16]));
        let wide = t.op("MatMul", &[&x, &a]);
        let curved = t.op("Gelu", &[&wide]);
        let shaped = t.ints(&[-1, 64]);
        let view = t.op("Reshape", &[&curved, &shaped]);
        let narrow = t.op("MatMul", &[&view, &b]);
        let seen = t.output(&narrow);
        // At the activation: the product of 64 columns and its activation. The view shares memory.
        let found = peak(&seen, 3, Precision::Fp32);
        assert_eq!((found.activations, found.workspace), (2 * 3 * 64 * 4, 0));
        assert_eq!((found.inputs, found.unknown), (3 * 16 * 4, 0));
        assert_eq!(found.total(), 2 * 3 * 64 * 4 + 3 * 16 * 4);
        assert_eq!(peak(&seen, 3, Precision::Bf16).activations, 2 * 3 * 64 * 2);
        // Weights of four bits leave activations at sixteen.
        assert_eq!(peak(&seen, 3, Precision::Int4).activations, 2 * 3 * 64 * 2);
    }

    #[test]
    fn activations_overwrite_and_convolutions_take_workspace() {
        let mut t = Tiny::new();
        let x = t.input(&["batch", "8", "10", "10"]);
        let (w, same) = (t.weight(&[8, 8, 3, 3]), Attribute::ints("pads", &[1, 1, 1, 1]));
        let y = t.op_with("Conv", &[&x, &w], std::slice::from_ref(&same));
        let y = t.op("Relu", &[&y]);
        let y = t.op_with("Conv", &[&y, &w], &[same]);
        let seen = t.output(&y);
        // At the second convolution: its input, which the activation wrote over the first result,
        // and its output. Both again in another layout, and the weights.
        let map = 2 * 8 * 10 * 10 * 4;
        let found = peak(&seen, 2, Precision::Fp32);
        assert_eq!(found.activations, 2 * map);
        assert_eq!(found.workspace, 2 * map + 8 * 8 * 9 * 4);
    }

    #[test]
    fn a_size_that_is_not_given_is_an_error() {
        let mut t = Tiny::new();
        let x = t.input(&["batch", "16"]);
        let y = t.op("Relu", &[&x]);
        let (found, pool) = found(&t.output(&y));
        let error = found.peak(&pool.evaluate(|_| None), Precision::Fp32);
        assert!(error.unwrap_err().contains("batch"));
    }
}
