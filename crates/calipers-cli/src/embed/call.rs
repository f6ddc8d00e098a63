//! Calls on threads of their own, so that neither a long analysis nor an internal error takes the program down.
//!
//! The extension module aborts on a panic, as the command does: tables for unwinding would be a sixth of the wheel. So
//! the thread of a call never returns from a panic. It says what happened, and waits until the process ends. What it
//! held stays held: its memory, its locks, and the list of panic hooks, so that no other hook can be set from then on.

use std::cell::RefCell;
use std::panic::{self, PanicHookInfo};
use std::path::Path;
use std::sync::Once;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use super::{Failure, FailureKind};

/// The stack of a call: that of a main thread.
const STACK_BYTES: usize = 8 << 20;

/// How often the caller is asked whether to wait on.
const PATIENCE: Duration = Duration::from_millis(50);

/// Hands a failure to the caller.
type Report = Box<dyn FnOnce(Failure)>;

thread_local! {
    /// That of this thread's call.
    static REPORT: RefCell<Option<Report>> = const { RefCell::new(None) };
}

/// Does the work in a thread of its own, and calls `wait` about 20 times a second until it is done.
///
/// A panic of the work is a [`Failure`] of kind [`FailureKind::Internal`]. Threads that the work starts are not covered.
///
/// # Errors
///
/// That of `wait`. The work goes on, and its result is dropped.
pub fn call<T: Send + 'static, E>(
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
    mut wait: impl FnMut() -> Result<(), E>,
) -> Result<Result<T, Failure>, E> {
    catch_panics();
    let (sender, receiver) = sync_channel(1);
    let start = move || {
        let report = sender.clone();
        REPORT.set(Some(Box::new(move |failure| {
            // A caller that no longer waits needs no answer.
            let _ = report.send(Err(failure));
        })));
        let result = work();
        REPORT.set(None);
        let _ = sender.send(result);
    };
    let thread = thread::Builder::new().name("calipers".to_owned()).stack_size(STACK_BYTES);
    if thread.spawn(start).is_err() {
        return Ok(Err(internal("the system starts no more threads".to_owned())));
    }
    loop {
        match receiver.recv_timeout(PATIENCE) {
            Ok(result) => return Ok(result),
            Err(RecvTimeoutError::Timeout) => wait()?,
            Err(RecvTimeoutError::Disconnected) => {
                return Ok(Err(internal("internal error".to_owned())));
            }
        }
    }
}

/// Puts a hook for the panics of calls before the hook that there is.
fn catch_panics() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let previous = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            // Thread-local values are gone where a thread ends.
            match REPORT.try_with(RefCell::take).ok().flatten() {
                Some(report) => {
                    report(internal(message(info)));
                    loop {
                        thread::park();
                    }
                }
                None => previous(info),
            }
        }));
    });
}

/// Where it happened. The text of a panic can have names of the model, which the options may forbid.
fn message(info: &PanicHookInfo<'_>) -> String {
    let place = info.location().and_then(|location| {
        let file = Path::new(location.file()).file_name()?;
        Some(format!(" at {}:{}", file.to_string_lossy(), location.line()))
    });
    format!("internal error{}", place.unwrap_or_default())
}

fn internal(message: String) -> Failure {
    Failure { message, hint: None, kind: FailureKind::Internal }
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;
    use std::sync::mpsc::channel;

    use super::*;

    fn done<T: Send + 'static>(
        work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
    ) -> Result<T, Failure> {
        call(work, || Ok::<(), Infallible>(())).unwrap_or_else(|never| match never {})
    }

    #[test]
    fn a_result_comes_back() {
        assert_eq!(done(|| Ok(6 * 7)).unwrap(), 42);
        let wrong = Failure { message: "wrong".to_owned(), hint: None, kind: FailureKind::Option };
        assert_eq!(done::<()>(|| Err(wrong)).unwrap_err().message, "wrong");
    }

    #[test]
    fn the_caller_can_stop_waiting() {
        let (release, held) = channel::<()>();
        let work = move || Ok(held.recv().is_ok());
        let stopped = call(work, || Err("interrupted"));
        assert_eq!(stopped.unwrap_err(), "interrupted");
        drop(release);
    }
}
