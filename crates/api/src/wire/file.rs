//! Files inside JSON: base64 text, optionally in a data URI (RFC 2397).

use std::fmt;

use base64::Engine;
use base64::alphabet::{STANDARD, URL_SAFE};
use base64::engine::DecodePaddingMode;
use base64::engine::general_purpose::{GeneralPurpose, GeneralPurposeConfig, PAD, STANDARD as PADDED};
use daybook_engine::FileContents;
use serde::de::Error;
use serde::{Deserialize, Deserializer};

use crate::wire::text::LongText;

/// Base64 with any padding and ignored trailing bits: existing clients send `SUQs==`.
const LENIENT_BASE64: GeneralPurposeConfig =
    PAD.with_decode_padding_mode(DecodePaddingMode::Indifferent).with_decode_allow_trailing_bits(true);

/// Parses the image of a document: a data URI with leniently decoded base64.
///
/// # Errors
///
/// The requirement that the text violates.
fn image(text: &str) -> Result<FileContents, &'static str> {
    let wrong = "must be a data URI in base64";
    let (media_type, data) = data_uri(text).ok_or(wrong)?;
    let digits: String = data.chars().filter(|char| !char.is_ascii_whitespace() && *char != '=').collect();
    let alphabet = if digits.contains(['-', '_']) { &URL_SAFE } else { &STANDARD };
    let bytes = GeneralPurpose::new(alphabet, LENIENT_BASE64).decode(digits).map_err(|_| wrong)?;
    file(media_type, &bytes).ok_or("must not be empty")
}

/// Image in the body of a request.
#[derive(Clone)]
pub struct Image(FileContents);

impl From<Image> for FileContents {
    fn from(image: Image) -> Self {
        image.0
    }
}

/// Hides the contents: uploaded files must not appear in logs.
impl fmt::Debug for Image {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Image({} digits)", self.0.base64.len())
    }
}

impl<'de> Deserialize<'de> for Image {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = LongText::deserialize(deserializer)?;
        image(text.as_str()).map(Self).map_err(D::Error::custom)
    }
}

/// Parses an attachment of a transaction: padded base64, alone or in a data URI. Source: API 3.1, Create transaction.
///
/// # Errors
///
/// The requirement that the text violates.
pub fn attachment(text: &str) -> Result<FileContents, &'static str> {
    let (media_type, data) = data_uri(text).unwrap_or(("", text));
    let bytes = PADDED.decode(data).map_err(|_| "must be padded base64")?;
    file(media_type, &bytes).ok_or("must not be empty")
}

fn file(media_type: &str, bytes: &[u8]) -> Option<FileContents> {
    let file = FileContents { media_type: media_type.to_owned(), base64: PADDED.encode(bytes) };
    (!bytes.is_empty()).then_some(file)
}

/// Splits a data URI in base64 into media type and data.
fn data_uri(text: &str) -> Option<(&str, &str)> {
    let (head, data) = text.strip_prefix("data:")?.split_once(',')?;
    Some((head.strip_suffix(";base64")?, data))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(file: Result<FileContents, &'static str>) -> Result<(String, String), &'static str> {
        file.map(|file| (file.media_type, file.base64))
    }

    #[test]
    fn an_image_is_read_loosely() {
        let csv = |base64: &str| Ok(("text/csv".to_owned(), base64.to_owned()));
        for data in ["SUQs", "SUQs==", "SUQs=", "SU\nQs", " SUQs "] {
            assert_eq!(read(image(&format!("data:text/csv;base64,{data}"))), csv("SUQs"), "{data}");
        }
        assert_eq!(read(image("data:text/csv;base64,-_8")), csv("+/8="));
        assert_eq!(read(image("data:text/csv;base64,-_9")), csv("+/8="));
        assert_eq!(read(image("data:;base64,AA==")), Ok((String::new(), "AA==".to_owned())));
    }

    #[test]
    fn invalid_data_uri_is_refused() {
        for text in ["", "SUQs", "data:", "data:image/png,x", "data:image/png;base64", "data:a;base64,%"] {
            assert_eq!(read(image(text)), Err("must be a data URI in base64"), "{text}");
        }
        assert_eq!(read(image("data:image/png;base64,")), Err("must not be empty"));
    }

    #[test]
    fn an_attachment_is_padded() {
        let plain = |base64: &str| Ok((String::new(), base64.to_owned()));
        assert_eq!(read(attachment("SGk=")), plain("SGk="));
        let image = Ok(("image/png".to_owned(), "SGk=".to_owned()));
        assert_eq!(read(attachment("data:image/png;base64,SGk=")), image);
        for text in ["SGk", "SGk==", "S", "SGk=\n", "SG k=", "-_8=", "data:image/png,SGk=", "SGl=", "é"] {
            assert_eq!(read(attachment(text)), Err("must be padded base64"), "{text}");
        }
        assert_eq!(read(attachment("")), Err("must not be empty"));
    }
}
