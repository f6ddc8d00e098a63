//! Types, and values with their types.

use std::borrow::Cow;

use calipers_ir::DType;

use super::tokens::Tokens;
use crate::Error;
use crate::onnx::Encoder;

/// A type: of a tensor, or of something that holds one.
#[derive(Debug)]
pub(super) struct Type {
    /// As `TypeProto`.
    pub(super) message: Encoder,
    /// The type of the elements, and the dimensions where all of them are numbers: what a tensor
    /// that is written out needs.
    pub(super) tensor: Option<(i32, Option<Vec<i64>>)>,
}

/// The number of an element type by its name.
pub(super) fn number(name: &str) -> Option<i32> {
    match name {
        "float" => Some(1),
        "double" => Some(11),
        "float32" | "float64" | "undefined" => None,
        _ => (1..=28).find(|number| DType::from_onnx(*number).to_string() == name),
    }
}

/// Whether a type is next.
pub(super) fn is_next(tokens: &mut Tokens<'_>) -> bool {
    let word = tokens.peek();
    matches!(word, "seq" | "map" | "optional" | "sparse_tensor") || number(word).is_some()
}

/// Parses a type.
pub(super) fn parse(tokens: &mut Tokens<'_>) -> Result<Type, Error> {
    let word = tokens.word()?;
    if let Some(number) = number(word) {
        let (tensor, dims) = tensor(tokens, number)?;
        let mut message = Encoder::default();
        message.message(1, &tensor);
        return Ok(Type { message, tensor: Some((number, dims)) });
    }
    let field = match word {
        "seq" => 4,
        "map" => 5,
        "sparse_tensor" => 8,
        "optional" => 9,
        _ => return Err(tokens.error(&format!("{word:?} is not a type"))),
    };
    tokens.expect(b'(')?;
    let mut inner = Encoder::default();
    match field {
        8 => {
            let element = element(tokens)?;
            inner = tensor(tokens, element)?.0;
        }
        5 => {
            let key = element(tokens)?;
            inner.int(1, i64::from(key));
            tokens.expect(b',')?;
            let value = tokens.nested(parse)?;
            inner.message(2, &value.message);
        }
        _ => {
            let element = tokens.nested(parse)?;
            inner.message(1, &element.message);
        }
    }
    tokens.expect(b')')?;
    let mut message = Encoder::default();
    message.message(field, &inner);
    Ok(Type { message, tensor: None })
}

fn element(tokens: &mut Tokens<'_>) -> Result<i32, Error> {
    let word = tokens.word()?;
    number(word).ok_or_else(|| tokens.error(&format!("{word:?} is not an element type")))
}

/// `TypeProto.Tensor` of these elements, and its dimensions where all of them are numbers. Without
/// brackets it is a scalar; with nothing in them, its number of dimensions is open.
fn tensor(tokens: &mut Tokens<'_>, element: i32) -> Result<(Encoder, Option<Vec<i64>>), Error> {
    let mut tensor = Encoder::default();
    tensor.int(1, i64::from(element));
    let mut shape = Encoder::default();
    let mut dims = Some(Vec::new());
    if tokens.takes(b'[') {
        if tokens.takes(b']') {
            return Ok((tensor, None));
        }
        loop {
            let mut dim = Encoder::default();
            let size = dimension(tokens, &mut dim)?;
            dims = dims.zip(size).map(|(mut dims, size)| {
                dims.push(size);
                dims
            });
            shape.message(1, &dim);
            if !tokens.takes(b',') {
                break;
            }
        }
        tokens.expect(b']')?;
    }
    tensor.message(2, &shape);
    Ok((tensor, dims))
}

fn dimension(tokens: &mut Tokens<'_>, dim: &mut Encoder) -> Result<Option<i64>, Error> {
    if tokens.takes(b'?') {
        return Ok(None);
    }
    if let Some(name) = tokens.optional_name()? {
        dim.bytes(2, &name);
        return Ok(None);
    }
    let size = tokens.int()?;
    dim.int(1, size);
    Ok(Some(size))
}

/// A name with the type that is stated for it, if one is.
pub(super) struct Named<'t> {
    pub(super) name: Cow<'t, [u8]>,
    pub(super) ty: Option<Type>,
}

impl Named<'_> {
    /// As `ValueInfoProto`.
    pub(super) fn message(&self) -> Encoder {
        let mut message = Encoder::default();
        message.bytes(1, &self.name);
        if let Some(ty) = &self.ty {
            message.message(2, &ty.message);
        }
        message
    }
}

/// Parses a name with or without a type before it.
pub(super) fn named<'t>(tokens: &mut Tokens<'t>) -> Result<Named<'t>, Error> {
    let ty = if is_next(tokens) { Some(parse(tokens)?) } else { None };
    Ok(Named { name: tokens.name()?, ty })
}
