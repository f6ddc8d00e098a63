//! Tasks: what models are for.

use crate::names::names;

names! {
    /// What a model does.
    pub enum TaskKind default Unknown {
        AnomalyDetection = "anomaly-detection" => "anomaly detection",
        AudioClassification = "audio-classification" => "audio classification",
        AudioToAudio = "audio-to-audio" => "audio-to-audio",
        Clustering = "clustering" => "clustering",
        DepthEstimation = "depth-estimation" => "depth estimation",
        FillMask = "fill-mask" => "fill-mask",
        ImageClassification = "image-classification" => "image classification",
        ImageEmbedding = "image-embedding" => "image embedding",
        ImageFeatures = "image-features" => "image features",
        ImageSegmentation = "image-segmentation" => "image segmentation",
        ImageTextSimilarity = "image-text-similarity" => "image-text similarity",
        ImageToImage = "image-to-image" => "image-to-image",
        ImageToText = "image-to-text" => "image-to-text",
        ObjectDetection = "object-detection" => "object detection",
        PoseEstimation = "pose-estimation" => "pose estimation",
        QuestionAnswering = "question-answering" => "question answering",
        SpeechFeatures = "speech-features" => "speech features",
        SpeechRecognition = "speech-recognition" => "speech recognition",
        SuperResolution = "super-resolution" => "super-resolution",
        TabularClassification = "tabular-classification" => "tabular classification",
        TabularRegression = "tabular-regression" => "tabular regression",
        TextClassification = "text-classification" => "text classification",
        TextEmbedding = "text-embedding" => "text embedding",
        TextGeneration = "text-generation" => "text generation",
        TextRegression = "text-regression" => "text regression",
        TokenClassification = "token-classification" => "token classification",
        Unknown = "unknown" => "unknown",
    }
}

impl TaskKind {
    /// Returns the tag that model hubs use for the task, where they have one.
    pub fn pipeline_tag(self) -> Option<&'static str> {
        Some(match self {
            Self::AudioClassification => "audio-classification",
            Self::AudioToAudio => "audio-to-audio",
            Self::SpeechRecognition => "automatic-speech-recognition",
            Self::DepthEstimation => "depth-estimation",
            Self::TextEmbedding => "feature-extraction",
            Self::FillMask => "fill-mask",
            Self::ImageClassification => "image-classification",
            Self::ImageEmbedding | Self::ImageFeatures => "image-feature-extraction",
            Self::ImageSegmentation => "image-segmentation",
            Self::ImageToImage | Self::SuperResolution => "image-to-image",
            Self::ImageToText => "image-to-text",
            Self::PoseEstimation => "keypoint-detection",
            Self::ObjectDetection => "object-detection",
            Self::QuestionAnswering => "question-answering",
            Self::TabularClassification => "tabular-classification",
            Self::TabularRegression => "tabular-regression",
            Self::TextClassification => "text-classification",
            Self::TextGeneration => "text-generation",
            Self::TokenClassification => "token-classification",
            Self::ImageTextSimilarity => "zero-shot-image-classification",
            Self::AnomalyDetection
            | Self::Clustering
            | Self::SpeechFeatures
            | Self::TextRegression
            | Self::Unknown => return None,
        })
    }

    /// Returns whether the output is one of a set of classes, or a score for each.
    pub fn is_classification(self) -> bool {
        matches!(
            self,
            Self::AudioClassification
                | Self::ImageClassification
                | Self::TabularClassification
                | Self::TextClassification
                | Self::TokenClassification
        )
    }

    /// Returns whether the input is sound.
    pub fn is_audio(self) -> bool {
        matches!(
            self,
            Self::AudioClassification
                | Self::AudioToAudio
                | Self::SpeechFeatures
                | Self::SpeechRecognition
        )
    }

    /// Returns whether an input is an image.
    pub fn is_image(self) -> bool {
        matches!(
            self,
            Self::DepthEstimation
                | Self::ImageClassification
                | Self::ImageEmbedding
                | Self::ImageFeatures
                | Self::ImageSegmentation
                | Self::ImageTextSimilarity
                | Self::ImageToImage
                | Self::ImageToText
                | Self::ObjectDetection
                | Self::PoseEstimation
                | Self::SuperResolution
        )
    }

    /// Returns whether the task is about whole texts, as opposed to tokens or spans of one.
    pub fn is_text(self) -> bool {
        matches!(
            self,
            Self::TextClassification
                | Self::TextEmbedding
                | Self::TextGeneration
                | Self::TextRegression
        )
    }

    /// Returns whether the output is a vector that represents the input.
    pub fn is_embedding(self) -> bool {
        matches!(self, Self::ImageEmbedding | Self::TextEmbedding)
    }
}
