//! Arms a failpoint from the environment, in builds with the feature `failpoints`. Releases have none.

/// Reads `DAYBOOK_FAILPOINT` (`NAME:TIMES:MICROSECONDS`).
///
/// # Errors
///
/// Description of the error in the variable.
pub fn arm() -> Result<(), String> {
    #[cfg(feature = "failpoints")]
    {
        tracing::warn!("this build is for torture tests only: it can be told to abort");
        if let Ok(point) = std::env::var("DAYBOOK_FAILPOINT") {
            daybook_fault::arm(&point)?;
            tracing::warn!(point, "this build ends at a failpoint");
        }
    }
    Ok(())
}
