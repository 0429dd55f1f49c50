//! CAMT: details, batches and summaries.

use crate::camt_message::{amounts, detail, entry, line, of_day, one, place, refuse};
use daybook_statement::ReferenceKind;

/// Entry of five euros out, with details.
fn debit(details: &str) -> String {
    of_day(&entry("-5", &format!("<NtryDtls>{details}</NtryDtls>")), "-5")
}

fn parts(text: &str) -> Vec<Option<i64>> {
    line(text).parts.iter().map(|part| part.amount).collect()
}

#[test]
fn details_must_make_their_entry() {
    let [two, three, four] = ["-2", "-3", "-4"].map(|amount| detail(amount, ""));
    assert_eq!(parts(&debit(&format!("{two}{three}"))), [Some(-200), Some(-300)]);
    let other_side = format!("{}{two}", detail("-3", "<AddtlTxInf>a</AddtlTxInf>"));
    assert_eq!(parts(&debit(&other_side)), [Some(-300), Some(-200)]);
    let returned = format!("{three}{four}{}", detail("2", ""));
    assert_eq!(parts(&debit(&returned)), [Some(-300), Some(-400), Some(200)]);
    let wrong = refuse(&debit(&format!("{two}{four}")));
    assert_eq!((wrong.field.as_str(), wrong.expected.as_deref()), ("NtryDtls", Some("5.00")));
    assert_eq!(wrong.found.as_deref(), Some("6.00"));
    assert_eq!(place(&debit(&four)), ("Ntry".into(), "NtryDtls".into()));
}

#[test]
fn details_are_summed_if_comparable() {
    let three = detail("-3", "");
    let dollars = format!("<TxDtls>{}</TxDtls>", amounts("-9", "USD"));
    assert_eq!(parts(&debit(&format!("{three}{dollars}"))), [Some(-300), None]);
    assert_eq!(parts(&debit(&format!("{three}<TxDtls/>"))), [Some(-300), None]);
    let old = "<TxDtls><AmtDtls><InstdAmt><Amt Ccy=\"EUR\">7</Amt></InstdAmt><TxAmt><Amt Ccy=\"EUR\">1</Amt></TxAmt></AmtDtls></TxDtls>";
    assert_eq!(parts(&debit(&format!("{}{old}", detail("-4", "")))), [Some(-400), Some(-100)]);
    let charged = format!(
        "{three}{}",
        detail("-3", "<Chrgs><TtlChrgsAndTaxAmt Ccy=\"EUR\">1</TtlChrgsAndTaxAmt></Chrgs>")
    );
    assert_eq!(parts(&debit(&charged)), [None, None]);
}

#[test]
fn batches_must_count_their_details() {
    let two = detail("-2.5", "").repeat(2);
    let batch = |values: &str| format!("<Btch>{values}</Btch>");
    for (values, details, field) in [
        ("<NbOfTxs>2</NbOfTxs>", &*two, None),
        ("<NbOfTxs>3</NbOfTxs>", &two, Some("NtryDtls/Btch/NbOfTxs")),
        ("<NbOfTxs>3</NbOfTxs>", "", None),
        ("<NbOfTxs>3</NbOfTxs>", "<TxDtls/>", None),
        ("<NbOfTxs>+2</NbOfTxs>", &two, Some("NtryDtls/Btch/NbOfTxs")),
        ("<TtlAmt Ccy=\"EUR\">5</TtlAmt>", &two, None),
        ("<TtlAmt Ccy=\"EUR\">5</TtlAmt><CdtDbtInd>DBIT</CdtDbtInd>", "", None),
        ("<TtlAmt Ccy=\"EUR\">5</TtlAmt><CdtDbtInd>CRDT</CdtDbtInd>", "", Some("NtryDtls/Btch/TtlAmt")),
        ("<TtlAmt Ccy=\"EUR\">6</TtlAmt>", "", Some("NtryDtls/Btch/TtlAmt")),
        ("<TtlAmt Ccy=\"USD\">6</TtlAmt>", "", None),
    ] {
        let text = debit(&format!("{}{details}", batch(values)));
        match field {
            None => assert_eq!(line(&text).amount, -500, "{values}"),
            Some(field) => assert_eq!(place(&text), ("Ntry".into(), field.into()), "{values}"),
        }
    }
}

/// A line has a reference once. Batches that contradict one another give theirs to their details.
#[test]
fn batches_of_one_line_share_references() {
    let list = |payment: &str| {
        let batch = format!(
            "<Btch><MsgId>M</MsgId><PmtInfId>{payment}</PmtInfId><TtlAmt Ccy=\"EUR\">2.5</TtlAmt></Btch>"
        );
        format!("{batch}{}", detail("-2.5", ""))
    };
    let read = line(&debit(&format!("{}</NtryDtls><NtryDtls>{}", list("A"), list("B"))));
    assert_eq!(read.references, [(ReferenceKind::Message, "M".to_owned())]);
    let of_parts: Vec<_> = read.parts.into_iter().flat_map(|part| part.references).collect();
    assert_eq!(of_parts, ["A", "B"].map(|value| (ReferenceKind::Payment, value.to_owned())));
    let wrong =
        debit(&format!("{}</NtryDtls><NtryDtls>{}", list("A"), list("B").replace(">2.5</Ttl", ">2.4</Ttl")));
    assert_eq!(place(&wrong).1, "NtryDtls/Btch/TtlAmt");
}

#[test]
fn summaries_must_hold() {
    let code = |own: &str| format!("<BkTxCd><Prtry><Cd>{own}</Cd></Prtry></BkTxCd>");
    let pending = entry("100", "").replace("BOOK", "PDNG");
    let entries =
        [entry("5", &code("A")), entry("-2", &code("B")), entry("-4", &code("A")), pending].concat();
    for (summary, is_right) in [
        ("<TtlNtries><NbOfNtries>4</NbOfNtries><Sum>111</Sum></TtlNtries>", true),
        ("<TtlNtries><NbOfNtries>3</NbOfNtries><Sum>11.00</Sum></TtlNtries>", true),
        ("<TtlNtries><NbOfNtries>4</NbOfNtries><Sum>11</Sum></TtlNtries>", false),
        ("<TtlNtries><Sum>11.001</Sum></TtlNtries>", false),
        ("<TtlNtries><Sum>-11</Sum></TtlNtries>", false),
        ("<TtlNtries><TtlNetNtryAmt>1</TtlNetNtryAmt><CdtDbtInd>DBIT</CdtDbtInd></TtlNtries>", true),
        ("<TtlNtries><TtlNetNtryAmt>1</TtlNetNtryAmt><CdtDbtInd>CRDT</CdtDbtInd></TtlNtries>", false),
        ("<TtlNtries><TtlNetNtryAmt>-1</TtlNetNtryAmt></TtlNtries>", true),
        ("<TtlNtries><TtlNetNtryAmt>1</TtlNetNtryAmt></TtlNtries>", true),
        ("<TtlNtries><TtlNetNtry><Amt>1</Amt><CdtDbtInd>DBIT</CdtDbtInd></TtlNetNtry></TtlNtries>", true),
        ("<TtlNtries><TtlNetNtry><Amt>2</Amt><CdtDbtInd>DBIT</CdtDbtInd></TtlNetNtry></TtlNtries>", false),
        ("<TtlCdtNtries><NbOfNtries>1</NbOfNtries><Sum>5</Sum></TtlCdtNtries>", true),
        ("<TtlDbtNtries><NbOfNtries>2</NbOfNtries><Sum>6</Sum></TtlDbtNtries>", true),
        ("<TtlDbtNtries><NbOfNtries>2</NbOfNtries><Sum>5</Sum></TtlDbtNtries>", false),
        ("<TtlNtriesPerBkTxCd><NbOfNtries>2</NbOfNtries><Sum>9</Sum>A</TtlNtriesPerBkTxCd>", true),
        ("<TtlNtriesPerBkTxCd><NbOfNtries>2</NbOfNtries><Sum>9</Sum>B</TtlNtriesPerBkTxCd>", false),
        ("<TtlNtriesPerBkTxCd><CdtNtries><Sum>5</Sum></CdtNtries>A</TtlNtriesPerBkTxCd>", true),
        (
            "<TtlNtriesPerBkTxCd><DbtNtries><NbOfNtries>2</NbOfNtries></DbtNtries>A</TtlNtriesPerBkTxCd>",
            false,
        ),
        ("<TtlNtriesPerBkTxCd><NbOfNtries>9</NbOfNtries><FcstInd>true</FcstInd>A</TtlNtriesPerBkTxCd>", true),
    ] {
        let mut summary = summary.to_owned();
        for own in ["A", "B"] {
            summary =
                summary.replace(&format!("{own}</TtlNtriesPer"), &format!("{}</TtlNtriesPer", code(own)));
        }
        let text = of_day(&format!("<TxsSummry>{summary}</TxsSummry>{entries}"), "-1");
        if is_right {
            assert_eq!(one(&text).lines.len(), 4, "{summary}");
        } else {
            assert_eq!(refuse(&text).record, "TxsSummry", "{summary}");
        }
    }
}
