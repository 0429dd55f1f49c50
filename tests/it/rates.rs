//! Too many calls, and too many wrong credentials: who makes them waits, and nobody else does.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;

use daybook_api::Doors;
use daybook_api::rate::{Pace, Paces, Proxies, Rates};
use daybook_cli::anchor::Kept;
use daybook_cli::entrance::Entrance;
use daybook_engine::access::{REMEMBERED, Scopes, revoke_client_secrets};
use daybook_tests::app::TestApp;
use daybook_tests::client::{Client, until};
use daybook_tests::database::Database;
use daybook_tests::http::{Answer, Call, send_raw};
use daybook_tests::process::Daybook;
use serde_json::json;

use crate::restart::folder_with_key;
use crate::watching::value;

/// So many, and then nothing for as long as a test runs.
const fn only(count: u32) -> Pace {
    Pace::new(count, Duration::from_hours(1_000))
}

/// No test starts from here, unless it names it.
fn elsewhere(number: u8) -> IpAddr {
    Ipv4Addr::new(127, 0, 7, number).into()
}

async fn limited(paces: Paces) -> TestApp {
    behind(paces, &[]).await
}

async fn behind(paces: Paces, proxies: &[&str]) -> TestApp {
    let proxies = proxies.iter().map(|text| text.parse().expect("a network")).collect();
    TestApp::entered(Entrance {
        rates: Arc::new(Rates::new(paces, Proxies(proxies))),
        doors: Doors::default(),
    })
    .await
}

/// Whether it was told to wait; any other answer must be of `status`.
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

/// How many of `count` calls were let in, of which each must be answered `status`.
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
async fn an_address_that_calls_too_often_waits_and_no_other_does() {
    let app = limited(Paces { address: only(5), ..Paces::default() }).await;
    assert_eq!(let_in(8, 200, |_| own(&app.client)).await, 5);
    // Whatever it asks for, and whether or not there is such a thing.
    assert_eq!(let_in(1, 404, |_| app.client.anonymous("GET", "/nothing")).await, 0);
    assert_eq!(let_in(5, 200, |_| own(&app.client).from(elsewhere(1))).await, 5);
    // Those who watch are not counted.
    for _ in 0..20 {
        assert_eq!(Call::new(app.address, "GET", "/health/ready").send().await.status, 200);
    }
}

#[tokio::test]
async fn it_is_told_before_its_body_is_read() {
    let app = limited(Paces { address: only(1), ..Paces::default() }).await;
    assert_eq!(let_in(1, 200, |_| own(&app.client)).await, 1);
    let head = "POST /v3.1/users HTTP/1.1\r\nHost: x\r\nContent-Length: 1000\r\n\r\n";
    let answer = send_raw(app.address, head.as_bytes()).await.expect("an answer");
    answer.refused(429, "429");
}

#[tokio::test]
async fn whoever_waits_long_enough_may_call_again() {
    let app = limited(Paces { address: Pace::new(1, Duration::from_millis(500)), ..Paces::default() }).await;
    assert!(let_in(20, 200, |_| own(&app.client)).await < 20);
    until("there is a share again", async || (own(&app.client).send().await.status == 200).then_some(()))
        .await;
}

#[tokio::test]
async fn a_platform_that_calls_too_often_waits_and_no_other_does() {
    let app = limited(Paces { platform: only(5), ..Paces::default() }).await;
    let other = app.platform("Other", false).await;
    let from = |number: usize| elsewhere(u8::try_from(number).expect("few"));
    assert_eq!(let_in(8, 200, |number| own(&app.client).from(from(number))).await, 5);
    assert_eq!(let_in(5, 200, |_| own(&other)).await, 5);
    // Who is nobody uses up nobody's share.
    assert_eq!(let_in(9, 401, |number| guess(&other, number)).await, 9);
    assert_eq!(let_in(1, 200, |_| own(&other)).await, 0);
}

#[tokio::test]
async fn a_user_that_calls_too_often_waits_and_its_platform_does_not() {
    let app = limited(Paces { user: only(5), ..Paces::default() }).await;
    let (us, ada) = (app.client.own_session().await, app.client.stranger("Ada Lovelace").await);
    assert_eq!(let_in(8, 200, |_| ada.call("GET", "/nodes")).await, 5);
    assert_eq!(let_in(5, 200, |_| us.call("GET", "/nodes")).await, 5);
    assert_eq!(let_in(9, 200, |_| own(&app.client)).await, 9);
    let ops = app.operator("Grace Hopper").await;
    assert_eq!(let_in(8, 200, |_| ops.call("GET", "/operators/me")).await, 5);
}

#[tokio::test]
async fn whoever_is_told_to_wait_is_counted_by_whose_share_was_used_up() {
    let free = Paces::default();
    for (share, paces) in [
        ("address", Paces { address: only(1), ..free }),
        ("platform", Paces { platform: only(1), ..free }),
        ("user", Paces { user: only(1), ..free }),
        ("credentials", Paces { failures_of_address: only(1), ..free }),
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
        let text = app.service.metrics(&Kept::default()).text().await.expect("text");
        for of in ["address", "platform", "user", "credentials"] {
            let counted = value(&text, "daybook_http_too_many_total", &[("share", of)]);
            let expected = if of == share { 2.0 } else { 0.0 };
            assert!((counted - expected).abs() < 0.5, "{of} of {share}: {counted}");
        }
    }
}

/// Ten wrong credentials of an address, thirty of a client.
async fn strict() -> TestApp {
    let paces = Paces { failures_of_address: only(10), failures_of_client: only(30), ..Paces::default() };
    limited(paces).await
}

#[tokio::test]
async fn whoever_guesses_a_secret_waits_and_locks_out_nobody_else() {
    let app = strict().await;
    assert_eq!(let_in(200, 401, |number| guess(&app.client, number).from(elsewhere(1))).await, 10);
    // Whoever it says to be; but whoever is right is let in there, too.
    let other = app.platform("Other", false).await;
    assert_eq!(let_in(9, 401, |number| guess(&other, number).from(elsewhere(1))).await, 0);
    assert_eq!(let_in(50, 200, |_| own(&app.client).from(elsewhere(1))).await, 50);
    assert_eq!(let_in(50, 200, |_| own(&other).from(elsewhere(1))).await, 50);
    // The platform itself, from where it is.
    assert_eq!(let_in(50, 200, |_| own(&app.client)).await, 50);
    assert_eq!(let_in(50, 200, |_| own(&other)).await, 50);
}

#[tokio::test]
async fn right_credentials_are_let_in_whatever_strangers_guess() {
    let app = strict().await;
    let mut tried = 0;
    for from in 1..=10 {
        tried += let_in(9, 401, |number| guess(&app.client, number).from(elsewhere(from))).await;
    }
    assert_eq!(tried, 30);
    assert_eq!(let_in(1, 401, |number| guess(&app.client, number).from(elsewhere(99))).await, 0);
    // From anywhere, although nobody was right yet, as after a restart.
    assert_eq!(let_in(1, 200, |_| own(&app.client).from(elsewhere(98))).await, 1);
    assert_eq!(let_in(50, 200, |_| own(&app.client)).await, 50);
    // Strangers at its own address are counted apart from it, too.
    let other = app.platform("Other", false).await;
    assert_eq!(let_in(200, 401, |number| guess(&other, number)).await, 10);
    assert_eq!(let_in(50, 200, |_| own(&app.client)).await, 50);
}

#[tokio::test]
async fn whoever_guesses_keys_waits() {
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
async fn a_users_wrong_keys_concern_no_other_user() {
    let app = strict().await;
    let (ada, bob) = (app.client.stranger("Ada Lovelace").await, app.client.stranger("Bob Babbage").await);
    let short = ada.oauth_key.rsplit_once('_').expect("two halves").0;
    let key = |number: usize| ada.call("GET", "/nodes").header("X-SP-USER", format!("{short}_{number:064}|"));
    for from in 1..=12 {
        let _ = let_in(60, 401, |number| key(number).from(elsewhere(from))).await;
    }
    // At that address and at a new one, whoever is remembered or not.
    for from in [1, 200] {
        for session in [&ada, &bob] {
            app.service.engine.access().forget_sessions();
            let call = |_| session.call("GET", "/nodes").from(elsewhere(from));
            assert_eq!(let_in(3, 200, call).await, 3);
        }
    }
    // Bob is told at once that his are wrong.
    let his = |_| bob.call("GET", "/nodes").header("X-SP-USER", format!("{short}_0|")).from(elsewhere(201));
    assert_eq!(let_in(1, 401, his).await, 1);
}

#[tokio::test]
async fn an_expired_key_is_no_guess() {
    let app = strict().await;
    let ada = app.client.stranger("Ada Lovelace").await;
    let expire = "update oauth_key set expires_at = now() - interval '1 minute'";
    app.database.pg().client().await.expect("connects").batch_execute(expire).await.expect("it is done");
    app.service.engine.access().forget_sessions();
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
    tokio::time::sleep(REMEMBERED).await;
    assert_eq!(let_in(50, 401, |_| own(&app.client)).await, 50);
}

#[tokio::test]
async fn a_proxy_of_ours_is_believed_and_nobody_else() {
    let paces = Paces { address: only(2), ..Paces::default() };
    let app = behind(paces, &["127.0.0.1"]).await;
    let told = |name: &str| own(&app.client).header("X-Forwarded-For", name);
    assert_eq!(let_in(3, 200, |_| told("198.51.100.1")).await, 2);
    assert_eq!(let_in(3, 200, |number| told(&format!("10.0.0.{number}, 198.51.100.2"))).await, 2);
    // What a client wrote before it concerns nobody else, be it no text at all.
    assert_eq!(let_in(3, 200, |_| told("é, 198.51.100.3")).await, 2);
    assert_eq!(let_in(3, 200, |_| told("é, 198.51.100.4")).await, 2);
    let app = limited(paces).await;
    let told = |number: usize| own(&app.client).header("X-Forwarded-For", format!("198.51.100.{number}"));
    assert_eq!(let_in(9, 200, told).await, 2);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn serve_is_strict_about_credentials_unless_it_is_told_otherwise_and_dev_is_not() {
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
async fn a_used_up_share_is_described() {
    let app = limited(Paces { address: only(1), ..Paces::default() }).await;
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
