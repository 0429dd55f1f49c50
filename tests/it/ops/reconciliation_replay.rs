//! Replay of the matching with other rules: `daybook reconcile bank --replay --rules`.

use std::process::Output;

use daybook_domain::calendar::Day;
use serde_json::{Value, json};

use super::Desk;
use super::bank_files::{ACCOUNT, credit, file, today_of};
use super::reconciliation::reconcile;
use crate::restart::folder_with_key;

/// Runs the replay of a day with rules in TOML.
fn replay(desk: &Desk, day: Day, rules: &str, more: &[&str]) -> Output {
    let folder = folder_with_key();
    let [path, key] = ["rules.toml", "master.key"].map(|name| folder.path().join(name).display().to_string());
    std::fs::write(&path, rules).expect("written");
    let replay = ["--replay", "--rules", &path, "--master-key", &key];
    reconcile(desk, (day, day), &[&replay, more].concat())
}

/// Runs the replay, and returns its output.
fn replayed(desk: &Desk, day: Day, rules: &str) -> Value {
    let said = replay(desk, day, rules, &["--json"]);
    assert!(said.status.success(), "{said:?}");
    serde_json::from_slice(&said.stdout).expect("JSON")
}

/// A day with a line of 10.00, the amount of an open payment, and one of 3.00; none has a reference.
async fn stated(desk: &Desk) -> Day {
    credit(desk, "10").await;
    let day = today_of(desk).await;
    let lines = vec![(1_000, "SOMEBODY".to_owned()), (300, "NOBODY".to_owned())];
    desk.send("statements", &file(ACCOUNT, day, &[("USD", lines)])).await.ok();
    day
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replay_tells_lines_of_other_rules() {
    let desk = Desk::new().await;
    let day = stated(&desk).await;
    let fees = desk.us.funded("100").await;
    let before = desk.get("reconciliation").await.ok()["position"].clone();
    let amounts = "[[rule]]\nname = \"amounts\"\nstrategy = \"amount\"\n";
    let text = format!(
        "{amounts}\n[[rule]]\nname = \"nobodys\"\nstrategy = \"book\"\ntext = \"^NOBODY$\"\nnode_id = \"{fees}\"\n\
         currency = \"USD\"\nper_line = \"5\"\nper_day = \"5\"\n"
    );
    let told = replayed(&desk, day, &text);
    assert_eq!((&told["runs"], &told["unread_lines"]), (&json!(1), &json!(0)), "{told}");
    let breaks = json!([{"currency": "USD", "left": 13.0, "left_then": 0.0, "lines": 2, "lines_then": 0}]);
    assert_eq!(told["breaks"], breaks);
    let would: Vec<_> =
        told["lines"].as_array().expect("a list").iter().map(|line| &line["would_be"]).collect();
    assert_eq!(would, [&json!("amounts"), &json!("nobodys")], "{told}");
    assert_eq!(told["lines"][0]["was"], json!("in suspense"));

    let said = replay(&desk, day, amounts, &[]);
    let table = String::from_utf8_lossy(&said.stdout);
    assert!(table.contains("USD: 2 breaks of 13.00; under these rules 1 of 3.00\n"), "{said:?}");
    assert!(table.contains("in suspense  amounts   no"), "{table}");
    let built_in = ["reference", "file", "returns"];
    let built_in =
        built_in.map(|name| format!("[[rule]]\nname = \"{name}\"\nstrategy = \"{name}\"\n")).concat();
    assert_eq!(replayed(&desk, day, &built_in)["lines"], json!([]));
    assert_eq!(desk.get("reconciliation").await.ok()["position"], before);
    desk.app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn replay_refuses_wrong_rules_and_periods() {
    let desk = Desk::new().await;
    let day = stated(&desk).await;
    let wrong = "[[rule]]\nname = \"a\"\nstrategy = \"reference\"\ntext = \"(\"\n";
    let right = "[[rule]]\nname = \"a\"\nstrategy = \"file\"\n";
    for (rules, day, reason) in [
        (wrong, day, "rules.toml:1: cannot be meant: text is no regular expression"),
        (right, day.plus_days(-9), "no statement of"),
    ] {
        let said = replay(&desk, day, rules, &[]);
        assert_eq!((said.status.code(), said.stdout.len()), (Some(2), 0), "{said:?}");
        assert!(String::from_utf8_lossy(&said.stderr).contains(reason), "{said:?}");
    }
    let said = reconcile(&desk, (day, day), &["--replay"]);
    assert_eq!(said.status.code(), Some(2), "{said:?}");
    desk.app.stop().await;
}
