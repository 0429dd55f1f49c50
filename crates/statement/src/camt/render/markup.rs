//! Elements as text, one a line.

use std::fmt::Write;

use daybook_domain::Currency;
use daybook_domain::calendar::Day;

use super::decimal;
use crate::statement::find;
use crate::{CodeKind, Codes};

/// Message that is being written.
pub(super) struct Markup(String);

impl Markup {
    /// Begins a document of a format.
    pub(super) fn new(format: &str) -> Self {
        let declaration = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>";
        let namespace = format!("urn:iso:std:iso:20022:tech:xsd:{format}");
        Self(format!("{declaration}\n<Document xmlns=\"{namespace}\">\n"))
    }

    pub(super) fn open(&mut self, name: &str) {
        self.tag("<", name, ">\n");
    }

    pub(super) fn close(&mut self, name: &str) {
        self.tag("</", name, ">\n");
    }

    pub(super) fn leaf(&mut self, name: &str, text: &str) {
        self.tag("<", name, ">");
        self.text(text);
        self.close(name);
    }

    /// Amount without its sign.
    pub(super) fn amount(&mut self, name: &str, minor: i64, currency: Currency) {
        self.tag("<", name, " Ccy=\"");
        self.tag("", currency.code(), "\">");
        self.text(&decimal(i128::from(minor).abs(), '.', currency));
        self.close(name);
    }

    pub(super) fn sign(&mut self, is_credit: bool) {
        self.leaf("CdtDbtInd", if is_credit { "CRDT" } else { "DBIT" });
    }

    /// Date within an element, if there is one.
    pub(super) fn day(&mut self, name: &str, day: Option<Day>) {
        if let Some(day) = day {
            self.open(name);
            self.leaf("Dt", &day.to_string());
            self.close(name);
        }
    }

    /// Code of a transaction.
    pub(super) fn codes(&mut self, codes: &Codes) {
        let of = |kind| find(codes, kind);
        self.open("BkTxCd");
        if let Some(iso) = of(CodeKind::Iso) {
            let mut parts = iso.splitn(3, '/');
            self.open("Domn");
            self.leaf("Cd", parts.next().unwrap_or_default());
            self.open("Fmly");
            self.leaf("Cd", parts.next().unwrap_or_default());
            self.leaf("SubFmlyCd", parts.next().unwrap_or_default());
            self.close("Fmly");
            self.close("Domn");
        }
        if let Some(own) = of(CodeKind::Proprietary) {
            self.open("Prtry");
            self.leaf("Cd", own);
            self.close("Prtry");
        }
        self.close("BkTxCd");
    }

    pub(super) fn finish(mut self) -> String {
        self.close("Document");
        self.0
    }

    fn tag(&mut self, before: &str, name: &str, after: &str) {
        self.0.push_str(before);
        self.0.push_str(name);
        self.0.push_str(after);
    }

    /// Text with references in place of markup. XML has no place for most control characters.
    fn text(&mut self, text: &str) {
        for letter in text.chars() {
            match letter {
                '<' => self.0.push_str("&lt;"),
                '>' => self.0.push_str("&gt;"),
                '&' => self.0.push_str("&amp;"),
                '\t' | '\n' | '\r' => write!(self.0, "&#{};", u32::from(letter)).unwrap_or_default(),
                letter if letter < ' ' || matches!(letter, '\u{fffe}' | '\u{ffff}') => self.0.push(' '),
                letter => self.0.push(letter),
            }
        }
    }
}
