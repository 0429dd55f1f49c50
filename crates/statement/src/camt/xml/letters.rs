//! Letters of names and texts.

use quick_xml::events::BytesRef;

use super::Xml;
use crate::Fault;

impl Xml<'_> {
    /// Adds the letter of a reference. Entities need a document type declaration, which is refused.
    pub(super) fn refer(&mut self, name: &BytesRef<'_>, start: usize) -> Result<(), Fault> {
        let letter = match name.as_ref() {
            "lt" => Some('<'),
            "gt" => Some('>'),
            "amp" => Some('&'),
            "quot" => Some('"'),
            "apos" => Some('\''),
            _ => name.resolve_char_ref().ok().flatten().filter(|letter| is_allowed(*letter)),
        };
        let Some(letter) = letter else {
            let why = "the reference is neither one of the five of XML nor the number of a letter";
            return Err(self.fault(start, why).found(format!("&{};", name.as_ref())));
        };
        self.text.push(letter);
        Ok(())
    }
}

/// True if XML 1.0 allows the letter. Source: XML 1.0, production 2.
fn is_allowed(letter: char) -> bool {
    matches!(letter, '\t' | '\n' | '\r' | ' '..='\u{fffd}' | '\u{10000}'..)
}

/// True for a name. Source: Namespaces in XML 1.0, production 4, without the rules for its letters outside of ASCII.
pub(super) fn is_name(name: &str) -> bool {
    let is_letter = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.' | 0x80..);
    !name.is_empty() && name.bytes().all(is_letter)
}
