//! Residuals, and what convolutional networks are made of.

use calipers_report::ArchitectureFacts;

use crate::net::{Detail, Net};

pub(super) fn fill(net: &Net<'_>, facts: &mut ArchitectureFacts) {
    // Of a network without products, such as a tree, nothing is said.
    if net.units().any(|(_, unit)| unit.contractions() > 0) {
        facts.residuals = Some(net.count("ResidualAdd"));
    }
    facts.squeeze_excite = Some(net.count("SqueezeExcite")).filter(|count| *count > 0);
    facts.skip_concats = (net.count("UNetSkip") > 0).then_some(true);
    if let Some(head) = net.all().find(|unit| unit.is("DetectionHead")) {
        let strides = head.details.iter().filter_map(|(name, detail)| match detail {
            Detail::Number(stride) if *name == "stride" => Some(*stride),
            _ => None,
        });
        let mut strides: Vec<i64> = strides.collect();
        strides.sort_unstable();
        facts.strides = Some(strides).filter(|strides| !strides.is_empty());
        facts.positions = head.number("positions");
        facts.classes = head.number("classes");
    }
    let mut heads = net.all().filter(|unit| unit.is("ClassifierHead"));
    if let (None, Some(head), None) = (facts.classes, heads.next(), heads.next()) {
        facts.classes = head.number("classes").filter(|classes| *classes > 1);
    }
}
