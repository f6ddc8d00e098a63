//! A layer as the configuration of a model has it.

use calipers_ir::DType;
use serde_json::Value;

use super::arguments::{Shape, dims};
use super::layers_of;
use crate::keras::json::Config;

/// A layer of a model, as its configuration has it.
pub(super) struct Entry<'c> {
    pub(super) class: &'c str,
    pub(super) name: &'c str,
    pub(super) config: &'c Value,
    pub(super) whole: &'c Value,
}

impl Entry<'_> {
    /// Whether calls describe the values that they are given, as the third version writes them.
    pub(super) fn describes_values(&self) -> bool {
        let calls = self.whole.get("inbound_nodes").and_then(Value::as_array);
        calls.is_some_and(|calls| calls.iter().any(Value::is_object))
    }

    /// Whether it is a model that, among the outputs of another, counts its own graph as a call.
    pub(super) fn counts_itself(&self) -> bool {
        self.class != "Sequential" && layers_of(self.config).is_some()
    }
}

/// Reads a layer.
pub(super) fn entry(whole: &Value) -> Entry<'_> {
    const NOTHING: &Value = &Value::Null;
    let config = whole.get("config").unwrap_or(NOTHING);
    let own = Config(whole).text("name");
    let name = if own.is_empty() { Config(config).text("name") } else { own };
    Entry { class: Config(whole).text("class_name"), name, config, whole }
}

/// How many values a configuration has.
pub(super) fn size(config: &Value) -> usize {
    let mut open = vec![config];
    let mut count = 0;
    while let Some(value) = open.pop() {
        count += 1;
        match value {
            Value::Array(items) => open.extend(items),
            Value::Object(items) => open.extend(items.values()),
            _ => {}
        }
    }
    count
}

/// The shape that a model is given, which its first layer states.
pub(super) fn input_shape(config: &Value) -> Option<Shape> {
    let config = Config(config);
    let stated = config.any(&["batch_shape", "batch_input_shape"])?;
    let dtype = dtype_of(config.get("dtype"));
    Some(Shape { dtype, dims: dims(stated)? })
}

/// The shape that a layer was built for, as the third version states it.
pub(super) fn built_for(whole: &Value) -> Option<Shape> {
    let shape = whole.get("build_config")?.get("input_shape")?;
    Some(Shape { dtype: DType::Undefined, dims: dims(shape)? })
}

/// The type that a configuration states: by name, or by the name of a policy.
fn dtype_of(value: Option<&Value>) -> DType {
    let policy = |value: &Value| Some(Config(value.get("config")?).text("name").to_owned());
    let name = match value {
        Some(Value::String(name)) => name.clone(),
        Some(value) => policy(value).unwrap_or_default(),
        None => String::new(),
    };
    match name.as_str() {
        "mixed_float16" => DType::Float16,
        "mixed_bfloat16" => DType::Bfloat16,
        "" => DType::Float32,
        name => name.parse().unwrap_or(DType::Undefined),
    }
}
