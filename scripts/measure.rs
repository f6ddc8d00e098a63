//! Runs a command several times and prints one line per run: microseconds from before its start until its end, the most
//! memory it held (bytes), and its exit status.
//!
//! Usage: `measure RUNS COMMAND [ARGUMENT...]`. Standard output of the command goes nowhere.
//!
//! This is a program of its own because Linux counts the memory of the process that *starts* a command into that
//! command's maximum: started from an interpreter, everything below the interpreter's own size would look alike.

use std::ffi::c_int;
use std::os::unix::process::ExitStatusExt;
use std::process::{Command, ExitStatus, Stdio, exit};
use std::time::Instant;

/// The C library's `struct rusage` on 64-bit Linux and macOS.
#[repr(C)]
#[derive(Default)]
struct Usage {
    times: [i64; 4],
    max_resident: i64,
    rest: [i64; 13],
}

unsafe extern "C" {
    fn wait4(pid: c_int, status: *mut c_int, options: c_int, usage: *mut Usage) -> c_int;
}

/// `max_resident` counts kilobytes on Linux and bytes on macOS.
const RESIDENT_UNIT: i64 = if cfg!(target_os = "linux") { 1024 } else { 1 };

fn main() {
    let arguments: Vec<_> = std::env::args_os().skip(1).collect();
    let runs = arguments.first().and_then(|text| text.to_str()?.parse::<u32>().ok());
    let (Some(runs), Some(program)) = (runs, arguments.get(1)) else {
        eprintln!("usage: measure RUNS COMMAND [ARGUMENT...]");
        exit(2);
    };
    for _ in 0..runs {
        let began = Instant::now();
        let child = Command::new(program).args(&arguments[2..]).stdout(Stdio::null()).spawn();
        let child = child.unwrap_or_else(|error| {
            eprintln!("measure: {}: {error}", program.display());
            exit(1);
        });
        let (mut status, mut usage) = (0, Usage::default());
        let pid = c_int::try_from(child.id()).expect("process ids are small");
        // SAFETY: both pointers are to live values of the layout the C library expects.
        let waited = unsafe { wait4(pid, &mut status, 0, &mut usage) };
        let micros = began.elapsed().as_micros();
        assert_eq!(waited, pid, "nobody else waits for the child");
        let status = ExitStatus::from_raw(status);
        let code = status.code().unwrap_or_else(|| 128 + status.signal().unwrap_or(0));
        println!("{micros} {} {code}", usage.max_resident * RESIDENT_UNIT);
    }
}
