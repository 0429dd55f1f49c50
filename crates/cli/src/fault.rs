//! Arms a failpoint from the environment, in builds that have any; a release has none.

/// Reads `DAYBOOK_FAILPOINT` (`NAME:TIMES:MICROSECONDS`).
///
/// # Errors
///
/// What is wrong with it.
pub fn arm() -> Result<(), String> {
    #[cfg(feature = "failpoints")]
    {
        tracing::warn!("this build is for tortures alone: it can be told to end");
        if let Ok(point) = std::env::var("DAYBOOK_FAILPOINT") {
            daybook_fault::arm(&point)?;
            tracing::warn!(point, "this build ends at a failpoint");
        }
    }
    Ok(())
}
