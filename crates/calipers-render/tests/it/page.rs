//! The page and the drawings of a graph: no text of a model is markup, and the policy names what is
//! in the page.
use calipers_render::sections::SECTIONS;
use calipers_render::{CardOptions, graph, page};
use calipers_report::{
    Binding, Dimension, GraphGroup, GraphView, GroupEdge, GroupItem, GroupKind, Port, Report,
    Summary, SummaryCheck, ViewNode, ViewValue,
};
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::fixtures;

calipers_testkit::tests! {
    test: [
        hostile_text_is_nothing_but_text,
        no_text_of_a_report_is_markup,
        the_summary_is_the_verdict,
        only_sums_of_costs_are_lower_bounds,
        the_policy_allows_what_is_in_the_page_and_nothing_else,
        the_same_report_gives_the_same_page,
        every_section_of_the_card_is_on_the_page,
    ];
}

const HOSTILE: &str = "</script><img src=x onerror=alert(1)>\"' -->\u{202e}";

/// A graph of one node and one group with one, each named as badly as can be.
fn hostile() -> (Report, GraphView) {
    let node = |group: usize| ViewNode {
        name: HOSTILE.into(),
        op: HOSTILE.into(),
        domain: HOSTILE.into(),
        scope: HOSTILE.into(),
        group,
        drawn: true,
        inputs: vec![Some(0)],
        outputs: vec![Some(0)],
        attributes: vec![(HOSTILE.into(), HOSTILE.into())],
        reason: Some(HOSTILE.into()),
        ..ViewNode::default()
    };
    let edge = |from, to| GroupEdge { from, to, values: vec![0], count: 1 };
    let view = GraphView {
        file: HOSTILE.into(),
        groups: vec![
            GraphGroup {
                name: HOSTILE.into(),
                items: vec![
                    GroupItem::Input(0),
                    GroupItem::Node(0),
                    GroupItem::GraphGroup(1),
                    GroupItem::Output(0),
                ],
                edges: vec![edge(0, 1), edge(1, 2), edge(2, 3)],
                ..GraphGroup::default()
            },
            GraphGroup {
                kind: GroupKind::Block,
                name: HOSTILE.into(),
                detail: HOSTILE.into(),
                block: Some(HOSTILE.into()),
                parent: Some(0),
                items: vec![GroupItem::Node(1), GroupItem::Entry, GroupItem::Exit],
                edges: vec![edge(1, 0), edge(0, 2)],
                ..GraphGroup::default()
            },
        ],
        nodes: vec![node(0), node(1)],
        values: vec![ViewValue { name: HOSTILE.into(), ..ViewValue::default() }],
        notes: vec![HOSTILE.into()],
        ..GraphView::default()
    };
    let mut report = Report::default();
    report.model.file = HOSTILE.into();
    report.architecture.words = HOSTILE.into();
    report.architecture.evidence = vec![HOSTILE.into()];
    report.graph.inputs = vec![Port {
        name: HOSTILE.into(),
        type_text: HOSTILE.into(),
        doc: HOSTILE.into(),
        ..Port::default()
    }];
    report.graph.outputs = vec![Port {
        inferred: Some(vec![Dimension::Size(3), Dimension::Symbol(HOSTILE.into())]),
        ..report.graph.inputs[0].clone()
    }];
    report.summary = Some(Summary {
        title: HOSTILE.into(),
        text: format!("{HOSTILE}\n\n{HOSTILE}"),
        source: HOSTILE.into(),
        check: Some(SummaryCheck::default()),
        notes: vec![HOSTILE.into()],
    });
    report.cost.formula.insert("macs".into(), HOSTILE.into());
    (report, view)
}

fn hostile_text_is_nothing_but_text() {
    let (report, view) = hostile();
    for html in [page::html(&report, &view), page::graph(&report, &view)] {
        assert!(!html.contains("<img"), "a name became an element");
        assert_eq!(html.matches("<script").count(), 2, "data and code");
        assert_eq!(html.matches("</script").count(), 2);
        assert!(!html.contains('\u{202e}'), "a name turns the reading direction");
    }
    for depth in [1, 9] {
        let svg = graph::svg(&view, depth);
        assert!(!svg.contains("<img") && !svg.contains("<script") && !svg.contains('\u{202e}'));
        let dot = graph::dot(&view, depth);
        // Every quotation mark inside a label is escaped, so each line has an even number without.
        for line in dot.lines() {
            let plain = line.replace("\\\\", "").replace("\\\"", "").matches('"').count();
            assert_eq!(plain % 2, 0, "{line}");
        }
        assert!(!dot.contains('\u{202e}'));
    }
}

/// Every string of a report and of its graph that may hold any text, replaced; how many there were.
fn spoil<T: Serialize + DeserializeOwned>(whole: &T) -> (T, usize) {
    fn paths(value: &Value, at: &str, found: &mut Vec<String>) {
        match value {
            Value::String(_) => found.push(at.to_owned()),
            Value::Array(list) => {
                list.iter().enumerate().for_each(|(i, it)| paths(it, &format!("{at}/{i}"), found));
            }
            Value::Object(map) => {
                // A key that is a JSON pointer's own sign would need an escape.
                let plain = map.iter().filter(|(key, _)| !key.contains(['/', '~']));
                plain.for_each(|(key, it)| paths(it, &format!("{at}/{key}"), found));
            }
            _ => {}
        }
    }
    let mut json = serde_json::to_value(whole).unwrap();
    let (mut strings, mut spoiled) = (Vec::new(), 0);
    paths(&json, "", &mut strings);
    for path in strings {
        let place = json.pointer_mut(&path).unwrap();
        let before = std::mem::replace(place, Value::from(HOSTILE));
        // A string that names a variant of an enum takes no other text.
        if T::deserialize(&json).is_ok() {
            spoiled += 1;
        } else {
            *json.pointer_mut(&path).unwrap() = before;
        }
    }
    (T::deserialize(&json).unwrap(), spoiled)
}

fn no_text_of_a_report_is_markup() {
    let (_, view) = hostile();
    let mut texts = 0;
    for (name, report) in fixtures::all() {
        let (mut report, spoiled) = spoil(&report);
        texts += spoiled;
        report.model.metadata.insert(HOSTILE.into(), HOSTILE.into());
        report.model.opsets.insert(HOSTILE.into(), 1);
        report.bindings.insert(HOSTILE.into(), Binding::Size(1));
        let html = page::html(&report, &view);
        assert!(!html.contains("<img"), "{name}: a text became an element");
        assert_eq!(html.matches("<script").count(), 2, "{name}: data and code");
        assert!(!html.contains('\u{202e}'), "{name}: a text turns the reading direction");
    }
    assert!(texts > 500, "the fixtures have {texts} texts");
}

fn the_summary_is_the_verdict() {
    let mut report = Report::default();
    report.architecture.words = "a network".into();
    let verdict = |text: &str| format!("id=\"verdict\">{text}</p>");
    assert!(page::html(&report, &GraphView::default()).contains(&verdict("a network")));
    let text = "One\nline.\n\n\n\nTwo.".to_owned();
    let title = "In short".to_owned();
    report.summary = Some(Summary { title, text, ..Summary::default() });
    let html = page::html(&report, &GraphView::default());
    assert!(html.contains(&verdict("In short")));
    // A title may have figures of one size; the architecture represents it at others.
    assert!(html.contains("id=\"verdict-elsewhere\" hidden>a network</p>"));
    assert!(html.contains("id=\"summary\"><p>One line.</p><p>Two.</p></div>"));
}

fn only_sums_of_costs_are_lower_bounds() {
    let mut report = Report::default();
    report.cost.lower_bound = true;
    report.cost.macs = Some(7);
    report.parameters.total = Some(5);
    report.graph.outputs =
        vec![Port { inferred: Some(vec![Dimension::Size(2)]), ..Port::default() }];
    let html = page::html(&report, &GraphView::default());
    assert!(html.contains("<strong>at least 7 MACs</strong>"));
    assert!(html.contains("<strong>5</strong>"));
    assert!(html.contains("Inferred shape</th>") && html.contains("<code>[2]</code>"));
}

fn the_policy_allows_what_is_in_the_page_and_nothing_else() {
    let (report, view) = hostile();
    let html = page::html(&report, &view);
    let policy = html.split("Content-Security-Policy\" content=\"").nth(1).unwrap();
    let policy = policy.split('"').next().unwrap();
    assert!(policy.starts_with("default-src 'none'; script-src 'sha256-"), "{policy}");
    assert!(!policy.contains("unsafe"), "{policy}");
    assert_eq!(policy.matches("'sha256-").count(), 2, "{policy}");
    // No attribute runs or dresses anything: the policy would refuse it.
    let body = html.split("<body>").nth(1).unwrap().split("<script>").next().unwrap();
    assert!(!body.contains(" style=") && !body.contains(" onclick="));
    assert!(
        !html.contains("http://")
            || html.matches("http://").count()
                == html.matches("http://www.w3.org/2000/svg").count()
    );
}

fn the_same_report_gives_the_same_page() {
    let (report, view) = hostile();
    assert_eq!(page::html(&report, &view), page::html(&report, &view));
    let empty = page::html(&Report::default(), &GraphView::default());
    assert!(empty.starts_with("<!DOCTYPE html>") && empty.ends_with("</html>\n"));
}

fn every_section_of_the_card_is_on_the_page() {
    for (name, report) in fixtures::all() {
        let html = page::html(&report, &GraphView::default());
        // A choice of sections, here of all, folds none of them.
        let sections = SECTIONS.iter().map(|kind| kind.id.to_owned()).collect();
        let options = CardOptions { sections, ..CardOptions::default() };
        for section in &calipers_render::sections::card(&report, &options).sections {
            let id = section.id.as_str();
            // The head of the page has the summary, the key figures and the diagram.
            let shown = ["summary", "key-figures", "diagram"].contains(&id)
                || html.contains(&format!("id=\"{id}\" aria-labelledby"))
                || html.contains(&format!("id=\"card-{id}\""));
            assert!(shown, "{name}: the page has no section {id}");
        }
    }
}
