//! Contested returns: the receiver's bank insists on a return. The notice is recorded for operators and moves no money.

use daybook_domain::Timestamp;
use daybook_engine::rails::EntryDirection;
use daybook_engine::rails::ach::{Contested, EarlierEntry, Reply, render_replies};
use daybook_engine::rails::bank::{BankPort, SandboxBank};
use daybook_tests::outgoing;
use serde_json::{Value, json};

use super::breaks::verify;
use super::returns::{OURS, back, outcomes, pulled};
use super::{Desk, names};

/// Returns the file in which the bank insists on its return of the pull with number `trace`.
fn contest(trace: u32, minor: i64) -> String {
    let entry = outgoing::entry(EntryDirection::Pull, "1232225674134", minor, trace);
    let earlier = |trace: &str, day: u16, code: &str| EarlierEntry {
        trace: trace.into(),
        settlement_day: Some(day),
        code: code.into(),
    };
    let contested = Contested {
        returned_on: Some("2026-01-30".parse().expect("a day")),
        settlement_day: Some(29),
        returned: earlier("051000010000007", 31, "R01"),
        dishonored: earlier("123456780000009", 33, "R68"),
    };
    let replies = [(&entry, Reply::Contested("R73", contested))];
    render_replies(&SandboxBank.originator("Sandbox"), Timestamp::from_ms(0), &replies).expect("a file")
}

/// Hands in a file of one entry. Returns the entry's outcome, its text, and the names of the events.
async fn hand_in(desk: &Desk, file: &str) -> (Value, Vec<&'static str>) {
    let before = desk.head().await;
    let answer = desk.send("files/returns", file).await.ok();
    let entry = &answer["returns"][0];
    let needs_person = json!([entry]) == answer["needs_person"];
    let found = json!({"outcome": entry["outcome"], "text": entry["text"], "needs_person": needs_person});
    (found, names(&desk.since(before).await))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn contested_return_is_recorded_once() {
    let desk = Desk::new().await;
    let (id, _, trace) = pulled(&desk).await;
    let returned = desk.send("files/returns", &back(OURS, &[(trace, 2_500)])).await.ok();
    assert_eq!(outcomes(&returned), ["returned"], "{returned}");
    let list = desk.returned().await;
    assert_eq!((&list[0]["_id"], &list[0]["contests"]), (&json!(id), &json!([])));
    let sums = [desk.get("trial-balance").await.ok()["accounts"].clone(), desk.get("open-items").await.ok()];

    let file = contest(trace, 2_500);
    let recorded = json!({
        "outcome": "contest_recorded", "text": "Timely original return", "needs_person": true,
    });
    assert_eq!(hand_in(&desk, &file).await, (recorded, vec!["transaction.return_contested"]));
    let again = json!({"outcome": "contest_recorded_before", "text": null, "needs_person": false});
    assert_eq!(hand_in(&desk, &file).await, (again, vec![]));

    let contest = json!({
        "code": "R73", "dishonored_code": "R68", "dishonored_trace": "123456780000009",
        "reason": "Timely original return", "returned_code": "R01", "returned_on": "2026-01-30",
        "returned_trace": "051000010000007",
    });
    assert_eq!(desk.returned().await[0]["contests"], json!([contest]));
    let after = [desk.get("trial-balance").await.ok()["accounts"].clone(), desk.get("open-items").await.ok()];
    assert_eq!(after, sums);
    verify(&desk);
    desk.app.stop().await;
}

#[tokio::test]
async fn unusable_contest_is_reported() {
    let desk = Desk::new().await;
    let (_, _, trace) = pulled(&desk).await;
    let good = contest(trace, 2_500);
    let with = |column: usize, new: &str| {
        let mut lines: Vec<_> = good.lines().map(str::to_owned).collect();
        lines[3].replace_range(column - 1..column - 1 + new.len(), new);
        lines.join("\n")
    };
    let wrong = |field: &str, expected: &str, found: &str| {
        format!("Timely original return; line 4, addenda, {field}: expected {expected}, found \"{found}\"")
    };
    let table = [
        (contest(9_999_999, 2_500), "contested", "Timely original return".to_owned()),
        (contest(trace, 2_499), "other_amount", "the entry was of another amount".to_owned()),
        (with(22, "261301"), "contested", wrong("date of the return", "a date or blanks", "261301")),
        (
            with(77, "71"),
            "contested",
            wrong("code of the dishonored return", "that of a dishonored return, such as \"68\"", "71"),
        ),
    ];
    for (file, outcome, text) in table {
        let reported = json!({"outcome": outcome, "text": text, "needs_person": true});
        assert_eq!(hand_in(&desk, &file).await, (reported, vec![]));
    }
}
