//! Cards of real models: reviewed snapshots, the right figures, and a counterpart for every heading
//! of the published cards of the same models.
use std::path::{Path, PathBuf};

use calipers::HardwareQuery;
use calipers_render::chart::{Theme, charts};
use calipers_render::{CardOptions, ChartLink, markdown};
use calipers_report::Report;
use calipers_testkit::{Corpus, Outcome, score};

calipers_testkit::tests! {
    test: [
        every_chart_is_shown_once,
    ];
    each_corpus: [cards_state_the_right_figures, cards_are_reviewed];
    extended: [every_heading_of_the_documents_has_a_counterpart, cards_are_short];
}

/// The report on a model, with the device that the published cards were written for.
fn report(path: &Path) -> Report {
    let mut question = HardwareQuery::default();
    question.device = question.catalog.find("rtx-4050-mobile").ok().cloned();
    question.target_latency_ms = Some(20.0);
    let model = calipers::Model::open(path).unwrap();
    model.analyze(&calipers::Options::new().hardware(question.clone())).unwrap()
}

fn card(report: &Report) -> String {
    let link = |chart: calipers_render::chart::Chart| ChartLink {
        name: chart.name.to_owned(),
        alt: chart.alt,
        light: format!("assets/{}-light.svg", chart.name),
        dark: format!("assets/{}-dark.svg", chart.name),
    };
    let charts = charts(report, Theme::Light).into_iter().map(link).collect();
    let options = CardOptions { front_matter: true, charts, ..CardOptions::default() };
    markdown::card(report, &options)
}

/// The card with runs of blanks as one, so that rows can be looked for.
fn folded(card: &str) -> String {
    card.split(' ').filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
}

/// Each published card, its model, and the right figures as our card states them. The figures were
/// found by executing the models.
const DOCUMENTS: [(&str, &str, &[&str]); 6] = [
    (
        "000_81df0507841bb6bb.txt",
        "all-minilm-l6-v2",
        &[
            "# all-minilm-l6-v2 (dynamic int8)",
            "**IR version:** 6",
            "onnx.quantize 0.1.0",
            "22.97 MB (22,972,370 bytes)",
            "6 × encoder layer",
            "772 nodes",
            "180 initializers",
            "depth 388",
            "22 operators",
            "`MatMulInteger` 36",
            "`DynamicQuantizeLinear` 24",
            "`DequantizeLinear` 3",
            "**Total:** 22,565,376 (22.57 M)",
        ],
    ),
    (
        "001_b8f64ee37242903b.txt",
        "e5-small-v2",
        &[
            "12 × encoder layer",
            "1,510 nodes",
            "348 initializers",
            "depth 760",
            "22 operators",
            "`MatMulInteger` 72",
            "`DynamicQuantizeLinear` 48",
            "**Total:** 33,212,160 (33.21 M)",
        ],
    ),
    (
        "002_77e532fdac4c3dfe.txt",
        "bert-squad-tf2onnx",
        &[
            "45.91 GFLOPs",
            "22.95 GMACs",
            "**Layers:** 12",
            "**Attention heads:** 12",
            "**Head dimension:** 64",
            "**Hidden size:** 768",
            "**Feed-forward size:** 3,072",
            "24 additions",
            "25 LayerNorm",
            "74 × **Linear:**",
            "12 × **Attention:**",
            "**Task:** question answering",
        ],
    ),
    (
        "002_77e532fdac4c3dfe.txt",
        "bert-squad-torch",
        &["(108.89 M)", "45.90 GFLOPs", "22.95 GMACs"],
    ),
    (
        "003_6b41663d486c9b6c.txt",
        "yolov8l-nc1",
        &[
            "**Total:** 43,607,379 (43.61 M)",
            "164.81 GFLOPs",
            // 82.405 G, to the last one.
            "82,404,377,600",
            "174.43 MB",
            "18 additions",
            "97 × **SiLU:**",
            "folded into the convolutions",
            "**Anchor points:** 8,400",
            "**Strides:** 8, 16, 32",
            "**Classes:** 1",
            "**Peak activations:** 78.64 MB",
        ],
    ),
    (
        "004_7dfe87f6dc235363.txt",
        "mnist-8",
        &[
            "**Kind:** CNN",
            "**Convolutions:** 2",
            "**Total:** 5,994 (5.99 k)",
            "**All stored tensors:** 24.01 kB (24,008 bytes)",
            "26.45 kB (26,454 bytes)",
            "(50,176 bytes)",
            "**All arithmetic:** 1.60 MFLOPs (1,600,522)",
            "**FLOPs (2 × MACs):** 1.57 MFLOPs (1,573,120)",
        ],
    ),
];

/// The counterpart of each heading of the published cards; empty for what was wrong.
const HEADINGS: [(&str, &str); 30] = [
    ("Architecture", "<summary>Architecture</summary>"),
    ("Architecture Diagram", "## Architecture diagram"),
    ("Batch Size Scaling", "### Batch size"),
    ("Complexity Metrics", "<summary>Complexity</summary>"),
    ("Complexity Overview", "assets/overview-"),
    ("Dataset Info", "**Task:** "),
    ("Detected Blocks", "### Blocks"),
    ("Device Specifications", "### Device specifications"),
    ("Executive Summary", "[Key figures](#key-figures)"),
    ("FLOPs Distribution", "assets/flops-"),
    ("File Information", "<summary>File and metadata</summary>"),
    ("Graph Structure", "<summary>Graph and operators</summary>"),
    ("Graph Summary", "<summary>Graph and operators</summary>"),
    ("Hardware Estimates", "## Hardware"),
    ("Input/Output Specification", "## Inputs and outputs"),
    ("Inputs", "| Input "),
    // Neither an encoder nor a convolutional network has one.
    ("KV Cache (Transformer Inference)", ""),
    ("Memory Breakdown by Op Type", "assets/parameters-"),
    ("Metadata", "<summary>File and metadata</summary>"),
    ("Model Overview", "## Key figures"),
    ("Non-Standard Skip Connections", "Skip connections: "),
    ("Operator Distribution", "assets/operators-"),
    ("Operator Flow (Top 5 Operations)", "Operator flow: "),
    ("Operator Frequency", "assets/operators-"),
    ("Operators", "assets/operators-"),
    ("Outputs", "| Output "),
    ("Parameter Distribution", "assets/parameters-"),
    ("Parameters", "<summary>Parameters</summary>"),
    ("Risk Signals", "## Findings"),
    ("System Requirements", "## System requirements"),
];

fn every_heading_of_the_documents_has_a_counterpart(corpus: &Corpus) -> Outcome {
    for (document, model, _) in DOCUMENTS {
        let card = card(&report(&corpus.model(model).unwrap()));
        let text = std::fs::read_to_string(corpus.file("seeds").join(document)).unwrap();
        let headings = text.lines().filter_map(|line| line.strip_prefix("##"));
        for heading in headings.map(|line| line.trim_start_matches('#').trim()) {
            // Findings have their own headings, and charts are in the sections they belong to.
            if heading.starts_with("[INFO]") || heading == "Visualizations" {
                continue;
            }
            let place = HEADINGS.iter().find(|(known, _)| *known == heading);
            let (_, counterpart) =
                place.unwrap_or_else(|| panic!("{document}: {heading} has no counterpart"));
            assert!(card.contains(counterpart), "{model}: no {counterpart} for {heading}");
        }
        assert!(!card.contains("<summary>KV cache"), "{model} has no cache");
    }
    Ok(())
}

/// The networks of a corpus with these names; the rest belong to the other corpus.
fn named(corpus: &Corpus, names: &[&str]) -> Vec<PathBuf> {
    let is_named = |path: &PathBuf| names.iter().any(|name| path.file_stem().unwrap() == *name);
    corpus.models().into_iter().filter(is_named).collect()
}

fn cards_state_the_right_figures(corpus: &Corpus) -> Outcome {
    let mut checked = 0;
    for (_, model, figures) in DOCUMENTS {
        let Some(path) = named(corpus, &[model]).pop() else { continue };
        checked += figures.len();
        // Without charts, the figures of the bars are in tables.
        let card = markdown::card(&report(&path), &CardOptions::default());
        let card = folded(&card.replace('|', ""));
        for figure in figures {
            assert!(card.contains(figure), "{model} lacks {figure}");
        }
        for wrong in [" inf ", "NaN", "0.00 ms", "missing_normalization"] {
            assert!(!card.contains(wrong), "{model} says {wrong}");
        }
    }
    score(format!("card figures, {}: {checked} of {checked}", corpus.name()));
    assert!(checked > 0, "no documented model");
    Ok(())
}

fn cards_are_reviewed(corpus: &Corpus) -> Outcome {
    let mut names: Vec<&str> = DOCUMENTS.iter().map(|(_, model, _)| *model).collect();
    names.extend(["gpt2_tiny_kv_op17", "rf_cls"]);
    let hostile =
        corpus.hostile().into_iter().filter(|path| path.ends_with("injection_names.onnx"));
    for path in named(corpus, &names).into_iter().chain(hostile) {
        let name = path.file_stem().unwrap().to_string_lossy();
        insta::assert_snapshot!(format!("card_{name}"), card(&report(&path)));
    }
    Ok(())
}

/// Charts that the card of the sample leaves out: a table or a list of the section has the same rows.
/// The sample has fewer than 16 nodes.
const IN_TABLES: [&str; 3] = ["depth", "devices", "memory"];

fn every_chart_is_shown_once() {
    let model = calipers::Model::read(calipers_samples::digits(), "digits.onnx").unwrap();
    let mut question = HardwareQuery::default();
    question.device = question.catalog.find("h200-sxm").ok().cloned();
    let report = model.analyze(&calipers::Options::new().hardware(question.clone())).unwrap();
    let found = charts(&report, Theme::Light);
    assert!(found.len() > 5, "the sample has charts");
    let card = card(&report);
    for chart in found {
        let shown = card.matches(&format!("assets/{}-dark.svg", chart.name)).count();
        assert_eq!(shown, usize::from(!IN_TABLES.contains(&chart.name)), "{}", chart.name);
    }
}

/// Cards of small models are short: words as `wc -w` counts them, of a card without a device.
const WORDS: [(&str, usize); 2] = [("mnist-8", 1300), ("bert-squad-tf2onnx", 2000)];

fn cards_are_short(corpus: &Corpus) -> Outcome {
    for (name, most) in WORDS {
        let model = calipers::Model::open(corpus.model(name).unwrap()).unwrap();
        let report = model.analyze(&calipers::Options::new().hardware(HardwareQuery::default()));
        let card = card(&report.unwrap());
        let words = card.split_whitespace().count();
        score(format!("words of the card of {name}: {words}, at most {most}"));
        assert!(words < most, "{name}: {words} words");
    }
    Ok(())
}
