//! Scopes of subscriptions: what has to happen for an address to be called.

use crate::named;

named! {
    /// Something that happens to a record, as the API spells it. Source: API 3.1, "Events": a scope is a call that changes
    /// something, whoever makes it happen. Those of calls that change nothing are scopes too, as of an OAuth key: they are
    /// kept, and nothing ever happens about which to call.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum Scope {
        /// A user was made.
        UsersPost => "USERS|POST",
        /// A user changed.
        UserPatch => "USER|PATCH",
        /// A node was made.
        NodesPost => "NODES|POST",
        /// A node changed.
        NodePatch => "NODE|PATCH",
        /// A node left the lists.
        NodeDelete => "NODE|DELETE",
        /// A transaction was made.
        TransPost => "TRANS|POST",
        /// A transaction changed.
        TranPatch => "TRAN|PATCH",
        /// A transaction was canceled.
        TranDelete => "TRAN|DELETE",
        /// A subnet was made.
        SubnetsPost => "SUBNETS|POST",
        /// A subnet changed.
        SubnetPatch => "SUBNET|PATCH",
        /// A user was looked at; nobody is called about it.
        UserGet => "USER|GET",
        /// Nodes were listed; nobody is called about it.
        NodesGet => "NODES|GET",
        /// A node was looked at; nobody is called about it.
        NodeGet => "NODE|GET",
        /// Transactions were listed; nobody is called about it.
        TransGet => "TRANS|GET",
        /// A transaction was looked at; nobody is called about it.
        TranGet => "TRAN|GET",
        /// Subnets were listed; nobody is called about it.
        SubnetsGet => "SUBNETS|GET",
        /// A subnet was looked at; nobody is called about it.
        SubnetGet => "SUBNET|GET",
    }
}
