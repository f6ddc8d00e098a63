//! Leaves out the tables for unwinding, a tenth of the wheel: a panic aborts. On Linux the linker can do so.
//!
//! Where a thread of Python ends inside the module, as at the exit of the interpreter, the C library unwinds as far as
//! there are tables, and ends the thread there.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::{env, fs};

/// `INSERT` adds to the linker's own script.
const SCRIPT: &str = "\
SECTIONS {
  /DISCARD/ : { *(.eh_frame .eh_frame.* .gcc_except_table .gcc_except_table.*) }
} INSERT AFTER .rodata;
";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is_linux = env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "linux");
    // That of the profile `wheel`. Build scripts are not shown its `panic`.
    let is_small = env::var("OPT_LEVEL").is_ok_and(|level| level == "z");
    let folder = PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"));
    let script = folder.join("discard.ld");
    fs::write(&script, SCRIPT).expect("OUT_DIR can be written");
    // The GNU project's linker: that of LLVM does not take such a script.
    let arguments = ["-fuse-ld=bfd".to_owned(), format!("-T{}", script.display())];
    if is_linux && is_small && links(&folder, &arguments) {
        for argument in arguments {
            println!("cargo::rustc-cdylib-link-arg={argument}");
        }
    }
}

/// Whether an empty library can be linked with these arguments.
fn links(folder: &Path, arguments: &[String]) -> bool {
    let variable = |name: &str| env::var_os(name).unwrap_or_default();
    let source = folder.join("empty.rs");
    if fs::write(&source, "").is_err() {
        return false;
    }
    let mut compiler = Command::new(variable("RUSTC"));
    compiler.args(["--edition=2024", "--crate-type=cdylib", "-Cpanic=abort"]);
    compiler.args(arguments.iter().map(|argument| format!("-Clink-arg={argument}")));
    compiler.arg("--target").arg(variable("TARGET")).arg("--out-dir").arg(folder).arg(source);
    if let Some(linker) = env::var_os("RUSTC_LINKER") {
        let mut option = OsString::from("-Clinker=");
        option.push(linker);
        compiler.arg(option);
    }
    compiler.stdout(Stdio::null()).stderr(Stdio::null());
    compiler.status().is_ok_and(|status| status.success())
}
