//! A box opens in its own row only: neither in a row of another user nor in another row of the same user.

use daybook_tests::app::TestApp;
use daybook_tests::shard;
use daybook_vault::{Class, SubjectKeys};
use uuid::Uuid;

use super::subject;

fn opens(keys: &[SubjectKeys], id: Uuid, sealed: &[u8]) -> bool {
    keys.iter().any(|keys| Class::ALL.into_iter().any(|class| keys.open(class, id, sealed).is_ok()))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn box_in_another_row_does_not_open() {
    let app = TestApp::start().await;
    let (maria, jose) = (app.client.verified("Maria").await, app.client.verified("Jose").await);
    for us in [&maria, &jose] {
        let _ = us.node("DEPOSIT-US").await;
    }
    let mut keys = vec![];
    for user in [&maria.user_id, &jose.user_id, &app.client.user_id] {
        let found = app.service.engine.vault().keys(shard(), subject(user)).await.expect("reads");
        keys.push(found.expect("keys"));
    }
    let client = app.database.pg().client().await.expect("a connection");
    let boxes = "select event_id, sealed from event where sealed is not null";
    let rows = client.query(boxes, &[]).await.expect("rows");
    let boxes: Vec<(Uuid, Vec<u8>)> = rows.iter().map(|row| (row.get(0), row.get(1))).collect();
    assert!(boxes.len() > 6, "{} boxes", boxes.len());
    for (place, _) in &boxes {
        for (id, sealed) in &boxes {
            assert_eq!(opens(&keys, *place, sealed), place == id, "the box of {id} at {place}");
        }
    }
}
