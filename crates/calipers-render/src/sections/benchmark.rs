//! Measured times of a model, next to the estimated ones.

use calipers_report::Benchmark;

use crate::document::{Block, Document, Facts, Section};
use crate::table::{Table, Tone, Value};
use crate::value::Spans;
use crate::{chart, tables, units};

/// Rows of a table that a terminal and a page show; the JSON has all.
const SHOWN: usize = 30;

/// A benchmark as a document.
pub fn benchmark(measured: &Benchmark) -> Document {
    let mut sections = vec![
        Section::new("latency", "Latency", vec![Block::Facts(latency(measured))]),
        Section::new("memory", "Memory", vec![Block::Facts(memory(measured))]),
        Section::new("noise", "Noise", vec![Block::Values(noise(measured))]),
    ];
    if !measured.points.is_empty() {
        let table = tables::points(measured);
        sections.push(Section::new("points", "Points", vec![Block::Table(table)]));
    }
    if let Some(profile) = &measured.profile {
        let operators = shortened(tables::operator_times(profile));
        let note = format!(
            "{} with the profiler, {} of kernels per run",
            units::counted(profile.runs, "run", "runs"),
            units::time(profile.kernel_ms)
        );
        let blocks = vec![operators, Block::Note(Spans::quiet(note))];
        sections.push(Section::new("operators", "Operators", blocks));
        let blocks = vec![Block::Chart(chart::PREDICTED), shortened(tables::block_times(profile))];
        sections.push(Section::new("blocks", "Blocks", blocks));
        let nodes = shortened(tables::node_times(profile));
        sections.push(Section::new("nodes", "Nodes", vec![nodes]));
        let lost = &profile.not_mapped;
        if lost.count > 0 {
            let names = lost.ops.iter().map(|op| Spans::from(Value::name(op)));
            let words = Spans::joined(names, ", ").and_text(format!(
                ": {}, {} of the time",
                units::counted(lost.count, "kernel", "kernels"),
                units::percent(lost.percent)
            ));
            sections.push(Section::new(
                "not-mapped",
                "Not mapped",
                vec![Block::Values(vec![words])],
            ));
        }
    }
    if let Some(why) = &measured.no_profile {
        let words = Spans::quiet("none: ").and_value(Value::quoted(why));
        sections.push(Section::new("profile", "Profile", vec![Block::Values(vec![words])]));
    }
    sections.retain(|section| !section.is_empty());
    let provider = Value::text(format!(
        "{} provider, {}",
        measured.provider,
        units::counted(measured.threads, "thread", "threads")
    ));
    Document {
        title: Value::name(&measured.model).into(),
        facts: vec![Value::prose(&measured.runtime).into(), provider.into()],
        byline: None,
        sections,
    }
}

fn shortened(mut table: Table) -> Block {
    if table.rows.len() > SHOWN {
        let more = table.rows.len() - SHOWN;
        table.rows.truncate(SHOWN);
        table.note(None, vec![Spans::quiet(format!("and {more} more"))]);
    }
    Block::Table(table)
}

fn latency(measured: &Benchmark) -> Facts {
    let mut facts = Facts::default();
    let it = &measured.latency_ms;
    let ms = Value::Milliseconds;
    facts.add("Median", ms(it.median));
    let tail = Spans::from(ms(it.p90)).and_text(", ").and_value(ms(it.p99));
    facts.add("90th, 99th percentile", tail);
    let range = Spans::from(ms(it.min)).and_text(" to ").and_value(ms(it.max));
    let spread = format!(", spread {}", units::percent(it.spread_percent));
    facts.add("Range", range.and_text(spread));
    let predicted = &measured.predicted;
    match (&predicted.latency_ms, &predicted.reason) {
        (Some(range), _) => {
            let mut words = Spans::from(Value::Range(*range));
            if let Some(factor) = predicted.factor {
                words = words.and_text(format!(", measured / predicted {factor:.2}"));
            }
            facts.add("Predicted", words);
            let mut device = Spans::from(Value::prose(&predicted.device));
            if let Some(threads) = predicted.threads {
                let threads = units::counted(u64::from(threads), "thread", "threads");
                device = device.and_text(format!(", {threads}"));
            }
            facts.add("Predicted for", device);
        }
        (None, Some(why)) => facts.add("Predicted", Value::Missing(Some(why.clone()))),
        (None, None) => {}
    }
    let mut throughput = Spans::from(Value::Rate(measured.throughput));
    if let Some(batch) = measured.batch {
        throughput = throughput.and_text(format!(" at batch {}", units::integer(batch)));
    }
    facts.add("Throughput", throughput);
    if let (Some(target), Some(met)) = (measured.target_latency_ms, measured.target_met) {
        let (tone, word) = if met { (Tone::Plain, "met") } else { (Tone::Error, "not met") };
        let words = Spans::from(ms(target)).and_text(": ").and(tone, Value::text(word));
        facts.add("Target", words);
    }
    facts.add("Load time", ms(measured.load_ms));
    facts.add(
        "Runs",
        format!(
            "{} after {} of warm-up",
            units::integer(measured.runs),
            units::integer(measured.warmup_runs)
        ),
    );
    let sizes = measured.sizes.iter().map(|(name, size)| {
        Spans::from(Value::name(name)).and_text(" = ").and_value(Value::Signed(*size))
    });
    facts.add_all(
        "Sizes",
        (!measured.sizes.is_empty()).then(|| Spans::joined(sizes, ", ")).into_iter().collect(),
    );
    if measured.synthesized_weights {
        facts.add("Weights", Value::text("synthesized: the file of the weights is missing"));
    }
    facts
}

fn memory(measured: &Benchmark) -> Facts {
    let memory = &measured.memory;
    let mut facts = Facts::default();
    facts.add("Above the weights", Value::known(memory.above_weights_bytes, Value::LongBytes));
    facts.add("Weights", Value::known(memory.weights_bytes, Value::LongBytes));
    facts.add("Added by the model", Value::known(memory.added_bytes, Value::LongBytes));
    facts.add("Resident", Value::known(memory.resident_bytes, Value::LongBytes));
    facts
}

fn noise(measured: &Benchmark) -> Vec<Spans> {
    let noise = &measured.noise;
    if !noise.is_noisy {
        return vec![Spans::quiet("low")];
    }
    let mut lines = vec![Spans::toned(
        Tone::Warning,
        Value::text("The machine is noisy; repeat the measurement on an idle one."),
    )];
    lines.extend(noise.reasons.iter().map(|reason| Spans::from(Value::prose(reason))));
    lines
}
