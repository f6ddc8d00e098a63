//! Tests that every family rule is needed and is specific.
//!
//! Networks are inspected with the rules alone, without the library of published networks. A row of a
//! table needs a network that gets its family from it, and none without it; and a close network that
//! the rule rejects. `rows` lists both for every row, `others` for families that code outside of
//! tables names.

mod others;
mod rows;

use std::cell::Cell;
use std::fs;

use calipers_infer::{Bindings, infer};
use calipers_report::{ArchitectureFacts, Family, ModelKind};
use calipers_testkit::fixture;

use super::transformers::{self, BY_NAME};
use super::{Decision, FamilyRule, Seen, by_rules, tables};
use crate::network::Network;
use crate::stats::NetworkStats;

thread_local! {
    /// The rule that is not in use.
    static DISABLED: Cell<Option<&'static FamilyRule>> = const { Cell::new(None) };
}

/// Whether a rule is in use.
pub(super) fn is_enabled(row: &FamilyRule) -> bool {
    DISABLED.get().is_none_or(|disabled| !std::ptr::eq(disabled, row))
}

/// What is decided without a rule.
fn without(
    row: &'static FamilyRule,
    stats: &NetworkStats<'_, '_>,
    facts: &ArchitectureFacts,
) -> Option<Family> {
    DISABLED.set(Some(row));
    let decision = by_rules(stats, &mut facts.clone());
    DISABLED.set(None);
    decision.and_then(|decision| decision.family)
}

/// Whether one of these sources names a family.
pub(super) fn is_named(family: Family, sources: &[&str]) -> bool {
    let name = format!("Family::{family:?}");
    sources.iter().any(|source| {
        let mut ends = source.match_indices(&name).map(|(at, _)| &source[at + name.len()..]);
        ends.any(|rest| !rest.starts_with(|c: char| c.is_alphanumeric()))
    })
}

/// Networks of one row.
struct Case {
    family: Family,
    /// Networks that the row recognizes.
    positive: &'static [&'static str],
    /// Close networks that it rejects.
    negative: &'static [&'static str],
}

/// The bytes of a fixture: `NAME` of the folder `families`, or `zoo/NAME`. `NAME@WORD` is the same
/// network in a graph called by that word.
fn bytes(network: &str) -> Vec<u8> {
    /// The name that PyTorch's exporter gives a graph.
    const GRAPH: &[u8] = b"main_graph";
    let (name, word) = network.split_once('@').map_or((network, None), |(a, b)| (a, Some(b)));
    let file = if name.contains('/') { name.to_owned() } else { format!("families/{name}") };
    let mut bytes = fs::read(fixture(format!("{file}.onnx"))).expect(network);
    if let Some(word) = word {
        let at = bytes.windows(GRAPH.len()).position(|part| part == GRAPH).expect(network);
        let renamed = format!("{word:_<width$}", width = GRAPH.len());
        assert_eq!(renamed.len(), GRAPH.len(), "{word} is too long");
        bytes.splice(at..at + GRAPH.len(), renamed.into_bytes());
    }
    bytes
}

/// Inspects what the rules see of a network.
fn inspect<T>(
    bytes: Vec<u8>,
    look: impl FnOnce(&NetworkStats<'_, '_>, &ArchitectureFacts) -> T,
) -> T {
    let model = calipers_formats::read(bytes, "network.onnx").unwrap();
    let bindings = Bindings::default();
    let typed = infer(&model, &bindings).unwrap();
    let measured = calipers_measure::measure(&model, &typed, &bindings, None).unwrap();
    let mut net = Network::build(&model, &typed);
    crate::blocks::recognize(&mut net);
    let facts = crate::facts::measure(&net, &measured.parameters, &measured.memory);
    let stats = NetworkStats::new(&net, &facts).at(&measured.sizes);
    look(&stats, &facts)
}

fn decision(bytes: Vec<u8>) -> Option<Decision> {
    inspect(bytes, |stats, facts| by_rules(stats, &mut facts.clone()))
}

/// Whether a rule recognizes a network, whatever the rows before it say.
fn recognizes(row: &FamilyRule, stats: &NetworkStats<'_, '_>, facts: &ArchitectureFacts) -> bool {
    let attends = transformers::FAMILIES.iter().any(|other| std::ptr::eq(other, row));
    let style = attends.then(|| transformers::style(stats));
    (row.rule)(&Seen { stats, facts, style }).is_some()
}

/// Convolutional networks and transformers are close to hybrids of both.
fn is_close(a: Option<ModelKind>, b: Option<ModelKind>) -> bool {
    a == b || a == Some(ModelKind::Hybrid) || b == Some(ModelKind::Hybrid)
}

/// What is wrong with the networks of a row.
fn faults(row: &'static FamilyRule, case: &Case) -> Vec<String> {
    let mut faults = Vec::new();
    let mut kind = None;
    for network in case.positive {
        inspect(bytes(network), |stats, facts| {
            let found = by_rules(stats, &mut facts.clone());
            let family = found.as_ref().and_then(|decision| decision.family);
            kind = found.map(|decision| decision.kind);
            if family != Some(row.family) {
                faults.push(format!("{network} is {family:?}"));
            } else if without(row, stats, facts) == family {
                faults.push(format!("{network} has its family without the rule"));
            }
        });
    }
    for network in case.negative {
        inspect(bytes(network), |stats, facts| {
            let other = by_rules(stats, &mut facts.clone()).map(|decision| decision.kind);
            if recognizes(row, stats, facts) {
                faults.push(format!("it recognizes {network}"));
            } else if !is_close(kind, other) {
                faults.push(format!("{network} is {other:?}, far from {kind:?}"));
            }
        });
    }
    for (networks, of) in [(case.positive, "positive"), (case.negative, "negative")] {
        if networks.is_empty() {
            faults.push(format!("no {of} network"));
        }
    }
    faults.into_iter().map(|fault| format!("{:?}: {fault}", row.family)).collect()
}

#[test]
fn every_row_has_networks_that_it_recognizes_and_rejects() {
    let mut cases: Vec<&Case> = rows::CASES.iter().collect();
    let (mut wrong, mut positive, mut negative, mut count) = (Vec::new(), 0, 0, 0);
    for row in tables().into_iter().flatten() {
        count += 1;
        // Two rows of a family have their networks in the order of the rows.
        let Some(at) = cases.iter().position(|case| case.family == row.family) else {
            wrong.push(format!("{:?}: no networks", row.family));
            continue;
        };
        let case = cases.remove(at);
        positive += case.positive.len();
        negative += case.negative.len();
        wrong.extend(faults(row, case));
    }
    wrong.extend(cases.iter().map(|case| format!("{:?}: no such row", case.family)));
    println!(
        "score: family rules: {count} rows, {positive} positive and {negative} negative networks, {} faults",
        wrong.len()
    );
    assert!(wrong.is_empty(), "{} faults:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn names_choose_between_families_of_one_structure() {
    for (like, word, family) in BY_NAME {
        let case = rows::NAMED.iter().find(|case| case.family == *family).expect(word);
        let [network] = case.positive else { panic!("{word}: one network") };
        let found = |name: &str| decision(bytes(name)).and_then(|decision| decision.family);
        assert_eq!(found(&format!("{network}@{word}")), Some(*family));
        assert_eq!(found(network), Some(*like), "without its name");
        for other in case.negative {
            let other = format!("{other}@{word}");
            assert_ne!(found(&other), Some(*family), "{other}");
        }
        assert!(!case.negative.is_empty(), "{word}");
    }
    assert_eq!(rows::NAMED.len(), BY_NAME.len());
}

#[test]
fn every_other_family_has_networks_on_both_sides() {
    let sources = [
        include_str!("../classical.rs"),
        include_str!("../sequences.rs"),
        include_str!("../trees.rs"),
    ];
    let cases = others::cases();
    let mut wrong: Vec<String> = Vec::new();
    for family in Family::ALL.iter().filter(|family| is_named(**family, &sources)) {
        let of = cases.iter().filter(|case| case.family == *family);
        if of.clone().all(|case| !case.is_positive) || of.clone().all(|case| case.is_positive) {
            wrong.push(format!("{family:?}: no networks on both sides"));
        }
        for case in of {
            let found = decision(case.bytes.clone()).and_then(|decision| decision.family);
            if (found == Some(*family)) != case.is_positive {
                wrong.push(format!("{family:?}: {} is {found:?}", case.name));
            }
        }
    }
    assert!(wrong.is_empty(), "{} faults:\n{}", wrong.len(), wrong.join("\n"));
}
