//! Boxes: object detection, and what is predicted for each object.

use calipers_report::Confidence::{High, Medium};
use calipers_report::{Family, Task, TaskKind};

use super::{Picture, Size};
use crate::descriptions::grouped;
use crate::network::{BlockKind, Val, With};
use crate::task::ending::{Function, Layer};
use crate::task::{Seen, reported};

/// Fewer rows than this are not candidates for objects.
const MIN_ROWS: i64 = 50;

/// What the patterns of blocks and the operators for boxes show.
pub(super) fn recognized(seen: &Seen<'_, '_>, outputs: &[Val]) -> Option<Task> {
    let net = seen.net();
    let stats = seen.stats;
    let facts = &seen.architecture.facts;
    let maps = outputs.iter().filter(|output| net.rank(**output) == Some(4)).count();
    let stated = seen.stated_task();
    if stats.count(BlockKind::DetectionHead) > 0 {
        let scales = match &facts.strides {
            Some(strides) => {
                let strides: Vec<String> = strides.iter().map(ToString::to_string).collect();
                format!("strides {}", strides.join("/"))
            }
            None => "several scales".to_owned(),
        };
        let positions = match facts.positions {
            Some(positions) => format!("{} positions at {scales}", grouped(positions)),
            None => scales,
        };
        // One map next to the boxes holds what masks are made of.
        if maps == 1 && outputs.len() == 2 {
            let sure = if stated == Some(TaskKind::InstanceSegmentation) { High } else { Medium };
            let words = format!("boxes at {positions}, and mask prototypes");
            // A row has a box, a score for each class, and a factor for each prototype.
            let counted = || {
                let prototypes = outputs.iter().find(|output| net.rank(**output) == Some(4))?;
                let rows = outputs.iter().find(|output| net.rank(**output) == Some(3))?;
                let width = net.dim(*rows, 1)?.min(net.dim(*rows, 2)?);
                Some(width - 4 - net.dim(*prototypes, 1)?).filter(|classes| *classes > 0)
            };
            let classes = seen.stated_classes().or_else(counted).or(facts.classes);
            return Some(reported(TaskKind::InstanceSegmentation, sure, words, classes));
        }
        if stated == Some(TaskKind::PoseEstimation) {
            let words = format!("boxes, scores and keypoints at {positions}");
            return Some(reported(TaskKind::PoseEstimation, High, words, None));
        }
        let words = format!("boxes and scores at {positions}");
        return Some(reported(TaskKind::ObjectDetection, High, words, facts.classes));
    }
    if let Some(family @ (Family::Detr | Family::Yolos)) = seen.architecture.family {
        // One score more than there are classes says that there is no object.
        let scores = outputs.iter().filter(|output| net.rank(**output) == Some(3));
        let mut widths = scores.filter_map(|output| net.dim(*output, -1)).filter(|w| *w != 4);
        let classes = widths.next().filter(|_| widths.next().is_none()).map(|width| width - 1);
        let words = "each query predicts a box and class scores, including no object";
        let sure = if family == Family::Detr { High } else { Medium };
        return Some(reported(TaskKind::ObjectDetection, sure, words.to_owned(), classes));
    }
    let regions = stats.count_in(With::REGIONS) > 0;
    // Points of bodies: for each region, rows of a position and whether it is seen.
    let points = outputs
        .iter()
        .find(|output| net.rank(**output) == Some(3) && net.dim(**output, -1) == Some(3));
    if let Some(points) = points
        && regions
    {
        let words = format!("keypoints in regions of interest ({})", seen.shown(*points));
        return Some(reported(TaskKind::PoseEstimation, Medium, words, None));
    }
    if regions {
        let words = "regions of interest are classified".to_owned();
        return Some(reported(TaskKind::ObjectDetection, High, words, None));
    }
    if stats.count_in(With::SUPPRESSIONS) > 0 {
        let words = "non-maximum suppression of boxes".to_owned();
        return Some(reported(TaskKind::ObjectDetection, High, words, facts.classes));
    }
    None
}

/// An output that has a row for each candidate.
struct List {
    output: Val,
    /// Candidates; `None` where the data decides.
    rows: Option<i64>,
    columns: i64,
    named_boxes: bool,
}

impl List {
    fn find(seen: &Seen<'_, '_>, output: Val) -> Option<Self> {
        let dims = seen.sizes(output);
        let (a, b) = match dims[..] {
            [a, b] | [_, a, b] => (a, b),
            // One class of objects, or one image.
            [Some(1), Some(1), a, b] => (a, b),
            _ => return None,
        };
        let (rows, columns) = match (a, b) {
            (Some(a), Some(b)) if a < b && a >= 5 => (Some(b), a),
            (rows, Some(columns)) => (rows, columns),
            _ => return None,
        };
        let named_boxes = seen.output_named(output, &["bbox", "box", "det", "loc", "regress"]);
        Some(Self { output, rows, columns, named_boxes })
    }
}

/// Lists of boxes and of scores.
pub(super) fn lists(seen: &Seen<'_, '_>, picture: &Picture, outputs: &[Val]) -> Option<Task> {
    let lists: Vec<List> = outputs.iter().filter_map(|output| List::find(seen, *output)).collect();
    // Masks and the like may come with the boxes.
    let first = lists.first()?;
    if lists.len() == 1 {
        return one_list(seen, picture, first, outputs);
    }
    let many = |list: &List| list.rows.is_none_or(|rows| rows >= MIN_ROWS);
    let paired = |list: &List| {
        lists.iter().any(|other| other.output != list.output && other.rows == list.rows)
    };
    if !lists.iter().all(|list| paired(list) && many(list)) || lists.len() < outputs.len() {
        return None;
    }
    let boxes = lists.iter().find(|list| list.columns == 4);
    let coded = || {
        // Corners and points of each object, next to one score.
        let coded = lists.iter().find(|list| list.columns > 4 && list.columns % 2 == 0)?;
        let scored = lists.iter().any(|list| list.rows == coded.rows && list.columns <= 2);
        let made = matches!(seen.ending(coded.output).layer, Layer::Convolution(_));
        (scored && (made || coded.named_boxes)).then_some(coded)
    };
    // The same rows at several scales, with sides as distributions.
    let scaled = || {
        let boxes = lists.iter().find(|list| list.columns % 4 == 0)?;
        let mut rows: Vec<_> = lists.iter().filter_map(|list| list.rows).collect();
        rows.sort_unstable();
        rows.dedup();
        let scored = lists.iter().any(|list| seen.ending(list.output).is_probability());
        let even = rows.len().saturating_mul(2) <= lists.len();
        let plain = !seen.ending(boxes.output).is_probability();
        (rows.len() >= 2 && even && scored && plain).then_some(boxes)
    };
    let boxes = boxes.or_else(coded).or_else(scaled)?;
    let scores = lists.iter().find(|list| list.rows == boxes.rows && list.output != boxes.output);
    let shared = scores.is_some_and(|list| {
        seen.ending(list.output).is_probability() || seen.named_scores(list.output)
    });
    let sure = if shared && boxes.columns == 4 || boxes.named_boxes { High } else { Medium };
    let words = format!("boxes and scores as output ({})", seen.shown(boxes.output));
    // Each class has its own probability; a Softmax has one more for the background.
    let classes = scores.filter(|list| seen.ending(list.output).is(Function::Sigmoid));
    let classes = classes.map(|list| list.columns).filter(|columns| *columns > 1);
    Some(reported(TaskKind::ObjectDetection, sure, words, classes))
}

/// One list whose rows hold a box, scores and perhaps more.
fn one_list(seen: &Seen<'_, '_>, picture: &Picture, list: &List, outputs: &[Val]) -> Option<Task> {
    let shown = seen.shown(list.output);
    if outputs.len() == 1
        && list.columns >= 5
        && let (Some(rows), Some(height), Some(width)) = (list.rows, picture.height, picture.width)
        && rows >= MIN_ROWS
        && is_grid(rows, height, width)
    {
        let words = format!("a row for every feature position, with a box and scores ({shown})");
        return Some(reported(TaskKind::ObjectDetection, High, words, None));
    }
    // The best candidates: a box, a score and a class.
    let best = seen.stats.count("TopK") > 0 || list.rows.is_none();
    let columns = matches!(list.columns, 6 | 7);
    let few = list.rows.is_none_or(|rows| (10..=1000).contains(&rows));
    let end = seen.ending(list.output);
    if best && columns && few && !end.is_probability() && !seen.named_scores(list.output) {
        let words = format!("rows of a box, a score and a class as output ({shown})");
        return Some(reported(TaskKind::ObjectDetection, Medium, words, None));
    }
    None
}

/// Whether a number of rows is that of all positions of consecutive strides, times anchors.
fn is_grid(rows: i64, height: i64, width: i64) -> bool {
    const STRIDES: [i64; 5] = [4, 8, 16, 32, 64];
    const ANCHORS: [i64; 5] = [1, 2, 3, 6, 9];
    let cells = STRIDES.map(|stride| {
        let side = |pixels: i64| pixels.div_euclid(stride) + i64::from(pixels % stride > 0);
        side(height).saturating_mul(side(width))
    });
    let sums = (0..STRIDES.len()).flat_map(|from| {
        (from + 2..=STRIDES.len()).map(move |to| cells[from..to].iter().sum::<i64>())
    });
    sums.into_iter().any(|sum| ANCHORS.iter().any(|anchors| sum.saturating_mul(*anchors) == rows))
}

/// Heat maps of classes next to maps of sizes and offsets.
pub(super) fn heat_maps(seen: &Seen<'_, '_>, picture: &Picture, outputs: &[Val]) -> Option<Task> {
    if outputs.len() < 2 {
        return None;
    }
    let maps: Option<Vec<_>> = outputs.iter().map(|output| picture.map(seen, *output)).collect();
    let maps = maps?;
    let small = maps.iter().all(|map| map.size >= Size::Smaller);
    let alike = maps.iter().all(|map| {
        let same =
            maps.iter().filter(|other| (other.rows, other.columns) == (map.rows, map.columns));
        let channels: Vec<i64> = same.map(|map| map.channels).collect();
        let pairs = channels.iter().filter(|count| **count == 2).count();
        channels.len() >= 2 && (channels.contains(&4) || pairs >= 2)
    });
    let made = outputs.iter().all(|output| seen.ending(*output).convolution().is_some());
    (small && alike && made).then(|| {
        let shown = seen.shown(maps[0].output);
        let words = format!("heat maps, and maps of box sizes or offsets as output ({shown})");
        reported(TaskKind::ObjectDetection, Medium, words, None)
    })
}
