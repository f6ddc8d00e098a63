//! What an input is given: from its type, its dimensions and what first computes with it.
//!
//! A convolution over two axes reads an image, or a sound as a spectrogram. The two differ in their
//! sides: an image has 1, 3 or 4 channels and two sides of at least 16 pixels that are equal, free
//! or multiples of 8; a spectrogram has one side of frequency bands, and frames along the other.
//! Names of inputs and of their dimensions choose where both fit.

use calipers_ir::{DType, HintParts};
use calipers_ops::{Class, Movement};
use hashbrown::HashSet;

use crate::network::{BlockKind, Convolution, Network, NetworkOp, Origin, Val, With};

/// What an input is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Given {
    Image,
    Tokens,
    /// The bytes of a file.
    Bytes,
    /// Boxes of words on a page.
    Boxes,
    /// Pairs of nodes that an edge of a graph joins.
    Edges,
    /// A sound as it is, or as bands of a spectrogram.
    Waveform,
    Spectrogram,
    /// A row of numbers.
    Features,
    /// Rows of numbers in order.
    Sequence,
    /// What a network keeps from one run to the next.
    State,
    Text,
    /// Masks, positions, caches, and unrecognized inputs.
    Other,
}

/// Frequency bands of common spectrograms, mel and linear.
const BANDS: &[i64] = &[
    13, 20, 23, 24, 26, 39, 40, 64, 80, 96, 100, 120, 128, 129, 160, 161, 201, 257, 321, 481, 513,
    560, 1025, 2049,
];

/// Bands of the mel spectrograms that networks for short sounds take.
const MELS: &[i64] = &[40, 64, 80, 96, 128];

/// Fewer samples than this are not a sound.
const MIN_SAMPLES: i64 = 400;

/// Shorter sides than this are not those of an image, unless both are equal.
const MIN_SIDE: i64 = 16;

/// More channels than this are features.
const MAX_CHANNELS: i64 = 16;

/// What an input is given.
pub(crate) fn given(net: &Network<'_>, val: Val) -> Given {
    let Some(dtype) = net.dtype(val) else { return Given::Other };
    let named = Named::new(net, val);
    if dtype == DType::String {
        return Given::Text;
    }
    if dtype.is_float() && is_state(net, val, &named) {
        return Given::State;
    }
    // A mask has the shape of an image.
    if named.has(&["mask"]) && dtype.is_float() {
        return Given::Other;
    }
    if named.has(&["byte"]) && net.rank(val) == Some(2) {
        return Given::Bytes;
    }
    let met = first_met(net, val);
    // Samples of a sound as recorded.
    let samples = dtype == DType::Int16 && matches!(met, Some(Met::Signal { .. } | Met::Sound));
    if samples {
        return Given::Waveform;
    }
    if !dtype.is_float() && dtype != DType::Bool && dtype != DType::Uint8 {
        return whole_numbers(net, val, met, &named);
    }
    if !(dtype.is_float() || dtype == DType::Uint8) {
        return Given::Other;
    }
    let Some(met) = met else { return Given::Other };
    match (met, net.rank(val)) {
        (Met::Image { channels }, rank) => picture(net, val, channels, rank, &named),
        (Met::Signal { channels }, rank) => signal(net, val, channels, rank, &named),
        (Met::Sound, _) => Given::Waveform,
        // Some exporters declare tokens as floats and convert them.
        (Met::Table, Some(2)) if dtype.is_float() && net.dim(val, -1) != Some(1) => Given::Tokens,
        (Met::Table, _) => Given::Other,
        (Met::Product, Some(1 | 2)) if named.sound() && is_long(net, val) => Given::Waveform,
        (Met::Product | Met::Classical, Some(1 | 2)) => Given::Features,
        (Met::Product | Met::Recurrence, Some(3)) => {
            let bands = net.dim(val, -1).is_some_and(|bands| BANDS.contains(&bands));
            let timed = named.has(&["feat"]) || named.has_frames();
            let sound = named.sound() || timed && bands;
            if sound { Given::Spectrogram } else { Given::Sequence }
        }
        _ => Given::Other,
    }
}

/// What an input of whole numbers is given.
fn whole_numbers(net: &Network<'_>, val: Val, met: Option<Met>, named: &Named) -> Given {
    let scatters = || net.count_in(["ScatterElements", "ScatterND", "Scatter"]) > 0;
    match (net.rank(val), met) {
        (Some(2), met)
            if net.dim(val, 0) == Some(2)
                && (named.has(&["edge"]) || scatters() && !matches!(met, Some(Met::Table))) =>
        {
            Given::Edges
        }
        // Four corners of a box, in tables of coordinates.
        (Some(3), _) if net.dim(val, -1) == Some(4) || named.has(&["box"]) => Given::Boxes,
        (Some(0..=2), Some(Met::Table)) => Given::Tokens,
        (Some(3), Some(Met::Table)) if is_looked_up(net, val) => Given::Tokens,
        // Pixels of 16 or 32 bits.
        (Some(4), Some(Met::Image { channels })) => picture(net, val, channels, Some(4), named),
        _ => Given::Other,
    }
}

/// Whether a value picks rows of a table as it is, and not after parts of it are cut.
fn is_looked_up(net: &Network<'_>, val: Val) -> bool {
    let val = net.on_through_layout(val);
    net.uses(val).any(|id| {
        net.unit(id).walk().any(|part| {
            part.is(BlockKind::Embedding)
                || part.movement() == Some(Movement::Gather) && part.input(1) == Some(val)
        })
    })
}

/// Whether an input is the state that a recurrent layer starts with, or a cache of past frames.
fn is_state(net: &Network<'_>, val: Val, named: &Named) -> bool {
    if net.inputs.len() > 1 && is_carried(net, val, named) {
        return true;
    }
    if net.inputs.len() < 2 || !matches!(net.rank(val), Some(2..=4)) {
        return false;
    }
    // One of the outputs is the state after the run.
    let kept = || {
        let mut ranks = net.outputs.iter().map(|output| net.rank(*output));
        ranks.any(|rank| rank.is_none() || rank == net.rank(val))
    };
    if kept() && named.is(&["h", "c", "h0", "c0", "hn", "cn", "state", "states", "hidden"]) {
        return true;
    }
    let val = net.on_through_layout(val);
    let cut: Vec<Val> = net
        .uses(val)
        .filter(|id| net.unit(*id).is_cut() || net.unit(*id).is("Split"))
        .flat_map(|id| net.unit(id).outputs.clone())
        .map(|val| net.on_through_layout(val))
        .collect();
    std::iter::once(val).chain(cut).any(|val| {
        net.uses(val).any(|id| {
            net.unit(id).walk().any(|part| {
                part.is(With::RECURRENT) && part.inputs.iter().skip(5).any(|it| *it == Some(val))
            })
        })
    })
}

/// Whether an input is named like a state, and an output with the same name has its shape:
/// `conv_cache` and `conv_cache_out`, `recurrent` and `next_recurrent`.
fn is_carried(net: &Network<'_>, val: Val, named: &Named) -> bool {
    const STATES: &[&str] =
        &["buf", "buffer", "cache", "context", "ctx", "hidden", "mem", "memory", "recurrent"];
    const DIRECTIONS: &[&str] =
        &["in", "input", "out", "output", "next", "new", "prev", "past", "present", "updated"];
    let own = named.words.stems(DIRECTIONS);
    if !own.has_any(STATES) && !own.any_starts_with(&["state"]) {
        return false;
    }
    net.outputs.iter().any(|output| {
        net.may_have_same_shape(val, *output)
            && net.output_hint(*output).name_parts().stems(DIRECTIONS) == own
    })
}

/// Whether the last axis is free or as long as that of a sound.
fn is_long(net: &Network<'_>, val: Val) -> bool {
    net.dim(val, -1).is_none_or(|samples| samples >= MIN_SAMPLES)
}

/// What a convolution over two or three axes reads.
fn picture(
    net: &Network<'_>,
    val: Val,
    channels: Option<i64>,
    rank: Option<usize>,
    named: &Named,
) -> Given {
    if named.signal() {
        return Given::Sequence;
    }
    match rank {
        Some(1 | 2) if is_long(net, val) && !is_flat_image(net, val) => Given::Waveform,
        Some(3) if named.sound() => Given::Spectrogram,
        Some(3) if named.image() || one_image(net, val) => Given::Image,
        Some(3) => match [net.dim(val, 1), net.dim(val, 2)] {
            [Some(height), Some(width)] if height == width => Given::Image,
            [Some(bands), _] | [_, Some(bands)] if BANDS.contains(&bands) => Given::Spectrogram,
            _ => Given::Other,
        },
        Some(4) => image_or_sound(net, val, channels, named),
        Some(5) if matches!(channels, None | Some(1 | 3 | 4)) => Given::Image,
        _ => Given::Other,
    }
}

/// Whether a row is reshaped to an image of a known size.
fn is_flat_image(net: &Network<'_>, val: Val) -> bool {
    let shaped = net.on_through_layout(val);
    let side = |at| net.dim(shaped, at).is_some_and(|side| side >= MIN_SIDE);
    net.rank(shaped) == Some(4)
        && (side(1) && side(2) && matches!(net.dim(shaped, 3), Some(1 | 3 | 4))
            || side(2) && side(3) && matches!(net.dim(shaped, 1), Some(1 | 3 | 4)))
}

/// Whether a value is one image without a batch: height, width and 3 channels, or these first.
fn one_image(net: &Network<'_>, val: Val) -> bool {
    let long = |at| net.dim(val, at).is_none_or(|side| side >= MIN_SIDE);
    let fixed = net.dim(val, 0).and(net.dim(val, 1)).is_some();
    // A batch of signals with one channel looks the same.
    let channels = matches!(net.dim(val, 2), Some(3 | 4)) || net.dim(val, 2) == Some(1) && fixed;
    let last = channels && long(0) && long(1);
    let first = matches!(net.dim(val, 0), Some(3 | 4)) && long(1) && long(2);
    last || first
}

/// An image or a spectrogram, of a batch with channels and two sides.
fn image_or_sound(net: &Network<'_>, val: Val, channels: Option<i64>, named: &Named) -> Given {
    if named.sound() {
        return Given::Spectrogram;
    }
    let is_first = |count: i64| net.dim(val, 1) == Some(count);
    let channels = [1, 3, 4].into_iter().find(|count| is_first(*count)).or_else(|| {
        let last = net.dim(val, 3).filter(|count| *count <= MAX_CHANNELS);
        last.or(net.dim(val, 1)).or(channels)
    });
    let Some(channels) = channels else { return Given::Other };
    let sides = if net.dim(val, 3) == Some(channels) && !is_first(channels) {
        [net.dim(val, 1), net.dim(val, 2)]
    } else {
        [net.dim(val, 2), net.dim(val, 3)]
    };
    if named.image() && channels <= MAX_CHANNELS {
        return Given::Image;
    }
    let is_band = |side: i64| BANDS.contains(&side);
    match (channels, sides) {
        (3 | 4, [Some(height), Some(width)]) if height == width => Given::Image,
        (3 | 4, [Some(side), None] | [None, Some(side)]) if side % 2 == 1 => Given::Other,
        (3 | 4, sides) => {
            let short = sides.iter().flatten().any(|side| *side < MIN_SIDE);
            if short { Given::Other } else { Given::Image }
        }
        (1 | 2, [None, Some(bands)]) if bands >= 13 => Given::Spectrogram,
        (1, [Some(side), None]) => match side {
            32 | 48 | 64 => Given::Image,
            _ if is_band(side) => Given::Spectrogram,
            _ => Given::Other,
        },
        (1, [None, None]) => Given::Image,
        (1, [Some(height), Some(width)]) => {
            let even = height % 8 == 0 && width % 8 == 0;
            let narrow = height.min(width).saturating_mul(4) < height.max(width);
            if height == width || even && height.min(width) >= MIN_SIDE {
                Given::Image
            } else if MELS.contains(&height.min(width)) && !even {
                Given::Spectrogram
            } else if narrow || height.min(width) < MIN_SIDE {
                Given::Other
            } else {
                Given::Image
            }
        }
        (2, [Some(side), _] | [_, Some(side)]) if is_band(side) && side % 2 == 1 => {
            Given::Spectrogram
        }
        (5..=MAX_CHANNELS, [Some(height), Some(width)]) if height == width && height >= 32 => {
            Given::Image
        }
        (5..=MAX_CHANNELS, [None, None]) => Given::Image,
        _ => Given::Other,
    }
}

/// What a convolution over one axis reads.
fn signal(net: &Network<'_>, val: Val, channels: i64, rank: Option<usize>, named: &Named) -> Given {
    if named.signal() {
        return Given::Sequence;
    }
    match rank {
        Some(1 | 2) if is_long(net, val) => Given::Waveform,
        Some(1 | 2) => Given::Features,
        Some(3) if channels > 2 && (named.sound() || BANDS.contains(&channels)) => {
            Given::Spectrogram
        }
        Some(3) if channels <= 2 && is_long(net, val) => Given::Waveform,
        _ => Given::Sequence,
    }
}

/// Whether a value looks like an image that is cut into pieces and multiplied.
pub(crate) fn is_cut_image(net: &Network<'_>, val: Val) -> bool {
    let number = net.dtype(val).is_some_and(|dtype| dtype.is_float() || dtype == DType::Uint8);
    if !number || net.rank(val) != Some(4) || !matches!(first_met(net, val), Some(Met::Product)) {
        return false;
    }
    let channels = |at| net.dim(val, at).is_some_and(|dim| matches!(dim, 1 | 3 | 4));
    let long = |at| net.dim(val, at).is_none_or(|dim| dim >= MIN_SIDE);
    channels(1) && long(2) && long(3) || channels(3) && long(1) && long(2)
}

/// The name of an input and those of its dimensions, as words.
struct Named {
    words: HintParts,
    dims: HintParts,
}

impl Named {
    fn new(net: &Network<'_>, val: Val) -> Self {
        let dims = net.shape(val).unwrap_or_default().iter();
        let dims = dims.filter_map(|dim| dim.as_symbol());
        let mut words_of_dims = HintParts::default();
        for symbol in dims {
            words_of_dims.extend(net.model.symbol_hint(symbol.name()).name_parts());
        }
        Self { words: net.hint(val).name_parts(), dims: words_of_dims }
    }

    /// Whether a word of the name starts so.
    fn has(&self, starts: &[&str]) -> bool {
        self.words.any_starts_with(starts)
    }

    /// Whether a word of the name is one of these.
    fn is(&self, names: &[&str]) -> bool {
        self.words.has_any(names)
    }

    fn sound(&self) -> bool {
        const STARTS: &[&str] = &[
            "audio", "fbank", "logmel", "mel", "mfcc", "pcm", "sound", "spec", "speech", "stft",
            "wav", "waveform",
        ];
        self.has(STARTS) || self.dims.has_any(&["mel", "mels"])
    }

    /// Whether a dimension counts frames: of a sound, or of any other signal.
    fn has_frames(&self) -> bool {
        self.dims.has_any(&["frames", "time", "samples"])
    }

    fn image(&self) -> bool {
        self.has(&["image", "img", "pixel", "photo", "picture", "rgb"])
            || self.dims.has_any(&["height", "width", "wdith", "h", "w"])
    }

    /// Signals of the body and of movement are not sounds.
    fn signal(&self) -> bool {
        self.has(&["eeg", "ecg", "emg", "eog", "imu", "acc", "ppg", "bvp"])
    }
}

/// What first computes with a value.
enum Met {
    /// A convolution over two axes or more.
    Image {
        channels: Option<i64>,
    },
    /// A convolution over one axis.
    Signal {
        channels: i64,
    },
    Sound,
    Table,
    Product,
    Recurrence,
    Classical,
}

/// Units that a search on from an input looks at.
const MAX_SEARCH: usize = 256;

fn first_met(net: &Network<'_>, val: Val) -> Option<Met> {
    let mut seen: HashSet<Val> = std::iter::once(val).collect();
    let mut queue = std::collections::VecDeque::from([val]);
    let mut looked = 0;
    while let Some(val) = queue.pop_front() {
        for id in net.uses(val) {
            looked += 1;
            if looked > MAX_SEARCH {
                return None;
            }
            let unit = net.unit(id);
            if let Some(met) = unit.walk().find_map(|part| met(net, part)) {
                return Some(met);
            }
            // Truth values and indices choose; they do not carry the value.
            if unit.walk().any(|part| part.is(With(|traits| traits.decides))) {
                continue;
            }
            queue.extend(unit.outputs.iter().copied().filter(|output| seen.insert(*output)));
        }
    }
    None
}

fn met(net: &Network<'_>, unit: &NetworkOp) -> Option<Met> {
    let traits = unit.traits();
    Some(match traits.map(|traits| traits.class) {
        None if unit.is(BlockKind::Embedding) => Met::Table,
        None => return None,
        Some(_) if Convolution::of_operator(net, unit).is_some() => {
            let conv = stored_conv(net, unit)?;
            let flat = unit.input(0).is_some_and(|map| is_flat(net, map, &conv));
            match (conv.rank(), conv.in_channels) {
                (Some(1), Some(channels)) => Met::Signal { channels },
                (Some(2), Some(channels)) if flat => Met::Signal { channels },
                (_, channels) => Met::Image { channels },
            }
        }
        Some(_) if is_product(net, unit) => Met::Product,
        Some(Class::Features | Class::LinearModel | Class::SupportVectors | Class::Trees) => {
            Met::Classical
        }
        Some(Class::Movement) if unit.movement() == Some(Movement::Gather) => {
            let table = unit.input(0)?;
            if net.is_data(table) || net.rank(table) != Some(2) {
                return None;
            }
            Met::Table
        }
        Some(Class::Recurrent) => Met::Recurrence,
        Some(Class::Signal) => Met::Sound,
        Some(_) => return None,
    })
}

/// Whether a map has one row or column, so that a convolution over two axes slides along one.
fn is_flat(net: &Network<'_>, map: Val, conv: &Convolution) -> bool {
    let is_line = |at: isize| net.dim(map, at) == Some(1);
    conv.side() != Some(1) && (is_line(-2) != is_line(-1))
}

/// The convolution of an operator with stored weights of known sizes.
pub(crate) fn stored_conv(net: &Network<'_>, unit: &NetworkOp) -> Option<Convolution> {
    let conv = Convolution::of_operator(net, unit)?;
    unit.input(1).filter(|weight| net.origin(*weight) == Origin::Constant)?;
    conv.in_channels.and(conv.out_channels).and(conv.rank())?;
    Some(conv)
}

/// Whether a unit is a product with a stored matrix.
pub(crate) fn is_product(net: &Network<'_>, unit: &NetworkOp) -> bool {
    let stored = |at: usize| {
        let val = unit.input(at).filter(|val| net.origin(*val) == Origin::Constant);
        val.is_some_and(|val| net.rank(val).is_none_or(|rank| rank >= 2))
    };
    unit.is(["Gemm", "MatMul"]) && (stored(0) || stored(1))
}
