//! CAMT: pages of statements, in one file or in several.

use crate::camt_message::{DAY, accept, balance, entry, message, refuse, statement};
use daybook_statement::camt::{Page, page, read, read_pages};
use daybook_statement::{BankFile, Standing, Statement};

/// Page of statement `S1`: opening zero on the first one, closing six on the last one, an entry of two on each.
fn page_of_three(number: usize) -> String {
    let balances = match number {
        1 => format!("{}{}", balance("OPBD", "0", DAY), balance("ITBD", "2", DAY)),
        3 => balance("CLBD", "6", DAY),
        _ => String::new(),
    };
    format!("{balances}{}", entry("2", &format!("<AcctSvcrRef>B{number}</AcctSvcrRef>")))
}

/// Number of a page and whether it is the last.
fn pagination(element: &str, number: usize, is_last: bool) -> String {
    format!("<{element}><PgNb>{number}</PgNb><LastPgInd>{is_last}</LastPgInd></{element}>")
}

/// Page as a message, with pages of the message.
fn file_of_message(number: usize) -> String {
    let header = pagination("MsgPgntn", number, number == 3);
    message("camt.053.001.02", &header, &statement(&page_of_three(number)).replace("<Cd>BOOK</Cd>", "BOOK"))
}

/// Page of a statement.
fn unit(number: usize) -> String {
    statement(&format!("{}{}", pagination("StmtPgntn", number, number == 3), page_of_three(number)))
}

fn check_whole(file: &BankFile) {
    assert_eq!(file.statements.len(), 1);
    let Statement { days, lines, standing, .. } = &file.statements[0];
    assert_eq!((days.len(), days[0].closing, days[0].lines), (1, 600, 3));
    assert!(*standing == Standing::Booked && lines.iter().all(|line| line.booked));
    let references: Vec<_> = lines.iter().map(|line| line.references[0].1.as_str()).collect();
    assert_eq!(references, ["B1", "B2", "B3"]);
    assert_eq!(page(&file.statements[0]), None);
}

#[test]
fn pages_in_one_file_are_joined() {
    for order in [[1, 2, 3], [3, 1, 2]] {
        check_whole(&accept(&message("camt.053.001.08", "", &order.map(unit).concat())));
    }
}

#[test]
fn pages_in_several_files_are_joined() {
    for order in [[1, 2, 3], [2, 3, 1]] {
        let files = order.map(file_of_message);
        let bytes = files.each_ref().map(String::as_bytes);
        let read = read_pages(&bytes).expect("is read");
        check_whole(&read);
        let all = files.concat();
        let stated = |line: &daybook_statement::Line| &all[line.bytes.clone()];
        for (line, number) in read.statements[0].lines.iter().zip(1..) {
            let text = stated(line);
            assert!(
                text.starts_with("<Ntry>") && text.contains(&format!("<AcctSvcrRef>B{number}<")),
                "{text}"
            );
        }
    }
}

#[test]
fn messages_behind_one_another_are_read() {
    let declared = |number| format!("<?xml version=\"1.0\"?>\n{}\n", file_of_message(number));
    check_whole(&accept(&[1, 2, 3].map(declared).concat()));
    check_whole(&accept(&[3, 1, 2].map(declared).concat()));
    let fault = refuse(&format!("{}{}", declared(1), declared(2).replace("CRDT", "CRD")));
    assert_eq!(fault.field, "CdtDbtInd", "{fault}");
    assert!(fault.byte > declared(1).len(), "{fault}");
}

#[test]
fn pages_have_one_currency() {
    let pages = format!("{}{}{}", unit(1), unit(2).replace("EUR", "USD"), unit(3));
    let fault = refuse(&message("camt.053.001.08", "", &pages));
    assert_eq!((&*fault.record, &*fault.field), ("Ntry", "Amt/@Ccy"), "{fault}");
}

#[test]
fn page_without_others_waits() {
    let waiting = |text: &str| {
        let file = accept(text);
        for statement in &file.statements {
            assert!(statement.standing == Standing::Pending && statement.days.is_empty());
            assert!(statement.lines.iter().all(|line| !line.booked));
        }
        file.statements.iter().map(|statement| page(statement).expect("a page")).collect::<Vec<_>>()
    };
    for number in 1..=3 {
        let expected = [Page { number: number as u64, last: number == 3, of: "S1".to_owned() }];
        assert_eq!(waiting(&file_of_message(number)), expected);
        assert_eq!(waiting(&message("camt.053.001.08", "", &unit(number))), expected);
    }
    assert_eq!(waiting(&message("camt.053.001.08", "", &[1, 3].map(unit).concat())).len(), 2);
    let without_middle = [1, 3].map(file_of_message);
    let read = read_pages(&without_middle.each_ref().map(String::as_bytes)).expect("is read");
    assert_eq!(read.statements.iter().filter_map(page).map(|page| page.number).collect::<Vec<_>>(), [1, 3]);
}

#[test]
fn joined_pages_must_be_right() {
    let whole = message("camt.053.001.08", "", &[1, 2, 3].map(unit).concat());
    assert_eq!(refuse(&whole.replace(">6<", ">7<")).record, "Bal CLBD");
    let twice = message("camt.053.001.08", "", &[1, 2, 2, 3].map(unit).concat());
    assert_eq!(refuse(&twice).field, "PgNb");
    assert_eq!(refuse(&whole.replace("<PgNb>2</PgNb>", "")).field, "PgNb");
    assert_eq!(refuse(&whole.replace("<PgNb>2</PgNb>", "<PgNb>b</PgNb>")).field, "StmtPgntn/PgNb");
    let other = message("camt.053.001.04", "", &unit(3));
    let fault = read_pages(&[whole.as_bytes(), other.as_bytes()]).expect_err("other formats");
    assert_eq!((fault.field.as_str(), fault.byte), ("xmlns", whole.len()));
    assert_eq!(fault.line, 1 + whole.matches('\n').count());
    let broken = other.replace("CRDT", "CRD");
    let fault = read_pages(&[whole.as_bytes(), broken.as_bytes()]).expect_err("is refused");
    let all = whole + &broken;
    assert_eq!(fault.line, 1 + all[..fault.byte].matches('\n').count());
}

/// Summaries of pages are about the page or about the statement.
#[test]
fn summaries_of_pages_must_hold() {
    for (count, is_right) in [(1, true), (3, true), (2, false)] {
        let summary =
            format!("<TxsSummry><TtlNtries><NbOfNtries>{count}</NbOfNtries></TtlNtries></TxsSummry><Ntry>");
        let pages = [1, 2, 3].map(unit).concat().replace("<Ntry>", &summary);
        assert_eq!(read(message("camt.053.001.08", "", &pages).as_bytes()).is_ok(), is_right, "{count}");
    }
}

/// A message of several pages has several statements, of which one goes on to the next page.
#[test]
fn complete_statement_waits_for_nothing() {
    let complete =
        statement(&format!("{}{}{}", balance("OPBD", "0", DAY), entry("1", ""), balance("CLBD", "1", DAY)));
    let begun = statement(&page_of_three(1)).replace("S1", "S2");
    let text = message("camt.053.001.08", &pagination("MsgPgntn", 1, false), &format!("{complete}{begun}"));
    let read = accept(&text).statements;
    let pages: Vec<_> = read.iter().map(|statement| page(statement).map(|page| page.of)).collect();
    assert_eq!(pages, [None, Some("S2".to_owned())]);
    assert_eq!([read[0].standing, read[1].standing], [Standing::Booked, Standing::Pending]);
    let only = message("camt.053.001.08", &pagination("MsgPgntn", 1, true), &complete);
    assert_eq!(page(&accept(&only).statements[0]), None);
}

/// Some banks repeat both balances on each page of a message.
#[test]
fn repeated_balances_wait_for_all_pages() {
    let both = format!("{}{}", balance("OPBD", "0", DAY), balance("CLBD", "6", DAY));
    let file = |number: usize| {
        let header = pagination("MsgPgntn", number, number == 3);
        message("camt.053.001.02", &header, &statement(&format!("{both}{}", entry("2", ""))))
    };
    let files = [1, 2, 3].map(file);
    for file in &files {
        assert!(accept(file).statements.iter().all(|statement| page(statement).is_some()));
    }
    let read = read_pages(&files.each_ref().map(String::as_bytes)).expect("is read");
    assert_eq!((read.statements.len(), read.statements[0].days[0].lines), (1, 3));
}
