//! Legs of a transaction in files for a bank.

use daybook_domain::transaction::Direction;

/// The legs that are in a file, one bit for each direction.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Legs(u8);

impl Legs {
    pub(super) fn submit(&mut self, leg: Direction, wrong: &mut Vec<String>) {
        if self.0 & bit(leg) != 0 {
            wrong.push("a leg goes into a second file".to_owned());
        }
        self.0 |= bit(leg);
    }

    pub(super) fn withdraw(&mut self, leg: Direction, wrong: &mut Vec<String>) {
        if self.0 & bit(leg) == 0 {
            wrong.push("a leg that is in no file is withdrawn".to_owned());
        }
        self.0 &= !bit(leg);
    }
}

const fn bit(leg: Direction) -> u8 {
    1 << leg as u8
}
