//! BAI2: samples, and changed bytes of them.

use crate::samples;
use daybook_statement::{BankFile, bai2};

#[test]
fn samples_are_read_as_expected() {
    let samples = samples::samples("bai2-");
    assert_eq!(samples.len(), 10);
    for (name, content, expected) in samples {
        assert!(bai2::is_format(&content), "{}", name.display());
        samples::check(&name, &expected, bai2::read(&content));
    }
}

/// Contents of the samples that are accepted.
fn accepted() -> Vec<(Vec<u8>, BankFile)> {
    let samples = samples::samples("bai2-").into_iter();
    samples.filter_map(|(_, content, _)| bai2::read(&content).ok().map(|file| (content, file))).collect()
}

/// True if the field of a record is a count, a total, a balance or an amount.
fn is_checked(fields: &[&str], at: usize) -> bool {
    match fields.first().copied() {
        Some("49" | "98" | "99") => at > 0,
        // The samples have no summary with a funds type of several fields before a balance.
        Some("03") => at == 4 || at == 8 || at == 12 || at == 16,
        Some("88") => at == 2,
        Some("16") => at == 2,
        _ => false,
    }
}

/// Every digit of counts, totals, balances and amounts, replaced by each other digit and by a letter.
#[test]
fn changed_counts_and_totals_are_refused() {
    let (mut changed, mut refused) = (0, 0);
    for (content, file) in accepted() {
        let text = String::from_utf8(content.clone()).expect("UTF-8");
        let mut start = 0;
        for line in text.split_inclusive('\n') {
            let fields: Vec<&str> = line.split([',', '/']).collect();
            let mut at = start;
            for (index, field) in fields.iter().enumerate() {
                let bytes = at..at + field.len();
                at = bytes.end + 1;
                for byte in bytes.filter(|_| is_checked(&fields, index)) {
                    for other in b"0123456789x" {
                        let mut content = content.clone();
                        content[byte] = *other;
                        changed += 1;
                        match bai2::read(&content) {
                            Err(_) => refused += 1,
                            Ok(other) => {
                                assert_eq!(other, file, "byte {byte}: {}", char::from(content[byte]));
                            }
                        }
                    }
                }
            }
            start += line.len();
        }
    }
    assert!(changed > 4_000 && refused > changed * 8 / 10, "{refused} of {changed}");
}

/// Each part of an accepted sample from its beginning: nothing but line breaks may be missing.
#[test]
fn truncated_samples_are_refused() {
    for (content, file) in accepted() {
        for end in 0..content.len() {
            match bai2::read(&content[..end]) {
                Ok(read) => {
                    assert!(content[end..].trim_ascii().is_empty(), "byte {end}");
                    assert_eq!(read, file);
                }
                Err(fault) => assert!(fault.byte <= end && fault.line > 0, "byte {end}: {fault}"),
            }
        }
    }
}

/// The padded sample without its line breaks, in blocks, and with a byte order mark.
#[test]
fn layouts_of_physical_records_are_equal() {
    let samples = samples::samples("bai2-padded");
    let (_, content, expected) = samples.first().expect("the sample");
    let text = String::from_utf8(content.clone()).expect("UTF-8");
    let one_line = text.replace("\r\n", "");
    let records: Vec<String> =
        one_line.as_bytes().chunks(80).map(|record| String::from_utf8_lossy(record).into_owned()).collect();
    let blocks: Vec<String> = records.chunks(4).map(|block| format!("{:320}", block.concat())).collect();
    let blocks = blocks.join("\n");
    let bare = text.lines().map(str::trim_end).collect::<Vec<_>>().join("\n");
    let marked = format!("\u{feff}\r\n{one_line}\r\n");
    for layout in [&one_line, &blocks, &bare, &marked, &one_line.trim_end().to_owned()] {
        samples::check("layout".as_ref(), expected, bai2::read(layout.as_bytes()));
        let file = bai2::read(layout.as_bytes()).expect("is read");
        for line in &file.statements[0].lines {
            let stated = &layout[line.bytes.clone()];
            assert!(stated.starts_with("16,") && stated.ends_with(&line.text), "{stated}");
        }
    }
    // A fault counts physical records where there are no lines.
    let fault = bai2::read(one_line.replace("49,8000000", "49,8000001").as_bytes()).expect_err("a fault");
    assert_eq!((fault.line, fault.byte, &*fault.record), (15, 14 * 80, "49"));
}
