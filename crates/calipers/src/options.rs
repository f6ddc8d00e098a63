//! The options of an analysis.

use std::fmt;
use std::sync::Arc;

use calipers_infer::Bindings;
use calipers_lint::Selection;
use calipers_perf::HardwareQuery;
use calipers_perf::devices::{NotFound, Precision};
use calipers_report::Runtime;
use calipers_summary::Audience;

/// A function that is called with the bytes read and the bytes to read.
type Progress = Arc<dyn Fn(u64, u64) + Send + Sync>;

/// The options of an analysis. By default every dimension is free, no weight is read, and a handful
/// of common devices is compared for ONNX Runtime.
///
/// ```
/// let options = calipers::Options::new().dim("batch", 8).device("l4").weights(true);
/// ```
#[derive(Clone, Default)]
pub struct Options {
    pub(crate) bindings: Bindings,
    hardware: Option<HardwareQuery>,
    device: Option<String>,
    runtime: Option<Runtime>,
    precision: Option<Precision>,
    batch: Option<u64>,
    context: Option<u64>,
    pub(crate) weights: bool,
    pub(crate) max_weight_bytes: Option<u64>,
    pub(crate) progress: Option<Progress>,
    pub(crate) fingerprints: bool,
    pub(crate) findings: Selection,
    pub(crate) redact_names: bool,
    pub(crate) show_secrets: bool,
    pub(crate) audience: Audience,
}

impl Options {
    /// The default options.
    pub fn new() -> Self {
        Self::default()
    }

    /// Binds a named dimension of the inputs to a size.
    #[must_use]
    pub fn dim(mut self, name: impl Into<String>, size: i64) -> Self {
        self.bindings.dims.insert(name.into(), size);
        self
    }

    /// Binds an input to a shape.
    #[must_use]
    pub fn input(mut self, name: impl Into<String>, shape: impl Into<Vec<i64>>) -> Self {
        self.bindings.inputs.insert(name.into(), shape.into());
        self
    }

    /// Sets the elements of an integer input from which the model computes shapes.
    #[must_use]
    pub fn value(mut self, name: impl Into<String>, elements: impl Into<Vec<i64>>) -> Self {
        self.bindings.values.insert(name.into(), elements.into());
        self
    }

    /// Binds dimensions, inputs and values, in place of all that were bound before.
    #[must_use]
    pub fn bindings(mut self, bindings: Bindings) -> Self {
        self.bindings = bindings;
        self
    }

    /// Estimates fit and latency in full for this device, e.g. `rtx-4090`. Without one, devices are
    /// only compared.
    #[must_use]
    pub fn device(mut self, id: impl Into<String>) -> Self {
        self.device = Some(id.into());
        self
    }

    /// Estimates for this runtime; the default is ONNX Runtime.
    ///
    /// The timing models were measured with PyTorch on an H200. Other runtimes launch fewer kernels,
    /// and their ranges are wider.
    #[must_use]
    pub fn runtime(mut self, runtime: Runtime) -> Self {
        self.runtime = Some(runtime);
        self
    }

    /// Estimates for this precision instead of the model's own.
    #[must_use]
    pub fn precision(mut self, precision: Precision) -> Self {
        self.precision = Some(precision);
        self
    }

    /// Estimates for this many samples per run.
    #[must_use]
    pub fn batch(mut self, batch: u64) -> Self {
        self.batch = Some(batch);
        self
    }

    /// Estimates for sequences of this many tokens.
    #[must_use]
    pub fn context(mut self, tokens: u64) -> Self {
        self.context = Some(tokens);
        self
    }

    /// Sets the whole hardware query: devices, runtime, precision, batch, context and targets. The
    /// options above take precedence over it.
    #[must_use]
    pub fn hardware(mut self, query: HardwareQuery) -> Self {
        self.hardware = Some(query);
        self
    }

    /// Returns the hardware query with the options that are set one by one. It reads the device
    /// catalog, which an analysis without hardware does not need.
    pub(crate) fn hardware_query(&self) -> Result<HardwareQuery, NotFound> {
        let mut query = self.hardware.clone().unwrap_or_default();
        if let Some(id) = &self.device {
            query.device = Some(query.catalog.find(id)?.clone());
        }
        query.runtime = self.runtime.unwrap_or(query.runtime);
        query.precision = self.precision.or(query.precision);
        query.batch = self.batch.or(query.batch);
        query.context = self.context.or(query.context);
        Ok(query)
    }

    /// Reads every weight for statistics and for the findings that need them.
    #[must_use]
    pub fn weights(mut self, read: bool) -> Self {
        self.weights = read;
        self
    }

    /// Reads at most this many bytes of weights; tensors beyond it are reported as not read. The
    /// default is 200 GB.
    #[must_use]
    pub fn max_weight_bytes(mut self, bytes: u64) -> Self {
        self.max_weight_bytes = Some(bytes);
        self
    }

    /// Calls a function while weights are read, with the bytes read since the last call and the
    /// total bytes.
    #[must_use]
    pub fn progress(mut self, progress: impl Fn(u64, u64) + Send + Sync + 'static) -> Self {
        self.progress = Some(Arc::new(progress));
        self
    }

    /// Computes the SHA-256 of the model's files, which reads every byte.
    #[must_use]
    pub fn fingerprints(mut self, compute: bool) -> Self {
        self.fingerprints = compute;
        self
    }

    /// Reports only these findings.
    #[must_use]
    pub fn findings(mut self, selection: Selection) -> Self {
        self.findings = selection;
        self
    }

    /// Replaces every name of the model in the output.
    #[must_use]
    pub fn redact_names(mut self, redact: bool) -> Self {
        self.redact_names = redact;
        self
    }

    /// Shows secrets that were recognized in names and texts of the model. By default they are
    /// masked: `sk-proj-…(32 characters)`.
    #[must_use]
    pub fn show_secrets(mut self, show: bool) -> Self {
        self.show_secrets = show;
        self
    }

    /// Writes the summary for this reader.
    #[must_use]
    pub fn audience(mut self, audience: Audience) -> Self {
        self.audience = audience;
        self
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { bindings, hardware, device, runtime, precision, .. } = self;
        let Self { batch, context, weights, .. } = self;
        f.debug_struct("Options")
            .field("bindings", bindings)
            .field("hardware", hardware)
            .field("device", device)
            .field("runtime", runtime)
            .field("precision", precision)
            .field("batch", batch)
            .field("context", context)
            .field("weights", weights)
            .field("fingerprints", &self.fingerprints)
            .field("findings", &self.findings)
            .field("redact_names", &self.redact_names)
            .field("show_secrets", &self.show_secrets)
            .field("audience", &self.audience)
            .finish_non_exhaustive()
    }
}
