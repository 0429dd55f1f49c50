//! The table of aggregates: one line for each.

/// Passes the table of aggregates to the macro `$make`: kind, stored number, type of the ids, and module. It is
/// expanded by
///
/// - `kinds` in `aggregate.rs`: the enum [`Kind`](crate::Kind) and a [`Key`](crate::Key) of every id;
/// - `events_of_all` in `event.rs`: the enum [`Event`](crate::Event), its encoding and decoding;
/// - `states` in `state.rs`: the enum [`State`](crate::State) and its folds.
///
/// Numbers are stored and never reused.
macro_rules! aggregates {
    ($make:ident) => {
        $make! {
            /// A platform.
            Platform = 1 by PlatformId in platform,
            /// A user.
            User = 2 by UserId in user,
            /// A node.
            Node = 3 by NodeId in node,
            /// The ledger account of a held node.
            Account = 4 by AccountId in account,
            /// A transaction.
            Transaction = 5 by TransactionId in transaction,
            /// A platform's account at a bank.
            Custody = 6 by CustodyId in custody,
            /// An operator's act, with its reason and its approval.
            Operation = 7 by OperationId in operation,
            /// An account number of a node.
            Subnet = 8 by SubnetId in subnet,
            /// A webhook address of a platform.
            Subscription = 9 by SubscriptionId in subscription,
            /// An uploaded file.
            Attachment = 10 by AttachmentId in attachment,
            /// A commitment to the newest entries of a platform's accounts.
            Attestation = 11 by AttestationId in attestation,
            /// A bank's statement of one day.
            Statement = 12 by StatementId in statement,
            /// The bank's files of one month, as far as they are kept.
            Evidence = 13 by EvidenceId in evidence,
            /// A line of a statement that was booked to suspense.
            Break = 14 by BreakId in breaks,
            /// Roles of all operators.
            Roles = 15 by RolesId in roles,
        }
    };
}
pub(crate) use aggregates;
