//! What a model returned for an input.

use calipers_report::{
    ClassScore, ClassifiedText, ClassifiedToken, FoundObject, OutputTensor, RunOutcome, RunResult,
    SpeechSegment,
};

use crate::document::{Block, Document, Facts, Section};
use crate::table::{Column, Table, Tone, Value};
use crate::value::Spans;

/// Texts of a similarity matrix that have a column.
const COLUMNS: usize = 12;

/// The result as a document.
pub fn run_result(run: &RunResult) -> Document {
    let mut how = Facts::default();
    for (name, value) in &run.preprocessing {
        how.add(name.as_str(), Value::prose(value));
    }
    if run.random_weights {
        let words = "random, so the result means nothing";
        how.add("weights", Spans::toned(Tone::Warning, Value::text(words)));
    }
    let mut sections = vec![
        Section::new("result", "Result", result(&run.result)),
        Section::new("input", "Input", vec![Block::Facts(how)]),
    ];
    sections.retain(|section| !section.is_empty());
    Document {
        title: Value::name(&run.model).into(),
        facts: vec![Value::text(run.task.display_name()).into(), Value::prose(&run.runtime).into()],
        byline: None,
        sections,
    }
}

fn score(value: f32) -> Value {
    Value::text(format!("{value:.3}"))
}

fn label(class: &ClassScore) -> Value {
    match &class.label {
        Some(label) => Value::name(label),
        None => Value::text(format!("class {}", class.class)),
    }
}

fn classes(found: &[ClassScore]) -> Vec<Block> {
    let mut table = Table::new(
        "classes",
        vec![Column::text("class", "class"), Column::figures("score", "score")],
    );
    for class in found {
        table.row(vec![label(class), score(class.score)]);
    }
    vec![Block::Table(table)]
}

fn result(outcome: &RunOutcome) -> Vec<Block> {
    match outcome {
        RunOutcome::Embeddings { inputs, similarity, .. } => {
            vec![Block::Table(matrix(inputs, similarity))]
        }
        RunOutcome::Answer { answer, score: certainty, .. } => {
            let line = Spans::from(Value::quoted(answer))
                .and_text("  score ")
                .and_value(score(*certainty));
            vec![Block::Values(vec![line])]
        }
        RunOutcome::Classes { classes: found } | RunOutcome::Segments { classes: found } => {
            classes(found)
        }
        RunOutcome::TextClasses { texts } => vec![Block::Table(text_classes(texts))],
        RunOutcome::Tokens { tokens } if tokens.is_empty() => {
            vec![Block::Values(vec![Spans::plain("no token has a class")])]
        }
        RunOutcome::Tokens { tokens } => vec![Block::Table(labeled_tokens(tokens))],
        RunOutcome::Speech { segments, .. } if segments.is_empty() => {
            vec![Block::Values(vec![Spans::plain("no speech was found")])]
        }
        RunOutcome::Speech { segments, .. } => vec![Block::Table(speech(segments))],
        RunOutcome::Objects { objects } if objects.is_empty() => {
            vec![Block::Values(vec![Spans::plain("nothing was found")])]
        }
        RunOutcome::Objects { objects } => vec![Block::Table(boxes(objects))],
        RunOutcome::Text { text, .. } => vec![Block::Values(vec![Value::quoted(text).into()])],
        RunOutcome::Tensors { outputs } => vec![Block::Table(tensors(outputs))],
    }
}

fn text_classes(texts: &[ClassifiedText]) -> Table {
    let columns = vec![
        Column::text("text", "text").limits(usize::MAX, 40),
        Column::text("class", "class"),
        Column::figures("score", "score"),
    ];
    let mut table = Table::new("texts", columns);
    for text in texts {
        for class in text.classes.iter().take(1) {
            table.row(vec![Value::quoted(&text.text), label(class), score(class.score)]);
        }
    }
    table
}

fn labeled_tokens(tokens: &[ClassifiedToken]) -> Table {
    let columns = vec![
        Column::text("text", "text"),
        Column::text("class", "class"),
        Column::figures("score", "score"),
    ];
    let mut table = Table::new("tokens", columns);
    for token in tokens {
        table.row(vec![Value::quoted(&token.text), label(&token.class), score(token.class.score)]);
    }
    table
}

fn speech(segments: &[SpeechSegment]) -> Table {
    let columns = vec![
        Column::figures("start", "from, s"),
        Column::figures("end", "to, s"),
        Column::figures("score", "speech"),
    ];
    let mut table = Table::new("segments", columns);
    for segment in segments {
        let seconds = |value: f32| Value::text(format!("{value:.2}"));
        table.row(vec![
            seconds(segment.start_seconds),
            seconds(segment.end_seconds),
            score(segment.score),
        ]);
    }
    table
}

fn boxes(objects: &[FoundObject]) -> Table {
    let columns = vec![
        Column::text("class", "class"),
        Column::figures("score", "score"),
        Column::text("box", "left, top, right, bottom"),
    ];
    let mut table = Table::new("objects", columns);
    for object in objects {
        let corners = object.corners.map(|corner| format!("{corner:.0}")).join(", ");
        table.row(vec![label(&object.class), score(object.class.score), Value::text(corners)]);
    }
    table
}

fn tensors(outputs: &[OutputTensor]) -> Table {
    let columns = vec![
        Column::text("name", "name"),
        Column::text("type", "type"),
        Column::text("range", "minimum, mean, maximum"),
    ];
    let mut table = Table::new("outputs", columns);
    for output in outputs {
        let range = output.range.map(|range| range.map(|it| format!("{it:.4}")).join(", "));
        table.row(vec![
            Value::name(&output.name),
            Value::prose(&output.type_text),
            Value::optional(range, Value::Prose),
        ]);
    }
    table
}

fn matrix(texts: &[String], similarity: &[Vec<f32>]) -> Table {
    let mut columns = vec![Column::text("text", "text").limits(usize::MAX, 24)];
    let shown = texts.len().min(COLUMNS);
    columns.extend((1..=shown).map(|number| {
        let number = number.to_string();
        Column::figures(&number, &number)
    }));
    let mut table = Table::new("similarity", columns);
    for ((number, text), row) in texts.iter().enumerate().zip(similarity) {
        let mut values = vec![Value::quoted(format!("{} {text}", number + 1))];
        values.extend(row.iter().take(shown).map(|value| score(*value)));
        table.row(values);
    }
    table
}
