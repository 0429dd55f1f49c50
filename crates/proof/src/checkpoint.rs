//! Checkpoints: a tree head as the text of a note, C2SP tlog-checkpoint.

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

/// What a log says of itself at a moment, in words that anybody's tools understand.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Checkpoint {
    /// Which log: one line, the same for ever, another one for each shard.
    pub origin: String,
    /// Size and root.
    pub head: TreeHead,
    /// Further lines, whose meaning is their writer's; ours has none.
    pub extensions: Vec<String>,
}

impl Checkpoint {
    /// The text that is signed. Fails if the origin or a further line is empty or not one line.
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

    /// Reads the text of a note.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let read = || {
            let mut lines = text.strip_suffix('\n')?.split('\n');
            let (origin, size, root) = (lines.next()?.to_owned(), lines.next()?, lines.next()?);
            let head = TreeHead { size: size.parse().ok()?, root: decode_hash(root)? };
            Some(Self { origin, head, extensions: lines.map(str::to_owned).collect() })
        };
        // Written anew it is the same, so there is one text for one meaning.
        let is_canonical = |checkpoint: &Self| checkpoint.text().is_ok_and(|written| written == text);
        read().filter(is_canonical).ok_or(Error::Malformed("a checkpoint"))
    }

    /// The note that these keys sign; two while one replaces the other.
    pub fn sign(&self, signers: &[Signer]) -> Result<Note, Error> {
        let mut note = Note::new(&self.text()?)?;
        for signer in signers {
            note.sign(signer);
        }
        Ok(note)
    }

    /// Reads a note that the log itself signed: by one of these keys, under the origin as its name. Signatures of others,
    /// such as witnesses, must hold where their keys are among these, and do not stand for the log.
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

    /// Checks that the log of this checkpoint is the beginning of that of a newer one, by a proof of consistency.
    pub fn verify_grown(&self, newer: &Self, proof: &[Hash]) -> Result<(), Error> {
        if self.origin != newer.origin {
            return Err(Error::Other);
        }
        consistency::verify(proof, &self.head, &newer.head)
    }
}

/// A hash in base64.
fn decode_hash(text: &str) -> Option<Hash> {
    STANDARD.decode(text).ok()?.try_into().ok()
}
