//! Log-mel spectrograms of sounds at 16 kHz.

use std::f32::consts::PI;

/// Samples of a window: 25 ms.
const WINDOW: usize = 400;
/// Samples from one window to the next: 10 ms.
const HOP: usize = 160;
/// Frequencies of a window.
const BINS: usize = WINDOW / 2 + 1;
/// The sampling rate, in hertz.
const RATE: f32 = 16_000.0;

/// How the energies of the mel bands are scaled.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// Decimal logarithm, at most 8 below the largest, then `(x + 4) / 4`, as Whisper does.
    Whisper,
    /// Natural logarithm.
    Natural,
}

/// Energies of mel bands over time.
#[derive(Clone, Debug, PartialEq)]
pub struct Spectrogram {
    /// Bands of each frame, one frame after the other.
    pub values: Vec<f32>,
    /// Mel bands.
    pub bands: usize,
    /// Frames, one per 10 ms.
    pub frames: usize,
}

/// Returns the log-mel spectrogram of samples: a Hann window of 25 ms every 10 ms, mirrored at both
/// ends.
pub fn log_mel(samples: &[f32], bands: usize, scale: Scale) -> Spectrogram {
    let frames = samples.len() / HOP;
    let filters = mel_filters(bands);
    let tables = Tables::new();
    let mut values = Vec::with_capacity(frames * bands);
    for frame in 0..frames {
        let power = tables.power(samples, frame * HOP);
        let energy = |filter: &Vec<f32>| filter.iter().zip(&power).map(|(a, b)| a * b).sum::<f32>();
        values.extend(filters.iter().map(energy));
    }
    match scale {
        Scale::Natural => values.iter_mut().for_each(|value| *value = value.max(1e-6).ln()),
        Scale::Whisper => {
            values.iter_mut().for_each(|value| *value = value.max(1e-10).log10());
            let largest = values.iter().copied().fold(f32::NEG_INFINITY, f32::max);
            values.iter_mut().for_each(|value| *value = (value.max(largest - 8.0) + 4.0) / 4.0);
        }
    }
    Spectrogram { values, bands, frames }
}

/// Windowed cosines and sines of each frequency.
struct Tables {
    cosines: Vec<f32>,
    sines: Vec<f32>,
}

impl Tables {
    #[expect(clippy::cast_precision_loss, reason = "windows are small")]
    fn new() -> Self {
        let hann = |n: usize| 0.5 - 0.5 * (2.0 * PI * n as f32 / WINDOW as f32).cos();
        let waves = |wave: fn(f32) -> f32| {
            let places = (0..BINS).flat_map(|bin| (0..WINDOW).map(move |n| (bin, n)));
            // The product is reduced first, so that the angle stays exact.
            let angle = |bin: usize, n: usize| 2.0 * PI * (bin * n % WINDOW) as f32 / WINDOW as f32;
            places.map(|(bin, n)| wave(angle(bin, n)) * hann(n)).collect()
        };
        Self { cosines: waves(f32::cos), sines: waves(f32::sin) }
    }

    /// The power of each frequency in the window around a sample.
    fn power(&self, samples: &[f32], center: usize) -> Vec<f32> {
        let window: Vec<f32> =
            (0..WINDOW).map(|n| samples[mirrored(center + n, samples.len())]).collect();
        let dot = |table: &[f32]| table.iter().zip(&window).map(|(a, b)| a * b).sum::<f32>();
        let bins = self.cosines.chunks_exact(WINDOW).zip(self.sines.chunks_exact(WINDOW));
        bins.map(|(cosines, sines)| dot(cosines).powi(2) + dot(sines).powi(2)).collect()
    }
}

/// The sample at a place that is counted from half a window before the first, mirrored at the ends.
fn mirrored(place: usize, count: usize) -> usize {
    let half = WINDOW / 2;
    let last = count.saturating_sub(1);
    let inside = half.abs_diff(place);
    match inside <= last {
        true => inside,
        false => last.saturating_sub(inside - last),
    }
}

/// Triangular filters on the mel scale up to 8 kHz, each with an area of 1.
#[expect(clippy::cast_precision_loss, reason = "bands are few")]
fn mel_filters(bands: usize) -> Vec<Vec<f32>> {
    let highest = mel(RATE / 2.0);
    let edge = |number: usize| hertz(highest * number as f32 / (bands + 1) as f32);
    let frequency = |bin: usize| bin as f32 * RATE / WINDOW as f32;
    let filter = |band: usize| {
        let (low, middle, high) = (edge(band), edge(band + 1), edge(band + 2));
        let height = 2.0 / (high - low);
        let weight = |at: f32| {
            let (up, down) = ((at - low) / (middle - low), (high - at) / (high - middle));
            up.min(down).max(0.0) * height
        };
        (0..BINS).map(|bin| weight(frequency(bin))).collect()
    };
    (0..bands).map(filter).collect()
}

/// The mel scale that speech models use: linear up to 1 kHz, logarithmic above.
fn mel(hertz: f32) -> f32 {
    match hertz < 1000.0 {
        true => hertz * 3.0 / 200.0,
        false => 15.0 + (hertz / 1000.0).ln() * 27.0 / 6.4_f32.ln(),
    }
}

fn hertz(mel: f32) -> f32 {
    match mel < 15.0 {
        true => mel * 200.0 / 3.0,
        false => 1000.0 * ((mel - 15.0) * 6.4_f32.ln() / 27.0).exp(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_scale_is_linear_below_1_khz() {
        assert_eq!((mel(200.0), hertz(3.0)), (3.0, 200.0));
        assert!((hertz(mel(5000.0)) - 5000.0).abs() < 1.0);
    }

    #[test]
    #[expect(clippy::cast_precision_loss, reason = "a second of samples")]
    fn a_tone_is_loudest_in_its_band() {
        let tone: Vec<f32> =
            (0..16_000).map(|n| (2.0 * PI * 1000.0 * n as f32 / RATE).sin()).collect();
        let found = log_mel(&tone, 80, Scale::Whisper);
        assert_eq!((found.frames, found.values.len()), (100, 8000));
        let frame = &found.values[50 * 80..51 * 80];
        let loudest = (0..80).max_by(|a, b| frame[*a].total_cmp(&frame[*b])).unwrap();
        // 1 kHz is 15 mel; the bands are 45.25 / 81 mel apart, and the first is centered at one.
        let band = 15.0 / (mel(8000.0) / 81.0) - 1.0;
        assert!((loudest as f32 - band).abs() <= 1.0, "{loudest} {band}");
        assert!(log_mel(&[0.5; 100], 80, Scale::Natural).values.is_empty());
    }

    #[test]
    fn both_ends_are_mirrored() {
        assert_eq!((mirrored(0, 1000), mirrored(200, 1000), mirrored(201, 1000)), (200, 0, 1));
        assert_eq!((mirrored(1199, 1000), mirrored(1200, 1000)), (999, 998));
        assert_eq!(mirrored(900, 3), 0);
    }
}
