//! What the standard library does not offer: signals, and whether standard output is open. Also
//! the arguments of the command, which an interpreter may hold.
//!
//! All unsafe code of the command is here.
#![cfg_attr(unix, expect(unsafe_code, reason = "calls of the C library"))]

use std::ffi::OsString;
use std::sync::OnceLock;

static ARGUMENTS: OnceLock<Vec<OsString>> = OnceLock::new();

/// Keeps the arguments of the command and returns them. Those of the process are others where an
/// interpreter runs the command.
pub(crate) fn keep_arguments(arguments: Vec<OsString>) -> &'static [OsString] {
    ARGUMENTS.get_or_init(|| arguments)
}

/// The arguments of the command, the program's name first; none where it is used as a library.
pub(crate) fn arguments() -> &'static [OsString] {
    ARGUMENTS.get().map_or(&[], Vec::as_slice)
}

/// Whether the command was started without standard output, as by `>&-`.
///
/// The standard library opens `/dev/null` in its place before `main`, so that everything would seem
/// to be written.
pub(crate) fn stdout_is_closed() -> bool {
    #[cfg(any(target_os = "linux", target_vendor = "apple"))]
    return unix::STDOUT_IS_CLOSED.load(std::sync::atomic::Ordering::Relaxed);
    #[cfg(not(any(target_os = "linux", target_vendor = "apple")))]
    false
}

/// Calls a function when the command is interrupted or asked to end, and ends it then as if nothing
/// had been done. It must be called before there are other threads.
pub(crate) fn on_interrupt(clean_up: fn()) {
    #[cfg(unix)]
    unix::on_interrupt(clean_up);
    #[cfg(not(unix))]
    let _ = clean_up;
}

/// Writes everything that is pending on the file system of a file to its disk, where the system can
/// do that in one call; returns whether it did.
pub(crate) fn sync_file_system(file: &std::fs::File) -> std::io::Result<bool> {
    #[cfg(target_os = "linux")]
    {
        use std::os::fd::AsRawFd;
        // SAFETY: the descriptor is open as long as the file is borrowed.
        match unsafe { libc::syncfs(file.as_raw_fd()) } {
            0 => Ok(true),
            _ => Err(std::io::Error::last_os_error()),
        }
    }
    #[cfg(not(target_os = "linux"))]
    {
        let _ = file;
        Ok(false)
    }
}

#[cfg(unix)]
mod unix {
    use std::ffi::c_int;
    use std::mem::MaybeUninit;
    use std::ptr;
    #[cfg(any(target_os = "linux", target_vendor = "apple"))]
    use std::sync::atomic::{AtomicBool, Ordering};

    #[cfg(any(target_os = "linux", target_vendor = "apple"))]
    pub(super) static STDOUT_IS_CLOSED: AtomicBool = AtomicBool::new(false);

    /// Runs before `main`, and before the standard library opens what is closed.
    #[cfg(any(target_os = "linux", target_vendor = "apple"))]
    #[used]
    // SAFETY: the section holds pointers to functions that the loader calls; this is one. It needs
    // nothing of the standard library that is not there yet: an atomic and a system call.
    #[cfg_attr(target_os = "linux", unsafe(link_section = ".init_array"))]
    #[cfg_attr(target_vendor = "apple", unsafe(link_section = "__DATA,__mod_init_func"))]
    static BEFORE_MAIN: extern "C" fn() = look_at_stdout;

    #[cfg(any(target_os = "linux", target_vendor = "apple"))]
    extern "C" fn look_at_stdout() {
        // SAFETY: it asks for the flags of a descriptor, and changes nothing.
        let flags = unsafe { libc::fcntl(libc::STDOUT_FILENO, libc::F_GETFD) };
        STDOUT_IS_CLOSED.store(flags == -1, Ordering::Relaxed);
    }

    /// Signals by which a user or a system ends a command.
    const ENDING: [c_int; 3] = [libc::SIGINT, libc::SIGTERM, libc::SIGHUP];

    /// A thread waits for the signals, which are blocked in all others: what it does is not bound to
    /// the few functions that a signal handler may call.
    pub(super) fn on_interrupt(clean_up: fn()) {
        // SAFETY: it ignores the signal of a file that grows past the limit of the process, so that
        // writing fails with an error that can be reported.
        unsafe { libc::signal(libc::SIGXFSZ, libc::SIG_IGN) };
        // SAFETY: the set is initialized by `sigemptyset`, and the calls read or fill what they are
        // passed. A signal that was ignored when the command was started (`nohup`) stays ignored.
        let waited_for = unsafe {
            let mut set = MaybeUninit::uninit();
            libc::sigemptyset(set.as_mut_ptr());
            for signal in ENDING {
                let mut action = MaybeUninit::<libc::sigaction>::zeroed();
                let found = libc::sigaction(signal, ptr::null(), action.as_mut_ptr());
                if found == 0 && action.assume_init().sa_sigaction != libc::SIG_IGN {
                    libc::sigaddset(set.as_mut_ptr(), signal);
                }
            }
            let set = set.assume_init();
            if libc::pthread_sigmask(libc::SIG_BLOCK, &raw const set, ptr::null_mut()) != 0 {
                return;
            }
            set
        };
        let wait = move || {
            let mut signal = 0;
            // SAFETY: both pointers are to live values of this thread.
            if unsafe { libc::sigwait(&raw const waited_for, &raw mut signal) } == 0 {
                clean_up();
                // SAFETY: the signal has its default action, so that this ends the process in the
                // way that a shell expects of an interrupted command.
                unsafe {
                    libc::pthread_sigmask(
                        libc::SIG_UNBLOCK,
                        &raw const waited_for,
                        ptr::null_mut(),
                    );
                    libc::raise(signal);
                }
            }
        };
        // Without the thread, signals must end the command as they always do.
        if std::thread::Builder::new().name("signals".to_owned()).spawn(wait).is_err() {
            // SAFETY: as above.
            unsafe {
                let unblock = libc::SIG_UNBLOCK;
                libc::pthread_sigmask(unblock, &raw const waited_for, ptr::null_mut());
            }
        }
    }
}
