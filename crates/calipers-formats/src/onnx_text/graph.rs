//! Graphs and nodes.

use super::tokens::Tokens;
use super::types::named;
use super::{attribute, tensor};
use crate::Error;
use crate::onnx::Encoder;

/// Parses a graph, as `GraphProto`.
pub(super) fn parse(tokens: &mut Tokens<'_>) -> Result<Encoder, Error> {
    let mut graph = Encoder::default();
    graph.bytes(2, &tokens.name()?);
    if tokens.takes(b'(') {
        values(tokens, &mut graph, 11, true, b')')?;
    }
    tokens.expect_arrow()?;
    tokens.expect(b'(')?;
    values(tokens, &mut graph, 12, true, b')')?;
    if tokens.takes(b'<') {
        values(tokens, &mut graph, 13, false, b'>')?;
    }
    nodes(tokens, &mut graph, 1)?;
    Ok(graph)
}

/// Parses values up to a closing bracket, each as this field of a graph. One that is filled with
/// elements is an initializer, and a value too where `always` says so.
fn values(
    tokens: &mut Tokens<'_>,
    graph: &mut Encoder,
    number: u32,
    always: bool,
    close: u8,
) -> Result<(), Error> {
    if tokens.takes(close) {
        return Ok(());
    }
    loop {
        let value = named(tokens)?;
        let is_filled = tokens.takes(b'=');
        if is_filled {
            let initializer = tensor::parse(tokens, &value.name, value.ty.as_ref())?;
            graph.message(5, &initializer);
        }
        if always || !is_filled {
            graph.message(number, &value.message());
        }
        if !tokens.takes(b',') {
            break;
        }
    }
    tokens.expect(close)
}

/// Parses nodes in braces, each as this field of a message.
pub(super) fn nodes(tokens: &mut Tokens<'_>, to: &mut Encoder, number: u32) -> Result<(), Error> {
    tokens.expect(b'{')?;
    while !tokens.takes(b'}') {
        to.message(number, &node(tokens)?);
    }
    Ok(())
}

fn node(tokens: &mut Tokens<'_>) -> Result<Encoder, Error> {
    let mut node = Encoder::default();
    if tokens.takes(b'[') {
        if let Some(name) = tokens.optional_name()? {
            node.bytes(3, &name);
        }
        tokens.expect(b']')?;
    }
    operands(tokens, &mut node, 2)?;
    tokens.expect(b'=')?;
    let mut domain = String::new();
    let mut op = tokens.word()?;
    while tokens.takes(b'.') {
        if !domain.is_empty() {
            domain.push('.');
        }
        domain.push_str(op);
        op = tokens.word()?;
    }
    node.bytes(4, op.as_bytes());
    if !domain.is_empty() {
        node.bytes(7, domain.as_bytes());
    }
    if tokens.takes(b':') {
        node.bytes(8, tokens.word()?.as_bytes());
    }
    // Attributes may come before or behind the inputs.
    let has_attributes = attribute::list(tokens, &mut node, 5)?;
    tokens.expect(b'(')?;
    operands(tokens, &mut node, 1)?;
    tokens.expect(b')')?;
    if !has_attributes {
        attribute::list(tokens, &mut node, 5)?;
    }
    Ok(node)
}

/// Names separated by commas. One that is left out before a comma is empty.
fn operands(tokens: &mut Tokens<'_>, node: &mut Encoder, number: u32) -> Result<(), Error> {
    loop {
        let name = tokens.optional_name()?;
        let goes_on = tokens.takes(b',');
        match name {
            Some(name) => node.bytes(number, &name),
            None if goes_on => node.bytes(number, b""),
            None => {}
        }
        if !goes_on {
            return Ok(());
        }
    }
}
