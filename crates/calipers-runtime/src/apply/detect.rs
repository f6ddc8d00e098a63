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
/// `[1, boxes, 6]` with corners, score and class. `None` where the output is not such a head.
pub fn yolo(output: &Tensor, least: f32, classes: Option<usize>) -> Option<Vec<Detection>> {
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
    if figures <= first {
        return None;
    }
    let figure = |number: usize, place: usize| match is_transposed {
        true => at(place, number),
        false => at(number, place),
    };
    for number in 0..boxes {
        let object = if has_objectness { figure(number, 4) } else { 1.0 };
        let scores = (first..figures).map(|place| figure(number, place) * object);
        let best = scores.enumerate().max_by(|a, b| a.1.total_cmp(&b.1));
        let Some((class, score)) = best.filter(|(_, score)| *score >= least) else { continue };
        let [x, y, width, height] = [0, 1, 2, 3].map(|place| figure(number, place));
        let corners = [x - width / 2.0, y - height / 2.0, x + width / 2.0, y + height / 2.0];
        found.push(Detection { class, score, corners });
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

/// Draws boxes into an image, a color per class.
pub fn draw(image: &mut RgbImage, found: &[Detection]) {
    const COLORS: [[u8; 3]; 6] = [
        [230, 60, 60],
        [40, 130, 220],
        [50, 170, 90],
        [240, 160, 20],
        [150, 80, 200],
        [20, 170, 170],
    ];
    let (width, height) = image.dimensions();
    let thick = (width.max(height) / 320).max(2);
    for detection in found {
        let color = Rgb(COLORS[detection.class % COLORS.len()]);
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
    fn both_forms_of_a_head_are_read() {
        // Two classes, eight boxes; the third is of class 1 at (20, 30), 10 wide, 20 high.
        let mut columns = vec![0.0_f32; 6 * 8];
        for (figure, value) in [20.0, 30.0, 10.0, 20.0, 0.1, 0.8].into_iter().enumerate() {
            columns[figure * 8 + 2] = value;
        }
        let head = Tensor::new(vec![1, 6, 8], columns).unwrap();
        let wanted = found(1, 0.8, [15.0, 20.0, 25.0, 40.0]);
        assert_eq!(yolo(&head, 0.25, Some(2)).unwrap(), std::slice::from_ref(&wanted));
        let mut rows = vec![0.0_f32; 8 * 7];
        rows[14..21].copy_from_slice(&[20.0, 30.0, 10.0, 20.0, 0.5, 0.2, 1.6]);
        let head = Tensor::new(vec![1, 8, 7], rows).unwrap();
        assert_eq!(yolo(&head, 0.25, Some(2)).unwrap(), std::slice::from_ref(&wanted));
        let placement = Placement { scale: (0.5, 0.5), offset: (5.0, 0.0) };
        // (15 - 5) / 0.5 = 20 and (25 - 5) / 0.5 = 40; 40 / 0.5 = 80, cut at 60.
        assert_eq!(wanted.placed(placement, 100.0, 60.0).corners, [20.0, 40.0, 40.0, 60.0]);
    }
}
