//! Messages and fields: the outer shape of a file.
//!
//! A field begins at the beginning of a line with its tag, `:61:` or `:60F:`, and goes on until the next tag or the end of
//! the message. A message ends with a line `-`, in the blocks of SWIFT with `-}`. Without blocks, the next `:20:` or the end
//! of the file end it too.

use crate::Fault;
use crate::beginning::UTF_8_MARK;

/// Bytes that may stand between messages beside white space: `$` in files of the format RJE, the marks for begin and end of
/// text in files of the format DOS-PCC, and the mark for the end of a file of DOS.
const BETWEEN: &[u8] = b"$\x01\x03\x1a";

/// Field of a message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field<'a> {
    /// Tag with its colons, such as `:60F:`.
    pub(super) tag: &'a str,
    /// Content after the tag, without white space at its end.
    pub(super) body: &'a [u8],
    /// Offset of the tag in the file.
    pub(super) at: usize,
    /// Offset of the byte after the content.
    pub(super) end: usize,
}

impl<'a> Field<'a> {
    /// Creates a fault at this field.
    pub(super) fn fault(&self, field: &str, why: impl Into<String>) -> Fault {
        Fault::new((0, self.at), (self.tag, field), why)
    }

    /// Lines of the content, without their line breaks.
    pub(super) fn lines(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        self.body.split(|byte| *byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line))
    }
}

/// Beginning of a message.
#[derive(Clone, Copy, Debug)]
pub(super) struct Start<'a> {
    /// Offset of the message in the file.
    pub(super) at: usize,
    /// Type of the message, such as `940`, if the second block states it.
    pub(super) kind: Option<&'a [u8]>,
}

/// End of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Ending {
    /// The message goes on.
    Open,
    /// A line `-`, or `-}`.
    Marked,
    /// The next message begins.
    Next,
    /// The file ends.
    File,
}

/// Reader of fields. Visits each byte a fixed number of times.
pub(super) struct Scanner<'a> {
    bytes: &'a [u8],
    at: usize,
    /// True if the message is in the fourth block of SWIFT.
    is_block: bool,
    /// True if a field of the message was read.
    has_field: bool,
    ending: Ending,
    /// Offset of the ending.
    ending_at: usize,
}

impl<'a> Scanner<'a> {
    pub(super) fn new(bytes: &'a [u8]) -> Self {
        let at = if bytes.starts_with(UTF_8_MARK) { UTF_8_MARK.len() } else { 0 };
        let is_trailing = |byte: &u8| byte.is_ascii_whitespace() || matches!(byte, 0x03 | 0x1a);
        let end = bytes.iter().rposition(|byte| !is_trailing(byte)).map_or(0, |last| last + 1);
        let bytes = bytes.get(..end).unwrap_or_default();
        Self {
            bytes,
            at: at.min(end),
            is_block: false,
            has_field: false,
            ending: Ending::Open,
            ending_at: end,
        }
    }

    /// Offset of the end of the message whose fields are all read.
    pub(super) const fn ending_at(&self) -> usize {
        self.ending_at
    }

    /// End of the message whose fields are all read.
    pub(super) const fn ending(&self) -> Ending {
        self.ending
    }

    /// True if the message is in the blocks of SWIFT.
    pub(super) const fn is_block(&self) -> bool {
        self.is_block
    }

    /// True if nothing follows the field that was read last.
    pub(super) const fn is_at_end(&self) -> bool {
        self.at >= self.bytes.len()
    }

    fn rest(&self) -> &'a [u8] {
        self.bytes.get(self.at..).unwrap_or_default()
    }

    /// Goes to the next message, if there is one.
    pub(super) fn start(&mut self) -> Result<Option<Start<'a>>, Fault> {
        (self.is_block, self.has_field, self.ending) = (false, false, Ending::Open);
        let mut start = None;
        loop {
            let is_between = |byte: &u8| byte.is_ascii_whitespace() || BETWEEN.contains(byte);
            self.at += self.rest().iter().take_while(|byte| is_between(byte)).count();
            let begun = *start.get_or_insert(Start { at: self.at, kind: None });
            match self.rest() {
                [] if begun.at == self.at => return Ok(None),
                [b'{', b'4', b':', ..] => {
                    self.at += 3;
                    self.at += self.rest().iter().take_while(|byte| byte.is_ascii_whitespace()).count();
                    self.is_block = true;
                    return Ok(Some(begun));
                }
                [b'{', name, b':', ..] => {
                    let content = self.block()?;
                    // The fifth block and those of the network belong to the message before.
                    let kind = if *name == b'2' { content.get(1..4) } else { begun.kind };
                    let is_trailer = matches!(name, b'5' | b'S');
                    start = (!is_trailer).then_some(Start { kind, ..begun });
                }
                [] => {
                    return Err(Fault::new((0, begun.at), ("end of file", "{4:"), "the message has no text"));
                }
                rest if rest.starts_with(b":20:") && begun.at == self.at => return Ok(Some(begun)),
                rest => {
                    let line = rest.split(|byte| *byte == b'\n').next().unwrap_or_default();
                    let found = String::from_utf8_lossy(line.get(..line.len().min(80)).unwrap_or_default());
                    let fault = Fault::new((0, self.at), ("message", "start"), "no message begins here");
                    return Err(fault.expected(":20:").found(found));
                }
            }
        }
    }

    /// Passes a block, and returns its content. Blocks in it are counted, not entered.
    fn block(&mut self) -> Result<&'a [u8], Fault> {
        let (at, rest) = (self.at, self.rest());
        let mut depth = 0_usize;
        for (index, byte) in rest.iter().enumerate() {
            match byte {
                b'{' => depth += 1,
                b'}' => depth = depth.saturating_sub(1),
                _ => {}
            }
            if depth == 0 {
                self.at += index + 1;
                return Ok(rest.get(3..index).unwrap_or_default());
            }
        }
        Err(Fault::new((0, at), ("end of file", "block"), "a block is not closed"))
    }

    /// Returns the next field, or nothing at the end of the message.
    pub(super) fn field(&mut self) -> Result<Option<Field<'a>>, Fault> {
        let (at, rest) = (self.at, self.rest());
        self.ending_at = at;
        if rest.is_empty() {
            self.ending = Ending::File;
            return Ok(None);
        }
        if let Some(length) = self.end_mark(rest) {
            (self.at, self.ending) = (at + length, Ending::Marked);
            return Ok(None);
        }
        let Some(tag) = tag(rest) else {
            return Err(Fault::new((0, at), ("message", "tag"), "a field begins with its tag"));
        };
        if tag == ":20:" && self.has_field && !self.is_block {
            self.ending = Ending::Next;
            return Ok(None);
        }
        self.has_field = true;
        let body = rest.get(tag.len()..self.length(rest)).unwrap_or_default();
        self.at += tag.len() + body.len();
        let body = body.trim_ascii_end();
        let field = Field { tag, body, at, end: at + tag.len() + body.len() };
        plain(&field).map(|()| Some(field))
    }

    /// Length of the field at the beginning of `rest`, with its last line break.
    fn length(&self, rest: &[u8]) -> usize {
        let mut length = 0;
        for line in rest.split_inclusive(|byte| *byte == b'\n') {
            let following = rest.get(length..).unwrap_or_default();
            if length > 0 && (tag(following).is_some() || self.end_mark(following).is_some()) {
                break;
            }
            length += line.len();
        }
        length
    }

    /// Length of the mark that ends the message, if `rest` begins with it.
    fn end_mark(&self, rest: &[u8]) -> Option<usize> {
        match rest {
            [b'-', b'}', ..] => Some(2),
            [b'-', ..] if self.is_block => None,
            [b'-', after @ ..] => {
                let blanks = after.iter().take_while(|byte| matches!(byte, b' ' | b'\r' | b'\t')).count();
                matches!(after.get(blanks), None | Some(b'\n' | 0x03)).then_some(1 + blanks)
            }
            _ => None,
        }
    }
}

/// Tag at the beginning of a line: two digits and at most one capital letter between colons.
fn tag(line: &[u8]) -> Option<&str> {
    let length = match line {
        [b':', a, b, b':', ..] if a.is_ascii_digit() && b.is_ascii_digit() => 4,
        [b':', a, b, c, b':', ..] if a.is_ascii_digit() && b.is_ascii_digit() && c.is_ascii_uppercase() => 5,
        _ => return None,
    };
    std::str::from_utf8(line.get(..length)?).ok()
}

/// Refuses letters that no text has, such as NUL: the file is damaged.
fn plain(field: &Field<'_>) -> Result<(), Fault> {
    let is_control = |byte: &&u8| byte.is_ascii_control() && **byte != b'\t';
    match field.lines().find_map(|line| line.iter().find(is_control)) {
        Some(byte) => {
            let found = format!("0x{byte:02x}");
            Err(field.fault("text", "the field has a control character").found(found))
        }
        None => Ok(()),
    }
}
