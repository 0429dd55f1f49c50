//! Faults of XML, with the record in which they are found.

use quick_xml::Error;
use quick_xml::errors::IllFormedError;

use super::{Step, Xml};
use crate::Fault;
use crate::camt::values::fault;

impl Xml<'_> {
    /// Fault at a place of the innermost element.
    pub(in crate::camt) fn fault(&self, at: usize, why: &str) -> Fault {
        let (record, field) = (self.record(), self.below(4));
        fault(at, record, if field.is_empty() { "XML" } else { field }, why)
    }

    /// Name of the record: an element of a statement, or whatever is open outside of one.
    fn record(&self) -> &str {
        let innermost = self.open.len().saturating_sub(1).min(3);
        if self.open.is_empty() { "XML" } else { self.name(innermost) }
    }

    /// Ends the file.
    pub(super) fn finish(&mut self, start: usize) -> Result<Step, Fault> {
        match (self.open.is_empty(), self.elements) {
            (false, _) => Err(fault(start, "end of file", self.record(), "elements are not closed")),
            (true, 0) => Err(fault(start, "end of file", "Document", "the file has no element")),
            (true, _) => self.check_text(start).map(|()| Step::End),
        }
    }

    /// Fault of the parser.
    pub(super) fn broken(&mut self, position: u64, start: usize, error: &Error) -> Fault {
        let rest = self.places.rest(position);
        if rest.get(..9).is_some_and(|begin| begin.eq_ignore_ascii_case("<!DOCTYPE")) {
            return self.doctype(position, start);
        }
        let is_cut = match error {
            Error::Syntax(_) | Error::IllFormed(IllFormedError::UnclosedReference) => {
                self.places.rest(self.reader.buffer_position()).is_empty()
            }
            _ => false,
        };
        if is_cut {
            let end = self.end();
            return fault(end, "end of file", self.record(), error.to_string());
        }
        self.fault(start, &error.to_string())
    }

    /// Fault of a document type declaration: it could make a file grow, or fetch others.
    pub(super) fn doctype(&self, position: u64, start: usize) -> Fault {
        let rest = self.places.rest(position);
        let head = rest.find(['[', '>']).unwrap_or(rest.len());
        let subset = rest.get(head..).filter(|subset| subset.starts_with('['));
        let subset = subset.map_or(0, |subset| subset.find(']').unwrap_or(subset.len()));
        let declaration = rest.get(..head.saturating_add(subset)).unwrap_or_default();
        let first = ["ENTITY", "SYSTEM", "PUBLIC"].into_iter().find(|word| declaration.contains(word));
        let why = "a document type declaration is refused";
        fault(start, "DOCTYPE", first.unwrap_or("DOCTYPE"), why).found("<!DOCTYPE")
    }
}
