//! Operators that reach out of the model.

use std::collections::BTreeMap;

use calipers_ir::Hazard;

use super::library::Library;
use crate::error::Trace;

/// Operators that read or write files, call code of the process, or open connections.
const CALLS_OUT: &[&str] = &[
    "BigQueryReader",
    "CreateSummaryDbWriter",
    "CreateSummaryFileWriter",
    "DataServiceDataset",
    "DataServiceDatasetV2",
    "DebugIdentity",
    "DebugIdentityV2",
    "DeleteFile",
    "EagerPyFunc",
    "FileSystemSetConfiguration",
    "FixedLengthRecordDataset",
    "FixedLengthRecordDatasetV2",
    "ImmutableConst",
    "LMDBDataset",
    "LMDBReader",
    "LoadDataset",
    "MatchingFiles",
    "MatchingFilesDataset",
    "PyFunc",
    "PyFuncStateless",
    "ReadFile",
    "RemoteCall",
    "RpcCall",
    "RpcClient",
    "RpcServer",
    "SaveDataset",
    "SaveDatasetV2",
    "SnapshotDataset",
    "SnapshotDatasetV2",
    "SqlDataset",
    "TFRecordDataset",
    "TFRecordDatasetV2",
    "TextLineDataset",
    "WholeFileReader",
    "WholeFileReaderV2",
    "WriteFile",
];

/// Such operators in the graph and in all functions, whether or not the outputs need them: loading
/// the model, or another of its signatures, can run them.
pub(super) fn find(library: &Library<'_>) -> Result<Vec<Hazard>, Trace> {
    let mut found: BTreeMap<&str, (u64, &str)> = BTreeMap::new();
    for place in library.bodies() {
        let body = library.body(place)?;
        for node in 0..u32::try_from(body.len()).unwrap_or(u32::MAX) {
            let node = body.head(node)?;
            if CALLS_OUT.binary_search(&node.1).is_ok() {
                found.entry(node.1).or_insert((0, node.0)).0 += 1;
            }
        }
    }
    let describe = |(op, (count, name)): (&str, (u64, &str))| match count {
        1 => Hazard::CallsOut { what: format!("{op} in the node {name}") },
        _ => Hazard::CallsOut { what: format!("{op} in {count} nodes, the first of them {name}") },
    };
    Ok(found.into_iter().map(describe).collect())
}
