//! Where the texts of a chart are, as another program finds it: the SVG is read by `usvg` and its
//! texts are set in the embedded font.

use std::sync::{Arc, OnceLock};

use calipers_render::chart::Chart;
use resvg::usvg::{self, Node, TextAnchor, fontdb::Database};

/// How much wider another font may be: DejaVu Sans is by about 8 % for texts like ours.
const WIDER: f32 = 1.1;

/// A text and the group that it takes.
#[derive(Debug)]
pub(crate) struct Label {
    pub(crate) text: String,
    left: f32,
    right: f32,
    top: f32,
    bottom: f32,
}

impl Label {
    fn meets(&self, other: &Self) -> bool {
        self.left < other.right
            && other.left < self.right
            && self.top < other.bottom
            && other.top < self.bottom
    }
}

fn fonts() -> Arc<Database> {
    static FONTS: OnceLock<Arc<Database>> = OnceLock::new();
    Arc::clone(FONTS.get_or_init(|| {
        let mut fonts = Database::new();
        fonts.load_font_data(include_bytes!("../../../src/chart/font/Inter-Regular.ttf").to_vec());
        fonts.load_font_data(include_bytes!("../../../src/chart/font/Inter-SemiBold.ttf").to_vec());
        Arc::new(fonts)
    }))
}

/// The parsed chart. Panics if the text is not SVG.
pub(crate) fn read(chart: &Chart) -> usvg::Tree {
    let options = usvg::Options { fontdb: fonts(), ..Default::default() };
    usvg::Tree::from_str(&chart.svg, &options)
        .unwrap_or_else(|error| panic!("{}: {error}\n{}", chart.name, chart.svg))
}

/// Every text, as wide as in a font that is `wider` times as wide.
fn labels(group: &usvg::Group, wider: f32, found: &mut Vec<Label>) {
    for node in group.children() {
        match node {
            Node::Group(group) => labels(group, wider, found),
            Node::Text(text) => {
                let words: String = text.chunks().iter().map(|chunk| chunk.text()).collect();
                let Some(chunk) = text.chunks().first() else { continue };
                let area = text.abs_bounding_box();
                let more = area.width() * (wider - 1.0);
                let [left, right] = match chunk.anchor() {
                    TextAnchor::Start => [area.left(), area.right() + more],
                    TextAnchor::Middle => [area.left() - more / 2.0, area.right() + more / 2.0],
                    TextAnchor::End => [area.left() - more, area.right()],
                };
                // Lines of text are as high as the font says; letters are a little less.
                let (top, bottom) = (area.top() + 1.0, area.bottom() - 1.0);
                found.push(Label { text: words, left, right, top, bottom });
            }
            _ => {}
        }
    }
}

/// The labels of a chart, once it is certain that each is inside the page and meets no other.
pub(crate) fn check(chart: &Chart, of: &str) -> Vec<Label> {
    let tree = read(chart);
    let mut found = vec![];
    labels(tree.root(), WIDER, &mut found);
    let (width, height) = (tree.size().width(), tree.size().height());
    for (i, label) in found.iter().enumerate() {
        assert!(
            label.left >= 8.0
                && label.right <= width - 8.0
                && label.top >= 4.0
                && label.bottom <= height - 4.0,
            "{of}, {}: {label:?} leaves the page of {width} by {height}",
            chart.name
        );
        for other in &found[..i] {
            assert!(!label.meets(other), "{of}, {}: {label:?} meets {other:?}", chart.name);
        }
    }
    found
}
