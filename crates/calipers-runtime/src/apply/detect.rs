//! Boxes of detectors: YOLO heads, non-maximum suppression, drawing.

use image::{Rgb, RgbImage};
use serde::Serialize;

use super::image::Placement;
use crate::Tensor;

/// Boxes of one image at most.
const MOST_BOXES: usize = 300;

/// An object that was found; corners in pixels of the image.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct Detection {
    /// The class.
    pub class: usize,
    /// Its probability.
    pub score: f32,
    /// Left, top, right, bottom.
    #[serde(rename = "box")]
    pub corners: [f32; 4],
}

/// Reads the boxes of a YOLO head: `[1, 4 + classes, boxes]` (version 8 and later) or
/// `[1, boxes, 5 + classes]` (version 5), center and size in pixels of the input, or
/// `[1, boxes, 6]` with corners, score and class. Boxes relative to the cells of a grid (YOLOX) are
/// recognized by sizes below 0, which are logarithms. `input` is the width and height of the image.
/// `None` where the output is not such a head.
pub fn yolo(
    output: &Tensor,
    least: f32,
    classes: Option<usize>,
    input: (u32, u32),
) -> Option<Vec<Detection>> {
    let values = output.to_f32()?;
    let [1, rows, columns] = *output.shape() else { return None };
    let at = |row: usize, column: usize| values[row * columns + column];
    let mut found = Vec::new();
    if columns == 6 && classes.is_none_or(|classes| classes != 1 && classes != 2) {
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "a class")]
        for row in (0..rows).filter(|row| at(*row, 4) >= least) {
            let corners = [at(row, 0), at(row, 1), at(row, 2), at(row, 3)];
            found.push(Detection { class: at(row, 5) as usize, score: at(row, 4), corners });
        }
        return Some(found);
    }
    // There are more boxes than figures of a box.
    let is_transposed = rows < columns;
    let (boxes, figures) = if is_transposed { (columns, rows) } else { (rows, columns) };
    let has_objectness = match classes {
        Some(classes) => figures == classes + 5,
        None => !is_transposed,
    };
    let first = if has_objectness { 5 } else { 4 };
    // A head of another kind has another number of figures; its boxes would be invented.
    if figures <= first || classes.is_some_and(|classes| figures != first + classes) {
        return None;
    }
    let figure = |number: usize, place: usize| match is_transposed {
        true => at(place, number),
        false => at(number, place),
    };
    let grid = grid(&figure, boxes, input);
    for number in 0..boxes {
        let object = if has_objectness { figure(number, 4) } else { 1.0 };
        let scores = (first..figures).map(|place| figure(number, place) * object);
        let best = scores.enumerate().max_by(|a, b| a.1.total_cmp(&b.1));
        let Some((class, score)) = best.filter(|(_, score)| *score >= least) else { continue };
        let mut sides = [0, 1, 2, 3].map(|place| figure(number, place));
        if let Some(cell) = grid.as_ref().and_then(|cells| cells.get(number)) {
            sides = cell.decoded(sides);
        }
        let [x, y, width, height] = sides;
        let corners = [x - width / 2.0, y - height / 2.0, x + width / 2.0, y + height / 2.0];
        found.push(Detection { class, score, corners });
    }
    Some(found)
}

/// A cell of a grid, which a box is relative to.
struct Cell {
    column: f32,
    row: f32,
    stride: f32,
}

impl Cell {
    fn decoded(&self, [x, y, width, height]: [f32; 4]) -> [f32; 4] {
        let side = |logarithm: f32| logarithm.exp() * self.stride;
        let (x, y) = ((x + self.column) * self.stride, (y + self.row) * self.stride);
        [x, y, side(width), side(height)]
    }
}

/// The cells of the grids with strides of 8, 16 and 32 pixels, where there is a box for each and
/// the boxes are relative to them.
#[expect(clippy::cast_precision_loss, reason = "grids are small")]
fn grid(
    figure: &dyn Fn(usize, usize) -> f32,
    boxes: usize,
    (width, height): (u32, u32),
) -> Option<Vec<Cell>> {
    let is_logarithmic =
        (0..boxes).any(|number| figure(number, 2) < 0.0 || figure(number, 3) < 0.0);
    let strides = [8_u32, 16, 32];
    let cells: u64 =
        strides.iter().map(|stride| u64::from(width / stride) * u64::from(height / stride)).sum();
    if !is_logarithmic || cells != boxes as u64 {
        return None;
    }
    let cells = strides.into_iter().flat_map(|stride| {
        let cell = move |row: u32, column: u32| Cell {
            column: column as f32,
            row: row as f32,
            stride: stride as f32,
        };
        (0..height / stride)
            .flat_map(move |row| (0..width / stride).map(move |column| cell(row, column)))
    });
    Some(cells.collect())
}

/// Reads the boxes of a DETR: scores `[1, boxes, classes + 1]`, the last class being none, and
/// boxes `[1, boxes, 4]` with center and size as shares of the image.
pub fn detr(
    logits: &Tensor,
    boxes: &Tensor,
    least: f32,
    (width, height): (u32, u32),
) -> Option<Vec<Detection>> {
    let ([1, count, classes], [1, same, 4]) = (logits.shape(), boxes.shape()) else { return None };
    if count != same || *classes < 2 {
        return None;
    }
    let (scores, sides) = (logits.to_f32()?, boxes.to_f32()?);
    #[expect(clippy::cast_precision_loss, reason = "sides have fewer than 24 bits")]
    let (width, height) = (width as f32, height as f32);
    let mut found = Vec::new();
    for (row, &[x, y, wide, high]) in scores.chunks_exact(*classes).zip(sides.as_chunks().0) {
        let all = super::scores::softmax(row);
        let Some(&(class, score)) = super::scores::top(&all[..classes - 1], 1).first() else {
            continue;
        };
        if score >= least {
            let corners = [
                (x - wide / 2.0) * width,
                (y - high / 2.0) * height,
                (x + wide / 2.0) * width,
                (y + high / 2.0) * height,
            ];
            found.push(Detection { class, score, corners });
        }
    }
    Some(found)
}

/// The overlap of two boxes: their intersection divided by their union.
pub fn overlap(a: &[f32; 4], b: &[f32; 4]) -> f32 {
    let area = |c: &[f32; 4]| (c[2] - c[0]).max(0.0) * (c[3] - c[1]).max(0.0);
    let inner = [a[0].max(b[0]), a[1].max(b[1]), a[2].min(b[2]), a[3].min(b[3])];
    let shared = area(&inner);
    let union = area(a) + area(b) - shared;
    if union > 0.0 { shared / union } else { 0.0 }
}

/// Keeps the best of the boxes of a class that overlap by more than a share.
pub fn suppressed(mut found: Vec<Detection>, most_overlap: f32) -> Vec<Detection> {
    found.retain(|it| it.score.is_finite() && it.corners.iter().all(|corner| corner.is_finite()));
    found.sort_by(|a, b| b.score.total_cmp(&a.score));
    let mut kept: Vec<Detection> = Vec::new();
    for next in found {
        let is_covered = kept
            .iter()
            .any(|it| it.class == next.class && overlap(&it.corners, &next.corners) > most_overlap);
        if !is_covered {
            kept.push(next);
            if kept.len() == MOST_BOXES {
                break;
            }
        }
    }
    kept
}

impl Detection {
    /// Moves the box from the input to the image.
    #[must_use]
    pub fn placed(mut self, placement: Placement, width: f32, height: f32) -> Self {
        let [left, top, right, bottom] = self.corners;
        let x = |x: f32| ((x - placement.offset.0) / placement.scale.0).clamp(0.0, width);
        let y = |y: f32| ((y - placement.offset.1) / placement.scale.1).clamp(0.0, height);
        self.corners = [x(left), y(top), x(right), y(bottom)];
        self
    }
}

/// The color of a class.
pub fn color(class: usize) -> [u8; 3] {
    const COLORS: [[u8; 3]; 6] = [
        [230, 60, 60],
        [40, 130, 220],
        [50, 170, 90],
        [240, 160, 20],
        [150, 80, 200],
        [20, 170, 170],
    ];
    COLORS[class % COLORS.len()]
}

/// Draws boxes into an image, a color per class.
pub fn draw(image: &mut RgbImage, found: &[Detection]) {
    let (width, height) = image.dimensions();
    let thick = (width.max(height) / 320).max(2);
    for detection in found {
        let color = Rgb(color(detection.class));
        #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "clamped")]
        let [left, top, right, bottom] = detection.corners.map(|corner| corner.max(0.0) as u32);
        for y in top..bottom.min(height) {
            for x in left..right.min(width) {
                let is_edge = x < left + thick
                    || y < top + thick
                    || x + thick >= right
                    || y + thick >= bottom;
                if is_edge {
                    image.put_pixel(x, y, color);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(class: usize, score: f32, corners: [f32; 4]) -> Detection {
        Detection { class, score, corners }
    }

    #[test]
    fn overlaps_are_shares_of_the_union() {
        // 2 x 2 and 2 x 2 share 1 x 2: 2 / (4 + 4 - 2).
        let share = overlap(&[0.0, 0.0, 2.0, 2.0], &[1.0, 0.0, 3.0, 2.0]);
        assert!((share - 1.0 / 3.0).abs() < 1e-6);
        assert_eq!(overlap(&[0.0; 4], &[0.0; 4]), 0.0);
    }

    #[test]
    fn the_best_of_overlapping_boxes_stays() {
        let boxes = vec![
            found(0, 0.6, [0.0, 0.0, 10.0, 10.0]),
            found(0, 0.9, [1.0, 0.0, 11.0, 10.0]),
            found(1, 0.5, [0.0, 0.0, 10.0, 10.0]),
            found(0, f32::NAN, [0.0, 0.0, 10.0, 10.0]),
        ];
        let kept = suppressed(boxes, 0.45);
        assert_eq!(
            kept.iter().map(|it| (it.class, it.score)).collect::<Vec<_>>(),
            [(0, 0.9), (1, 0.5)]
        );
    }

    #[test]
    fn boxes_relative_to_a_grid_are_decoded() {
        // 32 x 32 pixels: 16 cells of 8, 4 of 16 and 1 of 32 pixels; the sixth is in row 1, column 1.
        let mut rows = vec![0.0_f32; 21 * 6];
        rows[30..36].copy_from_slice(&[0.5, 0.25, -2.0_f32.ln(), 2.0_f32.ln(), 0.9, 1.0]);
        let head = Tensor::new(vec![1, 21, 6], rows).unwrap();
        let found_boxes = yolo(&head, 0.25, Some(1), (32, 32)).unwrap();
        // Center (1.5 x 8, 1.25 x 8); 8 / 2 wide, 8 x 2 high.
        let [left, top, right, bottom] = found_boxes[0].corners.map(f32::round);
        assert_eq!([left, top, right, bottom], [10.0, 2.0, 14.0, 18.0]);
        assert_eq!(found_boxes.len(), 1);
    }

    #[test]
    fn a_head_of_another_kind_is_not_read() {
        // Ten scores per position without boxes, as PicoDet has them.
        let scores = Tensor::new(vec![1, 40, 10], vec![0.9_f32; 400]).unwrap();
        assert!(yolo(&scores, 0.25, Some(10), (64, 64)).is_none());
    }

    #[test]
    fn shares_of_the_image_are_boxes() {
        let logits = Tensor::new(vec![1, 2, 3], vec![9.0_f32, 0.0, 0.0, 0.0, 0.0, 9.0]).unwrap();
        let boxes = Tensor::new(vec![1, 2, 4], vec![0.5_f32; 8]).unwrap();
        let found = detr(&logits, &boxes, 0.5, (100, 60)).unwrap();
        assert_eq!(found.len(), 1);
        assert_eq!((found[0].class, found[0].corners), (0, [25.0, 15.0, 75.0, 45.0]));
    }

    #[test]
    fn both_forms_of_a_head_are_read() {
        // Two classes, eight boxes; the third is of class 1 at (20, 30), 10 wide, 20 high.
        let mut columns = vec![0.0_f32; 6 * 8];
        for (figure, value) in [20.0, 30.0, 10.0, 20.0, 0.1, 0.8].into_iter().enumerate() {
            columns[figure * 8 + 2] = value;
        }
        let head = Tensor::new(vec![1, 6, 8], columns).unwrap();
        let wanted = found(1, 0.8, [15.0, 20.0, 25.0, 40.0]);
        assert_eq!(yolo(&head, 0.25, Some(2), (64, 64)).unwrap(), std::slice::from_ref(&wanted));
        let mut rows = vec![0.0_f32; 8 * 7];
        rows[14..21].copy_from_slice(&[20.0, 30.0, 10.0, 20.0, 0.5, 0.2, 1.6]);
        let head = Tensor::new(vec![1, 8, 7], rows).unwrap();
        assert_eq!(yolo(&head, 0.25, Some(2), (64, 64)).unwrap(), std::slice::from_ref(&wanted));
        let placement = Placement { scale: (0.5, 0.5), offset: (5.0, 0.0) };
        // (15 - 5) / 0.5 = 20 and (25 - 5) / 0.5 = 40; 40 / 0.5 = 80, cut at 60.
        assert_eq!(wanted.placed(placement, 100.0, 60.0).corners, [20.0, 40.0, 40.0, 60.0]);
    }
}
