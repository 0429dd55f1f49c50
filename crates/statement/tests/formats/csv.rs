//! CSV by a mapping: the samples, their bytes, and changes of their balances.

use crate::samples;
use std::ops::Range;

use daybook_statement::BankFile;
use daybook_statement::csv::{Encoding, Mapping, Role, read};
use serde_json::Value;

fn mapping(expected: &Value) -> Mapping {
    let mapping = serde_json::from_value(expected["mapping"].clone());
    mapping.expect("a mapping in the words of the samples")
}

#[test]
fn samples_read_as_expected() {
    let samples = samples::samples("csv-");
    assert_eq!(samples.len(), 10);
    for (path, content, expected) in samples {
        samples::check(&path, &expected, read(&content, &mapping(&expected)));
    }
}

fn accepted() -> impl Iterator<Item = (String, Vec<u8>, Mapping)> {
    let samples = samples::samples("csv-").into_iter().filter(|of| of.2["verdict"] == "accepted");
    samples.map(|(path, content, expected)| (path.display().to_string(), content, mapping(&expected)))
}

/// The bytes of a line, alone below the header, read as the same line.
#[test]
fn bytes_of_line_state_it() {
    let mut lines = 0;
    for (name, content, mut mapping) in accepted() {
        let file = read(&content, &mapping).expect(&name);
        let all = &file.statements.first().expect(&name).lines;
        let header = content.get(..all.first().expect(&name).bytes.start).expect("a header");
        mapping.columns.remove(&Role::Balance);
        mapping.skip_footer = 0;
        (mapping.opening, mapping.closing) = (Some(0), None);
        for line in all {
            let row = content.get(line.bytes.clone()).expect("bytes of the file");
            assert!(!row.ends_with(b"\n") && !row.ends_with(b"\r"), "{name}");
            let file = read(&[header, row].concat(), &mapping).expect(&name);
            let mut alone = file.statements.into_iter().next().expect("a statement").lines;
            alone[0].bytes = line.bytes.clone();
            assert_eq!(&alone[..], std::slice::from_ref(line), "{name}");
            lines += 1;
        }
    }
    assert_eq!(lines, 2 + 3 + 3 + 8);
}

#[test]
fn sixteen_bit_samples_keep_their_bytes() {
    for (name, content, mut mapping) in accepted() {
        let text: String = content.iter().map(|byte| char::from(*byte)).collect();
        mapping.encoding = Encoding::Iso8859;
        let mut expected = read(&content, &mapping).expect(&name);
        for line in expected.statements.iter_mut().flat_map(|statement| &mut statement.lines) {
            let Range { start, end } = line.bytes;
            line.bytes = 2 + 2 * start..2 + 2 * end;
        }
        let units = || std::iter::once(0xfeff).chain(text.encode_utf16());
        for (bytes, encoding) in [
            (units().flat_map(u16::to_le_bytes).collect::<Vec<_>>(), Encoding::Utf16Le),
            (units().flat_map(u16::to_be_bytes).collect(), Encoding::Utf16Be),
        ] {
            for encoding in [encoding, Encoding::Utf16] {
                mapping.encoding = encoding;
                assert_eq!(read(&bytes, &mapping).as_ref(), Ok(&expected), "{name} {encoding:?}");
            }
        }
    }
}

/// Fields that a balance checks: in files with a running balance the balances, in others the amounts.
fn checked_fields(mapping: &Mapping) -> Vec<Role> {
    if mapping.columns.contains_key(&Role::Balance) {
        return vec![Role::Balance];
    }
    vec![Role::Amount, Role::Debit, Role::Credit]
}

/// Returns the bytes of the fields of these roles in all lines, by a plain search that knows the samples.
fn fields(content: &[u8], mapping: &Mapping, line: &Range<usize>, header: &[u8]) -> Vec<usize> {
    let columns = |row: &[u8]| -> Vec<Range<usize>> {
        let (mut fields, mut start, mut is_quoted) = (vec![], 0, false);
        for (at, byte) in row.iter().enumerate() {
            is_quoted ^= *byte == b'"';
            if char::from(*byte) == mapping.separator && !is_quoted {
                fields.push(start..at);
                start = at + 1;
            }
        }
        fields.push(start..row.len());
        fields
    };
    let names: Vec<_> = columns(header).into_iter().map(|range| header.get(range).expect("a name")).collect();
    let roles = checked_fields(mapping);
    let wanted = mapping.columns.iter().filter(|(role, _)| roles.contains(role));
    let wanted: Vec<_> = wanted.map(|(_, column)| column.to_string()).collect();
    let row = content.get(line.clone()).expect("bytes of the file");
    let of_name = columns(row).into_iter().zip(names);
    let of_wanted = of_name.filter(|(_, name)| wanted.iter().any(|wanted| wanted.as_bytes() == *name));
    of_wanted.flat_map(|(range, _)| range).map(|at| line.start + at).collect()
}

#[test]
fn changed_balances_are_refused() {
    let mut refused = 0;
    for (name, content, mapping) in accepted() {
        let file = read(&content, &mapping).expect(&name);
        let lines = &file.statements.first().expect(&name).lines;
        let above = content.get(..lines.first().expect(&name).bytes.start).expect("a header");
        let header = above.trim_ascii_end().rsplit(|byte| *byte == b'\n').next().expect("a header");
        for at in lines.iter().flat_map(|line| fields(&content, &mapping, &line.bytes, header)) {
            for byte in (b'0'..=b'9').chain([b'x', b'-', b'.', b',', b' ']) {
                let mut changed = content.clone();
                changed[at] = byte;
                match read(&changed, &mapping) {
                    Ok(same) => assert_eq!(same, file, "{name}: byte {at} is {}", char::from(byte)),
                    Err(_) => refused += 1,
                }
            }
        }
    }
    assert!(refused > 1_500, "{refused}");
}

/// A truncated file is refused, or lacks only what no balance tells: rows at the end, or the end of a text.
#[test]
fn truncated_files_keep_their_amounts() {
    for (name, content, mapping) in accepted() {
        let file = read(&content, &mapping).expect(&name);
        for end in 0..content.len() {
            let Ok(read) = read(&content[..end], &mapping) else { continue };
            let amounts = |file: &BankFile| -> Vec<_> {
                file.statements[0].lines.iter().map(|line| (line.booking, line.amount)).collect()
            };
            assert!(amounts(&file).starts_with(&amounts(&read)), "{name} up to {end}");
        }
    }
}
