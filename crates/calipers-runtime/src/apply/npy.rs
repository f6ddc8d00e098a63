//! Tensors as `.npy` files, and several as `.npz`.
//!
//! The format is NumPy's: a magic text, a version, a header that is a Python dictionary, the elements.

use std::io::{Cursor, Read as _, Write as _};

use calipers_ir::DType;
use half::f16;
use zip::write::SimpleFileOptions;

use crate::{Elements, Error, Tensor};

const MAGIC: &[u8] = b"\x93NUMPY";

/// Bytes of a file at most.
const MOST_BYTES: u64 = 2_000_000_000;

/// Tensors of an archive at most.
const MOST_TENSORS: usize = 10_000;

fn wrong(why: &str) -> Error {
    Error::Request(format!("not a NumPy file: {why}"))
}

/// Reads a `.npy` file.
///
/// # Errors
///
/// [`Error::Request`] if it is not one, or has a type that no tensor has.
pub fn read(bytes: &[u8]) -> Result<Tensor, Error> {
    let rest = bytes.strip_prefix(MAGIC).ok_or_else(|| wrong("it does not begin as one"))?;
    let (length, start) = match rest {
        [1, _, low, high, ..] => (usize::from(u16::from_le_bytes([*low, *high])), 4_usize),
        [2 | 3, _, a, b, c, d, ..] => {
            let length = u32::from_le_bytes([*a, *b, *c, *d]);
            (usize::try_from(length).unwrap_or(usize::MAX), 6)
        }
        _ => return Err(wrong("its version is not known")),
    };
    let end = start.checked_add(length).ok_or_else(|| wrong("its header is too long"))?;
    let header = rest.get(start..end).ok_or_else(|| wrong("it ends in its header"))?;
    let header = std::str::from_utf8(header).map_err(|_| wrong("its header is not a text"))?;
    let data = &rest[end..];
    let descr = quoted_after(header, "'descr'").ok_or_else(|| wrong("it states no type"))?;
    let is_fortran = header.contains("'fortran_order': True");
    let shape = shape(header).ok_or_else(|| wrong("it states no shape"))?;
    let elements = shape.iter().try_fold(1_usize, |product, size| product.checked_mul(*size));
    let elements = elements.ok_or_else(|| wrong("its shape is too large"))?;
    macro_rules! decode {
        ($type:ty) => {{
            const SIZE: usize = size_of::<$type>();
            let bytes = elements.checked_mul(SIZE).and_then(|bytes| data.get(..bytes));
            let bytes = bytes.ok_or_else(|| wrong("it ends before its last element"))?;
            let (chunks, _) = bytes.as_chunks::<SIZE>();
            let all: Vec<_> = chunks.iter().map(|it| <$type>::from_le_bytes(*it)).collect();
            Elements::from(if is_fortran { row_major(&all, &shape) } else { all })
        }};
    }
    let elements = match descr {
        "<f4" => decode!(f32),
        "<f8" => decode!(f64),
        "<f2" => decode!(f16),
        "|i1" => decode!(i8),
        "|u1" => decode!(u8),
        "<i2" => decode!(i16),
        "<u2" => decode!(u16),
        "<i4" => decode!(i32),
        "<u4" => decode!(u32),
        "<i8" => decode!(i64),
        "<u8" => decode!(u64),
        "|b1" => {
            let bytes = data.get(..elements).ok_or_else(|| wrong("it ends too early"))?;
            let all: Vec<bool> = bytes.iter().map(|byte| *byte != 0).collect();
            Elements::Bool(if is_fortran { row_major(&all, &shape) } else { all })
        }
        other if other.starts_with("<U") => {
            let all = texts(data, elements, &other[2..])?;
            Elements::Text(if is_fortran { row_major(&all, &shape) } else { all })
        }
        other if other.starts_with('>') => {
            return Err(Error::Request(format!(
                "the array is big-endian: convert it with array.astype('<{}')",
                &other[1..]
            )));
        }
        other => {
            return Err(Error::Request(format!(
                "arrays of type {other} are not supported: convert it to numbers, bool or str"
            )));
        }
    };
    Tensor::new(shape, elements)
}

/// Texts of a fixed number of characters, four bytes each, filled up with 0.
fn texts(data: &[u8], elements: usize, characters: &str) -> Result<Vec<String>, Error> {
    let characters: usize = characters.parse().map_err(|_| wrong("its type is not known"))?;
    let bytes = characters.checked_mul(4).and_then(|size| size.checked_mul(elements));
    let data = bytes.and_then(|bytes| data.get(..bytes));
    let data = data.ok_or_else(|| wrong("it ends before its last element"))?;
    if characters == 0 {
        return Ok(vec![String::new(); elements.min(MOST_TENSORS)]);
    }
    let text = |bytes: &[u8]| -> Option<String> {
        let codes = bytes.as_chunks::<4>().0.iter().map(|code| u32::from_le_bytes(*code));
        codes.take_while(|code| *code != 0).map(char::from_u32).collect()
    };
    let found: Option<Vec<String>> = data.chunks_exact(4 * characters).map(text).collect();
    found.ok_or_else(|| wrong("a character is not one of Unicode"))
}

/// Elements in row-major order, from the order in which the first axis is the fastest.
fn row_major<T: Clone>(elements: &[T], shape: &[usize]) -> Vec<T> {
    let mut strides = Vec::with_capacity(shape.len());
    let mut stride = 1;
    for size in shape {
        strides.push(stride);
        stride *= size;
    }
    let place = |mut number: usize| {
        let axes = shape.iter().zip(&strides).rev();
        axes.fold(0, |place, (size, stride)| {
            let index = number % size;
            number /= size;
            place + index * stride
        })
    };
    (0..elements.len()).map(|number| elements[place(number)].clone()).collect()
}

/// The text in quotes after a key of the header.
fn quoted_after<'a>(header: &'a str, key: &str) -> Option<&'a str> {
    let after = header.split_once(key)?.1.split_once('\'')?.1;
    Some(after.split_once('\'')?.0)
}

fn shape(header: &str) -> Option<Vec<usize>> {
    let after = header.split_once("'shape'")?.1.split_once('(')?.1;
    let inside = after.split_once(')')?.0;
    let sizes = inside.split(',').map(str::trim).filter(|text| !text.is_empty());
    sizes.map(|text| text.parse().ok()).collect()
}

/// Returns a tensor as a `.npy` file.
///
/// # Errors
///
/// [`Error::Type`] for types that NumPy does not have.
pub fn write(name: &str, tensor: &Tensor) -> Result<Vec<u8>, Error> {
    let longest = match tensor.elements() {
        Elements::Text(all) => {
            all.iter().map(|text| text.chars().count()).max().unwrap_or(0).max(1)
        }
        _ => 0,
    };
    let texts = format!("<U{longest}");
    let descr = match tensor.dtype() {
        DType::String => texts.as_str(),
        // NumPy has no bfloat16; every value of it is a 32-bit float.
        DType::Float32 | DType::Bfloat16 => "<f4",
        DType::Float64 => "<f8",
        DType::Float16 => "<f2",
        DType::Int8 => "|i1",
        DType::Uint8 => "|u1",
        DType::Int16 => "<i2",
        DType::Uint16 => "<u2",
        DType::Int32 => "<i4",
        DType::Uint32 => "<u4",
        DType::Int64 => "<i8",
        DType::Uint64 => "<u8",
        DType::Bool => "|b1",
        dtype => return Err(Error::Type(name.to_owned(), dtype.to_string())),
    };
    let mut sizes: String = tensor.shape().iter().map(|size| format!("{size}, ")).collect();
    if tensor.shape().len() > 1 {
        sizes.truncate(sizes.len() - 2);
    }
    let mut header =
        format!("{{'descr': '{descr}', 'fortran_order': False, 'shape': ({sizes}), }}");
    // The elements begin at a multiple of 64 bytes; the header ends in a line feed.
    let fixed = MAGIC.len() + 4 + 1;
    let padding = (64 - (fixed + header.len()) % 64) % 64;
    header.extend(std::iter::repeat_n(' ', padding));
    header.push('\n');
    let length = u16::try_from(header.len())
        .map_err(|_| Error::Request("a tensor has too many dimensions".to_owned()))?;
    let mut bytes = MAGIC.to_vec();
    bytes.extend([1, 0]);
    bytes.extend(length.to_le_bytes());
    bytes.extend(header.as_bytes());
    macro_rules! encode {
        ($($name:ident)*) => {
            match tensor.elements() {
                $(Elements::$name(all) => all.iter().for_each(|it| bytes.extend(it.to_le_bytes())),)*
                Elements::Bool(all) => bytes.extend(all.iter().map(|it| u8::from(*it))),
                Elements::Bf16(all) => {
                    all.iter().for_each(|it| bytes.extend(it.to_f32().to_le_bytes()));
                }
                Elements::Text(all) => {
                    for text in all {
                        let codes = text.chars().map(u32::from).chain(std::iter::repeat(0));
                        codes.take(longest).for_each(|code| bytes.extend(code.to_le_bytes()));
                    }
                }
            }
        };
    }
    encode!(F32 F64 F16 I8 U8 I16 U16 I32 U32 I64 U64);
    Ok(bytes)
}

/// Reads the tensors of a `.npz` file, by name.
///
/// # Errors
///
/// [`Error::Request`] if it is not one or is too large.
pub fn read_archive(bytes: &[u8]) -> Result<Vec<(String, Tensor)>, Error> {
    let failed = |error: zip::result::ZipError| wrong(&error.to_string());
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).map_err(failed)?;
    if archive.len() > MOST_TENSORS {
        return Err(wrong("it has too many arrays"));
    }
    let mut left = MOST_BYTES;
    let mut found = Vec::new();
    for index in 0..archive.len() {
        let file = archive.by_index(index).map_err(failed)?;
        let name = file.name().map_err(failed)?;
        let name = name.strip_suffix(".npy").unwrap_or(&name).to_owned();
        let mut contents = Vec::new();
        // A small archive may claim to hold anything.
        file.take(left + 1)
            .read_to_end(&mut contents)
            .map_err(|error| wrong(&error.to_string()))?;
        left = left.checked_sub(contents.len() as u64).ok_or_else(|| wrong("it is too large"))?;
        found.push((name, read(&contents)?));
    }
    Ok(found)
}

/// Returns tensors as a `.npz` file.
///
/// # Errors
///
/// Those of [`write()`].
pub fn write_archive(tensors: &[(String, Tensor)]) -> Result<Vec<u8>, Error> {
    let failed = |error: zip::result::ZipError| Error::Request(error.to_string());
    let mut archive = zip::ZipWriter::new(Cursor::new(Vec::new()));
    // The command replaces a file that has this.
    archive.set_comment("Generated by Calipers").map_err(failed)?;
    let options = SimpleFileOptions::default()
        .compression_method(zip::CompressionMethod::Stored)
        .large_file(true);
    for (name, tensor) in tensors {
        // A name of a model must not become a path.
        let safe: String = name
            .chars()
            .map(|c| if matches!(c, '/' | '\\' | '\0' | ':') { '_' } else { c })
            .collect();
        archive.start_file(format!("{safe}.npy"), options).map_err(failed)?;
        archive
            .write_all(&write(name, tensor)?)
            .map_err(|error| Error::Request(error.to_string()))?;
    }
    Ok(archive.finish().map_err(failed)?.into_inner())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_is_written_as_numpy_does() {
        let tensor = Tensor::new(vec![2, 1], vec![1_i64, -2]).unwrap();
        let bytes = write("x", &tensor).unwrap();
        assert_eq!(&bytes[..10], b"\x93NUMPY\x01\x00\x76\x00");
        let header = std::str::from_utf8(&bytes[10..128]).unwrap();
        assert!(header.starts_with("{'descr': '<i8', 'fortran_order': False, 'shape': (2, 1), }"));
        assert!(header.ends_with(" \n"));
        assert_eq!(bytes.len(), 128 + 16);
        assert_eq!(read(&bytes).unwrap(), tensor);
    }

    #[test]
    fn shapes_of_every_rank_are_read_back() {
        for shape in [vec![], vec![3], vec![1, 3], vec![0, 4]] {
            let count = shape.iter().product();
            let tensor = Tensor::new(shape, vec![0.5_f32; count]).unwrap();
            let name = |_| ("a/b".to_owned(), tensor.clone());
            assert_eq!(read(&write("x", &tensor).unwrap()).unwrap(), tensor);
            let archive = write_archive(&[name(())]).unwrap();
            assert_eq!(read_archive(&archive).unwrap(), [("a_b".to_owned(), tensor)]);
        }
    }

    #[test]
    fn texts_and_both_orders_are_read() {
        let texts = Tensor::new(vec![2], vec!["ab".to_owned(), "\u{e9}".to_owned()]).unwrap();
        assert_eq!(read(&write("x", &texts).unwrap()).unwrap(), texts);
        let rows = Tensor::new(vec![2, 3], vec![1_i32, 3, 5, 2, 4, 6]).unwrap();
        // The same bytes as columns: 1 3, 5 2, 4 6.
        let mut bytes = write("x", &rows).unwrap();
        let place = bytes.windows(5).position(|it| it == b"False").unwrap();
        bytes[place..place + 5].copy_from_slice(b"True ");
        let columns = Tensor::new(vec![2, 3], vec![1_i32, 5, 4, 3, 2, 6]).unwrap();
        assert_eq!(read(&bytes).unwrap(), columns);
        let place = bytes.windows(3).position(|it| it == b"<i4").unwrap();
        bytes[place] = b'>';
        assert!(read(&bytes).unwrap_err().to_string().contains("astype('<i4')"));
    }

    #[test]
    fn hostile_files_are_errors() {
        let good = write("x", &Tensor::new(vec![4], vec![1_f32; 4]).unwrap()).unwrap();
        for length in 0..good.len() {
            assert!(read(&good[..length]).is_err(), "{length}");
        }
        let huge = b"\x93NUMPY\x01\x00\x46\x00{'descr': '<f4', 'fortran_order': False, \
            'shape': (99999999999, 99999999), }";
        assert!(read(huge).is_err());
        assert!(read_archive(b"PK\x03\x04 nothing").is_err());
    }
}
