//! The operating system refuses further file descriptors or memory: acknowledged payments stay.

use std::process::Command;
use std::time::Duration;

use daybook_tests::bodies::transfer;
use daybook_tests::client::until;
use daybook_tests::database::Database;
use daybook_tests::process::Daybook;
use tokio::net::TcpStream;
use tokio::task::JoinSet;
use tokio::time::timeout;

use crate::restart::{at, dev_client, dev_on, folder_with_key};

/// Sets a soft limit of a running process.
fn limit(process: &Daybook, what: &str, soft: u64) {
    let mut set = Command::new("prlimit");
    set.args(["--pid", &process.id().to_string(), &format!("--{what}={soft}:")]);
    assert!(set.status().expect("there is prlimit").success());
}

fn descriptors(process: &Daybook) -> u64 {
    std::fs::read_dir(format!("/proc/{}/fd", process.id())).expect("it runs").count() as u64
}

/// Reserved address space of the process, in bytes.
fn reserved(process: &Daybook) -> u64 {
    let status = std::fs::read_to_string(format!("/proc/{}/status", process.id())).expect("it runs");
    let line = status.lines().find_map(|line| line.strip_prefix("VmSize:")).expect("its memory");
    line.trim().trim_end_matches(" kB").parse::<u64>().expect("a number") * 1024
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn service_waits_for_free_file_descriptors() {
    let (database, folder) = (Database::create().await, folder_with_key());
    let process = dev_on(&database, folder.path());
    let ada = dev_client(process.address()).stranger("Ada").await;
    let node = ada.funded("5").await;
    limit(&process, "nofile", descriptors(&process) + 2);
    let mut idle = vec![];
    for _ in 0..20 {
        idle.push(TcpStream::connect(process.address()).await.expect("the system takes it"));
    }
    // No descriptor is free, so the service cannot accept this call.
    let late = timeout(Duration::from_secs(1), ada.get_node(&node)).await;
    assert!(late.is_err(), "it is answered without a descriptor");
    drop(idle);
    until("there is room", async || {
        let answer =
            timeout(Duration::from_secs(2), ada.call("GET", &format!("/nodes/{node}")).try_send()).await;
        answer.is_ok_and(|answer| answer.is_ok_and(|answer| answer.status == 200)).then_some(())
    })
    .await;
    assert_eq!(ada.balance(&node).await, "5.00");
    assert!(process.terminate().success());
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn acknowledged_payments_survive_memory_exhaustion() {
    let (database, folder) = (Database::create().await, folder_with_key());
    let process = dev_on(&database, folder.path());
    let ada = dev_client(process.address()).verified("Ada Lovelace").await;
    let (from, to) = (ada.funded("100").await, ada.node("DEPOSIT-US").await);
    limit(&process, "as", reserved(&process) + (1 << 20));
    let mut payments = JoinSet::new();
    for number in 0..200 {
        let (ada, from, to) = (ada.clone(), from.clone(), to.clone());
        payments.spawn(async move {
            let key = format!("k{number}");
            let answer = ada.transfer(&from, &transfer(&to, "0.01")).key(&key).try_send().await;
            (key, answer.ok().filter(|answer| answer.status == 200).map(|answer| answer.ok()["_id"].clone()))
        });
    }
    let known = payments.join_all().await;
    // The process may have ended by itself; the test does not depend on it.
    drop(process);
    let process = dev_on(&database, folder.path());
    let ada = at(&ada, process.address());
    for (key, id) in &known {
        let answer = ada.transfer(&from, &transfer(&to, "0.01")).key(key).send().await;
        match id {
            Some(id) => assert_eq!(answer.refused(409, "400")["original_id"], *id),
            None => assert!([200, 409].contains(&answer.status), "{}", answer.text()),
        }
    }
    assert_eq!(ada.ended().await.len(), known.len() + 1);
    assert_eq!((ada.balance(&from).await, ada.balance(&to).await), ("98.00".into(), "2.00".into()));
}
