//! TorchScript: a module saved as the state of its objects, and the code of their classes.

use std::collections::HashSet;

use calipers_ir::assembly::Assembly;
use calipers_ir::{DType, Dim, Format, Hazard, Model};

use super::archive::Records;
use super::code::{Code, Type};
use super::flatten::{Kind, Named};
use super::hazards::Hazards;
use super::rebuilt::{Made, Pickled};
use super::state;
use super::store::{Places, Storer};
use crate::Error;
use crate::input::Input;
use crate::pickle::{Id, Value, run};

/// Modules that are followed.
const MAX_MODULES: usize = 1 << 16;

/// Longest name of a tensor.
const MAX_NAME: usize = 1 << 10;

/// Whether an archive is of TorchScript.
pub(super) fn is_script(records: &Records) -> bool {
    records.has("constants.pkl") || records.inside().any(|name| name.starts_with("code/"))
}

/// Reads an archive of TorchScript.
pub(super) fn read(input: Input, mut records: Records) -> Result<Model, Error> {
    let mut hazards = Hazards::default();
    hazards.has_code = true;
    let code = Code::read(&mut records)?;
    for call in &code.calls_out {
        hazards.push(Hazard::CallsOut { what: call.clone() });
    }
    let record = records.read("data.pkl")?;
    let record = record.ok_or_else(|| Error::NoGraph {
        hint:
            "the archive has code and no data.pkl: it is not complete, or of a version before 1.4"
                .to_owned(),
    })?;
    let outcome = run(&record.source, record.span);
    hazards.add(&record.source, &outcome);
    let modules = match outcome.top {
        Some(top) => modules(Pickled::new(&outcome), top, &code),
        None => Modules::default(),
    };
    records.check_others(&["data.pkl"], &mut hazards);
    let places = Places {
        storages: state::storages(&records, "data/"),
        is_plain: record.is_in_file,
        is_big_endian: records.text("byteorder").as_deref() == Some("big"),
    };
    let mut builder = state::builder(input, Format::TorchScript);
    builder.header.ir_version = records.text("version").and_then(|text| text.parse().ok());
    describe(&mut builder.header.metadata, &modules, &code);
    let graph = builder.add_main_graph()?;
    let mut assembly = Assembly::new(&mut builder, graph);
    let forward =
        modules.class.as_ref().and_then(|class| code.classes.get(class)?.forward.as_ref());
    for argument in forward.into_iter().flat_map(|forward| &forward.arguments) {
        let name = assembly.name(&argument.name);
        let ty = match argument.ty {
            Type::Tensor => Some(assembly.tensor_type(DType::Undefined, None)?),
            Type::Int => Some(assembly.tensor_type(DType::Int64, Some(Vec::<Dim>::new()))?),
            Type::Float => Some(assembly.tensor_type(DType::Float64, Some(Vec::new()))?),
            Type::Bool => Some(assembly.tensor_type(DType::Bool, Some(Vec::new()))?),
            Type::Other => None,
        };
        assembly.add_input(name, ty);
    }
    let mut storer = Storer::default();
    storer.add(&mut assembly, &modules.tensors, &places)?;
    if let Some(what) = storer.misstated() {
        hazards.push(Hazard::Misstated { what });
    }
    builder.hazards = hazards.found;
    Ok(builder.finish()?)
}

fn describe(metadata: &mut Vec<(String, String)>, modules: &Modules, code: &Code) {
    let mut note = |key: &str, value: String| metadata.push((key.to_owned(), value));
    if let Some(class) = &modules.class {
        note("class", class.clone());
        let forward = code.classes.get(class).and_then(|class| class.forward.as_ref());
        if let Some(forward) = forward {
            note("forward", forward.text.clone());
        }
    }
    note("submodules", modules.count.saturating_sub(1).to_string());
    note("source files", code.files.to_string());
    note("source lines", code.lines.to_string());
    if modules.other_tensors > 0 {
        note("tensors that are neither parameters nor buffers", modules.other_tensors.to_string());
    }
}

/// The modules of a program.
#[derive(Debug, Default)]
struct Modules {
    /// The outermost class.
    class: Option<String>,
    count: usize,
    tensors: Vec<Named>,
    other_tensors: usize,
}

fn modules(pickled: Pickled<'_, '_>, top: Id, code: &Code) -> Modules {
    let values = pickled.values;
    let class_of = |id: Id| {
        let Value::Object(object) = values.get(id) else { return None };
        let import = pickled.global(object.callable)?;
        Some((format!("{}.{}", import.module, import.name), object.state?))
    };
    let mut found = Modules { class: class_of(top).map(|(class, _)| class), ..Modules::default() };
    let mut visited = HashSet::new();
    let mut ahead = vec![(top, String::new())];
    let mut tensors = Vec::new();
    while let Some((id, path)) = ahead.pop() {
        if found.count >= MAX_MODULES {
            break;
        }
        let Some((class, state)) = class_of(id) else { continue };
        let Some(class) = code.classes.get(&class) else { continue };
        if !visited.insert(id) || !class.is_module {
            continue;
        }
        found.count += 1;
        let named = |part: &str| match path.is_empty() {
            true => part.to_owned(),
            false => format!("{path}.{part}"),
        };
        let mut inner = Vec::new();
        for (key, value) in values.items(state).unwrap_or_default() {
            let Some(part) = values.text(*key) else { continue };
            let name = named(part);
            if name.len() > MAX_NAME {
                continue;
            }
            if let Some(Made::Tensor(tensor)) = pickled.made(*value) {
                let kind = match () {
                    () if class.parameters.contains(part) => Kind::Parameter,
                    () if class.buffers.contains(part) => Kind::Buffer,
                    () => {
                        found.other_tensors += 1;
                        continue;
                    }
                };
                tensors.push(Named { name, tensor, kind, is_of_model: true });
            } else if matches!(values.get(*value), Value::Object(_)) {
                inner.push((*value, name));
            }
        }
        ahead.extend(inner.into_iter().rev());
    }
    found.tensors = tensors;
    found
}
