//! The pack of `daybook reconcile bank`: exit codes, files and formats.

use std::path::Path;

use daybook_domain::calendar::{Day, next_banking_day};
use daybook_domain::custody::Line;
use daybook_domain::custody::book::BookStatement;
use daybook_domain::{Bank, Currency, CustodyId, Origin};
use daybook_engine::Call;
use daybook_tests::shard;
use serde_json::json;

use super::Desk;
use super::reconciliation::{move_into_suspense, reconcile, record, run, stated_day};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn exit_code_tells_old_breaks_from_failures() {
    let desk = Desk::new().await;
    let (day, _) = stated_day(&desk).await;
    let report = record(&desk, (day, day.plus_days(30)), 1);
    assert_eq!((&report["old_break_count"], &report["tied_out"]), (&json!(2), &json!(true)), "{report}");
    assert_eq!(
        (&report["overdue_item_count"], &report["provisional"]),
        (&json!(4), &json!(true)),
        "{report}"
    );
    assert_eq!(report["tie_outs"][0]["stated_until"], json!(day.to_string()), "{report}");
    let before = (day.plus_days(-30), day.plus_days(-20));
    let (today, backwards) = ((day, day), (day, day.plus_days(-1)));
    for (days, more) in
        [(before, &[][..]), (backwards, &[]), (today, &["--format", "csv"]), (today, &["--format", "pdf"])]
    {
        let said = reconcile(&desk, days, more);
        assert_eq!((said.status.code(), said.stdout.len()), (Some(2), 0), "{said:?}");
    }
    let other = desk.app.platform("Other", true).await;
    let on = desk.app.database.options();
    let nowhere = ["--database-url", "postgres://127.0.0.1:1/nothing"].map(str::to_owned);
    for (platform, on) in [(&*other.client_id, &*on), ("nobody", &on), (&desk.app.client.client_id, &nowhere)]
    {
        let said = run(platform, on, today, &[]);
        assert_eq!((said.status.code(), said.stdout.len()), (Some(2), 0), "{said:?}");
    }
    let path = format!("/platforms/{}/reconciliation", other.client_id);
    let theirs = desk.ada.get(&path).await.ok();
    // Its own reserve was credited.
    assert_eq!((&theirs["break_count"], &theirs["open_item_count"]), (&json!(0), &json!(1)), "{theirs}");
    desk.app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn exit_code_tells_unstated_days() {
    let desk = Desk::new().await;
    let (day, _) = stated_day(&desk).await;
    record(&desk, (day, day), 0);
    let said = reconcile(&desk, (day, next_banking_day(day)), &[]);
    let text = String::from_utf8_lossy(&said.stdout).into_owned();
    assert_eq!(said.status.code(), Some(1), "{text}");
    assert!(text.contains(&format!(" PROVISIONAL: USD is stated until {day}.")), "{text}");
    desk.app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn exit_code_tells_a_difference() {
    let desk = Desk::new().await;
    move_into_suspense(&desk).await;
    let (day, _) = stated_day(&desk).await;
    let report = record(&desk, (day, day), 1);
    let tied = &report["tie_outs"][0];
    assert_eq!((&tied["unnamed"], &tied["difference"]), (&json!(2.0), &json!(0.0)), "{report}");
    assert_eq!((&report["tied_out"], &report["old_break_count"]), (&json!(false), &json!(0)), "{report}");
    desk.app.stop().await;
}

/// Books a day in euros whose lines have hostile ids, as no file may state them.
async fn hostile(desk: &Desk, day: Day) {
    let engine = &desk.app.service.engine;
    let platform = engine.access().platform_of_client(&desk.app.client.client_id).await.expect("a database");
    let custody = CustodyId::of(platform.expect("a platform").id, Bank::SANDBOX);
    let line = |id: &str| Line { id: id.to_owned(), amount: 500, transaction: None };
    let lines = vec![line("<script>alert(1)</script>"), line("=1+1,\"x\"")];
    let (currency, origin) = (Currency::parse("EUR").expect("ISO 4217"), Origin::PROCESS);
    let booking =
        BookStatement { custody, currency, day, opening: 0, closing: 1_000, lines, origin, details: None };
    engine.submit(Call::of(shard()), booking).await.expect("books");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pack_is_escaped_and_always_the_same() {
    let desk = Desk::new().await;
    let (day, _) = stated_day(&desk).await;
    hostile(&desk, day).await;
    let folder = tempfile::tempdir().expect("a folder");
    let path = |name: &str| folder.path().join(name).display().to_string();
    for name in ["a", "b"] {
        let said = reconcile(&desk, (day, day), &["-o", &path(name)]);
        assert!(said.status.success(), "{said:?}");
    }
    let again = reconcile(&desk, (day, day), &["-o", &path("a")]);
    assert_eq!(again.status.code(), Some(2), "{again:?}");
    let read =
        |folder: &str, name: &str| std::fs::read_to_string(Path::new(&path(folder)).join(name)).expect(name);
    let mut names: Vec<String> = std::fs::read_dir(path("a"))
        .expect("a folder")
        .map(|entry| entry.expect("a file").file_name().into_string().expect("a name"))
        .collect();
    names.sort();
    let lists =
        "break_ages breaks matches report restatements statements tie_out timing_differences write_offs";
    let mut expected: Vec<String> = lists.split(' ').map(|list| format!("{list}.csv")).collect();
    expected.extend(["reconciliation.html", "reconciliation.json"].map(str::to_owned));
    expected.sort();
    assert_eq!(names, expected);
    assert!(names.iter().all(|name| read("a", name) == read("b", name)));
    let page = read("a", "reconciliation.html");
    assert!(page.contains("<td>&lt;script&gt;alert(1)&lt;/script&gt;</td>"), "{page}");
    assert!(!page.contains("<script") && !page.contains("http"), "{page}");
    assert!(read("a", "breaks.csv").contains(r#","'=1+1,""x""","#), "{}", read("a", "breaks.csv"));
    for (format, beginning) in
        [("json", "{\n"), ("html", "<!DOCTYPE html>\n"), ("table", "The account ties out: ")]
    {
        let said = reconcile(&desk, (day, day), &["--format", format]);
        assert!(said.status.success() && said.stdout.starts_with(beginning.as_bytes()), "{said:?}");
    }
    assert_eq!(read("a", "reconciliation.json").as_bytes(), reconcile(&desk, (day, day), &["--json"]).stdout);
    desk.app.stop().await;
}
