//! Tensors that are written out, or whose elements are in another file.

use super::tokens::{Literal, Tokens};
use super::types::Type;
use crate::Error;
use crate::onnx::Encoder;

/// Parses the elements of a tensor of this type, as `TensorProto`.
pub(super) fn parse(
    tokens: &mut Tokens<'_>,
    name: &[u8],
    ty: Option<&Type>,
) -> Result<Encoder, Error> {
    let Some((element, Some(dims))) = ty.and_then(|ty| ty.tensor.as_ref()) else {
        return Err(tokens.error("a tensor needs a type whose dimensions are numbers"));
    };
    let mut tensor = Encoder::default();
    for dim in dims {
        tensor.int(1, *dim);
    }
    tensor.int(2, i64::from(*element));
    if !name.is_empty() {
        tensor.bytes(8, name);
    }
    if tokens.takes(b'[') {
        entries(tokens, &mut tensor, 13)?;
        tensor.int(14, 1);
    } else if tokens.takes(b'{') && !tokens.takes(b'}') {
        loop {
            self::element(tokens, *element, &mut tensor)?;
            if !tokens.takes(b',') {
                break;
            }
        }
        tokens.expect(b'}')?;
    } else if tokens.takes(b'.') {
        // The printer leaves out elements that it cannot write.
        tokens.expect(b'.')?;
        tokens.expect(b'.')?;
    }
    Ok(tensor)
}

/// Adds an element to the field that has those of its type.
fn element(tokens: &mut Tokens<'_>, ty: i32, tensor: &mut Encoder) -> Result<(), Error> {
    match ty {
        1 | 14 => {
            #[expect(clippy::cast_possible_truncation, reason = "the field has 32 bits")]
            tensor.float(4, tokens.float()? as f32);
        }
        11 | 15 => tensor.double(10, tokens.float()?),
        7 => tensor.int(7, tokens.int()?),
        12 | 13 => tensor.uint(11, tokens.uint()?),
        8 => match tokens.literal()? {
            Literal::Text(text) => tensor.bytes(6, &text),
            _ => return Err(tokens.error("a text is expected")),
        },
        _ => {
            let value = tokens.int()?;
            if i32::try_from(value).is_err() {
                return Err(tokens.error("an element does not fit its type"));
            }
            tensor.int(5, value);
        }
    }
    Ok(())
}

/// Keys and values up to a closing bracket, each pair as a field of this number.
pub(super) fn entries(
    tokens: &mut Tokens<'_>,
    message: &mut Encoder,
    number: u32,
) -> Result<(), Error> {
    if tokens.takes(b']') {
        return Ok(());
    }
    loop {
        let mut entry = Encoder::default();
        entry.bytes(1, &tokens.text()?);
        tokens.expect(b':')?;
        entry.bytes(2, &tokens.text()?);
        message.message(number, &entry);
        if !tokens.takes(b',') {
            break;
        }
    }
    tokens.expect(b']')
}
