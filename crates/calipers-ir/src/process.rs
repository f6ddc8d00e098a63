//! Values that belong to one process.

use std::process;
use std::sync::{Mutex, OnceLock, PoisonError};

/// A value that every process makes for itself.
///
/// A process that was forked, as by `multiprocessing` of Python, has the values of its parent and none of its threads: it
/// would wait for them forever, and share the parent's connections.
#[derive(Debug)]
pub struct PerProcess<T: 'static> {
    first: OnceLock<(u32, T)>,
    /// That of a process that was forked after the first was made. It is never dropped.
    forked: Mutex<Option<(u32, &'static T)>>,
}

impl<T> PerProcess<T> {
    /// A value that nobody has asked for.
    pub const fn new() -> Self {
        Self { first: OnceLock::new(), forked: Mutex::new(None) }
    }

    /// The value of this process.
    pub fn get_or_init(&'static self, make: impl Fn() -> T) -> &'static T {
        let this = process::id();
        let (owner, value) = self.first.get_or_init(|| (this, make()));
        if *owner == this {
            return value;
        }
        self.of_fork(this, make)
    }

    fn of_fork(&self, this: u32, make: impl Fn() -> T) -> &'static T {
        let mut forked = self.forked.lock().unwrap_or_else(PoisonError::into_inner);
        match *forked {
            Some((owner, value)) if owner == this => value,
            _ => {
                let value = Box::leak(Box::new(make()));
                *forked = Some((this, value));
                value
            }
        }
    }
}

impl<T> Default for PerProcess<T> {
    fn default() -> Self {
        Self::new()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicU32, Ordering};

    use super::*;

    #[test]
    fn each_process_makes_its_own() {
        static VALUE: PerProcess<u32> = PerProcess::new();
        static MADE: AtomicU32 = AtomicU32::new(0);
        let make = || MADE.fetch_add(1, Ordering::Relaxed);
        assert_eq!((VALUE.get_or_init(make), VALUE.get_or_init(make)), (&0, &0));
        assert_eq!((VALUE.of_fork(1, make), VALUE.of_fork(1, make)), (&1, &1));
        // A process that the forked one forked.
        assert_eq!(VALUE.of_fork(2, make), &2);
        assert_eq!(VALUE.get_or_init(make), &0);
    }
}
