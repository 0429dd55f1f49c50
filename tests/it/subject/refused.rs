//! Refused erasures: each reason must end before the user can be erased.

use daybook_domain::user::retain::HoldChange;
use daybook_domain::user::{HoldReason, Refusal};
use daybook_engine::{StoresError, SubmitError};

use super::{Desk, close};

async fn refused(desk: &Desk, user: &str, refusal: Refusal) {
    match desk.erase(user).await {
        Err(StoresError::Submit(SubmitError::Refused(found))) => assert_eq!(found, refusal.into()),
        other => panic!("{refusal:?} was expected: {other:?}"),
    }
    let vault = desk.app.service.engine.vault();
    let keys = vault.keys(daybook_engine::SHARD, super::subject(user)).await.expect("reads");
    assert!(keys.is_some(), "a user that is not erased keeps its keys");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn hold_and_money_prevent_erasure() {
    let desk = Desk::new().await;
    let us = desk.app.client.verified("Maria").await;
    let user = us.user_id.clone();
    refused(&desk, &user, Refusal::NotClosed).await;
    let node = us.funded("5").await;
    close(&us).await;
    refused(&desk, &user, Refusal::HasMoney).await;
    desk.retain(&user, None, HoldChange::Set(HoldReason::Litigation)).await;
    refused(&desk, &user, Refusal::OnHold).await;
    desk.retain(&user, None, HoldChange::Released).await;
    refused(&desk, &user, Refusal::HasMoney).await;
    assert_eq!(us.balance(&node).await, "5.00");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn erasure_waits_for_statement_and_retention() {
    let desk = Desk::new().await;
    let us = desk.app.client.verified("Maria").await;
    let user = us.user_id.clone();
    let node = us.funded("5").await;
    let _ = desk.app.client.debit(&node, "5").await.ok();
    close(&us).await;
    refused(&desk, &user, Refusal::UnderWay).await;
    desk.explained().await;
    refused(&desk, &user, Refusal::RetentionUnset).await;
    let tomorrow = desk.app.service.engine.clock().now().plus_ms(3 * 86_400_000);
    desk.retain(&user, Some(tomorrow.ms()), HoldChange::Stays).await;
    refused(&desk, &user, Refusal::Retained).await;
    let _ = desk.app.client.advance(3 * 24 * 60 * 60).await.ok();
    desk.erase(&user).await.expect("its day has come");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn own_user_of_platform_cannot_be_erased() {
    let desk = Desk::new().await;
    refused(&desk, &desk.app.client.user_id, Refusal::OwnUserErased).await;
}
