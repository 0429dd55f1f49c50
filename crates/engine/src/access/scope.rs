//! Scopes: what an OAuth key, or a public key of a platform, opens. Names are the API's (`docs/reference/api.md`,
//! Authentication).

/// One scope; the number is its bit in a stored set and is never reused.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Scope {
    /// USER|PATCH
    UserPatch = 0,
    /// USER|GET
    UserGet = 1,
    /// NODES|POST
    NodesPost = 2,
    /// NODES|GET
    NodesGet = 3,
    /// NODE|GET
    NodeGet = 4,
    /// NODE|PATCH
    NodePatch = 5,
    /// NODE|DELETE
    NodeDelete = 6,
    /// TRANS|POST
    TransPost = 7,
    /// TRANS|GET
    TransGet = 8,
    /// TRAN|GET
    TranGet = 9,
    /// TRAN|PATCH
    TranPatch = 10,
    /// TRAN|DELETE
    TranDelete = 11,
    /// SUBNETS|POST
    SubnetsPost = 12,
    /// SUBNETS|GET
    SubnetsGet = 13,
    /// SUBNET|GET
    SubnetGet = 14,
    /// SUBNET|PATCH
    SubnetPatch = 15,
    /// OAUTH|POST
    OauthPost = 16,
    /// USERS|POST
    UsersPost = 17,
    /// USERS|GET
    UsersGet = 18,
    /// SUBSCRIPTIONS|GET
    SubscriptionsGet = 19,
    /// SUBSCRIPTIONS|POST
    SubscriptionsPost = 20,
    /// SUBSCRIPTION|GET
    SubscriptionGet = 21,
    /// SUBSCRIPTION|PATCH
    SubscriptionPatch = 22,
    /// CLIENT|REPORTS
    ClientReports = 23,
    /// CLIENT|CONTROLS
    ClientControls = 24,
}

/// Every scope with its name, in the order in which records list them.
const NAMES: [(Scope, &str); 25] = [
    (Scope::UserPatch, "USER|PATCH"),
    (Scope::UserGet, "USER|GET"),
    (Scope::NodesPost, "NODES|POST"),
    (Scope::NodesGet, "NODES|GET"),
    (Scope::NodeGet, "NODE|GET"),
    (Scope::NodePatch, "NODE|PATCH"),
    (Scope::NodeDelete, "NODE|DELETE"),
    (Scope::TransPost, "TRANS|POST"),
    (Scope::TransGet, "TRANS|GET"),
    (Scope::TranGet, "TRAN|GET"),
    (Scope::TranPatch, "TRAN|PATCH"),
    (Scope::TranDelete, "TRAN|DELETE"),
    (Scope::SubnetsPost, "SUBNETS|POST"),
    (Scope::SubnetsGet, "SUBNETS|GET"),
    (Scope::SubnetGet, "SUBNET|GET"),
    (Scope::SubnetPatch, "SUBNET|PATCH"),
    (Scope::OauthPost, "OAUTH|POST"),
    (Scope::UsersPost, "USERS|POST"),
    (Scope::UsersGet, "USERS|GET"),
    (Scope::SubscriptionsGet, "SUBSCRIPTIONS|GET"),
    (Scope::SubscriptionsPost, "SUBSCRIPTIONS|POST"),
    (Scope::SubscriptionGet, "SUBSCRIPTION|GET"),
    (Scope::SubscriptionPatch, "SUBSCRIPTION|PATCH"),
    (Scope::ClientReports, "CLIENT|REPORTS"),
    (Scope::ClientControls, "CLIENT|CONTROLS"),
];

/// A set of scopes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scopes(i32);

impl Scopes {
    /// All that a user's key can have.
    pub const ALL: Self = Self(0xffff);
    /// All that a platform's public key can have.
    pub const PUBLIC: Self = Self(0x01ff_0000 | (1 << Scope::UserGet as u8) | (1 << Scope::UserPatch as u8));

    /// The set of these names, each within this one; none if one is not.
    #[must_use]
    pub fn parse<'a>(self, names: impl IntoIterator<Item = &'a str>) -> Option<Self> {
        names.into_iter().try_fold(Self(0), |set, name| {
            let (scope, _) = NAMES.iter().find(|(scope, known)| *known == name && self.has(*scope))?;
            Some(Self(set.0 | 1 << *scope as u8))
        })
    }

    /// Whether the set holds `scope`.
    #[must_use]
    pub const fn has(self, scope: Scope) -> bool {
        self.0 & (1 << scope as u8) != 0
    }

    /// The names of the set.
    pub fn names(self) -> impl Iterator<Item = &'static str> {
        NAMES.into_iter().filter(move |(scope, _)| self.has(*scope)).map(|(_, name)| name)
    }

    pub(super) const fn bits(self) -> i32 {
        self.0
    }

    /// What of these bits is within this set.
    pub(super) const fn of_bits(self, bits: i32) -> Self {
        Self(bits & self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_reads_back_from_its_names() {
        for all in [Scopes::ALL, Scopes::PUBLIC] {
            assert_eq!(all.parse(all.names()), Some(all));
        }
        assert_eq!(Scopes::ALL.parse(["TRANS|POST", "NODES|DELETE"]), None);
        let narrow = Scopes::ALL.parse(["TRANS|POST"]).expect("known");
        assert!(narrow.has(Scope::TransPost) && !narrow.has(Scope::TransGet));
    }

    #[test]
    fn a_users_key_and_a_public_one_have_scopes_of_their_own() {
        assert_eq!(Scopes::ALL.parse(["USERS|GET"]), None);
        assert_eq!(Scopes::PUBLIC.parse(["TRANS|POST"]), None);
        assert!(Scopes::PUBLIC.parse(["USER|GET", "CLIENT|CONTROLS"]).is_some());
        assert_eq!([Scopes::ALL, Scopes::PUBLIC].map(|all| all.names().count()), [16, 11]);
    }
}
