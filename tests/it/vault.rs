//! The vault and its table: keys survive the process, belong to one subject, and are created once.
#![allow(clippy::unwrap_used, reason = "a test that cannot go on has failed")]

use std::sync::atomic::{AtomicU8, Ordering};

use daybook_pg::Pg;
use daybook_tests::database::Database;
use daybook_vault::blind_index::Tenant;
use daybook_vault::{Class, Error, MasterKey, SubjectKeys, Traces, Vault};
use uuid::Uuid;

const SHARD: i16 = 1;
const NOW_MS: i64 = 1_700_000_000_000;
const MARIA: Uuid = Uuid::from_u128(1);
const JOSE: Uuid = Uuid::from_u128(2);
const BOX: Uuid = Uuid::from_u128(0xb0);

/// Returns a new vault on the same database with the same master key, as after a restart.
fn vault(pg: Pg) -> Vault {
    Vault::new(pg, MasterKey::from_bytes([7; 32]))
}

async fn create(vault: &Vault, subject: Uuid) -> Result<SubjectKeys, Error> {
    static DRAWN: AtomicU8 = AtomicU8::new(0);
    let entropy = |bytes: &mut [u8]| bytes.fill(DRAWN.fetch_add(1, Ordering::Relaxed));
    vault.create(SHARD, subject, NOW_MS, &entropy).await
}

fn sealed(keys: &SubjectKeys, class: Class) -> Vec<u8> {
    keys.seal(class, BOX, [3; 24], b"Maria").unwrap()
}

#[tokio::test]
async fn sealed_data_opens_in_another_process() {
    let pg = Database::create().await.pg();
    let keys = create(&vault(pg.clone()), MARIA).await.unwrap();
    let restarted = vault(pg).keys(SHARD, MARIA).await.unwrap().unwrap();
    for class in Class::ALL {
        assert_eq!(restarted.open(class, BOX, &sealed(&keys, class)).unwrap(), b"Maria");
    }
}

#[tokio::test]
async fn second_creation_keeps_the_first_keys() {
    let pg = Database::create().await.pg();
    let first = create(&vault(pg.clone()), MARIA).await.unwrap();
    let second = create(&vault(pg), MARIA).await.unwrap();
    assert_eq!(second.open(Class::Profile, BOX, &sealed(&first, Class::Profile)).unwrap(), b"Maria");
}

#[tokio::test]
async fn concurrent_creations_return_the_same_keys() {
    let pg = Database::create().await.pg();
    let vaults: [Vault; 8] = std::array::from_fn(|_| vault(pg.clone()));
    let made = futures::future::join_all(vaults.iter().map(|vault| create(vault, MARIA))).await;
    let made: Vec<SubjectKeys> = made.into_iter().map(Result::unwrap).collect();
    let sealed = sealed(&made[0], Class::Profile);
    for keys in made {
        assert_eq!(keys.open(Class::Profile, BOX, &sealed).unwrap(), b"Maria");
    }
}

#[tokio::test]
async fn forgotten_shard_keeps_keys_of_others() {
    let database = Database::create().await;
    database.execute("insert into shard (shard, log_id) values (2, gen_random_uuid())").await;
    let vault = vault(database.pg());
    for shard in [1, 2] {
        vault.create(shard, MARIA, NOW_MS, &|bytes| bytes.fill(9)).await.unwrap();
        assert!(vault.keys(shard, MARIA).await.unwrap().is_some());
    }
    database.execute("delete from vault.subject_key").await;
    vault.forget_shard(1);
    assert!(vault.keys(1, MARIA).await.unwrap().is_none());
    assert!(vault.keys(2, MARIA).await.unwrap().is_some(), "they are still in memory");
}

#[tokio::test]
async fn each_subject_and_class_has_own_key() {
    let pg = Database::create().await.pg();
    let vault = vault(pg.clone());
    create(&vault, MARIA).await.unwrap();
    create(&vault, JOSE).await.unwrap();
    let count = "select count(distinct wrapped), count(*) from vault.subject_key where shard = $1";
    let row = pg.client().await.unwrap().query_one(count, &[&SHARD]).await.unwrap();
    assert_eq!((row.get::<_, i64>(0), row.get::<_, i64>(1)), (4, 4));
}

#[tokio::test]
async fn keys_are_found_in_cache_and_table() {
    let pg = Database::create().await.pg();
    create(&vault(pg.clone()), MARIA).await.unwrap();
    let vault = vault(pg);
    create(&vault, JOSE).await.unwrap();
    assert!(vault.cached(SHARD, MARIA).is_none());

    let found = vault.keys_of(SHARD, &[MARIA, JOSE, Uuid::from_u128(3)]).await.unwrap();
    let mut subjects: Vec<Uuid> = found
        .iter()
        .map(|(subject, keys)| {
            assert_eq!(*subject, keys.subject());
            *subject
        })
        .collect();
    subjects.sort_unstable();
    assert_eq!(subjects, [MARIA, JOSE]);
    assert!(vault.cached(SHARD, MARIA).is_some());
}

#[tokio::test]
async fn unknown_subject_has_no_keys() {
    let vault = vault(Database::create().await.pg());
    assert!(vault.keys(SHARD, MARIA).await.unwrap().is_none());
    assert!(vault.keys_of(SHARD, &[]).await.unwrap().is_empty());
}

#[tokio::test]
async fn erased_subject_cannot_be_indexed_again() {
    let vault = vault(Database::create().await.pg());
    create(&vault, MARIA).await.unwrap();
    create(&vault, JOSE).await.unwrap();
    let tenant = Tenant { shard: SHARD, id: Uuid::from_u128(7) };
    for subject in [MARIA, JOSE] {
        vault.index(tenant, subject, &["Maria Jose"], &[]).await.unwrap();
    }
    assert_eq!(vault.erase(SHARD, &[MARIA]).await.unwrap().keys, 2);
    vault.index(tenant, MARIA, &["Maria Jose"], &[]).await.unwrap();
    assert_eq!(vault.traces(SHARD, MARIA).await.unwrap(), Traces::default());
    assert!(vault.cached(SHARD, MARIA).is_none() && vault.keys(SHARD, MARIA).await.unwrap().is_none());
    assert_eq!(vault.find(tenant, "jose", 0, 9).await.unwrap().subjects, [JOSE]);
    assert_eq!(vault.erase(SHARD, &[MARIA]).await.unwrap(), Traces::default());
}

#[tokio::test]
async fn another_master_key_opens_nothing() {
    let pg = Database::create().await.pg();
    create(&vault(pg.clone()), MARIA).await.unwrap();
    let stranger = Vault::new(pg, MasterKey::from_bytes([8; 32]));
    let answer = stranger.keys(SHARD, MARIA).await;
    assert!(matches!(answer, Err(Error::Unwrapped { subject }) if subject == MARIA));
}

#[tokio::test]
async fn keys_moved_to_another_subject_stay_closed() {
    let pg = Database::create().await.pg();
    create(&vault(pg.clone()), MARIA).await.unwrap();
    let steal = format!(
        "begin; set local session_replication_role = replica;
         update vault.subject_key set subject = '{JOSE}' where shard = {SHARD}; commit"
    );
    pg.client().await.unwrap().batch_execute(&steal).await.unwrap();
    assert!(matches!(vault(pg).keys(SHARD, JOSE).await, Err(Error::Unwrapped { .. })));
}

#[tokio::test]
async fn unknown_shard_accepts_no_keys() {
    let vault = vault(Database::create().await.pg());
    let answer = vault.create(99, MARIA, NOW_MS, &|bytes| bytes.fill(1)).await;
    assert!(matches!(answer, Err(Error::UnknownShard(99))));
}
