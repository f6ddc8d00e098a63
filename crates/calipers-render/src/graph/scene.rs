//! A graph with its groups expanded down to a depth, as boxes and lines on one sheet.

use calipers_report::{GraphView, GroupItem};

use super::groups;
use super::labels::{self, Label};
use super::layered::{Sheet, lay_out};

/// A box on the sheet.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneBox {
    /// What it is.
    pub item: GroupItem,
    /// Its text.
    pub label: Label,
    /// Whether boxes are in it.
    pub open: bool,
    /// Left, top, width, height.
    pub area: (f64, f64, f64, f64),
}

/// A line on the sheet, from the producer to the consumer.
#[derive(Clone, Debug, PartialEq)]
pub struct SceneLine {
    /// Its points.
    pub points: Vec<(f64, f64)>,
    /// Rows between which it goes curved: upper and lower edge of each row it passes.
    pub label: String,
}

/// Boxes and lines.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Scene {
    /// The boxes; outer ones first.
    pub boxes: Vec<SceneBox>,
    /// The lines.
    pub lines: Vec<SceneLine>,
    /// Its width.
    pub width: f64,
    /// Its height.
    pub height: f64,
}

/// Space around the contents of a box, and above them for the title.
pub const PADDING: f64 = 16.0;
/// See [`PADDING`].
pub const TITLE: f64 = 30.0;

/// Expands groups down to a depth; at 1 the main group shows its boxes collapsed.
pub fn open(view: &GraphView, depth: usize) -> Scene {
    let sheets = sheets(view, depth);
    let mut scene = Scene::default();
    if let Some(Some(sheet)) = sheets.first() {
        scene.width = sheet.width;
        scene.height = sheet.height;
        put(view, &sheets, 0, (0.0, 0.0), &mut scene);
    }
    scene
}

/// The depth at which each group is expanded; none for those that stay collapsed.
fn depths(view: &GraphView, depth: usize) -> Vec<Option<usize>> {
    let mut depths = vec![None; view.groups.len()];
    if let Some(first) = depths.first_mut().filter(|_| depth > 0) {
        *first = Some(1);
    }
    for number in 0..view.groups.len() {
        let Some(around) = depths[number].filter(|around| *around < depth) else { continue };
        for item in &view.groups[number].items {
            if let GroupItem::GraphGroup(inner) = item
                && *inner > number
                && let Some(place) = depths.get_mut(*inner)
            {
                *place = Some(around + 1);
            }
        }
    }
    depths
}

/// The layout of each expanded group, inner ones first.
fn sheets(view: &GraphView, depth: usize) -> Vec<Option<Sheet>> {
    let depths = depths(view, depth);
    let mut sheets: Vec<Option<Sheet>> = vec![None; view.groups.len()];
    for number in (0..view.groups.len()).rev().filter(|number| depths[*number].is_some()) {
        let group = &view.groups[number];
        let size = |item: &GroupItem| match item {
            GroupItem::GraphGroup(inner) if sheets.get(*inner).is_some_and(Option::is_some) => {
                let title =
                    labels::width(&labels::label(view, *item).title, labels::TITLE_SIZE) + 32.0;
                let inside = sheets[*inner].as_ref();
                let (width, height) = inside.map_or((0.0, 0.0), |it| (it.width, it.height));
                ((width + 2.0 * PADDING).max(title), height + TITLE + PADDING)
            }
            item => labels::size(*item, &labels::label(view, *item)),
        };
        let sizes = group.items.iter().map(size).collect();
        sheets[number] = Some(lay_out(&groups::task(group, sizes)));
    }
    sheets
}

/// Puts the boxes and lines of a group on the sheet. Groups nest to a bounded depth.
fn put(
    view: &GraphView,
    sheets: &[Option<Sheet>],
    number: usize,
    (left, top): (f64, f64),
    scene: &mut Scene,
) {
    let (Some(Some(sheet)), Some(group)) = (sheets.get(number), view.groups.get(number)) else {
        return;
    };
    for (item, place) in group.items.iter().zip(&sheet.boxes) {
        let inner = match item {
            GroupItem::GraphGroup(inner) => {
                sheets.get(*inner).and_then(Option::as_ref).map(|it| (*inner, it))
            }
            _ => None,
        };
        let (x, y) = (left + place.x - place.width / 2.0, top + place.y);
        scene.boxes.push(SceneBox {
            item: *item,
            label: labels::label(view, *item),
            open: inner.is_some(),
            area: (x, y, place.width, place.height),
        });
        if let Some((inner, inside)) = inner {
            let middle = x + ((place.width - inside.width) / 2.0).floor();
            put(view, sheets, inner, (middle, y + TITLE), scene);
        }
    }
    for (edge, bends) in group.edges.iter().zip(&sheet.bends) {
        let (Some(from), Some(to)) = (sheet.boxes.get(edge.from), sheet.boxes.get(edge.to)) else {
            continue;
        };
        let is_up = from.rank > to.rank;
        let (upper, lower) = if is_up { (to, from) } else { (from, to) };
        let mut points = vec![(left + upper.x, top + upper.y + upper.height)];
        for (rank, x) in bends {
            let band = sheet.bands.get(*rank).copied().unwrap_or_default();
            points.push((left + x, top + band.y));
            points.push((left + x, top + band.y + band.height));
        }
        points.push((left + lower.x, top + lower.y));
        if is_up {
            points.reverse();
        }
        scene.lines.push(SceneLine { points, label: edge_label(view, edge) });
    }
}

/// The shape that an arrow carries, or how many values.
pub fn edge_label(view: &GraphView, edge: &calipers_report::GroupEdge) -> String {
    let first = edge.values.first().and_then(|value| view.values.get(*value));
    let shape = first.map(|value| labels::shape(&value.value)).unwrap_or_default();
    match edge.count {
        0 | 1 => shape,
        count => format!("{count} values"),
    }
}
