//! Random numbers from a fixed seed.

/// The SplitMix64 generator: small, and good enough for weights.
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15))
    }

    pub(super) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number of at least 0 and below 1.
    #[expect(clippy::cast_precision_loss, reason = "24 bits fit")]
    pub(super) fn uniform(&mut self) -> f32 {
        (self.next() >> 40) as f32 / (1_u64 << 24) as f32
    }

    /// A number with mean 0 and standard deviation 1: the sum of twelve uniform ones less 6.
    pub(super) fn normal(&mut self) -> f32 {
        (0..12).map(|_| self.uniform()).sum::<f32>() - 6.0
    }

    /// An integer of at least 0 and below a limit.
    pub(super) fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit.max(1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_the_stated_mean_and_deviation() {
        let mut random = Random::new(1);
        let drawn: Vec<f32> = (0..20_000).map(|_| random.normal()).collect();
        let mean = drawn.iter().sum::<f32>() / 20_000.0;
        let variance = drawn.iter().map(|x| (x - mean) * (x - mean)).sum::<f32>() / 20_000.0;
        assert!(mean.abs() < 0.03 && (variance - 1.0).abs() < 0.05, "{mean} {variance}");
        assert!((0..1000).all(|_| random.below(7) < 7));
    }
}
