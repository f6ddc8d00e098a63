//! What the command says of itself: schema, completions, man pages, help, version.

use serde_json::Value;

use super::{folder_with_model, run, run_in};

calipers_testkit::tests! {
    test: [
        the_schema_is_json,
        the_changelog_lists_the_renamed_fields,
        every_table_has_its_schema,
        every_shell_is_completed,
        every_command_has_a_man_page,
        help_has_examples_and_exit_statuses,
        the_version_is_that_of_the_package,
    ];
}

fn the_changelog_lists_the_renamed_fields() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let changelog = std::fs::read_to_string(root.join("CHANGELOG.md")).unwrap();
    let schema: Value = serde_json::from_str(&run(&["schema"]).succeeded()).unwrap();
    for (old, new) in calipers_report::RENAMED {
        assert!(changelog.contains(&format!("| `{old}` | `{new}` |")), "{old}");
        assert_eq!(schema["x-renamed-in-2.0"][*old], *new);
    }
}

/// The subcommands that `--help` lists.
fn subcommands() -> Vec<String> {
    let help = run(&["--help"]).succeeded();
    let list = help.lines().skip_while(|line| *line != "Commands:").skip(1);
    let list = list.take_while(|line| !line.is_empty());
    let names: Vec<String> = list
        .filter(|line| line.starts_with("  ") && !line.starts_with("   "))
        .filter_map(|line| line.split_whitespace().next().map(str::to_owned))
        .filter(|name| name != "help")
        .collect();
    assert!(names.len() >= 16, "{names:?}");
    names
}

fn the_schema_is_json() {
    let text = run(&["schema"]).succeeded();
    let schema: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(Some(&schema), calipers_schema::document("inspect").as_ref());
    assert!(schema["properties"]["parameters"].is_object());
    assert!(text.ends_with("}\n"));
}

/// Keys of an object that its schema lacks, and required ones that it lacks itself, throughout.
fn disagreements(
    value: &Value,
    schema: &Value,
    root: &Value,
    place: &str,
    found: &mut Vec<String>,
) {
    let schema = match schema["$ref"].as_str() {
        Some(path) => root.pointer(path.trim_start_matches('#')).unwrap(),
        None => schema,
    };
    // Of a choice, the part that is for this kind of value.
    if let Some(choices) = schema["anyOf"].as_array() {
        let parts = choices.iter().filter(|part| part["type"] != "null");
        return parts.for_each(|part| disagreements(value, part, root, place, found));
    }
    match value {
        Value::Object(fields) if schema["properties"].is_object() => {
            for (key, field) in fields {
                let place = format!("{place}.{key}");
                match schema["properties"].get(key) {
                    Some(part) => disagreements(field, part, root, &place, found),
                    None => found.push(place),
                }
            }
            let required = schema["required"].as_array().into_iter().flatten();
            let missing = required.filter(|key| !fields.contains_key(key.as_str().unwrap()));
            found.extend(missing.map(|key| format!("{place} lacks {key}")));
        }
        Value::Object(fields) if schema["additionalProperties"].is_object() => {
            for (key, field) in fields {
                let place = format!("{place}.{key}");
                disagreements(field, &schema["additionalProperties"], root, &place, found);
            }
        }
        Value::Array(items) => {
            for item in items {
                disagreements(item, &schema["items"], root, place, found);
            }
        }
        _ => {}
    }
}

fn every_table_has_its_schema() {
    let folder = folder_with_model();
    for (subcommand, section, args) in [
        ("inspect", "parameters", &[][..]),
        ("hardware", "devices", &["--device", "l4", "--target-latency", "1s"]),
        ("check", "findings", &[]),
        ("layers", "layers", &[]),
        ("layers", "scopes", &["--tree"]),
        ("sweep", "points", &["--dim", "batch=1,8"]),
        ("shapes", "values", &[]),
    ] {
        let schema = run(&["schema", subcommand]).succeeded();
        let schema: Value = serde_json::from_str(&schema).unwrap();
        assert!(schema["properties"][section].is_object(), "{subcommand} lacks {section}");
        let args = [&[subcommand, "digits.onnx", "--format", "json"], args].concat();
        let written: Value =
            serde_json::from_str(&run_in(folder.path(), &args).succeeded()).unwrap();
        assert!(written[section].as_array().is_none_or(|rows| !rows.is_empty()), "{subcommand}");
        let mut found = Vec::new();
        disagreements(&written, &schema, &schema, subcommand, &mut found);
        assert!(found.is_empty(), "{found:?}");
    }
    assert!(run(&["schema", "demo"]).failed(2).contains("possible values"));
}

fn every_shell_is_completed() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = run(&["completions", shell]).succeeded();
        for subcommand in subcommands() {
            assert!(script.contains(&subcommand), "{shell} lacks {subcommand}");
        }
    }
}

fn every_command_has_a_man_page() {
    let main = run(&["man"]).succeeded();
    assert!(main.contains(".TH calipers 1"), "{main}");
    for section in ["NAME", "SYNOPSIS", "OPTIONS", "\"EXAMPLES\"", "\"EXIT STATUS\""] {
        assert!(main.contains(&format!(".SH {section}\n")), "no {section}");
    }
    for subcommand in subcommands() {
        assert!(
            main.contains(&format!("calipers\\-{subcommand}(1)")),
            "{subcommand} is not mentioned"
        );
        let page = run(&["man", &subcommand]).succeeded();
        assert!(page.contains(&format!(".TH calipers-{subcommand} 1")), "{page}");
    }
    assert!(run(&["man", "nonsense"]).failed(2).contains("unknown command 'nonsense'"));
}

fn help_has_examples_and_exit_statuses() {
    for flag in ["-h", "--help", "help"] {
        let help = run(&[flag]).succeeded();
        for part in ["Examples:", "Exit status:", "calipers model.onnx", "calipers demo"] {
            assert!(help.contains(part), "{flag} lacks {part}");
        }
    }
    for subcommand in subcommands() {
        assert!(
            run(&[&subcommand, "--help"]).succeeded().contains("Usage: calipers"),
            "{subcommand}"
        );
    }
}

fn the_version_is_that_of_the_package() {
    let expected = format!("calipers {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(run(&["--version"]).succeeded(), expected);
    assert_eq!(run(&["-V"]).succeeded(), expected);
}
