//! Secrets of subscriptions: nothing is stored, so there is nothing to steal from a table. A secret is a keyed hash of the
//! subscription's id and a generation, which the log tells (ADR 25).

use daybook_domain::SubscriptionId;
use daybook_vault::Purpose;

use crate::engine::Engine;

impl Engine {
    /// The secret that calls to the subscription are signed with in this generation: 32 bytes.
    #[must_use]
    pub fn subscription_secret(&self, id: SubscriptionId, generation: u32) -> [u8; 32] {
        let parts: [&[u8]; 2] = [&id.as_u128().to_be_bytes(), &generation.to_be_bytes()];
        self.vault().mac(Purpose::SubscriptionSecret, &parts)
    }
}
