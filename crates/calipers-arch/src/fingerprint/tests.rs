//! The library against itself: every network is found, changed ones too, and a package that is left
//! out shows how often a name is right.

use std::collections::BTreeMap;

use calipers_report::{Confidence, Family};
use calipers_samples::Attribute;

use super::identity::{Identity, lineage, shared_name};
use super::library::{Entry, Library};
use super::matching::{Head, Relation, matches, matches_among};
use super::shape::WeightShape;
use super::signature::Signature;
use super::structure::Structure;
use super::text::{Role, Row};
use crate::blocks::testing::Tiny;
use crate::kind::has_rule;

fn entry(reference: &str) -> Entry {
    let found = Library::new().entries().find(|entry| entry.reference() == reference);
    found.unwrap_or_else(|| panic!("{reference} is not in the library"))
}

fn signature(reference: &str) -> Signature {
    Signature::of_entry(Library::new(), entry(reference))
}

#[test]
fn a_shape_does_not_depend_on_how_it_is_written() {
    let shape = |dims: &[i64]| WeightShape::new(dims).unwrap();
    assert_eq!(shape(&[768, 3072]), shape(&[3072, 768]));
    assert_eq!(shape(&[256, 64, 1, 1]), shape(&[64, 256]));
    assert_ne!(shape(&[256, 64, 3, 3]), shape(&[256, 64]));
    assert_eq!(shape(&[32, 3, 7, 7]).dims(), [3, 7, 7, 32]);
    // One projection to queries, keys and values is three.
    assert_eq!(shape(&[2304, 768]).split(), (shape(&[768, 768]), 3));
    assert_eq!(shape(&[3072, 768]).split().1, 1);
    assert!(shape(&[1, 1, 5]).dims() == [5] && !shape(&[1, 1, 5]).is_matrix());
    assert!(WeightShape::new(&[1, 1]).is_none() && WeightShape::new(&[3, -1]).is_none());
}

#[test]
fn lines_of_the_library_are_read_and_mistakes_are_named() {
    let row = Row::parse("n\tf\tV\tc8x3x3x3 2*(l8x8 3*(e9x8)) c8x1x3x3g8 p1x4x8").unwrap();
    let roles: Vec<Role> = row.weights.iter().map(|(role, _)| *role).collect();
    assert_eq!(roles.len(), 1 + 2 * (1 + 3) + 2);
    assert_eq!((roles[0], roles[2], roles[10]), (Role::Computed, Role::Table, Role::Other));
    assert_eq!(row.weights[9].1, [8, 1, 3, 3]);
    for (line, error) in [
        ("n\tf\tV", "expected 4 columns"),
        ("n\tf\tV\tq8x8", "unknown letter `q`"),
        ("n\tf\tV\t2*(l8x8", "expected `)`"),
        ("n\tf\tV\tl8x8)", "unexpected `)`"),
        ("n\tf\tV\tlx8", "expected a number"),
    ] {
        assert!(Row::parse(line).unwrap_err().contains(error), "{line}");
    }
}

#[test]
fn the_library_is_large_and_every_line_is_complete() {
    let library = Library::new();
    assert!(library.len() >= 2500, "{} networks", library.len());
    let mut references: Vec<String> = library.entries().map(Entry::reference).collect();
    references.sort_unstable();
    references.dedup();
    assert_eq!(references.len(), library.len(), "a name is in the library twice");
    for entry in library.entries() {
        assert!(entry.family().parse::<Family>().is_ok(), "{}", entry.reference());
        assert!(!entry.variant().is_empty(), "{}", entry.reference());
        assert_eq!(entry.weights().len(), entry.weight_count(), "{}", entry.reference());
    }
}

/// Every network of the library is found by its own weights. Two have the same at times: then it is
/// one of the references.
#[test]
fn every_network_finds_itself() {
    let library = Library::new();
    for entry in library.entries().step_by(3).filter(|entry| entry.weight_count() >= 5) {
        let found = matches(library, &Signature::of_entry(library, entry));
        let best = &found[0];
        assert_eq!(best.relation, Relation::Exact, "{}", entry.reference());
        let itself = found.iter().find(|found| found.entry.reference() == entry.reference());
        assert!(
            itself.is_some_and(|found| found.relation == Relation::Exact),
            "{}",
            entry.reference()
        );
    }
}

/// The best match of a signature.
fn best(signature: &Signature) -> (String, Relation, Head, Option<(i64, i64)>) {
    let found = matches(Library::new(), signature);
    let best = &found[0];
    (best.entry.variant().to_owned(), best.relation, best.head, best.channels)
}

#[test]
fn other_classes_and_input_channels_are_the_same_network() {
    let mut changed = signature("torchvision:resnet50");
    let last = changed.weights.len() - 1;
    changed.replace(Library::new(), last, &[37, 2048]);
    changed.replace(Library::new(), 0, &[64, 4, 7, 7]);
    let head = Head::Classes { from: 1000, to: 37 };
    assert_eq!(best(&changed), ("ResNet-50".to_owned(), Relation::Exact, head, Some((3, 4))));
    // Gray images have one channel, which the shape leaves out.
    changed.replace(Library::new(), 0, &[64, 1, 7, 7]);
    assert_eq!(best(&changed).3, Some((3, 1)));
    // Without its classifier it is the same as a network that never had one.
    changed.weights.truncate(last);
    assert_eq!(best(&changed).1, Relation::Exact);
}

#[test]
fn a_detector_contains_its_backbone() {
    let mut detector = signature("torchvision:resnet50");
    detector.weights.pop();
    for at in 0..30 {
        detector.weights.push(0);
        let last = detector.weights.len() - 1;
        detector.replace(Library::new(), last, &[101 + at, 307, 3, 3]);
    }
    let found = matches(Library::new(), &detector);
    assert_eq!(found[0].relation, Relation::Contains);
    let identity = Identity::from_matches(&found);
    assert_eq!(identity.backbone.as_deref(), Some("ResNet-50"));
    assert!(!identity.is_known());
}

#[test]
fn an_encoder_alone_is_a_part() {
    let library = Library::new();
    let whole = entry("transformers:Whisper-tiny");
    let mut encoder = Signature::of_entry(library, whole);
    // Two convolutions, and four layers of six weights.
    encoder.weights.truncate(2 + 4 * 6);
    encoder.vocabulary = false;
    let relation = |signature: &Signature| {
        let found = matches_among(library, signature, |other| other.source() == whole.source());
        let of_whole = found.iter().find(|found| found.entry.reference() == whole.reference());
        of_whole.map(|found| found.relation)
    };
    assert_eq!(relation(&encoder), Some(Relation::Part));
    // Fewer layers are another network.
    encoder.weights.truncate(2 + 3 * 6);
    assert_eq!(relation(&encoder), None);
}

#[test]
fn variants_of_the_same_shapes_share_a_name_or_have_none() {
    let named = |names: &[(&str, usize)]| shared_name(names).map(str::to_owned);
    let most = [("ResNet-50 GN", 1), ("ResNet-50", 4)];
    assert_eq!(named(&most).as_deref(), Some("ResNet-50"));
    let extended = [("LeViT-384 conv", 1), ("LeViT-384", 1)];
    assert_eq!(named(&extended).as_deref(), Some("LeViT-384"));
    assert_eq!(named(&[("CamemBERT", 1), ("XLM-RoBERTa", 1)]), None);
    assert_eq!(named(&[]), None);
}

/// YOLOS repeats 100 detection tokens for each image of a batch.
#[test]
fn learned_tokens_are_found_at_any_batch_size() {
    let mut t = Tiny::new();
    let x = t.input(&["batch", "50", "96"]);
    let (tokens, weight) = (t.weight(&[1, 100, 96]), t.weight(&[96, 70]));
    let shape = t.op("Shape", &[&x]);
    let (first, ones) = (t.ints(&[0]), t.ints(&[1, 1]));
    let batch = t.op("Gather", &[&shape, &first]);
    let shape = t.op_with("Concat", &[&batch, &ones], &[Attribute::int("axis", 0)]);
    let tokens = t.op("Expand", &[&tokens, &shape]);
    let y = t.op_with("Concat", &[&x, &tokens], &[Attribute::int("axis", 1)]);
    let y = t.op("MatMul", &[&y, &weight]);
    let signature = read(t, &y);
    let library = Library::new();
    let others = signature.others.iter().filter_map(|id| signature.shape(library, *id));
    assert_eq!(others.map(WeightShape::dims).collect::<Vec<_>>(), [[96, 100]]);
}

#[test]
fn versions_of_a_family_are_one_lineage() {
    for (id, stem) in [
        ("yolo11", "yolo"),
        ("yolov8", "yolo"),
        ("resnetv2", "resnet"),
        ("resnet", "resnet"),
        ("qwen3-5", "qwen"),
        ("conv", "conv"),
    ] {
        assert_eq!(lineage(id), stem);
    }
}

#[test]
fn unknown_networks_are_not_named() {
    let library = Library::new();
    let mut odd = Signature::of_entry(library, entry("torchvision:resnet50"));
    for at in 0..odd.weights.len() {
        let width = 40 + i64::try_from(at).unwrap() * 3;
        odd.replace(library, at, &[width, width + 5, 3, 3]);
    }
    assert!(matches(library, &odd).is_empty());
    // The same layers without the table of words are not a reader of words.
    let mut wordless = signature("transformers:BERT-base");
    wordless.vocabulary = false;
    let named = matches(library, &wordless);
    assert!(named.iter().all(|found| !found.entry.has_vocabulary()));
}

#[test]
fn a_model_is_read_in_order_of_execution() {
    let mut t = Tiny::new();
    let x = t.input(&["1", "3", "32", "32"]);
    let w = t.weight(&[16, 3, 3, 3]);
    let y = t.op("Conv", &[&x, &w]);
    let w = t.weight(&[24, 16, 1, 1]);
    let y = t.op("Conv", &[&y, &w]);
    let y = t.op("GlobalAveragePool", &[&y]);
    let y = t.op("Flatten", &[&y]);
    let y = t.linear(&y, 24, 10);
    let model = calipers_formats::read(t.build(&y), "tiny.onnx").unwrap();
    let typed = calipers_infer::infer(&model, &calipers_infer::Bindings::default()).unwrap();
    let net = crate::network::Network::build(&model, &typed);
    let library = Library::new();
    assert_eq!(Signature::new(&net, library).text(library), ["3x3x3x16", "16x24", "10x24"]);
}

/// The signature of a tiny model.
fn read(model: Tiny, output: &str) -> Signature {
    let model = calipers_formats::read(model.build(output), "tiny.onnx").unwrap();
    let typed = calipers_infer::infer(&model, &calipers_infer::Bindings::default()).unwrap();
    Signature::new(&crate::network::Network::build(&model, &typed), Library::new())
}

#[test]
fn a_weight_that_is_used_twice_is_known() {
    let mut t = Tiny::new();
    let x = t.input(&["1", "8", "32", "32"]);
    let (shared, own) = (t.weight(&[8, 8, 3, 3]), t.weight(&[8, 8, 3, 3]));
    let y = t.op("Conv", &[&x, &shared]);
    let y = t.op("Conv", &[&y, &own]);
    let y = t.op("Conv", &[&y, &shared]);
    assert_eq!(read(t, &y).repeated, [2]);
}

/// The blocks of CoaT-Lite share the convolutions of their positions: the package lists them once.
#[test]
fn weights_that_are_used_again_count_once_where_the_library_has_them_once() {
    let library = Library::new();
    let mut shared = signature("timm:coat_lite_small");
    let length = shared.weights.len();
    // The 1st depthwise convolution of each stage, once more at the end of the network.
    let depthwise: Vec<_> = (0..length)
        .filter(|at| {
            matches!(shared.shape(library, shared.weights[*at]).unwrap().dims()[..], [3, 3, _])
        })
        .collect();
    for at in depthwise.iter().flat_map(|at| [*at; 3]) {
        shared.weights.insert(length - 1, shared.weights[at]);
    }
    // Written without a hint that they are the same, they are other layers.
    assert_ne!(best(&shared).1, Relation::Exact);
    let end = shared.weights.len() - 1;
    shared.repeated = (length - 1..end).collect();
    assert_eq!((best(&shared).0.as_str(), best(&shared).1), ("CoaT-Lite Small", Relation::Exact));
}

/// A 1x1 convolution of gray images is a vector, which is not compared.
#[test]
fn convolutions_of_one_channel_may_vanish() {
    let library = Library::new();
    let mut gray = signature("timm:mobileone_s4");
    assert_eq!(gray.shape(library, gray.weights[0]).unwrap().dims(), [3, 64]);
    gray.weights.remove(0);
    gray.replace(library, 0, &[64, 1, 3, 3]);
    assert_eq!(best(&gray).1, Relation::Exact);
    assert_eq!(best(&gray).3, Some((3, 1)));
    // With four channels it is one more shape that differs.
    let mut deep = signature("timm:mobileone_s4");
    deep.replace(library, 0, &[64, 4, 1, 1]);
    deep.replace(library, 1, &[64, 4, 3, 3]);
    assert_eq!(best(&deep).1, Relation::Exact);
    assert_eq!(best(&deep).3, Some((3, 4)));
    // Another convolution does not vanish.
    let mut shorter = signature("timm:mobileone_s4");
    shorter.weights.remove(0);
    assert_eq!(best(&shorter).3, None);
}

/// The experts of CondConv are parameters that a package adds up and a file multiplies.
#[test]
fn a_parameter_may_be_multiplied() {
    let library = Library::new();
    let mut mixed = signature("timm:efficientnet_cc_b1_8e");
    let length = mixed.weights.len();
    let experts = std::mem::take(&mut mixed.others);
    mixed.weights.splice(length - 1..length - 1, experts);
    assert_eq!(best(&mixed).1, Relation::Exact);
    // A matrix that the network does not have is one more layer.
    for at in length - 1..mixed.weights.len() - 1 {
        mixed.replace(library, at, &[9, 5003]);
    }
    assert_ne!(best(&mixed).1, Relation::Exact);
}

/// MViTv2 multiplies queries with a position table for each row and column.
#[test]
fn a_matrix_for_each_position_is_not_a_layer() {
    let mut t = Tiny::new();
    let x = t.input(&["1", "14", "14", "96"]);
    let (rows, weight) = (t.weight(&[14, 96, 28]), t.weight(&[1, 28, 50]));
    let y = t.op("MatMul", &[&x, &rows]);
    let y = t.op("MatMul", &[&y, &weight]);
    let signature = read(t, &y);
    assert_eq!(signature.text(Library::new()), ["28x50"]);
    assert_eq!(signature.others.len(), 1);
}

/// The head that answers questions has the shape of BERT's table of two segments.
#[test]
fn the_last_layer_is_not_a_table() {
    let library = Library::new();
    let mut questions = signature("transformers:BERT-base");
    let last = questions.weights.len() - 1;
    questions.replace(library, last, &[2, 768]);
    let named = best(&questions);
    assert_eq!((named.0.as_str(), named.1), ("BERT-base", Relation::Exact));
    assert_eq!(named.2, Head::Classes { from: 768, to: 2 });
}

/// SwinV2 computes its position biases with a network that reads no data.
#[test]
fn layers_that_read_coordinates_are_not_compared() {
    let weights = |reference: &str| entry(reference).weights();
    assert_eq!(weights("torchvision:swin_v2_t"), weights("torchvision:swin_t"));
    assert!(entry("torchvision:swin_v2_t").others().len() > 20);
    // Two attention heads are not two coordinates that a layer outputs.
    let [with, without] = ["timm:maxvit_rmlp_pico_rw_256", "timm:maxvit_pico_rw_256"].map(weights);
    assert_eq!(with, without);
    // A layer of two features that data goes through is compared: LightGlue reads key points.
    let mut t = Tiny::new();
    let x = t.input(&["1", "64", "2"]);
    let hidden = t.linear(&x, 2, 512);
    let data = t.linear(&hidden, 512, 3);
    let points = t.stored(&[1, 2], &[0.0, 1.0]);
    let bias = t.linear(&points, 2, 512);
    let bias = t.linear(&bias, 512, 3);
    let y = t.op("Add", &[&data, &bias]);
    let library = Library::new();
    let signature = read(t, &y);
    assert_eq!(signature.text(library), ["2x512", "3x512"]);
    let folded = WeightShape::new(&[2, 512]).and_then(|shape| library.id(shape));
    assert!(folded.is_some_and(|id| signature.others.contains(&id)));
}

#[test]
fn the_structure_separates_families_of_the_same_shapes() {
    let structure = |layers: usize| {
        let mut t = Tiny::new();
        let mut y = t.input(&["1", "16", "96"]);
        for _ in 0..layers {
            let axes = t.ints(&[-1]);
            let length = t.op("ReduceL2", &[&y, &axes]);
            y = t.op("Div", &[&y, &length]);
        }
        let model = calipers_formats::read(t.build(&y), "tiny.onnx").unwrap();
        let typed = calipers_infer::infer(&model, &calipers_infer::Bindings::default()).unwrap();
        Structure::new(&crate::network::Network::build(&model, &typed))
    };
    let (cosine, plain) = (structure(24), structure(1));
    assert!(cosine.contradicts(Family::Swin) && !cosine.contradicts(Family::Swinv2));
    assert!(plain.contradicts(Family::Swinv2) && !plain.contradicts(Family::Swin));
    assert!(cosine.contradicts(Family::Convnext) && plain.contradicts(Family::Convnextv2));
    assert!(!cosine.contradicts(Family::Resnet) && !plain.contradicts(Family::Resnet));
}

/// Where a position table was resized, the network stays one of the references.
#[test]
fn tables_order_the_references_and_leave_none_out() {
    let mut resized = signature("timm:vit_base_patch16_224");
    let references = |signature: &Signature| {
        Identity::from_matches(&matches(Library::new(), signature)).references
    };
    let place = |signature: &Signature, name: &str| {
        references(signature).iter().position(|reference| reference == name)
    };
    let (small, large) = ("timm:vit_base_patch16_224", "timm:vit_base_patch16_384");
    assert!(place(&resized, small) < place(&resized, large));
    // The graph does not show which table it was.
    resized.others.clear();
    assert!(place(&resized, small).is_some() && place(&resized, large).is_some());
}

/// How often a family is right when the whole package that a network comes from is left out.
///
/// A later generation with the shapes of an earlier one counts as right: `resnetv2` and `resnet`.
/// Networks of families that no other package has can only be unknown; a name is wrong.
#[test]
fn names_are_right_for_packages_that_are_left_out() {
    let library = Library::new();
    let mut table: BTreeMap<Confidence, [usize; 2]> = BTreeMap::new();
    let (mut named, mut all) = (0, 0);
    let mut mistakes = String::new();
    for entry in library.entries() {
        let signature = Signature::of_entry(library, entry);
        let found = matches_among(library, &signature, |other| other.source() != entry.source());
        let mut identity = Identity::from_matches(&found);
        all += 1;
        if !identity.is_known() {
            continue;
        }
        let truth = entry.family().parse::<Family>().ok();
        // The rules see the graph, which is not here: they are taken to be right.
        let by_rule = truth.filter(|family| has_rule(*family));
        let Some(family) = identity.settle(by_rule, has_rule) else { continue };
        named += 1;
        let right = usize::from(lineage(family.id()) == lineage(entry.family()));
        table.entry(identity.confidence).or_default()[1 - right] += 1;
        if right == 0 && identity.confidence >= Confidence::Medium {
            let (level, name) = (identity.confidence.id(), identity.variant.unwrap_or_default());
            mistakes += &format!("{level}: {} is called {name}\n", entry.reference());
        }
    }
    let mut text = format!("{named} of {all} networks are named without their own package\n");
    for (confidence, [right, wrong]) in &table {
        text += &format!("{:<8} {right} right, {wrong} wrong\n", confidence.id());
    }
    text += &mistakes;
    for (confidence, least) in [(Confidence::High, 97), (Confidence::Medium, 85)] {
        let [right, wrong] = table.get(&confidence).copied().unwrap_or_default();
        assert!(right * 100 >= (right + wrong) * least, "{text}");
    }
    assert!(named * 10 >= all, "{text}");
    // Shown with `--nocapture`.
    #[allow(clippy::print_stdout, reason = "the table is what the test is for")]
    {
        println!("{text}");
    }
}
