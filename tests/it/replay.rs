//! `daybook replay`: the state of a record at any position, from the log alone.

use std::process::Output;
use std::time::Duration;

use daybook_domain::{Key, NodeId, SubscriptionId, TransactionId, UserId};
use daybook_tests::app::TestApp;
use daybook_tests::bodies;
use daybook_tests::process::run;
use daybook_tests::shard;
use serde_json::{Value, json};

/// Runs the command on the database of `app`. It needs no key.
fn replay(app: &TestApp, args: &[&str]) -> Output {
    run([&["replay", "--database-url", &app.database.url()], args].concat())
}

/// Returns the JSON that the command prints.
#[track_caller]
fn replayed(app: &TestApp, args: &[&str]) -> Value {
    let said = replay(app, &[args, &["--json"]].concat());
    assert!(said.status.success(), "{said:?}");
    serde_json::from_slice(&said.stdout).expect("JSON")
}

async fn head(app: &TestApp) -> u64 {
    app.service.engine.log().head(shard()).await.expect("a log").position
}

/// Returns a state as the service reads it, with sealed fields replaced as in the output of the command.
async fn served(app: &TestApp, key: Key) -> Value {
    fn close(value: &mut Value) {
        match value {
            Value::String(text) if text.len() > 100 && text.as_bytes()[26] == b':' => {
                *value = json!("<sealed>");
            }
            Value::Array(list) => list.iter_mut().for_each(close),
            Value::Object(map) => map.values_mut().for_each(close),
            _ => {}
        }
    }
    let found =
        app.service.engine.reads().aggregates().record(shard(), key).await.expect("reads").expect("is there");
    let mut state = serde_json::to_value(&found.state).expect("JSON");
    close(&mut state);
    state.as_object().expect("a kind").values().next().expect("a state").clone()
}

fn id<T: std::str::FromStr>(text: &str) -> T {
    text.parse().unwrap_or_else(|_| panic!("{text} is an id"))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replayed_record_equals_past_state_without_models() {
    let app = TestApp::settling_after(Duration::from_mins(15)).await;
    let ada = app.client.verified("Ada Replayed").await;
    let (from, to) = (ada.funded("50").await, ada.node("DEPOSIT-US").await);
    let trans = ada.sent(&from, &to, "12.34").await;
    let keys = [
        ("--user", ada.user_id.as_str(), Key::from(id::<UserId>(&ada.user_id))),
        ("--node", from.as_str(), Key::from(id::<NodeId>(&from))),
        ("--transaction", trans.as_str(), Key::from(id::<TransactionId>(&trans))),
    ];
    let mut seen = vec![];
    for step in 0..4 {
        match step {
            0 => {}
            1 => drop(app.client.simulate(&trans, "process", &json!({})).await.ok()),
            2 => drop(
                ada.call("PATCH", &format!("/nodes/{from}"))
                    .json(&json!({"nickname": "Purse"}))
                    .send()
                    .await
                    .ok(),
            ),
            _ => drop(app.client.simulate(&trans, "settle", &json!({})).await.ok()),
        }
        let mut states = vec![];
        for (_, _, key) in keys {
            states.push(served(&app, key).await);
        }
        seen.push((head(&app).await, states));
    }
    let db = app.database.pg().client().await.expect("connects");
    let models = "select format('drop table %I.%I cascade', schemaname, tablename) from pg_tables
        where tablename ~ '_v[0-9]+$'";
    let models = db.query(models, &[]).await.expect("the names of tables");
    assert!(models.len() > 5, "read models are called otherwise");
    for row in models {
        db.batch_execute(row.get(0)).await.expect("it is there");
    }
    for (position, states) in &seen {
        for ((flag, name, _), state) in keys.iter().zip(states) {
            let told = replayed(&app, &["--until", &position.to_string(), flag, name]);
            assert_eq!((&told["state"], told["position"].as_u64()), (state, Some(*position)), "{flag}");
        }
    }
    let posted = |until: u64| {
        replayed(&app, &["--until", &until.to_string(), "--node", &from])["accounts"]["USD"].clone()
    };
    assert_eq!([posted(seen[0].0)["posted"].clone(), posted(seen[3].0)["posted"].clone()], [5_000, 3_766]);
    assert_eq!(posted(seen[0].0)["held"], 1_234);

    let told = replayed(&app, &["--transaction", &trans, "--events"]);
    let events = app.events().await;
    let own: Vec<_> = events.iter().filter(|event| event.key == keys[2].2).collect();
    let positions: Vec<_> = own.iter().map(|event| json!(event.position)).collect();
    let shown = told["events"].as_array().expect("a list");
    assert_eq!(shown.iter().map(|event| event["position"].clone()).collect::<Vec<_>>(), positions);
    assert_eq!(
        (&shown[0]["type"], told["version"].as_u64()),
        (&json!("transaction.created"), Some(own.len() as u64))
    );
    // A printed time is valid as `--until` and names the same state.
    let then = shown[0]["recorded_at"].as_str().expect("a time");
    assert_eq!(replayed(&app, &["--transaction", &trans, "--until", then])["state"], seen[0].1[2]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replay_keeps_boxes_sealed() {
    let app = TestApp::start().await;
    let user = app.client.create_user(&bodies::person("Canary Replayed")).await.ok();
    let user = user["_id"].as_str().expect("an id");
    let body = json!({"url": "https://example.com/a", "scope": ["TRANS|POST"]});
    let subscription = app.client.call("POST", "/subscriptions").json(&body).send().await.ok();
    let subscription = subscription["_id"].as_str().expect("an id");
    let _: SubscriptionId = id(subscription);
    for (flag, name) in [("--user", user), ("--subscription", subscription)] {
        for args in [&[flag, name][..], &[flag, name, "--json"]] {
            let said = replay(&app, args);
            let text = String::from_utf8(said.stdout).expect("text");
            assert!(text.contains("<sealed>") && !text.contains("Canary"), "{text}");
            assert!(text.split('"').all(|word| word.len() < 80), "{text}");
        }
    }
    let code = |args: &[&str]| replay(&app, args).status.code();
    let nobody = "01ARZ3NDEKTSV4RRFFQ69G5FAV";
    for args in [
        &["--user", nobody][..],
        &["--node", user],
        &["--user", user, "--until", "1"],
        &["--user", user, "--until", "1970-01-01T00:00:00Z"],
    ] {
        assert_eq!(code(args), Some(1), "{args:?}");
    }
    let many = "9".repeat(400);
    for until in ["", "-1", "NaN", "2026-01-01", "yesterday", "999999999", &many] {
        assert_eq!(code(&["--user", user, "--until", until]), Some(2), "{until}");
    }
    for args in [&[][..], &["--user", "x"], &["--user", user, "--node", user], &["--until", "1"]] {
        assert_eq!(code(args), Some(2), "{args:?}");
    }
}
