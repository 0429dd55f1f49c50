//! Arms failpoints and mutants from the environment, in builds that have any; a release has none.

/// Reads `DAYBOOK_FAILPOINT` (`NAME:TIMES:MICROSECONDS`) and `DAYBOOK_MUTANT`.
///
/// # Errors
///
/// What is wrong with them.
pub fn arm() -> Result<(), String> {
    #[cfg(any(feature = "failpoints", feature = "mutants"))]
    tracing::warn!("this build is for tortures alone: it can be told to end, or to do something wrong");
    #[cfg(feature = "failpoints")]
    if let Ok(point) = std::env::var("DAYBOOK_FAILPOINT") {
        daybook_fault::arm(&point)?;
        tracing::warn!(point, "this build ends at a failpoint");
    }
    #[cfg(feature = "mutants")]
    if let Ok(mutant) = std::env::var("DAYBOOK_MUTANT") {
        daybook_fault::choose(&mutant)?;
        tracing::warn!(mutant, "this build does something wrong on purpose");
    }
    Ok(())
}
