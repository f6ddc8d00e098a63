//! Numbers as `calipers_report::units` writes them.

use calipers_render::units;
use serde_json::{Value, json};

use crate::random::Random;

/// Cases for each way of writing a number.
const EACH: usize = 3000;

/// A way of writing a number, with its name in the page's scripts.
type Format<T> = (&'static str, fn(T) -> String);

pub(crate) fn cases(random: &mut Random) -> Vec<Value> {
    let mut cases = Vec::new();
    let whole = whole(random);
    let formats: [Format<u64>; 7] = [
        ("integer", |value| units::integer(value)),
        ("bytes", |value| units::bytes(value)),
        ("count", |value| units::count(value)),
        ("magnitude", |value| units::magnitude(value)),
        ("operations", |value| units::operations(value, "MACs")),
        ("counted", |value| units::counted(value, "node", "nodes")),
        ("gigabytes", units::gigabytes),
    ];
    for (name, write) in formats {
        for value in &whole {
            cases.push(json!({
                "about": "integer", "write": name, "value": value.to_string(), "text": write(*value),
            }));
        }
    }
    let floats = floats(random);
    let formats: [Format<f64>; 3] =
        [("percent", units::percent), ("time", units::time), ("rate", units::rate)];
    for (name, write) in formats {
        for value in &floats {
            cases.push(float_case(name, &[*value], &write(*value)));
        }
    }
    for _ in 0..EACH {
        let [low, expected, high] = [(); 3].map(|()| random.pick(&floats));
        let text = units::time_range(low, expected, high);
        cases.push(float_case("timeRange", &[low, expected, high], &text));
    }
    cases
}

/// A float is passed by its bits: JSON has no infinity, and no number that is not one.
fn float_case(name: &str, values: &[f64], text: &str) -> Value {
    let bits: Vec<String> =
        values.iter().map(|value| format!("{:016x}", value.to_bits())).collect();
    json!({ "about": "float", "write": name, "bits": bits, "text": text })
}

/// Integers of every length, and those at which a unit or a rounding begins.
fn whole(random: &mut Random) -> Vec<u64> {
    let mut list = vec![0, 1, u64::MAX, u64::MAX - 1, 1 << 53, (1 << 53) + 1];
    for power in 0..=19 {
        let unit = 10_u64.pow(power);
        let near = [(1, 1), (1000, 999_995), (1000, 9_995), (200, 201)];
        for (part, times) in near {
            let times = (unit / part).saturating_mul(times);
            list.extend([times.saturating_sub(1), times, times.saturating_add(1)]);
        }
    }
    while list.len() < EACH {
        list.push(random.any_length());
    }
    list
}

/// Floats of every kind: special ones, bounds of formats with their neighbors, halves that lie exactly between two
/// roundings, magnitudes of figures, and any bits at all.
fn floats(random: &mut Random) -> Vec<f64> {
    let mut list = vec![
        0.0,
        -0.0,
        -1.0,
        f64::NAN,
        f64::INFINITY,
        f64::NEG_INFINITY,
        f64::MIN_POSITIVE,
        f64::from_bits(1),
        f64::MAX,
        u64::MAX as f64,
    ];
    let bounds = [
        0.000_95, 0.0095, 0.01, 0.05, 0.0995, 0.995, 1.0, 9.95, 99.5, 99.95, 100.0, 100.01, 999.5,
        9950.0, 1e21, 1e22,
    ];
    for bound in bounds {
        list.extend([f64::next_down(bound), bound, f64::next_up(bound)]);
        list.extend([bound / 1e3, bound * 1e3]);
    }
    for eighth in 0..400 {
        list.push(f64::from(eighth) / 8.0);
        list.push(f64::from(eighth) * 0.125 + 100.0);
        list.push(f64::from(eighth) / 32.0);
        list.push(f64::from(eighth) * 500.0 + 100_500.0);
    }
    while list.len() < EACH {
        let part = f64::from(u32::try_from(random.bits() >> 32).unwrap()) / f64::from(u32::MAX);
        let power = i32::try_from(random.below(24)).unwrap() - 8;
        list.push(match random.below(5) {
            0 => f64::from_bits(random.bits()),
            1 => part * 100.0,
            2 => (part * 10_000.0).round() / 100.0,
            _ => part * 10_f64.powi(power),
        });
    }
    list
}
