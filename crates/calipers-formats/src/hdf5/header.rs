//! Object headers of both versions: messages in a first block and in those that continue it.

use super::bytes::{Cursor, Problem, Store};

/// Messages of one object: groups in the newer form have one per member until they have many.
const MAX_MESSAGES: usize = 1 << 16;

/// The kinds of messages that are read.
pub(super) mod kind {
    pub(crate) const DATASPACE: u16 = 0x01;
    pub(crate) const LINK_INFO: u16 = 0x02;
    pub(crate) const DATATYPE: u16 = 0x03;
    pub(crate) const LINK: u16 = 0x06;
    pub(crate) const EXTERNAL_FILES: u16 = 0x07;
    pub(crate) const LAYOUT: u16 = 0x08;
    pub(crate) const ATTRIBUTE: u16 = 0x0c;
    pub(crate) const CONTINUATION: u16 = 0x10;
    pub(crate) const SYMBOL_TABLE: u16 = 0x11;
    pub(crate) const ATTRIBUTE_INFO: u16 = 0x15;
}

/// A message of an object header.
#[derive(Clone, Copy)]
pub(super) struct Message<'a> {
    pub(super) kind: u16,
    /// Whether it only refers to where the message is.
    pub(super) is_shared: bool,
    pub(super) body: Cursor<'a>,
}

/// Hands over each message of the object at an address.
pub(super) fn messages<'s>(
    store: &'s Store,
    address: u64,
    mut each: impl FnMut(Message<'s>) -> Result<(), Problem>,
) -> Result<(), Problem> {
    let mut start = store.up_to(address, 16)?;
    let is_second = start.rest().starts_with(b"OHDR");
    let (first, has_order) = match is_second {
        true => second_version(store, address)?,
        false => {
            let version = start.u8()?;
            if version != 1 {
                return Err(start.problem("an object header is expected here"));
            }
            start.skip(7)?;
            let size = start.uint(4)?;
            let after = address.saturating_add(16);
            (store.block(after, size)?, false)
        }
    };
    let mut blocks = vec![first];
    let mut count = 0_usize;
    while let Some(mut block) = blocks.pop() {
        let smallest = if is_second { 4 + usize::from(has_order) * 2 } else { 8 };
        while block.len() >= smallest {
            count += 1;
            if count > MAX_MESSAGES {
                return Err(block.problem("an object has more messages than any real one"));
            }
            let mut message = match is_second {
                true => second_message(&mut block, has_order)?,
                false => first_message(&mut block)?,
            };
            if message.kind == kind::CONTINUATION {
                let Some(next) = message.body.address()? else { continue };
                let length = message.body.length()?;
                blocks.push(match is_second {
                    true => continued(store, next, length)?,
                    false => store.block(next, length)?,
                });
            } else {
                each(message)?;
            }
        }
    }
    Ok(())
}

/// A block that continues a header of the second version: a mark before, a checksum behind.
fn continued(store: &Store, address: u64, length: u64) -> Result<Cursor<'_>, Problem> {
    let mut block = store.block(address, length)?;
    block.mark(b"OCHK", "the continuation of an object header")?;
    let inside = block.len().saturating_sub(4);
    block.part(inside)
}

fn second_version(store: &Store, address: u64) -> Result<(Cursor<'_>, bool), Problem> {
    let mut start = store.up_to(address, 34)?;
    let whole = start.len();
    start.skip(4)?;
    if start.u8()? != 2 {
        return Err(start.problem("the version of an object header is not known"));
    }
    let flags = start.u8()?;
    start.skip(if flags & 0x20 != 0 { 16 } else { 0 })?;
    start.skip(if flags & 0x10 != 0 { 4 } else { 0 })?;
    let size = start.uint(1 << (flags & 3))?;
    let read = (whole - start.len()) as u64;
    let block = store.block(address.saturating_add(read), size)?;
    Ok((block, flags & 0x04 != 0))
}

fn first_message<'a>(block: &mut Cursor<'a>) -> Result<Message<'a>, Problem> {
    let kind = block.u16()?;
    let size = block.count(2)?;
    let flags = block.u8()?;
    block.skip(3)?;
    Ok(Message { kind, is_shared: flags & 2 != 0, body: block.part(size)? })
}

fn second_message<'a>(block: &mut Cursor<'a>, has_order: bool) -> Result<Message<'a>, Problem> {
    let kind = u16::from(block.u8()?);
    let size = block.count(2)?;
    let flags = block.u8()?;
    block.skip(if has_order { 2 } else { 0 })?;
    Ok(Message { kind, is_shared: flags & 2 != 0, body: block.part(size)? })
}

/// Where a shared message is: in the header of another object. `None` for those in a heap of their
/// own, which are not read.
pub(super) fn shared_at(mut body: Cursor<'_>) -> Result<Option<u64>, Problem> {
    let version = body.u8()?;
    let kind = body.u8()?;
    match version {
        1 => {
            body.skip(6)?;
            body.address()
        }
        2 => body.address(),
        3 if kind == 2 => body.address(),
        _ => Ok(None),
    }
}
