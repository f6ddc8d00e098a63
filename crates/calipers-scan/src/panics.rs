//! Panics that end neither the program nor the work of other threads.
//!
//! The command and the extension module abort on a panic: tables for unwinding would be a sixth of the wheel. So a
//! thread that panics in work that may fail never returns from it. It reports what happened, and waits until the
//! process ends. What it held stays held: its memory, its locks, and the list of panic hooks, so that no other hook can
//! be set from then on.

use std::cell::RefCell;
use std::panic::{self, PanicHookInfo};
use std::path::Path;
use std::sync::Once;
use std::thread;

/// The stack of a thread that analyzes models: that of a main thread.
pub const STACK_BYTES: usize = 8 << 20;

/// Passes a panic on.
type Report = Box<dyn FnOnce(String)>;

thread_local! {
    /// Who is to hear of a panic of this thread.
    static REPORT: RefCell<Option<Report>> = const { RefCell::new(None) };
}

/// Does the work. If it panics, `report` gets a message for people, and this function never returns: the thread waits
/// until the process ends. Threads that the work starts are not covered, nor is work within the work.
///
/// The message says where it happened. It leaves out the text of the panic, which can have names of the model.
pub fn reporting<T>(report: impl FnOnce(String) + 'static, work: impl FnOnce() -> T) -> T {
    set_hook();
    REPORT.set(Some(Box::new(report)));
    let result = work();
    REPORT.set(None);
    result
}

/// Puts a hook for the panics of reported work before the hook that there is.
fn set_hook() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let previous = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            // Thread-local values are gone where a thread ends.
            match REPORT.try_with(RefCell::take).ok().flatten() {
                Some(report) => {
                    report(message(info));
                    loop {
                        thread::park();
                    }
                }
                None => previous(info),
            }
        }));
    });
}

fn message(info: &PanicHookInfo<'_>) -> String {
    let place = info.location().and_then(|location| {
        let file = Path::new(location.file()).file_name()?;
        Some(format!(" at {}:{}", file.to_string_lossy(), location.line()))
    });
    format!("internal error{}", place.unwrap_or_default())
}
