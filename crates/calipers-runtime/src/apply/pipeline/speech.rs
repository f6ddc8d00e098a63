//! Speech in a sound: windows one after the other, with the model's state between them.

use calipers_report::{RunOutcome, SpeechSegment};

use super::sounds::{RATE, described, other};
use super::{Applied, named};
use crate::apply::generate::Port;
use crate::session::{Output, Read, Session};
use crate::{Error, Tensor};

/// Samples of a window where the model leaves them free, and those of the window before that it
/// begins with.
const WINDOW: usize = 512;
const CONTEXT: usize = 64;
/// Samples of a window at most.
const MOST_WINDOW: usize = 1 << 20;

/// Speech begins at this probability and ends below the second.
const SPEECH: f32 = 0.5;
const SILENCE: f32 = 0.35;
/// Shorter pauses do not end a segment, shorter segments are not speech; in seconds.
const SHORTEST_PAUSE: f32 = 0.1;
const SHORTEST_SPEECH: f32 = 0.25;

/// How samples are cut into windows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Windows {
    /// New samples of each window.
    step: usize,
    /// Samples of the window before.
    context: usize,
}

impl Windows {
    /// What the main input and the number of states show. A window of a power of two and an eighth
    /// begins with the end of the one before; where the size is free, so do models with one state,
    /// and models with two (the older form) do not.
    fn new(main: &Port, states: usize) -> Self {
        match main.sizes.last().copied().flatten().filter(|size| *size > 1) {
            Some(size) => {
                let step = size / 9 * 8;
                match size % 9 == 0 && step.is_power_of_two() {
                    true => Self { step, context: size - step },
                    false => Self { step: size, context: 0 },
                }
            }
            None => Self { step: WINDOW, context: if states == 1 { CONTEXT } else { 0 } },
        }
    }
}

/// Finds speech.
pub(super) fn speech(
    session: &mut dyn Session,
    ports: &[Port],
    samples: &[f32],
) -> Result<Applied, Error> {
    let is_window = |port: &&Port| port.dtype.is_float() && matches!(port.sizes.len(), 1..=3);
    let (states, rest): (Vec<&Port>, Vec<&Port>) =
        ports.iter().partition(|port| port.dtype.is_float() && is_state(port));
    let Some(main) = rest.iter().copied().find(is_window) else {
        return Err(Error::Request(
            "the model has no input for samples; pass tensors with --input".to_owned(),
        ));
    };
    let windows = Windows::new(main, states.len());
    let size = windows.step + windows.context;
    if size > MOST_WINDOW {
        return Err(Error::Request(format!("the input `{}` is too large", main.name)));
    }
    let mut fed: Vec<(String, Tensor)> = Vec::new();
    for port in states.iter().chain(rest.iter().filter(|port| port.name != main.name)) {
        fed.push((port.name.clone(), other(port)?));
    }
    let mut window = vec![0.0_f32; size];
    let (mut probabilities, mut outputs) = (Vec::new(), Vec::new());
    for chunk in samples.chunks(windows.step) {
        window.copy_within(windows.step.., 0);
        window[windows.context..].fill(0.0);
        window[windows.context..windows.context + chunk.len()].copy_from_slice(chunk);
        let mut shape = vec![1; main.sizes.len()];
        shape[main.sizes.len() - 1] = size;
        fed.push((main.name.clone(), Tensor::new(shape, window.clone())?));
        outputs = session.run(&fed, None, Read::Values)?;
        fed.pop();
        carry(&mut fed[..states.len()], &outputs)?;
        probabilities.push(probability(&outputs)?);
    }
    #[expect(clippy::cast_precision_loss, reason = "windows are small")]
    let step_seconds = windows.step as f32 / RATE as f32;
    let segments = segments(&probabilities, step_seconds);
    let mut preprocessing = described(samples.len());
    let context = match windows.context {
        0 => String::new(),
        context => format!(", after the last {context} of the window before"),
    };
    preprocessing.insert("windows".to_owned(), format!("{} samples{context}", windows.step));
    Ok(Applied {
        outcome: RunOutcome::Speech { segments, step_seconds, probabilities },
        preprocessing,
        outputs: named(outputs),
        picture: None,
    })
}

/// Whether an input is a state: three dimensions, the last of them fixed, with none free but the
/// batch in the middle.
fn is_state(port: &Port) -> bool {
    matches!(port.sizes.as_slice(), [Some(_), _, Some(_)])
}

/// Takes the states for the next window from the outputs of their shapes, in order.
fn carry(states: &mut [(String, Tensor)], outputs: &[Output]) -> Result<(), Error> {
    let mut from = outputs.iter().filter_map(|output| output.tensor.as_ref());
    for (name, state) in states {
        let next = from.find(|next| next.shape() == state.shape());
        *state = next.cloned().ok_or_else(|| {
            Error::Request(format!("no output is the next state of the input `{name}`"))
        })?;
    }
    Ok(())
}

/// The probability of speech: the one output of one element, or the last of two classes.
fn probability(outputs: &[Output]) -> Result<f32, Error> {
    let tensors = outputs.iter().filter_map(|output| output.tensor.as_ref());
    let mut small = tensors
        .filter(|tensor| tensor.dtype().is_float() && matches!(tensor.elements().len(), 1 | 2));
    let found = small.next().and_then(Tensor::to_f32).and_then(|values| values.last().copied());
    found.ok_or_else(|| Error::Request("the model returns no probability of speech".to_owned()))
}

/// From where to where there is speech.
#[expect(clippy::cast_precision_loss, reason = "windows of an hour")]
fn segments(probabilities: &[f32], step: f32) -> Vec<SpeechSegment> {
    let mut spans: Vec<(usize, usize)> = Vec::new();
    let mut start = None;
    for (place, probability) in probabilities.iter().copied().chain([0.0]).enumerate() {
        match start {
            None if probability >= SPEECH => start = Some(place),
            Some(from) if probability < SILENCE => {
                start = None;
                match spans.last_mut() {
                    Some((_, end)) if ((from - *end) as f32) * step < SHORTEST_PAUSE => {
                        *end = place;
                    }
                    _ => spans.push((from, place)),
                }
            }
            _ => {}
        }
    }
    let long = spans.into_iter().filter(|(from, to)| (to - from) as f32 * step >= SHORTEST_SPEECH);
    long.map(|(from, to)| SpeechSegment {
        start_seconds: from as f32 * step,
        end_seconds: to as f32 * step,
        score: probabilities[from..to].iter().sum::<f32>() / (to - from) as f32,
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use calipers_ir::DType;

    use super::*;

    #[test]
    fn windows_follow_the_input() {
        let windows = |sizes: &[Option<usize>], states| {
            let port = Port { name: "x".to_owned(), dtype: DType::Float32, sizes: sizes.to_vec() };
            let Windows { step, context } = Windows::new(&port, states);
            (step, context)
        };
        assert_eq!(windows(&[None, None], 1), (512, 64));
        assert_eq!(windows(&[None, None], 2), (512, 0));
        assert_eq!(windows(&[Some(1), Some(576)], 1), (512, 64));
        assert_eq!(windows(&[Some(1), Some(512)], 1), (512, 0));
    }

    #[test]
    fn short_pauses_are_bridged_and_short_sounds_left_out() {
        let mut probabilities = vec![0.0_f32; 40];
        probabilities[2..10].fill(0.9);
        probabilities[12..20].fill(0.9);
        probabilities[30..32].fill(0.9);
        let found = segments(&probabilities, 0.04);
        let steps = |seconds: f32| (seconds / 0.04).round();
        let spans: Vec<(f32, f32)> =
            found.iter().map(|it| (steps(it.start_seconds), steps(it.end_seconds))).collect();
        // Two steps of speech are too short.
        assert_eq!(spans, [(2.0, 20.0)]);
    }
}
