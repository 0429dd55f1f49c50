//! MT940 and MT942: damaged files are refused, and never panic.

use crate::samples;
use daybook_statement::mt940::read;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::Index;

/// A report with everything that is counted.
const REPORT: &[u8] =
    b":20:X\n:25:A\n:28C:5/1\n:34F:EUR0,\n:13D:2611021530+0100\n:61:2611021102D10,00NTRFX\n\
    :61:2611021102C1,50NTRFX\n:90D:1EUR10,00\n:90C:1EUR1,50\n-\n";

fn accepted_samples() -> Vec<Vec<u8>> {
    let all = samples::samples("mt940-").into_iter();
    let accepted = all.filter(|(.., expected)| expected["verdict"] == "accepted");
    accepted.map(|(_, content, _)| content).chain([REPORT.to_vec()]).collect()
}

/// Ranges of the balances, counts and sums: from the tag on, but for dates, and of the amounts of lines.
fn checked_bytes(content: &[u8]) -> Vec<usize> {
    let mut at = 0;
    let mut bytes = vec![];
    for line in content.split(|byte| *byte == b'\n') {
        let text = String::from_utf8_lossy(line);
        let length = line.strip_suffix(b"\r").unwrap_or(line).len();
        match text.get(..5) {
            Some(":60F:" | ":60M:" | ":62F:" | ":62M:") => {
                bytes.extend((at + 5..at + 6).chain(at + 12..at + length));
            }
            Some(":90D:" | ":90C:") => bytes.extend(at + 5..at + length),
            Some(":28C:") if content.windows(5).any(|tag| tag == b":60M:") => {
                bytes.extend(at + 5..at + length);
            }
            Some(":61:2") => {
                let comma = text.find(',').expect("an amount");
                let digits = text[..comma].bytes().rev().take_while(u8::is_ascii_digit).count();
                let decimals = text[comma + 1..].bytes().take_while(u8::is_ascii_digit).count();
                // Without a mark between them, digits of the entry date lie before the amount.
                bytes.extend(at + comma - digits..at + comma + 1 + decimals);
            }
            _ => {}
        }
        at += line.len() + 1;
    }
    bytes
}

#[test]
fn changed_numbers_are_refused() {
    let (mut tried, mut same) = (0, 0);
    for content in accepted_samples() {
        let file = read(&content).expect("is accepted");
        for at in checked_bytes(&content) {
            for byte in *b"0123456789AXCDRx,. -" {
                let mut changed = content.clone();
                if std::mem::replace(&mut changed[at], byte) == byte {
                    continue;
                }
                tried += 1;
                if let Ok(read) = read(&changed) {
                    assert_eq!(read, file, "{at}: {}", String::from_utf8_lossy(&changed));
                    same += 1;
                }
            }
        }
    }
    assert!(tried > 5_000 && same * 20 < tried, "{same} of {tried}");
}

#[test]
fn cut_files_never_panic() {
    for content in accepted_samples() {
        let whole = read(&content).expect("is accepted");
        for length in 0..content.len() {
            if let Ok(file) = read(&content[..length]) {
                // What is left is whole messages, or has lost a mark or a note at its end.
                let count = file.statements.len();
                assert_eq!(file.statements[..], whole.statements[..count], "{length}");
            }
        }
    }
}

#[test]
fn endless_parts_are_read_in_linear_time() {
    let head = ":20:X\n:25:A\n:28C:1\n:60F:C261101EUR0,\n:61:261102C0,NTRF";
    let tail = "\n:62F:C261101EUR0,\n-\n";
    let long = 1 << 17;
    for filler in [
        "X",
        "-",
        " ",
        "\n",
        "\n-",
        "\n- ",
        "\n:",
        "\n:8",
        "/EREF/x",
        "?20EREF+x",
        "?",
        "\n:86:",
        "\n:61:",
        "\n:20:",
        "{1:",
        "{",
        "}",
        "$",
        "\0",
        "\u{fc}",
        "1,",
        "\r",
        "-}",
    ] {
        for text in [
            filler.repeat(long),
            format!(":20:{}", filler.repeat(long)),
            format!("{{1:{}", filler.repeat(long)),
            format!("{head}X\n:86:/EREF/{}{tail}", filler.repeat(long)),
            format!("{head}X\n:86:?20{}{tail}", filler.repeat(long)),
            format!("{head}X\n:86:a{}{tail}", filler.repeat(long)),
            format!("{head}{}{tail}", filler.repeat(long)),
        ] {
            let _ = read(text.as_bytes());
        }
    }
}

proptest! {
    #[test]
    fn random_bytes_never_panic(bytes in vec(any::<u8>(), 0..300), tags in vec(any::<Index>(), 0..9)) {
        let _ = read(&bytes);
        let parts = [":20:", ":25:", ":28C:1/1", ":60F:C261101EUR0,", ":61:261102", ":86:", ":62M:", ":90D:", "-}", "{4:"];
        let text = tags.iter().map(|at| *at.get(&parts)).collect::<Vec<_>>().join("\n");
        let _ = read(&[text.as_bytes(), &bytes].concat());
    }

    #[test]
    fn random_edits_never_panic(
        sample in any::<Index>(),
        edits in vec((any::<Index>(), any::<Index>(), vec(any::<u8>(), 0..4)), 1..4),
    ) {
        let mut content = sample.get(&accepted_samples()).clone();
        for (from, count, bytes) in edits {
            let from = from.index(content.len());
            let to = (from + count.index(5)).min(content.len());
            content.splice(from..to, bytes);
            content.push(b'\n');
        }
        let _ = read(&content);
    }
}
