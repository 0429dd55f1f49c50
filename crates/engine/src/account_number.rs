//! Account numbers of subnets: what has one place in the log has one number.
//!
//! A number is the place of the subnet's first event, put through a permutation that nobody can follow without the
//! master key. Places are given once, so no two subnets of a shard have one number, whoever makes them at the same
//! moment; nothing is counted, stored or looked up, and a number tells neither how many there are nor what the next one
//! will be.

use daybook_log::{Position, Shard};
use daybook_vault::{Purpose, Vault};

use crate::engine::Engine;

/// Numbers have twice as many digits as this has zeros: 14.
const HALF: u64 = 10_000_000;
/// The first that does not begin with a zero, which programs drop that take it for a number. Those from here on last
/// for 2,800 years at a thousand events a second.
const FIRST: u64 = HALF * HALF / 10;
/// As many as NIST SP 800-38G asks for.
const ROUNDS: u8 = 10;

impl Engine {
    /// The account number of the subnet whose first event is at `position` of the log of `shard`: 14 digits.
    #[must_use]
    pub fn account_number(&self, shard: Shard, position: Position) -> String {
        number(self.vault(), shard, position)
    }
}

fn number(vault: &Vault, shard: Shard, position: Position) -> String {
    let mix = |round: u8, half: u64| {
        let parts: [&[u8]; 3] = [&shard.to_be_bytes(), &[round], &half.to_be_bytes()];
        let mac = vault.mac(Purpose::AccountNumber, &parts);
        mac[..8].iter().fold(0, |bits, byte| bits << 8 | u64::from(*byte))
    };
    walk(HALF, FIRST, position, mix).to_string()
}

/// The number of a place: one from `first` to below `half` squared, and no other place's among as many as these are.
fn walk(half: u64, first: u64, position: Position, mix: impl Fn(u8, u64) -> u64) -> u64 {
    let mut number = first + position % (half * half - first);
    // From one that is among them, every walk through a permutation comes back to one that is.
    loop {
        number = permute(half, number, &mix);
        if number >= first {
            return number;
        }
    }
}

/// A permutation of the numbers below `half` squared, whatever `mix` is: a Feistel network of its two halves.
fn permute(half: u64, number: u64, mix: impl Fn(u8, u64) -> u64) -> u64 {
    let (mut left, mut right) = (number / half, number % half);
    for round in 0..ROUNDS {
        (left, right) = (right, (left + mix(round, right) % half) % half);
    }
    left * half + right
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    fn mix(round: u8, half: u64) -> u64 {
        half.wrapping_mul(7_919) ^ u64::from(round) << 3
    }

    #[test]
    fn every_number_comes_from_one_other() {
        for half in [1, 2, 10, 100] {
            let numbers: BTreeSet<u64> = (0..half * half).map(|number| permute(half, number, mix)).collect();
            assert!(numbers.into_iter().eq(0..half * half), "{half}");
        }
    }

    #[test]
    fn every_place_has_a_number_without_a_zero_before_it_and_every_number_comes_once() {
        for half in [10, 100] {
            let (first, end) = (half * half / 10, half * half);
            let numbers: BTreeSet<u64> =
                (0..end - first).map(|place| walk(half, first, place, mix)).collect();
            assert!(numbers.into_iter().eq(first..end), "{half}");
            // Some are found only where the first step leads below them, or nothing would be said of the walk.
            assert!((first..end).any(|number| permute(half, number, mix) < first), "{half}");
        }
    }
}
