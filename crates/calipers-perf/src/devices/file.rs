//! The format of `devices.toml`: our own table and a user's file are read by the same code.
//!
//! Reading has three steps: TOML syntax, the structure (serde), and the values. Every error names
//! line, column and field, and where possible the field that was probably meant.

use std::collections::BTreeMap;
use std::fmt;
use std::io::Read;
use std::ops::Range;
use std::path::Path;

use calipers_report::suggestions::{nearest, shortened};
use calipers_report::{DeviceClass, Evidence, LaunchOverhead, OnChipMemory, Precision};
use serde::de::{Deserializer, Visitor};
use serde::{Deserialize, de};
use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::devices::device::Device;
use crate::devices::error::{DeviceFileError, Fault, Place};
use crate::processor::CpuTiming;

/// The most bytes of a device file; our own table has a twentieth of that.
pub const MAX_BYTES: u64 = 1 << 20;

/// The most names of a device in `aliases` or `detect_as`.
const MAX_NAMES: usize = 16;

/// The unit of a bandwidth, as a hint states it.
const GB_PER_SECOND: &str = "GB/s (10^9 bytes per second)";

/// Reads a device file.
pub fn load(path: &Path) -> Result<Vec<Device>, DeviceFileError> {
    let unreadable = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => whole(Fault::Unreadable("no such file".into())),
        _ => whole(Fault::Unreadable(error.to_string())),
    };
    let metadata = std::fs::metadata(path).map_err(unreadable)?;
    if !metadata.is_file() {
        let why = if metadata.is_dir() { "it is a folder" } else { "it is not a regular file" };
        return Err(whole(Fault::Unreadable(why.to_owned())));
    }
    let mut bytes = vec![];
    // One byte more than allowed separates a file that is too long from one that just fits.
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
/// let error = calipers_perf::devices::parse("[[device]]\nid = 'x'\nmemroy_gb = 8").unwrap_err();
/// assert_eq!(error.to_string(), "line 3, column 1: unknown field \"memroy_gb\" in device \"x\"");
/// assert_eq!(error.hint().unwrap(), "did you mean \"memory_gb\"?");
/// ```
pub fn parse(text: &str) -> Result<Vec<Device>, DeviceFileError> {
    if text.len() as u64 > MAX_BYTES {
        return Err(whole(Fault::TooLarge { most: MAX_BYTES }));
    }
    let document = DeTable::parse(text).map_err(|error| {
        let why = error.message().lines().collect::<Vec<_>>().join(", ");
        let byte = error.span().map_or(0, |span| span.start);
        DeviceFileError { place: Some(Place::at_byte(text, byte)), ..whole(Fault::Syntax(why)) }
    })?;
    // Where each stanza begins, for errors of serde, which know bytes but no devices.
    let stanzas = ids(document.get_ref());
    let file = DeviceFile::deserialize(toml::de::Deserializer::from(document))
        .map_err(|error| structural(text, &stanzas, &error))?;
    // The first byte of each id; lines are counted only for an error.
    let mut starts: BTreeMap<String, usize> = BTreeMap::new();
    let mut devices = Vec::with_capacity(file.device.len());
    for stanza in file.device {
        let reader = Reader {
            text,
            id: stanza.get_ref().id.as_ref().map(|id| id.get_ref().clone()),
            span: stanza.span(),
        };
        let id_span = stanza.get_ref().id.as_ref().map_or(stanza.span(), Spanned::span);
        let device = reader.device(stanza.into_inner())?;
        if let Some(first) = starts.insert(device.id.clone(), id_span.start) {
            let first = Place::at_byte(text, first);
            return Err(reader.error(id_span, Fault::Duplicate { first }));
        }
        devices.push(device);
    }
    if devices.is_empty() {
        return Err(whole(Fault::Empty));
    }
    Ok(devices)
}

/// An error of the file as a whole.
fn whole(fault: Fault) -> DeviceFileError {
    DeviceFileError { place: None, device: None, fault: Box::new(fault) }
}

/// The first byte and the id of every stanza, in the order of the file.
fn ids(document: &DeTable<'_>) -> Vec<(usize, Option<String>)> {
    let Some(DeValue::Array(stanzas)) = document.get("device").map(Spanned::get_ref) else {
        return vec![];
    };
    let id = |stanza: &Spanned<DeValue<'_>>| {
        let id = stanza.get_ref().as_table()?.get("id")?.get_ref().as_str()?;
        Some(shortened(id))
    };
    stanzas.iter().map(|stanza| (stanza.span().start, id(stanza))).collect()
}

/// What serde found wrong, as one of our errors.
fn structural(
    text: &str,
    stanzas: &[(usize, Option<String>)],
    error: &toml::de::Error,
) -> DeviceFileError {
    let span = error.span().unwrap_or(0..0);
    let device = stanzas.iter().rev().find(|(start, _)| *start <= span.start);
    DeviceFileError {
        place: Some(Place::at_byte(text, span.start)),
        device: device.and_then(|(_, id)| id.clone()),
        fault: Box::new(structural_fault(text, &span, error.message())),
    }
}

/// Sorts serde's messages, whose wording is part of its interface, by what they report.
fn structural_fault(text: &str, span: &Range<usize>, message: &str) -> Fault {
    // The words in backticks are the one that was found, then those that were expected.
    let mut quoted = message.split('`').skip(1).step_by(2);
    if (message.starts_with("unknown field") || message.starts_with("unknown variant"))
        && let Some(field) = quoted.next()
    {
        let near = nearest(field, quoted).map(str::to_owned);
        return Fault::UnknownField { field: shortened(field), near };
    }
    let field = key_before(text, span.start).unwrap_or("device").to_owned();
    if let Some((found, expected)) =
        message.strip_prefix("invalid type: ").and_then(|rest| rest.rsplit_once(", expected "))
    {
        let (expected, found) = (shortened(expected), shortened(found));
        return Fault::WrongType { field, expected, found };
    }
    let value = shortened(text.get(span.clone()).unwrap_or_default());
    Fault::Invalid { field, value, why: shortened(message) }
}

/// The key of the value that begins at a byte: the word before the last equals sign.
fn key_before(text: &str, byte: usize) -> Option<&str> {
    let (before, _) = text.get(..byte)?.rsplit_once('=')?;
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_' || c == '-';
    before.trim_end().rsplit(|c| !is_part(c)).next().filter(|key| !key.is_empty())
}

/// A number, whole or not.
#[derive(Clone, Copy)]
struct Number(f64);

impl<'de> Deserialize<'de> for Number {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        struct Numbers;

        impl Visitor<'_> for Numbers {
            type Value = Number;

            fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                f.write_str("a number")
            }

            fn visit_i64<E: de::Error>(self, value: i64) -> Result<Number, E> {
                Ok(Number(value as f64))
            }

            fn visit_u64<E: de::Error>(self, value: u64) -> Result<Number, E> {
                Ok(Number(value as f64))
            }

            fn visit_f64<E: de::Error>(self, value: f64) -> Result<Number, E> {
                Ok(Number(value))
            }
        }
        deserializer.deserialize_any(Numbers)
    }
}

type Text = Option<Spanned<String>>;
type Figure = Option<Spanned<Number>>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct DeviceFile {
    #[serde(default)]
    device: Vec<Spanned<Stanza>>,
}

/// A `[[device]]` as written; [`Reader::device`] checks it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a [[device]] stanza")]
struct Stanza {
    id: Text,
    name: Text,
    vendor: Text,
    class: Text,
    architecture: Text,
    memory_gb: Figure,
    memory_type: Text,
    bandwidth_gb_s: Figure,
    on_chip: Option<Spanned<RawOnChip>>,
    peaks: Option<Spanned<BTreeMap<Precision, Spanned<Number>>>>,
    units: Figure,
    performance_cores: Figure,
    clock_mhz: Figure,
    matrix_clock_mhz: Figure,
    cache_mb: Figure,
    power_w: Figure,
    launch: Option<RawLaunch>,
    timing: Option<Box<CpuTiming>>,
    aliases: Option<Spanned<Vec<String>>>,
    detect_as: Option<Spanned<Vec<String>>>,
    #[serde(default)]
    dense_checked: bool,
    evidence: Text,
    source: Text,
    derivation: Text,
    checked: Text,
    notes: Text,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
struct RawOnChip {
    memory_mb: Figure,
    link_gb_s: Figure,
    rule: Text,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, expecting = "a table")]
struct RawLaunch {
    device_us: Figure,
    host_us: Figure,
}

/// Checks the values of a stanza.
struct Reader<'a> {
    text: &'a str,
    id: Option<String>,
    span: Range<usize>,
}

impl Reader<'_> {
    fn device(&self, raw: Stanza) -> Result<Device, DeviceFileError> {
        let id = self.id(raw.id)?;
        let class = self.word("class", raw.class, |word| {
            word.to_ascii_lowercase().parse::<DeviceClass>().ok()
        })?;
        let evidence_span = raw.evidence.as_ref().map_or(self.span.clone(), Spanned::span);
        let evidence = self.word("evidence", raw.evidence, |word| word.parse().ok())?;
        let name = self.required("name", raw.name, 120)?;
        let source = self.required("source", raw.source, 1000)?;
        let on_chip_span = raw.on_chip.as_ref().map(Spanned::span);
        let peaks_span = raw.peaks.as_ref().map_or(self.span.clone(), Spanned::span);

        let mut device = Device::blank(&id, &name, class, evidence, &source);
        device.vendor = self.required("vendor", raw.vendor, 40)?.to_lowercase();
        device.architecture = self.required("architecture", raw.architecture, 60)?;
        device.memory_gb = self.figure("memory_gb", raw.memory_gb, "GB (10^9 bytes)", 1e6)?;
        device.memory_type = self.optional("memory_type", raw.memory_type, 60)?;
        device.bandwidth_gb_s =
            self.figure("bandwidth_gb_s", raw.bandwidth_gb_s, GB_PER_SECOND, 1e6)?;
        device.on_chip = raw.on_chip.map(|raw| self.on_chip(raw)).transpose()?;
        device.peaks = self.peaks(raw.peaks)?;
        device.units = self.count("units", raw.units)?;
        device.performance_cores = self.count("performance_cores", raw.performance_cores)?;
        device.clock_mhz = self.figure("clock_mhz", raw.clock_mhz, "MHz", 1e5)?;
        device.matrix_clock_mhz =
            self.figure("matrix_clock_mhz", raw.matrix_clock_mhz, "MHz", 1e5)?;
        device.cache_mb = self.figure("cache_mb", raw.cache_mb, "MB", 1e6)?;
        device.power_w = self.figure("power_w", raw.power_w, "W", 1e6)?;
        device.timing = raw.timing;
        device.launch = raw.launch.map(|raw| self.launch(raw)).transpose()?.unwrap_or_default();
        device.aliases = self.names("aliases", raw.aliases)?;
        device.detect_as = self.names("detect_as", raw.detect_as)?;
        device.dense_checked = raw.dense_checked;
        device.derivation = self.optional("derivation", raw.derivation, 1000)?;
        device.checked = self.optional("checked", raw.checked, 1000)?;
        device.notes = self.optional("notes", raw.notes, 2000)?;

        if let Some(span) = on_chip_span.filter(|_| device.memory_gb.is_some()) {
            return Err(self.error(span, Fault::TwoMemories));
        }
        if evidence == Evidence::Estimated && device.derivation.is_none() {
            return Err(self.error(evidence_span, Fault::MissingField("derivation")));
        }
        self.check_dense(&device, &peaks_span)?;
        Ok(device)
    }

    /// Refuses peaks that look sparse, unless the file says that they were checked.
    fn check_dense(&self, device: &Device, span: &Range<usize>) -> Result<(), DeviceFileError> {
        if device.dense_checked {
            return Ok(());
        }
        for (&precision, &stated) in &device.peaks {
            if let Some(derived) = device.looks_sparse(precision) {
                let derived = derived.flops / 1e12;
                let fault = Fault::LooksSparse { precision, stated, derived };
                return Err(self.error(span.clone(), fault));
            }
        }
        Ok(())
    }

    fn error(&self, span: Range<usize>, fault: Fault) -> DeviceFileError {
        let place = Some(Place::at_byte(self.text, span.start));
        DeviceFileError { place, device: self.id.as_deref().map(shortened), fault: Box::new(fault) }
    }

    fn missing(&self, field: &'static str) -> DeviceFileError {
        self.error(self.span.clone(), Fault::MissingField(field))
    }

    fn id(&self, id: Text) -> Result<String, DeviceFileError> {
        const EXPECTED: &str = "lower-case letters, digits, \"-\" and \".\", at most 60 of them, \
            and neither \"auto\" nor \"all\"";
        let Some(id) = id else { return Err(self.missing("id")) };
        let span = id.span();
        let id = id.into_inner();
        let fits = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-' || c == '.';
        let begins = id.starts_with(|c: char| c.is_ascii_alphanumeric());
        if !begins || id.len() > 60 || !id.chars().all(fits) || matches!(&*id, "auto" | "all") {
            let fault = Fault::BadText { field: "id", expected: EXPECTED };
            return Err(DeviceFileError { device: None, ..self.error(span, fault) });
        }
        Ok(id)
    }

    /// One word of a closed set.
    fn word<T>(
        &self,
        field: &'static str,
        word: Text,
        read: impl Fn(&str) -> Option<T>,
    ) -> Result<T, DeviceFileError> {
        let Some(word) = word else { return Err(self.missing(field)) };
        read(word.get_ref()).ok_or_else(|| {
            let fault = Fault::UnknownWord { field, word: shortened(word.get_ref()) };
            self.error(word.span(), fault)
        })
    }

    fn required(
        &self,
        field: &'static str,
        text: Text,
        most: usize,
    ) -> Result<String, DeviceFileError> {
        self.optional(field, text, most)?.ok_or_else(|| self.missing(field))
    }

    /// A text of bounded length.
    fn optional(
        &self,
        field: &'static str,
        text: Text,
        most: usize,
    ) -> Result<Option<String>, DeviceFileError> {
        let Some(text) = text else { return Ok(None) };
        let trimmed = text.get_ref().trim();
        if trimmed.is_empty() || trimmed.chars().count() > most {
            let expected = "words, and not too many; leave the field out where there is none";
            return Err(self.error(text.span(), Fault::BadText { field, expected }));
        }
        Ok(Some(trimmed.to_owned()))
    }

    /// A figure above 0 and at most `most`.
    fn figure(
        &self,
        field: &str,
        figure: Figure,
        unit: &'static str,
        most: f64,
    ) -> Result<Option<f64>, DeviceFileError> {
        let Some(figure) = figure else { return Ok(None) };
        let Number(number) = *figure.get_ref();
        // Comparisons with NaN are false, so that it does not pass.
        if number > 0.0 && number <= most && number.is_normal() {
            return Ok(Some(number));
        }
        let span = figure.span();
        let value = shortened(self.text.get(span.clone()).unwrap_or_default());
        let fault = Fault::OutOfRange { field: field.to_owned(), value, unit, most };
        Err(self.error(span, fault))
    }

    #[allow(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "checked: 1 to 10^6"
    )]
    fn count(&self, field: &str, units: Figure) -> Result<Option<u32>, DeviceFileError> {
        let span = units.as_ref().map_or(self.span.clone(), Spanned::span);
        let units = self.figure(field, units, "multiprocessors, compute units or cores", 1e6)?;
        if units.is_some_and(|units| units.fract() != 0.0) {
            let (expected, found) = ("a whole number".to_owned(), "a fraction".to_owned());
            let fault = Fault::WrongType { field: field.to_owned(), expected, found };
            return Err(self.error(span, fault));
        }
        Ok(units.map(|units| units as u32))
    }

    fn peaks(
        &self,
        peaks: Option<Spanned<BTreeMap<Precision, Spanned<Number>>>>,
    ) -> Result<BTreeMap<Precision, f64>, DeviceFileError> {
        let mut read = BTreeMap::new();
        for (precision, peak) in peaks.map(Spanned::into_inner).unwrap_or_default() {
            let peak = self.figure(precision.id(), Some(peak), precision.unit(), 1e6)?;
            read.extend(peak.map(|peak| (precision, peak)));
        }
        Ok(read)
    }

    fn on_chip(&self, raw: Spanned<RawOnChip>) -> Result<OnChipMemory, DeviceFileError> {
        let inner = Self { text: self.text, id: self.id.clone(), span: raw.span() };
        let RawOnChip { memory_mb, link_gb_s, rule } = raw.into_inner();
        Ok(OnChipMemory {
            memory_mb: self.figure("memory_mb", memory_mb, "MB (10^6 bytes)", 1e6)?,
            link_gb_s: self.figure("link_gb_s", link_gb_s, GB_PER_SECOND, 1e6)?,
            rule: inner.required("rule", rule, 500)?,
        })
    }

    fn launch(&self, raw: RawLaunch) -> Result<LaunchOverhead, DeviceFileError> {
        Ok(LaunchOverhead {
            device_us: self.figure("device_us", raw.device_us, "microseconds", 1e6)?,
            host_us: self.figure("host_us", raw.host_us, "microseconds", 1e6)?,
        })
    }

    fn names(
        &self,
        field: &'static str,
        names: Option<Spanned<Vec<String>>>,
    ) -> Result<Vec<String>, DeviceFileError> {
        let Some(names) = names else { return Ok(vec![]) };
        let fits = |name: &String| !name.trim().is_empty() && name.chars().count() <= 120;
        if names.get_ref().len() > MAX_NAMES || !names.get_ref().iter().all(fits) {
            let fault = Fault::BadText { field, expected: "a few names" };
            return Err(self.error(names.span(), fault));
        }
        Ok(names.into_inner().iter().map(|name| name.trim().to_owned()).collect())
    }
}

#[cfg(test)]
#[path = "file_tests.rs"]
mod tests;
