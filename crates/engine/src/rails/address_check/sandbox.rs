//! Address check of the sandbox. It judges only the form of an address, apart from two special words.

use async_trait::async_trait;

use super::{Address, AddressCheck, AddressCheckError, CheckedAddress, Deliverability, Fault};

/// Street that never receives mail, as in the sandbox identity check (`docs/reference/api.md`, Sandbox).
const UNDELIVERABLE_STREET: &str = "123 FAIL ADDRESS";

/// States and territories served by the US Postal Service. Source: USPS Publication 28, appendix B.
const STATES: &str = "AL AK AS AZ AR CA CO CT DE DC FM FL GA GU HI ID IL IN IA KS KY LA ME MH MD MA MI MN MS MO MT NE \
                      NV NH NJ NM NY NC ND MP OH OK OR PW PA PR RI SC SD TN TX UT VT VA VI WA WV WI WY AA AE AP";

/// Unit designators, which precede a unit number. Source: USPS Publication 28, appendix C2.
const UNITS: [&str; 9] = ["APT", "BLDG", "FL", "LOT", "RM", "SPC", "STE", "UNIT", "#"];

/// Checks the form of US addresses.
pub struct SandboxAddressCheck;

#[async_trait]
impl AddressCheck for SandboxAddressCheck {
    async fn check(&self, address: &Address) -> Result<CheckedAddress, AddressCheckError> {
        let normalized = normalized(address);
        if normalized.country_code != "US" {
            return Err(AddressCheckError::Country);
        }
        let street = &normalized.street;
        let number = match street.starts_with(|first: char| first.is_ascii_digit()) {
            false => Fault::Missing,
            true if street == UNDELIVERABLE_STREET => Fault::Wrong,
            true => Fault::None,
        };
        let ends_in_a_unit = UNITS.contains(&street.rsplit(' ').next().unwrap_or_default());
        let unit = if ends_in_a_unit { Fault::Missing } else { Fault::None };
        let deliverability = match (number, unit) {
            (Fault::None, Fault::None) if is_a_place(&normalized) => Deliverability::Deliverable,
            (Fault::None, _) if is_a_place(&normalized) => Deliverability::MissingUnit,
            _ => Deliverability::Undeliverable,
        };
        Ok(CheckedAddress { deliverability, number, unit, normalized })
    }
}

/// Normalizes an address: capitals, no dots or commas, single spaces.
fn normalized(address: &Address) -> Address {
    let plain = |text: &str| {
        let text = text.to_uppercase().replace(['.', ','], " ");
        text.split_whitespace().collect::<Vec<_>>().join(" ")
    };
    Address {
        street: plain(&address.street),
        city: plain(&address.city),
        subdivision: plain(&address.subdivision),
        postal_code: plain(&address.postal_code),
        country_code: plain(&address.country_code),
    }
}

/// Returns true if the state exists and the ZIP code has five digits, or five and four after a dash.
fn is_a_place(address: &Address) -> bool {
    let is_number =
        |text: &str, length| text.len() == length && text.bytes().all(|byte| byte.is_ascii_digit());
    let is_zip = match address.postal_code.split_once('-') {
        Some((zip, more)) => is_number(zip, 5) && is_number(more, 4),
        None => is_number(&address.postal_code, 5),
    };
    is_zip && STATES.split_whitespace().any(|state| state == address.subdivision)
}

#[cfg(test)]
mod tests {
    use super::super::NoAddressCheck;
    use super::*;

    fn market_street() -> Address {
        Address {
            street: "1 Market St. STE  500".into(),
            city: "San Francisco".into(),
            subdivision: "ca".into(),
            postal_code: "94105".into(),
            country_code: "US".into(),
        }
    }

    async fn found(street: &str, subdivision: &str, postal_code: &str) -> CheckedAddress {
        let [street, subdivision, postal_code] = [street, subdivision, postal_code].map(str::to_owned);
        let address = Address { street, subdivision, postal_code, ..market_street() };
        SandboxAddressCheck.check(&address).await.unwrap_or_else(|_| panic!("it is in the US"))
    }

    #[tokio::test]
    async fn address_is_normalized_to_postal_spelling() {
        let Address { street, city, subdivision, .. } = SandboxAddressCheck
            .check(&market_street())
            .await
            .unwrap_or_else(|_| panic!("in the US"))
            .normalized;
        assert_eq!([street, city, subdivision], ["1 MARKET ST STE 500", "SAN FRANCISCO", "CA"]);
    }

    #[tokio::test]
    async fn spelling_decides_deliverability() {
        use Deliverability::{Deliverable, MissingUnit, Undeliverable};
        for (street, state, zip, expected) in [
            ("1 Market St", "CA", "94105", Deliverable),
            ("1 Market St", "PR", "94105-1234", Deliverable),
            ("1 Market St, Apt.", "CA", "94105", MissingUnit),
            ("Market St", "CA", "94105", Undeliverable),
            ("123 Fail Address", "CA", "94105", Undeliverable),
            ("1 Market St", "XX", "94105", Undeliverable),
            ("1 Market St", "CA", "9410", Undeliverable),
            ("1 Market St", "CA", "94105-12", Undeliverable),
        ] {
            assert_eq!(found(street, state, zip).await.deliverability, expected, "{street} {state} {zip}");
        }
        assert_eq!(found("Market St", "CA", "94105").await.number, Fault::Missing);
        assert_eq!(found("123 Fail Address", "CA", "94105").await.number, Fault::Wrong);
        assert_eq!(found("1 Market St Apt", "CA", "94105").await.unit, Fault::Missing);
    }

    #[tokio::test]
    async fn foreign_address_and_missing_provider_are_errors() {
        let abroad = Address { country_code: "DE".into(), ..market_street() };
        assert!(matches!(SandboxAddressCheck.check(&abroad).await, Err(AddressCheckError::Country)));
        assert!(matches!(NoAddressCheck.check(&market_street()).await, Err(AddressCheckError::NoProvider)));
    }
}
