//! Finds objects in images.

use calipers_report::Report;

use super::super::Kind;
use super::super::wording::{listed, of_family};
use super::{attention_layers, convolutions, image, number};

pub(in super::super) const KIND: Kind = Kind {
    name: "detector",
    is: |report| report.task.kind == "object-detection",
    noun: |report| of_family(report, "object detector"),
    built,
    run: image,
};

fn built(report: &Report) -> Vec<String> {
    let facts = &report.architecture.facts;
    let mut sentences = Vec::new();
    sentences.extend(convolutions(report));
    sentences.extend(attention_layers(report));
    let classes = report.task.classes.or(facts.classes);
    let what = match classes {
        Some(1) => Some("objects of 1 class".to_owned()),
        Some(classes) => Some(format!("objects of {} classes", number(classes))),
        None => None,
    };
    let mut place = String::new();
    if let Some(positions) = facts.positions {
        place += &format!(" at {} positions", number(positions));
    }
    if let Some(strides) = facts.strides.as_ref().filter(|strides| !strides.is_empty()) {
        let strides: Vec<String> = strides.iter().map(|stride| number(*stride)).collect();
        place += &format!(" over strides {}", listed(&strides));
    }
    match what {
        Some(what) => sentences.push(format!("It looks for {what}{place}.")),
        None if !place.is_empty() => sentences.push(format!("It scores boxes{place}.")),
        None => {}
    }
    sentences
}
