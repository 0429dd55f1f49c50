//! Records of lists.

/// A record of lists. It determines the field names of the list and its total.
pub trait Listed {
    /// Field name of the records, and field name of their total number.
    const KEYS: (&'static str, &'static str);
}
