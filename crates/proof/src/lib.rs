//! Proofs about an append-only log: a Merkle tree as in RFC 6962, inclusion and consistency proofs, signed tree heads.
//!
//! - The tree: [`tree`] has hashes and heads, [`Growth`] adds leaves to a [`Frontier`] (compact range), [`Tile`] is its
//!   layout as files (C2SP tlog-tiles).
//! - Proofs: [`inclusion`] (a leaf is in a tree), [`consistency`] (a tree is a prefix of a larger one), and [`Balance`]
//!   (an entry is the newest of its account at a position).
//! - Signatures: [`Checkpoint`] is a signed tree head as a C2SP note, [`CommitRoot`] the signed root of one commit, and
//!   [`Receipt`] an inclusion proof with that root, which a client keeps.
//!
//! The crate is pure and `no_std`, so the same code runs in the writer, in the verifier and in a browser. It has no
//! database, clock, randomness or JSON: keys, hashes and rows are arguments. `docs/reference/proof.md` describes every
//! format byte by byte.
//!
//! # Example
//!
//! ```
//! use daybook_proof::{Checkpoint, Error, Frontier, Growth, Signer, consistency, inclusion, tree};
//!
//! # fn main() -> Result<(), Error> {
//! let leaves = [b"a", b"b", b"c", b"d"].map(|bytes| tree::leaf_hash(bytes));
//! let old = Growth::new(&Frontier::default(), leaves[..3].iter().copied());
//! let new = Growth::new(old.frontier(), [leaves[3]]);
//!
//! // Inclusion: the second leaf is in the tree of three leaves.
//! let path = old.prove(1)?;
//! inclusion::verify(&leaves[1], 1, &path, &old.head())?;
//!
//! // Consistency: the tree of three leaves is a prefix of the tree of four.
//! let all = Growth::new(&Frontier::default(), leaves);
//! let proof = consistency::prove(&all, 3, 4)?;
//! consistency::verify(&proof, &old.head(), &new.head())?;
//!
//! // A checkpoint is a signed tree head. The name of the key is the origin of the log.
//! let signer = Signer::new("log.example/1", &[7; 32])?;
//! let checkpoint = Checkpoint { origin: "log.example/1".into(), head: new.head(), extensions: vec![] };
//! let note = checkpoint.sign(std::slice::from_ref(&signer))?.render();
//! assert_eq!(Checkpoint::open(note.as_bytes(), &[signer.key().clone()])?, checkpoint);
//! # Ok(())
//! # }
//! ```

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
