//! Lists: their members, order and totals.

use daybook_domain::node::NodeKind;
use daybook_domain::testing::fixture::{
    ANN, ANNS, ASLEEP, BOB, CAT, DAN, FEES, OWNER, PLATFORM, RESERVE, lower,
};
use daybook_domain::transaction::Status;
use daybook_domain::user::Permission;
use daybook_domain::{SubnetId, TransactionId, UserId};
use daybook_projector::Reads;

use super::story::SHARD;
use super::*;

/// Reads all pages of a list, of two items each, up to the first empty page. Checks that every page reports `total`.
async fn pages<T>(total: usize, page: impl AsyncFn(Page) -> Listed<T>) -> Vec<T> {
    let mut all = vec![];
    for number in 1.. {
        let listed = page(Page { number, size: 2 }).await;
        assert_eq!(listed.total, total as u64);
        if listed.items.is_empty() {
            break;
        }
        all.extend(listed.items);
    }
    assert_eq!(all.len(), total);
    all
}

async fn users(reads: &Reads, total: usize) -> Vec<UserId> {
    pages(total, async |page| reads.lists().users_of_platform(SHARD, PLATFORM, page).await.expect("lists"))
        .await
}

async fn in_status(reads: &Reads, status: Status, total: usize) -> Vec<u128> {
    let list = async |page| {
        reads.lists().transactions_of_platform(SHARD, PLATFORM, Some(status), page).await.expect("lists")
    };
    pages(total, list).await.into_iter().map(TransactionId::as_u128).collect()
}

#[tokio::test]
async fn deep_page_reads_only_rows_it_shows() {
    const QUERY: &str = include_str!("../../../crates/projector/src/models/members/list.sql");
    let (_reads, database) = Story::begin().await.projected().await;
    let client = database.patient_client().await;
    let list = "00000000-0000-0000-0000-0000000000ff";
    let rows = format!(
        "insert into members_v3 select {SHARD}, '{list}', 5, n, md5(n::text)::uuid, n > 1 from generate_series(1, 100000) n;
         insert into counters_v3 values ({SHARD}, '{list}', 5, 99999, 100000)"
    );
    client.batch_execute(&rows).await.expect("takes them");
    client.batch_execute("vacuum analyze members_v3").await.expect("is vacuumed");
    let page = format!("prepare page (smallint, uuid, smallint, bigint, bigint) as {QUERY}");
    client.batch_execute(&page).await.expect("is a query");
    for plan in ["generic", "custom"] {
        let set = format!("set plan_cache_mode = force_{plan}_plan");
        client.batch_execute(&set).await.expect("is set");
        let explain = "explain (analyze, costs off, timing off, summary off)";
        let explain = format!("{explain} execute page ({SHARD}, '{list}', 5, 90000, 20)");
        let lines = client.query(&explain, &[]).await.expect("explains");
        let lines: Vec<String> = lines.iter().map(|line| line.get(0)).collect();
        let rows = |line: &String| line.split_once("actual rows=")?.1.split([' ', '.']).next()?.parse().ok();
        let most: Option<u32> = lines.iter().filter_map(rows).max();
        let walks =
            lines.iter().any(|line| line.contains("Seq Scan on members_v3") || line.contains("Removed"));
        assert!(most == Some(20) && !walks, "{plan}: {}", lines.join("\n"));
    }
}

#[tokio::test]
async fn removed_user_leaves_pages_in_order() {
    let mut story = Story::begin().await;
    let (reads, _database) = story.reads().await;
    project(&reads).await;
    let everybody = [OWNER, ANN, BOB, CAT, DAN];
    assert_eq!(users(&reads, 5).await, everybody);
    let rest: [(UserId, &[UserId]); 3] =
        [(BOB, &[OWNER, ANN, CAT, DAN]), (DAN, &[OWNER, ANN, CAT]), (ANN, &[OWNER, CAT])];
    for (user, rest) in rest {
        story.tell(lower(user, Permission::MakeItGoAway)).await;
        project(&reads).await;
        assert_eq!(users(&reads, rest.len()).await, rest);
    }
    // A user created later comes last.
    let new = UserId::from_u128(1 << 80);
    story.tell(fixture::person(new, &[])).await;
    project(&reads).await;
    assert_eq!(users(&reads, 3).await, [OWNER, CAT, new]);
}

#[tokio::test]
async fn platform_node_list_shows_active_nodes() {
    let story = Story::begin().await;
    let (reads, _database) = story.projected().await;
    let nodes = async |kind, total| {
        pages(total, async |page| {
            reads.lists().nodes_of_platform(SHARD, PLATFORM, kind, page).await.expect("lists")
        })
        .await
    };
    let all = nodes(None, 14).await;
    assert!(!all.contains(&ASLEEP));
    assert_eq!((all.first(), all.last()), (Some(&RESERVE), Some(&fixture::GATED)));
    assert_eq!(nodes(Some(NodeKind::LedgerUs), 2).await, [FEES, fixture::TIPS]);
    let deposits = nodes(Some(NodeKind::DepositUs), 6).await;
    let expected = all.into_iter().filter(|node| fixture::kind(*node) == NodeKind::DepositUs);
    assert_eq!(deposits, expected.collect::<Vec<_>>());
    assert_eq!(nodes(Some(NodeKind::ClearingUs), 0).await, []);
}

#[tokio::test]
async fn status_filter_of_transactions_is_exact() {
    let mut story = Story::begin().await;
    let (reads, _database) = story.reads().await;
    story.tell_all((1_000..1_009).map(|number| pay(number, 5))).await;
    story.tell_all((1_001..1_009).map(debit)).await;
    story.tell_all((1_003..1_009).map(credit)).await;
    story.tell_all((1_005..1_009).map(settle)).await;
    story.tell(bounce(1_008, "R03")).await;
    story.tell(fixture::cancel(1_000)).await;
    story.tell_all([pay(1_009, 5), queue(1_009, QueueReason::Risk).into()]).await;
    project(&reads).await;
    let numbers = |range: std::ops::Range<u128>| range.collect::<Vec<_>>();
    // Also settled: the credits to Ann's node and to the reserve, and two micro-deposits.
    let settled = in_status(&reads, Status::Settled, 3 + 4).await;
    assert!(settled.ends_with(&numbers(1_005..1_008)), "{settled:?}");
    assert_eq!(in_status(&reads, Status::ProcessingDebit, 2).await, numbers(1_001..1_003));
    assert_eq!(in_status(&reads, Status::ProcessingCredit, 2).await, numbers(1_003..1_005));
    assert_eq!(in_status(&reads, Status::Canceled, 1).await, [1_000]);
    assert_eq!(in_status(&reads, Status::Returned, 1).await, [1_008]);
    assert_eq!(in_status(&reads, Status::Queued, 1).await, [1_009]);
    assert_eq!(in_status(&reads, Status::Created, 0).await, []);
    let of_a_side = async |status, total| {
        let of_user = pages(total, async |page| {
            reads.lists().transactions_of_user(SHARD, BOB, status, page).await.expect("lists")
        });
        let of_node = pages(total, async |page| {
            reads.lists().transactions_of_node(SHARD, BOBS, status, page).await.expect("lists")
        });
        let (of_user, of_node) = (of_user.await, of_node.await);
        assert_eq!(of_user, of_node);
        of_user.into_iter().map(TransactionId::as_u128).collect::<Vec<_>>()
    };
    assert_eq!(of_a_side(None, 10).await, numbers(1_000..1_010));
    assert_eq!(of_a_side(Some(Status::Settled), 3).await, numbers(1_005..1_008));
    assert_eq!(of_a_side(Some(Status::ProcessingDebit), 2).await, numbers(1_001..1_003));
    assert_eq!(of_a_side(Some(Status::Created), 0).await, [0; 0]);
}

#[tokio::test]
async fn lists_with_same_id_are_independent() {
    let mut story = Story::begin().await;
    let (reads, _database) = story.reads().await;
    let numbers = [3, 1, 2];
    story.tell_all(numbers.map(|number| subnet(number, ANNS).into())).await;
    story.tell(subnet(4, BOBS)).await;
    story.tell_all(numbers.map(|number| subscription(number).into())).await;
    project(&reads).await;
    let subnets: Vec<SubnetId> =
        pages(3, async |page| reads.lists().subnets_of_node(SHARD, ANNS, page).await.expect("lists")).await;
    assert_eq!(subnets, numbers.map(|number| subnet(number, ANNS).id));
    let subscriptions = pages(3, async |page| {
        reads.lists().subscriptions_of_platform(SHARD, PLATFORM, page).await.expect("lists")
    });
    assert_eq!(subscriptions.await, numbers.map(|number| subscription(number).id));
    let paid = reads.lists().transactions_of_node(SHARD, ANNS, None, PAGE).await.expect("lists");
    assert_eq!(shown(paid).1, 1);
    let nobodys = reads.lists().subscriptions_of_platform(SHARD, NOBODY, PAGE).await.expect("lists");
    assert_eq!(shown(nobodys), (vec![], 0));
}
