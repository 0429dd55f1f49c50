//! Scopes: the permissions of an OAuth key or of a platform's public key. The names are those of the API
//! (`docs/reference/api.md`, Authentication).

/// A scope as a type, so that the signature of a handler names its required scope.
pub trait RequiredScope: 'static {
    /// The required scope.
    const SCOPE: Scope;
}

/// Declares every scope once: its name in the code, its bit in a stored set, which is never reused, and its name in the
/// API.
macro_rules! scopes {
    ($($name:ident = $bit:literal $text:literal,)+) => {
        /// One scope. Its number is its bit in a stored set.
        #[derive(Clone, Copy, Debug, PartialEq, Eq)]
        #[repr(u8)]
        pub enum Scope {
            $(#[doc = $text] $name = $bit,)+
        }

        impl Scope {
            /// Returns the name in the API.
            #[must_use]
            pub const fn name(self) -> &'static str {
                match self {
                    $(Self::$name => $text,)+
                }
            }
        }

        /// All scopes with their names, in the order in which records list them.
        const NAMES: &[(Scope, &str)] = &[$((Scope::$name, $text),)+];

        /// The scopes as types.
        pub mod scopes {
            $(
                #[doc = concat!("The scope `", $text, "`.")]
                pub struct $name;

                impl super::RequiredScope for $name {
                    const SCOPE: super::Scope = super::Scope::$name;
                }
            )+
        }
    };
}

scopes! {
    UserPatch = 0 "USER|PATCH",
    UserGet = 1 "USER|GET",
    NodesPost = 2 "NODES|POST",
    NodesGet = 3 "NODES|GET",
    NodeGet = 4 "NODE|GET",
    NodePatch = 5 "NODE|PATCH",
    NodeDelete = 6 "NODE|DELETE",
    TransPost = 7 "TRANS|POST",
    TransGet = 8 "TRANS|GET",
    TranGet = 9 "TRAN|GET",
    TranPatch = 10 "TRAN|PATCH",
    TranDelete = 11 "TRAN|DELETE",
    SubnetsPost = 12 "SUBNETS|POST",
    SubnetsGet = 13 "SUBNETS|GET",
    SubnetGet = 14 "SUBNET|GET",
    SubnetPatch = 15 "SUBNET|PATCH",
    OauthPost = 16 "OAUTH|POST",
    UsersPost = 17 "USERS|POST",
    UsersGet = 18 "USERS|GET",
    SubscriptionsGet = 19 "SUBSCRIPTIONS|GET",
    SubscriptionsPost = 20 "SUBSCRIPTIONS|POST",
    SubscriptionGet = 21 "SUBSCRIPTION|GET",
    SubscriptionPatch = 22 "SUBSCRIPTION|PATCH",
    ClientReports = 23 "CLIENT|REPORTS",
    ClientControls = 24 "CLIENT|CONTROLS",
}

/// A set of scopes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scopes(i32);

impl Scopes {
    /// All scopes that a user's key can have.
    pub const ALL: Self = Self(0xffff);
    /// All scopes that a platform's public key can have.
    pub const PUBLIC: Self = Self(0x01ff_0000 | (1 << Scope::UserGet as u8) | (1 << Scope::UserPatch as u8));

    /// Parses names into a set; returns none if a name is unknown or not within this set.
    #[must_use]
    pub fn parse<'a>(self, names: impl IntoIterator<Item = &'a str>) -> Option<Self> {
        names.into_iter().try_fold(Self(0), |set, name| {
            let (scope, _) = NAMES.iter().find(|(scope, known)| *known == name && self.has(*scope))?;
            Some(Self(set.0 | 1 << *scope as u8))
        })
    }

    /// Returns true if the set contains `scope`.
    #[must_use]
    pub const fn has(self, scope: Scope) -> bool {
        self.0 & (1 << scope as u8) != 0
    }

    /// Returns the names of the scopes in the set.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        NAMES.iter().filter(move |(scope, _)| self.has(*scope)).map(|(_, name)| *name)
    }

    pub(super) const fn bits(self) -> i32 {
        self.0
    }

    /// Returns the subset of this set that `bits` selects.
    pub(super) const fn of_bits(self, bits: i32) -> Self {
        Self(bits & self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scope_set_round_trips_through_names() {
        for all in [Scopes::ALL, Scopes::PUBLIC] {
            assert_eq!(all.parse(all.names()), Some(all));
        }
        assert_eq!(Scopes::ALL.parse(["TRANS|POST", "NODES|DELETE"]), None);
        let narrow = Scopes::ALL.parse(["TRANS|POST"]).expect("known");
        assert!(narrow.has(Scope::TransPost) && !narrow.has(Scope::TransGet));
    }

    #[test]
    fn user_and_public_keys_have_separate_scopes() {
        assert_eq!(Scopes::ALL.parse(["USERS|GET"]), None);
        assert_eq!(Scopes::PUBLIC.parse(["TRANS|POST"]), None);
        assert!(Scopes::PUBLIC.parse(["USER|GET", "CLIENT|CONTROLS"]).is_some());
        assert_eq!([Scopes::ALL, Scopes::PUBLIC].map(|all| all.names().count()), [16, 11]);
    }
}
