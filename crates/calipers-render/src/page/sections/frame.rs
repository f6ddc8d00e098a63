//! The frame of the page: header, places that scripts fill, end.

use calipers_report::Report;

use crate::page::html::escape;

/// Parts of the page, as the navigation names them.
const PARTS: &[(&str, &str)] = &[
    ("overview", "Overview"),
    ("architecture", "Architecture"),
    ("graph", "Graph"),
    ("ports", "Inputs"),
    ("cost", "Cost"),
    ("memory", "Memory"),
    ("layers", "Layers"),
    ("hardware", "Hardware"),
    ("findings", "Findings"),
    ("formulas", "Formulas"),
];

/// Name and navigation.
pub(super) fn top(report: &Report, whole: bool) -> String {
    let mut html = String::from("<a class=\"skip\" href=\"#main\">Skip to the content</a>\n");
    html.push_str(&format!(
        "<header class=\"top\"><h1 class=\"file\">{}</h1>",
        escape(&report.model.file)
    ));
    if whole {
        html.push_str("<nav aria-label=\"Parts of the page\">");
        for (id, name) in PARTS {
            html.push_str(&format!("<a href=\"#{id}\">{name}</a>"));
        }
        html.push_str("</nav>");
    }
    html.push_str(
        "<button type=\"button\" id=\"theme\" class=\"quiet\" aria-label=\"Light or dark\">◐</button>\
         </header>\n",
    );
    html
}

/// The graph's viewer.
pub(super) const GRAPH: &str = r#"<section id="graph" aria-labelledby="graph-title">
<h2 id="graph-title">Graph</h2>
<noscript><p class="note">The graph needs scripts.</p></noscript>
<div class="viewer" id="viewer">
<div class="bar" role="group" aria-label="Graph">
<div class="find"><input type="search" id="find" placeholder="Find a node" aria-label="Find a node" autocomplete="off" role="combobox" aria-expanded="false" aria-controls="found" aria-autocomplete="list"><ul id="found" role="listbox" aria-label="Nodes found" hidden></ul></div>
<label class="inline">Colour <select id="colour"><option value="macs">MACs</option><option value="memory">Memory</option><option value="precision">Precision</option><option value="block">Block</option><option value="plain">None</option></select></label>
<span class="group"><button type="button" id="less" title="Close one level">−&#8202;level</button><button type="button" id="more" title="Open one level">+&#8202;level</button></span>
<span class="group"><button type="button" id="fit" title="Fit (0)">Fit</button><button type="button" id="zoom-out" aria-label="Zoom out">−</button><button type="button" id="zoom-in" aria-label="Zoom in">+</button></span>
<span class="group"><button type="button" id="save-svg">SVG</button><button type="button" id="save-png">PNG</button></span>
</div>
<nav class="crumbs" id="crumbs" aria-label="Where in the graph"></nav>
<div class="stage"><canvas id="canvas" tabindex="0" role="application" aria-label="Graph. Arrow keys move between boxes, Enter opens or closes, plus and minus zoom, slash searches." aria-describedby="graph-help"></canvas><canvas id="minimap" aria-hidden="true"></canvas><p class="legend" id="legend"></p><aside id="panel" aria-label="About the selected box" hidden></aside></div>
<p class="note" id="graph-help">Drag to move, wheel to zoom, double-click to open a part. Keys: arrows move, Enter opens, Backspace goes out, P shows paths, / searches.</p>
<p class="unseen" id="said" role="status"></p>
</div>
</section>
"#;

/// The table of layers.
pub(super) const LAYERS: &str = r#"<section id="layers" aria-labelledby="layers-title">
<h2 id="layers-title">Layers</h2>
<noscript><p class="note">The table needs scripts.</p></noscript>
<div class="bar" role="group" aria-label="Layers to show">
<input type="search" id="layer-text" placeholder="Filter by name" aria-label="Filter by name" autocomplete="off">
<label class="inline">Operator <select id="layer-op"><option value="">all</option></select></label>
<label class="inline">Block <select id="layer-block"><option value="">all</option></select></label>
<label class="inline">MACs at least <select id="layer-cost"><option value="0">0%</option><option value="0.1">0.1%</option><option value="1">1%</option><option value="5">5%</option></select></label>
<span class="group"><button type="button" id="layer-copy">Copy</button><button type="button" id="layer-csv">CSV</button></span>
<span class="note" id="layer-count" role="status"></span>
</div>
<div class="scroll tall" id="layer-scroll" tabindex="0" role="region" aria-label="Table of layers"><table class="layers" id="layer-table"><thead><tr></tr></thead><tbody></tbody></table></div>
</section>
"#;

/// What made the page.
pub(super) fn end(report: &Report) -> String {
    format!(
        "<footer><p class=\"note\">{} {} · report schema {}</p></footer>",
        escape(&report.generator.name),
        escape(&report.generator.version),
        escape(&report.schema_version)
    )
}
