//! One message: steps through its elements, and hands each value to the record that it belongs to.
//!
//! Elements may come in any order, and unknown ones are skipped: the meaning of none depends on those before it.

use super::balances;
use super::details::Details;
use super::encoding::decode;
use super::entry::{self, NTRY};
use super::kind::{self, Kind};
use super::summary;
use super::unit::{Page, Unit};
use super::values::{Leaf, fault, required, set};
use super::xml::{Step, Xml};
use crate::{Fault, MAX_LINES};

/// Maximum number of details in a file, and of lists of them.
const MAX_DETAILS: usize = 1_000_000;

/// Depth of a statement's element, and of an element in it. The root is at 0.
const UNIT: usize = 2;
const RECORD: usize = 3;

/// Message as it was read.
#[derive(Default)]
pub(super) struct Message {
    pub(super) format: String,
    pub(super) units: Vec<Unit>,
    /// True after the start of the element of the message.
    is_begun: bool,
    id: Option<String>,
    page: Page,
    unit: Option<Unit>,
    entry: Option<entry::Draft>,
    /// Memory for the details of the next entry. Taken for each anew, it would scatter the memory of what is kept.
    details: Details,
    balance: Option<balances::Draft>,
    summary: Option<summary::Draft>,
}

/// Number of lines and details in all messages that are read together.
#[derive(Default)]
pub(super) struct Sizes {
    lines: usize,
    details: usize,
}

/// Reads a message that begins at `base`.
pub(super) fn read(bytes: &[u8], base: usize, sizes: &mut Sizes) -> Result<Message, Fault> {
    let move_on = |fault: Fault| Fault { byte: fault.byte + base, ..fault };
    let decoded = decode(bytes).map_err(move_on)?;
    let mut xml = Xml::new(&decoded, base);
    let kind = root(&mut xml)?;
    let mut message = Message { format: format_of(&xml), ..Message::default() };
    loop {
        match xml.step()? {
            Step::Open => message.open(&xml, kind, sizes)?,
            Step::Leaf => message.leaf(&xml, kind)?,
            Step::Close => {}
            Step::End => break,
        }
        if xml.has_closed() {
            message.close(&mut xml, kind, sizes)?;
        }
    }
    message.finish(base, kind)
}

/// Reads the root element.
fn root(xml: &mut Xml<'_>) -> Result<&'static Kind, Fault> {
    xml.step()?;
    let of = |field, why| fault(xml.start(), "Document", field, why);
    let known = kind::of_namespace(xml.namespace());
    if known.is_none() || xml.name(0) != "Document" {
        let why = "the root element is not the document of a statement of ISO 20022";
        return Err(of("xmlns", why).found(xml.namespace()));
    }
    let read = known.filter(|(kind, format)| kind::is_read(kind, format));
    let expected = "versions .001.02 to .001.13";
    let kind = read.map(|(kind, _)| kind);
    kind.ok_or_else(|| of("xmlns", "the version is not read").expected(expected).found(xml.namespace()))
}

fn format_of(xml: &Xml<'_>) -> String {
    kind::of_namespace(xml.namespace()).map_or_else(String::new, |(_, format)| format.to_owned())
}

impl Message {
    fn open(&mut self, xml: &Xml<'_>, kind: &'static Kind, sizes: &mut Sizes) -> Result<(), Fault> {
        let start = xml.start();
        match xml.depth() {
            2 if xml.name(1) != kind.message => {
                let why = "the message is not the one that the namespace names";
                let of = fault(start, "Document", kind.message, why);
                Err(of.expected(kind.message).found(xml.name(1)))
            }
            2 if std::mem::replace(&mut self.is_begun, true) => {
                Err(fault(start, "Document", kind.message, "is stated twice"))
            }
            3 if xml.name(UNIT) == kind.unit => {
                self.unit = Some(Unit::new(kind, start));
                Ok(())
            }
            4 if self.unit.is_some() => self.open_record(xml, start, sizes),
            5.. => {
                if let Some(entry) = &mut self.entry {
                    entry.open(xml.below(RECORD + 1));
                    if sizes.details.saturating_add(entry.size()) > MAX_DETAILS {
                        return Err(xml.fault(start, "too many details").expected(MAX_DETAILS));
                    }
                }
                Ok(())
            }
            _ => Ok(()),
        }
    }

    fn open_record(&mut self, xml: &Xml<'_>, start: usize, sizes: &mut Sizes) -> Result<(), Fault> {
        match xml.name(RECORD) {
            NTRY => {
                sizes.lines += 1;
                if sizes.lines > MAX_LINES {
                    return Err(fault(start, NTRY, NTRY, "too many entries").expected(MAX_LINES));
                }
                self.entry = Some(entry::Draft::new(start, std::mem::take(&mut self.details)));
            }
            "Bal" => self.balance = Some(balances::Draft::new(start)),
            summary::SUMMARY => self.summary = Some(summary::Draft::default()),
            _ => {}
        }
        Ok(())
    }

    fn leaf(&mut self, xml: &Xml<'_>, kind: &'static Kind) -> Result<(), Fault> {
        if let Some(entry) = &mut self.entry {
            return entry.leaf(xml.leaf(RECORD + 1));
        }
        if let Some(balance) = &mut self.balance {
            return balance.leaf(xml.leaf(RECORD + 1));
        }
        if let Some(summary) = &mut self.summary {
            return summary.leaf(xml.leaf(RECORD + 1));
        }
        match (&mut self.unit, xml.name(UNIT)) {
            (Some(unit), name) if name == kind.unit => unit.leaf(xml.leaf(RECORD)),
            (_, "GrpHdr") => self.header(xml.leaf(RECORD)),
            _ => Ok(()),
        }
    }

    fn header(&mut self, leaf: Leaf<'_>) -> Result<(), Fault> {
        match leaf.field {
            "MsgId" => set(&mut self.id, leaf.text.to_owned(), leaf, "GrpHdr"),
            "MsgPgntn/PgNb" | "MsgPgntn/LastPgInd" => self.page.leaf(leaf, "GrpHdr"),
            _ => Ok(()),
        }
    }

    /// Ends the innermost element.
    fn close(&mut self, xml: &mut Xml<'_>, kind: &Kind, sizes: &mut Sizes) -> Result<(), Fault> {
        match xml.depth() {
            5 => {
                if let Some(summary) = &mut self.summary {
                    summary.close_group(xml.name(RECORD + 1));
                }
                Ok(())
            }
            4 => self.close_record(xml, sizes),
            3 if xml.name(UNIT) == kind.unit => self.close_unit(),
            _ => Ok(()),
        }
    }

    fn close_record(&mut self, xml: &mut Xml<'_>, sizes: &mut Sizes) -> Result<(), Fault> {
        let Some(unit) = &mut self.unit else { return Ok(()) };
        if let Some(entry) = self.entry.take() {
            sizes.details = sizes.details.saturating_add(entry.size());
            let (entry, details) = entry.finish(xml.end())?;
            unit.entries.push(entry);
            self.details = details;
        }
        if let Some(balance) = self.balance.take() {
            unit.balances.extend(balance.finish()?);
        }
        if let Some(summary) = self.summary.take() {
            unit.summaries.push((0..0, summary.finish()));
        }
        Ok(())
    }

    fn close_unit(&mut self) -> Result<(), Fault> {
        let Some(mut unit) = self.unit.take() else { return Ok(()) };
        unit.check_head()?;
        let all = 0..unit.entries.len();
        unit.summaries.iter_mut().for_each(|(of, _)| *of = all.clone());
        self.units.push(unit);
        Ok(())
    }

    fn finish(mut self, base: usize, kind: &Kind) -> Result<Self, Fault> {
        required(self.id.take().filter(|id| !id.is_empty()), base, "GrpHdr", "MsgId")?;
        if self.units.is_empty() {
            return Err(fault(base, kind.message, kind.unit, "is missing"));
        }
        let page = self.page;
        for unit in self.units.iter_mut().filter(|unit| !unit.page.is_stated()) {
            (unit.page, unit.is_page_of_message) = (page, true);
        }
        Ok(self)
    }
}
