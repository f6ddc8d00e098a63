//! Parity of the traits with each other and with the rules for cost.

use calipers_ir::DType;
use calipers_sym::Expr;

use super::{Activation, Class, Lowering, Movement, WeightFormat};
use crate::context::{Attr, OpContext};
use crate::cost::Traffic;
use crate::fact::Fact;
use crate::row::Operator;
use crate::testing::{Counter, Named};
use crate::{FAMILIES, ONNX, find};

fn rows() -> impl Iterator<Item = &'static Operator> {
    FAMILIES.iter().flat_map(|rows| rows.iter())
}

fn shown(row: &Operator) -> String {
    format!("{}.{}", row.domain, row.name)
}

/// Attributes that let most operators compute on tensors of 4 by 4 and so on.
const USUAL: &[(&str, Attr<'_>)] = &[
    ("K", Attr::Int(4)),
    ("N", Attr::Int(4)),
    ("Nkv", Attr::Int(4)),
    ("Nq", Attr::Int(4)),
    ("coefficients", Attr::Floats(&[1.0; 4])),
    ("equation", Attr::Text(b"ij,jk->ik")),
    ("hidden_size", Attr::Int(4)),
    ("kv_num_heads", Attr::Int(2)),
    ("num_heads", Attr::Int(2)),
    ("q_num_heads", Attr::Int(2)),
    ("support_vectors", Attr::Floats(&[1.0; 4])),
    ("window", Attr::Int(2)),
];

/// Attributes for those that need a kernel, a block or a type.
const OTHERS: &[(&str, Attr<'_>)] = &[
    ("blocksize", Attr::Int(2)),
    ("channels", Attr::Int(4)),
    ("kernel_shape", Attr::Ints(&[2, 2])),
    ("pooled_shape", Attr::Ints(&[2, 2])),
    ("shape", Attr::Ints(&[2, 2])),
    ("size", Attr::Int(3)),
    ("to", Attr::Int(1)),
];

/// Dimensions of inputs that do not all have the same shape. An empty list is an input that is
/// left out.
const EXAMPLES: &[(&str, &[&[i64]])] = &[
    // X[steps, batch, in], W[1, gates · 4, in], R[1, gates · 4, 4].
    (
        "AttnLSTM",
        &[
            &[2, 3, 5],
            &[1, 16, 5],
            &[1, 16, 4],
            &[],
            &[],
            &[],
            &[],
            &[],
            &[4, 6],
            &[7, 6],
            &[6],
            &[3, 8, 7],
        ],
    ),
    ("GRU", &[&[2, 3, 5], &[1, 12, 5], &[1, 12, 4]]),
    ("LSTM", &[&[2, 3, 5], &[1, 16, 5], &[1, 16, 4]]),
    ("LongformerAttention", &[&[1, 8, 4], &[4, 12]]),
    ("QOrderedLongformerAttention", &[&[1, 8, 4], &[1], &[4, 12]]),
    ("RNN", &[&[2, 3, 5], &[1, 4, 5], &[1, 4, 4]]),
];

/// Contractions whose cost depends on the elements of an input, so that no call can be made here.
const BY_ELEMENTS: &[&str] =
    &["DecoderAttention", "PagedAttention", "SparseAttention", "SparsePagedAttention"];

/// Whether a call on tensors of these dimensions costs multiply-accumulates; `None` when it cannot
/// be made.
fn multiplies(row: &Operator, inputs: &[&[i64]], attributes: &[(&str, Attr<'_>)]) -> Option<bool> {
    let fact = |dims: &&[i64]| {
        let fact = || Fact::tensor(DType::Float32, dims.iter().map(|dim| Expr::from(*dim)));
        (!dims.is_empty()).then(fact)
    };
    let inputs: Vec<Option<Fact>> = inputs.iter().map(fact).collect();
    let (attributes, mut fresh) = (Named(attributes), Counter::new("d", 0));
    let mut ctx = OpContext::new(row.name, 28, 3, &inputs, &attributes, &mut fresh);
    let outputs = (row.rule?)(&mut ctx).ok()?;
    let work = (row.cost?)(&ctx, &outputs).ok()?;
    Some(work.macs != Expr::ZERO)
}

/// Whether any call that can be made costs multiply-accumulates.
fn probe(row: &Operator) -> Option<bool> {
    if let Some((_, inputs)) = EXAMPLES.iter().find(|(name, _)| *name == row.name) {
        return multiplies(row, inputs, USUAL);
    }
    let shapes: [&[i64]; 3] = [&[4, 4], &[4, 4, 4], &[4, 4, 4, 4]];
    let calls = shapes.into_iter().flat_map(|dims| (1..=9).map(move |count| vec![dims; count]));
    let made = calls.flat_map(|inputs| [USUAL, OTHERS].map(|with| multiplies(row, &inputs, with)));
    made.max().flatten()
}

#[test]
fn what_multiplies_is_a_contraction_and_nothing_else_is() {
    let mut unprobed = Vec::new();
    for row in rows().filter(|row| row.cost.is_some()) {
        match probe(row) {
            Some(found) => assert_eq!(found, row.traits.is_contraction(), "{}", shown(row)),
            None if row.traits.is_contraction() => unprobed.push(row.name),
            // Of these the first input is a sequence, a map, a text, or its elements are needed;
            // none of their classes multiplies.
            None => assert!(
                matches!(
                    row.traits.class,
                    Class::Features
                        | Class::Generator
                        | Class::Image(_)
                        | Class::Movement
                        | Class::Pooling(_)
                        | Class::Quantization
                        | Class::Reduction
                        | Class::Search
                        | Class::Sequence
                        | Class::Text
                        | Class::Training
                        | Class::Trees
                        | Class::View
                ),
                "{} needs an example",
                shown(row)
            ),
        }
    }
    unprobed.sort_unstable();
    assert_eq!(unprobed, BY_ELEMENTS);
}

#[test]
fn contractions_are_timed_as_such() {
    for row in rows() {
        let (contracts, kernel) = (row.traits.is_contraction(), row.traits.kernel);
        assert_eq!(contracts, kernel.is_contraction(), "{} runs as {kernel:?}", shown(row));
    }
}

/// Where it is not kept, it becomes an operator of the standard that multiplies as well. What is
/// stored in few bits is never kept: blocks are made of plain products.
#[test]
fn contractions_lower_to_contractions() {
    for row in rows().filter(|row| row.traits.is_contraction()) {
        let plain = match row.traits.lowering.contraction() {
            Some(plain) => find(ONNX, plain).or_else(|| find(crate::MICROSOFT, plain)).unwrap(),
            None => {
                assert_eq!(row.traits.lowering, Lowering::Keep, "{}", shown(row));
                row
            }
        };
        let format = plain.traits.contraction.unwrap().format;
        // Its three projections have no plain operator that takes them apart.
        let is_known = row.name == "QOrderedAttention";
        assert!(format == WeightFormat::Float || is_known, "{} stays quantized", shown(row));
    }
}

#[test]
fn weights_are_inputs_that_may_hold_them() {
    for row in rows() {
        let Some(contraction) = row.traits.contraction else { continue };
        for at in contraction.weights {
            assert_eq!(row.role(*at), crate::InputRole::Weight, "input {at} of {}", shown(row));
        }
        let (scale, zero_point) = match contraction.format {
            WeightFormat::Integer { scale, zero_point, .. } => (scale, zero_point),
            WeightFormat::Packed { zero_point, .. } => (None, zero_point),
            WeightFormat::Float | WeightFormat::Float8 => (None, None),
        };
        for at in [scale, zero_point].into_iter().flatten() {
            assert_eq!(row.role(at), crate::InputRole::Scale, "input {at} of {}", shown(row));
        }
    }
}

#[test]
fn scales_are_behind_what_they_scale() {
    for row in rows() {
        for input in row.traits.quantized_inputs {
            for at in [input.scale, input.zero_point] {
                assert_eq!(row.role(at), crate::InputRole::Scale, "input {at} of {}", shown(row));
            }
        }
    }
}

#[test]
fn lowered_operators_exist() {
    for row in rows() {
        if let Lowering::As(name, _) = row.traits.lowering {
            let known = find(ONNX, name).or_else(|| find(crate::MICROSOFT, name));
            let known = known.unwrap_or_else(|| panic!("{} lowers to {name}", shown(row)));
            assert_eq!(known.traits.class, row.traits.class, "{}", shown(row));
        }
    }
}

#[test]
fn views_and_conversions_agree_with_their_class() {
    for row in rows() {
        let traits = &row.traits;
        assert_eq!(traits.is_view(), traits.movement == Some(Movement::View), "{}", shown(row));
        if traits.runs_in_place {
            let by_class = traits.is_elementwise();
            let scales = matches!(traits.class, Class::Quantization | Class::Normalization(_));
            assert!(by_class || scales, "{} cannot run in place", shown(row));
        }
    }
}

#[test]
fn activations_have_one_spelling_each() {
    let ids = Activation::ALL.iter().map(|activation| activation.id());
    let gated = Activation::ALL.iter().map(|activation| activation.gated_id());
    let mut all: Vec<&str> = ids.clone().chain(gated).collect();
    all.sort_unstable();
    assert!(all.is_sorted_by(|a, b| a < b), "an id twice");
    assert!(all.iter().all(|id| id.bytes().all(|b| b.is_ascii_lowercase() || b"-6".contains(&b))));
    assert!(ids.is_sorted(), "out of order");
    for activation in Activation::ALL {
        assert_eq!(Activation::from_id(activation.id()), Some(*activation));
    }
}

/// The format of the weights says how a contraction is quantized. Weights with a scale, or packed
/// ones, are not floats of their own type.
#[test]
fn contractions_state_how_they_are_quantized() {
    for row in rows() {
        let Some(contraction) = row.traits.contraction else { continue };
        // Without weights, a scale is that of a cache.
        if contraction.weights.is_empty() {
            continue;
        }
        let is_scaled = (0..24).any(|at| row.role(at) == crate::InputRole::Scale);
        let is_quantized =
            is_scaled || row.packing.is_some() || !row.traits.quantized_inputs.is_empty();
        let is_float = contraction.format == WeightFormat::Float;
        assert!(!(is_float && is_quantized), "{} states floats", shown(row));
    }
}

/// The type of the first output of a call on floats, where one can be made.
fn result_type(row: &Operator) -> Option<DType> {
    let calls = (1..=3).flat_map(|count| [USUAL, OTHERS].map(|with| (count, with)));
    calls.into_iter().find_map(|(count, with)| {
        let dims = || [4, 4].map(Expr::from);
        let inputs = vec![Some(Fact::tensor(DType::Float32, dims())); count];
        let (attributes, mut fresh) = (Named(with), Counter::new("d", 0));
        let mut ctx = OpContext::new(row.name, 28, 3, &inputs, &attributes, &mut fresh);
        let outputs = (row.rule?)(&mut ctx).ok()?;
        Some(outputs.first()?.as_tensor()?.dtype)
    })
}

#[test]
fn what_gives_truth_values_decides() {
    for row in rows() {
        let found = result_type(row);
        if found == Some(DType::Bool) {
            assert!(row.traits.decides, "{} gives truth values", shown(row));
        }
        if row.traits.decides {
            assert!(!found.is_some_and(DType::is_float), "{} gives {found:?}", shown(row));
        }
    }
}

#[test]
fn what_reads_a_shape_reads_no_elements() {
    for row in rows().filter(|row| row.traits.reads_shape) {
        let reads_nothing = matches!(row.traffic, Traffic::Nothing | Traffic::Without(&[0]));
        assert!(reads_nothing, "{} reads its input", shown(row));
    }
}

#[test]
fn predictions_are_those_of_fitted_models() {
    for row in rows() {
        let (prediction, traits) = (row.traits.prediction, &row.traits);
        assert_eq!(prediction.is_some(), traits.is_classical_model(), "{}", shown(row));
    }
}
