//! Signed root of a commit: the statement of a log about one of its commits.
//!
//! The signed text has every column of the row of `commit` except the signature and the frontier. The hashes of the
//! frontier lead to the root, so no column can be changed without detection. The first line of the text is not a valid
//! origin and the second is not a number, so the text cannot be mistaken for a checkpoint.

use alloc::format;
use alloc::string::String;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::error::Error;
use crate::key::{self, Key, Signature, Signer, is_name};
use crate::leaf::Id;
use crate::tree::TreeHead;

/// First line of the text. No origin may be equal to it.
const FIRST_LINE: &str = "daybook-commit/v1";

/// Signed statement about a commit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CommitRoot {
    /// Name of the log, as in its checkpoints, and of the key that signs.
    pub origin: String,
    /// Number of the shard.
    pub shard: i16,
    /// Number of the commit.
    pub commit_no: u64,
    /// Id of the commit, chosen by the writer.
    pub batch: Id,
    /// Id of the process that wrote the commit.
    pub writer: Id,
    /// Time of recording, in microseconds since the Unix epoch.
    pub recorded_at_us: i64,
    /// Tree after the commit's last event. Its size is the position of that event.
    pub head: TreeHead,
}

impl CommitRoot {
    /// Returns the text that is signed. Fails if the origin cannot be the name of a key.
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

    /// Signs the statement. The stored form of the signature is [`Signature::to_bytes`].
    pub fn sign(&self, signer: &Signer) -> Result<Signature, Error> {
        Ok(signer.sign(self.text()?.as_bytes()))
    }

    /// Verifies that one of `keys`, with the origin as its name, signed the statement.
    pub fn verify(&self, signature: &Signature, keys: &[Key]) -> Result<(), Error> {
        key::verify(keys, &self.origin, self.text()?.as_bytes(), signature)
    }

    /// Returns the key among `trusted` that signed the statement, with the key's name as the origin. All readers of a
    /// log use this function.
    ///
    /// # Errors
    ///
    /// [`Error::UnknownKey`] if no trusted key has the id in the signature; [`Error::Signature`] if one has it and did
    /// not sign this statement.
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

/// Formats an id as a UUID.
fn uuid(id: Id) -> String {
    let [a, b, c, d] = [(96, 32), (80, 16), (64, 16), (48, 16)]
        .map(|(shift, bits)| (u128::from_be_bytes(id) >> shift) & ((1 << bits) - 1));
    format!("{a:08x}-{b:04x}-{c:04x}-{d:04x}-{:012x}", u128::from_be_bytes(id) & ((1 << 48) - 1))
}
