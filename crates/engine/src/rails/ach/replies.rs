//! Rendering of files that a bank sends back, for the sandbox bank and for tests.

use daybook_domain::Timestamp;
use daybook_domain::calendar::{Day, ReturnCode};

use super::class::EntryClass;
use super::dispute::{Contested, Dishonored};
use super::record::{Batches, Header, enclose, number};
use super::render::{Account, bank, company, count, detail};
use crate::rails::file::{Originator, OutgoingEntry, Unfit};

/// Reply of a bank to an outgoing entry. A code is one of three letters, such as C01.
#[derive(Clone)]
pub enum Reply<'a> {
    /// The entry is returned.
    Returned(ReturnCode),
    /// Notification of change, with its code and the corrected data.
    Changed(&'a str, &'a str),
    /// Dishonored return, with its code.
    Dishonored(&'a str, Dishonored),
    /// Contested dishonored return, with its code.
    Contested(&'a str, Contested),
}

/// Renders the file by which a bank returns outgoing entries, each with its reason.
///
/// # Errors
///
/// [`Unfit`] if an entry could not have been sent.
pub fn render_returns(
    originator: &Originator,
    made_at: Timestamp,
    returned: &[(&OutgoingEntry, ReturnCode)],
) -> Result<String, Unfit> {
    let replies: Vec<_> = returned.iter().map(|(entry, code)| (*entry, Reply::Returned(*code))).collect();
    render_replies(originator, made_at, &replies)
}

/// Renders the file by which a bank replies to outgoing entries.
///
/// # Errors
///
/// [`Unfit`] if an entry could not have been sent, or if the data of a reply does not fit its record.
pub fn render_replies(
    originator: &Originator,
    made_at: Timestamp,
    replies: &[(&OutgoingEntry, Reply<'_>)],
) -> Result<String, Unfit> {
    let mut batches = Batches::default();
    for ((entry, reply), sequence) in replies.iter().zip(1_u64..) {
        let written = write(&mut batches, originator, entry, reply, sequence);
        written.map_err(|unfit| unfit.of(entry))?;
    }
    let header = Header {
        from: bank(originator)?,
        to: company(originator)?,
        made_at,
        of_day: 0,
        reference: String::new(),
        effective: Day::of(made_at),
    };
    enclose(&header, originator, &batches)
}

/// Adds the records of a reply to its batch.
fn write(
    batches: &mut Batches,
    originator: &Originator,
    entry: &OutgoingEntry,
    reply: &Reply<'_>,
    sequence: u64,
) -> Result<(), Unfit> {
    let account = Account::of(entry)?;
    // A notification moves no money, and has a class of its own.
    let sent = match reply {
        Reply::Changed(..) => OutgoingEntry { amount_minor: 0, class: EntryClass::Cor, ..entry.clone() },
        _ => entry.clone(),
    };
    let amount = u64::try_from(sent.amount_minor).map_err(|_| Unfit::file("amount"))?;
    let theirs = account.routing_num.get(..8).unwrap_or_default();
    let trace = format!("{theirs}{}", number(sequence, 7, "sequence")?);
    let ours = originator.trace(entry.sequence)?;
    let (kind, code, data) = reply.columns(theirs);
    let is_plain = data.bytes().all(|byte| (b' '..=b'~').contains(&byte));
    if code.len() != 3 || data.len() > 58 || !is_plain {
        return Err(Unfit::file("reply"));
    }
    // The transaction code of a reply is one less than that of its entry: 21 for 22, 26 for 27.
    let detail = detail(
        account.code(entry.direction)? - 1,
        &originator.routing_num,
        account.number,
        &sent,
        true,
        &trace,
    )?;
    let addenda = format!("7{kind}{code}{ours}{data:58}{trace}");
    batches.add(&sent, [detail, addenda], count(&originator.routing_num, entry.direction, amount, 2))
}

impl Reply<'_> {
    /// Returns type and code of the addenda record, and its columns 22 to 79. `bank` is that of the original entry.
    fn columns(&self, bank: &str) -> (&'static str, String, String) {
        match self {
            Self::Returned(code) => ("99", code.to_string(), format!("{:6}{bank}", "")),
            Self::Changed(code, data) => ("98", (*code).to_owned(), format!("{:6}{bank}{data}", "")),
            Self::Dishonored(code, data) => ("99", (*code).to_owned(), data.columns(bank)),
            Self::Contested(code, data) => ("99", (*code).to_owned(), data.columns(bank)),
        }
    }
}
