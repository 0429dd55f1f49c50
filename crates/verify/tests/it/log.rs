//! A small log with two accounts, as files.

use std::fmt::Write as _;
use std::fs;
use std::path::Path;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use daybook_proof::{
    Checkpoint, CommitRoot, Frontier, Growth, LastEntries, LastEntry, LastTree, Leaf, Receipt, Signer,
    consistency, tree,
};
use serde_json::{Value, json};
use sha2::{Digest, Sha256};
use tempfile::TempDir;

pub(crate) const ORIGIN: &str = "daybook.example/1";
const AT: i64 = 1_795_248_042_461_000;
/// Last position of each commit.
const COMMITS: [u64; 4] = [2, 3, 5, 7];
pub(crate) const ACCOUNT: u8 = 0x20;
pub(crate) const OTHER: u8 = 0x21;

pub(crate) fn signer() -> Signer {
    Signer::new(ORIGIN, &[7; 32]).expect("a key")
}

fn id(last: u8) -> [u8; 16] {
    let mut id = *b"\x01\x93\0\0\0\0\x70\0\x80\0\0\0\0\0\0\0";
    id[15] = last;
    id
}

pub(crate) fn uuid(last: u8) -> String {
    uuid::Uuid::from_bytes(id(last)).to_string()
}

fn base64(bytes: impl AsRef<[u8]>) -> String {
    STANDARD.encode(bytes)
}

fn list(hashes: &[[u8; 32]]) -> Vec<String> {
    hashes.iter().map(base64).collect()
}

/// An event of the log.
#[derive(Clone)]
pub(crate) struct Row {
    stream: u8,
    version: i32,
    pub(crate) kind: i16,
    /// Microseconds after [`AT`].
    pub(crate) at: i64,
    event_type: i16,
    data: String,
    sealed: Option<Vec<u8>>,
}

fn entry(stream: u8, version: i32, posted: i64, held: i64) -> Row {
    let data = format!(
        r#"{{"node":"01M7YHYBJKR318GVX63J037REQ","currency":"USD","cause":"01M7YHYBJKR318GVX63J037REQ","delta":0,"hold_delta":0,"pending_delta":0,"posted":{posted},"held":{held},"pending_in":0}}"#
    );
    Row { stream, version, kind: 4, at: 0, event_type: 30, data, sealed: None }
}

/// Events of a log. Its commits end at [`COMMITS`].
#[derive(Clone)]
pub(crate) struct Log {
    pub(crate) rows: Vec<Row>,
    last: LastTree,
    entries: LastEntries,
}

impl Log {
    pub(crate) fn new() -> Self {
        let locked = Row {
            stream: 0x10,
            version: 1,
            kind: 2,
            at: 0,
            event_type: 10,
            data: r#"{"lock":null,"é":"\\\""}"#.to_owned(),
            sealed: Some(vec![0xab; 99]),
        };
        let mut rows = vec![
            locked,
            entry(ACCOUNT, 1, 10_000, 0),
            entry(OTHER, 1, 500, 0),
            entry(ACCOUNT, 2, 10_000, 2_501),
            entry(OTHER, 2, -700, 0),
        ];
        for (row, position) in rows.iter_mut().zip(1..) {
            row.at = commit_of(position);
        }
        let hash = |at: u8| Self::leaf(&rows[usize::from(at) - 1], u64::from(at)).hash();
        let last = [(ACCOUNT, 4), (OTHER, 5)].map(|(account, at)| LastEntry {
            account: id(account),
            position: u64::from(at),
            leaf_hash: hash(at),
        });
        let entries = LastEntries::new(last.to_vec()).expect("in order");
        let last = LastTree { position: 5, head: entries.head() };
        let committed = Row {
            stream: 0x30,
            version: 1,
            kind: 99,
            at: 0,
            event_type: 999,
            data: last.data(),
            sealed: None,
        };
        let mut log = Self { rows, last, entries };
        log.rows.extend([committed, entry(ACCOUNT, 3, 7_499, 0)]);
        for row in &mut log.rows[5..] {
            row.at = commit_of(7);
        }
        log
    }

    /// Returns the same log up to `position`, with another event there.
    pub(crate) fn forked(position: usize) -> Self {
        let mut log = Self::new();
        r#"{"posted":1}"#.clone_into(&mut log.rows[position - 1].data);
        log
    }

    fn leaf(row: &Row, position: u64) -> Leaf<'_> {
        Leaf {
            shard: 1,
            position,
            event_id: id(u8::try_from(position).expect("few")),
            stream: id(row.stream),
            stream_kind: row.kind,
            version: row.version,
            event_type: row.event_type,
            schema_version: 1,
            recorded_at_us: AT + row.at,
            effective_at_us: None,
            actor: None,
            cause_id: Some(id(0x40)),
            correlation_id: None,
            platform: id(0x50),
            data: row.data.as_bytes(),
            sealed_hash: row.sealed.as_ref().map(|sealed| Sha256::digest(sealed).into()),
        }
    }

    fn leaves(&self) -> Vec<Leaf<'_>> {
        self.rows.iter().zip(1..).map(|(row, position)| Self::leaf(row, position)).collect()
    }

    fn growth(&self) -> Growth {
        Growth::new(&Frontier::default(), self.leaves().iter().map(Leaf::hash))
    }

    fn commit(&self, number: u64) -> CommitRoot {
        let size = COMMITS[usize::try_from(number).expect("few") - 1];
        CommitRoot {
            origin: ORIGIN.to_owned(),
            shard: 1,
            commit_no: number,
            batch: id(0x70),
            writer: id(0x71),
            recorded_at_us: AT + self.rows[usize::try_from(size).expect("few") - 1].at,
            head: tree::head(&self.growth(), size).expect("so many"),
        }
    }

    pub(crate) fn checkpoint(&self, size: u64) -> String {
        let head = tree::head(&self.growth(), size).expect("so many");
        let checkpoint = Checkpoint { origin: ORIGIN.to_owned(), head, extensions: vec![] };
        checkpoint.sign(&[signer()]).expect("is signed").render()
    }

    pub(crate) fn consistency(&self, from: u64, to: u64) -> Value {
        let proof = consistency::prove(&self.growth(), from, to).expect("so many");
        json!({"from": from, "to": to, "proof": list(&proof)})
    }

    pub(crate) fn event(&self, position: u64) -> Value {
        let mut event: Value = serde_json::from_str(&self.event_line(position)).expect("JSON");
        let mut event = event["event"].take();
        event.as_object_mut().expect("an object").remove("sealed");
        event["shard"] = json!(1);
        event
    }

    pub(crate) fn included(&self, position: u64) -> Value {
        let path = self.growth().prove(position - 1).expect("is there");
        json!({"event": self.event(position), "path": list(&path)})
    }

    pub(crate) fn receipt(&self, position: u64, commit: u64) -> Value {
        let root = self.commit(commit);
        let hash = self.leaves()[usize::try_from(position).expect("few") - 1].hash();
        let part = Growth::new(
            &Frontier::default(),
            self.leaves().iter().map(Leaf::hash).take(usize::try_from(root.head.size).expect("few")),
        );
        let signature = root.sign(&signer()).expect("is signed");
        let path = Some(part.prove(position - 1).expect("is there"));
        let receipt = Receipt { position, leaf_hash: hash, root: root.clone(), signature, path };
        json!({
            "position": position, "leaf_hash": base64(hash), "path": list(&receipt.path.expect("is there")),
            "commit": {"origin": root.origin, "shard": 1, "commit_no": root.commit_no, "batch": uuid(0x70),
                "writer": uuid(0x71), "recorded_at_us": root.recorded_at_us, "size": root.head.size,
                "root": base64(root.head.root)},
            "signature": base64(signature.to_bytes()),
        })
    }

    /// Returns the balance at a position, proved by the entries around it.
    pub(crate) fn balance(&self, account: u8, at: u64, entry: Option<u64>, next: u64) -> Value {
        json!({"account": uuid(account), "at": at, "entry": entry.map(|entry| self.included(entry)),
            "next": self.included(next), "checkpoint": self.checkpoint(7)})
    }

    /// Returns the newest balance, proved by the tree of last entries.
    pub(crate) fn newest(&self, account: u8, at: u64, entry: u64, committed: u64) -> Value {
        let (_, index, path) = self.entries.prove(&id(account)).expect("is there");
        assert_eq!(self.last.position, 5);
        json!({"account": uuid(account), "at": at, "entry": self.included(entry),
            "last": {"committed": self.included(committed), "index": index, "path": list(&path)},
            "checkpoint": self.checkpoint(7)})
    }

    pub(crate) fn event_line(&self, position: u64) -> String {
        let row = &self.rows[usize::try_from(position).expect("few") - 1];
        let leaf = Self::leaf(row, position);
        let text =
            |bytes: Option<Vec<u8>>| bytes.map_or("null".to_owned(), |bytes| format!("{:?}", base64(bytes)));
        format!(
            r#"{{"event":{{"position":{position},"event_id":"{}","stream":"{}","stream_kind":{},"version":{},"type":{},"schema_version":1,"recorded_at_us":{},"effective_at_us":null,"actor":null,"cause_id":"{}","correlation_id":null,"platform":"{}","data":{},"sealed":{},"sealed_hash":{}}}}}"#,
            uuid(u8::try_from(position).expect("few")),
            uuid(row.stream),
            row.kind,
            row.version,
            row.event_type,
            leaf.recorded_at_us,
            uuid(0x40),
            uuid(0x50),
            json!(row.data),
            text(row.sealed.clone()),
            text(leaf.sealed_hash.map(Vec::from)),
        ) + "\n"
    }

    pub(crate) fn commit_line(&self, number: u64) -> String {
        let root = self.commit(number);
        let signature = root.sign(&signer()).expect("is signed");
        format!(
            r#"{{"commit":{{"commit_no":{number},"batch":"{}","writer":"{}","last_position":{},"recorded_at_us":{},"root":"{}","signature":"{}"}}}}"#,
            uuid(0x70),
            uuid(0x71),
            root.head.size,
            root.recorded_at_us,
            base64(root.head.root),
            base64(signature.to_bytes()),
        ) + "\n"
    }

    /// Returns all lines of these commits.
    pub(crate) fn lines(&self, commits: std::ops::RangeInclusive<u64>) -> String {
        let mut text = String::new();
        for number in commits {
            let ends = [number - 1, number].map(end);
            text.extend((ends[0] + 1..=ends[1]).map(|position| self.event_line(position)));
            text += &self.commit_line(number);
        }
        text
    }

    /// Creates a bundle of two segments with the commits up to `last`.
    pub(crate) fn bundle(&self, last: u64) -> TempDir {
        let segments = [(1..=2, self.lines(1..=2)), (3..=last, self.lines(3..=last))];
        bundle(&segments)
    }
}

/// Returns the last position of a commit.
fn end(number: u64) -> u64 {
    number.checked_sub(1).map_or(0, |at| COMMITS[usize::try_from(at).expect("few")])
}

/// Returns the number of the commit of an event.
fn commit_of(position: u64) -> i64 {
    i64::try_from(COMMITS.partition_point(|end| *end < position)).expect("few") + 1
}

/// Creates a bundle with correct hashes from segments: the numbers of their commits, and their lines.
pub(crate) fn bundle(segments: &[(std::ops::RangeInclusive<u64>, String)]) -> TempDir {
    bundle_with(segments, b"")
}

/// Same as [`bundle`], with `tail` after the frame of each segment.
pub(crate) fn bundle_with(segments: &[(std::ops::RangeInclusive<u64>, String)], tail: &[u8]) -> TempDir {
    let folder = tempfile::tempdir().expect("a folder");
    let hex = |bytes: &[u8]| hex::encode(Sha256::digest(bytes));
    let mut rows = vec![];
    let last = segments.last().expect("a segment").0.clone();
    let mut digested = format!("daybook-log 1\n1 a-log {} {}\n", end(*last.end()), last.end());
    for ((commits, lines), number) in segments.iter().zip(1..) {
        let file = format!("segment-{number:06}.ndjson.zst");
        let packed = [zstd::encode_all(lines.as_bytes(), 3).expect("packs"), tail.to_vec()].concat();
        let (first, last) = (end(commits.start() - 1) + 1, end(*commits.end()));
        let _ = writeln!(
            digested,
            "{file} {first} {last} {} {} {} {} {} {}",
            commits.start(),
            commits.end(),
            packed.len(),
            hex(&packed),
            lines.len(),
            hex(lines.as_bytes())
        );
        rows.push(json!({"file": file, "first_position": first, "last_position": last,
            "first_commit": commits.start(), "last_commit": commits.end(), "bytes": packed.len(),
            "sha256": hex(&packed), "plain_bytes": lines.len(), "plain_sha256": hex(lines.as_bytes())}));
        write(folder.path(), &file, packed);
    }
    let manifest = json!({"format": "daybook-log", "version": 1, "shard": 1, "log_id": "a-log",
        "head": {"position": end(*last.end()), "commit_no": last.end()}, "segments": rows,
        "digest": hex(digested.as_bytes())});
    write(folder.path(), "manifest.json", manifest.to_string());
    folder
}

pub(crate) fn write(folder: &Path, name: &str, text: impl AsRef<[u8]>) {
    fs::write(folder.join(name), text).expect("is written");
}
