//! The server's settings: one file of ours that its `postgresql.conf` includes, written anew at every start.
//!
//! Durability is left as PostgreSQL has it: `fsync`, `synchronous_commit` and `full_page_writes` are on.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::folder::PORT;
use super::memory;
use crate::Error;

/// The line that goes to the end of `postgresql.conf`, once; a relative path begins at that file's folder.
pub(super) const INCLUDE: &str = "\ninclude = '../postgres.conf'\n";

/// What a person may overrule.
const DEFAULTS: [(&str, &str); 9] = [
    ("max_connections", "100"),
    // Few and late checkpoints: an append-only log writes every page once, and recovery of 4 GB takes seconds.
    ("max_wal_size", "4GB"),
    ("checkpoint_timeout", "15min"),
    ("wal_compression", "off"),
    // We read the log for what the server says at start, so it has to speak one language.
    ("lc_messages", "C"),
    ("timezone", "UTC"),
    ("log_timezone", "UTC"),
    ("log_line_prefix", "%m [%p] "),
    ("logging_collector", "off"),
];

/// The text of our file: defaults, then a person's `settings`, then what makes this server ours.
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

/// A folder in double quotes, without which a comma would separate folders; the name of one need not be text.
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

    #[test]
    fn a_later_line_wins_so_settings_follow_the_defaults_and_precede_the_socket() {
        let text = render(&setting("shared_buffers", "1GB"), Path::new("/d/socket")).unwrap_or_default();
        let default = text.find("shared_buffers = '");
        let own = text.find("shared_buffers = '1GB'");
        assert!(default.is_some() && default < own && own < text.find("listen_addresses = ''"));
    }

    #[test]
    fn a_value_cannot_break_out_of_its_line() {
        let text = render(&setting("a", "x'\nb = \\"), Path::new("/d")).unwrap_or_default();
        assert!(text.contains("a = 'x''\\nb = \\\\'\n"));
    }

    #[test]
    fn a_folder_keeps_its_name_between_quotes() {
        let text = render(&[], Path::new(r#"/a,b "c" \d'e"#)).unwrap_or_default();
        assert!(text.contains(r#"unix_socket_directories = '"/a,b ""c"" \\d''e"'"#), "{text}");
    }

    #[test]
    fn a_name_is_a_name() {
        assert!(render(&setting("a = 1\nb", "x"), Path::new("/d")).is_err());
    }
}
