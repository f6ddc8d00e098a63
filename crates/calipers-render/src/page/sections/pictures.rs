//! Charts of the report in the page, light and dark; the style shows the one that fits.

use calipers_report::Report;
use maud::{Markup, PreEscaped, html};

use crate::picture::{Picture, Theme, pictures};

/// The charts with these names, side by side.
pub(super) fn show(report: &Report, names: &[&str]) -> Markup {
    let of = |theme: Theme| -> Vec<Picture> {
        let all = pictures(report, theme).into_iter();
        all.filter(|picture| names.contains(&picture.name)).collect()
    };
    let both: Vec<_> = of(Theme::Light).into_iter().zip(of(Theme::Dark)).collect();
    html! {
        @if !both.is_empty() {
            div.charts {
                @for (light, dark) in &both {
                    figure.picture tabindex="0" {
                        // Our own SVG, in which `picture::canvas` has escaped every text.
                        div.in-light { (PreEscaped(&light.svg)) }
                        // As above.
                        div.in-dark { (PreEscaped(&dark.svg)) }
                    }
                }
            }
        }
    }
}
