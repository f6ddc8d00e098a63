//! The kind of an input and the role of each of its axes, from its rank, its fixed sizes and what
//! computes with it.

use calipers_ir::{DType, Hint, Model, ValueId};

use super::reads::Reads;

/// What an input holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InputKind {
    /// Images: two sides and 1, 3 or 4 channels.
    Image,
    /// Images of a line of text: a fixed small height and a free width.
    TextLine,
    /// Maps of many channels that a 2-D convolution reads.
    FeatureMap,
    /// Images in a row.
    Video,
    /// Samples of a sound.
    Waveform,
    /// Frequency bands over time.
    Spectrogram,
    /// Numbers of tokens, which pick rows of a table.
    Tokens,
    /// A vector for each step of a sequence.
    FeatureSequence,
    /// A vector or a few strings for each sample.
    Rows,
    /// The state of a recurrent layer.
    State,
    /// Anything else.
    Other,
}

/// What an axis of an input counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum AxisRole {
    /// Samples that are computed together.
    Batch,
    /// Channels.
    Channels,
    /// Pixels from top to bottom.
    Height,
    /// Pixels from left to right.
    Width,
    /// Images of a video, or windows of a spectrogram.
    Frames,
    /// Samples of a sound.
    Samples,
    /// Steps of a sequence.
    Sequence,
    /// Elements of a vector.
    Features,
}

impl AxisRole {
    /// The name of a dimension with this role.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Batch => "batch",
            Self::Channels => "channels",
            Self::Height => "height",
            Self::Width => "width",
            Self::Frames => "frames",
            Self::Samples => "samples",
            Self::Sequence => "sequence",
            Self::Features => "features",
        }
    }
}

/// The kind of an input and the roles of its axes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct InputLayout {
    /// What it holds.
    pub kind: InputKind,
    /// The role of each axis, where it is known.
    pub axes: Vec<Option<AxisRole>>,
    /// The size that weights give to the axis of channels or features.
    pub features: Option<i64>,
}

/// Common numbers of mel bands.
const MELS: [i64; 4] = [40, 64, 80, 128];

/// Lines of text are at most this high.
const LINE_HEIGHT: i64 = 64;

/// Finds the layout of an input with these sizes, `None` where a size is free.
pub fn layout(model: &Model, input: ValueId, dtype: DType, sizes: &[Option<i64>]) -> InputLayout {
    let input = Input {
        sizes,
        dtype,
        name: model.hint(model.value(input).name),
        reads: Reads::find(model, input),
    };
    let (kind, axes) = input.layout();
    let features = input.reads.conv_channels.or(input.reads.features);
    InputLayout { kind, axes, features }
}

struct Input<'a> {
    sizes: &'a [Option<i64>],
    dtype: DType,
    name: Hint<'a>,
    reads: Reads,
}

type Axes = Vec<Option<AxisRole>>;

impl Input<'_> {
    fn layout(&self) -> (InputKind, Axes) {
        use AxisRole::{Batch, Features, Samples, Sequence};
        let axes = |roles: &[Option<AxisRole>]| roles.to_vec();
        if self.dtype == DType::String {
            return (InputKind::Rows, self.batch_first());
        }
        // Pixels are bytes; other integers are numbers of something.
        let is_number = self.dtype.is_float() || self.dtype == DType::Uint8;
        if self.reads.is_index && !self.dtype.is_float() {
            return match self.sizes.len() {
                1 => (InputKind::Tokens, axes(&[Some(Sequence)])),
                2 => (InputKind::Tokens, axes(&[Some(Batch), Some(Sequence)])),
                _ => (InputKind::Other, self.batch_first()),
            };
        }
        if !is_number && self.reads.conv_rank.is_none() {
            return (InputKind::Other, self.batch_first());
        }
        match self.sizes.len() {
            1 if self.is_sound() => (InputKind::Waveform, axes(&[Some(Samples)])),
            2 if self.sizes[1].is_none() && self.is_sound() => {
                (InputKind::Waveform, axes(&[Some(Batch), Some(Samples)]))
            }
            2 if self.sizes[1].is_none() && self.reads.features.is_none() => {
                (InputKind::Other, self.batch_first())
            }
            2 => (InputKind::Rows, axes(&[Some(Batch), Some(Features)])),
            3 => self.rank_3(),
            4 => self.rank_4(),
            5 => self.rank_5(),
            _ => (InputKind::Other, self.batch_first()),
        }
    }

    fn batch_first(&self) -> Axes {
        let mut axes = vec![None; self.sizes.len()];
        if let Some(first) = axes.first_mut() {
            *first = Some(AxisRole::Batch);
        }
        axes
    }

    fn rank_3(&self) -> (InputKind, Axes) {
        use AxisRole::{Batch, Channels, Features, Frames, Height, Samples, Sequence, Width};
        let [first, second, third] = [self.sizes[0], self.sizes[1], self.sizes[2]];
        let is_image = self.dtype == DType::Uint8 || self.reads.conv_rank == Some(4);
        let some = |roles: [AxisRole; 3]| roles.map(Some).to_vec();
        if self.reads.is_state {
            return (InputKind::State, vec![None, Some(Batch), Some(Features)]);
        }
        if is_image && is_channels(third) && first.is_none() && second.is_none() {
            return (InputKind::Image, some([Height, Width, Channels]));
        }
        if is_image && is_channels(first) && second.is_none() && third.is_none() {
            return (InputKind::Image, some([Channels, Height, Width]));
        }
        if matches!(second, Some(1 | 2)) && third.is_none() && self.is_sound() {
            return (InputKind::Waveform, some([Batch, Channels, Samples]));
        }
        if matches!(third, Some(1 | 2)) && second.is_none() && self.is_sound() {
            return (InputKind::Waveform, some([Batch, Samples, Channels]));
        }
        let convolved = self.reads.conv_rank.is_some();
        if self.is_mels(second) && third.is_none() && (convolved || self.says_sound()) {
            return (InputKind::Spectrogram, some([Batch, Features, Frames]));
        }
        let few = matches!(third, Some(40 | 80));
        if self.is_mels(third) && second.is_none() && (convolved || few || self.says_sound()) {
            return (InputKind::Spectrogram, some([Batch, Frames, Features]));
        }
        if is_image && second.is_none() && third.is_none() {
            return (InputKind::Image, some([Batch, Height, Width]));
        }
        if self.reads.steps_first {
            return (InputKind::FeatureSequence, some([Sequence, Batch, Features]));
        }
        if self.reads.conv_rank == Some(3) || second.is_some() && third.is_none() {
            // A convolution whose channels are those of the last axis reads it transposed.
            let channels = self.reads.conv_channels;
            if third.is_none() || third != channels || second == channels {
                return (InputKind::FeatureSequence, some([Batch, Channels, Sequence]));
            }
        }
        (InputKind::FeatureSequence, some([Batch, Sequence, Features]))
    }

    fn rank_4(&self) -> (InputKind, Axes) {
        use AxisRole::{Batch, Channels, Features, Frames, Height, Width};
        let [second, third, last] = [self.sizes[1], self.sizes[2], self.sizes[3]];
        let some = |roles: [AxisRole; 4]| roles.map(Some).to_vec();
        let channels = self.reads.conv_channels;
        let last_by_weights = channels.is_some() && channels == last && channels != second;
        if is_channels(second) && !last_by_weights {
            if second == Some(1) && !self.says_image() {
                if self.is_band(third) && last.is_none() {
                    return (InputKind::Spectrogram, some([Batch, Channels, Features, Frames]));
                }
                if self.is_band(last) && third.is_none() {
                    return (InputKind::Spectrogram, some([Batch, Channels, Frames, Features]));
                }
            }
            return (kind_of_image(third, last), some([Batch, Channels, Height, Width]));
        }
        if is_channels(last) {
            return (kind_of_image(second, third), some([Batch, Height, Width, Channels]));
        }
        if self.reads.conv_rank == Some(4) {
            let axes = match last_by_weights {
                true => [Batch, Height, Width, Channels],
                false => [Batch, Channels, Height, Width],
            };
            let kind = match channels {
                // Images of satellites and microscopes have a dozen channels.
                Some(few) if few <= 16 => InputKind::Image,
                _ => InputKind::FeatureMap,
            };
            return (kind, some(axes));
        }
        (InputKind::Other, self.batch_first())
    }

    fn rank_5(&self) -> (InputKind, Axes) {
        use AxisRole::{Batch, Channels, Frames, Height, Width};
        let some = |roles: [AxisRole; 5]| roles.map(Some).to_vec();
        let convolved = matches!(self.reads.conv_rank, Some(4 | 5));
        let at = |axis: usize| {
            is_channels(self.sizes[axis]) && (convolved || self.sizes[axis] == Some(3))
        };
        let axes = if at(1) && (self.reads.conv_rank == Some(5) || !at(2)) {
            [Batch, Channels, Frames, Height, Width]
        } else if at(2) {
            [Batch, Frames, Channels, Height, Width]
        } else if at(4) {
            [Batch, Frames, Height, Width, Channels]
        } else {
            return (InputKind::Other, self.batch_first());
        };
        (InputKind::Video, some(axes))
    }

    fn is_mels(&self, size: Option<i64>) -> bool {
        size.is_some_and(|size| MELS.contains(&size))
    }

    /// Whether a side next to one channel counts bands. Lines of text are 64 high too.
    fn is_band(&self, size: Option<i64>) -> bool {
        self.is_mels(size) && (size != Some(LINE_HEIGHT) || self.says_sound())
    }

    fn is_sound(&self) -> bool {
        self.reads.is_signal || self.reads.conv_rank == Some(3) || self.says_sound()
    }

    fn says_sound(&self) -> bool {
        self.says(&["audio", "wav", "pcm", "speech", "sound", "mel", "spec", "fbank", "signal"])
    }

    fn says_image(&self) -> bool {
        self.says(&["image", "img", "pixel", "frame"])
    }

    fn says(&self, words: &[&str]) -> bool {
        self.name.judge(|name| {
            let name = name.to_lowercase();
            words.iter().any(|word| name.contains(word))
        })
    }
}

fn is_channels(size: Option<i64>) -> bool {
    matches!(size, Some(1 | 3 | 4))
}

fn kind_of_image(height: Option<i64>, width: Option<i64>) -> InputKind {
    match (height, width) {
        (Some(height), None) if height <= LINE_HEIGHT => InputKind::TextLine,
        _ => InputKind::Image,
    }
}
