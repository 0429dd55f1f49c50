//! Defects that can be asked for. One is chosen at most, at the start of the process.

use std::sync::OnceLock;

/// Every defect that there is, with what is wrong then.
pub const MUTANTS: [(&str, &str); 8] = [
    ("ack_before_commit", "a write is answered before its COMMIT is sent"),
    ("key_outside", "idempotency keys are written by somebody else, after the commit"),
    ("cursor_before_rows", "the projector moves its cursor before it writes the rows"),
    ("skipped_commit", "the projector skips a commit, as one that orders by a sequence would"),
    ("lost_leg", "the last event of some batches is not written"),
    ("page_of_two_moments", "position and total of a list are read before its items"),
    ("float_amount", "amounts are read as floats and cut"),
    ("stale_read", "a timeline ends where read models are, although the log knows more"),
];

static CHOSEN: OnceLock<String> = OnceLock::new();

/// Chooses a defect.
///
/// # Errors
///
/// If there is no such, or another was chosen.
pub fn choose(name: &str) -> Result<(), String> {
    if !MUTANTS.iter().any(|(known, _)| *known == name) {
        return Err(format!("{name}: there is no such mutant, only {MUTANTS:?}"));
    }
    CHOSEN.set(name.to_owned()).map_err(|_| "a mutant is chosen already".to_owned())
}

/// Whether this defect was asked for.
pub fn mutant(name: &str) -> bool {
    CHOSEN.get().is_some_and(|chosen| chosen == name)
}

#[cfg(test)]
mod tests {
    use super::choose;

    #[test]
    fn what_is_no_mutant_is_refused() {
        assert!(choose("").is_err() && choose("typo").is_err());
    }
}
