//! Verification while tiles grow. A missing tile is a finding only if it is still missing at a second look.

use daybook_cli::config::Anchors;
use daybook_log::postgres::PostgresLog;

use super::anchored::{Anchored, verify};
use crate::writers::fresh;

#[tokio::test]
async fn tile_added_during_verification_is_not_missing() {
    let anchored = Anchored::new().await;
    let client = anchored.database.pg().client().await.expect("connects");
    // One look reads two pages, of which the second is empty. The tile of the upper level appears from the third page
    // on.
    let grow = "create sequence page; alter table tile rename to tile_later;
        create view tile as select * from tile_later where level = 0 or nextval('page') > 2";
    client.batch_execute(grow).await.expect("is done");
    let log = PostgresLog::new(fresh(&anchored.database));
    let report = verify(&log, Anchors::default()).await;
    assert_eq!((report.findings, report.unchecked), (vec![], vec![]));
    let pages: i64 = client.query_one("select last_value from page", &[]).await.expect("a number").get(0);
    assert!(pages > 2, "the tile was there at once: {pages}");
}
