//! What a model returned for an input: what `calipers run` prints.

use std::collections::BTreeMap;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::TaskKind;

/// What a model returned, and how its input was prepared.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct RunResult {
    /// The file name of the model.
    pub model: String,
    /// The task that was recognized.
    pub task: TaskKind,
    /// The runtime and its version.
    pub runtime: String,
    /// Whether weights are random, since they were synthesized or the model is the built-in one: then
    /// the result means nothing.
    pub random_weights: bool,
    /// How the input was prepared.
    pub preprocessing: BTreeMap<String, String>,
    /// The result.
    pub result: RunOutcome,
}

/// The result of a run, by what the model does.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
#[serde(tag = "kind", rename_all = "kebab-case")]
pub enum RunOutcome {
    /// Vectors of texts or images and the cosine similarity of each pair.
    Embeddings {
        /// The texts, or the file names of the images.
        inputs: Vec<String>,
        /// A vector per input, of length 1.
        embeddings: Vec<Vec<f32>>,
        /// The similarity of each input with each.
        similarity: Vec<Vec<f32>>,
    },
    /// The span of a context that answers a question.
    Answer {
        /// The answer.
        answer: String,
        /// The probability of the span.
        score: f32,
        /// Its first byte in the context.
        start: usize,
        /// The byte after its last one.
        end: usize,
    },
    /// The most probable classes, best first.
    Classes {
        /// The classes.
        classes: Vec<ClassScore>,
    },
    /// The most probable classes of each of several texts.
    TextClasses {
        /// The texts in the order they were given.
        texts: Vec<ClassifiedText>,
    },
    /// The class of each token of a text, where it is not the class of plain text.
    Tokens {
        /// The tokens in the order of the text.
        tokens: Vec<ClassifiedToken>,
    },
    /// Speech in a sound.
    Speech {
        /// From where to where there is speech.
        segments: Vec<SpeechSegment>,
        /// Seconds from one probability to the next.
        step_seconds: f32,
        /// The probability of speech at each step.
        probabilities: Vec<f32>,
    },
    /// Objects, or lines of text, in an image.
    Objects {
        /// The objects, the most certain first.
        objects: Vec<FoundObject>,
    },
    /// Shares of the classes in a segmented image, the largest first.
    Segments {
        /// The classes; the score is the share of the pixels.
        classes: Vec<ClassScore>,
    },
    /// A text that was read or generated.
    Text {
        /// The text.
        text: String,
        /// Tokens or characters of it.
        tokens: u64,
    },
    /// Outputs as they are.
    Tensors {
        /// The outputs.
        outputs: Vec<OutputTensor>,
    },
}

/// A class and its score.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ClassScore {
    /// The number of the class.
    pub class: usize,
    /// Its label, where there are labels.
    pub label: Option<String>,
    /// Its score.
    pub score: f32,
}

/// A text and its classes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ClassifiedText {
    /// The text.
    pub text: String,
    /// Its most probable classes, best first.
    pub classes: Vec<ClassScore>,
}

/// A token and its class.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ClassifiedToken {
    /// The part of the text.
    pub text: String,
    /// Its first byte in the text.
    pub start: usize,
    /// The byte after its last one.
    pub end: usize,
    /// The class and its probability.
    #[serde(flatten)]
    pub class: ClassScore,
}

/// A segment of a sound with speech.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct SpeechSegment {
    /// Where it begins, in seconds.
    pub start_seconds: f32,
    /// Where it ends, in seconds.
    pub end_seconds: f32,
    /// The mean probability of speech in it.
    pub score: f32,
}

/// An object in an image.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct FoundObject {
    /// The class and its probability.
    #[serde(flatten)]
    pub class: ClassScore,
    /// Left, top, right and bottom, in pixels of the image.
    #[serde(rename = "box")]
    pub corners: [f32; 4],
}

/// An output tensor.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct OutputTensor {
    /// Its name.
    pub name: String,
    /// Its type and shape, e.g. `float32 [1, 10]`.
    #[serde(rename = "type")]
    pub type_text: String,
    /// The smallest, mean and largest element; null for texts.
    pub range: Option<[f32; 3]>,
}
