//! Recurrent networks.

use calipers_report::{Family, ModelKind, Report};

use super::super::Kind;
use super::super::wording::{counted, of_family, stated_family};
use super::{classes, for_task, is_kind, no_notes, number, sequence, vocabulary};

pub(in super::super) const KIND: Kind = Kind {
    name: "recurrent network",
    matches: |report| is_kind(report, ModelKind::Rnn),
    noun: |report| {
        let name = match stated_family(report) {
            // The N of RNN is the network.
            Some(Family::Rnn) => "RNN".to_owned(),
            Some(_) => of_family(report, "network"),
            None => "recurrent network".to_owned(),
        };
        let is_bidirectional = report.architecture.facts.bidirectional == Some(true);
        let ways = if is_bidirectional { "bidirectional " } else { "" };
        for_task(report, &format!("{ways}{name}"))
    },
    figures,
    notes: no_notes,
    run: sequence,
};

fn figures(report: &Report) -> Vec<String> {
    let facts = &report.architecture.facts;
    let mut figures = Vec::new();
    figures.extend(counted(facts.layers, "recurrent layer", "recurrent layers"));
    figures.extend(facts.hidden.map(|width| format!("hidden size {}", number(width))));
    figures.extend(vocabulary(report));
    figures.extend(classes(report));
    figures
}
