//! Calls from programs that embed the command.

use std::convert::Infallible;

use calipers_cli::embed::{Failure, FailureKind, call};

calipers_testkit::tests! {
    test: [
        a_panic_is_a_failure_without_its_text,
        other_threads_panic_as_they_did,
    ];
}

fn done<T: Send + 'static>(
    work: impl FnOnce() -> Result<T, Failure> + Send + 'static,
) -> Result<T, Failure> {
    call(work, || Ok::<(), Infallible>(())).unwrap_or_else(|never| match never {})
}

fn a_panic_is_a_failure_without_its_text() {
    for _ in 0..2 {
        let failure = done::<()>(|| panic!("encoder.weight")).unwrap_err();
        assert_eq!(failure.kind, FailureKind::Internal);
        assert!(failure.message.starts_with("internal error at embed.rs:"), "{failure:?}");
        assert!(!failure.message.contains("encoder"));
    }
    assert_eq!(done(|| Ok(1)).unwrap(), 1);
}

fn other_threads_panic_as_they_did() {
    assert!(done(|| Ok(())).is_ok());
    assert!(std::thread::spawn(|| panic!("expected by a test")).join().is_err());
}
