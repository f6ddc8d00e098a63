//! Charts as pixels: nothing at the edge, the page's own color, and ink that can be read.

use calipers_render::chart::{Theme, charts, png};
use calipers_report::{OperatorCount, Report};
use resvg::tiny_skia::Pixmap;

calipers_testkit::tests! {
    test: [
        ink_keeps_off_the_edge_and_is_out,
        the_embedded_font_is_used,
        what_cannot_be_drawn_is_an_error,
    ];
}

/// No ink is closer to the edge, in units of the chart.
const EDGE: u32 = 12;
const SCALE: u32 = 2;

fn sample(name: &str) -> Report {
    let sample = calipers_samples::SAMPLES.into_iter().find(|sample| sample.name == name).unwrap();
    let model = calipers::Model::read((sample.model)(), name).unwrap();
    let device = Some(calipers::devices::find("h200-sxm").unwrap().clone());
    let question = calipers::HardwareQuery { device, ..Default::default() };
    model.analyze(&calipers::Options::new().hardware(question.clone())).unwrap()
}

fn luminance([red, green, blue]: [u8; 3]) -> f64 {
    let linear = |part: u8| {
        let part = f64::from(part) / 255.0;
        if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
    };
    0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue)
}

fn ink_keeps_off_the_edge_and_is_out() {
    for name in ["digits", "encoder", "detector"] {
        let report = sample(name);
        for (theme, page) in [(Theme::Light, [255; 3]), (Theme::Dark, [0x0d, 0x11, 0x17])] {
            for chart in charts(&report, theme) {
                let bytes = png(&chart.svg, SCALE as f32).unwrap();
                let pixels = Pixmap::decode_png(&bytes).unwrap();
                let (width, height) = (pixels.width(), pixels.height());
                assert_eq!(width, 720 * SCALE);
                let (mut ink, mut best) = (0, 1.0_f64);
                for (at, pixel) in (0..).zip(pixels.pixels()) {
                    let (x, y) = (at % width, at / width);
                    let color = [pixel.red(), pixel.green(), pixel.blue()];
                    assert_eq!(pixel.alpha(), 255, "the page is opaque");
                    if color == page {
                        continue;
                    }
                    ink += 1;
                    let edge = EDGE * SCALE;
                    let inside =
                        (edge..width - edge).contains(&x) && (edge..height - edge).contains(&y);
                    assert!(inside, "{name}, {}: ink at {x}, {y}", chart.name);
                    let [a, b] = [luminance(color), luminance(page)];
                    best = best.max((a.max(b) + 0.05) / (a.min(b) + 0.05));
                }
                assert!(ink > 2000, "{name}, {}: {ink} pixels", chart.name);
                // Titles have the ink's contrast, which the standard for accessible text asks for.
                assert!(best >= 7.0, "{name}, {}: contrast {best}", chart.name);
            }
        }
    }
}

fn the_embedded_font_is_used() {
    // Without a font there would be no text at all.
    let mut report = Report::default();
    report.graph.nodes = 1;
    let op = |op: &str| OperatorCount {
        op: op.to_owned(),
        count: 1,
        percent: 100.0,
        ..Default::default()
    };
    let pixels = |name: &str, report: &mut Report| {
        report.graph.operators = vec![op(name)];
        png(&charts(report, Theme::Light)[0].svg, 1.0).unwrap()
    };
    assert_ne!(pixels("Conv", &mut report), pixels("Gemm", &mut report));
    assert_eq!(pixels("Conv", &mut report), pixels("Conv", &mut report));
}

fn what_cannot_be_drawn_is_an_error() {
    assert!(
        png("no chart", 1.0).unwrap_err().to_string().starts_with("the chart is not valid SVG")
    );
    let svg = r#"<svg xmlns="http://www.w3.org/2000/svg" width="9" height="9"/>"#;
    for scale in [0.0, -1.0, f32::NAN, f32::INFINITY, 1e9] {
        assert!(png(svg, scale).is_err(), "{scale}");
    }
    assert!(png(svg, 1.0).is_ok());
}
