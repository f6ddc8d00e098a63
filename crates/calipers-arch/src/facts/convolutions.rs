//! Residuals, and what convolutional networks are made of.

use calipers_ops::Class;
use calipers_report::ArchitectureFacts;

use crate::network::{BlockKind, Network, NetworkOp};

pub(super) fn fill(net: &Network<'_>, facts: &mut ArchitectureFacts) {
    // Models of classical machine learning have no layers to go around.
    let is_layer = |unit: &NetworkOp| {
        unit.is_contraction() && unit.traits().is_none_or(|it| it.class != Class::LinearModel)
    };
    if net.all().any(is_layer) {
        facts.residuals = Some(net.count(BlockKind::ResidualAdd));
    }
    facts.squeeze_excite = Some(net.count(BlockKind::SqueezeExcite)).filter(|count| *count > 0);
    facts.skip_concats = (net.count(BlockKind::UNetSkip) > 0).then_some(true);
    if let Some(head) = net.all().find_map(|unit| unit.detection_head()) {
        let mut strides = head.strides.clone();
        strides.sort_unstable();
        facts.strides = Some(strides).filter(|strides| !strides.is_empty());
        facts.positions = head.positions;
        facts.classes = head.classes;
    }
    let mut heads = net.all().filter_map(|unit| unit.classifier_head());
    if let (None, Some(head), None) = (facts.classes, heads.next(), heads.next()) {
        facts.classes = head.classes.filter(|classes| *classes > 1);
    }
}
