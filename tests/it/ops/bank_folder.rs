//! Files of a bank in the folder `in`: taken when they are whole, once, and moved with a text beside them.

use std::ffi::OsStr;
use std::fs;
use std::io::Write;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use daybook_cli::bank_inbox::Inbox;
use daybook_domain::calendar::Day;
use daybook_engine::Clock;
use daybook_tests::app::TestApp;
use daybook_tests::client::until;
use daybook_tests::database::Database;
use daybook_tests::http::Call;
use daybook_tests::process::{Daybook, run_with};
use daybook_tests::proxy::{self, Rule};
use nix::sys::stat::Mode;
use nix::unistd::mkfifo;
use serde_json::Value;
use tempfile::TempDir;
use tokio::sync::watch;
use tokio::task::JoinHandle;
use tokio::time::sleep;

use super::bank_files::{file_of, statement};
use super::folder::Deployment;
use super::statements::statement as own_csv;

/// Number of the service's account at the bank.
const ACCOUNT: &str = "555000111";

fn today() -> Day {
    Day::of(Clock.now())
}

/// Returns a file with the first statement of an account.
fn of_account(account: &str) -> String {
    file_of(vec![statement(account, today(), "USD", &[(100, "X".to_owned())])])
}

/// Returns a file in Daybook's own CSV about a day from now, whose line of 1.00 moves `opening` to `closing`.
fn of_day(ahead: i32, opening: &str, closing: &str) -> String {
    own_csv(&today().plus_days(ahead).to_string(), opening, closing, &[("1", "1", "", "")])
}

/// Returns a day as German banks write it.
fn reversed(day: Day) -> String {
    let text = day.to_string();
    let mut parts: Vec<_> = text.split('-').collect();
    parts.reverse();
    parts.join(".")
}

/// The worker in this process.
struct Working {
    stop: watch::Sender<bool>,
    task: JoinHandle<()>,
}

impl Working {
    async fn end(self) {
        self.stop.send_replace(true);
        self.task.await.expect("it ends");
    }
}

/// Starts the worker on a new folder.
fn working(app: &TestApp) -> (TempDir, Working) {
    let bank = tempfile::tempdir().expect("a folder");
    let working = working_on(app, bank.path());
    (bank, working)
}

fn working_on(app: &TestApp, bank: &Path) -> Working {
    let (stop, stopped) = watch::channel(false);
    let task = tokio::spawn(Inbox::new(app.service.engine.clone(), bank).run(stopped));
    Working { stop, task }
}

fn inbox(bank: &Deployment) -> PathBuf {
    bank.folder.path().join("bank/in")
}

/// Puts a file into the folder, whole at once.
fn put(into: &Path, name: impl AsRef<OsStr>, content: impl AsRef<[u8]>) {
    fs::create_dir_all(into).expect("a folder");
    let (part, name) = (into.join("new.part"), name.as_ref());
    fs::write(&part, content).expect("written");
    fs::rename(part, into.join(name)).expect("moved");
}

/// Waits for a file in a subfolder, and returns the text beside it.
async fn told(into: &Path, subfolder: &str, name: impl AsRef<OsStr>) -> String {
    let path = into.join(subfolder).join(name.as_ref());
    until("the file is moved", async || fs::symlink_metadata(&path).ok()).await;
    fs::read_to_string(path.with_added_extension("txt")).expect("a text is beside it")
}

/// Returns a page of two of a statement in CAMT.053, with one line of 1.00.
fn page(number: u32) -> String {
    let day = today();
    let (code, amount) = if number == 1 { ("OPBD", "0") } else { ("CLBD", "2") };
    format!(
        "<?xml version=\"1.0\"?>\n<Document xmlns=\"urn:iso:std:iso:20022:tech:xsd:camt.053.001.08\"><BkToCstmrStmt>\
         <GrpHdr><MsgId>M{number}</MsgId><MsgPgntn><PgNb>{number}</PgNb><LastPgInd>{}</LastPgInd></MsgPgntn></GrpHdr>\
         <Stmt><Id>S1</Id><Acct><Id><Othr><Id>{ACCOUNT}</Id></Othr></Id><Ccy>USD</Ccy></Acct>\
         <Bal><Tp><CdOrPrtry><Cd>{code}</Cd></CdOrPrtry></Tp><Amt Ccy=\"USD\">{amount}</Amt>\
         <CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>{day}</Dt></Dt></Bal>\
         <Ntry><Amt Ccy=\"USD\">1</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts><Cd>BOOK</Cd></Sts>\
         <BookgDt><Dt>{day}</Dt></BookgDt></Ntry></Stmt></BkToCstmrStmt></Document>\n",
        number == 2
    )
}

async fn statements(bank: &Deployment) -> Vec<Value> {
    let listed = bank.ada.get(&bank.ops("statements")).await.ok();
    listed["statements"].as_array().expect("a list").clone()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn file_in_folder_is_taken_and_moved() {
    let bank = Deployment::start().await;
    let into = inbox(&bank);
    let text = of_account(ACCOUNT);
    put(&into, "good.bai", &text);
    put(&into, "wrong.bai", text.replace("142,100", "142,101"));
    put(&into, "other.bai", of_account("4711"));
    put(&into, "empty", "");
    put(&into, "returns.ach", format!("101 021000021 1234567890{}094101{}", "0".repeat(10), " ".repeat(54)));
    put(&into, "is.part", &text);
    put(&into, ".hidden", &text);
    put(&into, "line\nbreak", &text);
    put(&into, OsStr::from_bytes(b"\xff\xfe"), "nothing that is known");
    let large = fs::File::create(into.join("large.part")).expect("created");
    large.set_len((64 << 20) + 1).expect("is sparse");
    fs::rename(into.join("large.part"), into.join("large")).expect("moved");

    let good = told(&into, "done", "good.bai").await;
    assert!(
        good.starts_with("accepted\nSHA-256 ") && good.contains(&format!("statement of {}", today())),
        "{good}"
    );
    let again = told(&into, "done", "line\nbreak").await;
    assert!(again.starts_with("repeated\nSHA-256 ") && again.contains("accepted before"), "{again}");
    let refusals = [
        ("wrong.bai", "line "),
        ("other.bai", "the file states the account 4711, which no platform has at the bank"),
        ("empty", "the format of the file is not known"),
        ("returns.ach", "import it by daybook ops returns"),
        ("large", "more than 64 MiB"),
    ];
    for (name, why) in refusals {
        let refused = told(&into, "refused", name).await;
        assert!(refused.starts_with("refused\n") && refused.contains(why), "{name}: {refused}");
    }
    let strange = told(&into, "refused", OsStr::from_bytes(b"\xff\xfe")).await;
    assert!(strange.contains("line 1"), "{strange}");
    assert_eq!(statements(&bank).await.len(), 1);
    assert!(into.join("is.part").exists() && into.join(".hidden").exists());
    assert!(bank.service.terminate().success());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn entries_that_are_no_files_stay() {
    let bank = Deployment::start().await;
    let into = inbox(&bank);
    fs::create_dir_all(into.join("folder.bai")).expect("made");
    mkfifo(&into.join("pipe.bai"), Mode::S_IRWXU).expect("made");
    std::os::unix::fs::symlink("/etc/passwd", into.join("link.bai")).expect("linked");
    let growing = into.join("growing.bai");
    let text = of_account(ACCOUNT);
    let (first, rest) = text.split_at(text.len() / 2);
    fs::write(&growing, first).expect("written");
    let begun = Instant::now();
    while begun.elapsed() < Duration::from_secs(7) {
        let mut file = fs::File::options().append(true).open(&growing).expect("it is left alone");
        file.write_all(b"\n").expect("written");
        sleep(Duration::from_millis(300)).await;
    }
    fs::write(&growing, [first, rest].concat()).expect("written");
    let taken = told(&into, "done", "growing.bai").await;
    assert!(taken.starts_with("accepted\n"), "{taken}");
    for name in ["folder.bai", "pipe.bai", "link.bai"] {
        assert!(fs::symlink_metadata(into.join(name)).is_ok(), "{name}");
    }
    assert!(bank.service.terminate().success());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn days_are_taken_in_their_order() {
    let app = TestApp::start().await;
    app.client.noon(2).await;
    // The sandbox's bank states dollars only.
    let csv = |ahead, opening, closing| of_day(ahead, opening, closing).replace("USD", "EUR");
    let bank = tempfile::tempdir().expect("a folder");
    let into = bank.path().join("in");
    // The newest day has the first name, and one file follows no other.
    put(&into, "a.csv", csv(1, "1", "2"));
    put(&into, "b.csv", csv(0, "0", "1"));
    put(&into, "c.csv", csv(1, "7", "8"));
    let working = working_on(&app, bank.path());
    for name in ["b.csv", "a.csv"] {
        assert!(told(&into, "done", name).await.starts_with("accepted\n"), "{name}");
    }
    assert!(told(&into, "refused", "c.csv").await.starts_with("refused\n"));
    working.end().await;
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unmovable_file_is_taken_once() {
    let bank = Deployment::start().await;
    let into = inbox(&bank);
    // The text cannot be written, as on a full disk.
    let obstacle = into.join("done/a.bai.txt.part");
    until("the folder is made", async || fs::create_dir(&obstacle).ok()).await;
    put(&into, "a.bai", of_account(ACCOUNT));
    until("the file is accepted", async || statements(&bank).await.pop()).await;
    let ready = until("the fault is shown", async || {
        let ready = Call::new(bank.service.address(), "GET", "/health/ready").send().await;
        ready.text().contains("stay where they are").then_some(ready)
    });
    assert_eq!(ready.await.status, 200, "calls are served");
    assert!(into.join("a.bai").exists());
    // Killed between the acceptance and the move.
    let args = bank.args.clone();
    bank.service.kill();
    fs::remove_dir(&obstacle).expect("removed");
    let second = Daybook::start(&args);
    let text = told(&into, "done", "a.bai").await;
    assert!(text.starts_with("repeated\n") && text.contains("accepted before"), "{text}");
    assert!(second.terminate().success());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn two_services_share_one_folder() {
    let bank = Deployment::start().await;
    let (into, second) = (inbox(&bank), Daybook::start(&bank.args));
    put(&into, "a.bai", of_account(ACCOUNT));
    put(&into, "b.bai", of_account(ACCOUNT));
    let outcomes = [told(&into, "done", "a.bai").await, told(&into, "done", "b.bai").await];
    let accepted = outcomes.iter().filter(|text| text.starts_with("accepted\n")).count();
    assert_eq!(accepted, 1, "{outcomes:?}");
    assert_eq!(statements(&bank).await.len(), 1);
    assert!(second.terminate().success() && bank.service.terminate().success());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn mapping_in_folder_reads_csv_of_bank() {
    let bank = Deployment::start().await;
    let into = inbox(&bank);
    let mapping = format!(
        "separator = \";\"\ndate = \"%d.%m.%Y\"\ndecimal = \",\"\nsign = \"signed\"\ncurrency = \"USD\"\n\
         account = \"{ACCOUNT}\"\nskip_header = 1\n[columns]\nbooking = \"Tag\"\namount = \"Betrag\"\nbalance = \"Saldo\"\ntext = \"Text\"\n"
    );
    let csv = format!("Tag;Betrag;Saldo;Text\n{};1,00;1,00;EIN TEXT\n", reversed(today()));
    put(&into, "first.csv", &csv);
    let refused = told(&into, "refused", "first.csv").await;
    assert!(refused.contains("line 1"), "{refused}");
    fs::write(bank.folder.path().join("bank/mapping.toml"), mapping).expect("written");
    put(&into, "second.csv", &csv);
    let taken = told(&into, "done", "second.csv").await;
    assert!(taken.starts_with("accepted\n"), "{taken}");
    assert!(bank.service.terminate().success());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn wire_file_names_account_of_platform() {
    let bank = Deployment::start().await;
    let own = "GB33BUKB20201555555555";
    let (url, path) = (bank.database.url(), bank.folder.path().join("master.key").display().to_string());
    let said = run_with(
        &[("DAYBOOK_OPERATOR_SECRET", &bank.ada.operator_secret)],
        ["ops", "bank-account", "--account-num", own, "--database-url", &url, "--master-key", &path]
            .into_iter()
            .chain(["--platform", &bank.platform, "--operator", &bank.ada.operator_id]),
    );
    assert!(said.status.success(), "{said:?}");
    let node = bank.funded().await;
    let _ = bank.wire(&node, "12.34").await;
    let file = until("the wire is in the folder", async || bank.files().pop()).await;
    assert!(file.contains(own) && !file.contains(ACCOUNT), "{file}");
    let into = inbox(&bank);
    put(&into, "own.bai", of_account(own));
    put(&into, "service.bai", of_account(ACCOUNT));
    assert!(told(&into, "done", "own.bai").await.starts_with("accepted\n"));
    assert!(told(&into, "refused", "service.bai").await.contains("no platform"));
    assert!(bank.service.terminate().success());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn shared_number_of_account_is_refused() {
    let app = TestApp::start().await;
    let _other = app.platform("Other", true).await;
    let (bank, working) = working(&app);
    let into = bank.path().join("in");
    put(&into, "a.bai", of_account("1000000001"));
    put(&into, "b.csv", of_day(0, "0", "1"));
    let refused = told(&into, "refused", "a.bai").await;
    assert!(refused.contains("1000000001, which several platforms have"), "{refused}");
    let refused = told(&into, "refused", "b.csv").await;
    assert!(refused.contains("the file states no account"), "{refused}");
    working.end().await;
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn file_waits_for_database() {
    let database = Database::create().await;
    let (proxy, pg) = proxy::before(&database.config()).await;
    let app = TestApp::start_on(database, pg, Duration::from_mins(15)).await;
    proxy.set(Rule::Cut);
    let (bank, working) = working(&app);
    let into = bank.path().join("in");
    put(&into, "a.bai", of_account("1000000001"));
    sleep(Duration::from_secs(8)).await;
    assert!(into.join("a.bai").exists(), "it is neither refused nor taken");
    proxy.set(Rule::Pass);
    let taken = told(&into, "done", "a.bai").await;
    assert!(taken.starts_with("accepted\n"), "{taken}");
    working.end().await;
    app.stop().await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn pages_wait_for_one_another() {
    let bank = Deployment::start().await;
    let into = inbox(&bank);
    put(&into, "b.xml", page(2));
    until("the page is left alone", async || {
        let ready = Call::new(bank.service.address(), "GET", "/health/ready").send().await;
        ready.text().contains("stay where they are").then_some(())
    })
    .await;
    assert!(into.join("b.xml").exists() && statements(&bank).await.is_empty());
    let alone = bank.ada.call("POST", &bank.ops("statements")).body(page(2).into_bytes());
    let refused = alone.without("Content-Type").header("Content-Type", "text/plain").send().await;
    let text = refused.refused(400, "200")["en"].to_string();
    assert!(text.contains("some pages of the statement S1: page 1 is missing"), "{text}");
    put(&into, "a.xml", page(1));
    let (first, second) = (told(&into, "done", "a.xml").await, told(&into, "done", "b.xml").await);
    assert_eq!(first, second);
    assert!(first.contains("2 lines"), "{first}");
    assert_eq!(statements(&bank).await.len(), 1);
    assert!(bank.service.terminate().success());
}
