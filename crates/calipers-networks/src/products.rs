//! Products with stored matrices, tables that are looked up, and norms.

use calipers_ir::assembly::{Call, Setting};
use calipers_ir::{DType, NameId, WeightRole};

use crate::families::NormKind;
use crate::graph::{Built, FRAMEWORKS, Graph, MICROSOFT};

/// Bits of an element where nothing says how many.
const FEW_BITS: i64 = 4;

/// A matrix as the file stores it.
#[derive(Clone, Debug)]
enum Matrix {
    /// Numbers, one row for each output; or one for each input.
    Plain { values: NameId, has_inputs_first: bool },
    /// Numbers of few bits, several in a word; scales, zero points, an order of inputs.
    Packed { values: NameId, others: [NameId; 3], bits: i64, group: i64 },
}

/// A module with a matrix and perhaps a bias.
#[derive(Clone, Debug)]
pub(crate) struct Linear {
    matrix: Matrix,
    bias: Option<NameId>,
    inputs: i64,
    outputs: i64,
}

/// How a module is stored where the file does not show it.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Form {
    /// Whether it has a bias.
    pub(crate) bias: bool,
    /// Whether the inputs are the first dimension of its matrix.
    pub(crate) inputs_first: bool,
    /// Whether quantizing the network leaves it as it is.
    pub(crate) whole: bool,
}

impl Form {
    pub(crate) const PLAIN: Self = Self { bias: false, inputs_first: false, whole: false };

    pub(crate) const fn biased(bias: bool) -> Self {
        Self { bias, ..Self::PLAIN }
    }
}

impl Graph<'_, '_> {
    /// Finds a module.
    pub(crate) fn module(
        &mut self,
        path: &str,
        inputs: i64,
        outputs: i64,
        form: Form,
    ) -> Built<Linear> {
        let weight = format!("{path}.weight");
        let matrix = if let Some(stored) = self.weights.get(&weight) {
            let is_packed = match stored.dims[..] {
                [rows, columns] => {
                    let fits = [(outputs, inputs), (inputs, outputs)].contains(&(rows, columns));
                    !fits && !stored.dtype.is_float()
                }
                _ => !stored.dtype.is_float(),
            };
            let values = stored.name;
            // Of a square matrix, the family says which dimension is which.
            let is_turned = form.inputs_first || inputs != outputs;
            let has_inputs_first = stored.dims[..] == [inputs, outputs] && is_turned;
            if is_packed {
                self.packed(path, values, inputs)
            } else {
                Matrix::Plain { values, has_inputs_first }
            }
        } else if let Some(stored) = [".qweight", ".weight_packed"]
            .iter()
            .find_map(|end| self.weights.get(&format!("{path}{end}")))
        {
            self.packed(path, stored.name, inputs)
        } else {
            self.absent(path, inputs, outputs, form)?
        };
        let is_stored = self.weights.has(path);
        let bias_path = format!("{path}.bias");
        let has_bias = match is_stored {
            true => self.weights.get(&bias_path).is_some(),
            false => form.bias,
        };
        let bias = match has_bias {
            true => Some(self.tensor(&bias_path, &[outputs], self.stored_dtype)?),
            false => None,
        };
        Ok(Linear { matrix, bias, inputs, outputs })
    }

    fn packed(&self, path: &str, values: NameId, inputs: i64) -> Matrix {
        let find = |ends: &[&str]| {
            let found = ends.iter().find_map(|end| self.weights.get(&format!("{path}{end}")));
            (found.map_or_else(|| self.none(), |it| it.name), found)
        };
        let (scales, stored) = find(&[".scales", ".weight_scale", ".weight.absmax", ".SCB"]);
        let (zeros, _) = find(&[".qzeros", ".biases", ".weight_zero_point"]);
        let (order, _) = find(&[".g_idx", ".weight_g_idx"]);
        // As many inputs share a scale as the shape of the scales says: by rows, or by columns.
        let groups = stored.and_then(|it| match it.dims[..] {
            [rows, columns] => [rows, columns]
                .into_iter()
                .find(|count| *count > 0 && inputs % *count == 0 && *count < inputs),
            _ => None,
        });
        let counted = groups.map(|groups| inputs / groups);
        let group = self.packing.group.or(counted).unwrap_or(inputs);
        let bits = self.packing.bits.unwrap_or(FEW_BITS);
        Matrix::Packed { values, others: [scales, zeros, order], bits, group }
    }

    /// A matrix that the file does not store, packed as the description says.
    fn absent(&mut self, path: &str, inputs: i64, outputs: i64, form: Form) -> Built<Matrix> {
        let bits = self.packing.bits.unwrap_or(0);
        let group = self.packing.group.unwrap_or(inputs).max(1);
        let method = self.packing.method.clone();
        let packs = bits > 0 && bits < 16 && (method == "mlx" || !form.whole);
        let words = |count: i64| count.saturating_mul(bits) / 32;
        let (groups, dtype) = ((inputs / group).max(1), self.dtype);
        let all = inputs.checked_mul(outputs);
        match method.as_str() {
            "mlx" if packs => {
                let dims = [outputs, words(inputs)];
                let values =
                    self.packed_part(&format!("{path}.weight"), &dims, DType::Uint32, all)?;
                let dims = [outputs, groups];
                let scales = self.packed_part(&format!("{path}.scales"), &dims, dtype, None)?;
                let zeros = self.packed_part(&format!("{path}.biases"), &dims, dtype, None)?;
                let others = [scales, zeros, self.none()];
                Ok(Matrix::Packed { values, others, bits, group })
            }
            "gptq" | "awq" if packs => {
                let is_gptq = method == "gptq";
                let dims = match is_gptq {
                    true => [words(inputs), outputs],
                    false => [inputs, words(outputs)],
                };
                let words_of = DType::Int32;
                let values = self.packed_part(&format!("{path}.qweight"), &dims, words_of, all)?;
                let dims = [groups, outputs];
                let scales = self.packed_part(&format!("{path}.scales"), &dims, dtype, None)?;
                let dims = [groups, words(outputs)];
                let zeros = self.packed_part(&format!("{path}.qzeros"), &dims, words_of, None)?;
                let order = match is_gptq {
                    true => {
                        self.packed_part(&format!("{path}.g_idx"), &[inputs], words_of, None)?
                    }
                    false => self.none(),
                };
                Ok(Matrix::Packed { values, others: [scales, zeros, order], bits, group })
            }
            _ => {
                let has_inputs_first = form.inputs_first;
                let dims = if has_inputs_first { [inputs, outputs] } else { [outputs, inputs] };
                let values = self.tensor(&format!("{path}.weight"), &dims, self.stored_dtype)?;
                Ok(Matrix::Plain { values, has_inputs_first })
            }
        }
    }

    /// A part of a packed matrix that the file does not store: `all` numbers, or
    /// what they are scaled and ordered by.
    fn packed_part(
        &mut self,
        path: &str,
        dims: &[i64],
        dtype: DType,
        all: Option<i64>,
    ) -> Built<NameId> {
        let own = dims.iter().try_fold(1_i64, |product, dim| product.checked_mul(*dim));
        let stated = match (all, own) {
            (Some(all), _) => Some((WeightRole::Weight, all)),
            (None, own) => own.map(|own| (WeightRole::Quantization, own)),
        };
        self.tensor_for(path, dims, dtype, stated)
    }

    /// The numbers of a matrix, however they are stored.
    pub(crate) fn values(&mut self, path: &str, inputs: i64, outputs: i64) -> Built<NameId> {
        let linear = self.module(path, inputs, outputs, Form::PLAIN)?;
        Ok(match linear.matrix {
            Matrix::Plain { values, .. } | Matrix::Packed { values, .. } => values,
        })
    }

    /// A product with a module's matrix, and its bias.
    pub(crate) fn product(&mut self, x: NameId, linear: &Linear) -> Built<NameId> {
        let none = self.none();
        let bias = linear.bias.unwrap_or(none);
        match &linear.matrix {
            Matrix::Plain { values, has_inputs_first } => {
                let mut call = Call { inputs: vec![x, *values], ..Call::default() };
                call.is_of(FRAMEWORKS, "Linear");
                if !has_inputs_first {
                    call.input_order(1, &[1, 0]);
                }
                call.inputs.extend(linear.bias);
                self.numbers(call)
            }
            Matrix::Packed { values, others: [scales, zeros, order], bits, group } => {
                let inputs = [x, *values, *scales, *zeros, *order, bias];
                let attributes = [
                    ("K", Setting::Int(linear.inputs)),
                    ("N", Setting::Int(linear.outputs)),
                    ("bits", Setting::Int(*bits)),
                    ("block_size", Setting::Int(*group)),
                ];
                self.op_of(MICROSOFT, "MatMulNBits", &inputs, &attributes)
            }
        }
    }

    /// Finds a module and multiplies with it, in a scope of its own.
    pub(crate) fn linear(
        &mut self,
        x: NameId,
        scope: &str,
        path: Option<String>,
        [inputs, outputs]: [i64; 2],
        form: Form,
    ) -> Built<NameId> {
        let path = path.unwrap_or_else(|| scope.replace('/', "."));
        let linear = self.module(&path, inputs, outputs, form)?;
        self.within(scope, |g| g.product(x, &linear))
    }

    /// Rows of a table.
    pub(crate) fn lookup(&mut self, table: &Linear, ids: NameId) -> Built<NameId> {
        match &table.matrix {
            Matrix::Plain { values, .. } => self.op("Gather", &[*values, ids]),
            Matrix::Packed { values, others: [scales, zeros, _], bits, group } => {
                let inputs = [*values, ids, *scales, *zeros];
                let attributes = [
                    ("width", Setting::Int(table.inputs)),
                    ("bits", Setting::Int(*bits)),
                    ("block_size", Setting::Int(*group)),
                ];
                self.op_of(FRAMEWORKS, "PackedEmbedding", &inputs, &attributes)
            }
        }
    }

    /// Rows that a table has: as stored, else as described.
    pub(crate) fn rows(&self, path: &str, described: Option<i64>) -> Option<i64> {
        let stored = self.weights.get(&format!("{path}.weight"));
        let rows = stored.and_then(|it| match it.dims[..] {
            [rows, _] => Some(rows),
            _ => None,
        });
        rows.filter(|rows| *rows > 0).or(described)
    }

    /// A norm over the last dimension.
    pub(crate) fn norm(
        &mut self,
        x: NameId,
        scope: &str,
        path: Option<String>,
        width: i64,
        (kind, epsilon): (NormKind, f32),
    ) -> Built<NameId> {
        let path = path.unwrap_or_else(|| scope.replace('/', "."));
        // Weights that were converted from TensorFlow keep its names.
        let named = |g: &Self, ends: [&str; 2]| {
            let paths = ends.map(|end| format!("{path}{end}"));
            paths.iter().find(|path| g.weights.get(path).is_some()).cloned()
        };
        let stored = named(self, [".weight", ".gamma"]);
        let is_stored = stored.is_some();
        let scale = stored.unwrap_or_else(|| format!("{path}.weight"));
        let scale = self.tensor(&scale, &[width], self.stored_dtype)?;
        let shift = named(self, [".bias", ".beta"]);
        let shift = match (kind, shift) {
            (_, Some(path)) => Some(path),
            (NormKind::Layer, None) if !is_stored => Some(format!("{path}.bias")),
            _ => None,
        };
        let mut inputs = vec![x, scale];
        if let Some(shift) = shift {
            inputs.push(self.tensor(&shift, &[width], self.stored_dtype)?);
        }
        let op = match kind {
            NormKind::Rms => "RMSNormalization",
            NormKind::Layer => "LayerNormalization",
        };
        let attributes = [("axis", Setting::Int(-1)), ("epsilon", Setting::Float(epsilon))];
        self.within(scope, |g| g.op_with(op, &inputs, &attributes))
    }
}
