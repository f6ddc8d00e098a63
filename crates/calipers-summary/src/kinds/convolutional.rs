//! Convolutional networks: classifiers, backbones.

use super::super::Kind;
use super::super::wording::of_family;
use super::{attention_layers, convolutions, image, into_classes, is_kind, one_run};

pub(in super::super) const KIND: Kind = Kind {
    name: "convolutional network",
    is: |report| is_kind(report, "cnn") || is_kind(report, "hybrid"),
    noun: |report| match (report.task.kind.as_str(), is_kind(report, "hybrid")) {
        ("image-classification", false) => of_family(report, "image classifier"),
        ("image-classification", true) => {
            of_family(report, "image classifier of convolutions and attention")
        }
        ("image-embedding" | "image-features", _) => {
            of_family(report, "network that gives features of images")
        }
        (_, true) => of_family(report, "network of convolutions and attention"),
        _ => of_family(report, "convolutional network"),
    },
    built: |report| {
        let mut sentences: Vec<String> = convolutions(report).into_iter().collect();
        if is_kind(report, "hybrid") {
            sentences.extend(attention_layers(report));
        }
        let classes = into_classes(report);
        if report.task.kind == "image-classification" && !classes.is_empty() {
            sentences.push(format!("It sorts images{classes}."));
        }
        sentences
    },
    run: |report| match report.task.kind.starts_with("image") {
        true => image(report),
        false => one_run(report),
    },
};
