//! Bundles without a valid signature: each is refused before anything is loaded.

use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use daybook_checker::Trust;
use daybook_cli::bundle::import;
use daybook_log::Log;
use daybook_log::postgres::PostgresLog;
use nix::sys::stat::Mode;
use nix::unistd::mkfifo;
use serde_json::{Value, json};

use super::damage::{Bundle, edited, sha256};
use super::{Ledger, trusted};
use crate::read_models::story::SHARD;

/// Applies `change` to every commit in `lines`.
fn commits(lines: &mut [String], change: impl Fn(&mut Value)) {
    for line in lines.iter_mut().filter(|line| line.starts_with("{\"commit\"")) {
        let mut value: Value = serde_json::from_str(line).expect("JSON");
        change(&mut value["commit"]);
        let of = |name: &str| value["commit"][name].to_string();
        let names = ["commit_no", "batch", "writer", "last_position", "recorded_at_us", "root", "signature"];
        let fields: Vec<_> = names.map(|name| format!("\"{name}\":{}", of(name))).into();
        *line = format!("{{\"commit\":{{{}}}}}", fields.join(","));
    }
}

async fn is_empty(bundle: &Bundle) -> bool {
    bundle.log.head(SHARD).await.expect("a head").position == 0
}

#[tokio::test]
async fn unsigned_bundle_is_refused() {
    let bundle = Bundle::new().await;
    let stripped = |names: &'static [&'static str]| {
        bundle.forged(0, move |lines| {
            commits(lines, |commit| names.iter().for_each(|name| commit[*name] = Value::Null));
        })
    };
    let said = bundle.refused(stripped(&["signature"])).await;
    assert!(said.contains("it is not signed"), "{said}");
    let said = bundle.refused(stripped(&["root", "signature"])).await;
    assert!(said.contains("nobody signed it"), "{said}");
    assert!(is_empty(&bundle).await);
}

#[tokio::test]
async fn remade_roots_under_old_signatures_are_refused() {
    let bundle = Bundle::new().await;
    // The first commit with another batch id, under the signature of the original.
    let forged = bundle.forged(0, |lines| {
        commits(lines, |commit| {
            if commit["commit_no"] == 1 {
                commit["batch"] = json!("00000000-0000-4000-8000-000000000001");
            }
        });
    });
    let said = bundle.refused(forged).await;
    assert!(said.contains("commit 1") && said.contains("not that of a key that is trusted"), "{said}");
    let other_root = bundle.forged(0, |lines| {
        commits(lines, |commit| commit["root"] = json!(STANDARD.encode([7; 32])));
    });
    let said = bundle.refused(other_root).await;
    assert!(said.contains("its root is not that of the events"), "{said}");
    assert!(is_empty(&bundle).await);
}

#[tokio::test]
async fn bundle_import_requires_its_own_key() {
    let bundle = Bundle::new().await;
    let other = daybook_proof::Signer::new("daybook.local/other/1", &[9; 32]).expect("a name").key().clone();
    for trust in [
        Trust::default(),
        Trust { keys: vec![other], ..Trust::default() },
        // A signed bundle needs its key, even if unsigned bundles are accepted.
        Trust { unsigned: true, ..Trust::default() },
    ] {
        import(&bundle.log, SHARD, bundle.good.path(), &trust, |_| {})
            .await
            .expect_err("no trusted key signed it");
        assert!(is_empty(&bundle).await);
    }
    import(&bundle.log, SHARD, bundle.good.path(), &trusted(), |_| {}).await.expect("is imported");
}

#[tokio::test]
async fn special_files_are_refused_immediately() {
    let bundle = Bundle::new().await;
    let file = bundle.file(0).to_owned();
    let pipe = |path: &Path| mkfifo(path, Mode::S_IRWXU).expect("is made");
    let began = Instant::now();
    for name in ["manifest.json", &file] {
        let replaced = |put: &dyn Fn(&Path)| {
            let copy = bundle.damaged(|folder| {
                fs::remove_file(folder.join(name)).expect("is removed");
                put(&folder.join(name));
            });
            let (mut out, mut err) = (vec![], vec![]);
            let export = copy.path().to_str().expect("text").to_owned();
            let key = trusted().keys[0].text();
            let words = ["daybook-verify", "--key-text", &key, "export", &export];
            let code = daybook_verify::run(words, &mut out, &mut err);
            assert_ne!(code, daybook_verify::HOLDS);
            copy
        };
        let sparse = |path: &Path| {
            fs::File::create(path).and_then(|file| file.set_len(6 << 30)).expect("is sparse");
        };
        let folder = |path: &Path| fs::create_dir(path).expect("is made");
        let device = |path: &Path| std::os::unix::fs::symlink("/dev/zero", path).expect("is linked");
        for (put, what) in [
            (&pipe as &dyn Fn(&Path), "it is a pipe"),
            (&folder, "it is a folder"),
            (&device, "it is a device"),
            (&sparse, "6442450944 bytes"),
        ] {
            let copy = replaced(put);
            let refused = import(&bundle.log, SHARD, copy.path(), &trusted(), |_| {}).await;
            let said = refused.expect_err("is no file").to_string();
            assert!(said.contains(name) && said.contains(what), "{name}: {said}");
        }
    }
    assert!(began.elapsed() < Duration::from_secs(30), "{:?}", began.elapsed());
    assert!(is_empty(&bundle).await);
}

#[tokio::test]
async fn trailing_bytes_after_frame_are_refused() {
    let bundle = Bundle::new().await;
    let file = bundle.file(0).to_owned();
    let frame = zstd::encode_all(&b"{}\n"[..], 3).expect("packs");
    for tail in [frame.as_slice(), b"tail", &[0x50, 0x2a, 0x4d, 0x18, 1, 0, 0, 0, 7]] {
        let said = bundle
            .refused(|folder| {
                let packed = [fs::read(folder.join(&file)).expect("a segment"), tail.to_vec()].concat();
                let text = fs::read_to_string(folder.join("manifest.json")).expect("a manifest");
                let text = edited(&text, |manifest| {
                    manifest["segments"][0]["bytes"] = json!(packed.len());
                    manifest["segments"][0]["sha256"] = json!(sha256(&packed));
                });
                fs::write(folder.join(&file), packed).expect("is written");
                fs::write(folder.join("manifest.json"), text).expect("is written");
            })
            .await;
        assert!(said.contains(&format!("its last {} bytes are behind its frame", tail.len())), "{said}");
    }
}

#[tokio::test]
async fn forged_end_of_log_prevents_signing() {
    let ledger = Ledger::small().await;
    let keys = [daybook_tests::app::signer().key().clone()];
    let head = ledger.log.head(SHARD).await.expect("a head").position;
    ledger.log.check_end(SHARD, &keys, head).await.expect("is as it was signed");
    ledger.log.register_keys(SHARD, &keys, 0).await.expect("is as it was signed");
    let newest = "shard = 1 and commit_no = (select max(commit_no) from commit where shard = 1)";
    // Dates the key before this commit.
    let older_key = "alter table signing_key disable trigger all; update signing_key set since = 'epoch';
                     alter table signing_key enable trigger all";
    for (sql, what) in [
        (format!("update commit set writer = gen_random_uuid() where {newest}"), "is not by the key"),
        (format!("update commit set root = sha256('forged') where {newest}"), "not that of its events"),
        (format!("update commit set signature = null where {newest}"), "it is not signed"),
        (
            format!("update commit set root = null, signature = null, frontier = null where {newest}"),
            "it is not signed",
        ),
        (
            format!(
                "update event set data = (data::text || ' ')::json where shard = 1 and position = {head}"
            ),
            "not that of its events",
        ),
    ] {
        let (database, log) = ledger.copy().await;
        log.backfill_roots(SHARD).await.expect("has trees");
        log.register_keys(SHARD, &keys, 0).await.expect("is as it was signed");
        super::behind_the_back(&database, &format!("{sql}; {older_key}")).await;
        // A new instance, because the one that read the original commit would not notice the change.
        let log = PostgresLog::new(database.pg());
        for refused in [
            log.check_end(SHARD, &keys, head).await.expect_err("is forged").to_string(),
            log.register_keys(SHARD, &keys, 0).await.expect_err("is forged").to_string(),
        ] {
            assert!(refused.contains(what) && refused.contains("nothing is signed"), "{sql}: {refused}");
        }
    }
}
