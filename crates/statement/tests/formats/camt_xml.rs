//! CAMT: XML, as much of it as is read, and what is refused.

use crate::camt_message::{accept, balance, entry, line, message, of_day, place, refuse, statement};
use daybook_statement::camt::read;
use daybook_statement::{MAX_LINES, Statement};

/// Entry with a text of its own.
fn with_text(text: &str) -> String {
    of_day(&entry("1", &format!("<AddtlNtryInf>{text}</AddtlNtryInf>")), "1")
}

#[test]
fn texts_are_those_of_xml() {
    for (text, expected) in [
        ("a &lt;&gt;&amp;&quot;&apos; b", "a <>&\"' b"),
        ("&#65;&#x42;&#x1F600;", "AB😀"),
        ("a<!-- <Ntry> -->b<?c?>", "ab"),
        ("<![CDATA[<Amt>&amp;]]>", "<Amt>&amp;"),
        ("\r\n a\r\nb \t", "a\nb"),
        ("ü", "ü"),
    ] {
        assert_eq!(line(&with_text(text)).text, expected, "{text}");
    }
    for text in ["&a;", "&#0;", "&#1;", "&#xFFFE;", "&#xD800;", "&#99999999999;", "&", "&lt", "&&;"] {
        assert_eq!(place(&with_text(text)), ("Ntry".into(), "AddtlNtryInf".into()), "{text}");
    }
    assert_eq!(place(&with_text("\u{1}")).1, "character");
}

#[test]
fn document_type_is_refused_everywhere() {
    let text = with_text("ENTITY SYSTEM PUBLIC");
    for (declaration, field) in [
        ("<!DOCTYPE Document>", "DOCTYPE"),
        ("<!doctype a SYSTEM 'b'>", "SYSTEM"),
        ("<!DOCTYPE a PUBLIC 'b' 'c'>", "PUBLIC"),
        ("<!DOCTYPE a [<!ENTITY % b SYSTEM 'c'>]>", "ENTITY"),
        ("<!DOCTYPE", "DOCTYPE"),
        ("<!DOCTYPE a [", "DOCTYPE"),
    ] {
        for before in ["<Document", "<Ntry>", "</Document>"] {
            let refused = place(&text.replacen(before, &format!("{declaration}{before}"), 1));
            assert_eq!(refused.0, "DOCTYPE", "{declaration} before {before}");
            assert!(refused.1 == field || !declaration.ends_with('>'), "{declaration}: {}", refused.1);
        }
    }
}

#[test]
fn structure_is_checked() {
    let text = with_text("a");
    for (from, to, record) in [
        ("</Document>", "</Document><Document/>", "XML"),
        ("</Document>", "</Document>a", "XML"),
        ("<Ntry>", "a<Ntry>", "Stmt"),
        ("</Ntry>", "a</Ntry>", "Ntry"),
        ("</Ntry>", "</Ntr>", "Ntry"),
        ("</Ntry>", "<?xml version='1.0'?></Ntry>", "Ntry"),
        ("</Ntry>", "", "Ntry"),
        ("</Document>", "", "end of file"),
        ("</Document>", "</Document", "end of file"),
        ("<Ntry>", "<><Ntry>", "Stmt"),
        ("<AddtlNtryInf>", "<Sts/Cd><AddtlNtryInf>", "Ntry"),
        ("<Ntry><Amt Ccy=\"EUR\"", "<Ntry><Amt Ccy=\"EUR\" Ccy=\"USD\"", "Ntry"),
        ("<Ntry><Amt Ccy=\"EUR\"", "<Ntry><Amt Ccy=EUR", "Ntry"),
        ("<BkToCstmrStmt>", "<BkToCstmrStmt/><BkToCstmrStmt>", "Document"),
        ("BkToCstmrStmt>", "BkToCstmrAcctRpt>", "Document"),
        ("Document", "Other", "Document"),
        ("camt.053.001.08", "camt.053.001.99", "Document"),
        ("camt.053.001.08", "pain.001.001.09", "Document"),
        ("<Document xmlns", "<Document xmlns:a", "Document"),
    ] {
        assert_ne!(text.replace(from, to), text);
        assert_eq!(refuse(&text.replace(from, to)).record, record, "{from} to {to}");
    }
    for text in ["", " \n", "<!-- a -->", "a", "<", "</a>", "<a/>", "<Document/>"] {
        assert!(read(text.as_bytes()).is_err(), "{text}");
    }
}

#[test]
fn sizes_are_bounded() {
    let nested = |depth: usize| with_text(&format!("{}{}", "<a>".repeat(depth), "</a>".repeat(depth)));
    assert!(read(nested(59).as_bytes()).is_ok() && read(nested(60).as_bytes()).is_err());
    let attributes = |count: usize| {
        let all = (0..count).map(|number| format!(" a{number}=''")).collect::<Vec<_>>().concat();
        with_text("a").replace("<Ntry>", &format!("<Ntry{all}>"))
    };
    assert!(read(attributes(64).as_bytes()).is_ok() && read(attributes(65).as_bytes()).is_err());
    let namespaces = |count: usize| {
        let all = (0..count).map(|number| format!(" xmlns:a{number}='b'")).collect::<Vec<_>>().concat();
        with_text("a").replace("<Ntry>", &format!("<Ntry{all}>"))
    };
    assert!(read(namespaces(31).as_bytes()).is_ok() && read(namespaces(32).as_bytes()).is_err());
}

/// The shortest entry.
const ENTRY: &str = "<Ntry><Amt Ccy='EUR'>0</Amt><CdtDbtInd>CRDT</CdtDbtInd><Sts>BOOK</Sts></Ntry>";

#[test]
fn lines_are_bounded() {
    let lines = |count: usize| of_day(&ENTRY.repeat(count), "0");
    let read = accept(&lines(MAX_LINES));
    assert_eq!(read.statements[0].lines.len(), MAX_LINES);
    assert_eq!(place(&lines(MAX_LINES + 1)), ("Ntry".into(), "Ntry".into()));
}

/// Elements of other namespaces have no meaning, even with the same names, and even with text beside them.
#[test]
fn other_namespaces_are_skipped() {
    let foreign = "<SplmtryData><Envlp><x:Ntry xmlns:x='urn:x'>a<x:Amt/>b</x:Ntry></Envlp></SplmtryData>\
        <Bal xmlns='urn:x'><Amt>b</Amt></Bal><x:Ntry xmlns:x='urn:x'><Amt/></x:Ntry>";
    let read = line(&with_text("a").replace("<Ntry>", &format!("{foreign}<Ntry>")));
    assert_eq!((read.amount, read.text.as_str()), (100, "a"));
}

#[test]
fn order_of_elements_means_nothing() {
    let in_order = with_text("a")
        .replace("<Ntry>", "<TxsSummry><TtlNtries><NbOfNtries>1</NbOfNtries></TtlNtries></TxsSummry><Ntry>");
    let read = &accept(&in_order).statements[0];
    let [head, rest] = in_order.split("<Stmt>").collect::<Vec<_>>()[..] else { panic!("{in_order}") };
    let (content, tail) = rest.split_once("</Stmt>").expect("a statement");
    let (before, after) = content.split_at(content.find("<Bal>").expect("a balance"));
    let turned = format!("{head}<Stmt>{after}{before}</Stmt>{tail}");
    let without_bytes = |statement: &Statement| {
        let mut statement = statement.clone();
        statement.lines.iter_mut().for_each(|line| line.bytes = 0..0);
        statement
    };
    assert_eq!(without_bytes(&accept(&turned).statements[0]), without_bytes(read));
}

/// In an encoding of single bytes, places are those of the file and not of the decoded text.
#[test]
fn latin_text_keeps_its_places() {
    let content = format!("{}{}", balance("OPBD", "0", "2026-11-02"), balance("CLBD", "2", "2026-11-02"));
    let entries = ["Müller", "Söhne"].map(|name| entry("1", &format!("<AddtlNtryInf>{name}</AddtlNtryInf>")));
    let text = message("camt.053.001.08", "", &statement(&format!("{content}{}", entries.concat())));
    let text = format!("<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?>\n{text}");
    let bytes: Vec<u8> =
        text.chars().map(|letter| u8::try_from(u32::from(letter)).expect("Latin-1")).collect();
    let file = read(&bytes).expect("is read");
    let lines = &file.statements[0].lines;
    assert_eq!(lines.iter().map(|line| line.text.as_str()).collect::<Vec<_>>(), ["Müller", "Söhne"]);
    for line in lines {
        assert!(
            bytes[line.bytes.clone()].starts_with(b"<Ntry>")
                && bytes[line.bytes.clone()].ends_with(b"</Ntry>")
        );
    }
    assert_eq!(read(text.as_bytes()).expect("is read").statements[0].lines[0].text, "MÃ¼ller");
}
