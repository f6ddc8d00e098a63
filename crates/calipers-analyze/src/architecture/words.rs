//! The network in one sentence.

use calipers_report::{Architecture, ArchitectureFacts, Task};
use calipers_units as units;

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
pub(crate) fn families() -> &'static [(&'static str, &'static str)] {
    NAMES
}

/// A family as people write it.
pub(crate) fn family_name(family: &str) -> &str {
    named(NAMES, family).unwrap_or(family)
}

/// What a task does, as a sentence ends: `finds objects`.
pub(crate) fn does(task: &str) -> Option<&'static str> {
    named(DOES, task)
}

/// The sentence; empty when not even the kind is known.
pub(crate) fn sentence(architecture: &Architecture, task: &Task) -> String {
    let Some(kind) = &architecture.kind else { return String::new() };
    let family = architecture.family.as_deref();
    let mut head = match family {
        Some(family) => named(NAMES, family).unwrap_or(family).to_owned(),
        None => named(KINDS, kind).unwrap_or(kind).to_owned(),
    };
    match (architecture.style.as_deref(), kind.as_str(), family) {
        (Some(style @ ("encoder" | "decoder" | "encoder-decoder")), ..) => {
            head = format!("{head} {style}");
        }
        (_, "cnn", Some(_)) => head += " convolutional network",
        (_, "rnn", Some(_)) => head += " recurrent network",
        _ => {}
    }
    let figures = figures(&architecture.facts, kind);
    let mut text = head;
    if !figures.is_empty() {
        text += &format!(": {}", figures.join(", "));
    }
    if let Some(does) = named(DOES, &task.kind) {
        text += &format!("; {does}");
        let classified = task.kind.ends_with("classification");
        match task.classes.filter(|_| classified || task.kind == "object-detection") {
            Some(1) => text += " of 1 class",
            Some(classes) if classified => text += &format!(" into {} classes", grouped(classes)),
            Some(classes) => text += &format!(" of {} classes", grouped(classes)),
            None => {}
        }
    }
    text + "."
}

/// The figures of a network, the most telling first.
fn figures(facts: &ArchitectureFacts, kind: &str) -> Vec<String> {
    let mut list = Vec::new();
    let mut add = |value: Option<i64>, one: &str, more: &str| {
        list.extend(value.filter(|value| *value > 0).map(|value| match value {
            1 => format!("1 {one}"),
            value => format!("{} {more}", grouped(value)),
        }));
    };
    add(facts.trees, "tree", "trees");
    add(facts.layers, "layer", "layers");
    if facts.layers.is_none() {
        add(facts.convs, "convolution", "convolutions");
        add(facts.residuals, "residual addition", "residual additions");
    }
    if let Some(heads) = facts.heads {
        let width = facts.head_dim.map_or(String::new(), |width| format!(" of {}", grouped(width)));
        let one = if heads == 1 { "head" } else { "heads" };
        list.push(format!("{} {one}{width}", grouped(heads)));
        if let Some(shared) = facts.kv_heads.filter(|shared| *shared != heads) {
            list.push(format!("{shared} for keys and values"));
        }
    }
    list.extend(facts.hidden.map(|width| format!("hidden {}", grouped(width))));
    list.extend(facts.ffn.map(|width| format!("feed-forward {}", grouped(width))));
    if let (Some(experts), chosen) = (facts.experts, facts.experts_per_token) {
        let chosen = chosen.map_or(String::new(), |chosen| format!(", {chosen} for each token"));
        list.push(format!("{} experts{chosen}", grouped(experts)));
    }
    if kind != "tree-ensemble" {
        list.extend(facts.activation.as_deref().map(activation));
    }
    list.extend(facts.norm_position.as_ref().map(|position| format!("{position}-norm")));
    if facts.rope == Some(true) {
        list.push("rotary positions".to_owned());
    }
    if facts.bidirectional == Some(true) {
        list.push("both ways".to_owned());
    }
    if facts.kv_cache == Some(true) {
        list.push("key-value cache".to_owned());
    }
    list
}

/// An activation as people write it.
pub(crate) fn activation(word: &str) -> String {
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

/// A number with its thousands apart.
pub(super) fn grouped(number: i64) -> String {
    units::signed(number)
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

    #[test]
    fn a_sentence_of_an_encoder() {
        let facts = ArchitectureFacts {
            layers: Some(12),
            heads: Some(12),
            head_dim: Some(64),
            hidden: Some(768),
            ffn: Some(3072),
            activation: Some("gelu".to_owned()),
            norm_position: Some("post".to_owned()),
            ..ArchitectureFacts::default()
        };
        let architecture = Architecture {
            kind: Some("transformer".to_owned()),
            style: Some("encoder".to_owned()),
            family: Some("bert".to_owned()),
            facts,
            ..Architecture::default()
        };
        let task = Task { kind: "question-answering".to_owned(), ..Task::default() };
        assert_eq!(
            sentence(&architecture, &task),
            "BERT encoder: 12 layers, 12 heads of 64, hidden 768, feed-forward 3,072, GELU, \
             post-norm; answers questions by span."
        );
        assert_eq!(sentence(&Architecture::default(), &task), "");
        assert_eq!(grouped(-1_234_567), "-1,234,567");
    }
}
