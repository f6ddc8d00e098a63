//! Encoder-decoders: a sequence in, another out.

use calipers_report::{Report, Style};

use super::super::Kind;
use super::super::wording::{counted, of_family};
use super::{attention_layers, for_task, is_style, no_notes, sequence, vocabulary};

pub(in super::super) const KIND: Kind = Kind {
    name: "seq2seq",
    matches: |report| is_style(report, Style::EncoderDecoder),
    noun: |report| for_task(report, &of_family(report, "encoder-decoder")),
    figures,
    notes: no_notes,
    run: sequence,
};

fn figures(report: &Report) -> Vec<String> {
    let mut figures = attention_layers(report);
    if figures.is_empty() {
        let convolutions = report.architecture.facts.convs;
        figures.extend(counted(convolutions, "convolution", "convolutions"));
    }
    figures.extend(vocabulary(report));
    figures
}
