//! File formats, and where the graph of a model comes from.

use std::fmt;
use std::str::FromStr;

macro_rules! formats {
    ($($(#[$meta:meta])+ $variant:ident = $id:literal => $display:literal, $domain:literal,)+) => {
        /// A format of model files.
        #[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash)]
        #[non_exhaustive]
        pub enum Format {
            $($(#[$meta])+ $variant,)+
        }

        impl Format {
            /// Every format, in the order of the table.
            pub const ALL: &[Self] = &[$(Self::$variant),+];

            /// Its id, as JSON has it.
            pub const fn id(self) -> &'static str {
                match self { $(Self::$variant => $id,)+ }
            }

            /// Its name, as people write it.
            pub const fn display_name(self) -> &'static str {
                match self { $(Self::$variant => $display,)+ }
            }

            /// The domain that its operators are reported under; empty where files name domains
            /// themselves, or store no operators.
            pub const fn domain(self) -> &'static str {
                match self { $(Self::$variant => $domain,)+ }
            }
        }
    };
}

formats! {
    /// Open Neural Network Exchange, protobuf.
    #[default]
    Onnx = "onnx" => "ONNX", "",
    /// ONNX in the text form of its parser.
    OnnxText = "onnx-text" => "ONNX text", "",
    /// ONNX as the JSON of its protobuf messages.
    OnnxJson = "onnx-json" => "ONNX JSON", "",
    /// ONNX Runtime's own format, a FlatBuffer.
    Ort = "ort" => "ONNX Runtime (ORT)", "",
    /// TensorFlow Lite (LiteRT), a FlatBuffer.
    Tflite = "tflite" => "TensorFlow Lite", "tflite",
    /// OpenVINO IR: an XML file, and weights next to it.
    OpenVino = "openvino" => "OpenVINO IR", "openvino",
    /// Core ML: a model or a package.
    CoreMl = "coreml" => "Core ML", "coreml",
    /// TensorFlow SavedModel: a folder.
    SavedModel = "savedmodel" => "TensorFlow SavedModel", "tensorflow",
    /// A TensorFlow graph whose variables are constants.
    TensorFlowGraph = "tensorflow-graph" => "TensorFlow graph", "tensorflow",
    /// Keras: an archive of version 3, or HDF5.
    Keras = "keras" => "Keras", "keras",
    /// `torch.export`: an archive with a graph.
    TorchExport = "torch-export" => "PyTorch export", "aten",
    /// TorchScript: an archive with code.
    TorchScript = "torchscript" => "TorchScript", "aten",
    /// A pickle of PyTorch: a state dict or a checkpoint.
    PyTorch = "pytorch" => "PyTorch", "",
    /// SafeTensors: weights, perhaps described by a `config.json`.
    SafeTensors = "safetensors" => "SafeTensors", "",
    /// GGUF: quantized weights with a description.
    Gguf = "gguf" => "GGUF", "",
    /// NumPy arrays.
    Numpy = "numpy" => "NumPy", "",
}

/// Whether operators of a domain are shown without it: those of the standard, and those of a format
/// that has one domain for all.
pub fn goes_without_saying(domain: &str) -> bool {
    matches!(domain, "" | "ai.onnx") || Format::ALL.iter().any(|format| format.domain() == domain)
}

impl Format {
    /// The library of model hubs that its files belong to, by the name that hubs have for it; `None` where
    /// there is none.
    pub const fn hub_library(self) -> Option<&'static str> {
        Some(match self {
            Self::Onnx | Self::OnnxText | Self::OnnxJson | Self::Ort => "onnx",
            Self::Tflite => "tflite",
            Self::OpenVino => "openvino",
            Self::CoreMl => "coreml",
            Self::SavedModel | Self::TensorFlowGraph => "tf-keras",
            Self::Keras => "keras",
            Self::TorchExport | Self::TorchScript | Self::PyTorch => "pytorch",
            Self::SafeTensors => "safetensors",
            Self::Gguf => "gguf",
            Self::Numpy => return None,
        })
    }

    /// Whether its operators are those of ONNX, with operator sets.
    pub const fn is_onnx(self) -> bool {
        matches!(self, Self::Onnx | Self::OnnxText | Self::OnnxJson | Self::Ort)
    }
}

/// A text that is not the id of a format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownFormat(pub String);

impl fmt::Display for UnknownFormat {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "unknown format {:?}", self.0)
    }
}

impl std::error::Error for UnknownFormat {}

impl FromStr for Format {
    type Err = UnknownFormat;

    fn from_str(id: &str) -> Result<Self, UnknownFormat> {
        let known = Self::ALL.iter().find(|format| format.id() == id);
        known.copied().ok_or_else(|| UnknownFormat(id.to_owned()))
    }
}

/// Where the graph of a model comes from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[cfg_attr(feature = "serde", derive(serde::Serialize, serde::Deserialize))]
#[cfg_attr(feature = "schema", derive(schemars::JsonSchema))]
#[cfg_attr(feature = "serde", serde(rename_all = "lowercase"))]
pub enum GraphOrigin {
    /// The file stores it.
    #[default]
    Stored,
    /// The file stores weights; the graph is built from its description of a known architecture.
    Built,
    /// There is none: the file stores weights alone.
    Absent,
}

#[cfg(feature = "serde")]
mod serialized {
    use std::borrow::Cow;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    use super::Format;

    impl Serialize for Format {
        fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
            serializer.serialize_str(self.id())
        }
    }

    impl<'de> Deserialize<'de> for Format {
        fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
            Cow::<'de, str>::deserialize(from)?.parse().map_err(serde::de::Error::custom)
        }
    }
}

#[cfg(feature = "schema")]
impl schemars::JsonSchema for Format {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "Format".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        let ids: Vec<&str> = Self::ALL.iter().map(|format| format.id()).collect();
        schemars::json_schema!({
            "description": "A format of model files.",
            "type": "string",
            "enum": ids,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_parsed_back_and_are_once() {
        for (place, format) in Format::ALL.iter().enumerate() {
            assert_eq!(format.id().parse(), Ok(*format));
            assert!(!Format::ALL[..place].iter().any(|other| other.id() == format.id()));
        }
        assert_eq!("doc".parse::<Format>(), Err(UnknownFormat("doc".to_owned())));
    }
}
