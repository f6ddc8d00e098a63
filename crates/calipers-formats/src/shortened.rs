//! Files that another process shortens while they are mapped.
//!
//! Reading a page past the new end of a mapped file raises SIGBUS, which ends the process. A
//! command that reads many files must not end with the first: [`catch_shortened_files`] installs a
//! handler that maps zeros in place of what is gone and marks the map. The reader asks for the mark
//! and reports the file as an error, so the zeros never reach a report.
//!
//! The handler acts only on addresses inside maps of this crate. Any other SIGBUS gets the action
//! that was installed before.
#![cfg_attr(unix, expect(unsafe_code, reason = "signal handlers and fixed maps are unsafe"))]

use std::ops::Range;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// Maps that can be guarded at once. Linux allows a process 65,530 maps by default.
const SLOTS: usize = 1 << 16;

/// A mapped file, where the handler finds it without a lock. `start` is 0 where the slot is free.
struct Slot {
    start: AtomicUsize,
    end: AtomicUsize,
    shortened: AtomicBool,
}

/// A slot that is being filled; no map begins at this address.
const CLAIMED: usize = 1;

static MAPS: [Slot; SLOTS] = [const {
    Slot { start: AtomicUsize::new(0), end: AtomicUsize::new(0), shortened: AtomicBool::new(false) }
}; SLOTS];

/// One past the last slot that was ever used, so that the handler does not look at all of them.
static USED: AtomicUsize = AtomicUsize::new(0);

/// Where the search for a free slot begins.
static NEXT: AtomicUsize = AtomicUsize::new(0);

/// The registration of a map. It must be dropped before the map is.
pub(crate) struct Guard(Option<usize>);

impl Guard {
    /// Registers a map at these addresses. Beyond the largest number of maps it guards nothing.
    pub(crate) fn new(map: Range<usize>) -> Self {
        let first = NEXT.load(Ordering::Relaxed);
        let free = (0..SLOTS).map(|step| (first + step) % SLOTS).find(|at| {
            let start = &MAPS[*at].start;
            start.compare_exchange(0, CLAIMED, Ordering::AcqRel, Ordering::Relaxed).is_ok()
        });
        if let Some(at) = free {
            let slot = &MAPS[at];
            slot.shortened.store(false, Ordering::Relaxed);
            slot.end.store(map.end, Ordering::Relaxed);
            USED.fetch_max(at + 1, Ordering::Release);
            slot.start.store(map.start, Ordering::Release);
            NEXT.store((at + 1) % SLOTS, Ordering::Relaxed);
        }
        Self(free)
    }

    /// Whether a page of the map was gone when it was read.
    pub(crate) fn is_shortened(&self) -> bool {
        self.0.is_some_and(|at| MAPS[at].shortened.load(Ordering::Acquire))
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        if let Some(at) = self.0 {
            MAPS[at].start.store(0, Ordering::Release);
            // Few files are open at once: the next map takes this slot again.
            NEXT.store(at, Ordering::Relaxed);
        }
    }
}

/// Makes reading a file that was shortened an error instead of a SIGBUS that ends the process.
///
/// It installs a signal handler, so it is for programs, not for libraries. Elsewhere than on Unix
/// it does nothing: a file that is mapped cannot be shortened there.
pub fn catch_shortened_files() {
    #[cfg(unix)]
    unix::install();
}

#[cfg(unix)]
mod unix {
    use std::ffi::{c_int, c_void};
    use std::mem::MaybeUninit;
    use std::ptr;
    use std::sync::OnceLock;
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::{CLAIMED, MAPS, USED};

    /// What handled SIGBUS before.
    static BEFORE: OnceLock<libc::sigaction> = OnceLock::new();

    /// Bytes of a page; 0 until the handler is installed.
    static PAGE: AtomicUsize = AtomicUsize::new(0);

    pub(super) fn install() {
        // SAFETY: `sysconf` reads a constant of the system.
        let page = unsafe { libc::sysconf(libc::_SC_PAGESIZE) };
        let Ok(page @ 1..) = usize::try_from(page) else { return };
        if PAGE.swap(page, Ordering::Relaxed) != 0 {
            return;
        }
        let mut before = MaybeUninit::<libc::sigaction>::zeroed();
        // SAFETY: a zeroed `sigaction` is a valid one; the handler has the type that SA_SIGINFO
        // asks for and is safe to run at any point, see below. SA_ONSTACK is what std uses, so that
        // a handler that runs before ours can be restored.
        unsafe {
            let mut action: libc::sigaction = MaybeUninit::zeroed().assume_init();
            action.sa_sigaction = on_bus_error as *const () as usize;
            action.sa_flags = libc::SA_SIGINFO | libc::SA_ONSTACK;
            libc::sigemptyset(&raw mut action.sa_mask);
            // Asked first, so that the handler never runs without knowing what was before it.
            if libc::sigaction(libc::SIGBUS, ptr::null(), before.as_mut_ptr()) == 0 {
                let _ = BEFORE.set(before.assume_init());
                libc::sigaction(libc::SIGBUS, &raw const action, ptr::null_mut());
            }
        }
    }

    /// Maps zeros over what is gone, or restores the action that was installed before.
    ///
    /// It takes no lock and allocates nothing: it reads atomics and calls `mmap` and `sigaction`.
    extern "C" fn on_bus_error(_: c_int, info: *mut libc::siginfo_t, _: *mut c_void) {
        // SAFETY: with SA_SIGINFO the system passes a valid `siginfo_t`, which has an address for
        // SIGBUS.
        let address = unsafe { (*info).si_addr() } as usize;
        if replace(address) {
            return;
        }
        // The fault happens again on return and gets that action; the default one ends the process.
        // SAFETY: both are valid actions: one that the system returned, or one of zeros, SIG_DFL.
        unsafe {
            let default = MaybeUninit::<libc::sigaction>::zeroed().assume_init();
            let before = BEFORE.get().unwrap_or(&default);
            libc::sigaction(libc::SIGBUS, before, ptr::null_mut());
        }
    }

    /// Maps zeros from the page of this address to the end of its map, if it is one of ours: all
    /// that follows a page which is gone is gone too.
    fn replace(address: usize) -> bool {
        let used = USED.load(Ordering::Acquire);
        let found = MAPS[..used].iter().find(|slot| {
            let start = slot.start.load(Ordering::Acquire);
            start > CLAIMED && (start..slot.end.load(Ordering::Relaxed)).contains(&address)
        });
        let Some(slot) = found else { return false };
        let page = PAGE.load(Ordering::Relaxed);
        let first = address & !(page - 1);
        let length = slot.end.load(Ordering::Relaxed) - first;
        slot.shortened.store(true, Ordering::Release);
        // SAFETY: the range lies inside a live map of this crate, whose owner unregisters it before
        // it unmaps it and is stopped inside of a read of it here. The map is read-only and shared
        // as bytes alone, so other contents break no promise. `errno` is restored: the thread may
        // be about to read it.
        unsafe {
            let errno = errno();
            let saved = *errno;
            let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_FIXED;
            let place = first as *mut c_void;
            let zeros = libc::mmap(place, length, libc::PROT_READ, flags, -1, 0);
            *errno = saved;
            zeros != libc::MAP_FAILED
        }
    }

    unsafe fn errno() -> *mut c_int {
        #[cfg(any(target_os = "linux", target_os = "emscripten"))]
        // SAFETY: it returns the address of this thread's `errno`.
        return unsafe { libc::__errno_location() };
        #[cfg(any(target_vendor = "apple", target_os = "freebsd"))]
        // SAFETY: as above.
        return unsafe { libc::__error() };
        #[cfg(any(target_os = "android", target_os = "netbsd", target_os = "openbsd"))]
        // SAFETY: as above.
        return unsafe { libc::__errno() };
    }
}

#[cfg(all(test, unix))]
mod tests {
    use std::io::Write as _;

    use super::*;
    use crate::input::Input;

    /// Three pages of the largest size in use.
    const BYTES: usize = 3 * 65_536;

    #[test]
    fn a_shortened_file_reads_as_zeros_and_is_marked() {
        catch_shortened_files();
        let mut file = tempfile::NamedTempFile::new().unwrap();
        file.write_all(&vec![7; BYTES]).unwrap();
        let source = Input::open(file.path()).unwrap().source;
        let other = Input::open(file.path()).unwrap().source;
        assert!(!source.is_shortened());
        file.as_file().set_len(10).unwrap();
        assert!(other.is_shortened(), "its size shows it before it is read");
        assert_eq!(source.whole().unwrap()[..10], [7; 10]);
        assert_eq!(source.whole().unwrap()[BYTES - 1], 0);
        assert_eq!(source.whole().unwrap()[BYTES / 2], 0);
        assert!(source.is_shortened());
        // What was gone when it was read stays marked, also if the file grows again.
        file.as_file().set_len(BYTES as u64).unwrap();
        assert!(source.is_shortened() && !other.is_shortened());
        // A slot that is used again carries no mark.
        drop((source, other));
        let again = Input::open(file.path()).unwrap().source;
        assert!(!again.is_shortened());
    }

    #[test]
    fn a_model_that_is_shortened_is_an_error() {
        catch_shortened_files();
        let mut file = tempfile::NamedTempFile::new().unwrap();
        // A graph in many empty parts; all are read.
        file.write_all(&[0x3a, 0x00].repeat(BYTES / 2)).unwrap();
        let input = Input::open(file.path()).unwrap();
        assert!(crate::open(file.path()).is_ok());
        file.as_file().set_len(10).unwrap();
        assert!(matches!(crate::read_input(input), Err(crate::Error::Shortened)));
    }

    #[test]
    fn maps_are_found_while_they_are_registered() {
        let guards: Vec<Guard> = (1..100).map(|at| Guard::new(at << 20..(at << 20) + 8)).collect();
        assert!(guards.iter().all(|guard| guard.0.is_some() && !guard.is_shortened()));
        let mut slots: Vec<_> = guards.iter().map(|guard| guard.0).collect();
        slots.sort();
        slots.dedup();
        assert_eq!(slots.len(), guards.len(), "each has its own slot");
    }
}
