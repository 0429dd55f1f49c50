//! No check holds with any changed byte, and no input causes a panic.

use std::fs;

use proptest::prelude::*;

use crate::log::{ACCOUNT, Log, write};
use crate::proofs::folder;
use crate::run;

/// Returns every check with a file that it reads.
fn checks() -> (tempfile::TempDir, Vec<(&'static str, &'static str)>) {
    let log = Log::new();
    let mut event = log.included(3);
    event["checkpoint"] = log.checkpoint(7).into();
    let there = folder([
        ("receipt.json", log.receipt(4, 3).to_string()),
        ("event.json", event.to_string()),
        ("bare.json", log.event(4).to_string()),
        ("balance.json", log.balance(ACCOUNT, 5, Some(4), 7).to_string()),
        ("consistency.json", log.consistency(5, 7).to_string()),
        ("old.txt", log.checkpoint(5)),
        ("new.txt", log.checkpoint(7)),
    ]);
    let consistency = "consistency consistency.json --old old.txt --new new.txt";
    let kept = "receipt receipt.json --checkpoint new.txt --consistency consistency.json";
    let all = vec![
        ("receipt.json", "receipt receipt.json"),
        ("bare.json", "receipt receipt.json --event bare.json"),
        ("event.json", "event event.json"),
        ("balance.json", "balance balance.json"),
        ("consistency.json", consistency),
        ("old.txt", consistency),
        ("new.txt", consistency),
        ("consistency.json", kept),
        ("new.txt", kept),
    ];
    (there, all)
}

#[test]
fn proof_with_changed_byte_never_holds() {
    let (there, all) = checks();
    for (file, arguments) in all {
        run(there.path(), arguments).is(0, &[]);
        let path = there.path().join(file);
        let good = fs::read(&path).expect("is there");
        // The position of the query is not part of the proof.
        let asked = String::from_utf8_lossy(&good).find("\"at\":").map(|at| at + 5);
        for at in (0..good.len()).filter(|at| Some(*at) != asked) {
            let mut bad = good.clone();
            bad[at] ^= 1 << (at % 8);
            write(there.path(), file, &bad);
            let said = run(there.path(), arguments);
            assert!(said.code == 1 || said.code == 2, "{file} holds with byte {at} changed:\n{}", said.text);
        }
        write(there.path(), file, &good);
    }
}

#[test]
fn export_with_changed_byte_never_holds() {
    let bundle = Log::new().bundle(4);
    let arguments = format!("export {}", bundle.path().display());
    for file in ["manifest.json", "segment-000001.ndjson.zst", "segment-000002.ndjson.zst"] {
        let good = fs::read(bundle.path().join(file)).expect("is there");
        for at in 0..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 1 << (at % 8);
            write(bundle.path(), file, &bad);
            let said = run(bundle.path(), &arguments);
            assert!(said.code == 1 || said.code == 2, "{file} holds with byte {at} changed:\n{}", said.text);
        }
        write(bundle.path(), file, &good);
    }
}

#[test]
fn changed_key_is_never_trusted() {
    let (there, _) = checks();
    let good = crate::log::signer().key().text() + "\n";
    for at in 0..good.len() - 1 {
        let mut bad = good.clone().into_bytes();
        bad[at] ^= 1 << (at % 7);
        write(there.path(), "key.txt", &bad);
        let said = crate::run_with(there.path(), "--key key.txt receipt receipt.json");
        assert!(said.code == 1 || said.code == 2, "byte {at}:\n{}", said.text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 64, ..ProptestConfig::default() })]

    #[test]
    fn random_files_are_refused_without_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let (there, all) = checks();
        for (file, arguments) in all {
            let good = fs::read(there.path().join(file)).expect("is there");
            write(there.path(), file, &bytes);
            let said = run(there.path(), arguments);
            prop_assert!(said.code == 1 || said.code == 2, "{}", said.text);
            write(there.path(), file, good);
        }
    }

    #[test]
    fn random_lines_in_export_cause_no_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let log = Log::new();
        let lines = format!("{}{}", log.lines(1..=2), String::from_utf8_lossy(&bytes));
        let spoiled = crate::log::bundle(&[(1..=2, lines), (3..=4, log.lines(3..=4))]);
        let arguments = format!("export {}", spoiled.path().display());
        prop_assert_eq!(run(spoiled.path(), &arguments).code, u8::from(!bytes.is_empty()));
        for file in ["segment-000001.ndjson.zst", "manifest.json"] {
            write(spoiled.path(), file, &bytes);
            prop_assert!(run(spoiled.path(), &arguments).code > 0);
        }
    }
}
