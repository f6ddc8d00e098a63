//! Characters, tags and words in order.

use calipers_report::Confidence::{High, Medium};
use calipers_report::{Family, Style, Task, TaskKind};

use super::Picture;
use crate::network::{Origin, Val};
use crate::stats::Given;
use crate::task::ending::{Function, Layer};
use crate::task::{Seen, reported};

/// Fewer characters than this are classes.
const MIN_CHARACTERS: i64 = 11;

/// Taller images than this are pages.
const MAX_LINE_HEIGHT: i64 = 64;

/// Table tags, and perhaps boxes of cells.
pub(super) fn table(seen: &Seen<'_, '_>, outputs: &[Val]) -> Option<Task> {
    let net = seen.net();
    let lists = |val: &Val| net.rank(*val) == Some(3);
    if seen.lists_table_tags() {
        let words = "image input, scores of table tags as output, and tags in the metadata";
        return Some(reported(TaskKind::TableStructure, High, words.to_owned(), None));
    }
    // A decoder writes a tag in each turn, and the box of its cell.
    let decodes = net.model.nodes().any(|(_, node)| net.model.name(node.op) == "Loop");
    let [a, b] = outputs[..] else { return None };
    let paired = |tags: Val, boxes: Val| {
        let end = seen.ending(tags);
        let tagged = net.dim(tags, -1).is_some_and(|width| (11..=200).contains(&width));
        let boxed = matches!(net.dim(boxes, -1), Some(4 | 8));
        tagged && boxed && end.is(Function::Softmax) && end.along_last
    };
    let same = net.shape(a)?.get(1) == net.shape(b)?.get(1);
    let fits = decodes && lists(&a) && lists(&b) && same && (paired(a, b) || paired(b, a));
    fits.then(|| {
        let words = "image input, tag scores in order, each with a box, as output";
        reported(TaskKind::TableStructure, Medium, words.to_owned(), None)
    })
}

/// An image of a line of text, and scores of characters along its width.
pub(super) fn lines(seen: &Seen<'_, '_>, picture: &Picture) -> Option<Task> {
    let net = seen.net();
    let data = |val: &&Val| net.origin(**val) == Origin::Data;
    let (output, scores) = net.outputs.iter().filter(data).find_map(|output| {
        let scores = Scores::find(seen, *output)?;
        Some((*output, scores))
    })?;
    let [height, width] = picture.sides(seen)?;
    // The axis of the scores that the width decides, and the height does not.
    let from_width = width.symbols().iter().any(|symbol| {
        net.shape(output).unwrap_or_default().iter().any(|dim| {
            dim.contains_symbol(symbol)
                && !height.symbols().iter().any(|it| it != symbol && dim.contains_symbol(it))
        })
    });
    let is_low = height.as_const().is_some_and(|height| height <= MAX_LINE_HEIGHT);
    let is_line = is_low
        && match (picture.height, picture.width, width.as_const()) {
            (Some(height), Some(width), Some(_)) => width >= height.saturating_mul(2),
            _ => true,
        };
    let along = scores.steps.is_some_and(|steps| match picture.width {
        Some(width) => steps >= 2 && steps.saturating_mul(16) >= width && steps < width,
        None => false,
    });
    let listed = seen.listed_characters().is_some_and(|count| {
        // A blank and a space may be added to the list.
        (count..=count.saturating_add(3)).contains(&scores.characters)
    });
    let sure = if is_line && (from_width || along) || listed && (from_width || is_line) {
        High
    } else if from_width && scores.normalized && scores.characters >= 36
        || is_line
        || is_read_in_steps(seen, picture, &scores)
    {
        Medium
    } else {
        return None;
    };
    let shown = seen.shown(output);
    let words = match scores.picked {
        true => format!("image input, a character for each step along its width ({shown})"),
        false => format!("image input, character scores for each step along its width ({shown})"),
    };
    let mut task = reported(TaskKind::TextRecognition, sure, words, None);
    if listed {
        task.evidence.push("the metadata lists the characters".to_owned());
    }
    Some(task)
}

/// Whether recurrent layers read one image from side to side, and score a character in each step.
fn is_read_in_steps(seen: &Seen<'_, '_>, picture: &Picture, scores: &Scores) -> bool {
    seen.architecture.family == Some(Family::Crnn)
        && seen.net().rank(picture.val) == Some(4)
        && scores.steps.is_some_and(|steps| steps >= 4)
}

/// Scores of characters for each step.
struct Scores {
    characters: i64,
    /// Steps, where their number is known.
    steps: Option<i64>,
    normalized: bool,
    /// Whether the best character is picked.
    picked: bool,
}

impl Scores {
    fn find(seen: &Seen<'_, '_>, output: Val) -> Option<Self> {
        let net = seen.net();
        let end = seen.ending(output);
        let head = matches!(end.layer, Layer::Product | Layer::Convolution(_))
            || end.is(Function::Softmax);
        if !head {
            return None;
        }
        let dims = seen.sizes(output);
        if end.picks && net.rank(output) == Some(2) {
            let characters = end.classes.filter(|classes| *classes >= MIN_CHARACTERS)?;
            let steps = dims.get(1).copied().flatten();
            return Some(Self { characters, steps, normalized: true, picked: true });
        }
        if net.rank(output) != Some(3) || end.joined && !end.is(Function::Softmax) {
            return None;
        }
        let characters = net.dim(output, -1).filter(|width| *width >= MIN_CHARACTERS)?;
        // One of the other axes is the batch.
        let steps = match dims[..] {
            [Some(1) | None, steps, _] | [steps, Some(1) | None, _] => steps,
            [_, steps, _] => steps,
            _ => None,
        };
        let normalized = end.is(Function::Softmax);
        Some(Self { characters, steps, normalized, picked: false })
    }
}

/// Words from a decoder.
pub(super) fn decoder(seen: &Seen<'_, '_>, outputs: &[Val]) -> Option<Task> {
    let tokens = seen.stats.takes(Given::Tokens);
    let decodes = tokens && (seen.styled(Style::EncoderDecoder) || seen.styled(Style::Decoder));
    let output = outputs.first().filter(|_| decodes)?;
    let words = format!("image input, vocabulary scores as output ({})", seen.shown(*output));
    Some(reported(TaskKind::ImageToText, Medium, words, None))
}
