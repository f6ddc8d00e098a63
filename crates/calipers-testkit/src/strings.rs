//! The strings of an ONNX file, rewritten in its bytes.
//!
//! A test of what outputs may show needs models whose every string it knows. [`rewrite_strings`]
//! visits each string of a file with its [`Place`], and [`every_string`] is a model that has a
//! string in every place.

/// Where a string is in the file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// The name of a node, a value, a graph, a tensor or a device.
    Name,
    /// A dimension.
    Dimension,
    /// An operator or a function, with its domain.
    Operator(String),
    /// The domain of operators, of a type or of the model.
    Domain,
    /// The name or version of the exporter.
    Producer,
    /// What an author wrote.
    Documentation,
    /// The key of a metadata entry.
    Key,
    /// The value of a metadata entry, or the location of external data.
    Value,
    /// The name of an attribute.
    Attribute,
    /// The text of an attribute.
    AttributeText,
    /// A denotation or a role: a word that the standard defines.
    Vocabulary,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Message {
    Annotation,
    Attribute,
    Configuration,
    Container,
    Dim,
    Entry,
    External,
    Function,
    Graph,
    Map,
    Model,
    Node,
    Opaque,
    Opset,
    Role,
    Shape,
    Sparse,
    Tensor,
    TensorType,
    Training,
    Type,
    ValueInfo,
}

enum Field {
    Text(Place),
    /// An operator, whose domain is another field of the same message.
    Operator(u64),
    Part(Message),
}

/// What a field of a message holds, by the numbers of `onnx.proto`.
fn field(message: Message, number: u64) -> Option<Field> {
    use Field::{Operator, Part, Text};
    use Message as M;
    Some(match (message, number) {
        (M::Model, 2 | 3) => Text(Place::Producer),
        (M::Model, 4) | (M::Opset, 1) | (M::Node, 7) | (M::Function, 10) | (M::Opaque, 1) => {
            Text(Place::Domain)
        }
        (M::Model, 6) | (M::Graph, 10) | (M::Node, 6) | (M::Attribute, 13) => {
            Text(Place::Documentation)
        }
        (M::ValueInfo, 3) | (M::Tensor, 12) | (M::Function, 8) => Text(Place::Documentation),
        (M::Model, 7) | (M::Training, 1 | 2) | (M::Attribute, 6 | 11) => Part(M::Graph),
        (M::Model, 8) | (M::Function, 9) => Part(M::Opset),
        (M::Model, 14) | (M::Graph, 16) | (M::Node, 9) | (M::ValueInfo, 4) => Part(M::Entry),
        (M::Tensor, 16) | (M::Function, 14) => Part(M::Entry),
        (M::Model, 20) => Part(M::Training),
        (M::Model, 25) => Part(M::Function),
        (M::Model, 26) => Part(M::Configuration),
        (M::Configuration, 1 | 3) => Text(Place::Name),
        (M::Training, 3 | 4) => Part(M::Role),
        (M::Entry, 1) => Text(Place::Key),
        (M::Entry, 2) => Text(Place::Value),
        (M::Graph, 1) | (M::Function, 7) => Part(M::Node),
        (M::Graph, 2) | (M::Node, 1..=3) | (M::ValueInfo, 1) | (M::Tensor, 8) => Text(Place::Name),
        (M::Function, 4 | 5 | 13) | (M::Node, 8) => Text(Place::Name),
        (M::Graph, 5) | (M::Attribute, 5 | 10) | (M::Sparse, 1 | 2) => Part(M::Tensor),
        (M::Graph, 11..=13) | (M::Function, 12) => Part(M::ValueInfo),
        (M::Graph, 14) => Part(M::Annotation),
        (M::Graph, 15) | (M::Attribute, 22 | 23) => Part(M::Sparse),
        (M::Annotation, 1) => Text(Place::Name),
        (M::Annotation, 2) => Part(M::Role),
        (M::Role, 1) => Text(Place::Vocabulary),
        (M::Role, 2) => Text(Place::Name),
        (M::Node, 4) => Operator(7),
        (M::Function, 1) => Operator(10),
        (M::Node, 5) | (M::Function, 11) => Part(M::Attribute),
        (M::Attribute, 1 | 21) | (M::Function, 6) => Text(Place::Attribute),
        (M::Attribute, 4 | 9) => Text(Place::AttributeText),
        (M::Attribute, 14 | 15) | (M::ValueInfo, 2) | (M::Container, 1) | (M::Map, 2) => {
            Part(M::Type)
        }
        (M::Type, 1 | 8) => Part(M::TensorType),
        (M::Type, 4 | 9) => Part(M::Container),
        (M::Type, 5) => Part(M::Map),
        (M::Type, 7) => Part(M::Opaque),
        (M::Type, 6) | (M::Dim, 3) => Text(Place::Vocabulary),
        (M::Opaque, 2) => Text(Place::Name),
        (M::TensorType, 2) => Part(M::Shape),
        (M::Shape, 1) => Part(M::Dim),
        (M::Dim, 2) => Text(Place::Dimension),
        (M::Tensor, 13) => Part(M::External),
        (M::External, 2) => Text(Place::Value),
        _ => return None,
    })
}

/// The same model with other strings: `change` returns what replaces one, or `None`.
pub fn rewrite_strings(
    model: &[u8],
    change: &mut dyn FnMut(&Place, &str) -> Option<String>,
) -> Vec<u8> {
    rewritten(model, Message::Model, change)
}

fn rewritten(
    bytes: &[u8],
    message: Message,
    change: &mut dyn FnMut(&Place, &str) -> Option<String>,
) -> Vec<u8> {
    let parts = parts(bytes);
    let mut out = Vec::with_capacity(bytes.len());
    for (key, payload, whole) in &parts {
        let Some(payload) = payload else {
            out.extend_from_slice(whole);
            continue;
        };
        let place = match field(message, key >> 3) {
            None => {
                out.extend_from_slice(whole);
                continue;
            }
            Some(Field::Part(part)) => {
                let inner = rewritten(payload, part, change);
                append(&mut out, key >> 3, &inner);
                continue;
            }
            Some(Field::Text(place)) => place,
            Some(Field::Operator(domain)) => {
                let domain = parts.iter().find(|(key, ..)| key >> 3 == domain);
                let domain = domain.and_then(|(_, payload, _)| *payload).unwrap_or_default();
                Place::Operator(String::from_utf8_lossy(domain).into_owned())
            }
        };
        let new = std::str::from_utf8(payload).ok().and_then(|text| change(&place, text));
        match new {
            Some(text) => append(&mut out, key >> 3, text.as_bytes()),
            None => out.extend_from_slice(whole),
        }
    }
    out
}

/// A field of a message: key, payload where it has a length, and all bytes.
type FieldBytes<'a> = (u64, Option<&'a [u8]>, &'a [u8]);

/// Fields of a message: key, payload where it has a length, and all bytes. What cannot be read is
/// kept as it is.
fn parts(bytes: &[u8]) -> Vec<FieldBytes<'_>> {
    let mut parts = Vec::new();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        let Some(key) = varint(bytes, &mut at) else { break };
        let (end, payload) = match key & 7 {
            0 if varint(bytes, &mut at).is_some() => (at, None),
            1 => (at + 8, None),
            5 => (at + 4, None),
            2 => match varint(bytes, &mut at).and_then(|length| usize::try_from(length).ok()) {
                Some(length) if length <= bytes.len() - at => {
                    (at + length, Some(&bytes[at..at + length]))
                }
                _ => (bytes.len(), None),
            },
            _ => (bytes.len(), None),
        };
        at = end.min(bytes.len());
        parts.push((key, payload, &bytes[start..at]));
    }
    parts
}

fn varint(bytes: &[u8], at: &mut usize) -> Option<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let byte = *bytes.get(*at)?;
        *at += 1;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return Some(value);
        }
    }
    None
}

fn low_bits(value: u64) -> u8 {
    value.to_le_bytes()[0] & 0x7f
}

fn append_varint(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(low_bits(value) | 0x80);
        value >>= 7;
    }
    out.push(low_bits(value));
}

fn append(out: &mut Vec<u8>, number: u64, payload: &[u8]) {
    append_varint(out, number << 3 | 2);
    append_varint(out, payload.len() as u64);
    out.extend_from_slice(payload);
}

/// The text with a mark before each word of letters, digits and underscores that starts with a
/// letter. Names of functions before a parenthesis stay: they are the grammar of dimensions.
pub fn marked(text: &str, mark: &str) -> String {
    let is_word = |c: char| c.is_alphanumeric() || c == '_';
    let mut out = String::with_capacity(text.len() * 2);
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        if c.is_alphabetic() && !is_word(before) {
            let rest = &text[at..];
            let end = rest.find(|c: char| !is_word(c)).unwrap_or(rest.len());
            if !rest[end..].starts_with('(') {
                out.push_str(mark);
            }
        }
        out.push(c);
        before = c;
    }
    out
}

/// A part of a message that is being written.
struct Written(Vec<u8>);

impl Written {
    fn new() -> Self {
        Self(Vec::new())
    }

    fn text(mut self, number: u64, text: &str) -> Self {
        append(&mut self.0, number, text.as_bytes());
        self
    }

    #[expect(clippy::needless_pass_by_value, reason = "parts are written where they are used")]
    fn part(mut self, number: u64, part: Self) -> Self {
        append(&mut self.0, number, &part.0);
        self
    }

    fn int(mut self, number: u64, value: u64) -> Self {
        append_varint(&mut self.0, number << 3);
        append_varint(&mut self.0, value);
        self
    }
}

/// A model with a string in every place that the format has: `string` returns it for a place's name.
/// The names are unique and stable; [`STRING_PLACES`] of them are asked for.
pub fn every_string(string: &mut dyn FnMut(&'static str) -> String) -> Vec<u8> {
    let new = Written::new;
    let entry =
        |key: &'static str, value: &'static str, string: &mut dyn FnMut(&'static str) -> String| {
            new().text(1, &string(key)).text(2, &string(value))
        };
    let dim = string("dimension");
    let (input, hidden, output) = (string("input"), string("value"), string("output"));
    let (weight, domain) = (string("initializer"), string("domain"));
    let (function, attribute) = (string("function"), string("foreign attribute"));
    let typed = |name: &str, doc: Option<String>| {
        let shape = new().part(1, new().text(2, &dim)).part(1, new().int(1, 4));
        let ty = new().part(1, new().int(1, 1).part(2, shape));
        let value = new().text(1, name).part(2, ty);
        match doc {
            Some(doc) => value.text(3, &doc),
            None => value,
        }
    };
    // Four floats.
    let mut tensor = new().int(1, 4).int(2, 1).text(8, &weight);
    append(&mut tensor.0, 9, &[0; 16]);
    let tensor = tensor.text(12, &string("initializer documentation"));
    let external = new()
        .int(1, 4)
        .int(2, 1)
        .text(8, &string("external initializer"))
        .int(14, 1)
        .part(13, new().text(1, "location").text(2, &string("location")))
        .part(13, new().text(1, &string("external key")).text(2, "x"));
    let add = new()
        .text(1, &input)
        .text(1, &weight)
        .text(2, &hidden)
        .text(3, &string("node"))
        .text(4, "Add")
        .text(6, &string("node documentation"))
        .part(9, entry("node key", "node metadata", string));
    let text = new().text(1, "mode").text(4, &string("text attribute")).int(20, 3);
    let texts = new().text(1, "names").text(9, &string("texts attribute")).int(20, 8);
    let resize =
        new().text(1, &hidden).text(2, "resized").text(4, "Resize").part(5, text).part(5, texts);
    let call = new()
        .text(1, &hidden)
        .text(2, "called")
        .text(3, &string("scoped/node"))
        .text(4, &function)
        .text(7, &domain)
        .part(5, new().text(1, &attribute).text(4, &string("foreign attribute text")).int(20, 3));
    let foreign = new()
        .text(1, "called")
        .text(2, &output)
        .text(4, &string("foreign operator"))
        .text(7, &domain);
    let body = new().text(1, "a").text(2, &string("function value")).text(4, "Relu");
    let function = new()
        .text(1, &function)
        .text(4, "a")
        .text(5, "b")
        .text(6, &attribute)
        .part(7, body)
        .part(7, new().text(1, "a").text(2, "b").text(4, "Relu"))
        .text(8, &string("function documentation"))
        .part(9, new().text(1, "").int(2, 17))
        .text(10, &domain)
        .part(14, entry("function key", "function metadata", string));
    let input_doc = string("input documentation");
    let output_doc = string("output documentation");
    let graph = new()
        .part(1, add)
        .part(1, resize)
        .part(1, call)
        .part(1, foreign)
        .text(2, &string("graph"))
        .part(5, tensor)
        .part(5, external)
        .text(10, &string("graph documentation"))
        .part(11, typed(&input, Some(input_doc)))
        .part(12, typed(&output, Some(output_doc)))
        .part(13, typed(&hidden, None))
        .part(16, entry("graph key", "graph metadata", string));
    new()
        .int(1, 10)
        .text(2, &string("producer"))
        .text(3, &string("producer version"))
        .text(4, &string("model domain"))
        .text(6, &string("documentation"))
        .part(7, graph)
        .part(8, new().text(1, "").int(2, 17))
        .part(8, new().text(1, &domain).int(2, 1))
        .part(8, new().text(1, &string("imported domain")).int(2, 1))
        .part(14, entry("key", "metadata", string))
        .part(25, function)
        .part(26, new().text(1, &string("configuration")).int(2, 1).text(3, &string("device")))
        .0
}

/// How many strings [`every_string`] asks for.
pub const STRING_PLACES: usize = 40;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_marked_and_the_rest_stays() {
        assert_eq!(marked("/enc/layer.0/q_proj", "zz"), "/zzenc/zzlayer.0/zzq_proj");
        assert_eq!(marked("floor(batch/2) + 3", "zz"), "floor(zzbatch/2) + 3");
        assert_eq!(marked("1x", "zz"), "1x");
    }

    #[test]
    fn every_place_is_visited() {
        let mut names = Vec::new();
        let model = every_string(&mut |name| {
            assert!(!names.contains(&name), "{name}");
            names.push(name);
            format!("text of {name}")
        });
        assert_eq!(names.len(), STRING_PLACES);
        let mut seen = std::collections::BTreeSet::new();
        let same = rewrite_strings(&model, &mut |_, text| {
            seen.insert(text.to_owned());
            None
        });
        assert_eq!(same, model);
        for name in names {
            assert!(name == "external key" || seen.contains(&format!("text of {name}")), "{name}");
        }
        let other = rewrite_strings(&model, &mut |_, text| Some(text.replace("text", "word")));
        let key = b"text of external key";
        let left = other.windows(8).filter(|part| part == b"text of ").count();
        assert_eq!(left, other.windows(key.len()).filter(|part| part == key).count());
    }
}
