//! Secrets of subscriptions, derived instead of stored, so that no table holds them. A secret is a keyed hash of the
//! subscription's id and a generation, which the log records (ADR 25).

use daybook_domain::SubscriptionId;
use daybook_vault::Purpose;

use crate::engine::Engine;

impl Engine {
    /// Returns the secret that signs calls to the subscription in this generation: 32 bytes.
    #[must_use]
    pub fn subscription_secret(&self, id: SubscriptionId, generation: u32) -> [u8; 32] {
        let parts: [&[u8]; 2] = [&id.as_u128().to_be_bytes(), &generation.to_be_bytes()];
        self.vault().mac(Purpose::SubscriptionSecret, &parts)
    }
}
