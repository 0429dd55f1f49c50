//! Settings of the server: a file of ours that its `postgresql.conf` includes, written at every start.
//!
//! Durability settings keep PostgreSQL's defaults: `fsync`, `synchronous_commit` and `full_page_writes` are on.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::folder::PORT;
use super::memory;
use crate::Error;

/// Line that is appended to `postgresql.conf`, once. A relative path begins at that file's folder.
pub(super) const INCLUDE: &str = "\ninclude = '../postgres.conf'\n";

/// Settings that an operator may override.
const DEFAULTS: [(&str, &str); 9] = [
    ("max_connections", "100"),
    // Few and late checkpoints: an append-only log writes every page once, and recovery of 4 GB takes seconds.
    ("max_wal_size", "4GB"),
    ("checkpoint_timeout", "15min"),
    ("wal_compression", "off"),
    // The server's messages at start are read from the log, so they have to be in one language.
    ("lc_messages", "C"),
    ("timezone", "UTC"),
    ("log_timezone", "UTC"),
    ("log_line_prefix", "%m [%p] "),
    ("logging_collector", "off"),
];

/// Returns the text of our file: defaults, then the operator's `settings`, then the settings that cannot be overridden.
pub(super) fn render(settings: &[(String, String)], socket_dir: &Path) -> Result<Vec<u8>, Error> {
    let mut text = b"# Written by daybook at every start.\n".to_vec();
    line(&mut text, "shared_buffers", memory::shared_buffers().as_bytes());
    for (name, value) in DEFAULTS {
        line(&mut text, name, value.as_bytes());
    }
    for (name, value) in settings {
        if name.is_empty() || !name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '.') {
            return Err(Error::Config(format!("{name:?} is not the name of a PostgreSQL setting")));
        }
        line(&mut text, name, value.as_bytes());
    }
    line(&mut text, "listen_addresses", b"");
    line(&mut text, "unix_socket_directories", &quoted(socket_dir.as_os_str().as_bytes()));
    line(&mut text, "unix_socket_permissions", b"0700");
    line(&mut text, "port", PORT.to_string().as_bytes());
    Ok(text)
}

/// Returns a folder in double quotes, because a comma separates folders otherwise. The name of a folder need not be
/// valid text.
fn quoted(folder: &[u8]) -> Vec<u8> {
    let mut quoted = vec![b'"'];
    for byte in folder {
        quoted.extend(std::iter::repeat_n(*byte, if *byte == b'"' { 2 } else { 1 }));
    }
    quoted.push(b'"');
    quoted
}

fn line(text: &mut Vec<u8>, name: &str, value: &[u8]) {
    text.extend_from_slice(name.as_bytes());
    text.extend_from_slice(b" = '");
    for byte in value {
        match byte {
            b'\\' => text.extend_from_slice(br"\\"),
            b'\'' => text.extend_from_slice(b"''"),
            b'\n' => text.extend_from_slice(br"\n"),
            other => text.push(*other),
        }
    }
    text.extend_from_slice(b"'\n");
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use crate::Error;

    fn render(settings: &[(String, String)], socket_dir: &Path) -> Result<String, Error> {
        super::render(settings, socket_dir).map(|text| String::from_utf8_lossy(&text).into_owned())
    }

    fn setting(name: &str, value: &str) -> Vec<(String, String)> {
        vec![(name.to_owned(), value.to_owned())]
    }

    /// The last line of a setting wins: the operator's settings follow the defaults and precede the socket.
    #[test]
    fn operator_settings_override_only_defaults() {
        let text = render(&setting("shared_buffers", "1GB"), Path::new("/d/socket")).unwrap_or_default();
        let default = text.find("shared_buffers = '");
        let own = text.find("shared_buffers = '1GB'");
        assert!(default.is_some() && default < own && own < text.find("listen_addresses = ''"));
    }

    #[test]
    fn value_cannot_break_out_of_its_line() {
        let text = render(&setting("a", "x'\nb = \\"), Path::new("/d")).unwrap_or_default();
        assert!(text.contains("a = 'x''\\nb = \\\\'\n"));
    }

    #[test]
    fn folder_name_is_quoted() {
        let text = render(&[], Path::new(r#"/a,b "c" \d'e"#)).unwrap_or_default();
        assert!(text.contains(r#"unix_socket_directories = '"/a,b ""c"" \\d''e"'"#), "{text}");
    }

    #[test]
    fn invalid_setting_name_is_refused() {
        assert!(render(&setting("a = 1\nb", "x"), Path::new("/d")).is_err());
    }
}
