//! A judgement on credentials.

/// What credentials turned out to be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Judged<T> {
    /// Good, and whose.
    Right(T),
    /// Made here, and good no more: no guess.
    Expired,
    /// Of nobody.
    Wrong,
}

impl<T> Judged<T> {
    /// Whose they are, if they are good.
    pub fn right(self) -> Option<T> {
        if let Self::Right(found) = self { Some(found) } else { None }
    }

    /// The same about what `found` makes of it.
    pub fn map<U>(self, found: impl FnOnce(T) -> U) -> Judged<U> {
        match self {
            Self::Right(whose) => Judged::Right(found(whose)),
            Self::Expired => Judged::Expired,
            Self::Wrong => Judged::Wrong,
        }
    }
}

impl<T> From<Option<T>> for Judged<T> {
    /// Credentials that do not expire.
    fn from(found: Option<T>) -> Self {
        found.map_or(Self::Wrong, Self::Right)
    }
}
