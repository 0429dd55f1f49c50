//! C12: the log's own proofs hold, as `daybook log verify` finds with the public key and the anchor.

use super::{Evidence, Findings};

/// See the module.
pub(super) fn look(evidence: &Evidence) -> Findings {
    commands(evidence, "log verify")
}

/// What commands that begin so complained about; at least one must have been run.
pub(super) fn commands(evidence: &Evidence, begin: &str) -> Findings {
    let these: Vec<_> = evidence.last.commands.iter().filter(|it| it.line.starts_with(begin)).collect();
    if these.is_empty() {
        return vec![format!("`{begin}` was not run")];
    }
    let bad = these.into_iter().filter(|command| command.code != Some(0));
    bad.map(|it| format!("`{}` ended with {:?}: {}", it.line, it.code, it.said)).collect()
}
