//! C12: the proofs of the log hold, as `daybook log verify` finds with the public key and the anchor.

use super::{Evidence, Findings};

/// Returns the violations of C12.
pub(super) fn look(evidence: &Evidence) -> Findings {
    commands(evidence, "log verify")
}

/// Returns the failures of commands that begin with `begin`; it is a failure if there was no such command.
pub(super) fn commands(evidence: &Evidence, begin: &str) -> Findings {
    let these: Vec<_> = evidence.last.commands.iter().filter(|it| it.line.starts_with(begin)).collect();
    if these.is_empty() {
        return vec![format!("`{begin}` was not run")];
    }
    let bad = these.into_iter().filter(|command| command.code != Some(0));
    bad.map(|it| format!("`{}` ended with {:?}: {}", it.line, it.code, it.said)).collect()
}
