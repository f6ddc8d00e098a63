//! Shapes of real models against those seen when they ran, value by value.
use std::collections::BTreeMap;

use calipers::Bindings;
use calipers_infer::{Typed, infer};
use calipers_ir::{DType, Model};
use calipers_ops::Fact;
use calipers_testkit::{Corpus, Facts, Outcome, fixture, score};
use proptest::prelude::ProptestConfig;
use serde_json::Value;

use crate::support;

calipers_testkit::tests! {
    test: [symbols_hold_at_random_sizes];
    each_corpus: [shapes_of_executed_models_are_right, symbols_agree_with_bound_sizes];
}

fn shapes_of_executed_models_are_right(corpus: &Corpus) -> Outcome {
    let (mut values, mut right, mut models, mut whole) = (0, 0, 0, 0);
    let (mut wrong, mut open) = (Vec::new(), Vec::new());
    for Facts { model: path, truth } in corpus.facts() {
        let Some(wanted) = truth["values"].as_object() else { continue };
        let model = calipers_formats::open(&path).unwrap();
        let typed = match infer(&model, &support::feeds(&truth)) {
            Ok(typed) => typed,
            Err(error) => panic!("{}: {error}", path.display()),
        };
        let main = model.main_id();
        let by_name: BTreeMap<&str, _> = model
            .values()
            .filter(|(_, value)| value.graph == main)
            .map(|(id, value)| (model.name(value.name), id))
            .collect();
        models += 1;
        let mut missed = 0;
        for (name, truth) in wanted {
            values += 1;
            let fact = by_name.get(name.as_str()).map(|id| typed.fact(*id));
            match fact.map(|fact| judge(fact, truth)) {
                Some(Some(true)) => right += 1,
                Some(Some(false)) => {
                    wrong.push(format!(
                        "{}: {name} is {truth}, found {}",
                        path.display(),
                        fact.unwrap()
                    ));
                }
                _ => {
                    missed += 1;
                    let found = fact.map(|fact| match fact {
                        Fact::Unknown(reason) => reason.to_string(),
                        other => other.to_string(),
                    });
                    open.push(format!("{}: {name} is {truth}, found {found:?}", path.display()));
                }
            }
        }
        whole += usize::from(missed == 0);
    }
    let share = 100.0 * right as f64 / values as f64;
    score(format!(
        "shapes, {}: {right} of {values} values ({share:.2} %), {whole} of {models} models complete, {} wrong",
        corpus.name(),
        wrong.len()
    ));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(share >= 99.7, "the score dropped\n{}", open.join("\n"));
    Ok(())
}

/// Whether a fact is right; `None` when it leaves something open.
fn judge(fact: &Fact, truth: &Value) -> Option<bool> {
    let tensor = match fact {
        Fact::Tensor(tensor) => tensor,
        Fact::Unknown(_) => return None,
        _ => return Some(truth[0].as_str().is_none_or(|kind| !kind.starts_with("float"))),
    };
    let dims = tensor.dims().filter(|_| tensor.dtype != calipers_ir::DType::Undefined)?;
    let wanted: Vec<i64> = truth[1].as_array()?.iter().map(|dim| dim.as_i64().unwrap()).collect();
    // A type that is left open says nothing false.
    let mut open = tensor.dtype == DType::Undefined;
    if (!open && tensor.dtype.to_string() != truth[0].as_str()?) || dims.len() != wanted.len() {
        return Some(false);
    }
    for (dim, wanted) in dims.iter().zip(wanted) {
        match dim.as_const() {
            Some(size) if size != wanted => return Some(false),
            Some(_) => {}
            None => open = true,
        }
    }
    (!open).then_some(true)
}

/// Whether a symbolic answer, evaluated where its dimensions are bound, is the bound answer; for
/// every value of the main graph. Gives the number of dimensions compared, and those that differ;
/// `None` where the model cannot run at these sizes.
fn compare(model: &Model, symbolic: &Typed, bindings: &Bindings) -> Option<(usize, Vec<String>)> {
    let bound = infer(model, bindings).unwrap();
    // Sizes that contradict each other inside the model are the model's to refuse.
    if !bound.contradictions.is_empty() {
        return None;
    }
    let (mut compared, mut wrong) = (0, Vec::new());
    for (id, value) in model.values().filter(|(_, value)| value.graph == model.main_id()) {
        let dims = |fact: &Fact| fact.as_tensor()?.dims().map(<[_]>::to_vec);
        let (Some(one), Some(other)) = (dims(symbolic.fact(id)), dims(bound.fact(id))) else {
            continue;
        };
        let name = model.name(value.name);
        if one.len() != other.len() {
            wrong.push(format!("{name} has two ranks"));
            continue;
        }
        for (symbolic, bound) in one.iter().zip(&other) {
            let found = symbolic.evaluate(|name| bindings.dims.get(name).copied());
            // What the data decides has no number in either.
            let (Ok(found), Some(bound)) = (found, bound.as_const()) else { continue };
            compared += 1;
            if found != bound {
                wrong.push(format!("{name}: {symbolic} is {found} and {bound}"));
            }
        }
    }
    Some((compared, wrong))
}

fn free_dims(model: &Model) -> Vec<String> {
    calipers_infer::free_names(model).into_iter().collect()
}

/// A symbolic shape, evaluated, is the shape that inference finds with the same sizes bound.
fn symbols_agree_with_bound_sizes(corpus: &Corpus) -> Outcome {
    let (mut compared, mut bindings, mut skipped, mut wrong) = (0, 0, 0, Vec::new());
    for path in corpus.models() {
        let model = calipers_formats::open(&path).unwrap();
        let symbolic = infer(&model, &Bindings::default()).unwrap();
        let names = free_dims(&model);
        // Two bindings, each with sizes that differ from one dimension to the next.
        for first in [2, 5] {
            let dims: BTreeMap<_, _> = names.iter().cloned().zip(first..).collect();
            if dims.is_empty() {
                continue;
            }
            let bound = Bindings { dims, ..Bindings::default() };
            let Some((count, bad)) = compare(&model, &symbolic, &bound) else {
                skipped += 1;
                continue;
            };
            bindings += 1;
            compared += count;
            wrong.extend(bad.iter().map(|found| format!("{}: {found}", path.display())));
        }
    }
    score(format!(
        "symbols, {}: {compared} dimensions at {bindings} bindings compared, {} wrong; {skipped} \
         bindings contradict their model and are skipped",
        corpus.name(),
        wrong.len()
    ));
    assert!(bindings > skipped, "most bindings contradict their model");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

proptest::proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    /// The same, at sizes nobody chose.
    fn symbols_hold_at_random_sizes(sizes in proptest::collection::vec(1_i64..300, 4), pick in 0_usize..6) {
        let names = [
            "bert_tiny_cls_op17", "gpt2_tiny_kv_op17", "llama_tiny_gqa_kv_op17", "t5_tiny_encdec_op17",
            "clip_tiny_op17", "lstm_bi2_op17",
        ];
        let path = fixture(format!("zoo/{}.onnx", names[pick]));
        let model = calipers_formats::open(&path).unwrap();
        let symbolic = infer(&model, &Bindings::default()).unwrap();
        let dims = free_dims(&model).into_iter().zip(sizes).collect();
        let bindings = Bindings { dims, ..Bindings::default() };
        if let Some((compared, wrong)) = compare(&model, &symbolic, &bindings) {
            proptest::prop_assert!(compared > 10);
            proptest::prop_assert!(wrong.is_empty(), "{}", wrong.join("\n"));
        }
    }
}
