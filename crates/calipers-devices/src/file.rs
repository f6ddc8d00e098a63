//! The format of `devices.toml`: our own table and a user's file are read by the same code.
//!
//! The text is walked by hand rather than through serde, so that every complaint has its line and
//! column and names the field that was probably meant.

use std::collections::BTreeMap;
use std::io::Read;
use std::ops::Range;
use std::path::Path;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::device::{Device, Evidence, Launch, OnChip};
use crate::error::{DeviceFileError, Fault, Place};
use crate::near;
use crate::precision::Precision;

/// The most bytes of a device file; our own table has a twentieth of that.
pub const MAX_BYTES: u64 = 1 << 20;

const FIELDS: [&str; 23] = [
    "id",
    "name",
    "vendor",
    "class",
    "architecture",
    "memory_gb",
    "memory_type",
    "bandwidth_gb_s",
    "on_chip",
    "peaks",
    "units",
    "clock_mhz",
    "matrix_clock_mhz",
    "cache_mb",
    "power_w",
    "launch",
    "detect_as",
    "dense_checked",
    "evidence",
    "source",
    "derivation",
    "checked",
    "notes",
];
const ON_CHIP: [&str; 3] = ["memory_mb", "link_gb_s", "rule"];
const LAUNCH: [&str; 2] = ["device_us", "host_us"];

/// Names that a device may have in `detect_as`.
const MOST_NAMES: usize = 16;

/// Reads a device file.
pub fn load(path: &Path) -> Result<Vec<Device>, DeviceFileError> {
    let whole = |fault| DeviceFileError { place: None, device: None, fault };
    let unreadable = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => whole(Fault::Unreadable("there is no such file".into())),
        _ => whole(Fault::Unreadable(error.to_string())),
    };
    let facts = std::fs::metadata(path).map_err(unreadable)?;
    if !facts.is_file() {
        let why = if facts.is_dir() { "it is a folder" } else { "it is not a regular file" };
        return Err(whole(Fault::Unreadable(why.to_owned())));
    }
    let mut bytes = vec![];
    // One byte more than allowed tells a file that grows from one that fits.
    let file = std::fs::File::open(path).map_err(unreadable)?;
    file.take(MAX_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
    if bytes.len() as u64 > MAX_BYTES {
        return Err(whole(Fault::TooLarge { most: MAX_BYTES }));
    }
    let text = String::from_utf8(bytes).map_err(|_| whole(Fault::NotText))?;
    parse(&text)
}

/// Reads the text of a device file.
///
/// ```
/// let error = calipers_devices::parse("[[device]]\nid = 'x'\nmemroy_gb = 8").unwrap_err();
/// assert_eq!(error.to_string(), "line 3, column 1: unknown field \"memroy_gb\" in device \"x\"");
/// assert_eq!(error.hint().unwrap(), "did you mean \"memory_gb\"?");
/// ```
pub fn parse(text: &str) -> Result<Vec<Device>, DeviceFileError> {
    let at = |byte: usize, fault| DeviceFileError {
        place: Some(Place::of(text, byte)),
        device: None,
        fault,
    };
    if text.len() as u64 > MAX_BYTES {
        let fault = Fault::TooLarge { most: MAX_BYTES };
        return Err(DeviceFileError { place: None, device: None, fault });
    }
    let document = DeTable::parse(text).map_err(|error| {
        let why = error.message().lines().collect::<Vec<_>>().join(", ");
        at(error.span().map_or(0, |span| span.start), Fault::Syntax(why))
    })?;
    let table = document.get_ref();
    if let Some((key, _)) = table.iter().find(|(key, _)| key.get_ref() != "device") {
        let field = near::shortened(key.get_ref());
        let near = (near::nearest(&field, ["device"]).is_some()).then_some("device");
        return Err(at(key.span().start, Fault::UnknownField { field, near }));
    }
    let Some(stanzas) = table.get("device") else {
        return Err(DeviceFileError { place: None, device: None, fault: Fault::Empty });
    };
    let DeValue::Array(array) = stanzas.get_ref() else {
        return Err(at(stanzas.span().start, wrong("device", "[[device]] stanzas", stanzas)));
    };
    let mut places: BTreeMap<String, Place> = BTreeMap::new();
    let mut devices = Vec::with_capacity(array.len());
    for stanza in array.iter() {
        let DeValue::Table(fields) = stanza.get_ref() else {
            return Err(at(stanza.span().start, wrong("device", "a [[device]] stanza", stanza)));
        };
        let id = fields.get("id").and_then(|id| id.get_ref().as_str());
        let stanza = Stanza { text, id, fields, span: stanza.span() };
        let device = stanza.device()?;
        let place = Place::of(text, stanza.span_of("id").start);
        if let Some(first) = places.insert(device.id.clone(), place) {
            return Err(stanza.error(stanza.span_of("id"), Fault::Duplicate { first }));
        }
        devices.push(device);
    }
    if devices.is_empty() {
        return Err(DeviceFileError { place: None, device: None, fault: Fault::Empty });
    }
    Ok(devices)
}

fn wrong(field: &str, expected: &'static str, value: &Spanned<DeValue<'_>>) -> Fault {
    let found = match value.get_ref() {
        DeValue::String(_) => "a text",
        DeValue::Integer(_) | DeValue::Float(_) => "a number",
        DeValue::Boolean(_) => "true or false",
        DeValue::Datetime(_) => "a date",
        DeValue::Array(_) => "a list",
        DeValue::Table(_) => "a table",
    };
    Fault::WrongType { field: field.to_owned(), expected, found }
}

/// A table of the file, with what it takes to complain about it.
struct Stanza<'a> {
    text: &'a str,
    id: Option<&'a str>,
    fields: &'a DeTable<'a>,
    span: Range<usize>,
}

impl<'a> Stanza<'a> {
    fn device(&self) -> Result<Device, DeviceFileError> {
        self.known(&FIELDS)?;
        let id = self.id()?;
        let class = self.required("class", "a word", |word| word.parse().ok())?;
        let evidence = self.required("evidence", "a word", |word| {
            Evidence::ALL.into_iter().find(|evidence| evidence.name() == word)
        })?;
        let (name, source) = (self.words("name", 120)?, self.words("source", 1000)?);
        let mut device = Device::blank(&id, &name, class, evidence, &source);
        device.vendor = self.words("vendor", 40)?.to_lowercase();
        device.architecture = self.words("architecture", 60)?;
        device.memory_gb = self.figure("memory_gb", "GB (10^9 bytes)", 1e6)?;
        device.memory_type = self.maybe_words("memory_type", 60)?;
        device.bandwidth_gb_s = self.figure("bandwidth_gb_s", "GB/s (10^9 bytes a second)", 1e6)?;
        device.on_chip = self.on_chip()?;
        device.peaks = self.peaks()?;
        device.units = self.units()?;
        device.clock_mhz = self.figure("clock_mhz", "MHz", 1e5)?;
        device.matrix_clock_mhz = self.figure("matrix_clock_mhz", "MHz", 1e5)?;
        device.cache_mb = self.figure("cache_mb", "MB", 1e6)?;
        device.power_w = self.figure("power_w", "W", 1e6)?;
        device.launch = self.launch()?;
        device.detect_as = self.names()?;
        device.dense_checked = self.flag("dense_checked")?;
        device.derivation = self.maybe_words("derivation", 1000)?;
        device.checked = self.maybe_words("checked", 1000)?;
        device.notes = self.maybe_words("notes", 2000)?;
        self.check(&device)?;
        Ok(device)
    }

    /// What no field alone can tell.
    fn check(&self, device: &Device) -> Result<(), DeviceFileError> {
        if device.on_chip.is_some() && device.memory_gb.is_some() {
            return Err(self.error(self.span_of("on_chip"), Fault::TwoMemories));
        }
        if device.evidence == Evidence::Estimated && device.derivation.is_none() {
            return Err(self.error(self.span_of("evidence"), Fault::MissingField("derivation")));
        }
        if device.dense_checked {
            return Ok(());
        }
        for (precision, stated) in &device.peaks {
            if let Some(derived) = device.looks_sparse(*precision) {
                let fault = Fault::LooksSparse {
                    precision: *precision,
                    stated: *stated,
                    derived: derived.flops / 1e12,
                };
                return Err(self.error(self.span_of("peaks"), fault));
            }
        }
        Ok(())
    }

    fn error(&self, span: Range<usize>, fault: Fault) -> DeviceFileError {
        let place = Some(Place::of(self.text, span.start));
        DeviceFileError { place, device: self.id.map(near::shortened), fault }
    }

    /// Where a field's name stands, or the stanza where it has none.
    fn span_of(&self, field: &str) -> Range<usize> {
        self.fields.get_key_value(field).map_or(self.span.clone(), |(key, _)| key.span())
    }

    fn known(&self, known: &[&'static str]) -> Result<(), DeviceFileError> {
        // The map is sorted by name; the reader meets fields in the order of the file.
        let mut keys: Vec<_> = self.fields.iter().map(|(key, _)| key).collect();
        keys.sort_by_key(|key| key.span().start);
        let Some(key) = keys.into_iter().find(|key| !known.contains(&key.get_ref().as_ref()))
        else {
            return Ok(());
        };
        let near = near::nearest(key.get_ref(), known.iter().copied());
        let near = known.iter().copied().find(|name| Some(*name) == near);
        let field = near::shortened(key.get_ref());
        Err(self.error(key.span(), Fault::UnknownField { field, near }))
    }

    fn text(
        &self,
        field: &'static str,
    ) -> Result<Option<(&'a str, Range<usize>)>, DeviceFileError> {
        let Some(value) = self.fields.get(field) else { return Ok(None) };
        match value.get_ref().as_str() {
            Some(text) => Ok(Some((text, value.span()))),
            None => Err(self.error(value.span(), wrong(field, "a text", value))),
        }
    }

    fn required<T>(
        &self,
        field: &'static str,
        expected: &'static str,
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<T, DeviceFileError> {
        let Some((text, span)) = self.text(field)? else {
            return Err(self.error(self.span.clone(), Fault::MissingField(field)));
        };
        if text.is_empty() {
            return Err(self.error(span, Fault::BadText { field, expected }));
        }
        let word = near::shortened(text);
        read(text).ok_or_else(|| self.error(span, Fault::UnknownWord { field, word }))
    }

    fn id(&self) -> Result<String, DeviceFileError> {
        const EXPECTED: &str = "lower-case letters, digits, \"-\" and \".\", at most 60 of them, \
            and neither \"auto\" nor \"all\"";
        let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '.';
        let Some((id, span)) = self.text("id")? else {
            return Err(self.error(self.span.clone(), Fault::MissingField("id")));
        };
        let begins = id.starts_with(|c: char| c.is_ascii_alphanumeric());
        if !begins || id.len() > 60 || !id.chars().all(fits) || matches!(id, "auto" | "all") {
            let fault = Fault::BadText { field: "id", expected: EXPECTED };
            return Err(DeviceFileError { device: None, ..self.error(span, fault) });
        }
        Ok(id.to_owned())
    }

    fn words(&self, field: &'static str, most: usize) -> Result<String, DeviceFileError> {
        let missing = || self.error(self.span.clone(), Fault::MissingField(field));
        self.maybe_words(field, most)?.ok_or_else(missing)
    }

    fn maybe_words(
        &self,
        field: &'static str,
        most: usize,
    ) -> Result<Option<String>, DeviceFileError> {
        let Some((text, span)) = self.text(field)? else { return Ok(None) };
        if text.trim().is_empty() || text.chars().count() > most {
            let expected = "words, and not too many; leave the field out where there is none";
            return Err(self.error(span, Fault::BadText { field, expected }));
        }
        Ok(Some(text.trim().to_owned()))
    }

    fn flag(&self, field: &'static str) -> Result<bool, DeviceFileError> {
        let Some(value) = self.fields.get(field) else { return Ok(false) };
        let wrong = || self.error(value.span(), wrong(field, "true or false", value));
        value.get_ref().as_bool().ok_or_else(wrong)
    }

    fn figure(
        &self,
        field: &str,
        unit: &'static str,
        most: f64,
    ) -> Result<Option<f64>, DeviceFileError> {
        let Some(value) = self.fields.get(field) else { return Ok(None) };
        let (number, written) = match value.get_ref() {
            DeValue::Integer(number) => {
                let whole = i64::from_str_radix(number.as_str(), number.radix());
                (whole.map_or(f64::INFINITY, |whole| whole as f64), number.as_str())
            }
            DeValue::Float(number) => {
                (number.as_str().parse().unwrap_or(f64::NAN), number.as_str())
            }
            _ => return Err(self.error(value.span(), wrong(field, "a number", value))),
        };
        // Comparisons with NaN are false, so that it does not pass.
        if number > 0.0 && number <= most && number.is_normal() {
            return Ok(Some(number));
        }
        let (field, value_text) = (field.to_owned(), near::shortened(written));
        let fault = Fault::OutOfRange { field, value: value_text, unit, most };
        Err(self.error(value.span(), fault))
    }

    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked: 1 to 10^6"
    )]
    fn units(&self) -> Result<Option<u32>, DeviceFileError> {
        let Some(units) = self.figure("units", "multiprocessors, compute units or cores", 1e6)?
        else {
            return Ok(None);
        };
        if units.fract() != 0.0 {
            let found = "a fraction";
            let fault =
                Fault::WrongType { field: "units".into(), expected: "a whole number", found };
            return Err(self.error(self.span_of("units"), fault));
        }
        Ok(Some(units as u32))
    }

    /// A table within the stanza, whose fields are among the known ones.
    fn inner(
        &self,
        field: &'static str,
        known: &[&'static str],
    ) -> Result<Option<Self>, DeviceFileError> {
        let Some(value) = self.fields.get(field) else { return Ok(None) };
        let DeValue::Table(fields) = value.get_ref() else {
            return Err(self.error(value.span(), wrong(field, "a table", value)));
        };
        let inner = Self { text: self.text, id: self.id, fields, span: value.span() };
        inner.known(known)?;
        Ok(Some(inner))
    }

    fn peaks(&self) -> Result<BTreeMap<Precision, f64>, DeviceFileError> {
        let mut peaks = BTreeMap::new();
        let Some(inner) = self.inner("peaks", &Precision::ALL.map(Precision::name))? else {
            return Ok(peaks);
        };
        for precision in Precision::ALL {
            if let Some(peak) = inner.figure(precision.name(), precision.unit(), 1e6)? {
                peaks.insert(precision, peak);
            }
        }
        Ok(peaks)
    }

    fn on_chip(&self) -> Result<Option<OnChip>, DeviceFileError> {
        let Some(inner) = self.inner("on_chip", &ON_CHIP)? else { return Ok(None) };
        Ok(Some(OnChip {
            memory_mb: inner.figure("memory_mb", "MB (10^6 bytes)", 1e6)?,
            link_gb_s: inner.figure("link_gb_s", "GB/s (10^9 bytes a second)", 1e6)?,
            rule: inner.words("rule", 500)?,
        }))
    }

    fn launch(&self) -> Result<Launch, DeviceFileError> {
        let Some(inner) = self.inner("launch", &LAUNCH)? else { return Ok(Launch::default()) };
        Ok(Launch {
            device_us: inner.figure("device_us", "microseconds", 1e6)?,
            host_us: inner.figure("host_us", "microseconds", 1e6)?,
        })
    }

    fn names(&self) -> Result<Vec<String>, DeviceFileError> {
        let Some(value) = self.fields.get("detect_as") else { return Ok(vec![]) };
        let wrong = || self.error(value.span(), wrong("detect_as", "a list of texts", value));
        let list = value.get_ref().as_array().ok_or_else(wrong)?;
        let names: Option<Vec<&str>> = list.iter().map(|name| name.get_ref().as_str()).collect();
        let names = names.ok_or_else(wrong)?;
        let fits = |name: &&str| !name.trim().is_empty() && name.chars().count() <= 120;
        if names.len() > MOST_NAMES || !names.iter().all(fits) {
            let fault = Fault::BadText { field: "detect_as", expected: "a few names" };
            return Err(self.error(value.span(), fault));
        }
        Ok(names.into_iter().map(|name| name.trim().to_owned()).collect())
    }
}

#[cfg(test)]
#[path = "file_tests.rs"]
mod tests;
