//! What standard output can show: how wide it is, whether in color, whether beyond ASCII.
//!
//! Only a terminal is asked. What goes into a file or a pipe is the same on every machine, unless
//! `COLUMNS`, `CLICOLOR_FORCE` or `--color` say otherwise.

use std::io::IsTerminal;

use calipers_render::Style;
use clap::ColorChoice;

/// Columns when there is no terminal to ask.
const WIDTH: usize = 100;

/// Columns that `COLUMNS` may ask for; beyond them the nearest is taken.
const WIDTHS: std::ops::RangeInclusive<usize> = 20..=1000;

/// The style for text on standard output.
pub(crate) fn style_for_stdout() -> Style {
    let stdout = std::io::stdout();
    let terminal = stdout.is_terminal();
    Style {
        width: width(columns().as_deref(), terminal_columns()),
        color: anstream::AutoStream::choice(&stdout) != anstream::ColorChoice::Never,
        unicode: !terminal || shows_unicode(locale().as_deref()),
    }
}

/// The style for text in a file, which has color only when `--color always` asks for it.
pub(crate) fn style_for_file() -> Style {
    Style {
        width: width(columns().as_deref(), None),
        color: anstream::ColorChoice::global() == anstream::ColorChoice::Always,
        unicode: true,
    }
}

/// Makes `--color` hold for everything that is written from now on. `auto` leaves it to
/// `NO_COLOR`, `CLICOLOR_FORCE`, `CLICOLOR`, `TERM` and whether the output is a terminal.
pub(crate) fn choose_color(choice: ColorChoice) {
    let choice = match choice {
        ColorChoice::Auto => anstream::ColorChoice::Auto,
        ColorChoice::Always => anstream::ColorChoice::Always,
        ColorChoice::Never => anstream::ColorChoice::Never,
    };
    choice.write_global();
}

/// Whether the terminal at standard error can redraw a line and show more than ASCII.
pub(crate) fn stderr_can_animate() -> bool {
    std::io::stderr().is_terminal() && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}

/// Whether the user's locale can show more than ASCII.
pub(crate) fn locale_shows_unicode() -> bool {
    shows_unicode(locale().as_deref())
}

fn columns() -> Option<String> {
    std::env::var("COLUMNS").ok()
}

fn terminal_columns() -> Option<usize> {
    let (width, _) = terminal_size::terminal_size_of(std::io::stdout())?;
    Some(usize::from(width.0))
}

/// The locale in force for characters: the first of three variables that says anything.
fn locale() -> Option<String> {
    let names = ["LC_ALL", "LC_CTYPE", "LANG"];
    names.iter().filter_map(|name| std::env::var(name).ok()).find(|value| !value.is_empty())
}

fn width(columns: Option<&str>, terminal: Option<usize>) -> usize {
    let asked = columns.and_then(|text| text.trim().parse().ok());
    let width = asked.or(terminal).filter(|&width| width > 0).unwrap_or(WIDTH);
    width.clamp(*WIDTHS.start(), *WIDTHS.end())
}

/// A locale without a character set, such as `C`, is ASCII; one that names a set must name UTF-8.
/// No locale at all is how containers come, and their terminals show UTF-8 none the less.
fn shows_unicode(locale: Option<&str>) -> bool {
    let Some(locale) = locale else { return true };
    if matches!(locale, "C" | "POSIX") {
        return false;
    }
    let Some((_, set)) = locale.split_once('.') else { return true };
    let set = set.split('@').next().unwrap_or(set);
    set.eq_ignore_ascii_case("utf-8") || set.eq_ignore_ascii_case("utf8")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_go_before_the_terminal_and_the_terminal_before_the_default() {
        assert_eq!(width(Some("72"), Some(200)), 72);
        assert_eq!(width(None, Some(200)), 200);
        assert_eq!(width(None, None), 100);
    }

    #[test]
    fn a_width_that_makes_no_sense_is_ignored_or_bounded() {
        assert_eq!(width(Some("wide"), None), 100);
        assert_eq!(width(Some("0"), None), 100);
        assert_eq!(width(Some("3"), None), 20);
        assert_eq!(width(Some("99999999"), None), 1000);
        assert_eq!(width(Some("-5"), Some(80)), 80);
        assert_eq!(width(None, Some(0)), 100);
    }

    #[test]
    fn the_locale_decides_about_unicode() {
        for ascii in ["C", "POSIX", "en_US.ISO-8859-1", "de_DE.ISO-8859-15@euro"] {
            assert!(!shows_unicode(Some(ascii)), "{ascii}");
        }
        for unicode in ["C.UTF-8", "en_US.utf8", "de_DE.UTF-8@euro", "en_GB"] {
            assert!(shows_unicode(Some(unicode)), "{unicode}");
        }
        assert!(shows_unicode(None));
    }
}
