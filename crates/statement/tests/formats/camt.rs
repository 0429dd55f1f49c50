//! CAMT: all samples, and changes of one byte in what they state about themselves.

use crate::samples;
use std::ops::Range;

use daybook_statement::camt::{is_format, read};

/// Text of the fourth entry in the expected results of both plain samples. The files do not have it: their batch of two
/// has no text of its own (the sample of MT940 has this one).
const NOT_IN_FILE: &str = "Lastschriften 2";

#[test]
fn samples_read_as_expected() {
    let all = samples::samples("camt05");
    assert_eq!(all.len(), 15);
    for (name, content, mut expected) in all {
        assert!(is_format(&content), "{}", name.display());
        if !String::from_utf8_lossy(&content).contains(NOT_IN_FILE) {
            let lines = expected["lines"].as_array_mut().into_iter().flatten();
            lines.filter(|line| line["text"] == NOT_IN_FILE).for_each(|line| line["text"] = "".into());
        }
        samples::check(&name, &expected, read(&content));
    }
}

#[test]
fn bytes_of_lines_are_their_entries() {
    for (name, content, _) in accepted() {
        for line in read(&content).expect("is read").statements.into_iter().flat_map(|of| of.lines) {
            let stated = String::from_utf8_lossy(&content[line.bytes]).into_owned();
            let is_entry = stated.starts_with("<Ntry>") && stated.ends_with("</Ntry>");
            let is_prefixed = stated.starts_with("<n1:Ntry>") && stated.ends_with("</n1:Ntry>");
            assert!((is_entry || is_prefixed) && stated.matches("Ntry>").count() == 2, "{name}: {stated}");
        }
    }
}

/// Every digit and a letter in place of every byte of every count, sum, total and balance.
#[test]
fn changed_totals_are_refused_or_equal() {
    let (mut tried, mut refused) = (0, 0);
    for (name, content, _) in accepted() {
        let right = read(&content).expect("is read");
        for at in places(&content, &TOTALS).into_iter().flatten() {
            for byte in *b"0123456789x" {
                let mut changed = content.clone();
                changed[at] = byte;
                tried += 1;
                match read(&changed) {
                    Ok(file) => assert_eq!(file, right, "{name}: {} at {at}", char::from(byte)),
                    Err(_) => refused += 1,
                }
            }
        }
    }
    assert!(tried > 3_000 && refused > tried * 3 / 4, "{refused} of {tried}");
}

/// The other sign of every balance, net amount and batch.
#[test]
fn turned_signs_are_refused_or_equal() {
    let (mut tried, mut refused) = (0, 0);
    for (name, content, _) in accepted() {
        let right = read(&content).expect("is read");
        for place in places(&content, &["CdtDbtInd"]) {
            let other = if &content[place.clone()] == b"CRDT" { "DBIT" } else { "CRDT" };
            let mut changed = content.clone();
            changed.splice(place.clone(), other.bytes());
            tried += 1;
            match read(&changed) {
                Ok(file) => assert_eq!(file, right, "{name}: {place:?}"),
                Err(_) => refused += 1,
            }
        }
    }
    assert!(tried > 25 && refused > tried / 2, "{refused} of {tried}");
}

/// Samples that are read.
fn accepted() -> Vec<(String, Vec<u8>, serde_json::Value)> {
    let all = samples::samples("camt05").into_iter();
    let accepted: Vec<_> = all
        .filter(|(_, _, expected)| expected["verdict"] == "accepted")
        .map(|(name, content, expected)| (name.display().to_string(), content, expected))
        .collect();
    assert_eq!(accepted.len(), 8);
    accepted
}

/// Names of the elements with counts, sums, totals and balances.
const TOTALS: [&str; 6] = ["Amt", "NbOfNtries", "Sum", "TtlNetNtryAmt", "NbOfTxs", "TtlAmt"];

/// Places of the texts of elements within balances, summaries and batches.
fn places(content: &[u8], names: &[&str]) -> Vec<Range<usize>> {
    let text = std::str::from_utf8(content).expect("UTF-8");
    let (mut places, mut is_within) = (Vec::new(), false);
    for (at, _) in text.match_indices('<') {
        let Some((tag, after)) = text[at + 1..].split_once('>') else { continue };
        let name = tag.split(' ').next().unwrap_or_default();
        let name = name.strip_prefix("n1:").unwrap_or(name);
        match name {
            "Bal" | "TxsSummry" | "Btch" => is_within = true,
            "Ntry" | "TxDtls" => is_within = false,
            _ if is_within && names.contains(&name) => {
                let start = at + tag.len() + 2;
                places.push(start..start + after.find('<').unwrap_or_default());
            }
            _ => {}
        }
    }
    places
}
