//! What the hardware section needs of a model, at any batch and any length.

use std::collections::{BTreeMap, BTreeSet};

use calipers_arch::Recognized;
use calipers_arch::network::Network;
use calipers_infer::{Bindings, Typed, declared_inputs};
use calipers_ir::{GraphOrigin, Model, NodeId, ValueId};
use calipers_measure::Measured;
use calipers_measure::assume::{Role, Sizes};
use calipers_measure::memory::Caches;
use calipers_ops::TensorFact;
use calipers_report::{Architecture, Parameters, Quantization, Runtime, Scheme, TaskKind};
use calipers_sym::{Expr, Pool, Symbol, Values};

use super::activations::Activations;
use super::estimate::{self, Estimate, NoEstimate};
use super::kernels;
use super::query::HardwareQuery;
use super::workload::{Load, Workload};
use crate::devices::{Device, Precision};

/// Networks with more operators than this are not timed. The largest ones have some thousands; a
/// chain of a hundred thousand would only fill the memory with kernels.
const MOST_OPERATORS: usize = 50_000;

/// Devices of the catalog and batches are searched for networks of up to this many different kernels.
pub(crate) const MOST_KERNELS: usize = 20_000;

/// The kernels that a runtime launches: found once in the recognized network, evaluated at every size.
pub struct ExecutionPlan {
    /// The runtime.
    pub runtime: Runtime,
    /// Every size of a kernel or an activation, once.
    pub(super) pool: Pool,
    /// Kernels of one run.
    pub(super) workload: Workload,
    /// The fusions that the runtime applies, and how often.
    pub fusions: Vec<(&'static str, usize)>,
    /// Live ranges of activations, or why they are unknown.
    pub(super) activations: Result<Activations, NoEstimate>,
}

impl ExecutionPlan {
    /// Finds the kernels that a runtime launches for a network, and the live ranges of its values.
    pub fn new(net: &Network<'_>, runtime: Runtime) -> Self {
        let operators = net.units().count();
        if operators > MOST_OPERATORS {
            let why = format!(
                "the network has {operators} operators; at most {MOST_OPERATORS} are timed"
            );
            let (mut pool, fusions) = (Pool::default(), Vec::new());
            let workload = Workload::new(&[], &mut pool);
            return Self { runtime, pool, workload, fusions, activations: Err(why) };
        }
        let launches = kernels::launches(net, runtime);
        let mut pool = Pool::default();
        let mut workload = Workload::new(&launches.kernels, &mut pool);
        let activations = Ok(Activations::new(net, &launches, &mut pool));
        let fusions = launches.fusions;
        // A large graph has many kernels: those of other devices are freed before more are made.
        drop(launches.kernels);
        workload.join(Workload::new(&crate::processor::processor_kernels(net), &mut pool));
        Self { runtime, pool, workload, fusions, activations }
    }
}

/// The batch of a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    /// Names of the batch dimensions that the file leaves free. Some exporters name one per input.
    pub symbols: BTreeSet<String>,
    /// Its size, where the file or a binding fixes it.
    pub fixed: Option<u64>,
    /// Whether the inputs have a batch dimension.
    pub has_dimension: bool,
}

impl Batch {
    /// Finds the batch dimension of the inputs.
    pub fn find(model: &Model, bindings: &Bindings) -> Self {
        let inputs = declared_inputs(model);
        let shapes = || inputs.iter().filter_map(|(_, fact)| fact.as_tensor()?.dims());
        let firsts = || shapes().filter_map(<[Expr]>::first);
        let named = |symbol: &&Symbol| model.symbol_hint(symbol.name()).judge(says_batch);
        let mut symbols: Vec<&Symbol> =
            shapes().flatten().filter_map(Expr::as_symbol).filter(named).collect();
        if symbols.is_empty() && shapes().any(|dims| dims.len() > 1) {
            let free = |symbol: &&Symbol| !model.symbol_hint(symbol.name()).judge(says_length);
            symbols = firsts().filter_map(Expr::as_symbol).filter(free).collect();
        }
        if !symbols.is_empty() {
            let bound = bindings.sizes(model);
            let symbols: BTreeSet<String> =
                symbols.into_iter().map(|symbol| symbol.name().to_owned()).collect();
            let fixed = symbols.iter().find_map(|symbol| bound.get(symbol));
            let fixed = fixed.and_then(|size| u64::try_from(*size).ok());
            return Self { fixed, symbols, has_dimension: true };
        }
        let batches = inputs.iter().filter_map(|(_, fact)| fixed_batch(fact.as_tensor()?));
        let fixed = batches.filter_map(|size| u64::try_from(size).ok()).next();
        Self {
            symbols: BTreeSet::new(),
            fixed: Some(fixed.unwrap_or(1)),
            has_dimension: fixed.is_some(),
        }
    }
}

/// The first dimension of a fixed shape, where it is the batch: not in an image of three channels,
/// nor in a matrix of more than one row of floats, whose rows may be anything.
fn fixed_batch(tensor: &TensorFact) -> Option<i64> {
    let sizes: Vec<_> = tensor.dims()?.iter().map(Expr::as_const).collect();
    match *sizes.as_slice() {
        [Some(3), Some(height), Some(width)] if height >= 32 && width >= 32 => None,
        [Some(rows), _] if rows > 1 && tensor.dtype.is_float() => None,
        [_, _, ..] => sizes.first().copied().flatten(),
        _ => None,
    }
}

fn says_batch(name: &str) -> bool {
    let name = name.to_lowercase();
    name.contains("batch") || matches!(&*name, "n" | "b" | "bs")
}

fn says_length(name: &str) -> bool {
    let name = name.to_lowercase();
    ["seq", "len", "time", "height", "width", "frames", "tokens"]
        .iter()
        .any(|word| name.contains(word))
}

/// Sizes at which the model is evaluated.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OperatingPoint {
    /// Samples per run.
    pub batch: u64,
    /// Sizes that replace the assumed ones.
    pub dims: BTreeMap<String, i64>,
}

/// The precision that the model computes in.
#[derive(Clone, Debug)]
pub(crate) struct PrecisionPlan {
    /// Precision of matrix products.
    pub(crate) precision: Precision,
    /// Precision of kernels that the file does not quantize.
    pub(crate) rest: Precision,
    /// Precision of activations between kernels.
    pub(crate) activations: Precision,
    /// Whether it is the stored precision, so that nothing is converted.
    pub(crate) own: bool,
    pub(crate) why: String,
}

/// The model, with everything that hardware estimates need.
pub struct ModelProfile<'a> {
    pub(crate) model: &'a Model,
    pub(crate) bindings: &'a Bindings,
    pub(crate) typed: &'a Typed,
    pub(crate) sizes: &'a Sizes,
    pub(crate) caches: &'a Caches,
    pub(crate) parameters: &'a Parameters,
    pub(crate) architecture: &'a Architecture,
    pub(crate) quantization: &'a Quantization,
    pub(crate) task: TaskKind,
    pub(crate) plan: &'a ExecutionPlan,
    pub(crate) batch: Batch,
    pub(crate) precision: PrecisionPlan,
    /// Intra-op threads of a processor; all cores where it is `None`.
    pub(crate) threads: Option<u32>,
    /// Nodes that are not timed because they are `ai.onnx.ml` operators.
    classical: usize,
}

impl<'a> ModelProfile<'a> {
    /// Returns the model at the precision of `query`.
    pub fn new(
        model: &'a Model,
        bindings: &'a Bindings,
        typed: &'a Typed,
        measured: &'a Measured,
        recognized: &'a Recognized<'_>,
        plan: &'a ExecutionPlan,
        query: &HardwareQuery,
    ) -> Self {
        let is_classical = |node: &&NodeId| model.name(model.node(**node).domain) == "ai.onnx.ml";
        Self {
            classical: model.main().order.iter().filter(is_classical).count(),
            model,
            bindings,
            typed,
            sizes: &measured.sizes,
            caches: &measured.caches,
            parameters: &measured.parameters,
            architecture: &recognized.architecture,
            quantization: &recognized.quantization,
            task: recognized.task.kind,
            plan,
            batch: Batch::find(model, bindings),
            threads: query.threads,
            precision: PrecisionPlan::new(
                query.precision,
                &recognized.architecture,
                &recognized.quantization,
            ),
        }
    }

    /// Returns the same model with other shapes.
    pub fn with_shapes<'b>(&'b self, typed: &'b Typed, plan: &'b ExecutionPlan) -> ModelProfile<'b>
    where
        'a: 'b,
    {
        ModelProfile {
            typed,
            plan,
            batch: self.batch.clone(),
            precision: self.precision.clone(),
            ..*self
        }
    }

    /// Returns the same model at another precision.
    pub(crate) fn at_precision(&self, precision: Precision) -> ModelProfile<'_> {
        let own = self.precision.clone();
        let mut profile = ModelProfile { batch: self.batch.clone(), precision: own, ..*self };
        if precision != profile.precision.precision {
            profile.precision =
                PrecisionPlan::new(Some(precision), self.architecture, self.quantization);
        }
        profile
    }

    /// Returns the batch of the report's other figures.
    pub fn base_batch(&self) -> u64 {
        let assumed = || {
            let size = self.sizes.get(self.batch.symbols.first()?)?.size;
            u64::try_from(size).ok()
        };
        self.batch.fixed.or_else(assumed).unwrap_or(1).max(1)
    }

    /// Whether a dimension of the inputs follows the batch.
    fn batch_is_free(&self) -> bool {
        !self.batch.symbols.is_empty() && self.batch.fixed.is_none()
    }

    /// Returns the factor on figures at the base batch, as a fraction.
    pub fn scale(&self, at: &OperatingPoint) -> (u64, u64) {
        match self.batch_is_free() {
            true => (1, 1),
            false => (at.batch, self.base_batch()),
        }
    }

    /// The size of a free dimension.
    pub fn size(&self, at: &OperatingPoint, name: &str) -> Option<i64> {
        if self.batch_is_free() && self.batch.symbols.contains(name) {
            return i64::try_from(at.batch).ok();
        }
        at.dims.get(name).copied().or_else(|| Some(self.sizes.get(name)?.size))
    }

    /// Names of free dimensions with a role.
    pub fn named(&self, role: Role) -> impl Iterator<Item = (&String, i64)> {
        let is = move |(_, assumed): &(&String, &calipers_measure::assume::Assumed)| {
            assumed.role == role
        };
        self.sizes.iter().filter(is).map(|(name, assumed)| (name, assumed.size))
    }

    /// Tokens of a sequence in the report's other figures, those before the run included.
    pub fn context(&self) -> Option<u64> {
        let of = |role| self.named(role).map(|(_, size)| size).max();
        let past = of(Role::Past).map(|past| past.saturating_add(of(Role::New).unwrap_or(1)));
        past.or_else(|| of(Role::Capacity))
            .or_else(|| of(Role::Sequence))
            .and_then(|size| u64::try_from(size).ok())
    }

    /// Sizes of a run that ends with `context` tokens, `new` of them computed in it.
    pub fn lengths(&self, context: u64, new: u64) -> BTreeMap<String, i64> {
        let number = |size: u64| i64::try_from(size).unwrap_or(i64::MAX);
        let mut dims = BTreeMap::new();
        for (role, size) in [
            (Role::Past, context.saturating_sub(new)),
            (Role::New, new),
            (Role::Capacity, context),
            (Role::Sequence, context),
        ] {
            dims.extend(self.named(role).map(|(name, _)| (name.clone(), number(size))));
        }
        dims
    }

    /// The values of all sizes of the plan.
    pub(crate) fn values(&self, at: &OperatingPoint) -> Values {
        self.plan.pool.evaluate(|name| self.size(at, name))
    }

    /// The kernels of a run.
    pub(crate) fn loads(&self, at: &OperatingPoint) -> Result<Vec<Load>, NoEstimate> {
        self.plan.workload.at(&self.values(at), self.scale(at))
    }

    /// Returns why no device has a time, where that is so.
    pub fn untimed(&self) -> Option<String> {
        if self.classical > 0 {
            return Some(format!(
                "{} nodes are ai.onnx.ml operators (trees, text features), which are not timed",
                self.classical
            ));
        }
        if self.batch.fixed == Some(0) {
            return Some("the batch is set to 0".to_owned());
        }
        if let Err(why) = &self.plan.activations {
            return Some(why.clone());
        }
        if self.plan.workload.kernels() == 0 {
            let has_graph = self.model.header.graph_origin != GraphOrigin::Absent;
            return Some(if has_graph {
                "the model launches no kernel".to_owned()
            } else {
                "the file stores weights, and no graph".to_owned()
            });
        }
        None
    }

    /// Returns the time of kernels on a device.
    pub(crate) fn time(&self, loads: &[Load], device: &Device) -> Result<Estimate, NoEstimate> {
        if let Some(why) = self.untimed() {
            return Err(why);
        }
        let runtime = self.plan.runtime;
        let estimate =
            estimate::estimate(loads, device, self.precision.rest, runtime, self.threads)?;
        let sound = [Some(estimate.graph), estimate.eager].into_iter().flatten().all(|range| {
            let parts = [range.low, range.expected, range.high];
            parts.into_iter().all(|part| part.is_finite() && part > 0.0)
        });
        if sound { Ok(estimate) } else { Err("the time is not a number".to_owned()) }
    }

    /// Whether it has a KV cache.
    pub fn cached(&self) -> bool {
        self.caches.values().next().is_some()
    }

    /// Returns the values of the KV cache before a run, and after it.
    pub fn cache_values(&self) -> impl Iterator<Item = (ValueId, Option<ValueId>)> {
        self.caches.values()
    }
}

impl PrecisionPlan {
    /// The requested precision, else the model's own.
    pub(crate) fn new(
        requested: Option<Precision>,
        architecture: &Architecture,
        quantization: &Quantization,
    ) -> Self {
        let float: Option<Precision> =
            architecture.facts.precision.as_deref().and_then(|id| id.parse().ok());
        let scheme = quantization.scheme;
        let own = match (scheme, scheme.bits()) {
            (Scheme::Float { bits: 8 }, _) => Some(Precision::Fp8),
            (Scheme::Float { .. }, _) => float,
            (_, Some(8)) => Some(Precision::Int8),
            (_, Some(4)) => Some(Precision::Int4),
            _ => float,
        };
        let stored_float = float.unwrap_or(Precision::Fp32);
        let (precision, is_own, why) = match (requested, own) {
            (Some(requested), Some(own)) if requested == own => {
                (requested, true, "requested, and the model's own".to_owned())
            }
            (Some(requested), _) => (requested, false, "requested".to_owned()),
            (None, Some(own)) if Some(own) != float => {
                (own, true, format!("the model's own, quantized as {}", scheme.id()))
            }
            (None, Some(own)) => (own, true, "the model's own".to_owned()),
            (None, None) => {
                (Precision::Fp32, true, "default: the weights have no float type".to_owned())
            }
        };
        let is_static = matches!(scheme, Scheme::Qdq { .. } | Scheme::QOperator { .. });
        let activations = match precision {
            // Only weights have four bits.
            Precision::Int4 | Precision::Fp4 if is_own => stored_float,
            Precision::Int4 | Precision::Fp4 => Precision::Fp16,
            // Dynamic quantization keeps activations in floats between kernels.
            Precision::Int8 if is_own && !is_static => stored_float,
            other => other,
        };
        let rest = if is_own { stored_float } else { precision };
        Self { precision, rest, activations, own: is_own, why }
    }
}
