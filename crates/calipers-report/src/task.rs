//! Tasks: what models are for.

use crate::names::names;

names! {
    /// What a model does.
    pub enum TaskKind default Unknown {
        AnomalyDetection = "anomaly-detection" => "anomaly detection",
        AudioClassification = "audio-classification" => "audio classification",
        AudioEmbedding = "audio-embedding" => "audio embedding",
        AudioToAudio = "audio-to-audio" => "audio-to-audio",
        Clustering = "clustering" => "clustering",
        DepthEstimation = "depth-estimation" => "depth estimation",
        DocumentUnwarping = "document-unwarping" => "document unwarping",
        FeatureExtraction = "feature-extraction" => "feature extraction",
        FileTypeClassification = "file-type-classification" => "file type classification",
        FillMask = "fill-mask" => "fill-mask",
        GraphClassification = "graph-classification" => "graph classification",
        ImageClassification = "image-classification" => "image classification",
        ImageEmbedding = "image-embedding" => "image embedding",
        ImageFeatures = "image-features" => "image features",
        ImageSegmentation = "image-segmentation" => "image segmentation",
        ImageTextSimilarity = "image-text-similarity" => "image-text similarity",
        ImageToImage = "image-to-image" => "image-to-image",
        ImageToText = "image-to-text" => "image-to-text",
        InstanceSegmentation = "instance-segmentation" => "instance segmentation",
        KeypointDetection = "keypoint-detection" => "keypoint detection",
        KeywordSpotting = "keyword-spotting" => "keyword spotting",
        NodeClassification = "node-classification" => "node classification",
        ObjectDetection = "object-detection" => "object detection",
        PoseEstimation = "pose-estimation" => "pose estimation",
        QuestionAnswering = "question-answering" => "question answering",
        SpeechFeatures = "speech-features" => "speech features",
        SpeechRecognition = "speech-recognition" => "speech recognition",
        SuperResolution = "super-resolution" => "super-resolution",
        TableStructure = "table-structure" => "table structure recognition",
        TabularClassification = "tabular-classification" => "tabular classification",
        TabularRegression = "tabular-regression" => "tabular regression",
        TextClassification = "text-classification" => "text classification",
        TextDetection = "text-detection" => "text detection",
        TextEmbedding = "text-embedding" => "text embedding",
        TextGeneration = "text-generation" => "text generation",
        TextRecognition = "text-recognition" => "text recognition",
        TextRegression = "text-regression" => "text regression",
        TextToSpeech = "text-to-speech" => "text-to-speech",
        TokenClassification = "token-classification" => "token classification",
        Translation = "translation" => "translation",
        VoiceActivityDetection = "voice-activity-detection" => "voice activity detection",
        WatermarkDecoding = "watermark-decoding" => "watermark decoding",
        Unknown = "unknown" => "unknown",
    }
}

impl TaskKind {
    /// Returns the tag that model hubs use for the task, where they have one.
    pub fn pipeline_tag(self) -> Option<&'static str> {
        Some(match self {
            Self::AudioClassification | Self::KeywordSpotting => "audio-classification",
            Self::AudioToAudio => "audio-to-audio",
            Self::SpeechRecognition => "automatic-speech-recognition",
            Self::DepthEstimation => "depth-estimation",
            Self::AudioEmbedding | Self::FeatureExtraction | Self::TextEmbedding => {
                "feature-extraction"
            }
            Self::FillMask => "fill-mask",
            Self::ImageClassification => "image-classification",
            Self::ImageEmbedding | Self::ImageFeatures => "image-feature-extraction",
            Self::GraphClassification | Self::NodeClassification => "graph-ml",
            Self::ImageSegmentation | Self::InstanceSegmentation => "image-segmentation",
            Self::DocumentUnwarping | Self::ImageToImage | Self::SuperResolution => {
                "image-to-image"
            }
            Self::ImageToText | Self::TextRecognition => "image-to-text",
            Self::KeypointDetection | Self::PoseEstimation => "keypoint-detection",
            Self::ObjectDetection => "object-detection",
            Self::QuestionAnswering => "question-answering",
            Self::TabularClassification => "tabular-classification",
            Self::TabularRegression => "tabular-regression",
            Self::TextClassification => "text-classification",
            Self::TextGeneration => "text-generation",
            Self::TextToSpeech => "text-to-speech",
            Self::TokenClassification => "token-classification",
            Self::Translation => "translation",
            Self::VoiceActivityDetection => "voice-activity-detection",
            Self::ImageTextSimilarity => "zero-shot-image-classification",
            Self::AnomalyDetection
            | Self::Clustering
            | Self::FileTypeClassification
            | Self::SpeechFeatures
            | Self::TableStructure
            | Self::TextDetection
            | Self::TextRegression
            | Self::WatermarkDecoding
            | Self::Unknown => return None,
        })
    }

    /// Returns whether the output is one of a set of classes, or a score for each.
    pub fn is_classification(self) -> bool {
        matches!(
            self,
            Self::AudioClassification
                | Self::FileTypeClassification
                | Self::GraphClassification
                | Self::ImageClassification
                | Self::KeywordSpotting
                | Self::NodeClassification
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
                | Self::AudioEmbedding
                | Self::AudioToAudio
                | Self::KeywordSpotting
                | Self::SpeechFeatures
                | Self::SpeechRecognition
                | Self::VoiceActivityDetection
        )
    }

    /// Returns whether an input is an image.
    pub fn is_image(self) -> bool {
        matches!(
            self,
            Self::DepthEstimation
                | Self::DocumentUnwarping
                | Self::ImageClassification
                | Self::ImageEmbedding
                | Self::ImageFeatures
                | Self::ImageSegmentation
                | Self::ImageTextSimilarity
                | Self::ImageToImage
                | Self::ImageToText
                | Self::InstanceSegmentation
                | Self::KeypointDetection
                | Self::ObjectDetection
                | Self::PoseEstimation
                | Self::SuperResolution
                | Self::TableStructure
                | Self::TextDetection
                | Self::TextRecognition
                | Self::WatermarkDecoding
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
                | Self::Translation
        )
    }

    /// Returns whether the output is a vector that represents the input.
    pub fn is_embedding(self) -> bool {
        matches!(
            self,
            Self::AudioEmbedding
                | Self::FeatureExtraction
                | Self::ImageEmbedding
                | Self::TextEmbedding
        )
    }
}
