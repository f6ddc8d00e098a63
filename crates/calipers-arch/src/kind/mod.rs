//! Kind, style and family.
//!
//! The kind comes from the main layers: attention, convolution, recurrence, linear layers, trees. The
//! family comes from a table of rows, one rule each, tried in order: [`convolutional`],
//! [`detection`], [`transformers`]. A rule looks at structure; names only choose between what the
//! structure allows. Where no row fits, the kind is alone.

pub(super) mod classical;
mod convolutional;
mod dense_outputs;
mod detection;
mod graphs;
#[cfg(test)]
mod rule_tests;
mod sequences;
mod shares;
mod transformers;
mod trees;

use calipers_report::Confidence::{self, High, Low, Medium};
use calipers_report::units;
use calipers_report::{Architecture, ArchitectureFacts, Family, ModelKind, Style};
use shares::Shares;

use super::fingerprint::Identity;
use super::stats::NetworkStats;
use crate::network::{BlockKind, Network, NetworkOp, Op, Origin, With};

/// The result of the rules.
#[derive(Clone, Debug)]
pub(crate) struct Decision {
    pub kind: ModelKind,
    pub style: Option<Style>,
    pub family: Option<Family>,
    pub confidence: Confidence,
    pub evidence: Vec<String>,
}

impl Decision {
    pub(crate) fn new(
        kind: ModelKind,
        family: Option<Family>,
        confidence: Confidence,
        evidence: String,
    ) -> Self {
        Self { kind, style: None, family, confidence, evidence: vec![evidence] }
    }
}

/// The confidence and the evidence of a rule; `None` where it does not recognize the network.
type Recognition = Option<(Confidence, String)>;

/// A family and its rule.
pub(crate) struct FamilyRule {
    pub family: Family,
    rule: fn(&Seen<'_, '_>) -> Recognition,
}

/// The input of a rule.
pub(crate) struct Seen<'c, 'a> {
    pub stats: &'c NetworkStats<'c, 'a>,
    pub facts: &'c ArchitectureFacts,
    /// The style of a transformer.
    pub style: Option<Style>,
}

/// Decides kind, style and family, and records them.
pub(crate) fn decide(
    stats: &NetworkStats<'_, '_>,
    identity: &mut Identity,
    architecture: &mut Architecture,
) {
    let Some(mut decision) = by_rules(stats, &mut architecture.facts) else {
        architecture.evidence = vec!["no known operator with weights".to_owned()];
        if is_bare(stats.net) {
            architecture.kind = Some(ModelKind::Pipeline);
            architecture.confidence = Medium;
        }
        return;
    };
    recall(identity, &mut decision, architecture);
    architecture.kind = Some(decision.kind);
    architecture.style = decision.style;
    architecture.family = decision.family;
    architecture.confidence = decision.confidence;
    architecture.evidence = decision.evidence;
}

/// Says what the weights of a file without a graph are those of, where they leave no doubt.
pub(crate) fn without_graph(identity: &mut Identity, architecture: &mut Architecture) {
    architecture.evidence = vec!["the file stores weights, and no graph".to_owned()];
    if !identity.is_same() {
        return;
    }
    architecture.references = std::mem::take(&mut identity.references);
    architecture.similarity = identity.similarity;
    architecture.family = identity.settle(None, |_| false);
    architecture.variant = identity.variant.take();
    architecture.confidence = identity.confidence;
    architecture.evidence.splice(0..0, std::mem::take(&mut identity.evidence));
}

/// Decides what the network is, without the library of published networks.
fn by_rules(stats: &NetworkStats<'_, '_>, facts: &mut ArchitectureFacts) -> Option<Decision> {
    classical::decide(stats.net, facts)
        .or_else(|| crate::generation::kind(stats.net))
        .or_else(|| neural(stats, facts))
}

/// Every table of family rules.
fn tables() -> [&'static [FamilyRule]; 4] {
    [detection::FAMILIES, dense_outputs::FAMILIES, convolutional::FAMILIES, transformers::FAMILIES]
}

/// Whether a rule looks for networks of a family.
pub(crate) fn has_rule(family: Family) -> bool {
    tables().iter().any(|rows| rows.iter().any(|row| row.family == family))
}

/// Returns the first rule that recognizes the network, its confidence and its evidence.
fn first_match<'r>(
    rows: impl IntoIterator<Item = &'r FamilyRule>,
    seen: &Seen<'_, '_>,
) -> Option<(&'r FamilyRule, Confidence, String)> {
    rows.into_iter().filter(|row| is_enabled(row)).find_map(|row| {
        let (confidence, why) = (row.rule)(seen)?;
        Some((row, confidence, why))
    })
}

/// Whether a rule is in use. Tests disable one at a time.
#[cfg(not(test))]
fn is_enabled(_: &FamilyRule) -> bool {
    true
}

#[cfg(test)]
use rule_tests::is_enabled;

/// Whether several operators compute and none has weights, as in preprocessing and postprocessing.
fn is_bare(net: &Network<'_>) -> bool {
    let steps = net.units().count();
    let stored = |unit: &NetworkOp| {
        let constants =
            unit.inputs.iter().flatten().filter(|val| net.origin(**val) == Origin::Constant);
        let mut sizes = constants.filter_map(|val| net.elements(*val));
        let fewest = if unit.is_contraction() { 1 } else { LARGEST_SETTING };
        sizes.any(|elements| elements > fewest)
    };
    // Some operators hold networks in their attributes.
    let is_small = net.model.tensors().all(|(_, tensor)| {
        let elements = tensor
            .dims
            .iter()
            .try_fold(1_usize, |product, dim| product.checked_mul(usize::try_from(*dim).ok()?));
        elements.is_some_and(|count| count <= LARGEST_SETTING)
    });
    steps >= 4
        && is_small
        && net
            .units()
            .all(|(_, unit)| unit.walk().all(|part| part.op != Op::Unknown && !stored(part)))
}

/// Elements of a constant that configures preprocessing, such as means and scales of channels.
const LARGEST_SETTING: usize = 64;

/// Records what the library knows. It is more specific than any rule: a rule only chooses
/// between families whose networks have the same shapes.
fn recall(identity: &mut Identity, decision: &mut Decision, architecture: &mut Architecture) {
    architecture.references = std::mem::take(&mut identity.references);
    architecture.similarity = identity.similarity;
    architecture.backbone = identity.backbone.take();
    if identity.is_known() {
        let family = identity.settle(decision.family, has_rule);
        if family.is_some() {
            decision.family = family;
            decision.confidence = identity.confidence;
        }
        architecture.variant = identity.variant.take();
    }
    if architecture.variant.is_some() || architecture.backbone.is_some() {
        decision.evidence.splice(0..0, std::mem::take(&mut identity.evidence));
    }
}

/// Networks of layers.
fn neural(stats: &NetworkStats<'_, '_>, facts: &ArchitectureFacts) -> Option<Decision> {
    if let Some(decision) = graphs::decide(stats) {
        return Some(decision);
    }
    let (own, cross) = stats.own_and_cross();
    let attention = own + cross;
    let features = stats.feature_convs();
    let recurrent = stats.count(BlockKind::Recurrent) + stats.count_in(With::RECURRENT);
    // A convolutional network may have one or two attention layers.
    let mostly_convolution = features >= 30 && attention <= 2;
    // The decoder of a recurrent network may attend to the encoder.
    let mostly_recurrence = recurrent > 0 && stats.count(BlockKind::FeedForward) == 0;
    if attention > 0 && !mostly_convolution && !mostly_recurrence {
        /// From this share of the weights on, convolutions are more than the first layers.
        const HYBRID: f64 = 0.3;
        let convolutions = stats.backbone() >= 2 || Shares::new(stats.net).convolution() >= HYBRID;
        return Some(transformers::decide(stats, facts, convolutions));
    }
    if recurrent > 0 {
        return Some(sequences::decide(stats));
    }
    let convolutions = stats.image_convs().count();
    if convolutions > 0 {
        return Some(convolution(stats, facts));
    }
    if let Some(decision) = sequences::scans(stats) {
        return Some(decision);
    }
    if !stats.convs.is_empty() {
        let words = convolutions_by_rank(stats);
        return Some(Decision::new(ModelKind::Cnn, None, Medium, words));
    }
    sequences::products(stats, facts)
}

fn convolution(stats: &NetworkStats<'_, '_>, facts: &ArchitectureFacts) -> Decision {
    let seen = Seen { stats, facts, style: None };
    if let Some(decision) = sequences::mixer(stats) {
        return decision;
    }
    let count = stats.image_convs().count();
    let words = counted(count, "2D convolution", "2D convolutions");
    let mut decision = Decision::new(ModelKind::Cnn, None, Low, words);
    let detects =
        stats.count(BlockKind::DetectionHead) + stats.count_in([With::REGIONS, With::SUPPRESSIONS]);
    let net = stats.net;
    // A network on a backbone is not a network of the backbone's family.
    let maps = net.outputs.iter().any(|output| {
        let places = net.rank(*output).map_or(0, |rank| rank.saturating_sub(2));
        (0..places).any(|at| net.dim(*output, -1 - at as isize) != Some(1))
    });
    let is_classifier = !maps && net.outputs.len() <= 2;
    // Rules for networks on a backbone come before those for backbones.
    for (rows, is_backbone) in [
        (detection::FAMILIES, false),
        (dense_outputs::FAMILIES, false),
        (convolutional::FAMILIES, true),
    ] {
        if is_backbone && (detects > 0 || !is_classifier) {
            break;
        }
        if let Some((row, confidence, why)) = first_match(rows, &seen) {
            decision.family = Some(row.family);
            decision.confidence = confidence;
            decision.evidence.push(why);
            return decision;
        }
    }
    // The kind is certain even where no family is known.
    decision.confidence = if count > 1 { High } else { Medium };
    decision
}

/// How many convolutions there are over each number of axes: `4 1D and 2 3D convolutions`.
fn convolutions_by_rank(stats: &NetworkStats<'_, '_>) -> String {
    let mut counts = std::collections::BTreeMap::new();
    for conv in &stats.convs {
        *counts.entry(conv.rank()).or_insert(0) += 1;
    }
    let parts = counts.iter().map(|(rank, count)| match rank {
        Some(rank) => format!("{count} {rank}D"),
        None => count.to_string(),
    });
    let noun = if stats.convs.len() == 1 { "convolution" } else { "convolutions" };
    format!("{} {noun}", parts.collect::<Vec<_>>().join(" and "))
}

/// A count with its noun in singular or plural.
pub(super) fn counted(count: impl TryInto<i64>, one: &str, more: &str) -> String {
    match count.try_into().unwrap_or(i64::MAX) {
        1 => format!("1 {one}"),
        count => format!("{} {more}", units::signed(count)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The files that name families outside of tables, or in tables of their own.
    const SOURCES: &[&str] = &[
        include_str!("classical.rs"),
        include_str!("convolutional.rs"),
        include_str!("dense_outputs.rs"),
        include_str!("detection.rs"),
        include_str!("sequences.rs"),
        include_str!("trees.rs"),
        include_str!("transformers/mod.rs"),
        include_str!("transformers/vision_audio.rs"),
        include_str!("transformers/tokens.rs"),
    ];

    #[test]
    fn every_family_has_a_rule_or_a_network() {
        let known: Vec<&str> = crate::fingerprint::families();
        let names = |family: &Family| super::rule_tests::is_named(*family, SOURCES);
        let missing: Vec<&Family> =
            Family::ALL.iter().filter(|it| !names(it) && !known.contains(&it.id())).collect();
        assert!(missing.is_empty(), "nothing finds {missing:?}");
        let unknown: Vec<&&str> = known.iter().filter(|id| id.parse::<Family>().is_err()).collect();
        assert!(unknown.is_empty(), "the library has families without a row: {unknown:?}");
    }
}
