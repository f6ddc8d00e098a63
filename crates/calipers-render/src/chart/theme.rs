//! Colors, for light pages and for dark ones.
//!
//! The colors of data are of the family that Okabe and Ito chose for all kinds of color vision,
//! darker on white and lighter on black, so that each has a contrast of 3 to 1 with the page; text
//! has 4.5 to 1. The tests simulate the three kinds of color blindness and measure how far the
//! colors stay apart. No chart rests on color alone: all that is colored has its name next to it.

/// What the chart will be on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    /// Dark on white.
    Light,
    /// Light on nearly black.
    Dark,
}

/// What a color is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Color {
    /// The page.
    Page,
    /// Titles and figures.
    Ink,
    /// Axes, remarks, units.
    Quiet,
    /// Lines of the grid.
    Grid,
    /// The part of a bar that is empty.
    Trough,
    /// The chief color of data.
    Blue,
    /// What is against it: the peak, the second kind.
    Orange,
    /// A third kind.
    Green,
    /// A fourth.
    Rose,
    /// What is folded together.
    Gray,
}

/// Colors of kinds of data, in the order in which they are given out.
pub(super) const KINDS: [Color; 4] = [Color::Blue, Color::Orange, Color::Green, Color::Rose];

impl Theme {
    /// The color as SVG spells it.
    pub(super) fn hex(self, color: Color) -> &'static str {
        let [light, dark] = match color {
            Color::Page => ["#ffffff", "#0d1117"],
            Color::Ink => ["#1b1f24", "#e6edf3"],
            Color::Quiet => ["#59636e", "#9198a1"],
            Color::Grid => ["#e4e7eb", "#262c36"],
            Color::Trough => ["#f0f2f5", "#1b212a"],
            Color::Blue => ["#0072b2", "#56b4e9"],
            Color::Orange => ["#d55e00", "#f09a3a"],
            Color::Green => ["#009e73", "#168a66"],
            Color::Rose => ["#882255", "#cc79a7"],
            Color::Gray => ["#868e98", "#6b7480"],
        };
        match self {
            Self::Light => light,
            Self::Dark => dark,
        }
    }

    /// As ids in the SVG spell it.
    pub(super) fn word(self) -> &'static str {
        match self {
            Self::Light => "light",
            Self::Dark => "dark",
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const THEMES: [Theme; 2] = [Theme::Light, Theme::Dark];

    /// Red, green and blue of a color as light, from 0 to 1.
    fn light(theme: Theme, color: Color) -> [f64; 3] {
        let hex = &theme.hex(color)[1..];
        [0, 2, 4].map(|at| {
            let part = f64::from(u8::from_str_radix(&hex[at..at + 2], 16).unwrap()) / 255.0;
            if part <= 0.04045 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
        })
    }

    /// As WCAG 2 defines it.
    fn contrast(theme: Theme, color: Color) -> f64 {
        let of = |color| {
            let [red, green, blue] = light(theme, color);
            0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05
        };
        let (one, other) = (of(color), of(Color::Page));
        one.max(other) / one.min(other)
    }

    /// What somebody sees who lacks the long, the middle or the short cones: the matrices of
    /// Machado, Oliveira and Fernandes (2009) at full severity, and eyes that lack nothing.
    const EYES: [[[f64; 3]; 3]; 4] = [
        [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]],
        [
            [0.152286, 1.052583, -0.204868],
            [0.114503, 0.786281, 0.099216],
            [-0.003882, -0.048116, 1.051998],
        ],
        [
            [0.367322, 0.860646, -0.227968],
            [0.280085, 0.672501, 0.047413],
            [-0.011820, 0.042940, 0.968881],
        ],
        [
            [1.255528, -0.076749, -0.178779],
            [-0.078411, 0.930809, 0.147602],
            [0.004733, 0.691367, 0.303900],
        ],
    ];

    /// The color in CIE L*a*b*, of light under D65.
    fn lab(rgb: [f64; 3]) -> [f64; 3] {
        let [r, g, b] = rgb.map(|part| part.clamp(0.0, 1.0));
        let x = (0.4124 * r + 0.3576 * g + 0.1805 * b) / 0.9505;
        let y = 0.2126 * r + 0.7152 * g + 0.0722 * b;
        let z = (0.0193 * r + 0.1192 * g + 0.9505 * b) / 1.089;
        let [x, y, z] =
            [x, y, z].map(|t: f64| if t > 0.008856 { t.cbrt() } else { 7.787 * t + 16.0 / 116.0 });
        [116.0 * y - 16.0, 500.0 * (x - y), 200.0 * (y - z)]
    }

    #[test]
    fn data_and_words_are_out_from_the_page() {
        for theme in THEMES {
            for color in [Color::Ink, Color::Quiet] {
                assert!(contrast(theme, color) >= 4.5, "{theme:?} {color:?}");
            }
            for color in KINDS.into_iter().chain([Color::Gray]) {
                let found = contrast(theme, color);
                assert!(found >= 3.0, "{theme:?} {color:?}: {found}");
            }
            // The grid is there, and no more than that.
            assert!((1.1..1.6).contains(&contrast(theme, Color::Grid)), "{theme:?}");
        }
    }

    #[test]
    fn colors_stay_apart_for_every_kind_of_eyes() {
        // About 1 can just be seen side by side; 15 is another color.
        for theme in THEMES {
            for (kind, eyes) in EYES.iter().enumerate() {
                let seen = |color| {
                    let rgb = light(theme, color);
                    lab([0, 1, 2].map(|i| (0..3).map(|j| eyes[i][j] * rgb[j]).sum()))
                };
                for (i, one) in KINDS.iter().enumerate() {
                    for other in &KINDS[..i] {
                        let (a, b) = (seen(*one), seen(*other));
                        let apart = (0..3).map(|i| (a[i] - b[i]).powi(2)).sum::<f64>().sqrt();
                        assert!(apart >= 15.0, "{theme:?} eyes {kind} {one:?} {other:?}: {apart}");
                    }
                }
            }
        }
    }
}
