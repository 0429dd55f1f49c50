//! The page `docs/reference/proof.md` describes the formats with a worked example. These tests compute the example and
//! compare.
//!
//! `DAYBOOK_BLESS=1` writes the files of the example. `tests/clients/verify_proof/test.py` checks the same files with a
//! verifier in another language that was written from the page.

use std::path::{Path, PathBuf};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use daybook_proof::balance::{Included, Until};
use daybook_proof::{
    Balance, Checkpoint, CommitRoot, Frontier, Growth, LastEntries, LastEntry, LastTree, Leaf, Receipt,
    Signer, consistency, tree as of,
};
use serde_json::{Value, json};

const ORIGIN: &str = "daybook.example/1";
const RECORDED_AT_US: i64 = 1_795_248_042_461_000;
const ACCOUNT: u8 = 0x20;

fn id(last: u8) -> [u8; 16] {
    let mut id = *b"\x01\x93\0\0\0\0\x70\0\x80\0\0\0\0\0\0\0";
    id[15] = last;
    id
}

fn uuid(id: [u8; 16]) -> String {
    let text = hex::encode(id);
    [&text[..8], &text[8..12], &text[12..16], &text[16..20], &text[20..]].join("-")
}

fn base64(bytes: impl AsRef<[u8]>) -> String {
    STANDARD.encode(bytes)
}

fn list(hashes: &[[u8; 32]]) -> Vec<String> {
    hashes.iter().map(base64).collect()
}

fn row(position: u8, stream: u8, version: i32, data: &str) -> Leaf<'_> {
    Leaf {
        shard: 1,
        position: u64::from(position),
        event_id: id(position),
        stream: id(stream),
        stream_kind: 4,
        version,
        event_type: 30,
        schema_version: 1,
        recorded_at_us: RECORDED_AT_US + i64::from(position / 4) * 1_000_000,
        effective_at_us: None,
        actor: None,
        cause_id: Some(id(0x40)),
        correlation_id: None,
        platform: id(0x50),
        data: data.as_bytes(),
        sealed_hash: None,
    }
}

fn event(leaf: &Leaf<'_>) -> Value {
    json!({
        "shard": leaf.shard,
        "position": leaf.position,
        "event_id": uuid(leaf.event_id),
        "stream": uuid(leaf.stream),
        "stream_kind": leaf.stream_kind,
        "version": leaf.version,
        "type": leaf.event_type,
        "schema_version": leaf.schema_version,
        "recorded_at_us": leaf.recorded_at_us,
        "effective_at_us": leaf.effective_at_us,
        "actor": leaf.actor.map(uuid),
        "cause_id": leaf.cause_id.map(uuid),
        "correlation_id": leaf.correlation_id.map(uuid),
        "platform": uuid(leaf.platform),
        "data": String::from_utf8(leaf.data.to_vec()).unwrap(),
        "sealed_hash": leaf.sealed_hash.map(base64),
    })
}

/// Log of the example: five events, committed as three and two.
struct Example {
    signer: Signer,
    tree: LastTree,
    last: LastEntries,
    data: String,
}

impl Example {
    fn new() -> Self {
        let signer =
            Signer::new(ORIGIN, &core::array::from_fn(|index| u8::try_from(index).unwrap())).unwrap();
        let rows = Self::entries();
        let entry = |account, row: &Leaf<'_>| LastEntry {
            account: id(account),
            position: row.position,
            leaf_hash: row.hash(),
        };
        let last = LastEntries::new(vec![entry(ACCOUNT, &rows[3]), entry(0x21, &rows[2])]).unwrap();
        let tree = LastTree { position: 4, head: last.head() };
        Self { signer, tree, last, data: tree.data() }
    }

    fn entries() -> [Leaf<'static>; 4] {
        let mut full = row(1, 0x10, 1, r#"{"lock":null}"#);
        (full.stream_kind, full.event_type) = (2, 10);
        full.effective_at_us = Some(RECORDED_AT_US + 86_400_000_000);
        (full.actor, full.correlation_id) = (Some(id(0x60)), Some(id(0x41)));
        full.sealed_hash = Some([0xab; 32]);
        [
            full,
            row(2, ACCOUNT, 1, r#"{"delta":10000,"posted":10000}"#),
            row(3, 0x21, 1, r#"{"delta":500,"posted":500}"#),
            row(4, ACCOUNT, 2, r#"{"delta":-2500,"posted":7500}"#),
        ]
    }

    fn rows(&self) -> Vec<Leaf<'_>> {
        let mut rows = Self::entries().to_vec();
        let mut committed = row(5, 0x30, 1, &self.data);
        (committed.stream_kind, committed.event_type) = (9, 99);
        rows.push(committed);
        rows
    }

    fn growth(&self) -> Growth {
        Growth::new(&Frontier::default(), self.rows().iter().map(Leaf::hash))
    }

    fn checkpoint(&self, size: u64) -> String {
        let head = of::head(&self.growth(), size).unwrap();
        let checkpoint = Checkpoint { origin: ORIGIN.to_owned(), head, extensions: vec![] };
        checkpoint.sign(std::slice::from_ref(&self.signer)).unwrap().render()
    }

    fn commit(&self) -> CommitRoot {
        CommitRoot {
            origin: ORIGIN.to_owned(),
            shard: 1,
            commit_no: 2,
            batch: id(0x70),
            writer: id(0x71),
            recorded_at_us: RECORDED_AT_US + 1_000_000,
            head: self.growth().head(),
        }
    }

    fn included(&self, position: usize) -> Value {
        let path = self.growth().prove(position as u64 - 1).unwrap();
        json!({"event": event(&self.rows()[position - 1]), "path": list(&path)})
    }

    fn receipt(&self) -> Value {
        let root = self.commit();
        let signature = root.sign(&self.signer).unwrap();
        let leaf_hash = self.rows()[3].hash();
        let path = self.growth().prove(3).unwrap();
        let json = json!({
            "position": 4,
            "leaf_hash": base64(leaf_hash),
            "path": list(&path),
            "commit": {
                "origin": root.origin.clone(), "shard": root.shard, "commit_no": root.commit_no,
                "batch": uuid(root.batch), "writer": uuid(root.writer), "recorded_at_us": root.recorded_at_us,
                "size": root.head.size, "root": base64(root.head.root),
            },
            "signature": base64(signature.to_bytes()),
        });
        let receipt = Receipt { position: 4, leaf_hash, root, signature, path: Some(path) };
        assert_eq!(receipt.verify(&[self.signer.key().clone()]), Ok(()));
        assert_eq!(receipt.is_of(&self.rows()[3]), Ok(()));
        json
    }

    fn balance(&self) -> Value {
        let (rows, growth) = (self.rows(), self.growth());
        let (path, next) = (growth.prove(1).unwrap(), growth.prove(3).unwrap());
        let entry = Some(Included { leaf: rows[1], path: &path });
        let until = Until::Next(Included { leaf: rows[3], path: &next });
        assert_eq!(Balance { account: id(ACCOUNT), at: 3, entry, until }.verify(&growth.head()), Ok(()));
        json!({
            "account": uuid(id(ACCOUNT)), "at": 3, "entry": self.included(2), "next": self.included(4),
            "checkpoint": self.checkpoint(5),
        })
    }

    fn newest_balance(&self) -> Value {
        let (rows, growth) = (self.rows(), self.growth());
        let (path, committed) = (growth.prove(3).unwrap(), growth.prove(4).unwrap());
        let (_, index, last) = self.last.prove(&id(ACCOUNT)).unwrap();
        let entry = Some(Included { leaf: rows[3], path: &path });
        let committed = Included { leaf: rows[4], path: &committed };
        let until = Until::Last { committed, tree: self.tree, index, path: &last };
        assert_eq!(Balance { account: id(ACCOUNT), at: 4, entry, until }.verify(&growth.head()), Ok(()));
        json!({
            "account": uuid(id(ACCOUNT)), "at": 4, "entry": self.included(4),
            "last": {"committed": self.included(5), "index": index, "path": list(&last)},
            "checkpoint": self.checkpoint(5),
        })
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Compares a file of the example, or writes it.
fn compare(name: &str, text: &str) {
    let path = root().join("tests/clients/verify_proof/example").join(name);
    if std::env::var_os("DAYBOOK_BLESS").is_some() {
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap(), text, "{name}");
}

#[test]
fn example_files_match_this_crate() {
    let example = Example::new();
    compare("log.pub", &format!("{}\n", example.signer.key().text()));
    compare("checkpoint-3.txt", &example.checkpoint(3));
    compare("checkpoint-5.txt", &example.checkpoint(5));
    let mut inclusion = example.included(1);
    inclusion["checkpoint"] = json!(example.checkpoint(5));
    let proof = consistency::prove(&example.growth(), 3, 5).unwrap();
    for (name, value) in [
        ("event.json", inclusion),
        ("consistency.json", json!({"from": 3, "to": 5, "proof": list(&proof)})),
        ("receipt.json", example.receipt()),
        ("balance.json", example.balance()),
        ("newest-balance.json", example.newest_balance()),
    ] {
        // The order of keys depends on a feature of serde_json that other crates may enable.
        let mut value = value;
        value.sort_all_objects();
        compare(name, &format!("{value:#}\n"));
    }
}

#[test]
fn page_shows_the_computed_bytes() {
    let example = Example::new();
    let page = std::fs::read_to_string(root().join("docs/reference/proof.md")).unwrap();
    let squeezed: String = page.split_whitespace().collect();
    let says = |what: &str, value: String| {
        let value: String = value.split_whitespace().collect();
        assert!(squeezed.contains(&value), "docs/reference/proof.md does not show {what}:\n{value}");
    };
    let rows = example.rows();
    for (leaf, name) in rows.iter().zip(["1", "2", "3", "4", "5"]) {
        says(&format!("the hash of leaf {name}"), hex::encode(leaf.hash()));
    }
    // The page shows the bytes of a leaf with one column per line, followed by its name.
    let shown: String = page
        .lines()
        .skip_while(|line| *line != "the leaf of event 1")
        .skip(1)
        .take_while(|line| !line.starts_with("```"))
        .map(|line| line.split("  ").next().unwrap_or_default().replace(' ', ""))
        .collect();
    assert_eq!(shown, hex::encode(rows[0].bytes()), "the bytes of leaf 1");
    says("the root of 3", hex::encode(of::head(&example.growth(), 3).unwrap().root));
    says("the root of 5", hex::encode(example.growth().head().root));
    says("the key", example.signer.key().text());
    says("the checkpoint", example.checkpoint(5));
    says("the text of the commit", example.commit().text().unwrap());
    says("the signature of the commit", base64(example.commit().sign(&example.signer).unwrap().to_bytes()));
    says("the data of the event with the tree of last entries", example.tree.data());
    let (entry, ..) = example.last.prove(&id(ACCOUNT)).unwrap();
    says("the leaf of that tree", hex::encode(entry.bytes()));
    says("the path", list(&example.growth().prove(3).unwrap()).join("\", \""));
}
