//! Failing background workers: readiness names each, stays ready, and reports its recovery.

use std::fs;

use daybook_tests::bodies::person;
use daybook_tests::client::{Client, until};
use daybook_tests::database::Database;
use daybook_tests::http::Call;
use daybook_tests::process::Daybook;
use serde_json::Value;

use crate::restart::{dev_args, dev_client, folder_with_key};
use crate::subject::Desk;

/// Failure of one worker: the statement that causes it, and the statement that ends it.
struct Break {
    part: &'static str,
    breaks: &'static str,
    mends: &'static str,
}

const BREAKS: [Break; 4] = [
    Break {
        part: "checkpoints",
        breaks: "alter table checkpoint rename to away",
        mends: "alter table away rename to checkpoint",
    },
    Break {
        part: "tiles",
        breaks: "alter table tile rename to away",
        mends: "alter table away rename to tile",
    },
    Break {
        part: "attestations",
        breaks: "alter table last_tree rename to away",
        mends: "alter table away rename to last_tree",
    },
    Break {
        part: "webhooks",
        breaks: "alter table webhook_lane rename to away",
        mends: "alter table away rename to webhook_lane",
    },
];

/// To-dos about a transaction and a custody that do not exist.
const POINTLESS: [(&str, &str); 2] = [
    ("processes", "insert into to_dos_v1 select 1, 2, now(), gen_random_uuid(), 1, gen_random_uuid()"),
    ("files", "insert into to_dos_v1 select 1, 4, now(), gen_random_uuid(), 1, gen_random_uuid()"),
];

/// Rejects new events with the error of a full disk.
const FULL: &str = "
    create function is_full() returns trigger language plpgsql as $$
    begin
        raise exception 'could not extend file: No space left on device' using errcode = '53100';
    end $$;
    create trigger is_full before insert on event for each statement execute function is_full()";

/// Prevents the deletion of keys.
const KEEPS: &str = "
    create function keeps() returns trigger language plpgsql as $$ begin raise exception 'kept'; end $$;
    create trigger keeps before delete on vault.subject_key for each statement execute function keeps()";

/// Returns the status of `part`, or "absent" before its first report. Checks that the service is ready.
async fn status(client: &Client, part: &str) -> String {
    let answer = Call::new(client.address, "GET", "/health/ready").send().await;
    let found: Value = answer.json();
    assert_eq!((answer.status, &found["status"]), (200, &"ready".into()), "{found}");
    let Some(told) = found["parts"].get(part) else { return "absent".to_owned() };
    assert_eq!(told["because"].is_string(), told["status"] != "ok", "{part}: {found}");
    told["status"].as_str().unwrap_or_else(|| panic!("no {part} in {found}")).to_owned()
}

async fn becomes(client: &Client, part: &str, wanted: &str) {
    until(&format!("{part} is {wanted}"), async || (status(client, part).await == wanted).then_some(()))
        .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_failing_worker_is_named() {
    let (database, keys) = (Database::create().await, folder_with_key());
    let anchor = keys.path().join("anchor");
    let place = anchor.display().to_string();
    let more = ["--checkpoint-every", "100ms", "--attest-every", "100ms", "--anchor", &place];
    let args = dev_args(&database, keys.path()).into_iter().chain(more.map(str::to_owned));
    let process = Daybook::start(args);
    let client = dev_client(process.address());
    for Break { part, .. } in &BREAKS {
        becomes(&client, part, "ok").await;
    }
    for Break { part, breaks, mends } in BREAKS {
        database.execute(breaks).await;
        becomes(&client, part, "failed").await;
        let others = BREAKS.iter().filter(|other| other.part != part);
        for other in others {
            assert_eq!(status(&client, other.part).await, "ok", "{} while {part} fails", other.part);
        }
        database.execute(mends).await;
        becomes(&client, part, "ok").await;
    }
    becomes(&client, "anchors", "ok").await;
    fs::remove_dir_all(&anchor).expect("a folder");
    fs::write(&anchor, "no folder").expect("a file");
    assert_eq!(client.create_user(&person("Ada")).await.status, 200);
    becomes(&client, "anchors", "failed").await;
    fs::remove_file(&anchor).expect("a file");
    fs::create_dir_all(anchor.join("checkpoints")).expect("a folder");
    becomes(&client, "anchors", "ok").await;
    for (part, breaks) in POINTLESS {
        becomes(&client, part, "ok").await;
        database.execute(breaks).await;
        becomes(&client, part, "failed").await;
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn full_disk_is_reported() {
    let (database, keys) = (Database::create().await, folder_with_key());
    let process = Daybook::start(dev_args(&database, keys.path()));
    let client = dev_client(process.address());
    assert_eq!(client.create_user(&person("Ada")).await.status, 200);
    assert_eq!([status(&client, "disk").await, status(&client, "commits").await], ["ok", "ok"]);
    database.execute(FULL).await;
    assert_eq!(client.create_user(&person("Bob")).await.status, 503);
    becomes(&client, "disk", "failed").await;
    becomes(&client, "commits", "failed").await;
    database.execute("drop function is_full cascade").await;
    assert_eq!(client.create_user(&person("Bob")).await.status, 200);
    assert_eq!([status(&client, "disk").await, status(&client, "commits").await], ["ok", "ok"]);
}

#[tokio::test]
async fn failed_key_deletion_is_reported() {
    let desk = Desk::new().await;
    let us = desk.app.client.stranger("Ada").await;
    desk.let_go(&us).await;
    becomes(&desk.app.client, "erasures", "ok").await;
    desk.app.database.execute(KEEPS).await;
    assert!(desk.erase(&us.user_id).await.is_err());
    becomes(&desk.app.client, "erasures", "failed").await;
    desk.app.database.execute("drop function keeps cascade").await;
    becomes(&desk.app.client, "erasures", "ok").await;
}
