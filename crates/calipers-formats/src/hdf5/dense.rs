//! Members and attributes of objects that have many: records in a tree, their bodies in a heap of
//! blocks that double in size.

use super::bytes::{Cursor, Problem, Store};

/// Levels of a tree of records.
const MAX_DEPTH: usize = 16;

/// Rows of a heap's table: their blocks double, and addresses have 64 bits.
const MAX_ROWS: u64 = 64;

/// A heap, as its header describes it.
struct Heap {
    address: u64,
    id_size: usize,
    has_filters: bool,
    width: u64,
    first_block: u64,
    largest_block: u64,
    offset_size: usize,
    length_size: usize,
    root: Option<u64>,
    rows: u64,
}

/// Hands over each body that the tree at `tree` refers to, in the heap at `heap`.
pub(super) fn bodies<'s>(
    store: &'s Store,
    heap: u64,
    tree: u64,
    mut each: impl FnMut(Cursor<'s>) -> Result<(), Problem>,
) -> Result<(), Problem> {
    let heap = Heap::read(store, heap)?;
    records(store, tree, |kind, mut record| {
        // Records by name have their hash first; those of attributes have it last.
        record.skip(if kind == 5 { 4 } else { 0 })?;
        let id = record.part(heap.id_size)?;
        match heap.body(store, id)? {
            Some(body) => each(body),
            None => Ok(()),
        }
    })
}

impl Heap {
    fn read(store: &Store, address: u64) -> Result<Self, Problem> {
        let size = 26 + 12 * store.lengths as u64 + 3 * store.offsets as u64;
        let mut head = store.block(address, size)?;
        head.mark(b"FRHP", "a fractal heap")?;
        head.skip(1)?;
        let id_size = head.count(2)?;
        let has_filters = head.uint(2)? != 0;
        head.skip(1)?;
        let largest_object = head.uint(4)?;
        head.length()?;
        head.address()?;
        head.length()?;
        head.address()?;
        for _ in 0..8 {
            head.length()?;
        }
        let width = head.uint(2)?;
        let first_block = head.length()?;
        let largest_block = head.length()?;
        let bits = head.uint(2)?;
        head.skip(2)?;
        let root = head.address()?;
        let rows = head.uint(2)?;
        if width == 0 || first_block == 0 || bits > 64 || rows > MAX_ROWS {
            return Err(head.problem("the table of a fractal heap is impossible"));
        }
        Ok(Self {
            address,
            id_size,
            has_filters,
            width,
            first_block,
            largest_block,
            offset_size: usize::try_from(bits.div_ceil(8)).unwrap_or(8),
            length_size: bytes_for(largest_block.min(largest_object)),
            root,
            rows,
        })
    }

    /// The body that an id refers to; `None` where it is stored in a way that is not read.
    fn body<'s>(
        &self,
        store: &'s Store,
        mut id: Cursor<'s>,
    ) -> Result<Option<Cursor<'s>>, Problem> {
        let flags = id.u8()?;
        match flags >> 4 & 3 {
            0 if !self.has_filters => {
                let offset = id.uint(self.offset_size)?;
                let length = id.uint(self.length_size)?;
                let Some(address) = self.locate(store, offset)? else {
                    return Err(id.problem("a block of a fractal heap is missing"));
                };
                store.block(address, length).map(Some)
            }
            // Small ones are in the id itself.
            2 => {
                let length = usize::from(flags & 0x0f) + 1;
                id.part(length).map(Some)
            }
            _ => Ok(None),
        }
    }

    /// Blocks of a row have this size: that of the first row twice, then doubling.
    fn block_size(&self, row: u64) -> u64 {
        let doublings = u32::try_from(row.saturating_sub(1)).unwrap_or(u32::MAX);
        self.first_block.checked_shl(doublings).filter(|size| *size > 0).unwrap_or(u64::MAX)
    }

    /// The address of an offset of the heap.
    fn locate(&self, store: &Store, mut offset: u64) -> Result<Option<u64>, Problem> {
        let Some(mut block) = self.root else { return Ok(None) };
        let mut rows = self.rows;
        // Each step is into a smaller block.
        while rows > 0 {
            let Some((row, column, inside)) = self.place(offset, rows) else { return Ok(None) };
            let slot = row * self.width + column;
            let head = 5 + store.offsets as u64 + self.offset_size as u64;
            let at = block.saturating_add(head + slot * store.offsets as u64);
            store.block(block, 4)?.mark(b"FHIB", "an indirect block of a fractal heap")?;
            let Some(child) = store.block(at, store.offsets as u64)?.address()? else {
                return Ok(None);
            };
            block = child;
            offset = inside;
            let size = self.block_size(row);
            rows = if size <= self.largest_block { 0 } else { self.rows_of(size) };
        }
        let mut head = store.block(block, 5 + store.offsets as u64)?;
        head.mark(b"FHDB", "a direct block of a fractal heap")?;
        head.skip(1)?;
        if head.address()? != Some(self.address) {
            return Err(head.problem("a block belongs to another fractal heap"));
        }
        Ok(block.checked_add(offset))
    }

    /// Row, column and rest of an offset in a table of this many rows.
    fn place(&self, offset: u64, rows: u64) -> Option<(u64, u64, u64)> {
        let mut before = 0_u64;
        for row in 0..rows {
            let size = self.block_size(row);
            let whole = size.saturating_mul(self.width);
            let inside = offset - before;
            if inside < whole {
                return Some((row, inside / size, inside % size));
            }
            before = before.checked_add(whole)?;
        }
        None
    }

    /// Rows of the table of an indirect block of this size.
    fn rows_of(&self, size: u64) -> u64 {
        let mut covered = 0_u64;
        let mut rows = 0;
        while covered < size && rows < MAX_ROWS {
            covered = covered.saturating_add(self.block_size(rows).saturating_mul(self.width));
            rows += 1;
        }
        rows
    }
}

/// Bytes that a number up to this needs.
fn bytes_for(number: u64) -> usize {
    (1..8).find(|bytes| number >> (8 * bytes) == 0).unwrap_or(8)
}

/// A node of a tree that is still to be read.
struct Open {
    address: u64,
    records: u64,
    depth: usize,
}

/// Hands over each record of a tree by name, with the tree's kind.
fn records<'s>(
    store: &'s Store,
    tree: u64,
    mut each: impl FnMut(u8, Cursor<'s>) -> Result<(), Problem>,
) -> Result<(), Problem> {
    let mut head = store.block(tree, 16 + store.offsets as u64 + 2)?;
    head.mark(b"BTHD", "a tree of records")?;
    head.skip(1)?;
    let kind = head.u8()?;
    let node_size = head.uint(4)?;
    let record_size = head.uint(2)?;
    let depth = head.count(2)?;
    head.skip(2)?;
    let root = head.address()?;
    let root_records = head.uint(2)?;
    let Some(root) = root else { return Ok(()) };
    if depth > MAX_DEPTH || record_size == 0 || !matches!(kind, 5 | 8) {
        return Err(head.problem("the tree of records is of a kind that is not known"));
    }
    let widths = widths(store, node_size, record_size, depth);
    let mut open = vec![Open { address: root, records: root_records, depth }];
    while let Some(node) = open.pop() {
        let mut mark = store.block(node.address, 6)?;
        let (wanted, pointer) = match node.depth {
            0 => (&b"BTLF"[..], 0),
            deep => (&b"BTIN"[..], store.offsets + widths.pointer(deep)),
        };
        mark.mark(wanted, "a node of a tree of records")?;
        let pointers = (node.records + 1).saturating_mul(pointer as u64);
        let size = (node.records * record_size).saturating_add(pointers);
        let mut body = store.block(node.address.saturating_add(6), size)?;
        for _ in 0..node.records {
            let record = body.part(usize::try_from(record_size).unwrap_or(usize::MAX))?;
            each(kind, record)?;
        }
        if node.depth == 0 {
            continue;
        }
        for _ in 0..=node.records {
            let address = body.address()?;
            let records = body.uint(widths.records)?;
            body.skip(widths.pointer(node.depth) - widths.records)?;
            if let Some(address) = address {
                open.push(Open { address, records, depth: node.depth - 1 });
            }
        }
    }
    Ok(())
}

/// Bytes of the counts that are next to a node's pointers.
struct Widths {
    /// Of the records of a child.
    records: usize,
    /// Of all records below it, by depth.
    totals: Vec<usize>,
}

impl Widths {
    /// Bytes of both counts, for a node at a depth: the second is only above the lowest nodes.
    fn pointer(&self, depth: usize) -> usize {
        let below = depth.checked_sub(1).filter(|below| *below > 0);
        self.records + below.and_then(|below| self.totals.get(below)).copied().unwrap_or(0)
    }
}

fn widths(store: &Store, node_size: u64, record_size: u64, depth: usize) -> Widths {
    let space = node_size.saturating_sub(10);
    let most = space / record_size;
    let records = bytes_for(most);
    let mut total = most;
    let mut totals = vec![records];
    for level in 1..=depth {
        let count = if level > 1 { totals.last().copied().unwrap_or(0) } else { 0 };
        let pointer = (store.offsets + records + count) as u64;
        let here = space.saturating_sub(pointer) / (record_size + pointer);
        total = total.saturating_mul(here + 1).saturating_add(here);
        totals.push(bytes_for(total));
    }
    Widths { records, totals }
}
