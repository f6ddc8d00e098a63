//! The model as far as its speed and its memory go, at any batch and any length.

use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use calipers_arch::Recognized;
use calipers_arch::network::Network;
use calipers_infer::{Bindings, Typed, declared_inputs};
use calipers_ir::{Model, ValueId};
use calipers_measure::Measured;
use calipers_measure::assume::{Role, Sizes};
use calipers_measure::memory::Caches;
use calipers_ops::Work;
use calipers_report::{Architecture, Parameters, Quantization, Scheme};
use calipers_sym::{Expr, Symbol};

use super::activations::Activations;
use super::estimate::{self, Estimate, NoEstimate};
use super::kernels::{self, Kernel};
use super::query::HardwareQuery;
use crate::devices::{Device, Precision};

/// Parts of a network beyond which nothing is reported of plan it. The largest networks have some
/// thousands; a chain of a hundred thousand would only fill the memory with kernels.
const MOST_UNITS: usize = 50_000;

/// What runs: found once in the recognized network, evaluated at every size.
pub struct ExecutionPlan {
    /// Kernels of one run.
    pub kernels: Vec<Kernel>,
    /// Values and how long they live, or why they were not followed.
    pub(super) activations: Result<Activations, NoEstimate>,
}

impl ExecutionPlan {
    /// Finds the kernels of a network and the live ranges of its values.
    pub fn of(net: &Network<'_>) -> Self {
        let units = net.units().count();
        if units > MOST_UNITS {
            let why = format!(
                "its network has {units} parts, and plan one is reported up to {MOST_UNITS}"
            );
            return Self { kernels: Vec::new(), activations: Err(why) };
        }
        let launches = kernels::launches(net);
        let activations = Activations::of(net, &launches);
        Self { kernels: launches.kernels, activations: Ok(activations) }
    }
}

/// The batch of a model.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Batch {
    /// Names of the dimensions that tell samples apart, where the file leaves them free. Some
    /// exporters give every input one of its own.
    pub symbols: BTreeSet<String>,
    /// Its size, where the file or a binding fixes it.
    pub fixed: Option<u64>,
}

impl Batch {
    /// Finds the dimension of the inputs that tells samples apart.
    pub fn find(model: &Model, bindings: &Bindings) -> Self {
        let inputs = declared_inputs(model);
        let shapes = || inputs.iter().filter_map(|(_, fact)| fact.as_tensor()?.dims());
        let firsts = || shapes().filter_map(<[Expr]>::first);
        let named = |symbol: &&Symbol| says_batch(symbol.name());
        let mut symbols: Vec<&Symbol> =
            shapes().flatten().filter_map(Expr::as_symbol).filter(named).collect();
        if symbols.is_empty() && shapes().any(|dims| dims.len() > 1) {
            let free = |symbol: &&Symbol| !says_length(symbol.name());
            symbols = firsts().filter_map(Expr::as_symbol).filter(free).collect();
        }
        if !symbols.is_empty() {
            let bound = bindings.sizes(model);
            let symbols: BTreeSet<String> =
                symbols.into_iter().map(|symbol| symbol.name().to_owned()).collect();
            let fixed = symbols.iter().find_map(|symbol| bound.get(symbol));
            return Self { fixed: fixed.and_then(|size| u64::try_from(*size).ok()), symbols };
        }
        let wide =
            shapes().filter(|dims| dims.len() > 1 && !is_chart(dims)).filter_map(<[Expr]>::first);
        let fixed = wide.filter_map(Expr::as_const).find_map(|size| u64::try_from(size).ok());
        Self { symbols: BTreeSet::new(), fixed: Some(fixed.unwrap_or(1)) }
    }
}

/// Whether it is one chart, as three colors of some height and width: what is first is no batch.
fn is_chart(dims: &[Expr]) -> bool {
    let sizes: Vec<_> = dims.iter().map(Expr::as_const).collect();
    matches!(sizes.as_slice(), [Some(3), Some(height), Some(width)] if *height >= 32 && *width >= 32)
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

/// Sizes at which the model is looked at.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OperatingPoint {
    /// Samples of one run.
    pub batch: u64,
    /// Other sizes than those assumed.
    pub dims: BTreeMap<String, i64>,
}

/// What a precision means for the model.
#[derive(Clone, Debug)]
pub(crate) struct PrecisionPlan {
    /// What products are computed in.
    pub(crate) precision: Precision,
    /// What kernels are computed in of which the file does not say otherwise: of a model that is
    /// quantized, those that are not.
    pub(crate) rest: Precision,
    /// What activations are held in between kernels.
    pub(crate) activations: Precision,
    /// Whether it is the model's own, so that nothing is converted.
    pub(crate) own: bool,
    pub(crate) why: String,
}

/// The model, with all that the answers need of it.
pub struct ModelProfile<'a> {
    pub(crate) model: &'a Model,
    pub(crate) bindings: &'a Bindings,
    pub(crate) typed: &'a Typed,
    pub(crate) sizes: &'a Sizes,
    pub(crate) caches: &'a Caches,
    pub(crate) parameters: &'a Parameters,
    pub(crate) architecture: &'a Architecture,
    pub(crate) quantization: &'a Quantization,
    pub(crate) plan: &'a ExecutionPlan,
    pub(crate) batch: Batch,
    pub(crate) choice: PrecisionPlan,
}

impl<'a> ModelProfile<'a> {
    /// The model at the precision that `query` asks for.
    pub fn new(
        model: &'a Model,
        bindings: &'a Bindings,
        typed: &'a Typed,
        measured: &'a Measured,
        recognized: &'a Recognized<'_>,
        plan: &'a ExecutionPlan,
        query: &HardwareQuery,
    ) -> Self {
        Self {
            model,
            bindings,
            typed,
            sizes: &measured.sizes,
            caches: &measured.caches,
            parameters: &measured.parameters,
            architecture: &recognized.architecture,
            quantization: &recognized.quantization,
            plan,
            batch: Batch::find(model, bindings),
            choice: choose(query.precision, &recognized.architecture, &recognized.quantization),
        }
    }

    /// The same model with its shapes inferred again.
    pub fn again<'b>(&'b self, typed: &'b Typed, plan: &'b ExecutionPlan) -> ModelProfile<'b>
    where
        'a: 'b,
    {
        ModelProfile {
            typed,
            plan,
            batch: self.batch.clone(),
            choice: self.choice.clone(),
            ..*self
        }
    }

    /// The same model at another precision.
    pub(crate) fn at_precision(&self, precision: Precision) -> ModelProfile<'_> {
        let mut profile =
            ModelProfile { batch: self.batch.clone(), choice: self.choice.clone(), ..*self };
        if precision != profile.choice.precision {
            profile.choice = choose(Some(precision), self.architecture, self.quantization);
        }
        profile
    }

    /// The batch of the report's other figures.
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

    /// By how much figures at the base batch are to be multiplied: a fraction.
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

    /// Kernels with numbers for sizes.
    pub fn kernels(&self, at: &OperatingPoint) -> Result<Cow<'_, [Kernel]>, NoEstimate> {
        let (times, over) = self.scale(at);
        // Where nothing is free they have numbers already, and a graph may be large.
        if times == over && self.plan.kernels.iter().all(has_numbers) {
            return Ok(Cow::Borrowed(&self.plan.kernels));
        }
        let number = |expr: &Expr, scaled: bool| -> Result<Expr, NoEstimate> {
            let value = match expr.as_wide_const() {
                Some(value) => value,
                None => expr
                    .evaluate_wide(|name| self.size(at, name))
                    .map_err(|error| error.to_string())?,
            };
            let value = u64::try_from(value).map_err(|_| "a size is out of range".to_owned())?;
            let value = match scaled {
                true => u128::from(value) * u128::from(times) / u128::from(over),
                false => u128::from(value),
            };
            u64::try_from(value).map(Expr::from).map_err(|_| "a size is out of range".to_owned())
        };
        let kernel = |kernel: &Kernel| {
            Ok(Kernel {
                work: Work {
                    macs: number(&kernel.work.macs, true)?,
                    other_flops: number(&kernel.work.other_flops, true)?,
                },
                activations: number(&kernel.activations, true)?,
                weights: number(&kernel.weights, false)?,
                depth: number(&kernel.depth, false)?,
                results: number(&kernel.results, true)?,
                steps: number(&kernel.steps, false)?,
                // Products without weights are done for each sample by itself.
                rows: number(&kernel.rows, kernel.weights.as_const() != Some(0))?,
                ..kernel.clone()
            })
        };
        self.plan.kernels.iter().map(kernel).collect::<Result<_, _>>().map(Cow::Owned)
    }

    /// Why no time can be determined whatever the device, where that is so.
    pub fn untimed(&self) -> Option<String> {
        let classical = self
            .model
            .main()
            .order
            .iter()
            .filter(|node| self.model.name(self.model.node(**node).domain) == "ai.onnx.ml");
        let classical = classical.count();
        if classical > 0 {
            return Some(format!(
                "{classical} of its nodes are operators of ai.onnx.ml, such as trees and text \
                 features, and no times of those are known"
            ));
        }
        if self.batch.fixed == Some(0) {
            return Some("its batch is bound to 0".to_owned());
        }
        if let Err(why) = &self.plan.activations {
            return Some(why.clone());
        }
        if self.plan.kernels.is_empty() {
            return Some("nothing in it runs: it has no kernel".to_owned());
        }
        None
    }

    /// How long kernels with numbers for sizes take.
    pub fn time(&self, kernels: &[Kernel], device: &Device) -> Result<Estimate, NoEstimate> {
        if let Some(why) = self.untimed() {
            return Err(why);
        }
        let estimate = estimate::estimate(kernels, &|_| None, device, self.choice.rest)?;
        let Estimate { replayed, issued, .. } = &estimate;
        let sound = [replayed, issued].into_iter().all(|range| {
            let parts = [range.low, range.expected, range.high];
            parts.into_iter().all(|part| part.is_finite() && part > 0.0)
        });
        if sound { Ok(estimate) } else { Err("its time comes to no number".to_owned()) }
    }

    /// Whether it keeps keys and values from step to step.
    pub fn cached(&self) -> bool {
        self.caches.values().next().is_some()
    }

    /// Values that are caches before a run, and after it.
    pub fn cache_values(&self) -> impl Iterator<Item = (ValueId, Option<ValueId>)> {
        self.caches.values()
    }
}

/// Whether no size of a kernel is free, and all can be counted with.
fn has_numbers(kernel: &Kernel) -> bool {
    let Kernel { work, activations, weights, depth, results, rows, steps, .. } = kernel;
    [&work.macs, &work.other_flops, activations, weights, depth, results, rows, steps]
        .into_iter()
        .all(|size| size.as_const().is_some_and(|size| size >= 0))
}

/// The precision to look at: the one asked for, else the model's own.
pub(crate) fn choose(
    asked: Option<Precision>,
    architecture: &Architecture,
    quantization: &Quantization,
) -> PrecisionPlan {
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
    let (precision, is_own, why) = match (asked, own) {
        (Some(asked), Some(own)) if asked == own => {
            (asked, true, "asked for, and the model's own".to_owned())
        }
        (Some(asked), _) => (asked, false, "asked for".to_owned()),
        (None, Some(own)) if Some(own) != float => {
            (own, true, format!("the model's own: its quantization is {}", scheme.id()))
        }
        (None, Some(own)) => {
            (own, true, "the model's own: most weights are stored in it".to_owned())
        }
        (None, None) => {
            (Precision::Fp32, true, "the type of the weights does not tell another".to_owned())
        }
    };
    let is_static = matches!(scheme, Scheme::Qdq { .. } | Scheme::QOperator { .. });
    let activations = match precision {
        // Four bits are for weights alone.
        Precision::Int4 | Precision::Fp4 if is_own => stored_float,
        Precision::Int4 | Precision::Fp4 => Precision::Fp16,
        // Data that is quantized as it comes is in floats between kernels.
        Precision::Int8 if is_own && !is_static => stored_float,
        other => other,
    };
    let rest = if is_own { stored_float } else { precision };
    PrecisionPlan { precision, rest, activations, own: is_own, why }
}
