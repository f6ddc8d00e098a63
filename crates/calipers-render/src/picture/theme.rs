//! Colours, for light pages and for dark ones.
//!
//! The colours of data are of the family that Okabe and Ito chose for all kinds of colour vision,
//! darker on white and lighter on black, so that each has a contrast of 3 to 1 with the page; text
//! has 4.5 to 1. The tests simulate the three kinds of colour blindness and measure how far the
//! colours stay apart. No chart rests on colour alone: all that is coloured has its name beside it.

/// What the picture will stand on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Theme {
    /// Dark on white.
    Light,
    /// Light on nearly black.
    Dark,
}

/// What a colour is for.
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
    /// The chief colour of data.
    Blue,
    /// What stands against it: the peak, the second kind.
    Orange,
    /// A third kind.
    Green,
    /// A fourth.
    Purple,
    /// What is folded together.
    Gray,
}

/// Colours of kinds of data, in the order in which they are given out.
pub(super) const KINDS: [Color; 4] = [Color::Blue, Color::Orange, Color::Green, Color::Purple];

impl Theme {
    /// The colour as SVG spells it.
    pub(super) fn hex(self, color: Color) -> &'static str {
        let [light, dark] = match color {
            Color::Page => ["#ffffff", "#0d1117"],
            Color::Ink => ["#1b1f24", "#e6edf3"],
            Color::Quiet => ["#59636e", "#9198a1"],
            Color::Grid => ["#e4e7eb", "#262c36"],
            Color::Trough => ["#f0f2f5", "#1b212a"],
            Color::Blue => ["#0072b2", "#56b4e9"],
            Color::Orange => ["#d55e00", "#f09a3a"],
            Color::Green => ["#00916a", "#20c29a"],
            Color::Purple => ["#6f3f96", "#d79bd0"],
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
