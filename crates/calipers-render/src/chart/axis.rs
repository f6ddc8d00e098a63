//! Axes: from values to places, and the marks in between.

use super::canvas::{Anchor, Area, Canvas, Style};
use super::theme::Color;

/// GraphGroup below a plot for the marks of its axis.
pub(super) const FOOT: f64 = 22.0;

/// Where values lie between two ends.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Axis {
    low: f64,
    high: f64,
    /// Between two marks; of a linear axis only.
    step: f64,
    is_log: bool,
}

/// Decades of a logarithmic axis at most; what is further down lies at its end.
const DECADES: f64 = 12.0;

impl Axis {
    /// From 0 to a round figure at or above the highest.
    pub(super) fn linear(highest: f64) -> Self {
        let highest = if highest.is_finite() && highest > 0.0 { highest } else { 1.0 };
        let step = step(highest);
        Self { low: 0.0, high: (highest / step).ceil() * step, step, is_log: false }
    }

    /// Over the values and a little more, between two round figures. It begins at 0 only where the
    /// values come close to it.
    pub(super) fn span(values: impl Iterator<Item = f64>) -> Option<Self> {
        let (low, high) = values
            .filter(|value| value.is_finite())
            .fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), value| {
                (low.min(value), high.max(value))
            });
        if low > high {
            return None;
        }
        // Values that are all the same need an axis too, and one whose marks differ in 64 bits.
        let largest = low.abs().max(high.abs());
        let least = if largest > 0.0 { largest * 1e-6 } else { 1.0 };
        let pad = (high - low).max(least) * 0.08;
        let is_near_zero = low >= 0.0 && low * 2.0 < high;
        let (low, high) = (if is_near_zero { 0.0 } else { low - pad }, high + pad);
        let step = step(high - low);
        // Adding 0 takes the sign off a negative zero.
        let (low, high) = ((low / step).floor() * step + 0.0, (high / step).ceil() * step + 0.0);
        (step.is_normal() && low.is_finite() && high.is_finite() && low < high).then_some(Self {
            low,
            high,
            step,
            is_log: false,
        })
    }

    /// Over whole decades, which hold all values that have a logarithm.
    pub(super) fn decades(values: impl Iterator<Item = f64>) -> Option<Self> {
        Self::log(values, f64::floor, f64::ceil)
    }

    /// Over the values and a little more.
    pub(super) fn close(values: impl Iterator<Item = f64>) -> Option<Self> {
        Self::log(values, |low| low - 0.08, |high| high + 0.08)
    }

    fn log(
        values: impl Iterator<Item = f64>,
        down: fn(f64) -> f64,
        up: fn(f64) -> f64,
    ) -> Option<Self> {
        let logs = values.filter(|v| v.is_finite() && *v > 0.0).map(f64::log10);
        let (low, high) = logs.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), log| {
            (low.min(log), high.max(log))
        });
        if low > high {
            return None;
        }
        let (low, high) = (down(low), up(high));
        let high = high.max(low + 1.0);
        Some(Self { low: low.max(high - DECADES), high, step: 0.0, is_log: true })
    }

    /// What lies between two marks; nothing of a logarithmic axis.
    pub(super) fn step(&self) -> Option<f64> {
        (!self.is_log).then_some(self.step)
    }

    /// Where a value lies, as a share of the axis.
    pub(super) fn share(&self, value: f64) -> f64 {
        let value = if self.is_log { value.max(f64::MIN_POSITIVE).log10() } else { value };
        ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0)
    }

    /// Where a value lies between two places.
    pub(super) fn place(&self, value: f64, from: f64, to: f64) -> f64 {
        from + self.share(value) * (to - from)
    }

    /// The ends, as values.
    pub(super) fn ends(&self) -> [f64; 2] {
        match self.is_log {
            true => [10_f64.powf(self.low), 10_f64.powf(self.high)],
            false => [self.low, self.high],
        }
    }

    /// Values worth a mark, about `most` at most.
    pub(super) fn marks(&self, most: usize) -> Vec<f64> {
        if !self.is_log {
            return (0..=10)
                .map(|i| self.low + f64::from(i) * self.step)
                .filter(|v| *v <= self.high + self.step * 0.001)
                .collect();
        }
        let decades = |first: f64| {
            (0..30)
                .map(move |i| first + f64::from(i))
                .take_while(|decade| *decade <= self.high + 1e-9)
        };
        let whole: Vec<f64> = decades((self.low - 1e-9).ceil()).collect();
        if whole.len() < 2 {
            // Too close together for decades: 1, 2 and 5 of each.
            return decades(self.low.floor())
                .flat_map(|decade| [1.0, 2.0, 5.0].map(|part: f64| decade + part.log10()))
                .filter(|log| (self.low..=self.high).contains(log))
                .map(|log| 10_f64.powf(log))
                .collect();
        }
        let every = whole.len().div_ceil(most.max(1)).max(1);
        whole.into_iter().step_by(every).map(|decade| 10_f64.powf(decade)).collect()
    }
}

/// A round step; four to eight of them reach the highest value.
fn step(highest: f64) -> f64 {
    let raw = highest / 4.0;
    let decade = 10_f64.powf(raw.log10().floor());
    match raw / decade {
        part if part <= 1.0 => decade,
        part if part <= 2.0 => 2.0 * decade,
        part if part <= 2.5 => 2.5 * decade,
        part if part <= 5.0 => 5.0 * decade,
        _ => 10.0 * decade,
    }
}

/// Quiet lines across a plot, each with its figure to the left.
pub(super) fn rows(canvas: &mut Canvas, plot: &Area, axis: &Axis, write: &dyn Fn(f64) -> String) {
    let style = Style::AXIS.anchor(Anchor::End);
    for mark in axis.marks(6) {
        let y = axis.place(mark, plot.bottom, plot.top);
        canvas.line([plot.left, y], [plot.right, y], Color::Grid, false);
        canvas.text(plot.left - 8.0, y + 4.0, &style, &write(mark));
    }
}

/// GraphGroup to the left of a plot for the figures of [`rows`].
pub(super) fn gutter(axis: &Axis, write: &dyn Fn(f64) -> String) -> f64 {
    let widest = axis.marks(6).into_iter().map(|mark| Style::AXIS.width(&write(mark)));
    widest.fold(0.0, f64::max) + 8.0
}

/// Quiet lines down a plot, each with its figure beneath; figures that would touch are left out.
pub(super) fn columns(
    canvas: &mut Canvas,
    plot: &Area,
    axis: &Axis,
    write: &dyn Fn(f64) -> String,
) {
    let mut taken = f64::NEG_INFINITY;
    for mark in axis.marks(8) {
        let x = axis.place(mark, plot.left, plot.right);
        canvas.line([x, plot.top], [x, plot.bottom], Color::Grid, false);
        taken = foot(canvas, plot, x, &write(mark), taken);
    }
}

/// A figure beneath a plot, kept inside the page; gives where it ends. Left out where it would touch
/// what ends at `taken`.
pub(super) fn foot(canvas: &mut Canvas, plot: &Area, x: f64, text: &str, taken: f64) -> f64 {
    let style = Style::AXIS.anchor(Anchor::Middle);
    let half = style.width(text) / 2.0;
    if half > plot.width() / 2.0 {
        return taken;
    }
    let x =
        x.clamp(super::canvas::MARGIN + half, super::canvas::WIDTH - super::canvas::MARGIN - half);
    if x - half < taken + 10.0 {
        return taken;
    }
    canvas.text(x, plot.bottom + 16.0, &style, text);
    x + half
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn linear_axes_end_on_round_figures() {
        assert_eq!(Axis::linear(78.64).marks(6), [0.0, 20.0, 40.0, 60.0, 80.0]);
        assert_eq!(Axis::linear(1.0).marks(6), [0.0, 0.25, 0.5, 0.75, 1.0]);
        for highest in [0.0, 1e-300, f64::NAN, f64::INFINITY, 3.0, 1.8e19] {
            let marks = Axis::linear(highest).marks(6);
            assert!((2..=9).contains(&marks.len()), "{highest}: {marks:?}");
        }
    }

    #[test]
    fn a_span_begins_near_its_values() {
        // 0.70 to 0.76 is 0.06, padded by 0.0048 on both sides: 0.6952 to 0.7648 in steps of 0.02.
        let marks = Axis::span([0.70, 0.76].into_iter()).unwrap().marks(6);
        let expected = [0.68, 0.70, 0.72, 0.74, 0.76, 0.78];
        assert_eq!(marks.len(), expected.len(), "{marks:?}");
        assert!(marks.iter().zip(expected).all(|(one, other)| (one - other).abs() < 1e-9));
        assert_eq!(Axis::span([3.0, 10.0].into_iter()).unwrap().ends()[0], 0.0);
        assert_eq!(Axis::span([f64::NAN, f64::INFINITY].into_iter()), None);
        for value in [0.0, -4.0, 5e-324, 1e-300, 1.8e19, -1e300] {
            let Some(axis) = Axis::span([value, value].into_iter()) else { continue };
            let [low, high] = axis.ends();
            assert!(low <= value && value <= high && low < high, "{value}: {axis:?}");
            assert!((2..=9).contains(&axis.marks(6).len()), "{value}: {axis:?}");
        }
        assert_eq!(Axis::span([f64::MAX, f64::MIN].into_iter()), None, "too wide for 64 bits");
    }

    #[test]
    fn logarithmic_axes_hold_what_has_a_logarithm() {
        let axis = Axis::decades([0.0, f64::NAN, 3.0, 4000.0].into_iter()).unwrap();
        assert_eq!(axis.marks(9), [1.0, 10.0, 100.0, 1000.0, 10_000.0]);
        assert_eq!(axis.share(100.0), 0.5);
        assert_eq!([axis.share(0.0), axis.share(1e30)], [0.0, 1.0]);
        assert_eq!(Axis::decades([0.0].into_iter()), None);
        let wide = Axis::decades([1e-300, 1e300].into_iter()).unwrap();
        assert!(wide.marks(8).len() <= 8, "{:?}", wide.marks(8));
        let close = Axis::close([2.0, 3.0].into_iter()).unwrap();
        assert!(close.marks(8).len() >= 3, "{:?}", close.marks(8));
    }
}
