//! Months in a platform's own time zone.

use daybook_domain::Timestamp;
use daybook_domain::calendar::{Day, Month};
use daybook_tests::client::Client;
use serde_json::Value;

use super::{follow, list, still};

/// Offset of Kiritimati from UTC, the same all year, in milliseconds.
const AHEAD_MS: i64 = 14 * 60 * 60 * 1_000;

async fn now(client: &Client) -> i64 {
    client.advance(1).await.ok()["now"].as_i64().expect("a time")
}

/// Makes one payment five seconds before `at` and one five seconds after it.
async fn pays_around(client: &Client, node: &str, at: i64, amounts: [&str; 2]) {
    for (amount, side) in amounts.into_iter().zip([-5_000, 5_000]) {
        client.advance((at + side - now(client).await) / 1_000).await.ok();
        client.credit(node, amount).await.ok();
    }
}

#[tokio::test]
async fn months_follow_time_zone_of_platform() {
    let (app, _) = still().await;
    for (zone, ahead_ms) in [("Pacific/Kiritimati", AHEAD_MS), ("UTC", 0)] {
        let client = app.platform_in(zone.split('/').next_back().expect("a name"), zone).await;
        let us = client.own_session().await;
        let node = us.node("DEPOSIT-US").await;
        let today = now(&client).await;
        let first = Month::of(Day::of(Timestamp::from_ms(today + ahead_ms)));
        let end = |month: Month| month.next().start().ms() - ahead_ms;
        pays_around(&client, &node, end(first), ["1.00", "0.20"]).await;
        // In the other zone, the second month ends fourteen hours earlier or later.
        pays_around(&client, &node, end(first.next()), ["0.03", "5"]).await;

        let statements = list(&us, &format!("/nodes/{node}/statements")).await;
        let months = [first.next(), first];
        let ends: Vec<_> = months
            .map(|month| (format!("{node}-USD-{month}"), end(month.previous()), end(month) - 1))
            .into_iter()
            .collect();
        let told = |one: &Value| {
            let moment = |name: &str| one[name].as_i64().expect("a moment");
            (one["_id"].as_str().expect("an id").to_owned(), moment("date_start"), moment("date_end"))
        };
        assert_eq!(statements.iter().map(told).collect::<Vec<_>>(), ends, "{zone}");
        for (statement, [opening, ending]) in statements.iter().zip([["1.00", "1.23"], ["0.00", "1.00"]]) {
            let record = follow(&us, statement, "json").await;
            assert_eq!([record.raw("opening_balance"), record.raw("ending_balance")], [opening, ending]);
            let csv = follow(&us, statement, "csv").await.text();
            let lines: Vec<_> = csv.lines().collect();
            let [_, first, .., last] = &lines[..] else { panic!("{csv}") };
            let begins = Timestamp::from_ms(statement["date_start"].as_i64().expect("a moment"));
            let hour = (begins.ms() - Day::of(begins).start().ms()) / 3_600_000;
            assert!(
                first.starts_with(&format!("{}T{hour:02}:00:00.000Z,OPENING,", Day::of(begins))),
                "{first}"
            );
            assert!(last.contains(":59:59.999Z,ENDING,"), "{last}");
        }
    }
}
