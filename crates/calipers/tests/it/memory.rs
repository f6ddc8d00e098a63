//! Memory of real models against what was measured by running them, and against labels.
use std::path::Path;

use calipers::Bindings;
use calipers_report::{KvCache, Memory, Report};
use calipers_samples::DataType::{Bool, F16, F32, I64};
use calipers_samples::{Attribute, Graph, ModelBuilder, Tensor};
use calipers_testkit::{Corpus, Facts, Label, Outcome, fixture, score};
use serde_json::Value;

use crate::support;
use crate::support::analyze_bound;

calipers_testkit::tests! {
    test: [
        free_dimensions_give_a_formula_and_assumptions,
        assumed_sizes_are_those_of_a_likely_run,
        a_cache_by_hand,
        encoders_and_images_have_no_cache,
        places_are_reused_by_rule,
        a_view_keeps_its_place_alive,
        constants_are_no_activations,
        subgraphs_add_their_peak_inside_their_node,
        what_the_data_decides_has_no_peak,
        layouts_of_caches,
        attention_operators_keep_caches,
        what_an_encoder_gave_does_not_grow,
    ];
    each_corpus: [peaks_of_executed_models_are_right, labeled_caches_are_right];
    extended: [mnist_by_hand];
}

fn bound(path: &Path, dims: &[(&str, i64)]) -> Report {
    let dims = dims.iter().map(|(name, size)| ((*name).to_owned(), *size)).collect();
    let model = calipers::Model::open(path).unwrap();
    analyze_bound(&model, &Bindings { dims, ..Bindings::default() }).unwrap()
}

fn zoo(name: &str) -> std::path::PathBuf {
    fixture(format!("zoo/{name}.onnx"))
}

fn memory(name: &str) -> Memory {
    bound(&zoo(name), &[]).memory
}

fn peaks_of_executed_models_are_right(corpus: &Corpus) -> Outcome {
    let (mut models, mut right, mut open) = (0, 0, Vec::new());
    let mut wrong = Vec::new();
    for Facts { model: path, truth } in corpus.facts() {
        let Some(wanted) = truth["peak_activation_bytes"].as_u64() else { continue };
        let wanted_at = truth["peak_at"].as_str().unwrap();
        let model = calipers::Model::open(&path).unwrap();
        let report = analyze_bound(&model, &support::feeds(&truth)).unwrap();
        let memory = report.memory;
        models += 1;
        let has_subgraphs = truth["nodes"] != truth["nodes_with_subgraphs"];
        let data_dependent = !report.shapes.data_dependent.is_empty();
        let Some(found) = memory.peak_activation_bytes else {
            let reason = report.unknown.iter().find(|u| u.what.starts_with("memory.peak"));
            let line = format!("{}: {}", path.display(), reason.unwrap().reason);
            match data_dependent {
                true => open.push(line),
                false => wrong.push(line),
            }
            continue;
        };
        let at = memory.peak_at.unwrap();
        if found == wanted && (at == wanted_at || at.starts_with(&format!("{wanted_at} (node"))) {
            right += 1;
        } else {
            let line =
                format!("{}: {wanted} at {wanted_at}, found {found} at {at}", path.display());
            match has_subgraphs {
                true => open.push(line),
                false => wrong.push(line),
            }
        }
        assert_eq!(memory.timeline.iter().max(), Some(&found));
        assert_eq!(memory.timeline.len(), model.ir().main().order.len());
        assert!(memory.peak_activation_in_place_bytes.unwrap() <= found);
    }
    let (name, unknown) = (corpus.name(), open.len());
    score(format!(
        "peak memory, {name}: {right} of {models} exact, {unknown} open, {} wrong",
        wrong.len()
    ));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(models >= 15, "only {models} models found");
    assert!(right * 100 >= models * 85, "the score dropped\n{}", open.join("\n"));
    Ok(())
}

fn mnist_by_hand(corpus: &Corpus) -> Outcome {
    let memory = bound(&corpus.model("mnist-8").unwrap(), &[]).memory;
    // A convolution gives 8 × 28 × 28 floats, its bias added next to it: 2 × 25,088.
    assert_eq!(memory.peak_activation_bytes, Some(50_176));
    assert_eq!(memory.peak_at.as_deref(), Some("Plus30"));
    // The bias overwrites, and so does the rectifier: the convolution next to the image of 28 × 28
    // floats, or next to the pooled 8 × 14 × 14.
    assert_eq!(memory.peak_activation_in_place_bytes, Some(25_088 + 8 * 14 * 14 * 4));
    assert_eq!(memory.weights_bytes, Some(24_008));
    assert_eq!(memory.largest[0].bytes, 25_088);
    assert_eq!(memory.largest[0].type_text, "float32[1, 8, 28, 28]");
    assert_eq!(memory.formula, None);
    assert_eq!(memory.kv_cache, None);
    Ok(())
}

fn free_dimensions_give_a_formula_and_assumptions() {
    let path = zoo("resnet18_op13");
    let free = bound(&path, &[]);
    let memory = &free.memory;
    // 64 × 112 × 112 floats of the first convolution, and as many after its rectifier.
    assert_eq!(memory.peak_activation_bytes, Some(2 * 64 * 112 * 112 * 4));
    assert_eq!(memory.formula.as_deref(), Some("6422528*batch"));
    let assumed = free.assumptions.iter().find(|a| a.what == "dimension batch").unwrap();
    assert_eq!(assumed.value, "1");
    let four = bound(&path, &[("batch", 4)]);
    assert_eq!(four.memory.peak_activation_bytes, Some(4 * 6_422_528));
    assert!(four.assumptions.iter().all(|assumption| !assumption.what.starts_with("dimension")));
}

/// What is assumed of each dimension.
fn assumed(name: &str) -> Vec<(String, String)> {
    let assumptions = bound(&zoo(name), &[]).assumptions.into_iter();
    assumptions
        .filter_map(|a| Some((a.what.strip_prefix("dimension ")?.to_owned(), a.value)))
        .collect()
}

fn assumed_sizes_are_those_of_a_likely_run() {
    let pairs = |pairs: &[(&str, &str)]| -> Vec<(String, String)> {
        pairs.iter().map(|(name, size)| ((*name).to_owned(), (*size).to_owned())).collect()
    };
    let text = pairs(&[("batch_size", "1"), ("sequence_length", "128")]);
    assert_eq!(assumed("e5-small-v2"), text);
    // One step of a decoder: a token after 127.
    let cached =
        pairs(&[("batch_size", "1"), ("past_sequence_length", "127"), ("sequence_length", "1")]);
    assert_eq!(assumed("gpt2_tiny_kv_op17"), cached);
    let mut model = ModelBuilder::new(17);
    model.input("x", F32, &["n", "3", "h", "w"]).node("Relu", &["x"], &["y"], &[]).output(
        "y",
        F32,
        &["?", "?", "?", "?"],
    );
    assert_eq!(peaks(&model).0, 2 * 3 * 224 * 224 * 4);
}

/// Figures of a cache that labels give.
fn check_cache(name: &str, memory: &Memory, label: &Value) -> Vec<String> {
    let mut wrong = Vec::new();
    let Some(has) = label["kv_cache"].as_bool() else {
        if memory.kv_cache.is_some() {
            wrong.push(format!("{name}: a cache is found of where no label has one"));
        }
        return wrong;
    };
    let Some(cache) = &memory.kv_cache else {
        if has {
            wrong.push(format!("{name}: the cache is not found"));
        }
        return wrong;
    };
    if !has {
        wrong.push(format!("{name}: it has no cache: {:?}", cache.evidence));
    }
    let figures = [
        ("layers", Some(cache.layers)),
        ("kv_heads", cache.kv_heads),
        ("head_dim", cache.head_dim),
        ("kv_bytes_per_token", cache.bytes_per_token),
    ];
    for (key, found) in figures {
        let wanted = label[key].as_u64();
        if wanted.is_some() && wanted != found {
            wrong.push(format!("{name}: {key} is {wanted:?}, found {found:?}"));
        }
    }
    wrong
}

fn labeled_caches_are_right(corpus: &Corpus) -> Outcome {
    let (mut models, mut caches, mut wrong) = (0, 0, Vec::new());
    for Label { name, model, fields } in corpus.labels() {
        let memory = bound(&model, &[]).memory;
        models += 1;
        caches += usize::from(memory.kv_cache.is_some());
        wrong.extend(check_cache(&name, &memory, &fields));
    }
    let name = corpus.name();
    score(format!("KV caches, {name}: {models} models, {caches} caches, {} wrong", wrong.len()));
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

fn a_cache_by_hand() {
    // 32 layers, keys and values of 32 heads of 128 halves: 2 × 32 × 32 × 128 × 2 bytes.
    let cache = memory("llama7b_synth").kv_cache.unwrap();
    assert_eq!((cache.layers, cache.kv_heads, cache.head_dim), (32, Some(32), Some(128)));
    assert_eq!(cache.dtype, "float16");
    assert_eq!(cache.bytes_per_token, Some(524_288));
    // A token after 2,047 others: 2,048 tokens of 524,288 bytes are a gibibyte.
    let dims =
        [("batch", 1), ("past", 2047), ("seq", 1)].map(|(name, size)| (name.to_owned(), size));
    let bindings = Bindings { dims: dims.into(), ..Bindings::default() };
    let model = calipers::Model::open(zoo("llama7b_synth")).unwrap();
    let cache = analyze_bound(&model, &bindings).unwrap().memory.kv_cache.unwrap();
    assert_eq!((cache.context, cache.bytes_at_context), (Some(2048), Some(1 << 30)));
    assert_eq!(cache.fixed_bytes, Some(0));
    // 2 layers, 4 heads of 16 floats.
    let cache = memory("gpt2_tiny_kv_op17").kv_cache.unwrap();
    assert_eq!((cache.layers, cache.kv_heads, cache.head_dim), (2, Some(4), Some(16)));
    assert_eq!(cache.bytes_per_token, Some(2 * 2 * 4 * 16 * 4));
    assert!(!cache.evidence.is_empty());
    // Binding the past does not hide the cache.
    let path = zoo("llama_tiny_gqa_kv_op17");
    let names: Vec<String> = bound(&path, &[]).bindings.into_keys().collect();
    let dims: Vec<(&str, i64)> = names.iter().map(String::as_str).zip(2..).collect();
    let cache = bound(&path, &dims).memory.kv_cache.unwrap();
    assert_eq!(cache.bytes_per_token, Some(2 * 2 * 2 * 8 * 4));
}

fn encoders_and_images_have_no_cache() {
    for name in
        ["bert_tiny_cls_op17", "resnet18_op13", "whisper_tiny_encoder_op17", "unet_c16_op17"]
    {
        assert_eq!(memory(name).kv_cache, None, "{name}");
    }
}

fn built(builder: &ModelBuilder) -> Report {
    crate::support::analyze(&calipers::Model::read(builder.build(), "test.onnx").unwrap())
}

/// Peaks as written and with reuse.
fn peaks(builder: &ModelBuilder) -> (u64, u64) {
    let memory = built(builder).memory;
    (memory.peak_activation_bytes.unwrap(), memory.peak_activation_in_place_bytes.unwrap())
}

fn places_are_reused_by_rule() {
    // 100 floats are 400 bytes.
    let chain = |ops: &[&str]| {
        let mut model = ModelBuilder::new(17);
        model.input("v0", F32, &["100"]);
        for (at, op) in ops.iter().enumerate() {
            model.node(op, &[&format!("v{at}")], &[&format!("v{}", at + 1)], &[]);
        }
        model.output(&format!("v{}", ops.len()), F32, &["100"]);
        peaks(&model)
    };
    // The caller's input is not overwritten, whatever comes after is.
    assert_eq!(chain(&["Exp", "Relu", "Neg"]), (800, 800));
    // A softmax reads what it has not yet written: input gone, two places.
    assert_eq!(chain(&["Exp", "Softmax", "Relu"]), (800, 800));
    // A view of the input takes no place, and cannot be overwritten either.
    assert_eq!(chain(&["Identity"]), (800, 400));
    assert_eq!(chain(&["Identity", "Relu"]), (800, 800));
}

fn a_view_keeps_its_place_alive() {
    let mut model = ModelBuilder::new(17);
    model
        .input("x", F32, &["10", "10"])
        .initializer(&Tensor::i64("shape", &[2], &[5, 20]))
        .initializer(&Tensor::i64("back", &[2], &[10, 10]))
        .node("Exp", &["x"], &["a"], &[])
        .node("Reshape", &["a", "shape"], &["b"], &[])
        .node("Relu", &["b"], &["c"], &[])
        .node("Reshape", &["c", "back"], &["d"], &[])
        .node("Add", &["d", "a"], &["e"], &[])
        .output("e", F32, &["10", "10"]);
    // As written: at the Relu a, b, c; at the Add a, d, e. In place: x and a, then a and c, which e
    // overwrites.
    assert_eq!(peaks(&model), (1_200, 800));
}

fn constants_are_no_activations() {
    let mut model = ModelBuilder::new(17);
    model
        .input("x", F32, &["10"])
        .initializer(&Tensor::f32("w", &[10], &[1.0; 10]))
        .node("Exp", &["w"], &["huge"], &[])
        .node("Mul", &["x", "huge"], &["y"], &[])
        .output("y", F32, &["10"]);
    let memory = built(&model).memory;
    assert_eq!(memory.timeline, [40, 80]);
    assert_eq!(memory.weights_bytes, Some(40));
}

fn subgraphs_add_their_peak_inside_their_node() {
    let mut dear = Graph::new("dear");
    // Captures x; two values of 40 bytes at once, the second is the branch's output.
    dear.node("Exp", &["x"], &["inner"], &[]).node("Neg", &["inner"], &["dear"], &[]).output(
        "dear",
        F32,
        &["10"],
    );
    let mut cheap = Graph::new("cheap");
    cheap.node("Neg", &["x"], &["cheap"], &[]).output("cheap", F32, &["10"]);
    let branches =
        [Attribute::graph("then_branch", &dear), Attribute::graph("else_branch", &cheap)];
    let mut model = ModelBuilder::new(17);
    model
        .input("c", Bool, &[])
        .input("x", F32, &["10"])
        .node("If", &["c"], &["y"], &branches)
        .output("y", F32, &["10"]);
    // The condition, x, and 80 bytes of the more expensive branch.
    assert_eq!(built(&model).memory.timeline, [1 + 40 + 80]);
}

fn what_the_data_decides_has_no_peak() {
    let mut model = ModelBuilder::new(17);
    model.input("x", F32, &["10"]).node("NonZero", &["x"], &["y"], &[]).output(
        "y",
        I64,
        &["1", "?"],
    );
    let report = built(&model);
    assert_eq!(report.memory.peak_activation_bytes, None);
    let unknown = report.unknown.iter().find(|u| u.what == "memory.peak_activation_bytes").unwrap();
    assert!(unknown.reason.contains("depends on the data"), "{}", unknown.reason);
    assert!(unknown.reason.contains("40 bytes"), "{}", unknown.reason);
}

/// A step of attention whose keys and values are `parts` of the query, joined to the past.
fn decoder(shape: &[&str], axis: i64, joined: &[&str]) -> ModelBuilder {
    let mut model = ModelBuilder::new(17);
    let fresh: Vec<&str> =
        shape.iter().map(|dim| if *dim == "past" { "new" } else { *dim }).collect();
    model.input("q", F16, &fresh);
    for name in ["a", "b"] {
        model
            .input(name, F16, shape)
            .node("Exp", &["q"], &[&format!("{name}_new")], &[])
            .node(
                "Concat",
                &[name, &format!("{name}_new")],
                &[&format!("{name}_all")],
                &[Attribute::int("axis", axis)],
            )
            .node("Transpose", &[&format!("{name}_all")], &[&format!("{name}_t")], &[])
            .node("MatMul", &["anything", &format!("{name}_t")], &[&format!("{name}_score")], &[])
            .output(&format!("{name}_all"), F16, joined);
    }
    model
}

fn cache(builder: &ModelBuilder) -> Option<KvCache> {
    built(builder).memory.kv_cache
}

fn layouts_of_caches() {
    let open4 = ["?", "?", "?", "?"];
    let found = cache(&decoder(&["batch", "8", "past", "64"], 2, &open4)).unwrap();
    assert_eq!((found.layers, found.kv_heads, found.head_dim), (1, Some(8), Some(64)));
    assert_eq!(found.bytes_per_token, Some(2 * 8 * 64 * 2));
    let found = cache(&decoder(&["batch", "past", "8", "64"], 1, &open4)).unwrap();
    assert_eq!((found.kv_heads, found.head_dim), (Some(8), Some(64)));
    let found = cache(&decoder(&["batch", "8", "64", "past"], 3, &open4)).unwrap();
    assert_eq!((found.kv_heads, found.head_dim), (Some(8), Some(64)));
    // Keys and values stacked: each input holds both.
    let stacked = decoder(&["2", "batch", "8", "past", "64"], 3, &["?", "?", "?", "?", "?"]);
    let found = cache(&stacked).unwrap();
    assert_eq!((found.layers, found.bytes_per_token), (2, Some(4 * 8 * 64 * 2)));
    // Heads in the batch.
    let found = cache(&decoder(&["batch*8", "past", "64"], 1, &["?", "?", "?"])).unwrap();
    assert_eq!((found.kv_heads, found.head_dim), (Some(8), Some(64)));
    assert_eq!(found.bytes_per_token, Some(2 * 8 * 64 * 2));
    // Heads that cannot be found.
    let found = cache(&decoder(&["batch", "past", "512"], 1, &["?", "?", "?"])).unwrap();
    assert_eq!((found.kv_heads, found.bytes_per_token), (None, Some(2 * 512 * 2)));
    // Joined along the batch, it is no cache.
    assert_eq!(cache(&decoder(&["past", "8", "1", "64"], 0, &open4)), None);
}

fn attention_operators_keep_caches() {
    let mut model = ModelBuilder::new(23);
    model
        .input("q", F32, &["batch", "8", "new", "64"])
        .input("k", F32, &["batch", "2", "new", "64"])
        .input("past_k", F32, &["batch", "2", "past", "64"])
        .input("past_v", F32, &["batch", "2", "past", "64"])
        .node("Attention", &["q", "k", "k", "", "past_k", "past_v"], &["y", "all_k", "all_v"], &[])
        .output("y", F32, &["?", "?", "?", "?"])
        .output("all_k", F32, &["?", "?", "?", "?"])
        .output("all_v", F32, &["?", "?", "?", "?"]);
    let found = cache(&model).unwrap();
    assert_eq!((found.layers, found.kv_heads, found.head_dim), (1, Some(2), Some(64)));
    assert_eq!(found.bytes_per_token, Some(2 * 2 * 64 * 4));
    assert!(found.evidence[0].contains("past_k"), "{:?}", found.evidence);
}

fn what_an_encoder_gave_does_not_grow() {
    let mut model = decoder(&["batch", "8", "past", "64"], 2, &["?", "?", "?", "?"]);
    for name in ["cross_k", "cross_v"] {
        model.input(name, F16, &["batch", "8", "1500", "64"]).node(
            "MatMul",
            &["anything", name],
            &[&format!("{name}_score")],
            &[],
        );
    }
    let found = cache(&model).unwrap();
    assert_eq!(found.layers, 1);
    assert_eq!(found.fixed_bytes, Some(2 * 8 * 1_500 * 64 * 2));
}
