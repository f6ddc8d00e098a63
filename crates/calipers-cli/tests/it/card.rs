//! `calipers card`: one model, many models, other forms.

use std::path::Path;

use serde_json::Value;

use super::{calipers, finish, folder_with_model, run_in};

calipers_testkit::tests! {
    test: [
        a_card_is_with_its_charts,
        the_same_model_gives_the_same_bytes,
        sections_are_chosen_by_their_ids,
        inspect_writes_the_card_without_charts,
        a_template_is_filled_in_or_its_mistake_reported,
        many_models_have_a_card_each_and_an_index,
        key_figures_are_lines,
        what_holds_no_model_is_an_error,
    ];
}

fn read(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join(name)).unwrap()
}

/// Relative addresses in a page: of links, and of charts.
fn addresses(page: &str) -> Vec<&str> {
    let after = |mark: &'static str, end: char| {
        page.split(mark).skip(1).filter_map(move |rest| rest.split(end).next())
    };
    after("](", ')').chain(after("src=\"", '"')).chain(after("srcset=\"", '"')).collect()
}

fn a_card_is_with_its_charts() {
    let folder = folder_with_model();
    for (assets, start) in [("svg", &b"<svg"[..]), ("png", b"\x89PNG")] {
        let args = ["card", "digits.onnx", "-o", "out/card", "--assets", assets];
        assert_eq!(run_in(folder.path(), &args).succeeded(), "");
        let card = read(folder.path(), "out/card/README.md");
        assert!(card.starts_with("---\nlibrary_name: onnx\n"), "{card}");
        assert!(card.contains("\n# digits (float32)\n"), "{card}");
        let linked = addresses(&card);
        assert!(linked.len() > 8, "{linked:?}");
        for address in linked {
            assert!(!address.contains('\\') && address.ends_with(assets), "{address}");
            let bytes = std::fs::read(folder.path().join("out/card").join(address)).unwrap();
            assert!(bytes.starts_with(start), "{address}");
        }
    }
}

fn the_same_model_gives_the_same_bytes() {
    let folder = folder_with_model();
    let card = |args: &[&str]| {
        run_in(folder.path(), &[&["card", "digits.onnx"], args].concat()).succeeded()
    };
    assert_eq!(card(&[]), card(&["--format", "markdown"]));
    let plain = card(&["--no-front-matter"]);
    assert!(plain.starts_with("# digits (float32)\n\n*Written by Calipers"), "{plain}");
    assert!(!plain.contains("<img"), "no charts on standard output");
    assert!(card(&["--date=2025-10-12"]).contains(" on 2025-10-12.*"));
    let mut dated = calipers(&["card", "digits.onnx", "--date"]);
    dated.current_dir(folder.path()).env("SOURCE_DATE_EPOCH", "951782400");
    assert!(finish(&mut dated).succeeded().contains(" on 2000-02-29.*"));
}

fn sections_are_chosen_by_their_ids() {
    let folder = folder_with_model();
    let args = ["card", "digits.onnx", "--no-front-matter", "--sections", "memory,task"];
    let card = run_in(folder.path(), &args).succeeded();
    let headings: Vec<&str> = card.lines().filter(|line| line.starts_with("## ")).collect();
    assert_eq!(headings, ["## Memory", "## Task"]);
    let args = ["card", "digits.onnx", "--sections", "memroy"];
    assert!(run_in(folder.path(), &args).failed(2).contains("there are overview, metadata"));
}

fn inspect_writes_the_card_without_charts() {
    let folder = folder_with_model();
    let args = ["inspect", "digits.onnx", "--format", "markdown"];
    let page = run_in(folder.path(), &args).succeeded();
    assert!(
        page.starts_with("# digits (float32)\n") && page.contains("## Devices compared"),
        "{page}"
    );
}

fn a_template_is_filled_in_or_its_mistake_reported() {
    let folder = folder_with_model();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    write("t.html.j2", "<b>{{ report.parameters.total | integer }}</b>{{ '<i>' }}\n");
    let card = |args: &[&str]| run_in(folder.path(), &[&["card", "digits.onnx"], args].concat());
    let page = card(&["--template", "t.html.j2"]).succeeded();
    assert!(page.starts_with("<b>") && page.ends_with("</b>&lt;i&gt;\n"), "{page}");
    card(&["--template", "t.html.j2", "-o", "out"]).succeeded();
    assert_eq!(read(folder.path(), "out/card.html"), page);
    write("wrong.md", "a\n{{ report.nothing }}");
    assert!(card(&["--template", "wrong.md"]).failed(2).contains("in line 2"));
    write(
        "endless.md",
        "{% for a in range(99999) %}{% for b in range(99999) %}{% endfor %}{% endfor %}",
    );
    assert!(card(&["--template", "endless.md"]).failed(2).contains("fuel"));
    assert!(card(&["--template", "none.md"]).failed(2).contains("no such file"));
}

/// A folder with three models, one of a hostile name, and a file that is none.
fn folder_with_models() -> tempfile::TempDir {
    let folder = tempfile::tempdir().unwrap();
    let models = folder.path().join("models");
    std::fs::create_dir_all(models.join("deep")).unwrap();
    for name in ["a.onnx", "deep/a.onnx", "deep-a.onnx", "<img src=x onerror=y> [z](w).onnx"] {
        std::fs::write(models.join(name), calipers_samples::digits()).unwrap();
    }
    std::fs::write(models.join("broken.onnx"), "<!doctype html><title>404</title>").unwrap();
    std::fs::write(models.join("notes.txt"), "no model").unwrap();
    folder
}

fn many_models_have_a_card_each_and_an_index() {
    let folder = folder_with_models();
    let run = run_in(folder.path(), &["card", "models", "-o", "cards", "--assets", "none"]);
    assert_eq!((run.status, run.stdout.as_str()), (Some(0), ""));
    assert!(run.stderr.contains("cannot read broken.onnx: this is an HTML page"), "{}", run.stderr);
    let index = read(folder.path(), "cards/README.md");
    assert!(index.contains("5 models, 1 of them could not be read."), "{index}");
    for address in addresses(&index).into_iter().filter(|address| *address != "w") {
        assert!(read(folder.path(), &format!("cards/{address}")).contains("## Overview"));
    }
    for name in ["a", "deep-a", "deep-a-2", "img-src-x-onerror-y-z-w"] {
        assert!(folder.path().join("cards").join(name).join("README.md").is_file(), "{name}");
    }
    let page = read(folder.path(), "cards/index.html");
    assert!(page.contains("&lt;img src=x onerror=y&gt; [z](w).onnx"), "{page}");
    assert!(!page.contains("<img"), "{page}");
}

fn key_figures_are_lines() {
    let folder = folder_with_models();
    let lines =
        run_in(folder.path(), &["card", "models/**/a.onnx", "--format", "jsonl"]).succeeded();
    let figures: Vec<Value> =
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let paths: Vec<&str> = figures.iter().map(|one| one["path"].as_str().unwrap()).collect();
    assert_eq!(paths, ["a.onnx", "deep/a.onnx"]);
    assert!(figures[0]["parameters"].as_u64() > Some(0), "{lines}");

    let args = ["card", "models/a.onnx", "models/broken.onnx", "--format", "csv", "-o", "t.csv"];
    assert_eq!(run_in(folder.path(), &args).status, Some(0));
    let table = read(folder.path(), "t.csv");
    assert!(table.starts_with("path,card,error,bytes,") && table.lines().count() == 3, "{table}");
}

fn what_holds_no_model_is_an_error() {
    let folder = folder_with_models();
    let all_broken = ["card", "models/broken*", "-o", "cards"];
    assert_eq!(run_in(folder.path(), &all_broken).status, Some(1));
    std::fs::create_dir(folder.path().join("empty")).unwrap();
    for given in ["empty", "none/*.onnx"] {
        assert_eq!(
            run_in(folder.path(), &["card", given, "-o", "cards"]).status,
            Some(1),
            "{given}"
        );
    }
    assert!(
        run_in(folder.path(), &["card", "none.onnx", "-o", "c"]).failed(1).contains("no such file")
    );
    assert!(run_in(folder.path(), &["card", "models"]).failed(2).contains("more than one model"));
    assert_eq!(
        run_in(folder.path(), &["card", "models/a.onnx", "-o", "models/a.onnx"]).status,
        Some(2)
    );
}
