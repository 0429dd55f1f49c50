//! `daybook ops` and `daybook ledger` return the same data as the API and require the same credentials.

use daybook_tests::process::{binary, on_terminal, run, run_with};
use serde_json::{Value, json};

use super::bank_files::{ACCOUNT, credit, file, today_of};
use super::ledger::mixed;
use super::statements::{statement, today};
use super::{Desk, names};
use crate::restart::folder_with_key;

/// Runs a subcommand on the desk's database.
struct Shell {
    folder: tempfile::TempDir,
    on: Vec<String>,
}

impl Shell {
    fn new(desk: &Desk) -> Self {
        Self { folder: folder_with_key(), on: desk.app.database.options() }
    }

    fn args(&self, args: &[&str]) -> Vec<String> {
        let key = self.folder.path().join("master.key").display().to_string();
        let args = args.iter().copied().chain(["--master-key", &key]).map(str::to_owned);
        args.chain(self.on.iter().cloned()).collect()
    }

    fn ledger(&self, args: &[&str]) -> Value {
        let said = run(self.args(&[&["ledger"], args, &["--json"]].concat()));
        assert!(said.status.success(), "{said:?}");
        serde_json::from_slice(&said.stdout).expect("JSON")
    }

    /// Returns the output of `daybook ops` on a terminal.
    fn shown(&self, desk: &Desk, args: &[&str]) -> String {
        let who = ["--platform", &desk.app.client.client_id, "--operator", &desk.ada.operator_id];
        let args = self.args(&[&["ops"], args, &who].concat());
        let words = args.iter().map(|word| format!("'{word}'")).collect::<Vec<_>>().join(" ");
        let line = format!("'{}' {words}", binary().display());
        on_terminal(&line, &[("DAYBOOK_OPERATOR_SECRET", &desk.ada.operator_secret)])
    }

    /// Returns the records that `daybook ops` prints, one per line, or its exit code if it fails.
    fn ops(&self, desk: &Desk, secret: &str, args: &[&str]) -> Result<Vec<Value>, Option<i32>> {
        let who = ["--platform", &desk.app.client.client_id, "--operator", &desk.ada.operator_id];
        let args = self.args(&[&["ops"], args, &who].concat());
        let said = run_with(&[("DAYBOOK_OPERATOR_SECRET", secret)], args);
        if !said.status.success() {
            return Err(said.status.code());
        }
        let text = String::from_utf8(said.stdout).expect("text");
        Ok(text.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect())
    }
}

fn without_envelope(mut answer: Value) -> Value {
    for name in ["error_code", "http_code"] {
        answer.as_object_mut().expect("an object").remove(name);
    }
    answer
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ledger_report_equals_api_and_folded_log() {
    let desk = Desk::new().await;
    mixed(&desk).await;
    let shell = Shell::new(&desk);
    let mut positions = vec![];
    for report in ["trial-balance", "custody"] {
        let called = desk.get(report).await.ok();
        let position = called["position"].as_u64().expect("a position").to_string();
        let called = without_envelope(called);
        assert_eq!(shell.ledger(&[report, "--platform", &desk.app.client.client_id]), called);
        let platform =
            called[if report == "custody" { "identities" } else { "accounts" }][0]["platform_id"].clone();
        let platform = platform.as_str().expect("an id");
        assert_eq!(shell.ledger(&[report, "--platform", platform, "--at", &position]), called);
        assert_eq!(shell.ledger(&[report]), called, "there is one platform");
        positions.push(position);
    }
    // Later events do not change a past report.
    let then = shell.ledger(&["custody", "--at", &positions[1]]);
    desk.us.funded("1").await;
    assert_eq!(shell.ledger(&["custody", "--at", &positions[1]]), then);
    assert_ne!(shell.ledger(&["custody"]), then);
    assert_eq!(shell.ledger(&["custody", "--at", "1970-01-02"])["identities"], json!([]));
    let beyond = run(shell.args(&["ledger", "custody", "--at", "999999999"]));
    assert_eq!(beyond.status.code(), Some(2), "{beyond:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn operator_commands_equal_api_calls() {
    let desk = Desk::new().await;
    let shell = Shell::new(&desk);
    let (payment, _) = desk.payment().await;
    let act = json!({"kind": "queue", "trans_id": payment}).to_string();
    let operate = ["operate", &act, "--reason", "A ticket."];
    let before = desk.head().await;
    for wrong in ["", "operator_secret_wrong", &desk.bob.operator_secret] {
        assert_eq!(shell.ops(&desk, wrong, &operate), Err(Some(1)));
    }
    assert_eq!(desk.head().await, before, "who is not let in does nothing");

    let secret = &desk.ada.operator_secret;
    let made = shell.ops(&desk, secret, &operate).expect("done");
    assert_eq!((&made[0]["status"], &made[0]["reason"]), (&json!("DONE"), &json!("A ticket.")));
    assert_eq!(names(&desk.since(before).await), ["operation.requested", "transaction.queued"]);
    let (other, _) = desk.payment().await;
    let _ = desk.app.client.simulate(&other, "settle", &json!({})).await.ok();
    let _ = desk.app.client.simulate(&other, "return", &json!({"code": "R01"})).await.ok();
    let line = [("a", "7.00", "", "nobody knows")];
    desk.send("statements", &statement(&today(&desk).await, "0.00", "7.00", &line)).await.ok();
    let lists =
        [("queued", "queued"), ("returned", "returned"), ("open-items", "open_items"), ("breaks", "breaks")];
    for (command, list) in lists {
        let said = shell.ops(&desk, secret, &[command]).expect("a list");
        assert_eq!(json!(said), desk.get(command).await.ok()[list], "{command}");
        assert!(!said.is_empty(), "{command}");
    }
    assert_eq!(shell.ops(&desk, secret, &["operate", "{}", "--reason", "x"]), Err(Some(2)));
    let refused = json!({"kind": "return", "trans_id": payment, "code": "R01"}).to_string();
    assert_eq!(shell.ops(&desk, secret, &["operate", &refused, "--reason", "x"]), Err(Some(1)));
    assert_eq!(shell.ops(&desk, secret, &["returns", "/no/such/file"]), Err(Some(1)));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_event_with_postings_is_exported() {
    let desk = Desk::new().await;
    mixed(&desk).await;
    let shell = Shell::new(&desk);
    let posted = desk.since(0).await.iter().filter(|it| it.event.postings().is_some()).count();
    for (format, mark) in [("hledger", ", stream:"), ("beancount", "  stream: ")] {
        let path = shell.folder.path().join(format);
        let path = path.display().to_string();
        let said = run(shell.args(&["ledger", "export", "--format", format, "-o", &path]));
        assert!(said.status.success(), "{said:?}");
        let text = std::fs::read_to_string(path).expect("a file");
        assert_eq!(text.matches(mark).count(), posted, "{format}");
        assert!(text.contains("12.34"), "{format}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn terminal_output_is_shown_as_tables() {
    let desk = Desk::new().await;
    let shell = Shell::new(&desk);
    assert_eq!(shell.shown(&desk, &["queued"]).trim(), "Nothing is queued.");
    assert_eq!(shell.shown(&desk, &["queued", "--json"]), "");
    assert_eq!(shell.shown(&desk, &["returned"]).trim(), "Nothing came back.");
    let (payment, _) = desk.payment().await;
    let act = json!({"kind": "queue", "trans_id": payment}).to_string();
    let made = shell.shown(&desk, &["operate", &act, "--reason", "A ticket."]);
    let words = |line: &str| line.split_whitespace().map(str::to_owned).collect::<Vec<_>>();
    let lines: Vec<_> = made.lines().map(words).collect();
    assert_eq!(lines[0], ["OPERATION", "KIND", "STATUS", "ASKED", "ON", "BY", "REASON"]);
    assert_eq!((lines.len(), &lines[1][1..3]), (2, &["queue".to_owned(), "DONE".to_owned()][..]));
    let queued = shell.shown(&desk, &["queued"]);
    let lines: Vec<_> = queued.lines().map(words).collect();
    assert_eq!(lines[0], ["TRANSACTION", "AMOUNT", "FROM", "TO", "QUEUED", "ON", "WHY"]);
    assert_eq!((lines.len(), &lines[1][0]), (2, &payment));
    let json = shell.shown(&desk, &["queued", "--json"]);
    assert_eq!(serde_json::from_str::<Value>(&json).expect("JSON")["_id"], json!(payment));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn ledger_reports_have_headings_and_totals() {
    let desk = Desk::new().await;
    mixed(&desk).await;
    let shell = Shell::new(&desk);
    let said = |report: &str| {
        let said = run(shell.args(&["ledger", report]));
        assert!(said.status.success(), "{said:?}");
        String::from_utf8_lossy(&said.stdout).into_owned()
    };
    let totals = shell.ledger(&["trial-balance"])["totals"].clone();
    let balance = said("trial-balance");
    let heads = balance.lines().nth(2).expect("heads").split_whitespace().collect::<Vec<_>>();
    assert_eq!(heads, ["PLATFORM", "CURRENCY", "ACCOUNT", "DEBITS", "CREDITS", "BALANCE"]);
    let last = balance.lines().last().expect("a total").split_whitespace().collect::<Vec<_>>();
    assert_eq!(
        (last[0], last[1], last[4]),
        ("total", totals[0]["currency"].as_str().expect("a text"), "0.00")
    );
    assert_eq!(last[2], last[3]);
    let custody = said("custody");
    for part in ["WHAT IS THERE", "WHAT IS OWED", "\nsum ", "\ndifference "] {
        assert!(custody.contains(part), "{part} in {custody}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn command_tries_and_sets_rules() {
    let desk = Desk::new().await;
    let paid = credit(&desk, "40").await;
    let line = [("USD", vec![(4_000, "A BATCH".to_owned())])];
    desk.send("statements", &file(ACCOUNT, today_of(&desk).await, &line)).await.ok();
    let shell = Shell::new(&desk);
    let secret = &desk.ada.operator_secret;
    let path = shell.folder.path().join("rules.toml");
    let named = path.display().to_string();
    let write = |text: &str| std::fs::write(&path, text).expect("written");
    write("[[rule]]\nname = \"amounts\"\nstrategy = \"amount\"\ndays = 31\n");
    assert_eq!(shell.ops(&desk, secret, &["rules", &named, "--dry-run"]), Err(Some(2)));
    assert_eq!(shell.ops(&desk, secret, &["rules", &named]), Err(Some(2)), "neither tried nor set");
    write("[[rule]]\nname = \"amounts\"\nstrategy = \"amount\"\n");
    let tried = shell.ops(&desk, secret, &["rules", &named, "--dry-run"]).expect("tried");
    let best = &tried[0]["suggestions"][0];
    assert_eq!((&best["rule"], &best["score"]), (&json!("amounts"), &json!(100)), "{tried:?}");
    assert_eq!(best["items"][0]["trans_id"], json!(paid));
    assert_eq!(shell.ops(&desk, secret, &["breaks"]).expect("listed").len(), 1, "nothing changed");
    let set = shell.ops(&desk, secret, &["rules", &named, "--reason", "Amounts are unique."]).expect("set");
    assert_eq!(set[0]["status"], "DONE");
    desk.rules_have_run().await;
    assert_eq!(shell.ops(&desk, secret, &["breaks"]).expect("listed"), Vec::<Value>::new());
    let shown = shell.ops(&desk, secret, &["rules"]).expect("shown");
    assert_eq!(shown, [json!({"name": "amounts", "strategy": "amount"})]);
    desk.app.stop().await;
}
