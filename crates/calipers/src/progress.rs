//! A sign of life on standard error while a long piece of work goes on.

use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};

use crate::screen;

/// Work that ends sooner shows nothing.
const PATIENCE: Duration = Duration::from_secs(1);

/// A spinner that appears when the work takes longer than a second and is gone when this is
/// dropped. Where standard error is no terminal there is none.
pub(crate) struct Progress {
    // Dropped first: that is what tells the thread to stop.
    work: Option<Sender<()>>,
    thread: Option<JoinHandle<()>>,
}

impl Progress {
    /// Begins to wait. The message must be fit to print.
    pub(crate) fn start(message: String) -> Self {
        if !screen::stderr_can_animate() {
            return Self { work: None, thread: None };
        }
        let (work, done) = channel();
        let wait = move || {
            if done.recv_timeout(PATIENCE) == Err(RecvTimeoutError::Timeout) {
                let spinner = spinner(message);
                // Nothing is ever sent; this returns when the sender is dropped.
                let _ = done.recv();
                spinner.finish_and_clear();
            }
        };
        // Without a thread there is no spinner, and the work goes on all the same.
        Self { work: Some(work), thread: Builder::new().spawn(wait).ok() }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        drop(self.work.take());
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

fn spinner(message: String) -> ProgressBar {
    let spinner = ProgressBar::new_spinner().with_message(message);
    if let Ok(style) = ProgressStyle::with_template("{spinner} {wide_msg}") {
        let ticks = if screen::locale_shows_unicode() {
            "⠋⠙⠹⠸⠼⠴⠦⠧⠇⠏ "
        } else {
            "-\\|/ "
        };
        spinner.set_style(style.tick_chars(ticks));
    }
    spinner.enable_steady_tick(Duration::from_millis(100));
    spinner
}
