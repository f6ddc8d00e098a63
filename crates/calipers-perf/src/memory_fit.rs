//! Memory: what a run needs, whether it fits a device, and the largest batch that does.
//!
//! A run needs its weights, its activations at their peak, the KV cache and the runtime overhead.
//! No model states the overhead, so it is a range by class of device, [`workspace`].

use std::cell::RefCell;
use std::collections::BTreeMap;

use calipers_ir::{DType, ValueId};
use calipers_ops::TensorFact;
use calipers_report::{ByteRange, MemoryNeed, Parameters};

use super::profile::{ModelProfile, OperatingPoint, PrecisionPlan};
use crate::devices::{Device, DeviceClass, Precision};

/// The largest batch that is searched for.
pub(crate) const MOST_BATCH: u64 = 65_536;

/// The longest context that is searched for.
pub(crate) const MOST_CONTEXT: u64 = 1 << 22;

/// Memory of the model at any size.
pub(crate) struct MemoryFit<'a> {
    pub profile: &'a ModelProfile<'a>,
    weights: Result<u64, String>,
    /// Peaks that were computed before.
    known: RefCell<BTreeMap<(u64, Vec<i64>), Parts>>,
}

/// Parts of the memory that depend on the sizes.
#[derive(Clone, Debug)]
struct Parts {
    activations: Result<u64, String>,
    cache: Option<Result<u64, String>>,
}

/// Whether a run fits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fit {
    /// `None` when it cannot be determined.
    pub fits: Option<bool>,
    /// It fits only if the runtime overhead stays below its high end.
    pub tight: bool,
    /// All bytes, with the runtime overhead at its expected size.
    pub bytes: Option<u64>,
    /// Why it cannot be determined, or the rule that applies.
    pub why: Option<String>,
}

impl<'a> MemoryFit<'a> {
    pub(crate) fn new(profile: &'a ModelProfile<'a>) -> Self {
        let weights = weights(profile.parameters, &profile.precision);
        Self { profile, weights, known: RefCell::default() }
    }

    /// Returns the memory that a run needs on a device.
    pub(crate) fn need(&self, at: &OperatingPoint, device: &Device) -> MemoryNeed {
        let parts = self.parts(at);
        let activations = parts.activations.as_ref().ok().copied();
        let cache = parts.cache.as_ref().and_then(|bytes| bytes.as_ref().ok().copied());
        let unknown = [self.weights.as_ref().err(), parts.activations.as_ref().err()]
            .into_iter()
            .chain([parts.cache.as_ref().and_then(|bytes| bytes.as_ref().err())])
            .flatten()
            .next();
        MemoryNeed {
            weights_bytes: self.weights.as_ref().ok().copied(),
            activations_bytes: activations,
            kv_cache_bytes: cache,
            workspace_bytes: workspace(device.class, activations.unwrap_or(0)),
            unknown: unknown.cloned(),
        }
    }

    /// Returns whether a run fits a device.
    pub(crate) fn fit(&self, at: &OperatingPoint, device: &Device) -> Fit {
        let need = self.need(at, device);
        if let Some(chip) = &device.on_chip {
            let memory_fit = chip.memory_mb.filter(|mb| *mb > 0.0 && *mb < 1e9);
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "it is bounded"
            )]
            let memory_fit = memory_fit.map(|mb| (mb * 1e6) as u64);
            let fits = memory_fit
                .zip(need.weights_bytes)
                .map(|(memory_fit, weights)| weights <= memory_fit);
            // A larger model may still run, with its weights crossing the link.
            let fits = fits.filter(|fits| *fits || chip.link_gb_s.is_none());
            let why = (fits != Some(true)).then(|| chip.rule.clone());
            return Fit { fits, tight: false, bytes: need.weights_bytes, why };
        }
        let (bytes, highest) = match total(&need) {
            Ok(totals) => totals,
            Err(why) => return Fit { fits: None, tight: false, bytes: None, why: Some(why) },
        };
        let Some(memory_fit) = device.memory_bytes() else {
            // The memory of a CPU is what is installed.
            let stated = device.class != DeviceClass::Cpu;
            let why = stated.then(|| "the memory size is not known".to_owned());
            return Fit { fits: None, tight: false, bytes: Some(bytes), why };
        };
        let fits = bytes <= memory_fit;
        Fit { fits: Some(fits), tight: fits && highest > memory_fit, bytes: Some(bytes), why: None }
    }

    /// Returns the largest batch that fits a device, [`MOST_BATCH`] at most; `None` when none does,
    /// the inputs have no batch dimension, or it cannot be determined.
    pub(crate) fn largest_batch(&self, at: &OperatingPoint, device: &Device) -> Option<u64> {
        if !self.profile.batch.has_dimension {
            return None;
        }
        let with = |batch| OperatingPoint { batch, ..at.clone() };
        self.largest(device, MOST_BATCH, &with)
    }

    /// The longest context that fits a device at a batch.
    pub(crate) fn largest_context(
        &self,
        at: &OperatingPoint,
        device: &Device,
        most: u64,
    ) -> Option<u64> {
        let new = |context| if self.profile.cached() { 1 } else { context };
        let with = |context| OperatingPoint {
            dims: self.profile.lengths(context, new(context)),
            ..at.clone()
        };
        self.largest(device, most.min(MOST_CONTEXT), &with)
    }

    /// Returns the largest size that fits, by doubling and linear interpolation: between a size and
    /// its double, memory grows at least linearly.
    fn largest(
        &self,
        device: &Device,
        most: u64,
        with: &dyn Fn(u64) -> OperatingPoint,
    ) -> Option<u64> {
        let memory_fit = device.memory_bytes().filter(|_| device.on_chip.is_none())?;
        let need = |size| self.fit(&with(size), device).bytes;
        // Most models fit at every size.
        if need(most).is_some_and(|bytes| bytes <= memory_fit) {
            return Some(most);
        }
        let (mut fits, mut bytes) = (1, need(1).filter(|bytes| *bytes <= memory_fit)?);
        while fits < most {
            let next = fits.saturating_mul(2).min(most);
            let more = need(next)?;
            if more > memory_fit {
                let slope = more.checked_sub(bytes).filter(|slope| *slope > 0)?;
                let steps =
                    u128::from(memory_fit - bytes) * u128::from(next - fits) / u128::from(slope);
                return Some(fits + u64::try_from(steps).unwrap_or(0).min(next - fits - 1));
            }
            (fits, bytes) = (next, more);
        }
        Some(most)
    }

    fn parts(&self, at: &OperatingPoint) -> Parts {
        let key = (at.batch, at.dims.values().copied().collect());
        if let Some(parts) = self.known.borrow().get(&key) {
            return parts.clone();
        }
        let parts = self.measure(at);
        self.known.borrow_mut().insert(key, parts.clone());
        parts
    }

    fn measure(&self, at: &OperatingPoint) -> Parts {
        let profile = self.profile;
        let (times, over) = profile.scale(at);
        let scaled = |bytes: u64| {
            u64::try_from(u128::from(bytes) * u128::from(times) / u128::from(over))
                .unwrap_or(u64::MAX)
        };
        let cache = self.cache(at);
        let followed = profile.plan.activations.as_ref().map_err(Clone::clone);
        let peak = followed
            .and_then(|found| found.peak(&profile.values(at), profile.precision.activations));
        // The cache is counted apart from the activations.
        let counted = cache.as_ref().map_or(Ok(0), |(both, _)| both.clone()).unwrap_or(0);
        let activations = peak.map(|peak| scaled(peak.total().saturating_sub(counted)));
        let cache = cache.map(|(_, after)| after.map(scaled));
        Parts { activations, cache }
    }

    /// Bytes of the caches before and after a run together, and after it alone; `None` without any.
    fn cache(&self, at: &OperatingPoint) -> Option<(Result<u64, String>, Result<u64, String>)> {
        let (mut both, mut after) = (Ok(0_u64), Ok(0_u64));
        let mut any = false;
        let add = |sum: Result<u64, String>, bytes: &Result<u64, String>| {
            Ok(sum?.saturating_add(bytes.clone()?))
        };
        for (past, present) in self.profile.cache_values() {
            any = true;
            let before = self.bytes(past, at);
            let then = present.map_or_else(|| before.clone(), |value| self.bytes(value, at));
            both = add(both, &before);
            if present.is_some() {
                both = add(both, &then);
            }
            after = add(after, &then);
        }
        any.then_some((both, after))
    }

    /// Bytes of a value in the precision.
    fn bytes(&self, value: ValueId, at: &OperatingPoint) -> Result<u64, String> {
        let fact = self.profile.typed.fact(value);
        let tensor: &TensorFact = fact.as_tensor().ok_or("a cache is not a tensor")?;
        let dims = tensor.shape.as_ref().map_err(ToString::to_string)?;
        let mut elements = 1_u64;
        for dim in dims.iter() {
            let size = dim.evaluate(|name| self.profile.size(at, name));
            let size = size.map_err(|error| error.to_string())?;
            let size =
                u64::try_from(size).map_err(|_| format!("dimension {dim} would be {size}"))?;
            elements = elements.checked_mul(size).ok_or("the size exceeds 64 bits")?;
        }
        let bits = tensor.dtype.bits().unwrap_or(32);
        let bits = match is_float(&tensor.dtype.to_string()) && !self.profile.precision.own {
            true => self.profile.precision.activations.bits(),
            false => bits,
        };
        Ok((u128::from(elements) * u128::from(bits)).div_ceil(8).try_into().unwrap_or(u64::MAX))
    }
}

/// All bytes of a need: with the expected workspace, and with the highest.
pub(crate) fn total(need: &MemoryNeed) -> Result<(u64, u64), String> {
    if let Some(why) = &need.unknown {
        return Err(why.clone());
    }
    let parts = [need.weights_bytes, need.activations_bytes, need.kv_cache_bytes];
    let model = parts.into_iter().flatten().fold(0, u64::saturating_add);
    let ByteRange { expected, high, .. } = need.workspace_bytes;
    Ok((model.saturating_add(expected), model.saturating_add(high)))
}

/// Bytes of the weights in a precision. Floats are converted; integers stay as they are stored.
fn weights(parameters: &Parameters, choice: &PrecisionPlan) -> Result<u64, String> {
    let stored = parameters.stored_bytes.ok_or("the size of the stored tensors is not known")?;
    if choice.own {
        return Ok(stored);
    }
    // A scale of 16 bits for every 32 weights of four.
    let bits_x2 = match choice.precision {
        Precision::Int4 | Precision::Fp4 => 9,
        other => u64::from(other.bits()) * 2,
    };
    let (mut before, mut after) = (0_u64, 0_u64);
    for (dtype, elements) in &parameters.by_dtype {
        let bits = match dtype {
            DType::Float64 => 64,
            DType::Float32 => 32,
            DType::Float16 | DType::Bfloat16 => 16,
            _ => continue,
        };
        // Weights that the file does not store are still there at run time.
        before = before.saturating_add(elements.saturating_mul(bits) / 8);
        after = after.saturating_add(elements.saturating_mul(bits_x2).div_ceil(16));
    }
    Ok(stored.saturating_sub(before).saturating_add(after))
}

fn is_float(dtype: &str) -> bool {
    matches!(dtype, "float64" | "float32" | "float16" | "bfloat16")
}

/// Returns the runtime overhead: driver contexts, libraries, scratch space and allocator slack; and
/// the operating system, where it shares the memory.
pub(crate) fn workspace(class: DeviceClass, activations: u64) -> ByteRange {
    const MB: u64 = 1_000_000;
    let (low, expected, high) = match class {
        DeviceClass::GpuDatacenter | DeviceClass::GpuConsumer | DeviceClass::Tpu => {
            (300, 500, 1000)
        }
        DeviceClass::EdgeModule => (1000, 1500, 2500),
        DeviceClass::Soc => (2000, 4000, 6000),
        DeviceClass::Npu => (50, 200, 500),
        DeviceClass::Cpu => (300, 600, 1500),
    };
    ByteRange {
        low: low * MB,
        expected: (expected * MB).saturating_add(activations / 10),
        high: (high * MB).saturating_add(activations / 2),
    }
}

/// The runtime overhead as a sentence.
pub(crate) fn overhead_sentence(class: DeviceClass) -> String {
    let ByteRange { low, high, .. } = workspace(class, 0);
    let shared = match class {
        DeviceClass::EdgeModule | DeviceClass::Soc | DeviceClass::Cpu => {
            " and the operating system"
        }
        _ => "",
    };
    #[expect(clippy::cast_precision_loss, reason = "a few digits")]
    let gigabytes = |bytes: u64| bytes as f64 / 1e9;
    format!(
        "Runtime overhead{shared}: {} to {} GB, plus scratch space and allocator slack of up to half \
         of the activations; a tenth is expected.",
        gigabytes(low),
        gigabytes(high)
    )
}
