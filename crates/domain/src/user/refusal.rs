//! Why something about a user is refused.

/// A no to a command about a user.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// There is none with this id for this caller.
    #[error("user does not exist")]
    Unknown,
    /// The user has no document with this id.
    #[error("document does not exist")]
    UnknownDocument,
    /// It was made from what the user was before; made anew it may be taken.
    #[error("user has changed meanwhile")]
    Stale,
    /// The user has as many documents as one may have.
    #[error("user has too many documents")]
    TooManyDocuments,
    /// What is written on the user's documents is more than one may have.
    #[error("user has too much written on documents")]
    TooLongDocuments,
    /// What a user may do is raised by verification only.
    #[error("permission is raised by verification only")]
    CannotRaise,
    /// The platform cannot do without its own user.
    #[error("permission of the platform's own user stays as it is")]
    OwnUser,
    /// The user is closed for good.
    #[error("user is closed")]
    Closed,
    /// Nothing that costs money or moves it is done for a locked user.
    #[error("user is locked")]
    Locked,
    /// Its keys were destroyed: nothing about it can be sealed or changed.
    #[error("user is erased")]
    Erased,
    /// Whoever is not closed may begin something at any moment.
    #[error("user is not closed: only who is closed can be erased")]
    NotClosed,
    /// There is a legal hold.
    #[error("user is on legal hold")]
    OnHold,
    /// Its records must be kept for now.
    #[error("user's records must be kept until a day that has not come")]
    Retained,
    /// It had transactions, or money of them, and nobody said until when its records must be kept.
    #[error("user had transactions, and nobody said until when its records must be kept")]
    RetentionUnset,
    /// Something is on an account of its, or promised to it or by it.
    #[error("user has money, or is promised some")]
    HasMoney,
    /// A transaction of its has not come to its end, or waits for the bank's statement.
    #[error("user has transactions under way")]
    UnderWay,
    /// What operators and banks said about the platform is sealed under it.
    #[error("the platform's own user cannot be erased")]
    OwnUserErased,
}
