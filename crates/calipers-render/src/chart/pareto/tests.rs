use calipers_report::ComparedModel;
use proptest::prelude::*;

use super::*;
use crate::chart::pareto;

const HOSTILE: &str = "</text><script>x()</script>\u{202e}&\"'\n";

/// Models with a time in milliseconds and a size in bytes; the first two are the best trade-offs.
fn table(points: &[(&str, f64, f64)]) -> ComparisonTable {
    let models = points.iter().map(|(label, ..)| ComparedModel {
        label: (*label).to_owned(),
        ..ComparedModel::default()
    });
    let places = points.iter().enumerate();
    let places =
        places.map(|(model, (_, x, y))| ParetoPoint { model, x: *x, y: *y, best: model < 2 });
    let chart = ParetoChart {
        x_label: "time on L4".to_owned(),
        x_measure: Measure::Milliseconds,
        y_label: "weights".to_owned(),
        y_measure: Measure::Bytes,
        lower_y_is_better: true,
        points: places.collect(),
        ..ParetoChart::default()
    };
    ComparisonTable { models: models.collect(), pareto: Some(chart), ..ComparisonTable::default() }
}

/// Places and radii of the dots, without the two of the legend.
fn dots(svg: &str) -> Vec<[f64; 3]> {
    let mut dots: Vec<[f64; 3]> = svg
        .lines()
        .filter_map(|line| {
            let circle = line.split("<circle ").nth(1)?;
            let value = |name: &str| circle.split(&format!("{name}=\"")).nth(1)?.split('"').next();
            let number = |name: &str| value(name)?.parse::<f64>().ok();
            Some([number("cx")?, number("cy")?, number("r")?])
        })
        .collect();
    dots.truncate(dots.len().saturating_sub(2));
    dots
}

#[test]
fn best_trade_offs_are_filled_and_joined() {
    let table = table(&[("a", 2.0, 4e6), ("b", 1.0, 9e6), ("c", 3.0, 9e6)]);
    for theme in [Theme::Light, Theme::Dark] {
        let chart = pareto(&table, theme).unwrap();
        let blue = format!("fill=\"{}\" fill-opacity=\"1\"", theme.hex(Color::Blue));
        assert_eq!(chart.svg.matches(&blue).count(), 3, "two models and the legend");
        assert_eq!(chart.svg.matches("stroke-width=\"2\"").count(), 2, "one, and the legend");
        // From b, which is faster, to the right and down to a: one step.
        let path = chart.svg.split("<path d=\"").nth(1).unwrap().split('"').next().unwrap();
        assert_eq!(path.matches('L').count(), 2, "{path}");
        assert!(chart.svg.contains("← lower is better") && chart.svg.contains("↓ lower is better"));
        assert_eq!(
            chart.alt,
            "Weights (lower is better) by time on L4 (lower is better): a 4.00 MB at 2.0 ms (best \
             trade-off), b 9.00 MB at 1.0 ms (best trade-off) and c 9.00 MB at 3.0 ms."
        );
    }
}

#[test]
fn a_metric_is_better_upward_and_keeps_its_digits() {
    let mut table = table(&[("a", 2.0, 0.7188), ("b", 1.0, 0.7012)]);
    let chart = table.pareto.as_mut().unwrap();
    (chart.y_measure, chart.lower_y_is_better) = (Measure::Number, false);
    chart.y_label = "accuracy".to_owned();
    let chart = pareto(&table, Theme::Light).unwrap();
    assert!(chart.svg.contains("↑ higher is better"));
    assert!(chart.alt.contains("a 0.7188 at 2.0 ms"), "{}", chart.alt);
    // 0.0176 between them: the axis begins near them and not at 0.
    assert!(chart.svg.contains(">0.705<") || chart.svg.contains(">0.70<"), "{}", chart.svg);
}

#[test]
fn marks_are_in_the_units_of_people_and_none_are_alike() {
    let cases = [
        (Measure::Milliseconds, [0.2, 0.9], "0.00 ms", "1.00 ms"),
        (Measure::Bytes, [13.9e6, 14.1e6], "13.8 MB", "14.2 MB"),
        (Measure::Operations, [3e8, 1.8e9], "0.0 G", "2.0 G"),
        (Measure::Number, [-2.0, 3.0], "−4", "4"),
        (Measure::Percent, [70.0, 76.0], "68%", "78%"),
    ];
    for (measure, values, first, last) in cases {
        let scale = Scale::new(values.into_iter(), measure).unwrap();
        let marks: Vec<String> =
            scale.axis.marks(6).into_iter().map(|value| scale.mark(value)).collect();
        assert_eq!([&marks[0], &marks[marks.len() - 1]], [first, last], "{marks:?}");
        assert!(marks.windows(2).all(|pair| pair[0] != pair[1]), "{marks:?}");
    }
    let wide = Scale::new([1e6, 4e9].into_iter(), Measure::Bytes).unwrap();
    let marks: Vec<String> = wide.axis.marks(6).into_iter().map(|it| wide.mark(it)).collect();
    assert_eq!(marks, ["1 MB", "10 MB", "100 MB", "1 GB"]);
}

#[test]
fn hostile_names_are_only_text() {
    let mut table = table(&[(HOSTILE, 2.0, 4e6), (HOSTILE, 1.0, 9e6)]);
    let chart = table.pareto.as_mut().unwrap();
    (chart.x_label, chart.y_label) = (HOSTILE.to_owned(), HOSTILE.repeat(1000));
    let chart = pareto(&table, Theme::Light).unwrap();
    assert!(!chart.svg.contains("<script") && !chart.svg.contains('\u{202e}'), "{}", chart.svg);
    assert_eq!(chart.svg.matches("<text").count(), chart.svg.matches("</text>").count());
    assert!(chart.svg.len() < 40_000, "{} bytes", chart.svg.len());
}

#[test]
fn what_is_not_a_number_is_not_drawn() {
    let odd = [("a", f64::NAN, 1.0), ("b", 1.0, f64::INFINITY), ("c", 1.0, 2e6), ("d", 2.0, 1e6)];
    let chart = pareto(&table(&odd), Theme::Light).unwrap();
    assert_eq!(dots(&chart.svg).len(), 2);
    assert!(!chart.svg.contains("NaN") && !chart.svg.contains("inf"), "{}", chart.svg);
    assert!(chart.svg.contains("2 models lack one of the two"), "{}", chart.svg);
    assert_eq!(pareto(&table(&odd[..3]), Theme::Light), None, "one model has no trade-off");
    let mut missing = table(&odd[2..]);
    missing.models.truncate(1);
    assert_eq!(pareto(&missing, Theme::Light), None, "a point without its model");
}

#[test]
fn models_that_are_the_same_have_a_label_each() {
    let same = [("first", 1.0, 1e6), ("second", 1.0, 1e6), ("third", 1.0, 1e6)];
    let svg = pareto(&table(&same), Theme::Light).unwrap().svg;
    for (label, ..) in same {
        assert!(svg.contains(&format!(">{label}<")), "{label}");
    }
}

proptest! {
    #[test]
    fn dots_and_labels_stay_inside_and_labels_apart(
        points in prop::collection::vec((".{0,40}", -1e3..1e9_f64, 0.0..1e12_f64), 2..40),
    ) {
        let points: Vec<(&str, f64, f64)> =
            points.iter().map(|(label, x, y)| (label.as_str(), *x, *y)).collect();
        let table = table(&points);
        let svg = pareto(&table, Theme::Light).unwrap().svg;
        let height = Canvas::TOP + HEAD + PLOT + 2.0 * FOOT + LEGEND + MARGIN;
        let dots = dots(&svg);
        prop_assert_eq!(dots.len(), points.len());
        for [x, y, radius] in dots {
            prop_assert!(x - radius >= 0.0 && x + radius <= WIDTH, "{x}");
            prop_assert!(y - radius >= Canvas::TOP && y + radius <= height, "{y}");
        }
        let plot = Area { left: 60.0, right: 690.0, top: 100.0, bottom: 400.0 };
        let known: Vec<Point<'_>> = table.pareto.as_ref().unwrap().points.iter()
            .filter_map(|it| point(it, &table)).collect();
        // Everything crowded into a small part of the plot.
        let placed: Vec<(&Point<'_>, [f64; 2])> = known.iter()
            .map(|it| (it, [60.0 + it.x.abs() % 630.0, 100.0 + it.y % 60.0])).collect();
        let labels = labels(&placed, &steps(&placed), &plot);
        for (i, label) in labels.iter().enumerate() {
            prop_assert!(plot.holds(&label.area));
            prop_assert!(!labels[..i].iter().any(|other| other.area.meets(&label.area)));
            let is_over = placed.iter().any(|(_, place)| around(*place, DOT).meets(&label.area));
            prop_assert!(!is_over, "{} covers a dot", label.text);
        }
    }
}
