//! `calipers man [COMMAND]`: a man page.

use std::io::{self, Write};

use anyhow::Context;
use clap_mangen::Man as Page;

use crate::exit::ExitStatus;
use crate::output::write_stdout;

/// The command to describe.
#[derive(Debug)]
pub(crate) struct Man {
    pub(crate) page: Box<clap::Command>,
}

impl Man {
    /// Prints the page as roff.
    pub(crate) fn run(&self) -> anyhow::Result<ExitStatus> {
        let mut roff = Vec::new();
        self.render(&mut roff).context("cannot make the man page")?;
        write_stdout(&roff)?;
        Ok(ExitStatus::Done)
    }

    fn render(&self, roff: &mut impl Write) -> io::Result<()> {
        let source = concat!("calipers ", env!("CARGO_PKG_VERSION"));
        let page = Page::new((*self.page).clone()).source(source).manual("Calipers");
        page.render_title(roff)?;
        page.render_name_section(roff)?;
        page.render_synopsis_section(roff)?;
        page.render_description_section(roff)?;
        page.render_options_section(roff)?;
        if self.page.get_subcommands().any(|subcommand| !subcommand.is_hide_set()) {
            page.render_subcommands_section(roff)?;
        }
        if let Some(text) = self.page.get_after_help() {
            render_closing(&text.to_string(), roff)?;
        }
        Ok(())
    }
}

/// What is below the help: a line that ends in a colon opens a section, the lines below it are
/// kept as they are.
fn render_closing(text: &str, roff: &mut impl Write) -> io::Result<()> {
    for part in text.split("\n\n") {
        let (heading, lines) = part.split_once('\n').unwrap_or((part, ""));
        writeln!(roff, ".SH \"{}\"\n.nf", heading.trim_end_matches(':').to_uppercase())?;
        for line in lines.lines() {
            // A dot or a quote at the start of a line would be a request to roff.
            writeln!(roff, "\\&{}", line.trim_start().replace('\\', "\\e").replace('-', "\\-"))?;
        }
        writeln!(roff, ".fi")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn closing_lines_become_sections() {
        let mut roff = Vec::new();
        render_closing("Examples:\n  .x -o a\\b\n\nExit status:\n  0  done", &mut roff).unwrap();
        let expected = ".SH \"EXAMPLES\"\n.nf\n\\&.x \\-o a\\eb\n.fi\n\
            .SH \"EXIT STATUS\"\n.nf\n\\&0  done\n.fi\n";
        assert_eq!(String::from_utf8(roff).unwrap(), expected);
    }
}
