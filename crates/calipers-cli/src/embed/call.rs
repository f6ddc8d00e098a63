//! Calls on threads of their own, so that neither a long analysis nor an internal error takes the program down.

use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::thread;
use std::time::Duration;

use calipers_scan::panics::{STACK_BYTES, reporting};

use super::{Failure, FailureKind};

/// How often the caller is asked whether to wait on.
const PATIENCE: Duration = Duration::from_millis(50);

/// Does the work in a thread of its own, and calls `wait` about 20 times a second until it is done.
///
/// A panic of the work is a [`Failure`] of kind [`FailureKind::Internal`]; the thread then stays until the process ends.
/// Threads that the work starts are not covered.
///
/// # Errors
///
/// That of `wait`. The work goes on, and its result is dropped.
pub fn call<T: Send + 'static, E>(
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
    mut wait: impl FnMut() -> Result<(), E>,
) -> Result<Result<T, Failure>, E> {
    let (sender, receiver) = sync_channel(1);
    let start = move || {
        let failed = sender.clone();
        // A caller that no longer waits needs no answer.
        let report = move |message| drop(failed.send(Err(internal(message))));
        let result = reporting(report, work);
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
