//! Rate limits: a caller with too many calls or too many wrong credentials must wait, and no other caller is affected.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;

use daybook_api::ListenerOptions;
use daybook_api::rate::{Proxies, RateLimit, RateLimiter, RateLimits};
use daybook_cli::anchor::AnchorMetrics;
use daybook_cli::ingress::Ingress;
use daybook_engine::access::{PLATFORM_CACHE_LIFETIME, Scopes, revoke_client_secrets};
use daybook_tests::app::TestApp;
use daybook_tests::client::{Client, until};
use daybook_tests::database::Database;
use daybook_tests::http::{Answer, Call, send_raw};
use daybook_tests::process::Daybook;
use daybook_tests::shard;
use serde_json::json;

use crate::restart::folder_with_key;
use crate::watching::value;

/// Returns a limit of `count` that does not refill during a test.
const fn only(count: u32) -> RateLimit {
    RateLimit::new(count, Duration::from_hours(1_000))
}

/// Returns a loopback address that a test uses only if it names it.
fn elsewhere(number: u8) -> IpAddr {
    Ipv4Addr::new(127, 0, 7, number).into()
}

async fn limited(paces: RateLimits) -> TestApp {
    behind(paces, &[]).await
}

async fn behind(paces: RateLimits, proxies: &[&str]) -> TestApp {
    let proxies = proxies.iter().map(|text| text.parse().expect("a network")).collect();
    TestApp::entered(Ingress {
        rates: Arc::new(RateLimiter::new(paces, Proxies(proxies))),
        listener_options: ListenerOptions::default(),
    })
    .await
}

/// Returns true if the call was rejected with 429. Any other answer must have the status `status`.
#[track_caller]
fn waits(answer: &Answer, status: u16) -> bool {
    if answer.status == status {
        return false;
    }
    assert_eq!(answer.refused(429, "429")["code"], "too_many_requests");
    let wait = answer.headers["retry-after"].to_str().expect("text").parse::<u64>();
    assert!(wait.is_ok_and(|wait| wait > 0));
    true
}

/// Makes `count` calls and returns how many were accepted. Each accepted call must be answered with `status`.
async fn let_in(count: usize, status: u16, call: impl Fn(usize) -> Call) -> usize {
    let mut done = 0;
    for number in 0..count {
        done += usize::from(!waits(&call(number).send().await, status));
    }
    done
}

fn own(client: &Client) -> Call {
    client.call("GET", &format!("/users/{}", client.user_id))
}

fn guess(client: &Client, number: usize) -> Call {
    own(client).header("X-SP-GATEWAY", format!("{}|client_secret_{number}", client.client_id))
}

#[tokio::test]
async fn address_limit_affects_no_other_address() {
    let app = limited(RateLimits { address: only(5), ..RateLimits::default() }).await;
    assert_eq!(let_in(8, 200, |_| own(&app.client)).await, 5);
    // The limit applies to any path, including unknown ones.
    assert_eq!(let_in(1, 404, |_| app.client.anonymous("GET", "/nothing")).await, 0);
    assert_eq!(let_in(5, 200, |_| own(&app.client).from(elsewhere(1))).await, 5);
    // Health checks are not counted.
    for _ in 0..20 {
        assert_eq!(Call::new(app.address, "GET", "/health/ready").send().await.status, 200);
    }
}

#[tokio::test]
async fn limited_call_is_rejected_before_body() {
    let app = limited(RateLimits { address: only(1), ..RateLimits::default() }).await;
    assert_eq!(let_in(1, 200, |_| own(&app.client)).await, 1);
    let head = "POST /v3.1/users HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n";
    let answer = send_raw(app.address, head.as_bytes()).await.expect("an answer");
    answer.refused(429, "429");
}

#[tokio::test]
async fn limited_address_is_accepted_after_waiting() {
    let app = limited(RateLimits {
        address: RateLimit::new(1, Duration::from_millis(500)),
        ..RateLimits::default()
    })
    .await;
    assert!(let_in(20, 200, |_| own(&app.client)).await < 20);
    until("there is a share again", async || (own(&app.client).send().await.status == 200).then_some(()))
        .await;
}

#[tokio::test]
async fn platform_limit_affects_no_other_platform() {
    let app = limited(RateLimits { platform: only(5), ..RateLimits::default() }).await;
    let other = app.platform("Other", false).await;
    let from = |number: usize| elsewhere(u8::try_from(number).expect("few"));
    assert_eq!(let_in(8, 200, |number| own(&app.client).from(from(number))).await, 5);
    assert_eq!(let_in(5, 200, |_| own(&other)).await, 5);
    // A call with wrong credentials does not count against the platform's limit.
    assert_eq!(let_in(9, 401, |number| guess(&other, number)).await, 9);
    assert_eq!(let_in(1, 200, |_| own(&other)).await, 0);
}

#[tokio::test]
async fn user_limit_does_not_affect_its_platform() {
    let app = limited(RateLimits { user: only(5), ..RateLimits::default() }).await;
    let (us, ada) = (app.client.own_session().await, app.client.stranger("Ada Lovelace").await);
    assert_eq!(let_in(8, 200, |_| ada.call("GET", "/nodes")).await, 5);
    assert_eq!(let_in(5, 200, |_| us.call("GET", "/nodes")).await, 5);
    assert_eq!(let_in(9, 200, |_| own(&app.client)).await, 9);
    let ops = app.operator("Grace Hopper").await;
    assert_eq!(let_in(8, 200, |_| ops.call("GET", "/operators/me")).await, 5);
}

#[tokio::test]
async fn rejections_are_counted_by_exhausted_limit() {
    let free = RateLimits::default();
    for (share, paces) in [
        ("address", RateLimits { address: only(1), ..free }),
        ("platform", RateLimits { platform: only(1), ..free }),
        ("user", RateLimits { user: only(1), ..free }),
        ("credentials", RateLimits { failures_of_address: only(1), ..free }),
    ] {
        let app = limited(paces).await;
        let let_in = match share {
            "user" => {
                let us = app.client.own_session().await;
                let_in(3, 200, |_| us.call("GET", "/nodes")).await
            }
            "credentials" => let_in(3, 401, |number| guess(&app.client, number)).await,
            _ => let_in(3, 200, |_| own(&app.client)).await,
        };
        assert_eq!(let_in, 1, "{share}");
        let text = app.service.metrics(&AnchorMetrics::default()).text().await.expect("text");
        for of in ["address", "platform", "user", "credentials"] {
            let counted = value(&text, "daybook_http_too_many_total", &[("share", of)]);
            let expected = if of == share { 2.0 } else { 0.0 };
            assert!((counted - expected).abs() < 0.5, "{of} of {share}: {counted}");
        }
    }
}

/// Starts with a limit of ten wrong credentials per address and thirty per client.
async fn strict() -> TestApp {
    let paces =
        RateLimits { failures_of_address: only(10), failures_of_client: only(30), ..RateLimits::default() };
    limited(paces).await
}

#[tokio::test]
async fn guessing_secrets_locks_out_nobody_else() {
    let app = strict().await;
    assert_eq!(let_in(200, 401, |number| guess(&app.client, number).from(elsewhere(1))).await, 10);
    // The limit of the address holds for every client id. Correct credentials are still accepted from it.
    let other = app.platform("Other", false).await;
    assert_eq!(let_in(9, 401, |number| guess(&other, number).from(elsewhere(1))).await, 0);
    assert_eq!(let_in(50, 200, |_| own(&app.client).from(elsewhere(1))).await, 50);
    assert_eq!(let_in(50, 200, |_| own(&other).from(elsewhere(1))).await, 50);
    // The platform itself, from its own address.
    assert_eq!(let_in(50, 200, |_| own(&app.client)).await, 50);
    assert_eq!(let_in(50, 200, |_| own(&other)).await, 50);
}

#[tokio::test]
async fn right_credentials_work_during_guessing_by_strangers() {
    let app = strict().await;
    let mut tried = 0;
    for from in 1..=10 {
        tried += let_in(9, 401, |number| guess(&app.client, number).from(elsewhere(from))).await;
    }
    assert_eq!(tried, 30);
    assert_eq!(let_in(1, 401, |number| guess(&app.client, number).from(elsewhere(99))).await, 0);
    // Also from an address where no correct credentials were seen before, as after a restart.
    assert_eq!(let_in(1, 200, |_| own(&app.client).from(elsewhere(98))).await, 1);
    assert_eq!(let_in(50, 200, |_| own(&app.client)).await, 50);
    // Wrong credentials sent from the platform's own address are counted separately from its correct ones.
    let other = app.platform("Other", false).await;
    assert_eq!(let_in(200, 401, |number| guess(&other, number)).await, 10);
    assert_eq!(let_in(50, 200, |_| own(&app.client)).await, 50);
}

#[tokio::test]
async fn guessing_keys_is_limited_per_address() {
    let app = strict().await;
    let (ada, address) = (app.client.stranger("Ada Lovelace").await, app.address);
    let short = ada.oauth_key.rsplit_once('_').expect("two halves").0;
    let key = |number: usize| ada.call("GET", "/nodes").header("X-SP-USER", format!("{short}_{number:064}|"));
    assert_eq!(let_in(200, 401, |number| key(number).from(elsewhere(1))).await, 10);
    assert_eq!(let_in(9, 200, |_| ada.call("GET", "/nodes")).await, 9);
    let id = |number: usize| format!("operator_id_{:026}|operator_secret_{number}", 1);
    let operator = |number: usize| {
        Call::new(address, "GET", "/v3.1/ops/operators/me").header("X-SP-OPERATOR", id(number))
    };
    assert_eq!(let_in(200, 401, |number| operator(number).from(elsewhere(2))).await, 10);
    let public = |number: usize| own(&app.client).header("X-SP-GATEWAY", format!("|public_key_x_{number}"));
    assert_eq!(let_in(200, 401, |number| public(number).from(elsewhere(3))).await, 10);
}

#[tokio::test]
async fn wrong_keys_of_user_affect_no_other() {
    let app = strict().await;
    let (ada, bob) = (app.client.stranger("Ada Lovelace").await, app.client.stranger("Bob Babbage").await);
    let short = ada.oauth_key.rsplit_once('_').expect("two halves").0;
    let key = |number: usize| ada.call("GET", "/nodes").header("X-SP-USER", format!("{short}_{number:064}|"));
    for from in 1..=12 {
        let _ = let_in(60, 401, |number| key(number).from(elsewhere(from))).await;
    }
    // From that address and from a new one, with and without a cached session.
    for from in [1, 200] {
        for session in [&ada, &bob] {
            app.service.engine.access().forget_sessions(shard());
            let call = |_| session.call("GET", "/nodes").from(elsewhere(from));
            assert_eq!(let_in(3, 200, call).await, 3);
        }
    }
    // The first wrong key for Bob is answered with 401, not 429.
    let his = |_| bob.call("GET", "/nodes").header("X-SP-USER", format!("{short}_0|")).from(elsewhere(201));
    assert_eq!(let_in(1, 401, his).await, 1);
}

#[tokio::test]
async fn expired_key_does_not_count_as_guess() {
    let app = strict().await;
    let ada = app.client.stranger("Ada Lovelace").await;
    let expire = "update oauth_key set expires_at = now() - interval '1 minute'";
    app.database.pg().client().await.expect("connects").batch_execute(expire).await.expect("it is done");
    app.service.engine.access().forget_sessions(shard());
    assert_eq!(let_in(50, 401, |_| ada.call("GET", "/nodes").from(elsewhere(1))).await, 50);
    let access = app.service.engine.access();
    let now = app.service.engine.clock().now();
    let client = access.authenticate(&app.client.client_id, &app.client.client_secret, now).await;
    let client = client.expect("it reads").right().expect("it is right");
    let then = now.plus_ms(-900_000);
    let old = access.issue_public_key(&client, Scopes::PUBLIC, None, then).key;
    let show = |_| app.client.anonymous("GET", "/users").header("X-SP-GATEWAY", format!("|{old}"));
    assert_eq!(let_in(50, 401, show).await, 50);
    let revoked = revoke_client_secrets(&app.database.pg(), &app.client.client_id, None, now).await;
    assert_eq!(revoked.expect("it is done"), [1]);
    tokio::time::sleep(PLATFORM_CACHE_LIFETIME).await;
    assert_eq!(let_in(50, 401, |_| own(&app.client)).await, 50);
}

#[tokio::test]
async fn only_trusted_proxies_name_the_client_address() {
    let paces = RateLimits { address: only(2), ..RateLimits::default() };
    let app = behind(paces, &["127.0.0.1"]).await;
    let told = |name: &str| own(&app.client).header("X-Forwarded-For", name);
    assert_eq!(let_in(3, 200, |_| told("198.51.100.1")).await, 2);
    assert_eq!(let_in(3, 200, |number| told(&format!("10.0.0.{number}, 198.51.100.2"))).await, 2);
    // Earlier entries, which the client wrote itself, do not matter, even if they are not ASCII.
    assert_eq!(let_in(3, 200, |_| told("é, 198.51.100.3")).await, 2);
    assert_eq!(let_in(3, 200, |_| told("é, 198.51.100.4")).await, 2);
    let app = limited(paces).await;
    let told = |number: usize| own(&app.client).header("X-Forwarded-For", format!("198.51.100.{number}"));
    assert_eq!(let_in(9, 200, told).await, 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn serve_limits_wrong_credentials_unlike_dev() {
    let (database, folder) = (Database::create().await, folder_with_key());
    let key = folder.path().join("master.key").display().to_string();
    let (url, data) = (database.url(), folder.path().display().to_string());
    let serve = ["serve", "--database-url", &url, "--master-key", &key, "--listen", "127.0.0.1:0"];
    let dev = ["dev", "--database-url", &url, "--data-dir", &data, "--listen", "127.0.0.1:0"];
    let off = ["--failures-per-address", "0", "--failures-per-client=0"];
    let on = ["--failures-per-address", "10/h"];
    for (args, more, most) in
        [(&serve[..], &[][..], 199), (&serve, &off, 200), (&dev, &[], 200), (&dev, &on, 10)]
    {
        let process = Daybook::start(args.iter().chain(more));
        let wrong = |number: usize| {
            Call::new(process.address(), "GET", "/v3.1/users")
                .header("X-SP-GATEWAY", format!("client_id_x|{number}"))
        };
        let tried = let_in(200, 401, wrong).await;
        assert!(tried <= most && (most == 199 || tried == most), "{args:?} {more:?}: {tried}");
    }
}

#[tokio::test]
async fn openapi_describes_the_rate_limit_answer() {
    let app = limited(RateLimits { address: only(1), ..RateLimits::default() }).await;
    let description = Call::new(app.address, "GET", "/openapi.json").send().await.json();
    let answer = Call::new(app.address, "GET", "/openapi.json").send().await;
    let example = &description["components"]["responses"]["429"]["content"]["application/json"]["example"];
    assert_eq!((&answer.json(), answer.status), (example, 429));
    assert_eq!(
        description["paths"]["/v3.1/users"]["get"]["responses"]["429"],
        json!({"$ref": "#/components/responses/429"})
    );
    assert!(description["paths"]["/health/ready"]["get"]["responses"].get("429").is_none());
}
