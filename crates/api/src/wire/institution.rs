//! Banks at which users can log in.

use daybook_engine::rails::bank_link;
use serde::Serialize;
use utoipa::ToSchema;

use crate::wire::Listed;

/// A bank at which users can log in. No field is null; unknown values are empty.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub struct Institution {
    bank_code: String,
    bank_name: String,
    features: Vec<String>,
    forgotten_password: String,
    is_active: bool,
    logo: String,
    tx_history_months: u32,
}

impl Listed for Institution {
    const KEYS: (&'static str, &'static str) = ("banks", "banks_count");
}

impl From<bank_link::Institution> for Institution {
    fn from(bank: bank_link::Institution) -> Self {
        Self {
            bank_code: bank.code,
            bank_name: bank.name,
            features: bank.features,
            forgotten_password: bank.forgotten_password,
            is_active: bank.is_active,
            logo: bank.logo,
            tx_history_months: bank.history_months,
        }
    }
}
