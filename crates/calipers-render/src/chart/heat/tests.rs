use super::*;
use crate::chart::weight_changes;

fn part(at: usize, norm: Option<f64>) -> DepthChange {
    #[expect(clippy::cast_precision_loss, reason = "parts are few")]
    let from_percent = at as f64 * 25.0;
    DepthChange { from_percent, tensors: u64::from(norm.is_some()), relative_norm: norm }
}

fn weights(norms: &[Option<f64>]) -> WeightChanges {
    let by_depth = norms.iter().enumerate().map(|(at, norm)| part(at, *norm)).collect();
    WeightChanges { by_depth, ..WeightChanges::default() }
}

/// Values of an attribute, in order.
fn attributes(svg: &str, name: &str) -> Vec<f64> {
    let start = format!(" {name}=\"");
    let parts = svg.split(start.as_str()).skip(1);
    parts.filter_map(|rest| rest.split('"').next()?.parse().ok()).collect()
}

#[test]
fn a_larger_change_has_more_color() {
    let weights = weights(&[Some(0.01), Some(0.04), None, Some(0.0)]);
    for theme in [Theme::Light, Theme::Dark] {
        let chart = weight_changes(&weights, theme).unwrap();
        // 0.1 + 0.9 × 0.01 / 0.04 is 0.325, then the largest; a cell that is the same has none.
        assert_eq!(attributes(&chart.svg, "fill-opacity")[..2], [0.33, 1.0]);
        assert!(chart.svg.contains(">input<") && chart.svg.contains(">output<"));
        assert!(chart.svg.contains(">0.0400 (largest)<"), "{}", chart.svg);
        assert!(chart.svg.contains("no weights compared") && chart.svg.contains(">same<"));
        assert!(chart.alt.contains("from 0 to 0.0400, the largest at 25% of the depth"));
        assert!(chart.alt.ends_with("; 1 without compared weights."), "{}", chart.alt);
    }
}

#[test]
fn everything_is_inside_the_canvas() {
    let norms: Vec<Option<f64>> =
        (0..32).map(|i| (i % 5 != 0).then(|| f64::from(i) / 100.0)).collect();
    let svg = weight_changes(&weights(&norms), Theme::Light).unwrap().svg;
    let lines = [attributes(&svg, "x1"), attributes(&svg, "x2")].concat();
    assert!(lines.len() > 20, "cells without weights are hatched");
    assert!(lines.iter().all(|x| (MARGIN..=WIDTH - MARGIN).contains(x)));
    let (x, width) = (attributes(&svg, "x"), attributes(&svg, "width"));
    assert!(x.iter().all(|x| (MARGIN..=WIDTH - MARGIN).contains(x)));
    assert!(width.iter().all(|width| *width <= WIDTH));
}

#[test]
fn nothing_is_drawn_of_what_is_not_known_or_the_same() {
    for norms in [&[][..], &[None, None], &[Some(0.0), None], &[Some(f64::NAN)]] {
        assert_eq!(weight_changes(&weights(norms), Theme::Light), None, "{norms:?}");
    }
    let odd = weights(&[Some(f64::NAN), Some(f64::INFINITY), Some(0.5), Some(-1.0)]);
    let svg = weight_changes(&odd, Theme::Dark).unwrap().svg;
    assert!(!svg.contains("NaN") && !svg.contains("inf"), "{svg}");
    assert_eq!(svg.matches("relative norm not known").count(), 3);
    assert_eq!(weight_changes(&weights(&vec![Some(1.0); 10_000]), Theme::Light), None);
}
