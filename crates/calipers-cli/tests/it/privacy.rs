//! `--redact-names` and masked secrets: every format of every command, standard error and the names
//! of files included.

use std::path::Path;

use calipers_render::output::{FORMATS, Form};
use calipers_testkit::{
    Corpus, Place, STRING_PLACES, every_string, marked, rewrite_strings, score,
};

use super::run_in;

calipers_testkit::tests! {
    test: [
        marked_words_are_in_no_output,
        a_file_that_cannot_be_read_is_not_named,
        secrets_in_every_place_are_masked_and_shown_when_asked,
        secrets_in_paths_are_masked,
        sizes_are_given_by_the_names_of_the_file,
    ];
}

/// Every command that reads a model in every format it has: arguments, and what was printed on
/// standard output and standard error.
pub(super) fn outputs(
    folder: &Path,
    model: &str,
    dimension: Option<&str>,
    more: &[&str],
) -> Vec<(String, String)> {
    let sizes = dimension.map(|name| format!("{name}=1,2"));
    let sweep: Vec<&str> = sizes.iter().flat_map(|sizes| ["--dim", sizes]).collect();
    let mut reported = Vec::new();
    let ids = |is_offered: fn(Form) -> bool| -> Vec<&str> {
        let offered = FORMATS.iter().filter(|format| is_offered(format.needs));
        offered.map(|format| format.id).collect()
    };
    let tables = ids(|form| !matches!(form, Form::Findings | Form::Page));
    let documents = ids(|form| matches!(form, Form::Data | Form::Documents));
    let cards = [ids(|form| form == Form::Tables), vec!["markdown"]].concat();
    let findings = ids(|form| !matches!(form, Form::Tables | Form::Page));
    for (command, formats, args) in [
        ("inspect", documents.as_slice(), &[][..]),
        ("inspect", &["text"], &["--full"]),
        ("card", &cards, &[]),
        ("graph", &["svg", "dot", "json", "html"], &["--depth", "9"]),
        ("inspect", &documents, &["--weights", "--device", "rtx-4090"]),
        ("check", &findings, &[]),
        ("shapes", &tables, &[]),
        ("layers", &tables, &[]),
        ("layers", &tables, &["--tree"]),
        ("hardware", &tables, &["--device", "rtx-4090"]),
        ("diagram", &["mermaid", "json"], &[]),
        ("diagram", &["mermaid", "json"], &["--flow"]),
        ("sweep", if sweep.is_empty() { &[] } else { &tables }, &sweep),
    ] {
        for format in formats {
            let args = [&[command, model, "--format", format], args, more].concat();
            let run = run_in(folder, &args);
            assert_eq!(run.status, Some(0), "{args:?}: {}", run.stderr);
            reported.push((args.join(" "), run.stdout + &run.stderr));
        }
    }
    let args = [&["report", model, "-o", "-"], more].concat();
    let run = run_in(folder, &args);
    assert_eq!(run.status, Some(0), "{args:?}: {}", run.stderr);
    reported.push((args.join(" "), run.stdout + &run.stderr));
    reported
}

/// The text without Base64 of deflated data, where any three letters occur by chance. The page packs
/// the graph that `graph --format json` prints, which is checked as it is.
pub(super) fn without_packed_data(text: &str) -> String {
    let is_base64 = |c: char| c.is_ascii_alphanumeric() || matches!(c, '+' | '/' | '=');
    let runs = text.split_inclusive(|c| !is_base64(c));
    runs.filter(|run| run.len() < 400).collect()
}

/// Everything under a folder: names of files and what is in them.
fn written(folder: &Path) -> Vec<(String, String)> {
    let mut open = vec![folder.to_owned()];
    let mut files = Vec::new();
    while let Some(path) = open.pop() {
        let name = path.strip_prefix(folder).unwrap().display().to_string();
        if path.is_dir() {
            open.extend(std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path()));
        } else {
            let text = String::from_utf8_lossy(&std::fs::read(&path).unwrap()).into_owned();
            files.push((name.clone(), format!("{name}\n{text}")));
        }
    }
    files
}

/// A mark that no text of Calipers has.
const MARK: &str = "zqx";

/// Real models with many names: caches, scopes of an exporter, functions and branches, trees.
const MODELS: [&str; 4] =
    ["dynamo-llama_tiny_gqa_kv", "dynamo-cond_if", "gpt2_tiny_kv_op17", "rf_cls"];

/// A model with a mark on every word but those that standards define.
fn with_marks(model: &[u8]) -> Vec<u8> {
    let is_known = |domain: &str| {
        matches!(domain, "" | "ai.onnx" | "ai.onnx.ml" | "com.microsoft" | "ai.onnx.training")
    };
    let scopes = ["namespace", "pkg.torch.onnx.class_hierarchy", "pkg.torch.onnx.name_scopes"];
    rewrite_strings(model, &mut |place, text| {
        let is_public = match place {
            Place::Operator(domain) => is_known(domain),
            Place::Domain => is_known(text),
            Place::Key => scopes.contains(&text),
            Place::Attribute | Place::AttributeText | Place::Producer => true,
            _ => false,
        };
        (!is_public).then(|| marked(text, MARK))
    })
}

fn marked_words_are_in_no_output() {
    let folder = tempfile::tempdir().unwrap();
    let (mut tried, mut failed) = (0, Vec::new());
    let mut judge = |what: String, text: &str| {
        tried += 1;
        let text = without_packed_data(text).to_lowercase();
        if let Some(at) = text.find(MARK) {
            let end = text.ceil_char_boundary(at + 60);
            failed.push(format!("{what}: {}", &text[at..end]));
        }
    };
    let models = folder.path().join("zqxmodels");
    std::fs::create_dir(&models).unwrap();
    for name in MODELS {
        let path = Corpus::repository().model(name).unwrap();
        let model = with_marks(&std::fs::read(path).unwrap());
        std::fs::write(models.join(format!("zqx{name}.onnx")), &model).unwrap();
        std::fs::write(folder.path().join("zqxmodel.onnx"), model).unwrap();
        let dimension = name.ends_with("kv_op17").then_some("zqxbatch_size");
        for (args, text) in outputs(folder.path(), "zqxmodel.onnx", dimension, &["--redact-names"])
        {
            judge(format!("{name}: {args}"), &text);
        }
    }
    std::fs::write(models.join("zqxbroken.onnx"), b"no model").unwrap();
    let args = ["card", "zqxmodels", "-o", "cards", "--redact-names"];
    let run = run_in(folder.path(), &args);
    assert_eq!(run.status, Some(0), "{}", run.stderr);
    judge(args.join(" "), &(run.stdout + &run.stderr));
    for (name, text) in written(&folder.path().join("cards")) {
        judge(name, &text);
    }
    for format in ["jsonl", "csv"] {
        let args = ["scan", "zqxmodels", "-o", format, "--format", format, "--redact-names"];
        let run = run_in(folder.path(), &args);
        assert_eq!(run.status, Some(0), "{}", run.stderr);
        judge(args.join(" "), &(run.stdout.replace("zqxmodels", "") + &run.stderr));
        for (name, text) in written(&folder.path().join(format)) {
            judge(name, &text);
        }
    }
    let count = failed.len();
    score(format!("marked words, every command: {tried} outputs, {count} with a mark"));
    assert_eq!(failed, Vec::<String>::new());
    assert!(tried > 200, "only {tried} outputs");
}

fn a_file_that_cannot_be_read_is_not_named() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("zqxbroken.onnx"), b"no model").unwrap();
    std::fs::create_dir(folder.path().join("zqxfolder")).unwrap();
    std::fs::write(folder.path().join("zqxfolder/zqxinside.onnx"), b"no model").unwrap();
    for model in ["zqxbroken.onnx", "zqxbrokem.onnx", "zqxfolder", "zqxfolder/zqx.onnx"] {
        for command in ["inspect", "check", "shapes", "layers", "report", "graph", "diagram"] {
            let plain = run_in(folder.path(), &[command, model]).failed(1);
            assert!(plain.contains(model), "{plain}");
            let redacted = run_in(folder.path(), &[command, model, "--redact-names"]).failed(1);
            assert!(!redacted.contains(MARK), "{command} {model}: {redacted}");
            assert!(redacted.contains("cannot read file: "), "{redacted}");
        }
    }
}

/// A secret in the format of a known service, as long as its place's number says.
fn secret(place: usize) -> String {
    // Each begins with other letters, so that a shortened one is known too.
    let first = char::from(b'a' + u8::try_from(place / 26).unwrap());
    let second = char::from(b'a' + u8::try_from(place % 26).unwrap());
    format!("ghp_Q{first}{second}9{}", "x7".repeat(50).chars().take(36 + place).collect::<String>())
}

fn secrets_in_every_place_are_masked_and_shown_when_asked() {
    let folder = tempfile::tempdir().unwrap();
    let mut places = Vec::new();
    let model = every_string(&mut |place| {
        places.push(place);
        let secret = secret(places.len() - 1);
        match place {
            "scoped/node" => format!("/scope/{secret}/Call"),
            place if place.contains("documentation") => format!("Made with {secret} today."),
            _ => secret,
        }
    });
    assert_eq!(places.len(), STRING_PLACES);
    std::fs::write(folder.path().join("m.onnx"), model).unwrap();
    let dim = secret(places.iter().position(|place| *place == "dimension").unwrap());
    let masked = outputs(folder.path(), "m.onnx", Some(&dim), &[]);
    let shown = outputs(folder.path(), "m.onnx", Some(&dim), &["--show-secrets"]);
    let redacted = outputs(folder.path(), "m.onnx", Some(&dim), &["--redact-names"]);
    let (mut tried, mut printed, mut failed) = (0, 0, Vec::new());
    for (((args, masked), (_, shown)), (_, redacted)) in masked.iter().zip(&shown).zip(&redacted) {
        let [masked, shown, redacted] = [masked, shown, redacted].map(|it| without_packed_data(it));
        for (number, place) in places.iter().enumerate() {
            tried += 1;
            let secret = secret(number);
            let (head, hidden) = (&secret[4..8], secret.len() - 4);
            if masked.contains(head) || redacted.contains(head) {
                failed.push(format!("{place} is shown: {args}"));
            }
            let is_masked = masked.contains(&format!("({hidden} c"));
            printed += usize::from(is_masked);
            // The finding that reports secrets never shows them.
            let is_in_finding = shown.contains(&format!("({hidden} c"));
            // Where two names make one label, its middle is left out.
            let is_joined = ["function", "producer version"].contains(place);
            if is_masked && !shown.contains(head) && !is_in_finding && !is_joined {
                failed.push(format!("{place} is masked though it was asked for: {args}"));
            }
        }
    }
    let (outputs, count) = (masked.len(), failed.len());
    score(format!(
        "secrets: {STRING_PLACES} places in {outputs} outputs, {tried} pairs, {printed} printed, {count} failed"
    ));
    assert_eq!(failed, Vec::<String>::new());
    assert!(printed > 200, "only {printed} of {tried} are printed at all");
}

fn secrets_in_paths_are_masked() {
    let folder = tempfile::tempdir().unwrap();
    let secret = secret(0);
    let name = format!("{secret}.onnx");
    let models = folder.path().join("models");
    std::fs::create_dir(&models).unwrap();
    std::fs::write(models.join(&name), calipers_samples::digits()).unwrap();
    std::fs::write(folder.path().join(&name), b"no model").unwrap();
    let path = format!("models/{name}");
    for args in [&["inspect", &path][..], &["check", &path, "--format", "sarif"], &["card", &path]]
    {
        let run = run_in(folder.path(), args);
        let text = run.stdout + &run.stderr;
        assert!(!text.contains(&secret[4..]) && text.contains("40"), "{text}");
    }
    let run = run_in(folder.path(), &["inspect", &name]).failed(1);
    assert_eq!(
        run.lines().next().unwrap(),
        "error: cannot read ghp_…(40 characters).onnx: this is plain text, not a model that Calipers reads"
    );
    assert!(run_in(folder.path(), &["inspect", &name, "--show-secrets"]).failed(1).contains(&name));
    let run = run_in(folder.path(), &["card", "models", "-o", "cards"]);
    assert_eq!(run.status, Some(0), "{}", run.stderr);
    for (name, text) in written(&folder.path().join("cards")) {
        assert!(!text.contains(&secret[4..]), "{name}");
    }
}

/// A user gives sizes by names of the file, also where the output has words for them.
fn sizes_are_given_by_the_names_of_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let path = Corpus::repository().model("gpt2_tiny_kv_op17").unwrap();
    std::fs::copy(path, folder.path().join("m.onnx")).unwrap();
    let bound = |more: &[&str]| {
        let args =
            [&["inspect", "m.onnx", "--format", "json", "--dim", "batch_size=3"], more].concat();
        let json = run_in(folder.path(), &args).succeeded();
        let report: serde_json::Value = serde_json::from_str(&json).unwrap();
        report["cost"]["macs"].clone()
    };
    assert_eq!(bound(&[]), bound(&["--redact-names"]));
    let args = ["inspect", "m.onnx", "--dim", "batch_siz=3", "--redact-names"];
    let error = run_in(folder.path(), &args).failed(2);
    assert!(!error.contains("batch_size"), "{error}");
}
