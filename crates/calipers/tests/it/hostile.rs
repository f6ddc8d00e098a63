//! Malformed and malicious files: each by name, with what must be said of it.
//!
//! A file without a line here fails the suite.

use calipers_report::{DType, Report, ValueKind};
use calipers_testkit::{Corpus, Outcome, score};

use crate::support;

calipers_testkit::tests! {
    test: [
        a_long_chain_is_read_whole,
        products_of_many_free_dimensions_are_unknown,
        lengths_of_data_files_do_not_wrap_around,
    ];
    each_corpus: [every_hostile_file_is_reported_right];
}

/// What must be said of a file.
enum Expected {
    /// An error whose message holds this.
    Error(&'static str),
    /// A report with these findings, and no others, that passes this check.
    Report(&'static [&'static str], fn(&Report) -> bool),
}

use Expected::{Error, Report as Reports};

fn fine(report: &Report) -> bool {
    report.unknown.is_empty()
}

/// Whether the report says that a figure is not known.
fn lacks(report: &Report, field: &str) -> bool {
    report.unknown.iter().any(|unknown| unknown.what == field)
}

/// Five elements of a type that take `bytes` in all.
fn five(report: &Report, dtype: &str, bytes: u64) -> bool {
    let of_dtype = dtype.parse().ok().and_then(|dtype| report.parameters.by_dtype.get(&dtype));
    of_dtype == Some(&5) && report.parameters.bytes == Some(bytes)
}

const TRUTH: &[(&str, Expected)] = &[
    ("all_ff.onnx", Error("byte 0: unterminated varint")),
    ("bitflipped_20.onnx", Error("byte 25738: unexpected end of a group, in graph.input[4]")),
    ("chain_100k_nodes.onnx", Reports(&[], |r| r.graph.depth == Some(100_000))),
    ("conv_huge_shape_flops_overflow.onnx", Reports(&["oversized-values"], |r| r.graph.nodes == 1)),
    (
        "cycle.onnx",
        Reports(&["graph-cycle"], |r| {
            r.graph.depth.is_none()
                && lacks(r, "graph.depth")
                && lacks(r, "memory.peak_activation_bytes")
        }),
    ),
    // 1 + 20 Ifs, each with a Neg in its other branch, and the innermost two Negs.
    (
        "deep_if_20.onnx",
        Reports(&["control-flow"], |r| r.graph.nodes_total == 43 && r.graph.subgraphs == 42),
    ),
    // 3,500 dimensions in one sum: more terms than a formula may have.
    (
        "dimbomb.onnx",
        Reports(&["dynamic-dimensions"], |r| {
            r.graph.nodes == 8_001 && lacks(r, "memory.peak_activation_bytes")
        }),
    ),
    (
        "dimchain_800.onnx",
        Reports(&["unused-opset", "dynamic-dimensions"], |r| r.graph.nodes == 801),
    ),
    ("dimgemm_800.onnx", Reports(&["unused-opset", "dynamic-dimensions"], |r| r.graph.nodes == 21)),
    ("dtype_bfloat16.onnx", Reports(&["runtime-versions"], |r| five(r, "bfloat16", 10))),
    ("dtype_bool.onnx", Reports(&["runtime-versions"], |r| r.parameters.constants == Some(5))),
    (
        "dtype_complex64.onnx",
        Reports(&["runtime-versions", "types-of-targets"], |r| five(r, "complex64", 40)),
    ),
    ("dtype_double.onnx", Reports(&["runtime-versions"], |r| five(r, "float64", 40))),
    ("dtype_float4e2m1.onnx", Reports(&["runtime-versions"], |r| five(r, "float4e2m1", 3))),
    ("dtype_float8e4m3fn.onnx", Reports(&["runtime-versions"], |r| five(r, "float8e4m3fn", 5))),
    ("dtype_int4.onnx", Reports(&["runtime-versions"], |r| five(r, "int4", 3))),
    (
        "dtype_string.onnx",
        Reports(&["runtime-versions", "types-of-targets"], |r| {
            r.parameters.stored_bytes == Some(5)
        }),
    ),
    (
        "dtype_uint4.onnx",
        Reports(&["runtime-versions", "types-of-targets"], |r| five(r, "uint4", 3)),
    ),
    (
        "duplicate_initializers.onnx",
        Reports(&["duplicate-name", "unused-initializers"], |r| r.parameters.total == Some(2)),
    ),
    ("duplicate_node_names.onnx", Reports(&["duplicate-node-name"], fine)),
    ("empty.onnx", Error("this is an empty file")),
    ("empty_graph.onnx", Reports(&[], |r| r.graph.nodes == 0 && r.graph.depth == Some(0))),
    ("ext_absolute.onnx", Reports(&["external-data-refused"], |r| refused(r, "absolute"))),
    ("ext_empty_location.onnx", Reports(&["external-data-refused"], |r| refused(r, "empty"))),
    ("ext_length_past_eof.onnx", Reports(&["external-data-range"], |r| detail(r, "8 bytes"))),
    ("ext_missing_file.onnx", Reports(&["external-data-missing"], |r| detail(r, "nope.bin"))),
    ("ext_offset_nan.onnx", Reports(&["external-data-range"], |r| detail(r, "\"abc\""))),
    ("ext_offset_negative.onnx", Reports(&["external-data-range"], |r| detail(r, "\"-4\""))),
    ("ext_path_traversal.onnx", Reports(&["external-data-refused"], |r| refused(r, "outside"))),
    ("ext_windows_path.onnx", Reports(&["external-data-refused"], |r| refused(r, "outside"))),
    ("fp16_in_int32_data.onnx", Reports(&[], |r| r.parameters.by_dtype[&DType::Float16] == 6)),
    // Sixty functions that call the one before twice: 2 + 2·59 nodes as stored, never expanded.
    ("function_bomb_2pow60.onnx", Reports(&["function-expansion"], |r| r.graph.nodes_total == 120)),
    ("html_404.onnx", Error("this is an HTML page")),
    ("init_dims_negative.onnx", Reports(&["tensor-size"], |r| r.parameters.total.is_none())),
    (
        "init_dims_overflow.onnx",
        Reports(&["tensor-size", "declared-type-wrong", "oversized-values"], |r| {
            r.parameters.total.is_none()
        }),
    ),
    ("init_short_data.onnx", Reports(&["tensor-data"], |r| detail(r, "16 bytes, the data has 7"))),
    ("init_unknown_dtype.onnx", Reports(&["tensor-type"], |r| detail(r, "unknown(250)"))),
    ("init_zero_dim.onnx", Reports(&[], |r| r.graph.initializer_elements["float32"] == 0)),
    (
        "injection_names.onnx",
        Reports(&["harmful-names", "dynamic-dimensions"], |r| {
            r.model.metadata["a|b"] == "x\n| y |"
        }),
    ),
    ("ir_9999.onnx", Reports(&["newer-ir"], |r| r.model.ir_version == Some(9999))),
    ("leak_long_dim.onnx", Reports(&["dynamic-dimensions"], |r| r.graph.nodes == 1)),
    (
        "leak_long_names.onnx",
        Reports(&["operators-unknown", "dynamic-dimensions"], |r| r.graph.nodes == 14),
    ),
    ("lfs_pointer.onnx", Error("this is a Git LFS pointer")),
    ("local_functions_nested.onnx", Reports(&[], |r| r.graph.functions == 2)),
    ("no_graph.onnx", Error("the file contains no graph")),
    ("no_opset.onnx", Reports(&["no-opset"], fine)),
    // Two sums of 250 and of 240 dimensions, multiplied: more terms than a formula may have.
    (
        "polybomb_400.onnx",
        Reports(&["dynamic-dimensions"], |r| r.cost.lower_bound && r.graph.nodes == 403),
    ),
    ("polyprod_240.onnx", Reports(&["unused-opset", "dynamic-dimensions"], |r| r.cost.lower_bound)),
    ("random_bytes_4k.onnx", Error("byte 0: invalid wire type 7")),
    // 2^64 - 1 elements.
    ("range_2pow64.onnx", Reports(&["declared-type-wrong"], |r| lacks(r, "cost.other_flops"))),
    (
        "secrets.onnx",
        Reports(&["metadata-secrets", "dynamic-dimensions", "metadata-links"], |r| {
            r.graph.nodes == 1
        }),
    ),
    ("seq_optional_map_types.onnx", Reports(&[], optional_sequence)),
    ("small.bin", Error("this is a file of zeros")),
    ("sparse_initializer.onnx", Reports(&[], |r| r.parameters.total == Some(3))),
    (
        "sum_free_dims_1024.onnx",
        Reports(&["unused-opset", "dynamic-dimensions"], |r| lacks(r, "cost.bytes_moved")),
    ),
    ("trailing_garbage.onnx", Error("byte 26472: invalid wire type 7")),
    ("truncated_half.onnx", Error("a field needs 26418 bytes, 13197 remain")),
    ("truncated_minus1.onnx", Error("a field needs 4 bytes, 3 remain")),
    ("undefined_input.onnx", Reports(&["undefined-input"], |r| detail(r, "\"nope\""))),
    (
        "unicode_names.onnx",
        Reports(&["dynamic-dimensions"], |r| r.graph.inputs[0].name == "輸入🦀"),
    ),
    (
        "unknown_domain_op.onnx",
        Reports(&["operators-unknown"], |r| r.graph.operators[0].domain == "com.acme"),
    ),
    (
        "unknown_op_default_domain.onnx",
        Reports(&["operators-unknown"], |r| r.graph.operators[0].op == "NotAnOp"),
    ),
    ("unsorted_nodes.onnx", Reports(&["nodes-out-of-order"], |r| r.graph.depth == Some(2))),
    // Lengths of 2^64 - 1 and 8 bytes do not wrap around.
    (
        "wrap_external_length.onnx",
        Reports(&["external-data-range", "external-data-missing"], |r| {
            r.model.external_bytes == u64::MAX
        }),
    ),
    ("wrong_value_info.onnx", Reports(&["declared-type-wrong"], |r| detail(r, "float32[9, 9, 9]"))),
    ("zero_nodes_no_io.onnx", Reports(&["no-outputs"], |r| r.graph.nodes == 0)),
    ("zeros.onnx", Error("this is a file of zeros")),
];

fn refused(report: &Report, reason: &str) -> bool {
    report.model.data_files.len() == 1
        && report.model.data_files[0].reason.contains(reason)
        && report.model.data_files[0].bytes.is_none()
}

fn detail(report: &Report, text: &str) -> bool {
    report.findings[0].detail.contains(text)
}

fn optional_sequence(report: &Report) -> bool {
    let [sequence, optional] = &report.graph.outputs[..] else { return false };
    sequence.kind == ValueKind::Sequence
        && sequence.type_text == "sequence(float32[1])"
        && optional.kind == ValueKind::Optional
        && optional.type_text == "optional(sequence(float32[1]))"
}

fn every_hostile_file_is_reported_right(corpus: &Corpus) -> Outcome {
    let paths = corpus.hostile();
    let mut wrong = Vec::new();
    for path in &paths {
        let name = path.file_name().unwrap().to_string_lossy();
        let Some((_, expected)) = TRUTH.iter().find(|(file, _)| *file == name) else {
            wrong.push(format!("{name}: the table does not know this file"));
            continue;
        };
        if let Err(reason) = judge(expected, &support::report(path)) {
            wrong.push(format!("{name}: {reason}"));
        }
    }
    let right = paths.len() - wrong.len();
    score(format!("hostile files, {}: {right} of {} reported right", corpus.name(), paths.len()));
    assert!(!paths.is_empty(), "no files found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    Ok(())
}

fn judge(expected: &Expected, result: &Result<Report, calipers::Error>) -> Result<(), String> {
    match (expected, result) {
        (Error(wanted), Err(error)) => {
            let message = error.to_string();
            message.contains(wanted).then_some(()).ok_or(format!("found {message:?}"))
        }
        (Reports(findings, check), Ok(report)) => {
            let ids: Vec<_> = report.findings.iter().map(|finding| finding.id.as_str()).collect();
            if ids != *findings {
                return Err(format!("findings {ids:?}"));
            }
            check(report).then_some(()).ok_or_else(|| format!("the report says {report:#?}"))
        }
        (Error(_), Ok(_)) => Err("expected an error, found a report".to_owned()),
        (Reports(..), Err(error)) => Err(format!("there is an error: {error}")),
    }
}

/// 100,000 nodes in a row, built here because the file would be large.
fn a_long_chain_is_read_whole() {
    const NODES: usize = 100_000;
    let name = |index: usize| format!("v{index}");
    let mut model = calipers_samples::ModelBuilder::new(17);
    model.input(&name(0), calipers_samples::DataType::F32, &["1"]);
    for index in 0..NODES {
        model.node("Relu", &[&name(index)], &[&name(index + 1)], &[]);
    }
    model.output(&name(NODES), calipers_samples::DataType::F32, &["1"]);
    let model = calipers::Model::read(model.build(), "chain.onnx").unwrap();
    let report = crate::support::analyze(&model);
    assert_eq!((report.graph.nodes, report.graph.depth), (100_000, Some(100_000)));
}

/// [Σ a, 4] × [4, Σ b] over 250 free dimensions each costs 4 · Σ a · Σ b: 62,500 terms, more than a
/// formula may have. The cost is unknown with a reason, not 0, and later nodes do not pay for it.
fn products_of_many_free_dimensions_are_unknown() {
    use calipers_samples::{Attribute, DataType::F32, ModelBuilder};
    let mut model = ModelBuilder::new(17);
    let names = |side: &str| -> Vec<String> { (0..250).map(|i| format!("{side}{i}")).collect() };
    let (left, right) = (names("a"), names("b"));
    for (a, b) in left.iter().zip(&right) {
        model.input(a, F32, &[&format!("n_{a}"), "4"]).input(b, F32, &["4", &format!("n_{b}")]);
    }
    for (side, output, axis) in [(&left, "x", 0), (&right, "y", 1)] {
        let inputs: Vec<&str> = side.iter().map(String::as_str).collect();
        model.node("Concat", &inputs, &[output], &[Attribute::int("axis", axis)]);
    }
    model.node("MatMul", &["x", "y"], &["z0"], &[]);
    for index in 0..200 {
        model.node("Relu", &[&format!("z{index}")], &[&format!("z{}", index + 1)], &[]);
    }
    model.output("z200", F32, &["?", "?"]);
    let model = calipers::Model::read(model.build(), "wide.onnx").unwrap();
    let cost = crate::support::analyze(&model).cost;
    assert!(cost.lower_bound && cost.unknown_count == 201, "{}", cost.unknown_count);
    assert_eq!(cost.unknown[0].op, "MatMul");
    assert!(cost.unknown[0].reason.contains("too many terms"), "{:?}", cost.unknown[0]);
}

/// 2^64 - 1 bytes in one data file and 8 in another do not add up to 7.
fn lengths_of_data_files_do_not_wrap_around() {
    use calipers_samples::{DataType::F32, ModelBuilder, Tensor};
    let mut model = ModelBuilder::new(17);
    model
        .initializer(&Tensor::external("v", F32, &[2], "one.bin", Some(0), Some(u64::MAX)))
        .initializer(&Tensor::external("w", F32, &[2], "two.bin", Some(0), Some(8)))
        .node("Add", &["v", "w"], &["y"], &[])
        .output("y", F32, &["2"]);
    let model = calipers::Model::read(model.build(), "long.onnx").unwrap();
    assert_eq!(crate::support::analyze(&model).model.external_bytes, u64::MAX);
}
