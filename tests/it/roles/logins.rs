//! Logins that are neither superuser nor owner: with the required roles the service runs, without one it names the
//! missing role.

use std::process::Output;

use daybook_pg::{Pg, Role};
use daybook_tests::client::{Client, until};
use daybook_tests::database::Database;
use daybook_tests::process::{Daybook, run_with};
use serde_json::{Value, json};
use tempfile::TempDir;

use super::run;
use crate::restart::folder_with_key;

/// Creates a login with these attributes and roles. Returns its name and its URL for `database`.
pub(super) async fn login(database: &Database, attributes: &str, roles: &[Role]) -> (String, String) {
    let pg: Pg = database.pg();
    let client = pg.client().await.expect("connects");
    let sql = "select format('login_%s_%s', current_database(), count(*)) from pg_roles";
    let name: String = client.query_one(sql, &[]).await.expect("names").get(0);
    run(&pg, &format!("create role {name} login {attributes}")).await;
    for role in roles {
        run(&pg, &format!("grant {role} to {name}")).await;
    }
    let url = database.url().replace("user=daybook", &format!("user={name}"));
    (name, url)
}

/// A command line that connects as one login.
struct Shell {
    url: String,
    folder: TempDir,
}

impl Shell {
    fn place(&self) -> [String; 4] {
        let key = self.folder.path().join("master.key").display().to_string();
        ["--database-url".into(), self.url.clone(), "--master-key".into(), key]
    }

    fn run(&self, secret: &str, args: &[&str]) -> Output {
        let args = args.iter().map(|arg| (*arg).to_owned()).chain(self.place());
        run_with(&[("DAYBOOK_OPERATOR_SECRET", secret)], args)
    }

    fn json(&self, args: &[&str]) -> Value {
        let output = self.run("", args);
        assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
        serde_json::from_slice(&output.stdout).expect("JSON")
    }
}

/// Migrates `database` as a login with all rights.
fn migrated(database: &Database) {
    let output = run_with(&[], ["migrate", "--database-url", &database.url()]);
    assert!(output.status.success(), "{}", text(&output.stderr));
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn login_with_three_roles_serves_and_erases() {
    let database = Database::create().await;
    migrated(&database);
    let roles = [Role::App, Role::Projector, Role::Eraser];
    // The login inherits no rights: a statement that does not act as one of its roles is denied.
    let (name, url) = login(&database, "noinherit", &roles).await;
    let shell = Shell { url, folder: folder_with_key() };
    let made = shell.json(&["client", "create", "Acme", "--sandbox", "--json"]);
    let operator = shell.json(&["operator", "create", "--name", "Ada", "--json"]);
    let own = |value: &Value, key: &str| value[key].as_str().expect("a text").to_owned();
    let args = ["serve", "--listen", "127.0.0.1:0", "--settle-after", "300ms"].map(str::to_owned);
    let process = Daybook::start(args.into_iter().chain(shell.place()));
    let client = Client {
        address: process.address(),
        client_id: own(&made, "client_id"),
        client_secret: own(&made, "client_secret"),
        user_id: own(&made, "user_id"),
    };
    let (ann, ben) = (client.verified("Ann").await, client.verified("Ben").await);
    let (from, to) = (ann.funded("10").await, ben.node("DEPOSIT-US").await);
    let id = ann.sent(&from, &to, "2.5").await;
    ann.when(&from, &id, "SETTLED").await;
    assert_eq!(ben.balance(&to).await, "2.50");

    let sessions = "select distinct usename::text from pg_stat_activity
        where datname = current_database() and application_name = 'daybook' and usename = $1";
    let admin = database.pg().client().await.expect("connects");
    assert_eq!(admin.query(sessions, &[&name]).await.expect("reads").len(), 1);

    let carl = client.stranger("Carl").await;
    let closed = carl.call("PATCH", "").json(&json!({"permission": "CLOSED"})).send().await.ok();
    assert_eq!(closed["permission"], "CLOSED");
    let (id, secret) = (own(&operator, "operator_id"), own(&operator, "operator_secret"));
    let who = ["--platform", &client.client_id, "--operator", &id];
    let erase = ["subject", "erase", &carl.user_id, "--reason", "requested"];
    let erased = shell.run(&secret, &[&erase[..], &who].concat());
    assert!(erased.status.success(), "{}", text(&erased.stderr));
    let keys = "select count(*) from vault.subject_key where subject = $1";
    let subject = uuid::Uuid::from(carl.user_id.parse::<daybook_domain::UserId>().expect("an id"));
    let left: i64 = admin.query_one(keys, &[&subject]).await.expect("reads").get(0);
    assert_eq!(left, 0);
    until("it is shown without its name", async || {
        let shown = client.user(&carl.user_id).await;
        (shown["legal_names"] == json!([""]) || shown["legal_names"] == json!([])).then_some(())
    })
    .await;
    assert!(process.terminate().success());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn auditor_can_only_verify() {
    let database = Database::create().await;
    let everything = Shell { url: database.url(), folder: folder_with_key() };
    everything.json(&["client", "create", "Acme", "--sandbox", "--json"]);
    let (_, url) = login(&database, "noinherit", &[Role::Auditor]).await;
    let auditor = Shell { url, folder: folder_with_key() };
    for args in [&["log", "stats", "--json"][..], &["log", "tail", "--limit", "1"]] {
        let url = ["--database-url", &auditor.url];
        let output = run_with(&[], [args, &url].concat());
        assert!(output.status.success(), "{args:?}: {}", text(&output.stderr));
    }
    let verified = run_with(&[], ["log", "verify", "--json", "--database-url", &auditor.url]);
    // Without a key the verification is incomplete and reports it.
    assert_eq!(verified.status.code(), Some(2), "{}", text(&verified.stderr));
    assert!(!text(&verified.stderr).contains("denied"), "{}", text(&verified.stderr));
    let denied = auditor.run("", &["client", "create", "Evil", "--json"]);
    assert_eq!(denied.status.code(), Some(3));
    let says = text(&denied.stderr);
    assert!(says.contains("may not act as daybook_app: grant daybook_app to "), "{says}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn serve_names_the_missing_table() {
    let database = Database::without_read_models().await;
    let (_, url) = login(&database, "noinherit", &[Role::App, Role::Projector, Role::Eraser]).await;
    let shell = Shell { url, folder: folder_with_key() };
    let output = shell.run("", &["serve", "--listen", "127.0.0.1:0"]);
    let says = text(&output.stderr);
    assert!(!output.status.success(), "{says}");
    assert!(
        says.contains(
            "platforms has no tables: run daybook migrate as a login that may act as daybook_owner"
        )
    );
    migrated(&database);
    shell.json(&["client", "create", "Acme", "--sandbox", "--json"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn serve_names_the_missing_role() {
    let database = Database::create().await;
    migrated(&database);
    let said = async |roles: &[Role], args: &[&str]| {
        let (_, url) = login(&database, "", roles).await;
        let output = Shell { url, folder: folder_with_key() }.run("", args);
        assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
        text(&output.stderr)
    };
    let serve = ["serve", "--listen", "127.0.0.1:0"];
    assert!(said(&[Role::App], &serve).await.contains("may not act as daybook_projector"));
    assert!(said(&[Role::App, Role::Projector], &serve).await.contains("may not act as daybook_eraser"));
    let none = said(&[], &serve).await;
    assert!(none.contains("grant it the roles that it needs"), "{none}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn logins_without_roles_serve_if_told() {
    let database = Database::empty().await;
    let (name, url) = login(&database, "", &[]).await;
    let owns = format!(
        "do $$ begin execute format('alter database %I owner to {name}', current_database()); end $$"
    );
    run(&database.pg(), &owns).await;
    let shell = Shell { url, folder: folder_with_key() };
    assert!(run_with(&[], ["migrate", "--database-url", &shell.url]).status.success());
    let serve = ["serve", "--listen", "127.0.0.1:0"];
    let refused = shell.run("", &serve);
    let says = text(&refused.stderr);
    assert_eq!(refused.status.code(), Some(3), "{says}");
    let statement = "grant daybook_owner, daybook_app, daybook_projector, daybook_auditor, daybook_eraser to";
    assert!(says.contains(&format!("{statement} \"{name}\"")) && says.contains("--strict-roles"), "{says}");
    let args = serve.iter().chain(&["--strict-roles", "false"]).map(|arg| (*arg).to_owned());
    assert!(Daybook::start(args.chain(shell.place())).terminate().success());
    // The printed statement is sufficient.
    run(&database.pg(), &format!("{statement} \"{name}\"")).await;
    assert!(run_with(&[], ["migrate", "--database-url", &shell.url]).status.success());
    let args = serve.iter().map(|arg| (*arg).to_owned());
    assert!(Daybook::start(args.chain(shell.place())).terminate().success());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn writable_public_schema_is_logged_at_start() {
    let database = Database::create().await;
    migrated(&database);
    // A new database of PostgreSQL 14 has this grant. It stays if the database's owner does not own the schema.
    run(&database.pg(), "grant create on schema public to public").await;
    let (_, url) = login(&database, "noinherit", &[Role::App, Role::Projector, Role::Eraser]).await;
    let shell = Shell { url, folder: folder_with_key() };
    let log = shell.folder.path().join("log");
    let args = ["serve", "--listen", "127.0.0.1:0"].map(str::to_owned);
    let process = Daybook::start_logging(args.into_iter().chain(shell.place()), &log);
    let said = std::fs::read_to_string(&log).expect("a log");
    assert!(said.contains("revoke create on schema public from public"), "{said}");
    assert!(process.terminate().success());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn logins_without_inheritance_verify_an_erasure() {
    let app = daybook_tests::app::TestApp::start().await;
    let carl = app.client.stranger("Carl").await;
    let closed = carl.call("PATCH", "").json(&json!({"permission": "CLOSED"})).send().await.ok();
    assert_eq!(closed["permission"], "CLOSED");
    let folder = folder_with_key();
    let shell = Shell { url: app.database.url(), folder };
    let operator = shell.json(&["operator", "create", "--name", "Ada", "--json"]);
    let own = |key: &str| operator[key].as_str().expect("a text").to_owned();
    let who = ["--platform", &app.client.client_id, "--operator", &own("operator_id")];
    let erase = ["subject", "erase", &carl.user_id, "--reason", "requested"];
    let erased = shell.run(&own("operator_secret"), &[&erase[..], &who].concat());
    assert!(erased.status.success(), "{}", text(&erased.stderr));
    let (_, url) = login(&app.database, "noinherit", &[Role::Auditor, Role::App]).await;
    let verifier = Shell { url, folder: folder_with_key() };
    let verified = verifier.run("", &["subject", "verify-erased", &carl.user_id]);
    assert!(verified.status.success(), "{}", text(&verified.stderr));
    assert!(
        text(&verified.stdout).contains("vault.subject_key.subject: 0 rows."),
        "{}",
        text(&verified.stdout)
    );
    // A table made by another user is also searched. If it cannot be read, the search fails.
    run(&app.database.pg(), "create table planted (id uuid)").await;
    let refused = verifier.run("", &["subject", "verify-erased", &carl.user_id]);
    assert_eq!(refused.status.code(), Some(3), "{}", text(&refused.stdout));
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn timeouts_of_administrator_end_no_session() {
    let database = Database::create().await;
    let (name, url) = login(&database, "", &[]).await;
    let admin = database.pg().client().await.expect("connects");
    let version: i32 = admin
        .query_one("show server_version_num", &[])
        .await
        .expect("a version")
        .get::<_, String>(0)
        .parse()
        .expect("a number");
    let mut limits = vec!["idle_session_timeout"];
    if version >= 170_000 {
        limits.push("transaction_timeout");
    }
    for limit in &limits {
        run(&database.pg(), &format!("alter role {name} set {limit} = '1s'")).await;
    }
    let pg = Pg::new(daybook_pg::Config::from_url(&url).expect("a url")).expect("a pool");
    for limit in limits {
        let dedicated = pg.dedicated().await.expect("connects");
        let pooled = pg.client().await.expect("connects");
        for client in [&dedicated, &**pooled] {
            let shown: String = client.query_one(&format!("show {limit}"), &[]).await.expect("reads").get(0);
            assert_eq!(shown, "0", "{limit}");
        }
    }
}
