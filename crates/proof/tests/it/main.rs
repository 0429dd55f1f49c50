//! Tests of the proofs against the vectors of Certificate Transparency, other crates, damaged inputs, and the page that
//! describes the formats.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use daybook_proof::tree::leaf_hash;
use daybook_proof::{Frontier, Growth, Hash};

mod balance;
mod broken;
mod crates;
mod notes;
mod reference;
mod tiles;
mod vectors;

/// Returns the leaves of a tree: the numbers 0, 1, 2, … as bytes.
fn entries(size: u64) -> Vec<Vec<u8>> {
    (0..size).map(|index| index.to_be_bytes().to_vec()).collect()
}

/// Returns a tree of `size` leaves, with all of its hashes.
fn tree(size: u64) -> Growth {
    Growth::new(&Frontier::default(), hashes(size))
}

fn hashes(size: u64) -> impl Iterator<Item = Hash> {
    entries(size).into_iter().map(|entry| leaf_hash(&entry))
}
