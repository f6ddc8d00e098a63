//! Arguments that the parser refuses, explained by what the user may have meant.

use std::path::Path;

use calipers_report::suggestions::nearest;
use clap::CommandFactory;
use clap::error::{ContextKind, ContextValue, ErrorKind};

use super::Cli;
use super::format::ELSEWHERE;

/// The error with better advice where there is any. `first` is the first argument.
pub(super) fn explain(first: Option<&str>, error: clap::Error) -> clap::Error {
    let advised = match error.kind() {
        ErrorKind::UnknownArgument | ErrorKind::InvalidSubcommand => unexpected(first, &error),
        ErrorKind::InvalidValue => other_format(&error),
        _ => None,
    };
    advised.unwrap_or(error)
}

/// An argument that the command does not have: a misspelled command or option, or a second model.
fn unexpected(first: Option<&str>, error: &clap::Error) -> Option<clap::Error> {
    if let Some(command) = first.and_then(unknown_command) {
        return Some(command);
    }
    let argument = context(error, ContextKind::InvalidArg)
        .or_else(|| context(error, ContextKind::InvalidSubcommand))?;
    let message = match argument.strip_prefix("--") {
        Some(option) => {
            let options = options();
            let meant = nearest(option, options.iter().map(String::as_str));
            match meant.filter(|meant| *meant != option) {
                Some(meant) => {
                    format!("unexpected argument '{argument}'\n\n  did you mean '--{meant}'?")
                }
                // The option of another command, or nothing that Calipers has.
                None => format!("unexpected argument '{argument}'\n\n  see 'calipers --help'"),
            }
        }
        None if argument.starts_with('-') => return None,
        None => format!(
            "unexpected argument '{argument}': this command reads one model\n\n  \
             for several models, run `calipers card MODEL MODEL -o cards`"
        ),
    };
    Some(Cli::command().error(ErrorKind::UnknownArgument, message))
}

/// The first argument as a command that does not exist. The parser takes it for the model, and
/// complains about what follows.
fn unknown_command(word: &str) -> Option<clap::Error> {
    let commands = Cli::subcommands();
    if word.starts_with('-') || commands.iter().any(|command| command == word) {
        return None;
    }
    let meant = nearest(word, commands.iter().map(String::as_str));
    let message = match meant {
        Some(meant) => format!("unknown command '{word}'\n\n  did you mean '{meant}'?"),
        // A path is a model; a bare word is a command.
        None if Path::new(word).components().count() == 1
            && Path::new(word).extension().is_none()
            && !Path::new(word).exists() =>
        {
            format!("unknown command '{word}'\n\n  commands: {}", commands.join(", "))
        }
        None => return None,
    };
    Some(Cli::command().error(ErrorKind::InvalidSubcommand, message))
}

/// A format that another command writes.
fn other_format(error: &clap::Error) -> Option<clap::Error> {
    let argument = context(error, ContextKind::InvalidArg)?;
    let value = context(error, ContextKind::InvalidValue)?;
    let (_, advice) = ELSEWHERE.iter().find(|(ending, _)| *ending == value)?;
    let values = match error.get(ContextKind::ValidValue) {
        Some(ContextValue::Strings(values)) => values.join(", "),
        _ => return None,
    };
    let is_format = argument.starts_with("--format");
    is_format.then(|| {
        let message = format!("invalid format '{value}'; expected one of {values}\n\n  {advice}");
        Cli::command().error(ErrorKind::InvalidValue, message)
    })
}

fn context(error: &clap::Error, kind: ContextKind) -> Option<String> {
    match error.get(kind)? {
        ContextValue::String(text) => Some(text.clone()),
        _ => None,
    }
}

/// Names of all options of all commands, without their dashes.
fn options() -> Vec<String> {
    let root = Cli::command();
    let commands = root.get_subcommands().chain([&root]);
    let mut names: Vec<String> = commands
        .flat_map(clap::Command::get_arguments)
        .filter_map(|argument| argument.get_long())
        .map(str::to_owned)
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}

#[cfg(test)]
mod tests {
    use clap::FromArgMatches;

    use super::*;

    fn explained(args: &[&str]) -> String {
        let command = super::super::with_negative_numbers(Cli::command());
        let matches = command.try_get_matches_from([&["calipers"], args].concat());
        let error = matches.and_then(|matches| Cli::from_arg_matches(&matches)).unwrap_err();
        explain(args.first().copied(), error).to_string()
    }

    #[test]
    fn near_names_are_suggested() {
        assert!(explained(&["chekc", "m.onnx"]).contains("did you mean 'check'?"));
        assert!(
            explained(&["card", "m.onnx", "--devise", "l4"]).contains("did you mean '--device'?")
        );
        assert!(explained(&["frobnicate", "a", "b"]).contains("commands: inspect, card"));
        assert!(explained(&["m.onnx", "--zzzzzzzz"]).contains("see 'calipers --help'"));
    }

    #[test]
    fn a_second_model_and_a_foreign_format_get_advice() {
        assert!(explained(&["a.onnx", "b.onnx"]).contains("calipers card MODEL MODEL"));
        assert!(explained(&["m.onnx", "--format", "html"]).contains("calipers report"));
        assert!(explained(&["m.onnx", "--format", "pdf"]).contains("print the page"));
    }

    #[test]
    fn a_negative_number_is_a_value() {
        let error = explained(&["m.onnx", "--batch", "-1"]);
        assert!(error.contains("must be an integer >= 1"), "{error}");
        assert!(!error.contains("-- -1"), "{error}");
    }
}
