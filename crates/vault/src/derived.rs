//! Derived keys, for keyed hashes and tokens. They belong to no subject. Stored data depend on them, so they outlive
//! the master key that they were derived from: each is stored wrapped, and a change of the master key rewraps it.

use std::collections::HashMap;

use daybook_pg::Pg;
use daybook_pg::types::TimestampMs;
use uuid::Uuid;
use zeroize::Zeroizing;

use crate::key::{WrappingKey, data_key};
use crate::mac::Purpose;
use crate::ring::{MasterKeys, Ring};
use crate::{Class, Entropy, Error, MasterKey, token};

/// Length of each key in bytes: one block of SHA-256, which HMAC uses without padding or hashing.
pub(crate) const LENGTH: usize = 64;

/// All derived keys by name.
pub(crate) struct Derived(HashMap<&'static str, Zeroizing<[u8; LENGTH]>>);

/// Returns the names of the keys. The names are permanent.
fn names() -> impl Iterator<Item = &'static str> {
    Purpose::ALL.into_iter().map(Purpose::use_name).chain([token::BANK_LOGIN, token::CLIENT_SECRET])
}

impl Derived {
    /// Derives all keys from a master key.
    pub(crate) fn of(master: &MasterKey) -> Self {
        Self(names().map(|name| (name, master.derive(name))).collect())
    }

    /// Returns the key with this name. Every name has a key.
    pub(crate) fn key(&self, name: &'static str) -> &[u8; LENGTH] {
        match self.0.get(name) {
            Some(key) => key,
            None => unreachable!("all names have a key"),
        }
    }

    /// Loads the stored keys. Missing keys are derived first, from the master key that data keys are wrapped under, and
    /// stored. Two processes may do so at once.
    pub(crate) async fn load(
        pg: &Pg,
        masters: &MasterKeys,
        ring: &Ring,
        shard: i16,
        now_ms: i64,
        entropy: &Entropy<'_>,
    ) -> Result<Self, Error> {
        let found = read(pg, ring).await?;
        if names().all(|name| found.contains_key(name)) {
            return Ok(Self(found));
        }
        let origin = Self::of(origin(pg, masters, shard).await?);
        store(pg, ring.first(), &origin, now_ms, entropy).await?;
        // Read back, because another process may have been first.
        let found = read(pg, ring).await?;
        match names().find(|name| !found.contains_key(name)) {
            None => Ok(Self(found)),
            Some(name) => Err(Error::UnwrappedDerived { name: name.to_owned() }),
        }
    }
}

async fn read(pg: &Pg, ring: &Ring) -> Result<HashMap<&'static str, Zeroizing<[u8; LENGTH]>>, Error> {
    let client = pg.client().await?;
    let rows = client
        .query(include_str!("sql/read_derived_keys.sql"), &[])
        .await
        .map_err(daybook_pg::Error::from)?;
    let mut found = HashMap::new();
    for row in rows {
        let name: &str = row.try_get(0).map_err(daybook_pg::Error::from)?;
        let wrapped: &[u8] = row.try_get(1).map_err(daybook_pg::Error::from)?;
        // A key that only a newer binary knows.
        let Some(name) = names().find(|known| *known == name) else { continue };
        let failed = || Error::UnwrappedDerived { name: name.to_owned() };
        let opened = ring.unwrap(&purpose(name), wrapped).ok_or_else(failed)?;
        let key = opened.as_slice().try_into().map_err(|_| failed())?;
        found.insert(name, Zeroizing::new(key));
    }
    Ok(found)
}

async fn store(
    pg: &Pg,
    wrapping: &WrappingKey,
    derived: &Derived,
    now_ms: i64,
    entropy: &Entropy<'_>,
) -> Result<(), Error> {
    let names: Vec<&str> = names().collect();
    let wrap = |name: &&'static str| wrapping.wrap(&purpose(name), derived.key(name), entropy);
    let wrapped = self::names().map(|name| wrap(&name)).collect::<Result<Vec<_>, _>>()?;
    let client = pg.client().await?;
    let stored = client
        .execute(
            include_str!("sql/insert_derived_keys.sql"),
            &[&names, &wrapped, &wrapping.name().as_slice(), &TimestampMs(now_ms)],
        )
        .await;
    stored.map_err(daybook_pg::Error::from)?;
    Ok(())
}

/// Returns the master key that data keys are wrapped under, because stored hashes were made with keys derived from it.
/// Without any data key it is the first master key.
async fn origin<'a>(pg: &Pg, masters: &'a MasterKeys, shard: i16) -> Result<&'a MasterKey, Error> {
    let client = pg.of(shard).client().await?;
    let row = client.query_opt(include_str!("sql/read_any_key.sql"), &[&shard]).await;
    let Some(row) = row.map_err(daybook_pg::Error::from)? else { return Ok(&masters.first) };
    let subject: Uuid = row.try_get(0).map_err(daybook_pg::Error::from)?;
    let wrapped: &[u8] = row.try_get(1).map_err(daybook_pg::Error::from)?;
    let purpose = data_key(shard, subject, Class::Profile);
    let opens = |master: &&MasterKey| WrappingKey::new(master).unwrap(&purpose, wrapped).is_some();
    std::iter::once(&masters.first).chain(&masters.others).find(opens).ok_or(Error::Unwrapped { subject })
}

/// Returns the purpose to which such a key is bound. No purpose of a data key has this length.
pub(crate) fn purpose(name: &str) -> Vec<u8> {
    [b"daybook/vault/derived/".as_slice(), name.as_bytes()].concat()
}
