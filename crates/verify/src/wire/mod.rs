//! JSON types of `docs/reference/proof.md` and `docs/reference/bundle.md`, parsed strictly.

mod event;
mod proofs;
mod text;

pub(crate) use event::{EventProof, EventRow, Included, Sealed};
pub(crate) use proofs::{Balance, Consistency, LastTree, Receipt};
pub(crate) use text::{Bytes, Hash, Id, hashes};
