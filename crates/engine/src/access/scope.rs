//! Scopes: what an OAuth key opens. Names are the API's (`docs/reference/api.md`, Authentication).

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
}

/// Every scope with its name, in the order in which an OAuth record lists them.
const NAMES: [(Scope, &str); 16] = [
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
];

/// A set of scopes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Scopes(i32);

impl Scopes {
    /// All there are.
    pub const ALL: Self = Self(0xffff);

    /// The set of these names; none if one is unknown.
    #[must_use]
    pub fn parse<'a>(names: impl IntoIterator<Item = &'a str>) -> Option<Self> {
        names.into_iter().try_fold(Self(0), |set, name| {
            let (scope, _) = NAMES.iter().find(|(_, known)| *known == name)?;
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

    pub(super) const fn from_bits(bits: i32) -> Self {
        Self(bits & Self::ALL.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_reads_back_from_its_names() {
        assert_eq!(Scopes::parse(Scopes::ALL.names()), Some(Scopes::ALL));
        assert_eq!(Scopes::parse(["TRANS|POST", "NODES|DELETE"]), None);
        let narrow = Scopes::parse(["TRANS|POST"]).expect("known");
        assert!(narrow.has(Scope::TransPost) && !narrow.has(Scope::TransGet));
    }
}
