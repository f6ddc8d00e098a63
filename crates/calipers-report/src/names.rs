//! Display names of families, kinds, tasks and activations.

/// Families as people write them.
const NAMES: &[(&str, &str)] = &[
    ("adaboost", "AdaBoost"),
    ("albert", "ALBERT"),
    ("alexnet", "AlexNet"),
    ("bagging", "Bagging"),
    ("bart", "BART"),
    ("beit", "BEiT"),
    ("bert", "BERT"),
    ("bloom", "BLOOM"),
    ("clip", "CLIP"),
    ("conformer", "Conformer"),
    ("convnext", "ConvNeXt"),
    ("crnn", "CRNN"),
    ("darknet", "Darknet"),
    ("deberta", "DeBERTa"),
    ("decision-tree", "Decision tree"),
    ("deeplab", "DeepLab"),
    ("deit", "DeiT"),
    ("densenet", "DenseNet"),
    ("detr", "DETR"),
    ("dinov2", "DINOv2"),
    ("distilbert", "DistilBERT"),
    ("efficientnet", "EfficientNet"),
    ("efficientnetv2", "EfficientNetV2"),
    ("electra", "ELECTRA"),
    ("falcon", "Falcon"),
    ("faster-rcnn", "Faster R-CNN"),
    ("fcn", "FCN"),
    ("fcos", "FCOS"),
    ("gaussian-mixture", "Gaussian mixture"),
    ("gemma", "Gemma"),
    ("gemma2", "Gemma 2"),
    ("gemma3", "Gemma 3"),
    ("gpt-bigcode", "GPT-BigCode"),
    ("gpt-neo", "GPT-Neo"),
    ("gpt-neox", "GPT-NeoX"),
    ("gpt2", "GPT-2"),
    ("gptj", "GPT-J"),
    ("gradient-boosting", "Gradient boosting"),
    ("gru", "GRU"),
    ("hubert", "HuBERT"),
    ("inception", "Inception"),
    ("isolation-forest", "Isolation forest"),
    ("k-means", "k-means"),
    ("k-nearest-neighbours", "k nearest neighbours"),
    ("keypoint-rcnn", "Keypoint R-CNN"),
    ("lenet", "LeNet"),
    ("linear-classifier", "Linear classifier"),
    ("linear-regression", "Linear regression"),
    ("llama", "Llama"),
    ("logistic-regression", "Logistic regression"),
    ("lraspp", "LR-ASPP"),
    ("lstm", "LSTM"),
    ("m2m100", "M2M100"),
    ("marian", "Marian"),
    ("mask-rcnn", "Mask R-CNN"),
    ("mbart", "mBART"),
    ("mistral", "Mistral"),
    ("mixtral", "Mixtral"),
    ("mlp", "Multi-layer perceptron"),
    ("mlp-mixer", "MLP-Mixer"),
    ("mnasnet", "MNASNet"),
    ("mobilenetv1", "MobileNet"),
    ("mobilenetv2", "MobileNetV2"),
    ("mobilenetv3", "MobileNetV3"),
    ("mobilevit", "MobileViT"),
    ("modernbert", "ModernBERT"),
    ("mpnet", "MPNet"),
    ("naive-bayes", "Naive Bayes"),
    ("opt", "OPT"),
    ("pegasus", "Pegasus"),
    ("phi", "Phi"),
    ("phi3", "Phi-3"),
    ("qwen2", "Qwen2"),
    ("qwen3", "Qwen3"),
    ("random-forest", "Random forest"),
    ("regnet", "RegNet"),
    ("resnet", "ResNet"),
    ("resnext", "ResNeXt"),
    ("retinanet", "RetinaNet"),
    ("rnn", "RNN"),
    ("roberta", "RoBERTa"),
    ("segformer", "SegFormer"),
    ("shufflenet", "ShuffleNet"),
    ("squeezenet", "SqueezeNet"),
    ("ssd", "SSD"),
    ("svm", "Support vector machine"),
    ("swin", "Swin"),
    ("t5", "T5"),
    ("tiny-yolo", "Tiny YOLO"),
    ("unet", "U-Net"),
    ("vgg", "VGG"),
    ("vit", "ViT"),
    ("wav2vec2", "wav2vec 2.0"),
    ("whisper", "Whisper"),
    ("xception", "Xception"),
    ("yolo11", "YOLO11"),
    ("yolos", "YOLOS"),
    ("yolov10", "YOLOv10"),
    ("yolov3", "YOLOv3"),
    ("yolov4", "YOLOv4"),
    ("yolov5", "YOLOv5"),
    ("yolov8", "YOLOv8"),
    ("yolox", "YOLOX"),
    ("zfnet", "ZFNet"),
];

/// Tasks as a sentence ends.
const DOES: &[(&str, &str)] = &[
    ("anomaly-detection", "finds what is unlike the rest"),
    ("audio-classification", "classifies sounds"),
    ("audio-to-audio", "makes sound of sound"),
    ("clustering", "puts rows into groups"),
    ("depth-estimation", "estimates depth"),
    ("fill-mask", "fills in masked words"),
    ("image-classification", "classifies images"),
    ("image-embedding", "embeds images"),
    ("image-features", "gives features of images"),
    ("image-segmentation", "segments images"),
    ("image-text-similarity", "compares images with texts"),
    ("image-to-image", "makes an image of an image"),
    ("image-to-text", "describes images"),
    ("object-detection", "finds objects"),
    ("pose-estimation", "finds the points of bodies"),
    ("question-answering", "answers questions by span"),
    ("speech-features", "gives features of speech"),
    ("speech-recognition", "recognises speech"),
    ("super-resolution", "enlarges images"),
    ("tabular-classification", "classifies rows of a table"),
    ("tabular-regression", "predicts numbers from rows of a table"),
    ("text-classification", "classifies texts"),
    ("text-embedding", "embeds texts"),
    ("text-generation", "generates text"),
    ("text-regression", "predicts numbers from texts"),
    ("token-classification", "classifies tokens"),
];

/// Kinds as people write them.
const KINDS: &[(&str, &str)] = &[
    ("clustering", "Clustering"),
    ("cnn", "Convolutional network"),
    ("hybrid", "Hybrid network"),
    ("linear", "Linear model"),
    ("mixer", "Mixer"),
    ("mlp", "Multi-layer perceptron"),
    ("naive-bayes", "Naive Bayes"),
    ("nearest-neighbours", "Nearest neighbours"),
    ("pipeline", "Pipeline"),
    ("rnn", "Recurrent network"),
    ("svm", "Support vector machine"),
    ("transformer", "Transformer"),
    ("tree-ensemble", "Ensemble of trees"),
];

fn named(table: &[(&'static str, &'static str)], word: &str) -> Option<&'static str> {
    let place = table.binary_search_by(|(key, _)| (*key).cmp(word)).ok()?;
    table.get(place).map(|(_, name)| *name)
}

/// Every family: its word in the report, and as people write it.
pub fn families() -> &'static [(&'static str, &'static str)] {
    NAMES
}

/// A family as people write it.
pub fn family_name(family: &str) -> &str {
    named(NAMES, family).unwrap_or(family)
}

/// What a task does, as a sentence ends: `finds objects`.
pub fn does(task: &str) -> Option<&'static str> {
    named(DOES, task)
}

/// A kind as people write it.
pub fn kind_name(kind: &str) -> &str {
    named(KINDS, kind).unwrap_or(kind)
}

/// An activation as people write it.
pub fn activation(word: &str) -> String {
    match word {
        "gelu" => "GELU",
        "geglu" => "GeGLU",
        "hardswish" => "hard-swish",
        "leaky_relu" | "leakyrelu" => "LeakyReLU",
        "mish" => "Mish",
        "relu" => "ReLU",
        "relu6" => "ReLU6",
        "silu" => "SiLU",
        "swiglu" => "SwiGLU",
        other => other,
    }
    .to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_sorted() {
        for table in [NAMES, DOES, KINDS] {
            assert!(table.is_sorted_by(|a, b| a.0 < b.0));
        }
    }
}
