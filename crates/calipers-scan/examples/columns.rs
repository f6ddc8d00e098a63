//! Prints the columns of every table as Markdown: the end of `docs/guide/scan.md`.

use std::io::Write as _;

fn main() -> std::io::Result<()> {
    let mut out = std::io::stdout().lock();
    for table in calipers_scan::Table::ALL {
        writeln!(out, "{}", calipers_scan::columns_markdown(table))?;
    }
    Ok(())
}
