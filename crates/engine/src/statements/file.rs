//! A file of the bank that was read, before anything of it is accepted.

use daybook_domain::statement::Statement;
use daybook_domain::statement::accept::{AcceptStatements, StatedDay, StatedFile};
use daybook_domain::{Actor, CustodyId, Origin, PlatformId};

use super::ids::FileHash;
use super::read::{ReadDay, ReadFile};
use super::view::StatementView;

/// A file that is read and about the account of its platform.
pub(super) struct ReadIn {
    pub(super) custody: CustodyId,
    pub(super) bytes: Vec<u8>,
    pub(super) hash: FileHash,
    pub(super) file: ReadFile,
}

impl ReadIn {
    /// The command that accepts the file.
    pub(super) fn accept(&self) -> AcceptStatements {
        let stated = |read: &ReadDay| StatedDay {
            id: self.hash.statement(self.custody, read.currency, read.day),
            currency: read.currency,
            day: read.day,
            opening: read.opening,
            closing: read.closing,
            lines: u32::try_from(read.lines.len()).unwrap_or(u32::MAX),
            replaces: None,
        };
        let file = StatedFile {
            statements: self.file.days.iter().map(stated).collect(),
            format: self.file.format.clone(),
            hash: self.hash.hex(),
            bytes: self.bytes.len() as u64,
        };
        AcceptStatements { custody: self.custody, file, origin: Origin::of(Actor::Bank) }
    }

    /// The statements as they would be accepted.
    pub(super) fn views(&self, platform: PlatformId, stated: &[StatedDay]) -> Vec<StatementView> {
        let view = |it: &StatedDay| StatementView {
            id: it.id,
            statement: Statement {
                platform,
                custody: self.custody,
                currency: it.currency,
                day: it.day,
                opening: it.opening,
                closing: it.closing,
                lines: it.lines,
                booked: 0,
                balance: it.opening,
                suspended: 0,
                file: self.hash.hex(),
                bytes: self.bytes.len() as u64,
                format: self.file.format.clone(),
                replaces: it.replaces,
                replaced_by: None,
                later: 0,
            },
            lines: vec![],
        };
        stated.iter().map(view).collect()
    }
}
