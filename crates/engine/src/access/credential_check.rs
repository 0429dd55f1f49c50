//! Result of checking credentials.

/// Result of checking credentials.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CredentialCheck<T> {
    /// Valid credentials, with their owner.
    Right(T),
    /// Credentials that were issued here but are expired or revoked. They do not count as a guess.
    Expired,
    /// Credentials that belong to nobody.
    Wrong,
}

impl<T> CredentialCheck<T> {
    /// Returns the owner if the credentials are valid.
    pub fn right(self) -> Option<T> {
        if let Self::Right(found) = self { Some(found) } else { None }
    }

    /// Applies `found` to the owner of valid credentials.
    pub fn map<U>(self, found: impl FnOnce(T) -> U) -> CredentialCheck<U> {
        match self {
            Self::Right(whose) => CredentialCheck::Right(found(whose)),
            Self::Expired => CredentialCheck::Expired,
            Self::Wrong => CredentialCheck::Wrong,
        }
    }
}

impl<T> From<Option<T>> for CredentialCheck<T> {
    /// Converts the result for credentials that never expire.
    fn from(found: Option<T>) -> Self {
        found.map_or(Self::Wrong, Self::Right)
    }
}
