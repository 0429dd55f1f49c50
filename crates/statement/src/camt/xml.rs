//! Pull parser: steps through the elements of a message, with their places in the file.
//!
//! It refuses whatever could make a small file large or read something else than the file: document type declarations,
//! entities, deep nesting, and more elements than a statement needs. Elements of other namespaces are called `?`.

mod faults;
mod letters;

use quick_xml::events::{BytesStart, Event};
use quick_xml::name::{Namespace, ResolveResult};
use quick_xml::reader::NsReader;

use super::encoding::Decoded;
use super::places::Places;
use super::values::Leaf;
use crate::Fault;

/// Maximum number of elements within one another. Messages of ISO 20022 have about 15.
const MAX_DEPTH: usize = 64;

/// Maximum number of elements in a file.
const MAX_ELEMENTS: usize = 10_000_000;

/// Maximum number of attributes of one element.
const MAX_ATTRIBUTES: usize = 64;

/// Maximum number of namespaces that are declared at one place. The parser searches all of them for each element.
const MAX_NAMESPACES: usize = 32;

/// Step through a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Step {
    /// An element begins.
    Open,
    /// An element without elements in it ends. Its text is known.
    Leaf,
    /// An element with elements in it ends.
    Close,
    /// The file ends.
    End,
}

/// Parser of one message.
pub(super) struct Xml<'a> {
    reader: NsReader<&'a [u8]>,
    places: Places<'a>,
    /// Namespace of the root element.
    namespace: String,
    /// Names of the open elements, each with `/` behind it.
    path: String,
    open: Vec<Opened>,
    /// Text since the last step.
    text: String,
    /// Attribute `Ccy` of the element that was opened last.
    currency: Option<String>,
    last: Option<Step>,
    elements: usize,
    /// Number of open elements of other namespaces, and of those in them.
    foreign: usize,
}

/// Open element.
struct Opened {
    /// Length of the path before its name.
    path: usize,
    /// Offset of its start in the file.
    start: usize,
}

impl<'a> Xml<'a> {
    /// Parser of a text. `base` is the offset of the file among the pages.
    pub(super) fn new(decoded: &'a Decoded<'_>, base: usize) -> Self {
        let text: &'a str = &decoded.text;
        let mut reader = NsReader::from_str(text);
        reader.config_mut().expand_empty_elements = true;
        reader.resolver_mut().set_max_namespace_bindings(MAX_NAMESPACES);
        let places = Places::new(decoded, base);
        let (namespace, path, text) = (String::new(), String::new(), String::new());
        let open = Vec::new();
        Self {
            reader,
            places,
            namespace,
            path,
            open,
            text,
            currency: None,
            last: None,
            elements: 0,
            foreign: 0,
        }
    }

    /// Goes on to the next tag.
    pub(super) fn step(&mut self) -> Result<Step, Fault> {
        if self.has_closed() {
            self.leave();
        }
        self.text.clear();
        let step = self.next_tag()?;
        self.last = Some(step);
        Ok(step)
    }

    /// True if the last step ended an element.
    pub(super) fn has_closed(&self) -> bool {
        matches!(self.last, Some(Step::Leaf | Step::Close))
    }

    /// Namespace of the root element.
    pub(super) fn namespace(&self) -> &str {
        &self.namespace
    }

    /// Number of open elements.
    pub(super) fn depth(&self) -> usize {
        self.open.len()
    }

    /// Name of the open element at a depth, counted from 0 for the root.
    pub(super) fn name(&self, depth: usize) -> &str {
        self.below(depth).split('/').next().unwrap_or_default()
    }

    /// Path from the element at a depth, without `/` at its end.
    pub(super) fn below(&self, depth: usize) -> &str {
        let from = self.open.get(depth).map_or(self.path.len(), |opened| opened.path);
        self.path.get(from..).unwrap_or_default().trim_end_matches('/')
    }

    /// Offset of the start of the innermost element.
    pub(super) fn start(&self) -> usize {
        self.open.last().map_or(self.places.base(), |opened| opened.start)
    }

    /// Offset after the last tag.
    pub(super) fn end(&mut self) -> usize {
        self.places.of(self.reader.buffer_position())
    }

    /// Element that just ended, with its path from a depth on.
    pub(super) fn leaf(&self, depth: usize) -> Leaf<'_> {
        let currency = self.currency.as_deref();
        Leaf { field: self.below(depth), text: self.text.trim(), currency, at: self.start() }
    }

    fn next_tag(&mut self) -> Result<Step, Fault> {
        loop {
            let position = self.reader.buffer_position();
            let start = self.places.of(position);
            let event = match self.reader.read_event() {
                Ok(event) => event,
                Err(error) => return Err(self.broken(position, start, &error)),
            };
            match event {
                Event::Start(tag) | Event::Empty(tag) => return self.enter(&tag, start),
                Event::End(_) => return self.close(start),
                // Most texts are line breaks between elements.
                Event::Text(text) if self.text.is_empty() && text.trim_ascii_start().is_empty() => {}
                Event::Text(text) => self.text.push_str(&text.xml10_content()),
                Event::CData(text) if self.open.is_empty() => {
                    return Err(self.fault(start, "CDATA outside of the document").found(&*text));
                }
                Event::CData(text) => self.text.push_str(&text.xml10_content()),
                Event::GeneralRef(name) => self.refer(&name, start)?,
                Event::DocType(_) => return Err(self.doctype(position, start)),
                Event::Decl(_) if position > 0 => {
                    return Err(self.fault(start, "the XML declaration is not at the beginning"));
                }
                Event::Decl(_) | Event::Comment(_) | Event::PI(_) => {}
                Event::Eof => return self.finish(start),
            }
        }
    }

    fn enter(&mut self, tag: &BytesStart<'_>, start: usize) -> Result<Step, Fault> {
        self.check_text(start)?;
        if self.open.is_empty() && self.elements > 0 {
            return Err(self.fault(start, "a second document follows the first one"));
        }
        let name = tag.local_name().into_inner();
        if !letters::is_name(name) {
            return Err(self.fault(start, "the element has no name, or one with other letters").found(name));
        }
        self.elements += 1;
        if self.elements > MAX_ELEMENTS || self.open.len() >= MAX_DEPTH {
            let limit = if self.elements > MAX_ELEMENTS { MAX_ELEMENTS } else { MAX_DEPTH };
            return Err(self
                .fault(start, "too many elements, or too many within one another")
                .expected(limit));
        }
        self.open.push(Opened { path: self.path.len(), start });
        let is_foreign = !self.is_ours(tag) || self.foreign > 0;
        self.foreign += usize::from(is_foreign);
        self.path.push_str(if is_foreign { "?" } else { name });
        self.path.push('/');
        self.currency = None;
        if tag.attributes_raw().is_empty() { Ok(Step::Open) } else { self.attributes(tag, start) }
    }

    /// True if an element is of the namespace of the root element.
    fn is_ours(&mut self, tag: &BytesStart<'_>) -> bool {
        let (namespace, _) = self.reader.resolver().resolve_element(tag.name());
        let ResolveResult::Bound(Namespace(name)) = namespace else { return false };
        if self.open.len() == 1 {
            name.clone_into(&mut self.namespace);
        }
        name == self.namespace
    }

    fn attributes(&mut self, tag: &BytesStart<'_>, start: usize) -> Result<Step, Fault> {
        for (number, attribute) in tag.attributes().enumerate() {
            let attribute =
                attribute.map_err(|error| self.fault(start, "an attribute is broken").found(error))?;
            if number >= MAX_ATTRIBUTES {
                return Err(self.fault(start, "too many attributes").expected(MAX_ATTRIBUTES));
            }
            if attribute.key.into_inner() == "Ccy" {
                self.currency = Some(attribute.value.into_owned());
            }
        }
        Ok(Step::Open)
    }

    fn close(&mut self, start: usize) -> Result<Step, Fault> {
        if self.last == Some(Step::Open) {
            return Ok(Step::Leaf);
        }
        self.check_text(start)?;
        Ok(Step::Close)
    }

    /// Forgets the element that ended.
    fn leave(&mut self) {
        if let Some(opened) = self.open.pop() {
            self.path.truncate(opened.path);
        }
        self.foreign = self.foreign.saturating_sub(1);
    }

    /// Refuses text beside elements. No message of ISO 20022 has any; other namespaces may.
    fn check_text(&self, start: usize) -> Result<(), Fault> {
        let text = self.text.trim();
        let is_right = text.is_empty() || self.foreign > 0;
        if is_right { Ok(()) } else { Err(self.fault(start, "text beside elements").found(text)) }
    }
}
