//! The model: its header, its graph and its functions.

use super::tensor::entries;
use super::tokens::Tokens;
use super::types::named;
use super::{attribute, graph};
use crate::Error;
use crate::onnx::Encoder;

/// Parses a whole file, as `ModelProto`.
pub(super) fn parse(text: &[u8]) -> Result<Encoder, Error> {
    let mut tokens = Tokens::new(text.strip_prefix(b"\xef\xbb\xbf").unwrap_or(text));
    let mut model = Encoder::default();
    let t = &mut tokens;
    header(t, |t, key| {
        match key {
            "ir_version" => model.int(1, t.int()?),
            "producer_name" => model.bytes(2, &t.text()?),
            "producer_version" => model.bytes(3, &t.text()?),
            "domain" => model.bytes(4, &t.text()?),
            "model_version" => model.int(5, t.int()?),
            "doc_string" => model.bytes(6, &t.text()?),
            "opset_import" => opsets(t, &mut model, 8)?,
            "metadata_props" => {
                t.expect(b'[')?;
                entries(t, &mut model, 14)?;
            }
            _ => return Err(t.error(&format!("{key:?} is not known in the header"))),
        }
        Ok(())
    })?;
    let graph = graph::parse(t)?;
    model.message(7, &graph);
    while t.next().is_some() {
        let function = function(t)?;
        model.message(25, &function);
    }
    Ok(model)
}

/// Parses keys and their values in angle brackets, if they are next.
fn header<'t>(
    tokens: &mut Tokens<'t>,
    mut entry: impl FnMut(&mut Tokens<'t>, &'t str) -> Result<(), Error>,
) -> Result<(), Error> {
    if !tokens.takes(b'<') {
        return Ok(());
    }
    loop {
        let key = tokens.word()?;
        tokens.expect(b':')?;
        entry(tokens, key)?;
        if !tokens.takes(b',') {
            break;
        }
    }
    tokens.expect(b'>')
}

/// Operator sets: domains and versions.
fn opsets(tokens: &mut Tokens<'_>, to: &mut Encoder, number: u32) -> Result<(), Error> {
    tokens.expect(b'[')?;
    if tokens.takes(b']') {
        return Ok(());
    }
    loop {
        let mut opset = Encoder::default();
        opset.bytes(1, &tokens.text()?);
        tokens.expect(b':')?;
        opset.int(2, tokens.int()?);
        to.message(number, &opset);
        if !tokens.takes(b',') {
            break;
        }
    }
    tokens.expect(b']')
}

/// Parses a function, as `FunctionProto`.
fn function(tokens: &mut Tokens<'_>) -> Result<Encoder, Error> {
    let mut function = Encoder::default();
    header(tokens, |tokens, key| {
        match key {
            "doc_string" => function.bytes(8, &tokens.text()?),
            "opset_import" => opsets(tokens, &mut function, 9)?,
            "domain" => function.bytes(10, &tokens.text()?),
            "overload" => function.bytes(13, &tokens.text()?),
            _ => return Err(tokens.error(&format!("{key:?} is not known of functions"))),
        }
        Ok(())
    })?;
    function.bytes(1, &tokens.name()?);
    if tokens.takes(b'<') {
        parameters(tokens, &mut function)?;
    }
    values(tokens, &mut function, 4)?;
    tokens.expect_arrow()?;
    values(tokens, &mut function, 5)?;
    if tokens.takes(b'<') && !tokens.takes(b'>') {
        loop {
            let value = named(tokens)?;
            function.message(12, &value.message());
            if !tokens.takes(b',') {
                break;
            }
        }
        tokens.expect(b'>')?;
    }
    graph::nodes(tokens, &mut function, 7)?;
    Ok(function)
}

/// Attributes of a function: names, and those with a default.
fn parameters(tokens: &mut Tokens<'_>, function: &mut Encoder) -> Result<(), Error> {
    if tokens.takes(b'>') {
        return Ok(());
    }
    loop {
        let name = tokens.name()?;
        match tokens.next() {
            Some(b':' | b'=') => function.message(11, &attribute::one(tokens, &name)?),
            _ => function.bytes(6, &name),
        }
        if !tokens.takes(b',') {
            break;
        }
    }
    tokens.expect(b'>')
}

/// Inputs or outputs of a function: names, each with or without a type.
fn values(tokens: &mut Tokens<'_>, function: &mut Encoder, number: u32) -> Result<(), Error> {
    tokens.expect(b'(')?;
    if tokens.takes(b')') {
        return Ok(());
    }
    loop {
        let value = named(tokens)?;
        function.bytes(number, &value.name);
        if value.ty.is_some() {
            function.message(12, &value.message());
        }
        if !tokens.takes(b',') {
            break;
        }
    }
    tokens.expect(b')')
}
