//! Port to a provider that checks postal addresses.

mod sandbox;

use async_trait::async_trait;
pub use sandbox::SandboxAddressCheck;

/// Reason why an address could not be checked.
#[derive(Debug, thiserror::Error)]
pub enum AddressCheckError {
    /// No provider is configured.
    #[error("no check of addresses is configured")]
    NoProvider,
    /// The provider does not cover this country.
    #[error("addresses of this country cannot be checked")]
    Country,
    /// The provider cannot be reached.
    #[error("the check of addresses cannot be reached")]
    Unreachable(#[source] std::io::Error),
}

/// A postal address, as entered or in the spelling of the postal service.
#[derive(Clone, PartialEq, Eq)]
pub struct Address {
    /// Number, street and unit.
    pub street: String,
    /// City.
    pub city: String,
    /// State, in two letters.
    pub subdivision: String,
    /// ZIP code.
    pub postal_code: String,
    /// Country, in two letters (ISO 3166-1).
    pub country_code: String,
}

/// Result of checking if mail can be delivered to an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deliverability {
    /// Mail can be delivered to the address as entered.
    Deliverable,
    /// The building exists, but the address does not name the unit.
    MissingUnit,
    /// Mail cannot be delivered.
    Undeliverable,
}

/// Fault of a number in an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The number has no fault.
    None,
    /// The number is missing.
    Missing,
    /// The number does not exist.
    Wrong,
}

/// Result of checking an address.
#[derive(Clone, PartialEq, Eq)]
pub struct CheckedAddress {
    /// Deliverability of the address.
    pub deliverability: Deliverability,
    /// Fault of the building number.
    pub number: Fault,
    /// Fault of the unit number.
    pub unit: Fault,
    /// Address in the spelling of the postal service.
    pub normalized: Address,
}

/// Checks addresses. An implementation neither stores nor logs them.
#[async_trait]
pub trait AddressCheck: Send + Sync + 'static {
    /// Checks if mail can be delivered to `address`.
    async fn check(&self, address: &Address) -> Result<CheckedAddress, AddressCheckError>;
}

/// Port for deployments without a provider.
pub struct NoAddressCheck;

#[async_trait]
impl AddressCheck for NoAddressCheck {
    async fn check(&self, _: &Address) -> Result<CheckedAddress, AddressCheckError> {
        Err(AddressCheckError::NoProvider)
    }
}
