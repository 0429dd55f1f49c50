//! Options of anchors: their places, and the credentials for them.

use std::path::PathBuf;
use std::str::FromStr;

use clap::Args;
use hyper::Uri;

/// Options of anchors, for commands that store checkpoints and for commands that verify with them.
#[derive(Clone, Debug, Default, Args)]
#[command(next_help_heading = "Anchors")]
pub struct Anchors {
    /// Folder or address (https://…, with PUT and GET) that stores checkpoints outside the database; may be given
    /// several times.
    #[arg(long, env = "DAYBOOK_ANCHOR", value_delimiter = ',')]
    pub anchor: Vec<AnchorLocation>,
    /// File with one anchor per line: its address, and the value of the header Authorization for it.
    #[arg(long, env = "DAYBOOK_ANCHOR_AUTHORIZATION_FILE")]
    pub anchor_authorization_file: Option<PathBuf>,
    /// File with PEM certificates of authorities that are trusted for anchors, in addition to the public ones.
    #[arg(long, env = "DAYBOOK_ANCHOR_AUTHORITY_FILE")]
    pub anchor_authority_file: Option<PathBuf>,
}

/// A folder, or an address that begins with http:// or https://.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AnchorLocation {
    /// A folder.
    Folder(PathBuf),
    /// An address.
    Address(Uri),
}

impl FromStr for AnchorLocation {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        if !text.starts_with("http://") && !text.starts_with("https://") {
            return Ok(Self::Folder(text.into()));
        }
        let address: Uri = text.parse().map_err(|_| "an address is expected".to_owned())?;
        // Options are visible in process lists.
        if address.authority().is_none_or(|authority| authority.as_str().contains('@')) {
            return Err("credentials belong in the file of --anchor-authorization-file".to_owned());
        }
        if address.query().is_some() {
            return Err("an address without a query is expected".to_owned());
        }
        Ok(Self::Address(address))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn http_prefix_marks_an_address() {
        let address = |text: &str| AnchorLocation::Address(text.parse().unwrap());
        for (text, place) in [
            ("/mnt/anchor", AnchorLocation::Folder("/mnt/anchor".into())),
            ("anchor", AnchorLocation::Folder("anchor".into())),
            ("https://anchor.example/a/b/", address("https://anchor.example/a/b/")),
            ("http://[::1]:9000", address("http://[::1]:9000")),
        ] {
            assert_eq!(text.parse(), Ok(place));
        }
        for text in
            ["https://", "https://a b/", "https://me:secret@anchor.example/", "https://anchor.example/?a=1"]
        {
            assert!(text.parse::<AnchorLocation>().is_err(), "{text}");
        }
    }
}
