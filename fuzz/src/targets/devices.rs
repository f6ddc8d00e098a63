//! Any bytes read as a device file; what is read is listed and shown in full.

use std::hint::black_box;

use calipers::devices::{Filter, builtin};
use calipers_render::Style;

use crate::output::check_screen;

pub(crate) fn run(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let devices = match calipers::devices::parse(text) {
        Ok(devices) => devices,
        Err(error) => {
            black_box(error.hint());
            check_screen(&calipers_render::text::whole(&error.to_string()), "the error");
            return;
        }
    };
    let catalog = builtin().with(devices.clone());
    for device in &devices {
        assert!(device.peaks.values().all(|peak| peak.is_finite() && *peak > 0.0));
        assert_eq!(catalog.find(&device.id), Ok(device), "an id finds its device");
        let sheet = calipers_render::sections::device(&catalog.sheet(device));
        let screen = calipers_render::terminal::document(&sheet, &Style::plain(60));
        check_screen(&screen, "the screen");
    }
    let table = calipers_render::tables::devices(&catalog.select(&Filter::default()).list());
    let screen = calipers_render::terminal::table(&table, &Style::plain(80));
    check_screen(&screen, "the screen");
}
