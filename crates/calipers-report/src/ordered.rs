//! Pairs as a JSON object that keeps their order.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde::ser::{Serialize, SerializeMap as _, Serializer};

pub(crate) fn serialize<V: Serialize, S: Serializer>(
    pairs: &[(String, V)],
    to: S,
) -> Result<S::Ok, S::Error> {
    let mut map = to.serialize_map(Some(pairs.len()))?;
    for (name, value) in pairs {
        map.serialize_entry(name, value)?;
    }
    map.end()
}

pub(crate) fn deserialize<'de, V: Deserialize<'de>, D: Deserializer<'de>>(
    from: D,
) -> Result<Vec<(String, V)>, D::Error> {
    struct Reader<V>(PhantomData<V>);
    impl<'de, V: Deserialize<'de>> Visitor<'de> for Reader<V> {
        type Value = Vec<(String, V)>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("values by name")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
            let mut pairs = Vec::new();
            while let Some(pair) = map.next_entry()? {
                pairs.push(pair);
            }
            Ok(pairs)
        }
    }
    from.deserialize_map(Reader(PhantomData))
}
