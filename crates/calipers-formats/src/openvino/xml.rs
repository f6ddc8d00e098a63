//! The XML of an IR, read element by element.
//!
//! What is open is a stack of bounded depth; entities other than those of XML itself stay as they
//! are written, so a file cannot make them grow.

use quick_xml::events::{BytesStart, Event};
use quick_xml::{Reader, XmlVersion};

use super::document::{Body, Branch, Document, Edge, Layer, Mapped, Net, Port};
use crate::Error;

/// Elements that may be open at once: bodies in bodies take four each.
const MAX_DEPTH: usize = 256;

/// Attributes of one element.
const MAX_ATTRIBUTES: usize = 512;

/// Bodies of layers: each becomes a graph.
const MAX_BODIES: usize = 1 << 14;

/// Bytes of all free metadata that are kept.
const MAX_INFO: usize = 1 << 20;

/// An element that is open, with the net that it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Open {
    File,
    Net(usize),
    Layers(usize),
    Layer(usize),
    Ports(usize, Side),
    Port(usize, Side),
    Dim(usize, Side),
    Edges(usize),
    Map(usize, Branch),
    BackEdges(usize),
    Info,
    Other,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Side {
    Input,
    Output,
}

/// Reads the whole file.
pub(super) fn parse(bytes: &[u8]) -> Result<Document, Error> {
    let mut reader = Reader::from_reader(bytes);
    let mut parser =
        Parser { document: Document::default(), open: vec![Open::File], ..Parser::default() };
    loop {
        let at = reader.buffer_position();
        parser.at = at;
        match reader.read_event() {
            Ok(Event::Start(element)) => parser.start(&element)?,
            Ok(Event::Empty(element)) => {
                parser.start(&element)?;
                parser.end()?;
            }
            Ok(Event::End(_)) => parser.end()?,
            Ok(Event::Text(text)) => {
                if matches!(parser.open.last(), Some(Open::Dim(..))) {
                    parser.text.push_str(&String::from_utf8_lossy(&text));
                }
            }
            Ok(Event::Eof) => break,
            Ok(_) => {}
            Err(error) => {
                let at = reader.error_position();
                return Err(Error::damaged(at, "the XML", &error.to_string()));
            }
        }
    }
    if parser.open.len() > 1 {
        return Err(parser.damaged("the file ends inside an element: it is cut short"));
    }
    if parser.document.nets.is_empty() {
        return Err(Error::NoGraph { hint: "its XML has no element `net`".to_owned() });
    }
    Ok(parser.document)
}

#[derive(Default)]
struct Parser {
    document: Document,
    open: Vec<Open>,
    /// Names of the metadata that is open.
    info_path: Vec<String>,
    info_bytes: usize,
    /// Text of the dimension that is open.
    text: String,
    at: u64,
}

/// Attributes of an element, decoded.
struct Attributes(Vec<(Box<str>, Box<str>)>);

impl Attributes {
    fn text(&self, key: &str) -> Option<&str> {
        self.0.iter().find(|(name, _)| **name == *key).map(|(_, value)| &**value)
    }

    fn number(&self, key: &str) -> Option<u64> {
        self.text(key)?.trim().parse().ok()
    }

    fn boxed(&self, key: &str) -> Box<str> {
        self.text(key).unwrap_or_default().into()
    }
}

impl Parser {
    fn damaged(&self, problem: &str) -> Error {
        let layer = self.open.iter().rev().find_map(|open| match open {
            Open::Layer(net) => self.document.nets.get(*net)?.layers.last(),
            _ => None,
        });
        let path = match layer {
            Some(layer) => format!("layer {} ({:?})", layer.id, shortened(&layer.name)),
            None => "the XML".to_owned(),
        };
        Error::damaged(self.at, &path, problem)
    }

    fn start(&mut self, element: &BytesStart<'_>) -> Result<(), Error> {
        if self.open.len() >= MAX_DEPTH {
            return Err(self.damaged("elements are nested deeper than in any network"));
        }
        let parent = self.open.last().copied().unwrap_or(Open::Other);
        let name = element.name();
        let opened = match (parent, name.as_ref()) {
            (Open::Other, _) => Open::Other,
            (Open::File, b"net") => self.net(element)?,
            (Open::Net(net), b"layers") => Open::Layers(net),
            (Open::Net(net), b"edges") => Open::Edges(net),
            (Open::Net(0), b"rt_info" | b"meta_data") => Open::Info,
            (Open::Layers(net), b"layer") => self.layer(net, element)?,
            (Open::Layer(net), b"data") => self.data(net, element)?,
            (Open::Layer(net), b"input") => Open::Ports(net, Side::Input),
            (Open::Layer(net), b"output") => Open::Ports(net, Side::Output),
            (Open::Layer(net), b"body") => self.body(net, Branch::Body)?,
            (Open::Layer(net), b"then_body") => self.body(net, Branch::Then)?,
            (Open::Layer(net), b"else_body") => self.body(net, Branch::Else)?,
            (Open::Layer(net), b"port_map") => Open::Map(net, Branch::Body),
            (Open::Layer(net), b"then_port_map") => Open::Map(net, Branch::Then),
            (Open::Layer(net), b"else_port_map") => Open::Map(net, Branch::Else),
            (Open::Layer(net), b"back_edges") => Open::BackEdges(net),
            (Open::Ports(net, side), b"port") => self.port(net, side, element)?,
            (Open::Port(net, side), b"dim") => {
                self.text.clear();
                Open::Dim(net, side)
            }
            (Open::Edges(net), b"edge") => self.edge(net, element)?,
            (Open::Map(net, branch), b"input") => self.mapped(net, branch, Side::Input, element)?,
            (Open::Map(net, branch), b"output") => {
                self.mapped(net, branch, Side::Output, element)?
            }
            (Open::BackEdges(net), b"edge") => self.back_edge(net, element)?,
            (Open::Info, name) => self.info(name, element)?,
            _ => Open::Other,
        };
        self.open.push(opened);
        Ok(())
    }

    fn end(&mut self) -> Result<(), Error> {
        let closed = self.open.pop();
        match closed {
            Some(Open::Dim(net, side)) => self.dim(net, side)?,
            // The outermost one has no name of its own.
            Some(Open::Info) => {
                self.info_path.pop();
            }
            Some(Open::File) | None => {
                return Err(self.damaged("an element ends that did not begin"));
            }
            _ => {}
        }
        Ok(())
    }

    fn attributes(&self, element: &BytesStart<'_>) -> Result<Attributes, Error> {
        let mut list = Vec::new();
        let mut attributes = element.attributes();
        // Whoever reads a repeated attribute takes the first; looking for them costs a square.
        for attribute in attributes.with_checks(false) {
            let attribute = attribute.map_err(|error| self.damaged(&error.to_string()))?;
            if list.len() >= MAX_ATTRIBUTES {
                return Err(self.damaged("an element has more attributes than any operator"));
            }
            let value = match attribute.normalized_value(XmlVersion::Implicit1_0) {
                Ok(value) => value.into_owned(),
                Err(_) => String::from_utf8_lossy(&attribute.value).into_owned(),
            };
            let key = String::from_utf8_lossy(attribute.key.as_ref());
            list.push((key.into(), value.into()));
        }
        Ok(Attributes(list))
    }

    fn net(&mut self, element: &BytesStart<'_>) -> Result<Open, Error> {
        if !self.document.nets.is_empty() {
            return Err(self.damaged("the file has a second network"));
        }
        let attributes = self.attributes(element)?;
        self.document.version =
            attributes.text("version").and_then(|version| version.trim().parse().ok());
        let name = attributes.text("name").unwrap_or_default().to_owned();
        self.document.nets.push(Net { name, ..Net::default() });
        Ok(Open::Net(0))
    }

    fn layer(&mut self, net: usize, element: &BytesStart<'_>) -> Result<Open, Error> {
        let attributes = self.attributes(element)?;
        let Some(id) = attributes.number("id") else {
            return Err(self.damaged("a layer has no id that is a whole number"));
        };
        let text = |key: &str| attributes.text(key).unwrap_or_default().to_owned();
        let (name, kind, version) = (text("name"), text("type"), text("version"));
        if kind.is_empty() {
            return Err(self.damaged(&format!("layer {id} has no type")));
        }
        let layer = Layer { id, name, kind, version, ..Layer::default() };
        if let Some(net) = self.document.nets.get_mut(net) {
            net.layers.push(layer);
        }
        Ok(Open::Layer(net))
    }

    /// The layer of a net that is being read.
    fn current(&mut self, net: usize) -> Option<&mut Layer> {
        self.document.nets.get_mut(net)?.layers.last_mut()
    }

    fn data(&mut self, net: usize, element: &BytesStart<'_>) -> Result<Open, Error> {
        let Attributes(list) = self.attributes(element)?;
        if let Some(layer) = self.current(net) {
            layer.data.extend(list);
        }
        Ok(Open::Other)
    }

    fn port(&mut self, net: usize, side: Side, element: &BytesStart<'_>) -> Result<Open, Error> {
        let attributes = self.attributes(element)?;
        let Some(id) = attributes.number("id") else {
            return Err(self.damaged("a port has no id that is a whole number"));
        };
        let names = match side {
            Side::Output => attributes.boxed("names"),
            Side::Input => Box::default(),
        };
        let port = Port { id, precision: attributes.boxed("precision"), names, dims: Vec::new() };
        if let Some(layer) = self.current(net) {
            match side {
                Side::Input => layer.inputs.push(port),
                Side::Output => layer.outputs.push(port),
            }
        }
        Ok(Open::Port(net, side))
    }

    fn dim(&mut self, net: usize, side: Side) -> Result<(), Error> {
        let Some(size) = dimension(&self.text) else {
            let problem = format!("a dimension is {:?}", shortened(&self.text));
            return Err(self.damaged(&problem));
        };
        let port = self.current(net).and_then(|layer| match side {
            Side::Input => layer.inputs.last_mut(),
            Side::Output => layer.outputs.last_mut(),
        });
        if let Some(port) = port {
            port.dims.push(size);
        }
        Ok(())
    }

    fn edge(&mut self, net: usize, element: &BytesStart<'_>) -> Result<Open, Error> {
        let attributes = self.attributes(element)?;
        let place = |layer: &str, port: &str| {
            Some((attributes.number(layer)?, attributes.number(port).unwrap_or(0)))
        };
        let ends = place("from-layer", "from-port").zip(place("to-layer", "to-port"));
        let Some((from, to)) = ends else {
            return Err(self.damaged("an edge does not say which layers it connects"));
        };
        if let Some(net) = self.document.nets.get_mut(net) {
            net.edges.push(Edge { from, to });
        }
        Ok(Open::Other)
    }

    /// The entry of a layer's body, made where it is not there yet: the file has the map first.
    fn body_entry(&mut self, net: usize, branch: Branch) -> Option<&mut Body> {
        let bodies = &mut self.current(net)?.bodies;
        let place = bodies.iter().position(|body| body.branch == branch);
        let place = place.unwrap_or_else(|| {
            let (inputs, outputs, back_edges) = (Vec::new(), Vec::new(), Vec::new());
            bodies.push(Body { branch, net: None, inputs, outputs, back_edges });
            bodies.len() - 1
        });
        bodies.get_mut(place)
    }

    fn body(&mut self, net: usize, branch: Branch) -> Result<Open, Error> {
        let inner = self.document.nets.len();
        if inner > MAX_BODIES {
            return Err(self.damaged("the file has more bodies than any network"));
        }
        self.document.nets.push(Net::default());
        if let Some(body) = self.body_entry(net, branch) {
            body.net = Some(inner);
        }
        Ok(Open::Net(inner))
    }

    fn mapped(
        &mut self,
        net: usize,
        branch: Branch,
        side: Side,
        element: &BytesStart<'_>,
    ) -> Result<Open, Error> {
        let attributes = self.attributes(element)?;
        let Some(layer) = attributes.number("internal_layer_id") else {
            return Err(self.damaged("a body is connected to no layer in it"));
        };
        let mapped = Mapped {
            port: attributes.number("external_port_id"),
            layer,
            is_sliced: attributes.text("axis").is_some(),
            purpose: attributes.boxed("purpose"),
        };
        if let Some(body) = self.body_entry(net, branch) {
            match side {
                Side::Input => body.inputs.push(mapped),
                Side::Output => body.outputs.push(mapped),
            }
        }
        Ok(Open::Other)
    }

    fn back_edge(&mut self, net: usize, element: &BytesStart<'_>) -> Result<Open, Error> {
        let attributes = self.attributes(element)?;
        let ends = attributes.number("from-layer").zip(attributes.number("to-layer"));
        let Some(ends) = ends else {
            return Err(self.damaged("an edge does not say which layers it connects"));
        };
        if let Some(body) = self.body_entry(net, Branch::Body) {
            body.back_edges.push(ends);
        }
        Ok(Open::Other)
    }

    /// Metadata: elements in elements, with the text in the attribute `value`.
    fn info(&mut self, name: &[u8], element: &BytesStart<'_>) -> Result<Open, Error> {
        let attributes = self.attributes(element)?;
        // Keys that are not names of XML are in an attribute.
        let key = match (name, attributes.text("name")) {
            (b"info", Some(name)) => name.to_owned(),
            _ => String::from_utf8_lossy(name).into_owned(),
        };
        self.info_path.push(key);
        if let Some(value) = attributes.text("value") {
            let path = self.info_path.join(".");
            self.info_bytes += path.len() + value.len();
            if self.info_bytes <= MAX_INFO {
                self.document.info.push((path, value.to_owned()));
            }
        }
        Ok(Open::Info)
    }
}

/// A dimension: a size, or a range of sizes, or anything. `None` where it is none of them.
fn dimension(text: &str) -> Option<Option<i64>> {
    let text = text.trim();
    match text.parse() {
        Ok(size) if size >= 0 => Some(Some(size)),
        Ok(-1) => Some(None),
        _ if text == "?" || text.contains("..") => Some(None),
        _ => None,
    }
}

/// The start of a text, for messages.
pub(super) fn shortened(text: &str) -> String {
    const MOST: usize = 60;
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{}…", text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    }
}
