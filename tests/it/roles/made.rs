//! Objects that would run with another role's rights: only the owner can create them, and planted ones are not adopted.

use daybook_pg::{Config, Pg, Role, migrate};
use daybook_projector::Reads;
use daybook_tests::app::TestApp;
use daybook_tests::database::Database;

use super::{DENIED, refused, run};

/// Statements by which a role could make another role run code, or replace the meaning of a name.
const MAKING: [&str; 30] = [
    "create policy p on users_v1 using (true)",
    "alter table users_v1 enable row level security",
    "alter policy p on event using (true)",
    "create rule r as on insert to users_v1 do nothing",
    "create trigger t before insert on users_v1 execute function refuse_change()",
    "create trigger t before insert on event execute function refuse_change()",
    "alter table event disable trigger event_append_only",
    "create index on users_v1 (state)",
    "alter table users_v1 alter column state set default ''",
    "alter table users_v1 rename to users_v0",
    "alter table users_v1 owner to current_user",
    "alter function refuse_change() owner to current_user",
    "alter function refuse_change() set search_path = pg_temp",
    "create or replace function refuse_change() returns trigger language plpgsql as 'begin return new; end'",
    "create function public.f() returns int language sql as 'select 1'",
    "create procedure public.f() language sql as 'select 1'",
    "create aggregate public.f (int) (sfunc = int4pl, stype = int)",
    "create operator public.=== (function = int4eq, leftarg = int, rightarg = int)",
    "create cast (uuid as text) with inout as implicit",
    "create view public.v as select 1",
    "create materialized view public.v as select 1",
    "create type public.t as (n int)",
    "create domain public.t as int check (value > 0)",
    "create sequence public.s",
    "create table vault.mine (n int)",
    "create temporary table event (n int)",
    "create function pg_temp.lower(text) returns text language sql as 'select $1'",
    "create schema mine",
    "alter default privileges for role daybook_owner in schema public grant all on tables to public",
    "create event trigger e on ddl_command_end execute function refuse_change()",
];

/// Returns a migrated database with read models.
async fn lived() -> Database {
    let database = Database::create().await;
    let app = TestApp::start_on(database.clone(), database.pg(), std::time::Duration::from_secs(1)).await;
    app.stop().await;
    // A copied database does not have its own rights, so the migration sets them.
    migrate::run(&database.pg()).await.expect("shuts what is open");
    database
}

#[tokio::test]
async fn no_role_creates_code_for_others() {
    let database = lived().await;
    run(&database.pg(), "create policy p on event using (true)").await;
    for role in Role::ALL.into_iter().filter(|role| *role != Role::Owner) {
        let client = database.pg().acting_as(role).dedicated().await.expect("connects");
        for sql in MAKING {
            client.batch_execute("begin").await.expect("begins");
            let error = client.batch_execute(sql).await.expect_err(sql);
            client.batch_execute("rollback").await.expect("ends");
            assert_eq!(
                error.code().map(tokio_postgres::error::SqlState::code),
                Some(DENIED),
                "{role}: {sql}: {error:?}"
            );
        }
    }
}

#[tokio::test]
async fn only_the_owner_role_owns_objects() {
    let database = lived().await;
    let client = database.pg().client().await.expect("connects");
    let owned = "select r.rolname::text, pg_describe_object(s.classid, s.objid, s.objsubid)
        from pg_shdepend s join pg_roles r on r.oid = s.refobjid
        where s.deptype = 'o' and s.dbid = (select oid from pg_database where datname = current_database())
          and r.rolname in ('daybook_app', 'daybook_projector', 'daybook_auditor', 'daybook_eraser')";
    let rows = client.query(owned, &[]).await.expect("reads");
    let found: Vec<(String, String)> = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
    assert_eq!(found, []);
}

#[tokio::test]
async fn search_path_of_login_is_overridden() {
    let database = lived().await;
    let url = format!("{} options='-c search_path=vault -c row_security=on'", database.url());
    let said = Pg::new(Config::from_url(&url).expect("a url")).expect("a pool");
    for pg in [database.pg(), said] {
        for pg in Role::ALL.map(|role| pg.acting_as(role)).into_iter().chain([pg]) {
            let client = pg.dedicated().await.expect("connects");
            for (setting, expected) in [("search_path", "public,pg_temp"), ("row_security", "off")] {
                let row = client.query_one(&format!("show {setting}"), &[]).await.expect("answers");
                assert_eq!(row.get::<_, &str>(0), expected);
            }
        }
    }
    let client = database.pg().dedicated().await.expect("connects");
    let shadow = "create temporary table shard (mine int); create function public.now() returns text language sql as $$select ''$$";
    client.batch_execute(shadow).await.expect("a superuser may");
    client.batch_execute("select log_id, now() + interval '1 s' from shard").await.expect("ours are meant");
}

#[tokio::test]
async fn row_security_policy_causes_an_error() {
    let database = lived().await;
    let policy =
        "create policy p on users_v1 using (1 / 0 = 1); alter table users_v1 enable row level security";
    run(&database.pg(), policy).await;
    for role in [Role::App, Role::Projector, Role::Auditor] {
        let (code, says) = refused(&database.pg().acting_as(role), "select * from users_v1").await;
        assert_eq!(code, DENIED, "{says}");
        assert!(says.contains("row-level security"), "{says}");
    }
}

#[tokio::test]
async fn objects_planted_by_projector_are_not_adopted() {
    let database = lived().await;
    let (admin, projector) = (database.pg(), database.pg().acting_as(Role::Projector));
    // Simulates a release in which the projector owned the read models.
    let before = "alter table users_v1 owner to daybook_projector; grant create on schema public to daybook_projector;
        alter default privileges for role daybook_projector in schema public grant select on tables to daybook_app";
    run(&admin, before).await;
    let rule = "create rule planted as on insert to users_v1 do also delete from reader";
    run(&projector, rule).await;
    migrate::run(&admin).await.expect("warns");
    let owner = "select pg_get_userbyid(relowner)::text from pg_class where oid = 'users_v1'::regclass";
    let owner =
        async || admin.client().await.expect("connects").query_one(owner, &[]).await.expect("is there");
    assert_eq!(owner().await.get::<_, &str>(0), "daybook_projector");
    run(&admin, "drop rule planted on users_v1").await;
    migrate::run(&admin).await.expect("puts it right");
    assert_eq!(owner().await.get::<_, &str>(0), "daybook_owner");
    refused(&projector, rule).await;
    let client = admin.client().await.expect("connects");
    let left: i64 = client.query_one("select count(*) from pg_default_acl", &[]).await.expect("reads").get(0);
    assert_eq!(left, 0, "what the projector would make");
    run(&projector, "insert into users_v1 select * from users_v1 where false; delete from users_v1").await;
}

#[tokio::test]
async fn serving_login_fills_tables_without_owner() {
    let database = lived().await;
    let (_, url) =
        super::logins::login(&database, "noinherit", &[Role::App, Role::Projector, Role::Eraser]).await;
    run(&database.pg(), "drop table subnets_v1; delete from projection where name = 'subnets'").await;
    let reads = |config: Config| {
        let pg = Pg::new(config).expect("a pool").acting_as(Role::App);
        let log = daybook_log::postgres::PostgresLog::new(pg.clone());
        Reads::new(pg, std::sync::Arc::new(log))
    };
    let serving = reads(Config::from_url(&url).expect("a url"));
    let refused =
        serving.versions().install(daybook_engine::SHARD).await.expect_err("has no tables").to_string();
    assert!(refused.contains("subnets has no tables: run daybook migrate"), "{refused}");
    // Simulates a log that already has events.
    run(&database.pg(), "insert into cursor values (1, 'reads', 0, 0, null, null) on conflict do nothing")
        .await;
    reads(database.config()).versions().make(daybook_engine::SHARD).await.expect("is the owner");
    serving.versions().install(daybook_engine::SHARD).await.expect("fills it");
    run(&database.pg().acting_as(Role::App), "select from subnets_v1").await;
}
