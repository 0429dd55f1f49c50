//! MT940 and MT942: rules about messages, pages and balances that no sample shows.

use crate::mt940_made::{accepted, all_refused, day, message, refused, report};
use daybook_statement::{Standing, Statement};

#[test]
fn days_have_running_balances() {
    for (fields, closing, expected) in [
        ("", "100,", &[("2026-11-03", 10_000, 10_000, 0)][..]),
        (
            ":61:2611021102D150,NTRFX\n",
            "-50,",
            &[("2026-11-02", 10_000, -5_000, 1), ("2026-11-03", -5_000, -5_000, 0)],
        ),
        (
            ":61:2611031103C1,NTRFX\n:61:2611021102C2,NTRFX\n:61:2611031103C4,NTRFX\n:61:2611021101C8,NTRFX\n",
            "115,",
            &[
                ("2026-11-01", 10_000, 10_800, 1),
                ("2026-11-02", 10_800, 11_000, 1),
                ("2026-11-03", 11_000, 11_500, 2),
            ],
        ),
    ] {
        let text = message(fields, closing).replace("C261103EUR-", "D261103EUR");
        let days = &accepted(text).statements[0].days;
        let found: Vec<_> =
            days.iter().map(|of| (of.date.to_string(), of.opening, of.closing, of.lines)).collect();
        let expected: Vec<_> = expected.iter().map(|of| (of.0.to_owned(), of.1, of.2, of.3)).collect();
        assert_eq!(found, expected, "{fields}");
    }
}

#[test]
fn balances_are_checked() {
    let text = message("", "100,00");
    all_refused(&[
        (text.replace(":62F:C", ":62F:D"), ":62F:", "amount"),
        (text.replace(":62F:C", ":62F:X"), ":62F:", "mark"),
        (text.replace(":62F:C", ":62F:"), ":62F:", "mark"),
        (text.replace("261103EUR", "261103USD"), ":62F:", "currency"),
        (text.replace("EUR", "EUX"), ":60F:", "currency"),
        (text.replace("EUR", "eur"), ":60F:", "currency"),
        (text.replace("C261101", "C261301"), ":60F:", "date"),
        (text.replace("C261103", "C261031"), ":62F:", "date"),
        (text.replace("100,00\n:62F", "100,00X\n:62F"), ":60F:", "amount"),
        (text.replace("100,00\n:62F", "100,00\nX\n:62F"), ":60F:", "text"),
        (text.replace("EUR", "JPY").replace("100,00", "100,50"), ":60F:", "amount"),
        (text.replace("\n-", "\n:64:C261103USD1,\n-"), ":64:", "currency"),
        (text.replace("\n-", "\n:64:C261103EUR1\n-"), ":64:", "amount"),
        (text.replace("\n-", "\n:65:X261103EUR1,\n-"), ":65:", "mark"),
    ]);
    let fault = refused(text.replace("C261103EUR100,00", "D261103EUR0,01"));
    assert_eq!((fault.expected.as_deref(), fault.found.as_deref()), (Some("100,00"), Some("-0,01")));
    for (code, amount, minor) in [("JPY", "100,", 100), ("KWD", "100,5", 100_500), ("EUR", "100,", 10_000)] {
        let file = accepted(text.replace("EUR", code).replace("100,00", amount));
        assert_eq!(file.statements[0].days[0].closing, minor, "{code}");
    }
}

#[test]
fn fields_come_in_order() {
    let text = message(":61:2611021102C1,NTRFX\n:86:x\n", "101,");
    all_refused(&[
        (text.replace(":25:A\n", ""), ":28C:", "tag"),
        (text.replace(":25:A", ":25:"), ":25:", "account"),
        (text.replace(":25:A", ":25:A\nB"), ":25:", "text"),
        (text.replace(":20:X", ":20:"), ":20:", "reference"),
        (text.replace(":28C:5/1\n", ""), ":60F:", "tag"),
        (text.replace(":60F:C261101EUR100,00\n", ""), ":61:", "tag"),
        (text.replace(":25:A\n", ":25:A\n:25:A\n"), ":25:", "tag"),
        (text.replace(":25:A\n", ":25:A\n:99Z:A\n"), ":99Z:", "tag"),
        (text.replace(":25:A\n", ":25:A\n:13D:2611021530+0100\n"), ":13D:", "tag"),
        (text.replace(":28C:5/1\n", ":28C:5/1\n:86:early\n"), ":86:", "text"),
        (text.replace(":86:x\n", ":86:x\n:86:y\n"), ":86:", "text"),
        (text.replace("\n-", "\n:61:2611021102C1,NTRFX\n-"), ":61:", "tag"),
        (text.replace("\n-", "\n:62F:C261103EUR101,\n-"), ":62F:", "tag"),
        (text.replace(":62F:", ":64:"), ":64:", "tag"),
        (text.replace(":62F:C261103EUR101,\n", ""), "-", "closing balance"),
        (text.replace(":62F:C261103EUR101,\n-\n", ":20:Y\n"), ":20:", "closing balance"),
        (text.replace(":62F:C261103EUR101,\n-\n", ""), "end of file", ":86:"),
        (text.replace(":61:", ":60F:C261101EUR100,\n:61:"), ":60F:", "tag"),
        (text.replace(":61:", ":34F:EUR1,\n:61:"), ":34F:", "tag"),
        (text.replace("5/1", "5/"), ":28C:", "sequence number"),
        (text.replace("5/1", "123456/1"), ":28C:", "statement number"),
        (text.replace("5/1", "5/1/1"), ":28C:", "sequence number"),
        (text.replace("5/1", "A"), ":28C:", "statement number"),
        (format!("{text}garbage"), "message", "start"),
        (format!("X{text}"), "message", "start"),
        (text.replace(":86:x", ":86:x\0"), ":86:", "text"),
        (text.replace(":86:x", ":86:x\ry"), ":86:", "text"),
        (String::new(), "end of file", ":20:"),
        ("\u{feff}\n".to_owned(), "end of file", ":20:"),
    ]);
}

#[test]
fn pages_follow_one_another() {
    let first = ":20:P\n:25:A\n:28C:5/1\n:60F:C261101EUR10,\n:62M:C261102EUR10,\n-\n";
    let last = ":20:P\n:25:A\n:28C:5/2\n:60M:C261102EUR10,\n:62F:C261102EUR10,\n-\n";
    let both = format!("{first}{last}");
    assert_eq!(accepted(&both).statements.len(), 1);
    all_refused(&[
        (first.to_owned(), "end of file", ":62M:"),
        (format!("{first}{first}"), ":28C:", "sequence number"),
        (last.to_owned(), ":28C:", "sequence number"),
        (last.replace("5/2", "5/1"), ":60M:", "tag"),
        (last.replace("5/2", "5"), ":60M:", "tag"),
        (format!("{last}{first}"), ":28C:", "sequence number"),
        (both.replace("5/2", "6/2"), ":28C:", "statement number"),
        (both.replace("5/2", "5/1"), ":28C:", "sequence number"),
        (both.replace("5/2", "5"), ":28C:", "sequence number"),
        (both.replace("5/1", "5").replace("5/2", "5"), ":28C:", "sequence number"),
        (format!("{first}{}", last.replace(":25:A", ":25:B")), ":25:", "account"),
        (both.replace("60M", "60F"), ":60F:", "tag"),
        (format!("{first}{}", last.replace("EUR", "USD")), ":60M:", "currency"),
        (both.replace(":60M:C", ":60M:D").replace(":62F:C", ":62F:D"), ":60M:", "amount"),
        (format!("{first}{}", report("")), "end of file", ":62M:"),
    ]);
}

#[test]
fn messages_are_separated_in_many_ways() {
    let one = message(":61:2611021102C1,NTRFX\n:86:x\n", "101,");
    let bare = one.trim_end_matches("-\n");
    let block = format!(
        "{{1:F01}}{{2:O9400600}}{{3:{{108:X}}}}{{4:\r\n{bare}-}}{{5:{{CHK:12}}{{TNG:}}}}{{S:{{X:}}}}"
    );
    for (text, statements) in [
        (one.clone(), 1),
        (bare.trim_end().to_owned(), 1),
        (one.repeat(3), 3),
        (bare.repeat(3), 3),
        (one.replace('\n', "\r\n").repeat(2), 2),
        (block.repeat(2), 2),
        (format!("{block}\r\n${block}\r\n"), 2),
        (format!("\u{1}{block}\u{3}\u{1}{block}\u{3}   "), 2),
        (format!("{one}{block}{one}\u{1a}"), 3),
        (one.replace("-\n", "-  \r\n"), 1),
        (format!("{bare}-}}\n"), 1),
        (block.replace("{2:O9400600}", ""), 1),
        (one.replace(":25:A", ":21:NONE\n:25P:A\nBANKXX"), 1),
        (one.replace(":28C:", ":28:"), 1),
    ] {
        let file = accepted(&text);
        assert_eq!(file.statements.len(), statements, "{text}");
        assert_eq!(file.format, "mt940");
        for statement in file.statements {
            assert_eq!((&*statement.account, &*statement.lines[0].text), ("A", "x"), "{text}");
        }
    }
    all_refused(&[
        (block.replace("-}", "-"), ":62F:", "text"),
        (format!("{{1:F01}}{{4:\n{}", bare.trim_end()), "end of file", ":62F:"),
        (format!("{{1:F01}}{{4:\n{}", report("").trim_end()), "end of file", ":13D:"),
        (block.replace("O940", "O950"), "{2:}", "message type"),
        (block.replace("O940", "O942"), "{2:}", "message type"),
        (block.replace("O940", "O"), "{2:}", "message type"),
        ("{1:F01}".to_owned(), "end of file", "{4:"),
        ("{1:F01".to_owned(), "end of file", "block"),
        ("{1:F01}:20:X".to_owned(), "message", "start"),
        (block.replace(":20:X\n", ""), ":25:", "tag"),
        (block.replace(":20:X\n", "hello\n"), "message", "tag"),
    ]);
}

#[test]
fn reports_are_pending_and_checked() {
    let fields =
        ":61:261102D10,NTRFX\n:86:x\n:61:2611021103RD20,NTRFX\n:61:261102ED11,5NTRFX\n:61:261102EC30,NTRFX\n";
    let sums = ":90D:2EUR21,50\n:90C:00002EUR50,\n:86:note\n";
    let whole = report(&format!("{fields}{sums}"));
    let file = accepted(&whole);
    assert_eq!(file.format, "mt942");
    let [Statement { standing: Standing::Pending, days, lines, .. }] = &*file.statements else {
        panic!("one")
    };
    assert!(days.is_empty() && lines.iter().all(|line| !line.booked));
    assert_eq!(lines.iter().map(|line| line.amount).collect::<Vec<_>>(), [-1_000, 2_000, -1_150, 3_000]);
    assert_eq!(lines[0].booking_from, Some("value date: the line has no entry date"));
    assert_eq!((lines[1].booking, lines[1].booking_from), (Some(day("2026-11-03")), None));
    let plain = report(fields);
    let block = format!("{{1:F01}}{{2:I942X}}{{4:\n{}}}", plain.trim_end());
    for text in [
        plain.clone(),
        block.clone(),
        whole.trim_end_matches("-\n").to_owned(),
        whole.replace(":90D:2EUR21,50\n", ""),
        plain.replace(":13D:2611021530+0100\n", ""),
        plain.replace(":13D:2611021530+0100\n", ":13:2611021530\n"),
        plain.replace(":34F:EURD10,\n:34F:EURC20,\n", ":34F:EUR10,\n"),
        plain.replace(":34F:EURC20,\n", ""),
    ] {
        assert_eq!(accepted(&text).statements[0].lines.len(), 4, "{text}");
    }
    all_refused(&[
        (whole.replace("90D:2", "90D:3"), ":90D:", "number"),
        (whole.replace("90D:2", "90D:"), ":90D:", "number"),
        (whole.replace("21,50", "21,51"), ":90D:", "amount"),
        (whole.replace("90C:00002", "90C:2").replace("EUR50,", "EUR50"), ":90C:", "amount"),
        (whole.replace("EUR50,", "USD50,"), ":90C:", "currency"),
        (whole.replace(":90C:00002EUR50,", ":90D:2EUR21,50"), ":90D:", "tag"),
        (plain.replace("D10,NTRF", "D9,99NTRF"), ":61:", "amount"),
        (plain.replace("EC30,", "EC19,99"), ":61:", "amount"),
        (plain.replace(":34F:EURD10,\n", ":34F:EUR10,\n"), ":34F:", "mark"),
        (plain.replace(":34F:EURC20,\n", ":34F:EURD20,\n"), ":34F:", "mark"),
        (plain.replace("EURC20", "USDC20"), ":34F:", "currency"),
        (plain.replace("1530", "2530"), ":13D:", "time"),
        (plain.replace("+0100", "+01"), ":13D:", "offset"),
        (plain.trim_end_matches("-\n").to_owned(), "end of file", ":61:"),
        (plain.replace("\n-", "\n:62F:C261102EUR1,\n-"), ":62F:", "tag"),
        (block.replace("I942", "I940"), "{2:}", "message type"),
    ]);
    assert_eq!(accepted(whole + &message("", "100,")).format, "mt940");
}
