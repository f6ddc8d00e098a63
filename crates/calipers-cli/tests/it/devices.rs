//! `calipers devices`: the table, one device, this machine, a user's file.

use serde_json::Value;

use super::{run, run_in, width};

calipers_testkit::tests! {
    test: [
        all_devices_are_listed_under_their_classes,
        filters_hold_together,
        one_device_is_shown_in_full,
        this_machine_is_described,
        a_users_devices_are_next_to_ours,
        a_bad_device_file_is_reported_where_and_why,
        errors_state_what_is_expected,
    ];
}

const MINE: &str = r#"
[[device]]
id = "my-card"
name = "My card"
vendor = "acme"
class = "gpu-consumer"
architecture = "Ada Lovelace"
memory_gb = 12
bandwidth_gb_s = 504.2
peaks = { fp32 = 29.1, fp16 = 58.3 }
evidence = "measured"
source = "my own bench"
"#;

fn json(args: &[&str]) -> Value {
    let args = [&["devices", "--format", "json"], args].concat();
    serde_json::from_str(&run(&args).succeeded()).unwrap()
}

fn ids(table: &Value) -> Vec<&str> {
    let devices = table["devices"].as_array().unwrap();
    devices.iter().map(|device| device["id"].as_str().unwrap()).collect()
}

fn all_devices_are_listed_under_their_classes() {
    let screen = run(&["devices"]).succeeded();
    assert!(screen.lines().next().unwrap().contains("memory GB"), "{screen}");
    for word in ["gpu-datacenter", "gpu-consumer", "edge-module", "soc", "npu", "tpu", "cpu"] {
        assert!(screen.lines().any(|line| line.trim() == word), "{word}");
    }
    assert!(screen.contains("73 devices"), "{screen}");
    assert!(width(&screen) <= 100);
    assert_eq!(ids(&json(&[])).len(), 73);
}

fn filters_hold_together() {
    let table = json(&["--class", "gpu-consumer", "--vendor", "NVIDIA", "--min-memory", "24"]);
    assert_eq!(ids(&table), ["rtx-3090", "rtx-4090", "rtx-5090"]);
    assert_eq!(table["unknown_memory"], 0);
    let screen = run(&["devices", "--vendor", "intel", "--min-memory", "2000"]).succeeded();
    assert!(screen.contains("no device matches"), "{screen}");
    assert!(screen.contains("2 devices left out: their memory is unknown"), "{screen}");
}

fn one_device_is_shown_in_full() {
    for name in ["rtx-4090", "RTX 4090", "NVIDIA GeForce RTX 4090"] {
        let sheet = json(&[name]);
        assert_eq!(sheet["device"]["id"], "rtx-4090");
        assert_eq!(sheet["device"]["peaks"]["fp16"], 165.2);
        assert_eq!(sheet["precisions"][7]["peak"]["precision_used"], "fp8");
    }
    let screen = run(&["devices", "h100-sxm"]).succeeded();
    for part in ["989.5 TFLOPS", "3,350 GB/s", "700 W", "datasheet", "extrapolated from"] {
        assert!(screen.contains(part), "{part}: {screen}");
    }
    let csv = run(&["devices", "h100-sxm", "--format", "csv"]).succeeded();
    let lines: Vec<&str> = csv.lines().collect();
    assert_eq!(lines.len(), 2);
    assert!(lines[0].starts_with("id,name,vendor,class,architecture,memory_gb,"));
    assert!(
        lines[1].starts_with("h100-sxm,NVIDIA H100 SXM5 80 GB,nvidia,gpu-datacenter,Hopper,80,")
    );
}

fn this_machine_is_described() {
    let sheet = json(&["auto"]);
    let found = sheet["found"].as_array().unwrap();
    assert!(found.len() >= 2, "{found:?}");
    assert!(sheet["device"]["memory_gb"].as_f64().unwrap() > 0.1);
    assert!(run(&["devices", "auto"]).succeeded().contains("Detected"));
}

fn a_users_devices_are_next_to_ours() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("mine.toml"), MINE).unwrap();
    let args = ["devices", "--device-file", "mine.toml", "--vendor", "acme"];
    let screen = run_in(folder.path(), &args).succeeded();
    assert!(screen.contains("my-card") && screen.contains("1 device;"), "{screen}");
    let args = ["devices", "my-card", "--device-file", "mine.toml"];
    assert!(run_in(folder.path(), &args).succeeded().contains("my own bench"));
}

fn a_bad_device_file_is_reported_where_and_why() {
    let folder = tempfile::tempdir().unwrap();
    for (text, message) in [
        (
            MINE.replace("memory_gb", "memroy_gb"),
            "error: cannot use mine.toml: line 8, column 1: unknown field \"memroy_gb\" in device \
             \"my-card\"\nhint: did you mean \"memory_gb\"?\n",
        ),
        (
            MINE.replace("504.2", "-1"),
            "error: cannot use mine.toml: line 9, column 18: \"bandwidth_gb_s\" is -1, and must be \
             above 0 and at most 1000000 in device \"my-card\"\nhint: the figure is in GB/s (10^9 \
             bytes per second)\n",
        ),
    ] {
        std::fs::write(folder.path().join("mine.toml"), text).unwrap();
        let run = run_in(folder.path(), &["devices", "--device-file", "mine.toml"]);
        assert_eq!(run.failed(2), message);
    }
    let message = run(&["devices", "--device-file", "no-such.toml"]).failed(2);
    assert_eq!(message, "error: cannot use no-such.toml: no such file\n");
}

fn errors_state_what_is_expected() {
    for (args, parts) in [
        (
            &["devices", "hailo"][..],
            ["unknown device \"hailo\"", "did you mean `hailo-10h`, `hailo-8` or `hailo-8l`?"],
        ),
        (&["devices", "--vendor", "nvdia"], ["\"nvdia\"", "expected one of amd, apple,"]),
        (&["devices", "--class", "gpu"], ["gpu-datacenter", "possible values"]),
        (&["devices", "--min-memory", "nan"], ["must be a number of GB > 0", "nan"]),
        (&["devices", "l4", "--vendor", "nvidia"], ["cannot be used with", "--vendor"]),
    ] {
        let message = run(args).failed(2);
        for part in parts {
            assert!(message.contains(part), "{part}: {message}");
        }
    }
}
