//! Reading the two files that are compiled in. They are ours, so a complaint is for a test.

use std::collections::BTreeMap;

use toml::de::{DeTable, DeValue};

use super::{Architecture, Assumed, CAUTIOUS, Carry, Curve, Tables};
use crate::device::Class;
use crate::precision::Precision;

impl Tables {
    pub(super) fn parse(architectures: &str, defaults: &str) -> Result<Self, String> {
        let measured = document(architectures)?;
        let assumed = document(defaults)?;
        Ok(Self {
            architectures: stanzas(measured.get_ref(), "architecture", architecture)?,
            defaults: stanzas(assumed.get_ref(), "default", default)?,
            carries: stanzas(assumed.get_ref(), "carry", |table| {
                let (to, why) = (text(table, "to")?, text(table, "why")?);
                Ok(Carry { to, range: figure(table, "range")?, why })
            })?,
        })
    }
}

fn document(text: &str) -> Result<toml::Spanned<DeTable<'_>>, String> {
    DeTable::parse(text).map_err(|error| error.to_string())
}

fn stanzas<T>(
    table: &DeTable<'_>,
    name: &str,
    read: impl Fn(&DeTable<'_>) -> Result<T, String>,
) -> Result<Vec<T>, String> {
    let Some(DeValue::Array(rows)) = table.get(name).map(toml::Spanned::get_ref) else {
        return Err(format!("there is no [[{name}]]"));
    };
    let table = |row: &DeValue<'_>| match row {
        DeValue::Table(table) => read(table),
        _ => Err(format!("[[{name}]] is no table")),
    };
    rows.iter().map(|row| table(row.get_ref())).collect()
}

fn text(table: &DeTable<'_>, name: &str) -> Result<String, String> {
    let value = table.get(name).and_then(|value| value.get_ref().as_str());
    value.map(str::to_owned).ok_or_else(|| format!("{name} is missing or no text"))
}

fn figure(table: &DeTable<'_>, name: &str) -> Result<f64, String> {
    let value = match table.get(name).map(toml::Spanned::get_ref) {
        Some(DeValue::Float(number)) => number.as_str().parse().ok(),
        Some(DeValue::Integer(number)) => number.as_str().parse().ok(),
        _ => None,
    };
    let value = value.filter(|value: &f64| value.is_finite() && *value >= 0.0);
    value.ok_or_else(|| format!("{name} is missing or no figure"))
}

fn precision(table: &DeTable<'_>, name: &str) -> Result<Precision, String> {
    text(table, name)?.parse().map_err(|error: crate::UnknownPrecision| error.to_string())
}

fn architecture(table: &DeTable<'_>) -> Result<Architecture, String> {
    let curves = stanzas(table, "curve", |row| {
        let (kind, held) = (text(row, "kind")?, precision(row, "precision")?);
        let maybe = |name, other| {
            if row.contains_key(name) { figure(row, name) } else { Ok(other) }
        };
        let curve = Curve {
            launch_us: figure(row, "launch_us")?,
            efficiency: maybe("efficiency", CAUTIOUS.efficiency)?,
            bandwidth: figure(row, "bandwidth")?,
            depth_ns: maybe("depth_ns", 0.0)?,
            blend: figure(row, "blend")?,
            peak: if row.contains_key("peak") { Some(precision(row, "peak")?) } else { None },
            #[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "small")]
            rows: figure(row, "rows")? as u32,
            error: figure(row, "error")?,
        };
        Ok(((kind, held), curve))
    })?;
    Ok(Architecture {
        name: text(table, "name")?,
        device: text(table, "device")?,
        framework: text(table, "framework")?,
        curves: curves.into_iter().collect(),
        kernel_rows: figure(table, "kernel_rows")?,
        model_rows: figure(table, "model_rows")?,
        held_out_error: figure(table, "held_out_error")?,
        range: figure(table, "range")?,
        range_holds_percent: figure(table, "range_holds_percent")?,
        host_us: figure(table, "host_us")?,
        host_range: figure(table, "host_range")?,
    })
}

fn default(table: &DeTable<'_>) -> Result<Assumed, String> {
    let Some(DeValue::Table(shares)) = table.get("efficiency").map(toml::Spanned::get_ref) else {
        return Err("efficiency is missing or no table".to_owned());
    };
    let efficiency: Result<BTreeMap<String, f64>, String> = shares
        .iter()
        .map(|(kind, _)| Ok((kind.get_ref().to_string(), figure(shares, kind.get_ref())?)))
        .collect();
    let class: Result<Class, _> = text(table, "class")?.parse();
    Ok(Assumed {
        class: class.map_err(|error| error.to_string())?,
        curve: Curve {
            launch_us: figure(table, "launch_us")?,
            bandwidth: figure(table, "bandwidth")?,
            blend: figure(table, "blend")?,
            ..CAUTIOUS
        },
        efficiency: efficiency?,
        range: figure(table, "range")?,
        why: text(table, "why")?,
    })
}
