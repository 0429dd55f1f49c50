//! Creation of platforms: credentials go into the access tables; the platform with its own user and reserve goes into
//! the log.

use std::sync::Arc;

use daybook_domain::money::Currency;
use daybook_domain::node::NodeKind;
use daybook_domain::posting::Rail;
use daybook_domain::transaction::external_transfer::TransferDirection;
use daybook_domain::{
    Bank, Money, NodeId, Origin, PlatformId, TransactionId, UserId, node, platform, transaction, user,
};
use daybook_log::Shard;
use daybook_vault::Class;
use uuid::Uuid;

use crate::access::{ClientSecret, PlatformRecord};
use crate::batch::Call;
use crate::contents::{NodeDetails, Profile, TransactionDetails};
use crate::engine::Engine;
use crate::error::StoresError;
use crate::sealer::{SealError, Sealer};

/// Initial balance of a sandbox platform's reserve: 1,000,000.00 (`docs/reference/money.md`).
const SANDBOX_RESERVE: Money = Money::new(100_000_000, Currency::USD);

/// Request for a new platform.
pub struct NewPlatform<'a> {
    /// Name of the company.
    pub name: &'a str,
    /// Public half of its credentials. It must be unique.
    pub client_id: &'a str,
    /// Secret half. It is stored as a keyed hash for checking, and sealed for signing.
    pub client_secret: &'a str,
    /// True for a sandbox platform, for which banks and identity checks are simulated.
    pub sandbox: bool,
    /// Shard of the platform, which is final; by default the open one with the fewest platforms.
    pub shard: Option<Shard>,
    /// Time zone in which the platform's months begin and end, by its name in the IANA database. The default is UTC.
    pub time_zone: Option<&'a str>,
}

impl Engine {
    /// Creates a platform. If a platform with this client id exists, finishes its creation instead. Safe to repeat.
    ///
    /// # Errors
    ///
    /// [`StoresError::NoShard`] if no shard takes the platform; other [`StoresError`]s if the database is unavailable.
    pub async fn ensure_platform(&self, new: NewPlatform<'_>) -> Result<Arc<PlatformRecord>, StoresError> {
        let known = self.access().platform_of_client(new.client_id).await?;
        let stored = if let Some(known) = known {
            known
        } else {
            let served: Vec<Shard> = self.served().into_keys().filter(|shard| self.serves(*shard)).collect();
            let shard = self.access().choose_shard(&served, new.shard).await?;
            let secret = self.first_secret(&new)?;
            self.access().store_platform(&self.record(&new, shard, secret.clone()), &secret).await?
        };
        let subject = Uuid::from(stored.user);
        let entropy = self.entropy();
        let now = self.clock().now();
        let keys =
            self.vault().create(stored.shard, subject, now.ms(), &move |bytes| entropy.fill(bytes)).await?;
        let open = self.open(&stored, new.time_zone, &Sealer::new(keys, now, entropy))?;
        self.submit(Call::of(stored.shard), open).await?;
        Ok(stored)
    }

    fn first_secret(&self, new: &NewPlatform<'_>) -> Result<ClientSecret, daybook_vault::Error> {
        let entropy = self.entropy();
        let fill = move |bytes: &mut [u8]| entropy.fill(bytes);
        Ok(ClientSecret {
            number: 1,
            hash: self.access().secret_hash(new.client_id, new.client_secret),
            sealed: Some(self.vault().seal_client_secret(new.client_id, new.client_secret, &fill)?),
            good_until: None,
            revoked_at: None,
        })
    }

    fn record(&self, new: &NewPlatform<'_>, shard: Shard, secret: ClientSecret) -> PlatformRecord {
        let (now, entropy) = (self.clock().now(), self.entropy());
        let id = entropy.ulid(now);
        PlatformRecord {
            id: PlatformId::from_u128(id),
            shard,
            // The low bits are random. 40 of them distinguish a trillion platforms, and the table refuses a duplicate.
            short_id: format!("{:010x}", id & 0xff_ffff_ffff),
            name: new.name.to_owned(),
            client_id: new.client_id.to_owned(),
            secrets: vec![secret],
            sandbox: new.sandbox,
            user: UserId::from_u128(entropy.ulid(now)),
            reserve: NodeId::from_u128(entropy.ulid(now)),
            created_at: now,
        }
    }

    fn open(
        &self,
        record: &PlatformRecord,
        time_zone: Option<&str>,
        sealer: &Sealer,
    ) -> Result<platform::open::Open, SealError> {
        let profile = Profile { legal_names: vec![record.name.clone()], ..Profile::default() };
        let details = NodeDetails { nickname: "Reserve".into(), ..NodeDetails::default() };
        let user = user::create::Create {
            attachments: vec![],
            id: record.user,
            platform: record.id,
            is_business: true,
            cip_tag: 1,
            profile: sealer.seal(Class::Profile, &profile)?,
            documents: vec![],
        };
        let reserve = node::create::Create {
            id: record.reserve,
            platform: record.id,
            user: record.user,
            kind: NodeKind::ReserveUs,
            is_active: true,
            gateway_restricted: false,
            micro_deposits: None,
            details: sealer.seal(Class::Profile, &details)?,
        };
        let credit = if record.sandbox { Some(self.first_credit(record, sealer)?) } else { None };
        Ok(platform::open::Open {
            id: record.id,
            name: record.name.clone(),
            sandbox: record.sandbox,
            time_zone: time_zone.map(str::to_owned),
            bank: if record.sandbox { Bank::SANDBOX } else { self.settings().bank },
            user,
            reserve,
            credit,
        })
    }

    fn first_credit(
        &self,
        record: &PlatformRecord,
        sealer: &Sealer,
    ) -> Result<transaction::external_transfer::ExternalTransfer, SealError> {
        let details =
            TransactionDetails { note: Some("Simulated reserve".into()), ..TransactionDetails::default() };
        Ok(transaction::external_transfer::ExternalTransfer {
            id: TransactionId::from_u128(self.entropy().ulid(self.clock().now())),
            platform: record.id,
            node: record.reserve,
            direction: TransferDirection::In,
            amount: SANDBOX_RESERVE,
            rail: Rail::Ach,
            by_gateway: true,
            origin: Origin::simulated(),
            details: sealer.seal(Class::Profile, &details)?,
        })
    }
}
