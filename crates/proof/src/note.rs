//! Signed notes (C2SP signed-note): a text that ends with a newline, an empty line, and a line for each signature.

use alloc::borrow::ToOwned as _;
use alloc::format;
use alloc::string::String;
use alloc::vec::Vec;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;

use crate::error::Error;
use crate::key::{Key, Signature, Signer, is_name};

/// Maximum number of bytes of a note that is read.
const MAX_BYTES: usize = 1 << 20;

/// Maximum number of signatures of a note that is read.
const MAX_SIGNATURES: usize = 100;

/// A text with signatures that are not verified yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    text: String,
    lines: Vec<Line>,
}

/// A signature line of a note. Its key may be unknown, and of another type.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Line {
    name: String,
    bytes: Vec<u8>,
}

impl Note {
    /// Creates a note without signatures. Fails if the text does not end with a newline or has other control
    /// characters.
    pub fn new(text: &str) -> Result<Self, Error> {
        if text.ends_with('\n') && is_printable(text) {
            Ok(Self { text: text.to_owned(), lines: Vec::new() })
        } else {
            Err(Error::Malformed("the text of a note"))
        }
    }

    /// Parses a note with one signature or more.
    pub fn parse(bytes: &[u8]) -> Result<Self, Error> {
        Self::read(bytes).ok_or(Error::Malformed("a signed note"))
    }

    fn read(bytes: &[u8]) -> Option<Self> {
        let note = core::str::from_utf8(bytes).ok().filter(|note| note.len() <= MAX_BYTES)?;
        // The text includes the newline before the last empty line. The empty line is the separator.
        let (text, lines) = note.split_at_checked(note.rfind("\n\n")? + 1)?;
        let lines = lines.strip_prefix('\n')?.strip_suffix('\n')?;
        let lines = lines.split('\n').map(Line::read).collect::<Option<Vec<_>>>()?;
        let is_good = is_printable(text) && lines.len() <= MAX_SIGNATURES;
        is_good.then(|| Self { text: text.to_owned(), lines })
    }

    /// Signs the note and adds the signature.
    pub fn sign(&mut self, signer: &Signer) {
        let signature = signer.sign(self.text.as_bytes());
        self.push(signer.key(), signature);
    }

    /// Adds a signature of [`Note::text`] that was made elsewhere. Fails if it is not by `key`.
    pub fn add(&mut self, key: &Key, signature: Signature) -> Result<(), Error> {
        key.verify(self.text.as_bytes(), &signature)?;
        self.push(key, signature);
        Ok(())
    }

    fn push(&mut self, key: &Key, signature: Signature) {
        self.lines.push(Line { name: key.name().to_owned(), bytes: signature.to_bytes().to_vec() });
    }

    /// Returns the signed text, byte for byte. It must not be trusted before [`Note::verify`].
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns the note as it is stored, served and anchored.
    #[must_use]
    pub fn render(&self) -> String {
        let line = |line: &Line| format!("\u{2014} {} {}\n", line.name, STANDARD.encode(&line.bytes));
        format!("{}\n{}", self.text, self.lines.iter().map(line).collect::<String>())
    }

    /// Returns those of `keys` that signed the note. Signatures by other keys are ignored.
    ///
    /// Fails if a signature names one of `keys` and is wrong, or if no signature is by one of `keys`.
    pub fn verify<'a>(&self, keys: &'a [Key]) -> Result<Vec<&'a Key>, Error> {
        let mut signed = Vec::new();
        for line in &self.lines {
            let is_named = |key: &&Key| key.name() == line.name && line.bytes.starts_with(&key.id());
            let Some(key) = keys.iter().find(is_named) else { continue };
            let signature = Signature::from_bytes(&line.bytes).ok_or(Error::Signature)?;
            key.verify(self.text.as_bytes(), &signature)?;
            signed.push(key);
        }
        if signed.is_empty() { Err(Error::UnknownKey) } else { Ok(signed) }
    }
}

impl Line {
    fn read(line: &str) -> Option<Self> {
        let (name, encoded) = line.strip_prefix("\u{2014} ")?.split_once(' ')?;
        let bytes = STANDARD.decode(encoded).ok()?;
        (is_name(name) && bytes.len() > 4).then(|| Self { name: name.to_owned(), bytes })
    }
}

fn is_printable(text: &str) -> bool {
    text.bytes().all(|byte| byte >= b' ' || byte == b'\n')
}
