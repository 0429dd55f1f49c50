//! Tests of `daybook-verify` with valid files, and with every kind of damage. The files are made with the crate of
//! proofs and fixed keys, as the pages on the formats describe them.

#![allow(clippy::expect_used, reason = "a test fails by panicking")]

mod bounds;
mod broken;
mod export;
mod log;
mod proofs;

use std::path::Path;

/// Exit code and complete output.
struct Said {
    code: u8,
    text: String,
}

/// Runs the program in a folder with these arguments, split at spaces, and with the key of the example log.
fn run(folder: &Path, arguments: &str) -> Said {
    run_with(folder, &format!("--key-text {} {arguments}", log::signer().key().text()))
}

/// Same as [`run`], without a key. A word that names a file in the folder is replaced by its path.
fn run_with(folder: &Path, arguments: &str) -> Said {
    let path = |word: &str| {
        let path = folder.join(word);
        if path.exists() { path.display().to_string() } else { word.to_owned() }
    };
    let words = std::iter::once("daybook-verify".to_owned()).chain(arguments.split(' ').map(path));
    let (mut out, mut err) = (vec![], vec![]);
    let code = daybook_verify::run(words, &mut out, &mut err);
    out.extend(err);
    Said { code, text: String::from_utf8(out).expect("text") }
}

impl Said {
    #[track_caller]
    fn is(&self, code: u8, texts: &[&str]) {
        assert_eq!(self.code, code, "{}", self.text);
        for text in texts {
            assert!(self.text.contains(text), "{text:?} is not in\n{}", self.text);
        }
    }
}
