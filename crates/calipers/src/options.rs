//! What an analysis is asked for.

use std::fmt;
use std::sync::Arc;

use calipers_infer::Bindings;
use calipers_lint::Selection;
use calipers_perf::HardwareQuery;
use calipers_perf::devices::{NotFound, Precision};
use calipers_summary::Audience;

/// A function that is called with the bytes read and the bytes to read.
type Progress = Arc<dyn Fn(u64, u64) + Send + Sync>;

/// What an analysis is asked for. The default leaves every dimension free, reads no weight and
/// compares a handful of well-known devices.
///
/// ```
/// let options = calipers::Options::new().dim("batch", 8).device("l4").weights(true);
/// ```
#[derive(Clone, Default)]
pub struct Options {
    pub(crate) bindings: Bindings,
    hardware: Option<HardwareQuery>,
    device: Option<String>,
    precision: Option<Precision>,
    batch: Option<u64>,
    context: Option<u64>,
    pub(crate) weights: bool,
    pub(crate) progress: Option<Progress>,
    pub(crate) fingerprints: bool,
    pub(crate) findings: Selection,
    pub(crate) redact_names: bool,
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

    /// Binds dimensions and inputs, in place of all that were bound before.
    #[must_use]
    pub fn bindings(mut self, bindings: Bindings) -> Self {
        self.bindings = bindings;
        self
    }

    /// Estimates fit and latency in full for the device of this id, such as `rtx-4090`.
    #[must_use]
    pub fn device(mut self, id: impl Into<String>) -> Self {
        self.device = Some(id.into());
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

    /// The whole hardware query: devices, precision, batch, context and targets. What the options
    /// above set goes before what it says.
    #[must_use]
    pub fn hardware(mut self, question: HardwareQuery) -> Self {
        self.hardware = Some(question);
        self
    }

    /// The hardware query with the options that are set one by one. Reads the table of devices, so
    /// that an analysis without hardware need not.
    pub(crate) fn question(&self) -> Result<HardwareQuery, NotFound> {
        let mut question = self.hardware.clone().unwrap_or_default();
        if let Some(id) = &self.device {
            question.device = Some(question.catalog.find(id)?.clone());
        }
        question.precision = self.precision.or(question.precision);
        question.batch = self.batch.or(question.batch);
        question.context = self.context.or(question.context);
        Ok(question)
    }

    /// Reads every weight for statistics and for the findings that need them.
    #[must_use]
    pub fn weights(mut self, read: bool) -> Self {
        self.weights = read;
        self
    }

    /// Calls a function while weights are read, with the bytes read since the last call and the
    /// bytes in all.
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

    /// Writes the summary for this reader.
    #[must_use]
    pub fn audience(mut self, audience: Audience) -> Self {
        self.audience = audience;
        self
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { bindings, hardware, device, precision, batch, context, weights, .. } = self;
        f.debug_struct("Options")
            .field("bindings", bindings)
            .field("hardware", hardware)
            .field("device", device)
            .field("precision", precision)
            .field("batch", batch)
            .field("context", context)
            .field("weights", weights)
            .field("fingerprints", &self.fingerprints)
            .field("findings", &self.findings)
            .field("redact_names", &self.redact_names)
            .field("audience", &self.audience)
            .finish_non_exhaustive()
    }
}
