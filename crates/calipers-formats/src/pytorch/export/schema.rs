//! The JSON of `torch.export`, as far as it is read.
//!
//! Every argument is an object with one key that says its kind; kinds and fields that are not known
//! are passed over, so that later versions of the schema are read too.

use std::collections::{BTreeMap, HashMap};
use std::fmt;

use serde::Deserialize;
use serde::de::{Deserializer, IgnoredAny, MapAccess, Visitor};

/// An exported program.
#[derive(Debug, Deserialize)]
pub(super) struct Program {
    pub(super) graph_module: GraphModule,
    #[serde(default)]
    pub(super) range_constraints: HashMap<String, Range>,
    pub(super) schema_version: Option<SchemaVersion>,
    pub(super) torch_version: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Range {
    pub(super) min_val: Option<i64>,
    pub(super) max_val: Option<i64>,
}

#[derive(Debug, Deserialize)]
pub(super) struct SchemaVersion {
    pub(super) major: i64,
    #[serde(default)]
    pub(super) minor: i64,
}

#[derive(Debug, Deserialize)]
pub(super) struct GraphModule {
    pub(super) graph: Graph,
    pub(super) signature: Signature,
}

#[derive(Debug, Deserialize)]
pub(super) struct Graph {
    #[serde(default)]
    pub(super) nodes: Vec<Node>,
    #[serde(default)]
    pub(super) tensor_values: HashMap<String, TensorMeta>,
    #[serde(default)]
    pub(super) sym_int_values: HashMap<String, Size>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Node {
    pub(super) target: String,
    #[serde(default)]
    pub(super) inputs: Vec<NamedArgument>,
    #[serde(default)]
    pub(super) outputs: Vec<Argument>,
    pub(super) name: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct NamedArgument {
    #[serde(default)]
    pub(super) name: String,
    pub(super) arg: Argument,
}

/// The type of a tensor.
#[derive(Debug, Deserialize)]
pub(super) struct TensorMeta {
    pub(super) dtype: i64,
    #[serde(default)]
    pub(super) sizes: Vec<Size>,
    #[serde(default)]
    pub(super) strides: Vec<Size>,
    pub(super) storage_offset: Option<Size>,
}

/// A size: a number, or an expression in symbols.
#[derive(Clone, Debug, Default, Deserialize)]
pub(super) struct Size {
    pub(super) as_int: Option<i64>,
    pub(super) as_expr: Option<Expression>,
}

#[derive(Clone, Debug, Deserialize)]
pub(super) struct Expression {
    #[serde(default)]
    pub(super) expr_str: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Signature {
    #[serde(default)]
    pub(super) input_specs: Vec<InputSpec>,
    #[serde(default)]
    pub(super) output_specs: Vec<OutputSpec>,
}

#[derive(Debug, Deserialize)]
pub(super) struct InputSpec {
    pub(super) user_input: Option<Holder>,
    pub(super) parameter: Option<Stored>,
    pub(super) buffer: Option<Stored>,
    pub(super) tensor_constant: Option<Stored>,
}

#[derive(Debug, Deserialize)]
pub(super) struct OutputSpec {
    pub(super) user_output: Option<Holder>,
    pub(super) loss_output: Option<LossOutput>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Holder {
    pub(super) arg: Argument,
}

#[derive(Debug, Deserialize)]
pub(super) struct LossOutput {
    pub(super) arg: Named,
}

/// An input of the graph that a stored tensor fills.
#[derive(Debug, Deserialize)]
pub(super) struct Stored {
    pub(super) arg: Named,
    #[serde(alias = "parameter_name", alias = "buffer_name", alias = "tensor_constant_name")]
    pub(super) path: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct Named {
    #[serde(default)]
    pub(super) name: String,
}

/// The tensors of a folder of weights.
#[derive(Debug, Default, Deserialize)]
pub(super) struct PayloadConfig {
    #[serde(default)]
    pub(super) config: BTreeMap<String, Payload>,
}

#[derive(Debug, Deserialize)]
pub(super) struct Payload {
    pub(super) path_name: String,
    #[serde(default)]
    pub(super) use_pickle: bool,
    pub(super) tensor_meta: Option<TensorMeta>,
}

/// A symbolic number where it is used: by name, or as a number among such.
#[derive(Clone, Debug, PartialEq, Deserialize)]
pub(super) struct Symbolic {
    pub(super) as_name: Option<String>,
    pub(super) as_int: Option<i64>,
    pub(super) as_float: Option<Real>,
}

#[derive(Debug, Deserialize)]
struct OptionalTensor {
    as_tensor: Option<Named>,
}

/// A number, which is a text where JSON has none for it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Real(pub(super) f64);

/// An argument of an operator, or what it returns.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) enum Argument {
    #[default]
    None,
    Tensor(String),
    Tensors(Vec<Option<String>>),
    Int(i64),
    Ints(Vec<i64>),
    Float(f64),
    Floats(Vec<f64>),
    Bool(bool),
    Text(String),
    /// A number by the name of the value that has it.
    Symbol(String),
    /// Numbers, some by name.
    Symbols(Vec<Symbolic>),
    /// A type of elements.
    Type(i64),
    /// A graph, or what is not known.
    Other,
}

impl<'de> Deserialize<'de> for Real {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        struct Reals;
        impl Visitor<'_> for Reals {
            type Value = Real;
            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number")
            }
            fn visit_f64<E>(self, value: f64) -> Result<Real, E> {
                Ok(Real(value))
            }
            #[expect(clippy::cast_precision_loss, reason = "numbers in files of graphs are small")]
            fn visit_i64<E>(self, value: i64) -> Result<Real, E> {
                Ok(Real(value as f64))
            }
            #[expect(clippy::cast_precision_loss, reason = "numbers in files of graphs are small")]
            fn visit_u64<E>(self, value: u64) -> Result<Real, E> {
                Ok(Real(value as f64))
            }
            fn visit_str<E>(self, text: &str) -> Result<Real, E> {
                Ok(Real(text.parse().unwrap_or(f64::NAN)))
            }
        }
        from.deserialize_any(Reals)
    }
}

impl<'de> Deserialize<'de> for Argument {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_map(Arguments)
    }
}

struct Arguments;

impl<'de> Visitor<'de> for Arguments {
    type Value = Argument;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an argument")
    }

    fn visit_map<M: MapAccess<'de>>(self, mut map: M) -> Result<Argument, M::Error> {
        let mut found = Argument::None;
        while let Some(kind) = map.next_key::<String>()? {
            if let Some(argument) = value_of(&kind, &mut map)? {
                found = argument;
            }
        }
        Ok(found)
    }
}

/// The value of a kind of argument; `None` where it is null.
fn value_of<'de, M: MapAccess<'de>>(kind: &str, map: &mut M) -> Result<Option<Argument>, M::Error> {
    fn read<'de, T: Deserialize<'de>, M: MapAccess<'de>>(
        map: &mut M,
        made: impl FnOnce(T) -> Argument,
    ) -> Result<Option<Argument>, M::Error> {
        Ok(map.next_value::<Option<T>>()?.map(made))
    }
    let optional = |tensor: OptionalTensor| tensor.as_tensor.map(|tensor| tensor.name);
    let number = |number: Symbolic| match (number.as_name, number.as_int, number.as_float) {
        (Some(name), ..) => Argument::Symbol(name),
        (None, Some(int), _) => Argument::Int(int),
        (None, None, Some(Real(real))) => Argument::Float(real),
        _ => Argument::None,
    };
    match kind {
        "as_none" => read(map, |_: IgnoredAny| Argument::None),
        "as_tensor" => read(map, |tensor: Named| Argument::Tensor(tensor.name)),
        "as_tensors" => read(map, |tensors: Vec<Named>| {
            Argument::Tensors(tensors.into_iter().map(|tensor| Some(tensor.name)).collect())
        }),
        "as_optional_tensor" => read(map, |tensor: OptionalTensor| {
            optional(tensor).map_or(Argument::None, Argument::Tensor)
        }),
        "as_optional_tensors" => read(map, |tensors: Vec<OptionalTensor>| {
            Argument::Tensors(tensors.into_iter().map(optional).collect())
        }),
        "as_int" => read(map, Argument::Int),
        "as_ints" => read(map, Argument::Ints),
        "as_float" => read(map, |Real(value)| Argument::Float(value)),
        "as_floats" => read(map, |values: Vec<Real>| {
            Argument::Floats(values.into_iter().map(|Real(value)| value).collect())
        }),
        "as_bool" => read(map, Argument::Bool),
        "as_string" => read(map, Argument::Text),
        "as_sym_int" | "as_sym_float" | "as_sym_bool" => read(map, number),
        "as_sym_ints" | "as_sym_floats" => read(map, Argument::Symbols),
        "as_scalar_type" => read(map, Argument::Type),
        _ => read(map, |_: IgnoredAny| Argument::Other),
    }
}
