//! Postal address, and the check of its deliverability.

use daybook_engine::rails::address_check::{self, Address, Deliverability, Fault};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::ApiError;
use crate::wire::form::CountryCode;
use crate::wire::required;
use crate::wire::text::SaidText;

/// Request to check a postal address.
#[derive(Debug, Deserialize, ToSchema)]
pub struct VerifyAddress {
    #[schema(value_type = SaidText)]
    address_street: Option<SaidText>,
    #[schema(value_type = SaidText)]
    address_city: Option<SaidText>,
    #[schema(value_type = SaidText)]
    address_subdivision: Option<SaidText>,
    #[schema(value_type = SaidText)]
    address_postal_code: Option<SaidText>,
    #[schema(value_type = CountryCode)]
    address_country_code: Option<CountryCode>,
}

impl VerifyAddress {
    /// Parses the address.
    ///
    /// # Errors
    ///
    /// [`ApiError::Invalid`] naming the field.
    pub fn parse(self) -> Result<Address, ApiError> {
        let country_code = required("address_country_code", self.address_country_code)?;
        Ok(Address {
            street: required("address_street", self.address_street)?,
            city: required("address_city", self.address_city)?,
            subdivision: required("address_subdivision", self.address_subdivision)?,
            postal_code: required("address_postal_code", self.address_postal_code)?,
            country_code,
        })
    }
}

/// Result of the check of a postal address.
#[derive(Clone, Serialize, ToSchema)]
pub struct CheckedAddress {
    deliverability: &'static str,
    deliverability_analysis: Analysis,
    normalized_address: Normalized,
}

#[derive(Clone, Copy, Serialize, ToSchema)]
#[allow(clippy::struct_excessive_bools, reason = "the clients' names")]
struct Analysis {
    partial_valid: bool,
    primary_number_invalid: bool,
    primary_number_missing: bool,
    secondary_invalid: bool,
    secondary_missing: bool,
}

#[derive(Clone, Serialize, ToSchema)]
struct Normalized {
    address_city: String,
    address_country_code: String,
    address_postal_code: String,
    address_street: String,
    address_subdivision: String,
}

impl From<address_check::CheckedAddress> for CheckedAddress {
    fn from(checked: address_check::CheckedAddress) -> Self {
        let address_check::CheckedAddress { deliverability, number, unit, normalized } = checked;
        Self {
            // Names that clients know, whichever service made the check.
            deliverability: match deliverability {
                Deliverability::Deliverable => "usps_deliverable",
                Deliverability::MissingUnit => "deliverable_missing_unit",
                Deliverability::Undeliverable => "google_undeliverable",
            },
            deliverability_analysis: Analysis {
                partial_valid: deliverability == Deliverability::MissingUnit,
                primary_number_invalid: number == Fault::Wrong,
                primary_number_missing: number == Fault::Missing,
                secondary_invalid: unit == Fault::Wrong,
                secondary_missing: unit == Fault::Missing,
            },
            normalized_address: Normalized {
                address_city: normalized.city,
                address_country_code: normalized.country_code,
                address_postal_code: normalized.postal_code,
                address_street: normalized.street,
                address_subdivision: normalized.subdivision,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn parse(body: &Value) -> Result<Address, String> {
        let body = crate::body::Body::from(actix_web::web::Bytes::from(body.to_string()));
        body.json::<VerifyAddress>().and_then(VerifyAddress::parse).map_err(|error| error.to_string())
    }

    #[test]
    fn every_part_is_required() {
        let whole = json!({
            "address_street": "1 Market St.", "address_city": "San Francisco", "address_subdivision": "CA",
            "address_postal_code": "94105", "address_country_code": "US",
        });
        assert!(parse(&whole).is_ok());
        for name in whole.as_object().unwrap().keys() {
            for nothing in [Value::Null, json!(" ")] {
                let mut body = whole.clone();
                body[name] = nothing.clone();
                let is_form = name == "address_country_code" && !nothing.is_null();
                let told = if is_form { "must be two letters" } else { "is required" };
                assert_eq!(parse(&body).err(), Some(format!("{name} {told}.")));
            }
        }
        let mut body = whole;
        body["address_country_code"] = json!("USA");
        assert_eq!(parse(&body).err().as_deref(), Some("address_country_code must be two letters."));
    }
}
