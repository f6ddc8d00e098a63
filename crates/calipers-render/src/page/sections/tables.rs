//! Tables and places for charts: inputs and outputs, cost, operators, parameters, memory, hardware.

use std::fmt::Write as _;

use calipers_report::{Bottleneck, DeviceRow, Dimension, GraphView, Port, Report, RoomItem};

use super::pictures;
use crate::page::html::escape;
use crate::text::{self, Charset};
use crate::units;

/// Rows that are shown at once; the rest is folded.
const SHOWN: usize = 12;

/// Heads of columns that hold figures.
const FIGURES: &[&str] = &["A second", "Bytes", "Memory", "Needed"];

/// The beginning of a part.
fn part(id: &str, title: &str) -> String {
    format!(
        "<section id=\"{id}\" aria-labelledby=\"{id}-title\"><h2 id=\"{id}-title\">{title}</h2>"
    )
}

/// Inputs and outputs; columns that would be empty are left out.
pub(super) fn ports(report: &Report) -> String {
    let mut html = part("ports", "Inputs and outputs");
    for (name, ports) in [("Inputs", &report.graph.inputs), ("Outputs", &report.graph.outputs)] {
        let found = ports.iter().any(|port| port.inferred.is_some());
        let told = ports.iter().any(|port| !port.doc.is_empty());
        let mut heads = vec!["Name", "Type"];
        heads.extend(found.then_some("Found to be"));
        heads.extend(told.then_some("Meaning"));
        let row = |port: &Port| {
            let name = match port.name.as_str() {
                "" => "(unnamed)".to_owned(),
                name => format!("<code>{}</code>", escape(name)),
            };
            let kind = match port.type_text.as_str() {
                "" => "unknown".to_owned(),
                kind => format!("<code>{}</code>", escape(kind)),
            };
            let mut cells = format!("<th scope=\"row\">{name}</th><td>{kind}</td>");
            if found {
                let shape = port.inferred.as_deref().map(shape).unwrap_or_default();
                _ = write!(cells, "<td>{shape}</td>");
            }
            if told {
                _ = write!(cells, "<td>{}</td>", escape(&port.doc));
            }
            format!("<tr>{cells}</tr>")
        };
        let rows: Vec<String> = ports.iter().map(row).collect();
        html.push_str(&table(name, &heads, &rows));
    }
    html.push_str("</section>\n");
    html
}

/// Dimensions that are shown of a shape: no tensor has more, a hostile file may.
const DIMENSIONS: usize = 32;

/// A shape as it stands in a type.
fn shape(shape: &[Dimension]) -> String {
    if shape.is_empty() {
        return "scalar".to_owned();
    }
    let word = |dimension: &Dimension| match dimension {
        Dimension::Size(size) => size.to_string(),
        Dimension::Symbol(symbol) => escape(symbol),
        Dimension::Unknown => "?".to_owned(),
    };
    let mut words: Vec<String> = shape.iter().take(DIMENSIONS).map(word).collect();
    if shape.len() > DIMENSIONS {
        words.push("…".to_owned());
    }
    format!("<code>[{}]</code>", words.join(", "))
}

/// A table that folds what is beyond the first rows.
fn table(title: &str, heads: &[&str], rows: &[String]) -> String {
    let mut html = format!(
        "<h3>{title} <span class=\"note\">{}</span></h3>",
        units::integer(rows.len() as u64)
    );
    let head: String = heads
        .iter()
        .map(|head| match *head {
            "" => "<td></td>".to_owned(),
            head if FIGURES.contains(&head) => {
                format!("<th scope=\"col\" class=\"number\">{head}</th>")
            }
            head => format!("<th scope=\"col\">{head}</th>"),
        })
        .collect();
    let draw = |rows: &[String]| {
        format!(
            "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"{title}\"><table><thead><tr>{head}</tr></thead><tbody>{}</tbody></table></div>",
            rows.concat()
        )
    };
    html.push_str(&draw(&rows[..rows.len().min(SHOWN)]));
    if rows.len() > SHOWN {
        _ = write!(
            html,
            "<details><summary>{} more</summary>{}</details>",
            units::integer((rows.len() - SHOWN) as u64),
            draw(&rows[SHOWN..rows.len().min(2000)]).replacen(
                title,
                &format!("{title}, further"),
                1
            )
        );
    }
    html
}

/// A bar chart that stands without a script: name, figure, and a bar of its share of the greatest,
/// or of `most`.
fn bars(title: &str, rows: &[(String, u64, String, String)], most: Option<u64>) -> String {
    let most = most.or_else(|| rows.iter().map(|row| row.1).max()).unwrap_or(0).max(1);
    let mut html = format!("<figure class=\"bars\"><figcaption>{title}</figcaption>");
    for (name, value, text, link) in rows {
        #[expect(clippy::cast_precision_loss, reason = "the length of a bar")]
        let width = *value as f64 / most as f64 * 100.0;
        let name = match link.as_str() {
            "" => name.clone(),
            link => format!("<a href=\"{link}\">{name}</a>"),
        };
        _ = write!(
            html,
            "<div class=\"row\"><span class=\"name\">{name}</span>\
             <svg class=\"bar-svg\" viewBox=\"0 0 100 10\" preserveAspectRatio=\"none\" aria-hidden=\"true\">\
             <rect width=\"{width:.2}\" height=\"10\"/></svg><span class=\"value\">{text}</span></div>"
        );
    }
    html.push_str("</figure>");
    html
}

/// A name in a column: its middle is left out, since names differ at their ends.
fn shortened(name: &str) -> String {
    text::truncate(&text::name(name, Charset::Unicode), 26, Charset::Unicode)
}

/// A link to a node, or to a part of the graph.
pub(super) fn link(kind: &str, name: &str) -> String {
    let mut target = String::new();
    for byte in text::name(name, Charset::Unicode).bytes() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' | b'-' | b'_' | b'.' | b'/' => {
                target.push(char::from(byte));
            }
            byte => _ = write!(target, "%{byte:02X}"),
        }
    }
    format!("#{kind}={target}")
}

/// Where the arithmetic is.
pub(super) fn cost(report: &Report, view: &GraphView) -> String {
    let mut html = part("cost", "Cost");
    if report.cost.lower_bound {
        _ = write!(
            html,
            "<p class=\"note\">The cost of {} is not known, so sums are lower bounds; {} of the nodes are in them.</p>",
            units::counted(report.cost.unknown_count, "node", "nodes"),
            units::percent(report.cost.coverage)
        );
    }
    html.push_str("<div class=\"charts\">");
    let rooms = view.rooms.first().map_or(&[][..], |room| &room.items);
    let rooms = rooms.iter().filter_map(|item| match item {
        RoomItem::Room(number) => Some((*number, view.rooms.get(*number)?)),
        _ => None,
    });
    let mut rows: Vec<(String, u64, String, String)> = rooms
        .filter_map(|(number, room)| {
            let macs = room.macs.filter(|macs| *macs > 0)?;
            let link = format!("#room={number}");
            Some((escape(&shortened(&room.name)), macs, units::operations(macs, "MACs"), link))
        })
        .collect();
    if rows.len() > 1 {
        rows.sort_by_key(|row| std::cmp::Reverse(row.1));
        rows.truncate(SHOWN);
        html.push_str(&bars("MACs by part of the network", &rows, None));
    }
    let dearest: Vec<_> = report
        .cost
        .dearest
        .iter()
        .filter_map(|node| {
            let percent = node.percent.map(units::percent).unwrap_or_default();
            let text = format!("{} · {percent}", units::operations(node.macs?, "MACs"));
            Some((escape(&shortened(&node.node)), node.macs?, text, link("node", &node.node)))
        })
        .collect();
    if !dearest.is_empty() {
        html.push_str(&bars("Dearest nodes", &dearest, None));
    }
    html.push_str("</div>");
    html.push_str(&pictures::show(report, &["depth", "roofline"]));
    for note in &report.cost.notes {
        _ = write!(html, "<p class=\"note\">{}</p>", escape(note));
    }
    if !report.cost.unknown.is_empty() {
        html.push_str("<details><summary>Nodes of unknown cost</summary><ul>");
        for node in &report.cost.unknown {
            _ = write!(
                html,
                "<li><a href=\"{}\">{}</a> ({}): {}</li>",
                link("node", &node.node),
                escape(&node.node),
                escape(&node.op),
                escape(&node.reason)
            );
        }
        html.push_str("</ul></details>");
    }
    html.push_str("</section>\n");
    html
}

/// Operators and how often they occur.
pub(super) fn operators(report: &Report) -> String {
    let mut html = part("operators", "Operators");
    let rows: Vec<_> = report
        .graph
        .operators_total
        .iter()
        .take(40)
        .map(|row| {
            let name = match row.domain.as_str() {
                "ai.onnx" => escape(&row.op),
                domain => format!("{} <small>{}</small>", escape(&row.op), escape(domain)),
            };
            let text = format!("{} · {}", units::integer(row.count), units::percent(row.percent));
            (name, row.count, text, String::new())
        })
        .collect();
    html.push_str("<div class=\"charts\">");
    let (first, rest) = rows.split_at(rows.len().min(SHOWN));
    html.push_str(&bars("Nodes by operator", first, None));
    if !rest.is_empty() {
        html.push_str(&bars("Rarer ones", rest, first.first().map(|row| row.1)));
    }
    html.push_str("</div></section>\n");
    html
}

/// What was learned.
pub(super) fn parameters(report: &Report) -> String {
    let parameters = &report.parameters;
    let mut html = part("parameters", "Parameters");
    html.push_str("<div class=\"charts\"><div><dl class=\"facts\">");
    let mut tell = |name: &str, value: Option<String>| {
        let value = value.unwrap_or_else(|| "unknown".to_owned());
        _ = write!(html, "<div><dt>{name}</dt><dd>{value}</dd></div>");
    };
    tell("learned", parameters.total.map(units::integer));
    tell("trainable", parameters.trainable.map(units::integer));
    tell("statistics", parameters.non_trainable.map(units::integer));
    tell("bytes", parameters.bytes.map(units::bytes));
    tell("tensors", Some(units::integer(parameters.tensors)));
    tell("constants", parameters.constants.map(units::integer));
    tell("scales, zero points", parameters.quantization.map(units::integer));
    for (dtype, count) in &parameters.by_dtype {
        tell(&escape(dtype), Some(units::integer(*count)));
    }
    html.push_str("</dl></div>");
    let rows: Vec<_> = parameters
        .by_op
        .iter()
        .take(SHOWN)
        .map(|row| {
            let bytes = row.bytes.map_or_else(|| "unknown".to_owned(), units::bytes);
            (escape(&row.op), row.bytes.unwrap_or(0), bytes, String::new())
        })
        .collect();
    if !rows.is_empty() {
        html.push_str(&bars("Bytes by operator", &rows, None));
    }
    html.push_str("</div></section>\n");
    html
}

/// Activations over the run.
pub(super) fn memory(report: &Report) -> String {
    let memory = &report.memory;
    let mut html = part("memory", "Memory");
    if let Some(peak) = memory.peak_activation_bytes {
        let at = memory.peak_at.as_deref().map_or(String::new(), |node| {
            format!(" at <a href=\"{}\">{}</a>", link("node", node), escape(node))
        });
        _ = write!(
            html,
            "<p>Activations take <span data-figure=\"peak-text\">{}</span> at their peak<span id=\"peak-at\">{at}</span>, \
             each value in a place of its own.</p>",
            units::bytes(peak)
        );
    } else {
        html.push_str("<p>The peak of activations is not known.</p>");
    }
    html.push_str("<figure class=\"timeline\" id=\"timeline\"><figcaption>Bytes alive at each node, in order of execution</figcaption></figure>");
    let rows: Vec<String> = memory
        .largest
        .iter()
        .map(|value| {
            format!(
                "<tr><th scope=\"row\"><a href=\"{}\">{}</a></th><td><code>{}</code></td><td class=\"number\">{}</td></tr>",
                link("value", &value.name),
                escape(&value.name),
                escape(&value.type_text),
                units::bytes(value.bytes)
            )
        })
        .collect();
    if !rows.is_empty() {
        html.push_str(&table("Largest activations", &["Value", "Type", "Bytes"], &rows));
    }
    if let Some(cache) = &memory.kv_cache {
        let text = |value: Option<u64>| value.map_or_else(|| "unknown".to_owned(), units::bytes);
        _ = write!(
            html,
            "<p>Keys and values: {} layers, {} a token, {} for one sequence at {} tokens.</p>",
            cache.layers,
            text(cache.bytes_per_token),
            text(cache.bytes_at_context),
            cache.context.map_or_else(|| "an unknown number of".to_owned(), units::integer)
        );
    }
    html.push_str("</section>\n");
    html
}

/// Where it runs, and how fast.
pub(super) fn hardware(report: &Report, view: &GraphView) -> String {
    let Some(hardware) = &report.hardware else { return String::new() };
    let mut html = part("hardware", "Hardware");
    _ = write!(
        html,
        "<p class=\"note\">In {} ({}), batch {}. Times are estimates of one run, with the range that they are believed in.</p>",
        escape(&hardware.precision),
        escape(&hardware.precision_why),
        units::integer(hardware.batch)
    );
    if !view.sizes.times.devices.is_empty() {
        html.push_str("<div class=\"bar\" id=\"device-bar\" role=\"group\" aria-label=\"Device and sizes\"></div><div id=\"device-now\" role=\"status\"></div>");
    }
    let rows: Vec<String> = hardware.devices.iter().map(device_row).collect();
    if !rows.is_empty() {
        let heads =
            ["Device", "Memory", "Needed", "Fits", "Time of one run", "A second", "Bound by"];
        html.push_str(&table("Devices", &heads, &rows));
    }
    let scaling = ["batch-scaling", "sequence-scaling", "resolution-scaling"];
    html.push_str(&pictures::show(report, &scaling));
    let said: Vec<String> = hardware
        .method
        .iter()
        .map(|line| format!("<li>{}</li>", escape(line)))
        .chain(hardware.assumptions.iter().map(|it| {
            format!("<li>{}: {}, {}</li>", escape(&it.what), escape(&it.value), escape(&it.why))
        }))
        .collect();
    if !said.is_empty() {
        _ = write!(
            html,
            "<details><summary>How these are made</summary><ul>{}</ul></details>",
            said.concat()
        );
    }
    html.push_str("</section>\n");
    html
}

fn device_row(row: &DeviceRow) -> String {
    let memory = |bytes: Option<u64>| bytes.map_or_else(|| "unknown".to_owned(), units::gigabytes);
    let fits = match (row.fits, row.tight) {
        (Some(true), false) => "yes",
        (Some(true), true) => "barely",
        (Some(false), _) => "no",
        (None, _) => "unknown",
    };
    let time = match (&row.latency_ms, &row.reason) {
        (Some(span), _) => units::time_range(span.low, span.expected, span.high),
        (None, Some(reason)) => escape(reason),
        (None, None) => "–".to_owned(),
    };
    format!(
        "<tr data-device=\"{}\"><th scope=\"row\">{}</th><td class=\"number\">{}</td><td class=\"number\">{}</td><td>{fits}</td>\
         <td class=\"time\">{time}</td><td class=\"number\">{}</td><td>{}</td></tr>",
        escape(&row.id),
        escape(&row.name),
        row.device_memory_bytes.map_or_else(|| "unknown".to_owned(), units::capacity),
        memory(row.memory_bytes),
        row.throughput.map_or_else(|| "–".to_owned(), units::rate),
        escape(row.bottleneck.map_or("–", Bottleneck::id))
    )
}
