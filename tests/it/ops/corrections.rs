//! Notifications of change: a bank answers an entry with the right data of its account. The node is corrected, and the
//! next file has that data.

use daybook_domain::custody::cut::{CutFile, SendFile};
use daybook_domain::posting::Rail;
use daybook_domain::transaction::Direction;
use daybook_domain::{CustodyId, Event, FileId, Timestamp, custody};
use daybook_engine::Call;
use daybook_engine::rails::EntryDirection;
use daybook_engine::rails::ach::{Contested, Dishonored, EarlierEntry, Reply, render_replies};
use daybook_engine::rails::bank::{BankPort, SandboxBank};
use daybook_tests::client::{Session, until};
use daybook_tests::process::run_on;
use daybook_tests::{bodies, outgoing, shard};
use futures::future::join_all;
use serde_json::{Value, json};

use super::{Desk, names, returns::outcomes};
use crate::subject;
use crate::webhooks::Hook;

/// A pull in a file.
struct Pull {
    id: String,
    file: String,
    /// Content of the file.
    text: String,
    /// Number in the trace of its entry.
    number: u32,
}

impl Pull {
    /// Returns the line of its entry.
    fn entry(&self) -> &str {
        let trace = format!("{:07}", self.number);
        self.text.lines().find(|line| line.starts_with('6') && line.ends_with(&trace)).expect("an entry")
    }
}

/// Creates a transfer of `dollars` between the nodes, and waits until its entry is in a file.
async fn filed(desk: &Desk, us: &Session, (from, body): (&str, &Value), dollars: u32) -> Pull {
    let made = us.transfer(from, body).send().await.ok();
    let id = made["_id"].as_str().expect("an id").to_owned();
    let _ = desk.app.client.advance(600).await.ok();
    in_a_file(desk, id, dollars).await
}

async fn in_a_file(desk: &Desk, id: String, dollars: u32) -> Pull {
    let amount = format!("{:010}", dollars * 100);
    until("the entry is in a file", async || {
        let files = desk.get("files").await.ok();
        for file in files["files"].as_array().expect("a list").iter().rev() {
            let file = file["_id"].as_str().expect("an id").to_owned();
            let text = desk.get(&format!("files/{file}")).await.text();
            let entry = text.lines().find(|line| line.starts_with('6') && line[29..39] == amount);
            if let Some(number) = entry.map(|entry| entry[87..94].parse().expect("a number")) {
                return Some(Pull { id: id.clone(), file, text, number });
            }
        }
        None
    })
    .await
}

/// Creates a pull of `dollars` from `bank` to a new node, and waits until it is in a file.
async fn pulled(desk: &Desk, bank: &str, dollars: u32) -> Pull {
    let to = desk.us.node("DEPOSIT-US").await;
    let body = bodies::transfer(&to, &dollars.to_string());
    filed(desk, &desk.us, (bank, &body), dollars).await
}

/// Returns the file by which the bank replies to the entries with these numbers.
fn replies(direction: EntryDirection, replies: &[(u32, Reply<'_>)]) -> String {
    let entry = |&(number, _): &(u32, Reply<'_>)| outgoing::entry(direction, "1232225674134", 100, number);
    let entries: Vec<_> = replies.iter().map(entry).collect();
    let replies: Vec<_> = entries.iter().zip(replies.iter().map(|(_, reply)| reply.clone())).collect();
    render_replies(&SandboxBank.originator("Sandbox"), Timestamp::from_ms(0), &replies).expect("a file")
}

/// Returns a notification of change about a pull.
fn change(pull: &Pull, code: &str, data: &str) -> String {
    replies(EntryDirection::Pull, &[(pull.number, Reply::Changed(code, data))])
}

async fn answer(desk: &Desk, file: &str) -> Value {
    desk.send("files/returns", file).await.ok()
}

/// Returns the last digits of the account number.
async fn digits(desk: &Desk, bank: &str) -> String {
    desk.us.get_node(bank).await.ok()["info"]["account_num"].as_str().expect("a text").to_owned()
}

/// Returns the number of corrections after `position`.
async fn corrected_since(desk: &Desk, position: u64) -> usize {
    names(&desk.since(position).await).iter().filter(|name| **name == "node.corrected").count()
}

#[tokio::test]
async fn next_file_has_the_corrected_account() {
    let desk = Desk::new().await;
    let bank = desk.us.bank().await;
    let first = pulled(&desk, &bank, 25).await;
    assert!(
        first.entry().starts_with(&format!("627{}1232225674134 ", bodies::ROUTING_NUMBER)),
        "{}",
        first.text
    );
    let before = desk.head().await;
    let answered = answer(&desk, &change(&first, "C07", "021000021998877665544     37")).await;
    assert_eq!(outcomes(&answered), ["corrected"], "{answered}");
    assert_eq!(
        (&answered["needs_person"], &answered["returns"][0]["trans_id"]),
        (&json!([]), &json!(first.id))
    );

    let events = desk.since(before).await;
    let corrected: Vec<_> = events.iter().filter(|it| it.event.name() == "node.corrected").collect();
    assert_eq!(corrected.len(), 1);
    let stored = corrected[0].event.encode().expect("encodes");
    let text = String::from_utf8(stored.data.clone()).expect("text");
    let told: Value = serde_json::from_str(&text).expect("JSON");
    assert_eq!(told["code"], "C07", "{told}");
    assert_eq!((&told["transaction"], &told["leg"]), (&json!(first.id), &json!("pull")), "{told}");
    assert_eq!(told["origin"]["by"], "bank", "{told}");
    assert!(!text.contains("5544") && !text.contains("021000021"), "{text}");

    let node = desk.us.get_node(&bank).await.ok();
    let info = &node["info"];
    assert_eq!((&info["account_num"], &info["routing_num"]), (&json!("5544"), &json!("0021")), "{node}");
    assert_eq!((&info["class"], &info["bank_name"]), (&json!("SAVINGS"), &json!("JPMorgan Chase Bank")));
    let note = "Corrected by the bank. C07: routing number, account number and class of the account.";
    assert_eq!(node["timeline"].as_array().and_then(|notes| notes.last()).expect("a note")["note"], note);

    let second = pulled(&desk, &bank, 26).await;
    assert!(second.entry().starts_with("637021000021998877665544     "), "{}", second.text);
    // The bank has the first file, so it is shown as it was.
    let again = desk.get(&format!("files/{}", first.file)).await.text();
    assert_eq!(again, first.text);
}

/// A notification is compared with the history of the node, so a later change of the node is kept.
#[tokio::test]
async fn repeated_notification_never_reverts_later_changes() {
    let desk = Desk::new().await;
    let bank = desk.us.bank().await;
    let first = pulled(&desk, &bank, 25).await;
    let early = change(&first, "C01", "1111000011");
    assert_eq!(outcomes(&answer(&desk, &early).await), ["corrected"]);
    let label = json!({"nickname": "Mine"});
    let _ = desk.us.call("PATCH", &format!("/nodes/{bank}")).json(&label).send().await.ok();
    assert_eq!(digits(&desk, &bank).await, "0011");
    let second = pulled(&desk, &bank, 26).await;
    let late = change(&second, "C01", "2222000022");
    let before = desk.head().await;
    for (file, expected) in [(&early, "corrected_before"), (&late, "corrected"), (&early, "corrected_before")]
    {
        assert_eq!(outcomes(&answer(&desk, file).await), [expected]);
    }
    assert_eq!(digits(&desk, &bank).await, "0022");
    // The bank corrects what it said about the first entry.
    let other = change(&first, "C01", "3333000033");
    for (file, expected) in [(&other, "corrected"), (&early, "corrected_before"), (&late, "corrected_before")]
    {
        assert_eq!(outcomes(&answer(&desk, file).await), [expected]);
    }
    assert_eq!((digits(&desk, &bank).await.as_str(), corrected_since(&desk, before).await), ("0033", 2));
    assert_eq!(desk.us.get_node(&bank).await.ok()["info"]["nickname"], "Mine");
}

#[tokio::test]
async fn last_notification_of_a_file_holds() {
    let desk = Desk::new().await;
    let bank = desk.us.bank().await;
    let pull = pulled(&desk, &bank, 25).await;
    let data: Vec<_> = (0..20).map(|number| format!("44440000{number:02}")).collect();
    let all: Vec<_> = data.iter().map(|data| (pull.number, Reply::Changed("C01", data))).collect();
    let file = replies(EntryDirection::Pull, &all);
    let (answered, again) = (answer(&desk, &file).await, answer(&desk, &file).await);
    assert_eq!(outcomes(&answered), ["corrected"; 20]);
    assert_eq!(outcomes(&again), ["corrected_before"; 20]);
    assert_eq!(digits(&desk, &bank).await, "0019");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_uploads_record_one_correction() {
    let desk = Desk::new().await;
    let bank = desk.us.bank().await;
    let pull = pulled(&desk, &bank, 25).await;
    let before = desk.head().await;
    // The second notification corrects nothing that the node has not already.
    for file in [change(&pull, "C01", "1111000011"), change(&pull, "C03", "051000017   1111000011")] {
        let answers = join_all((0..6).map(|_| answer(&desk, &file))).await;
        let mut found: Vec<_> = answers.iter().flat_map(outcomes).collect();
        found.sort_unstable();
        assert_eq!(found, [&["corrected"][..], &["corrected_before"; 5]].concat());
    }
    assert_eq!(corrected_since(&desk, before).await, 2);
    // Log and tables agree, and a rebuild makes the same rows.
    let on = desk.app.database.options();
    let verify = ["log", "verify", "--tables", "--key", daybook_tests::app::PUBLIC_KEY];
    until("nothing comes while it looks", async || {
        let head = desk.head().await;
        let said = run_on(&on, &verify);
        let is_still = desk.head().await == head;
        assert!(!is_still || said.status.code() == Some(0), "{said:?}");
        is_still.then_some(())
    })
    .await;
}

#[tokio::test]
async fn each_code_corrects_its_part() {
    let desk = Desk::new().await;
    let bank = desk.us.bank().await;
    let pull = pulled(&desk, &bank, 25).await;
    let table = [
        ("C01", "1111000011", ("account_num", "0011"), "account number"),
        ("C02", "021000089", ("routing_num", "0089"), "routing number"),
        ("C03", "051000017   2222000022", ("account_num", "0022"), "routing number and account number"),
        ("C04", "PAT EXAMPLE", ("name_on_account", "PAT EXAMPLE"), "name on the account"),
        ("C05", "37", ("class", "SAVINGS"), "class of the account"),
        ("C06", "3333000033          27", ("account_num", "0033"), "account number and class of the account"),
    ];
    for (code, data, (field, expected), corrected) in table {
        let answered = answer(&desk, &change(&pull, code, data)).await;
        assert_eq!(outcomes(&answered), ["corrected"], "{code} {answered}");
        let node = desk.us.get_node(&bank).await.ok();
        assert_eq!(node["info"][field], expected, "{code} {node}");
        if code == "C02" {
            // Name and address of the bank belong to its routing number.
            let bank = [&node["info"]["bank_name"], &node["info"]["address"]];
            assert_eq!(bank, ["Citibank", "New Castle, DE"]);
        }
        let note = format!("Corrected by the bank. {code}: {corrected}.");
        let notes = node["timeline"].as_array().expect("a list");
        assert_eq!(notes.last().expect("a note")["note"], note, "{code}");
    }
}

#[tokio::test]
async fn other_notices_are_reported_with_their_data() {
    let desk = Desk::new().await;
    let bank = desk.us.bank().await;
    let pull = pulled(&desk, &bank, 25).await;
    let other = desk.app.platform("Other", true).await;
    let before = desk.head().await;
    let notification = "notification_of_change";
    let id = "Incorrect individual identification number";
    let loan = "Incorrect transaction code; an account of this class takes no such entries";
    let ours = "no entry of ours has this trace";
    for (number, code, data, outcome, text) in [
        (pull.number, "C09", "4711", notification, id),
        (pull.number, "C05", "52", notification, loan),
        (9_999_999, "C01", "1111000011", "unknown_trace", ours),
    ] {
        let answered =
            answer(&desk, &replies(EntryDirection::Pull, &[(number, Reply::Changed(code, data))])).await;
        let entry = &answered["needs_person"][0];
        assert_eq!((&entry["outcome"], &entry["text"]), (&json!(outcome), &json!(text)), "{code}");
        assert_eq!(entry["notice"]["corrected_data"], data, "{code}");
    }
    // The number belongs to a file of this platform only.
    let path = format!("/platforms/{}/files/returns", other.client_id);
    let file = change(&pull, "C01", "1111000011");
    let foreign = desk.ada.call("POST", &path).json(&json!({"file": file})).send().await.ok();
    assert_eq!(outcomes(&foreign), ["unknown_trace"], "{foreign}");
    assert_eq!(corrected_since(&desk, before).await, 0);
}

/// A name whose letters are lost, and an account number that is longer than an entry has room for, correct nothing.
#[tokio::test]
async fn unwritable_correction_is_reported() {
    let desk = Desk::new().await;
    let bank = desk.us.bank().await;
    let pull = pulled(&desk, &bank, 25).await;
    let before = desk.head().await;
    let name = change(&pull, "C04", "ZOE EXAMPLE").replacen("ZOE", "ZOË", 1);
    let number = change(&pull, "C01", "GB29-NWBK-6016-1331-9268-19");
    let mut number: Vec<_> = number.lines().map(str::to_owned).collect();
    number[1].replace_range(4..20, "IATCOR          ");
    let table = [
        (
            name,
            "Incorrect name of the receiver; line 4, addenda, corrected data: expected a name in ASCII letters, found \
             \"ZO? EXAMPLE\"",
        ),
        (
            number.join("\n"),
            "Incorrect account number; the corrected account number is longer than an entry has room for",
        ),
    ];
    for (file, text) in table {
        let answered = answer(&desk, &file).await;
        assert_eq!(outcomes(&answered), ["notification_of_change"], "{answered}");
        assert_eq!(answered["needs_person"][0]["text"], text);
    }
    assert_eq!(corrected_since(&desk, before).await, 0);
}

#[tokio::test]
async fn disputes_reach_the_operator_with_all_data() {
    let desk = Desk::new().await;
    let earlier = |trace: &str, day: u16, code: &str| EarlierEntry {
        trace: trace.into(),
        settlement_day: Some(day),
        code: code.into(),
    };
    let returned = || earlier("051000010000007", 31, "R01");
    let disputes = [
        (7, Reply::Dishonored("R69", Dishonored { returned: returned(), info: "01*03".into() })),
        (
            8,
            Reply::Contested(
                "R76",
                Contested {
                    returned_on: Some("2026-01-30".parse().expect("a day")),
                    settlement_day: Some(29),
                    returned: returned(),
                    dishonored: earlier("123456780000009", 33, "R68"),
                },
            ),
        ),
    ];
    let answered = answer(&desk, &replies(EntryDirection::Pull, &disputes)).await;
    let returned = json!({"code": "R01", "settlement_day": 31, "trace": "051000010000007"});
    let dishonored = json!({"code": "R68", "settlement_day": 33, "trace": "123456780000009"});
    let entry = |code: &str, outcome: &str, text: &str, trace: &str, notice: Value| {
        json!({
            "amount": 1.0, "code": code, "notice": notice, "outcome": outcome, "text": text, "trace": trace,
            "trans_id": null,
        })
    };
    let expected = json!([
        entry(
            "R69",
            "dishonored",
            "Field error",
            "123456780000007",
            json!({
                "corrected_data": null, "dishonored": null, "info": "01*03", "returned": returned, "returned_on": null,
                "settlement_day": null,
            })
        ),
        entry(
            "R76",
            "contested",
            "No errors found",
            "123456780000008",
            json!({
                "corrected_data": null, "dishonored": dishonored, "info": null, "returned": returned,
                "returned_on": "2026-01-30", "settlement_day": 29,
            })
        ),
    ]);
    assert_eq!((&answered["returns"], &answered["needs_person"]), (&expected, &expected), "{answered}");
}

/// The owner was erased after its payment, so there is no key under which a box could be sealed.
#[tokio::test]
async fn notification_about_erased_owner_is_reported() {
    let forgotten = subject::Desk::new().await;
    let app = &forgotten.app;
    let us = app.client.verified("Maria").await;
    let (from, bank) = (us.funded("25").await, us.node("ACH-US").await);
    let pushed = us.transfer(&from, &bodies::transfer_to("ACH-US", &bank, "25")).send().await.ok();
    let id = pushed["_id"].as_str().expect("an id").to_owned();
    us.when(&from, &id, "SETTLED").await;
    let ada = app.operator("Ada").await;
    let path = |rest: &str| format!("/platforms/{}/{rest}", app.client.client_id);
    let mut numbers = vec![];
    for happened in app.events().await {
        if let Event::Custody(custody::Event::FileCut(cut)) = happened.event {
            let ours = cut.items.iter().filter(|item| item.transaction.to_string() == id);
            numbers.extend(ours.map(|item| item.trace));
        }
    }
    let file = replies(EntryDirection::Push, &[(numbers[0], Reply::Changed("C01", "1111000011"))]);
    forgotten.explained().await;
    forgotten.let_go(&us).await;
    forgotten.erase(&us.user_id).await.expect("erased");
    let answered = ada.call("POST", &path("files/returns")).json(&json!({"file": file})).send().await.ok();
    assert_eq!(outcomes(&answered), ["notification_of_change"], "{answered}");
    let text = "Incorrect account number; the owner of the account was erased";
    assert_eq!(answered["needs_person"][0]["text"], text);
    assert!(app.events().await.iter().all(|happened| happened.event.name() != "node.corrected"));
}

/// A file is shown as it was rendered for the bank, even if a notification was recorded before the bank accepted it.
#[tokio::test]
async fn sent_file_never_changes() {
    let desk = Desk::new().await;
    let bank = desk.us.bank().await;
    let first = pulled(&desk, &bank, 25).await;
    let sent = desk.app.events().await.into_iter().rev().find_map(|happened| match happened.event {
        Event::Custody(custody::Event::FileSent(sent)) if sent.file.to_string() == first.file => {
            Some((happened.position, sent.as_of))
        }
        _ => None,
    });
    let (position, as_of) = sent.expect("the file was sent");
    assert!(as_of.is_some_and(|as_of| 0 < as_of && as_of < position), "{as_of:?} {position}");
    let before = desk.head().await;
    assert_eq!(outcomes(&answer(&desk, &change(&first, "C01", "1111000011")).await), ["corrected"]);
    let after = desk.head().await;
    let engine = &desk.app.service.engine;
    let platform = engine.access().platform_of_client(&desk.app.client.client_id).await.expect("reads");
    let platform = platform.expect("a platform");
    let custody: CustodyId =
        engine.custody_of(shard(), platform.id).await.expect("reads").expect("a custody");
    for (dollars, as_of, number) in [(26, before, "1232225674134 "), (27, after, "1111000011 ")] {
        let to = desk.us.node("DEPOSIT-US").await;
        let body = bodies::transfer(&to, &dollars.to_string());
        let made = desk.us.transfer(&bank, &body).send().await.ok();
        let id = made["_id"].as_str().expect("an id").to_owned();
        // The debit is due, and the file is not.
        let _ = desk.app.client.advance(300).await.ok();
        desk.us.when(&bank, &id, "PROCESSING-DEBIT").await;
        let file = FileId::from_u128(u128::from(dollars) << 64);
        let items = vec![(id.parse().expect("an id"), Direction::Pull)];
        let cut = CutFile { custody, file, rail: Rail::Ach, items, cut_off: None };
        let send = SendFile { custody, file, as_of };
        let asked = vec![(Call::of(shard()), cut.into()), (Call::of(shard()), send.into())];
        let done = engine.submit_together(None, asked).await.expect("decided");
        assert!(done.iter().all(|done| done.as_ref().is_ok_and(|done| !done.events.is_empty())), "{done:?}");
        let pull = in_a_file(&desk, id, dollars).await;
        assert_eq!(pull.file, file.to_string());
        assert!(pull.entry()[12..].starts_with(number), "{}", pull.text);
    }
}

#[tokio::test]
async fn subscribers_are_told_of_a_correction() {
    let desk = Desk::new().await;
    let hook = Hook::all(&desk.app).await;
    let bank = desk.us.bank().await;
    let pull = pulled(&desk, &bank, 25).await;
    assert_eq!(outcomes(&answer(&desk, &change(&pull, "C01", "998877665544")).await), ["corrected"]);
    let told = hook.everything(&desk.app).await;
    let told = told.iter().rfind(|told| told.is_about(&bank)).expect("is told");
    assert_eq!((told.function(), &told.body["_rest"]["info"]["account_num"]), ("NODE|PATCH", &json!("5544")));
    let notes = told.body["_rest"]["timeline"].as_array().expect("a list");
    assert_eq!(notes.last().expect("a note")["note"], "Corrected by the bank. C01: account number.");
    assert!(!told.body.to_string().contains("998877665544"));
}
