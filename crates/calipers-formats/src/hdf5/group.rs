//! Members of groups: in a tree of tables whose names are in a heap, or as messages.

use super::attribute::Texts;
use super::bytes::{Cursor, Problem, Store};

/// Levels of a tree.
const MAX_LEVELS: u64 = 16;

/// A member of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Link {
    pub(super) name: String,
    pub(super) target: Target,
}

/// What a member is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Target {
    /// An object at this address.
    Object(u64),
    /// Another path of the same file.
    Path,
    /// Something in another file.
    OtherFile(String),
}

/// Reads the members of a group whose symbol table message this is.
pub(super) fn members(
    store: &Store,
    texts: &Texts,
    mut body: Cursor<'_>,
    links: &mut Vec<Link>,
) -> Result<(), Problem> {
    let (tree, heap) = (body.address()?, body.address()?);
    let (Some(tree), Some(heap)) = (tree, heap) else { return Ok(()) };
    let names = names(store, heap)?;
    // Nodes to be read, the next one last, each with its level.
    let mut open = vec![(tree, None)];
    while let Some((address, level)) = open.pop() {
        if level == Some(0) {
            table(store, texts, address, &names, links)?;
            continue;
        }
        let head_size = 8 + 2 * store.offsets as u64;
        let mut head = store.block(address, head_size)?;
        head.mark(b"TREE", "the tree of a group")?;
        head.skip(1)?;
        let own = u64::from(head.u8()?) + 1;
        let is_expected = level.is_none_or(|level| level == own);
        if own > MAX_LEVELS || !is_expected {
            return Err(head.problem("the levels of a tree are not in order"));
        }
        let entries = head.uint(2)?;
        let pair = (store.lengths + store.offsets) as u64;
        let mut pairs = store.block(address.saturating_add(head_size), entries * pair)?;
        let mut below = Vec::new();
        for _ in 0..entries {
            pairs.length()?;
            below.extend(pairs.address()?.map(|child| (child, Some(own - 1))));
        }
        open.extend(below.into_iter().rev());
    }
    Ok(())
}

/// The names of a group's members: a segment of texts, and its size.
struct Names {
    address: u64,
    size: u64,
}

fn names(store: &Store, heap: u64) -> Result<Names, Problem> {
    let mut head = store.block(heap, 8 + 2 * store.lengths as u64 + store.offsets as u64)?;
    head.mark(b"HEAP", "the heap of a group's names")?;
    head.skip(4)?;
    let size = head.length()?;
    head.length()?;
    let Some(address) = head.address()? else {
        return Err(head.problem("the names of a group are missing"));
    };
    Ok(Names { address, size })
}

impl Names {
    fn text(&self, store: &Store, texts: &Texts, offset: u64) -> Result<String, Problem> {
        /// Bytes of a name that are read at first.
        const SHORT: u64 = 128;
        /// Bytes of the longest name.
        const LONG: u64 = 1 << 16;
        let at = self.address.saturating_add(offset);
        let left = self.size.saturating_sub(offset);
        for most in [SHORT, LONG] {
            let bytes = store.up_to(at, left.min(most))?;
            if bytes.rest().contains(&0) {
                return texts.keep(bytes.rest(), &bytes);
            }
        }
        let place = store.place(at).unwrap_or(at);
        Err(Problem::new(place, "the name of a group's member has no end"))
    }
}

/// Reads one table of members.
fn table(
    store: &Store,
    texts: &Texts,
    address: u64,
    names: &Names,
    links: &mut Vec<Link>,
) -> Result<(), Problem> {
    let mut head = store.block(address, 8)?;
    head.mark(b"SNOD", "a table of a group's members")?;
    head.skip(2)?;
    let entries = head.uint(2)?;
    let size = (2 * store.offsets + 24) as u64;
    let mut body = store.block(address.saturating_add(8), entries * size)?;
    for _ in 0..entries {
        let offset = body.uint(store.offsets)?;
        let object = body.address()?;
        let cached = body.uint(4)?;
        body.skip(20)?;
        let target = match (cached, object) {
            (2, _) | (_, None) => Target::Path,
            (_, Some(object)) => Target::Object(object),
        };
        links.push(Link { name: names.text(store, texts, offset)?, target });
    }
    Ok(())
}

/// Reads a link message.
pub(super) fn link(texts: &Texts, mut body: Cursor<'_>) -> Result<Link, Problem> {
    body.skip(1)?;
    let flags = body.u8()?;
    let kind = if flags & 0x08 != 0 { body.u8()? } else { 0 };
    body.skip(if flags & 0x04 != 0 { 8 } else { 0 })?;
    body.skip(if flags & 0x10 != 0 { 1 } else { 0 })?;
    let length = body.count(1 << (flags & 3))?;
    let name = body.part(length)?;
    let name = texts.keep(name.rest(), &name)?;
    let target = match kind {
        0 => body.address()?.map_or(Target::Path, Target::Object),
        64 => {
            let length = body.count(2)?;
            let mut value = body.part(length)?;
            // A byte of version and flags, then the file, then the path in it.
            value.skip(1)?;
            Target::OtherFile(texts.keep(value.rest(), &value)?)
        }
        _ => Target::Path,
    };
    Ok(Link { name, target })
}
