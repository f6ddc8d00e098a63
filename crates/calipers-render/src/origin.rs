//! Who wrote a summary, in words.

use calipers_report::Summary;

use crate::units;

/// Who wrote it and how it was checked, where it was not us, and what else its reader should know.
pub(crate) fn notes(summary: &Summary) -> Vec<String> {
    let mut words = Vec::new();
    if let Some(check) = &summary.check {
        let struck = match check.struck {
            0 => String::new(),
            struck => {
                format!(", and {} struck", units::counted(struck, "sentence was", "sentences were"))
            }
        };
        let claims = units::counted(check.claims, "fact was", "facts were");
        words.push(format!(
            "written by {}; {claims} filled in from this report{struck}",
            summary.source
        ));
    }
    words.extend(summary.notes.iter().cloned());
    words
}

#[cfg(test)]
mod tests {
    use calipers_report::SummaryCheck;

    use super::*;

    #[test]
    fn who_wrote_it_is_named_where_it_was_not_us() {
        let mut summary = Summary { source: "built-in".to_owned(), ..Summary::default() };
        assert_eq!(notes(&summary), Vec::<String>::new());
        summary.source = "m-1".to_owned();
        summary.check = Some(SummaryCheck { claims: 7, struck: 1 });
        let wanted =
            "written by m-1; 7 facts were filled in from this report, and 1 sentence was struck";
        assert_eq!(notes(&summary), [wanted]);
    }
}
