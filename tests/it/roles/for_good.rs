//! Permanent facts, such as a revocation: neither a role nor the owner can undo them.

use daybook_pg::Role;
use daybook_tests::database::Database;

use super::{DENIED, run};

/// Rows that record each kind of permanent fact.
const SAID: &str = "
insert into operator values
    ('00000000-0000-0000-0000-000000000001', 'Ada', '\\x01', now(), now()),
    ('00000000-0000-0000-0000-000000000002', 'Bob', '\\x02', now(), null);
insert into client_secret values
    (gen_random_uuid(), 1, '\\x01', null, now(), now() + interval '1 day', now()),
    (gen_random_uuid(), 1, '\\x02', null, now(), now() + interval '1 day', null);
insert into refresh values (1, gen_random_uuid(), 3, 2);
insert into idempotency values (1, 0, '\\x01', now(), '\\x01', null);
insert into last_tree values (1, gen_random_uuid(), 1, 1, '\\x01', 7);
insert into projection values (1, 'users', 9, 1, 'dropped', 0, 1);
insert into vault.subject_key values (1, gen_random_uuid(), 1, '\\x01', now(), null);
insert into signing_key values (1, '\\x01020304', 'log', 'key', now());
insert into checkpoint values (1, 1, 'note', now());
";

/// Statements that would undo a permanent fact.
const TAKEN_BACK: [&str; 26] = [
    "update operator set revoked_at = null where revoked_at is not null",
    "update operator set revoked_at = revoked_at + interval '1 day' where revoked_at is not null",
    "update operator set secret_hash = '\\x03'",
    "delete from operator",
    "truncate operator",
    "update client_secret set revoked_at = null where revoked_at is not null",
    "update client_secret set good_until = null",
    "update client_secret set good_until = good_until + interval '1 ms'",
    "update client_secret set secret_hash = '\\x03'",
    "delete from client_secret",
    "truncate client_secret",
    "update refresh set generation = 2",
    "update refresh set uses = 1",
    "update refresh set generation = 2, uses = 9",
    "update idempotency set recorded_at = recorded_at - interval '25 hours'",
    "update idempotency set fingerprint = '\\x02'",
    "update idempotency set object = gen_random_uuid()",
    "delete from idempotency",
    "update last_tree set attested = null",
    "update last_tree set attested = 8",
    "update projection set stage = 'active' where version = 9",
    "update vault.subject_key set created_at = now()",
    "update vault.subject_key set subject = gen_random_uuid()",
    "update signing_key set public_key = 'mine'",
    "delete from checkpoint",
    "update shard set shard = 2",
];

#[tokio::test]
async fn no_role_undoes_permanent_facts() {
    let database = Database::create().await;
    run(&database.pg(), SAID).await;
    let roles = Role::ALL.map(|role| database.pg().acting_as(role));
    for pg in roles.into_iter().chain([database.pg()]) {
        let client = pg.dedicated().await.expect("connects");
        for sql in TAKEN_BACK {
            client.batch_execute("begin").await.expect("begins");
            let error = client.batch_execute(sql).await.expect_err(sql);
            client.batch_execute("rollback").await.expect("ends");
            assert_eq!(
                error.code().map(tokio_postgres::error::SqlState::code),
                Some(DENIED),
                "{sql}: {error:?}"
            );
        }
    }
}

#[tokio::test]
async fn permitted_changes_are_not_blocked() {
    let database = Database::create().await;
    run(&database.pg(), SAID).await;
    let app = database.pg().acting_as(Role::App);
    for sql in [
        "update operator set revoked_at = now() where revoked_at is null",
        "update operator set revoked_at = coalesce(revoked_at, now())",
        "update client_secret set good_until = good_until - interval '1 hour'",
        "update client_secret set revoked_at = coalesce(revoked_at, now())",
        "update refresh set uses = 3",
        "update refresh set generation = 4, uses = 0",
        "update idempotency set recorded_at = recorded_at + interval '24 hours', fingerprint = '\\x02'",
        "select from vault.subject_key for key share",
    ] {
        run(&app, sql).await;
    }
    let owner = database.pg().acting_as(Role::Owner);
    run(&owner, "update vault.subject_key set wrapped = '\\x02', master = '\\x01'").await;
}
