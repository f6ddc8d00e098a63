//! Attributes of nodes.

use super::graph;
use super::tensor;
use super::tokens::{Literal, Tokens};
use super::types;
use crate::Error;
use crate::onnx::Encoder;

/// Types of attributes, by their numbers in ONNX.
const TYPES: [(&str, i64); 14] = [
    ("float", 1),
    ("int", 2),
    ("string", 3),
    ("tensor", 4),
    ("graph", 5),
    ("floats", 6),
    ("ints", 7),
    ("strings", 8),
    ("tensors", 9),
    ("graphs", 10),
    ("sparse_tensor", 11),
    ("sparse_tensors", 12),
    ("type_proto", 13),
    ("type_protos", 14),
];

/// Types from this one on are lists of those before.
const FLOATS: i64 = 6;

/// Parses attributes in angle brackets, if they are next; adds each as this field of a message.
pub(super) fn list(tokens: &mut Tokens<'_>, to: &mut Encoder, number: u32) -> Result<bool, Error> {
    if !tokens.takes(b'<') {
        return Ok(false);
    }
    loop {
        let name = tokens.name()?;
        to.message(number, &one(tokens, &name)?);
        if !tokens.takes(b',') {
            break;
        }
    }
    tokens.expect(b'>')?;
    Ok(true)
}

/// Parses what is behind the name of an attribute.
pub(super) fn one(tokens: &mut Tokens<'_>, name: &[u8]) -> Result<Encoder, Error> {
    let mut attribute = Encoder::default();
    attribute.bytes(1, name);
    let stated = match tokens.takes(b':') {
        false => None,
        true => {
            let word = tokens.word()?;
            let known = TYPES.iter().find(|(name, _)| *name == word);
            match known {
                Some((_, number)) => Some(*number),
                None => return Err(tokens.error(&format!("{word:?} is not an attribute type"))),
            }
        }
    };
    tokens.expect(b'=')?;
    let ty = match tokens.takes(b'[') {
        true => values(tokens, &mut attribute, stated)?,
        false => value(tokens, &mut attribute, stated, false)?,
    };
    if let Some(ty) = ty.or(stated) {
        attribute.int(20, ty);
    }
    Ok(attribute)
}

/// A list, up to its closing bracket.
fn values(
    tokens: &mut Tokens<'_>,
    attribute: &mut Encoder,
    stated: Option<i64>,
) -> Result<Option<i64>, Error> {
    // The type of an element, which the first one decides where none is stated.
    let singular = |ty: i64| match ty {
        11..=14 => (ty - 1) | 1,
        FLOATS.. => ty - (FLOATS - 1),
        single => single,
    };
    let plural = |ty: i64| match ty {
        11.. => ty + 1,
        _ => ty + (FLOATS - 1),
    };
    if tokens.takes(b']') {
        return match stated {
            Some(_) => Ok(stated),
            None => Err(tokens.error("an empty list needs a type")),
        };
    }
    let mut expected = stated.map(singular);
    loop {
        let found = value(tokens, attribute, expected, true)?;
        expected = expected.or(found);
        if !tokens.takes(b',') {
            break;
        }
    }
    tokens.expect(b']')?;
    Ok(expected.map(plural))
}

/// One value, and its type where it is not that of an attribute of a function.
fn value(
    tokens: &mut Tokens<'_>,
    attribute: &mut Encoder,
    expected: Option<i64>,
    in_list: bool,
) -> Result<Option<i64>, Error> {
    // Fields of a value by its type, alone and in a list.
    let field = |alone, listed| if in_list { listed } else { alone };
    let next = tokens.next();
    let found = match next {
        Some(byte) if byte.is_ascii_alphabetic() || byte == b'_' => {
            if types::is_next(tokens) {
                let ty = types::parse(tokens)?;
                let is_tensor = matches!(tokens.next(), Some(b'{' | b'=' | b'"' | b'['))
                    || !tokens.peek().is_empty();
                if is_tensor {
                    let name = tokens.optional_name()?.unwrap_or_default();
                    tokens.takes(b'=');
                    let tensor = tensor::parse(tokens, &name, Some(&ty))?;
                    attribute.message(field(5, 10), &tensor);
                    4
                } else {
                    attribute.message(field(14, 15), &ty.message);
                    13
                }
            } else if tokens.next_is_special() {
                float(tokens, attribute, field(2, 7))?
            } else {
                let graph = tokens.nested(graph::parse)?;
                attribute.message(field(6, 11), &graph);
                5
            }
        }
        Some(b'@') => {
            tokens.expect(b'@')?;
            attribute.bytes(21, &tokens.name()?);
            return Ok(None);
        }
        _ if expected == Some(1) => float(tokens, attribute, field(2, 7))?,
        _ => match tokens.literal()? {
            Literal::Int(token) => {
                let value = token.parse();
                let value = value.map_err(|_| tokens.error("a number is too large"))?;
                attribute.int(field(3, 8), value);
                2
            }
            Literal::Float(token) => {
                #[expect(clippy::cast_possible_truncation, reason = "the field has 32 bits")]
                attribute.float(field(2, 7), tokens.parsed(token)? as f32);
                1
            }
            Literal::Text(text) => {
                attribute.bytes(field(4, 9), &text);
                3
            }
        },
    };
    match expected {
        Some(expected) if expected != found => {
            Err(tokens.error("a value is not of the type that is stated"))
        }
        _ => Ok(Some(found)),
    }
}

fn float(tokens: &mut Tokens<'_>, attribute: &mut Encoder, field: u32) -> Result<i64, Error> {
    #[expect(clippy::cast_possible_truncation, reason = "the field has 32 bits")]
    attribute.float(field, tokens.float()? as f32);
    Ok(1)
}
