//! Routing number, and the bank that it belongs to.

use daybook_domain::node::NodeKind;
use daybook_domain::posting::Rail;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::ApiError;
use crate::description::values::RoutedType;
use crate::wire::form::RoutingNumber;
use crate::wire::text::Text;
use crate::wire::{required, routing_number};

/// Request to look up a routing number.
#[derive(Debug, Deserialize, ToSchema)]
pub struct VerifyRoutingNumber {
    /// Routing number of nine digits with a valid check digit.
    #[schema(value_type = RoutingNumber)]
    routing_num: Option<RoutingNumber>,
    #[serde(rename = "type")]
    #[schema(value_type = RoutedType)]
    kind: Option<Text>,
}

/// A routing number with a valid checksum, and the type of node that it is for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Wanted {
    /// Routing number of nine digits.
    pub number: String,
    /// Rail of the payments.
    pub rail: Rail,
    kind: NodeKind,
}

impl VerifyRoutingNumber {
    /// Checks form and checksum.
    ///
    /// # Errors
    ///
    /// [`ApiError::Invalid`] naming the field, [`ApiError::Conflict`] if the checksum is wrong.
    pub fn parse(self) -> Result<Wanted, ApiError> {
        let number = required("routing_num", self.routing_num)?;
        let kind = NodeKind::parse(&required("type", self.kind)?);
        let (kind, rail) = match kind {
            Some(kind @ NodeKind::AchUs) => (kind, Rail::Ach),
            Some(kind @ NodeKind::WireUs) => (kind, Rail::Wire),
            _ => return Err(ApiError::invalid("type", "must be ACH-US or WIRE-US")),
        };
        routing_number::check(&number)?;
        Ok(Wanted { number, rail, kind })
    }
}

/// The bank that accepts payments under a routing number.
#[derive(Clone, Debug, Serialize, ToSchema)]
pub struct KnownBank {
    bank_name: String,
    routing_num: String,
    #[serde(rename = "type")]
    kind: &'static str,
}

impl Wanted {
    /// Makes the answer with the name of the bank.
    #[must_use]
    pub fn of(self, bank_name: String) -> KnownBank {
        KnownBank { bank_name, routing_num: self.number, kind: self.kind.as_str() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn routing_number_needs_digits_checksum_and_rail() {
        let parse = |json: &str| {
            let body = crate::body::Body::from(actix_web::web::Bytes::from(json.to_owned()));
            body.json::<VerifyRoutingNumber>().and_then(VerifyRoutingNumber::parse)
        };
        let text = |json: &str| parse(json).map(|wanted| wanted.rail).map_err(|error| error.to_string());
        assert_eq!(text(r#"{"routing_num": "021000021", "type": "ACH-US"}"#), Ok(Rail::Ach));
        assert_eq!(text(r#"{"routing_num": "021000021", "type": "WIRE-US"}"#), Ok(Rail::Wire));
        for (json, error) in [
            ("{}", "routing_num is required."),
            (r#"{"routing_num": "021000021"}"#, "type is required."),
            (r#"{"routing_num": "02100002", "type": "ACH-US"}"#, "routing_num must be 9 digits."),
            (r#"{"routing_num": "021000021", "type": "CHECK-US"}"#, "type must be ACH-US or WIRE-US."),
            (r#"{"routing_num": "021000022", "type": "ACH-US"}"#, "The routing number does not exist."),
        ] {
            assert_eq!(text(json), Err(error.to_owned()), "{json}");
        }
    }
}
