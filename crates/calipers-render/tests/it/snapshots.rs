//! What each rendering of the fixtures looks like, and what holds for all of them.

use calipers::devices::{Filter, builtin};
use calipers_render::table::Table;
use calipers_render::{
    CardOptions, Style, csv, html, json, jsonl, markdown, sections, tables, terminal, text,
};
use calipers_report::{DeviceList, LayerTable, Report, SweepTable};
use unicode_width::UnicodeWidthStr as _;

use crate::fixtures;

calipers_testkit::tests! {
    test: [
        mnist,
        encoder,
        hostile,
        unknown,
        empty,
        rich,
        hardware,
        pages_about_hardware_keep_to_their_width_and_hide_nothing,
        tables_of_models,
        every_table_in_every_format,
        a_document_says_the_same_in_markdown_and_html,
        a_card_on_a_terminal_keeps_to_its_width_and_hides_nothing,
        devices,
        devices_keep_to_their_width_and_hide_nothing,
        tables_keep_to_their_width_and_hide_nothing,
        json_keeps_every_table,
        json_of_reports,
        json_keeps_every_report,
        no_screen_overflows_or_lets_a_control_character_through,
        color_changes_nothing_but_color,
        a_typical_model_fits_one_screen,
        what_is_not_known_is_never_zero_or_blank,
    ];
}

const ASCII: Style = Style { width: 80, color: false, unicode: false };

fn color(width: usize) -> Style {
    Style { width, color: true, unicode: true }
}

/// The screens of one fixture under the given styles, each in a snapshot of its own.
fn snapshots(name: &str, report: &Report, styles: &[Style]) {
    for style in styles {
        let kind = match (style.color, style.unicode) {
            (true, _) => "_color",
            (_, false) => "_ascii",
            _ => "",
        };
        // A visible escape keeps the snapshot's file plain text.
        let screen = terminal::report(report, style).replace('\u{1b}', "␛");
        insta::assert_snapshot!(format!("{name}_{}{kind}", style.width), screen);
    }
}

fn mnist() {
    let styles = [Style::plain(100), Style::plain(80), Style::plain(40), color(80), ASCII];
    snapshots("mnist", &fixtures::mnist(), &styles);
}

fn encoder() {
    let styles = [Style::plain(100), Style::plain(80), Style::plain(40), ASCII];
    snapshots("encoder", &fixtures::encoder(), &styles);
}

fn hostile() {
    let styles = [Style::plain(80), Style::plain(40), color(100), ASCII];
    snapshots("hostile", &fixtures::hostile(), &styles);
}

fn unknown() {
    let styles = [Style::plain(100), Style::plain(80), Style::plain(40), color(80), ASCII];
    snapshots("unknown", &fixtures::unknowns(), &styles);
}

fn empty() {
    snapshots("empty", &fixtures::empty(), &[Style::plain(80), Style::plain(40)]);
}

fn rich() {
    snapshots("rich", &fixtures::rich(), &[Style::plain(100), Style::plain(80), Style::plain(40)]);
}

fn hardware() {
    for (name, report) in [
        ("hardware", fixtures::hardware()),
        ("generator", fixtures::generator()),
        ("untimed", fixtures::untimed()),
    ] {
        snapshots(name, &report, &[Style::plain(80)]);
        for style in [Style::plain(100), Style::plain(80), Style::plain(40), ASCII] {
            let kind = if style.unicode { "" } else { "_ascii" };
            let screen = terminal::document(&sections::hardware(&report), &style);
            insta::assert_snapshot!(format!("{name}_page_{}{kind}", style.width), screen);
        }
        insta::assert_snapshot!(
            format!("{name}_csv"),
            csv::tables(&tables::hardware(report.hardware.as_ref().unwrap()))
        );
    }
    let hardware = fixtures::hardware().hardware.unwrap();
    let read: calipers_report::Hardware =
        serde_json::from_str(&json::to_string(&hardware)).unwrap();
    assert_eq!(read, hardware);
}

fn pages_about_hardware_keep_to_their_width_and_hide_nothing() {
    for (name, report) in fixtures::all() {
        for width in 0..130 {
            for unicode in [true, false] {
                let style = Style { width, color: false, unicode };
                let screen = terminal::document(&sections::hardware(&report), &style);
                assert!(unicode || screen.is_ascii(), "{name} at {width}: {screen}");
                for line in screen.lines() {
                    assert!(!line.contains(text::is_hidden), "{name} at {width}: {line:?}");
                    assert!(line.width() <= width.clamp(24, 100), "{name} at {width}: {line:?}");
                }
            }
        }
    }
}

/// The scopes of a table of layers where it has any, else its nodes.
fn layer_table(table: &LayerTable) -> Table {
    if table.scopes.is_empty() { tables::layers(table) } else { tables::scopes(table) }
}

fn tables_of_models() {
    for width in [200, 100, 50] {
        let style = Style::plain(width);
        let screens = [
            ("layers", terminal::table(&layer_table(&fixtures::layers(false)), &style)),
            ("tree", terminal::table(&layer_table(&fixtures::layers(true)), &style)),
            ("sweep", terminal::table(&tables::sweep(&fixtures::sweep()), &style)),
        ];
        for (name, screen) in screens {
            insta::assert_snapshot!(format!("{name}_{width}"), screen);
        }
    }
    insta::assert_snapshot!("layers_csv", csv::table(&tables::layers(&fixtures::layers(false))));
    insta::assert_snapshot!("tree_csv", csv::table(&tables::scopes(&fixtures::layers(true))));
    insta::assert_snapshot!("sweep_csv", csv::table(&tables::sweep(&fixtures::sweep())));
}

fn devices() {
    let catalog = fixtures::devices();
    let list = catalog.select(&Filter::default()).list();
    for width in [200, 100, 50] {
        let style = Style::plain(width);
        let screen = terminal::table(&tables::devices(&list), &style);
        insta::assert_snapshot!(format!("devices_{width}"), screen);
    }
    insta::assert_snapshot!("devices_csv", csv::table(&tables::devices(&list)));
    for id in ["h200-nvl", "coral-edgetpu", "hostile"] {
        let sheet = catalog.sheet(catalog.find(id).unwrap());
        for style in [Style::plain(100), Style::plain(40), ASCII] {
            let kind = if style.unicode { "" } else { "_ascii" };
            let screen = terminal::document(&sections::device(&sheet), &style);
            insta::assert_snapshot!(format!("device_{id}_{}{kind}", style.width), screen);
        }
    }
    let mut found = catalog.sheet(catalog.find("rpi5").unwrap());
    found.found = vec!["CPU: Cortex-A76, 4 cores".to_owned(), "it is rpi5 of the table".to_owned()];
    found.matched = Some("rpi5".to_owned());
    insta::assert_snapshot!(
        "device_found",
        terminal::document(&sections::device(&found), &Style::plain(80))
    );
    insta::assert_snapshot!("device_json", json::to_string(&found));
    let none = DeviceList { unknown_memory: 1, ..DeviceList::default() };
    insta::assert_snapshot!(
        "devices_none",
        terminal::table(&tables::devices(&none), &Style::plain(80))
    );
}

fn devices_keep_to_their_width_and_hide_nothing() {
    let catalog = fixtures::devices();
    let all = builtin().select(&Filter::default()).list();
    let some = catalog.select(&Filter::default());
    let list = some.list();
    // Every width matters to the small table; the large one is slow to set.
    for width in 0..260 {
        for unicode in [true, false] {
            let style = Style { width, color: false, unicode };
            let mut screens = vec![terminal::table(&tables::devices(&list), &style)];
            if width % 20 == 0 {
                screens.push(terminal::table(&tables::devices(&all), &style));
            }
            for device in &some.devices {
                screens.push(terminal::document(&sections::device(&catalog.sheet(device)), &style));
            }
            for screen in screens {
                assert!(unicode || screen.is_ascii(), "at {width}: {screen}");
                for line in screen.lines() {
                    assert!(!line.contains(text::is_hidden), "at {width}: {line:?}");
                    assert!(line.width() <= width.clamp(24, 240), "at {width}: {line:?}");
                }
            }
        }
    }
    for json in [json::to_string(&list), json::to_string(&catalog.sheet(some.devices[0]))] {
        assert!(serde_json::from_str::<serde_json::Value>(&json).is_ok());
        assert!(json.chars().all(|c| c == '\n' || !text::is_hidden(c)));
    }
}

fn tables_keep_to_their_width_and_hide_nothing() {
    for width in 0..260 {
        for unicode in [true, false] {
            let style = Style { width, color: false, unicode };
            for screen in [
                terminal::table(&layer_table(&fixtures::layers(false)), &style),
                terminal::table(&layer_table(&fixtures::layers(true)), &style),
                terminal::table(&tables::sweep(&fixtures::sweep()), &style),
                terminal::table(&layer_table(&LayerTable::default()), &style),
                terminal::table(&tables::sweep(&SweepTable::default()), &style),
            ] {
                assert!(unicode || screen.is_ascii(), "at {width}: {screen}");
                for line in screen.lines() {
                    assert!(!line.contains(text::is_hidden), "at {width}: {line:?}");
                    assert!(line.width() <= width.clamp(24, 240), "at {width}: {line:?}");
                }
            }
        }
    }
}

/// Tables of every kind, some with hostile names.
fn some_tables() -> Vec<Table> {
    let hardware = fixtures::hardware().hardware.unwrap();
    let mut all = vec![
        tables::layers(&fixtures::layers(false)),
        tables::scopes(&fixtures::layers(true)),
        tables::sweep(&fixtures::sweep()),
        tables::devices(&fixtures::devices().select(&Filter::default()).list()),
        tables::top_kernels(&hardware.top_kernels),
        tables::memory_parts(&hardware),
    ];
    all.extend(tables::hardware(&hardware));
    all
}

fn every_table_in_every_format() {
    for table in some_tables() {
        let rows = csv::table(&table).lines().count() - 1;
        let lines = jsonl::table(&table);
        assert_eq!(lines.lines().count(), rows, "{}", table.id);
        for line in lines.lines() {
            assert!(serde_json::from_str::<serde_json::Value>(line).is_ok(), "{line}");
        }
        let page = html::table(&table).into_string();
        let sheet = markdown::table(&table);
        for text in [&lines, &page, &sheet, &terminal::table(&table, &Style::plain(120))] {
            assert!(!text.contains(|c| c != '\n' && text::is_hidden(c)), "{}: {text}", table.id);
        }
        // A row for each row, one for the headings, one beneath them, and those for people alone.
        assert!(sheet.lines().filter(|line| line.starts_with('|')).count() >= rows + 2);
        assert!(page.matches("<tr>").count() > rows, "{page}");
    }
}

fn a_document_says_the_same_in_markdown_and_html() {
    for (name, report) in fixtures::all() {
        let card = sections::card(&report, &CardOptions::default());
        let (sheet, page) = (markdown::document(&card, &[]), html::document(&card).into_string());
        for text in [&sheet, &page] {
            assert!(!text.contains(|c| c != '\n' && text::is_hidden(c)), "{name}: {text}");
        }
        for section in card.sections.iter().filter(|section| !section.title.is_empty()) {
            assert!(sheet.contains(&format!("\n## {}\n", section.title)), "{name}");
            assert!(page.contains(&format!("<h2>{}</h2>", section.title)), "{name}");
        }
        let rows = sheet.lines().filter(|line| line.starts_with('|')).count();
        let headings = sheet.lines().filter(|line| line.starts_with("| ---")).count();
        let facts = sheet.lines().filter(|line| line.starts_with("- **")).count();
        // Markdown has a line beneath the headings of a table. A page has facts as rows.
        assert!(page.matches("<tr>").count() >= rows - headings, "{name}");
        assert!(page.matches("<tr>").count() <= rows - headings + facts, "{name}");
    }
}

fn a_card_on_a_terminal_keeps_to_its_width_and_hides_nothing() {
    for (name, report) in fixtures::all() {
        let card = sections::card(&report, &CardOptions::default());
        for width in (0..130).step_by(7) {
            for unicode in [true, false] {
                let screen = terminal::document(&card, &Style { width, color: false, unicode });
                assert!(unicode || screen.is_ascii(), "{name} at {width}: {screen}");
                for line in screen.lines() {
                    assert!(!line.contains(text::is_hidden), "{name} at {width}: {line:?}");
                    assert!(line.width() <= width.clamp(24, 100), "{name} at {width}: {line:?}");
                }
            }
        }
    }
}

fn json_keeps_every_table() {
    for table in [fixtures::layers(false), fixtures::layers(true)] {
        assert_eq!(serde_json::from_str::<LayerTable>(&json::to_string(&table)).unwrap(), table);
    }
    let table = fixtures::sweep();
    assert_eq!(serde_json::from_str::<SweepTable>(&json::to_string(&table)).unwrap(), table);
}

fn json_of_reports() {
    insta::assert_snapshot!("mnist_json", json::to_string(&fixtures::mnist()));
    insta::assert_snapshot!("unknown_json", json::to_string(&fixtures::unknowns()));
}

fn json_keeps_every_report() {
    for (name, report) in fixtures::all() {
        let read: Report = serde_json::from_str(&json::to_string(&report)).unwrap();
        assert_eq!(read, report, "{name}");
    }
}

/// The text without the escape sequences that a style may write: `ESC [ … m`.
fn without_color(screen: &str) -> String {
    let mut plain = String::new();
    let mut pieces = screen.split('\u{1b}');
    plain.extend(pieces.next());
    for piece in pieces {
        let (code, rest) = piece.split_once('m').expect("a sequence ends");
        let digits = code.strip_prefix('[').expect("a sequence is a color or weight");
        assert!(digits.chars().all(|c| c.is_ascii_digit() || c == ';'), "{digits:?}");
        plain.push_str(rest);
    }
    plain
}

fn no_screen_overflows_or_lets_a_control_character_through() {
    let default = ("default", Report::default());
    for (name, report) in fixtures::all().into_iter().chain([default]) {
        for width in 0..130 {
            for (color, unicode) in [(false, true), (true, true), (false, false)] {
                let style = Style { width, color, unicode };
                let screen = terminal::report(&report, &style);
                assert_eq!(color, screen.contains('\u{1b}'), "{name} at {width}");
                let plain = without_color(&screen);
                assert!(unicode || plain.is_ascii(), "{name} at {width}");
                assert!(plain.ends_with('\n') && !plain.ends_with("\n\n"), "{name} at {width}");
                for line in plain.lines() {
                    assert!(!line.contains(text::is_hidden), "{name} at {width}: {line:?}");
                    assert!(!line.ends_with(' '), "{name} at {width}: {line:?}");
                    assert!(line.width() <= width.clamp(24, 100), "{name} at {width}: {line:?}");
                }
            }
        }
    }
}

fn color_changes_nothing_but_color() {
    for (name, report) in fixtures::all() {
        let plain = terminal::report(&report, &Style::plain(80));
        assert_eq!(without_color(&terminal::report(&report, &color(80))), plain, "{name}");
    }
}

fn a_typical_model_fits_one_screen() {
    for (width, most) in [(80, 60), (100, 55)] {
        for report in [fixtures::mnist(), fixtures::encoder()] {
            let lines = terminal::report(&report, &Style::plain(width)).lines().count();
            assert!(lines <= most, "{} takes {lines} lines at {width}", report.model.file);
        }
    }
}

fn what_is_not_known_is_never_zero_or_blank() {
    let screen = terminal::report(&fixtures::unknowns(), &Style::plain(80));
    for key in ["total", "trainable", "size", "in all"] {
        let row = screen.lines().find(|line| line.trim_start().contains(key)).unwrap();
        assert!(row.contains("unknown"), "{row}");
    }
    assert!(screen.contains("depth unknown: the graph has a cycle"));
    for unknown in &fixtures::unknowns().unknown {
        let reason = unknown.reason.split(' ').next_back().unwrap();
        assert!(screen.contains(reason), "{} has no reason", unknown.what);
    }
}
