//! Asks the linker to keep one copy of functions with the same code, where it can: a fiftieth of the wheel.

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::{env, fs};

const OPTION: &str = "-Wl,--icf=all";

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let is_linux = env::var("CARGO_CFG_TARGET_OS").is_ok_and(|system| system == "linux");
    let is_optimized = env::var("OPT_LEVEL").is_ok_and(|level| level != "0");
    if is_linux && is_optimized && is_linked() {
        println!("cargo::rustc-cdylib-link-arg={OPTION}");
    }
}

/// Links an empty library with the option. LLVM's linker knows it; that of the GNU project does not.
fn is_linked() -> bool {
    let variable = |name: &str| env::var_os(name).unwrap_or_default();
    let folder = PathBuf::from(variable("OUT_DIR"));
    let source = folder.join("empty.rs");
    if fs::write(&source, "").is_err() {
        return false;
    }
    let mut compiler = Command::new(variable("RUSTC"));
    compiler
        .args(["--edition=2024", "--crate-type=cdylib", "-C"])
        .arg(format!("link-arg={OPTION}"));
    compiler.arg("--target").arg(variable("TARGET")).arg("--out-dir").arg(folder).arg(source);
    if let Some(linker) = env::var_os("RUSTC_LINKER") {
        let mut option = std::ffi::OsString::from("-Clinker=");
        option.push(linker);
        compiler.arg(option);
    }
    compiler.stdout(Stdio::null()).stderr(Stdio::null());
    compiler.status().is_ok_and(|status| status.success())
}
