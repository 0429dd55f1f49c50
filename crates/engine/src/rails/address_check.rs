//! The port to whoever knows which addresses mail can be delivered to.

mod sandbox;

use async_trait::async_trait;
pub use sandbox::SandboxAddressCheck;

/// Why an address could not be checked.
#[derive(Debug, thiserror::Error)]
pub enum AddressCheckError {
    /// Nobody here checks addresses.
    #[error("no check of addresses is configured")]
    NoProvider,
    /// Nobody here knows the addresses of this country.
    #[error("addresses of this country cannot be checked")]
    Country,
    /// The way to the check is blocked.
    #[error("the check of addresses cannot be reached")]
    Unreachable(#[source] std::io::Error),
}

/// An address as somebody wrote it, or as the post writes it.
#[derive(Clone, PartialEq, Eq)]
pub struct Address {
    /// Number, street and unit.
    pub street: String,
    /// The town.
    pub city: String,
    /// The state, in two letters.
    pub subdivision: String,
    /// The ZIP code.
    pub postal_code: String,
    /// ISO 3166-1, in two letters.
    pub country_code: String,
}

/// Whether mail can be delivered there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Deliverability {
    /// As it was written.
    Deliverable,
    /// The house is there; which of its units, it does not say.
    MissingUnit,
    /// Nowhere.
    Undeliverable,
}

/// What is wrong with a number in an address.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// Nothing.
    None,
    /// It should have one.
    Missing,
    /// There is no such number.
    Wrong,
}

/// What was found out about an address.
#[derive(Clone, PartialEq, Eq)]
pub struct CheckedAddress {
    /// Whether mail can be delivered there.
    pub deliverability: Deliverability,
    /// What is wrong with the number of the house.
    pub number: Fault,
    /// What is wrong with that of the unit in it.
    pub unit: Fault,
    /// As the post writes it.
    pub normalized: Address,
}

/// Checks addresses. Whoever implements it keeps none, and logs none.
#[async_trait]
pub trait AddressCheck: Send + Sync + 'static {
    /// Looks whether mail can be delivered there.
    async fn check(&self, address: &Address) -> Result<CheckedAddress, AddressCheckError>;
}

/// For deployments without a provider.
pub struct NoAddressCheck;

#[async_trait]
impl AddressCheck for NoAddressCheck {
    async fn check(&self, _: &Address) -> Result<CheckedAddress, AddressCheckError> {
        Err(AddressCheckError::NoProvider)
    }
}
