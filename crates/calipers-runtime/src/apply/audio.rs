//! Sounds as samples.

use std::path::Path;

use hound::{SampleFormat, WavReader};

use super::check_file;
use crate::Error;

/// Seconds of a file at most.
const MOST_SECONDS: u32 = 600;

/// Samples of a file at most: ten minutes at 48 kHz in stereo.
const MOST_SAMPLES: u32 = MOST_SECONDS * 48_000 * 2;

/// Reads a WAV file as one channel of samples between -1 and 1 at a sampling rate.
///
/// # Errors
///
/// [`Error::Request`] if it is not a WAV file, or is too long.
pub fn open(path: &Path, rate: u32) -> Result<Vec<f32>, Error> {
    let failed =
        |why: String| Error::Request(format!("cannot read the sound {}: {why}", path.display()));
    check_file(path).map_err(failed)?;
    let not_wav = |error: hound::Error| match error {
        hound::Error::FormatError(_) => {
            failed("it is not a WAV file; convert it to one".to_owned())
        }
        hound::Error::Unsupported => {
            failed("its encoding is not supported; convert it to 16-bit PCM".to_owned())
        }
        error => failed(error.to_string()),
    };
    let mut reader = WavReader::open(path).map_err(not_wav)?;
    let spec = reader.spec();
    if reader.len() == 0 || spec.channels == 0 || spec.sample_rate == 0 {
        return Err(failed("it has no samples".to_owned()));
    }
    let seconds = reader.duration() / spec.sample_rate;
    if reader.len() > MOST_SAMPLES || seconds > MOST_SECONDS {
        return Err(failed(format!(
            "it is {seconds} seconds long; at most {MOST_SECONDS} are read, cut it first"
        )));
    }
    let channels = usize::from(spec.channels);
    let mono = match spec.sample_format {
        SampleFormat::Float => mixed(reader.samples::<f32>(), channels),
        SampleFormat::Int => {
            #[expect(clippy::cast_precision_loss, reason = "samples have at most 24 bits")]
            let full = (1_i64 << (spec.bits_per_sample.clamp(1, 32) - 1)) as f32;
            #[expect(clippy::cast_precision_loss, reason = "samples have at most 24 bits")]
            let scaled = reader.samples::<i32>().map(|it| it.map(|sample| sample as f32 / full));
            mixed(scaled, channels)
        }
    };
    let mono = mono.map_err(not_wav)?;
    Ok(resampled(&mono, spec.sample_rate, rate))
}

/// The mean of the channels.
fn mixed(
    samples: impl Iterator<Item = Result<f32, hound::Error>>,
    channels: usize,
) -> Result<Vec<f32>, hound::Error> {
    #[expect(clippy::cast_precision_loss, reason = "a WAV file has at most 65,535 channels")]
    let share = 1.0 / channels as f32;
    let mut mono = Vec::new();
    for (place, sample) in samples.enumerate() {
        let sample = sample?;
        // A sound that is not a number would spread through every result.
        let sample = if sample.is_finite() { sample * share } else { 0.0 };
        match (place % channels, mono.last_mut()) {
            (1.., Some(frame)) => *frame += sample,
            _ => mono.push(sample),
        }
    }
    Ok(mono)
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
