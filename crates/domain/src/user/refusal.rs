//! Refusals of commands about a user.

/// Refusal of a command about a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// No user has this id for this caller.
    #[error("user does not exist")]
    Unknown,
    /// The user has no document with this id.
    #[error("document does not exist")]
    UnknownDocument,
    /// The command was made from an older revision of the user. Made from the current one, it may be accepted.
    #[error("user has changed meanwhile")]
    Stale,
    /// The user would have more documents than permitted.
    #[error("user has too many documents")]
    TooManyDocuments,
    /// The documents of the user would be larger than permitted.
    #[error("user has too much written on documents")]
    TooLongDocuments,
    /// Only verification raises a permission.
    #[error("permission is raised by verification only")]
    CannotRaise,
    /// The permission of the platform's own user cannot change.
    #[error("permission of the platform's own user stays as it is")]
    OwnUser,
    /// The user is closed for good.
    #[error("user is closed")]
    Closed,
    /// A command that costs or moves money is not carried out for a locked user.
    #[error("user is locked")]
    Locked,
    /// The keys of the user are destroyed: nothing about it can be sealed or changed.
    #[error("user is erased")]
    Erased,
    /// The user is not closed, so it may begin a transaction at any time.
    #[error("user is not closed: only a closed user can be erased")]
    NotClosed,
    /// The user is on legal hold.
    #[error("user is on legal hold")]
    OnHold,
    /// The retention date has not passed.
    #[error("user's records must be kept until a future date")]
    Retained,
    /// The user had transactions, or money of some, and no retention date is set.
    #[error("user had transactions, and no retention date is set for its records")]
    RetentionUnset,
    /// An account of the user has a balance, a hold or a pending amount.
    #[error("user has money, or is promised some")]
    HasMoney,
    /// A transaction of the user has not ended, or waits for the bank's statement.
    #[error("user has transactions under way")]
    UnderWay,
    /// Texts of operators and banks about the platform are sealed under the platform's own user.
    #[error("the platform's own user cannot be erased")]
    OwnUserErased,
}
