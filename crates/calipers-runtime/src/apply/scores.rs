//! Scores of classes, spans of answers, similarities of vectors.

/// Returns the softmax of scores.
pub fn softmax(scores: &[f32]) -> Vec<f32> {
    let largest = scores.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let powers: Vec<f32> = scores.iter().map(|score| (score - largest).exp()).collect();
    let sum: f32 = powers.iter().sum();
    powers.iter().map(|power| power / sum).collect()
}

/// Returns probabilities: the scores themselves where they are a distribution, else their softmax.
pub fn probabilities(scores: &[f32]) -> Vec<f32> {
    let sum: f32 = scores.iter().sum();
    let is_distribution =
        scores.iter().all(|score| (0.0..=1.0).contains(score)) && (sum - 1.0).abs() < 1e-2;
    if is_distribution { scores.to_vec() } else { softmax(scores) }
}

/// Returns the classes of the highest scores, best first.
pub fn top(scores: &[f32], count: usize) -> Vec<(usize, f32)> {
    let mut order: Vec<(usize, f32)> = scores.iter().copied().enumerate().collect();
    order.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
    order.truncate(count);
    order
}

/// Returns the mean of the rows whose mask is not 0, as sentence-transformers pools token vectors.
pub fn mean_pooled(rows: &[f32], mask: &[i64], width: usize) -> Vec<f32> {
    let mut mean = vec![0.0_f32; width];
    let mut count = 0.0_f32;
    for (row, keep) in rows.chunks_exact(width.max(1)).zip(mask) {
        if *keep != 0 {
            count += 1.0;
            for (sum, value) in mean.iter_mut().zip(row) {
                *sum += value;
            }
        }
    }
    mean.iter_mut().for_each(|sum| *sum /= count.max(1e-9));
    mean
}

/// Scales a vector to length 1.
pub fn normalize(vector: &mut [f32]) {
    let length = vector.iter().map(|x| x * x).sum::<f32>().sqrt().max(1e-12);
    vector.iter_mut().for_each(|x| *x /= length);
}

/// Returns the dot product of two vectors.
pub fn dot(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(x, y)| x * y).sum()
}

/// Tokens of an answer at most.
const LONGEST: usize = 30;

/// Returns the span with the highest probability, from the scores of its first and last token;
/// `allowed` are the tokens of the context.
pub fn best_span(
    start: &[f32],
    end: &[f32],
    allowed: std::ops::Range<usize>,
) -> Option<(usize, usize, f32)> {
    let (start, end) = (softmax(start), softmax(end));
    let mut best: Option<(usize, usize, f32)> = None;
    for first in allowed.clone() {
        for last in first..allowed.end.min(first + LONGEST) {
            let score = start.get(first)? * end.get(last)?;
            if best.is_none_or(|(_, _, known)| score > known) {
                best = Some((first, last, score));
            }
        }
    }
    best
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn softmax_and_distributions() {
        // e^0 / (e^0 + e^ln 3) = 1 / 4.
        let found = softmax(&[0.0, 3.0_f32.ln()]);
        assert!((found[0] - 0.25).abs() < 1e-6 && (found[1] - 0.75).abs() < 1e-6);
        assert_eq!(probabilities(&[0.25, 0.75]), [0.25, 0.75]);
        assert_eq!(top(&[0.1, 0.7, 0.2], 2), [(1, 0.7), (2, 0.2)]);
    }

    #[test]
    fn pooling_leaves_padding_out() {
        let rows = [1.0, 2.0, 3.0, 4.0, 100.0, 100.0];
        // (1 + 3) / 2 and (2 + 4) / 2.
        let mut mean = mean_pooled(&rows, &[1, 1, 0], 2);
        assert_eq!(mean, [2.0, 3.0]);
        normalize(&mut mean);
        // 2 / sqrt(13) and 3 / sqrt(13).
        assert!((mean[0] - 0.5547).abs() < 1e-4 && (dot(&mean, &mean) - 1.0).abs() < 1e-6);
    }

    #[test]
    fn an_answer_is_inside_the_context_and_does_not_end_before_it_begins() {
        let start = [9.0, 0.0, 5.0, 0.0];
        let end = [9.0, 8.0, 0.0, 5.0];
        let (first, last, score) = best_span(&start, &end, 1..4).unwrap();
        assert_eq!((first, last), (2, 3));
        assert!(score > 0.0 && score < 1.0);
        assert!(best_span(&start, &end, 3..3).is_none());
    }
}
