//! What the elements of a tensor, or of a piece of one, are like.

/// Counts and moments of some elements.
///
/// `min`, `max`, `mean` and the spread are of finite elements; without any they are 0.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stats {
    /// All elements.
    pub elements: u64,
    /// Those that are no number.
    pub nan: u64,
    /// Infinities above zero.
    pub positive_infinite: u64,
    /// Infinities below zero.
    pub negative_infinite: u64,
    /// Those too small for a full mantissa in their type.
    pub subnormal: u64,
    /// Zeros of either sign.
    pub zeros: u64,
    /// The least.
    pub min: f64,
    /// The greatest.
    pub max: f64,
    /// The mean.
    pub mean: f64,
    /// Sum of squared distances from the mean.
    pub squares: f64,
    /// Whether each element is the same in half precision, infinities and NaN left out.
    pub fits_float16: bool,
    /// The same for bfloat16.
    pub fits_bfloat16: bool,
}

impl Default for Stats {
    fn default() -> Self {
        Self {
            elements: 0,
            nan: 0,
            positive_infinite: 0,
            negative_infinite: 0,
            subnormal: 0,
            zeros: 0,
            min: 0.0,
            max: 0.0,
            mean: 0.0,
            squares: 0.0,
            fits_float16: true,
            fits_bfloat16: true,
        }
    }
}

impl Stats {
    /// Infinities of either sign.
    pub fn infinite(&self) -> u64 {
        self.positive_infinite + self.negative_infinite
    }

    /// Elements that are numbers and finite.
    pub fn finite(&self) -> u64 {
        self.elements - self.nan - self.infinite()
    }

    /// Standard deviation, of all elements and not of a sample.
    pub fn std(&self) -> f64 {
        match self.finite() {
            0 => 0.0,
            finite => (self.squares / count(finite)).max(0.0).sqrt(),
        }
    }

    /// How many standard deviations the farthest element is from the mean.
    pub fn max_abs_z_score(&self) -> f64 {
        let std = self.std();
        let farthest = (self.max - self.mean).max(self.mean - self.min);
        if std > 0.0 { farthest / std } else { 0.0 }
    }

    /// Whether there are at least two elements, all of one finite value.
    pub fn is_constant(&self) -> bool {
        self.elements > 1 && self.finite() == self.elements && self.min == self.max
    }

    /// Adds one element that is finite, `times` over.
    pub(crate) fn add(&mut self, value: f64, times: u64) {
        if times > 0 {
            self.merge(&Self {
                elements: times,
                zeros: if value == 0.0 { times } else { 0 },
                min: value,
                max: value,
                mean: value,
                ..Self::default()
            });
        }
    }

    /// Adds the elements of another piece (Chan's way of joining moments).
    pub(crate) fn merge(&mut self, other: &Self) {
        let (mine, theirs) = (self.finite(), other.finite());
        if theirs > 0 {
            if mine == 0 {
                (self.min, self.max) = (other.min, other.max);
                (self.mean, self.squares) = (other.mean, other.squares);
            } else {
                self.min = self.min.min(other.min);
                self.max = self.max.max(other.max);
                let share = count(theirs) / count(mine + theirs);
                let apart = other.mean - self.mean;
                self.mean += apart * share;
                self.squares += other.squares + apart * apart * share * count(mine);
            }
        }
        self.elements += other.elements;
        self.nan += other.nan;
        self.positive_infinite += other.positive_infinite;
        self.negative_infinite += other.negative_infinite;
        self.subnormal += other.subnormal;
        self.zeros += other.zeros;
        self.fits_float16 &= other.fits_float16;
        self.fits_bfloat16 &= other.fits_bfloat16;
    }
}

#[expect(clippy::cast_precision_loss, reason = "a mean needs no more than 53 bits of a count")]
pub(crate) fn count(number: u64) -> f64 {
    number as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pieces_join_to_the_whole() {
        // 1, 2, 3, 4: mean 2.5, variance 1.25.
        let mut stats = Stats::default();
        for value in [1.0, 2.0, 3.0, 4.0] {
            stats.add(value, 1);
        }
        assert_eq!((stats.mean, stats.min, stats.max), (2.5, 1.0, 4.0));
        assert!((stats.std() - 1.25_f64.sqrt()).abs() < 1e-15);
        assert!((stats.max_abs_z_score() - 1.5 / 1.25_f64.sqrt()).abs() < 1e-12);
        assert!(!stats.is_constant());
    }

    #[test]
    fn nothing_finite_gives_no_figures() {
        let mut stats = Stats { elements: 2, nan: 1, positive_infinite: 1, ..Stats::default() };
        assert_eq!((stats.finite(), stats.std(), stats.max_abs_z_score()), (0, 0.0, 0.0));
        stats.add(-3.0, 2);
        assert_eq!((stats.min, stats.max, stats.mean), (-3.0, -3.0, -3.0));
    }
}
