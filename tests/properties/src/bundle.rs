//! Bundles, as an attacker could make them: with correct hashes. Input: the manifest, a zero byte, and the lines of the
//! first segment.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::sync::LazyLock;

use daybook_checker::Verifier;
use daybook_cli::bundle::Manifest;
use daybook_verify::HOLDS;
use serde_json::Value;
use sha2::{Digest, Sha256};

use crate::proof::{folder, verify};

/// Log of a sandbox, and the key that signed it.
const REAL: &[u8] = include_bytes!("../../fuzz/corpus/bundle/sandbox");
const KEY: &str = include_str!("../sandbox.pub");

/// Events of that log, without the parts that an erasure may remove.
static EVENTS: LazyLock<BTreeSet<String>> = LazyLock::new(|| {
    let (_, lines) = parts(REAL).expect("a bundle");
    events(lines)
});

/// Checks that no bundle makes its readers panic, and that a bundle with valid proofs contains signed events only.
///
/// # Panics
///
/// Panics if the property is violated.
pub fn holds(data: &[u8]) {
    let Some((manifest, lines)) = parts(data) else { return };
    let folder = folder();
    write(folder.path(), manifest, lines, b"");
    if let Ok(manifest) = Manifest::load(folder.path()) {
        let mut verifier = Verifier::new();
        for rows in manifest.segments.iter().map_while(|segment| segment.load(folder.path()).ok()) {
            verifier.page(manifest.shard, &rows.events, &rows.commits);
        }
        let _ = verifier.finish();
    }
    let (code, said) = verify("export", folder.path(), KEY);
    let strange: Vec<String> = events(lines).difference(&EVENTS).cloned().collect();
    assert!(code != HOLDS || strange.is_empty(), "{strange:?} was never signed: {said}");
    // Nothing may follow the frame of valid lines, not even an empty frame.
    if code == HOLDS && !lines.is_empty() {
        assert!(!is_proved_with(data, &packed(b"")), "data after the frame were ignored: {said}");
    }
}

/// Returns true if the proofs of a bundle are valid.
#[must_use]
pub fn is_proved(data: &[u8]) -> bool {
    let Some((manifest, lines)) = parts(data) else { return false };
    let folder = folder();
    write(folder.path(), manifest, lines, b"");
    verify("export", folder.path(), KEY).0 == HOLDS
}

/// Splits the input into manifest and lines.
fn parts(data: &[u8]) -> Option<(&[u8], &[u8])> {
    let at = data.iter().position(|byte| *byte == 0)?;
    Some((&data[..at], &data[at + 1..]))
}

fn events(lines: &[u8]) -> BTreeSet<String> {
    let lines =
        lines.split(|byte| *byte == b'\n').filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    let events = lines.filter_map(|mut line| line.get_mut("event").map(Value::take));
    events
        .map(|mut event| {
            event["sealed"] = Value::Null;
            event.to_string()
        })
        .collect()
}

/// Returns true if the proofs of a bundle are valid with `tail` after the frame of the first segment.
#[must_use]
pub fn is_proved_with(data: &[u8], tail: &[u8]) -> bool {
    let Some((manifest, lines)) = parts(data) else { return false };
    let folder = folder();
    write(folder.path(), manifest, lines, tail);
    verify("export", folder.path(), KEY).0 == HOLDS
}

/// Writes the bundle. In a well-formed manifest the hashes are replaced by those of the content.
fn write(folder: &Path, manifest: &[u8], lines: &[u8], tail: &[u8]) {
    let mut text = manifest.to_vec();
    if let Ok(mut manifest) = serde_json::from_slice::<Value>(manifest)
        && let Some(segment) = manifest["segments"].get_mut(0).filter(|segment| segment.is_object())
    {
        let packed = [packed(lines).as_slice(), tail].concat();
        segment["bytes"] = packed.len().into();
        segment["sha256"] = sha256(&packed).into();
        segment["plain_bytes"] = lines.len().into();
        segment["plain_sha256"] = sha256(lines).into();
        let name = segment["file"].as_str().unwrap_or_default().to_owned();
        if !name.is_empty() && !name.contains(['/', '\\', '\0']) && !name.starts_with('.') && name.len() < 100
        {
            fs::write(folder.join(name), packed).expect("a folder to write to");
        }
        manifest["digest"] = digest(&manifest).into();
        text = manifest.to_string().into_bytes();
    }
    fs::write(folder.join("manifest.json"), text).expect("a folder to write to");
}

fn packed(lines: &[u8]) -> Vec<u8> {
    let mut compressor = zstd::bulk::Compressor::new(1).expect("zstd");
    compressor.include_checksum(true).expect("zstd");
    compressor.compress(lines).expect("zstd")
}

/// Returns the digest of the manifest, as defined in `docs/reference/bundle.md`.
fn digest(manifest: &Value) -> String {
    let plain = |value: &Value| value.as_str().map_or_else(|| value.to_string(), str::to_owned);
    let fields = |value: &Value, names: &[&str]| -> String {
        names.iter().map(|name| plain(&value[*name])).collect::<Vec<_>>().join(" ")
    };
    let (of_head, head) = (fields(&manifest["head"], &["position", "commit_no"]), ["shard", "log_id"]);
    let mut text =
        format!("{}\n{} {of_head}\n", fields(manifest, &["format", "version"]), fields(manifest, &head));
    for segment in manifest["segments"].as_array().into_iter().flatten() {
        text.push_str(&fields(
            segment,
            &[
                "file",
                "first_position",
                "last_position",
                "first_commit",
                "last_commit",
                "bytes",
                "sha256",
                "plain_bytes",
                "plain_sha256",
            ],
        ));
        text.push('\n');
    }
    sha256(text.as_bytes())
}

fn sha256(bytes: &[u8]) -> String {
    hex::encode(Sha256::digest(bytes))
}
