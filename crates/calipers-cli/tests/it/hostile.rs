//! Every hostile file through the command itself: it ends, in little memory, and prints nothing
//! that could steer a terminal.

use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use calipers_testkit::{Corpus, Outcome};

use super::{calipers, finish};

calipers_testkit::tests! {
    each_corpus: [
        a_report_or_an_error_and_nothing_that_steers,
        #[cfg(target_os = "linux")]
        little_memory_and_no_hang,
    ];
}

/// Address space that a run may take, in kilobytes: what is resident is less, and 52,000 are the
/// program itself without optimization. The largest file has 100,000 nodes.
const MEMORY: u64 = 165_000;

/// A run that takes longer hangs. A good one takes milliseconds; machines are noisy.
const PATIENCE: Duration = Duration::from_secs(30);

fn a_report_or_an_error_and_nothing_that_steers(corpus: &Corpus) -> Outcome {
    for path in corpus.hostile() {
        for format in ["text", "json"] {
            let path = path.to_str().unwrap();
            let run = finish(&mut calipers(&["inspect", path, "--format", format]));
            assert!(matches!(run.status, Some(0 | 1)), "{path}: {:?}", run.status);
            assert!(!run.stderr.contains("panicked"), "{path}: {}", run.stderr);
            let steers = |c: char| c.is_control() && c != '\n' || c == '\u{202e}';
            assert!(!run.stdout.contains(steers) && !run.stderr.contains(steers), "{path}");
            assert_eq!(run.stdout.is_empty(), run.status == Some(1), "{path}");
            assert_eq!(run.stderr.starts_with("error: "), run.status == Some(1), "{path}");
        }
    }
    Ok(())
}

#[cfg(target_os = "linux")]
fn little_memory_and_no_hang(corpus: &Corpus) -> Outcome {
    for path in corpus.hostile() {
        let mut child = Command::new("sh")
            .args(["-c", &format!("ulimit -v {MEMORY}; exec \"$0\" inspect \"$1\" --format json")])
            .arg(env!("CARGO_BIN_EXE_calipers"))
            .arg(&path)
            // Each thread may reserve 64 MB of address space for itself, used or not.
            .env("MALLOC_ARENA_MAX", "1")
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let start = Instant::now();
        let status = loop {
            if let Some(status) = child.try_wait().unwrap() {
                break status;
            }
            if start.elapsed() > PATIENCE {
                child.kill().unwrap();
                panic!("{} hangs", path.display());
            }
            std::thread::sleep(Duration::from_millis(2));
        };
        assert!(matches!(status.code(), Some(0 | 1)), "{}: {status}", path.display());
    }
    Ok(())
}
