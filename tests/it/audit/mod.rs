//! Receipts, checkpoints and proofs of the log, and their verification.

mod anchor_http;
mod anchor_server;
mod anchored;
mod balances;
mod checkpoints;
mod fork;
mod growing;
mod proofs;
mod receipts;
mod replaced;
mod shards;
mod signer_away;
mod tamper;
mod tiles;
mod verify_export;

use daybook_log::postgres::PostgresLog;
use daybook_proof::{CommitRoot, Hash, Receipt, Signature, TreeHead};
use daybook_tests::shard;
use serde_json::Value;

/// The shard of all tests.
const SHARD: i16 = daybook_engine::SHARD;

/// Parses a receipt in the JSON form of the API reference.
fn receipt(json: &Value) -> Receipt {
    let commit = &json["commit"];
    let id = |name: &str| uuid(&commit[name]);
    let root = CommitRoot {
        origin: commit["origin"].as_str().expect("an origin").to_owned(),
        shard: i16::try_from(number(&commit["shard"])).expect("a shard"),
        commit_no: number(&commit["commit_no"]),
        batch: id("batch"),
        writer: id("writer"),
        recorded_at_us: commit["recorded_at_us"].as_i64().expect("a time"),
        head: TreeHead { size: number(&commit["size"]), root: hash(&commit["root"]) },
    };
    Receipt {
        position: number(&json["position"]),
        leaf_hash: hash(&json["leaf_hash"]),
        root,
        signature: Signature::from_bytes(&bytes(&json["signature"])).expect("a signature"),
        path: json["path"].as_array().map(|path| path.iter().map(hash).collect()),
    }
}

fn number(json: &Value) -> u64 {
    json.as_u64().unwrap_or_else(|| panic!("{json} is no number"))
}

fn uuid(json: &Value) -> [u8; 16] {
    json.as_str().and_then(|text| text.parse::<uuid::Uuid>().ok()).expect("a UUID").into_bytes()
}

fn bytes(json: &Value) -> Vec<u8> {
    use base64::Engine as _;
    base64::engine::general_purpose::STANDARD.decode(json.as_str().expect("text")).expect("base64")
}

fn hash(json: &Value) -> Hash {
    bytes(json).try_into().expect("32 bytes")
}

/// Last position, root and signature of every commit.
async fn roots(log: &PostgresLog) -> Vec<(u64, Option<Vec<u8>>, Option<Vec<u8>>)> {
    let commits = log.raw_commits(shard(), 0).await.expect("reads");
    commits.into_iter().map(|commit| (commit.last_position, commit.root, commit.signature)).collect()
}
