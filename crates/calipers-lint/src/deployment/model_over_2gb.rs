//! A model file above the size limit of protobuf.

use calipers_report::Severity;
use calipers_report::units;

use crate::{Evidence, Hit, Rule};

pub(crate) const RULE: Rule = Rule {
    id: "model-over-2gb",
    severity: Severity::Error,
    group: "deployment",
    title: "Model file exceeds the 2 GiB protobuf limit",
    checks: "Whether the model file, without external data, is smaller than 2³¹ bytes.",
    why: "Protobuf rejects messages of 2 GiB and more, so ONNX Runtime and the `onnx` package \
          cannot read the file.",
    example: "A 2.5 GB model with its weights inside the file.",
    recommendation: "Re-export with external data, `torch.onnx.export(..., dynamo=True, \
                     external_data=True)`, or save the in-memory model with `onnx.save(model, \
                     \"out.onnx\", save_as_external_data=True)`.",
    check,
};

/// The smallest size that protobuf rejects, in bytes.
const LIMIT: u64 = 1 << 31;

fn check(evidence: &Evidence<'_>) -> Option<Hit> {
    let bytes = evidence.model.header.bytes;
    (bytes >= LIMIT).then(|| {
        Hit::new(
            format!(
                "{} bytes; protobuf messages must be smaller than {}",
                units::integer(bytes),
                units::integer(LIMIT)
            ),
            [],
        )
    })
}

#[cfg(test)]
mod tests {
    use std::io::{Seek, SeekFrom, Write};

    use super::{LIMIT, RULE};

    /// Encodes a length as a protobuf varint.
    fn varint(mut value: u64) -> Vec<u8> {
        let mut bytes = Vec::new();
        while value >= 0x80 {
            bytes.push(u8::try_from(value & 0x7f).unwrap() | 0x80);
            value >>= 7;
        }
        bytes.push(u8::try_from(value).unwrap());
        bytes
    }

    /// Whether the rule reports a file of `total` bytes with one tensor.
    fn is_found(total: u64) -> bool {
        // graph { initializer { raw_data } }: three tags with a length of five bytes each.
        let data = total - 18;
        let tensor = data + 6;
        let mut head = [vec![0x3a], varint(tensor + 6), vec![0x2a], varint(tensor)].concat();
        head.extend([vec![0x4a], varint(data)].concat());
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(&head).unwrap();
        // The file is sparse, so it takes no disk space.
        file.seek(SeekFrom::Start(0)).unwrap();
        file.as_file().set_len(head.len() as u64 + data).unwrap();
        assert_eq!(file.as_file().metadata().unwrap().len(), total);
        let model = calipers_formats::open(file.path()).unwrap();
        crate::testing::findings(&model, None).iter().any(|finding| finding.id == RULE.id)
    }

    #[test]
    fn the_limit_is_found_and_the_last_size_below_it_is_not() {
        assert!(is_found(LIMIT));
        assert!(!is_found(LIMIT - 1));
    }
}
