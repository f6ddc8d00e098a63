//! `calipers run`: with the runtime that is built in, and with ONNX Runtime where the machine has it.
//! `scripts/run-models` uses trained models.

use std::path::Path;

use calipers_runtime::Tensor as Array;
use calipers_runtime::apply::npy;
use calipers_samples::{DataType, ModelBuilder, Tensor};
use calipers_testkit::{Ignored, Outcome};
use serde_json::{Value, json};

use super::{calipers, finish, folder_with_model, folder_without_data_file, run_in};

calipers_testkit::tests! {
    test: [
        the_built_in_model_classifies_an_image,
        tensors_go_in_and_out,
        texts_are_compared,
        labels_are_read_from_three_places,
        without_an_input_the_error_names_the_flag,
        only_one_kind_of_input_is_taken,
        wrong_files_are_errors,
        wrong_tensors_are_errors,
        an_image_that_would_fill_the_memory_is_refused,
        a_wrong_tokenizer_is_an_error,
        a_result_without_a_picture_leaves_no_file,
        a_model_that_cannot_run_is_an_error,
        missing_weights_are_synthesized_when_asked_for,
        both_runtimes_agree,
    ];
}

const RTEN: [&str; 2] = ["--runtime", "rten"];

fn json_of(folder: &Path, args: &[&str]) -> Value {
    let args = [&["run"], args, &RTEN, &["--format", "json"]].concat();
    serde_json::from_str(&run_in(folder, &args).succeeded()).unwrap()
}

fn error_of(folder: &Path, args: &[&str], status: i32) -> String {
    run_in(folder, &[&["run"], args, &RTEN].concat()).failed(status)
}

/// Writes `drawing.png`: a dark bar on white paper.
fn draw(folder: &Path) {
    let svg = "<svg xmlns='http://www.w3.org/2000/svg' width='60' height='60'>\
        <rect width='60' height='60' fill='white'/><rect x='28' y='8' width='6' height='44'/></svg>";
    std::fs::write(folder.join("drawing.png"), calipers_render::chart::png(svg, 1.0).unwrap())
        .unwrap();
}

/// Writes `relu.onnx`, from `x` to an output whose name tries to color the terminal, and `x.npy`.
fn relu(folder: &Path) {
    let mut model = ModelBuilder::new(17);
    model.input("x", DataType::F32, &["n", "3"]);
    model.node("Relu", &["x"], &["y\u{1b}[31m"], &[]);
    model.output("y\u{1b}[31m", DataType::F32, &["n", "3"]);
    std::fs::write(folder.join("relu.onnx"), model.build()).unwrap();
    let x = Array::new(vec![1, 3], vec![-1.0_f32, 0.5, 2.0]).unwrap();
    std::fs::write(folder.join("x.npy"), npy::write("x", &x).unwrap()).unwrap();
}

/// Writes `encoder.onnx`, whose token vectors are rows of a table, and `vocab.txt`.
fn encoder(folder: &Path) {
    let mut model = ModelBuilder::new(17);
    model.input("input_ids", DataType::I64, &["n", "s"]);
    let rows: Vec<f32> =
        (0..7).flat_map(|row| [0.0, 1.0, 2.0, 3.0].map(|x| (x - row as f32).cos())).collect();
    model.initializer(&Tensor::f32("table", &[7, 4], &rows));
    model.node("Gather", &["table", "input_ids"], &["last_hidden_state"], &[]);
    model.output("last_hidden_state", DataType::F32, &["n", "s", "4"]);
    std::fs::write(folder.join("encoder.onnx"), model.build()).unwrap();
    std::fs::write(folder.join("vocab.txt"), "[PAD]\n[UNK]\n[CLS]\n[SEP]\ncat\ndog\nsky\n")
        .unwrap();
}

fn the_built_in_model_classifies_an_image() {
    let folder = tempfile::tempdir().unwrap();
    draw(folder.path());
    let found = json_of(folder.path(), &["--image", "drawing.png"]);
    assert_eq!((&found["model"], &found["random_weights"]), (&json!("digits.onnx"), &json!(true)));
    let classes = found["result"]["classes"].as_array().unwrap();
    let scores: Vec<f64> = classes.iter().map(|it| it["score"].as_f64().unwrap()).collect();
    assert!(scores.len() == 5 && scores.is_sorted_by(|a, b| a >= b), "{scores:?}");
    assert!(scores.iter().sum::<f64>() <= 1.0 + 1e-3 && scores[0] >= 0.1, "{scores:?}");
    let how = &found["preprocessing"];
    assert_eq!((&how["size"], &how["resize"]), (&json!("28x28"), &json!("center")));
    // Without any library, it says which runtime took over.
    let mut command = calipers(&["run", "--image", "drawing.png"]);
    command.current_dir(folder.path()).env_clear().env("HOME", folder.path());
    let run = finish(&mut command);
    assert_eq!(run.status, Some(0), "{}", run.stderr);
    assert!(run.stdout.contains("random, so the result means nothing"), "{}", run.stdout);
    // What is inferred can be overridden.
    let args =
        ["--image", "drawing.png", "--resize", "stretch", "--mean", "0.5", "--range", "-1..1"];
    let how = &json_of(folder.path(), &args)["preprocessing"];
    assert_eq!(
        (&how["resize"], &how["range"], &how["mean"]),
        (&json!("stretch"), &json!("-1..1"), &json!("0.5"))
    );
}

fn tensors_go_in_and_out() {
    let folder = tempfile::tempdir().unwrap();
    relu(folder.path());
    let screen =
        run_in(folder.path(), &["run", "relu.onnx", "--input", "x.npy", "--runtime", "rten"]);
    let screen = screen.succeeded();
    assert!(screen.contains(r"y\u{1b}[31m") && !screen.contains('\u{1b}'), "{screen}");
    assert!(screen.contains("0.0000, 0.8333, 2.0000"), "{screen}");
    // Its own file is replaced, another one is not.
    for _ in 0..2 {
        let args = ["run", "relu.onnx", "--input", "x=x.npy", "-o", "out.npz", "--runtime", "rten"];
        run_in(folder.path(), &args).succeeded();
    }
    let bytes = std::fs::read(folder.path().join("out.npz")).unwrap();
    let expected = Array::new(vec![1, 3], vec![0.0_f32, 0.5, 2.0]).unwrap();
    assert_eq!(npy::read_archive(&bytes).unwrap(), [("y\u{1b}[31m".to_owned(), expected)]);
    std::fs::write(folder.path().join("mine.npz"), "mine").unwrap();
    let error = error_of(folder.path(), &["relu.onnx", "--input", "x.npy", "-o", "mine.npz"], 2);
    assert!(error.contains("--force"), "{error}");
}

fn texts_are_compared() {
    let folder = tempfile::tempdir().unwrap();
    encoder(folder.path());
    let args =
        ["encoder.onnx", "--text", "cat", "--text", "Cat!", "--text", "dog", "--text", "cat"];
    let found = json_of(folder.path(), &args);
    assert_eq!(found["preprocessing"]["tokenizer"], "vocab.txt");
    let similarity = |a: usize, b: usize| found["result"]["similarity"][a][b].as_f64().unwrap();
    assert!((similarity(0, 3) - 1.0).abs() < 1e-6 && similarity(0, 2) < 0.9999);
    assert!((similarity(0, 2) - similarity(2, 0)).abs() < 1e-6);
    let length: f64 = found["result"]["embeddings"][0]
        .as_array()
        .unwrap()
        .iter()
        .map(|x| x.as_f64().unwrap().powi(2))
        .sum();
    assert!((length - 1.0).abs() < 1e-5);
    let args = ["run", "encoder.onnx", "--text", "cat", "--text", "dog", "--runtime", "rten"];
    let screen = run_in(folder.path(), &args).succeeded();
    assert!(screen.contains("1 cat  1.000") && screen.contains("dimensions  4"), "{screen}");
}

fn labels_are_read_from_three_places() {
    let folder = folder_with_model();
    draw(folder.path());
    let names: Vec<String> = (0..10).map(|digit| format!("digit {digit}")).collect();
    let best = |args: &[&str]| {
        let found =
            json_of(folder.path(), &[&["digits.onnx", "--image", "drawing.png"], args].concat());
        (found["result"]["classes"][0]["label"].clone(), found["preprocessing"]["labels"].clone())
    };
    assert_eq!(best(&[]), (Value::Null, Value::Null));
    std::fs::write(folder.path().join("labels.txt"), names.join("\n")).unwrap();
    let (label, from) = best(&["--labels", "labels.txt"]);
    assert!(label.as_str().unwrap().starts_with("digit ") && from == "labels.txt");
    let labels: serde_json::Map<String, Value> =
        (0..10).map(|digit| (digit.to_string(), json!(names[digit]))).collect();
    let config = json!({"id2label": labels}).to_string();
    std::fs::write(folder.path().join("config.json"), config).unwrap();
    assert_eq!(best(&[]), (label, json!("config.json")));
    std::fs::write(folder.path().join("few.txt"), "a\nb\n").unwrap();
    let args = ["digits.onnx", "--image", "drawing.png", "--labels", "few.txt"];
    let error = error_of(folder.path(), &args, 2);
    assert!(error.contains("few.txt has 2 labels, the model has 10 classes"), "{error}");
}

fn without_an_input_the_error_names_the_flag() {
    let folder = folder_with_model();
    encoder(folder.path());
    let error = error_of(folder.path(), &["digits.onnx"], 2);
    assert!(
        error.contains("pass --image picture.png") && error.contains("hint: the model takes"),
        "{error}"
    );
    // Something else than the model takes.
    let error = error_of(folder.path(), &["digits.onnx", "--text", "seven"], 2);
    assert!(error.contains("the model is for image classification: pass --image"), "{error}");
}

fn only_one_kind_of_input_is_taken() {
    let folder = folder_with_model();
    let args = ["digits.onnx", "--image", "a.png", "--text", "b"];
    assert!(error_of(folder.path(), &args, 2).contains("give one kind of input"));
    let error = error_of(folder.path(), &["digits.onnx", "--question", "a"], 2);
    assert!(error.contains("--context"), "{error}");
    let error = error_of(folder.path(), &["digits.onnx", "--input", "x.npy", "-o", "y.npy"], 2);
    assert!(error.contains("-o outputs.npz"), "{error}");
}

fn wrong_files_are_errors() {
    let folder = folder_with_model();
    encoder(folder.path());
    relu(folder.path());
    let at = |name: &str| folder.path().join(name);
    std::fs::create_dir(at("folder")).unwrap();
    std::fs::write(at("empty"), "").unwrap();
    std::fs::write(at("text"), "only a text").unwrap();
    std::fs::write(at("esc\u{1b}[31m"), "x").unwrap();
    // A WAV file without samples.
    let mut wave =
        b"RIFF\x24\0\0\0WAVEfmt \x10\0\0\0\x01\0\x01\0\x80\x3e\0\0\0\x7d\0\0\x02\0\x10\0".to_vec();
    wave.extend(b"data\0\0\0\0");
    std::fs::write(at("silent.wav"), wave).unwrap();
    let cases = [
        (vec!["digits.onnx", "--image"], "not a PNG or JPEG file"),
        (vec!["digits.onnx", "--audio"], "not a WAV file"),
        (vec!["encoder.onnx", "--text", "cat", "--tokenizer"], "expected a tokenizer.json"),
        (vec!["relu.onnx", "--input"], "not a NumPy file"),
    ];
    for (args, why) in cases {
        let with =
            |file: &'static str| error_of(folder.path(), &[args.as_slice(), &[file]].concat(), 2);
        assert!(with("text").contains(why), "{}", with("text"));
        assert!(with("folder").contains("it is a folder"), "{}", with("folder"));
        assert!(with("empty").contains("it is empty"), "{}", with("empty"));
        assert!(with("missing").contains("no such file"), "{}", with("missing"));
        let hostile = with("esc\u{1b}[31m");
        assert!(hostile.contains(r"\u{1b}[31m") && !hostile.contains('\u{1b}'), "{hostile}");
    }
    let error = error_of(folder.path(), &["digits.onnx", "--audio", "silent.wav"], 2);
    assert!(error.contains("it has no samples"), "{error}");
}

fn wrong_tensors_are_errors() {
    let folder = tempfile::tempdir().unwrap();
    relu(folder.path());
    let wide = Array::new(vec![1, 4], vec![0.0_f32; 4]).unwrap();
    std::fs::write(folder.path().join("wide.npy"), npy::write("x", &wide).unwrap()).unwrap();
    let whole = Array::new(vec![1, 3], vec![0_u8; 3]).unwrap();
    std::fs::write(folder.path().join("bytes.npy"), npy::write("x", &whole).unwrap()).unwrap();
    let error = |args: &[&str]| error_of(folder.path(), &[&["relu.onnx"], args].concat(), 2);
    assert!(
        error(&["--input", "wide.npy"])
            .contains("input `x` takes float32 [?, 3], the file has float32 [1, 4]")
    );
    assert!(error(&["--input", "bytes.npy"]).contains("array.astype"));
    assert!(error(&["--input", "z=x.npy"]).contains("the model has no input `z`; its inputs: `x`"));
    assert!(error(&["--input", "x.npy", "--input", "x=x.npy"]).contains("given twice"));
}

fn an_image_that_would_fill_the_memory_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    draw(folder.path());
    let mut png = std::fs::read(folder.path().join("drawing.png")).unwrap();
    // The header says 20,000 x 20,000 pixels; its checksum is computed with this.
    png[16..24].copy_from_slice(&[0, 0, 0x4e, 0x20, 0, 0, 0x4e, 0x20]);
    let sum = crc(&png[12..29]);
    png[29..33].copy_from_slice(&sum.to_be_bytes());
    std::fs::write(folder.path().join("large.png"), png).unwrap();
    let error = error_of(folder.path(), &["--image", "large.png"], 2);
    assert!(error.contains("20000 x 20000 pixels") && error.contains("scale it down"), "{error}");
}

/// The checksum of a PNG chunk.
fn crc(bytes: &[u8]) -> u32 {
    let step = |sum: u32, _| if sum & 1 == 1 { sum >> 1 ^ 0xedb8_8320 } else { sum >> 1 };
    !bytes.iter().fold(!0_u32, |sum, byte| (0..8).fold(sum ^ u32::from(*byte), step))
}

fn a_wrong_tokenizer_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    encoder(folder.path());
    let more = "[PAD]\n[UNK]\n[CLS]\n[SEP]\ncat\ndog\nsky\nmoon\nsun\n";
    std::fs::write(folder.path().join("other.txt"), more).unwrap();
    let args = ["encoder.onnx", "--text", "sun", "--tokenizer", "other.txt"];
    let error = error_of(folder.path(), &args, 2);
    assert!(error.contains("it returns the token 8, the model has 7 tokens"), "{error}");
    std::fs::remove_file(folder.path().join("vocab.txt")).unwrap();
    let error = error_of(folder.path(), &["encoder.onnx", "--text", "cat"], 2);
    assert!(
        error.contains("no tokenizer.json or vocab.txt") && error.contains("--tokenizer"),
        "{error}"
    );
}

fn a_result_without_a_picture_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    relu(folder.path());
    let before = std::fs::read_dir(folder.path()).unwrap().count();
    let error = error_of(folder.path(), &["relu.onnx", "--input", "x.npy", "-o", "y.png"], 2);
    assert!(error.contains("the result is not a picture"), "{error}");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), before);
}

fn a_model_that_cannot_run_is_an_error() {
    let folder = tempfile::tempdir().unwrap();
    relu(folder.path());
    let mut model = ModelBuilder::new(17);
    model.opset("com.example", 1);
    model.input("x", DataType::F32, &["n", "3"]);
    model.node("NoSuchOperator", &["x"], &["y"], &[]);
    model.output("y", DataType::F32, &["n", "3"]);
    std::fs::write(folder.path().join("custom.onnx"), model.build()).unwrap();
    let error = error_of(folder.path(), &["custom.onnx", "--input", "x.npy"], 1);
    assert!(error.contains("cannot load the model") && error.contains("NoSuchOperator"), "{error}");
    assert!(error.contains("hint: run `pip install onnxruntime`"), "{error}");
}

fn missing_weights_are_synthesized_when_asked_for() {
    let folder = folder_without_data_file("w.data");
    let x = Array::new(vec![1, 2], vec![1.0_f32, 2.0]).unwrap();
    std::fs::write(folder.path().join("x.npy"), npy::write("x", &x).unwrap()).unwrap();
    let error = error_of(folder.path(), &["m.onnx", "--input", "x.npy"], 1);
    assert!(error.contains("`w.data`") && error.contains("--synthesize"), "{error}");
    let found = json_of(folder.path(), &["m.onnx", "--input", "x.npy", "--synthesize"]);
    assert_eq!(found["random_weights"], json!(true));
    assert_eq!(found["result"]["outputs"][0]["type"], "float32 [1, 2]");
}

fn both_runtimes_agree() -> Outcome {
    let folder = folder_with_model();
    draw(folder.path());
    let args = ["run", "digits.onnx", "--image", "drawing.png", "--format", "json"];
    let run = run_in(folder.path(), &args);
    if run.stderr.contains("ONNX Runtime is not installed") {
        return Err(Ignored("ONNX Runtime is not installed".to_owned()));
    }
    let found: Value = serde_json::from_str(&run.succeeded()).unwrap();
    let other = json_of(folder.path(), &["digits.onnx", "--image", "drawing.png"]);
    let scores = |run: &Value| -> Vec<f64> {
        let classes = run["result"]["classes"].as_array().unwrap();
        classes.iter().map(|it| it["score"].as_f64().unwrap()).collect()
    };
    assert_ne!(found["runtime"], other["runtime"]);
    assert!(scores(&found).iter().zip(scores(&other)).all(|(a, b)| (a - b).abs() < 1e-4));
    Ok(())
}
