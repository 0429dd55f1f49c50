//! What makes the log provable: a hash tree over its events, proofs about it, and signatures of its root.
//!
//! Pure and `no_std`, so the same code runs in the writer, in the verifier and in a browser. It knows no database, no
//! clock, no randomness and no JSON; keys, hashes and rows arrive as arguments. All formats are described byte by byte
//! in `docs/reference/proof.md`. The tree is that of RFC 6962, notes, checkpoints and tiles are those of C2SP.

#![no_std]
#![forbid(unsafe_code)]

extern crate alloc;

pub mod balance;
pub mod checkpoint;
pub mod consistency;
mod error;
pub mod growth;
pub mod inclusion;
pub mod key;
pub mod last;
pub mod leaf;
pub mod note;
mod range;
pub mod receipt;
pub mod root;
pub mod tile;
pub mod tree;

pub use balance::Balance;
pub use checkpoint::Checkpoint;
pub use error::Error;
pub use growth::Growth;
pub use key::{Key, Signature, Signer};
pub use last::{LastEntries, LastEntry, LastTree};
pub use leaf::{Id, Leaf};
pub use note::Note;
pub use receipt::Receipt;
pub use root::CommitRoot;
pub use tile::{Tile, Tiles};
pub use tree::{Frontier, Hash, Hashes, Node, TreeHead};
