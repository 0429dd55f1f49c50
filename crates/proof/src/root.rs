//! The signed root of a commit: which log said what, in which of its commits.
//!
//! Its text holds every column of the row of `commit` but the signature and the frontier, whose hashes lead to the root,
//! so none of them can be changed unseen. Its first line is no origin and its second line no number, so it is never
//! taken for a checkpoint.

use alloc::format;
use alloc::string::String;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::error::Error;
use crate::key::{self, Key, Signature, Signer, is_name};
use crate::leaf::Id;
use crate::tree::TreeHead;

/// The first line of the text, which no origin may be.
const FIRST_LINE: &str = "daybook-commit/v1";

/// What is signed of a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitRoot {
    /// Which log, as in its checkpoints; also the name of the key that signs.
    pub origin: String,
    /// The shard.
    pub shard: i16,
    /// Number of the commit.
    pub commit_no: u64,
    /// The writer's id of it.
    pub batch: Id,
    /// The process that wrote it.
    pub writer: Id,
    /// When it was recorded, in microseconds since the Unix epoch.
    pub recorded_at_us: i64,
    /// The tree after its last event; its size is the position of that.
    pub head: TreeHead,
}

impl CommitRoot {
    /// The text that is signed. Fails if the origin cannot be the name of a key.
    pub fn text(&self) -> Result<String, Error> {
        let Self { origin, shard, commit_no, recorded_at_us, head, .. } = self;
        if !is_name(origin) || origin == FIRST_LINE {
            return Err(Error::Malformed("an origin"));
        }
        let (batch, writer) = (uuid(self.batch), uuid(self.writer));
        let root = STANDARD.encode(head.root);
        Ok(format!(
            "{FIRST_LINE}\norigin {origin}\nshard {shard}\ncommit {commit_no}\nbatch {batch}\nwriter {writer}\n\
             recorded_at_us {recorded_at_us}\nsize {}\nroot {root}\n",
            head.size
        ))
    }

    /// Signs it; the stored form is [`Signature::to_bytes`].
    pub fn sign(&self, signer: &Signer) -> Result<Signature, Error> {
        Ok(signer.sign(self.text()?.as_bytes()))
    }

    /// Checks that one of these keys, which has the origin for its name, signed it.
    pub fn verify(&self, signature: &Signature, keys: &[Key]) -> Result<(), Error> {
        key::verify(keys, &self.origin, self.text()?.as_bytes(), signature)
    }

    /// The key among `trusted` that signed it, for the log that has the key's name. All readers of a log ask here.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownKey`] if none of these keys has the signature's id, [`Error::Signature`] if one has and did not
    /// sign this.
    pub fn signed_by<'a>(&self, signature: &Signature, trusted: &'a [Key]) -> Result<&'a Key, Error> {
        let mut why = Error::UnknownKey;
        for key in trusted.iter().filter(|key| key.id() == signature.key_id) {
            let root = Self { origin: key.name().into(), ..self.clone() };
            match root.verify(signature, core::slice::from_ref(key)) {
                Ok(()) => return Ok(key),
                Err(error) => why = error,
            }
        }
        Err(why)
    }
}

/// An id as a UUID is written.
fn uuid(id: Id) -> String {
    let [a, b, c, d] = [(96, 32), (80, 16), (64, 16), (48, 16)]
        .map(|(shift, bits)| (u128::from_be_bytes(id) >> shift) & ((1 << bits) - 1));
    format!("{a:08x}-{b:04x}-{c:04x}-{d:04x}-{:012x}", u128::from_be_bytes(id) & ((1 << 48) - 1))
}
