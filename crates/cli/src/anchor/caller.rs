//! Calls to anchors: the authorization for each of them, and the certificate authorities that are trusted.

use std::collections::HashMap;
use std::io;
use std::path::Path;

use daybook_outbound::inside::Client;
use daybook_vault::{Pipes, certificates, read_secret_text};
use hyper::header::HeaderValue;

use crate::config::Anchors;

/// HTTP client and credentials that all anchors of one command line share.
pub(super) struct Caller {
    client: Client,
    /// Value of the header `Authorization` by address. Addresses have no slash at their end.
    authorizations: HashMap<String, HeaderValue>,
}

impl Caller {
    /// Reads the files of `options`.
    pub(super) fn new(options: &Anchors) -> io::Result<Self> {
        let authorities = options
            .anchor_authority_file
            .as_deref()
            .map(|file| certificates(file, Pipes::Read))
            .transpose()?;
        let client = Client::new(&authorities.unwrap_or_default()).map_err(io::Error::other)?;
        let authorizations = options.anchor_authorization_file.as_deref().map(authorizations).transpose()?;
        Ok(Self { client, authorizations: authorizations.unwrap_or_default() })
    }

    /// HTTP client for all anchors.
    pub(super) fn client(&self) -> Client {
        self.client.clone()
    }

    /// Value of the header `Authorization` for this address, if there is one.
    pub(super) fn authorization(&self, address: &str) -> Option<&HeaderValue> {
        self.authorizations.get(address)
    }
}

fn named(file: &Path, what: impl std::fmt::Display) -> io::Error {
    io::Error::other(format!("{}: {what}", file.display()))
}

/// Parses a file with an address and the value of the header `Authorization` on each line. Errors do not quote the
/// file.
fn authorizations(file: &Path) -> io::Result<HashMap<String, HeaderValue>> {
    let text = read_secret_text(file, Pipes::Read).map_err(|error| named(file, error))?;
    let wrong =
        || named(file, "a line does not consist of an address and a value of the header Authorization");
    let read = |line: &str| {
        let (address, said) = line.trim().split_once(char::is_whitespace).ok_or_else(wrong)?;
        let mut said = HeaderValue::from_str(said.trim()).map_err(|_| wrong())?;
        said.set_sensitive(true);
        Ok((address.trim_end_matches('/').to_owned(), said))
    };
    text.lines().filter(|line| !line.trim().is_empty()).map(read).collect()
}
