//! Device files that are good, bad and mutilated.

use proptest::prelude::*;

use super::*;

const GOOD: &str = r#"[[device]]
id = "mine"
name = "My card"
vendor = "NVIDIA"
class = "gpu-consumer"
architecture = "Ada Lovelace"
memory_gb = 12
bandwidth_gb_s = 504.2
peaks = { fp32 = 29.1, fp16 = 58.3, int8 = 233 }
units = 46
clock_mhz = 2_475
evidence = "measured"
source = "my own bench"
"#;

/// The good file with one line replaced.
fn with(line: &str, instead: &str) -> String {
    assert!(GOOD.contains(line), "{line}");
    GOOD.replace(line, instead)
}

fn complaint(text: &str) -> String {
    parse(text).expect_err(text).to_string()
}

#[test]
fn a_good_file_is_read() {
    let devices = parse(GOOD).unwrap();
    let [device] = &devices[..] else { panic!("{devices:?}") };
    assert_eq!((&*device.id, &*device.vendor, device.units), ("mine", "nvidia", Some(46)));
    assert_eq!(device.clock_mhz, Some(2475.0));
    assert_eq!(device.peak(Precision::Int8), Some(233e12));
    assert_eq!(device.peak(Precision::Bf16), None);
    assert_eq!(device.evidence, Evidence::Measured);
}

#[test]
fn a_mandatory_field_is_missed_by_name() {
    for field in ["id", "name", "vendor", "class", "architecture", "evidence", "source"] {
        let text: Vec<&str> =
            GOOD.lines().filter(|line| !line.starts_with(&format!("{field} ="))).collect();
        let message = complaint(&text.join("\n"));
        let expected = format!("line 1, column 1: the field \"{field}\" is missing");
        assert!(message.starts_with(&expected), "{message}");
    }
}

#[test]
fn complaints_name_place_field_and_remedy() {
    for (text, message, hint) in [
        (
            with("memory_gb = 12", "memroy_gb = 12"),
            "line 7, column 1: unknown field \"memroy_gb\" in device \"mine\"",
            "did you mean \"memory_gb\"?",
        ),
        (
            with("fp16 = 58.3", "fp61 = 58.3"),
            "line 9, column 24: unknown field \"fp61\" in device \"mine\"",
            "did you mean \"fp16\"?",
        ),
        (
            with("memory_gb = 12", "memory_gb = -12"),
            "line 7, column 13: \"memory_gb\" is -12, and must be above 0 and at most 1000000 in \
             device \"mine\"",
            "the figure is in GB (10^9 bytes)",
        ),
        (
            with("bandwidth_gb_s = 504.2", "bandwidth_gb_s = 504.2e9"),
            "line 8, column 18: \"bandwidth_gb_s\" is 504.2e9, and must be above 0 and at most \
             1000000 in device \"mine\"",
            "the figure is in GB/s (10^9 bytes per second)",
        ),
        (
            with("gpu-consumer", "gpu"),
            "line 5, column 9: unknown class \"gpu\" in device \"mine\"",
            "there are gpu-datacenter, gpu-consumer, edge-module, soc, npu, tpu, cpu",
        ),
        (
            with("\"measured\"", "\"mesured\""),
            "line 12, column 12: unknown evidence \"mesured\" in device \"mine\"",
            "did you mean \"measured\"?",
        ),
        (
            "[[devices]]\nid = 'x'".to_owned(),
            "line 1, column 3: unknown field \"devices\"",
            "did you mean \"device\"?",
        ),
        (
            String::new(),
            "the file holds no device",
            "each device is a stanza that begins with [[device]]",
        ),
        (
            with("memory_gb = 12", "memory_gb = 12\non_chip = { rule = 'none' }"),
            "line 8, column 11: \"memory_gb\" and \"on_chip\" exclude each other in device \"mine\"",
            "leave out one of them",
        ),
        (
            with("\"measured\"", "\"estimated\""),
            "line 12, column 12: the field \"derivation\" is missing in device \"mine\"",
            "an estimate states its arithmetic: cores x lanes x clock",
        ),
    ] {
        let error = parse(&text).expect_err(&text);
        assert_eq!(error.to_string(), message);
        assert_eq!(error.hint().as_deref(), Some(hint), "{message}");
    }
}

#[test]
fn wrong_types_name_the_key_and_what_was_found() {
    for (text, expected) in [
        (
            with("memory_gb = 12", "memory_gb = '12'"),
            "line 7, column 13: \"memory_gb\" must be a number, not string \"12\" in device \"mine\"",
        ),
        (
            with("fp16 = 58.3", "fp16 = true"),
            "line 9, column 31: \"fp16\" must be a number, not boolean `true` in device \"mine\"",
        ),
        (
            format!("{GOOD}detect_as = ['a', 1]"),
            "line 14, column 19: \"detect_as\" must be a string, not integer `1` in device \"mine\"",
        ),
        (
            format!("{GOOD}launch = 3"),
            "line 14, column 10: \"launch\" must be a table, not integer `3` in device \"mine\"",
        ),
        (
            format!("{GOOD}dense_checked = 'yes'"),
            "line 14, column 17: \"dense_checked\" must be a boolean, not string \"yes\" in device \"mine\"",
        ),
        (
            format!("{GOOD}launch = {{ device = 3 }}"),
            "line 14, column 12: unknown field \"device\" in device \"mine\"",
        ),
        (
            with("memory_gb = 12", "on_chip = { memory_mb = 8 }"),
            "line 7, column 11: the field \"rule\" is missing in device \"mine\"",
        ),
        (
            "device = 3".to_owned(),
            "line 1, column 10: \"device\" must be a sequence, not integer `3`",
        ),
    ] {
        assert_eq!(complaint(&text), expected);
    }
    // The second of two stanzas is the one at fault.
    let second = GOOD.replace("\"mine\"", "\"yours\"").replace("units = 46", "unit = 46");
    let message = complaint(&format!("{GOOD}\n{second}"));
    assert_eq!(message, "line 24, column 1: unknown field \"unit\" in device \"yours\"");
}

#[test]
fn no_figure_is_zero_negative_infinite_or_not_a_number() {
    for field in ["memory_gb = 12", "bandwidth_gb_s = 504.2", "units = 46", "clock_mhz = 2_475"] {
        let name = field.split(' ').next().unwrap();
        for value in
            ["0", "0.0", "-0.0", "-1", "inf", "+inf", "-inf", "nan", "-nan", "1e309", "1e-320"]
        {
            let message = complaint(&with(field, &format!("{name} = {value}")));
            assert!(message.contains(&format!("\"{name}\" is ")), "{value}: {message}");
        }
        for value in ["'12'", "true", "[12]", "{}", "1979-05-27"] {
            let message = complaint(&with(field, &format!("{name} = {value}")));
            assert!(message.contains("must be a number, not"), "{value}: {message}");
        }
    }
    assert!(complaint(&with("units = 46", "units = 1.5")).contains("a whole number"));
    assert!(complaint(&with("fp16 = 58.3", "fp16 = 0")).contains("\"fp16\" is 0"));
    let huge = with("units = 46", "units = 99999999999999999999");
    assert!(complaint(&huge).contains("units"), "{}", complaint(&huge));
}

#[test]
fn a_peak_that_looks_sparse_is_refused_unless_it_was_looked_into() {
    // 46 × 2475 MHz × 512 = 58.3 TFLOPS; × 2048 = 233.2 TOPS.
    for (dense, twice, derived) in
        [("fp16 = 58.3", "fp16 = 116.6", "58.2"), ("int8 = 233", "int8 = 466", "233.1")]
    {
        let text = with(dense, twice);
        let error = parse(&text).unwrap_err();
        assert!(error.to_string().contains("looks sparse"), "{error}");
        assert!(error.to_string().contains(&format!("rate is {derived}")), "{error}");
        assert!(error.hint().unwrap().contains("dense_checked = true"));
        assert!(parse(&format!("{text}dense_checked = true\n")).is_ok());
    }
    // Without units there is nothing to compare with.
    assert!(parse(&with("int8 = 233", "int8 = 466").replace("units = 46\n", "")).is_ok());
}

#[test]
fn an_id_is_once_and_can_be_typed() {
    let message = complaint(&format!("{GOOD}\n{GOOD}"));
    assert_eq!(message, "line 16, column 6: this id is already on line 2, in device \"mine\"");
    for id in ["", "My Card", "auto", "all", "-x", "ä", "a/b", "x\\u001b", &"x".repeat(61)] {
        let message = complaint(&with("\"mine\"", &format!("\"{id}\"")));
        assert!(message.starts_with("line 2, column 6: \"id\" must be lower-case"), "{message}");
        assert!(message.len() < 200);
    }
}

#[test]
fn words_are_bounded_and_there() {
    for (line, field) in [("\"My card\"", "name"), ("\"my own bench\"", "source")] {
        for text in ["", "  ", &"x".repeat(5000)] {
            let message = complaint(&with(line, &format!("\"{text}\"")));
            assert!(message.contains(&format!("\"{field}\" must be words")), "{message}");
        }
    }
    let names = (0..17).map(|i| format!("'n{i}'")).collect::<Vec<_>>().join(",");
    let message = complaint(&format!("{GOOD}detect_as = [{names}]"));
    assert!(message.contains("a few names"), "{message}");
}

#[test]
fn what_is_no_device_file_is_refused() {
    for text in ["device = 1", "device = []", "[device]\nid = 'x'", "device = [1]"] {
        complaint(text);
    }
    let message = complaint("id = = 3");
    assert!(message.starts_with("line 1, column 6: this is not TOML: "), "{message}");
    let message = complaint(&"#".repeat(2 << 20));
    assert_eq!(message, "the file has more than 1048576 bytes");
    let deep = format!("device = {}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(complaint(&deep).contains("not TOML"));
    assert_eq!(load(Path::new("no/such/file")).unwrap_err().to_string(), "no such file");
    assert_eq!(load(Path::new(".")).unwrap_err().to_string(), "it is a folder");
}

/// Pieces that mean something to TOML or to us.
const PIECES: [&str; 24] = [
    "[[device]]",
    "[",
    "]",
    "{",
    "}",
    "=",
    "\"",
    "'",
    "\n",
    "\"\"\"",
    "#",
    ".",
    ",",
    "-",
    "inf",
    "nan",
    "1e400",
    "0x7fffffffffffffff",
    "true",
    "id",
    "peaks",
    "\\u{0}",
    "é",
    "on_chip",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    #[test]
    fn mutated_files_are_read_or_refused(
        edits in prop::collection::vec((0_usize..400, 0_usize..12, 0..PIECES.len()), 1..8),
    ) {
        let mut text: Vec<char> = GOOD.chars().collect();
        for (at, removed, piece) in edits {
            let at = at.min(text.len());
            let end = (at + removed).min(text.len());
            text.splice(at..end, PIECES[piece].chars());
        }
        let text: String = text.into_iter().collect();
        match parse(&text) {
            Ok(devices) => {
                for device in devices {
                    prop_assert!(device.peaks.values().all(|peak| peak.is_normal() && *peak > 0.0));
                    prop_assert!(device.memory_bytes() != Some(0));
                }
            }
            Err(error) => {
                let lines = text.lines().count() + 1;
                prop_assert!(error.place.is_none_or(|place| place.line <= lines && place.column > 0));
                prop_assert!(!error.to_string().is_empty());
                let _ = error.hint();
            }
        }
    }

    #[test]
    fn any_text_is_read_or_refused(text in ".{0,200}") {
        let _ = parse(&text);
    }
}
