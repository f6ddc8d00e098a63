//! Graphs of known networks, built from their description.
//!
//! A file of weights says what its tensors are called, and a `config.json` or the metadata of GGUF
//! says what network they belong to: its family, layers, widths and heads. [`Network`] reads such a
//! description, and [`Network::build`] adds the graph that the family has: operators of ONNX and of
//! ONNX Runtime, in the form of the exports for ONNX Runtime GenAI. Shapes, costs, caches and
//! recognition then work as for a stored graph.
//!
//! ```
//! use calipers_networks::Network;
//!
//! let config = serde_json::json!({
//!     "architectures": ["LlamaForCausalLM"], "model_type": "llama",
//!     "hidden_size": 2048, "num_hidden_layers": 16, "num_attention_heads": 32,
//! });
//! let network = Network::from_config(&config).unwrap();
//! assert_eq!(network.description().layers, Some(16));
//! ```
//!
//! | part | file |
//! |---|---|
//! | families by name, and what is particular to each | `families.rs`, `encoders.rs` |
//! | names of tensors, by what they are for | `names.rs` |
//! | fields of `config.json` and of GGUF | `config.rs`, `gguf.rs` |
//! | the tensors that a file has, and those that it lacks | `weights.rs` |
//! | nodes | `graph.rs`, `products.rs`, `blocks.rs` |
//! | graphs | `decoder.rs`, `encoder.rs`, `t5.rs`, `whisper.rs`, `clip.rs`, `vision.rs`, `mamba.rs` |
#![forbid(unsafe_code)]

mod blocks;
mod clip;
mod config;
mod decoder;
mod encoder;
mod experts;
mod families;
mod gguf;
mod graph;
mod mamba;
mod names;
mod network;
mod products;
mod t5;
mod vision;
mod weights;
mod whisper;

use calipers_ir::{DType, NameId};
pub use network::Network;

/// A value of the metadata of GGUF.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Meta<'a> {
    /// A whole number.
    Int(i64),
    /// A number.
    Float(f64),
    /// A truth value.
    Bool(bool),
    /// A text.
    Text(&'a str),
    /// Several values.
    Array {
        /// How many.
        len: u64,
        /// The values, where they are whole numbers and few.
        ints: &'a [i64],
    },
}

/// A tensor that the file stores.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Stored {
    /// Its name in the model.
    pub name: NameId,
    /// Its name in the file.
    pub text: String,
    /// Its dimensions, the slowest first.
    pub dims: Vec<i64>,
    /// The type of its elements.
    pub dtype: DType,
}
