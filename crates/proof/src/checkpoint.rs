//! Checkpoints: signed tree heads as notes, in the format C2SP tlog-checkpoint.

use alloc::borrow::ToOwned as _;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::consistency;
use crate::error::Error;
use crate::key::{Key, Signer};
use crate::note::Note;
use crate::tree::{Hash, TreeHead};

/// Statement of a log about its tree at one moment, in a format that standard tools can read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// Name of the log: one line, the same for ever, and different for each shard.
    pub origin: String,
    /// Size and root of the tree.
    pub head: TreeHead,
    /// Extension lines. Their meaning is up to the writer; Daybook writes none.
    pub extensions: Vec<String>,
}

impl Checkpoint {
    /// Returns the text that is signed. Fails if the origin or an extension line is empty or has control characters.
    pub fn text(&self) -> Result<String, Error> {
        let lines = self.extensions.iter().chain([&self.origin]);
        if lines.into_iter().any(|line| line.is_empty() || line.contains(|letter: char| letter < ' ')) {
            return Err(Error::Malformed("a checkpoint"));
        }
        let TreeHead { size, root } = self.head;
        let mut text = format!("{}\n{size}\n{}\n", self.origin, STANDARD.encode(root));
        for line in &self.extensions {
            text.push_str(line);
            text.push('\n');
        }
        Ok(text)
    }

    /// Parses the text of a note.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let read = || {
            let mut lines = text.strip_suffix('\n')?.split('\n');
            let (origin, size, root) = (lines.next()?.to_owned(), lines.next()?, lines.next()?);
            let head = TreeHead { size: size.parse().ok()?, root: decode_hash(root)? };
            Some(Self { origin, head, extensions: lines.map(str::to_owned).collect() })
        };
        // Only the canonical text is accepted, so there is one text for one meaning.
        let is_canonical = |checkpoint: &Self| checkpoint.text().is_ok_and(|written| written == text);
        read().filter(is_canonical).ok_or(Error::Malformed("a checkpoint"))
    }

    /// Signs the checkpoint with these keys: one key, or two while one replaces the other.
    pub fn sign(&self, signers: &[Signer]) -> Result<Note, Error> {
        let mut note = Note::new(&self.text()?)?;
        for signer in signers {
            note.sign(signer);
        }
        Ok(note)
    }

    /// Opens a note that the log itself signed, with one of `keys` that has the origin as its name.
    ///
    /// Signatures by others, such as witnesses, have to be valid if their keys are in `keys`, but they do not count as
    /// the log's signature.
    pub fn open(note: &[u8], keys: &[Key]) -> Result<Self, Error> {
        let note = Note::parse(note)?;
        let signed = note.verify(keys)?;
        let checkpoint = Self::parse(note.text())?;
        if signed.iter().any(|key| key.name() == checkpoint.origin) {
            Ok(checkpoint)
        } else {
            Err(Error::UnknownKey)
        }
    }

    /// Verifies by a consistency proof that the tree of this checkpoint is a prefix of the tree of `newer`.
    pub fn verify_grown(&self, newer: &Self, proof: &[Hash]) -> Result<(), Error> {
        if self.origin != newer.origin {
            return Err(Error::Other);
        }
        consistency::verify(proof, &self.head, &newer.head)
    }
}

/// Decodes a hash in base64.
fn decode_hash(text: &str) -> Option<Hash> {
    STANDARD.decode(text).ok()?.try_into().ok()
}
