//! Failures of lower layers as answers: temporarily unavailable, or an internal error.

use daybook_domain::TransactionId;
use daybook_engine::SubmitError;
use daybook_engine::access::AccessError;
use daybook_engine::bank_login::BankLoginError;
use daybook_engine::rails::address_check::AddressCheckError;
use daybook_engine::rails::bank_link::BankLinkError;
use daybook_engine::rails::routing_directory::RoutingDirectoryError;
use daybook_engine::webhook::WebhookError;

use super::ApiError;

impl From<SubmitError> for ApiError {
    fn from(error: SubmitError) -> Self {
        match error {
            SubmitError::Refused(refusal) => refusal.into(),
            SubmitError::KeyUsed { original, same_payload } => {
                // All ids have the same spelling, whatever they name.
                let original_id = original.map(|id| TransactionId::from_u128(id).to_string());
                Self::KeyUsed { original_id, same_payload }
            }
            SubmitError::Busy => Self::busy(),
            // The failure was logged at its source; the line written here connects it to the request.
            SubmitError::Unavailable => Self::unavailable(&error),
            SubmitError::Failed => Self::internal(&error),
        }
    }
}

impl From<daybook_vault::Error> for ApiError {
    fn from(error: daybook_vault::Error) -> Self {
        match &error {
            daybook_vault::Error::Database(database) if database.is_transient() => Self::unavailable(&error),
            _ => Self::internal(&error),
        }
    }
}

impl From<daybook_engine::SealError> for ApiError {
    fn from(error: daybook_engine::SealError) -> Self {
        Self::internal(&error)
    }
}

impl From<daybook_projector::Error> for ApiError {
    fn from(error: daybook_projector::Error) -> Self {
        if error.is_transient() { Self::unavailable(&error) } else { Self::internal(&error) }
    }
}

impl From<WebhookError> for ApiError {
    fn from(error: WebhookError) -> Self {
        match error {
            WebhookError::Pg(database) if database.is_transient() => Self::unavailable(&database),
            WebhookError::Pg(database) => Self::internal(&database),
            WebhookError::Log(log) => daybook_projector::Error::from(log).into(),
            WebhookError::Reads(reads) => reads.into(),
            WebhookError::Submit(submit) => submit.into(),
            error @ WebhookError::Deliver(_) => Self::unavailable(&error),
        }
    }
}

impl From<AccessError> for ApiError {
    fn from(error: AccessError) -> Self {
        match &error {
            AccessError::Pg(database) if database.is_transient() => Self::unavailable(&error),
            AccessError::Pg(_) | AccessError::Vault(_) | AccessError::Corrupt => Self::internal(&error),
        }
    }
}

impl From<BankLoginError> for ApiError {
    fn from(error: BankLoginError) -> Self {
        use BankLinkError as No;
        match error {
            BankLoginError::Token | BankLoginError::Link(No::Over) => {
                Self::Conflict("unknown_access_token", "The access_token is unknown or has expired.".into())
            }
            BankLoginError::Link(No::Refused) => {
                Self::Conflict("wrong_bank_login", "The bank refuses this login.".into())
            }
            BankLoginError::Link(No::NoAccounts) => Self::NoBankAccounts,
            BankLoginError::Link(No::NoProvider) => {
                Self::Unsupported("no_bank_logins", "No provider of bank logins is configured.".into())
            }
            BankLoginError::Link(No::Unreachable(_)) => Self::unavailable(&error),
            BankLoginError::Vault(error) => error.into(),
        }
    }
}

impl From<BankLinkError> for ApiError {
    fn from(error: BankLinkError) -> Self {
        BankLoginError::from(error).into()
    }
}

impl From<RoutingDirectoryError> for ApiError {
    fn from(error: RoutingDirectoryError) -> Self {
        match error {
            RoutingDirectoryError::NoProvider => Self::Unsupported(
                "no_routing_directory",
                "No directory of routing numbers is configured.".into(),
            ),
            RoutingDirectoryError::Unreachable(_) => Self::unavailable(&error),
        }
    }
}

impl From<AddressCheckError> for ApiError {
    fn from(error: AddressCheckError) -> Self {
        match error {
            AddressCheckError::NoProvider => {
                Self::Unsupported("no_address_check", "No provider of address checks is configured.".into())
            }
            AddressCheckError::Country => {
                Self::Unsupported("address_country", "Addresses of this country cannot be checked.".into())
            }
            AddressCheckError::Unreachable(_) => Self::unavailable(&error),
        }
    }
}
