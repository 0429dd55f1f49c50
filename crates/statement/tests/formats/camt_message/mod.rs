//! Small messages for tests: one account `A1`, statement `S1`, euros, 2 November 2026.

use daybook_statement::camt::read;
use daybook_statement::{BankFile, Fault, Line, Statement};

/// Day of all balances and entries that name no other.
pub(crate) const DAY: &str = "2026-11-02";

/// Message of a format such as `camt.053.001.08`, with what stands behind the header.
pub(crate) fn message(format: &str, header: &str, content: &str) -> String {
    let name = match &format[..8] {
        "camt.052" => "BkToCstmrAcctRpt",
        "camt.053" => "BkToCstmrStmt",
        _ => "BkToCstmrDbtCdtNtfctn",
    };
    format!(
        "<Document xmlns=\"urn:iso:std:iso:20022:tech:xsd:{format}\">\n<{name}>\n\
         <GrpHdr><MsgId>M1</MsgId>{header}</GrpHdr>\n{content}\n</{name}>\n</Document>\n"
    )
}

/// Statement `S1`.
pub(crate) fn statement(content: &str) -> String {
    format!("<Stmt><Id>S1</Id>\n{ACCOUNT}\n{content}\n</Stmt>")
}

/// Account `A1` in euros.
pub(crate) const ACCOUNT: &str = "<Acct><Id><Othr><Id>A1</Id></Othr></Id><Ccy>EUR</Ccy></Acct>";

/// Message with statement `S1`.
pub(crate) fn of_statement(content: &str) -> String {
    message("camt.053.001.08", "", &statement(content))
}

/// Message with the statement of one day: opening zero, entries, and a closing balance.
pub(crate) fn of_day(entries: &str, closing: &str) -> String {
    of_statement(&format!("{}{}{entries}", balance("OPBD", "0", DAY), balance("CLBD", closing, DAY)))
}

/// Balance; a minus makes it a debit.
pub(crate) fn balance(code: &str, amount: &str, date: &str) -> String {
    format!(
        "<Bal><Tp><CdOrPrtry><Cd>{code}</Cd></CdOrPrtry></Tp>{}<Dt><Dt>{date}</Dt></Dt></Bal>",
        amounts(amount, "EUR")
    )
}

/// Booked entry of the day; a minus makes it a debit.
pub(crate) fn entry(amount: &str, more: &str) -> String {
    entry_of(amount, DAY, more)
}

/// Booked entry of a day.
pub(crate) fn entry_of(amount: &str, date: &str, more: &str) -> String {
    let amounts = amounts(amount, "EUR");
    format!("<Ntry>{amounts}<Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>{date}</Dt></BookgDt>{more}</Ntry>\n")
}

/// Detail of an entry.
pub(crate) fn detail(amount: &str, more: &str) -> String {
    format!("<TxDtls>{}{more}</TxDtls>", amounts(amount, "EUR"))
}

/// Amount and indicator.
pub(crate) fn amounts(amount: &str, currency: &str) -> String {
    let (size, code) = amount.strip_prefix('-').map_or((amount, "CRDT"), |size| (size, "DBIT"));
    format!("<Amt Ccy=\"{currency}\">{size}</Amt><CdtDbtInd>{code}</CdtDbtInd>")
}

/// Reads a message that must be right.
pub(crate) fn accept(text: &str) -> BankFile {
    read(text.as_bytes()).unwrap_or_else(|fault| panic!("{fault}\n{text}"))
}

/// The only statement of a message.
pub(crate) fn one(text: &str) -> Statement {
    let mut statements = accept(text).statements;
    assert_eq!(statements.len(), 1, "{text}");
    statements.remove(0)
}

/// The only line of a message.
pub(crate) fn line(text: &str) -> Line {
    let mut lines = one(text).lines;
    assert_eq!(lines.len(), 1, "{text}");
    lines.remove(0)
}

/// Reads a message that must be refused.
pub(crate) fn refuse(text: &str) -> Fault {
    let fault = read(text.as_bytes()).expect_err(text);
    assert_eq!(fault.line, 1 + text[..fault.byte].matches('\n').count(), "{fault}");
    fault
}

/// Record and field of the fault.
pub(crate) fn place(text: &str) -> (String, String) {
    let fault = refuse(text);
    (fault.record, fault.field)
}
