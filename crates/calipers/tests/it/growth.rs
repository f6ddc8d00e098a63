//! Work and memory grow in proportion to the file, whatever grows in it.
//!
//! The memory that an analysis asks for, all of it and at its peak, is the same in every run, so it
//! is compared at two sizes. The clock is left to `scripts/bench growth`.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use calipers::{Model, Options};
use calipers_testkit::growth::{Family, families};
use calipers_testkit::score;

calipers_testkit::tests! {
    test: [memory_grows_in_proportion];
}

const SMALL: usize = 150;
const LARGER: usize = 8;
/// The most that memory may grow by: lists are doubled, and a tree of groups gets deeper.
const MOST: usize = 13;
/// What every analysis takes, however small the graph.
const BASE: usize = 4 << 20;

/// Counts what the thread asks for.
struct Counting;

thread_local! {
    /// Bytes that were asked for, those that are held, and the most that were.
    static COUNTS: Cell<[usize; 3]> = const { Cell::new([0; 3]) };
}

fn add(bytes: usize) {
    // A thread that ends has no counts any more.
    let _ = COUNTS.try_with(|counts| {
        let [all, held, most] = counts.get();
        let held = held.saturating_add(bytes);
        counts.set([all.saturating_add(bytes), held, most.max(held)]);
    });
}

fn remove(bytes: usize) {
    let _ = COUNTS.try_with(|counts| {
        let [all, held, most] = counts.get();
        counts.set([all, held.saturating_sub(bytes), most]);
    });
}

#[expect(
    unsafe_code,
    reason = "an allocator is unsafe by its nature; every call goes to the system's"
)]
// SAFETY: the system's allocator does the work; counting touches no memory of the caller.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        add(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        remove(layout.size());
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }

    unsafe fn realloc(&self, pointer: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        remove(layout.size());
        add(size);
        // SAFETY: as the caller promises.
        unsafe { System.realloc(pointer, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// Bytes that an analysis and its page ask for, and the most that they hold.
fn memory(family: &Family, size: usize) -> [usize; 2] {
    let bytes = (family.model)(size).build();
    COUNTS.set([0; 3]);
    if let Ok(model) = Model::read(bytes, "growth.onnx")
        && let Ok((report, view)) = model.explore(&Options::new())
    {
        let page = calipers::render::page::html(&report, &view);
        assert!(page.ends_with("</html>\n"), "{}", family.name);
    }
    let [all, _, most] = COUNTS.get();
    [all, most]
}

fn memory_grows_in_proportion() {
    let mut wrong = Vec::new();
    let all = families();
    // What is made once and kept is made before anything is counted.
    memory(&all[0], SMALL);
    for family in &all {
        let (small, large) = (memory(family, SMALL), memory(family, LARGER * SMALL));
        for (what, small, large) in
            [("asked for", small[0], large[0]), ("held", small[1], large[1])]
        {
            if large > MOST * small.max(BASE / MOST) {
                wrong.push(format!("{}: {what} {small} bytes, then {large}", family.name));
            }
        }
    }
    score(format!("growth: {} of {} families in proportion", all.len() - wrong.len(), all.len()));
    assert!(all.len() >= 57, "{}", all.len());
    assert!(wrong.is_empty(), "{wrong:#?}");
}
