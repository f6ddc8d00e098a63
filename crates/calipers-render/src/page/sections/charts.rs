//! Charts of the report in the page, light and dark; the style shows the one that fits.

use calipers_report::Report;
use maud::{Markup, PreEscaped, html};

use crate::chart::{Chart, Theme, charts};

/// The charts with these names, side by side.
pub(super) fn show(report: &Report, names: &[&str]) -> Markup {
    let of = |theme: Theme| -> Vec<Chart> {
        let all = charts(report, theme).into_iter();
        all.filter(|chart| names.contains(&chart.name)).collect()
    };
    let both: Vec<_> = of(Theme::Light).into_iter().zip(of(Theme::Dark)).collect();
    html! {
        @if !both.is_empty() {
            div.charts {
                @for (light, dark) in &both {
                    figure.chart tabindex="0" {
                        // Our own SVG, in which `chart::canvas` has escaped every text.
                        div.in-light { (PreEscaped(&light.svg)) }
                        // As above.
                        div.in-dark { (PreEscaped(&dark.svg)) }
                    }
                }
            }
        }
    }
}
