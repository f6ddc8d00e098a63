//! A sign of life on standard error while a long piece of work goes on.

use std::fmt::Write;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::thread::{Builder, JoinHandle};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressState, ProgressStyle};

use crate::screen;

/// Work that ends sooner shows nothing.
const PATIENCE: Duration = Duration::from_secs(1);

/// A spinner that appears when the work takes longer than a second and is gone when this is
/// dropped. It is hidden where standard error is not a terminal.
pub(crate) struct Progress {
    // Dropped first: that stops the thread.
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

/// A bar of bytes done. It is hidden where standard error is not a terminal.
pub(crate) struct Bar(Option<ProgressBar>);

impl Bar {
    /// A bar that is drawn once its length is known.
    pub(crate) fn start(message: &'static str) -> Self {
        if !screen::stderr_can_animate() {
            return Self(None);
        }
        let bar = ProgressBar::new(0).with_message(message);
        let template = "{msg} {wide_bar} {bytes} of {total_bytes}, {bytes_per_sec}";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.progress_chars(marks()));
        }
        Self(Some(bar))
    }

    /// Says that this many bytes more are done, of how many.
    pub(crate) fn add(&self, bytes: u64, total: u64) {
        if let Some(bar) = &self.0 {
            bar.set_length(total);
            bar.inc(bytes);
        }
    }
}

impl Drop for Bar {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

/// A bar of things done. It is hidden where standard error is not a terminal.
pub(crate) struct Count(Option<ProgressBar>);

impl Count {
    /// A bar of this many.
    pub(crate) fn start(message: &'static str, all: usize) -> Self {
        if !screen::stderr_can_animate() {
            return Self(None);
        }
        let bar = ProgressBar::new(u64::try_from(all).unwrap_or(u64::MAX)).with_message(message);
        let template = "{msg} {wide_bar} {human_pos} of {human_len}, {rate} per second, {eta} left";
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style.with_key("rate", rate).progress_chars(marks()));
        }
        Self(Some(bar))
    }

    /// Says that this many are done, of how many.
    pub(crate) fn set(&self, done: usize, all: usize) {
        if let Some(bar) = &self.0 {
            bar.set_length(u64::try_from(all).unwrap_or(u64::MAX));
            bar.set_position(u64::try_from(done).unwrap_or(u64::MAX));
        }
    }

    /// Says that one more is done.
    pub(crate) fn add(&self) {
        if let Some(bar) = &self.0 {
            bar.inc(1);
        }
    }
}

/// Things done per second: a whole number, unless they take long.
fn rate(state: &ProgressState, to: &mut dyn Write) {
    let rate = state.per_sec();
    let digits = usize::from(rate < 10.0);
    // The bar has no place for an error.
    let _ = write!(to, "{rate:.digits$}");
}

impl Drop for Count {
    fn drop(&mut self) {
        if let Some(bar) = &self.0 {
            bar.finish_and_clear();
        }
    }
}

/// What a bar is made of.
fn marks() -> &'static str {
    if screen::locale_shows_unicode() { "━╸─" } else { "=> " }
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
