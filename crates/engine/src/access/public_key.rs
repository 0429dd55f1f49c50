//! Public keys of a platform: short-lived keys for clients that may make some of the platform's calls without knowing
//! its secret. A public key is valid for 15 minutes. Nothing is stored for it: the key itself carries its expiry,
//! scopes and user, authenticated by a keyed hash (ADR 29).

use std::sync::Arc;

use daybook_domain::{Timestamp, UserId};
use daybook_vault::{Purpose, ct_eq};

use super::{Access, AccessError, Client, CredentialCheck, PLATFORM_CACHE_LIFETIME, PlatformRecord, Scopes};
use crate::hex::unhex;

/// Lifetime of a key in milliseconds: 900 s (`docs/reference/api.md`, Public keys).
pub const PUBLIC_KEY_LIFETIME_MS: i64 = 900_000;

/// Prefix of every key, so that secret scanners recognize a leaked one.
const PREFIX: &str = "public_key_";

/// A newly issued key.
#[derive(Clone)]
pub struct IssuedPublicKey {
    /// The key itself.
    pub key: String,
    /// Time of expiry.
    pub expires_at: Timestamp,
}

/// The permissions of a public key that a caller presented.
#[derive(Clone, Debug)]
pub struct PublicKey {
    /// Platform whose calls the key allows, and the secret under which it was issued.
    pub client: Client,
    /// Scopes that the key grants.
    pub scopes: Scopes,
    /// The only user that the key may concern, if it is confined to one.
    pub user: Option<UserId>,
}

impl Access {
    /// Issues a key for some of the calls of `client`. If `user` is given, only for calls that concern this user.
    #[must_use]
    pub fn issue_public_key(
        &self,
        client: &Client,
        scopes: Scopes,
        user: Option<UserId>,
        now: Timestamp,
    ) -> IssuedPublicKey {
        let expires_at = now.plus_ms(PUBLIC_KEY_LIFETIME_MS);
        let said = KeyRequest { expires_at, scopes, user };
        let hash = self.public_key_hash(&client.platform, &client.secret_hash, &said);
        let key = hex::encode([&said.bytes()[..], &hash].concat());
        IssuedPublicKey { key: format!("{PREFIX}{}_{key}", client.platform.short_id), expires_at }
    }

    /// Checks `key`. It is wrong if it was not issued here, and expired if its time is over or the secret under which
    /// it was issued is revoked. `client_id` may be empty; otherwise it must be the platform's. A wrong key costs a
    /// database query and the same work for every platform it names, existing or not.
    ///
    /// # Errors
    ///
    /// [`AccessError`] if the database is unavailable.
    pub async fn public_key(
        &self,
        client_id: &str,
        key: &str,
        now: Timestamp,
    ) -> Result<CredentialCheck<PublicKey>, AccessError> {
        let Some(shown) = read(key) else { return Ok(CredentialCheck::Wrong) };
        let is_it = |platform: &PlatformRecord| platform.short_id == shown.short_id;
        let known = self
            .known_that(is_it, PLATFORM_CACHE_LIFETIME)
            .or_else(|| self.known_that(|_| true, PLATFORM_CACHE_LIFETIME));
        let judged = known.map_or(CredentialCheck::Wrong, |known| self.judge(&known, client_id, &shown, now));
        if !matches!(judged, CredentialCheck::Wrong) {
            return Ok(judged);
        }
        let stored = Box::pin(self.short_id_or_neighbour(shown.short_id)).await?;
        Ok(stored.map_or(CredentialCheck::Wrong, |stored| self.judge(&stored, client_id, &shown, now)))
    }

    /// Checks a key against `platform` at `now`. An expired client secret does not end the keys issued under it; they
    /// expire by themselves.
    fn judge(
        &self,
        platform: &Arc<PlatformRecord>,
        client_id: &str,
        shown: &ParsedPublicKey<'_>,
        now: Timestamp,
    ) -> CredentialCheck<PublicKey> {
        let KeyRequest { expires_at, scopes, user } = shown.said;
        // The hash comes first: it must cost as much for a platform that does not match.
        let is_made_under = |hash| ct_eq(&shown.hash, &self.public_key_hash(platform, hash, &shown.said));
        let secret = platform.secrets.iter().find(|secret| is_made_under(&secret.hash));
        let is_its = platform.short_id == shown.short_id && ["", &platform.client_id].contains(&client_id);
        match secret.filter(|_| is_its) {
            Some(secret) if expires_at > now && secret.revoked_at.is_none() => {
                CredentialCheck::Right(PublicKey {
                    client: Client::new(Arc::clone(platform), secret),
                    scopes,
                    user,
                })
            }
            Some(_) => CredentialCheck::Expired,
            None => CredentialCheck::Wrong,
        }
    }

    /// Returns true if a secret half is a public key rather than a client secret.
    #[must_use]
    pub fn is_public_key(secret: &str) -> bool {
        secret.starts_with(PREFIX)
    }

    /// Computes the hash of a key. It covers the hash of the client secret, so that keys end with the secret under
    /// which they were issued.
    fn public_key_hash(
        &self,
        platform: &PlatformRecord,
        secret_hash: &[u8; 32],
        said: &KeyRequest,
    ) -> [u8; 32] {
        let parts: [&[u8]; 3] = [&platform.id.as_u128().to_be_bytes(), secret_hash, &said.bytes()];
        self.vault.mac(Purpose::PublicKey, &parts)
    }
}

/// The content of a key.
struct KeyRequest {
    expires_at: Timestamp,
    scopes: Scopes,
    user: Option<UserId>,
}

impl KeyRequest {
    /// Encodes the content in big-endian order: milliseconds, scopes, and the user, or zero for none. Zero is no user's
    /// id.
    fn bytes(&self) -> Vec<u8> {
        let user = self.user.map_or(0, UserId::as_u128);
        let (ms, scopes) = (self.expires_at.ms().to_be_bytes(), self.scopes.bits().to_be_bytes());
        [&ms[..], &scopes, &user.to_be_bytes()].concat()
    }
}

/// A key as parsed from a request, before its hash is checked.
struct ParsedPublicKey<'a> {
    /// Short id of the platform.
    short_id: &'a str,
    said: KeyRequest,
    hash: Vec<u8>,
}

fn read(key: &str) -> Option<ParsedPublicKey<'_>> {
    let (short_id, key) = key.strip_prefix(PREFIX)?.split_once('_')?;
    let key = unhex(key)?;
    let (ms, rest) = key.split_first_chunk()?;
    let (bits, rest) = rest.split_first_chunk()?;
    let (user, hash) = rest.split_first_chunk()?;
    let bits = i32::from_be_bytes(*bits);
    let user = Some(u128::from_be_bytes(*user)).filter(|id| *id != 0);
    let said = KeyRequest {
        expires_at: Timestamp::from_ms(i64::from_be_bytes(*ms)),
        // Unknown bits are refused: the hash is computed from the parsed content, so a key must have one spelling.
        scopes: Some(Scopes::PUBLIC.of_bits(bits)).filter(|scopes| scopes.bits() == bits)?,
        user: user.map(UserId::from_u128),
    };
    Some(ParsedPublicKey { short_id, said, hash: hash.to_vec() })
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use daybook_domain::{NodeId, PlatformId};
    use daybook_pg::{Config, Pg};

    use super::*;
    use crate::access::{ClientSecret, Scope};
    use crate::bank_login::testing::vault;

    const NOON: Timestamp = Timestamp::from_ms(1_700_000_000_000);
    const ADA: UserId = UserId::from_u128(3);

    /// Access that only uses cached platforms and never reaches a database.
    fn access(platforms: &[PlatformRecord]) -> Access {
        let config = Config::from_url("postgres://nobody@127.0.0.1:1/nothing").expect("an address");
        let access = Access::new(Pg::new(config).expect("a pool"), vault());
        for platform in platforms {
            access.keep(platform.clone(), Instant::now());
        }
        access
    }

    fn platform(number: u8) -> PlatformRecord {
        PlatformRecord {
            id: PlatformId::from_u128(number.into()),
            shard: 1,
            short_id: format!("{number:010}"),
            name: "Acme".into(),
            client_id: format!("client_id_{number}"),
            secrets: vec![secret(1, number), secret(2, 100 + number)],
            sandbox: true,
            user: UserId::from_u128(1),
            reserve: NodeId::from_u128(2),
            created_at: NOON,
        }
    }

    fn secret(number: i32, hash: u8) -> ClientSecret {
        ClientSecret { number, hash: [hash; 32], sealed: None, good_until: None, revoked_at: None }
    }

    /// A platform that presents one of its secrets.
    fn client(platform: PlatformRecord, at: usize) -> Client {
        let secret = platform.secrets[at].clone();
        Client::new(Arc::new(platform), &secret)
    }

    fn narrow() -> Scopes {
        Scopes::PUBLIC.parse(["USERS|POST", "USER|GET"]).expect("known")
    }

    #[tokio::test]
    async fn public_key_carries_scopes_user_and_expiry() {
        let access = access(&[platform(1)]);
        for user in [None, Some(ADA)] {
            let issued = access.issue_public_key(&client(platform(1), 0), narrow(), user, NOON);
            assert_eq!(issued.expires_at, NOON.plus_ms(900_000));
            for client_id in ["", "client_id_1"] {
                let shown = access.public_key(client_id, &issued.key, NOON.plus_ms(899_999)).await;
                let shown = shown.expect("no database").right().expect("it is good");
                assert_eq!(
                    (shown.scopes, shown.user, shown.client.platform.id),
                    (narrow(), user, platform(1).id)
                );
                assert!(shown.scopes.has(Scope::UsersPost) && !shown.scopes.has(Scope::UsersGet));
            }
        }
    }

    #[tokio::test]
    async fn altered_public_key_is_refused() {
        let access = access(&[platform(1), platform(2)]);
        let right = access.issue_public_key(&client(platform(1), 0), narrow(), None, NOON).key;
        // A wrong key is looked up in the database, which is unavailable here.
        let good = async |client_id: &str, key: &str, ms| {
            let judged = access.public_key(client_id, key, NOON.plus_ms(ms)).await;
            judged.is_ok_and(|judged| judged.right().is_some())
        };
        assert!(good("", &right, 0).await);
        let expired = access.public_key("", &right, NOON.plus_ms(PUBLIC_KEY_LIFETIME_MS)).await;
        assert!(matches!(expired, Ok(CredentialCheck::Expired)), "an expired key is no guess");
        assert!(!good("client_id_2", &right, 0).await, "another client");
        assert!(!good("", &right.replace("_0000000001_", "_0000000002_"), 0).await, "another platform");
        for at in right.len() - 2 * (28 + 32)..right.len() {
            let mut changed = right.clone();
            changed.replace_range(at..=at, if &right[at..=at] == "1" { "2" } else { "1" });
            assert!(!good("", &changed, 0).await, "character {at}");
            assert!(!good("", &right[..at], 0).await, "{at} characters");
        }
        for strange in ["", PREFIX, "public_key_0000000001", "public_key_0000000001_", "oauth_0000000001_00"]
        {
            assert!(!good("", strange, 0).await, "{strange}");
        }
    }

    #[tokio::test]
    async fn public_keys_end_with_revoked_secret() {
        let keys = [0, 1].map(|at| {
            let client = client(platform(1), at);
            access(&[]).issue_public_key(&client, Scopes::PUBLIC, None, NOON).key
        });
        let mut changed = platform(1);
        changed.secrets[0].revoked_at = Some(NOON);
        changed.secrets[1].good_until = Some(NOON);
        let access = access(&[changed]);
        let judged = access.public_key("", &keys[0], NOON).await.expect("no database");
        assert!(matches!(judged, CredentialCheck::Expired), "an expired key is no guess");
        let judged = access.public_key("", &keys[1], NOON).await.expect("no database").right();
        assert_eq!(judged.expect("it runs out by itself").client.secret_no, 2);
    }
}
