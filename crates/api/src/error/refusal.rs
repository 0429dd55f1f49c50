//! Refusals of the domain as answers: one row per refusal.

use std::borrow::Cow;
use std::fmt;

use daybook_domain::{
    Refusal, breaks, custody, evidence, node, operation, platform, roles, statement, subnet, subscription,
    transaction, user,
};

use super::ApiError;

impl From<Refusal> for ApiError {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Platform(refusal) => refusal.into(),
            Refusal::User(refusal) => refusal.into(),
            Refusal::Node(refusal) => refusal.into(),
            Refusal::Transaction(refusal) => refusal.into(),
            Refusal::Custody(refusal) => refusal.into(),
            Refusal::Statement(refusal) => refusal.into(),
            Refusal::Evidence(refusal) => refusal.into(),
            Refusal::Roles(refusal) => refusal.into(),
            Refusal::Break(refusal) => refusal.into(),
            Refusal::Operation(refusal) => refusal.into(),
            Refusal::Subnet(refusal) => refusal.into(),
            Refusal::Subscription(refusal) => refusal.into(),
        }
    }
}

impl From<platform::Refusal> for ApiError {
    fn from(refusal: platform::Refusal) -> Self {
        use platform::Refusal as No;
        match refusal {
            // Outside a sandbox the address does not exist.
            No::Unknown | No::NotSandbox => Self::NotFound,
            No::OutOfRange => {
                Self::invalid("seconds", "must be above 0 and lead to at most ten years from now")
            }
            No::CurrencyDisabled => Self::invalid("amount.currency", "is not enabled"),
        }
    }
}

impl From<user::Refusal> for ApiError {
    fn from(refusal: user::Refusal) -> Self {
        use user::Refusal as No;
        match refusal {
            No::Unknown | No::UnknownDocument => Self::NotFound,
            // The caller can only send the same call again.
            No::Stale => Self::busy(),
            No::TooManyDocuments => {
                let most = user::update::MAX_DOCUMENTS;
                Self::invalid("documents", format!("must not be more than {most} of one user"))
            }
            No::TooLongDocuments => {
                let most = user::update::MAX_BYTES / 1024;
                Self::invalid("documents", format!("must not be more than {most} KiB of one user"))
            }
            No::CannotRaise => Self::Unsupported("permission_not_raised", sentence(&refusal)),
            No::OwnUser => Self::Unsupported("platform_user", sentence(&refusal)),
            No::Closed => Self::NotAllowed("user_closed", sentence(&refusal)),
            No::Locked => Self::NotAllowed("user_locked", sentence(&refusal)),
            No::Erased => Self::NotAllowed("user_erased", sentence(&refusal)),
            No::NotClosed
            | No::OnHold
            | No::Retained
            | No::RetentionUnset
            | No::HasMoney
            | No::UnderWay
            | No::OwnUserErased => Self::Conflict("user_not_erasable", sentence(&refusal)),
        }
    }
}

impl From<node::Refusal> for ApiError {
    fn from(refusal: node::Refusal) -> Self {
        use node::Refusal as No;
        match refusal {
            No::Unknown => Self::NotFound,
            No::NotHeld => Self::Unsupported("node_not_held", sentence(&refusal)),
            No::NoMicroDeposits => Self::Unsupported("no_micro_deposits", sentence(&refusal)),
            No::Inapplicable(_) => Self::Unsupported("micro_deposits_not_applicable", sentence(&refusal)),
            No::ResentTooOften => Self::Conflict("max_microdeposits_sent", sentence(&refusal)),
            No::ReserveAtFloor => Self::Conflict("reserve_at_floor", sentence(&refusal)),
            No::ReserveAtLimit => Self::Conflict("reserve_at_limit", sentence(&refusal)),
            No::OwnerAtLimit => Self::Conflict("micro_deposits_at_limit", sentence(&refusal)),
            No::Locked => Self::Conflict("node_locked", sentence(&refusal)),
            // The caller can only send the same call again.
            No::Stale => Self::busy(),
            No::Reserve => Self::Unsupported("platform_reserve", sentence(&refusal)),
        }
    }
}

impl From<transaction::Refusal> for ApiError {
    fn from(refusal: transaction::Refusal) -> Self {
        use transaction::Refusal as No;
        match refusal {
            No::Unknown => Self::NotFound,
            No::UnknownReceiver => Self::nothing_at("to.id"),
            No::UnknownFeeNode(index) => Self::nothing_at(format!("fees[{index}].to.id")),
            No::ReceiverType(kind) => {
                Self::invalid("to.type", format!("is not the receiving node's type, {}", kind.as_str()))
            }
            No::SameNode => Self::invalid("to.id", "must not be the sending node"),
            No::FeeNodeType(index) => {
                Self::invalid(format!("fees[{index}].to.id"), "must be a node of type LEDGER-US")
            }
            No::FeesExceedAmount => Self::invalid("fees", "must not exceed the amount"),
            No::OutOfRange => Self::invalid("amount.amount", "would take a balance out of its range"),
            No::GatewayOnly => Self::NotAllowed("gateway_restricted", sentence(&refusal)),
            No::InsufficientBalance { shortfall, node, currency } => {
                Self::InsufficientBalance { shortfall, node, currency }
            }
            No::CannotCancel(_) => Self::Unsupported("cannot_cancel_transaction", sentence(&refusal)),
            No::CannotReturn(_) => Self::Unsupported("cannot_return_transaction", sentence(&refusal)),
            No::CannotPresent => Self::Unsupported("cannot_present_transaction", sentence(&refusal)),
            No::PresentedTooOften => Self::Unsupported("presented_too_often", sentence(&refusal)),
            No::TooLateToPresent => Self::Unsupported("too_late_to_present", sentence(&refusal)),
            No::TooLateToReturn => Self::Unsupported("too_late_to_return", sentence(&refusal)),
            No::CannotQueue(_) => Self::Unsupported("cannot_queue_transaction", sentence(&refusal)),
            No::RailCurrency(_) => Self::Unsupported("rail_currency", sentence(&refusal)),
            No::TooMuchForRail { rail, most } => Self::invalid(
                "amount.amount",
                format!("must be at most {most} over the rail {}", rail.as_str()),
            ),
            No::ReasonNotGiven => Self::invalid("reason", "is found by screening and cannot be given"),
            No::NotQueued(_) => Self::Unsupported("transaction_not_queued", sentence(&refusal)),
            No::StillBlocked => Self::Unsupported("transaction_still_blocked", sentence(&refusal)),
            No::NoNextStep(_) => Self::Unsupported("no_next_step", sentence(&refusal)),
        }
    }
}

impl From<custody::Refusal> for ApiError {
    fn from(refusal: custody::Refusal) -> Self {
        use custody::Refusal as No;
        match refusal {
            No::Unknown => Self::NotFound,
            No::Stated => Self::Conflict("statement_booked", sentence(&refusal)),
            No::Future => Self::Conflict("statement_future", sentence(&refusal)),
            No::Booking => Self::Conflict("statement_booking", sentence(&refusal)),
            No::LineTwice => Self::Conflict("statement_line_twice", sentence(&refusal)),
            No::Opening => Self::Conflict("statement_opening", sentence(&refusal)),
            No::Sum => Self::Conflict("statement_sum", sentence(&refusal)),
            No::RuleNode => Self::Conflict("rule_node", sentence(&refusal)),
        }
    }
}

impl From<statement::Refusal> for ApiError {
    fn from(refusal: statement::Refusal) -> Self {
        use statement::Refusal as No;
        match refusal {
            No::Unknown => Self::NotFound,
            No::NotNext => Self::Conflict("statement_booking", sentence(&refusal)),
            No::OtherLines => Self::Conflict("statement_lines", sentence(&refusal)),
            No::NotReplaceable => Self::Conflict("statement_replaced", sentence(&refusal)),
            No::LaterDays => Self::Conflict("statement_later_days", sentence(&refusal)),
        }
    }
}

impl From<evidence::Refusal> for ApiError {
    fn from(refusal: evidence::Refusal) -> Self {
        let evidence::Refusal::Destroyed = refusal;
        Self::Conflict("statement_retention", sentence(&refusal))
    }
}

impl From<roles::Refusal> for ApiError {
    fn from(refusal: roles::Refusal) -> Self {
        let roles::Refusal::LastAdmin = refusal;
        Self::Conflict("last_admin", sentence(&refusal))
    }
}

impl From<breaks::Refusal> for ApiError {
    fn from(refusal: breaks::Refusal) -> Self {
        use breaks::Refusal as No;
        match refusal {
            No::Unknown => Self::NotFound,
            No::Withdrawn => Self::Conflict("break_withdrawn", sentence(&refusal)),
            No::Currency => Self::invalid("act.currency", "must be that of the line"),
            No::Count => Self::invalid("act.items", sentence(&refusal)),
            No::NotOpen => Self::Conflict("item_not_open", sentence(&refusal)),
            No::Account => Self::Conflict("match_account", sentence(&refusal)),
            No::TooMuch => Self::Conflict("match_too_much", sentence(&refusal)),
            No::OutOfRange => Self::Conflict("journal_out_of_range", sentence(&refusal)),
            No::NoMatch => Self::Conflict("no_such_match", sentence(&refusal)),
            No::Matched => Self::Conflict("line_matched", sentence(&refusal)),
            No::Changed => Self::Conflict("match_changed", sentence(&refusal)),
        }
    }
}

impl From<operation::Refusal> for ApiError {
    fn from(refusal: operation::Refusal) -> Self {
        use operation::Refusal as No;
        match refusal {
            No::Unknown => Self::NotFound,
            No::NotWaiting => Self::Unsupported("operation_not_waiting", sentence(&refusal)),
            No::SamePerson => Self::NotAllowed("same_operator", sentence(&refusal)),
            No::Account => Self::Conflict("journal_account", sentence(&refusal)),
            No::OutOfRange => Self::Conflict("journal_out_of_range", sentence(&refusal)),
            No::Items => Self::Conflict("journal_items", sentence(&refusal)),
            No::NotOpen => Self::Conflict("item_not_open", sentence(&refusal)),
        }
    }
}

impl From<subnet::Refusal> for ApiError {
    fn from(refusal: subnet::Refusal) -> Self {
        use subnet::Refusal as No;
        match refusal {
            No::Unknown => Self::NotFound,
            No::NodeType => Self::Unsupported("node_without_subnets", sentence(&refusal)),
            No::NoIssuer => Self::Unsupported("no_account_numbers", sentence(&refusal)),
        }
    }
}

impl From<subscription::Refusal> for ApiError {
    fn from(refusal: subscription::Refusal) -> Self {
        match refusal {
            subscription::Refusal::Unknown => Self::NotFound,
        }
    }
}

/// Returns the text of a refusal as a sentence, with a capital letter and a full stop.
fn sentence(refusal: &impl fmt::Display) -> Cow<'static, str> {
    let text = refusal.to_string();
    let mut letters = text.chars();
    let first = letters.next().map(|letter| letter.to_ascii_uppercase());
    Cow::Owned(first.into_iter().chain(letters).chain(['.']).collect())
}
