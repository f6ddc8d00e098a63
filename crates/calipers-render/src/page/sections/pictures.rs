//! Pictures of the report in the page, light and dark; the style shows the one that fits.

use calipers_report::Report;

use crate::picture::{Picture, Theme, pictures};

/// Pictures of a part of the page, side by side.
pub(super) fn show(report: &Report, names: &[&str]) -> String {
    let of = |theme: Theme| -> Vec<Picture> {
        let all = pictures(report, theme).into_iter();
        all.filter(|picture| names.contains(&picture.name)).collect()
    };
    let both = of(Theme::Light).into_iter().zip(of(Theme::Dark));
    let figures: String = both
        .map(|(light, dark)| {
            format!(
                "<figure class=\"picture\" tabindex=\"0\"><div class=\"in-light\">{}</div>\
                 <div class=\"in-dark\">{}</div></figure>",
                light.svg, dark.svg
            )
        })
        .collect();
    match figures.as_str() {
        "" => figures,
        _ => format!("<div class=\"charts\">{figures}</div>"),
    }
}
