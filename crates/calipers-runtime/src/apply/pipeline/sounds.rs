//! Sounds for models that read waveforms.

use std::collections::BTreeMap;
use std::path::Path;

use calipers_report::RunOutcome;

use super::{Applied, Subject, classes, named, output};
use crate::apply::audio;
use crate::apply::generate::Port;
use crate::session::{Read, Session};
use crate::{Error, Tensor};

/// The rate that speech models are trained with, in hertz.
const RATE: u32 = 16_000;

/// Runs a model on a sound.
pub(super) fn sound(
    session: &mut dyn Session,
    subject: &Subject<'_>,
    path: &Path,
) -> Result<Applied, Error> {
    let samples = audio::open(path, RATE)?;
    let ports = subject.ports();
    let Some(main) = ports.iter().find(|port| port.dtype.is_float()) else {
        return Err(Error::Request("the model has no input of floats for a sound".to_owned()));
    };
    let mut fed = vec![(main.name.clone(), waveform(main, &samples)?)];
    for port in ports.iter().filter(|port| port.name != main.name) {
        fed.push((port.name.clone(), other(port)?));
    }
    let outputs = session.run(&fed, None, Read::Values)?;
    let scores = output(&outputs, |tensor| tensor.shape().len() <= 2);
    let labels = subject.labels()?;
    let outcome = match scores.filter(|scores| scores.shape().last().is_some_and(|it| *it > 1)) {
        Some(scores) => classes(scores, &labels),
        // One figure per sound is a probability.
        None => scores.and_then(Tensor::to_f32).map(|values| RunOutcome::Classes {
            classes: values
                .iter()
                .take(1)
                .map(|score| calipers_report::ClassScore {
                    class: 0,
                    label: labels.first().cloned(),
                    score: *score,
                })
                .collect(),
        }),
    };
    let outcome = outcome
        .ok_or_else(|| Error::Request("the model returns no scores for a sound".to_owned()))?;
    let preprocessing = BTreeMap::from([
        ("sampling rate".to_owned(), format!("{RATE} Hz, one channel")),
        ("samples".to_owned(), fed[0].1.elements().len().to_string()),
    ]);
    Ok(Applied { outcome, preprocessing, outputs: named(outputs), picture: None })
}

/// The samples in the shape of the input: cut or padded where it fixes their number.
fn waveform(port: &Port, samples: &[f32]) -> Result<Tensor, Error> {
    let fixed: Vec<usize> = port.sizes.iter().flatten().copied().filter(|it| *it > 1).collect();
    let is_waveform = port.sizes.len() <= 3 && fixed.len() <= 1;
    if !is_waveform {
        return Err(Error::Request(format!(
            "the input `{}` is not a waveform; compute its features and pass them with --input",
            port.name
        )));
    }
    let count = fixed.first().copied().unwrap_or(samples.len());
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

/// Refuses sizes that only a hostile model has.
fn check(port: &Port, elements: usize) -> Result<(), Error> {
    const MOST: usize = 1 << 28;
    match elements <= MOST {
        true => Ok(()),
        false => Err(Error::Request(format!("the input `{}` is too large", port.name))),
    }
}

/// Another input: states begin at 0, integers are the sampling rate.
fn other(port: &Port) -> Result<Tensor, Error> {
    let shape: Vec<usize> = port.sizes.iter().map(|size| size.unwrap_or(1)).collect();
    let count = shape.iter().try_fold(1_usize, |product, size| product.checked_mul(*size));
    let count = count.unwrap_or(usize::MAX);
    check(port, count)?;
    #[expect(clippy::cast_precision_loss, reason = "16000 fits")]
    let value = if port.dtype.is_float() { 0.0 } else { RATE as f32 };
    Tensor::from_f32(shape, vec![value; count], port.dtype)
        .ok_or_else(|| Error::Type(port.name.clone(), port.dtype.to_string()))
}
