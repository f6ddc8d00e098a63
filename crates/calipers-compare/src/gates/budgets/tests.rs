use calipers_report::Comparison;
use proptest::prelude::*;

use super::*;

const IDS: [&str; 2] = ["graph-cycle", "unused-opset"];

const FILE: &str = r#"
[defaults]
gates = ["interface compatible", "no new error"]
devices = ["l4"]

[[model]]
path = "models/*.onnx"
baseline = "baselines/{stem}.json"
gates = [
  "macs <= +5%",
  "latency@h100 <= 20ms",
]
dims = { batch = 1, seq = 128 }

[[model]]
path = "models/**/bert*.onnx"
baseline = "../old/{name}"
gates = ["no new error", "parameters <= 110M"]
dims = { batch = 8 }
"#;

fn budgets() -> Budgets {
    Budgets::parse(FILE, "calipers.toml", &IDS).unwrap()
}

fn expressions(budget: &Budget) -> Vec<&str> {
    budget.gates.iter().map(Gate::expression).collect()
}

fn dims(pairs: &[(&str, i64)]) -> BTreeMap<String, i64> {
    pairs.iter().map(|(name, size)| ((*name).to_owned(), *size)).collect()
}

#[test]
fn sections_that_match_add_up() {
    let budgets = budgets();
    let both = budgets.for_model("models/bert-base.onnx");
    assert_eq!(
        expressions(&both),
        [
            "interface compatible",
            "no new error",
            "macs <= +5%",
            "latency@h100 <= 20ms",
            "parameters <= 110M"
        ]
    );
    assert_eq!(both.baseline.as_deref(), Some("../old/bert-base.onnx"));
    assert_eq!(both.devices, ["l4", "h100"]);
    assert_eq!(both.dims, dims(&[("batch", 8), ("seq", 128)]));

    let first = budgets.for_model("./models/resnet50.onnx");
    assert_eq!(first.baseline.as_deref(), Some("baselines/resnet50.json"));
    assert_eq!(first.dims, dims(&[("batch", 1), ("seq", 128)]));

    let second = budgets.for_model(r"models\nlp\bert.onnx");
    assert_eq!(
        expressions(&second),
        ["interface compatible", "no new error", "parameters <= 110M"]
    );

    let none = budgets.for_model("other.onnx");
    assert_eq!(expressions(&none), ["interface compatible", "no new error"]);
    assert!(!budgets.names("other.onnx") && budgets.names("models/x.onnx"));
    assert_eq!(budgets.patterns().collect::<Vec<_>>(), ["models/*.onnx", "models/**/bert*.onnx"]);
}

#[test]
fn gates_know_their_line() {
    let budget = budgets().for_model("models/resnet50.onnx");
    let sources: Vec<String> =
        budget.gates.iter().map(|gate| gate.judge(&Comparison::default()).source).collect();
    assert_eq!(
        sources,
        ["calipers.toml:3", "calipers.toml:3", "calipers.toml:10", "calipers.toml:11"]
    );
}

#[test]
fn an_empty_file_allows_everything() {
    assert_eq!(Budgets::parse("", "f", &[]).unwrap().for_model("x.onnx"), Budget::default());
}

#[test]
fn names_of_models_are_not_placeholders() {
    for (path, filled_in) in [
        ("a/{name}.onnx", "b/{name}.json"),
        ("archive.tar.gz", "b/archive.tar.json"),
        (".onnx", "b/.onnx.json"),
        ("plain", "b/plain.json"),
    ] {
        assert_eq!(filled("b/{stem}.json", path), filled_in, "{path}");
    }
}

#[test]
fn errors_name_the_place() {
    for (text, error) in [
        (
            "[[model]]\ngates = []",
            "f:1:1: the section needs the key \"path\"; write path = \"models/*.onnx\"",
        ),
        (
            "[[model]]\npath = 'x'\ngate = []",
            "f:3:1: unknown key \"gate\"; did you mean \"gates\"?",
        ),
        ("[default]\n", "f:1:2: unknown key \"default\"; did you mean \"defaults\"?"),
        (
            "[defaults]\nzzzz = 1",
            "f:2:1: unknown key \"zzzz\"; expected gates, baseline, devices, dims",
        ),
        ("[defaults]\ngates = 'x'", "f:2:9: invalid type: string \"x\", expected a sequence"),
        (
            "[defaults]\ngates = ['macs <= 5%']",
            "f:2:19: a change in percent needs a sign in the gate \"macs <= 5%\"; write `+5%` for a change from the baseline",
        ),
        (
            "[defaults]\ngates = ['no graph-cylce']",
            "f:2:14: unknown finding `graph-cylce` in the gate \"no graph-cylce\"; did you mean `graph-cycle`?",
        ),
        ("[defaults]\ndims = { batch = 0 }", "f:2:18: a size must be an integer >= 1"),
        (
            "[defaults]\ndevices = ['']",
            "f:2:12: a device must have an id; write an id such as \"l4\"",
        ),
        (
            "[defaults]\nbaseline = '/x.json'",
            "f:2:12: baseline must be relative to the file; write models/resnet50.onnx",
        ),
        (
            "[defaults]\nbaseline = 'C:/x.json'",
            "f:2:12: baseline must be relative to the file; write models/resnet50.onnx",
        ),
        (
            "[defaults]\nbaseline = '{stm}.json'",
            "f:2:12: unknown placeholder {stm} in baseline; use {stem} or {name}, the model's file name without and with its ending",
        ),
        ("[[model]]\npath = 'a\\b'", "f:2:8: path must have forward slashes"),
        ("[[model]]\npath = ''", "f:2:8: path must not be empty"),
        (
            "[[model]]\npath = 'a['",
            "f:2:8: path is not a glob: unclosed character class; missing ']'",
        ),
    ] {
        let found = Budgets::parse(text, "f", &IDS).unwrap_err();
        assert_eq!(found.to_string(), error, "{text}");
    }
    let error = Budgets::parse("defaults = ", "f", &IDS).unwrap_err();
    assert_eq!((error.line, error.column), (1, 12), "{error}");
}

#[test]
fn an_exclamation_mark_is_itself() {
    let budgets = Budgets::parse("[[model]]\npath = '!{a,b}/*.onnx'", "f", &IDS).unwrap();
    assert!(budgets.names("!a/m.onnx") && !budgets.names("c/m.onnx") && !budgets.names("a/m.onnx"));
    assert_eq!(budgets.patterns().collect::<Vec<_>>(), ["!{a,b}/*.onnx"]);
}

#[test]
fn hostile_files_are_refused() {
    let deep = format!("[[model]]\npath = '{}x{}'", "{".repeat(400), "}".repeat(400));
    let nested = format!("a = {}", "[".repeat(100_000));
    let long = format!("[[model]]\npath = '{}'", "x".repeat(2000));
    let many = "[[model]]\npath = 'x'\n".repeat(1001);
    for text in [deep, nested, long, many, "#".repeat(MAX_BYTES + 1)] {
        assert!(Budgets::parse(&text, "f", &[]).is_err());
    }
    // The most groups that are allowed can be compiled.
    let deepest = format!("[[model]]\npath = '{}x{}'", "{".repeat(10), "}".repeat(10));
    assert!(Budgets::parse(&deepest, "f", &[]).is_ok());
}

proptest! {
    #[test]
    fn any_text_is_read_or_refused(text in "\\PC*", path in "\\PC{0,20}") {
        let _ = Budgets::parse(&text, "f", &IDS);
        let file = format!("[[model]]\npath = {path:?}\nbaseline = {path:?}\ngates = [{text:?}]");
        if let Ok(budgets) = Budgets::parse(&file, "f", &IDS) {
            let _ = budgets.for_model(&path);
        }
    }
}
