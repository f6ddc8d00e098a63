//! SHA-256 of the model's files: what a release is known by. Nothing here runs unless it is asked
//! for, since it reads every byte, weights too.
//!
//! One figure represents all of them. Anybody can make it again without Calipers:
//! `sha256sum model.onnx weights.bin | sha256sum`, the model first and its data files in the order
//! in which the report lists them, from the model's folder.

use std::fmt::{Display, Write as _};

use calipers_ir::{Model, Source, Span};
use calipers_report::Report;
use sha2::{Digest as _, Sha256};

use crate::not_known;

/// Bytes hashed before their pages are let go.
const PIECE: usize = 16 << 20;

/// Writes the digests of the model file, of each of its data files and of all together into the
/// report. `files` are the model's data files in its order, or why they cannot be read.
pub fn fingerprint<E: Display>(model: &Model, files: &[Result<Source, E>], report: &mut Report) {
    let Some(own) = sha256(&model.source) else {
        let reason = "the model is remote; download it to compute its digest".to_owned();
        return not_known(&mut report.unknown, "model.sha256", reason);
    };
    let mut list = format!("{own}  {}\n", report.model.file);
    let mut missing = None;
    for (facts, file) in report.model.data_files.iter_mut().zip(files) {
        match file {
            Ok(source) => {
                let Some(digest) = sha256(source) else { continue };
                // Writing to a text cannot fail.
                let _ = writeln!(list, "{digest}  {}", facts.location);
                facts.sha256 = Some(digest);
            }
            Err(reason) => {
                missing.get_or_insert_with(|| format!("{:?}: {reason}", facts.location));
            }
        }
    }
    report.model.sha256 = Some(own);
    match missing {
        None => report.model.sha256_all = Some(hexadecimal(Sha256::digest(list))),
        Some(reason) => not_known(&mut report.unknown, "model.sha256_all", reason),
    }
}

/// The digest of a file; `None` where it is not at hand as a whole.
fn sha256(source: &Source) -> Option<String> {
    let mut hash = Sha256::new();
    let mut start = 0;
    for bytes in source.whole()?.chunks(PIECE) {
        let piece = Span { start, end: start + bytes.len() as u64 };
        source.expect(piece);
        hash.update(bytes);
        source.release(piece);
        start = piece.end;
    }
    Some(hexadecimal(hash.finalize()))
}

fn hexadecimal(digest: impl AsRef<[u8]>) -> String {
    digest.as_ref().iter().map(|byte| format!("{byte:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_file_has_its_digest_and_all_have_one() {
        let model = calipers_formats::read(vec![0x3a, 0x00], "tiny.onnx").unwrap();
        let mut report = Report::default();
        report.model.file = "tiny.onnx".to_owned();
        report.model.data_files.push(calipers_report::DataFile {
            location: "w.bin".to_owned(),
            status: calipers_report::DataStatus::Present,
            reason: String::new(),
            bytes: Some(3),
            tensors: 1,
            tensor_bytes: 3,
            sha256: None,
        });
        let files = [Ok::<_, &str>(Source::new(b"abc".to_vec()))];
        fingerprint(&model, &files, &mut report);
        // printf '\072\000' > tiny.onnx; printf abc > w.bin; sha256sum tiny.onnx w.bin
        let own = "7648eb81c4e9fef7b51879c6fcd6fb4b8863eea0cb2a978c508711dc52c80041";
        let weights = "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad";
        assert_eq!(report.model.sha256.as_deref(), Some(own));
        assert_eq!(report.model.data_files[0].sha256.as_deref(), Some(weights));
        // sha256sum tiny.onnx w.bin | sha256sum
        let all = "0595e3b690613f022cdad7380d50403d85697e86572a668cd2c9613bb1466e3c";
        assert_eq!(report.model.sha256_all.as_deref(), Some(all));

        fingerprint(&model, &[Err("file not found")], &mut report);
        let unknown = report.unknown.iter().map(|unknown| unknown.what.as_str());
        assert_eq!(unknown.collect::<Vec<_>>(), ["model.sha256_all"]);
    }

    #[test]
    fn a_file_of_several_pieces_is_hashed_whole() {
        let bytes = vec![7; 2 * PIECE + 5];
        let whole = hexadecimal(Sha256::digest(&bytes));
        assert_eq!(sha256(&Source::new(bytes)), Some(whole));
    }
}
