//! Records that lists hold.

/// A record that lists hold. What a list calls its records and their number follows from it.
pub trait Listed {
    /// The key of the records, and the key of their total.
    const KEYS: (&'static str, &'static str);
}
