//! Detection of other file formats by their first bytes, for helpful errors.
//!
//! To add a kind: write its test, add a line to [`KINDS`].

use crate::flatbuffer::has_identifier;

use crate::wire::varint;

/// Bytes at the start of the file that tests examine.
pub const SNIFFED: usize = 4096;

/// A file format that this crate does not read.
pub struct Kind {
    /// The format, with its article.
    pub what: &'static str,
    /// What to do with it.
    pub hint: &'static str,
    test: fn(&[u8]) -> bool,
}

/// Returns the format of a foreign file, or `None` if the bytes may be a model.
pub fn foreign(start: &[u8]) -> Option<&'static Kind> {
    let start = &start[..start.len().min(SNIFFED)];
    KINDS.iter().find(|kind| (kind.test)(start))
}

const UNPACK: &str = "unpack it and pass the .onnx file inside";
const EXPORT: &str = "export the model to ONNX and pass that file";
const FETCH: &str = "download the model file itself";

/// Formats in the order of detection: specific before general.
pub const KINDS: &[Kind] = &[
    kind("an empty file", "the download or export did not finish: repeat it", <[u8]>::is_empty),
    kind("a Git LFS pointer", "run `git lfs pull` to fetch the file that it points to", |b| {
        b.starts_with(b"version https://git-lfs")
    }),
    kind("a git-annex pointer", "run `git annex get` on it", |b| {
        b.starts_with(b"/annex/objects/") || b.starts_with(b"../.git/annex/objects/")
    }),
    kind(
        "an HTML page",
        "the download returned a web page: use the direct link to the file",
        is_html,
    ),
    kind("an XML document", FETCH, is_xml),
    kind("a ZIP archive", UNPACK, is_zip),
    kind("a gzip archive", UNPACK, |b| b.starts_with(&[0x1f, 0x8b])),
    kind("a bzip2 archive", UNPACK, |b| b.starts_with(b"BZh") && b.get(4..10) == Some(b"1AY&SY")),
    kind("an xz archive", UNPACK, |b| b.starts_with(b"\xfd7zXZ\0")),
    kind("a Zstandard archive", UNPACK, |b| b.starts_with(&[0x28, 0xb5, 0x2f, 0xfd])),
    kind("a 7-Zip archive", UNPACK, |b| b.starts_with(b"7z\xbc\xaf\x27\x1c")),
    kind(
        "a PyTorch checkpoint of before version 0.2",
        "load it with PyTorch and save it again",
        |b| {
            let names: [&[u8]; 4] = [b"pickle\0", b"storages\0", b"sys_info\0", b"tensors\0"];
            is_tar(b) && names.iter().any(|name| b.starts_with(name))
        },
    ),
    kind("a tar archive", UNPACK, is_tar),
    kind("a GGML model", EXPORT, |b| {
        [b"lmgg", b"tjgg", b"fmgg", b"algg"].iter().any(|magic| b.starts_with(*magic))
    }),
    kind("an ExecuTorch program", EXPORT, |b| {
        has_identifier(b, b"ET") && b.get(6..8).is_some_and(|v| v.iter().all(u8::is_ascii_digit))
    }),
    kind("a TensorRT engine", "pass the .onnx file that it was built from", |b| {
        b.starts_with(b"ftrt") || b.starts_with(b"ptrt")
    }),
    kind("an NCNN network", EXPORT, |b| {
        trimmed(b).starts_with(b"7767517\n") || b.starts_with(&[0xdd, 0x85, 0x76, 0])
    }),
    kind("a PaddlePaddle program", "export it with `paddle2onnx` and pass that file", |b| {
        is_paddle(b) || is_json(b) && contains(b, b"\"magic\":\"pir\"")
    }),
    kind("a Caffe network", EXPORT, |b| is_caffe(b) || is_text(b) && contains(b, b"layer {")),
    kind("a CNTK model", "pass its export to ONNX: CNTK 2.7 writes one", |b| {
        b.starts_with(b"B\0C\0N\0T\0K\0")
            || b.starts_with(b"\x08\x01\x12") && contains(b, b"CompositeFunction")
    }),
    kind("an MXNet network", "export it with `mxnet.onnx.export_model` and pass that file", |b| {
        b.starts_with(&[0x12, 1, 0, 0, 0, 0, 0, 0]) || is_json(b) && contains(b, b"\"arg_nodes\"")
    }),
    kind("a StableHLO module", "pass the model that it was lowered from", |b| {
        b.starts_with(b"ML\xefR") || is_text(b) && contains(b, b"stablehlo.")
    }),
    kind("a LightGBM model", "export it with `onnxmltools` and pass that file", |b| {
        b.starts_with(b"tree\nversion=")
    }),
    kind("a PDF document", FETCH, |b| b.starts_with(b"%PDF-")),
    kind("a PNG image", FETCH, |b| b.starts_with(b"\x89PNG\r\n")),
    kind("a JPEG image", FETCH, |b| b.starts_with(&[0xff, 0xd8, 0xff])),
    kind("a program (ELF)", FETCH, |b| b.starts_with(b"\x7fELF")),
    kind("a program (Windows)", FETCH, |b| b.starts_with(b"MZ") && contains(b, b"PE\0\0")),
    kind("a JSON document", FETCH, is_json),
    kind("plain text", FETCH, is_text),
    kind("a file of zeros", "the download or copy did not finish: repeat it", |b| {
        b.len() >= 8 && b.iter().all(|byte| *byte == 0)
    }),
];

const fn kind(what: &'static str, hint: &'static str, test: fn(&[u8]) -> bool) -> Kind {
    Kind { what, hint, test }
}

fn contains(bytes: &[u8], wanted: &[u8]) -> bool {
    bytes.windows(wanted.len()).any(|window| window == wanted)
}

/// The bytes after a byte-order mark and white space.
fn trimmed(bytes: &[u8]) -> &[u8] {
    bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes).trim_ascii_start()
}

fn is_json(bytes: &[u8]) -> bool {
    matches!(trimmed(bytes).first(), Some(b'{' | b'[')) && is_text(bytes)
}

/// A `ProgramDesc`: its first field is a block, whose fields are its number and that of its parent, -1.
fn is_paddle(bytes: &[u8]) -> bool {
    let block = bytes.strip_prefix(&[0x0a]).and_then(|rest| {
        let (_, length) = varint(rest)?;
        rest.get(length..)
    });
    block.is_some_and(|block| block.starts_with(b"\x08\x00\x10\xff\xff\xff\xff"))
}

/// A `NetParameter`: its name, and layers in field 100.
fn is_caffe(bytes: &[u8]) -> bool {
    let after_name = bytes.strip_prefix(&[0x0a]).and_then(|rest| {
        let (name, length) = varint(rest)?;
        rest.get(length.checked_add(usize::try_from(name).ok()?)?..)
    });
    after_name.is_some_and(|rest| rest.starts_with(&[0xa2, 0x06]))
}

fn is_tar(bytes: &[u8]) -> bool {
    bytes.get(257..262) == Some(b"ustar")
}

fn is_zip(bytes: &[u8]) -> bool {
    bytes.starts_with(b"PK\x03\x04") || bytes.starts_with(b"PK\x05\x06")
}

fn is_html(bytes: &[u8]) -> bool {
    let start: Vec<u8> = trimmed(bytes).iter().take(64).map(u8::to_ascii_lowercase).collect();
    start.starts_with(b"<!doctype html")
        || start.starts_with(b"<html")
        || start.starts_with(b"<head")
}

fn is_xml(bytes: &[u8]) -> bool {
    trimmed(bytes).starts_with(b"<?xml")
}

/// Text as people write it. Protobuf never looks so: its first byte, a tag, is below a space.
fn is_text(bytes: &[u8]) -> bool {
    let utf16 = bytes.starts_with(&[0xff, 0xfe]) || bytes.starts_with(&[0xfe, 0xff]);
    let valid = match std::str::from_utf8(bytes) {
        Ok(_) => true,
        // The cut at `SNIFFED` may split a character.
        Err(error) => error.error_len().is_none() && bytes.len() == SNIFFED,
    };
    let controls = |byte: &u8| *byte < 0x20 && !matches!(byte, b'\n' | b'\r' | b'\t' | 0x0c);
    bytes.len() >= 4 && (utf16 && bytes.contains(&0) || valid && !bytes.iter().any(controls))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_called_what_they_are() {
        let mut tar = vec![b'a'; 257];
        tar.extend(b"ustar");
        let old_checkpoint = [b"storages\0", &tar[9..]].concat();
        let cases: &[(&[u8], &str)] = &[
            (b"", "an empty file"),
            (b"version https://git-lfs.github.com/spec/v1\noid sha256:aa\n", "a Git LFS pointer"),
            (b"\n <!DOCTYPE HTML><html>", "an HTML page"),
            (b"<?xml version=\"1.0\"?><note>", "an XML document"),
            (b"PK\x03\x04....something", "a ZIP archive"),
            (b"\x1f\x8b\x08\0", "a gzip archive"),
            (b"\x1c\0\0\0ET12", "an ExecuTorch program"),
            (b"7767517\n75 83\nInput data 0 1 data\n", "an NCNN network"),
            (
                b"\x0a\x20\x08\x00\x10\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01",
                "a PaddlePaddle program",
            ),
            (b"{\"base_code\":{\"magic\":\"pir\",\"version\":1}}", "a PaddlePaddle program"),
            (b"name: \"LeNet\"\nlayer {\n", "a Caffe network"),
            (b"\x0a\x05LeNet\xa2\x06\x10", "a Caffe network"),
            (b"{\"nodes\": [], \"arg_nodes\": [0]}", "an MXNet network"),
            (b"ML\xefR\x0dStableHLO_v1.0.0", "a StableHLO module"),
            (b"tree\nversion=v4\n", "a LightGBM model"),
            (&old_checkpoint, "a PyTorch checkpoint of before version 0.2"),
            (b"  {\"a\": 1}", "a JSON document"),
            (b"just some words\n", "plain text"),
            ("слова и слова".as_bytes(), "plain text"),
            (b"\xff\xfeh\0i\0", "plain text"),
            (&[0; 1000], "a file of zeros"),
            (&tar, "a tar archive"),
        ];
        for (bytes, what) in cases {
            assert_eq!(foreign(bytes).map(|kind| kind.what), Some(*what));
        }
    }

    #[test]
    fn a_model_is_not_mistaken_for_anything() {
        assert!(foreign(&[0x08, 0x08]).is_none());
        assert!(foreign(b"\x08\x03\x12\x04CNTK\x1a\x052.5.1").is_none());
        assert!(foreign(b"\x3a\x00").is_none());
        for producer in [b"ORTModule", b"TFL3 tool", b"ET12 tool"] {
            let start = [b"\x08\x08\x12\x09", &producer[..], b"\x3a\x00"].concat();
            assert!(foreign(&start).is_none());
        }
    }
}
