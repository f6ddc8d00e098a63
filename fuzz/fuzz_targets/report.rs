//! Any bytes from file to screen: read, analyzed, and rendered in two widths and as JSON.
#![no_main]

use calipers_render::Style;
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let Ok(model) = calipers::Model::read(bytes.to_vec(), "fuzz.onnx") else { return };
    let Ok(report) = model.analyze(&calipers::Options::new()) else { return };
    let json = calipers_render::json::to_string(&report);
    assert!(!json.contains(|c: char| c.is_control() && c != '\n'), "JSON holds no controls");
    for width in [40, 100] {
        let screen = calipers_render::terminal::report(&report, &Style::plain(width));
        assert!(!screen.contains(|c: char| c.is_control() && c != '\n'), "nothing steers");
    }
});
