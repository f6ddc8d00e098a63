//! Quantized elements turned back into numbers: `(element - zero point) * scale`.

use crate::elements::{Elements, Reader};

/// Parameters that are read together.
const RUN: usize = 256;

/// Scales or zero points, and which of them belongs to an element.
///
/// A quantized tensor is looked at as three axes, as [`Quantization`] describes them. The parameter
/// of the element at `(outer, axis, inner)` is at
/// `outer * self.outer + axis / block * self.axis + inner * self.inner`.
#[derive(Clone, Copy, Debug)]
pub struct Parameter<'a> {
    /// The parameters.
    pub elements: Elements<'a>,
    /// Steps between positions before the axis.
    pub outer: u64,
    /// Steps between blocks of the axis.
    pub axis: u64,
    /// Steps between positions after the axis.
    pub inner: u64,
}

/// How a tensor is quantized.
#[derive(Clone, Copy, Debug)]
pub struct Quantization<'a> {
    /// Positions along the axis of the channels or blocks.
    pub axis: u64,
    /// Elements between two neighbors on that axis.
    pub inner: u64,
    /// Neighbors on that axis that share parameters.
    pub block: u64,
    /// The scales.
    pub scale: Parameter<'a>,
    /// The zero points; without them it is `implied_zero_point` everywhere.
    pub zero_point: Option<Parameter<'a>>,
    /// The zero point where none is stored.
    pub implied_zero_point: f32,
}

impl Quantization<'_> {
    /// Whether the parameters of every element up to `last` are there.
    pub(crate) fn reaches(&self, last: u64) -> bool {
        let around = self.axis.checked_mul(self.inner).filter(|around| *around > 0);
        let Some(around) = around.filter(|_| self.block > 0) else { return false };
        let reaches = |parameter: &Parameter<'_>| {
            let outer = (last / around).checked_mul(parameter.outer)?;
            let axis = ((self.axis - 1) / self.block).checked_mul(parameter.axis)?;
            let inner = (self.inner - 1).checked_mul(parameter.inner)?;
            let index = outer.checked_add(axis)?.checked_add(inner)?;
            Some(index < parameter.elements.capacity()?)
        };
        [Some(&self.scale), self.zero_point.as_ref()]
            .into_iter()
            .flatten()
            .all(|parameter| reaches(parameter) == Some(true))
    }
}

/// Turns runs of quantized elements into numbers.
pub(crate) struct Dequantizer<'a> {
    form: Quantization<'a>,
    scale: Reader<'a>,
    zero_point: Option<Reader<'a>>,
}

impl<'a> Dequantizer<'a> {
    pub(crate) fn new(form: &Quantization<'a>) -> Option<Self> {
        let zero_point = match &form.zero_point {
            Some(parameter) => Some(parameter.elements.reader()?),
            None => None,
        };
        Some(Self { form: *form, scale: form.scale.elements.reader()?, zero_point })
    }

    /// Dequantizes a run of elements that starts at this position of the tensor.
    pub(crate) fn apply(&self, start: u64, values: &mut [f32]) {
        let Quantization { axis, inner, block, scale, .. } = self.form;
        let (along, mut place) = (start / inner, start % inner);
        let (mut outer, mut channel) = (along / axis, along % axis);
        let mut rest = values;
        while !rest.is_empty() {
            // The longest run over which parameters stay the same, or follow each other.
            let (length, is_inner, is_axis) = if inner > 1 {
                (inner - place, true, false)
            } else if block == 1 {
                (axis - channel, false, true)
            } else {
                ((block - channel % block).min(axis - channel), false, false)
            };
            let length =
                usize::try_from(length).map_or(rest.len(), |length| length.min(rest.len()));
            let (run, left) = rest.split_at_mut(length);
            let locate = |parameter: &Parameter<'_>| Place {
                index: outer * parameter.outer
                    + channel / block * parameter.axis
                    + place * parameter.inner,
                step: match (is_inner, is_axis) {
                    (true, _) => parameter.inner,
                    (_, true) => parameter.axis,
                    _ => 0,
                },
            };
            self.run(locate(&scale), self.form.zero_point.as_ref().map(locate), run);
            rest = left;
            if is_inner {
                place += length as u64;
                if place < inner {
                    continue;
                }
                (place, channel) = (0, channel + 1);
            } else {
                channel += length as u64;
            }
            if channel == axis {
                (outer, channel) = (outer + 1, 0);
            }
        }
    }

    fn run(&self, scale: Place, zero_point: Option<Place>, run: &mut [f32]) {
        let implied = self.form.implied_zero_point;
        let zero_point = zero_point.zip(self.zero_point.as_ref());
        if scale.step == 0 && zero_point.is_none_or(|(place, _)| place.step == 0) {
            let scale = scale.read(&self.scale);
            let zero_point = zero_point.map_or(implied, |(place, reader)| place.read(reader));
            run.iter_mut().for_each(|value| *value = (*value - zero_point) * scale);
            return;
        }
        let (mut scales, mut zero_points) = ([0.0; RUN], [implied; RUN]);
        for (at, part) in run.chunks_mut(RUN).enumerate() {
            let from = (at * RUN) as u64;
            scale.fill(&self.scale, from, &mut scales[..part.len()]);
            if let Some((place, reader)) = zero_point {
                place.fill(reader, from, &mut zero_points[..part.len()]);
            }
            for ((value, scale), zero_point) in part.iter_mut().zip(&scales).zip(&zero_points) {
                *value = (*value - zero_point) * scale;
            }
        }
    }
}

/// Where a run of parameters is.
#[derive(Clone, Copy)]
struct Place {
    index: u64,
    step: u64,
}

impl Place {
    fn read(self, reader: &Reader<'_>) -> f32 {
        let mut value = [0.0];
        reader.singles(usize::try_from(self.index).unwrap_or(usize::MAX), &mut value);
        value[0]
    }

    /// The parameters of the elements from `from` on.
    fn fill(self, reader: &Reader<'_>, from: u64, out: &mut [f32]) {
        let index = self.index + from * self.step;
        match self.step {
            0 => out.fill(Self { index, step: 0 }.read(reader)),
            1 => reader.singles(usize::try_from(index).unwrap_or(usize::MAX), out),
            step => {
                for (index, out) in (0..).map(|at| index + at * step).zip(out) {
                    *out = Self { index, step }.read(reader);
                }
            }
        }
    }
}
