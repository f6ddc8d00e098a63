//! Files for models that read bytes: what kind of file is it?

use std::collections::BTreeMap;
use std::fs::File;
use std::io::{Read as _, Seek as _, SeekFrom};
use std::path::Path;

use calipers_ir::DType;
use calipers_report::RunOutcome;

use super::labels::Labels;
use super::{Applied, Subject, classes, named, output};
use crate::apply::check_file;
use crate::session::{Read, Session};
use crate::{Error, Tensor};

/// Bytes that are read from the beginning and from the end.
const BLOCK: usize = 4096;
/// The number of a missing byte.
const PADDING: i64 = 256;
/// Bytes that a model may ask for.
const MOST_BYTES: usize = 1 << 20;

/// Runs a model on the first and last bytes of a file.
pub(super) fn file(
    session: &mut dyn Session,
    subject: &Subject<'_>,
    path: &Path,
) -> Result<Applied, Error> {
    let ports = subject.ports();
    let count = match ports.as_slice() {
        [port] if !port.dtype.is_float() && port.sizes.len() == 2 => port.sizes[1],
        _ => None,
    };
    let Some((port, count)) = ports.first().zip(count.filter(|count| *count <= MOST_BYTES)) else {
        return Err(Error::Request(
            "the model does not read the bytes of a file; pass tensors with --input".to_owned(),
        ));
    };
    let labels = Labels::find(subject)?;
    let (first, last) = ends(path)
        .map_err(|why| Error::Request(format!("cannot read the file {}: {why}", path.display())))?;
    let values = tokens(&first, &last, count);
    let tensor = integers(vec![1, count], &values, port.dtype)
        .ok_or_else(|| Error::Type(port.name.clone(), port.dtype.to_string()))?;
    let outputs = session.run(&[(port.name.clone(), tensor)], None, Read::Values)?;
    let scores = output(&outputs, |tensor| tensor.shape().len() == 2);
    labels.check(scores.map_or(labels.len(), |scores| scores.shape()[1]))?;
    let found = scores.and_then(|scores| classes(scores, &labels));
    let found =
        found.ok_or_else(|| Error::Request("the model returns no scores of classes".to_owned()))?;
    let mut preprocessing = BTreeMap::from([(
        "bytes".to_owned(),
        format!(
            "the first {} and the last {}, without white space around them",
            count - count / 2,
            count / 2
        ),
    )]);
    preprocessing.extend(labels.source.map(|it| ("labels".to_owned(), it)));
    let outcome = RunOutcome::Classes { classes: found };
    Ok(Applied { outcome, preprocessing, outputs: named(outputs), picture: None })
}

/// The first and the last block of a file.
fn ends(path: &Path) -> Result<(Vec<u8>, Vec<u8>), String> {
    check_file(path)?;
    let failed = |error: std::io::Error| error.to_string();
    let mut file = File::open(path).map_err(failed)?;
    let length = file.metadata().map_err(failed)?.len();
    let block = |file: &mut File| {
        let mut bytes = Vec::with_capacity(BLOCK);
        file.take(BLOCK as u64).read_to_end(&mut bytes).map(|_| bytes).map_err(failed)
    };
    let first = block(&mut file)?;
    file.seek(SeekFrom::Start(length.saturating_sub(BLOCK as u64))).map_err(failed)?;
    Ok((first, block(&mut file)?))
}

/// The bytes as integers: half from the beginning, padded behind, half from the end, padded before.
fn tokens(first: &[u8], last: &[u8], count: usize) -> Vec<i64> {
    let (head, tail) = (count - count / 2, count / 2);
    let is_space = |byte: &u8| byte.is_ascii_whitespace() || *byte == 0x0b;
    let start = first.iter().position(|byte| !is_space(byte)).unwrap_or(first.len());
    let end = last.iter().rposition(|byte| !is_space(byte)).map_or(0, |place| place + 1);
    let (first, last) = (&first[start..], &last[..end]);
    let first = &first[..first.len().min(head)];
    let last = &last[last.len() - last.len().min(tail)..];
    let padding = |count: usize| std::iter::repeat_n(PADDING, count);
    let bytes = |bytes: &[u8]| bytes.iter().map(|byte| i64::from(*byte)).collect::<Vec<i64>>();
    let mut values = bytes(first);
    values.extend(padding(head - first.len()));
    values.extend(padding(tail - last.len()));
    values.extend(bytes(last));
    values
}

#[expect(clippy::cast_possible_truncation, reason = "bytes and the number behind them")]
fn integers(shape: Vec<usize>, values: &[i64], dtype: DType) -> Option<Tensor> {
    match dtype {
        DType::Int64 => Tensor::new(shape, values.to_vec()).ok(),
        DType::Int32 => {
            Tensor::new(shape, values.iter().map(|it| *it as i32).collect::<Vec<i32>>()).ok()
        }
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn half_is_from_the_beginning_and_half_from_the_end() {
        assert_eq!(tokens(b" \nab", b"ab\n", 6), [97, 98, 256, 256, 97, 98]);
        assert_eq!(tokens(b"abcdef", b"abcdef", 5), [97, 98, 99, 101, 102]);
        assert_eq!(tokens(b"  ", b"  ", 2), [256, 256]);
    }

    #[test]
    fn long_files_are_read_at_both_ends() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("long");
        let mut bytes = vec![1_u8; 10_000];
        bytes[9_999] = 2;
        std::fs::write(&path, bytes).unwrap();
        let (first, last) = ends(&path).unwrap();
        assert_eq!((first.len(), last.len(), last[BLOCK - 1]), (BLOCK, BLOCK, 2));
        assert_eq!(ends(folder.path()), Err("it is a folder".to_owned()));
    }
}
