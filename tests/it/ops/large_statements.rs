//! Large files with statements over HTTP: 64 MiB, one at a time for a platform.

use std::time::Duration;

use daybook_domain::calendar::Day;
use daybook_tests::client::until;
use daybook_tests::http::{Answer, Call};
use serde_json::json;
use sha2::{Digest, Sha256};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;
use tokio::time::sleep;

use super::bank_files::{ACCOUNT, today_of};
use super::{Desk, names};

const MIB: usize = 1 << 20;

/// Returns a body of so many bytes that is refused at its beginning: an unoptimized build takes long to read more.
fn wrong(bytes: usize) -> Vec<u8> {
    let mut body = b"<!DOCTYPE a>".to_vec();
    body.resize(bytes, b' ');
    body
}

fn post(desk: &Desk, body: impl Into<bytes::Bytes>) -> Call {
    let call = desk.ada.call("POST", &desk.path("statements?format=camt")).body(body.into());
    call.without("Content-Type").header("Content-Type", "text/plain")
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn statement_may_have_64_mib() {
    let desk = Desk::new().await;
    let before = desk.head().await;
    for size in [17 * MIB, 64 * MIB] {
        // The room of the last large body may not be free yet: then the call is repeated.
        let refused = until("the file is read", async || {
            let answer = post(&desk, wrong(size)).send().await;
            (answer.status != 503).then(|| answer.refused(400, "200"))
        });
        let refused = refused.await;
        assert!(refused["en"].as_str().is_some_and(|text| text.starts_with("file line 1")), "{refused}");
    }
    let too_large: Answer = post(&desk, wrong(64 * MIB + 1)).send().await;
    assert_eq!(too_large.status, 413, "{}", too_large.text());
    // Other files of the bank keep their limit.
    let returns = desk.ada.call("POST", &desk.path("files/returns")).body(vec![b'x'; 16 * MIB + 1]);
    assert_eq!(returns.without("Content-Type").header("Content-Type", "text/plain").send().await.status, 413);
    assert_eq!(desk.head().await, before);
}

/// Returns a file of so many bytes with the first statement of the sandbox's account: one line of 1.00.
fn right(bytes: usize, day: Day) -> Vec<u8> {
    let balance = |code: &str, amount: &str| {
        format!(
            "<Bal><Tp><CdOrPrtry><Cd>{code}</Cd></CdOrPrtry></Tp><Amt Ccy=\"USD\">{amount}</Amt>\
             <CdtDbtInd>CRDT</CdtDbtInd><Dt><Dt>{day}</Dt></Dt></Bal>"
        )
    };
    let text = format!(
        "<Document xmlns=\"urn:iso:std:iso:20022:tech:xsd:camt.053.001.08\"><BkToCstmrStmt>\
         <GrpHdr><MsgId>M</MsgId></GrpHdr><Stmt><Id>S</Id><Acct><Id><Othr><Id>{ACCOUNT}</Id></Othr></Id>\
         <Ccy>USD</Ccy></Acct>{}{}<Ntry><Amt Ccy=\"USD\">1</Amt><CdtDbtInd>CRDT</CdtDbtInd>\
         <Sts><Cd>BOOK</Cd></Sts><BookgDt><Dt>{day}</Dt></BookgDt></Ntry></Stmt></BkToCstmrStmt></Document>",
        balance("OPBD", "0"),
        balance("CLBD", "1"),
    );
    let mut body = text.into_bytes();
    body.resize(bytes, b'\n');
    body
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn large_file_is_kept_whole() {
    let desk = Desk::new().await;
    let body = right(17 * MIB, today_of(&desk).await);
    let before = desk.head().await;
    // An unoptimized build may still be sealing the parts when the call ends: then it is repeated.
    let taken = until("the file is taken", async || {
        let answer = post(&desk, body.clone()).send().await;
        (answer.status != 503).then(|| answer.ok())
    });
    let taken = taken.await;
    let statement = &taken["statements"][0];
    assert_eq!(
        (&statement["line_count"], &statement["booked_line_count"]),
        (&json!(1), &json!(1)),
        "{taken}"
    );
    assert_eq!(taken["file"], hex::encode(Sha256::digest(&body)), "{taken}");
    let recorded = desk.since(before).await;
    let parts = names(&recorded).into_iter().filter(|name| *name == "attachment.added").count();
    assert_eq!(parts, 18, "17 parts of a MiB, and the lines");
    assert_eq!(post(&desk, body).send().await.ok()["repeated"], true);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn platform_sends_one_large_statement() {
    let desk = Desk::new().await;
    let bare = post(&desk, "");
    let (headers, _) = bare.carried();
    let header = |(name, value): (&_, &hyper::header::HeaderValue)| {
        format!("{name}: {}\r\n", value.to_str().expect("a header of ours"))
    };
    let headers: String =
        headers.iter().filter(|(name, _)| name.as_str() != "content-length").map(header).collect();
    let line = bare.line();
    let begin = async |path: &str, secret: &str| {
        let headers = headers.replace(&desk.ada.operator_secret, secret);
        let head = format!("{path} HTTP/1.1\r\nHost: x\r\nContent-Length: {}\r\n{headers}\r\n", 20 * MIB);
        let mut stream = TcpStream::connect(desk.app.address).await.expect("somebody listens");
        stream.write_all(head.as_bytes()).await.expect("sent");
        let _ = stream.write_all(&wrong(17 * MIB)).await;
        stream
    };
    // A caller without credentials keeps nobody out.
    let _stranger = begin(&line, "wrong").await;
    let mut first = begin(&line, &desk.ada.operator_secret).await;
    sleep(Duration::from_secs(2)).await;
    let second = post(&desk, wrong(17 * MIB)).send().await;
    assert_eq!(
        (second.status, second.headers["retry-after"].as_bytes()),
        (503, &b"1"[..]),
        "{}",
        second.text()
    );
    // A small file of the platform does not wait.
    assert_eq!(post(&desk, "x").send().await.status, 400);
    first.write_all(&vec![b' '; 3 * MIB]).await.expect("sent");
    let (mut told, mut bytes) = (String::new(), [0; 4096]);
    while !told.contains("success") {
        let count = first.read(&mut bytes).await.expect("an answer");
        assert!(count > 0, "{told}");
        told.push_str(&String::from_utf8_lossy(&bytes[..count]));
    }
    assert!(told.starts_with("HTTP/1.1 400"), "{told}");
    assert_eq!(post(&desk, wrong(17 * MIB)).send().await.status, 400, "the next one is read");
}
