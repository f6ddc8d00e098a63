//! The ONNX standard's own operator cases: types and shapes of every output, with all output types
//! removed from the files.
//!
//! `const`: small inputs are initializers, as exporters write them. `asis`: they stay inputs, so a
//! shape that depends on them is unknown. A case is *exact* when type and every dimension of
//! every output are right as numbers; *wrong* when anything said is false. The suite prints its
//! score, and fails when something is wrong or the score drops. `scripts/conformance` makes the
//! cases from the `onnx` package.
use std::collections::BTreeMap;
use std::path::Path;

use calipers::Bindings;
use calipers_infer::infer;
use calipers_ir::DType;
use calipers_ops::Fact;
use calipers_testkit::{Corpus, Outcome};
use serde_json::Value;

calipers_testkit::tests! {
    each_corpus: [small_inputs_as_initializers, all_inputs_as_inputs];
}

/// How well a case was inferred; the worst output decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Verdict {
    Exact,
    /// Right as far as it goes, with dimensions left open.
    Open,
    /// The type only, or nothing.
    Little,
    Wrong,
    Error,
}

use Verdict::{Error, Exact, Little, Open, Wrong};

fn run(folder: &Path, expected: &Value) -> BTreeMap<String, (Verdict, String)> {
    let mut verdicts = BTreeMap::new();
    for (name, case) in expected.as_object().unwrap() {
        let path = folder.join(format!("{name}.onnx"));
        let verdict = match calipers_formats::open(&path) {
            Err(error) => (Error, error.to_string()),
            Ok(model) => match infer(&model, &Bindings::default()) {
                Err(error) => (Error, error.to_string()),
                Ok(typed) => {
                    let outputs = &model.main().outputs;
                    let wanted = case["outputs"].as_array().unwrap();
                    outputs
                        .iter()
                        .zip(wanted)
                        .map(|(value, wanted)| {
                            let fact = typed.fact(*value);
                            let reason = match fact {
                                Fact::Unknown(reason) => reason.to_string(),
                                other => other.to_string(),
                            };
                            (judge(fact, wanted), format!("{reason}, and it is {wanted}"))
                        })
                        .max_by_key(|(verdict, _)| *verdict)
                        .unwrap_or((Exact, String::new()))
                }
            },
        };
        verdicts.insert(name.clone(), verdict);
    }
    verdicts
}

fn judge(fact: &Fact, wanted: &Value) -> Verdict {
    let tensor = match (fact, wanted["kind"].as_str().unwrap()) {
        (Fact::Unknown(_), _) => return Little,
        (Fact::Sequence(item), "sequence") => return judge_item(&item.element, wanted),
        (Fact::Optional(_), "optional" | "sequence" | "none") => return Exact,
        (Fact::Tensor(tensor), "tensor") => tensor,
        (Fact::Optional(inner), _) => return judge(inner, wanted),
        (Fact::Tensor(_) | Fact::Sequence(_), _) => return Wrong,
        _ => return Little,
    };
    let dtype = DType::from_onnx(i32::try_from(wanted["dtype"].as_i64().unwrap()).unwrap());
    if tensor.dtype == DType::Undefined {
        return Little;
    }
    if tensor.dtype != dtype {
        return Wrong;
    }
    let Some(dims) = tensor.dims() else { return Little };
    let wanted: Vec<i64> =
        wanted["shape"].as_array().unwrap().iter().map(|dim| dim.as_i64().unwrap()).collect();
    if dims.len() != wanted.len() {
        return Wrong;
    }
    let dims = dims.iter().zip(wanted).map(|(dim, wanted)| match dim.as_const() {
        Some(size) if size == wanted => Exact,
        Some(_) => Wrong,
        None => Open,
    });
    dims.max().unwrap_or(Exact)
}

/// A sequence is judged by the type of its items: the cases do not give their shapes.
fn judge_item(item: &Fact, wanted: &Value) -> Verdict {
    match (item, wanted["dtype"].as_i64()) {
        (_, None) => Exact,
        (Fact::Tensor(item), Some(dtype)) if item.dtype != DType::Undefined => {
            let right = item.dtype == DType::from_onnx(i32::try_from(dtype).unwrap());
            if right { Exact } else { Wrong }
        }
        _ => Little,
    }
}

fn score(corpus: &Corpus, mode: &str, floor: f64) -> Outcome {
    let folder = corpus.conformance()?;
    let expected = std::fs::read(folder.join("expected.json")).unwrap();
    let expected: Value = serde_json::from_slice(&expected).unwrap();
    let verdicts = run(&folder.join(mode), &expected);
    let count =
        |wanted: Verdict| verdicts.values().filter(|(verdict, _)| *verdict == wanted).count();
    let share = 100.0 * count(Exact) as f64 / verdicts.len() as f64;
    calipers_testkit::score(format!(
        "conformance {mode}, {}: {} of {} exact ({share:.1} %), {} open, {} little, {} wrong, {} errors",
        corpus.name(),
        count(Exact),
        verdicts.len(),
        count(Open),
        count(Little),
        count(Wrong),
        count(Error),
    ));
    if std::env::var_os("CALIPERS_LIST").is_some() {
        for (name, (verdict, found)) in &verdicts {
            if *verdict != Exact {
                calipers_testkit::score(format!("{verdict:?} {name}: {found}"));
            }
        }
    }
    let bad: Vec<_> = verdicts
        .iter()
        .filter(|(_, (verdict, _))| matches!(verdict, Wrong | Error))
        .map(|(name, (verdict, found))| format!("{name}: {verdict:?}: {found}"))
        .collect();
    assert!(bad.is_empty(), "{}", bad.join("\n"));
    assert!(share >= floor, "the score dropped below {floor} %");
    Ok(())
}

fn small_inputs_as_initializers(corpus: &Corpus) -> Outcome {
    score(corpus, "const", 97.5)
}

fn all_inputs_as_inputs(corpus: &Corpus) -> Outcome {
    score(corpus, "asis", 82.0)
}
