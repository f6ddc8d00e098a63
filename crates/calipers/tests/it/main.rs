//! Suites that hold the analysis to truth from outside: executed models, published figures,
//! labels, arithmetic by hand.
#![allow(clippy::unwrap_used, reason = "a test may stop where its own tools fail")]

mod architecture;
mod caches;
mod comparison;
mod conformance;
mod cost;
mod diagrams;
mod findings;
mod growth;
mod hardware;
mod hostile;
mod inference;
mod latency;
mod layers;
mod library;
mod memory;
mod mutants;
mod operators;
mod parameters;
mod ranged;
mod redaction;
mod round_trip;
mod shapes;
mod structure;
mod summaries;
mod support;
mod traffic;
mod view;
mod zoo;

use std::process::ExitCode;

fn main() -> ExitCode {
    calipers_testkit::main([
        architecture::tests(),
        caches::tests(),
        comparison::tests(),
        conformance::tests(),
        cost::tests(),
        diagrams::tests(),
        findings::tests(),
        growth::tests(),
        hardware::tests(),
        hostile::tests(),
        inference::tests(),
        latency::tests(),
        layers::tests(),
        library::tests(),
        memory::tests(),
        mutants::tests(),
        operators::tests(),
        parameters::tests(),
        ranged::tests(),
        redaction::tests(),
        round_trip::tests(),
        shapes::tests(),
        structure::tests(),
        summaries::tests(),
        traffic::tests(),
        view::tests(),
        zoo::tests(),
    ])
}
