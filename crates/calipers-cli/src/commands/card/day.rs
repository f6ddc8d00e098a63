//! The day that a card states, where it is asked for.

use std::time::{SystemTime, UNIX_EPOCH};

/// A day.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Day {
    /// When the command runs, in UTC.
    Today,
    /// As it was given.
    Given(String),
}

impl Day {
    /// As it is stated. `SOURCE_DATE_EPOCH` goes before the clock, so that a build can be repeated.
    pub(super) fn text(&self) -> String {
        match self {
            Self::Given(text) => text.clone(),
            Self::Today => {
                let fixed =
                    std::env::var("SOURCE_DATE_EPOCH").ok().and_then(|text| text.parse().ok());
                let clock =
                    || SystemTime::now().duration_since(UNIX_EPOCH).ok().map(|time| time.as_secs());
                date(fixed.or_else(clock).unwrap_or(0))
            }
        }
    }
}

/// The date of a moment, in seconds since the beginning of 1970.
fn date(seconds: u64) -> String {
    let is_leap = |year: u64| {
        year.is_multiple_of(4) && (!year.is_multiple_of(100) || year.is_multiple_of(400))
    };
    // 400 years have 146,097 days, so whole runs of those are skipped at once.
    let days = seconds / 86_400;
    let (mut year, mut day) = (1970 + days / 146_097 * 400, days % 146_097);
    loop {
        let length = if is_leap(year) { 366 } else { 365 };
        if day < length {
            break;
        }
        day -= length;
        year += 1;
    }
    let february = if is_leap(year) { 29 } else { 28 };
    let mut month = 1;
    for length in [31, february, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] {
        if day < length {
            break;
        }
        day -= length;
        month += 1;
    }
    format!("{year:04}-{month:02}-{:02}", day + 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn dates_are_those_of_the_calendar() {
        // date -u -d @SECONDS +%F
        for (seconds, text) in [
            (0, "1970-01-01"),
            (951_782_399, "2000-02-28"),
            (951_782_400, "2000-02-29"),
            (951_868_800, "2000-03-01"),
            (1_760_313_600, "2025-10-13"),
            (4_107_542_400, "2100-03-01"),
            (16_725_225_600, "2500-01-01"),
        ] {
            assert_eq!(date(seconds), text);
        }
    }
}
