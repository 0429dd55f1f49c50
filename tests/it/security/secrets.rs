//! Secrets of the real process: absent from its command line, its log and a core dump.

use std::fs;

use daybook_cli::config::DatabaseUrl;
use daybook_tests::app::signer;
use daybook_tests::client::Client;
use daybook_tests::database::Database;
use daybook_tests::process::{Daybook, run_with};
use daybook_tests::secret_file;

use crate::bank_login::secrecy::spellings;
use crate::restart::{credentials, folder_with_key};

/// Password of the database.
const PASSWORD: &str = "canary-database-password";
/// A wrong secret that a client sends.
const GUESSED: &str = "canary-guessed-secret";
/// A master key whose bytes occur nowhere else.
const MASTER: [u8; 32] = *b"canary-master-key-of-32-bytes-00";

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_secret_in_command_line_or_log() {
    let (database, folder) = (Database::create().await, folder_with_key());
    let path = |name: &str| folder.path().join(name);
    secret_file::write(path("master.key"), MASTER);
    let (url, key) =
        (format!("{} password={PASSWORD}", database.url()), path("master.key").display().to_string());
    let variables = [("DAYBOOK_DATABASE_URL", url.as_str()), ("DAYBOOK_MASTER_KEY", key.as_str())];
    let made = credentials(&run_with(&variables, ["client", "create", "Acme", "--sandbox", "--json"]));
    let ada = credentials(&run_with(&variables, ["operator", "create", "--name", "Ada", "--json"]));
    let text = |value: &serde_json::Value, name: &str| value[name].as_str().expect("text").to_owned();
    let log = path("log");
    let process = Daybook::start_tracing_with(&variables, ["serve", "--listen", "127.0.0.1:0"], &log);
    let client = Client {
        address: process.address(),
        client_id: text(&made, "client_id"),
        client_secret: text(&made, "client_secret"),
        user_id: text(&made, "user_id"),
    };
    let user = client.own_session().await;
    let _ = user.call("GET", "/nodes").send().await.ok();
    let operator = format!("{}|{}", text(&ada, "operator_id"), text(&ada, "operator_secret"));
    let me = |shown: &str| client.anonymous("GET", "/ops/operators/me").header("X-SP-OPERATOR", shown);
    let _ = me(&operator).send().await.ok();
    me(&format!("{}|{GUESSED}", text(&ada, "operator_id"))).send().await.refused(401, "100");
    let guessed = Client { client_secret: GUESSED.to_owned(), ..client.clone() };
    guessed.call("GET", "/users").send().await.refused(401, "100");

    let proc = |name: &str| fs::read(format!("/proc/{}/{name}", process.id())).expect("it runs");
    let limits = String::from_utf8(proc("limits")).expect("text");
    let core = limits.lines().find(|line| line.starts_with("Max core file size")).expect("a limit");
    assert_eq!(core.split_whitespace().rev().nth(1), Some("0"), "{core}");
    let line = String::from_utf8_lossy(&proc("cmdline")).to_lowercase();
    assert!(process.terminate().success());
    let logged = fs::read_to_string(&log).expect("a log").to_lowercase();
    assert!(logged.lines().count() > 100, "everything is logged");
    let signing = signer().secret_text();
    let secrets: [&[u8]; 6] = [
        PASSWORD.as_bytes(),
        GUESSED.as_bytes(),
        &MASTER,
        signing.rsplit('+').next().unwrap_or_default().as_bytes(),
        client.client_secret.as_bytes(),
        operator.rsplit('|').next().unwrap_or_default().as_bytes(),
    ];
    for form in secrets.into_iter().flat_map(spellings) {
        assert!(!line.contains(&form), "{form} is in the command line");
        if let Some(found) = logged.lines().find(|line| line.contains(&form)) {
            panic!("{form} is in the log: {found}");
        }
    }
}

#[test]
fn database_connection_error_hides_the_password() {
    let folder = folder_with_key();
    let key = folder.path().join("master.key").display().to_string();
    for url in [
        format!("postgres://ledger:{PASSWORD}@127.0.0.1:1/ledger"),
        format!("postgres://ledger:{PASSWORD}@127.0.0.1:port/ledger"),
        format!("postgress://ledger:{PASSWORD}@127.0.0.1/ledger?sslmode=require"),
        format!("ledger:{PASSWORD}@127.0.0.1/ledger?application_name=x"),
        format!("host=127.0.0.1 port=1 user=ledger password={PASSWORD}"),
        format!("host=127.0.0.1 user=ledger password='{PASSWORD}"),
        format!("host=127.0.0.1 password={PASSWORD} sslmode=maybe"),
        format!("host=127.0.0.1 password={PASSWORD} sslmode=verify-full sslrootcert=/nowhere"),
    ] {
        let variables = [
            ("DAYBOOK_DATABASE_URL", &*url),
            ("DAYBOOK_DATABASE_WAIT", "1s"),
            ("DAYBOOK_MASTER_KEY", &*key),
            ("RUST_LOG", "trace"),
        ];
        for command in [&["serve", "--listen", "127.0.0.1:0"][..], &["migrate"]] {
            let output = run_with(&variables, command);
            assert!(!output.status.success(), "{url}");
            for told in [output.stdout, output.stderr] {
                let told = String::from_utf8_lossy(&told).to_lowercase();
                assert!(!told.contains(PASSWORD), "{url}: {told}");
            }
        }
    }
}

#[test]
fn debug_output_hides_secrets() {
    let url: DatabaseUrl = format!("postgres://ledger:{GUESSED}@db/ledger").parse().expect("a text");
    let secret = daybook_engine::Secret::new(GUESSED.to_owned());
    let master = daybook_vault::MasterKey::from_bytes(MASTER);
    let printed =
        [format!("{secret:?}"), format!("{master:?}"), format!("{:?}", signer()), format!("{url:?}")];
    for printed in printed {
        for form in [GUESSED.as_bytes(), &MASTER, &[8; 32]].into_iter().flat_map(spellings) {
            assert!(!printed.to_lowercase().contains(&form), "{printed}");
        }
    }
}
