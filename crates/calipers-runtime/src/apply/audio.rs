//! Sounds as samples.

use std::path::Path;

use hound::{SampleFormat, WavReader};

use crate::Error;

/// Samples of a file at most: an hour at 48 kHz in stereo.
const MOST_SAMPLES: u32 = 3600 * 48_000 * 2;

/// Reads a WAV file as one channel of samples between -1 and 1 at a sampling rate.
///
/// # Errors
///
/// [`Error::Request`] if it is not a WAV file, or is too long.
pub fn open(path: &Path, rate: u32) -> Result<Vec<f32>, Error> {
    let failed =
        |why: String| Error::Request(format!("cannot read the sound {}: {why}", path.display()));
    if !path.is_file() {
        return Err(failed("no such file".to_owned()));
    }
    let mut reader = WavReader::open(path).map_err(|error| failed(error.to_string()))?;
    let spec = reader.spec();
    if reader.len() > MOST_SAMPLES || spec.channels == 0 || spec.sample_rate == 0 {
        return Err(failed("it is longer than an hour, or has no samples".to_owned()));
    }
    let samples: Result<Vec<f32>, hound::Error> = match spec.sample_format {
        SampleFormat::Float => reader.samples::<f32>().collect(),
        SampleFormat::Int => {
            #[expect(clippy::cast_precision_loss, reason = "samples have at most 24 bits")]
            let full = (1_i64 << (spec.bits_per_sample.clamp(1, 32) - 1)) as f32;
            #[expect(clippy::cast_precision_loss, reason = "samples have at most 24 bits")]
            let scaled = reader.samples::<i32>().map(|it| it.map(|sample| sample as f32 / full));
            scaled.collect()
        }
    };
    let samples = samples.map_err(|error| failed(error.to_string()))?;
    let channels = usize::from(spec.channels);
    let mono: Vec<f32> = samples
        .chunks_exact(channels)
        .map(|frame| frame.iter().sum::<f32>() / f32::from(spec.channels))
        .collect();
    Ok(resampled(&mono, spec.sample_rate, rate))
}

/// Samples at another rate, by linear interpolation.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "positions in a sound of at most an hour"
)]
pub fn resampled(samples: &[f32], from: u32, to: u32) -> Vec<f32> {
    if from == to || samples.is_empty() {
        return samples.to_vec();
    }
    let ratio = f64::from(from) / f64::from(to.max(1));
    let count = (samples.len() as f64 / ratio).floor() as usize;
    let at = |place: usize| samples[place.min(samples.len() - 1)];
    (0..count)
        .map(|place| {
            let exact = place as f64 * ratio;
            let before = exact.floor() as usize;
            let share = (exact - before as f64) as f32;
            at(before) * (1.0 - share) + at(before + 1) * share
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sounds_are_mixed_and_resampled() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.wav");
        let spec = hound::WavSpec {
            channels: 2,
            sample_rate: 8000,
            bits_per_sample: 16,
            sample_format: SampleFormat::Int,
        };
        let mut writer = hound::WavWriter::create(&path, spec).unwrap();
        for sample in [16384_i16, 0, 0, 0] {
            writer.write_sample(sample).unwrap();
        }
        writer.finalize().unwrap();
        // Half of full scale on one of two channels is a quarter.
        assert_eq!(open(&path, 8000).unwrap(), [0.25, 0.0]);
        assert_eq!(open(&path, 16000).unwrap(), [0.25, 0.125, 0.0, 0.0]);
        std::fs::write(&path, "text").unwrap();
        assert!(open(&path, 8000).is_err());
    }
}
