//! How anchors are called: what is said to each of them, and who is believed to be one.

use std::collections::HashMap;
use std::io;
use std::path::Path;

use daybook_outbound::inside::Client;
use daybook_vault::{Pipes, certificates, read_secret_text};
use hyper::header::HeaderValue;

use crate::config::Anchors;

/// What is the same for all anchors of one command line.
pub(super) struct Caller {
    client: Client,
    /// By address, without a slash at its end.
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

    /// Calls all of them.
    pub(super) fn client(&self) -> Client {
        self.client.clone()
    }

    /// What the header `Authorization` says at this address, if something.
    pub(super) fn authorization(&self, address: &str) -> Option<&HeaderValue> {
        self.authorizations.get(address)
    }
}

fn named(file: &Path, what: impl std::fmt::Display) -> io::Error {
    io::Error::other(format!("{}: {what}", file.display()))
}

/// One on each line: an address, and what is said there. Nothing of it is told.
fn authorizations(file: &Path) -> io::Result<HashMap<String, HeaderValue>> {
    let text = read_secret_text(file, Pipes::Read).map_err(|error| named(file, error))?;
    let wrong = || named(file, "a line is not an address and what is said to it");
    let read = |line: &str| {
        let (address, said) = line.trim().split_once(char::is_whitespace).ok_or_else(wrong)?;
        let mut said = HeaderValue::from_str(said.trim()).map_err(|_| wrong())?;
        said.set_sensitive(true);
        Ok((address.trim_end_matches('/').to_owned(), said))
    };
    text.lines().filter(|line| !line.trim().is_empty()).map(read).collect()
}
