//! What the model is and does.
//!
//! ```text
//!   Architecture transformer · encoder · bert · sure
//!                BERT encoder: 12 layers, 12 heads of 64, hidden 768; answers questions by span.
//!                figures  vocabulary 30,522 · 24 residual additions · 25 LayerNorm
//!                blocks   12 Attention · 25 LayerNorm · 12 GELU
//!                repeats  12 × encoder layer
//!   Task         question-answering · sure · two scores for each token come out
//! ```

use calipers_report::{
    Architecture, ArchitectureFacts, Confidence, Family, ModelKind, Quantization, Repeat, Report,
    Style, TaskKind,
};

use super::header::more;
use super::page::{Line, Page, Role, flow};
use super::rows::Rows;
use crate::{text, units};

/// Kinds of block that are shown before the rest is folded.
const BLOCKS: usize = 5;
/// Repeats that are shown before the rest is folded.
const REPEATS: usize = 4;
/// Pieces of evidence that are shown.
const EVIDENCE: usize = 2;
/// Lines of a sentence.
const LINES: usize = 3;

/// Kind, figures, blocks and repeats; then the task.
pub(super) fn what(report: &Report, page: &mut Page) {
    let architecture = &report.architecture;
    let mut lines = Vec::new();
    let named = [
        architecture.kind.map(ModelKind::id),
        architecture.style.map(Style::id),
        architecture.family.map(Family::id),
    ];
    let mut names: Vec<Line> = named
        .into_iter()
        .flatten()
        .enumerate()
        .map(|(i, name)| {
            let role = if i == 0 { Role::Strong } else { Role::Plain };
            Line::of(role, short(name, page))
        })
        .collect();
    if !names.is_empty() {
        names.push(Line::of(Role::Quiet, sure(architecture.confidence)));
        lines.extend(flow(names, page.dot(), page.body()));
    }
    lines.extend(prose(&architecture.words, Role::Plain, LINES, page));
    let mut rows = Rows::default();
    rows.facts("figures", figures(architecture, page));
    rows.facts("blocks", blocks(architecture, page));
    rows.facts("repeats", repeats(&architecture.repeats, page));
    rows.facts("skips", skips(architecture, page));
    rows.facts("quantised", quantization(&report.quantization, page));
    lines.extend(rows.set(page));
    page.section("Architecture", "", lines);
    task(report, page);
}

fn task(report: &Report, page: &mut Page) {
    let task = &report.task;
    // What is not known of a model that is not known either is not worth a line.
    let is_unknown = task.kind == TaskKind::Unknown;
    if is_unknown && report.architecture.kind.is_none() {
        return;
    }
    let mut facts = if is_unknown {
        vec![Line::of(Role::Plain, "unknown")]
    } else {
        let kind = Line::of(Role::Strong, short(task.kind.id(), page));
        vec![kind, Line::of(Role::Quiet, sure(task.confidence))]
    };
    let evidence = task.evidence.iter().take(EVIDENCE).filter(|words| !words.trim().is_empty());
    facts.extend(evidence.map(|words| {
        let words = text::prose(words, page.charset);
        Line::of(Role::Quiet, text::truncate(&words, 2 * page.body(), page.charset))
    }));
    let lines = flow(facts, page.dot(), page.body());
    page.adjoin("Task", "", lines);
}

/// A word of the report, cut where it would take more than a line.
fn short(word: &str, page: &Page) -> String {
    text::truncate(&text::prose(word, page.charset), page.body() * 2 / 3, page.charset)
}

fn sure(confidence: Confidence) -> &'static str {
    match confidence {
        Confidence::High => "sure",
        Confidence::Medium => "likely",
        Confidence::Low => "a guess",
    }
}

fn prose(words: &str, role: Role, most: usize, page: &Page) -> Vec<Line> {
    match text::prose(words, page.charset) {
        words if words.is_empty() => Vec::new(),
        words => Line::of(role, words).wrap_within(page.body(), most, page.charset),
    }
}

/// Figures that the sentence does not say.
fn figures(architecture: &Architecture, page: &Page) -> Vec<Line> {
    let words = architecture.words.to_lowercase();
    let told = all_figures(&architecture.facts).into_iter();
    let told = told.filter(|figure| !words.contains(&figure.to_lowercase()));
    told.map(|figure| Line::of(Role::Plain, short(&figure, page))).collect()
}

fn all_figures(facts: &ArchitectureFacts) -> Vec<String> {
    let mut told: Vec<String> = Vec::new();
    let number = |value: i64| match u64::try_from(value) {
        Ok(value) => units::integer(value),
        Err(_) => value.to_string(),
    };
    let counted = |value: Option<i64>, one: &str, many: &str| {
        value.map(|value| format!("{} {}", number(value), if value == 1 { one } else { many }))
    };
    told.extend(counted(facts.layers, "layer", "layers"));
    told.extend(facts.heads.map(|heads| match facts.head_dim {
        Some(width) => format!("{} heads of {}", number(heads), number(width)),
        None => format!("{} heads", number(heads)),
    }));
    let shared = facts.kv_heads.filter(|shared| facts.heads != Some(*shared));
    told.extend(shared.map(|heads| format!("{} for keys and values", number(heads))));
    let named = [
        ("hidden", facts.hidden),
        ("feed-forward", facts.ffn),
        ("vocabulary", facts.vocab),
        ("classes", facts.classes),
    ];
    told.extend(
        named.into_iter().filter_map(|(name, value)| Some(format!("{name} {}", number(value?)))),
    );
    told.extend(counted(facts.experts, "expert", "experts").map(|experts| {
        match facts.experts_per_token {
            Some(most) => format!("{experts}, {} a token", number(most)),
            None => experts,
        }
    }));
    told.extend(counted(facts.convs, "convolution", "convolutions").map(|convs| {
        match facts.depthwise.filter(|count| *count > 0) {
            Some(count) => format!("{convs}, {} depthwise", number(count)),
            None => convs,
        }
    }));
    let residuals = facts.residuals.filter(|count| *count > 0);
    told.extend(counted(residuals, "residual addition", "residual additions"));
    told.extend(counted(
        facts.squeeze_excite.filter(|n| *n > 0),
        "squeeze-and-excite",
        "squeeze-and-excites",
    ));
    told.extend(facts.norm.iter().map(|(kind, count)| format!("{} {}", number(*count), kind.id())));
    told.extend(facts.norm_position.map(|position| position.display_name().to_owned()));
    told.extend(facts.activation.map(|activation| curve(activation.id())));
    told.extend(facts.attention.map(|kind| format!("{} attention", kind.id())));
    told.extend((facts.rope == Some(true)).then(|| "rotary positions".to_owned()));
    told.extend((facts.cross_attention == Some(true)).then(|| "cross-attention".to_owned()));
    told.extend((facts.bidirectional == Some(true)).then(|| "bidirectional".to_owned()));
    told.extend((facts.batchnorm_folded == Some(true)).then(|| "BatchNorm folded".to_owned()));
    told.extend((facts.skip_concats == Some(true)).then(|| "skips by concatenation".to_owned()));
    told.extend(facts.strides.as_ref().map(|strides| {
        let strides: Vec<String> = strides.iter().take(8).map(|stride| number(*stride)).collect();
        format!("strides {}", strides.join(", "))
    }));
    told.extend(counted(facts.positions, "position", "positions"));
    told.extend(counted(facts.trees, "tree", "trees"));
    told
}

/// A curve as it is written; the report has it in small letters.
fn curve(name: &str) -> String {
    const CURVES: [&str; 9] =
        ["GELU", "ReLU", "ReLU6", "SiLU", "HardSwish", "SwiGLU", "GeGLU", "LeakyReLU", "PReLU"];
    let known = CURVES.iter().find(|known| known.eq_ignore_ascii_case(name));
    known.map_or(name, |known| known).to_owned()
}

fn blocks(architecture: &Architecture, page: &Page) -> Vec<Line> {
    let mut rest = architecture.blocks.iter();
    let mut items: Vec<Line> = rest
        .by_ref()
        .take(BLOCKS)
        .map(|block| {
            let kind = short(block.kind.id(), page);
            Line::of(Role::Plain, format!("{} {kind}", units::integer(block.count)))
        })
        .collect();
    items.extend(more(rest.len(), "kind", "kinds", page));
    items
}

fn repeats(repeats: &[Repeat], page: &Page) -> Vec<Line> {
    let mut rest = repeats.iter();
    let mut items: Vec<Line> = rest
        .by_ref()
        .take(REPEATS)
        .map(|repeat| {
            let line = Line::of(Role::Plain, times(repeat, page));
            match repeat.differs.first() {
                Some(differs) => {
                    let differs = short(differs, page);
                    line.and(Role::Quiet, format!(" ({differs})"))
                }
                None => line,
            }
        })
        .collect();
    items.extend(more(rest.len(), "repeat", "repeats", page));
    items
}

fn times(repeat: &Repeat, page: &Page) -> String {
    let times = page.glyph("×", "x");
    format!("{} {times} {}", units::integer(repeat.times), short(&repeat.name, page))
}

fn skips(architecture: &Architecture, page: &Page) -> Vec<Line> {
    let skip = |skip: &calipers_report::Skip| {
        let kind = short(skip.kind.id(), page);
        Line::of(Role::Plain, format!("{} by {kind}", units::integer(skip.count)))
    };
    architecture.skips.iter().take(REPEATS).map(skip).collect()
}

fn quantization(quantization: &Quantization, page: &Page) -> Vec<Line> {
    if !quantization.scheme.is_quantized() {
        return Vec::new();
    }
    let plain = |words: String| Line::of(Role::Plain, short(&words, page));
    let mut facts = vec![plain(quantization.scheme.id().into_owned())];
    if quantization.contractions > 0 {
        let done = units::integer(quantization.contractions_quantized);
        let all = units::counted(quantization.contractions, "contraction", "contractions");
        facts.push(plain(format!("{done} of {all}")));
    }
    facts.extend(
        quantization
            .weights_percent
            .map(|share| plain(format!("{} of the weights", units::percent(share)))),
    );
    facts.extend(quantization.bits.map(|bits| plain(format!("{bits} bits"))));
    facts.extend(quantization.block.map(|block| plain(format!("blocks of {block}"))));
    facts.extend(quantization.granularity.map(|granularity| plain(granularity.id().to_owned())));
    facts.extend(
        quantization
            .symmetric
            .map(|yes| plain(if yes { "symmetric" } else { "asymmetric" }.to_owned())),
    );
    facts
}
