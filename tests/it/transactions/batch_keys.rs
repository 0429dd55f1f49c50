//! Idempotency of batches: a key for the whole call, a key per entry, and both together.

use daybook_tests::bodies::transfer;
use futures::future::join_all;
use serde_json::{Value, json};

use super::batch::{batch, outcomes, told};
use super::{own, still, trans_count};

/// Returns a transaction with an idempotency key of its own.
fn keyed(to: &str, amount: &str, key: &str) -> Value {
    let mut entry = transfer(to, amount);
    entry["extra"]["idempotency_key"] = json!(key);
    entry
}

const USED: &str = "409 400 idempotency_key_used";

#[tokio::test]
async fn entry_key_is_shared_with_single_calls() {
    let app = still().await;
    let us = own(&app).await;
    let (from, other, to) = (us.funded("10").await, us.funded("10").await, us.node("DEPOSIT-US").await);
    let before = trans_count(&us).await;
    let entries =
        [keyed(&to, "1", "k1"), keyed(&to, "1", "k1"), keyed(&to, "0", "k2"), keyed(&to, "2", "k2")];
    let first = outcomes(batch(&us, &from, "", &entries)).await;
    assert_eq!(first.iter().map(told).collect::<Vec<_>>(), ["made", USED, "400 200 invalid_field", "made"]);
    assert_eq!(first[1]["error"]["original_id"], first[0]["_id"]);
    assert_eq!(first[1]["error"]["same_payload"], true);
    let again = [keyed(&to, "1", "k1"), keyed(&to, "1", "k2"), keyed(&to, "1", "k3"), keyed(&to, "1", "")];
    let again = outcomes(batch(&us, &from, "", &again)).await;
    assert_eq!(again.iter().map(told).collect::<Vec<_>>(), [USED, USED, "made", "400 200 invalid_field"]);
    assert_eq!(again[3]["error"]["field"], "extra.idempotency_key");
    assert_eq!(again[0]["error"]["original_id"], first[0]["_id"]);
    assert_eq!(again[1]["error"]["original_id"], first[3]["_id"]);
    assert_eq!(again[1]["error"]["same_payload"], false);
    // The key is the same in a single call from the same node. From another node it is a different key.
    let alone = async |from: &str, key: &str| us.transfer(from, &transfer(&to, "1")).key(key).send().await;
    assert_eq!(alone(&from, "k1").await.refused(409, "400")["original_id"], first[0]["_id"]);
    let made = alone(&from, "k4").await.ok();
    let used = outcomes(batch(&us, &from, "", &[keyed(&to, "1", "k4")])).await;
    assert_eq!(used[0]["error"]["original_id"], made["_id"]);
    let _ = alone(&other, "k1").await.ok();
    assert_eq!(trans_count(&us).await, before + 5);
}

#[tokio::test]
async fn key_of_call_covers_the_whole_batch() {
    let app = still().await;
    let us = own(&app).await;
    let (from, to) = (us.funded("10").await, us.node("DEPOSIT-US").await);
    let before = trans_count(&us).await;
    let send = async |entries: &[Value]| batch(&us, &from, "", entries).key("k1").send().await;
    // A call that records nothing does not use up its key.
    for refused in [json!(5), transfer("7ZZZZZZZZZZZZZZZZZZZZZZZZZ", "1")] {
        let answer = send(&[refused]).await.ok();
        assert_eq!(answer["trans"][0]["success"], false);
    }
    let entries = [transfer(&to, "0"), keyed(&to, "1", "k1"), keyed(&to, "2", "k2")];
    let made = send(&entries).await.ok()["trans"].clone();
    assert_eq!(told(&made[1]), "made", "the same text is another key");
    for (entries, same) in [(&entries[..], true), (&entries[1..], false), (&[transfer(&to, "3")], false)] {
        let error = send(entries).await.refused(409, "400");
        assert_eq!((&error["original_id"], &error["same_payload"]), (&made[1]["_id"], &json!(same)));
        assert_eq!(error["code"], "idempotency_key_used");
    }
    // The entries' own keys also hold if the call has another key.
    let again = outcomes(batch(&us, &from, "", &entries).key("k9")).await;
    assert_eq!(again.iter().map(told).collect::<Vec<_>>(), ["400 200 invalid_field", USED, USED]);
    assert_eq!(trans_count(&us).await, before + 2);
}

#[tokio::test]
async fn concurrent_batches_with_one_key_execute_once() {
    let app = still().await;
    let us = own(&app).await;
    let (from, to) = (us.funded("100").await, us.node("DEPOSIT-US").await);
    let before = trans_count(&us).await;
    let entries: Vec<Value> = (0..5).map(|_| transfer(&to, "1")).collect();
    let answers = join_all((0..16).map(|_| batch(&us, &from, "", &entries).key("k1").send())).await;
    let (done, refused): (Vec<_>, Vec<_>) = answers.into_iter().partition(|answer| answer.status == 200);
    assert_eq!((done.len(), refused.len()), (1, 15));
    let first = done[0].ok()["trans"][0]["_id"].clone();
    for answer in refused {
        assert_eq!(answer.refused(409, "400")["original_id"], first);
    }
    assert_eq!(trans_count(&us).await, before + 5);
}
