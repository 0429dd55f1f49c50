//! Scopes of subscriptions: the occasions on which an address is called.

use crate::named;

named! {
    /// A kind of change to a record, as the API spells it. Source: API 3.1, "Events": a scope names the call that makes
    /// such a change; other actors can cause the change as well. Scopes of reading calls, which OAuth keys have, are
    /// also accepted and stored, but they never cause a call.
    #[derive(PartialOrd, Ord, Hash)]
    pub enum Scope {
        /// A user was created.
        UsersPost => "USERS|POST",
        /// A user changed.
        UserPatch => "USER|PATCH",
        /// A node was created.
        NodesPost => "NODES|POST",
        /// A node changed.
        NodePatch => "NODE|PATCH",
        /// A node left the lists.
        NodeDelete => "NODE|DELETE",
        /// A transaction was created.
        TransPost => "TRANS|POST",
        /// A transaction changed.
        TranPatch => "TRAN|PATCH",
        /// A transaction was canceled.
        TranDelete => "TRAN|DELETE",
        /// A subnet was created.
        SubnetsPost => "SUBNETS|POST",
        /// A subnet changed.
        SubnetPatch => "SUBNET|PATCH",
        /// A user was read; never causes a call.
        UserGet => "USER|GET",
        /// Nodes were listed; never causes a call.
        NodesGet => "NODES|GET",
        /// A node was read; never causes a call.
        NodeGet => "NODE|GET",
        /// Transactions were listed; never causes a call.
        TransGet => "TRANS|GET",
        /// A transaction was read; never causes a call.
        TranGet => "TRAN|GET",
        /// Subnets were listed; never causes a call.
        SubnetsGet => "SUBNETS|GET",
        /// A subnet was read; never causes a call.
        SubnetGet => "SUBNET|GET",
    }
}
