//! Credentials: the time of a refusal discloses nothing, and well-known credentials do not open a production service.

use daybook_engine::access::Scopes;
use daybook_tests::app::{SETTLE_AFTER, TestApp};
use daybook_tests::client::until;
use daybook_tests::database::Database;
use daybook_tests::http::Call;
use daybook_tests::process::{Daybook, run};
use daybook_tests::proxy::{self, Proxy, Rule};

use crate::architecture::sources;
use crate::restart::{dev_args, dev_client, folder_with_key};

/// A wrong secret of a known client causes the same database queries as an unknown client.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wrong_secret_costs_same_as_unknown_client() {
    let database = Database::create().await;
    let (proxy, pg) = proxy::before(&database.config()).await;
    let app = TestApp::start_on(database, pg, SETTLE_AFTER).await;
    let right = app.client.gateway();
    let (id, _) = right.split_once('|').expect("two halves");
    let call = |gateway: &str| Call::new(app.address, "GET", "/v3.1/users").header("X-SP-GATEWAY", gateway);
    let wrong = [format!("{id}|wrong"), "client_id_nobody|wrong".to_owned()];
    let _ = call(&right).send().await.ok();
    for gateway in &wrong {
        call(gateway).send().await.refused(401, "100");
    }
    proxy.set(Rule::Cut);
    for gateway in &wrong {
        assert_eq!(call(gateway).send().await.status, 503, "{gateway}");
    }
    // The correct secret is cached for a second and needs no query. The users in the answer still do.
    let (access, now) = (app.service.engine.access(), app.service.engine.clock().now());
    let (id, secret) = right.split_once('|').expect("two halves");
    let is_right =
        async || access.authenticate(id, secret, now).await.is_ok_and(|judged| judged.right().is_some());
    assert!(asks_nothing(&proxy, is_right).await);
}

/// A key of a cached platform and a key of an unknown platform are both refused only after a database query.
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wrong_key_costs_same_as_unknown_platform() {
    let database = Database::create().await;
    let (proxy, pg) = proxy::before(&database.config()).await;
    let app = TestApp::start_on(database, pg, SETTLE_AFTER).await;
    let ada = app.client.stranger("Ada Lovelace").await;
    let access = app.service.engine.access();
    let now = app.service.engine.clock().now();
    let client = access.authenticate(&app.client.client_id, &app.client.client_secret, now).await;
    let client = client.expect("it reads").right().expect("it is right");
    let platform = &client.platform;
    let public = access.issue_public_key(&client, Scopes::PUBLIC, None, now).key;
    let wrong = |key: &str| {
        let last = if key.ends_with('0') { '1' } else { '0' };
        let unknown = key.replacen(&platform.short_id, "nobodys", 1);
        [format!("{}{last}", &key[..key.len() - 1]), unknown]
    };
    let keys = wrong(&ada.oauth_key).map(|key| ("X-SP-USER", format!("{key}|"), "110"));
    let keys = keys.into_iter().chain(wrong(&public).map(|key| ("X-SP-GATEWAY", format!("|{key}"), "100")));
    let path = format!("/v3.1/users/{}/nodes", ada.user_id);
    // The user's own key beside the public key is cached.
    let call = |name: &str, value: &str| {
        Call::new(app.address, "GET", &path).header("X-SP-USER", &ada.oauth_key).header(name, value)
    };
    let calls: Vec<_> = keys.collect();
    for (name, value, code) in &calls {
        call(name, value).send().await.refused(401, code);
    }
    proxy.set(Rule::Cut);
    for (name, value, _) in &calls {
        assert_eq!(call(name, value).send().await.status, 503, "{value}");
    }
    // Correct keys are cached for a second and need no query.
    let key = async || access.session(&ada.oauth_key, now).await.is_ok_and(|judged| judged.right().is_some());
    assert!(asks_nothing(&proxy, key).await);
    let key = async || access.public_key("", &public, now).await.is_ok_and(|judged| judged.right().is_some());
    assert!(asks_nothing(&proxy, key).await);
}

/// Returns true if credentials that were correct with a database are accepted without one immediately afterwards.
/// Tries up to ten times, because on a busy machine the one-second cache may expire first.
async fn asks_nothing(proxy: &Proxy, mut is_right: impl AsyncFnMut() -> bool) -> bool {
    for _ in 0..10 {
        proxy.set(Rule::Pass);
        until("the database is there again", async || is_right().await.then_some(())).await;
        proxy.set(Rule::Cut);
        if is_right().await {
            return true;
        }
    }
    false
}

/// Hashes of secrets are compared only by the constant-time function of the vault.
#[test]
fn secret_hashes_are_compared_in_constant_time() {
    let mac = std::fs::read_to_string(crate::architecture::root().join("crates/vault/src/mac.rs"));
    assert!(mac.expect("a file").contains("use subtle::ConstantTimeEq;"));
    for (path, text) in sources("crates/engine/src/access", "rs") {
        let code = text.split("#[cfg(test)]").next().unwrap_or_default();
        for line in code.lines().filter(|line| line.contains(" == ") || line.contains(" != ")) {
            let is_secret = ["hash", "secret", "token", "mac("].iter().any(|word| line.contains(word));
            assert!(!is_secret, "{}: {line}", path.display());
        }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn serve_refuses_dev_credentials_unless_allowed() {
    let (database, folder) = (Database::create().await, folder_with_key());
    let (url, key) = (database.url(), folder.path().join("master.key").display().to_string());
    let dev = Daybook::start(dev_args(&database, folder.path()));
    assert!(dev.terminate().success());
    let serve = ["serve", "--listen", "127.0.0.1:0", "--database-url", &url, "--master-key", &key];
    let refused = run(serve);
    let said = String::from_utf8_lossy(&refused.stderr);
    assert_eq!(refused.status.code(), Some(1), "{said}");
    for known in
        ["client_id_dev", "operator_id_00000000000000000000000001", "operator_id_00000000000000000000000002"]
    {
        assert!(said.contains(known), "{said}");
    }
    assert!(!said.contains("secret_dev"), "{said}");
    let process = Daybook::start(serve.iter().chain(&["--allow-dev-credentials"]));
    let _ = dev_client(process.address()).call("GET", "/users").send().await.ok();
    assert!(process.terminate().success());
}
