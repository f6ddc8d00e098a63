//! Arithmetic and bytes of a run, or of a part of one.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

/// The arithmetic and the bytes moved of a run, of a node, or of several nodes together.
///
/// A figure that is not known, depends on a dimension without a size, or does not fit 64 bits is
/// `None`. In JSON, `flops` is written next to these fields and not read back.
///
/// ```
/// use calipers_report::Work;
///
/// let work = Work { macs: Some(3), other_flops: Some(1), bytes_moved: None };
/// assert_eq!((work.flops(), work.total_flops()), (Some(6), Some(7)));
/// let json = r#"{"macs":3,"flops":6,"other_flops":1,"bytes_moved":null}"#;
/// assert_eq!(serde_json::to_string(&work).unwrap(), json);
/// assert_eq!(serde_json::from_str::<Work>(json).unwrap(), work);
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(from = "WorkFields", into = "WorkFields")]
pub struct Work {
    /// Multiply-accumulates of contractions.
    pub macs: Option<u64>,
    /// Arithmetic outside contractions: element-wise, normalization, softmax, reduction.
    pub other_flops: Option<u64>,
    /// Bytes read and written by all nodes, each on its own.
    pub bytes_moved: Option<u64>,
}

impl Work {
    /// No arithmetic and no bytes.
    pub const ZERO: Self = Self { macs: Some(0), other_flops: Some(0), bytes_moved: Some(0) };

    /// Returns two FLOPs per multiply-accumulate: the figure to compare with other tools.
    pub fn flops(&self) -> Option<u64> {
        self.macs?.checked_mul(2)
    }

    /// Returns all arithmetic: `flops` and `other_flops` together.
    pub fn total_flops(&self) -> Option<u64> {
        self.flops()?.checked_add(self.other_flops?)
    }
}

/// [`Work`] as JSON has it.
#[derive(Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
struct WorkFields {
    /// Multiply-accumulates of contractions.
    macs: Option<u64>,
    /// Twice that: the figure to compare with other tools.
    flops: Option<u64>,
    /// Arithmetic outside contractions: element-wise, normalization, softmax, reduction.
    other_flops: Option<u64>,
    /// Bytes read and written by all nodes, each on its own.
    bytes_moved: Option<u64>,
}

impl From<Work> for WorkFields {
    fn from(work: Work) -> Self {
        let Work { macs, other_flops, bytes_moved } = work;
        Self { macs, flops: work.flops(), other_flops, bytes_moved }
    }
}

impl From<WorkFields> for Work {
    fn from(fields: WorkFields) -> Self {
        let WorkFields { macs, flops: _, other_flops, bytes_moved } = fields;
        Self { macs, other_flops, bytes_moved }
    }
}
