//! Correspondent bank of a wire.

use daybook_engine::Correspondent;
use serde::Deserialize;
use utoipa::ToSchema;

use super::info::given;
use super::numbers;
use crate::ApiError;
use crate::wire::form::{ClearingCode, OptionalRoutingNumber, OptionalSwift};
use crate::wire::routing_number;
use crate::wire::text::{Name, Text};

/// Correspondent bank of a wire within the US.
#[derive(Deserialize, ToSchema)]
#[schema(as = NewCorrespondent)]
pub(super) struct Between {
    routing_num: Option<OptionalRoutingNumber>,
    bank_name: Option<Name>,
    address: Option<Text>,
}

/// Correspondent bank of a wire abroad.
#[derive(Deserialize, ToSchema)]
#[schema(as = NewCorrespondentAbroad)]
pub(super) struct BetweenAbroad {
    routing_num: Option<ClearingCode>,
    swift: Option<OptionalSwift>,
    bank_name: Option<Name>,
    address: Option<Text>,
}

impl TryFrom<Between> for Correspondent {
    type Error = ApiError;

    fn try_from(bank: Between) -> Result<Self, ApiError> {
        let routing_num = given(bank.routing_num);
        routing_num.as_deref().map_or(Ok(()), routing_number::check)?;
        let (bank_name, address) = (given(bank.bank_name), given(bank.address));
        Ok(Self { routing_num, bank_name, address, swift: None })
    }
}

impl From<BetweenAbroad> for Correspondent {
    fn from(bank: BetweenAbroad) -> Self {
        Self {
            routing_num: given(bank.routing_num),
            bank_name: given(bank.bank_name),
            address: given(bank.address),
            swift: given(bank.swift).map(|code| numbers::compact(&code)),
        }
    }
}
