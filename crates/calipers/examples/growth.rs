//! Time and memory of every growth family at two sizes: `… --example growth -- [SIZE] [FILTER]`.
//!
//! Each family is analyzed as `inspect` and as `report` do it, at SIZE and at eight times SIZE. The
//! exit status is 1 where time grows out of proportion.
#![allow(clippy::print_stdout, reason = "it is here to print")]

use std::process::ExitCode;
use std::time::{Duration, Instant};

use calipers::{Model, Options};
use calipers_testkit::growth::{Family, families};

/// How many times larger the second size is.
const LARGER: usize = 8;
/// The most that time may grow by: caches run out, an algorithm does not.
const MOST: f64 = 20.0;
/// Runs that take less than this are too short to compare.
const SHORT: Duration = Duration::from_millis(100);

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    let size: usize = arguments.next().and_then(|text| text.parse().ok()).unwrap_or(2000);
    let filter = arguments.next().unwrap_or_default();
    let mut missed = 0;
    let chosen: Vec<Family> =
        families().into_iter().filter(|family| family.name.contains(&filter)).collect();
    println!("{:40} {:>9} {:>18} {:>18}", "family", "bytes", "inspect ms", "page ms");
    for family in &chosen {
        let small = (family.model)(size).build();
        let large = (family.model)(LARGER * size).build();
        let (a, b) = (times(&small), times(&large));
        let bad = grows(a[0], b[0]) || grows(a[1], b[1]);
        missed += usize::from(bad);
        let ms = |time: Duration| time.as_secs_f64() * 1e3;
        println!(
            "{:40} {:>9} {:>8.1} {:>9.1} {:>8.1} {:>9.1} {}",
            family.name,
            large.len(),
            ms(a[0]),
            ms(b[0]),
            ms(a[1]),
            ms(b[1]),
            if bad { "MISS" } else { "" }
        );
    }
    println!("{} families, {missed} out of proportion", chosen.len());
    ExitCode::from(u8::from(missed > 0))
}

/// Whether time grows out of proportion.
fn grows(small: Duration, large: Duration) -> bool {
    large > SHORT && large.as_secs_f64() > MOST * small.as_secs_f64().max(1e-3)
}

/// The time that this thread has run: others on the machine do not count, where the system says so.
fn now(start: Instant) -> Duration {
    let text = std::fs::read_to_string("/proc/thread-self/schedstat").unwrap_or_default();
    let nanoseconds = text.split_whitespace().next().and_then(|first| first.parse().ok());
    nanoseconds.map_or_else(|| start.elapsed(), Duration::from_nanos)
}

fn times(bytes: &[u8]) -> [Duration; 2] {
    let mut times = [Duration::ZERO; 2];
    let clock = Instant::now();
    let start = now(clock);
    if let Ok(model) = Model::read(bytes.to_vec(), "growth.onnx") {
        let _ = model.analyze(&Options::new());
    }
    times[0] = now(clock) - start;
    let start = now(clock);
    if let Ok(model) = Model::read(bytes.to_vec(), "growth.onnx")
        && let Ok((report, view)) = model.explore(&Options::new())
    {
        std::hint::black_box(calipers::render::page::html(&report, &view));
    }
    times[1] = now(clock) - start;
    times
}
