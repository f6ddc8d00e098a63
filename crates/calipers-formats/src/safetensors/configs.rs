//! The descriptions next to the weights: `config.json` and its like.

use calipers_ir::{DataFileState, Span};
use serde_json::Value;

use crate::Error;
use crate::external;
use crate::folder::Folder;
use crate::misstated::Misstated;

/// Bytes of a description that is read.
const MAX_CONFIG: u64 = 1 << 20;

/// Where descriptions are: of the network, of an adapter, and of the quantization as tools of GPTQ,
/// AWQ and ModelOpt write it.
const LOCATIONS: [&str; 5] = [
    "config.json",
    "adapter_config.json",
    "quantize_config.json",
    "quant_config.json",
    "hf_quant_config.json",
];

/// The descriptions that were found.
#[derive(Debug, Default)]
pub(super) struct Configs {
    /// The network: `config.json`.
    pub(super) network: Option<Value>,
    /// The adapter of a network: `adapter_config.json`.
    pub(super) adapter: Option<Value>,
    /// The quantization, where a file of its own describes it.
    quantization: Option<Value>,
}

impl Configs {
    /// Reads the descriptions in a folder.
    pub(super) fn read(folder: &dyn Folder, misstated: &mut Misstated) -> Result<Self, Error> {
        let states = folder.states(&LOCATIONS);
        let mut found = [const { None }; LOCATIONS.len()];
        for ((location, state), found) in LOCATIONS.into_iter().zip(states).zip(&mut found) {
            if matches!(state, DataFileState::Present(bytes) if bytes <= MAX_CONFIG) {
                *found = read(folder, location, misstated)?;
            }
        }
        let [network, adapter, gptq, awq, modelopt] = found;
        let quantization = gptq
            .map(|config| named(config, "gptq"))
            .or_else(|| awq.map(|config| named(config, "awq")))
            .or(modelopt);
        Ok(Self { network, adapter, quantization })
    }

    /// How the network is quantized, where that is stated.
    pub(super) fn quantization(&self) -> Option<&Value> {
        // MLX writes the first two.
        let keys = ["quantization_config", "quantization", "compression_config"];
        let stated = keys.into_iter().filter_map(|key| self.network.as_ref()?.get(key));
        let is_filled = |config: &&Value| config.as_object().is_some_and(|it| !it.is_empty());
        stated.chain(&self.quantization).find(is_filled)
    }
}

/// Reads one description; `None` where it is not an object of JSON.
fn read(
    folder: &dyn Folder,
    location: &'static str,
    misstated: &mut Misstated,
) -> Result<Option<Value>, Error> {
    // What is refused, or gone by now, describes nothing.
    let Ok(source) = external::open(folder, location) else { return Ok(None) };
    let bytes = source.slice(Span { start: 0, end: source.size().min(MAX_CONFIG) });
    let value = serde_json::from_slice(bytes.unwrap_or_default());
    crate::check_complete(&source)?;
    match value {
        Ok(value @ Value::Object(_)) => Ok(Some(value)),
        Ok(_) => Ok(None),
        Err(error) => {
            misstated.note(location, || format!("{location} is not JSON: {error}"));
            Ok(None)
        }
    }
}

/// A description that leaves out the method it is of.
fn named(mut config: Value, method: &str) -> Value {
    if let Value::Object(entries) = &mut config {
        entries.entry("quant_method").or_insert_with(|| method.into());
    }
    config
}
