//! Numbers of accounts at the bank: each platform may have its own, and a file says which accounts it is about.

use daybook_domain::calendar::Day;
use daybook_tests::process::run_with;
use serde_json::{Value, json};

use super::bank_files::{ACCOUNT, file_of, statement, today_of};
use super::{Desk, names};
use crate::restart::folder_with_key;

const OWN: &str = "DE89370400440532013000";

/// Runs `daybook ops` on the desk's database. Returns its records, one per line, or what it wrote about a failure.
fn ops(desk: &Desk, args: &[&str]) -> Result<Vec<Value>, String> {
    let folder = folder_with_key();
    let key = folder.path().join("master.key").display().to_string();
    let who = ["--platform", &desk.app.client.client_id, "--operator", &desk.ada.operator_id, "--json"];
    let on = desk.app.database.options();
    let who = who.into_iter().chain(["--master-key", &key]).chain(on.iter().map(String::as_str));
    let secret = [("DAYBOOK_OPERATOR_SECRET", desk.ada.operator_secret.as_str())];
    let said = run_with(&secret, ["ops"].into_iter().chain(args.iter().copied()).chain(who));
    if !said.status.success() {
        return Err(String::from_utf8_lossy(&said.stderr).into_owned());
    }
    let text = String::from_utf8(said.stdout).expect("text");
    Ok(text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect())
}

fn of_account(account: &str, day: Day) -> String {
    file_of(vec![statement(account, day, "USD", &[(100, "X".to_owned())])])
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn number_of_account_is_set_by_operator() {
    let desk = Desk::new().await;
    let today = today_of(&desk).await;
    let before = desk.head().await;
    let set = ["bank-account", "--account-num", OWN];
    assert_eq!(ops(&desk, &set), Ok(vec![json!({"account_num": OWN, "changed": true})]));
    assert_eq!(ops(&desk, &set), Ok(vec![json!({"account_num": OWN, "changed": false})]));
    assert_eq!(names(&desk.since(before).await), ["custody.account_set"]);
    for wrong in ["", "DE 89", "1-2", &"9".repeat(35)] {
        let refused = ops(&desk, &["bank-account", "--account-num", wrong]).expect_err("is refused");
        assert!(refused.contains("1 to 34 letters and digits"), "{refused}");
    }
    let refused = desk.send("statements", &of_account(ACCOUNT, today)).await.refused(400, "200");
    assert!(refused["en"].as_str().is_some_and(|text| text.contains(ACCOUNT)), "{refused}");
    let taken = desk.send("statements", &of_account(OWN, today)).await.ok();
    assert_eq!(taken["statements"][0]["line_count"], json!(1), "{taken}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn other_accounts_are_refused_or_skipped() {
    let desk = Desk::new().await;
    let today = today_of(&desk).await;
    let lines = [(100, "X".to_owned())];
    let others = ["4711", "4712"].map(|account| statement(account, today, "USD", &lines));
    let own = statement(ACCOUNT, today, "USD", &lines);
    let text = file_of([&others[..1], &[own], &others[1..]].concat());
    let before = desk.head().await;
    let refused = desk.send("statements", &text).await.refused(400, "200");
    let named = "the file states the accounts 4711, 4712, which are not the platform's account at the bank";
    assert!(refused["en"].as_str().is_some_and(|text| text.contains(named)), "{refused}");
    desk.send("statements?other_accounts=drop", &text).await.refused(400, "200");
    let only = desk.send("statements?other_accounts=skip", &file_of(others.to_vec())).await.ok();
    assert_eq!((&only["statements"], &only["skipped_accounts"]), (&json!([]), &json!(["4711", "4712"])));
    assert_eq!(desk.head().await, before);

    let taken = desk.send("statements?other_accounts=skip", &text).await.ok();
    assert_eq!(taken["skipped_accounts"], json!(["4711", "4712"]));
    assert_eq!(taken["statements"].as_array().map(Vec::len), Some(1), "{taken}");
    // The command line says the same of the same bytes.
    let folder = tempfile::tempdir().expect("a folder");
    let path = folder.path().join("file.bai").display().to_string();
    std::fs::write(&path, &text).expect("written");
    assert!(ops(&desk, &["statement", &path]).expect_err("is refused").contains(named));
    let again = ops(&desk, &["statement", &path, "--other-accounts", "skip"]).expect("is taken");
    let says = (&again[0]["repeated"], &again[0]["skipped_accounts"]);
    assert_eq!(says, (&json!(true), &json!(["4711", "4712"])));
}
