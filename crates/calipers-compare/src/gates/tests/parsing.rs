use proptest::prelude::*;

use super::IDS;
use crate::gates::{Gate, GateError};

fn error(text: &str) -> GateError {
    match Gate::parse(text, "here", &IDS) {
        Ok(gate) => panic!("{text}: {gate:?}"),
        Err(error) => error,
    }
}

#[test]
fn spellings_of_one_gate_are_the_same() {
    let condition = |text: &str| Gate::parse(text, "here", &IDS).unwrap().condition;
    for (one, others) in [
        ("macs <= 4.3G", &["MACs<=4.3 GMACs", "macs ≤ 4,300,000,000", "mac <= 4.3e9"][..]),
        ("parameters < 25M", &["params<25_000_000", "PARAMS < 25 M params"]),
        ("file-size <= 1.5GiB", &["size <= 1536MiB", "file_size ≤ 1,610,612,736 bytes"]),
        ("peak-activation >= 1MB", &["peak >= 1000 kB", "peak_memory >= 1M"]),
        ("kv-cache == same", &["KV_Cache = same", "kv cache == SAME"]),
        ("latency@l4 <= 20ms", &["latency @ L4 <= 0.02s", "latency@l4<=20000us"]),
        ("memory@rtx-4090 <= 1GB", &["memory@RTX 4090 <= 1GB"]),
        ("bytes:float32 == 0", &["bytes : FP32 = 0B"]),
        ("macs <= +5%", &["macs<=+5.0%", "macs <= + 5%"]),
        ("macs >= -10%", &["macs >= −10%"]),
        ("macs != same", &["macs ≠ same"]),
        ("quantized-weights >= 90%", &["quantized_weights >= 90%"]),
        (
            "quantized-weights >= -2",
            &["quantized-weights >= -2pp", "quantized-weights >= -2 points"],
        ),
        ("family == bert", &["Family = BERT"]),
        ("task == image-classification", &["task == image classification"]),
        ("metric:accuracy >= 0.5", &["accuracy >= 0.5", "metric : accuracy >= .5"]),
        ("no new error", &["No New Errors", " no  new\terror "]),
        ("no findings", &["no finding"]),
        ("no new graph-cycle", &["no new graph_cycle"]),
        ("weights unchanged", &["weights identical"]),
        ("drop-in", &["drop in", "Drop_In"]),
        ("interface compatible", &["INTERFACE  COMPATIBLE"]),
    ] {
        for other in others {
            assert_eq!(condition(one), condition(other), "{other}");
        }
    }
}

#[test]
fn gates_say_what_they_need() {
    // Expression, device, needs a baseline, needs weights.
    for (text, device, baseline, weights) in [
        ("macs <= 4G", None, false, false),
        ("macs <= +5%", None, true, false),
        ("macs <= +1M", None, true, false),
        ("family == same", None, true, false),
        ("family == bert", None, false, false),
        ("latency@L4 <= 20ms", Some("l4"), false, false),
        ("memory@rtx_4090 <= +0", Some("rtx-4090"), true, false),
        ("bytes:float32 <= 1MB", None, false, false),
        ("no error", None, false, false),
        ("no new error", None, true, false),
        ("interface compatible", None, true, false),
        ("graph unchanged", None, true, false),
        ("drop-in", None, true, false),
        ("weights unchanged", None, true, true),
    ] {
        let gate = Gate::parse(text, "here", &IDS).unwrap();
        assert_eq!(gate.device(), device, "{text}");
        assert_eq!(gate.needs_baseline(), baseline, "{text}");
        assert_eq!(gate.needs_weights(), weights, "{text}");
        assert_eq!(gate.metric(), None, "{text}");
    }
    assert_eq!(Gate::parse("Top-1 >= 76", "here", &[]).unwrap().metric(), Some("Top-1"));
}

#[test]
fn errors_point_at_the_place() {
    // Expression, what is marked, message, hint.
    for (text, marked, message, hint) in [
        ("mcas <= 5G", "mcas", "unknown figure `mcas`", "did you mean `macs`?"),
        ("flops <= 5G", "flops", "unknown figure `flops`", "a MAC is two FLOPs: write `macs`"),
        ("latncy@l4 <= 5ms", "latncy", "unknown figure `latncy`", "did you mean `latency`?"),
        (
            "macs@l4 <= 5G",
            "macs@l4",
            "`macs` takes no device",
            "only `latency` and `memory` depend on a device",
        ),
        ("latency:l4 <= 5ms", "latency:l4", "a device follows `@`", "write `latency@l4`"),
        ("latency@ <= 5ms", "", "expected a device after `@`", ""),
        (
            "bytes <= 5MB",
            "bytes",
            "`bytes` needs a type",
            "write `bytes:float32`, `weights` or `file-size`",
        ),
        ("bytes:flaot32 <= 5MB", "flaot32", "unknown type `flaot32`", "did you mean `float32`?"),
        ("metric <= 5", "metric", "`metric` needs the name of a metric", "write `metric:accuracy`"),
        (
            "macs <= 5%",
            "5%",
            "a change in percent needs a sign",
            "write `+5%` for a change from the baseline",
        ),
        (
            "macs <= 5 GFLOPs",
            "GFLOPs",
            "MACs are not counted in FLOPs",
            "a MAC is two FLOPs: write half the number in MACs",
        ),
        ("macs <= 5 XB", "XB", "unknown unit `XB`", "use `k`, `M`, `G` or `T`"),
        (
            "size <= 5 ms",
            "ms",
            "unknown unit `ms`",
            "use `kB`, `MB`, `GB`, `TB`, `KiB`, `MiB` or `GiB`",
        ),
        ("latency@l4 <= 20", "20", "a time must have a unit", "write `20ms`"),
        ("latency@l4 <= 20MB", "MB", "unknown unit `MB`", "use `us`, `ms` or `s`"),
        (
            "macs <= 1,5G",
            "1,5G",
            "`,` must separate groups of three digits; write 1.5 for a fraction",
            "",
        ),
        ("macs <= 1e400", "1e400", "the number is too large", ""),
        ("macs <= 99EB", "EB", "unknown unit `EB`", "use `k`, `M`, `G` or `T`"),
        ("size <= 99EB", "99EB", "the number is too large", ""),
        (
            "macs <= +1e10%",
            "+1e10%",
            "a change must be at most 1000000000%, with 6 decimals or fewer",
            "",
        ),
        (
            "macs <= +0.0000001%",
            "+0.0000001%",
            "a change must be at most 1000000000%, with 6 decimals or fewer",
            "",
        ),
        ("macs <= -101%", "-101%", "a figure cannot fall by more than 100%", ""),
        (
            "macs <= many",
            "many",
            "`many` is not a bound",
            "write a number such as `4.3G` or a change such as `+5%`",
        ),
        (
            "macs <= NaN",
            "NaN",
            "`NaN` is not a bound",
            "write a number such as `4.3G` or a change such as `+5%`",
        ),
        (
            "macs <=",
            "",
            "expected a bound after `<=`",
            "write a number such as `4.3G` or a change such as `+5%`",
        ),
        ("<= 5G", "", "expected a figure before `<=`", "write `macs <= +5%`"),
        ("macs =< 5G", "=<", "unknown operator `=<`", "did you mean `<=`?"),
        (
            "macs <== 5G",
            "<==",
            "unknown operator `<==`",
            "use one of `<=`, `<`, `>=`, `>`, `==`, `!=`",
        ),
        ("macs <= same", "same", "`same` takes `==` or `!=`, not `<=`", "write `macs <= +0`"),
        ("macs 5G", "5G", "expected an operator after `macs`", "write `macs <= 5G`"),
        ("latency@l4", "", "expected an operator after `latency@l4`", "write `latency@l4 <= +5%`"),
        ("family <= bert", "<=", "`family` has no order", "use `==` or `!=`"),
        ("family == berrt", "berrt", "unknown family `berrt`", "did you mean `bert`?"),
        ("task == zzzzzzzz", "zzzzzzzz", "unknown task `zzzzzzzz`", "write `same` or an id"),
        (
            "quantization == qdq-int",
            "qdq-int",
            "unknown quantization `qdq-int`",
            "did you mean `qdq-int8`?",
        ),
        (
            "interface == compatible",
            "interface",
            "unknown figure `interface`",
            "write `interface compatible`",
        ),
        ("interface", "", "expected `compatible`", ""),
        (
            "interface compatble",
            "compatble",
            "expected `compatible`, found `compatble`",
            "did you mean `compatible`?",
        ),
        ("no new", "", "expected `error`, `warning`, `finding` or an id", "write `no new error`"),
        ("no new eror", "eror", "unknown finding `eror`", "did you mean `error`?"),
        (
            "no graph-cycel",
            "graph-cycel",
            "unknown finding `graph-cycel`",
            "did you mean `graph-cycle`?",
        ),
        ("no error at all", "at", "`at` is too much", ""),
        (
            "interfaec compatible",
            "interfaec",
            "unknown gate `interfaec`",
            "did you mean `interface`?",
        ),
        ("fits@l4", "fits@l4", "unknown gate `fits@l4`", "write `memory@DEVICE <= 24GB`"),
        ("", "", "the gate is empty", "write `macs <= +5%` or `no new error`"),
        ("ma\u{7}cs <= 5", "\u{7}", "characters must be printable", ""),
        ("ma*cs <= 5", "*", "`*` is not part of a name", ""),
        ("accuracy >= 5ms", "ms", "unknown unit `ms`", "a metric has no unit"),
    ] {
        let error = error(text);
        assert_eq!(&error.expression[error.at.clone()], marked, "{text}");
        assert_eq!(error.message, message, "{text}");
        assert_eq!(error.hint.as_deref().unwrap_or_default(), hint, "{text}");
    }
}

#[test]
fn the_pointer_is_beneath_the_place() {
    for (text, pointer) in [
        ("macs <= 5 XB", "macs <= 5 XB\n          ^^"),
        ("macs <=", "macs <=\n       ^"),
        // Two columns per character before the place.
        ("模型 <= 5 XB", "模型 <= 5 XB\n          ^^"),
        ("ma\u{1b}cs", "ma\u{fffd}cs\n  ^"),
        ("no\tnew eror", "no new eror\n       ^^^^"),
    ] {
        assert_eq!(error(text).pointer(), pointer, "{text:?}");
    }
    assert_eq!(
        error("mcas <= 5G").to_string(),
        "gate `mcas <= 5G`: unknown figure `mcas`; did you mean `macs`?"
    );
}

#[test]
fn long_expressions_are_refused() {
    let error = error(&"é".repeat(5000));
    assert_eq!(error.expression.len(), 400);
    assert_eq!(error.message, "the expression is longer than 400 bytes");
}

/// Parts of expressions, so that many are nearly right.
fn nearly_right() -> impl Strategy<Value = String> {
    let part = prop_oneof![
        Just("macs"),
        Just("latency@"),
        Just("l4"),
        Just("bytes:"),
        Just("metric:"),
        Just("family"),
        Just("no"),
        Just("new"),
        Just("error"),
        Just("interface"),
        Just("compatible"),
        Just(" "),
        Just("<="),
        Just("≤"),
        Just("=="),
        Just("!"),
        Just("+"),
        Just("-"),
        Just("−"),
        Just("%"),
        Just("5"),
        Just("1e"),
        Just("9999999999999999999"),
        Just("."),
        Just(","),
        Just("_"),
        Just("GMACs"),
        Just("MiB"),
        Just("µs"),
        Just("same"),
        Just("é"),
        Just("\u{202e}"),
    ];
    proptest::collection::vec(part, 0..8).prop_map(|parts| parts.concat())
}

proptest! {
    #[test]
    fn any_text_is_a_gate_or_an_error_with_a_place(
        text in prop_oneof!["\\PC*", any::<String>(), nearly_right()],
    ) {
        match Gate::parse(&text, "here", &IDS) {
            Ok(gate) => {
                // What is shown can be parsed again.
                let again = Gate::parse(&gate.to_string(), "here", &IDS).unwrap();
                prop_assert_eq!(&again, &gate);
                let _ = gate.judge(&calipers_report::Comparison::default());
            }
            Err(error) => {
                prop_assert!(error.expression.get(error.at.clone()).is_some(), "{error:?}");
                prop_assert!(text.starts_with(&error.expression));
                prop_assert_eq!(error.pointer().lines().count(), 2);
                prop_assert!(!error.to_string().contains(char::is_control));
            }
        }
    }
}
