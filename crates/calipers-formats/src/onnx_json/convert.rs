//! From JSON to protobuf, field by field. `serde_json` bounds how deep values are nested.

use std::borrow::Cow;
use std::fmt;

use serde::de::{
    DeserializeSeed, Deserializer, Error as _, IgnoredAny, MapAccess, SeqAccess, Visitor,
};

use super::base64;
use super::fields::{Field, Kind, MODEL, is_named};
use crate::Error;
use crate::onnx::Encoder;

/// The messages of a whole file.
pub(super) fn model(bytes: &[u8]) -> Result<Encoder, Error> {
    let bytes = bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes);
    let mut model = Encoder::default();
    let mut json = serde_json::Deserializer::from_slice(bytes);
    let read = MessageOf { fields: MODEL, to: &mut model }.deserialize(&mut json);
    read.and_then(|()| json.end()).map_err(|error| {
        let lines = bytes.split_inclusive(|byte| *byte == b'\n');
        let before: usize = lines.take(error.line().saturating_sub(1)).map(<[u8]>::len).sum();
        let at = before.saturating_add(error.column().saturating_sub(1));
        Error::damaged(at as u64, "the JSON", &error.to_string())
    })?;
    Ok(model)
}

/// A message, given as an object.
struct MessageOf<'e> {
    fields: &'static [Field],
    to: &'e mut Encoder,
}

impl<'de> DeserializeSeed<'de> for MessageOf<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

/// A key of an object.
struct Key;

impl<'de> DeserializeSeed<'de> for Key {
    type Value = Cow<'de, str>;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Self::Value, D::Error> {
        deserializer.deserialize_str(self)
    }
}

impl<'de> Visitor<'de> for Key {
    type Value = Cow<'de, str>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a key")
    }

    fn visit_borrowed_str<E>(self, key: &'de str) -> Result<Self::Value, E> {
        Ok(Cow::Borrowed(key))
    }

    fn visit_str<E>(self, key: &str) -> Result<Self::Value, E> {
        Ok(Cow::Owned(key.to_owned()))
    }
}

impl<'de> Visitor<'de> for MessageOf<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key_seed(Key)? {
            match self.fields.iter().find(|(name, ..)| is_named(name, &key)) {
                Some((name, number, kind)) => {
                    let to = &mut *self.to;
                    map.next_value_seed(Value { name, number: *number, kind: *kind, to })?;
                }
                None => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(())
    }
}

/// The value of a field, or a list of them.
struct Value<'e> {
    name: &'static str,
    number: u32,
    kind: Kind,
    to: &'e mut Encoder,
}

impl<'de> DeserializeSeed<'de> for Value<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl Value<'_> {
    fn wrong<E: serde::de::Error>(&self, found: &str) -> E {
        E::custom(format!("{} is {found}", self.name))
    }
}

impl<'de> Visitor<'de> for Value<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "a value of {}", self.name)
    }

    /// A field that is left out may be written so.
    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
    }

    fn visit_bool<E: serde::de::Error>(self, value: bool) -> Result<(), E> {
        self.visit_i64(i64::from(value))
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<(), E> {
        match self.kind {
            Kind::Int | Kind::Enum(_) => self.to.int(self.number, value),
            Kind::Uint if value >= 0 => self.to.int(self.number, value),
            // Whole numbers that are written without a point; larger ones lose their last digits.
            Kind::Float | Kind::Double => return self.visit_f64(value as f64),
            _ => return Err(self.wrong("a number")),
        }
        Ok(())
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<(), E> {
        match (self.kind, i64::try_from(value)) {
            (Kind::Uint, _) => self.to.uint(self.number, value),
            (Kind::Float | Kind::Double, _) => return self.visit_f64(value as f64),
            (_, Ok(value)) => return self.visit_i64(value),
            _ => return Err(self.wrong("larger than 64 bits")),
        }
        Ok(())
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<(), E> {
        match self.kind {
            #[expect(clippy::cast_possible_truncation, reason = "the field has 32 bits")]
            Kind::Float => self.to.float(self.number, value as f32),
            Kind::Double => self.to.double(self.number, value),
            // JSON does not distinguish 3.0 from 3.
            Kind::Int | Kind::Uint | Kind::Enum(_) if value.fract() == 0.0 => {
                let value = format!("{value}").parse();
                return value.map_or_else(
                    |_| Err(E::custom("a number is too large")),
                    |value| self.visit_i64(value),
                );
            }
            _ => return Err(self.wrong("a number")),
        }
        Ok(())
    }

    fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<(), E> {
        match self.kind {
            Kind::Text => self.to.bytes(self.number, text.as_bytes()),
            Kind::Bytes => match base64::decode(text) {
                Some(bytes) => self.to.bytes(self.number, &bytes),
                None => return Err(self.wrong("not Base64")),
            },
            // Numbers of 64 bits are texts in JSON, and what is not finite has a name.
            Kind::Int => match text.parse() {
                Ok(value) => self.to.int(self.number, value),
                Err(_) => return Err(self.wrong("a text that is not a whole number")),
            },
            Kind::Uint => match text.parse() {
                Ok(value) => self.to.uint(self.number, value),
                Err(_) => return Err(self.wrong("a text that is not a whole number")),
            },
            Kind::Float | Kind::Double => match text.parse::<f64>() {
                Ok(value) => return self.visit_f64(value),
                Err(_) => return Err(self.wrong("a text that is not a number")),
            },
            Kind::Enum(names) => match names.iter().find(|(name, _)| *name == text) {
                Some((_, value)) => self.to.int(self.number, *value),
                None => return Err(self.wrong("a name that is not known")),
            },
            Kind::Message(_) => return Err(self.wrong("a text")),
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
        let Self { name, number, kind, to } = self;
        while list.next_element_seed(Value { name, number, kind, to: &mut *to })?.is_some() {}
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<(), A::Error> {
        let Kind::Message(fields) = self.kind else {
            return Err(A::Error::custom(format!("{} is an object", self.name)));
        };
        let mut message = Encoder::default();
        MessageOf { fields, to: &mut message }.visit_map(map)?;
        self.to.message(self.number, &message);
        Ok(())
    }
}
