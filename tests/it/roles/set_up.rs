//! Setup of the roles' rights: by the login that migrates, as far as it may, and again if rights were lost.

use std::time::Duration;

use daybook_pg::embedded::{Cluster, Options};
use daybook_pg::{Config, Error, Pg, Role, migrate, share_model};
use daybook_tests::app::TestApp;
use daybook_tests::database::Database;
use daybook_tests::process;
use tempfile::TempDir;

use super::logins::login;
use super::{refused, run};

/// Returns the owner of a table.
const OWNER: &str = "select pg_get_userbyid(relowner)::text from pg_class where oid = $1::text::regclass";

async fn owner(pg: &Pg, table: &str) -> String {
    pg.client().await.expect("connects").query_one(OWNER, &[&table]).await.expect("is there").get(0)
}

/// Returns the role of a connection of `pg`.
async fn who(pg: &Pg) -> String {
    let client = pg.client().await.expect("connects");
    client.query_one("select current_user::text", &[]).await.expect("answers").get(0)
}

/// Returns a new pool, which checks its rights again.
fn again(database: &Database) -> Pg {
    Pg::new(database.config()).expect("a pool")
}

#[tokio::test]
async fn databases_of_cluster_are_set_up_concurrently() {
    let folder: TempDir = tempfile::Builder::new().prefix("daybook-roles-").tempdir().expect("a folder");
    let options = Options {
        data_dir: folder.path().join("data"),
        pg_bin: daybook_tests::database::pg_bin(),
        settings: vec![],
    };
    std::fs::set_permissions(folder.path(), std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .expect("is ours");
    let server = Cluster::prepare(options).await.expect("can be prepared");
    server.start().await.expect("starts");
    let admin = Pg::new(server.config().with_database("postgres")).expect("a pool");
    let mut migrating = vec![];
    for number in 0..6 {
        run(&admin, &format!("create database d{number}")).await;
        let pg = Pg::new(server.config().with_database(&format!("d{number}"))).expect("a pool");
        migrating.push(async move { migrate::run(&pg).await.map(|_| pg) });
    }
    let done = futures::future::join_all(migrating).await;
    for migrated in done {
        let pg = migrated.expect("migrates");
        assert_eq!(owner(&pg, "event").await, "daybook_owner");
        assert_eq!(who(&pg.acting_as(Role::App)).await, "daybook_app");
        pg.close();
    }
    admin.close();
    server.stop(daybook_pg::embedded::StopMode::Immediate).await.expect("stops");
}

#[tokio::test]
async fn migration_repairs_rights_after_a_restore() {
    let database = Database::without_read_models().await;
    let pg = database.pg();
    // Simulates `pg_restore --no-owner --no-acl` of a database with a read model.
    run(&pg, "create table users_v1 (shard smallint)").await;
    run(&pg, "alter table event owner to daybook; revoke all on event, shard from daybook_app").await;
    assert_eq!(migrate::run(&pg).await.expect("puts it right"), 0);
    assert_eq!(owner(&pg, "event").await, "daybook_owner");
    assert_eq!(owner(&pg, "users_v1").await, "daybook_owner");
    let pg = again(&database);
    run(&pg.acting_as(Role::App), "select from event, users_v1; select from shard for update").await;
}

#[tokio::test]
async fn migration_revokes_surplus_grants() {
    let database = Database::create().await;
    let pg = database.pg();
    let (projector, auditor) = (pg.acting_as(Role::Projector), pg.acting_as(Role::Auditor));
    run(&pg, "grant delete on tile to daybook_projector; grant select on vault.subject_key to public").await;
    run(&projector, "delete from tile where false").await;
    run(&auditor, "select * from vault.subject_key").await;
    migrate::run(&pg).await.expect("takes it away");
    refused(&projector, "delete from tile where false").await;
    refused(&auditor, "select * from vault.subject_key").await;
    run(&pg, "grant update (data) on event to daybook_app").await;
    migrate::run(&pg).await.expect("takes it away");
    let (_, says) = refused(&pg.acting_as(Role::App), "update event set data = '{}'").await;
    assert_eq!(says, "permission denied for table event");
}

#[tokio::test]
async fn read_models_become_owned_and_readable() {
    let database = Database::create().await;
    let pg = database.pg();
    run(&pg, "create table members_v7 (n int); create table harmless (n int)").await;
    migrate::run(&pg).await.expect("sets up");
    let maker = pg.acting_as(Role::Owner).client().await.expect("connects");
    maker.batch_execute("create table nodes_v9 (n int)").await.expect("makes it");
    share_model(&**maker, "nodes_v9").await.expect("is shared");
    run(&pg.acting_as(Role::Projector), "insert into members_v7 values (1); delete from nodes_v9").await;
    for reader in [Role::App, Role::Auditor] {
        run(&pg.acting_as(reader), "select * from members_v7, nodes_v9").await;
        refused(&pg.acting_as(reader), "insert into nodes_v9 values (1)").await;
    }
    assert_eq!(owner(&pg, "harmless").await, "daybook", "what is not ours is left alone");
}

#[tokio::test]
async fn missing_right_is_named_with_its_role() {
    let database = Database::create().await;
    run(&database.pg(), "revoke insert on event from daybook_app").await;
    let error = again(&database).acting_as(Role::App).client().await.expect_err("is denied");
    assert!(matches!(error, Error::Denied(_)));
    assert!(error.to_string().contains("daybook_app lacks INSERT on public.event"), "{error}");
    // Other roles are not affected.
    let _ = again(&database).acting_as(Role::Auditor).client().await.expect("connects");
}

/// Returns an empty database owned by a new login without superuser rights, and a pool of that login.
async fn owned_by(attributes: &str) -> (Database, Pg) {
    let database = Database::empty().await;
    let (name, url) = login(&database, attributes, &[]).await;
    let owns = format!(
        "do $$ begin execute format('alter database %I owner to {name}', current_database()); end $$"
    );
    run(&database.pg(), &owns).await;
    (database, Pg::new(Config::from_url(&url).expect("a url")).expect("a pool"))
}

async fn version(pg: &Pg) -> i32 {
    let client = pg.client().await.expect("connects");
    let shown = client.query_one("show server_version_num", &[]).await.expect("a version");
    shown.get::<_, String>(0).parse().expect("a number")
}

#[tokio::test]
async fn login_with_createrole_sets_up_roles() {
    let (database, pg) = owned_by("createrole").await;
    assert!(migrate::run(&pg).await.expect("migrates") > 0);
    // In PostgreSQL 16 and later, a login with CREATEROLE can grant itself only roles that it created. Other databases
    // of this server have already created these.
    if version(&pg).await >= 160_000 {
        let before = Pg::new(pg.config().clone()).expect("a pool");
        let refused = before.requires_roles().await.expect_err("has no roles").to_string();
        let grant = "grant daybook_owner, daybook_app, daybook_projector, daybook_auditor, daybook_eraser to";
        assert!(refused.contains(grant), "{refused}");
        let login = who(&before).await;
        run(&database.pg(), &format!("{grant} {login}")).await;
        migrate::run(&pg).await.expect("sets up");
    }
    assert_eq!(owner(&pg, "event").await, "daybook_owner");
    for role in Role::ALL {
        assert_eq!(who(&pg.acting_as(role)).await, role.name());
    }
    let app = TestApp::start_on(database, pg, Duration::from_millis(300)).await;
    let ann = app.client.verified("Ann").await;
    ann.funded("1").await;
    app.stop().await;
}

#[tokio::test]
async fn login_without_createrole_serves_without_roles() {
    let (database, pg) = owned_by("").await;
    assert!(migrate::run(&pg).await.expect("migrates") > 0);
    let name = who(&pg).await;
    assert_eq!(
        (owner(&pg, "event").await, who(&pg.acting_as(Role::App)).await),
        (name.clone(), name.clone())
    );
    // Each start logs it.
    let url = database.url().replace("user=daybook", &format!("user={name}"));
    let said = process::run(["migrate", "--database-url", &url]);
    let said = (said.status.code(), String::from_utf8_lossy(&said.stderr).into_owned());
    assert_eq!(
        (said.0, said.1.matches("the roles of the database are not set up").count()),
        (Some(0), 1),
        "{}",
        said.1
    );
    let app = TestApp::start_on(database.clone(), pg.clone(), Duration::from_millis(300)).await;
    app.client.verified("Ann").await.funded("1").await;
    app.stop().await;

    let names = Role::ALL.map(Role::name).join(", ");
    run(&database.pg(), &format!("grant {names} to {name}")).await;
    let pg = Pg::new(pg.config().clone()).expect("a pool");
    assert_eq!(migrate::run(&pg).await.expect("sets up"), 0);
    assert_eq!(owner(&pg, "event").await, "daybook_owner");
    assert_eq!(owner(&pg, "users_v1").await, "daybook_owner");
    let app = TestApp::start_on(database, pg, Duration::from_millis(300)).await;
    app.client.verified("Ben").await.funded("1").await;
    app.stop().await;
}
