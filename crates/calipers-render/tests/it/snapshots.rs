//! What each rendering of the fixtures looks like, and what holds for all of them.

use calipers_devices::{Filter, Selection, builtin};
use calipers_render::{
    Style, device_to_json, device_to_terminal, devices_to_csv, devices_to_json,
    devices_to_terminal, hardware_to_csv, hardware_to_json, hardware_to_terminal, layers_to_csv,
    layers_to_json, layers_to_terminal, scopes_to_csv, sweep_to_csv, sweep_to_json,
    sweep_to_terminal, text, to_json, to_terminal,
};
use calipers_report::{LayerTable, Report, SweepTable};
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
        tables,
        devices,
        devices_keep_to_their_width_and_hide_nothing,
        tables_keep_to_their_width_and_hide_nothing,
        json_keeps_every_table,
        json,
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
        let screen = to_terminal(report, style).replace('\u{1b}', "␛");
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
            let screen = hardware_to_terminal(&report, &style);
            insta::assert_snapshot!(format!("{name}_page_{}{kind}", style.width), screen);
        }
        insta::assert_snapshot!(
            format!("{name}_csv"),
            hardware_to_csv(report.hardware.as_ref().unwrap())
        );
    }
    let hardware = fixtures::hardware().hardware.unwrap();
    let read: calipers_report::Hardware =
        serde_json::from_str(&hardware_to_json(&hardware)).unwrap();
    assert_eq!(read, hardware);
}

fn pages_about_hardware_keep_to_their_width_and_hide_nothing() {
    for (name, report) in fixtures::all() {
        for width in 0..130 {
            for unicode in [true, false] {
                let style = Style { width, color: false, unicode };
                let screen = hardware_to_terminal(&report, &style);
                assert!(unicode || screen.is_ascii(), "{name} at {width}: {screen}");
                for line in screen.lines() {
                    assert!(!line.contains(text::is_hidden), "{name} at {width}: {line:?}");
                    assert!(line.width() <= width.clamp(24, 100), "{name} at {width}: {line:?}");
                }
            }
        }
    }
}

fn tables() {
    for width in [200, 100, 50] {
        let style = Style::plain(width);
        let screens = [
            ("layers", layers_to_terminal(&fixtures::layers(false), &style)),
            ("tree", layers_to_terminal(&fixtures::layers(true), &style)),
            ("sweep", sweep_to_terminal(&fixtures::sweep(), &style)),
        ];
        for (name, screen) in screens {
            insta::assert_snapshot!(format!("{name}_{width}"), screen);
        }
    }
    insta::assert_snapshot!("layers_csv", layers_to_csv(&fixtures::layers(false)));
    insta::assert_snapshot!("tree_csv", scopes_to_csv(&fixtures::layers(true)));
    insta::assert_snapshot!("sweep_csv", sweep_to_csv(&fixtures::sweep()));
}

fn devices() {
    let catalog = fixtures::devices();
    let selection = catalog.select(&Filter::default());
    for width in [200, 100, 50] {
        let style = Style::plain(width);
        let screen = devices_to_terminal(&selection, &style);
        insta::assert_snapshot!(format!("devices_{width}"), screen);
    }
    insta::assert_snapshot!("devices_csv", devices_to_csv(&selection.devices));
    for id in ["h200-nvl", "coral-edgetpu", "hostile"] {
        let sheet = catalog.sheet(catalog.find(id).unwrap());
        for style in [Style::plain(100), Style::plain(40), ASCII] {
            let kind = if style.unicode { "" } else { "_ascii" };
            let screen = device_to_terminal(&sheet, &style);
            insta::assert_snapshot!(format!("device_{id}_{}{kind}", style.width), screen);
        }
    }
    let mut found = catalog.sheet(catalog.find("rpi5").unwrap());
    found.found = vec!["CPU: Cortex-A76, 4 cores".to_owned(), "it is rpi5 of the table".to_owned()];
    found.matched = Some("rpi5".to_owned());
    insta::assert_snapshot!("device_found", device_to_terminal(&found, &Style::plain(80)));
    insta::assert_snapshot!("device_json", device_to_json(&found));
    let none = Selection { unknown_memory: 1, ..Selection::default() };
    insta::assert_snapshot!("devices_none", devices_to_terminal(&none, &Style::plain(80)));
}

fn devices_keep_to_their_width_and_hide_nothing() {
    let catalog = fixtures::devices();
    let all = builtin().select(&Filter::default());
    let some = catalog.select(&Filter::default());
    // Every width matters to the small table; the large one is slow to set.
    for width in 0..260 {
        for unicode in [true, false] {
            let style = Style { width, color: false, unicode };
            let mut screens = vec![devices_to_terminal(&some, &style)];
            if width % 20 == 0 {
                screens.push(devices_to_terminal(&all, &style));
            }
            for device in &some.devices {
                screens.push(device_to_terminal(&catalog.sheet(device), &style));
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
    for json in [devices_to_json(&some), device_to_json(&catalog.sheet(some.devices[0]))] {
        assert!(serde_json::from_str::<serde_json::Value>(&json).is_ok());
        assert!(json.chars().all(|c| c == '\n' || !text::is_hidden(c)));
    }
}

fn tables_keep_to_their_width_and_hide_nothing() {
    for width in 0..260 {
        for unicode in [true, false] {
            let style = Style { width, color: false, unicode };
            for screen in [
                layers_to_terminal(&fixtures::layers(false), &style),
                layers_to_terminal(&fixtures::layers(true), &style),
                sweep_to_terminal(&fixtures::sweep(), &style),
                layers_to_terminal(&LayerTable::default(), &style),
                sweep_to_terminal(&SweepTable::default(), &style),
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

fn json_keeps_every_table() {
    for table in [fixtures::layers(false), fixtures::layers(true)] {
        assert_eq!(serde_json::from_str::<LayerTable>(&layers_to_json(&table)).unwrap(), table);
    }
    let table = fixtures::sweep();
    assert_eq!(serde_json::from_str::<SweepTable>(&sweep_to_json(&table)).unwrap(), table);
}

fn json() {
    insta::assert_snapshot!("mnist_json", to_json(&fixtures::mnist()));
    insta::assert_snapshot!("unknown_json", to_json(&fixtures::unknowns()));
}

fn json_keeps_every_report() {
    for (name, report) in fixtures::all() {
        let read: Report = serde_json::from_str(&to_json(&report)).unwrap();
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
        let digits = code.strip_prefix('[').expect("a sequence is a colour or weight");
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
                let screen = to_terminal(&report, &style);
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
        let plain = to_terminal(&report, &Style::plain(80));
        assert_eq!(without_color(&to_terminal(&report, &color(80))), plain, "{name}");
    }
}

fn a_typical_model_fits_one_screen() {
    for (width, most) in [(80, 60), (100, 55)] {
        for report in [fixtures::mnist(), fixtures::encoder()] {
            let lines = to_terminal(&report, &Style::plain(width)).lines().count();
            assert!(lines <= most, "{} takes {lines} lines at {width}", report.model.file);
        }
    }
}

fn what_is_not_known_is_never_zero_or_blank() {
    let screen = to_terminal(&fixtures::unknowns(), &Style::plain(80));
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
