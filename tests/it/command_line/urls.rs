//! A `--database-url` without a usable ledger: one line of error names the problem and the host.

use daybook_tests::database::{Database, cluster};
use tokio::net::TcpListener;

use super::refused;

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unreachable_server_is_named_without_its_password() {
    let free =
        TcpListener::bind("127.0.0.1:0").await.and_then(|free| free.local_addr()).expect("a free port");
    let url = format!("postgres://ada:canary@127.0.0.1:{}/ledger", free.port());
    let (said, code) = refused(&["log", "stats", "--database-url", &url]);
    assert_eq!((code, said.lines().count()), (Some(3), 1), "{said}");
    for part in ["--database-url", &format!("127.0.0.1:{}", free.port()), "ledger", "refused"] {
        assert!(said.contains(part), "{part} in {said}");
    }
    assert!(!said.contains("canary"), "{said}");
}

#[test]
fn wrong_url_parameter_is_named() {
    for command in [&["log", "stats"][..], &["serve", "--listen", "127.0.0.1:0", "--master-key", "/dev/null"]]
    {
        let url = "postgres://ada:canary@127.0.0.1:1/ledger?ssl_mode=disable";
        let (said, code) = refused(&[command, &["--database-url", url]].concat());
        assert_eq!(code, Some(2), "{said}");
        if command[0] == "log" {
            assert!(said.contains("--database-url: there is no parameter ssl_mode"), "{said}");
        }
        assert!(!said.contains("canary"), "{said}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn search_path_in_url_is_ignored() {
    let database = Database::create().await;
    let url = format!("{} options='-c search_path=elsewhere'", database.url());
    let (said, code) = refused(&["log", "stats", "--database-url", &url]);
    assert_eq!(code, Some(0), "{said}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unsuitable_database_is_refused_and_stays_empty() {
    let admin = Database::empty().await;
    let client = admin.pg().client().await.expect("connects");
    for encoding in ["LATIN1", "EUC_JP", "SQL_ASCII"] {
        let name = format!("of_{}", encoding.to_lowercase());
        let create = format!(
            "create database {name} encoding '{encoding}' lc_collate 'C' lc_ctype 'C' template template0"
        );
        client.batch_execute(&create).await.expect("is made");
        let url = cluster().url(&name);
        let (said, code) = refused(&["migrate", "--database-url", &url]);
        assert_eq!(code, Some(2), "{said}");
        assert!(said.contains(&format!("the database {name} has the encoding {encoding}")), "{said}");
        let pg = daybook_pg::Pg::new(cluster().config(&name)).expect("a pool");
        let tables = "select count(*) from pg_class where relnamespace = 'public'::regnamespace";
        let made: i64 =
            pg.client().await.expect("connects").query_one(tables, &[]).await.expect("counts").get(0);
        assert_eq!(made, 0, "{encoding}");
    }
    client.batch_execute("drop schema public").await.expect("is dropped");
    let (said, code) = refused(&["migrate", "--database-url", &admin.url()]);
    assert_eq!(code, Some(2), "{said}");
    assert!(said.contains("has no schema public"), "{said}");
}
