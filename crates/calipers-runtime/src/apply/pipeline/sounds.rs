//! Sounds for models that read waveforms or spectrograms.

use std::collections::BTreeMap;
use std::path::Path;

use calipers_report::{RunOutcome, TaskKind};

use super::labels::Labels;
use super::tensors::summaries;
use super::{Applied, Subject, classes, named, output, speech};
use crate::apply::audio;
use crate::apply::generate::Port;
use crate::apply::spectrogram::{Scale, log_mel};
use crate::session::{Read, Session};
use crate::{Error, Tensor};

/// The rate that speech models are trained with, in hertz.
pub(super) const RATE: u32 = 16_000;

/// Elements of an input at most: more only a hostile model asks for.
const MOST_ELEMENTS: usize = 1 << 28;

/// Runs a model on a sound.
pub(super) fn sound(
    session: &mut dyn Session,
    subject: &Subject<'_>,
    path: &Path,
) -> Result<Applied, Error> {
    let labels = Labels::find(subject)?;
    let samples = audio::open(path, RATE)?;
    let ports = subject.ports();
    if subject.task == TaskKind::VoiceActivityDetection {
        return speech::speech(session, &ports, &samples);
    }
    let Some(main) = ports.iter().find(|port| port.dtype.is_float()) else {
        return Err(Error::Request(
            "the model has no input of floats for a sound; pass tensors with --input".to_owned(),
        ));
    };
    let (tensor, mut preprocessing) = features(main, &samples)?;
    let mut fed = vec![(main.name.clone(), tensor)];
    for port in ports.iter().filter(|port| port.name != main.name) {
        fed.push((port.name.clone(), other(port)?));
    }
    let outputs = session.run(&fed, None, Read::Values)?;
    let scores = output(&outputs, |tensor| tensor.shape().len() <= 2);
    let scores = scores
        .filter(|_| subject.task.is_classification() || matches!(subject.task, TaskKind::Unknown));
    let count = scores.and_then(|scores| scores.shape().last().copied());
    labels.check(count.unwrap_or(labels.len()))?;
    let found = scores.and_then(|scores| classes(scores, &labels));
    preprocessing.extend(labels.source.map(|it| ("labels".to_owned(), it)));
    let outputs = named(outputs);
    let outcome = match found {
        Some(classes) => RunOutcome::Classes { classes },
        None => summaries(&outputs),
    };
    Ok(Applied { outcome, preprocessing, outputs, picture: None })
}

/// How a sound is read, as it is printed.
pub(super) fn described(samples: usize) -> BTreeMap<String, String> {
    BTreeMap::from([
        ("sampling rate".to_owned(), format!("{RATE} Hz, one channel")),
        ("samples".to_owned(), samples.to_string()),
    ])
}

/// The samples in the shape of the input, as a waveform or as a spectrogram.
fn features(port: &Port, samples: &[f32]) -> Result<(Tensor, BTreeMap<String, String>), Error> {
    let fixed: Vec<usize> = port.sizes.iter().flatten().copied().filter(|it| *it > 1).collect();
    let is_waveform = port.sizes.len() <= 3 && fixed.len() <= 1;
    let is_bands = |size: Option<usize>| size.is_some_and(|size| (20..=256).contains(&size));
    let axes = (0..port.sizes.len()).filter(|axis| is_bands(port.sizes[*axis]));
    // Bands are fewer than frames.
    let bands = axes.min_by_key(|axis| port.sizes[*axis]);
    match bands {
        Some(axis) if port.sizes.len() >= 3 => spectrogram(port, samples, axis),
        _ if is_waveform => Ok((waveform(port, samples)?, described(samples.len()))),
        _ => Err(Error::Request(format!(
            "the input `{}` is not a waveform or a spectrogram; compute its features and pass them \
             with --input",
            port.name
        ))),
    }
}

/// The samples in the shape of the input: cut or padded where it fixes their number.
fn waveform(port: &Port, samples: &[f32]) -> Result<Tensor, Error> {
    let fixed = port.sizes.iter().flatten().copied().find(|size| *size > 1);
    let count = fixed.unwrap_or(samples.len());
    check(port, count)?;
    let mut samples = samples.to_vec();
    samples.resize(count, 0.0);
    let mut shape = vec![1; port.sizes.len()];
    let place = port.sizes.iter().position(|size| *size == Some(count));
    let place = place.unwrap_or(shape.len().saturating_sub(1));
    if let Some(size) = shape.get_mut(place) {
        *size = count;
    }
    Tensor::from_f32(shape, samples, port.dtype)
        .ok_or_else(|| Error::Type(port.name.clone(), port.dtype.to_string()))
}

/// The log-mel spectrogram of the samples: cut or padded with silence where the input fixes the
/// number of frames.
fn spectrogram(
    port: &Port,
    samples: &[f32],
    bands_axis: usize,
) -> Result<(Tensor, BTreeMap<String, String>), Error> {
    /// Samples of a frame.
    const HOP: usize = 160;
    let bands = port.sizes[bands_axis].unwrap_or(1);
    // The frames are along the other axis behind the batch that is not 1.
    let frames_axis = (1..port.sizes.len())
        .filter(|axis| *axis != bands_axis)
        .find(|axis| port.sizes[*axis] != Some(1))
        .unwrap_or(0);
    let frames = port.sizes[frames_axis].unwrap_or((samples.len() / HOP).max(1));
    check(port, frames.saturating_mul(bands.max(HOP)))?;
    let mut samples = samples.to_vec();
    samples.resize(frames * HOP, 0.0);
    let bands_first = bands_axis < frames_axis;
    let scale = match bands_first && port.sizes.len() == 3 {
        true => Scale::Whisper,
        false => Scale::Natural,
    };
    let found = log_mel(&samples, bands, scale);
    let values = match bands_first {
        true => {
            let places = (0..bands).flat_map(|band| (0..frames).map(move |frame| (band, frame)));
            places.map(|(band, frame)| found.values[frame * bands + band]).collect()
        }
        false => found.values,
    };
    let mut shape = vec![1; port.sizes.len()];
    (shape[bands_axis], shape[frames_axis]) = (bands, frames);
    let tensor = Tensor::from_f32(shape, values, port.dtype)
        .ok_or_else(|| Error::Type(port.name.clone(), port.dtype.to_string()))?;
    let mut how = described(samples.len());
    let logarithm = match scale {
        Scale::Whisper => "scaled as Whisper does",
        Scale::Natural => "natural logarithm",
    };
    how.insert(
        "features".to_owned(),
        format!("log-mel, {bands} bands, {frames} frames of 25 ms every 10 ms, {logarithm}"),
    );
    Ok((tensor, how))
}

/// Refuses sizes that only a hostile model has.
fn check(port: &Port, elements: usize) -> Result<(), Error> {
    match elements <= MOST_ELEMENTS {
        true => Ok(()),
        false => Err(Error::Request(format!("the input `{}` is too large", port.name))),
    }
}

/// Another input: states begin at 0, integers are the sampling rate.
pub(super) fn other(port: &Port) -> Result<Tensor, Error> {
    let shape: Vec<usize> = port.sizes.iter().map(|size| size.unwrap_or(1)).collect();
    let count = shape.iter().try_fold(1_usize, |product, size| product.checked_mul(*size));
    let count = count.unwrap_or(usize::MAX);
    check(port, count)?;
    #[expect(clippy::cast_precision_loss, reason = "16000 fits")]
    let value = if port.dtype.is_float() { 0.0 } else { RATE as f32 };
    Tensor::from_f32(shape, vec![value; count], port.dtype)
        .ok_or_else(|| Error::Type(port.name.clone(), port.dtype.to_string()))
}

#[cfg(test)]
mod tests {
    use calipers_ir::DType;

    use super::*;

    fn shape(sizes: &[Option<usize>], samples: usize) -> Result<Vec<usize>, Error> {
        let port = Port { name: "x".to_owned(), dtype: DType::Float32, sizes: sizes.to_vec() };
        Ok(features(&port, &vec![0.1; samples])?.0.shape().to_vec())
    }

    #[test]
    fn sounds_have_the_shape_of_the_input() {
        assert_eq!(shape(&[None, None], 900).unwrap(), [1, 900]);
        assert_eq!(shape(&[Some(1), Some(1), Some(500)], 900).unwrap(), [1, 1, 500]);
        // 160 samples are a frame.
        assert_eq!(shape(&[None, Some(80), Some(300)], 900).unwrap(), [1, 80, 300]);
        assert_eq!(shape(&[None, None, Some(64)], 1600).unwrap(), [1, 10, 64]);
        assert_eq!(shape(&[None, Some(1), Some(98), Some(40)], 10).unwrap(), [1, 1, 98, 40]);
        assert!(shape(&[None, Some(3), Some(7)], 10).is_err());
    }
}
