//! Scopes of subscriptions: what has to happen for an address to be called.

use serde::{Deserialize, Serialize};

/// Something that happens to a record, as the API spells it. Source: API 3.1, "Events": a scope is a call that changes
/// something, whoever makes it happen. Those of calls that change nothing are scopes too, as of an OAuth key: they are
/// kept, and nothing ever happens about which to call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum Scope {
    /// A user was made.
    #[serde(rename = "USERS|POST")]
    UsersPost,
    /// A user changed.
    #[serde(rename = "USER|PATCH")]
    UserPatch,
    /// A node was made.
    #[serde(rename = "NODES|POST")]
    NodesPost,
    /// A node changed.
    #[serde(rename = "NODE|PATCH")]
    NodePatch,
    /// A node left the lists.
    #[serde(rename = "NODE|DELETE")]
    NodeDelete,
    /// A transaction was made.
    #[serde(rename = "TRANS|POST")]
    TransPost,
    /// A transaction changed.
    #[serde(rename = "TRAN|PATCH")]
    TranPatch,
    /// A transaction was canceled.
    #[serde(rename = "TRAN|DELETE")]
    TranDelete,
    /// A subnet was made.
    #[serde(rename = "SUBNETS|POST")]
    SubnetsPost,
    /// A subnet changed.
    #[serde(rename = "SUBNET|PATCH")]
    SubnetPatch,
    /// A user was looked at; nobody is called about it.
    #[serde(rename = "USER|GET")]
    UserGet,
    /// Nodes were listed; nobody is called about it.
    #[serde(rename = "NODES|GET")]
    NodesGet,
    /// A node was looked at; nobody is called about it.
    #[serde(rename = "NODE|GET")]
    NodeGet,
    /// Transactions were listed; nobody is called about it.
    #[serde(rename = "TRANS|GET")]
    TransGet,
    /// A transaction was looked at; nobody is called about it.
    #[serde(rename = "TRAN|GET")]
    TranGet,
    /// Subnets were listed; nobody is called about it.
    #[serde(rename = "SUBNETS|GET")]
    SubnetsGet,
    /// A subnet was looked at; nobody is called about it.
    #[serde(rename = "SUBNET|GET")]
    SubnetGet,
}

impl Scope {
    /// All there are.
    pub const ALL: [Self; 17] = [
        Self::UsersPost,
        Self::UserPatch,
        Self::NodesPost,
        Self::NodePatch,
        Self::NodeDelete,
        Self::TransPost,
        Self::TranPatch,
        Self::TranDelete,
        Self::SubnetsPost,
        Self::SubnetPatch,
        Self::UserGet,
        Self::NodesGet,
        Self::NodeGet,
        Self::TransGet,
        Self::TranGet,
        Self::SubnetsGet,
        Self::SubnetGet,
    ];

    /// As the API spells it.
    #[must_use]
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::UsersPost => "USERS|POST",
            Self::UserPatch => "USER|PATCH",
            Self::NodesPost => "NODES|POST",
            Self::NodePatch => "NODE|PATCH",
            Self::NodeDelete => "NODE|DELETE",
            Self::TransPost => "TRANS|POST",
            Self::TranPatch => "TRAN|PATCH",
            Self::TranDelete => "TRAN|DELETE",
            Self::SubnetsPost => "SUBNETS|POST",
            Self::SubnetPatch => "SUBNET|PATCH",
            Self::UserGet => "USER|GET",
            Self::NodesGet => "NODES|GET",
            Self::NodeGet => "NODE|GET",
            Self::TransGet => "TRANS|GET",
            Self::TranGet => "TRAN|GET",
            Self::SubnetsGet => "SUBNETS|GET",
            Self::SubnetGet => "SUBNET|GET",
        }
    }

    /// The scope with this name.
    #[must_use]
    pub fn parse(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|known| known.as_str() == name)
    }
}
