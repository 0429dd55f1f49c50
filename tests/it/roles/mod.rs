//! Roles of the database: their rights are those of the matrix, by the catalog and by trying them. Logins with only the
//! necessary roles can run the service.

mod for_good;
mod logins;
mod made;
mod matrix;
mod set_up;
mod tried;

use daybook_pg::{Pg, Role};
use daybook_tests::database::Database;

/// SQLSTATE `insufficient_privilege`.
const DENIED: &str = "42501";

async fn run(pg: &Pg, sql: &str) {
    pg.client().await.expect("connects").batch_execute(sql).await.expect(sql);
}

/// Returns code and text of the error with which the database refuses `sql`.
async fn refused(pg: &Pg, sql: &str) -> (String, String) {
    let client = pg.client().await.expect("connects");
    let error = client.batch_execute(sql).await.expect_err(sql);
    let error = error.as_db_error().expect("the database says it");
    (error.code().code().to_owned(), error.message().to_owned())
}

#[tokio::test]
async fn each_role_is_denied_foreign_rights() {
    let database = Database::create().await;
    let pg = database.pg();
    for (role, sql, about) in [
        (Role::App, "delete from event", "event"),
        (Role::App, "update event set data = '{}'", "event"),
        (Role::App, "truncate event, commit", "event"),
        (Role::App, "delete from vault.subject_key", "subject_key"),
        (Role::App, "create table mine ()", "public"),
        (Role::Projector, "insert into event (shard) values (1)", "event"),
        (Role::Projector, "select from vault.subject_key", "vault"),
        (Role::Projector, "select from oauth_key", "oauth_key"),
        (Role::Auditor, "select * from vault.subject_key", "subject_key"),
        (Role::Auditor, "select wrapped from vault.subject_key", "subject_key"),
        (Role::Auditor, "select from vault.derived_key", "derived_key"),
        (Role::Auditor, "select secret_hash from platform", "platform"),
        (Role::Auditor, "select sealed_secret from client_secret", "client_secret"),
        (Role::Auditor, "update tile set hashes = ''", "tile"),
        (Role::Eraser, "select wrapped from vault.subject_key", "subject_key"),
        (Role::Eraser, "select from event", "event"),
    ] {
        let (code, says) = refused(&pg.acting_as(role), sql).await;
        assert_eq!(code, DENIED, "{role}: {sql}: {says}");
        assert!(says.starts_with("permission denied for ") && says.ends_with(about), "{role}: {sql}: {says}");
    }
}

#[tokio::test]
async fn triggers_protect_history_from_its_owner() {
    let database = Database::create().await;
    let owner = database.pg().acting_as(Role::Owner);
    for sql in [
        "update event set data = '{}'",
        "delete from event",
        "truncate event",
        "delete from commit",
        "truncate commit",
        "update checkpoint set size = 1",
        "delete from checkpoint",
        "truncate checkpoint",
        "update shard set shard = 2",
        "delete from shard",
        "truncate shard",
    ] {
        for pg in [&owner, &database.pg()] {
            let (code, says) = refused(pg, sql).await;
            assert_eq!((code.as_str(), says.ends_with(" is append-only")), (DENIED, true), "{sql}: {says}");
        }
    }
    // The trigger fires for each row, so it needs one: the tree of a commit is set once.
    run(
        &owner,
        "insert into commit values (1, 1, gen_random_uuid(), gen_random_uuid(), 1, now(), 'r', 's', 'f')",
    )
    .await;
    for pg in [&owner, &database.pg(), &database.pg().acting_as(Role::App)] {
        let (code, says) = refused(pg, "update commit set root = 'other'").await;
        assert_eq!((code.as_str(), says.as_str()), (DENIED, "commit is append-only"));
    }
}
