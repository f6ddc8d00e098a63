//! Files made to be expensive: memory and work stay in proportion to their size.
//!
//! Both are measured by an allocator that counts, so the figures are exact and no clock is involved.
//! The worst factors are those of files that hold nothing but empty messages of two bytes each.

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use crate::common::{Msg, entry, model, msg, varint};

/// Counts what each thread allocates.
struct Counting;

thread_local! {
    static NOW: Cell<usize> = const { Cell::new(0) };
    static PEAK: Cell<usize> = const { Cell::new(0) };
    static TOTAL: Cell<usize> = const { Cell::new(0) };
}

#[expect(unsafe_code, reason = "an allocator is unsafe by its nature")]
// SAFETY: every call is passed on to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = NOW.get() + layout.size();
        NOW.set(now);
        PEAK.set(PEAK.get().max(now));
        TOTAL.set(TOTAL.get() + layout.size());
        // SAFETY: the caller's promise is passed on.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        // What another thread allocated may be freed here.
        NOW.set(NOW.get().saturating_sub(layout.size()));
        // SAFETY: the caller's promise is passed on.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

/// What `work` gives, the most bytes it held at a time, and how many it asked for in all.
fn measured<T>(work: impl FnOnce() -> T) -> (T, usize, usize) {
    let (now, total) = (NOW.get(), TOTAL.get());
    PEAK.set(now);
    let result = work();
    (result, PEAK.get() - now, TOTAL.get() - total)
}

/// The same message, over and over.
fn times(count: usize, number: u32, inner: &Msg) -> Msg {
    let one = msg().msg(number, inner.clone()).0;
    Msg(one.repeat(count))
}

/// Messages that differ in a number.
fn numbered(count: usize, number: u32, inner: impl Fn(usize) -> Msg) -> Msg {
    (0..count).fold(msg(), |message, index| message.msg(number, inner(index)))
}

fn attribute(contents: Msg) -> Msg {
    model(msg().msg(1, msg().msg(5, contents)))
}

fn name(index: usize) -> String {
    format!("v{index}")
}

/// Graphs one inside the other, each with these fields of its own.
fn nested(levels: usize, own: &Msg) -> Msg {
    let header =
        |number: u64, length: usize| [varint(number << 3 | 2), varint(length as u64)].concat();
    let mut reversed: Vec<u8> = own.0.iter().rev().copied().collect();
    for _ in 1..levels {
        for number in [6, 5, 1] {
            let header = header(number, reversed.len());
            reversed.extend(header.iter().rev());
        }
        reversed.extend(own.0.iter().rev());
    }
    reversed.reverse();
    Msg(reversed)
}

/// A kind of expensive file, and the bytes of memory that each of its bytes may cost.
type Case = (&'static str, usize, fn(usize) -> Msg);

const CASES: &[Case] = &[
    ("empty subgraphs", 380, |n| attribute(times(n, 11, &msg()))),
    ("empty functions", 300, |n| model(msg()).and(times(n, 25, &msg()))),
    ("training steps", 240, |n| model(msg()).and(times(n, 20, &msg().msg(1, msg()).msg(2, msg())))),
    ("empty tensors of an attribute", 200, |n| attribute(times(n, 10, &msg()))),
    ("empty initializers", 180, |n| model(times(n, 5, &msg()))),
    ("empty types", 100, |n| attribute(times(n, 15, &msg()))),
    ("empty nodes", 60, |n| model(times(n, 1, &msg()))),
    ("empty attributes", 60, |n| model(msg().msg(1, times(n, 5, &msg())))),
    ("empty inputs", 60, |n| model(times(n, 11, &msg()))),
    ("metadata", 60, |n| model(msg()).and(times(n, 14, &msg()))),
    ("parts of one graph", 40, |n| times(n, 7, &msg())),
    ("nodes that give the same name", 40, |n| model(times(n, 1, &msg().text(2, "a")))),
    ("names that nothing defines", 40, |n| {
        model(msg().msg(1, (0..n).fold(msg(), |node, index| node.text(1, &name(index)))))
    }),
    ("locations of data files", 40, |n| {
        model(numbered(n, 5, |k| msg().int(14, 1).msg(13, entry("location", &name(k)))))
    }),
    ("numbers that nothing knows", 40, |n| {
        model((0..n).fold(msg(), |m, k| m.int(100 + u32::try_from(k).unwrap_or(0), 0)))
    }),
    ("long packed dims", 40, |n| model(msg().msg(5, msg().bytes(1, &vec![1; n])))),
    ("nested groups", 10, |n| model(Msg([vec![0x5b; n], vec![0x5c; n]].concat()))),
    ("a fan stored backwards", 40, |n| {
        let reader = (0..n).fold(msg(), |node, index| node.text(1, &name(index)));
        model(msg().msg(1, reader).and(numbered(n, 1, |k| msg().text(2, &name(k)))))
    }),
    ("nested graphs", 80, |n| model(nested(n, &msg()))),
    ("nested graphs that capture", 30, |n| {
        let gives = numbered(100, 1, |k| msg().text(2, &name(k)));
        let reads = (0..100).fold(msg(), |node, k| node.text(1, &name(k)));
        let inner = nested(n / 100, &msg().msg(1, reads));
        let holder = msg().msg(5, crate::common::graph_attribute("body", inner));
        model(gives.msg(1, holder))
    }),
    ("nested graphs that shadow", 40, |n| {
        let all = (0..100).fold(msg(), |node, k| node.text(1, &name(k)).text(2, &name(k)));
        model(nested(n / 100, &msg().msg(1, all)))
    }),
    ("texts cut and made valid", 10, |n| {
        model(msg()).and(times(n / 10_000, 14, &msg().bytes(2, &[0xff; 65_536])))
    }),
    ("offsets that are not numbers", 20, |n| {
        let entry = msg().text(1, "offset").bytes(2, &[1; 65_536]);
        model(times(n / 10_000, 5, &msg().int(14, 1).msg(13, entry)))
    }),
];

#[test]
fn memory_and_work_grow_with_the_file() {
    for (what, factor, make) in CASES {
        let [small, large] = [16_384, 65_536].map(|count| {
            let bytes = make(count).0;
            let length = bytes.len();
            let (model, peak, total) = measured(|| calipers_formats::read(bytes, "costly.onnx"));
            drop(model.unwrap_or_else(|error| panic!("{what}: {error}")));
            assert!(
                peak <= factor * length,
                "{what}: {peak} bytes for a file of {length}, {} each",
                peak / length
            );
            (length, total)
        });
        // Four times the file is four times the work, give or take how vectors grow.
        let (before, after) = (small.1 * large.0, large.1 * small.0);
        assert!(after <= before + before / 4, "{what}: {small:?} bytes and work, then {large:?}");
    }
}

#[test]
fn weights_are_not_copied() {
    let weights = vec![0; 4 << 20];
    let raw = msg().ints(1, &[1 << 20]).int(2, 1).bytes(9, &weights);
    let packed = msg().ints(1, &[1 << 22]).int(2, 7).bytes(7, &weights);
    let floats = msg().ints(1, &[1 << 20]).int(2, 1).bytes(4, &weights);
    for tensor in [raw, packed, floats] {
        let bytes = model(msg().msg(5, tensor)).0;
        let (model, _, total) = measured(|| calipers_formats::read(bytes, "weights.onnx"));
        assert!(model.is_ok() && total < 100_000, "{total} bytes");
    }
}

#[test]
fn few_elements_are_taken_out_of_much_data() {
    let data = vec![0; 1 << 20];
    let of = |dtype, field| msg().ints(1, &[2]).int(2, dtype).bytes(field, &data);
    let integers = [of(7, 9), of(7, 7), of(6, 5), of(22, 5), of(13, 11), of(9, 9)];
    let floats =
        [of(1, 9), of(1, 4), of(1, 4).float(4, 0.0), of(11, 10).double(10, 0.0), of(10, 5)];
    for (tensor, float) in
        integers.into_iter().zip([false; 6]).chain(floats.into_iter().zip([true; 5]))
    {
        let model = crate::common::read_tensor(tensor);
        let (id, _) = model.tensors().next().expect("a tensor");
        let (found, _, total) = measured(|| {
            if float {
                model.floats(id, 10).map(|elements| elements.len())
            } else {
                model.integers(id, 10).map(|elements| elements.len())
            }
        });
        assert_eq!(found, Ok(2));
        assert!(total < 1000, "{total} bytes for two elements");
    }
}
