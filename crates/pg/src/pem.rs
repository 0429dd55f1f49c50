//! Certificates in PEM files.

use std::path::Path;
use std::{fmt, io};

use daybook_intake::file::{self, Pipes};
use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;

/// Maximum size in bytes of a file with certificates. The list of all public authorities is smaller.
const MAX_BYTES: u64 = 4 << 20;

/// Returns the certificates in a file, in order. Other content is ignored.
///
/// # Errors
///
/// Fails if the file cannot be read or has no certificate. The error names the file.
pub fn certificates(file: &Path, pipes: Pipes) -> io::Result<Vec<CertificateDer<'static>>> {
    let text = file::read(file, MAX_BYTES, pipes).map_err(|error| named(file, error.kind(), error))?;
    let found = CertificateDer::pem_slice_iter(&text).collect::<Result<Vec<_>, _>>();
    let wrong = |what: &dyn fmt::Display| named(file, io::ErrorKind::InvalidData, what);
    let found = found.map_err(|error| wrong(&error))?;
    if found.is_empty() { Err(wrong(&"it holds no certificate")) } else { Ok(found) }
}

fn named(file: &Path, kind: io::ErrorKind, what: impl fmt::Display) -> io::Error {
    io::Error::new(kind, format!("{}: {what}", file.display()))
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    const ONE: &str = "-----BEGIN CERTIFICATE-----\nAQID\n-----END CERTIFICATE-----\n";
    const KEY: &str = "-----BEGIN PRIVATE KEY-----\nAQID\n-----END PRIVATE KEY-----\n";

    fn read(text: &str) -> Result<usize, String> {
        let file = std::env::temp_dir().join(format!("daybook-pem-{}-{}", std::process::id(), text.len()));
        fs::write(&file, text).expect("written");
        let read = certificates(&file, Pipes::Read);
        fs::remove_file(&file).expect("removed");
        read.map(|found| found.len())
            .map_err(|error| error.to_string().replace(&file.display().to_string(), "FILE"))
    }

    #[test]
    fn certificates_are_read_from_pem_files() {
        assert_eq!(read(ONE), Ok(1));
        assert_eq!(read(&[ONE, KEY, ONE].concat()), Ok(2));
        for text in ["", "nothing", KEY] {
            assert_eq!(read(text), Err("FILE: it holds no certificate".to_owned()), "{text}");
        }
        assert!(read(&ONE.replace("AQID", "?")).is_err_and(|told| told.starts_with("FILE: ")));
        let nowhere = certificates(Path::new("/nowhere"), Pipes::Read).expect_err("there is no such file");
        assert!(nowhere.to_string().starts_with("/nowhere: "), "{nowhere}");
    }
}
