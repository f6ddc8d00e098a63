//! What the library says of a network: its variant, its family, its backbone.

use calipers_report::Confidence::{self, High, Low, Medium};
use calipers_report::{Family, units};

use super::library::{Entry, Library};
use super::matching::{Head, Match, Relation, matches, rank};
use super::signature::Signature;
use super::structure::Structure;
use crate::network::Network;

/// What the library says of a network.
#[derive(Clone, Debug, Default)]
pub(crate) struct Identity {
    /// Networks of the library that match equally well, the best first.
    pub references: Vec<String>,
    /// What people call the network: `ResNet-50`.
    pub variant: Option<String>,
    /// The families of the references and how many have each, the most frequent first.
    families: Vec<(usize, Family)>,
    /// The variants of the references, with their families and how many references have each.
    variants: Vec<(&'static str, Option<Family>, usize)>,
    /// The network that this one is built on.
    pub backbone: Option<String>,
    /// Whether many networks of other families have the same shapes, so that a rule must agree.
    is_common: bool,
    /// Equal shapes out of those of the larger network, from 0 to 1.
    pub similarity: Option<f64>,
    pub confidence: Confidence,
    pub evidence: Vec<String>,
}

/// From here on what differs is a layer or two, and a rule that agrees leaves no doubt.
const SURE: f64 = 0.95;

/// References that are listed: more networks than this have the layers of the common transformers.
const MOST_REFERENCES: usize = 64;

/// Variants that are listed as evidence.
const MOST_VARIANTS: usize = 2;

impl Identity {
    /// Looks a network up. Its blocks must not be folded yet: the order of its weights counts.
    pub(crate) fn find(net: &Network<'_>) -> Self {
        let library = Library::new();
        let structure = Structure::new(net);
        let mut found = matches(library, &Signature::new(net, library));
        found.retain(|found| family(found.entry).is_none_or(|it| !structure.contradicts(it)));
        Self::from_matches(&found)
    }

    pub(super) fn from_matches(found: &[Match]) -> Self {
        let Some(best) = backbone_instead(found).or(found.first()) else { return Self::default() };
        let equal: Vec<&Match> = found.iter().filter(|other| is_equal(best, other)).collect();
        let references = equal.iter().take(MOST_REFERENCES);
        let mut identity = Self {
            references: references.map(|found| found.entry.reference()).collect(),
            similarity: Some(best.similarity),
            ..Self::default()
        };
        // Tables may be resized or folded. Where one is as in the library, it decides the name.
        let equal: Vec<&Match> = equal.into_iter().filter(|other| decides(best, other)).collect();
        let mut seen: Vec<(&'static str, Option<Family>, usize)> = Vec::new();
        for found in &equal {
            let (variant, family) = (found.entry.variant(), family(found.entry));
            match seen.iter_mut().find(|known| (known.0, known.1) == (variant, family)) {
                Some((_, _, count)) => *count += 1,
                None => seen.push((variant, family, 1)),
            }
        }
        if best.relation == Relation::Contains {
            identity.backbone = Some(best.entry.variant().to_owned());
            identity.evidence = vec![format!(
                "all {} weights of {}, in order, and {} others",
                units::integer(best.found as u64),
                best.entry.variant(),
                units::integer(best.extra as u64)
            )];
            identity.confidence = High;
            return identity;
        }
        let mut families: Vec<(usize, Family)> = Vec::new();
        for family in equal.iter().filter_map(|found| family(found.entry)) {
            match families.iter_mut().find(|(_, known)| *known == family) {
                Some((count, _)) => *count += 1,
                None => families.push((1, family)),
            }
        }
        families.sort_by_key(|(count, _)| std::cmp::Reverse(*count));
        identity.families = families;
        identity.variants = seen;
        identity.is_common = best.is_common;
        identity.confidence = confidence(best);
        identity.evidence = evidence(best, &identity.variants);
        identity
    }

    /// Decides the family and names the variant. `by_rule` is the family that the structure shows;
    /// it chooses between families whose networks have the same shapes. Where a family has a rule
    /// and the rule does not see it, the shapes alone leave a doubt.
    pub(crate) fn settle(
        &mut self,
        by_rule: Option<Family>,
        has_rule: impl Fn(Family) -> bool,
    ) -> Option<Family> {
        let all: usize = self.families.iter().map(|(count, _)| count).sum();
        let is_one_of = |chosen: &Family| self.families.iter().any(|(_, known)| known == chosen);
        let family = match (by_rule.filter(is_one_of), &self.families[..]) {
            (Some(chosen), _) => {
                let is_sure = self.similarity.is_some_and(|share| share >= SURE);
                self.confidence = if is_sure { High } else { self.confidence.max(Medium) };
                Some(chosen)
            }
            (None, [(count, family), ..]) if !self.is_common && count * 3 >= all * 2 => {
                if has_rule(*family) {
                    self.confidence = Low;
                } else if self.families.len() > 1 {
                    self.confidence = self.confidence.min(Medium);
                }
                Some(*family)
            }
            (None, families) if !self.is_common => {
                self.confidence = self.confidence.min(Medium);
                first_generation(families)
            }
            _ => None,
        };
        let of_family = self.variants.iter().filter(|(_, of, _)| family.is_some() && *of == family);
        let names: Vec<(&str, usize)> = of_family.map(|(name, _, count)| (*name, *count)).collect();
        self.variant = shared_name(&names).map(str::to_owned);
        family
    }

    /// Whether the weights are those of a network of the library, all but a head.
    pub(crate) fn is_same(&self) -> bool {
        self.is_known() && self.similarity.is_some_and(|share| share >= SURE)
    }

    /// Whether the library knows the network, not only a part of it.
    pub(crate) fn is_known(&self) -> bool {
        !self.variants.is_empty()
    }
}

/// The name of several variants with the same shapes: the one that most references have, else the
/// one that the others extend.
pub(super) fn shared_name<'n>(names: &[(&'n str, usize)]) -> Option<&'n str> {
    let most = names.iter().map(|(_, count)| *count).max()?;
    let mut frequent = names.iter().filter(|(_, count)| *count == most);
    match (frequent.next(), frequent.next()) {
        (Some((name, _)), None) => Some(name),
        _ => {
            let (shortest, _) = names.iter().min_by_key(|(name, _)| name.len())?;
            names.iter().all(|(name, _)| name.starts_with(shortest)).then_some(*shortest)
        }
    }
}

/// The earliest of several families when all are generations of one: later ones kept its shapes.
fn first_generation(families: &[(usize, Family)]) -> Option<Family> {
    let ids = || families.iter().map(|(_, family)| family.id());
    let lineage = lineage(ids().next()?);
    if !ids().all(|id| self::lineage(id) == lineage) {
        return None;
    }
    let generation = |family: &Family| {
        let digits = family.id()[lineage.len()..].trim_start_matches(|c: char| !c.is_ascii_digit());
        let end = digits.find(|c: char| !c.is_ascii_digit()).unwrap_or(digits.len());
        digits[..end].parse::<u32>().unwrap_or(1)
    };
    families.iter().map(|(_, family)| *family).min_by_key(generation)
}

/// The id of a family without its version: `yolo` for `yolov8` and `yolo11`.
pub(super) fn lineage(id: &str) -> &str {
    let bare = id.trim_end_matches(|c: char| c.is_ascii_digit() || c == '-' || c == '.');
    match bare.strip_suffix('v') {
        Some(stem) if bare.len() < id.len() => stem.trim_end_matches('-'),
        _ => bare,
    }
}

/// The family of a library entry.
pub(super) fn family(entry: Entry) -> Option<Family> {
    entry.family().parse().ok()
}

/// The backbone that a network shares with the nearest one, when that is all they share: then the
/// heads are different, and so are the networks.
fn backbone_instead(found: &[Match]) -> Option<&Match> {
    /// From here on near networks differ in a layer or two.
    const NEAR: f64 = 0.9;
    /// The share of the equal weights that the backbone has.
    const MOST: f64 = 0.85;
    let best = found.first().filter(|best| best.relation == Relation::Near)?;
    if best.similarity >= NEAR {
        return None;
    }
    let contained = found.iter().find(|other| other.relation == Relation::Contains)?;
    (contained.found as f64 >= MOST * best.found as f64).then_some(contained)
}

/// Whether another match is as good as the best.
fn is_equal(best: &Match, other: &Match) -> bool {
    /// Similarities that say no more than a layer or two.
    const SLACK: f64 = 0.01;
    if best.relation == Relation::Near {
        return other.relation == Relation::Near && best.similarity - other.similarity < SLACK;
    }
    let (best, other) = (rank(best), rank(other));
    let equal = (best.0, best.2, best.3) == (other.0, other.2, other.3);
    equal && (best.1 - other.1).abs() < 1e-9
}

/// Whether a match decides the name as the best one does: by the same share of equal shapes, or by
/// as many equal tables and other parameters.
fn decides(best: &Match, other: &Match) -> bool {
    match best.relation {
        Relation::Near => (best.similarity - other.similarity).abs() < 1e-9,
        _ => best.others == other.others,
    }
}

fn confidence(best: &Match) -> Confidence {
    /// From here on a few layers differ.
    const LIKELY: f64 = 0.9;
    match best.relation {
        Relation::Exact => High,
        Relation::Near if best.similarity >= LIKELY => Medium,
        _ => Low,
    }
}

/// What a person can check.
fn evidence(best: &Match, variants: &[(&'static str, Option<Family>, usize)]) -> Vec<String> {
    let order = if best.in_order { ", in order" } else { "" };
    let name = best.entry.variant();
    let (found, of) = (units::integer(best.found as u64), units::integer(best.of as u64));
    let mut text = match best.extra {
        _ if best.relation == Relation::Part => {
            return vec![format!(
                "{found} weight shapes equal a part of {name}, in order, which has {}",
                units::integer(best.of as u64)
            )];
        }
        0 => format!("{found} of {of} weight shapes equal those of {name}{order}"),
        extra => format!(
            "{found} of {of} weight shapes equal those of {name}{order}; {} more",
            units::integer(extra as u64)
        ),
    };
    let mut changes = Vec::new();
    if let Some((from, to)) = best.channels {
        changes.push(format!("{to} input channels instead of {from}"));
    }
    match best.head {
        Head::Classes { from, to } => {
            changes.push(format!("the last layer has {to} outputs instead of {from}"));
        }
        Head::Removed => changes.push("without the last layer".to_owned()),
        Head::Other => changes.push("with another head".to_owned()),
        Head::Same => {}
    }
    if !changes.is_empty() {
        text += &format!("; {}", changes.join(", "));
    }
    let mut evidence = vec![text];
    let names = variants.iter().map(|(variant, ..)| *variant).filter(|other| *other != name);
    let names: Vec<&str> = names.collect();
    if !names.is_empty() {
        let more = names.len().saturating_sub(MOST_VARIANTS);
        let mut list = names[..names.len().min(MOST_VARIANTS)].join(", ");
        if more > 0 {
            list += &format!(" and {more} more");
        }
        let verb = if names.len() > 1 { "have" } else { "has" };
        evidence.push(format!("{list} {verb} the same shapes"));
    }
    evidence
}
