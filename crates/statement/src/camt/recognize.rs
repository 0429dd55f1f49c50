//! Recognition of the format by the beginning of a file.

use quick_xml::events::Event;
use quick_xml::name::{Namespace, ResolveResult};
use quick_xml::reader::NsReader;

use super::kind;

/// Number of bytes in which the root element must begin.
const MAX_BEGINNING: usize = 64 << 10;

/// Number of comments and the like before the root element.
const MAX_EVENTS: usize = 256;

/// True if a file is XML with a root element of the formats' namespaces, in any version. Also true if its beginning can
/// only be refused as XML, because of UTF-16 or a document type declaration: then [`super::read`] says so.
#[must_use]
pub fn is_format(bytes: &[u8]) -> bool {
    let beginning = bytes.get(..bytes.len().min(MAX_BEGINNING)).unwrap_or_default();
    let text = String::from_utf8_lossy(beginning);
    let text = text.trim_start_matches('\u{feff}').trim_start();
    is_utf16(bytes) || (text.starts_with('<') && is_root_known(text))
}

/// True for XML in UTF-16. A byte order mark alone may also begin a CSV.
fn is_utf16(bytes: &[u8]) -> bool {
    let marked = bytes.strip_prefix(b"\xff\xfe").or_else(|| bytes.strip_prefix(b"\xfe\xff"));
    matches!(marked.unwrap_or(bytes), [b'<', 0, ..] | [0, b'<', ..])
}

fn is_root_known(text: &str) -> bool {
    let mut reader = NsReader::from_str(text);
    for _ in 0..MAX_EVENTS {
        match reader.read_resolved_event() {
            Ok((ResolveResult::Bound(Namespace(name)), Event::Start(tag) | Event::Empty(tag))) => {
                return tag.local_name().into_inner() == "Document" && kind::of_namespace(name).is_some();
            }
            Ok((_, Event::DocType(_))) => return true,
            Ok((_, Event::Decl(_) | Event::Comment(_) | Event::PI(_) | Event::Text(_))) => {}
            _ => return false,
        }
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn format_is_recognized_by_its_root() {
        let of = |name: &str| format!("<Document xmlns='urn:iso:std:iso:20022:tech:xsd:{name}'>");
        for (text, is_known) in [
            (of("camt.053.001.08"), true),
            (of("camt.052.001.99"), true),
            (format!("\u{feff} \n<?xml version='1.0'?><!-- a --><?b?>{}", of("camt.054.001.02")), true),
            (of("pain.001.001.09"), false),
            (of("camt.053.001.08").replace("Document", "Other"), false),
            ("<!DOCTYPE html><a>".to_owned(), true),
            ("<a/>".to_owned(), false),
            ("<".to_owned(), false),
            ("text".to_owned(), false),
            (String::new(), false),
        ] {
            assert_eq!(is_format(text.as_bytes()), is_known, "{text}");
        }
        assert!(is_format(b"\xff\xfe<\0?\0") && is_format(b"\0<\0?") && !is_format(b"\xff\xfeI\0"));
    }
}
