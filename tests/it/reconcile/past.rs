//! Reconciliation with `--at`: the state at a past position is compared with the log up to it.

use serde_json::{Value, json};

use super::{head, lived, reconcile, reconciled, same, sql};

/// Returns the lines about differing rows.
fn differing(lines: &[Value]) -> Vec<&Value> {
    lines.iter().filter(|line| line.get("new").is_some_and(|new| !new.is_number())).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn past_positions_have_no_differences() {
    let app = lived().await;
    let head = head(&app).await;
    for position in (0..=head).rev().step_by(usize::try_from(head / 3).expect("few").max(1)) {
        let summary = same(&app, &["--at", &position.to_string()]);
        assert_eq!(summary["positions"], json!({"1": [position, position]}));
        assert_eq!(summary["skipped"], json!([]));
    }
    assert_eq!(same(&app, &["--at", "1970-01-01T00:00:00Z"])["positions"], json!({"1": [0, 0]}));
    let text = String::from_utf8(reconcile(&app, &["--at", &head.to_string()]).stdout).expect("text");
    assert!(text.contains("not compared: members: its tables tell of now alone"), "{text}");
    assert!(text.contains("not compared: platform: not asked for"), "{text}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn damage_after_position_is_not_compared() {
    let app = lived().await;
    let half = head(&app).await / 2;
    let at = ["--at", &half.to_string()];
    sql(&app, &format!("update entries_v2 set n = n + 1 where position > {half}")).await;
    same(&app, &at);
    // These rows only point into the log. Wrong ones are reported, while balances are still read from the log.
    let last = format!("select max(position) from entries_v2 where position <= {half}");
    sql(&app, &format!("update entries_v2 set n = n + 16 where position = ({last})")).await;
    let (lines, code) = reconciled(&app, &at);
    let tables: Vec<_> = differing(&lines).iter().map(|line| line["table"].clone()).collect();
    assert_eq!((code, tables), (Some(1), vec![json!("entries")]), "{lines:?}");
    sql(&app, &format!("delete from entries_v2 where position = ({last})")).await;
    let (lines, code) = reconciled(&app, &[&at[..], &["--model", "entries"]].concat());
    let found = differing(&lines);
    assert_eq!((code, found.len(), found[0]["old"].is_null()), (Some(1), 1, true), "{lines:?}");
    sql(&app, "delete from users_v1 where ctid = (select min(ctid) from users_v1)").await;
    let (lines, code) = reconciled(&app, &[&at[..], &["--model", "users"]].concat());
    let found = differing(&lines);
    assert_eq!((code, found.len(), found[0]["old"].is_null()), (Some(1), 1, true), "{lines:?}");
}
