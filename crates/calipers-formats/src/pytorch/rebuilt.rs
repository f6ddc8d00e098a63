//! Tensors that calls in a pickle would rebuild.

use calipers_ir::{Affine, DType, Span};

use super::dtype;
use crate::pickle::{Id, Import, Object, Outcome, Value, Values};

/// Calls around each other that make one tensor: a parameter of a subclass of a tensor.
const MAX_WRAPPERS: usize = 16;

/// Dimensions that a tensor may have.
const MAX_RANK: usize = 64;

/// A tensor as a pickle describes it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct Rebuilt {
    pub(super) dtype: DType,
    pub(super) dims: Vec<i64>,
    /// Steps between elements; `None` where they follow each other.
    pub(super) strides: Option<Vec<i64>>,
    pub(super) elements: Elements,
    pub(super) is_parameter: bool,
    pub(super) affine: Option<Affine>,
}

/// Where the elements of a tensor are.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Elements {
    /// In a storage, from an element on.
    Storage { key: String, offset: i64 },
    /// In the pickle itself.
    Bytes(Span),
    /// Nowhere: the tensor had no data when it was saved.
    Nowhere,
}

/// A storage, by what a pickle calls it.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct StorageName {
    pub(super) key: String,
    pub(super) dtype: DType,
    /// Its elements.
    pub(super) count: i64,
    /// Where it begins in the storage that it is a part of.
    pub(super) offset: i64,
}

/// What a call makes.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Made {
    Tensor(Rebuilt),
    /// Several tensors in one, by what they are in it.
    Parts(Vec<(&'static str, Id)>),
}

/// The values of a pickle, with what it imports.
#[derive(Clone, Copy, Debug)]
pub(super) struct Pickled<'p, 'a> {
    pub(super) values: &'p Values<'a>,
    pub(super) imports: &'p [Import],
}

impl<'p, 'a> Pickled<'p, 'a> {
    pub(super) fn new(outcome: &'p Outcome<'a>) -> Self {
        Self { values: &outcome.values, imports: &outcome.imports }
    }

    /// The import that a value is.
    pub(super) fn global(self, id: Id) -> Option<&'p Import> {
        match self.values.get(id) {
            Value::Global(place) => self.imports.get(usize::try_from(*place).ok()?),
            _ => None,
        }
    }

    fn is_from(self, id: Id, module: &str, name: &str) -> bool {
        self.global(id).is_some_and(|import| import.module == module && import.name == name)
    }

    fn sizes(self, id: Id) -> Option<Vec<i64>> {
        let elements = self.values.elements(id).filter(|all| all.len() <= MAX_RANK)?;
        elements.iter().map(|element| self.values.int(*element)).collect()
    }

    fn dtype(self, id: Id) -> Option<DType> {
        let import = self.global(id).filter(|import| import.module == "torch")?;
        dtype::of_torch(&import.name)
    }

    /// The storage that a value names.
    pub(super) fn storage(self, id: Id) -> Option<StorageName> {
        let Value::Persistent(name) = self.values.get(id) else { return None };
        let parts = self.values.elements(*name)?;
        let [kind, class, key, _, count, rest @ ..] = parts else { return None };
        if self.values.text(*kind) != Some("storage") {
            return None;
        }
        let dtype = dtype::of_class(&self.global(*class)?.name)?;
        // Keys are texts, or numbers in files of the first versions.
        let key = match self.values.get(*key) {
            Value::Int(number) => number.to_string(),
            _ => self.values.text(*key)?.to_owned(),
        };
        let view = rest.first().and_then(|view| self.values.elements(*view));
        let offset = view.and_then(|view| self.values.int(*view.get(1)?)).unwrap_or(0);
        Some(StorageName { key, dtype, count: self.values.int(*count)?, offset })
    }

    /// What a value is, if it is a tensor.
    pub(super) fn made(self, id: Id) -> Option<Made> {
        let mut is_parameter = false;
        let mut id = id;
        for _ in 0..MAX_WRAPPERS {
            let Value::Object(object) = self.values.get(id) else { return None };
            let arguments = self.values.elements(object.arguments)?;
            let import = self.global(object.callable)?;
            match (import.module.as_str(), import.name.as_str()) {
                (
                    "torch._utils",
                    name @ ("_rebuild_parameter" | "_rebuild_parameter_with_state"),
                ) => {
                    is_parameter |= name.starts_with("_rebuild_parameter");
                    id = *arguments.first()?;
                }
                ("torch._utils", "_rebuild_device_tensor_from_cpu_tensor") => {
                    id = *arguments.first()?;
                }
                ("torch._utils", "_rebuild_device_tensor_from_numpy" | "_rebuild_xla_tensor") => {
                    let dtype = self.dtype(*arguments.get(1)?);
                    let Some(Made::Tensor(mut tensor)) = self.numpy_value(*arguments.first()?)
                    else {
                        return None;
                    };
                    tensor.dtype = dtype.unwrap_or(tensor.dtype);
                    tensor.is_parameter = is_parameter;
                    return Some(Made::Tensor(tensor));
                }
                ("torch._tensor", "_rebuild_from_type_v2") => {
                    // The function, a class, its arguments, a state.
                    let [function, _, inner, ..] = arguments else { return None };
                    let inner = self.values.elements(*inner)?;
                    if self.is_from(*function, "torch._utils", "_rebuild_parameter") {
                        is_parameter = true;
                        id = *inner.first()?;
                        continue;
                    }
                    let name = &self.global(*function)?.name;
                    return self.finish(self.torch(name, inner)?, is_parameter);
                }
                ("torch._utils", name) => {
                    return self.finish(self.torch(name, arguments)?, is_parameter);
                }
                _ => return self.finish(self.other(import, object, arguments)?, is_parameter),
            }
        }
        None
    }

    fn finish(self, mut made: Made, is_parameter: bool) -> Option<Made> {
        if let Made::Tensor(tensor) = &mut made {
            tensor.is_parameter |= is_parameter;
        }
        Some(made)
    }

    /// What a function of `torch._utils` rebuilds.
    fn torch(self, name: &str, arguments: &[Id]) -> Option<Made> {
        let tensor = match (name, arguments) {
            ("_rebuild_tensor" | "_rebuild_tensor_v2", [storage, offset, size, stride, ..]) => {
                self.strided(*storage, *offset, *size, *stride)?
            }
            ("_rebuild_tensor_v3", [storage, offset, size, stride, _, _, dtype, ..]) => {
                let tensor = self.strided(*storage, *offset, *size, *stride)?;
                Rebuilt { dtype: self.dtype(*dtype)?, ..tensor }
            }
            ("_rebuild_qtensor", [storage, offset, size, stride, scheme, ..]) => {
                let tensor = self.strided(*storage, *offset, *size, *stride)?;
                let affine = self.affine(*scheme, &tensor.dims);
                Rebuilt { affine, ..tensor }
            }
            ("_rebuild_meta_tensor_no_storage", [dtype, size, stride, ..]) => {
                self.without_data(*dtype, *size, *stride)?
            }
            ("_rebuild_wrapper_subclass", [_, dtype, size, stride, ..]) => {
                self.without_data(*dtype, *size, *stride)?
            }
            ("_rebuild_sparse_tensor", [_, data, ..]) => {
                let [indices, values, ..] = self.values.elements(*data)? else { return None };
                return Some(Made::Parts(vec![("indices", *indices), ("values", *values)]));
            }
            ("_rebuild_sparse_csr_tensor", [_, data, ..]) => {
                let [rows, columns, values, ..] = self.values.elements(*data)? else { return None };
                return Some(Made::Parts(vec![
                    ("crow_indices", *rows),
                    ("col_indices", *columns),
                    ("values", *values),
                ]));
            }
            ("_rebuild_nested_tensor", [buffer, ..]) => {
                return Some(Made::Parts(vec![("values", *buffer)]));
            }
            _ => return None,
        };
        Some(Made::Tensor(tensor))
    }

    fn strided(self, storage: Id, offset: Id, size: Id, stride: Id) -> Option<Rebuilt> {
        let storage = self.storage(storage)?;
        let offset = self.values.int(offset)?.checked_add(storage.offset)?;
        Some(Rebuilt {
            dtype: storage.dtype,
            dims: self.sizes(size)?,
            strides: Some(self.sizes(stride)?),
            elements: Elements::Storage { key: storage.key, offset },
            is_parameter: false,
            affine: None,
        })
    }

    fn without_data(self, dtype: Id, size: Id, stride: Id) -> Option<Rebuilt> {
        Some(Rebuilt {
            dtype: self.dtype(dtype)?,
            dims: self.sizes(size)?,
            strides: self.sizes(stride),
            elements: Elements::Nowhere,
            is_parameter: false,
            affine: None,
        })
    }

    /// The scheme of a quantized tensor: one scale, or one for each place of a dimension.
    fn affine(self, scheme: Id, dims: &[i64]) -> Option<Affine> {
        let [kind, _, zero_point, rest @ ..] = self.values.elements(scheme)? else { return None };
        if !self.global(*kind)?.name.starts_with("per_channel") {
            let is_symmetric = self.values.int(*zero_point) == Some(0);
            return Some(Affine { scales: 1, axis: None, is_symmetric });
        }
        let axis = u32::try_from(self.values.int(*rest.first()?)?).ok()?;
        let scales = dims.get(usize::try_from(axis).ok()?)?;
        let scales = u64::try_from(*scales).ok()?;
        Some(Affine { scales, axis: Some(axis), is_symmetric: false })
    }

    /// Tensors of the first versions, parameters by their class, and arrays of NumPy.
    fn other(self, import: &Import, object: &Object, arguments: &[Id]) -> Option<Made> {
        match (import.module.as_str(), import.name.as_str()) {
            ("torch.nn.parameter", "Parameter" | "Buffer") => {
                let first = arguments.first().copied().or_else(|| {
                    self.values.elements(object.state?).and_then(|state| state.first().copied())
                })?;
                let Some(Made::Tensor(tensor)) = self.direct(first) else { return None };
                let is_parameter = import.name == "Parameter";
                Some(Made::Tensor(Rebuilt { is_parameter, ..tensor }))
            }
            ("torch" | "torch.cuda", class) if class.ends_with("Tensor") => {
                let state = self.values.elements(object.state?)?;
                let [storage, offset, size, stride, ..] = state else { return None };
                self.strided(*storage, *offset, *size, *stride).map(Made::Tensor)
            }
            _ => self.numpy(import, object, arguments),
        }
    }

    /// A tensor that a call makes without others around it.
    fn direct(self, id: Id) -> Option<Made> {
        let Value::Object(object) = self.values.get(id) else { return None };
        let import = self.global(object.callable)?;
        let arguments = self.values.elements(object.arguments)?;
        (import.module == "torch._utils").then(|| self.torch(&import.name, arguments))?
    }

    fn numpy_value(self, id: Id) -> Option<Made> {
        let Value::Object(object) = self.values.get(id) else { return None };
        let import = self.global(object.callable)?;
        self.numpy(import, object, self.values.elements(object.arguments)?)
    }

    /// An array of NumPy.
    fn numpy(self, import: &Import, object: &Object, arguments: &[Id]) -> Option<Made> {
        let (size, dtype, data, by_columns) = match (import.module.as_str(), import.name.as_str()) {
            ("numpy.core.multiarray" | "numpy._core.multiarray", "_reconstruct") => {
                let state = self.values.elements(object.state?)?;
                let [_, size, dtype, by_columns, data] = state else { return None };
                (*size, *dtype, *data, self.values.int(*by_columns) == Some(1))
            }
            ("numpy.core.numeric" | "numpy._core.numeric", "_frombuffer") => {
                let [data, dtype, size, order, ..] = arguments else { return None };
                (*size, *dtype, *data, self.values.text(*order) == Some("F"))
            }
            _ => return None,
        };
        let dims = self.sizes(size)?;
        let strides = by_columns.then(|| column_strides(&dims)).flatten();
        let elements = match self.values.get(data) {
            Value::Bytes(span) => Elements::Bytes(*span),
            _ => Elements::Nowhere,
        };
        Some(Made::Tensor(Rebuilt {
            dtype: self.numpy_dtype(dtype)?,
            dims,
            strides,
            elements,
            is_parameter: false,
            affine: None,
        }))
    }

    /// The type of a call of `numpy.dtype`.
    fn numpy_dtype(self, id: Id) -> Option<DType> {
        let Value::Object(object) = self.values.get(id) else { return None };
        let code = self.values.elements(object.arguments)?.first()?;
        dtype::of_numpy(self.values.text(*code)?)
    }
}

fn column_strides(dims: &[i64]) -> Option<Vec<i64>> {
    let mut step = 1_i64;
    let mut strides = Vec::with_capacity(dims.len());
    for dim in dims {
        strides.push(step);
        step = step.checked_mul(*dim)?;
    }
    Some(strides)
}
