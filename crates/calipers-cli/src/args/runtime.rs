//! Arguments about the software that executes a model.

use std::path::PathBuf;

use calipers_runtime::{Engine, Provider, SessionOptions};
use clap::Args;
use clap::builder::{PossibleValuesParser, TypedValueParser};

/// The runtime, its library, its provider and its threads.
#[derive(Args, Debug)]
pub(super) struct RuntimeArgs {
    /// Runtime that executes the model [default: onnxruntime]
    #[arg(long, value_name = "NAME", value_parser = engines())]
    runtime: Option<Engine>,

    /// Library of ONNX Runtime, e.g. libonnxruntime.so.1.31.1; searched by default
    #[arg(long, value_name = "FILE")]
    runtime_lib: Option<PathBuf>,

    /// Execution provider of ONNX Runtime [default: cpu]
    #[arg(long, value_name = "NAME", value_parser = providers())]
    provider: Option<Provider>,

    /// Number of intra-op threads; all cores by default
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = parse_threads)]
    threads: Option<usize>,

    /// Run with random weights where the file of the weights is missing
    #[arg(long)]
    synthesize: bool,
}

/// How a model is executed, and whether missing weights are synthesized.
#[derive(Debug, Default)]
pub(crate) struct Execution {
    pub(crate) session: SessionOptions,
    pub(crate) synthesize: bool,
}

impl RuntimeArgs {
    pub(super) fn resolve(self) -> Execution {
        Execution {
            session: SessionOptions {
                engine: self.runtime.unwrap_or_default(),
                library: self.runtime_lib,
                provider: self.provider.unwrap_or_default(),
                threads: self.threads,
                ..SessionOptions::default()
            },
            synthesize: self.synthesize,
        }
    }
}

fn engines() -> impl TypedValueParser<Value = Engine> {
    PossibleValuesParser::new(Engine::ALL.iter().map(|engine| engine.id()))
        .map(|id| Engine::ALL.iter().copied().find(|engine| engine.id() == id).unwrap_or_default())
}

fn providers() -> impl TypedValueParser<Value = Provider> {
    PossibleValuesParser::new(Provider::ALL.iter().map(|provider| provider.id())).map(|id| {
        Provider::ALL.iter().copied().find(|provider| provider.id() == id).unwrap_or_default()
    })
}

/// More threads than any machine has are a typing error.
const MOST: usize = 4096;

pub(super) fn parse_threads(text: &str) -> Result<usize, String> {
    match text.parse() {
        Ok(threads) if (1..=MOST).contains(&threads) => Ok(threads),
        _ => Err("must be an integer >= 1".to_owned()),
    }
}
