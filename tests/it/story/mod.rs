//! The worked example of `docs/how-to/late-return.md`: one ACH pull, one fee, the statement, one late return. The page
//! is what running it says; `DAYBOOK_BLESS=1 cargo test -p daybook-tests story` writes it anew.

mod ledger;

use std::fmt::Write as _;
use std::fs;
use std::time::Duration;

use daybook_tests::app::TestApp;
use daybook_tests::bodies;
use daybook_tests::client::{Session, until};
use ledger::Ledger;
use serde_json::{Value, json};

use crate::architecture::root;

const PAGE: &str = "docs/how-to/late-return.md";

const OPENING: &str = "# A pull, a fee, a statement, a late return

Every posting and every balance of one story. This page is written by running it (`tests/it/story/mod.rs`), so it says
what happens. Amounts are dollars. `Dr` is a debit, `Cr` a credit; the rules are in
[reference/money.md](../reference/money.md).

Ann has a bank account outside and a wallet here. She pulls 100.00 from the one onto the other; the platform takes a fee
of 1.50. The money settles, the bank's statement confirms it, and six weeks later Ann's bank takes it back: she says
that she never authorised it. The clock is the sandbox's, advanced by `POST /v3.1/sandbox/clock/advance`.
";

/// Ann, her nodes, the platform's fee node, and what was written so far.
struct Story {
    app: TestApp,
    ann: Session,
    bank: String,
    wallet: String,
    ledger: Ledger,
    page: String,
}

impl Story {
    async fn begin() -> Self {
        let app = TestApp::settling_after(Duration::from_mins(15)).await;
        let ann = app.client.verified("Ann Story").await;
        let us = app.client.own_session().await;
        let fees = us.node("LEDGER-US").await;
        let bank = ann.node("ACH-US").await;
        let told = ann.call("PATCH", &format!("/nodes/{bank}")).json(&json!({"micro": [0.1, 0.1]}));
        assert_eq!(told.send().await.ok()["allowed"], "CREDIT-AND-DEBIT");
        let wallet = ann.node("DEPOSIT-US").await;
        let names = [(wallet.clone(), "ann"), (fees, "fees")];
        let ledger = Ledger::new(&app, names).await;
        Self { app, ann, bank, wallet, ledger, page: OPENING.to_owned() }
    }

    /// Tells what happened since, in the words of `title`.
    async fn tell(&mut self, title: &str, text: &str) {
        let told = self.ledger.since_last(&self.app).await;
        write!(self.page, "\n## {title}\n\n{text}\n\n{told}").expect("a string grows");
    }

    async fn advance(&self, seconds: u64) {
        let call = self.app.client.call("POST", "/sandbox/clock/advance").json(&json!({"seconds": seconds}));
        let _ = call.send().await.ok();
    }

    /// Waits until files are with the bank and yesterday is stated, with this much on the bank's account, in minor units.
    async fn at_the_bank(&self, minor: i64) {
        until("the bank has done its work", async || {
            let is_done = self.ledger.bank_is_done(&self.app).await;
            (is_done && self.ledger.at_the_bank(&self.app).await == minor).then_some(())
        })
        .await;
    }

    async fn pull(&self, fees: &str) -> String {
        let mut body = bodies::transfer(&self.wallet, "100.00");
        body["fees"] = json!([{"fee": 1.50, "note": "Service", "to": {"id": fees}}]);
        let made: Value = self.ann.transfer(&self.bank, &body).send().await.ok();
        made["_id"].as_str().expect("an id").to_owned()
    }
}

/// What the reserve got, 1,000,000.00, and the two micro-deposits of 0.10 that it paid.
const BEFORE: i64 = 100_000_000 - 20;

#[tokio::test]
async fn the_worked_example_is_what_happens() {
    let mut story = Story::begin().await;
    // The bank states what happened until now, so that the story begins with a clean slate; and far from midnight.
    story.advance(until_tomorrow_noon(&story.app)).await;
    story.at_the_bank(BEFORE).await;
    story.ledger.skip(&story.app).await;

    let fees = story.ledger.id_of("fees");
    let pull = story.pull(&fees).await;
    story.tell("Created", "Nothing has moved. A sender outside has nothing here that could be held.").await;

    story.advance(300).await;
    story.ann.when(&story.wallet, &pull, "PROCESSING-DEBIT").await;
    story.tell("PROCESSING-DEBIT", "The amount is on its way from Ann's bank, and in transit here.").await;

    story.advance(300).await;
    story.ann.when(&story.wallet, &pull, "PROCESSING-CREDIT").await;
    story.at_the_bank(BEFORE).await;
    let text = "The pull went into a file for the bank first. What Ann will get is announced: pending, not available.";
    story.tell("PROCESSING-CREDIT", text).await;

    story.advance(300).await;
    story.ann.when(&story.wallet, &pull, "SETTLED").await;
    story.tell("SETTLED", "Transit is given to Ann and to the fee node.").await;

    story.advance(86_400).await;
    story.at_the_bank(BEFORE + 10_000).await;
    let text = "The next day the bank's statement shows 100.00 and so explains what was open on the rail. Only now is it \
                cash.";
    story.tell("The statement", text).await;

    story.advance(42 * 86_400).await;
    story.at_the_bank(BEFORE + 10_000).await;
    story.ledger.skip(&story.app).await;
    let path = format!("/sandbox/trans/{pull}/return");
    let _ = story.app.client.call("POST", &path).json(&json!({"code": "R10"})).send().await.ok();
    let text = "Six weeks later Ann's bank returns the pull with R10, which counts for 60 days. Every cent goes back to \
                where it came from, the fee too; what the bank will take from us is owed to it. Nothing more is pulled \
                from her account until she authorises it anew.";
    story.tell("RETURNED", text).await;

    story.advance(86_400).await;
    story.at_the_bank(BEFORE).await;
    story
        .tell("The statement after", "The bank took its 100.00. Nothing is open, and nobody lost a cent.")
        .await;

    check(&story.page);
}

fn until_tomorrow_noon(app: &TestApp) -> u64 {
    let now = app.service.engine.clock().now().ms();
    let ms = 86_400_000 - now.rem_euclid(86_400_000) + 43_200_000;
    u64::try_from(ms / 1000).expect("later than now")
}

/// Compares the page with the file, or writes it if that was asked for.
fn check(page: &str) {
    let path = root().join(PAGE);
    if std::env::var_os("DAYBOOK_BLESS").is_some_and(|bless| bless == "1") {
        fs::write(&path, page).expect("written");
    }
    let there = fs::read_to_string(&path).expect("the page; bless it?");
    assert_eq!(page, there, "{PAGE} does not say what happens");
}
