//! Lines of text in an image, from the probability of text at each pixel.

use super::detect::Detection;
use crate::Tensor;

/// Pixels below this are not text.
const LEAST_PROBABILITY: f32 = 0.3;
/// Regions whose mean is below this are not text.
const LEAST_SCORE: f32 = 0.5;
/// Regions of fewer pixels along a side are noise.
const LEAST_SIDE: usize = 3;
/// Detectors are trained on lines that are shrunk; this undoes it.
const EXPANSION: f32 = 1.6;
/// Regions of one image at most.
const MOST_REGIONS: usize = 1000;

/// Finds the lines of text in a map of probabilities, `[1, 1, height, width]`: connected pixels
/// above a threshold, as upright boxes in pixels of the map, in reading order. `None` where the
/// tensor is not such a map.
pub fn regions(map: &Tensor) -> Option<Vec<Detection>> {
    let (height, width) = match *map.shape() {
        [1, 1, height, width] | [1, height, width] | [1, height, width, 1] => (height, width),
        _ => return None,
    };
    let values = map.to_f32()?;
    let mut seen = vec![false; values.len()];
    let mut found = Vec::new();
    let mut next = Vec::new();
    for start in 0..values.len() {
        if seen[start] || values[start] < LEAST_PROBABILITY {
            continue;
        }
        seen[start] = true;
        next.push(start);
        let mut region = Region::default();
        while let Some(place) = next.pop() {
            let (x, y) = (place % width, place / width);
            region.add(x, y, values[place]);
            for row in y.saturating_sub(1)..(y + 2).min(height) {
                for column in x.saturating_sub(1)..(x + 2).min(width) {
                    let near = row * width + column;
                    if !seen[near] && values[near] >= LEAST_PROBABILITY {
                        seen[near] = true;
                        next.push(near);
                    }
                }
            }
        }
        found.extend(region.detection());
    }
    found.sort_by(|a, b| a.corners[1].total_cmp(&b.corners[1]));
    found.truncate(MOST_REGIONS);
    in_reading_order(&mut found);
    Some(found)
}

/// Orders boxes that are sorted by their tops: boxes whose middles are in the same line go from
/// left to right.
fn in_reading_order(found: &mut [Detection]) {
    let mut start = 0;
    while start < found.len() {
        let [_, top, _, bottom] = found[start].corners;
        let middle = |it: &Detection| f32::midpoint(it.corners[1], it.corners[3]);
        let line = found[start..].iter().take_while(|it| (top..bottom).contains(&middle(it)));
        let end = start + line.count().max(1);
        found[start..end].sort_by(|a, b| a.corners[0].total_cmp(&b.corners[0]));
        start = end;
    }
}

/// Connected pixels.
#[derive(Default)]
struct Region {
    /// Left, top, right, bottom; the last two inside.
    bounds: Option<[usize; 4]>,
    sum: f32,
    count: f32,
}

impl Region {
    fn add(&mut self, x: usize, y: usize, probability: f32) {
        let [left, top, right, bottom] = self.bounds.unwrap_or([x, y, x, y]);
        self.bounds = Some([left.min(x), top.min(y), right.max(x), bottom.max(y)]);
        self.sum += probability;
        self.count += 1.0;
    }

    /// The box around the line, where the region is one.
    #[expect(clippy::cast_precision_loss, reason = "sides have fewer than 24 bits")]
    fn detection(self) -> Option<Detection> {
        let [left, top, right, bottom] = self.bounds?;
        let (wide, high) = (right - left + 1, bottom - top + 1);
        let score = self.sum / self.count;
        if wide.min(high) < LEAST_SIDE || score < LEAST_SCORE {
            return None;
        }
        let (wide, high) = (wide as f32, high as f32);
        let margin = wide * high * EXPANSION / (2.0 * (wide + high));
        let corners = [
            left as f32 - margin,
            top as f32 - margin,
            right as f32 + 1.0 + margin,
            bottom as f32 + 1.0 + margin,
        ];
        Some(Detection { class: 0, score, corners })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn connected_pixels_are_boxes_in_reading_order() {
        let (width, height) = (40, 30);
        let mut map = vec![0.0_f32; width * height];
        // Two words in the first line, the right one higher, and one below; one pixel of noise.
        for (left, top) in [(20, 4), (2, 5), (10, 20)] {
            for (x, y) in (left..left + 10).flat_map(|x| (top..top + 4).map(move |y| (x, y))) {
                map[y * width + x] = 0.9;
            }
        }
        map[29 * width] = 0.9;
        let map = Tensor::new(vec![1, 1, height, width], map).unwrap();
        let found = regions(&map).unwrap();
        // 10 x 4 x 1.6 / 28 is a margin of 2.29.
        let lefts: Vec<f32> = found.iter().map(|it| it.corners[0].round()).collect();
        assert_eq!(lefts, [0.0, 18.0, 8.0]);
        assert!((found[0].score - 0.9).abs() < 1e-5);
        assert!(regions(&Tensor::new(vec![2, 3], vec![0.0_f32; 6]).unwrap()).is_none());
    }
}
