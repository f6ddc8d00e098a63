//! Operators of TensorFlow, as rows that compute the same.
//!
//! The operators are those of
//! <https://www.tensorflow.org/versions/r2.16/api_docs/python/tf/raw_ops>.

mod arrange;
mod convolution;
mod pointwise;
mod products;
mod reduction;
mod select;
mod sources;

use std::rc::Rc;

use calipers_ir::assembly::{Assembly, Call};
use calipers_ir::{DType, Format, NameId, TooLarge};

use super::message::dtype;
use super::node::Node;
use super::operand::{Known, Operand};
use crate::error::Trace;

/// The domain of what several frameworks have.
const FRAMEWORKS: &str = "frameworks";

/// The domain of what TensorFlow alone has.
const TENSORFLOW: &str = Format::SavedModel.domain();

/// A node on its way to a row.
pub(super) struct Op<'m, 'b, 'a> {
    pub(super) node: &'m Node<'a>,
    pub(super) inputs: &'m [Operand],
    /// What the file states of the outputs.
    pub(super) output_dims: Vec<Option<&'m [i64]>>,
    pub(super) call: Call,
    /// What the mapping finds of the first output.
    pub(super) produced: Option<Known>,
    pub(super) assembly: &'m mut Assembly<'b>,
}

/// Why a node has no row.
enum Stop {
    /// Nothing computes the same, or what would is not known here.
    Unmapped,
    TooLarge(TooLarge),
}

impl From<TooLarge> for Stop {
    fn from(error: TooLarge) -> Self {
        Self::TooLarge(error)
    }
}

type Mapped = Result<(), Stop>;

/// What a mapping needs, or none.
fn need<T>(value: Option<T>) -> Result<T, Stop> {
    value.ok_or(Stop::Unmapped)
}

/// Maps a node; where nothing computes the same, leaves it as the file has it.
pub(super) fn map(op: &mut Op<'_, '_, '_>) -> Result<bool, Trace> {
    op.call.inputs = op.inputs.iter().map(|input| input.name).collect();
    let families: [fn(&mut Op<'_, '_, '_>) -> Mapped; 7] = [
        pointwise::map,
        convolution::map,
        products::map,
        reduction::map,
        arrange::map,
        select::map,
        sources::map,
    ];
    for family in families {
        match family(op) {
            Ok(()) => return Ok(true),
            Err(Stop::TooLarge(error)) => return Err(error.into()),
            Err(Stop::Unmapped) => {
                op.call = Call {
                    written: std::mem::take(&mut op.call.written),
                    name: std::mem::take(&mut op.call.name),
                    inputs: op.inputs.iter().map(|input| input.name).collect(),
                    ..Call::default()
                };
                op.produced = None;
            }
        }
    }
    Ok(false)
}

/// Outputs that an operator has, whether or not something reads them.
pub(super) fn outputs(node: &Node<'_>) -> u32 {
    let count = match node.op {
        "Split" | "SplitV" => node.int("num_split"),
        "Unpack" | "Unstack" => node.int("num"),
        "TopK" | "TopKV2" => Some(2),
        _ => None,
    };
    count.and_then(|count| u32::try_from(count).ok()).unwrap_or(1)
}

/// Whether the output is a list of tensors, or handed on as a handle.
pub(super) fn makes_list(node: &Node<'_>) -> bool {
    const HANDLES: [Option<i64>; 2] = [Some(20), Some(21)];
    HANDLES.contains(&node.type_number("T"))
        || matches!(
            node.op,
            "EmptyTensorList"
                | "TensorListFromTensor"
                | "TensorListPushBack"
                | "TensorListReserve"
                | "TensorListResize"
                | "TensorListSetItem"
        )
}

/// The type of an output where it is not that of the first input.
pub(super) fn output_type(node: &Node<'_>, port: u32) -> DType {
    let attribute = |name: &str, default: DType| node.type_number(name).map_or(default, dtype);
    match (node.op, port) {
        ("Shape" | "ShapeN" | "Size", _) => attribute("out_type", DType::Int32),
        ("Rank", _) => DType::Int32,
        ("ArgMax" | "ArgMin", _) => attribute("output_type", DType::Int64),
        ("TopK" | "TopKV2", 1) => attribute("index_type", DType::Int32),
        ("Unique" | "UniqueV2", 1) => attribute("out_idx", DType::Int32),
        ("MaxPoolWithArgmax", 1) => attribute("Targmax", DType::Int64),
        ("Where", _) => DType::Int64,
        ("Cast", _) => attribute("DstT", DType::Undefined),
        ("Bitcast", _) => attribute("type", DType::Undefined),
        (
            "NonMaxSuppression"
            | "NonMaxSuppressionV2"
            | "NonMaxSuppressionV3"
            | "NonMaxSuppressionV4"
            | "Bucketize",
            _,
        )
        | ("NonMaxSuppressionV5", 0 | 2) => DType::Int32,
        (
            "Conv2D" | "MatMul" | "BatchMatMul" | "BatchMatMulV2" | "BiasAdd" | "StridedSlice"
            | "ConcatV2" | "Pack" | "Reshape" | "Transpose" | "Mean" | "Sum" | "Prod" | "GatherNd"
            | "OneHot",
            _,
        ) => attribute("T", DType::Undefined),
        ("Range", _) => attribute("Tidx", DType::Undefined),
        ("GatherV2" | "Gather", _) => attribute("Tparams", DType::Undefined),
        ("ResourceGather" | "RandomUniform" | "RandomStandardNormal", _) => {
            attribute("dtype", DType::Undefined)
        }
        _ => DType::Undefined,
    }
}

impl Op<'_, '_, '_> {
    fn input(&self, place: usize) -> Result<&Operand, Stop> {
        need(self.inputs.get(place))
    }

    fn name(&self, place: usize) -> Result<NameId, Stop> {
        Ok(self.input(place)?.name)
    }

    /// The elements of an input that is a constant.
    fn integers(&self, place: usize) -> Result<Vec<i64>, Stop> {
        Ok(need(self.input(place)?.integers())?.to_vec())
    }

    /// The only element of an input that is a constant.
    fn integer(&self, place: usize) -> Result<i64, Stop> {
        need(self.input(place)?.integer())
    }

    /// The first inputs, without those behind.
    fn keep(&mut self, count: usize) {
        self.call.inputs.truncate(count);
    }

    fn frameworks(&mut self, name: &'static str) {
        self.call.is_of(FRAMEWORKS, name);
    }

    fn tensorflow(&mut self, name: &'static str) {
        self.call.is_of(TENSORFLOW, name);
    }

    /// The output has the dimensions of an input.
    fn shaped_like(&mut self, place: usize) {
        let dims = self.inputs.get(place).and_then(|input| input.known.dims.clone());
        self.produced = Some(Known { integers: None, dims });
    }

    fn produces(&mut self, dims: Option<Vec<i64>>) {
        self.produced = Some(Known { integers: None, dims: dims.map(Rc::from) });
    }

    /// Whether the channels are the last dimension, as they are unless the node says otherwise.
    fn is_channels_last(&self) -> bool {
        !self.node.text("data_format").is_some_and(|format| format.starts_with("NC"))
    }

    /// The dimensions of images and volumes: those of the input, or what the operator works on.
    fn rank(&self, otherwise: u8) -> u8 {
        let rank = self.inputs.first().and_then(Operand::rank);
        rank.and_then(|rank| u8::try_from(rank).ok()).filter(|rank| *rank > 1).unwrap_or(otherwise)
    }
}
