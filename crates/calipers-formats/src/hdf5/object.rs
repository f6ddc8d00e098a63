//! An object as its header describes it, message by message.

use calipers_ir::Span;

use super::attribute::{Attribute, Texts, attribute};
use super::bytes::{Problem, Store};
use super::datatype::{ElementType, Place, dimensions, element_type, layout};
use super::group::{Link, link, members};
use super::header::{Message, kind, messages, shared_at};
use super::{Dataset, Object, dense};

/// Where the heap and the tree are of an object that has many members or attributes.
type Many = Option<(u64, u64)>;

/// What was read of an object so far.
#[derive(Default)]
pub(super) struct Draft {
    pub(super) links: Vec<Link>,
    attributes: Vec<Attribute>,
    element: Option<ElementType>,
    dims: Option<Option<Vec<u64>>>,
    place: Option<Place>,
    is_elsewhere: bool,
    many_links: Many,
    many_attributes: Many,
}

impl Draft {
    /// Reads the header at an address.
    pub(super) fn read(
        &mut self,
        store: &Store,
        texts: &Texts,
        address: u64,
    ) -> Result<(), Problem> {
        messages(store, address, |message| self.add(store, texts, message))
    }

    fn add(&mut self, store: &Store, texts: &Texts, message: Message<'_>) -> Result<(), Problem> {
        let mut body = message.body;
        if message.is_shared {
            // Only types are shared between objects.
            if message.kind == kind::DATATYPE
                && let Some(address) = shared_at(body)?
            {
                self.element = committed_type(store, address)?;
            }
            return Ok(());
        }
        match message.kind {
            kind::DATASPACE => self.dims = Some(dimensions(body)?),
            kind::DATATYPE => self.element = Some(element_type(body)?),
            kind::LAYOUT => self.place = Some(layout(body)?),
            kind::EXTERNAL_FILES => self.is_elsewhere = true,
            kind::ATTRIBUTE => self.attributes.extend(attribute(store, texts, body)?),
            kind::SYMBOL_TABLE => members(store, texts, body, &mut self.links)?,
            kind::LINK => self.links.push(link(texts, body)?),
            kind::LINK_INFO => {
                body.skip(1)?;
                let flags = body.u8()?;
                body.skip(if flags & 1 != 0 { 8 } else { 0 })?;
                self.many_links = body.address()?.zip(body.address()?);
            }
            kind::ATTRIBUTE_INFO => {
                body.skip(1)?;
                let flags = body.u8()?;
                body.skip(if flags & 1 != 0 { 2 } else { 0 })?;
                self.many_attributes = body.address()?.zip(body.address()?);
            }
            _ => {}
        }
        Ok(())
    }

    /// Reads members and attributes that are not in the header, since there are many.
    pub(super) fn read_dense(&mut self, store: &Store, texts: &Texts) -> Result<(), Problem> {
        if let Some((heap, tree)) = self.many_links {
            dense::bodies(store, heap, tree, |body| {
                self.links.push(link(texts, body)?);
                Ok(())
            })?;
        }
        if let Some((heap, tree)) = self.many_attributes {
            dense::bodies(store, heap, tree, |body| {
                self.attributes.extend(attribute(store, texts, body)?);
                Ok(())
            })?;
        }
        Ok(())
    }

    /// What is said of elements that are in another file.
    pub(super) fn other_file(&self, path: &str) -> Option<String> {
        let is_virtual = self.place == Some(Place::Virtual);
        (self.is_elsewhere || is_virtual).then(|| format!("for the data of {path}"))
    }

    /// The object, under its path.
    pub(super) fn finish(self, store: &Store, path: String) -> Object {
        let dataset = match (self.element, self.place) {
            (Some(element), Some(place)) => {
                let dims = self.dims.unwrap_or_default();
                let place = if self.is_elsewhere { Place::Virtual } else { place };
                let span = span(store, element, dims.as_deref(), place);
                Some(Dataset { element, dims, place, span })
            }
            _ => None,
        };
        Object { path, attributes: self.attributes, dataset }
    }
}

/// A type that is an object of its own.
fn committed_type(store: &Store, address: u64) -> Result<Option<ElementType>, Problem> {
    let mut found = None;
    messages(store, address, |message| {
        if message.kind == kind::DATATYPE && !message.is_shared {
            found = Some(element_type(message.body)?);
        }
        Ok(())
    })?;
    Ok(found)
}

/// The bytes of the elements, as many as the dimensions need, where they are inside the file.
fn span(store: &Store, element: ElementType, dims: Option<&[u64]>, place: Place) -> Option<Span> {
    let needed = dims?.iter().try_fold(element.size, |size, dim| size.checked_mul(*dim))?;
    match place {
        Place::Contiguous { address, size } if needed <= size => store.span(address, needed),
        Place::Compact { at, size } if needed <= size => {
            Some(Span { start: at, end: at.checked_add(needed)? })
        }
        _ => None,
    }
}
