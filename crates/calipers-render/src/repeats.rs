//! One name for several things that are alike, such as the same layer of every block.

use crate::table::Value;
use crate::value::Spans;

/// What separates the parts of a name.
const SEPARATORS: [char; 3] = ['/', '.', ':'];

/// How several things are named together: `24 × …/dense/MatMul` where their names have an end or a
/// start in common, else the first name and how many others there are. `names` may hold only the
/// first of them.
pub(crate) fn repeated(names: &[String], count: u64) -> Spans {
    let Some(first) = names.first() else { return Spans::default() };
    let others = match count {
        0 | 1 => return Value::name(first).into(),
        2 => "1 other".to_owned(),
        _ => format!("{} others", crate::units::integer(count - 1)),
    };
    match pattern(names) {
        Some(pattern) => Spans::plain(format!("{} × ", crate::units::integer(count)))
            .and_value(Value::Name(pattern)),
        None => Spans::from(Value::name(first)).and_text(format!(" and {others}")),
    }
}

/// What the names have in common: their last parts, or their first.
fn pattern(names: &[String]) -> Option<String> {
    let (first, rest) = names.split_first().filter(|(_, rest)| !rest.is_empty())?;
    let shared = |one: &str, other: &str| {
        one.chars().rev().zip(other.chars().rev()).take_while(|(a, b)| a == b).count()
    };
    let least = rest.iter().map(|name| shared(first, name)).min()?;
    let end: String = first.chars().skip(first.chars().count() - least).collect();
    // Only whole parts say something.
    if let Some(end) = end.find(SEPARATORS).map(|at| &end[at..])
        && end.chars().filter(|c| c.is_alphanumeric()).count() > 1
    {
        return Some(format!("…{end}"));
    }
    let shared = |one: &str, other: &str| {
        one.char_indices().zip(other.chars()).take_while(|((_, a), b)| a == b).count()
    };
    let least = rest.iter().map(|name| shared(first, name)).min()?;
    let start: String = first.chars().take(least).collect();
    let start = start.rfind(SEPARATORS).map(|at| &start[..=at])?;
    (start.chars().filter(|c| c.is_alphanumeric()).count() > 1).then(|| format!("{start}…"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Section;
    use crate::{document::Block, markdown};

    fn text(names: &[&str], count: u64) -> String {
        let names: Vec<String> = names.iter().map(|name| (*name).to_owned()).collect();
        let section = Section::new("x", "", vec![Block::Paragraph(repeated(&names, count))]);
        markdown::section(&section, &[]).trim_end().to_owned()
    }

    #[test]
    fn alike_names_are_one() {
        for (names, count, wanted) in [
            (&["a/b"][..], 1, "`a/b`"),
            (&["l/0/out/dense/MatMul", "l/1/mid/dense/MatMul"], 24, "24 × `…/dense/MatMul`"),
            (&["l.0.conv", "l.1.conv"], 2, "2 × `….conv`"),
            (&["net/a", "net/b"], 2, "2 × `net/…`"),
            (&["Plus30_Output_0", "Conv2_Output_0"], 3, "`Plus30_Output_0` and 2 others"),
            (&["x", "y"], 2, "`x` and 1 other"),
        ] {
            assert_eq!(text(names, count), wanted);
        }
    }
}
