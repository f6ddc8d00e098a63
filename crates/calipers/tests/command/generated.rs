//! What the command says of itself: schema, completions, man pages, help, version.

use serde_json::Value;

use super::run;

const VERBS: [&str; 6] = ["inspect", "diagram", "schema", "demo", "completions", "man"];

#[test]
fn the_schema_is_json() {
    let text = run(&["schema"]).succeeded();
    let schema: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(schema, calipers_report::schema());
    assert!(schema["properties"]["parameters"].is_object());
    assert!(text.ends_with("}\n"));
}

#[test]
fn every_shell_is_completed() {
    for shell in ["bash", "elvish", "fish", "powershell", "zsh"] {
        let script = run(&["completions", shell]).succeeded();
        for verb in VERBS {
            assert!(script.contains(verb), "{shell} lacks {verb}");
        }
    }
}

#[test]
fn every_command_has_a_man_page() {
    let main = run(&["man"]).succeeded();
    assert!(main.contains(".TH calipers 1"), "{main}");
    for section in ["NAME", "SYNOPSIS", "OPTIONS", "\"EXAMPLES\"", "\"EXIT STATUS\""] {
        assert!(main.contains(&format!(".SH {section}\n")), "no {section}");
    }
    for verb in VERBS {
        assert!(main.contains(&format!("calipers\\-{verb}(1)")), "{verb} is not mentioned");
        let page = run(&["man", verb]).succeeded();
        assert!(page.contains(&format!(".TH calipers-{verb} 1")), "{page}");
    }
    assert!(run(&["man", "nonsense"]).failed(2).contains("there is no command 'nonsense'"));
}

#[test]
fn help_has_examples_and_exit_statuses() {
    for flag in ["-h", "--help", "help"] {
        let help = run(&[flag]).succeeded();
        for part in ["Examples:", "Exit status:", "calipers model.onnx", "calipers demo"] {
            assert!(help.contains(part), "{flag} lacks {part}");
        }
    }
    for verb in VERBS {
        assert!(run(&[verb, "--help"]).succeeded().contains("Usage: calipers"), "{verb}");
    }
}

#[test]
fn the_version_is_that_of_the_package() {
    let expected = format!("calipers {}\n", env!("CARGO_PKG_VERSION"));
    assert_eq!(run(&["--version"]).succeeded(), expected);
    assert_eq!(run(&["-V"]).succeeded(), expected);
}
